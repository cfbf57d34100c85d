"""The slope of a softmax by its weights, as a person would write it.

    w = e / total,  e = exp(s - max)                            forward
    (g / total - sum_j g_j w_j / total) * e                     what differentiating that gives
        -> w * (g - sum_j g_j w_j)

Forward stores the weights anyway. Written so, backward reads nothing else of the softmax: exponentials and
totals stay inside of the kernel that makes the weights, and that is one kernel.
"""

from __future__ import annotations

from ...graph.monoid import ADD
from ...graph.node import Node, make
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ...transform.terms import expanded, reduced, reshaped
from .online import reduced_axis, softmax_of


@rewrite_pass("slopes of softmaxes by their weights")
def slopes_by_weights(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same results, with the slope of every softmax made of its weights."""

    def change(made: Node, _: Node) -> Node:
        found = slope_of(made)
        if found is None:
            return made
        weights, _, axis, slope = found
        shape = weights.shape
        row = reduced(slope.alu(Op.MUL, weights), ADD, (axis,))
        row = expanded(reshaped(row, (*shape[:axis], 1, *shape[axis + 1 :])), shape)
        return weights.alu(Op.MUL, slope.alu(Op.SUB, row))

    return changed(roots, change)


def slope_of(node: Node) -> tuple[Node, Node, int, Node] | None:
    """w, its scores, their axis, and g of (g / total + c) * e, where c is the sum over a row of
    -(g * w / total)."""
    if node.op is not Op.MUL or not node.dtype.is_float:
        return None
    for factor, exponentials in (node.src, node.src[::-1]):
        if factor.op is not Op.ADD or exponentials.op is not Op.EXP:
            continue
        for quotient, row in (factor.src, factor.src[::-1]):
            if quotient.op is not Op.DIV:
                continue
            g, total = quotient.src
            weights = make(Op.DIV, node.dtype, (exponentials, total))
            found = softmax_of(weights)
            if found is None:
                continue
            for pair in ((g, weights), (weights, g)):
                each = make(Op.DIV, node.dtype, (make(Op.MUL, node.dtype, pair), total))
                if reduced_axis(row, ADD, make(Op.NEG, node.dtype, (each,))) == found[1]:
                    return weights, *found, g
    return None
