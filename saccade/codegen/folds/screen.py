"""A cheap bound for squared distances, good enough to tell which elements of a top-k cannot matter.

    key     sum over d of (a_d - b_d)^2               a belongs to the row, b to the element
    bound   |b|^2 - 2 a.b                             the key less |a|^2, in half the operations

Both are rounded, so the bound comes with a *slack*: an element whose bound exceeds those of k others by more
than the slack has a larger key than they have, and that for the keys as they are computed. With u = 2^-24, d
dimensions, A = |a|^2 and B the largest |b|^2 (all after the first element's b was subtracted from a and b,
which keeps points far from the origin apart):

    the shift changes the squared distance by at most        4.01 u (A + B)
    |b|^2 and the d fused steps of the bound are off by       d u (3 B + A)
    the key is off by a factor of at most                     1 +- (d + 2) u, of a distance <= 2 (A + B)

so a slack of (10 d + 18) u (A + B) is enough; it is 16 (d + 2) u (A + B), which covers its own rounding, plus
2^-100 for results that underflow. Where A + B is not below 1e36 (or is not a number) the slack is infinite:
then nothing is left out, and nothing overflows otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ...graph import dtypes
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import UNROLL, is_register, range_size
from ...graph.monoid import ADD, MAX
from ...graph.node import Node, const, index_const, make, own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify

#: more coordinates than this gain too little
MOST_DIMENSIONS = 8
#: beyond this the sum of squares might overflow
LARGEST = 1e36


@dataclass(frozen=True)
class Screen:
    """What orders elements as their keys do, up to a slack; no key exceeds bound + slack + offset.

    All in kernel terms; slack and offset belong to the row."""

    bound: Node
    slack: Node
    offset: Node


def has_screen(top: Node) -> bool:
    """Is there a screen for the keys of a top-k?"""
    return not top.arg.wants_larger and _differences(top.src[0], own_ranges(top)[0]) is not None


def screen_of(key: Node, over: Node, lanes: Node, first_axis: int) -> Screen | None:
    """The screen of a key along the range `over`, if it is a sum of squared differences between what belongs
    to the row and what belongs to the element alone. Its tiles' ranges are numbered from `first_axis`.

    |b|^2 is kept once for each of the `lanes` of rows: it is where the sum starts, so it would have to be
    spread over a vector's lanes by an instruction of its own.
    """
    pairs = _differences(key, over)
    if pairs is None:
        return None
    n, dims = range_size(over), len(pairs)
    along = terms.loop(first_axis, n)

    def tile(value: Node, number: int, copies: int = 1) -> Node:
        """A value of the element, kept for all elements."""
        own, copy = terms.loop(number, n), terms.loop(number + 1, copies)
        index, ranges = (own, (own,)) if copies == 1 else (own * copies + copy, (own, copy))
        return terms.stage(value.substitute({along: own}), index, ranges, number, n * copies)

    origin = [simplify(b.substitute({over: index_const(0)})) for _, b in pairs]
    shifted = [b.substitute({over: along}) - o for (_, b), o in zip(pairs, origin, strict=True)]
    places = [tile(value, first_axis + 1 + d) for d, value in enumerate(shifted)]
    squares = _sum_of_squares([terms.load(place, along) for place in places])
    copies = range_size(lanes)
    norms = tile(squares, first_axis + 1 + dims, copies)
    rows = [a - o for (a, _), o in zip(pairs, origin, strict=True)]
    bound = terms.load(norms, over * copies + lanes)
    for row, place in zip(rows, places, strict=True):
        bound = make(Op.FMA, bound.dtype, (row * -2.0, terms.load(place, over), bound))
    farthest = terms.fold(MAX, (terms.load(norms, along * copies),), (along,))
    offset = _sum_of_squares(rows)
    reach = offset + farthest
    slack = reach * (16 * (dims + 2) * 2.0**-24) + 2.0**-100
    slack = (reach < LARGEST).where(slack, const(float("inf"), dtypes.float32))
    return Screen(bound, slack, offset)


def _sum_of_squares(values: list[Node]) -> Node:
    total = values[0] * values[0]
    for value in values[1:]:
        total = make(Op.FMA, value.dtype, (value, value, total))
    return total


def _differences(key: Node, over: Node) -> list[tuple[Node, Node]] | None:
    """The (a, b) of a sum of 2 to MOST_DIMENSIONS (a - b)^2; None if it is anything else."""
    found: list[tuple[Node, Node]] = []
    stack = [key]
    while stack:
        part = stack.pop()
        if part.dtype is not dtypes.float32:
            return None
        parts = part.src if part.op is Op.ADD else _unrolled(part) if part.op is Op.FOLD else ()
        if parts:
            stack += parts[::-1]
            continue
        if part.op is not Op.MUL or part.src[0] is not part.src[1] or part.src[0].op is not Op.SUB:
            return None
        a, b = part.src[0].src
        if over in a.ranges:
            a, b = b, a
        if over in a.ranges or over not in b.ranges or any(is_register(r) for r in b.ranges):
            return None
        found.append((a, b))
    return found if 2 <= len(found) <= MOST_DIMENSIONS else None


def _unrolled(sums: Node) -> tuple[Node, ...]:
    """The elements of a short sum that is straight code; none of any other."""
    own = own_ranges(sums)
    if sums.arg != ADD or len(own) != 1 or own[0].arg.kind != UNROLL:
        return ()
    if prod(map(range_size, own)) > MOST_DIMENSIONS:
        return ()
    places = range(range_size(own[0]))
    return tuple([simplify(sums.src[0].substitute({own[0]: index_const(place)})) for place in places])
