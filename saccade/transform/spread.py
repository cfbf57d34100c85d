"""Work in few threads, or in order, spread over many: for machines that have tens of thousands of them.

    columns    a sum down columns has a thread a column: rows are cut into parts, and the parts summed
    scans      a running sum has a thread a row: each part of a row is summed, those sums are run over, and
               every part starts from what came before it
    writes     of several writes to one place the last wins, so they come in order: the number of the last is
               found first (a maximum needs no order), then every place fetches what it wrote

In: a graph and the threads wanted. Out: the same values (sums in another order).
"""

from __future__ import annotations

from math import isqrt, prod

from ..graph import dtypes
from ..graph.monoid import Monoid
from ..graph.node import Node, const, make, walk
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op
from .split import permuted, reduced, reshaped

#: columns and rows shorter than this are one thread's work
LEAST_COLUMN = 64
LEAST_ROW = 256
#: rows of a part of a column
COLUMN_PART = 32
#: the most elements of a part of a row, and the parts that make up for reading rows twice
ROW_PART = 256
ROWS_EACH = 16
#: writes along an axis that come in order
LEAST_WRITES = 16


def spread(roots: tuple[Node, ...], threads: int) -> tuple[Node, ...]:
    """The same results, with long columns, scans and ordered writes in parts for so many threads."""
    done: dict[Node, Node] = {}
    for node in walk(roots):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        if made.op is Op.REDUCE and _is_tall(made, threads):
            made = _columns_in_parts(made, threads)
        elif made.op is Op.SCAN:
            made = _scan(made, threads)
        elif made.op is Op.SCATTER and made.arg[1] == "set":
            made = _last_writes(made)
        done[node] = made
    return tuple(done[r] for r in roots)


# --- columns


def _is_tall(node: Node, threads: int) -> bool:
    """Few columns, next to each other in memory, and each of them long?"""
    monoid, axes = node.arg
    source = node.src[0]
    if monoid.elements != 1 or node.size < 2 or node.size * 2 > threads or _is_product(source):
        return False
    return source.size // node.size >= LEAST_COLUMN and _innermost(source) not in (None, *axes)


def _innermost(node: Node) -> int | None:
    """The axis along which neighbours lie side by side in memory; None where that is not plain to see."""
    if node.op is Op.CONST:
        return None
    if node.op in ELEMENTWISE:
        largest_first = sorted(node.src, key=_is_repeated)  # what is repeated is the smaller memory
        return next((axis for s in largest_first if (axis := _innermost(s)) is not None), None)
    last = next((a for a in reversed(range(len(node.shape))) if node.shape[a] > 1), None)
    if node.op not in MOVEMENT:
        return last
    axis = _innermost(node.src[0])
    if axis is None or node.src[0].shape[axis] == 1:  # a single one has no neighbours
        return None
    if node.op is Op.PERMUTE:
        return int(node.arg.index(axis))
    if node.op is Op.RESHAPE:
        before = [(a, n) for a, n in enumerate(node.src[0].shape) if n > 1]
        after = [(a, n) for a, n in enumerate(node.shape) if n > 1]
        if [n for _, n in before] == [n for _, n in after]:  # axes of 1 came or went
            return after[before.index((axis, node.src[0].shape[axis]))][0]
        return last if axis == before[-1][0] else None
    return axis if node.op in (Op.EXPAND, Op.PAD, Op.SLICE) else None


def _is_product(source: Node) -> bool:
    """Is it the product of two matrices? That has kernels of its own."""
    while source.op is Op.CAST:
        source = source.src[0]
    return source.op is Op.MUL and all(_is_repeated(s) for s in source.src)


def _is_repeated(node: Node) -> bool:
    while node.op is Op.CAST or (node.op in MOVEMENT and node.op is not Op.EXPAND):
        node = node.src[0]
    return node.op is Op.EXPAND


def _columns_in_parts(node: Node, threads: int) -> Node:
    monoid, axes = node.arg
    source = node.src[0]
    kept = tuple(a for a in range(len(source.shape)) if a not in axes)
    length = prod(source.shape[a] for a in axes)
    rows = reshaped(permuted(source, axes + kept), (length, node.size))
    parts = max(1, min(length // COLUMN_PART, threads // node.size))
    each = length // parts
    main = reshaped(_slice(rows, 0, 0, parts * each), (parts, each, node.size))
    partial = make(Op.CONTIGUOUS, node.dtype, (reduced(main, monoid, (1,)),))
    result = reduced(partial, monoid, (0,))
    if parts * each < length:
        rest = reduced(_slice(rows, 0, parts * each, length - parts * each), monoid, (0,))
        result = monoid.combine((result,), (rest,))[0]
    return reshaped(result, node.shape)


# --- scans


def _scan(node: Node, threads: int) -> Node:
    """A running reduction in parts where its rows are few and long, or as it is."""
    monoid, axis = node.arg
    source = node.src[0]
    length = source.shape[axis]
    rows = source.size // max(length, 1)
    if monoid.elements != 1 or length < LEAST_ROW or rows * ROWS_EACH > threads:
        return node
    order = (*(a for a in range(len(source.shape)) if a != axis), axis)
    lines = reshaped(permuted(source, order), (rows, length))
    each = min(isqrt(length), ROW_PART)  # as long a way through a part as through their totals
    parts = -(-length // each)
    if parts * each > length:
        lines = make(Op.PAD, lines.dtype, (lines,), ((0, 0), (0, parts * each - length)))
    main = reshaped(lines, (rows, parts, each))
    totals = make(Op.CONTIGUOUS, node.dtype, (reduced(main, monoid, (2,)),))
    until = _scan(make(Op.SCAN, node.dtype, (totals,), (monoid, 1)), threads)
    before = make(Op.PAD, node.dtype, (_slice(until, 1, 0, parts - 1),), ((0, 0), (1, 0)))
    own = make(Op.SCAN, node.dtype, (main,), (monoid, 2))
    result = _after(own, make(Op.CONTIGUOUS, node.dtype, (before,)), monoid)
    flat = _slice(reshaped(result, (rows, parts * each)), 1, 0, length)
    shape = tuple(source.shape[a] for a in order)
    back = tuple(sorted(range(len(order)), key=order.__getitem__))
    return permuted(reshaped(flat, shape), back)


def _after(own: Node, before: Node, monoid: Monoid) -> Node:
    """Parts (rows, parts, n) continued from what came before each (rows, parts); nothing before the first."""
    rows, parts = own.shape[:2]
    earlier = make(Op.EXPAND, before.dtype, (reshaped(before, (rows, parts, 1)),), own.shape)
    number = reshaped(make(Op.IOTA, dtypes.int64, (), parts), (1, parts, 1))
    first = make(Op.EXPAND, dtypes.int64, (number,), own.shape).alu(Op.EQ, _full(0, number, own.shape))
    return first.alu(Op.WHERE, own, monoid.combine((earlier,), (own,))[0])


# --- writes


def _last_writes(node: Node) -> Node:
    """A scatter that overwrites, as a maximum of the writes' numbers and a gather."""
    base, places, updates = node.src
    axis = node.arg[0]
    count = places.shape[axis]
    if count < LEAST_WRITES:
        return node
    line = reshaped(
        make(Op.IOTA, dtypes.int64, (), count), (1,) * axis + (count,) + (1,) * (len(places.shape) - axis - 1)
    )
    numbers = make(Op.CAST, dtypes.int32, (make(Op.EXPAND, dtypes.int64, (line,), places.shape),))
    none = _full(-1, numbers, base.shape)
    last = make(Op.SCATTER, dtypes.int32, (none, places, numbers), (axis, "max"))
    written = _full(-1, numbers, base.shape).alu(Op.LT, last)
    # beside the axis the updates may cover less than the base
    amounts = tuple(
        (0, 0) if a == axis else (0, n - m)
        for a, (n, m) in enumerate(zip(base.shape, updates.shape, strict=True))
    )
    wide = (
        updates
        if not any(after for _, after in amounts)
        else make(Op.PAD, updates.dtype, (updates,), amounts)
    )
    safe = written.alu(Op.WHERE, last, _full(0, numbers, base.shape))
    fetched = make(Op.GATHER, node.dtype, (wide, safe), axis)
    return written.alu(Op.WHERE, fetched, base)


def _full(value: int, like: Node, shape: tuple[int, ...]) -> Node:
    one = reshaped(const(value, like.dtype), (1,) * len(shape))
    return make(Op.EXPAND, like.dtype, (one,), shape)


def _slice(node: Node, axis: int, start: int, length: int) -> Node:
    if start == 0 and length == node.shape[axis]:
        return node
    whole = [(0, n, 1) for n in node.shape]
    whole[axis] = (start, length, 1)
    return make(Op.SLICE, node.dtype, (node,), tuple(whole))
