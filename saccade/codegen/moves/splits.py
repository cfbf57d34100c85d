"""What a split makes: of a fold two, of an output axis blocks of whole tiles.

sum over n            ->    sum over n // f times f, combined with a sum over the n % f that are left
901 columns by 192    ->    blocks of 4 tiles of 48, and one of 3 that ends at column 901
sum over 512, blocks  ->    a sum over 9 blocks of sums over 57, the last of which is one over 56
"""

from __future__ import annotations

from dataclasses import replace

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.monoid import ARGMAX, ARGMIN
from ...graph.node import Node, index_const, own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify
from .legal import IllegalMove


def blocks_of(r: Node, factor: int, unit: int, kind: str, first: int) -> tuple[Node, tuple[Node, ...]]:
    """The place along an axis, and the axes that make it: the block, the tile in it, and what is in a tile.
    Only the last block has fewer tiles, and they begin so far to the left that they end at the end."""
    n = range_size(r)
    if not 0 < unit <= factor <= n or factor % unit:
        raise IllegalMove(f"cannot split axis {r.arg.number} of {n} into blocks of {factor} by {unit}")
    tiles, each = -(-n // unit), factor // unit
    block = loop(first, -(-tiles // each))
    count = index_const(each)
    if tiles % each:
        count = simplify((index_const(tiles) - block * each).minimum(each))
    start = block * factor
    if n % unit:
        start = start.minimum(index_const(n) - count * unit)
    tile, inner = loop(first + 1, count), loop(first + 2, unit, kind)
    return simplify(start + tile * unit + inner), (block, tile, inner)


def ends_within(r: Node, outer: set[Node]) -> bool:
    """Does a loop end at a value that only depends on some outer loops, and is not loaded?"""
    end = r.src[0]
    return end.ranges <= outer and not any(n.op is Op.LOAD for n in end.toposort())


def split_fold(kernel: Kernel, owner: Node, r: Node, factor: int, kind: str) -> Kernel:
    """sum over n -> sum over n // f times f, combined with a sum over the n % f that are left."""
    n = range_size(r)
    for own in own_ranges(owner):
        if r in own.ranges and own is not r:
            raise IllegalMove(f"axis {own.arg.number} ends at a value of axis {r.arg.number}: no split")
    first, monoid, (whole, left) = kernel.next_axis(), owner.arg, divmod(n, factor)
    outer, inner = loop(first, whole), loop(first + 1, factor, kind)
    start = outer * factor if whole > 1 else index_const(0)
    main = _refold(owner, r, start + inner, ([outer] if whole > 1 else []) + [inner])
    if left:
        tail_range = loop(first + 2, left)
        tail = _refold(owner, r, tail_range + whole * factor, [tail_range])
        tail = _renumber_inner(tail, first + 3, keep={tail_range})
        if monoid in (ARGMAX, ARGMIN):
            best = monoid.merge(*[(terms.project(fold, 0), terms.project(fold, 1)) for fold in (main, tail)])
            chosen = {terms.project(owner, i): value for i, value in enumerate(best)}
            return replace(kernel, sink=simplify(kernel.sink.substitute(chosen)))
        if monoid.width > 1:
            raise IllegalMove(f"{monoid} keeps a list: {factor} has to divide axis {r.arg.number} of {n}")
        main = monoid.combine((main,), (tail,))[0]
    return replace(kernel, sink=simplify(kernel.sink.substitute({owner: main})))


def fold_of_blocks(kernel: Kernel, owner: Node, r: Node, factor: int) -> Kernel:
    """sum over n and more -> a sum over blocks of n of sums over `factor`, in the last fewer, and more."""
    n, first, monoid = range_size(r), kernel.next_axis(), owner.arg
    known = all(own.src[0].op is Op.CONST for own in own_ranges(owner))
    if monoid.width > 1 or not known or not 1 <= factor < n or factor * len(own_ranges(owner)) == 1:
        raise IllegalMove(f"axis {r.arg.number} of {n} in {monoid} has no blocks of {factor}")
    blocks = loop(first, -(-n // factor))
    count = index_const(factor)
    if n % factor:
        count = simplify((index_const(n) - blocks * factor).minimum(factor))
    inner = loop(first + 1, count)
    place, made = (blocks * factor + inner, [inner]) if factor > 1 else (blocks, [])
    each = _refold(owner, r, place, made)
    whole = terms.fold(monoid, (each,), (blocks,))
    return replace(kernel, sink=simplify(kernel.sink.substitute({owner: whole})))


def _refold(owner: Node, r: Node, position: Node, made: list[Node]) -> Node:
    bodies = owner.src[: owner.arg.elements]
    ranges: list[Node] = []
    for own in own_ranges(owner):
        ranges += made if own is r else [own]
    new = tuple(simplify(b.substitute({r: simplify(position)})) for b in bodies)
    return terms.fold(owner.arg, new, tuple(ranges))


def _renumber_inner(node: Node, first: int, keep: set[Node]) -> Node:
    """A copy of a fold whose other own ranges have new numbers, so two folds do not share a range."""
    fresh: dict[Node, Node] = {}
    for own in own_ranges(node):
        if own not in keep:
            fresh[own] = loop(first + len(fresh), own.src[0].substitute(fresh), own.arg.kind)
    return node.substitute(fresh) if fresh else node
