"""Tiles given up: what they hold is computed where it is read.

    tile[k] = d[k] * x[k, j];  sum over k of a[i, k] * tile[k]    ->    sum of a[i, k] * (d[k] * x[k, j])

On the CPU a tile that is only a factor of a product, without a reduction of its own, belongs to a loop (j)
that the product needs for its tile of registers; the product packs what takes work, in the order it wants.
The scheduler makes one where it learns too late that a reduction below is stored: a graph convolution of
3 x 333 x 33 took 1.7 ms that way, and takes 0.4. A tile whose elements lie in many windows stays: computed
where they are read, those of a padded picture would be asked for their edges each time.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ...graph.kernels.kernel import Kernel, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, below_casts, const, make, own_ranges
from ...graph.ops import NESTS, TRANSCENDENTAL, Op
from ...graph.rules.symbolic import simplify
from .moves import operands

#: windows that an element of a tile is in, on average, for which the tile is kept, and steps of a loop that
#: it leaves to the product
WINDOWS, LONG = 2, 8


def without_factor_tiles(kernel: Kernel) -> Kernel:
    """The kernel without tiles that are only read as factors of products."""
    tiles = {n for n in kernel.nodes if n.op is Op.STAGE}
    if not tiles:
        return kernel
    sums = [n for n in kernel.nodes if n.op is Op.FOLD and n.arg == ADD]
    factors = {factor for each in sums if len(operands(each)) == 2 for factor in _used_again(each)}
    readers = [n for n in kernel.nodes if n.op is Op.LOAD and n.src[0] in tiles]
    # only factors are packed: an angle that nine sums compare with their own would be worked out for each
    products = [each for each in sums if below_casts(each.src[0]).op is Op.MUL]
    multiplied = {factor for each in products for factor in operands(each)}
    factors -= {n for n in readers if n not in multiplied and _takes_work(n.src[0].src[0])}
    tiles -= {n.src[0] for n in readers if n not in factors or len(n.src) != 2 or _in_windows(n, kernel)}
    found = {n: value for n in readers if n.src[0] in tiles and (value := light_value(n)) is not None}
    return replace(kernel, sink=simplify(kernel.sink.substitute(found))) if found else kernel


def without_light_tiles(kernel: Kernel) -> Kernel:
    """The kernel without tiles of elements that are computed each by itself."""
    tiles = [n for n in kernel.nodes if n.op is Op.STAGE and not n.arg.exchanges]
    light = {n for n in tiles if not _has_nests(n.src[0])}
    readers = [n for n in kernel.nodes if n.op is Op.LOAD and n.src[0] in light and len(n.src) == 2]
    found = {n: value for n in readers if (value := tile_value(*n.src)) is not None}
    return replace(kernel, sink=simplify(kernel.sink.substitute(found))) if found else kernel


def _takes_work(value: Node) -> bool:
    return any(n.op in TRANSCENDENTAL for n in value.toposort())


def is_within(load: Node) -> bool:
    """Is a place within its tile whether or not a condition on other loops holds, as one on parts?"""
    return all(mask.ranges.isdisjoint(load.src[1].ranges) for mask in load.src[2:])


def where_read(load: Node, value: Node) -> Node:
    """A value in place of a load, which is 0 where its condition does not hold."""
    return make(Op.WHERE, value.dtype, (load.src[2], value, const(0, value.dtype))) if load.src[2:] else value


def _used_again(product: Node) -> list[Node]:
    """The factors that meet several of the other along a loop they do not follow themselves. Only those are
    packed: an element of a depthwise convolution would be computed anew for every weight it meets."""
    own = frozenset(own_ranges(product))
    factors = operands(product)
    pairs = (factors, factors[::-1])
    return [factor for factor, other in pairs if other.ranges - factor.ranges - own]


def _in_windows(load: Node, kernel: Kernel) -> bool:
    """Are elements of a tile read at several places of the loops that its address follows, one of which is a
    loop of the results that is long enough for a tile of registers?"""
    tile, index = load.src
    free = index.ranges - tile.ranges
    places = prod(map(range_size, free))
    longest = max((range_size(r) for r in free if r in kernel.order), default=0)
    return places >= WINDOWS * int(tile.arg.size) and longest >= LONG


def light_value(load: Node) -> Node | None:
    """What a load reads from a tile of elements that are computed each by itself."""
    tile, index = load.src
    return None if _has_nests(tile.src[0]) else tile_value(tile, index)


def _has_nests(value: Node) -> bool:
    """Is a tile or a reduction in it?"""
    return any(n.op in NESTS for n in value.toposort())


def has_loops_inside(nest: Node) -> bool:
    """Is there a loop behind each element of a tile or a fold, as a sum for each?"""
    own = set(own_ranges(nest))
    return any(n.op in NESTS and n.ranges & own for n in nest.src[0].toposort())


def tile_value(tile: Node, index: Node) -> Node | None:
    """What a tile holds at an index, or None where it is better kept."""
    if has_loops_inside(tile):
        return None
    own = own_ranges(tile)
    value, place = tile.src[:2]
    mapping: dict[Node, Node] = {}
    rest = index
    for number, r in reversed(list(enumerate(own))):
        size = range_size(r)
        mapping[r] = simplify(rest if number == 0 else rest % size)
        rest = rest // size
    return value.substitute(mapping) if simplify(place.substitute(mapping)) is simplify(index) else None
