"""The values of a kernel's nodes on a CPU: what everything that lowers a part of one writes with.

Register axes are not loops. A value that depends on a vector axis is a vector, one that depends on unroll
axes exists once per point of them: an 8x16 register tile of a matrix product is eight vectors here and never
128 nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernels.exchange import Exchange
from ...graph.kernels.kernel import VECTOR, Kernel, range_size
from ...graph.node import Node
from ...graph.ops import COMPUTED, Op
from .code import Memory, Value
from .emitter import Emitter
from .ends import ends_of, without
from .triangles import mask_ends


class Values(Emitter):
    """Values in vectors, and the fast memory of a thread."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        kernel, self.ends = ends_of(kernel)
        self.kernel = mask_ends(kernel, self.ends)
        self.scratches: list[Memory] = []
        self.scratch = 0
        self.exchange: Exchange[Memory] = Exchange(self.kernel.sink)
        #: indices with some axes fixed, simplified: see `Address.at`
        self.indices: dict[tuple[Node, tuple[tuple[Node, int], ...]], Node] = {}

    @cached_property
    def has_lengths(self) -> bool:
        """Are there numbers that each call gives, as a length may be?"""
        return any(n.op is Op.LOAD and n.arg is not None for n in self.kernel.nodes)

    def vector_axis(self, node: Node) -> Node | None:
        return next((r for r in node.ranges if r.arg.kind == VECTOR), None)

    def width(self, node: Node) -> int:
        axis = self.vector_axis(node)
        return 1 if axis is None else range_size(axis)

    def emit_sources(self, node: Node) -> None:
        pending = node.toposort(self.is_pending)
        # what meets a sum is computed after it: in registers, it would be in the way of the sum's
        for below in (*folds_in(pending), *pending[:-1]):
            self.emit(below)

    def is_pending(self, node: Node) -> bool:
        """Elementwise, and not computed yet."""
        return node.op in COMPUTED and node not in self.stack[self.home(node)].values

    def scratch_memory(self, dtype: DType, size: int) -> Memory:
        """Fast memory of the thread for `size` elements."""
        self.scratch = -(-self.scratch // 64) * 64
        memory = Memory(f"s{len(self.scratches)}", dtype, -1, self.scratch)
        self.scratches.append(memory)
        self.scratch += size * dtype.itemsize
        return memory

    def enter_all(self, loops: list[Node]) -> int:
        for r in loops:
            self.enter(r, self.begin_of(r), self.end_of(r))
        return len(loops)

    def begin_of(self, r: Node) -> Value:
        """Where a loop begins: at its first iteration, or where a mask does."""
        begin = self.ends.begin.get(r)
        return self.literal(0, dtypes.index) if begin is None else self.emit(begin).at[()]

    def end_of(self, r: Node) -> Value:
        """Where a loop ends: at a length, or with a mask, where it may."""
        return self.emit(self.ends.end.get(r, r.src[0])).at[()]

    def lesser(self, end: Value, other: Node) -> Value:
        return self.alu(Op.MIN, dtypes.index, (end, self.emit(other).at[()]))

    def nest(self, loops: list[Node], values: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
        """Open loops, once for each of two parts of the innermost that a length or a mask ends: give what is
        computed in them, in one part without conditions. They are closed behind it."""
        parted = [p for p, r in enumerate(loops) if r in self.ends.full or r in self.ends.late]
        if not parted:
            depth = self.enter_all(loops)
            yield values
            self.leave_all(depth)
            return
        place, r = parted[-1], loops[parted[-1]]
        depth = self.enter_all(loops[:place])
        begin, end = self.begin_of(r), self.end_of(r)
        late = r in self.ends.late
        at, tests = self.ends.late[r] if late else self.ends.full[r]
        middle, every = self.lesser(end, at), without(values, tests)
        for start, until, inside in (
            (begin, middle, values if late else every),
            (middle, end, every if late else values),
        ):
            self.enter(r, start, until)
            inner = self.enter_all(loops[place + 1 :])
            yield inside
            self.leave_all(inner + 1)
        self.leave_all(depth)


def folds_in(nodes: list[Node]) -> list[Node]:
    """The folds that some of the nodes read."""
    return list(dict.fromkeys(s for node in nodes for s in node.src if s.op is Op.FOLD))
