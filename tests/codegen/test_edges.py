"""Loads that reach over the edges of their memory: whole vectors inside, single elements at the ends."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Device, Tensor, dtypes
from saccade.codegen.compile import source_for
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.moves.analysis import holds_between
from saccade.codegen.moves.sections import sections_of
from saccade.graph.kernels.kernel import VECTOR, Kernel, load, loop, param, range_size, sink, store
from saccade.graph.node import const
from saccade.graph.ops import Op
from saccade.runtime.program import Launch
from tests.schedule.programs import scheduled


def test_padding_and_joining_run_in_vectors() -> None:
    padded = scheduled(lambda x: x.pad((1, 2)) * 2, (50, 300)).items
    joined = scheduled(lambda x, y: Tensor.cat([x, y], 1) * 2, (50, 301), (50, 70)).items
    for (item,) in (padded, joined):
        assert any(r.arg.kind == VECTOR for r in optimise(item.kernel).order)


def test_results_are_copied_beside_their_padding_and_each_other() -> None:
    padded = scheduled(lambda x: x.pad((1, 2)), (50, 300)).items
    joined = scheduled(lambda x, y: Tensor.cat([x, y], 1), (50, 301), (50, 70)).items
    for made, widths in ((padded, [1, 2, 300]), (joined, [70, 301])):
        kernels = [part for item in made for part in _parts(item.kernel)]
        assert sorted(map(_width, kernels)) == widths
        assert all(any(r.arg.kind == VECTOR for r in optimise(k).order) for k in kernels if _width(k) >= 70)
        # nothing is chosen between: every load is there
        assert not any(n.op is Op.LOAD and len(n.src) == 3 for k in kernels for n in k.nodes)


def _parts(kernel: Kernel) -> list[Kernel]:
    return [section.kernel for section in sections_of(kernel)] or [kernel]


def _width(kernel: Kernel) -> int:
    """The elements of a row that a kernel of 50 rows stores."""
    return prod(map(range_size, kernel.order)) // 50


def test_what_holds_between_two_points() -> None:
    i, j = loop(0, 20), loop(1, 20)
    inside = (i < 7) & ((2 * i + j) < 30)
    assert holds_between(inside, i)
    assert not holds_between((i % 3) < 1, i)
    assert not holds_between((i < 3) | (i < 9), i)
    assert not holds_between(inside, None)


@settings(max_examples=25)
@given(
    st.integers(1, 70),
    st.integers(-3, 9),
    st.integers(-3, 9),
    st.sampled_from(["float32", "int8", "float64"]),
)
def test_padding_of_every_width(n: int, left: int, right: int, dtype: str) -> None:
    if n + left + right < 1 or n + min(left, 0) + min(right, 0) < 1:
        return
    x = np.arange(3 * n).reshape(3, n).astype(dtype)
    wide = np.pad(x, ((0, 0), (max(left, 0), max(right, 0))), constant_values=5)
    wanted = wide[:, max(-left, 0) : wide.shape[1] - max(-right, 0)] + 1
    np.testing.assert_array_equal((Tensor(x).pad((left, right), value=5) + 1).numpy(), wanted)


@pytest.mark.parametrize("sizes", [(16, 16), (5, 40), (33, 1), (0, 9), (64, 31, 7)])
def test_joining_of_every_width(sizes: tuple[int, ...]) -> None:
    parts = [np.random.default_rng(n).standard_normal((4, n)).astype(np.float32) for n in sizes]
    np.testing.assert_array_equal(Tensor.cat([Tensor(p) for p in parts], 1).numpy(), np.concatenate(parts, 1))


def test_element_40_of_memory_1_is_not_element_0_of_memory_14() -> None:
    """Addresses are told apart by memory and place, not by both written one after the other."""
    sizes = [1, 41, *[1] * 13]
    one, other = param(1, dtypes.float64, 41), param(14, dtypes.float64, 1)
    place, none = const(40, dtypes.int64), const(0, dtypes.int64)
    value = load(one, place) * 100.0 + load(other, none)
    kernel = Kernel(
        sink((store(param(0, dtypes.float64, 1), none, value),)),
        order=(),
        params=tuple((dtypes.float64, size) for size in sizes),
        outputs=(0,),
    )
    (program,) = Device["cpu"].compile([source_for(kernel, "cpu")])
    memory = [np.full(size, 7.0 + slot) for slot, size in enumerate(sizes)]
    launch = Launch(program, tuple((slot, 0) for slot in range(len(sizes))))
    Device["cpu"].plan([launch], len(sizes))([array.ctypes.data for array in memory])
    assert memory[0][0] == 821.0


@pytest.mark.parametrize("offset", [0, 2, -1])
def test_a_diagonal_is_written_in_vectors(offset: int) -> None:
    x = np.random.default_rng(0).standard_normal((3, 65)).astype(np.float32)
    (item,) = scheduled(lambda x: x.diag_embed(offset), x.shape).items
    assert any(r.arg.kind == VECTOR for r in optimise(item.kernel).order)
    wanted = np.stack([np.diag(row, offset) for row in x])
    np.testing.assert_array_equal(Tensor(x).diag_embed(offset).numpy(), wanted)
