"""The values of a kernel's nodes in the code of one thread; see `linear.values`, whose rule holds here too: a
value is computed in the innermost open loop it depends on, once.

How a node of each kind is computed is not said here (`compute`): `lower` knows all kinds.
"""

from __future__ import annotations

from itertools import product

from ....graph.kernel import UNROLL, Kernel, range_size
from ....graph.node import Node
from ....graph.ops import ELEMENTWISE, Op
from ..builder import Emitter, Point, Points, Scope
from ..code import Block, Instruction, Loop, Memory
from ..values import component
from .code import GIVEN, GRID, PLACES, TEAM, THREAD, Tile


class GpuValues(Emitter):
    """The nodes of one kernel, the places of a thread, memories, and the loops that are open."""

    def __init__(self, kernel: Kernel, team: int) -> None:
        super().__init__()
        self.kernel, self.team = kernel, team
        self.memories: dict[Node, Memory] = {}
        self.tiles: list[Tile] = []
        self.shared = 0
        self.workspace = 0
        self.sizes = {GRID: 1, TEAM: 1, THREAD: team}
        self.sizes |= {r.arg.kind: range_size(r) for r in kernel.order if r.arg.kind in PLACES}
        self.contract = any(n.op is Op.FOLD and n.arg.kind == "add" for n in kernel.sink.toposort())
        for node in kernel.sink.toposort():
            if node.op is Op.PARAM:
                self.memories[node] = Memory(f"p{node.arg.slot}", node.dtype, node.arg.slot)
            elif node.op is Op.RANGE and node.arg.kind in PLACES:
                self.sizes[node.arg.kind] = range_size(node)
                place = self.instruction("place", node.dtype, 1, (), node.arg.kind)
                self.stack[0].values[node] = Points((), {(): place})
            elif node.op is Op.RANGE and node.arg.kind == GIVEN:
                given = self.instruction("given", node.dtype, 1, (), node.arg.number)
                self.stack[0].values[node] = Points((), {(): given})

    def compute(self, node: Node) -> Points:
        """The values of a node that is not there yet, in the innermost open loop."""
        raise NotImplementedError

    def open(self, r: Node, unroll: int = 0) -> None:
        """Open the loop of a range, its variable of the range's own type, some iterations at once."""
        end = self.emit(r.src[0]).at[()]
        variable, body = self.new(r.dtype), Block()
        self.append(Loop(variable, self.literal(0, r.dtype), end, body, unroll))
        self.stack.append(Scope(r, body, {r: Points((), {(): variable})}))

    def unroll_axes(self, node: Node) -> tuple[Node, ...]:
        return tuple(sorted((r for r in node.ranges if r.arg.kind == UNROLL), key=lambda r: r.arg.number))

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
            if node.op in ELEMENTWISE:
                self._emit_sources(node)
            whole = self.stack
            if position != len(whole) - 1:
                self.stack = [*whole[:position], Scope(scope.range, Block(), scope.values)]
            found = scope.values[node] = self.compute(node)
            if self.stack is not whole:
                hoisted = self.stack[-1].block
                self.stack = whole
                # the loop (or branch) that is open there is the last item of its block
                scope.block.items[-1:-1] = hoisted.items
        return found

    def _emit_sources(self, node: Node) -> None:
        """What an elementwise node is computed from, in the order a recursion would go: expressions are
        deeper than Python's stack."""
        stack = [(node, iter(node.src))]
        while stack:
            above, sources = stack[-1]
            for source in sources:
                if source.op not in ELEMENTWISE:
                    self.emit(source)
                elif source not in self.stack[self.home(source)].values:
                    stack.append((source, iter(source.src)))
                    break
            else:
                stack.pop()
                if above is not node:
                    self.emit(above)

    def memory_of(self, node: Node) -> Memory:
        if node.op is Op.STAGE:
            self.emit(node)
        return self.memories[node]

    def barrier(self) -> None:
        self.append(Instruction("barrier", None, (), self.team))

    def keep_components(self, node: Node, components: list[Points]) -> Points:
        for number, points in enumerate(components):
            self.stack[-1].values[component(node, number)] = points
        return components[0]
