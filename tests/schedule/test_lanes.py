"""Reductions down columns keep their lanes: a reader of one column at a time gets a tile of them.
Products keep their tiles of registers: what the loops of a reader share is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from saccade import Tensor
from saccade.graph.node import Node, own_ranges
from saccade.graph.ops import Op
from saccade.schedule.kernel_graph import KernelGraph
from tests.schedule.programs import scheduled


def reductions_in(tile: Node) -> bool:
    own = set(own_ranges(tile))
    return any(n.op is Op.FOLD and n.ranges & own for n in tile.src[0].toposort())


def tiles_of_reductions(made: KernelGraph) -> list[int]:
    """The sizes of tiles of which each element is a reduction."""
    nodes = [n for item in made.items for n in item.kernel.nodes]
    return [n.arg.size for n in nodes if n.op is Op.STAGE and reductions_in(n)]


def spread(x: Tensor, y: Tensor) -> Tensor:
    return x.logsumexp(1).unsqueeze(2) + y


def best_path(start: Tensor, move: Tensor) -> Tensor:
    for _ in range(3):
        start = (start.unsqueeze(2) + move).amax(1)
    return start


@pytest.mark.parametrize(
    ("program", "shapes", "tiles"),
    [(spread, [(64, 50, 40), (64, 40, 60)], [40]), (best_path, [(64, 40), (40, 40)], [40, 40])],
)
def test_columns_are_reduced_in_front_of_the_loop_that_reads_them(
    program: Callable[..., Any], shapes: list[tuple[int, ...]], tiles: list[int]
) -> None:
    made = scheduled(program, *shapes)
    assert len(made.items) == 1
    assert tiles_of_reductions(made) == tiles


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x.logsumexp(2).unsqueeze(2) + x,  # a row is reduced by lanes of its own
        lambda x: x.logsumexp(1).unsqueeze(1) + x,  # the loop over columns is the innermost
    ],
)
def test_no_tile_where_lanes_are_not_lost(program: Callable[..., Any]) -> None:
    assert tiles_of_reductions(scheduled(program, (64, 40, 40))) == []


def gate(x: Tensor, c: Tensor, w: Tensor) -> Tensor:
    return x * (c @ w).sigmoid().unsqueeze(1)


def channels(x: Tensor, c: Tensor, w: Tensor) -> Tensor:
    return x + (c @ w).unsqueeze(2)


@pytest.mark.parametrize(
    ("program", "shapes", "kernels"),
    [
        (gate, [(8, 64, 128), (8, 64), (64, 128)], 2),
        (channels, [(8, 128, 64), (8, 64), (64, 128)], 2),
        (channels, [(1, 256, 64), (1, 256), (256, 256)], 2),  # columns of the matrix, one by one
        (
            lambda x, w: x * (x @ w).sigmoid().unsqueeze(2),
            [(8, 64, 64), (64,)],
            1,
        ),  # rows that are read anyway
    ],
)
def test_products_that_loops_of_a_reader_share_are_stored(
    program: Callable[..., Any], shapes: list[tuple[int, ...]], kernels: int
) -> None:
    assert len(scheduled(program, *shapes).items) == kernels
