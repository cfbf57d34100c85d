"""Reductions in linear code: accumulators, loops, the combine, the merge of lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...graph import dtypes
from ...graph.kernel import UNROLL, VECTOR, is_register, range_size
from ...graph.monoid import ADD, ARGMAX, ARGMIN, Monoid
from ...graph.node import Node, is_const, own_ranges
from ...graph.ops import ELEMENTWISE, Op
from ...runtime.cpu.machine import host_registers
from ..linear.builder import Point, Points, combine
from ..linear.code import Value, Variable
from ..linear.fetch import fetch_panels
from ..moves.analysis import direct_loads
from .byte_dots import Dot, across_of, dots_of, emit_across, emit_dots
from .last_of import emit_last, finds_last
from .listing import Listed
from .selection import Selection, selects

if TYPE_CHECKING:
    from ..linear.lower import Lowering

#: fewer instructions than this are not worth branching around
WORTH_A_BRANCH = 12


class Fold:
    """One reduction: accumulators per register point and lane, loops, the combine, and the merge of lanes at
    the end.

    An unroll axis of its own only repeats the body; a vector axis of its own gives every lane an accumulator.
    """

    def __init__(self, lowering: Lowering, node: Node) -> None:
        self.low, self.node = lowering, node
        self.monoid: Monoid = node.arg
        self.bodies = node.src[: self.monoid.elements]
        own = own_ranges(node)
        self.loops = [r for r in own if not is_register(r)]
        self.own_unroll = tuple(r for r in own if r.arg.kind == UNROLL)  # as they are nested: indices grow
        self.own_vector = next((r for r in own if r.arg.kind == VECTOR), None)
        self.axes = lowering.unroll_axes(node)
        self.width = range_size(self.own_vector) if self.own_vector is not None else lowering.width(node)
        self.dtypes = tuple(b.dtype for b in self.bodies)

    def emit(self) -> Points:
        skipped = self._skipped_padding()
        made, listed = self.low.lists.get(self.node), self.low.listed.get(self.node)
        held: dict[Point, list[Value]]
        if made is not None:
            held = {(): [self.low.listing.write(made)]}
        elif listed is not None:
            held = self._along(listed)
        elif skipped is not None:
            held = self._skipping(skipped)
        elif selects(self):
            held = Selection(self).emit()
        elif (dots := dots_of(self)) is not None:
            held = emit_dots(self, dots)
        elif (across := self._across()) is not None:
            held = emit_across(self, across)
        else:
            held = self._loop() if self.loops else self._straight()
        results = {p: self._across_lanes(values) for p, values in held.items()}
        components = [
            Points(self.axes, {p: r[c] for p, r in results.items()}) for c in range(self.monoid.width)
        ]
        return self.low.keep_components(self.node, components)

    def _across(self) -> list[Dot] | None:
        """The products of bytes in its body, if lanes are results and hold four bytes each."""
        lanes = self.low.vector_axis(self.node)
        if lanes is None or self.own_vector is not None or not self.own_unroll:
            return None
        return across_of(self.node, lanes) if own_ranges(self.node)[-1] is self.own_unroll[-1] else None

    def elements(self, apart: tuple[Node, ...] = ()) -> Iterator[dict[Point, list[Value]]]:
        """The elements of one pass through the body: for every own unroll point, one per accumulator point,
        those of each point of the axes `apart` by themselves.

        They are written point by point, each right before it is combined, so that few of them are alive at
        once.
        """
        low = self.low
        for repeat in low.points(self.own_unroll):
            shared: dict[Node, Points] = {}  # what is the same at all points apart
            for point in low.points(apart):
                fixed = dict(zip((*self.own_unroll, *apart), (*repeat, *point), strict=True))
                done = dict(shared)
                parts = [low.emit_at(b, fixed, done) for b in self.bodies]
                shared |= {n: v for n, v in done.items() if not n.ranges.intersection(apart)}
                yield {
                    p: [low.splat(part.project(self.axes, p), self.width) for part in parts]
                    for p in low.points(self.axes)
                    if all(fixed.get(axis, at) == at for axis, at in zip(self.axes, p, strict=True))
                }

    def _lone_axes(self) -> tuple[Node, ...]:
        """The unrolled axes of lone factors, which meet vectors. Where each is broadcast to a register of its
        own, it comes right before the steps that need it: LLVM leaves loads that stand together so, and
        spills accumulators for them."""
        if self.width == 1 or host_registers().by_lane:
            return ()
        lone = [load for load in direct_loads(self.bodies) if self.low.width(load) == 1]
        return tuple(a for a in self.axes if any(a in load.ranges for load in lone))

    def _straight(self) -> dict[Point, list[Value]]:
        """No loop: the accumulators start as the first elements."""
        first, *rest = self.elements()
        if self.monoid.width > 1:
            first = {p: self.combine(self.identity(), element) for p, element in first.items()}
        for elements in rest:
            first = {p: self.combine(first[p], element) for p, element in elements.items()}
        return first

    def _skipped_padding(self) -> Node | None:
        """What elements whose condition fails are, if it pays to branch around computing the others.

        A scalar maximum or minimum takes its padding once, at the end; any other fold only skips its
        identity.
        """
        body = self.bodies[0]
        if self.width > 1 or self.axes or self.monoid.width > 1 or body.op is not Op.WHERE:
            return None
        if not self.loops and self.low.stack[-1].range is None:
            return None
        padding = body.src[2]
        extreme = self.monoid.kind in ("max", "min")
        if padding.op is not Op.CONST or not (extreme or padding is self.monoid.identity(self.dtypes)[0]):
            return None
        costly = body.src[1].toposort(lambda n: n.op not in (Op.FOLD, Op.STAGE))
        return (
            padding if sum(n.op in ELEMENTWISE or n.op is Op.LOAD for n in costly) >= WORTH_A_BRANCH else None
        )

    def _along(self, listed: Listed) -> dict[Point, list[Value]]:
        """Only the elements of a list that several folds share; see `listing`."""
        low = self.low
        if self.monoid == ADD and listed.rest is None and is_const(listed.body) and listed.body.arg == 1:
            return {(): [low.alu(Op.CAST, self.dtypes[0], (low.listing.length(listed),))]}
        if finds_last(self, listed):
            return {(): emit_last(self, listed)}
        return {(): self.inserted(listed)}

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
            self._insert_if_better([()], {(): variables}, {(): element})
        else:
            self._update(variables, element)
        low.leave()
        return [low.get(v) for v in variables]

    def _skipping(self, padding: Node) -> dict[Point, list[Value]]:
        """Elements are computed only where their condition holds: a lane with nothing to do leaves early."""
        low = self.low
        condition, wanted, _ = self.bodies[0].src
        (identity,) = self.identity()
        total = low.declare(self.dtypes[0], 1, identity)
        is_identity = padding is self.monoid.identity(self.dtypes)[0]
        missed = None if is_identity else low.declare(dtypes.bool_, 1, low.literal(False, dtypes.bool_))
        depth = low.enter_all(self.loops)
        for repeat in low.points(self.own_unroll):
            fixed = dict(zip(self.own_unroll, repeat, strict=True))
            done: dict[Node, Points] = {}
            holds = low.emit_at(condition, fixed, done).at[()]
            if missed is not None:
                fails = low.alu(Op.NOT, dtypes.bool_, (holds,))
                low.set(missed, low.alu(Op.OR, dtypes.bool_, (low.get(missed), fails)))
            low.branch(holds, inside_loop=True)
            element = low.emit_at(wanted, fixed, dict(done)).at[()]
            self._update([total], [element])
            low.leave()
        low.leave_all(depth)
        result = low.get(total)
        if missed is not None:
            last = low.alu(
                Op.WHERE, self.dtypes[0], (low.get(missed), low.literal(padding.arg, padding.dtype), identity)
            )
            (result,) = self.combine([result], [last])
        return {(): [result]}

    def identity(self) -> list[Value]:
        return [self.low.literal(c.arg, c.dtype, self.width) for c in self.monoid.identity(self.dtypes)]

    def combine(self, held: list[Value], new: list[Value], in_order: bool = True) -> list[Value]:
        return combine(self.low, self.monoid, held, new, in_order)

    def _loop(self) -> dict[Point, list[Value]]:
        low = self.low
        points = low.points(self.axes)
        variables = {p: [low.declare(v.dtype, self.width, v) for v in self.identity()] for p in points}
        depth = low.enter_all(self.loops)
        if self.monoid.kind.startswith("top"):
            for elements in self.elements():
                self._insert_if_better(points, variables, elements)
        else:
            fetch_panels(low, self.bodies, self.loops)
            for elements in self.elements(self._lone_axes()):
                for point, element in elements.items():
                    self._update(variables[point], element)
        low.leave_all(depth)
        return {p: [low.get(v) for v in variables[p]] for p in points}

    def _update(self, variables: list[Variable], element: list[Value]) -> None:
        combined = self.combine([self.low.get(v) for v in variables], element)
        for variable, value in zip(variables, combined, strict=True):
            self.low.set(variable, value)

    def _insert_if_better(
        self, points: list[Point], variables: dict[Point, list[Variable]], new: dict[Point, list[Value]]
    ) -> None:
        """Most elements are worse than all k kept ones: one test for all lanes and points skips the
        insertion."""
        low, last = self.low, self.monoid.k - 1
        hopeless = {}
        for point in points:
            worst, value = low.get(variables[point][last]), new[point][0]
            pair = (value, worst) if self.monoid.wants_larger else (worst, value)
            hopeless[point] = low.alu(Op.LT, dtypes.bool_, pair)  # ties and NaN go on to the exact test
        together = hopeless[points[0]]
        for point in points[1:]:
            together = low.alu(Op.AND, dtypes.bool_, (together, hopeless[point]))
        outer = self._branch(self.some_not(together))
        for point in points:
            inner = self._branch(self.some_not(hopeless[point])) if len(points) > 1 else 0
            self._update(variables[point], new[point])
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

    def _across_lanes(self, held: list[Value]) -> list[Value]:
        if self.own_vector is None or held[0].width == 1:  # what is left of a row may be one lane
            return held
        low, k = self.low, self.monoid.k
        if self.monoid.width == 1:
            return [low.instruction("horizontal", held[0].dtype, 1, (held[0],), self.monoid.kind)]
        if self.monoid in (ARGMAX, ARGMIN):
            return self._best_of_lanes(*held)
        merged: list[Value] | None = None
        for lane in range(self.width):
            part = [low.instruction("extract", v.dtype, 1, (v,), lane) for v in held]
            if merged is None:
                merged = part
                continue
            for value, index in zip(part[:k], part[k:], strict=True):
                merged = self.combine(merged, [value, index], in_order=False)
        assert merged is not None
        return merged

    def _best_of_lanes(self, values: Value, indices: Value) -> list[Value]:
        """The best value of all lanes, and the least index of those that have it. A NaN is best of all."""
        low = self.low
        kind = "max" if self.monoid.wants_larger else "min"
        best = low.instruction("horizontal", values.dtype, 1, (values,), kind)
        has = low.alu(Op.EQ, dtypes.bool_, (values, low.splat(best, values.width)))
        if values.dtype.is_float:
            nan = low.alu(Op.ISNAN, dtypes.bool_, (values,))
            has = low.alu(Op.OR, dtypes.bool_, (has, nan))
        none = low.literal(indices.dtype.max, indices.dtype, indices.width)
        places = low.alu(Op.WHERE, indices.dtype, (has, indices, none))
        return [best, low.instruction("horizontal", indices.dtype, 1, (places,), "min")]
