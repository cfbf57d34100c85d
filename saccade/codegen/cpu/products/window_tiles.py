"""Sums over windows in which one factor follows all axes of the results and the other none of them, as those
of a depthwise convolution: several results together.

    y[c, i, j] = sum of x[c, i + a, j + b] * w[c, a, b] over a, b

No tile of a matrix product fits, and a vector of results alone is one chain of additions, each of which waits
for the one before it. So a tile is several rows i of a vector along j. They are as many chains, share the
weights, and with the loop over a as straight code they share what they read: `rows + a - 1` vectors of x
instead of `rows * a`.

    one thread of a Cascade Lake, 7x7 of 4 x 256 x 14 x 14, microseconds by rows of a tile:
    1 row 1340, 7 rows 440, 14 rows 370; with the loop over b as straight code instead 510

A convolution along one axis has no rows: its vectors are along that axis, not along the sum (15 places of
4 x 256 x 200: 850 -> 160).

Of a gradient by the weights, i and j are those of the window and the sum runs over pictures. Where j has too
few places for a vector, results of all of them are in registers, and lanes go along the sum (`vectors.py`).

    3x3 of 4 x 256 x 14 x 14 by the weights: one result 590, three 310, nine 180
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import prod

from ....graph.kernels.kernel import UNROLL, VECTOR, Kernel, range_size
from ....graph.node import Node, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of
from ....runtime.cpu.machine import host_registers
from ...moves.analysis import direct_loads, is_in_place, is_plain, is_short_stride
from ...moves.moves import Bind, Split, operands, step
from ...moves.ordered import sequential_axes
from .tiles import covered, held_by_tiles, lanes_of_sums, stores_along

#: steps of a sum that are worth the code of several results, and products in that code at the most
LEAST_STEPS, MOST_PRODUCTS = 6, 128
#: multiplications in the time of a load that crosses lines, and those that a chain waits for
LOAD, CHAINS = 1.5, 8
#: multiplications in the time that adding up the lanes of a sum takes, and lanes of a vector along the sum
HORIZONTAL, LEAST_LANES = 16, 4
#: steps of a sum that become straight code for one row
STRAIGHT = 16
#: vectors of results along an axis that a register would hold
MOST_PARTS = 4
#: registers beside sums and weights, for what is read
READ = 2


@dataclass(frozen=True)
class WindowTile:
    """So many results along each of some axes together, in vectors along one axis of the results or, without
    a `vector`, along the sum; `straight`, a loop of the sum, is straight code."""

    results: tuple[tuple[Node, int], ...]
    vector: tuple[Node, int] | None
    straight: Node | None
    cost: float


def window_tile(kernel: Kernel, fold: Node, most: int) -> WindowTile | None:
    """The best tile of at most so many sums; None where this is another kind of sum, or one of several in its
    kernel."""
    own = own_ranges(fold)
    alone = [n for n in kernel.nodes if n.op in (Op.FOLD, Op.PREFIX)] == [fold]
    if not alone or not all(map(is_plain, own)) or any(len(s.src) > 3 for s in kernel.sink.src):
        return None
    if prod(map(range_size, own)) < LEAST_STEPS or is_in_place(kernel):
        return None
    found: list[WindowTile] = []
    held = held_by_tiles(kernel) | sequential_axes(kernel)
    axes = [r for r in kernel.order if r in fold.ranges and r not in held and is_plain(r)]
    for windowed, weight in (operands(fold), operands(fold)[::-1]):
        loads = direct_loads((windowed,))
        if len(loads) != 1 or len(loads[0].src) != 2:
            continue
        own_axes = [r for r in axes if r in windowed.ranges]
        if not any(overlaps(loads[0], axis, r) for axis in own_axes for r in own):
            continue
        free = [r for r in own_axes if r not in weight.ranges]
        for v in free:
            if _comes_in_vectors(loads[0], v) and stores_along(kernel, v, None):
                for u, straight in product([u for u in free if u is not v], (None, *own)):
                    found += _rows(loads[0], fold, u, v, straight, most)
                found += _row(fold, v)
        if all(len(n.src) == 2 and _comes_in_vectors(n, own[-1]) for n in direct_loads(operands(fold))):
            for u, *others in (*permutations(axes, 1), *permutations(axes, 2)):
                found += _along_sum((windowed, weight), fold, u, tuple(others), most)
    return min(found, key=lambda tile: tile.cost, default=None)


def tile_window(kernel: Kernel, tile: WindowTile) -> Kernel:
    """The kernel with this tile."""
    if tile.straight is not None:
        kernel = step(kernel, Bind(tile.straight.arg.number, UNROLL))
    if tile.vector is not None:
        kernel = _in_parts(kernel, *tile.vector, VECTOR)
    for axis, size in tile.results:
        kernel = _in_parts(kernel, axis, size, UNROLL)
    return kernel


def _in_parts(kernel: Kernel, axis: Node, size: int, kind: str) -> Kernel:
    whole = range_size(axis) == size
    return step(kernel, Bind(axis.arg.number, kind) if whole else Split(axis.arg.number, size, kind))


def overlaps(load: Node, axis: Node, r: Node) -> bool:
    """Do neighbours along an axis of the results read places in common along a loop of the sum?"""
    apart, along_sum = _stride(load, axis), _stride(load, r)
    return along_sum < apart * range_size(axis) and along_sum * (range_size(r) - 1) >= apart > 0


def _comes_in_vectors(load: Node, r: Node) -> bool:
    """Do neighbours along a loop come in one load or a few?"""
    stride = _stride(load, r)
    return (stride == 1 or is_short_stride(stride)) and range_size(r) > 1 and r not in load.src[0].ranges


def _rows(load: Node, fold: Node, u: Node, v: Node, straight: Node | None, most: int) -> Iterator[WindowTile]:
    """Tiles of all numbers of rows u of a vector along v, with instructions for each of their products."""
    widest, lanes, n = lanes_of_sums(fold), _fitting(fold, v), range_size(v)
    if lanes * MOST_PARTS < widest:
        return
    down, across = _stride(load, u), _stride(load, straight)
    window = 1 if straight is None else range_size(straight)
    # beside the sums a weight for each step of the straight loop
    room = min(host_registers().count - READ - window, most, MOST_PRODUCTS // window)
    for rows in range(2, min(range_size(u), room) + 1):
        read = len({i * down + a * across for i, a in product(range(rows), range(window))})
        cost = (max(rows, CHAINS) * window + LOAD * (read + window)) / (rows * window)
        cost *= covered(range_size(u), rows) * covered(n, lanes) * widest / lanes
        yield WindowTile(((u, rows),), (v, lanes), straight, cost)


def _row(fold: Node, v: Node) -> Iterator[WindowTile]:
    """A vector along v alone: a processor begins short sums of other vectors while those of one wait."""
    own, lanes = own_ranges(fold), _fitting(fold, v)
    if lanes * MOST_PARTS >= lanes_of_sums(fold):
        straight = own[-1] if range_size(own[-1]) <= STRAIGHT else None
        waits = CHAINS / 2 if prod(map(range_size, own)) <= STRAIGHT else CHAINS
        cost = (waits + 2 * LOAD) * covered(range_size(v), lanes) * lanes_of_sums(fold) / lanes
        yield WindowTile((), (v, lanes), straight, cost)


def _along_sum(
    factors: tuple[Node, Node], fold: Node, u: Node, others: tuple[Node, ...], most: int
) -> Iterator[WindowTile]:
    """The same of some places along u and all along others, with lanes along the sum; a rest of a row is
    narrower vectors and single elements."""
    widest, few, n = lanes_of_sums(fold), prod(map(range_size, others)), range_size(own_ranges(fold)[-1])
    if n < LEAST_LANES:
        return
    whole, rest = divmod(n, widest)
    vectors = whole + (rest // LEAST_LANES).bit_count() + rest % LEAST_LANES
    steps = prod(map(range_size, own_ranges(fold))) / n * vectors
    room = min(host_registers().count - READ - 1, most, MOST_PRODUCTS)
    for rows in range(1, min(range_size(u), room // few) + 1):
        results = ((u, rows), *((r, range_size(r)) for r in others))
        sums = rows * few
        read = sum(prod(size for r, size in results if r in f.ranges) for f in factors)
        cost = (max(sums, CHAINS) + LOAD * read) / sums + HORIZONTAL / steps
        cost *= covered(range_size(u), rows) * vectors * widest / n
        if cost < widest:  # single elements take as long
            yield WindowTile(results, None, None, cost)


def _fitting(fold: Node, v: Node) -> int:
    """Lanes of a vector along an axis."""
    return min(lanes_of_sums(fold), 1 << (range_size(v).bit_length() - 1))


def _stride(load: Node, r: Node | None) -> int:
    return 0 if r is None else coefficient_of(load.src[1], r) or 0
