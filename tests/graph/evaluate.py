"""A tiny evaluator of integer expressions, written from the definitions in `ops`, and random ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.node import Node, const, index_const, make
from saccade.graph.ops import Op

FUNCTIONS: dict[Op, Callable[..., int]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
    Op.ABS: abs,
    Op.IDIV: lambda a, b: a // b if b else 0,
    Op.MOD: lambda a, b: a % b if b else a,
    Op.MAX: max,
    Op.MIN: min,
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.EQ: lambda a, b: a == b,
    Op.NE: lambda a, b: a != b,
    Op.AND: lambda a, b: a & b,
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
    Op.SHL: lambda a, b: a << b,
    Op.SHR: lambda a, b: a >> b,
    Op.WHERE: lambda c, a, b: a if c else b,
    Op.CAST: lambda a: a,
}


def wrap(value: int, dtype: DType) -> int:
    """The value as the dtype holds it."""
    if dtype.is_bool:
        return int(bool(value))
    value = int(value) & ((1 << dtype.bits) - 1)
    return value - (1 << dtype.bits) if not dtype.is_unsigned and value >> (dtype.bits - 1) else value


def evaluate(root: Node, point: dict[Node, int]) -> int:
    """The value of an expression where the variables have these values."""
    values = dict(point)
    for node in root.toposort(lambda n: n not in point):
        if node.op is Op.CONST:
            values[node] = int(node.arg)
        elif node.op is Op.PARAM:
            values[node] = 0  # memory itself has no value
        elif node.op is Op.LOAD:
            unmasked = make(Op.LOAD, node.dtype, node.src[:2], node.arg)
            values[node] = point[unmasked] if values[node.src[2]] else 0
        elif node.op is Op.NOT:
            source = values[node.src[0]]
            values[node] = 1 - source if node.dtype.is_bool else wrap(~source, node.dtype)
        else:
            values[node] = wrap(FUNCTIONS[node.op](*[values[s] for s in node.src]), node.dtype)
    return values[root]


def loop(number: int, size: int) -> Node:
    return make(Op.RANGE, dtypes.index, (index_const(size),), number)


def data(number: int, dtype: DType = dtypes.index) -> Node:
    """A loaded value: nothing is known about it."""
    memory = make(Op.PARAM, dtype, (), number)
    return make(Op.LOAD, dtype, (memory, index_const(number)))


SIZES = (1, 2, 3, 4, 7, 12, 56, 64)
LOOPS = [loop(i, size) for i, size in enumerate(SIZES)]
VALUES = [data(0), data(1)]
CONSTANTS = (*range(-8, 9), 1, 2, 3, 4, 12, 16, 24, 28, 56, 64, 168, -56, 3136)
EXTREMES = (0, 1, -1, 2**63 - 1, -(2**63), 2**62, 7)


def random_point(random: Random) -> dict[Node, int]:
    """A value for every range, and for the loaded values anything their dtype holds."""
    point = {r: random.randrange(size) for r, size in zip(LOOPS, SIZES, strict=True)}
    for value in VALUES:
        point[value] = random.choice(EXTREMES) if random.randrange(2) else random.randrange(-99, 99)
    return point


def random_integer(random: Random, depth: int) -> Node:
    """An expression in the style of indices: scaled sums, divisions by constants, sometimes anything else."""
    if depth <= 0 or random.randrange(8) == 7:
        leaf = random.randrange(8)
        if leaf < 5:
            return random.choice(LOOPS)
        return index_const(random.choice(CONSTANTS)) if leaf < 7 else random.choice(VALUES)

    def part() -> Node:
        return random_integer(random, depth - 1)

    constant = random.choice(CONSTANTS)
    kind = random.randrange(12)
    if kind < 3:
        return part() * constant + part()
    if kind < 5:
        return part().alu(random.choice((Op.IDIV, Op.MOD)), index_const(constant))
    if kind == 5:
        return (part() * constant + part()).alu(
            random.choice((Op.IDIV, Op.MOD)), index_const(random.choice(CONSTANTS))
        )
    if kind == 6:
        inner, n = part(), random.choice((1, 2, 3, 4, 7, 12))
        return (inner // n) * n + inner % n
    if kind == 7:
        return random_bool(random, depth - 1).where(part(), part())
    if kind == 8:
        return part().cast(random.choice((dtypes.int32, dtypes.uint8))).cast(dtypes.index)
    if kind == 9:
        return -part()
    return part().alu(random.choice((Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.IDIV, Op.MOD, Op.ADD)), part())


def retype(root: Node, dtype: DType) -> Node:
    """The expression in the arithmetic of another dtype, over the same variables."""
    done: dict[Node, Node] = {}
    for node in root.toposort(lambda n: n.op is not Op.LOAD and n.op is not Op.RANGE):
        sources = tuple(done[s] if s in done else s.cast(dtype) for s in node.src)
        if node.op is Op.CONST:
            done[node] = const(node.arg, dtype) if node.dtype.is_int else node
        elif node.op is Op.CAST:
            done[node] = sources[0]
        else:
            done[node] = make(node.op, node.dtype if node.dtype.is_bool else dtype, sources, node.arg)
    return done[root] if root in done else root.cast(dtype)


def random_bool(random: Random, depth: int) -> Node:
    kind = random.randrange(10)
    if depth <= 0 or kind < 5:
        if random.randrange(12) == 0:
            return const(random.randrange(2), dtypes.bool_)
        left = random_integer(random, depth - 1)
        right = (
            random_integer(random, depth - 1)
            if random.randrange(2)
            else index_const(random.choice(CONSTANTS))
        )
        return left.alu(random.choice((Op.LT, Op.LE, Op.EQ, Op.NE)), right)
    left, right = random_bool(random, depth - 1), random_bool(random, depth - 1)
    if kind == 5:
        return ~left
    if kind == 6:
        return left.where(right, random_bool(random, depth - 1))
    return left.alu(random.choice((Op.AND, Op.OR, Op.AND, Op.OR, Op.XOR)), right)
