"""Elementwise ops of whole tensors simplified by the laws of scalars.

    (x + 0) * 1 - x  of integers   ->  0 everywhere
    where(iota < 10, x, y)         ->  x, where iota ends before 10

What holds for each element holds for the tensor. So an elementwise op, with the elementwise ops right below
it, becomes a scalar expression in which stand-ins take the place of tensors; `graph.symbolic` simplifies it
by rules that are proved; and if that leaves less to compute, it is written back in tensor terms.
"""

from __future__ import annotations

from ..graph.constants import constant_of, everywhere
from ..graph.node import Node, make
from ..graph.ops import ELEMENTWISE, Op
from ..graph.rules.symbolic import simplify
from .facts import Facts

#: simplified expressions that are kept: programs repeat a few dozen
_MOST_KEPT = 4096
_kept: dict[Node, Node] = {}


def by_scalar_laws(node: Node, facts: Facts) -> Node | None:
    """An elementwise op with less to compute, or None."""
    meaning: dict[Node, Node] = {}
    scalars: dict[Node, Node] = {}
    operands = [_scalar(source, 1, facts, scalars, meaning) for source in node.src]
    expression = make(node.op, node.dtype, tuple(operands), node.arg)
    simple = _simplified(expression)
    if simple is expression or _size(simple) >= _size(expression):
        return None
    return _tensor(simple, meaning, node)


def _scalar(
    node: Node, levels: int, facts: Facts, scalars: dict[Node, Node], meaning: dict[Node, Node]
) -> Node:
    """The scalar for a tensor: a constant, an op over scalars for as many levels, or a stand-in, whose
    meaning is noted."""
    found = scalars.get(node)
    if found is None:
        constant = constant_of(node)
        if constant is not None:
            found = constant
        elif levels and node.op in ELEMENTWISE:
            sources = [_scalar(source, levels - 1, facts, scalars, meaning) for source in node.src]
            found = make(node.op, node.dtype, tuple(sources), node.arg)
        else:
            found = facts.stand_in(node, len(meaning))
            meaning[found] = node
        scalars[node] = found
    return found


def _simplified(expression: Node) -> Node:
    found = _kept.get(expression)
    if found is None:
        found = simplify(expression)
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[expression] = found
    return found


def _size(expression: Node) -> int:
    """Ops that are computed."""
    return sum(node.op in ELEMENTWISE for node in expression.toposort())


def _tensor(simple: Node, meaning: dict[Node, Node], like: Node) -> Node | None:
    """A scalar expression in tensor terms, of the shape of `like`; None if it is more than elementwise."""
    made: dict[Node, Node] = dict(meaning)
    for node in simple.toposort(lambda n: n not in meaning):
        if node.op is Op.CONST:
            made[node] = everywhere(node, like.shape)
        elif node.op in ELEMENTWISE:
            made[node] = make(node.op, node.dtype, tuple([made[s] for s in node.src]), node.arg)
        else:
            return None
    return made[simple]
