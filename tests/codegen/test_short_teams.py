"""Rows that are short for a warp: its lanes have several of them, and no lane is idle. Columns that lie side
by side: a team has several of them, and reads whole sectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, where
from saccade.codegen.cuda.schemes.heuristic import with_folds_beside
from saccade.codegen.cuda.schemes.shape import folds_of
from saccade.codegen.cuda.search.bench import GpuBench
from saccade.codegen.cuda.search.moves import Card, Flat, Rows
from saccade.codegen.cuda.source import is_by_warps, laid_out
from saccade.codegen.moves.legal import IllegalMove
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.node import own_ranges
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_gpu_search import kernel_of, softmax

CARD = Card(shared=64 * 1024, processors=4)


def dots(rows: int, length: int) -> Kernel:
    return kernel_of(lambda a, b: (a * b).sum(1), (rows, length), (rows, length), dtype=dtypes.float16)


def padded(rows: int) -> Kernel:
    def build(x: Any, counts: Any) -> Any:
        return where(Tensor.arange(64, dtype="int32") < counts.cast("int32"), x, 0.0).sum(1)

    return kernel_of(build, (rows, 64), (rows, 1))


@pytest.mark.parametrize(
    ("length", "team"),
    [(40, 8), (64, 8), (80, 16), (128, 16), (256, 32), (768, 32)],
)
def test_many_short_rows_have_as_many_lanes_as_vectors(length: int, team: int) -> None:
    move = laid_out(dots(200_000, length), CARD).move
    assert isinstance(move, Rows)
    assert (move.team, move.team * move.teams) == (team, 128)


@pytest.mark.parametrize(("length", "team"), [(65, 8), (33, 8), (93, 32), (75, 16), (63, 32), (97, 32)])
def test_rows_of_odd_length_have_lanes_that_leave_few_idle(length: int, team: int) -> None:
    """65 halves are read one by one: nine rounds of eight lanes, three of a warp."""
    move = laid_out(dots(200_000, length), CARD).move
    assert isinstance(move, Rows)
    assert (move.team, move.team * move.teams) == (team, 128)
    assert move.in_flight >= min(-(-length // team), 4)


def floats(rows: int, *row: int) -> Kernel:
    return kernel_of(lambda x: x.amax(tuple(range(1, len(row) + 1))), (rows, *row))


@pytest.mark.parametrize(
    ("row", "team", "width"),
    [
        ((10,), 2, 2),
        ((16,), 2, 4),
        ((18,), 4, 2),
        ((27,), 8, 1),
        ((31,), 8, 1),
        ((5, 5), 8, 1),
        ((3, 5), 4, 1),
    ],
)
def test_rows_shorter_than_a_warp_are_read_side_by_side(row: tuple[int, ...], team: int, width: int) -> None:
    """Threads with a row each would touch 32 places of memory with every load."""
    move = laid_out(floats(100_000, *row), CARD).move
    assert isinstance(move, Rows)
    assert (move.team, move.width) == (team, width)


@pytest.mark.parametrize(
    "kernel",
    [
        floats(100_000, 7),
        floats(1000, 18),
        kernel_of(lambda x: x.sum(1), (65536, 18, 5)),  # neighbours are other results
        kernel_of(lambda x: x.max_pool1d(15, 1), (1000, 1, 1000)),  # what neighbours read overlaps
        kernel_of(lambda x: x.argmax(1), (100_000, 18)),
    ],
)
def test_other_short_reductions_are_a_thread_each(kernel: Kernel) -> None:
    assert isinstance(laid_out(kernel, CARD).move, Flat)


def pairs(e: Any) -> Any:
    """Factorisation machine: products of all pairs of fields, added up."""
    return 0.5 * (e.sum(1).square() - e.square().sum(1)).sum(-1)


@pytest.mark.parametrize(("fields", "width", "team"), [(26, 16, 4), (40, 64, 16), (27, 33, 8)])
def test_lanes_have_reductions_of_their_own(fields: int, width: int, team: int) -> None:
    move = laid_out(kernel_of(pairs, (32768, fields, width)), CARD).move
    assert isinstance(move, Rows)
    assert move.team == team


def test_reductions_of_a_thread_that_read_the_same_share_their_loops() -> None:
    kernel = kernel_of(pairs, (300, 26, 16))
    inner = [
        {own_ranges(f) for f in folds_of(k) if len(f.ranges) > 1} for k in (kernel, with_folds_beside(kernel))
    ]
    assert [len(loops) for loops in inner] == [2, 1]


def test_few_short_rows_have_a_warp_each() -> None:
    move = laid_out(dots(500, 64), CARD).move
    assert isinstance(move, Rows)
    assert move.team == 32


def test_launches_of_several_kernels_take_short_rows_too() -> None:
    assert is_by_warps(dots(200_000, 64))


@pytest.mark.parametrize(("columns", "each"), [(768, 4), (516, 4), (301, 1)])
def test_a_team_has_neighbouring_columns_where_enough_teams_are_left(columns: int, each: int) -> None:
    move = laid_out(kernel_of(lambda x: x.sum(0) * 2, (256, columns)), CARD).move
    assert isinstance(move, Rows)
    assert move.each == each


@pytest.mark.parametrize(
    ("kernel", "move"),
    [
        (dots(500, 64), Rows(12, 8, 8, 4, False)),
        (softmax(9, 768), Rows(96, 1, 4, 4, True)),
        (dots(500, 64), Rows(8, 3, 8, 4, False)),
        (kernel_of(lambda x: x.argmax(1), (500, 64)), Rows(8, 16, 1, 4, False)),
        (padded(500), Rows(16, 8, 1, 4, False)),
    ],
)
def test_what_lanes_cannot_share_is_refused(kernel: Kernel, move: Rows) -> None:
    with pytest.raises(IllegalMove):
        laid_out(kernel, CARD, move)


@needs_compiler
@pytest.mark.parametrize(
    ("kernel", "moves"),
    [
        (dots(99, 40), [Rows(8, 4, 8, 4, False), Rows(16, 2, 4, 4, False)]),
        (
            kernel_of(lambda x: x.sum(0) * 2, (300, 68)),
            [Rows(128, 1, 1, 4, False), Rows(64, 1, 1, 2, False, 2)],
        ),
        (softmax(37, 36), [Rows(8, 4, 4, 4, False), Rows(2, 16, 2, 1, True)]),
    ],
)
def test_lanes_compute_what_warps_do(kernel: Kernel, moves: list[Rows]) -> None:
    with emulated_gpu():
        bench = GpuBench(kernel, "cuda:0")
        programs = bench.compiled(
            [laid_out(kernel, CARD).source, *(laid_out(kernel, CARD, m).source for m in moves)]
        )
        first, *others = programs
        assert not isinstance(first, Exception)
        bench.expect(first)
        for other in others:
            assert not isinstance(other, Exception)
            bench.check(other)


@needs_compiler
@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda x: x.amax(1), (8200, 18)),
        (lambda x: x.softmax(1), (8200, 27)),
        (lambda x: (x - x.mean(1, keepdim=True)) * x.var(1, keepdim=True).rsqrt(), (8200, 10)),
        (lambda x: x.square().mean((1, 2)).sqrt(), (8200, 5, 5)),
        (pairs, (8200, 11, 16)),
        (pairs, (8200, 5, 33)),
    ],
)
def test_short_rows_by_lanes(build: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype("float32")
    with emulated_gpu():
        ours = build(Tensor(x, device="cuda")).numpy()
    wanted = build(Tensor(x.astype("float64"), device="cpu")).numpy()
    np.testing.assert_allclose(ours, wanted, atol=2e-4, rtol=2e-5)
