"""Splitting an axis: what becomes of it, and of the fold or tile that loops over it.

sum over n            ->    sum over n // f times f, combined with a sum over the n % f that are left
901 columns by 192    ->    blocks of 4 tiles of 48, and one of 3 that ends at column 901
sum over 512, blocks  ->    a sum over 9 blocks of sums over 57, the last of which is one over 56
"""

from __future__ import annotations

from dataclasses import replace

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import LOOP, REGISTER_KINDS, Kernel, loop, range_size
from ...graph.monoid import ARGMAX, ARGMIN
from ...graph.node import Node, index_const, make, own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify
from .analysis import find_range, is_in_place, owner_of
from .legal import IllegalMove
from .ordered import sequential_axes


def split_axis(kernel: Kernel, number: int, factor: int, kind: str) -> Kernel:
    r = find_range(kernel, number)
    size = r.src[0]
    if size.op is not Op.CONST:
        raise IllegalMove(f"axis {number} ends at a computed value: it cannot be split")
    n = int(size.arg)
    if not 1 <= factor <= n:
        raise IllegalMove(f"cannot split axis {number} of {n} by {factor}")
    if r in sequential_axes(kernel):
        raise IllegalMove(f"axis {number} runs in order: it cannot be split")
    first = kernel.next_axis()
    # what was unrolled stays unrolled
    outer, inner = loop(first, -(-n // factor), r.arg.kind), loop(first + 1, factor, kind)
    owner = owner_of(kernel, r)
    if owner is not None and owner.op is Op.FOLD:
        return split_fold(kernel, owner, r, factor, kind)
    if n % factor and (is_in_place(kernel) or (owner is not None and owner.arg.accumulates)):
        raise IllegalMove(f"axis {number} of {n} is updated in place and {factor} does not divide it")
    start = outer * factor if n % factor == 0 else (outer * factor).minimum(n - factor)
    if outer.src[0].arg == 1:
        start = index_const(0)
    position = simplify(start + inner)
    if owner is None:
        sink = simplify(kernel.sink.substitute({r: position}))
        where = kernel.order.index(r)
        register = kind in REGISTER_KINDS
        kept = () if outer.src[0].arg == 1 else (outer,)
        order = kernel.order[:where] + kept + (() if register else (inner,)) + kernel.order[where + 1 :]
        return replace(kernel, sink=sink, order=order + ((inner,) if register else ()))
    return _replace_owner(kernel, owner, r, position, outer, inner)


def block_axis(kernel: Kernel, number: int, factor: int, kind: str, unit: int) -> Kernel:
    """An output axis becomes blocks, tiles and what is in each; the last tile ends where the axis does. An
    axis of a fold becomes blocks of single steps."""
    r = find_range(kernel, number)
    owner = owner_of(kernel, r)
    if owner is not None and owner.op is Op.FOLD and (unit, kind) == (1, LOOP):
        return fold_of_blocks(kernel, owner, r, factor)
    if r not in kernel.order or r.src[0].op is not Op.CONST or r in sequential_axes(kernel):
        raise IllegalMove(f"axis {number} is no output loop of a known length: it has no blocks")
    if range_size(r) % unit and is_in_place(kernel):
        raise IllegalMove(f"axis {number} is updated in place and {unit} does not divide it")
    position, made = blocks_of(r, factor, unit, kind, kernel.next_axis())
    where = kernel.order.index(r)
    order = (*kernel.order[:where], *made, *kernel.order[where + 1 :])
    if kind in REGISTER_KINDS:
        order = (*(o for o in order if o is not made[-1]), made[-1])
    return replace(kernel, sink=simplify(kernel.sink.substitute({r: position})), order=order)


def _replace_owner(kernel: Kernel, owner: Node, r: Node, position: Node, outer: Node, inner: Node) -> Kernel:
    """Exchange an own range of a tile for two."""
    ranges = []
    for own in own_ranges(owner):
        ranges += [own] if own is not r else [inner] if outer.src[0].arg == 1 else [outer, inner]
    value, index = (simplify(s.substitute({r: position})) for s in owner.src[:2])
    made = make(Op.STAGE, owner.dtype, (value, index, *ranges), owner.arg)
    return replace(kernel, sink=kernel.sink.substitute({owner: made}))


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
