"""Derivatives of elementwise ops: from a node y = f(a, b) and its cotangent g to g * df/da, g * df/db."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from ...graph.constants import constant_of
from ...graph.node import Node, Scalar, make
from ...graph.ops import Op
from ..terms import full

Parts = Sequence[Node | None]


def mul(a: Node, b: Node) -> Node:
    return a.alu(Op.MUL, b)


def times(a: Node, number: Scalar) -> Node:
    return mul(a, full(number, a))


def plus(a: Node, number: Scalar) -> Node:
    return a.alu(Op.ADD, full(number, a))


def div(a: Node, b: Node) -> Node:
    return a.alu(Op.DIV, b)


def neg(a: Node) -> Node:
    return make(Op.NEG, a.dtype, (a,), None)


def function(op: Op, a: Node) -> Node:
    return make(op, a.dtype, (a,), None)


def where(condition: Node, yes: Node, no: Node) -> Node:
    return condition.alu(Op.WHERE, yes, no)


def zeros(like: Node) -> Node:
    return full(0, like)


def is_zero(a: Node) -> Node:
    return a.alu(Op.EQ, zeros(a))


# --- of one operand


def _abs(y: Node, g: Node) -> Parts:
    x = y.src[0]
    falling = where(x.alu(Op.LT, zeros(x)), neg(g), zeros(g))
    return (where(zeros(x).alu(Op.LT, x), g, falling),)


def _one_minus_square(x: Node) -> Node:
    return full(1, x).alu(Op.SUB, mul(x, x))


def _one_plus_square(x: Node) -> Node:
    return plus(mul(x, x), 1)


def _root_below_one(x: Node) -> Node:
    return function(Op.SQRT, _one_minus_square(x))


def _cast(y: Node, g: Node) -> Parts:
    x = y.src[0]
    return (g.cast(x.dtype) if x.dtype.is_float else None,)


# --- of two


def _mod(y: Node, g: Node) -> Parts:
    a, b = y.src
    return g, neg(mul(g, function(Op.FLOOR, div(a, b))))


def _pow(y: Node, g: Node) -> Parts:
    """Where the exponent is 0 the base does not matter, and where the base is 0 the exponent does not."""
    a, b = y.src
    one_less = b.alu(Op.SUB, full(1, b))
    base = where(is_zero(b), zeros(g), mul(g, mul(b, a.alu(Op.POW, one_less))))
    nothing = is_zero(a).alu(Op.AND, zeros(b).alu(Op.LE, b))
    return base, where(nothing, zeros(g), mul(g, mul(y, function(Op.LOG, a))))


def _atan2(y: Node, g: Node) -> Parts:
    """At (0, 0), where there is no slope, it is 0 as in torch."""
    a, b = y.src
    square = mul(a, a).alu(Op.ADD, mul(b, b))
    square = where(is_zero(square), full(1, square), square)
    return div(mul(g, b), square), neg(div(mul(g, a), square))


def _extreme(y: Node, g: Node) -> Parts:
    """The operand that won has it all; of two that are equal, each half. A NaN wins over what is none."""
    a, b = y.src
    even = a.alu(Op.EQ, b)
    half, won = times(g, 0.5), a.alu(Op.EQ, y).alu(Op.OR, make(Op.ISNAN, even.dtype, (a,), None))
    return where(even, half, where(won, g, zeros(g))), where(even, half, where(won, zeros(g), g))


def _where(y: Node, g: Node) -> Parts:
    condition = y.src[0]
    return None, where(condition, g, zeros(g)), where(condition, zeros(g), g)


def _fma(y: Node, g: Node) -> Parts:
    a, b, _ = y.src
    return mul(g, b), mul(g, a), g


def _one(slope: Callable[[Node, Node, Node], Node]) -> Callable[[Node, Node], Parts]:
    """A derivative from x, y and g."""
    return lambda y, g: (slope(y.src[0], y, g),)


def _complex(y: Node, g: Node) -> Parts:
    part = y.dtype.part
    return make(Op.REAL, part, (g,)), make(Op.IMAG, part, (g,))


# --- 1 / (1 + exp(z)), however it was written


def logistic(y: Node) -> Node | None:
    """The node exp(z) where y is 1 / (1 + exp(z))."""
    below = y.src[0] if y.op is Op.RECIP else y.src[1] if y.op is Op.DIV and _is_one(y.src[0]) else None
    if below is None or below.op is not Op.ADD:
        return None
    for grown, one in (below.src, below.src[::-1]):
        if grown.op is Op.EXP and grown.dtype.is_float and _is_one(one):
            return grown
    return None


def _is_one(node: Node) -> bool:
    known = constant_of(node)
    return known is not None and known.arg == 1


def logistic_slope(y: Node, grown: Node, g: Node) -> Node:
    """Of z: -g y (y exp(z)). Where exp(z) is infinite y is 0, and their product has to be 0, not NaN.
    y (1 - y) would lose the digits of the slope where y is near 1."""
    dtype = y.dtype
    largest = (2.0 - 2.0**-dtype.mantissa_bits) * 2.0 ** ((1 << (dtype.exponent_bits - 1)) - 1)
    return neg(mul(mul(g, y), mul(y, grown.alu(Op.MIN, full(largest, grown)))))


# --- a / x^n, with a power that is a product


def power_below(y: Node, ends: frozenset[Node]) -> tuple[Node, int]:
    """x and n where y is a / x^n, the largest n up to 4 without going through what is wanted itself; n is 1
    where there is no power."""
    if y.op not in (Op.RECIP, Op.DIV) or not y.dtype.is_float:
        return y, 1
    return _whole_power(y.src[-1], ends)


def _whole_power(node: Node, ends: frozenset[Node], levels: int = 2) -> tuple[Node, int]:
    if node.op is Op.MUL and levels and node not in ends:
        (a, m), (b, n) = (_whole_power(source, ends, levels - 1) for source in node.src)
        if a is b:
            return a, m + n
    return node, 1


def slope_of_power_below(y: Node, x: Node, n: int, g: Node) -> Node:
    """Of x: -n g y / x, which is infinite at 0. By the product it would be infinity times 0."""
    return times(div(mul(g, y), x), -n)


#: to complex numbers and back: the two parts are two numbers
PARTS: Final[dict[Op, Callable[[Node, Node], Parts]]] = {
    Op.COMPLEX: _complex,
    Op.REAL: _one(lambda x, y, g: make(Op.COMPLEX, x.dtype, (g, zeros(g)))),
    Op.IMAG: _one(lambda x, y, g: make(Op.COMPLEX, x.dtype, (zeros(g), g))),
}
ELEMENTWISE: Final[dict[Op, Callable[[Node, Node], Parts]]] = {
    Op.NEG: lambda y, g: (neg(g),),
    Op.ABS: _abs,
    Op.SQRT: _one(lambda x, y, g: div(times(g, 0.5), y)),
    Op.RECIP: _one(lambda x, y, g: neg(mul(g, mul(y, y)))),
    Op.EXP: _one(lambda x, y, g: mul(g, y)),
    Op.EXP2: _one(lambda x, y, g: times(mul(g, y), math.log(2))),
    Op.LOG: _one(lambda x, y, g: div(g, x)),
    Op.EXPM1: _one(
        lambda x, y, g: mul(g, function(Op.EXP, x))
    ),  # y + 1 has lost its digits where y is near -1
    Op.LOG1P: _one(lambda x, y, g: div(g, plus(x, 1))),
    Op.LOG2: _one(lambda x, y, g: times(div(g, x), 1 / math.log(2))),
    Op.SIN: _one(lambda x, y, g: mul(g, function(Op.COS, x))),
    Op.COS: _one(lambda x, y, g: neg(mul(g, function(Op.SIN, x)))),
    Op.TAN: _one(lambda x, y, g: mul(g, _one_plus_square(y))),
    Op.ASIN: _one(lambda x, y, g: div(g, _root_below_one(x))),
    Op.ACOS: _one(lambda x, y, g: neg(div(g, _root_below_one(x)))),
    Op.ATAN: _one(lambda x, y, g: div(g, _one_plus_square(x))),
    Op.SINH: _one(lambda x, y, g: mul(g, function(Op.COSH, x))),
    Op.COSH: _one(lambda x, y, g: mul(g, function(Op.SINH, x))),
    Op.TANH: _one(lambda x, y, g: mul(g, _one_minus_square(y))),
    Op.ERF: _one(lambda x, y, g: mul(g, times(function(Op.EXP, neg(mul(x, x))), 2 / math.sqrt(math.pi)))),
    Op.CAST: _cast,
    Op.ADD: lambda y, g: (g, g),
    Op.SUB: lambda y, g: (g, neg(g)),
    Op.MUL: lambda y, g: (mul(g, y.src[1]), mul(g, y.src[0])),
    Op.DIV: lambda y, g: (div(g, y.src[1]), neg(div(mul(g, y), y.src[1]))),
    Op.MOD: _mod,
    Op.POW: _pow,
    Op.ATAN2: _atan2,
    Op.MAX: _extreme,
    Op.MIN: _extreme,
    Op.WHERE: _where,
    Op.FMA: _fma,
}
