"""A product's rows and what small groups of them become, as one launch: a block's epilogue.

    y = W @ x                        4,096 sums of a row each
    q = round(y / step of 32 y)      reads y in groups of 32

    for each of 128 groups:  a tile of 32 sums;  y[32 g + j] = tile[j];  q[...] = f(tile)

A GPU launches both kernels otherwise, and the second is as short as its launch: to round the activations of a
language model to integers takes 0.5 microseconds, and 2.5 with a launch. Here the first kernel's results
become a tile (STAGE) of the group, and the block that summed them computes what the second kernel makes of
them (`codegen.cuda.templates.epilogue`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod

from ...codegen.moves.ordered import limits_of, reach
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.node import Node, index_const, own_ranges
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import coefficient_of, simplify
from ..target import Target
from .join import joined, without_stores
from .order import Entry, Order, Placed


@rewrite_pass("end products with what their rows become")
def with_epilogues(
    kernels: list[Placed], roots: frozenset[Node], target: Target, processors: int
) -> list[Placed]:
    """The same kernels, those that only read groups of a product's results at the end of that product, where
    there are enough groups for so many processors."""
    readers = Counter(memory for placed in kernels for memory in Entry(placed).reads)
    order: Order[Entry] = Order()
    for placed in kernels:
        new = Entry(placed)
        for number in sorted(order.writers(new.reads), reverse=True):
            if not order.can_run_at(number, new):
                continue
            made = _ended(order[number], new, readers, roots, target, processors)
            if made is not None:
                order.replace(number, Entry(made))
                break
        else:
            order.append(new)
    return order.placed()


def _ended(
    first: Entry, last: Entry, readers: Counter[Node], roots: frozenset[Node], target: Target, processors: int
) -> Placed | None:
    """Both as one kernel, if a block can have the rows of a group."""
    if len(first.kernel.sink.src) != 1 or not first.is_plain or not _is_light(last):
        return None
    (memory,) = first.writes
    if memory in last.writes or memory in first.reads or last.writes & first.touches:
        return None
    groups = _groups(last, memory, processors)
    if groups is None:
        return None
    size = memory.size // range_size(groups)
    if not _is_in_order(first.kernel) or not target.ends_groups(first.kernel, size):
        return None
    stored = readers[memory] > 1 or memory in roots or memory.op is Op.PARAM
    return _as_one(first, last, memory, groups, size, stored)


def _is_light(entry: Entry) -> bool:
    """Elementwise work and single reductions, one store for each point."""
    nests = [n for n in entry.kernel.nodes if n.op in (Op.FOLD, Op.STAGE, Op.PREFIX)]
    return entry.is_plain and all(n.op is Op.FOLD and n.arg.width == 1 for n in nests)


def _is_in_order(kernel: Kernel) -> bool:
    """Does it store its points one after the other?"""
    place: Node = index_const(0)
    for r in kernel.order:
        place = place * range_size(r) + r
    return kernel.sink.src[0].src[1] is simplify(place)


def _groups(entry: Entry, memory: Node, processors: int) -> Node | None:
    """The loop of a kernel each of whose iterations reads a group of a memory, and all of them all of it;
    enough groups to keep the card busy, each with a place for all that is made of it, and no loop in it that
    is longer."""
    slot = entry.memories.index(memory)
    loads = [n for n in entry.kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    loads = [n for n in loads if n.src[0].arg.slot == slot]
    sizes = {r: range_size(r) for r in entry.kernel.order}
    points = prod(sizes.values())
    lengths = [prod(map(range_size, own_ranges(n))) for n in entry.kernel.nodes if n.op is Op.FOLD]
    for r, count in sizes.items():
        size, rest = divmod(memory.size, count)
        short = points // count <= size and all(length <= size for length in lengths)
        if rest or not short or 4 * count < 3 * processors:
            continue
        if all(_is_inside(n, r, size) for n in loads):
            return r
    return None


def _is_inside(load: Node, groups: Node, size: int) -> bool:
    """Is it, wherever it happens, of the group that the loop is at?"""
    if coefficient_of(load.src[1], groups) != size:
        return False
    rest = simplify(load.src[1] - groups * size)
    limits = limits_of(load.src[2]) if len(load.src) == 3 else {}
    parts, constant = affine(rest)
    low = high = float(constant)
    for term, factor in parts.items():
        ends = [factor * end for end in reach(term, limits)]
        low, high = low + min(ends), high + max(ends)
    return low >= 0 and high < size


def _as_one(first: Entry, last: Entry, memory: Node, groups: Node, size: int, stored: bool) -> Placed:
    """A tile for each group, and stores over (groups, size)."""
    start = max(first.kernel.next_axis(), last.kernel.next_axis())
    group, within_it, own = loop(start, range_size(groups)), loop(start + 1, size), loop(start + 2, size)
    ranges = [r for r in first.kernel.ranges() if r not in first.kernel.order]
    moved = {r: loop(start + 4 + n, range_size(r), r.arg.kind) for n, r in enumerate(ranges)}
    place = _digits(first.kernel.order, group * size + own)
    slot = first.memories.index(memory)
    value = first.kernel.sink.src[0].src[2].substitute(moved).substitute(place)
    made = replace(
        first.kernel,
        sink=terms.sink((terms.store(terms.param(slot, *first.kernel.params[slot]), group, value),)),
    )
    kernel, memories = joined((made, first.memories), last.placed)
    slot = memories.index(memory)
    target = terms.param(slot, *kernel.params[slot])
    tile = terms.stage(simplify(kernel.sink.src[0].src[2]), own, (own,), start + 3, size)
    inner = [r for r in last.kernel.order if r is not groups]
    count = prod(map(range_size, inner))
    places = _digits(tuple(inner), within_it) | {groups: group}
    # points beyond the last are computed as that one is, and not stored: all they load is in the group
    digits = _digits(tuple(inner), simplify(within_it.minimum(count - 1))) | {groups: group}
    loads = {
        n: terms.load(tile, simplify(n.src[1] - groups * size), *n.src[2:])
        for n in kernel.nodes if n.op is Op.LOAD and n.src[0] is target
    }  # fmt: skip
    valid = within_it < count if count < size else None
    stores = []
    for store in kernel.sink.src[1:]:
        value = store.src[2].substitute(loads).substitute(digits)
        stores.append(terms.store(store.src[0], store.src[1].substitute(places), value, valid))
    if stored:
        stores.append(terms.store(target, group * size + within_it, terms.load(tile, within_it)))
    outputs = tuple(dict.fromkeys(s.src[0].arg.slot for s in stores))
    sink = simplify(terms.sink(tuple(stores)))
    made = replace(kernel, sink=sink, order=(group, within_it), outputs=outputs)
    return without_stores((made, memories), set()) or (made, memories)


def _digits(loops: tuple[Node, ...], place: Node) -> dict[Node, Node]:
    """Loops, outermost first, by their common place."""
    found: dict[Node, Node] = {}
    for number, r in reversed(list(enumerate(loops))):
        found[r] = place % index_const(range_size(r)) if number else place
        place = place // index_const(range_size(r))
    return found
