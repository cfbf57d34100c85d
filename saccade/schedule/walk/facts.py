"""What is known of all nodes before anybody asks for one: of nodes listed sources first, in one go each.

sums_of_products    sums of products, and what is made of one with constants alone
memories_below      the memories that a value is made from
fetched_too_deep    gathers that are stored, so that no kernel has too many loads in a row
nodes_with_folds    values with a reduction in them
"""

from __future__ import annotations

from ...graph.node import Node
from ...graph.ops import MOVEMENT, Op
from ...transform.lying import memory_of
from ..limits import MOST_LOADS, MOST_SEARCHED, SEARCHED
from ..products.product import factors_of

#: memories of a value that are worth telling apart
FEW_MEMORIES = 4

ALWAYS_STORED = {
    Op.CONTIGUOUS: "asked for",
    Op.COPY: "moves between devices",
    Op.SCAN: "a running reduction needs its axis in order",
    Op.SORT: "sorting needs whole rows",
    Op.SCATTER: "writes go where the index says",
    Op.CAT: "many values side by side are written to their places",
}


def sums_of_products(order: list[Node]) -> frozenset[Node]:
    """Sums of products of two factors, as they are or after ops that take nothing else but constants; of
    nodes listed sources first."""
    constant: set[Node] = set()
    found: set[Node] = set()
    for node in order:
        if node.op is Op.CONST or (node.op in MOVEMENT and node.src[0] in constant):
            constant.add(node)
        elif node.op is Op.REDUCE:
            if factors_of(node) is not None:
                found.add(node)
        elif node.src:
            varying = [s for s in node.src if s not in constant]
            if len(varying) == 1 and varying[0] in found:
                found.add(node)
    return frozenset(found)


def memories_below(order: list[Node]) -> dict[Node, frozenset[Node] | None]:
    """The memories that nodes, listed sources first, are made from; None where they are more than a few, and
    none at all for what depends on positions alone."""
    found: dict[Node, frozenset[Node] | None] = {}
    for node in order:
        is_memory = node.op is Op.BUFFER or node.op is Op.PARAM
        below: frozenset[Node] | None = frozenset([node] if is_memory else ())
        for source in node.src:
            more = found[source]
            below = None if below is None or more is None else below | more if more else below
        if below is None or below:
            if node.op in ALWAYS_STORED:
                below = frozenset([node])
            elif below is not None and len(below) > FEW_MEMORIES:
                below = None
        found[node] = below
    return found


def fetched_too_deep(order: list[Node]) -> frozenset[Node]:
    """The gathers, of nodes listed sources first, that are stored so that no kernel has too many loads in a
    row. What is fetched from a computed source is computed at the fetched place: `x = x.gather(0, x)` twice
    as deep with each step. What is fetched from memory is one load more."""
    loads: dict[Node, int] = {}
    stored: set[Node] = set()
    for node in order:
        below = [loads[s] for s in node.src]
        if node.op is Op.GATHER:
            loads[node] = sum(below)
            searched = below[0] == 1 and memory_of(node.src[0]) <= SEARCHED
            if loads[node] > (MOST_SEARCHED if searched else MOST_LOADS):
                stored.add(node)
                loads[node] = 1
        elif node.op in ALWAYS_STORED or node.op is Op.BUFFER or node.op is Op.PARAM:
            loads[node] = 1
        else:
            loads[node] = max(below, default=0)
    return frozenset(stored)


def nodes_with_folds(order: list[Node]) -> frozenset[Node]:
    """The nodes with a reduction in or below them that is not stored in between, of nodes listed sources
    first."""
    found: set[Node] = set()
    for node in order:
        if node.op in ALWAYS_STORED:
            continue
        if node.op is Op.REDUCE or node.op is Op.TOPK or any(s in found for s in node.src):
            found.add(node)
    return frozenset(found)
