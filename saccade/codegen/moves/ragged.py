"""Loops over what is there, not over padding.

    FOLD(max, where(r < n, x, -inf), r in 0..64)   ->   FOLD(max, x, r in 0..min(n, 64))
    FOLD(add, x[start + r] if start + r < end, r)  ->   FOLD(add, x[start + r], r in 0..end - start)

A reduction whose elements beyond a computed count are its identity ends at that count. So a padded list with
a count is a loop of that many steps, whatever the size of the padding: lists of candidates, ragged batches,
rows that grow and shrink. What else the mask asks that is the same for all elements decides whether
there is a loop at all:

    where((r < n) & c, x, -inf)                    ->   r in 0..where(c, min(n, 64), 0)

So does an output loop where nothing is stored from a count on (`end_loop`): of running sums, of scattered
updates, of maps whose padding does not matter. And a tile that is only read along such loops is filled as far
as the longest of them goes, in blocks (`shorten_tiles`):

    tile[p] = f(p), p in 0..64;  FOLD(min, g(tile[r]), r in 0..where(h < m, n, 0))
    ->   tile[8 b + q] = f(8 b + q), q in 0..8, b in 0..(max(n, 0) + 7) // 8
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from math import gcd

from ...graph import dtypes
from ...graph.constants import is_anything
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import LOOP, VECTOR, Kernel, is_register, range_size
from ...graph.kernels.masks import below_mask
from ...graph.monoid import ADD, MAX, MIN, Monoid
from ...graph.node import Node, const, index_const, is_const, own_ranges
from ...graph.ops import Op
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import bounds, coefficient_of, simplify
from .ordered import conjuncts, sequential_axes

#: places of a tile that are filled at a time, so that vectors go on filling it, and the fewest worth a loop
BLOCK, LEAST_BLOCK = 64, 8


@dataclass(frozen=True)
class Masked:
    """A fold whose elements from `count` on, along `r`, are the constant `padding`, and all of them unless
    `guard` holds; `body` is the others."""

    r: Node
    count: Node
    guard: Node | None
    body: Node
    padding: Node


def shorten_folds(kernel: Kernel) -> Kernel:
    """Every fold that masks its own range by a count, ended at the count."""
    done: dict[Node, Node] = {}
    number = kernel.next_axis()
    for node in kernel.nodes:  # sources first, so that a fold inside a fold is shortened before it
        made = (
            node
            if all(done[s] is s for s in node.src)
            else node.replace(src=tuple(done[s] for s in node.src))
        )
        masked = _masked(made) if made.op is Op.FOLD else None
        if masked is not None and not _is_mostly_there(masked):
            made = _shortened(made, masked, number)
            number += 1
        elif made.op is Op.PROJECT and made.src[0] is not node.src[0]:
            made = _filled(made)
        done[node] = made
    return kernel if done[kernel.sink] is kernel.sink else replace(kernel, sink=simplify(done[kernel.sink]))


def shorten_tiles(kernel: Kernel) -> Kernel:
    """Every tile that is only read by loops of computed lengths, filled as far as they go."""
    for tile in [n for n in kernel.nodes[::-1] if n.op is Op.STAGE]:  # who reads a tile before the tile
        filled = _filled_so_far(kernel, tile) if tile in kernel.nodes else None
        if filled is not None:
            kernel = replace(kernel, sink=simplify(kernel.sink.substitute({tile: filled})))
    return kernel


def _filled_so_far(kernel: Kernel, tile: Node) -> Node | None:
    """The tile with a loop over blocks that ends where its readers do, if its places are one loop."""
    own = own_ranges(tile)
    if len(own) != 1 or tile.src[1] is not own[0] or own[0].src[0].op is not Op.CONST:
        return None
    (r,), size = own, range_size(own[0])
    block = gcd(size, BLOCK)
    ends = [_end_of_reading(n, tile.ranges) for n in kernel.nodes if n.op is Op.LOAD and n.src[0] is tile]
    if block < LEAST_BLOCK or size == block or not ends or None in ends:
        return None
    end = simplify(reduce(Node.maximum, [end for end in ends if end is not None], index_const(0)))
    if bounds(end)[1] > size or 2 * bounds(end)[0] >= size:
        return None
    number = kernel.next_axis()
    blocks = terms.loop(number, simplify((end + (block - 1)) // block))
    inside = terms.loop(number + 1, block)
    place = blocks * block + inside
    value = tile.src[0].substitute({r: place})
    return terms.stage(value, place, (blocks, inside), tile.arg.number, tile.arg.size, tile.arg.accumulates)


def _end_of_reading(load: Node, known: frozenset[Node]) -> Node | None:
    """Before which place a load reads, by what is `known` where the tile is filled."""
    index = load.src[1]
    if index.op is Op.RANGE:
        return _most(index.src[0], known)
    steps = affine(index)[0]
    loops = [term for term in steps if term.op is Op.RANGE and term.src[0].op is not Op.CONST]
    if len(loops) != 1 or len(steps) != 2 or affine(index)[1]:
        return None
    (blocks,) = loops
    (inside,) = (term for term in steps if term is not blocks)
    if inside.op is not Op.RANGE or steps[inside] != 1 or range_size(inside) != steps[blocks]:
        return None
    most = _most(blocks.src[0], known)
    return None if most is None else most * steps[blocks]


def _most(node: Node, known: frozenset[Node]) -> Node | None:
    """At least a number, without what is not known."""
    if node.ranges <= known:
        return node
    if node.op in (Op.WHERE, Op.MAX, Op.MIN):
        sides = [_most(side, known) for side in node.src[-2:]]
        there = [side for side in sides if side is not None]
        if node.op is Op.MIN and there:
            return reduce(Node.minimum, there)
        return reduce(Node.maximum, there) if len(there) == 2 else None
    if node.op is Op.CAST and node.dtype.is_int and node.src[0].dtype.is_int:
        most = _most(node.src[0], known)
        low, high = (0, -1) if most is None else bounds(most)
        return most.cast(node.dtype) if most is not None and _holds(node.dtype, low, high) else None
    if node.op is Op.LOAD and len(node.src) == 3 and node.src[1].ranges <= known:
        low, high = bounds(node.src[1])
        anywhere = low >= 0 and high < node.src[0].arg.size
        return terms.load(*node.src[:2]).maximum(0) if anywhere else None
    return None


def _holds(dtype: dtypes.DType, low: float, high: float) -> bool:
    return dtype.min <= low and high <= dtype.max


def end_loop(kernel: Kernel) -> Kernel:
    """The innermost output loop ended where nothing more is stored. After all moves, which take the ends of
    output loops as known. Loops over threads, and chunks of single elements (`skip`), stay as they are.
    """
    r = _last_loop(kernel)
    if r is None or not (r in sequential_axes(kernel) or any(x.arg.kind == VECTOR for x in kernel.order)):
        return kernel
    found = _end_of_stores(kernel, r)
    if found is None:
        return kernel
    part, end = found
    short = terms.loop(r.arg.number, end)
    alone = r is kernel.order[-1] and uncast(part.src[0], r) is r
    sink = kernel.sink.substitute({part: const(True, dtypes.bool_)}) if alone else kernel.sink
    order = tuple(short if own is r else own for own in kernel.order)
    return replace(kernel, sink=simplify(sink.substitute({r: short})), order=order)


def ends_at_count(kernel: Kernel, r: Node) -> bool:
    """Would this output loop end at a count if it were the innermost one?"""
    return r.src[0].op is Op.CONST and _end_of_stores(kernel, r) is not None


def _last_loop(kernel: Kernel) -> Node | None:
    loops = kernel.loops
    known = loops and loops[-1].arg.kind == LOOP and loops[-1].src[0].op is Op.CONST
    return loops[-1] if known else None


def _end_of_stores(kernel: Kernel, r: Node) -> tuple[Node, Node] | None:
    """The condition beyond which, along `r`, nothing is stored, and the end of the loop that follows."""
    stores = kernel.sink.src
    for part in stores[0].toposort():
        end = _end(kernel, part, r)
        if end is not None and all(_ends(store, part) for store in stores):
            return part, end
    return None


def _end(kernel: Kernel, part: Node, r: Node) -> Node | None:
    """Where a loop ends of which a condition says c r + lanes < n, for an n that does not change with it, nor
    from lane to lane."""
    inside = {own: index_const(0) for own in (*filter(is_register, kernel.order), r)}
    if (
        part.op is not Op.LT
        or part.src[1].op is Op.CONST
        or _is_length(part.src[1])
        or not part.src[1].ranges.isdisjoint(inside)
    ):
        return None
    place = part.src[0]
    steps = {term: step for term, step in affine(place)[0].items() if r in term.ranges}
    if len(steps) != 1 or uncast(next(iter(steps)), r) is not r:
        return None
    (step,) = steps.values()
    lanes = [term for term in affine(place)[0] if term.ranges & set(inside) and term not in steps]
    if step < 1 or any(affine(place)[0][lane] < 0 for lane in lanes):
        return None
    left = part.src[1].cast(dtypes.index) - simplify(place.substitute(inside)).cast(dtypes.index)
    return simplify(((left + (step - 1)) // step).minimum(r.src[0]).maximum(0))


def _ends(store: Node, part: Node) -> bool:
    """Is nothing stored where `part` fails?"""
    failed = {part: const(False, dtypes.bool_)}
    if len(store.src) == 4:
        return is_const(simplify(store.src[3].substitute(failed)), False)
    return is_anything(simplify(store.src[2].substitute(failed)))


def _masked(fold: Node) -> Masked | None:
    monoid: Monoid = fold.arg
    body = fold.src[0]
    identity = monoid.identity(tuple(b.dtype for b in fold.src[: monoid.elements]))[0]
    own = own_ranges(fold)
    if below_mask(body) is not body:
        return None  # lowering ends its loops, for all rows of a tile of registers at once
    for position, r in enumerate(own):
        if body.op is Op.WHERE and (
            body.src[2] is identity or (_is_extreme(monoid) and is_const(body.src[2]))
        ):
            count, guard, rest = _count(body.src[0], r)
            # what ends a loop is known before it, so it depends on loops around it only; padding is taken in
            # after all loops of the fold
            later = own[position:] if body.src[2] is identity else own
            if count is not None and not _ranges_of(count, guard) & set(later):
                inner = body.src[1] if rest is None else rest.where(body.src[1], body.src[2])
                return Masked(r, count, guard, inner, body.src[2])
        if body.op is Op.LOAD and len(body.src) == 3 and monoid == ADD:
            count, guard, rest = _count(body.src[2], r)
            if count is not None and not _ranges_of(count, guard) & set(own[position:]):
                return Masked(r, count, guard, terms.load(body.src[0], body.src[1], rest), identity)
    return None


def _is_mostly_there(masked: Masked) -> bool:
    """Is at least half of the elements there, whatever the count? Vectors over all of them gain more than a
    loop of unknown length over some."""
    if _is_length(masked.count):
        return True  # it is shaped for its capacity, and ends at the length when it is lowered
    return masked.guard is None and 2 * bounds(masked.count)[0] >= range_size(masked.r)


def _is_length(count: Node) -> bool:
    """Is it a number of elements that each call gives?"""
    return any(n.op is Op.VALUE and n.arg.length for n in count.toposort())


def _ranges_of(count: Node, guard: Node | None) -> frozenset[Node]:
    return count.ranges if guard is None else count.ranges | guard.ranges


def _is_extreme(monoid: Monoid) -> bool:
    """A maximum or minimum takes any padding once."""
    return monoid in (MAX, MIN)


def _count(condition: Node, r: Node) -> tuple[Node | None, Node | None, Node | None]:
    """n where the condition says r < n for an n that does not change with r, and what else it says: of all
    elements alike, and of each."""
    parts = conjuncts(condition)
    for part in parts:
        count = _limit(part, r)
        if count is not None:
            others = [p for p in parts if p is not part]
            guard = _all_of([p for p in others if r not in p.ranges])
            return count, guard, _all_of([p for p in others if r in p.ranges])
    return None, None, None


def _all_of(parts: list[Node]) -> Node | None:
    return reduce(Node.__and__, parts) if parts else None


def _limit(part: Node, r: Node) -> Node | None:
    """n where a condition says r < n, or start + r < end for a segment that is given by loaded numbers."""
    if part.op is not Op.LT or r in part.src[1].ranges or part.src[1].op is Op.CONST:
        return None
    place, end = part.src
    if uncast(place, r) is r:
        return end
    loaded = any(n.op is Op.LOAD for n in end.toposort())
    if not loaded or place.dtype is not dtypes.index or coefficient_of(place, r) != 1:
        return None
    count = simplify(end - place.substitute({r: index_const(0)}))
    # wrapped around, a difference would say nothing
    return count if all(abs(limit) < dtypes.int32.max * 2**20 for limit in bounds(count)) else None


def uncast(node: Node, r: Node) -> Node:
    """The range behind a cast that keeps its value."""
    if node.op is Op.CAST and node.src[0] is r and node.dtype.is_int and range_size(r) <= node.dtype.max:
        return r
    return node


def _shortened(fold: Node, masked: Masked, number: int) -> Node:
    monoid: Monoid = fold.arg
    r, size = masked.r, index_const(range_size(masked.r))
    count = masked.count.cast(dtypes.index)
    end = count.minimum(size).maximum(0)
    if masked.guard is not None:
        end = masked.guard.where(end, index_const(0))
    short = terms.loop(number, end)
    bodies = (_without_implied(masked.body, r, count), *fold.src[1 : monoid.elements])
    ranges = tuple(short if own is r else own for own in own_ranges(fold))
    made = terms.fold(monoid, tuple(b.substitute({r: short}) for b in bodies), ranges)
    identity = monoid.identity(tuple(b.dtype for b in bodies))[0]
    if masked.padding is identity:
        return made
    padded = count < size if masked.guard is None else (count < size) | ~masked.guard
    return monoid.combine((made,), (padded.where(masked.padding, identity),))[0]


def _without_implied(body: Node, r: Node, count: Node) -> Node:
    """The body without conditions that hold for all r < count: that places of a segment are in bounds."""
    held: dict[Node, Node] = {}
    for node in body.toposort():
        if node.op is not Op.LT or r not in node.src[0].ranges or r in node.src[1].ranges:
            continue
        step = coefficient_of(node.src[0], r)
        last = node.src[0].substitute({r: count - 1}) - node.src[1]
        if step is not None and step >= 0 and bounds(simplify(last))[1] < 0:
            held[node] = const(True, dtypes.bool_)
    return simplify(body.substitute(held)) if held else body


def _filled(projection: Node) -> Node:
    """A top-k with fewer elements than k fills up with the first padded places, as if it looped over them."""
    slot = projection.arg - projection.src[0].arg.k
    if slot < 0:
        return projection
    return projection.eq(projection.dtype.max).where(slot, projection)
