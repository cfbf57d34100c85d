"""Sums over everything of what is made of whole rows: of every row first, then of the rows.

    sum over i, j of f(x[i, j], max over k of x[i, k])
        ->  s[i] = sum over j of f(x[i, j], max over k of x[i, k]), stored;  sum over i of s[i]

A divergence of two softmaxes is one. In parts of so many elements it would have a team for a few rows, which
makes what it needs to know of these rows in a tile before it adds up. A team that has a row holds it in
registers, and all its reductions are one after the other.

In: a graph. Out: the same values (sums in another order).
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from ...graph.node import Node, make
from ...graph.ops import ELEMENTWISE, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ..lying import Lying
from ..terms import reduced
from .long_totals import HELD

#: elements of a row that is a team's work at least, and rows that keep a card's processors busy
LEAST_ROW, LEAST_ROWS = 32, 256
#: elements that a team would reduce at least
LEAST = 1 << 16


@rewrite_pass("reduce rows first")
def rows_reduced_first(roots: tuple[Node, ...], whole: Collection[Node] = ()) -> tuple[Node, ...]:
    """The same results, with long reductions of what is made of rows in two steps; but those in `whole`."""
    lying = Lying()

    def change(made: Node, node: Node) -> Node:
        if made.op is not Op.REDUCE or node in whole or made.arg[0].elements != 1:
            return made
        monoid, axes = made.arg
        source = made.src[0]
        if source.size < LEAST * max(made.size, 1):
            return made
        rows = _axes_of_rows(source)
        length = prod(source.shape[a] for a in rows)
        if not rows < set(axes) or not LEAST_ROW <= length <= HELD:
            return made
        if source.size < LEAST_ROWS * length * made.size or lying.innermost(source) not in rows:
            return made
        stored = make(Op.CONTIGUOUS, made.dtype, (reduced(source, monoid, tuple(sorted(rows))),), REASON)
        left = [a - sum(r < a for r in rows) for a in axes if a not in rows]
        return reduced(stored, monoid, tuple(left))

    return changed(roots, change)


#: why the reductions of rows are stored
REASON = "a team has a row, and what is made of all of it"


def _axes_of_rows(node: Node) -> frozenset[int]:
    """The axes of what an element of a node is made of as a whole: those that reductions go along whose
    results are repeated along them; none if they differ."""
    near = node.toposort(lambda n: n.op in ELEMENTWISE)
    repeated = {s for n in near for s in n.src if s.op is Op.EXPAND}
    found = {axes for n in repeated if (axes := _reduced_and_repeated(n))}
    return next(iter(found)) if len(found) == 1 else frozenset()


def _reduced_and_repeated(node: Node) -> frozenset[int]:
    """The axes an EXPAND repeats along, if what it repeats is made of reductions as long as they are."""
    below = node.src[0]
    axes = frozenset([a for a, (n, m) in enumerate(zip(below.shape, node.shape, strict=True)) if n < m])
    made = below.toposort(lambda n: n.op in ELEMENTWISE or n.op is Op.RESHAPE)
    length = prod(node.shape[a] for a in axes)
    ends = {s for n in made for s in n.src} | {below}
    reduces = any(n.op is Op.REDUCE and n.src[0].size == length * n.size for n in ends)
    return axes if reduces else frozenset()
