"""How values lie in memory: along which axis neighbours are side by side, and what most of them is read from.

One pass over a graph asks this of many nodes, each of which may be at the end of a long chain: what was found
is kept, so that all questions together look at every node once.
"""

from __future__ import annotations

from ..graph.node import Node
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op


class Lying:
    """What a pass has found out."""

    def __init__(self) -> None:
        self._innermost: dict[Node, int | None] = {}
        self._repeated: dict[Node, bool] = {}
        self._largest: dict[Node, Node] = {}

    def innermost(self, root: Node) -> int | None:
        """The axis along which neighbours lie side by side in memory; None where that is not plain to see."""
        for node in root.toposort(self._is_new):
            first = node.src[0]
            if node.op in ELEMENTWISE:
                self._innermost[node] = self._of_several(node.src)
            else:
                self._innermost[node] = _moved(node, self._at(first))
            is_same = node.op is Op.CAST or (node.op in MOVEMENT and node.op is not Op.EXPAND)
            self._repeated[node] = self._repeated.get(first, False) if is_same else node.op is Op.EXPAND
        return self._at(root)

    def _of_several(self, sources: tuple[Node, ...]) -> int | None:
        """The axis of what several values are made into. What is repeated is the smaller memory; where the
        others differ, the last axis counts, along which the result would be stored."""
        for repeated in (False, True):
            found = [self._at(s) for s in sources if self._repeated.get(s, False) is repeated]
            axes = [axis for axis in found if axis is not None]
            if axes:
                return max(axes)
        return None

    def _is_new(self, node: Node) -> bool:
        return (node.op in ELEMENTWISE or node.op in MOVEMENT) and node not in self._innermost

    def _at(self, node: Node) -> int | None:
        if node in self._innermost:
            return self._innermost[node]
        return None if node.op is Op.CONST or node.op is Op.VALUE else _last(node)

    def largest(self, root: Node) -> Node:
        """What a node is computed from, element by element: the part with the most memory."""
        for node in root.toposort(lambda n: n.op in ELEMENTWISE and n not in self._largest):
            parts = [self._largest[s] for s in node.src if s.op in ELEMENTWISE]
            self._largest[node] = max(parts + [s for s in node.src if s.op not in ELEMENTWISE], key=memory_of)
        return self._largest.get(root, root)


def _last(node: Node) -> int | None:
    return next((a for a in reversed(range(len(node.shape))) if node.shape[a] > 1), None)


def _moved(node: Node, axis: int | None) -> int | None:
    """The innermost axis of a movement, from that of its source."""
    source = node.src[0].shape
    if axis is None or source[axis] <= 1:  # a single one has no neighbours, and what is not there none
        return None
    if node.op is Op.PERMUTE:
        return int(node.arg.index(axis))
    if node.op is Op.RESHAPE:
        before = [(a, n) for a, n in enumerate(source) if n > 1]
        after = [(a, n) for a, n in enumerate(node.shape) if n > 1]
        if [n for _, n in before] == [n for _, n in after]:  # axes of 1 came or went
            return after[before.index((axis, source[axis]))][0]
        return _last(node) if axis == before[-1][0] else None
    return axis if node.op in (Op.EXPAND, Op.PAD, Op.SLICE) else None


def memory_of(node: Node) -> int:
    """Elements in memory that a node shows, each counted once however often it is repeated."""
    least = node.size
    while node.op in MOVEMENT:
        node = node.src[0]
        least = min(least, node.size)
    return 0 if node.op is Op.CONST or node.op is Op.VALUE else least
