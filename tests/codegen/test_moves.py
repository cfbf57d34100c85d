"""Moves: legal ones never change what a kernel computes, illegal ones are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.codegen.cpu.heuristic import optimise, prepared
from saccade.codegen.moves.analysis import is_in_place
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import (
    Bind,
    Merge,
    Move,
    Order,
    Pack,
    Split,
    Widen,
    apply,
    moves_made,
    step,
    step_if_legal,
)
from saccade.codegen.moves.text import from_json, to_json
from saccade.codegen.search.random_moves import move_at_random
from saccade.codegen.search.saved import kernel_text, replay
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import LOOP, PARALLEL, UNROLL, VECTOR, Kernel, range_size
from saccade.graph.node import Shape, own_ranges
from saccade.graph.ops import Op
from saccade.graph.verify import verify
from saccade.runtime.interpreter.interpreter import run_kernel
from saccade.runtime.memory.halves import storage_dtype
from saccade.tensor import Tensor
from saccade.tensor.tensor import where
from tests.schedule.programs import scheduled

Array = np.ndarray[Any, Any]


def kernel_of(build: Callable[..., Any], *shapes: Shape) -> Kernel:
    """The one kernel, or the last one, of a function of tensors."""
    return scheduled(build, *shapes).items[-1].kernel


def interpreted(kernel: Kernel) -> list[Array]:
    """The outputs of a kernel on numbers whose sums are exact."""
    random = np.random.default_rng(0)
    arrays = [random.integers(-4, 5, size).astype(storage_dtype(dtype)) for dtype, size in kernel.params]
    run_kernel(kernel, arrays)
    return [arrays[slot] for slot in kernel.outputs]


def ragged(x: Tensor, counts: Tensor) -> Tensor:
    return where(Tensor.arange(x.shape[-1]) < counts.int().unsqueeze(-1), x, 0.0).sum(-1)


KERNELS: dict[str, Kernel] = {
    "elementwise": kernel_of(lambda x, y: x * 2 + y, (12, 10), (10,)),
    "transposed": kernel_of(lambda x, y: x.T + y, (12, 10), (10, 12)),
    "sum": kernel_of(lambda x: x.sum(-1), (7, 24)),
    "argmax": kernel_of(lambda x: x.argmax(1), (6, 20)),
    "top-k": kernel_of(lambda x: x.topk(3, 1).indices, (6, 20)),
    "matrix product": kernel_of(lambda x, y: x @ y, (9, 16), (16, 12)),
    "running sum": kernel_of(lambda x: x.cumsum(1), (5, 11)),
    "padded": kernel_of(lambda x: x.pad([1, 2, 0, 3]) + 1, (6, 5)),
    "window": kernel_of(lambda x, w: x.conv1d(w, padding=1), (2, 3, 9), (4, 3, 3)),
    "ragged": kernel_of(ragged, (6, 16), (6,)),
    "variance": kernel_of(lambda x: x - x.sum(-1, keepdim=True), (8, 16)),
}


@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=20)
@given(st.integers(0, 1 << 30))
def test_legal_moves_never_change_the_result(name: str, seed: int) -> None:
    kernel = prepared(KERNELS[name])
    moved = move_at_random(kernel, Random(seed), 8)
    verify(moved.sink, "kernel", loops=moved.order)
    for before, after in zip(interpreted(KERNELS[name]), interpreted(moved), strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("name", KERNELS)
def test_moves_are_plain_data_that_can_be_replayed(name: str) -> None:
    kernel = KERNELS[name]
    moved = optimise(kernel)
    moves = moves_made(moved)
    assert from_json(to_json(moves)) == moves
    assert replay(kernel, from_json(to_json(moves))) == moved


def test_texts_of_kernels_tell_them_apart() -> None:
    texts = {name: kernel_text(kernel) for name, kernel in KERNELS.items()}
    assert len(set(texts.values())) == len(texts)
    again = kernel_of(lambda x: x.sum(-1), (7, 24))
    assert kernel_text(again) == texts["sum"]
    assert kernel_text(kernel_of(lambda x: x.sum(-1), (7, 25))) != texts["sum"]


@pytest.mark.parametrize(
    "text",
    ['[{"move": "Jump", "axis": 1}]', '[{"move": "Split"}]', '[{"axis": 1}]', '[{"move": "Bind", "at": 1}]'],
)
def test_texts_that_are_no_moves(text: str) -> None:
    with pytest.raises(ValueError, match="move"):
        from_json(text)


# --- each move


def sizes(kernel: Kernel) -> list[tuple[int, str]]:
    return [(range_size(r), r.arg.kind) for r in kernel.order]


def test_split_overlaps_where_the_factor_does_not_divide() -> None:
    kernel = KERNELS["transposed"]
    moved = step(kernel, Split(kernel.order[0].arg.number, 4, LOOP))
    assert sizes(moved)[:2] == [(3, LOOP), (4, LOOP)]
    np.testing.assert_array_equal(interpreted(moved)[0], interpreted(kernel)[0])


@pytest.mark.parametrize(("n", "blocks"), [(23, 3), (25, 3), (19, 3), (18, 2), (28, 4)])
def test_blocks_are_of_whole_tiles_and_the_last_has_fewer(n: int, blocks: int) -> None:
    kernel = kernel_of(lambda x, y: x @ y, (4, 5), (5, n))
    first, column = kernel.next_axis(), kernel.order[1].arg.number
    made = step(kernel, Split(column, 9, LOOP, 3))
    block, tile, inner = made.order[1:]
    assert (range_size(block), range_size(tile), range_size(inner)) == (blocks, 3, 3)
    packed = apply(made, [Order((first, 0, first + 1, first + 2)), Pack(2, 1, first), Bind(first, PARALLEL)])
    for each in (made, packed):
        assert all(np.array_equal(a, b) for a, b in zip(interpreted(each), interpreted(kernel), strict=True))


def test_a_loop_stays_inside_of_the_one_its_end_depends_on() -> None:
    kernel = kernel_of(lambda x, y: x @ y, (4, 5), (5, 19))
    first = kernel.next_axis()
    made = step(kernel, Split(1, 9, LOOP, 3))
    with pytest.raises(IllegalMove, match=f"axis {first + 1} ends at a value of a loop that is inside"):
        step(made, Order((0, first + 1, first, first + 2)))


@pytest.mark.parametrize(("factor", "unit"), [(9, 4), (24, 8), (0, 3)])
def test_blocks_that_are_no_whole_tiles_are_refused(factor: int, unit: int) -> None:
    kernel = kernel_of(lambda x: x + 1, (19,))
    with pytest.raises(IllegalMove, match=f"blocks of {factor} by {unit}"):
        step(kernel, Split(0, factor, LOOP, unit))


def test_splitting_a_fold_that_does_not_divide_makes_two() -> None:
    kernel = KERNELS["sum"]
    (fold,) = [n for n in kernel.nodes if n.op is Op.FOLD]
    moved = step(kernel, Split(own_ranges(fold)[0].arg.number, 7, LOOP))
    assert len([n for n in moved.nodes if n.op is Op.FOLD]) == 2
    np.testing.assert_array_equal(interpreted(moved)[0], interpreted(kernel)[0])


def test_the_loops_of_a_fold_merge_where_they_run_as_one() -> None:
    kernel = scheduled(lambda x: x.mean((1, 2)), (5, 6, 7)).items[0].kernel
    (fold,) = [n for n in kernel.nodes if n.op is Op.FOLD]
    first, second = (r.arg.number for r in own_ranges(fold))
    moved = step(kernel, Merge(first, second))
    (merged,) = [n for n in moved.nodes if n.op is Op.FOLD]
    assert [range_size(r) for r in own_ranges(merged)] == [42]
    assert not any(n.op in (Op.IDIV, Op.MOD) for n in moved.nodes)
    assert "directly" in illegal(kernel, Merge(second, first))


def test_merge_and_order_change_the_loops_only() -> None:
    kernel = KERNELS["elementwise"]
    first, second = (r.arg.number for r in kernel.order)
    assert sizes(step(kernel, Merge(first, second))) == [(120, LOOP)]
    assert sizes(step(kernel, Order((second, first)))) == [(10, LOOP), (12, LOOP)]


def test_pack_puts_an_operand_into_a_tile() -> None:
    kernel = KERNELS["matrix product"]
    (fold,) = [n for n in kernel.nodes if n.op is Op.FOLD]
    moved = step(kernel, Pack(own_ranges(fold)[0].arg.number, 1, kernel.order[0].arg.number))
    (tile,) = [n for n in moved.nodes if n.op is Op.STAGE]
    assert tile.arg.size == 16 * 12
    np.testing.assert_array_equal(interpreted(moved)[0], interpreted(kernel)[0])


@pytest.mark.parametrize(
    "factor", [lambda x: 16, lambda x: Tensor.arange(16), lambda x: Tensor.arange(9).unsqueeze(1)]
)
@pytest.mark.parametrize("operand", [0, 1])
def test_pack_leaves_loops_that_hold_the_same_number_alone(factor: Any, operand: int) -> None:
    """The factor is the node that the fold's loop ends at, its loop itself, or that of the rows."""
    kernel = kernel_of(lambda x: (x.long() * factor(x)).sum(1), (9, 16))
    (fold,) = [n for n in kernel.nodes if n.op is Op.FOLD]
    moved = step(kernel, Pack(own_ranges(fold)[0].arg.number, operand, kernel.order[0].arg.number))
    (packed,) = [n for n in moved.nodes if n.op is Op.FOLD]
    assert own_ranges(packed) == own_ranges(fold)
    assert moved.order == kernel.order
    verify(moved.sink, "kernel", loops=moved.order)
    np.testing.assert_array_equal(interpreted(moved)[0], interpreted(kernel)[0])


def test_a_count_is_packed_and_still_ends_its_loop() -> None:
    kernel = prepared(
        kernel_of(
            lambda x, n: where(Tensor.arange(16) < n.int()[:, None], x * n[:, None], 0.0).sum(1),
            (6, 16),
            (6,),
        )
    )
    (fold,) = [n for n in kernel.nodes if n.op is Op.FOLD]
    for operand in (0, 1):
        moved = step_if_legal(
            kernel, Pack(own_ranges(fold)[0].arg.number, operand, kernel.order[0].arg.number)
        )
        (packed,) = [n for n in moved.nodes if n.op is Op.FOLD]
        assert own_ranges(packed) == own_ranges(fold)
        np.testing.assert_array_equal(interpreted(moved)[0], interpreted(kernel)[0])


def illegal(kernel: Kernel, *moves: Move) -> str:
    """Why the last move is refused, after the others."""
    *before, last = moves
    with pytest.raises(IllegalMove) as raised:
        step(apply(kernel, list(before)), last)
    assert step_if_legal(apply(kernel, list(before)), last) == apply(kernel, list(before))
    return str(raised.value)


def axis(name: str, position: int) -> int:
    return int(KERNELS[name].order[position].arg.number)


def fold_axis(kernel: Kernel, position: int = 0) -> int:
    return int(next(own_ranges(n)[position].arg.number for n in kernel.nodes if n.op is Op.FOLD))


def test_a_value_has_lanes_along_one_axis() -> None:
    kernel, j = KERNELS["matrix product"], axis("matrix product", 1)
    assert "lanes along one axis" in illegal(kernel, Split(j, 4, VECTOR), Bind(fold_axis(kernel), VECTOR))
    assert "lanes along one axis" in illegal(
        kernel, Split(j, 4, VECTOR), Split(axis("matrix product", 0), 4, VECTOR)
    )


def test_only_the_outermost_loop_is_parallel() -> None:
    kernel = KERNELS["elementwise"]
    first, second = (r.arg.number for r in kernel.order)
    assert "outermost" in illegal(kernel, Bind(second, PARALLEL))
    assert "outermost" in illegal(kernel, Bind(first, PARALLEL), Order((second, first)))
    assert "outermost" in illegal(kernel, Split(second, 5, PARALLEL))


def test_a_running_sum_keeps_its_axis_and_its_place() -> None:
    kernel = KERNELS["running sum"]
    i, along = axis("running sum", 0), axis("running sum", 1)
    assert "in order" in illegal(kernel, Bind(along, VECTOR))
    assert "in order" in illegal(kernel, Split(along, 2, LOOP))
    assert "along" in illegal(kernel, Merge(i, along))
    assert "inside" in illegal(kernel, Order((along, i)))


def test_a_tile_is_not_filled_inside_a_register_axis() -> None:
    kernel = KERNELS["matrix product"]
    i, j = axis("matrix product", 0), axis("matrix product", 1)
    packed = [Order((j, i)), Pack(fold_axis(kernel), 1, j)]
    assert "widen the tile" in illegal(kernel, *packed, Split(j, 4, UNROLL))
    moved = apply(kernel, [*packed, Split(j, 4, LOOP)])
    (tile,) = [n for n in moved.nodes if n.op is Op.STAGE]
    inner = max(r.arg.number for r in moved.order)
    wide = apply(moved, [Widen(tile.arg.number, inner), Bind(inner, UNROLL)])
    np.testing.assert_array_equal(interpreted(wide)[0], interpreted(kernel)[0])


@pytest.mark.parametrize("kind", [UNROLL, VECTOR])
def test_a_loop_of_no_iterations_stays_a_loop(kind: str) -> None:
    kernel = kernel_of(lambda x, y: x.sum(1) + y, (4, 0), (4,))
    (empty,) = [r for r in kernel.ranges() if range_size(r) == 0]
    assert "no iterations" in illegal(kernel, Bind(empty.arg.number, kind))
    assert optimise(kernel).params == kernel.params


def test_a_loop_that_ends_at_a_computed_value_stays_a_loop() -> None:
    kernel = prepared(KERNELS["ragged"])
    (ends,) = [r for r in kernel.ranges() if r.src[0].op is not Op.CONST]
    rows = int(kernel.order[0].arg.number)
    assert "computed value" in illegal(kernel, Bind(ends.arg.number, UNROLL))
    assert "computed value" in illegal(kernel, Split(ends.arg.number, 2, LOOP))
    assert "depends on it" in illegal(kernel, Bind(rows, VECTOR))
    assert "depends on it" in illegal(kernel, Split(rows, 2, UNROLL))
    assert "no tile can hold it" in illegal(kernel, Pack(ends.arg.number, 0, rows))


def test_pairs_are_taken_in_order() -> None:
    kernel = KERNELS["argmax"]
    along = fold_axis(kernel)
    twice = step(kernel, Split(along, 5, LOOP))
    assert "in order" in illegal(kernel, Split(along, 5, LOOP), Bind(fold_axis(twice, 0), UNROLL))
    np.testing.assert_array_equal(
        interpreted(step(twice, Bind(fold_axis(twice, 1), UNROLL)))[0], interpreted(kernel)[0]
    )


def test_what_combines_with_memory_is_done_once() -> None:
    def scattered(x: Tensor, index: Tensor, updates: Tensor) -> Tensor:
        return x.scatter_add(0, index.long().expand(4, 10), updates)

    kernel = kernel_of(scattered, (6, 10), (4, 1), (4, 10))
    assert is_in_place(kernel)
    (column,) = [r.arg.number for r in kernel.order if range_size(r) == 10]
    (row,) = [r.arg.number for r in kernel.order if range_size(r) == 4]
    assert "in place" in illegal(
        kernel, Split(column, 4, LOOP)
    )  # 4 does not divide 10: two would be added twice
    assert "in order" in illegal(kernel, Bind(row, UNROLL))
    assert "one element at a time" in illegal(kernel, Bind(column, UNROLL))
    for move in (Split(column, 5, LOOP), Bind(column, VECTOR)):  # neighbours of a row that all have one place
        np.testing.assert_array_equal(interpreted(step(kernel, move))[0], interpreted(kernel)[0])


@pytest.mark.parametrize(
    "move",
    [Split(99, 2), Bind(99, LOOP), Merge(98, 99), Pack(99, 0, 0), Widen(99, 0), Order((5,)), Split(0, 0)],
)
def test_axes_and_tiles_have_to_exist(move: Move) -> None:
    with pytest.raises(IllegalMove):
        step(KERNELS["matrix product"], move)


def test_operands_and_places_of_a_pack_have_to_exist() -> None:
    kernel = KERNELS["matrix product"]
    fold = fold_axis(kernel)
    assert "operands" in illegal(kernel, Pack(fold, 2, axis("matrix product", 0)))
    assert "not an output loop" in illegal(kernel, Pack(fold, 0, fold))
    assert "not the axis of a fold" in illegal(
        kernel, Pack(axis("matrix product", 0), 0, axis("matrix product", 0))
    )


def test_what_vectors_leave_of_each_row_is_a_vector_too() -> None:
    """A fold over two axes whose inner one no vector divides: only what is shorter than four is left."""
    kernel = scheduled(lambda x: x[:, :, :95].amax((1, 2)), (64, 9, 99)).items[0].kernel
    for fold in (n for n in optimise(kernel).nodes if n.op is Op.FOLD):
        own = own_ranges(fold)
        assert any(r.arg.kind == VECTOR for r in own) or range_size(own[-1]) < 4


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "int8", "bool"])
def test_rows_of_any_length_are_searched_in_lanes(name: str, dtype: str, rng: np.random.Generator) -> None:
    """The first of equal elements, in lanes or in what these leave; of a float the first NaN."""
    x = rng.integers(-3, 4, (6, 1001)).astype(dtype)
    x[1], x[2, :-1] = x[1, 0], x[2, -1]
    if dtype.startswith("float"):
        x[3, [77, 1000]] = x[4, 999] = np.nan
        x[5] = np.inf if name == "argmin" else -np.inf
    given = dtypes.bool_ if dtype == "bool" else getattr(dtypes, dtype)
    kernel = scheduled(lambda t: getattr(t, name)(1), x.shape, dtype=given).items[0].kernel
    folds = [n for n in optimise(kernel).nodes if n.op is Op.FOLD]
    assert [any(r.arg.kind == VECTOR for r in own_ranges(f)) for f in folds] in ([True, False], [False, True])
    np.testing.assert_array_equal(getattr(Tensor(x), name)(1).numpy(), getattr(np, name)(x, 1))
