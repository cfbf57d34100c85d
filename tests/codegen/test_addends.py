"""Constants that products are added to: NEON reads them, since a copy takes a pipe that multiplies."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import source_for
from saccade.runtime.cpu.engine import Target, assembly_of
from saccade.runtime.cpu.machine import AVX2, NEON, Registers, assuming
from saccade.runtime.program import Source
from tests.codegen.kernels import kernels_of, run_source

PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "exp": lambda x: x.exp(),
    "erf": lambda x: x.erf(),
    "tanh": lambda x: x.tanh(),
    "rows": lambda x: x.softmax(-1),
    "wide": lambda x: x.cast("float64").exp() + x.sin(),
    "half": lambda x: x.cast("float16").gelu(),
}


def source_of(program: Callable[[Tensor], Tensor], x: Tensor, registers: Registers) -> Source:
    with assuming(registers):
        (kernel,) = kernels_of(program(x))
        return source_for(kernel, "cpu")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", [(7, 45), (64, 64)])
def test_a_constant_from_memory_is_the_same(
    name: str, shape: tuple[int, int], rng: np.random.Generator
) -> None:
    data = (rng.standard_normal(shape) * 3).astype(np.float32)
    x = Tensor(data).realize()
    storage = PROGRAMS[name](x).numpy()
    found = []
    for registers in (NEON, AVX2):
        out = np.zeros_like(storage)
        run_source(source_of(PROGRAMS[name], x, registers), [out, data])
        found.append(out)
    tolerance = 1e-3 if storage.dtype == np.float16 else 1e-6
    np.testing.assert_allclose(found[0], found[1], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(found[0], storage, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["exp", "erf", "tanh"])
def test_no_pipe_that_multiplies_copies_a_constant(name: str) -> None:
    # a shape of its own: what was shaped for other registers is not shaped anew
    source = source_of(PROGRAMS[name], Tensor(np.ones((64, 80), np.float32)).realize(), NEON)
    text = assembly_of(source.name, source.text, target=Target("aarch64-unknown-linux-gnu", "neoverse-n1"))
    sums, copies = (len(re.findall(word, text)) for word in (r"\tfmla\t", r"\tmov\tv\d+\.16b"))
    assert sums > 20
    assert copies < sums / 5
