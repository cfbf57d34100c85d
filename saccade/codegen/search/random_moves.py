"""Random legal moves: what a search may try, and more.

    moved = move_at_random(kernel, Random(7), 6)

Moves are drawn over all axes, tiles and folds of the kernel as it is by then; the illegal ones
(`IllegalMove`) are drawn again. Only their size is limited here: a legal move that unrolls a thousand
iterations is right, and useless.
"""

from __future__ import annotations

from random import Random
from typing import Final

from ...graph.kernels.kernel import LOOP, PARALLEL, UNROLL, VECTOR, Kernel, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ..moves.analysis import kept_tiles
from ..moves.legal import IllegalMove
from ..moves.moves import (
    OUTSIDE,
    Accumulate,
    Bind,
    Copy,
    Merge,
    Move,
    Order,
    Pack,
    Split,
    Widen,
    step,
    stored_loads,
)

#: points of all unroll axes together, and lanes of a vector
MOST_POINTS: Final = 32
MOST_LANES: Final = 32
#: elements of a tile
MOST_TILE: Final = 1 << 16


def move_at_random(kernel: Kernel, random: Random, count: int) -> Kernel:
    """The kernel after up to `count` random moves."""
    if kernel.sink.src[0].op is Op.SORT:
        return kernel
    for _ in range(count):
        move = draw_move(kernel, random)
        if move is None:
            continue
        try:
            moved = step(kernel, move)
        except IllegalMove:
            continue
        if is_moderate(moved):
            kernel = moved
    return kernel


def is_moderate(kernel: Kernel) -> bool:
    """Does the code stay small, and do tiles fit a thread's memory?"""
    points = 1
    for r in kernel.ranges():
        if r.arg.kind == UNROLL:
            points *= range_size(r)
        elif r.arg.kind == VECTOR and range_size(r) > MOST_LANES:
            return False
    tiles = sum(n.arg.size for n in kernel.nodes if n.op is Op.STAGE)
    return points <= MOST_POINTS and tiles <= MOST_TILE


def draw_move(kernel: Kernel, random: Random) -> Move | None:
    """A move that fits the kernel's axes; it may be illegal."""
    ranges = kernel.ranges()
    if not ranges:
        return None
    r = random.choice(ranges)
    kinds = ("split", "bind", "merge", "order", "pack", "accumulate", "copy", "widen")
    kind = random.choices(kinds, (8, 5, 2, 3, 2, 2, 2, 1))[0]
    if kind == "split":
        n = range_size(r)
        factor = random.choice((2, 3, 4, 5, 8, 16, 32, max(n // 2, 1), max(n, 1)))
        if random.random() < 0.15:
            unit = random.randint(1, 5)
            return Split(r.arg.number, unit * random.randint(1, 3), random.choice((LOOP, UNROLL)), unit)
        return Split(r.arg.number, factor, random.choice((LOOP, VECTOR, VECTOR, UNROLL)))
    if kind == "bind":
        return _draw_bind(kernel, r, random)
    if kind == "merge" and len(kernel.order) > 1:
        first = random.randrange(len(kernel.order) - 1)
        return Merge(kernel.order[first].arg.number, kernel.order[first + 1].arg.number)
    if kind == "order" and len(kernel.order) > 1:
        return Order(tuple(random.sample([o.arg.number for o in kernel.order], len(kernel.order))))
    if kind in ("pack", "accumulate"):
        return _draw_for_fold(kernel, random, kind)
    if kind == "copy":
        return _draw_copy(kernel, random)
    tiles = [n.arg.number for n in kernel.nodes if n.op is Op.STAGE]
    return Widen(random.choice(tiles), r.arg.number) if tiles else None


def _draw_bind(kernel: Kernel, r: Node, random: Random) -> Move:
    if random.random() < 0.3 and kernel.order:
        return Bind(kernel.order[0].arg.number, PARALLEL)
    return Bind(r.arg.number, random.choice((VECTOR, UNROLL, LOOP)))


def _draw_for_fold(kernel: Kernel, random: Random, kind: str) -> Move | None:
    folds = [n for n in kernel.nodes if n.op is Op.FOLD]
    loops = kernel.loops
    if not folds or not loops:
        return None
    fold, at = own_ranges(random.choice(folds))[0].arg.number, random.choice(loops).arg.number
    if kind == "accumulate" and random.random() < 0.2:
        return Accumulate(fold, OUTSIDE)
    if kind == "accumulate":
        return Accumulate(fold, at)
    kept = kept_tiles(kernel)
    if kept and random.random() < 0.5:
        at = random.choice(own_ranges(random.choice(kept).src[0])).arg.number
    return Pack(fold, random.randrange(2), at)


def _draw_copy(kernel: Kernel, random: Random) -> Move | None:
    loads = stored_loads(kernel)
    loops = kernel.loops
    if not loads or not loops:
        return None
    return Copy(random.randrange(len(loads)), random.choice(loops).arg.number)
