"""Results stored in the order in which products read them: the heads of attention lie side by side.

    (heads @ v) of (batch, head, length, width), then permuted to (batch, length, head, width) and reshaped
        -> the result stored as (batch, length, head, width), of which all other readers see the old order

A product whose factor lies in memory as a matrix has it copied in boxes (TMA), and blocks without a tile of
it help the others (stream-K). The result of attention is no matrix for the layer behind it, unless its heads
lie side by side. To the kernel that writes it the order is the same, as long as the last axis stays the last.
"""

from __future__ import annotations

from ...graph.node import Node, make, walk
from ...graph.ops import ELEMENTWISE, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ...transform.terms import permuted
from .product import chain_of, factors_of, product_of


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes one."""
    return tuple([order.index(axis) for axis in range(len(order))])


def stored_order(node: Node, readers: dict[Node, list[Node]]) -> tuple[int, ...] | None:
    """The order in which a reader of it has a value stored, if one of several has."""
    above = [r for r in readers[node] if r.op is Op.PERMUTE and _is_stored(r, readers)]
    return above[0].arg if above else None


def stored_once(node: Node) -> Node:
    """What is stored in an order in which it is stored already, as that."""
    if node.op is not Op.CONTIGUOUS or node.src[0].op is not Op.PERMUTE:
        return node
    back = node.src[0].src[0]
    undone = back.op is Op.PERMUTE and back.arg == inverse(node.src[0].arg)
    return back.src[0] if undone and back.src[0].op is Op.CONTIGUOUS else node


def _is_stored(node: Node, readers: dict[Node, list[Node]]) -> bool:
    return [above.op for above in readers[node]] == [Op.CONTIGUOUS]


@rewrite_pass("results as products read them")
def results_turned(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same results, with some values between products in another order in memory."""
    orders: dict[Node, set[tuple[int, ...]]] = {}
    for node in walk(roots):
        for factor in factors_of(node) or ():
            chain = chain_of(factor)
            if len(chain) > 1 and _keeps_last(chain[-2]) and _is_computed(chain[-1]):
                orders.setdefault(chain[-1], set()).add(chain[-2].arg if _gains(node) else ())
    turned = {source: order for source, (order, *more) in orders.items() if order and not more}

    def change(made: Node, node: Node) -> Node:
        order = turned.get(node)
        if order is None:
            return made
        stored = make(Op.CONTIGUOUS, made.dtype, (permuted(made, order),), "a product reads it as a matrix")
        return permuted(stored, inverse(order))

    return changed(roots, change) if turned else roots


def _keeps_last(node: Node) -> bool:
    return node.op is Op.PERMUTE and bool(node.arg[-1] == len(node.arg) - 1)


def _is_computed(node: Node) -> bool:
    """Is it the result of a product, perhaps with something done to it?"""
    while node.op in ELEMENTWISE:
        node = max(node.src, key=lambda s: s.size)
    return factors_of(node) is not None


def _gains(node: Node) -> bool:
    """Is it a product of two matrices but for the order of a factor, whose last axis stays the last?"""
    sizes = product_of(node)
    return sizes is not None and sizes.batches == 1 and not sizes.matrices
