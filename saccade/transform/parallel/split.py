"""Long reductions to few results become two: parts in parallel, then the parts.

    sum of 16M numbers      ->  256 sums of 65,536, stored; then a sum of 256
    argmax of 16M numbers   ->  their maximum, then the least place that has it, both in parts
                            ->  on a GPU the largest pair of a number and its place, as one integer, in parts

Without it one thread would do all the work. Plain monoids are split, and those that follow from them; a
remainder that does not fill a part is reduced with the second step. On a GPU an element may be made of a
short row, or be looked up: parts of those are smaller.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from ...graph import dtypes
from ...graph.monoid import ARGMAX, ARGMIN, MAX, MIN, Monoid
from ...graph.node import Node, make
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ..lying import Lying, memory_of
from ..terms import cut, full, permuted, reduced, reshaped

#: results that are enough for all threads
ENOUGH = 32
#: elements of a part, if they are of so many bytes, and the least of those that are made of more
LEAST_PART, ELEMENT, LEAST_HEAVY = 16 * 1024, 4, 512
#: a GPU loads vectors where all parts begin at a multiple of so many elements (the variance of 16,000,049 in
#: parts of 16,393 took 34 us on an H200, where memory takes 15)
ALIGNED = 8
#: bytes of an element that is heavy, those that are read to look up one, and reductions that are written out
HEAVY, SECTOR, WRITTEN_OUT = 48, 32, 8


@rewrite_pass("split long reductions")
def split_reductions(
    roots: tuple[Node, ...],
    most_parts: int = 256,
    whole: Collection[Node] = (),
    by_axis: bool = False,
    in_pairs: bool = False,
    by_bytes: bool = False,
) -> tuple[Node, ...]:
    """The same results, with long reductions in two steps, of at most so many parts; but those in `whole`.

    `by_axis` cuts one axis of what is not one run of memory, as a slice, so that a part has whole rows: in
    places of a part of all together there are divisions, and no vector is loaded. `in_pairs` searches floats
    once, for pairs in 64 bits, where a pass takes less than a launch, not twice for vectors of them.
    `by_bytes` has smaller parts of elements that are made of many bytes.
    """

    lying = Lying()

    def change(made: Node, node: Node) -> Node:
        if made.op is not Op.REDUCE or node in whole or not _is_long(made):
            return made
        weight = _weight(made.src[0]) if by_bytes else 1
        monoid: Monoid = made.arg[0]
        rows = _rows_by_axis(made, lying) if by_axis else _flat_rows(made)
        if monoid.elements == 1:
            first = len(made.shape) if by_axis and made.size > 1 else 1
            aligned = 1 if by_axis or weight > 1 else ALIGNED
            result = _in_two_steps(rows, monoid, most_parts, first, LEAST_PART // weight, aligned)
            return reshaped(result.cast(made.dtype), made.shape)
        search = _search_of_pairs if in_pairs and _has_pairs(rows) else _search_in_two_steps
        return reshaped(search(rows, monoid, most_parts).cast(made.dtype), made.shape)

    return changed(roots, change)


def _is_long(node: Node) -> bool:
    monoid: Monoid = node.arg[0]
    splits = monoid.elements == 1 or monoid in (ARGMAX, ARGMIN)
    return splits and 0 < node.size < ENOUGH and node.src[0].size // node.size >= 4 * LEAST_PART


def _weight(node: Node) -> int:
    """How many times the bytes of a plain element are read for each of a node, about, if those are many: it
    may be made of a short row, or of what is looked up."""
    inside = set(node.toposort(_is_near))
    operands = {node} | {s for n in inside if n.op not in MOVEMENT for s in n.src}
    read: dict[Node, int] = {}
    for operand in operands:
        below = operand
        while below.op in MOVEMENT:
            below = below.src[0]
        if below not in inside and (below.src or below.op is Op.PARAM):
            count, nbytes = memory_of(operand), below.dtype.itemsize
            if below.op is Op.GATHER:
                nbytes = SECTOR + below.src[1].dtype.itemsize
            read[below] = max(read.get(below, 0), count * nbytes)
    each = sum(read.values()) // max(node.size, 1)
    return min(each // ELEMENT, LEAST_PART // LEAST_HEAVY) if each >= HEAVY else 1


def _is_near(node: Node) -> bool:
    """Is it made with each element that is made of it? Longer reductions will be stored."""
    if node.op is Op.REDUCE:
        return node.src[0].size <= WRITTEN_OUT * node.size
    return node.op in ELEMENTWISE or node.op in MOVEMENT


def _flat_rows(node: Node) -> Node:
    """What is reduced, (results, elements)."""
    _, axes = node.arg
    source = node.src[0]
    kept = tuple(a for a in range(len(source.shape)) if a not in axes)
    return reshaped(permuted(source, kept + axes), (node.size, node.src[0].size // node.size))


def _rows_by_axis(node: Node, lying: Lying) -> Node:
    """What is reduced, (results, axis, ..); of one run of memory (results, elements). A search, whose places
    have an order, keeps its axes in theirs, others get that along memory last, and every axis of the results
    in its place: of a product of few columns, a kernel sees which factor goes along which (sums of 100,003
    rows of 5 x 5: 3.4 -> 0.4 ms)."""
    monoid, axes = node.arg
    source = node.src[0]
    if node.size == 1:
        orders = (Op.RESHAPE, Op.PERMUTE) if monoid.elements == 1 else (Op.RESHAPE,)
        while source.op in orders:
            source = source.src[0]
        axes = tuple(range(len(source.shape)))
    innermost = lying.innermost(source)
    if monoid.elements == 1 and innermost in axes:
        axes = (*[a for a in axes if a != innermost], innermost)
    kept = tuple(a for a in range(len(source.shape)) if a not in axes)
    apart = monoid.elements == 1 and node.size > 1
    results = tuple([source.shape[a] for a in kept]) if apart else (node.size,)
    if axes == tuple(range(len(kept), len(source.shape))) and _is_one_run(source):
        return reshaped(source, (*results, source.size // node.size))
    rows = permuted(source, kept + axes)
    return reshaped(rows, (*results, *[n for n in rows.shape[len(kept) :] if n > 1]))


def _is_one_run(node: Node) -> bool:
    """Is it computed element by element from memories of its size, each in its order?"""
    plain = ELEMENTWISE | {Op.RESHAPE}
    ends = {node} | {s for n in node.toposort(lambda n: n.op in plain) for s in n.src}
    return not any(n.op in MOVEMENT - plain and n.size > 1 and not _repeats_one(n) for n in ends)


def _repeats_one(node: Node) -> bool:
    return node.op is Op.EXPAND and node.src[0].size == 1


def _in_two_steps(
    rows: Node, monoid: Monoid, most_parts: int, first: int = 1, least: int = LEAST_PART, aligned: int = 1
) -> Node:
    """(n, a, b, ..) -> (n,): one axis in parts, those before it in parts of one. `first` is that of a; a part
    is a multiple of `aligned`."""
    parts = min(most_parts, prod(rows.shape[first:]) // least)
    axis = first
    while axis < len(rows.shape) - 1 and prod(rows.shape[first : axis + 1]) < parts:
        axis += 1
    parts //= prod(rows.shape[first:axis])
    apart = len(rows.shape) > first + 1 or least < LEAST_PART
    if apart and parts > 1:  # rows that are left over are the work of one thread
        parts = min(range(parts, parts // 2, -1), key=lambda p: rows.shape[axis] % p)
    main, rest = cut(rows, axis, parts, aligned)
    inside = tuple(range(axis + 1, len(main.shape)))
    partial = make(Op.CONTIGUOUS, rows.dtype, (reduced(main, monoid, inside),))
    result = reduced(partial, monoid, tuple(range(first, axis + 1)))
    if rest is None:
        return result
    return monoid.combine((result,), (reduced(rest, monoid, tuple(range(first, len(rest.shape)))),))[0]


def _search_in_two_steps(rows: Node, monoid: Monoid, most_parts: int) -> Node:
    """The place of the best element: the best, then the first place that has it. A NaN is the best of all."""
    best = _in_two_steps(rows, MAX if monoid == ARGMAX else MIN, most_parts)
    best = make(Op.CONTIGUOUS, rows.dtype, (best,))
    single = (best.size, *[1] * (len(rows.shape) - 1))
    has = rows.alu(Op.EQ, make(Op.EXPAND, rows.dtype, (reshaped(best, single),), rows.shape))
    if rows.dtype.is_float:
        has = make(Op.OR, dtypes.bool_, (has, make(Op.ISNAN, dtypes.bool_, (rows,))))
    length = prod(rows.shape[1:])
    kind = dtypes.int32 if length < dtypes.int32.max else dtypes.int64
    line = make(Op.IOTA, dtypes.int64, (), length).cast(kind)
    places = make(Op.EXPAND, kind, (reshaped(line, (1, *rows.shape[1:])),), rows.shape)
    none = full(length, places)
    return _in_two_steps(has.alu(Op.WHERE, places, none), MIN, most_parts)


def _has_pairs(rows: Node) -> bool:
    """Do a number's bits and a place fit into 64?"""
    return rows.dtype.is_float and rows.dtype.itemsize <= 4 and prod(rows.shape[1:]) < 1 << 32


def _search_of_pairs(rows: Node, monoid: Monoid, most_parts: int) -> Node:
    """The place of the best element: the largest of (number, places left behind it), both as integers.

    Floats are in the order of their bits, where the sign of positive ones and all bits of negative ones are
    turned; zeros are the same, and a NaN is the best of all."""
    number = rows.cast(dtypes.float32)
    zero = full(0.0, number)
    bits = make(Op.BITCAST, dtypes.uint32, (number.alu(Op.EQ, zero).alu(Op.WHERE, zero, number),))
    negative = full((1 << 31) - 1, bits).alu(Op.LT, bits)
    turned = negative.alu(Op.WHERE, full(0xFFFFFFFF, bits), full(1 << 31, bits))
    key = make(Op.XOR, dtypes.uint32, (bits, turned))
    if monoid == ARGMIN:
        key = make(Op.XOR, dtypes.uint32, (key, full(0xFFFFFFFF, key)))
    key = make(Op.ISNAN, dtypes.bool_, (number,)).alu(Op.WHERE, full(0xFFFFFFFF, key), key)
    length = prod(rows.shape[1:])
    line = make(Op.IOTA, dtypes.int64, (), length)
    left = reshaped((full(length - 1, line) - line).cast(dtypes.uint64), (1, *rows.shape[1:]))
    left = make(Op.EXPAND, dtypes.uint64, (left,), rows.shape)
    wide = key.cast(dtypes.uint64)
    pairs = make(Op.OR, dtypes.uint64, (wide.alu(Op.SHL, full(32, wide)), left))
    best = _in_two_steps(pairs, MAX, most_parts, aligned=ALIGNED)
    place = make(Op.AND, dtypes.uint64, (best, full(0xFFFFFFFF, best))).cast(dtypes.int64)
    return full(length - 1, place) - place
