"""Reductions down long columns go along rows, and give what NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import source_of
from saccade.codegen.cpu.columns import accumulate_columns, columns_of
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.cpu.vectors import lanes_of
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import Accumulate, Split, Widen, step
from saccade.graph.kernels.kernel import UNROLL, VECTOR, Kernel, range_size
from saccade.graph.node import own_ranges
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import coefficient_of
from saccade.runtime.cpu.machine import Registers, assuming
from tests.codegen.kernels import kernels_of
from tests.schedule.programs import scheduled

Array = np.ndarray[Any, Any]


def kernel_of(program: Callable[..., Tensor], *shapes: tuple[int, ...]) -> Kernel:
    return scheduled(program, *shapes).items[0].kernel


def tile_size(kernel: Kernel) -> int:
    """Results that are kept while the reduction runs; 0 where none are."""
    return next(
        (n.arg.size for n in accumulate_columns(kernel).nodes if n.op is Op.STAGE and n.arg.accumulates), 0
    )


def test_results_of_a_row_are_kept_as_far_as_a_cache_has_room() -> None:
    assert tile_size(kernel_of(lambda a: a.sum(0), (1024, 4096))) == 4096
    assert tile_size(kernel_of(lambda a: a.sum(1), (16, 1024, 512))) == 512
    # a share of the rows that ends inside of a block of them; 3,000 results are 188 vectors of 16
    with assuming(Registers(16, 32)):
        assert tile_size(kernel_of(lambda a: a.sum((0, 1)), (100, 200, 3000))) == 188 * 16
    assert tile_size(kernel_of(lambda v, a: v @ a, (1024,), (1024, 4096))) == 4096
    assert tile_size(kernel_of(lambda v, a: v @ a, (3, 1024), (1024, 4096))) == 3 * 4096
    with assuming(Registers(16, 32)):
        assert 0 < tile_size(kernel_of(lambda v, a: v @ a, (16, 1024), (1024, 4096))) < 16 * 4096
    assert 0 < tile_size(kernel_of(lambda a: a.sum(0), (64, 1 << 18))) <= 1 << 14


@pytest.mark.parametrize("columns", [65, 129, 333, 2049])
def test_columns_that_no_vector_divides_are_one_tile_too(columns: int) -> None:
    """The last two vectors overlap, and each has its own place: rows go by once, from end to end."""
    with assuming(Registers(16, 32)):
        kernel = accumulate_columns(kernel_of(lambda a: a.sum(0), (4000, columns)))
    (tile,) = (n for n in kernel.nodes if n.op is Op.STAGE)
    assert columns <= tile.arg.size < columns + 16


@pytest.mark.parametrize(
    ("program", "shape"),
    [
        (lambda a: a.sum(1), (1024, 4096)),  # along rows
        (lambda a: a.sum(0), (8192, 64)),  # rows are close together
        (lambda a: a.argmax(0), (1024, 4096)),
        (lambda a: a.sum(0), (16, 1024)),  # little memory
    ],
)
def test_others_are_left_alone(program: Callable[[Tensor], Tensor], shape: tuple[int, ...]) -> None:
    kernel = kernel_of(program, shape)
    assert columns_of(kernel) is None
    assert accumulate_columns(kernel) is kernel


def test_an_overlap_would_add_twice() -> None:
    kernel = step(kernel_of(lambda a: a.sum(1), (16, 1024, 512)), Accumulate(2, 0))
    with pytest.raises(IllegalMove, match="updated in place"):
        step(kernel, Split(3, 48, VECTOR))
    with pytest.raises(IllegalMove, match="several values"):
        step(kernel_of(lambda a: a.argmax(1), (16, 1024, 512)), Accumulate(2, 0))


@pytest.mark.parametrize("rows", [600, 601])
@pytest.mark.parametrize("columns", [1024, 1021])
def test_results(rows: int, columns: int, rng: np.random.Generator) -> None:
    a = rng.integers(-4, 5, (rows, columns)).astype(np.float32)
    v = rng.integers(-4, 5, (5, rows)).astype(np.float32)
    np.testing.assert_array_equal(Tensor(a).sum(0).numpy(), a.sum(0))
    np.testing.assert_array_equal(Tensor(a).amin(0).numpy(), a.min(0))
    np.testing.assert_array_equal((Tensor(v[0]) @ Tensor(a)).numpy(), v[0] @ a)
    np.testing.assert_array_equal((Tensor(v) @ Tensor(a) + 1).relu().numpy(), np.maximum(v @ a + 1, 0))
    np.testing.assert_array_equal((Tensor(a) * 2 + 1).relu().sum(0).numpy(), np.maximum(a * 2 + 1, 0).sum(0))
    whole = a.astype(np.int64)
    np.testing.assert_array_equal(Tensor(whole).sum(0).numpy(), whole.sum(0))


@pytest.mark.parametrize("results", [2, 6, 11, 12, 17, 31])
@pytest.mark.parametrize(("rows", "columns"), [(600, 1021), (1203, 129), (777, 2050)])
def test_a_few_rows_times_a_matrix(results: int, rows: int, columns: int, rng: np.random.Generator) -> None:
    few = rng.integers(-2, 3, (results, rows)).astype(np.float32)
    a = rng.integers(-4, 5, (rows, columns)).astype(np.float32)
    np.testing.assert_array_equal((Tensor(few) @ Tensor(a)).numpy(), few @ a)


@pytest.mark.parametrize("results", [6, 10, 16, 17, 23, 31])
def test_any_number_of_results_keeps_the_registers_busy(results: int) -> None:
    """17 rows are two times nine, one of them twice, not one row after the other."""
    with assuming(Registers(16, 32)):
        kernel = accumulate_columns(kernel_of(lambda v, a: v @ a, (results, 1024), (1024, 4096)))
    (tile,) = (n for n in kernel.nodes if n.op is Op.STAGE)
    in_registers = [range_size(r) for r in own_ranges(tile) if r.arg.kind in (VECTOR, UNROLL)]
    assert 8 <= prod(in_registers) / 4 < 28


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int8"])
@pytest.mark.parametrize(("rows", "columns"), [(1001, 65), (999, 129), (1234, 333), (130, 4099)])
def test_rows_of_odd_lengths(rows: int, columns: int, dtype: str, rng: np.random.Generator) -> None:
    """A vector times a matrix that goes down its rows, a few at once, and sums and maxima of columns."""
    a = rng.integers(-4, 5, (rows, columns)).astype(dtype)
    few = rng.integers(-2, 3, (3, rows)).astype(dtype)
    exact = np.float64 if a.dtype.kind == "f" else np.int64
    np.testing.assert_array_equal(Tensor(a).amax(0).numpy(), a.max(0))
    np.testing.assert_array_equal(Tensor(a).cast("float64").sum(0).numpy(), a.astype(exact).sum(0))
    if dtype in ("float32", "float64"):
        np.testing.assert_array_equal((Tensor(few[0]) @ Tensor(a)).numpy(), few[0].astype(exact) @ a)
        np.testing.assert_array_equal((Tensor(few) @ Tensor(a)).numpy(), few.astype(exact) @ a)
        np.testing.assert_array_equal(
            (Tensor(a).T @ Tensor(few[:2]).T).numpy(), a.T.astype(exact) @ few[:2].T
        )


def test_a_step_of_the_reduction_is_outside_of_its_results() -> None:
    """One loop over rows around one over columns: the code has the fold's loop first."""
    kernel = kernel_of(lambda a: a.sum(1), (8, 512, 1024))
    moved = optimise(kernel)
    assert any(isinstance(move, Accumulate) for move in moved.moves)
    assert source_of(kernel, moved).scratch >= 4 * 1024
    assert all(range_size(r) != 512 for r in moved.order)


def test_stores_of_64_bits_count_when_lanes_are_chosen() -> None:
    """One-hot rows: lanes go along the classes, whose places are neighbours."""
    kernel = optimise(kernel_of(lambda x: (x > 0).cast("int64").one_hot(32), (512,)))
    (lanes,) = (r for r in kernel.order if r.arg.kind == VECTOR)
    assert all(coefficient_of(store.src[1], lanes) == 1 for store in kernel.sink.src)


@pytest.mark.parametrize("shape", [(70, 33), (20, 16), (3, 50, 40), (40, 17, 5), (9, 33, 4), (3, 64, 7)])
def test_columns_in_tiles_lie_side_by_side(shape: tuple[int, ...]) -> None:
    kernel = optimise(kernel_of(lambda a: a.softmax(-2), shape))
    assert any(isinstance(move, Widen) for move in kernel.moves)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    np.testing.assert_allclose(Tensor(x).softmax(-2).numpy().sum(-2), 1, rtol=1e-5)
    exact = np.exp(x - x.max(-2, keepdims=True))
    np.testing.assert_allclose(Tensor(x).softmax(-2).numpy(), exact / exact.sum(-2, keepdims=True), rtol=1e-5)


def forward(start: Tensor, move: Tensor, seen: Tensor) -> Tensor:
    """A hidden Markov model's forward pass in logarithms."""
    state = start
    for at in range(seen.shape[1]):
        state = (state.unsqueeze(2) + move).logsumexp(1) + seen[:, at]
    return state


def transport(cost: Tensor) -> Tensor:
    """Two rounds of Sinkhorn's normalisation of rows and columns."""
    for _ in range(2):
        cost = cost / cost.sum(2, keepdim=True)
        cost = cost / cost.sum(1, keepdim=True)
    return cost


@pytest.mark.parametrize("states", [64, 33])
def test_each_lane_reduces_a_column_of_its_own_in_tiles_too(states: int) -> None:
    kernel = optimise(kernel_of(forward, (20, states), (states, states), (20, 3, states)))
    sums = [n for n in kernel.nodes if n.op is Op.STAGE and any(s.op is Op.FOLD for s in n.src[0].toposort())]
    of_columns = [n for n in sums if n.arg.size == states]
    assert len(of_columns) == 2
    assert all(any(r.arg.kind == VECTOR for r in own_ranges(n)) for n in of_columns)
    assert not any(r.arg.kind == VECTOR for n in kernel.nodes if n.op is Op.FOLD for r in own_ranges(n))
    rng = np.random.default_rng(states)
    start, move, seen = (rng.random(s, np.float32) for s in ((20, states), (states, states), (20, 3, states)))
    state = start.astype(np.float64)
    for at in range(3):
        state = np.log(np.exp(state[:, :, None] + move).sum(1)) + seen[:, at]
    np.testing.assert_allclose(forward(Tensor(start), Tensor(move), Tensor(seen)).numpy(), state, rtol=1e-5)


@pytest.mark.parametrize("side", [64, 33])
def test_columns_of_what_a_tile_holds_lie_side_by_side(side: int) -> None:
    """One tile holds a matrix, for all columns; the tile of each column is a vector of them."""
    kernel = optimise(kernel_of(transport, (20, side, side)))
    (lanes,) = (r for r in kernel.order if r.arg.kind == VECTOR)
    assert all(coefficient_of(store.src[1], lanes) == 1 for store in kernel.sink.src)
    wanted = made = np.random.default_rng(side).random((20, side, side), np.float32) + 0.1
    for _ in range(2):
        wanted = wanted / wanted.sum(2, keepdims=True)
        wanted = wanted / wanted.sum(1, keepdims=True)
    np.testing.assert_allclose(transport(Tensor(made)).numpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("width", [64, 33])
def test_a_sum_of_what_reductions_give_has_lanes(width: int) -> None:
    """A factorisation machine: each lane sums a column of its own, and the lanes are summed at the end."""

    def pairs(x: Tensor) -> Tensor:
        return (x.sum(1).square() - x.square().sum(1)).sum(-1)

    kernel = optimise(kernel_of(pairs, (20, 9, width)))
    (lanes,) = (r for r in kernel.ranges() if r.arg.kind == VECTOR and range_size(r) > 1)
    assert all(n.op is not Op.LOAD or coefficient_of(n.src[1], lanes) in (0, 1) for n in kernel.nodes)
    x = np.random.default_rng(width).random((20, 9, width), np.float32)
    wanted = (np.square(x.sum(1, dtype=float)) - np.square(x.astype(float)).sum(1)).sum(-1)
    np.testing.assert_allclose(pairs(Tensor(x)).numpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("kind", ["amax", "amin"])
@pytest.mark.parametrize("shape", [(40, 70), (3, 33, 65)])
def test_no_number_among_columns_and_rows_is_no_number(kind: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    x.reshape(-1)[[0, 37, -1]] = np.nan, np.inf, np.nan
    reduced = {"amax": np.max, "amin": np.min}[kind]
    for axis in range(len(shape)):
        np.testing.assert_array_equal(getattr(Tensor(x), kind)(axis).numpy(), reduced(x, axis))
    columns = getattr(Tensor(x), kind)(0)
    np.testing.assert_array_equal(
        columns.maximum(columns.flip(0)).numpy(), np.maximum(reduced(x, 0), reduced(x, 0)[::-1])
    )


@pytest.mark.parametrize("columns", [3, 16, 31, 33, 64, 129])
def test_updates_in_order_go_along_rows_of_any_length(columns: int) -> None:
    """One column after the other would touch every row of the updates once for each."""
    rng = np.random.default_rng(columns)
    base, updates = (rng.standard_normal((n, columns)).astype(np.float32) for n in (7, 50))
    places = rng.integers(0, 7, 50)
    made = Tensor(base).index_add(0, Tensor(places), Tensor(updates))
    wanted = base.copy()
    np.add.at(wanted, places, updates)
    np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5, atol=1e-5)
    adds = scheduled(
        lambda b, i, x: b.index_add(0, i.cast("int64"), x), (7, columns), (50,), (50, columns)
    ).items[-1]
    order = optimise(adds.kernel).order
    assert coefficient_of(optimise(adds.kernel).sink.src[0].src[1], order[-1]) == 1
    assert range_size(order[-1]) <= 64


@pytest.mark.parametrize("shape", [(8, 64), (12, 33), (7, 20), (16, 8), (3, 24, 16), (2, 9, 5)])
def test_tiles_of_columns_as_straight_code(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    e = np.exp(x - x.max(-2, keepdims=True))
    np.testing.assert_allclose(Tensor(x).softmax(-2).numpy(), e / e.sum(-2, keepdims=True), rtol=1e-5)
    kernel = optimise(kernel_of(lambda x: x.softmax(-2), shape))
    # no more than eight steps become one: the code of long columns does not grow with them
    assert all(range_size(r) <= 8 for r in kernel.ranges() if r.arg.kind == UNROLL)


@pytest.mark.parametrize("n", [2, 5, 8, 11])
def test_places_that_are_chosen_are_straight_code(n: int) -> None:
    def dealt(x: Tensor) -> Tensor:
        place = Tensor.arange(n)
        return x.index_select(1, place.eq(1)._choose(n - 1, (place - 1).maximum(0))) * 2

    x = np.random.default_rng(0).standard_normal((3, n, 20)).astype(np.float32)
    order = [0, n - 1, *range(1, n - 1)]
    np.testing.assert_array_equal(dealt(Tensor(x)).numpy(), x[:, order] * 2)
    straight = [r for r in optimise(kernel_of(dealt, (30, n, 64))).order if r.arg.kind == UNROLL]
    assert [range_size(r) for r in straight] == ([n] if n <= 8 else [])


def test_sums_of_what_lies_apart_fill_one_vector() -> None:
    """Counts of digits down a column, sixteen of them: of four vectors each, LLVM took two seconds."""
    column = Tensor.zeros(3, 201, 2).realize().kthvalue(100, 1).values
    sums = [
        (range_size(r), lanes_of(fold))
        for kernel in map(optimise, kernels_of(column))
        for fold in kernel.nodes
        if fold.op is Op.FOLD
        for r in own_ranges(fold)
        if r.arg.kind == VECTOR
        and any(
            n.op is Op.LOAD and coefficient_of(n.src[1], r) not in (None, 0, 1)
            for n in fold.src[0].toposort()
        )
    ]
    assert sums
    assert all(lanes <= most for lanes, most in sums)


def difference(x: Tensor, g: Tensor, y: Tensor) -> Tensor:
    return x.mT @ (g - y)


@pytest.mark.parametrize(
    "program",
    [
        lambda x, g, y: x.exp().sum(0),
        lambda x, g, y: (x.sigmoid() * g).sum(0),
        lambda x, g, y: (x - x.mean(0)).double().square().sum(0),
        lambda x, g, y: x.logsumexp(0),
    ],
)
@pytest.mark.parametrize("columns", [64, 127])
def test_narrow_columns_of_slow_elements_are_kept_too(program: Callable[..., Tensor], columns: int) -> None:
    items = scheduled(program, (16384, columns), (16384, 1), (16384, 1)).items
    long = [
        i.kernel
        for i in items
        if any(n.op is Op.FOLD and range_size(own_ranges(n)[-1]) > 1000 for n in i.kernel.nodes)
    ]
    slow = [kernel for kernel in long if columns_of(kernel) is not None]
    assert slow
    assert tile_size(long[-1]) >= columns


@pytest.mark.parametrize("columns", [33, 128, 256])
def test_rows_that_meet_a_computed_number_are_read_along_memory(columns: int) -> None:
    """A step of the sum is no vector: its elements are a row apart."""
    kernel = optimise(kernel_of(difference, (16384, columns), (16384, 1), (16384, 1)))
    (fold,) = (n for n in kernel.nodes if n.op is Op.FOLD)
    assert not any(r.arg.kind == VECTOR for r in own_ranges(fold))
    assert any(r.arg.kind == VECTOR for r in kernel.ranges())


@pytest.mark.parametrize("shape", [(16384, 128), (5001, 37), (4096, 300)])
def test_columns_with_numbers_of_rows_and_columns_give_what_numpy_gives(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    x, g, y = (rng.standard_normal(s).astype("float32") for s in (shape, (shape[0], 1), (shape[0], 1)))
    given = [Tensor(a) for a in (x, g, y)]
    np.testing.assert_allclose(difference(*given).numpy(), x.T @ (g - y), rtol=1e-3, atol=1e-3)
    top = x.max(0)
    np.testing.assert_allclose(given[0].logsumexp(0).numpy(), np.log(np.exp(x - top).sum(0)) + top, rtol=1e-5)
    np.testing.assert_allclose(given[0].var(0).numpy(), x.astype("float64").var(0, ddof=1), rtol=1e-5)


def pairs(e: Any) -> Any:
    """Factorisation machine: products of all pairs of fields, added up."""
    return (e.sum(1) ** 2 - (e * e).sum(1)).sum(-1)


def test_sums_inside_of_a_sum_are_vectors_of_it() -> None:
    """The inner ones go down columns, the outer one along what lies side by side."""
    (kernel,) = kernels_of(pairs(Tensor(np.zeros((64, 40, 64), "float32"))))
    folds = [n for n in optimise(kernel).nodes if n.op is Op.FOLD]
    kinds = [[r.arg.kind for r in own_ranges(fold)] for fold in folds]
    assert sum(VECTOR in own for own in kinds) == 1
    assert sum(VECTOR in {r.arg.kind for r in fold.ranges} for fold in folds) == 2


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("shape", [(9, 40, 64), (7, 26, 16), (5, 27, 33), (3, 5, 7), (3, 11, 129)])
def test_what_sums_inside_of_a_sum_come_to(
    shape: tuple[int, ...], dtype: str, rng: np.random.Generator
) -> None:
    x = rng.integers(-9, 10, shape).astype(dtype)
    np.testing.assert_array_equal(pairs(Tensor(x)).numpy(), pairs(x))
