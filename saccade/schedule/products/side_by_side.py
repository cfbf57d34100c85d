"""Products that are padded to one result are stored side by side, each by a kernel of its own.

    PAD(dq) + PAD(dk) + PAD(dv)  ->  CAT(dq, dk, dv)        slopes of the parts of one value, in memory

Each place of such a sum is a place of one part. As a map, it would ask everywhere for all of them, and make
one of the products inside of its conditions. The slopes of queries, keys and values that were one product are
so.
"""

from __future__ import annotations

from ...graph.node import Node, make
from ...graph.ops import ELEMENTWISE, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from .product import chain_of, factors_of

#: multiplications of a product that is worth a kernel of its own
LEAST_WORK = 1 << 20
#: parts of a result
MOST_PARTS = 32


@rewrite_pass("products side by side")
def products_beside(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same results, with sums of products that are padded to places of their own stored as CATs."""

    def change(made: Node, _: Node) -> Node:
        return _beside(made) if made.op is Op.ADD else made

    return changed(roots, change)


def _beside(node: Node) -> Node:
    """A sum of paddings as a CAT, if it is one of products."""
    terms = _terms(node)
    axes = {axis for pad in terms for axis, amounts in enumerate(pad.arg) if any(amounts)}
    if len(axes) != 1 or not all(_is_product(pad.src[0]) for pad in terms):
        return node
    (axis,) = axes
    parts, end = [], 0
    for pad in sorted(terms, key=lambda pad: int(pad.arg[axis][0])):
        if pad.arg[axis][0] != end:
            return node
        parts.append(pad.src[0])
        end += parts[-1].shape[axis]
    return make(Op.CAT, node.dtype, tuple(parts), axis) if end == node.shape[axis] else node


def _terms(node: Node) -> list[Node]:
    """What is added up, if that is a few paddings."""
    terms: list[Node] = []
    waiting = [node]
    while waiting and len(terms) < MOST_PARTS:
        term = waiting.pop()
        if term.op is Op.ADD:
            waiting += term.src
        elif term.op is Op.PAD:
            terms.append(term)
        else:
            return []
    return [] if waiting else terms


def _is_product(node: Node) -> bool:
    """Is it a large product, perhaps in another shape and with something done to it?"""
    while (node := chain_of(node)[-1]).op in ELEMENTWISE:
        node = max(node.src, key=lambda s: s.size)
    return factors_of(node) is not None and node.src[0].size >= LEAST_WORK
