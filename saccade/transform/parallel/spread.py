"""Work in few threads, or in order, spread over many: for machines that have tens of thousands of them.

    columns    a sum down columns has a thread a column: rows are cut into parts, and the parts summed; the
               place of the best is looked for in each part, and then among the best of all parts
    scans      a running sum has a thread a row, or a block where the row lies side by side: each part of a
               row is summed, those sums are run over, and every part starts from what came before it
    sorts      a long row in parts, which are merged (sorting.py); the same for the k best of few long rows
    writes     of several writes to one place the last wins, so they come in order: the number of the last is
               found first (a maximum needs no order), then every place fetches what it wrote, or every row
               where rows have one place; one value for all places needs no order

In: a graph and the threads wanted. Out: the same values (sums in another order).
"""

from __future__ import annotations

from collections.abc import Collection
from math import isqrt, prod

from ...graph import dtypes
from ...graph.monoid import ARGMAX, ARGMIN, MAX, MIN, Monoid
from ...graph.node import Node, below_casts, const, make, walk
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ..lying import Lying
from ..terms import cut, expanded, full, permuted, reduced, reduced_in_parts, reshaped, sliced
from .sorting import sorted_in_parts

_SEARCHES = (ARGMAX, ARGMIN)
#: columns and rows shorter than this are one thread's work
LEAST_COLUMN = 64
LEAST_ROW = 256
#: rows of a part of a column
COLUMN_PART = 32
#: the most elements of a part of a row, and the parts that make up for reading rows twice
ROW_PART = 256
ROWS_EACH = 8
#: the same for rows that lie side by side, which a block runs along: the least row that is cut, the least
#: part, and how many threads' work a part is
LEAST_LONG, LEAST_BLOCK, BLOCK_EACH = 1 << 15, 2048, 64
#: the least part of a row in which a block looks for the k best
LEAST_SEARCHED = 1 << 13
#: writes along an axis that come in order
LEAST_WRITES = 16


@rewrite_pass("spread over threads")
def spread(roots: tuple[Node, ...], threads: int, whole: Collection[Node] = ()) -> tuple[Node, ...]:
    """The same results, with long columns, scans and ordered writes in parts for so many threads; but
    reductions in `whole`."""
    sorts = (n for n in walk(roots) if n.op is Op.SORT)
    ordered = {(n.src, n.arg[:-1]) for n in sorts if n.arg[-1] == "indices"}
    lying = Lying()

    def change(made: Node, node: Node) -> Node:
        if made.op is Op.REDUCE and node not in whole and _is_tall(made, threads, lying):
            return _columns_in_parts(made, threads)
        if made.op is Op.SCAN:
            return _scan(made, threads, lying)
        if made.op is Op.SCATTER and made.arg[1] == "set":
            return _last_writes(made)
        if made.op is Op.TOPK:
            return _topk_in_parts(made, threads)
        if made.op is Op.SORT:
            return sorted_in_parts(made, (node.src, node.arg[:-1]) in ordered)
        return made

    return changed(roots, change)


# --- columns


def _is_tall(node: Node, threads: int, lying: Lying) -> bool:
    """Few columns, next to each other in memory, and each of them long?"""
    monoid, axes = node.arg
    source = node.src[0]
    if monoid.elements != 1 and monoid not in _SEARCHES:
        return False
    if node.size < 2 or node.size * 2 > threads or _is_product(source):
        return False
    if _is_segments(source):
        return False
    return source.size // node.size >= LEAST_COLUMN and lying.innermost(source) not in (None, *axes)


def _is_segments(source: Node) -> bool:
    """Is it what is there of a list, fetched by its place? Most of the column is not there at all."""
    return source.op is Op.WHERE and any(
        n.op is Op.GATHER
        for n in source.src[1].toposort(
            lambda n: n.op in ELEMENTWISE or n.op in MOVEMENT or n.op is Op.GATHER
        )
    )


def _is_product(source: Node) -> bool:
    """Is it the product of two matrices? That has kernels of its own."""
    source = below_casts(source)
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
    parts = max(1, min(length // COLUMN_PART, _equal_parts(length, -(-threads // node.size))))
    search = monoid in _SEARCHES
    result = _best_place(rows, monoid, parts) if search else reduced_in_parts(rows, monoid, 0, parts)
    return reshaped(result, node.shape)


def _equal_parts(length: int, least: int) -> int:
    """So many parts of a column at least, of equal length if twice as many are enough for that: what is left
    over would be summed apart."""
    return next((parts for parts in range(least, 2 * least) if length % parts == 0), least)


def _best_place(rows: Node, monoid: Monoid, parts: int) -> Node:
    """The place of the best element of each column: each part has its best and where it is, then the best of
    those, the first among equals, says which place it is."""
    main, rest = cut(rows, 0, parts)
    _, each, columns = main.shape
    best = MAX if monoid == ARGMAX else MIN
    values = make(Op.CONTIGUOUS, main.dtype, (reduced(main, best, (1,)),))
    places = make(Op.CONTIGUOUS, dtypes.int32, (_as_int32(_found(main, monoid, 1)),))
    part = _found(values, monoid, 0)
    at = make(Op.GATHER, dtypes.int32, (places, reshaped(part, (1, columns))), 0)
    within = make(Op.CAST, dtypes.int64, (reshaped(at, (columns,)),))
    place = part.alu(Op.MUL, full(each, part, part.shape)).alu(Op.ADD, within)
    if rest is None:
        return place
    last = _found(rest, monoid, 0).alu(Op.ADD, full(parts * each, place, place.shape))
    return _is_better(reduced(rest, best, (0,)), reduced(values, best, (0,)), monoid).alu(
        Op.WHERE, last, place
    )


def _is_better(later: Node, earlier: Node, monoid: Monoid) -> Node:
    """Does a best value that comes later win? Of equal ones the first does, and the first NaN of all."""
    better = earlier.alu(Op.LT, later) if monoid == ARGMAX else later.alu(Op.LT, earlier)
    if not later.dtype.is_float:
        return better
    nan = later.alu(Op.ISNAN)
    return better.alu(Op.OR, nan).alu(Op.AND, earlier.alu(Op.ISNAN).alu(Op.NOT))


def _found(node: Node, monoid: Monoid, axis: int) -> Node:
    return make(Op.REDUCE, dtypes.int64, (node,), (monoid, (axis,)))


def _as_int32(node: Node) -> Node:
    return make(Op.CAST, dtypes.int32, (node,))


# --- scans


def _scan(node: Node, threads: int, lying: Lying) -> Node:
    """A running reduction in parts where its rows are few and long, or as it is."""
    monoid, axis = node.arg
    source = node.src[0]
    length = source.shape[axis]
    before, after = prod(source.shape[:axis]), prod(source.shape[axis + 1 :])
    in_a_row = after == 1 and lying.innermost(source) == axis
    least, share = (LEAST_LONG, BLOCK_EACH) if in_a_row else (LEAST_ROW, ROWS_EACH)
    if monoid.elements != 1 or length < least or before * after * share > threads:
        return node
    parts = _parts(length, threads // (before * after * share)) if in_a_row else 0
    # otherwise as long a way through a part as through their totals
    each = -(-length // parts) if parts else min(isqrt(length), ROW_PART)
    parts = -(-length // each)
    lines = reshaped(source, (before, length, after))
    if parts * each > length:
        lines = make(Op.PAD, lines.dtype, (lines,), ((0, 0), (0, parts * each - length), (0, 0)))
    main = reshaped(lines, (before, parts, each, after))
    totals = make(Op.CONTIGUOUS, node.dtype, (reduced(main, monoid, (2,)),))
    until = _scan(make(Op.SCAN, node.dtype, (totals,), (monoid, 1)), threads, lying)
    earlier = make(Op.PAD, node.dtype, (sliced(until, 1, 0, parts - 1),), ((0, 0), (1, 0), (0, 0)))
    continued = _after(main, make(Op.CONTIGUOUS, node.dtype, (earlier,)), monoid)
    result = make(Op.SCAN, node.dtype, (continued,), (monoid, 2))
    return reshaped(sliced(reshaped(result, (before, parts * each, after)), 1, 0, length), source.shape)


def _parts(length: int, most: int) -> int:
    """Parts for blocks to run along, at most so many: of equal length if there is such a number."""
    most = max(min(most, length // LEAST_BLOCK), 1)
    return next((parts for parts in range(most, most // 4, -1) if length % parts == 0), most)


def _after(main: Node, before: Node, monoid: Monoid) -> Node:
    """Parts (rows, parts, n, columns) whose first elements continue what came before (rows, parts, columns);
    nothing before the first part."""
    rows, parts, _, columns = main.shape
    earlier = make(Op.EXPAND, before.dtype, (reshaped(before, (rows, parts, 1, columns)),), main.shape)
    first = [_is_number(axis, main.shape, 0) for axis in (1, 2)]
    continues = make(Op.AND, dtypes.bool_, (first[0].alu(Op.NOT), first[1]))
    return continues.alu(Op.WHERE, monoid.combine((earlier,), (main,))[0], main)


def _is_number(axis: int, shape: tuple[int, ...], number: int) -> Node:
    """Is the index along an axis this one?"""
    line = tuple(n if a == axis else 1 for a, n in enumerate(shape))
    place = make(
        Op.EXPAND, dtypes.int64, (reshaped(make(Op.IOTA, dtypes.int64, (), shape[axis]), line),), shape
    )
    return place.alu(Op.EQ, full(number, place, shape))


# --- the k best


def _topk_in_parts(node: Node, threads: int) -> Node:
    """The k best of a few long rows: the k best of each part, then of those. Equal elements keep their order,
    because parts and their results do."""
    k, axis, largest, want = node.arg
    source = node.src[0]
    n = source.shape[axis]
    rows = source.size // max(n, 1)
    most = min(threads // (BLOCK_EACH * max(rows, 1)), n // LEAST_SEARCHED)
    parts = next((parts for parts in range(most, max(most // 4, 1), -1) if n % parts == 0), 0)
    if parts < 2 or n // parts < k:
        return node
    order = (*(a for a in range(len(source.shape)) if a != axis), axis)
    main = reshaped(permuted(source, order), (rows, parts, n // parts))
    values, places = (_topk(main, k, largest, kind) for kind in ("values", "indices"))
    values, places = (make(Op.CONTIGUOUS, x.dtype, (x,)) for x in (values, places))
    best = reshaped(values, (rows, parts * k))
    result = _topk(best, k, largest, want)
    if want == "indices":
        within = make(Op.GATHER, node.dtype, (reshaped(places, best.shape), result), 1)
        start = result.alu(Op.IDIV, full(k, result, result.shape))
        result = start.alu(Op.MUL, full(n // parts, result, result.shape)).alu(Op.ADD, within)
    shape = tuple(k if a == axis else source.shape[a] for a in order)
    return permuted(reshaped(result, shape), tuple(sorted(range(len(order)), key=order.__getitem__)))


def _topk(lines: Node, k: int, largest: bool, want: str) -> Node:
    dtype = lines.dtype if want == "values" else dtypes.int64
    return make(Op.TOPK, dtype, (lines,), (k, len(lines.shape) - 1, largest, want))


# --- writes


def _last_writes(node: Node) -> Node:
    """A scatter that overwrites, as a maximum of the writes' numbers and a gather; of the numbers of rows
    where whole rows have one place."""
    base, places, updates = node.src
    axis = node.arg[0]
    count = places.shape[axis]
    if _constant(updates) is not None:
        return _filled(node)
    if count < LEAST_WRITES:
        return node
    line = _places_of_rows(node)
    places, shape = (places, base.shape) if line is None else (line, _rows_of(base, axis))
    numbers = reshaped(make(Op.IOTA, dtypes.int64, (), count), _rows_of(places, axis))
    numbers = make(Op.CAST, dtypes.int32, (expanded(numbers, places.shape),))
    none = full(-1, numbers, shape)
    last = make(Op.SCATTER, dtypes.int32, (none, places, numbers), (axis, "max"))
    written = full(-1, numbers, shape).alu(Op.LT, last)
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
    safe = written.alu(Op.WHERE, last, full(0, numbers, shape))
    fetched = make(Op.GATHER, node.dtype, (wide, expanded(safe, base.shape)), axis)
    return expanded(written, base.shape).alu(Op.WHERE, fetched, base)


def _places_of_rows(node: Node) -> Node | None:
    """The place of each row that a scatter writes, (.. 1, rows, 1 ..), if it writes whole rows of its base,
    each to one place."""
    base, places, _ = node.src
    axis = node.arg[0]
    line = places.src[0] if places.op is Op.EXPAND else places
    whole = all(n == m for a, (n, m) in enumerate(zip(base.shape, places.shape, strict=True)) if a != axis)
    rows = line is not places and line.shape == _rows_of(places, axis)
    return line if whole and rows else None


def _rows_of(node: Node, axis: int) -> tuple[int, ...]:
    return tuple(n if a == axis else 1 for a, n in enumerate(node.shape))


def _constant(node: Node) -> Node | None:
    """The one value that all elements have, if it is plain to see."""
    while node.op in MOVEMENT and node.op is not Op.PAD:
        node = node.src[0]
    return node if node.op is Op.CONST or node.op is Op.VALUE else None


def _filled(node: Node) -> Node:
    """A scatter that writes one value everywhere needs no order; and where whole rows have one place, only
    these are marked."""
    base, _, updates = node.src
    axis = node.arg[0]
    value, line = _constant(updates), _places_of_rows(node)
    if line is None:
        return node
    assert value is not None
    rows = _rows_of(base, axis)
    none, one = (_expanded(const(n, dtypes.int32), shape) for n, shape in ((0, rows), (1, line.shape)))
    # a maximum looks before it writes: a million writes to ten thousand places would wait for each other
    marks = make(Op.SCATTER, dtypes.int32, (none, line, one), (axis, "max"))
    marked = make(Op.EXPAND, dtypes.int32, (marks,), base.shape)
    return marked.alu(Op.NE, full(0, marked, base.shape)).alu(Op.WHERE, _expanded(value, base.shape), base)


def _expanded(value: Node, shape: tuple[int, ...]) -> Node:
    return make(Op.EXPAND, value.dtype, (reshaped(value, (1,) * len(shape)),), shape)
