"""What a reduction of a GPU is made of, for all ways to write one: its ranges, accumulators and combine."""

from __future__ import annotations

from ....graph import dtypes
from ....graph.kernels.kernel import UNROLL, range_size
from ....graph.monoid import SOFTMAX
from ....graph.node import Node, is_const, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of
from ...linear.code import Value, Variable
from ...linear.gpu.code import PLACES, THREAD
from ...linear.gpu.memory import GpuMemoryLowering
from ..folding import Accumulators


class GpuFolding(Accumulators):
    """One reduction: an accumulator per register point, and how an element meets it."""

    def __init__(self, lowering: GpuMemoryLowering, node: Node) -> None:
        super().__init__(lowering, node)
        self.low: GpuMemoryLowering = lowering
        own = own_ranges(node)
        self.loops = [r for r in own if r.arg.kind not in PLACES and r.arg.kind != UNROLL]
        self.repeated = tuple(sorted((r for r in own if r.arg.kind == UNROLL), key=lambda r: r.arg.number))
        self.together = any(r.arg.kind == THREAD for r in own)

    def insert(self, held: list[Variable], element: list[Value]) -> None:
        """Most elements are worse than all k kept ones, which one test tells."""
        low = self.low
        low.branch(low.alu(Op.NOT, dtypes.bool_, (self.is_worse(held, element[0]),)))
        self.take_in(held, element)
        low.leave()

    def take_in(self, held: list[Variable], element: list[Value]) -> None:
        self.update(held, element, in_order=not self.together or self._ascends())

    def _ascends(self) -> bool:
        """Do the elements of a thread come in the order of their indices, as parts of a row that its team has
        do? What is beyond the end of a row has no index and comes last."""
        own = [*self.loops, *self.repeated]
        if self.monoid == SOFTMAX or any(r.src[0].op is not Op.CONST for r in own):
            return False
        index = self.bodies[1]
        if index.op is Op.WHERE and is_const(index.src[2], index.dtype.max):
            index = index.src[1]
        if index.op is Op.MIN and is_const(index.src[1]):
            index = index.src[0]
        reach = 0
        for r in reversed(own):
            step = coefficient_of(index, r)
            if step is None or step <= reach:
                return False
            reach += step * (range_size(r) - 1)
        return True
