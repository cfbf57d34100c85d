"""Transposed reads come in vectors that are turned in registers, and give what they gave without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.linear.code import Block, Instruction
from saccade.codegen.linear.lower import Lowering
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import Copy, step
from saccade.codegen.numerics.decompose import decompose
from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.kernels.kernel import UNROLL, VECTOR, range_size
from saccade.graph.node import own_ranges
from saccade.graph.ops import Op
from saccade.runtime.cpu.machine import AVX512, NEON, Registers, assuming
from tests.schedule.programs import scheduled


def instructions_in(block: Block, kind: str) -> Iterator[Instruction]:
    for item in block.items:
        if isinstance(item, Instruction):
            yield from [item] if item.kind == kind else []
        else:
            yield from instructions_in(item.body, kind)


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64, dtypes.int8], ids=str)
@pytest.mark.parametrize(("registers", "read"), [(NEON, 16), (AVX512, 64)])
def test_a_transposed_load_comes_in_vectors(dtype: DType, registers: Registers, read: int) -> None:
    for shape in ((200, 300), (201, 67), (3, 77, 130)):
        with assuming(registers):
            kernel = optimise(scheduled(lambda x: x.mT + 1, shape, dtype=dtype).items[0].kernel)
            code = Lowering(replace(kernel, sink=decompose(kernel.sink))).code("turned")
        widths = [load.result.width for load in instructions_in(code.body, "load") if load.result is not None]
        assert widths
        assert min(widths) == min(read // dtype.itemsize, 16)
        assert not any(n.op is Op.STAGE for n in kernel.nodes)


def quarter_turn(x: Tensor) -> Tensor:
    return x.flip(1).mT + 0


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64, dtypes.int8], ids=str)
def test_a_transposed_load_that_goes_backwards_comes_in_vectors(dtype: DType) -> None:
    with assuming(AVX512):
        kernel = optimise(scheduled(quarter_turn, (201, 67), dtype=dtype).items[0].kernel)
        code = Lowering(replace(kernel, sink=decompose(kernel.sink))).code("turned")
    loads = [load.result.width for load in instructions_in(code.body, "load") if load.result is not None]
    assert loads
    assert min(loads) == min(64 // dtype.itemsize, 16)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int16", "int8"])
@pytest.mark.parametrize("shape", [(64, 64), (77, 101), (201, 67), (9, 33)])
def test_quarter_turns_of_any_type(dtype: str, shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    for quarters in (1, 2, 3):
        made = Tensor(x).rot90(quarters, (0, 1)).contiguous().numpy()
        np.testing.assert_array_equal(made, np.rot90(x, quarters))
    np.testing.assert_array_equal(Tensor(x).mT.contiguous().numpy(), x.T)


@pytest.mark.parametrize(("rows", "inner", "columns"), [(40, 48, 64), (33, 77, 50), (14, 300, 100)])
def test_products_that_are_turned_on_their_way_in_and_out(rows: int, inner: int, columns: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 4, (rows, inner)).astype(np.float32)
    y = rng.integers(-3, 4, (columns, inner)).astype(np.float32)
    np.testing.assert_array_equal((Tensor(x) @ Tensor(y).T).numpy(), x @ y.T)
    np.testing.assert_array_equal((Tensor(x) @ Tensor(y).T).T.contiguous().numpy(), (x @ y.T).T)


@pytest.mark.parametrize("size", [28, 20, 14])
def test_a_convolution_and_its_residual_are_turned_in_registers(size: int) -> None:
    """Lanes are channels: what is added and what is stored lie along a row of the picture."""

    def residual(x: Tensor, w: Tensor, y: Tensor) -> Tensor:
        return x.conv2d(w, padding=1) + y

    shapes = ((1, 32, size, size), (64, 32, 3, 3), (1, 64, size, size))
    with assuming(AVX512):
        kernel = optimise(scheduled(residual, *shapes).items[-1].kernel)
        code = Lowering(replace(kernel, sink=decompose(kernel.sink))).code("turned")
    points = [range_size(r) for r in kernel.order if r.arg.kind == UNROLL and range_size(r) > 4]
    assert len(points) == 1
    stored = [i.args[1].width for i in instructions_in(code.body, "store") if i.arg[0].slot == 0]
    assert set(stored) == {points[0]}
    added = [item.result.width for item in instructions_in(code.body, "load") if item.result is not None]
    assert added.count(points[0]) == len(stored)
    rng = np.random.default_rng(0)
    x, w, y = (rng.integers(-3, 4, shape).astype(np.float32) for shape in shapes)
    apart = Tensor(x).conv2d(Tensor(w), padding=1).numpy() + y
    np.testing.assert_array_equal(residual(Tensor(x), Tensor(w), Tensor(y)).numpy(), apart)


def test_a_load_along_the_stores_is_as_wide_as_they_are() -> None:
    kernel = optimise(scheduled(lambda x: x.flip(0) + 1, (200, 300)).items[0].kernel)
    assert [r.arg.kind for r in kernel.order][-1] == VECTOR
    assert not any(r.arg.kind == UNROLL for r in kernel.order)


def test_a_load_that_is_not_there_cannot_be_copied() -> None:
    kernel = scheduled(lambda x: x.T + 1, (200, 300)).items[0].kernel
    with pytest.raises(IllegalMove, match="has 1 loads to copy, not 4"):
        step(kernel, Copy(3, kernel.order[0].arg.number))


def test_a_sum_along_rows_runs_in_vectors_of_the_row() -> None:
    """A product with a vector reads rows as they lie; its output axis, which jumps, is no vector."""
    kernel = optimise(scheduled(lambda x, y: x @ y, (300, 400), (400,)).items[0].kernel)
    assert not any(r.arg.kind == VECTOR for r in kernel.order)
    assert any(r.arg.kind == VECTOR for r in kernel.ranges())


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from([1, 3, 8, 17, 64, 70, 130]), min_size=3, max_size=3),
    st.sampled_from(sorted(permutations(range(3)))),
    st.sampled_from(["float32", "float64", "int8", "bool"]),
)
def test_every_order_of_axes(shape: list[int], order: tuple[int, ...], dtype: str) -> None:
    x = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    y = np.random.default_rng(1).integers(0, 2, [shape[a] for a in order]).astype(dtype)
    found = Tensor(x).permute(*order).where(Tensor(y) == 1, Tensor(y))
    np.testing.assert_array_equal(found.numpy(), np.where(y == 1, x.transpose(order), y))


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64], ids=str)
def test_a_panel_across_its_memory_is_filled_in_squares(dtype: DType) -> None:
    """In float64 it was filled element by element: 8 x 1024 x 4097 took 10.5 ms that takes 4.5."""
    with assuming(AVX512):
        kernel = optimise(scheduled(lambda x, y: x @ y.T, (64, 256), (96, 256), dtype=dtype).items[0].kernel)
    (tile,) = (n for n in kernel.nodes if n.op is Op.STAGE)
    side = AVX512.bytes // dtype.itemsize
    registers = {r.arg.kind: range_size(r) for r in own_ranges(tile) if r.arg.kind in (VECTOR, UNROLL)}
    assert registers == {VECTOR: side, UNROLL: side}
