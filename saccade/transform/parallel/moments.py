"""Sums of squares around a mean of what no registers hold: in parts, of which each is read once.

    m = (sum of x) / n;  s = sum of (x - m)**2          x is gone through twice
    ->  of every part of k elements its sum, its mean c, and around that r = sum of (x - c) and
        q = sum of (x - c)**2, stored;  s = sum over parts of q + 2 (c - m) r + k (c - m)**2

The mean has to be known before the first difference, so large memory is read twice. A part stays in the
registers of its team, and numbers around its own mean are as small as they can be, so nothing cancels. Down
columns a part is a few rows, a thread has a column of it; of long rows it is as much as a block holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod

from ...graph.constants import constant_of
from ...graph.dtypes import DType
from ...graph.monoid import ADD
from ...graph.node import Node, below_casts, make, walk
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ..lying import Lying
from ..terms import along, cut, full, permuted, reduced, reshaped

#: bytes that do not stay in the second cache until they are read again
LARGE = 1 << 25
#: rows of a part of columns, at most and at least, and the least such parts
ROWS, LEAST_ROWS, LEAST_PARTS = 64, 32, 4
#: elements of a part of a row, at most and at least; what of whole runs of memory is a part as it is
MOST, LEAST, LEAST_RUN = 1 << 13, 1 << 10, 64
#: rows that are enough for all blocks, and the longest that a block holds; one of fewer rows that is cut
ENOUGH, HELD, LEAST_LONG = 264, 1 << 15, 1 << 12
#: why the parts are stored
REASON = "moments of parts that stay in registers"


@dataclass(frozen=True)
class Cut:
    """How what is reduced lies in parts: its axes in this order, the reduced ones first for columns or last
    for rows, and so many parts of so many elements each."""

    order: tuple[int, ...]
    reduced: int  # axes
    columns: bool
    parts: int
    each: int


@dataclass(frozen=True)
class Difference:
    """What a sum is of: x - centre, in a wider type, squared or not."""

    x: Node
    centre: Node
    dtype: DType
    squared: bool


@rewrite_pass("moments in parts")
def moments_in_parts(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same results, with sums of differences from means, and the sums of these means, in parts."""
    lying = Lying()
    cuts: dict[Node, Cut] = {}
    for node in walk(roots):
        difference = _difference(node)
        totals = [] if difference is None else _totals(difference, node)
        found = _cut_of(node, difference.x, lying) if difference is not None and totals else None
        if found is not None:
            cuts |= dict.fromkeys([node, *totals], found)
    if not cuts:
        return roots

    def change(made: Node, node: Node) -> Node:
        if node not in cuts:
            return made
        difference = _difference(made)
        if difference is None:
            return _total(made, cuts[node])
        return _moment(made, difference, cuts[node])

    return changed(roots, change)


@rewrite_pass("totals from distances")
def totals_from_distances(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same results, where the sum of x is made of the sum of its distances from a centre that is finite,
    if there is such a sum: x is read once for both. A variance of very many elements has one."""
    distances: dict[tuple[Node, tuple[int, ...]], tuple[Node, Difference]] = {}
    for node in walk(roots):
        difference = _difference(node)
        if difference is not None and not difference.squared and _is_finite(difference.centre):
            distances[difference.x, _axes(node)] = node, difference
    if not distances:
        return roots

    def change(made: Node, node: Node) -> Node:
        found = None
        if node.op is Op.REDUCE and node.arg[0] == ADD:
            found = distances.get((node.src[0], _axes(node)))
        if found is None or node in found[1].centre.toposort():
            return made
        distance, difference = found
        centre = reshaped(difference.centre, distance.shape).cast(distance.dtype)
        count = full(float(difference.x.size // max(node.size, 1)), centre)
        return _as_before(distance + count * centre, node)

    return changed(roots, change)


def _is_finite(centre: Node) -> bool:
    """Is it c where |c| < inf, else 0?"""
    while centre.op in (Op.RESHAPE, Op.CAST):
        centre = centre.src[0]
    if centre.op is not Op.WHERE:
        return False
    inside, value, other = centre.src
    below = inside.op is Op.LT and inside.src[0].op is Op.ABS and inside.src[0].src[0] is value
    return below and _is_constant(inside.src[1], inf) and _is_constant(other, 0)


def _is_constant(node: Node, number: float) -> bool:
    constant = constant_of(node)
    return constant is not None and constant.arg == number


def _difference(node: Node) -> Difference | None:
    if node.op is not Op.REDUCE or node.arg[0] != ADD:
        return None
    value = node.src[0]
    squared = value.op is Op.MUL and value.src[0] is value.src[1]
    value = value.src[0] if squared else value
    taken = below_casts(value)
    if taken.op is not Op.SUB or taken.src[1].op is not Op.EXPAND or not taken.dtype.is_float:
        return None
    x, off = taken.src
    return Difference(x, off.src[0], value.dtype, squared) if off.src[0].size == node.size else None


def _totals(difference: Difference, node: Node) -> list[Node]:
    """The sums of the same elements that the centre is made of."""
    return [
        n
        for n in difference.centre.toposort(lambda n: n.size == node.size)
        if n.op is Op.REDUCE and n.arg[0] == ADD and n.src[0] is difference.x and _axes(n) == _axes(node)
    ]


def _axes(node: Node) -> tuple[int, ...]:
    return tuple(sorted(node.arg[1]))


def _cut_of(node: Node, x: Node, lying: Lying) -> Cut | None:
    axes = _axes(node)
    kept = tuple(a for a in range(len(x.shape)) if a not in axes)
    innermost, length = lying.innermost(x), x.size // max(node.size, 1)
    if innermost is None or x.size * below_casts(x).dtype.itemsize < LARGE:
        return None
    if innermost not in axes:
        each = rows_of_part(length, LEAST_ROWS) or ROWS
        parts = length // each
        return Cut((*axes, *kept), len(axes), True, parts, each) if parts >= LEAST_PARTS else None
    if length <= (HELD if node.size >= ENOUGH else LEAST_LONG):
        return None
    run = prod(x.shape[a] for a in range(max(kept, default=-1) + 1, len(x.shape)))
    if run < LEAST_RUN:
        return None
    each = run if run <= MOST else next((n for n in range(MOST, LEAST, -1) if run % n == 0), MOST // 2)
    return Cut((*kept, *axes), len(axes), False, length // each, each)


def rows_of_part(length: int, least: int) -> int:
    """Rows of a part of columns, of which there is a whole number; 0 if no number of them goes."""
    return next((n for n in range(ROWS, least - 1, -1) if length % n == 0), 0)


def _in_parts(value: Node, found: Cut) -> tuple[Node, Node | None]:
    """(.., parts, each) or (parts, each, ..), and what fills no part."""
    rows = permuted(value, found.order)
    shape = rows.shape
    if found.columns:
        rows = reshaped(rows, (prod(shape[: found.reduced]), *shape[found.reduced :]))
        return cut(rows, 0, found.parts, found.each)
    axis = len(shape) - found.reduced
    rows = reshaped(rows, (*shape[:axis], prod(shape[axis:])))
    return cut(rows, axis, found.parts, found.each)


def _summed(value: Node, axis: int) -> Node:
    return reduced(value, ADD, (axis,))


def _stored(node: Node) -> Node:
    return make(Op.CONTIGUOUS, node.dtype, (node,), REASON)


def _total(total: Node, found: Cut) -> Node:
    main, rest = _in_parts(total.src[0], found)
    axis = 0 if found.columns else len(main.shape) - 2
    made = _summed(_stored(_summed(main, axis + 1)), axis)
    if rest is not None:
        made = made + _summed(rest, axis)
    return _as_before(made, total)


def _moment(moment: Node, difference: Difference, found: Cut) -> Node:
    main, rest = _in_parts(difference.x, found)
    axis = 0 if found.columns else len(main.shape) - 2
    sums = _stored(_summed(main, axis + 1))
    mean = sums.alu(Op.DIV, full(float(found.each), sums))
    apart = (main - along(mean, axis + 1, main.shape)).cast(difference.dtype)
    first = _stored(_summed(apart, axis + 1))
    kept = tuple(n for a, n in enumerate(mean.shape) if a != axis)
    centre = reshaped(difference.centre, kept)
    shift = (mean - along(centre, axis, mean.shape)).cast(difference.dtype)
    many = full(float(found.each), shift)
    if difference.squared:
        second = _stored(_summed(apart * apart, axis + 1))
        made = _summed(second + (first + first + many * shift) * shift, axis)
    else:
        made = _summed(first + many * shift, axis)
    if rest is not None:
        left = (rest - along(centre, axis, rest.shape)).cast(difference.dtype)
        made = made + _summed(left * left if difference.squared else left, axis)
    return _as_before(made, moment)


def _as_before(made: Node, node: Node) -> Node:
    return reshaped(made.cast(node.dtype), node.shape)
