"""What a reduction of a GPU is made of, for all ways to write one: its ranges, accumulators and combine."""

from __future__ import annotations

from ....graph import dtypes
from ....graph.dtypes import DType
from ....graph.kernels.kernel import UNROLL, range_size
from ....graph.monoid import SOFTMAX, Monoid
from ....graph.node import Node, is_const, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of
from ...linear.builder import combine
from ...linear.code import Value, Variable
from ...linear.gpu.code import PLACES, THREAD
from ...linear.gpu.memory import GpuMemoryLowering


class GpuFolding:
    """One reduction: an accumulator per register point, and how an element meets it."""

    def __init__(self, lowering: GpuMemoryLowering, node: Node) -> None:
        self.low, self.node = lowering, node
        self.monoid: Monoid = node.arg
        self.bodies = node.src[: self.monoid.elements]
        own = own_ranges(node)
        self.loops = [r for r in own if r.arg.kind not in PLACES and r.arg.kind != UNROLL]
        self.repeated = tuple(sorted((r for r in own if r.arg.kind == UNROLL), key=lambda r: r.arg.number))
        self.together = any(r.arg.kind == THREAD for r in own)
        self.axes = lowering.unroll_axes(node)
        self.dtypes: tuple[DType, ...] = tuple(b.dtype for b in self.bodies)

    def identity(self) -> list[Value]:
        return [self.low.literal(c.arg, c.dtype) for c in self.monoid.identity(self.dtypes)]

    def insert(self, held: list[Variable], element: list[Value]) -> None:
        """Most elements are worse than all k kept ones, which one test tells; ties and NaN go on."""
        low, monoid = self.low, self.monoid
        worst = low.get(held[monoid.k - 1])
        pair = (element[0], worst) if monoid.wants_larger else (worst, element[0])
        hopeless = low.alu(Op.LT, dtypes.bool_, pair)
        low.branch(low.alu(Op.NOT, dtypes.bool_, (hopeless,)))
        self.take_in(held, element)
        low.leave()

    def take_in(self, held: list[Variable], element: list[Value]) -> None:
        low = self.low
        in_order = not self.together or self._ascends()
        combined = combine(low, self.monoid, [low.get(v) for v in held], element, in_order)
        for variable, value in zip(held, combined, strict=True):
            low.set(variable, value)

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
