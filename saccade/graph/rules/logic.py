"""Rules for comparisons and masks.

    4*r < 12                -> r < 3
    0 <= r - 1              -> 0 < r
    56*r0 + r1 < 168        -> r0 < 3              when 0 <= r1 < 56
    (r < 5) & (r < 7)       -> r < 5
    (r < 3) & (5 < r)       -> False

A comparison of integers is brought to one form, `positive terms < negative terms + constant`, with a lone
constant on its own side and common factors divided out, so that equal conditions are one node and tests of
one expression can be compared. Both sides have to be exact: integers that may wrap are compared as they
are.
"""

from __future__ import annotations

from ..dtypes import DType, bool_
from ..node import Node, const, is_const, make
from ..ops import Op
from . import sums
from .simplifier import Family, simplifies
from .sums import Terms, affine, build, exact, interval, position


def _difference(node: Node) -> tuple[Terms, int] | None:
    """The left side of a comparison of indices less the right one, if neither can overflow."""
    left, right = (affine(side) for side in node.src)
    dtype = node.src[0].dtype
    return sums.add(left, right, -1) if exact(*left, dtype) and exact(*right, dtype) else None


@simplifies(
    Op.LT, Op.LE, on=Family.INDEX,
    laws=(
        "x <= y -> x < y + 1",
        "x < y -> x - y < 0",
        "a*c < d -> a < -(-d//c) if c > 0",
        "a*g + b < d -> a < q + 1 if g > 0 and (d - 1 - lo(b))//g == q and (d - 1 - hi(b))//g == q",
        "x//n < d -> x < d*n if n > 0",
        "-(x//n) < d -> -x < (d - 1)*n + 1 if n > 0",
        "x//n < y -> x < y*n if n > 0",
    ),
)  # fmt: skip
def order(node: Node) -> Node | None:
    """The canonical form of `<` and `<=` on indices."""
    difference = _difference(node)
    if difference is None:
        return None
    (terms, constant), dtype = difference, node.src[0].dtype
    # the inequality is now: terms < limit
    limit = -constant + (1 if node.op is Op.LE else 0)
    if not terms:
        return const(limit > 0, bool_)
    reduced = (terms, limit)
    while True:
        following = _reduce_inequality(*reduced)
        if following == reduced:
            break
        reduced = following
    return _inequality(*reduced, dtype)


def _reduce_inequality(terms: Terms, limit: int) -> tuple[Terms, int]:
    """One step of `terms < limit` towards smaller terms."""
    g = sums.common_factor(terms)
    if g > 1:
        return ({t: c // g for t, c in terms.items()}, -(-limit // g))
    for g in sorted({abs(c) for c in terms.values()} - {1}, reverse=True):
        small = {t: c for t, c in terms.items() if c % g}
        low, high = interval(small, 0)
        quotient = (limit - 1 - low) // g
        if quotient == (limit - 1 - high) // g:
            return ({t: c // g for t, c in terms.items() if c % g == 0}, quotient + 1)
    if len(terms) == 1:
        ((term, coefficient),) = terms.items()
        if term.op is Op.IDIV and is_const(term.src[1]) and term.src[1].arg > 0 and abs(coefficient) == 1:
            n, (inner, offset) = term.src[1].arg, affine(term.src[0])
            if exact(inner, offset, term.dtype):
                if coefficient == 1:
                    return (inner, limit * n - offset)
                return ({t: -c for t, c in inner.items()}, (limit - 1) * n + 1 + offset)
    return _without_quotient(terms, limit)


def _without_quotient(terms: Terms, limit: int) -> tuple[Terms, int]:
    """A quotient compared with numbers that no loop changes: x//n < y  ->  x < y*n."""
    loops = [(term, factor) for term, factor in terms.items() if term.ranges]
    if len(loops) != 1 or len(terms) == 1:
        return (terms, limit)
    ((quotient, factor),) = loops
    divided = quotient.op is Op.IDIV and is_const(quotient.src[1]) and quotient.src[1].arg > 0
    if factor != 1 or not divided:
        return (terms, limit)
    n, (inner, offset) = int(quotient.src[1].arg), affine(quotient.src[0])
    scaled = {term: factor * n for term, factor in terms.items() if term is not quotient}
    if not exact(inner, offset, quotient.dtype) or not exact(scaled, limit * n, quotient.dtype):
        return (terms, limit)
    return sums.add((inner, offset - limit * n), (scaled, 0))[0], limit * n - offset


def _inequality(terms: Terms, limit: int, dtype: DType) -> Node | None:
    """`terms < limit` as a node, if both sides fit."""
    low, high = interval(terms, 0)
    if high < limit or low >= limit:
        return const(high < limit, bool_)
    positive = {t: c for t, c in terms.items() if c > 0}
    negative = {t: -c for t, c in terms.items() if c < 0}
    sides = ((positive, 0), (negative, limit)) if positive else (({}, -limit), (negative, 0))
    if not all(exact(*side, dtype) for side in sides):
        return None
    return make(Op.LT, bool_, (build(*sides[0], dtype), build(*sides[1], dtype)))


@simplifies(
    Op.EQ, Op.NE, on=Family.INDEX,
    laws=(
        "x == y -> x - y == 0",
        "x != y -> x - y != 0",
        "a*c == b*c -> a == b if c != 0",
        "a*c == d -> False if c > 0 and d % c != 0",
        "a*c != d -> True if c > 0 and d % c != 0",
        "-x == d -> x == -d",
    ),
)  # fmt: skip
def equality(node: Node) -> Node | None:
    """The canonical form of `==` and `!=` on indices."""
    difference = _difference(node)
    if difference is None:
        return None
    (terms, constant), dtype = difference, node.src[0].dtype
    g = sums.common_factor(terms)
    low, high = interval(terms, constant)
    if low > 0 or high < 0 or (constant % g if g else constant):
        return const(node.op is Op.NE, bool_)
    if not terms:
        return const(node.op is Op.EQ, bool_)
    leading = min(terms, key=position)
    factor = g if terms[leading] > 0 else -g
    positive = {t: c // factor for t, c in terms.items() if c // factor > 0}
    negative = {t: -(c // factor) for t, c in terms.items() if c // factor < 0}
    sides = ((positive, 0), (negative, -constant // factor))
    if not all(exact(*side, dtype) for side in sides):
        return None
    return make(node.op, bool_, (build(*sides[0], dtype), build(*sides[1], dtype)))


@simplifies(
    Op.AND, Op.OR, on=Family.BOOL,
    laws=(
        "(p & q) & p -> p & q",
        "(p | q) | p -> p | q",
        "p & ~p -> False",
        "p | ~p -> True",
        "(e < a) & (e < b) -> e < min(a, b)",
        "(a < e) & (b < e) -> max(a, b) < e",
        "(e < a) & (b < e) -> False if b + 1 >= a",
        "(e < a) | (e < b) -> e < max(a, b)",
        "(a < e) | (b < e) -> min(a, b) < e",
        "(e < a) | (b < e) -> True if b < a",
    ),
)  # fmt: skip
def connective(node: Node) -> Node | None:
    """A whole conjunction or disjunction: nothing twice, nothing implied by the rest, in a stable order."""
    op = node.op
    parts = list(dict.fromkeys(connected(node, op)))
    absorbing = op is Op.OR
    present = set(parts)
    for part in parts:
        if part.op is Op.CONST and part.arg == absorbing:
            return part
        if part.op is Op.NOT and part.src[0] in present:
            return const(absorbing, bool_)
    kept = _tightest([p for p in parts if p.op is not Op.CONST], op)
    if kept is None:
        return const(absorbing, bool_)
    if not kept:
        return const(not absorbing, bool_)
    kept.sort(key=position)
    result = kept[0]
    for part in kept[1:]:
        result = make(op, bool_, (result, part))
    return result


def connected(node: Node, op: Op) -> list[Node]:
    """The operands of a tree of one op, left to right."""
    found: list[Node] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if top.op is op and top.dtype.is_bool:
            stack.extend(reversed(top.src))
        else:
            found.append(top)
    return found


def limits(part: Node) -> tuple[Node, int | None, int | None] | None:
    """`(e, low, high)` of a test of e against constant limits; None for other conditions."""
    if part.op is Op.LT:
        left, right = part.src
        if not left.dtype.is_int:
            return None
        if right.op is Op.CONST:
            return (left, None, right.arg - 1)
        if left.op is Op.CONST:
            return (right, left.arg + 1, None)
    elif part.op is Op.EQ and part.src[1].op is Op.CONST and part.src[1].dtype.is_int:
        return (part.src[0], part.src[1].arg, part.src[1].arg)
    return None


def _tightest(parts: list[Node], op: Op) -> list[Node] | None:
    """The tests no other one implies; None when they contradict (AND) or exhaust (OR) each other."""
    best: dict[tuple[Node, bool], tuple[int, Node]] = {}
    others: list[Node] = []
    for part in parts:
        found = limits(part) if part.op is Op.LT else None
        if found is None:
            others.append(part)
            continue
        e, low, high = found
        upper = high is not None
        limit = high if high is not None else low
        assert limit is not None
        kept = best.get((e, upper))
        # of several upper limits AND keeps the least and OR the greatest; of lower limits the other way round
        if kept is None or ((limit < kept[0]) == (upper == (op is Op.AND)) and limit != kept[0]):
            best[e, upper] = (limit, part)
    for (e, upper), (limit, _) in best.items():
        below = best.get((e, False)) if upper else None
        if below is not None and (limit < below[0] if op is Op.AND else below[0] <= limit + 1):
            return None
    return others + [part for _, part in best.values()]


@simplifies(
    Op.NOT,
    on=Family.BOOL,
    laws=(
        "~(x < y) -> y <= x",
        "~(x <= y) -> y < x",
        "~(x == y) -> x != y",
        "~(x != y) -> x == y",
    ),
)
def negate_test(node: Node) -> Node | None:
    """A negated comparison is the opposite one; not for `<` on floats, where NaN is on neither side."""
    test = node.src[0]
    if test.op in (Op.EQ, Op.NE):
        return make(Op.NE if test.op is Op.EQ else Op.EQ, bool_, test.src)
    if test.op in (Op.LT, Op.LE) and not test.src[0].dtype.is_float:
        return make(Op.LE if test.op is Op.LT else Op.LT, bool_, test.src[::-1])
    return None
