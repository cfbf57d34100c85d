"""Each node of a kernel once, in the loop it belongs to.

A value is computed in the innermost open loop it depends on and in no deeper one. That single rule places
folds, tiles and loop invariants: while a loop is being written, a value that does not depend on it is
appended to the block around it, which is before it. One that depends on unroll axes exists once per point of
them (`Points`).

How a node of each kind is computed is not said here (`compute`): `lower` knows all kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import product

from ...graph import dtypes
from ...graph.kernels.kernel import UNROLL, Kernel, range_size
from ...graph.monoid import Monoid
from ...graph.node import Node, make
from ...graph.ops import COMPUTED, Op
from .builder import Builder, Point, Points, Scope, combine
from .code import Block, Memory


class Emitter(Builder, ABC):
    """The nodes of one kernel, their memories, and the loops that are open."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self.kernel = kernel
        self.memories: dict[Node, Memory] = {
            node: Memory(f"p{node.arg.slot}", node.dtype, node.arg.slot)
            for node in kernel.sink.toposort()
            if node.op is Op.PARAM
        }
        self.axes_of: dict[Node, tuple[Node, ...]] = {}

    @abstractmethod
    def compute(self, node: Node) -> Points:
        """The values of a node that is not there yet, in the innermost open loop."""

    @abstractmethod
    def emit_sources(self, node: Node) -> None:
        """Emit what an elementwise node is computed from; expressions are deeper than Python's stack."""

    def unroll_axes(self, node: Node) -> tuple[Node, ...]:
        """The unroll axes a value depends on, in a fixed order."""
        found = self.axes_of.get(node)
        if found is None:
            axes = [r for r in node.ranges if r.arg.kind == UNROLL]
            found = self.axes_of[node] = tuple(sorted(axes, key=lambda r: r.arg.number))
        return found

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
            if node.op in COMPUTED:
                self.emit_sources(node)
            whole = self.stack
            if position != len(whole) - 1:
                self.stack = before_open_loop(whole, position)
            found = self.compute(node)
            scope.values[node] = found
            if self.stack is not whole:
                splice(whole, position, self.stack[-1].block)
                self.stack = whole
        return found

    def memory_of(self, node: Node) -> Memory:
        """The buffer, or the tile, which is filled first."""
        if node.op is Op.STAGE:
            self.emit(node)
        return self.memories[node]

    def running(self, node: Node, width: int = 1) -> Points:
        """A running reduction: the accumulators start before the loop and change once per iteration."""
        monoid: Monoid = node.arg
        bodies, over = node.src[: monoid.elements], node.src[-1]
        axes = self.unroll_axes(node)
        position = next(p for p, s in enumerate(self.stack) if s.range is over)
        whole = self.stack
        self.stack = before_open_loop(whole, position - 1)
        identity = monoid.identity(tuple(b.dtype for b in bodies))
        variables = {
            p: [self.declare(c.dtype, width, self.literal(c.arg, c.dtype)) for c in identity]
            for p in self.points(axes)
        }
        splice(whole, position - 1, self.stack[-1].block)
        self.stack = whole
        elements = [self.emit(b) for b in bodies]
        components: list[Points] = [Points(axes, {}) for _ in identity]
        for point, held in variables.items():
            new = [self.splat(e.project(axes, point), width) for e in elements]
            combined = combine(self, monoid, [self.get(v) for v in held], new)
            for number, (variable, value) in enumerate(zip(held, combined, strict=True)):
                self.set(variable, value)
                components[number].at[point] = value
        return self.keep_components(node, components)

    def component(self, node: Node) -> Points:
        """One result of a fold with several."""
        folded = node.src[0]
        self.emit(folded)
        return self.stack[self.home(folded)].values[component(folded, node.arg)]

    def keep_components(self, node: Node, components: list[Points]) -> Points:
        """Remember each result of a fold with several, for PROJECT."""
        scope = self.stack[-1]
        for number, points in enumerate(components):
            scope.values[component(node, number)] = points
        return components[0]


def component(node: Node, number: int) -> Node:
    """What one result of a FOLD or PREFIX with several is remembered under."""
    return (
        node
        if number == 0 and node.arg.width == 1
        else make(Op.PROJECT, dtypes.bool_, (node,), ("kept", number))
    )


def before_open_loop(stack: list[Scope], position: int) -> list[Scope]:
    """A stack that ends at `position`, writing into an empty block to be put before the loop that is open
    there."""
    scope = stack[position]
    return [*stack[:position], Scope(scope.range, Block(), scope.values, scope.loads)]


def splice(stack: list[Scope], position: int, hoisted: Block) -> None:
    """Put hoisted code before the open loop (or branch), which is the last item of its block."""
    items = stack[position].block.items
    items[-1:-1] = hoisted.items
