"""One place of a short row in order, by a sorting network: a few choices in registers, and no sort.

    sort(stack(nine pictures))[.., 4]     ->  36 exchanges of two pictures, part of any kernel
    sort(x)[:, 2] of (1000, 5)            ->  10 exchanges of two columns

Neighbours that are out of order change places, in as many rounds as there are elements. Equal ones never do,
so the network is stable, as SORT is: where elements came from goes along with them.
"""

from __future__ import annotations

from typing import Final

from ..graph import dtypes
from ..graph.constants import everywhere
from ..graph.node import Node, const, make
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op

#: the longest row: of 16 there are 120 exchanges, four operations or five each
MOST: Final = 16


def place_in_order(node: Node) -> Node | None:
    """A SLICE of one place along the axis of a SORT, from slices of what is sorted; None for any other."""
    (ordered,) = node.src
    if ordered.op is not Op.SORT or len(ordered.src) > 1:
        return None
    (source,), (axis, descending, _keep, run, want) = ordered.src, ordered.arg
    start, length, _ = node.arg[axis]
    n = source.shape[axis]
    comparable = source.dtype.is_float or source.dtype.is_int
    if run or length != 1 or not isinstance(start, int) or not 2 <= n <= MOST or not comparable:
        return None

    if not _is_light(source):  # each place of a row is asked for by itself
        source = make(Op.CONTIGUOUS, source.dtype, (source,), "places of its rows are put in order")

    def element(place: int) -> Node:
        slices = (*node.arg[:axis], (place, 1, 1), *node.arg[axis + 1 :])
        return make(Op.SLICE, source.dtype, (source,), slices)

    row = [element(place) for place in range(n)]
    shape = row[0].shape
    places = [everywhere(const(p, dtypes.int64), shape) for p in range(n)] if want == "indices" else []
    for first in range(n):
        for low in range(first % 2, n - 1, 2):
            high = low + 1
            swap = _is_after(row[high], row[low]) if descending else _is_after(row[low], row[high])
            for values in (row, places):
                if values:
                    a, b = values[low], values[high]
                    values[low], values[high] = swap.alu(Op.WHERE, b, a), swap.alu(Op.WHERE, a, b)
    return places[start] if places else row[start]


def _is_light(source: Node) -> bool:
    """Is it made of memory, element by element?"""
    near = ELEMENTWISE | MOVEMENT | {Op.CAT}
    inside = source.toposort(lambda n: n.op in near)
    ends = {source, *(s for n in inside for s in n.src)}.difference(inside)
    return all(not n.src or n.op is Op.CONTIGUOUS for n in ends)


def _is_after(a: Node, b: Node) -> Node:
    """Does a come behind b in ascending order, and is not equal to it? A NaN is behind all numbers."""
    if not a.dtype.is_float:
        return b.alu(Op.LT, a)
    number = make(Op.NOT, dtypes.bool_, (make(Op.ISNAN, dtypes.bool_, (b,)),))
    return make(Op.NOT, dtypes.bool_, (a.alu(Op.LE, b),)).alu(Op.AND, number)
