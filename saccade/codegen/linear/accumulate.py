"""Tiles that accumulate: a reduction whose every step goes along all of its results.

    tile[j] = FOLD(add, x[k, j], k)  for j    ->    tile[j] = 0 for j;  for k: { for j: tile[j] += x[k, j] }

What is added may be a fold itself, of a block of what is folded.

A fold inside the loop over its results walks down one column after the other: another page of memory at every
step. Here a step of the fold reads a row, as it lies in memory, and the results are in the nearest cache. An
unrolled axis of the fold is rows at a time, which share one load and one store of each result.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...graph.kernels.kernel import VECTOR, is_register
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ..folds.fold import Fold
from .addressing.address import load_at
from .addressing.fetch import fetch_steps
from .builder import Point
from .code import Value
from .memory import MemoryLowering


def runs_along(tile: Node) -> bool:
    """Can the loops of the tile's fold be outside of those of the tile? They end at values that its places
    share, and there are such loops and no lanes to be merged at the end."""
    fold, own = tile.src[0], own_ranges(tile)
    if not tile.arg.accumulates or fold.op is not Op.FOLD or fold.arg.width > 1:
        return False
    loops = [r for r in own_ranges(fold) if not is_register(r)]
    lanes = any(r.arg.kind == VECTOR for r in own_ranges(fold))
    return bool(loops) and not lanes and not any(set(own) & r.ranges - {r} for r in loops)


def accumulate(low: MemoryLowering, tile: Node) -> None:
    """Fill the tile with the fold's identity, then take the fold's steps along it."""
    memory, index, ranges = low.memories[tile], tile.src[1], frozenset(own_ranges(tile))
    fold = Fold(low, tile.src[0])
    loops = [r for r in own_ranges(tile) if not is_register(r)]
    depth = low.enter_all(loops)
    low.store_points(memory, index, fold.monoid.identity(fold.dtypes)[0], ranges)
    low.leave_all(depth)
    depth = low.enter_all(fold.loops + loops)
    fetch_steps(low, tile.src[0])
    address = low.address_over(index, ranges)
    width = address.width
    steps: Iterable[dict[Point, list[Value]]] = fold.elements()
    if any(body.op is Op.FOLD for body in fold.bodies):
        steps = list(steps)  # its sums are in the registers that the results would be held in meanwhile
    held = {p: [load_at(low, memory, address, p, width)] for p in low.points(address.axes)}
    for elements in steps:
        for point, value in held.items():
            at = tuple(point[address.axes.index(a)] for a in fold.axes)
            held[point] = fold.combine(value, [low.splat(e, width) for e in elements[at]])
    low.store_values(memory, address, {p: value for p, (value,) in held.items()})
    low.leave_all(depth)
