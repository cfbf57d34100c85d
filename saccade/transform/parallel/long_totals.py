"""Totals of exponentials of what registers do not hold: in parts, of which each is read once.

    m = max_j x_j;  t = m, or 0 where that is infinite;  l = sum_j exp(x_j - t)
    ->  m_p and l_p of every part of a row, stored;  m = max_p m_p;  l = sum_p l_p * exp(m_p - t)

The maximum has to be known before the first exponential, so a row is gone through twice, and rows of the
logits of a language model leave the second cache in between. A part stays in registers: of a row as much as a
block holds, of columns a few rows (`moments`). What is infinite or NaN is so as before: a part that is all
-inf adds nothing, and t decides of a row that is.
"""

from __future__ import annotations

from ...graph.monoid import ADD, MAX
from ...graph.node import Node, make, walk
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ..lying import Lying
from ..terms import along, cut, expanded, full, reduced, reshaped
from .moments import LEAST_PARTS, rows_of_part

#: the longest row that a block holds, and what a part had best have of it at most: 16,384 rows of 50,304 in
#: bfloat16 took 764 us on an H200, in four parts 665 by 256 threads each and 556 by 128. Eight parts, by 128
#: threads, are half as long
HELD = 1 << 15
MOST = 1 << 13
#: elements of all rows that do not stay in the second cache
LARGE = 1 << 25
#: the least rows of a part of columns
LEAST_ROWS = 16
#: parts of a row, and what their length is a multiple of: a vector of halves
MOST_PARTS = 32
VECTOR = 8
#: products of a score of attention, at most
WIDEST_HEAD = 256
#: why the parts are stored
REASON = "parts of rows that registers do not hold"


@rewrite_pass("totals of long rows in parts")
def totals_in_parts(roots: tuple[Node, ...], whole: frozenset[Node] = frozenset()) -> tuple[Node, ...]:
    """The same results with long totals and their maxima in parts; but for those in `whole`, around what may
    become attention, unless their elements are sums that no attention has."""
    lying = Lying()
    totals = {node: top for node in walk(roots) if (top := _maximum_of(node, lying)) is not None}
    totals = {
        node: top
        for node, top in totals.items()
        if whole.isdisjoint((node, top)) or _summed(_elements(node)) > WIDEST_HEAD
    }
    if not totals:
        return roots
    maxima = set(totals.values())

    def change(made: Node, node: Node) -> Node:
        if node in maxima:
            return _maximum(made.src[0], made.arg[1][0], made.shape, lying)
        return _total(made, lying) if node in totals else made

    return changed(roots, change)


def _maximum_of(node: Node, lying: Lying) -> Node | None:
    """The maximum that what is taken off the elements of a long total of exponentials is made of."""
    if node.op is not Op.REDUCE or node.arg[0] != ADD or node.src[0].op is not Op.EXP:
        return None
    difference = node.src[0].src[0]
    if difference.op is not Op.SUB or len(node.arg[1]) != 1:
        return None
    elements, off = difference.src
    (axis,) = node.arg[1]
    if elements.size < LARGE or not _count(elements, axis, lying):
        return None
    single = (*elements.shape[:axis], 1, *elements.shape[axis + 1 :])
    if off.op is not Op.EXPAND or off.src[0].shape != single:
        return None
    of_rows = off.src[0].toposort(lambda n: n.size == node.size)
    tops = [n for n in of_rows if n.op is Op.REDUCE and n.arg == (MAX, node.arg[1]) and n.src[0] is elements]
    return tops[0] if tops else None


def _count(elements: Node, axis: int, lying: Lying) -> int:
    """Parts of an axis; 0 if it has none of equal length, or is short."""
    length = elements.shape[axis]
    if axis != len(elements.shape) - 1:
        across = lying.innermost(elements) not in (None, axis)
        each = rows_of_part(length, LEAST_ROWS) if across else 0
        return length // each if each and length >= LEAST_PARTS * each else 0
    if length <= HELD:
        return 0
    even = [n for n in range(-(-length // (2 * MOST)), MOST_PARTS + 1) if length % (n * VECTOR) == 0]
    return next((n for n in even if n * MOST >= length), even[-1] if even else 0)


def _summed(node: Node) -> int:
    """Of how many products an element is the sum; 0 if it is none."""
    while node.src and node.op is not Op.REDUCE:
        node = max(node.src, key=lambda s: s.size)
    return node.src[0].size // max(node.size, 1) if node.op is Op.REDUCE else 0


def _elements(total: Node) -> Node:
    return total.src[0].src[0].src[0]


def _parts(elements: Node, axis: int, lying: Lying) -> tuple[Node, Node]:
    """The maximum and the total of every part, (.., parts, ..)."""
    parts, _ = cut(elements, axis, _count(elements, axis, lying))
    tops = _stored(reduced(parts, MAX, (axis + 1,)))
    infinite = tops.eq(full(float("-inf"), tops)) | tops.eq(full(float("inf"), tops))
    base = infinite.where(full(0.0, tops), tops)
    taken = along(base, axis + 1, parts.shape)
    return tops, _stored(reduced((parts - taken).alu(Op.EXP), ADD, (axis + 1,)))


def _maximum(elements: Node, axis: int, shape: tuple[int, ...], lying: Lying) -> Node:
    tops, _ = _parts(elements, axis, lying)
    return _stored(reshaped(reduced(tops, MAX, (axis,)), shape))


def _total(total: Node, lying: Lying) -> Node:
    """The total of parts, for whatever number of a row is taken off its elements."""
    (axis,) = total.arg[1]
    tops, sums = _parts(_elements(total), axis, lying)
    off = total.src[0].src[0].src[1].src[0]
    weighed = sums * (tops - expanded(off, tops.shape)).alu(Op.EXP)
    return _stored(reshaped(reduced(weighed, ADD, (axis,)), total.shape))


def _stored(node: Node) -> Node:
    return make(Op.CONTIGUOUS, node.dtype, (node,), REASON)
