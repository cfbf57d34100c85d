"""The values of a kernel's nodes: what everything that lowers a part of one writes with.

Every value is computed in the innermost open loop it depends on and in no deeper one, once. That single rule
places folds, tiles and loop invariants: while a loop is being written, a value that does not depend on it is
appended to the block around it, which is before it.

Register axes are not loops. A value that depends on a vector axis is a vector; one that depends on unroll
axes exists once per point of them (`Points`). So an 8x16 register tile of a matrix product is eight vectors
here and never 128 nodes.

How a node of each kind is computed is not said here (`compute`): `lower` knows all kinds.
"""

from __future__ import annotations

from itertools import product

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernel import UNROLL, VECTOR, Kernel, range_size
from ...graph.node import Node, make
from ...graph.ops import ELEMENTWISE, Op
from .builder import Emitter, Point, Points, Scope
from .code import Block, Memory


class Values(Emitter):
    """The nodes of one kernel, their memories, and the loops that are open."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self.kernel = kernel
        self.memories: dict[Node, Memory] = {}
        self.scratches: list[Memory] = []
        self.scratch = 0
        self.axes_of: dict[Node, tuple[Node, ...]] = {}
        #: indices with some axes fixed, simplified: see `Address.at`
        self.indices: dict[tuple[Node, tuple[tuple[Node, int], ...]], Node] = {}
        for node in kernel.sink.toposort():
            if node.op is Op.PARAM:
                slot = node.arg.slot
                self.memories[node] = Memory(f"p{slot}", node.dtype, slot)

    def compute(self, node: Node) -> Points:
        """The values of a node that is not there yet, in the innermost open loop."""
        raise NotImplementedError

    def unroll_axes(self, node: Node) -> tuple[Node, ...]:
        """The unroll axes a value depends on, in a fixed order."""
        found = self.axes_of.get(node)
        if found is None:
            axes = [r for r in node.ranges if r.arg.kind == UNROLL]
            found = self.axes_of[node] = tuple(sorted(axes, key=lambda r: r.arg.number))
        return found

    def vector_axis(self, node: Node) -> Node | None:
        return next((r for r in node.ranges if r.arg.kind == VECTOR), None)

    def width(self, node: Node) -> int:
        axis = self.vector_axis(node)
        return 1 if axis is None else range_size(axis)

    def points(self, axes: tuple[Node, ...]) -> list[Point]:
        return list(product(*[range(range_size(a)) for a in axes]))

    def emit(self, node: Node) -> Points:
        """The values of a node, computed where they belong if they are not there yet."""
        if node.op is Op.CONST:
            return Points((), {(): self.literal(node.arg, node.dtype)})
        position = self.home(node)
        scope = self.stack[position]
        found = scope.values.get(node)
        if found is None:
            if node.op in ELEMENTWISE:  # sources first, in a loop: expressions are deeper than Python's stack
                pending = node.toposort(self.is_pending)
                # what meets a sum is computed after it: in registers, it would be in the way of the sum's
                for below in (*folds_in(pending), *pending[:-1]):
                    self.emit(below)
            whole = self.stack
            if position != len(whole) - 1:
                self.stack = before_open_loop(whole, position)
            found = self.compute(node)
            scope.values[node] = found
            if self.stack is not whole:
                splice(whole, position, self.stack[-1].block)
                self.stack = whole
        return found

    def is_pending(self, node: Node) -> bool:
        """Elementwise, and not computed yet."""
        return node.op in ELEMENTWISE and node not in self.stack[self.home(node)].values

    def memory_of(self, node: Node) -> Memory:
        """The buffer, or the tile, which is filled first."""
        if node.op is Op.STAGE:
            self.emit(node)
        return self.memories[node]

    def scratch_memory(self, dtype: DType, size: int) -> Memory:
        """Fast memory of the thread for `size` elements."""
        self.scratch = -(-self.scratch // 64) * 64
        memory = Memory(f"s{len(self.scratches)}", dtype, -1, self.scratch)
        self.scratches.append(memory)
        self.scratch += size * dtype.itemsize
        return memory

    def enter_all(self, loops: list[Node]) -> int:
        for r in loops:
            self.enter(r, self.literal(0, dtypes.index), self.emit(r.src[0]).at[()])
        return len(loops)

    def leave_all(self, depth: int) -> None:
        for _ in range(depth):
            self.leave()

    def keep_components(self, node: Node, components: list[Points]) -> Points:
        """Remember each result of a fold with several, for PROJECT."""
        scope = self.stack[-1]
        for number, points in enumerate(components):
            scope.values[component(node, number)] = points
        return components[0]


def folds_in(nodes: list[Node]) -> list[Node]:
    """The folds that some of the nodes read."""
    return list(dict.fromkeys(s for node in nodes for s in node.src if s.op is Op.FOLD))


def component(node: Node, number: int) -> Node:
    return (
        node
        if number == 0 and node.arg.width == 1
        else make(Op.PROJECT, dtypes.bool_, (node,), ("kept", number))
    )


def before_open_loop(stack: list[Scope], position: int) -> list[Scope]:
    """A stack that ends at `position`, writing into an empty block to be put before the loop that is open
    there."""
    scope = stack[position]
    return [*stack[:position], Scope(scope.range, Block(), scope.values)]


def splice(stack: list[Scope], position: int, hoisted: Block) -> None:
    """Put hoisted code before the open loop (or branch), which is the last item of its block."""
    items = stack[position].block.items
    items[-1:-1] = hoisted.items
