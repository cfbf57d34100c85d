"""Long rows sorted in parts: parts that fit a block's fast memory, then merged two by two.

    sort of 1M numbers  ->  256 sorts of 4096; then eight kernels that each merge every two of them

In: a SORT. Out: the same values. A merge is a SORT that knows where its second sorted run begins, so it has
as many blocks as it likes; where elements came from is carried along if anybody asks. Of a top-k every step
keeps no more than k.
"""

from __future__ import annotations

from math import nan

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Node, make
from ...graph.ops import Op
from ..terms import full, permuted, reshaped

#: elements of a part, and how many times as many if they are narrow
PART = 2048
NARROW_BYTES, NARROW_TIMES = 4, 2


def sorted_in_parts(node: Node, carries: bool) -> Node:
    """A SORT of long rows in parts, any other as it is; `carries` where its indices are wanted, too."""
    source, (axis, descending, keep, run, want) = node.src[0], node.arg
    n = source.shape[axis]
    part = PART * (NARROW_TIMES if source.dtype.itemsize <= NARROW_BYTES else 1)
    if n <= part or run:
        return node
    order = (*(a for a in range(len(source.shape)) if a != axis), axis)
    rows = source.size // n
    parts = 1
    while -(-n // parts) > part:
        parts *= 2
    each = -(-n // parts)
    lines = reshaped(permuted(source, order), (rows, n))
    if parts * each > n:
        lines = _with_last(lines, parts * each, descending)
    values, places = _sort(reshaped(lines, (rows * parts, each)), descending, min(each, keep), 0)
    offset = make(Op.MUL, dtypes.int64, (_column(rows * parts, parts, places), full(each, places)))
    carried = make(Op.ADD, dtypes.int64, (places, offset)) if carries else None
    while parts > 1:
        parts, length = parts // 2, 2 * values.shape[-1]
        outer = (rows * parts,) if parts > 1 else tuple(source.shape[a] for a in order[:-1])
        pairs = reshaped(values, (*outer, length))
        along = () if carried is None else (reshaped(carried, pairs.shape),)
        values, places = _sort(pairs, descending, min(length, keep), length // 2, along)
        carried = places if carries else None
    result = values if want == "values" else places
    return permuted(result, tuple(sorted(range(len(order)), key=order.__getitem__)))


def _sort(
    lines: Node, descending: bool, keep: int, run: int, along: tuple[Node, ...] = ()
) -> tuple[Node, Node]:
    values, places = (
        make(Op.SORT, dtype, (lines, *along), (len(lines.shape) - 1, descending, keep, run, want))
        for dtype, want in ((lines.dtype, "values"), (dtypes.int64, "indices"))
    )
    return values, places


def _with_last(lines: Node, length: int, descending: bool) -> Node:
    """Rows filled up with what comes last; being behind, it comes after what is equal to it."""
    n = lines.shape[1]
    longer = make(Op.PAD, lines.dtype, (lines,), ((0, 0), (0, length - n)))
    place = reshaped(make(Op.IOTA, dtypes.int64, (), length), (1, length))
    inside = make(Op.EXPAND, dtypes.int64, (place,), longer.shape).alu(Op.LT, full(n, place, longer.shape))
    return inside.alu(Op.WHERE, longer, full(last_of(lines.dtype, descending), longer))


def last_of(dtype: DType, descending: bool) -> bool | int | float:
    """What comes last in order: behind what is equal to it."""
    if descending:
        return dtype.min
    return nan if dtype.is_float else dtype.max


def _column(rows: int, parts: int, like: Node) -> Node:
    """The number of each row's part, of so many."""
    number = make(Op.IOTA, dtypes.int64, (), rows).alu(Op.MOD, full(parts, like, (rows,)))
    return make(Op.EXPAND, dtypes.int64, (reshaped(number, (rows, 1)),), like.shape)
