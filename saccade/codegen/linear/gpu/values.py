"""The values of a kernel's nodes in the code of one thread of a GPU."""

from __future__ import annotations

from ....graph.kernels.exchange import Exchange
from ....graph.kernels.kernel import Kernel, range_size
from ....graph.node import Node
from ....graph.ops import ELEMENTWISE, Op
from ..builder import Points, Scope
from ..code import Block, Instruction, Loop, Memory
from ..emitter import Emitter
from .code import GIVEN, GRID, PLACES, TEAM, THREAD, Tile


class GpuValues(Emitter):
    """The places where a thread stands, and the memory it has with its team."""

    def __init__(self, kernel: Kernel, team: int) -> None:
        super().__init__(kernel)
        self.team = team
        self.tiles: list[Tile] = []
        self.shared = 0
        self.workspace = 0
        self.sizes = {GRID: 1, TEAM: 1, THREAD: team}
        self.sizes |= {r.arg.kind: range_size(r) for r in kernel.order if r.arg.kind in PLACES}
        self.exchange: Exchange[Memory] = Exchange(kernel.sink)
        self.contract = any(n.op is Op.FOLD and n.arg.kind == "add" for n in kernel.sink.toposort())
        for node in kernel.sink.toposort():
            if node.op is Op.RANGE and node.arg.kind in PLACES:
                self.sizes[node.arg.kind] = range_size(node)
                place = self.instruction("place", node.dtype, 1, (), node.arg.kind)
                self.stack[0].values[node] = Points((), {(): place})
            elif node.op is Op.RANGE and node.arg.kind == GIVEN:
                given = self.instruction("given", node.dtype, 1, (), node.arg.number)
                self.stack[0].values[node] = Points((), {(): given})

    def open(self, r: Node, unroll: int = 0) -> None:
        """Open the loop of a range, its variable of the range's own type, some iterations at once."""
        end = self.emit(r.src[0]).at[()]
        variable, body = self.new(r.dtype), Block()
        self.append(Loop(variable, self.literal(0, r.dtype), end, body, unroll))
        self.stack.append(Scope(r, body, {r: Points((), {(): variable})}))

    def emit_sources(self, node: Node) -> None:
        # in the order a recursion would go
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

    def barrier(self) -> None:
        self.append(Instruction("barrier", None, (), self.team))
