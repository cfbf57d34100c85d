"""Sums of several products at once become sums of one product each, which have forms that are made for them.

    add(a * b + c * d over k)  ->  add(a * b over k) + add(c * d over k)

What flows back to an input of two layers is such a sum, where both multiply the same broadcast of it. A tile
of registers has one pair of factors; without one, each multiplication takes two loads.
"""

from __future__ import annotations

from functools import reduce

from ...graph.forms import LEAST_SUM, LEAST_WORK
from ...graph.monoid import ADD
from ...graph.node import Node, make
from ...graph.ops import Op
from ...graph.rewriting.passes import Roots, rewrite_pass
from ...graph.rewriting.rewrite import changed
from .product import casts_and_below, product_of

#: products in one sum
MOST_TERMS = 16


@rewrite_pass("sums of products apart")
def products_apart(roots: Roots) -> Roots:
    """The same results, with a reduction for each large product that another one adds up with others."""
    return changed(roots, lambda made, _: _apart(made))


def _apart(node: Node) -> Node:
    if node.op is not Op.REDUCE or node.arg[0] != ADD:
        return node
    casts, below = casts_and_below(node.src[0])
    if below.op is not Op.ADD:
        return node
    parts = [_reduced(term, casts, node) for term in _terms(below)]
    return reduce(lambda a, b: a.alu(Op.ADD, b), parts) if all(map(_is_large, parts)) else node


def _terms(node: Node) -> list[Node]:
    """What is added up, in its order; the node itself where that is too much."""
    terms, waiting = [], [node]
    while waiting:
        term = waiting.pop()
        if term.op is Op.ADD:
            waiting += term.src[::-1]
        else:
            terms.append(term)
        if len(terms) + len(waiting) > MOST_TERMS:
            return [node]
    return terms


def _reduced(term: Node, casts: list[Node], like: Node) -> Node:
    """The reduction of a term that is cast as the sum was."""
    for cast in reversed(casts):
        term = term.cast(cast.dtype)
    return make(Op.REDUCE, like.dtype, (term,), like.arg)


def _is_large(node: Node) -> bool:
    sizes = product_of(node)
    return (
        sizes is not None
        and min(sizes.m, sizes.n) > 1
        and sizes.k >= LEAST_SUM
        and sizes.multiplications >= LEAST_WORK
    )
