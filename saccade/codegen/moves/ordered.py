"""Which output loops have to run in order, and which may be split over threads.

total[o, h] = total[o, h - 1] + x[o, h]          h runs in order, o need not
out[o, place[o, h]] = h  where 0 <= place < n    the same: rows of n places lie apart
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from ...graph.kernels.kernel import Kernel, is_update, range_size
from ...graph.node import Node, is_const
from ...graph.ops import Op
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import bounds, coefficient_of


def sequential_axes(kernel: Kernel) -> set[Node]:
    """Loops whose iterations must run in order: those of running reductions and of stores that may hit one
    place twice."""
    axes = {n.src[-1] for n in kernel.nodes if n.op is Op.PREFIX}
    for node in kernel.sink.src:
        if is_update(node):
            loose = {r for r in kernel.order if coefficient_of(node.src[1], r) in (None, 0)}
            axes |= loose - _apart(node) if loose else loose
    return axes


def _apart(store: Node) -> set[Node]:
    """Loops whose iterations store to places of their own. An index is read as digits, smallest step first:
    with c r + s place + t q and 0 <= c r < s, r is what is left of s; so it is of any number of unknown
    digits, if all their steps are multiples of more than what the smaller ones reach. q is known too if
    s place is known to be smaller than t.

    p[r + place 1001] for r < 1001      r is apart, whatever the places are
    """
    digits = sorted(affine(store.src[1])[0].items(), key=lambda digit: digit[1])
    known: set[Node] = set()
    span = 1
    while digits:
        term, step = digits[0]
        size = range_size(term) if term.op is Op.RANGE else _extent(store.src[3], term)
        if size is None or step < span:
            break
        span += step * (size - 1)
        if term.op is Op.RANGE:
            known.add(term)
        digits.pop(0)
    return known if not digits or gcd(*(step for _, step in digits)) >= span else set()


def conjuncts(condition: Node) -> list[Node]:
    """What a condition is the conjunction of, in order."""
    found = []
    stack = [condition]
    while stack:
        part = stack.pop()
        if part.op is Op.AND:
            stack += part.src[::-1]
        else:
            found.append(part)
    return found


def _extent(valid: Node, place: Node) -> int | None:
    """n where a condition says 0 <= place < n, else None."""
    end, positive = None, False
    for part in conjuncts(valid):
        if part.op is Op.LT and part.src[0] is place and is_const(part.src[1]):
            end = int(part.src[1].arg)
        elif part.op is Op.LT and part.src[1] is place and is_const(part.src[0]):
            positive = part.src[0].arg >= -1
    return end if positive else None


def limits_of(condition: Node) -> dict[Node, tuple[float, float]]:
    """The values that a condition allows to what it compares with constants, least and most."""
    found: dict[Node, tuple[float, float]] = {}
    for part in conjuncts(condition):
        if part.op is Op.LT:
            small, large = part.src
            if large.op is Op.CONST:
                low, high = found.get(small, bounds(small))
                found[small] = low, min(high, large.arg - 1)
            elif small.op is Op.CONST:
                low, high = found.get(large, bounds(large))
                found[large] = max(low, small.arg + 1), high
    return found


def reach(term: Node, limits: Mapping[Node, tuple[float, float]]) -> tuple[float, float]:
    """The least and the most of a number where its limits hold, or those of what it is a quotient of."""
    if term.op is Op.IDIV and term.src[0] in limits and is_const(term.src[1]) and term.src[1].arg > 0:
        low, high = limits[term.src[0]]
        return low // term.src[1].arg, high // term.src[1].arg
    return limits.get(term, bounds(term))
