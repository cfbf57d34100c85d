"""Writing linear code: numbers for values, open blocks, variables.

`Builder` is what `Lowering` (kernels over ranges) and the hand-made primitives (sorting) write with. It knows
nothing of nodes but how to turn a small expression over values at hand into instructions (`evaluate`), which
is how a monoid's combine is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.monoid import Monoid
from ...graph.node import Node, const, make
from ...graph.ops import Op
from .code import Block, Branch, Instruction, Loop, Repeat, Value, Variable

Point = tuple[int, ...]


@dataclass(eq=False, slots=True)
class Points:
    """The values of one node: one per point of the unroll axes it depends on."""

    axes: tuple[Node, ...]
    at: dict[Point, Value]

    def project(self, axes: tuple[Node, ...], point: Point) -> Value:
        """The value at a point given over more axes than these."""
        if self.axes == axes:
            return self.at[point]
        if not self.axes:
            return self.at[()]
        return self.at[tuple(point[axes.index(a)] for a in self.axes)]


@dataclass(eq=False, slots=True)
class Scope:
    """An open loop: its range, the block being written, and the values already there."""

    range: Node | None
    block: Block
    values: dict[Node, Points] = field(default_factory=dict)
    #: what was loaded here, by memory, index, offset and width
    loads: dict[tuple[str, int, int, int], Value] = field(default_factory=dict)


class Builder:
    """A stack of open blocks to append to."""

    def __init__(self) -> None:
        self.numbers = 0
        self.variables: list[Variable] = []
        self.stack = [Scope(None, Block())]
        self.contract = False

    def enter(self, over: Node | None, begin: Value, end: Value) -> Value:
        """Open a loop; the value of its variable."""
        variable = self.new(dtypes.index)
        body = Block()
        self.stack[-1].block.items.append(Loop(variable, begin, end, body))
        # the loop is in its parent's list already: hoisted values are inserted before it, see `Lowering.emit`
        scope = Scope(over, body)
        if over is not None:
            scope.values[over] = Points((), {(): variable})
        self.stack.append(scope)
        return variable

    def leave(self) -> None:
        self.stack.pop()

    def leave_all(self, depth: int) -> None:
        for _ in range(depth):
            self.leave()

    def append(self, item: Instruction | Loop | Repeat | Branch) -> None:
        self.stack[-1].block.items.append(item)

    def home(self, node: Node) -> int:
        """The position in the stack of the innermost open loop this value depends on."""
        ranges = node.ranges
        for position in range(len(self.stack) - 1, 0, -1):
            if self.stack[position].range in ranges:
                return position
        return 0

    def new(self, dtype: DType, width: int = 1) -> Value:
        self.numbers += 1
        return Value(self.numbers - 1, dtype, width)

    def literal(self, value: bool | int | float, dtype: DType, width: int = 1) -> Value:
        return Value(-1, dtype, width, const(value, dtype).arg)

    def instruction(
        self, kind: str, dtype: DType, width: int, args: tuple[Value, ...] = (), arg: object = None
    ) -> Value:
        result = self.new(dtype, width)
        self.append(Instruction(kind, result, args, arg))
        return result

    def splat(self, value: Value, width: int) -> Value:
        if value.width == width:
            return value
        if value.is_literal:
            return Value(-1, value.dtype, width, value.literal)
        return self.instruction("splat", value.dtype, width, (value,))

    def alu(self, op: Op, dtype: DType, args: tuple[Value, ...], arg: object = None) -> Value:
        width = args[0].width
        if op is Op.CAST:
            return self.instruction("cast", dtype, width, args)
        if op is Op.BITCAST:
            return self.instruction("bitcast", dtype, width, args)
        if op is Op.PICK:
            return self.instruction("pick", dtype, width, args, arg)
        return self.instruction("alu", dtype, width, args, (op, self.contract))

    def evaluate(self, node: Node, known: dict[Node, Value]) -> Value:
        """A small expression over values at hand: how a monoid's combine becomes instructions."""
        width = max(v.width for v in known.values())
        for below in node.toposort(lambda n: n not in known):
            if below.op is Op.CONST:
                known[below] = self.literal(below.arg, below.dtype, width)
            else:
                args = tuple([self.splat(known[s], width) for s in below.src])
                known[below] = self.alu(below.op, below.dtype, args, below.arg)
        return known[node]

    def declare(self, dtype: DType, width: int, first: Value) -> Variable:
        variable = Variable(len(self.variables), dtype, width)
        self.variables.append(variable)
        self.append(Instruction("set", None, (self.splat(first, width),), variable))
        return variable

    def get(self, variable: Variable) -> Value:
        return self.instruction("get", variable.dtype, variable.width, (), variable)

    def set(self, variable: Variable, value: Value) -> None:
        self.append(Instruction("set", None, (value,), variable))

    def bits(self, masks: list[Value]) -> Value:
        """The lanes of bool vectors as the bits of a word."""
        return self.instruction("bits", dtypes.uint64, 1, tuple(masks))

    def without_first(self, bits: Value) -> Value:
        """A word without its lowest bit that is set."""
        less = self.alu(Op.SUB, dtypes.uint64, (bits, self.literal(1, dtypes.uint64)))
        return self.alu(Op.AND, dtypes.uint64, (bits, less))

    def repeat(self, bits: Value, over: Node) -> None:
        """Open a block that runs once for every bit that is set, lowest first, with its number as the value
        of `over`; `leave` closes it."""
        left, body = self.declare(dtypes.uint64, 1, bits), Block()
        self.append(Repeat(left, body))
        scope = Scope(over, body)
        self.stack.append(scope)
        held = self.get(left)
        number = self.instruction("first_bit", dtypes.index, 1, (held,))
        self.set(left, self.without_first(held))
        scope.values[over] = Points((), {(): number})

    def branch(self, condition: Value, inside_loop: bool = False) -> None:
        """Open a block that runs where the condition holds; `leave` closes it.

        With `inside_loop`, what depends on the innermost open loop is computed inside the block from here
        on, and forgotten when it closes.
        """
        body, around = Block(), self.stack[-1]
        self.append(Branch(condition, body))
        self.stack.append(
            Scope(around.range, body, dict(around.values)) if inside_loop else Scope(None, body)
        )


def combine(
    builder: Builder, monoid: Monoid, held: list[Value], new: list[Value], in_order: bool = True
) -> list[Value]:
    """Instructions for the accumulators after one more element; in order when its index is larger than all
    before."""
    return _put_together(builder, monoid.append if in_order else monoid.combine, held, new)


def merged(builder: Builder, monoid: Monoid, held: list[Value], other: list[Value]) -> list[Value]:
    """Instructions for the accumulators of two partial reductions together."""
    return _put_together(builder, monoid.merge, held, other)


def _put_together(
    builder: Builder,
    rule: Callable[[tuple[Node, ...], tuple[Node, ...]], tuple[Node, ...]],
    held: list[Value],
    new: list[Value],
) -> list[Value]:
    left, right = (
        tuple(make(Op.PARAM, v.dtype, (), (side, i)) for i, v in enumerate(values))
        for side, values in (("held", held), ("new", new))
    )
    known = dict(zip(left + right, held + new, strict=True))
    return [builder.evaluate(n, known) for n in rule(left, right)]
