"""Compiling in the background: programs come in order, errors and interrupts come out."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.runtime.process.compiling import Compiling
from saccade.runtime.program import CompileError, Program, Source
from saccade.tensor.programs import prepare


def source(name: str, body: str = "ret void") -> Source:
    text = f"define void @{name}(ptr %p, i64 %b, i64 %e, ptr %s) {{\n  {body}\n}}\n"
    return Source(name, text, tasks=1, params=0, quick=True)


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_programs_come_in_the_order_of_their_sources(count: int) -> None:
    sources = [source(f"k{count}_{i}") for i in range(count)]
    assert [program.source for program in compile_all(sources)] == sources


def compile_all(sources: list[Source], then: type[BaseException] | None = None) -> list[Program]:
    with Compiling("cpu") as compiling:
        for each in sources:
            compiling.add(each)
        if then is not None:
            raise then
        return compiling.programs()


@pytest.mark.parametrize("bad", [0, 1, 3])
def test_a_compile_error_names_its_kernel(bad: int) -> None:
    sources = [source(f"broken_{i}", "nonsense" if i == bad else "ret void") for i in range(4)]
    with pytest.raises(CompileError, match=f"broken_{bad}"):
        compile_all(sources)


def test_an_interrupt_leaves_things_whole() -> None:
    with pytest.raises(KeyboardInterrupt):
        compile_all([source(f"left_{i}") for i in range(6)], then=KeyboardInterrupt)
    assert len(compile_all([source("after"), source("left_5")])) == 2


def test_the_largest_kernel_of_a_program_is_begun_first(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Source] = []

    class Noting(Compiling):
        def add(self, source: Source) -> None:
            begun.append(source)
            super().add(source)

    monkeypatch.setattr(prepare, "Compiling", Noting)
    values = np.arange(200 * 300, dtype=np.float64).reshape(200, 300) / 1207
    total, expected = Tensor(values).sum(0), values.sum(0)
    for k in range(12):  # in the second kernel
        total, expected = (total + k).sin() + (total - k).cos(), np.sin(expected + k) + np.cos(expected - k)
    np.testing.assert_allclose(total.sum().numpy(), expected.sum(), rtol=1e-9)
    assert len(begun) > 1
    assert len(begun[0].text) == max(len(source.text) for source in begun)
