"""What a reduction is made of, for all ways to write one: its ranges, accumulators and combine."""

from __future__ import annotations

from ...graph import dtypes
from ...graph.kernels.kernel import UNROLL, VECTOR, is_register, range_size
from ...graph.monoid import Monoid
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ..linear.builder import Point, combine
from ..linear.code import Value, Variable
from ..linear.emitter import Emitter
from ..linear.memory import MemoryLowering
from .listing import Listed


class Accumulators:
    """One reduction on any device: what it folds, an accumulator for each register point, and how an element
    meets it."""

    low: Emitter
    width = 1

    def __init__(self, lowering: Emitter, node: Node) -> None:
        self.node = node
        self.monoid: Monoid = node.arg
        self.bodies = node.src[: self.monoid.elements]
        self.axes = lowering.unroll_axes(node)
        self.dtypes = tuple(b.dtype for b in self.bodies)

    def identity(self) -> list[Value]:
        return [self.low.literal(c.arg, c.dtype, self.width) for c in self.monoid.identity(self.dtypes)]

    def combine(self, held: list[Value], new: list[Value], in_order: bool = True) -> list[Value]:
        return combine(self.low, self.monoid, held, new, in_order)

    def update(self, variables: list[Variable], element: list[Value], in_order: bool = True) -> None:
        combined = self.combine([self.low.get(v) for v in variables], element, in_order)
        for variable, value in zip(variables, combined, strict=True):
            self.low.set(variable, value)

    def is_worse(self, variables: list[Variable], value: Value) -> Value:
        """Is a value worse than all k that are kept? Ties and NaN go on to the exact test."""
        worst = self.low.get(variables[self.monoid.k - 1])
        pair = (value, worst) if self.monoid.wants_larger else (worst, value)
        return self.low.alu(Op.LT, dtypes.bool_, pair)


class Folding(Accumulators):
    """One reduction: accumulators per register point and lane, and how an element meets them.

    An unroll axis of its own only repeats the body; a vector axis of its own gives every lane an accumulator.
    """

    def __init__(self, lowering: MemoryLowering, node: Node) -> None:
        super().__init__(lowering, node)
        self.low: MemoryLowering = lowering
        own = own_ranges(node)
        self.loops = [r for r in own if not is_register(r)]
        self.own_unroll = tuple(r for r in own if r.arg.kind == UNROLL)  # as they are nested: indices grow
        self.own_vector = next((r for r in own if r.arg.kind == VECTOR), None)
        self.width = range_size(self.own_vector) if self.own_vector is not None else lowering.width(node)

    def inserted(self, listed: Listed) -> list[Value]:
        """The elements of a list, one by one."""
        low, (over,) = self.low, self.loops
        variables = [low.declare(v.dtype, 1, v) for v in self.identity()]
        quick, slow = listed.conditions(over)
        bodies = (listed.body, *self.bodies[1:])
        low.listing.enter(listed, over, quick)
        element = [low.emit(body).at[()] for body in bodies]
        if (
            slow is not None
        ):  # more than a coin toss may hold: computed for nothing it costs less than a guess
            kept = (low.emit(slow).at[()], element[0], self.identity()[0])
            element[0] = low.alu(Op.WHERE, self.dtypes[0], kept)
        if self.monoid.kind.startswith("top"):
            self.insert_if_better([()], {(): variables}, {(): element})
        else:
            self.update(variables, element)
        low.leave()
        return [low.get(v) for v in variables]

    def insert_if_better(
        self, points: list[Point], variables: dict[Point, list[Variable]], new: dict[Point, list[Value]]
    ) -> None:
        """Most elements are worse than all k kept ones: one test for all lanes and points skips the
        insertion."""
        low = self.low
        hopeless = {point: self.is_worse(variables[point], new[point][0]) for point in points}
        together = hopeless[points[0]]
        for point in points[1:]:
            together = low.alu(Op.AND, dtypes.bool_, (together, hopeless[point]))
        outer = self._branch(self.some_not(together))
        for point in points:
            inner = self._branch(self.some_not(hopeless[point])) if len(points) > 1 else 0
            self.update(variables[point], new[point])
            low.leave_all(inner)
        low.leave_all(outer)

    def some_not(self, condition: Value) -> Value:
        """Does the condition fail in any lane?"""
        return self._any(self.low.alu(Op.NOT, dtypes.bool_, (condition,)))

    def _any(self, condition: Value) -> Value:
        return (
            self.low.instruction("any", dtypes.bool_, 1, (condition,)) if condition.width > 1 else condition
        )

    def _branch(self, condition: Value) -> int:
        self.low.branch(condition)
        return 1
