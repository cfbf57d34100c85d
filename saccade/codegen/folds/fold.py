"""Reductions in linear code: accumulators, loops, the combine, the merge of lanes."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ...graph import dtypes
from ...graph.kernels.kernel import range_size
from ...graph.monoid import ADD, ARGMAX, ARGMIN
from ...graph.node import Node, own_ranges
from ...graph.ops import ELEMENTWISE, Op
from ...runtime.cpu.machine import host_registers
from ..linear.addressing.fetch import fetch_apart, fetch_panels, fetch_streams
from ..linear.builder import Point, Points
from ..linear.code import Value
from ..moves.analysis import direct_loads
from .byte_dots import Dot, across_of, dots_of, emit_across, emit_dots
from .folding import Folding
from .last_of import emit_last, finds_last
from .listing import Listed
from .selection import Selection, selects

#: fewer instructions than this are not worth branching around
WORTH_A_BRANCH = 12


class Fold(Folding):
    """One reduction: the way to write it, its loops, and the merge of lanes at the end."""

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
        if any(r in self.low.ends.end for r in self.loops):
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
        if self.monoid == ADD and listed.only_counts:
            return {(): [low.alu(Op.CAST, self.dtypes[0], (low.listing.length(listed),))]}
        if finds_last(self, listed):
            return {(): emit_last(self, listed)}
        return {(): self.inserted(listed)}

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
            self.update([total], [element])
            low.leave()
        low.leave_all(depth)
        result = low.get(total)
        if missed is not None:
            last = low.alu(
                Op.WHERE, self.dtypes[0], (low.get(missed), low.literal(padding.arg, padding.dtype), identity)
            )
            (result,) = self.combine([result], [last])
        return {(): [result]}

    def _loop(self) -> dict[Point, list[Value]]:
        low = self.low
        points = low.points(self.axes)
        variables = {p: [low.declare(v.dtype, self.width, v) for v in self.identity()] for p in points}
        whole = self.bodies
        for bodies in low.nest(self.loops, whole):
            self.bodies = bodies
            if self.monoid.kind.startswith("top"):
                for elements in self.elements():
                    self.insert_if_better(points, variables, elements)
            else:
                fetch_panels(low, self.bodies, self.loops)
                fetch_apart(low, self.bodies, self.loops, prod(map(range_size, self.own_unroll)))
                fetch_streams(low, self.node)
                for elements in self.elements(self._lone_axes()):
                    for point, element in elements.items():
                        self.update(variables[point], element)
        self.bodies = whole
        return {p: [low.get(v) for v in variables[p]] for p in points}

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
