"""What functions under `grad` compute along the way: graphs of values that were realised in them.

A function may look at values (`if loss.item() > 1`). What is realised becomes memory, and memory has no graph
behind it; a tape keeps the graph, so that gradients find the way back.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from threading import local
from types import TracebackType
from typing import Final

from ...graph.node import Node, make, walk
from ...graph.ops import Op
from ..build import reshape

_numbers: Final = count()


class Tape:
    """Arguments that gradients are wanted of, and the past of what was realised since, in this thread."""

    def __init__(self) -> None:
        self.marks: dict[Node, Node] = {}
        self.past: dict[Node, Node] = {}

    def mark(self, node: Node) -> Node:
        """The value of an argument as a node of its own: others that have the same memory are others."""
        made = make(Op.CONTIGUOUS, node.dtype, (node,), f"argument {next(_numbers)} of grad")
        self.marks[made] = node
        return made

    def remember(self, nodes: Sequence[Node], made: Sequence[Node]) -> None:
        """These nodes were realised as those."""
        for node, realised in zip(nodes, made, strict=True):
            memory = realised if realised.op is Op.BUFFER else realised.src[0]
            if node is realised or memory in self.past:
                continue
            if self.concerns(node):
                self.past[memory] = reshape(node, (node.size,))

    def concerns(self, node: Node) -> bool:
        """Is it made of an argument?"""
        return any(part in self.marks or part in self.past for part in walk((node,)))

    def unmarked(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes with arguments as they are."""
        return [node.substitute(dict(self.marks)) for node in nodes]

    def __enter__(self) -> Tape:
        tapes.open = (*tapes.open, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        tapes.open = tapes.open[:-1]


class _Local(local):
    open: tuple[Tape, ...] = ()


#: of this thread, outermost first
tapes: Final = _Local()
