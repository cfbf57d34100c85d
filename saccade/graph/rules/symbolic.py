"""Symbolic arithmetic: index expressions and masks over ranges, made simple.

    >>> simplify((r0 * 56 + r1) // 56) is r0
    True
    >>> simplify_with((r - 1) % 56, (0 < r) & (r < 57))          # r - 1

What comes in is any expression in kernel terms, from an index to a whole SINK; what goes out has the same
value. The rules are in three tables (`integer`, `logic`, `value`); every integer law in
them is proved by `prove`. Intervals are in `bounds`, sums in `sums`. This module is the door: import from
here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..node import Node, const, make, own_ranges
from ..ops import Op
from . import integer, logic, value  # noqa: F401  importing them fills the table
from .bounds import Assumed, Interval, bounds
from .logic import connected, limits
from .simplifier import SYMBOLIC_RULES, SymbolicRule, simplifies, simplify
from .sums import Affine, Terms, affine, build, coefficient_of, position


def simplify_with(node: Node, valid: Node) -> Node:
    """The value of `node` where the bool `valid` holds, simplified; elsewhere the result may be anything.

    Each conjunct `low <= e` or `e <= high` narrows the interval of e. The expression is rewritten in terms
    of a new variable that stands for e and has that interval, simplified, and written back.
    """
    return _simple_where(simplify(node), simplify(valid))


@lru_cache(maxsize=1024)  # half of all loads have the place and the mask of another one
def _simple_where(node: Node, valid: Node) -> Node:
    parts = _outside_loads(node)
    for e, (low, high) in _narrowed(valid).items():
        if e.ranges & node.ranges or e in parts:
            # a loop inside has its own values of its range, of which the mask says nothing
            if e.ranges & _looped_over(parts):
                continue
            simple = _simplify_knowing(node, parts, e, low, high)
            if simple is not node:
                node, parts = simple, _outside_loads(simple)
    return node


def _outside_loads(node: Node) -> dict[Node, None]:
    """The nodes of a value, in no order, its loads but not what is below those, which stays as it is (see
    `_is_simpler`): places that were themselves fetched, five deep, took a second for what was then given up.
    """
    found, stack = {node: None}, [node]
    while stack:
        top = stack.pop()
        if top.op is not Op.LOAD:
            for source in top.src:
                if source not in found:
                    found[source] = None
                    stack.append(source)
    return found


def _looped_over(parts: Iterable[Node]) -> set[Node]:
    """The ranges that loops among the nodes of a value run over."""
    loops = [n for n in parts if n.op in _LOOPS]
    return {r for n in loops for r in (n.src[-1:] if n.op is Op.PREFIX else own_ranges(n))}


_LOOPS = frozenset({Op.FOLD, Op.STAGE, Op.PREFIX})


def _narrowed(valid: Node) -> dict[Node, tuple[int, int]]:
    """The intervals of the expressions that a mask tests."""
    found: dict[Node, tuple[int, int]] = {}
    for part in connected(valid, Op.AND):
        test = limits(part)
        if test is None:
            continue
        e, low, high = test
        known = found.get(e) or bounds(e)
        found[e] = (
            int(known[0]) if low is None else max(low, int(known[0])),
            int(known[1]) if high is None else min(high, int(known[1])),
        )
    return {e: (low, high) for e, (low, high) in found.items() if low <= high}


def _simplify_knowing(node: Node, parts: dict[Node, None], e: Node, low: int, high: int) -> Node:
    """Simplify a node, with those it is made of, where low <= e <= high: a term t of e = t + rest becomes
    (variable - rest), and back."""
    terms, constant = affine(e)
    if len(terms) == 1 and constant == 0:
        ((lead, factor),) = terms.items()
        low, high = (-(-low // factor), high // factor) if factor > 0 else (-(-high // factor), low // factor)
        meaning, rest = lead, None
    else:
        lead = next((t for t, c in terms.items() if abs(c) == 1), e)
        if lead is e:
            return node
        meaning, factor = e, terms[lead]
        rest = build({t: c for t, c in terms.items() if t is not lead}, constant, e.dtype)
    if low > high or lead not in parts:
        return node
    variable = make(Op.RANGE, e.dtype, (const(high + 1, e.dtype),), Assumed(low, high, *position(meaning)))
    solved = variable if rest is None else (variable - rest) * factor
    mapping = {n: n for n in parts if n.op is Op.LOAD}
    mapping[lead] = solved
    simple = simplify(simplify(node.substitute(mapping)).at({variable: meaning}))
    return simple if simple is not node and _is_simpler(simple, node) else node


def _is_simpler(simple: Node, node: Node) -> bool:
    """Is it no larger than a node, with the same loops and loads as it has?

    A loop that ends at a computed value is the loop it is, whatever is known of its end here. A load happens
    where the mask does not hold too, so it keeps a mask of its own.
    """
    if not simple.ranges <= node.ranges:
        return False
    new, old = simple.toposort(), node.toposort()
    return len(new) <= len(old) and {n for n in new if n.op is Op.LOAD} <= {n for n in old if n.op is Op.LOAD}


@simplifies(
    Op.LOAD, Op.STORE,
    laws=("load(where(p, i, j), p) -> load(i, p)", "store(where(p, i, j), x, p) -> store(i, x, p)"),
)  # fmt: skip
def index_where_valid(node: Node) -> Node | None:
    """A masked access only needs its index where the mask holds."""
    if len(node.src) != (3 if node.op is Op.LOAD else 4):
        return None
    memory, index, *rest = node.src
    simple = simplify_with(index, rest[-1])
    return None if simple is index else make(node.op, node.dtype, (memory, simple, *rest), node.arg)


__all__ = [
    "SYMBOLIC_RULES",
    "Affine",
    "Interval",
    "SymbolicRule",
    "Terms",
    "affine",
    "bounds",
    "coefficient_of",
    "simplify",
    "simplify_with",
]
