"""Arithmetic of complex numbers, written out on their real and imaginary parts when a graph is built.

    (a + bi) * (c + di)  ->  COMPLEX(a*c - b*d, a*d + b*c)

In: an op and the complex nodes it is applied to. Out: a node made of real ops. So gradients, jit and every
device have complex numbers without knowing them: the gradient of a real result for z is dL/da + i dL/db, as
in torch. What complex numbers do not have (an order, rounding, bits) raises a TypeError.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ...graph.constants import constant_of
from ...graph.monoid import Monoid
from ...graph.node import Node
from ...graph.ops import Op
from .. import build
from ..tensor import Tensor
from . import complex_functions as functions
from .complex_functions import both, joined

#: what a TypeError calls an op
_NAMES: Final = {
    Op.LT: "comparing by order", Op.LE: "comparing by order", Op.MAX: "the larger", Op.MIN: "the smaller",
    Op.MOD: "the remainder", Op.IDIV: "whole division", Op.TDIV: "whole division", Op.ATAN2: "atan2",
    Op.NOT: "inverting bits", Op.AND: "bitwise and", Op.OR: "bitwise or", Op.XOR: "bitwise xor",
    Op.FLOOR: "floor", Op.CEIL: "ceil", Op.TRUNC: "trunc", Op.ERF: "erf",
}  # fmt: skip


def elementwise(op: Op, *nodes: Node) -> Node:
    """The op on complex nodes of one dtype and shape."""
    rule = _RULES.get(op)
    if rule is None:
        what = _NAMES.get(op, op.name.lower())
        raise TypeError(f"{what} is not defined for {nodes[0].dtype.name}: use x.real, x.imag or abs(x)")
    return rule(*[Tensor._of(node) for node in nodes]).node


def function(name: str, node: Node) -> Node:
    """A function of complex numbers that is no op."""
    made: Tensor = getattr(functions, name)(Tensor._of(node))
    return made.node


# --- arithmetic


def _negative(z: Tensor) -> Tensor:
    a, b = both(z)
    return joined(-a, -b)


def _sum(z: Tensor, w: Tensor) -> Tensor:
    (a, b), (c, d) = both(z), both(w)
    return joined(a + c, b + d)


def _difference(z: Tensor, w: Tensor) -> Tensor:
    (a, b), (c, d) = both(z), both(w)
    return joined(a - c, b - d)


def _is_real(x: Tensor) -> bool:
    """Is an imaginary part known to be 0? Then an infinite real part does not make it NaN."""
    constant = constant_of(x.node)
    return constant is not None and constant.arg == 0


def _product(z: Tensor, w: Tensor) -> Tensor:
    (a, b), (c, d) = both(z), both(w)
    if _is_real(d):
        return joined(a * c, b * c)
    if _is_real(b):
        return joined(a * c, a * d)
    return joined(a * c - b * d, a * d + b * c)


def _quotient(z: Tensor, w: Tensor) -> Tensor:
    """Smith's: both are scaled by the larger part of the divisor, so that no square overflows."""
    (a, b), (c, d) = both(z), both(w)
    if _is_real(d):
        return joined(a / c, b / c)
    flat = d.abs() > c.abs()
    large, small = flat._choose(d, c), flat._choose(c, d)
    ratio = small / large
    scale = large + small * ratio
    re = flat._choose(a * ratio + b, b * ratio + a) / scale
    im = flat._choose(b * ratio - a, b - a * ratio) / scale
    nothing = large.eq(0)
    zero = nothing._choose(c.abs(), 1.0)  # 1 where it is not chosen: a part of 0 would make gradients NaN
    return joined(nothing._choose(a / zero, re), nothing._choose(b / zero, im))


def _reciprocal(z: Tensor) -> Tensor:
    return z._constant(1) / z


def _power(z: Tensor, w: Tensor) -> Tensor:
    """exp(w log z); of 0, what exponents make of it: 1, 0, or NaN where they are negative or turn."""
    (a, b), (c, d) = both(z), both(w)
    zero = a.eq(0) & b.eq(0)
    safe = joined(zero._choose(1.0, a), zero._choose(0.0, b))
    general = functions.exp(w * functions.log(safe))
    none = c.eq(0) & d.eq(0)
    of_zero = joined(none._choose(1.0, (c > 0)._choose(0.0, c._constant(math.nan))),
                     none._choose(0.0, (c > 0)._choose(0.0, c._constant(math.nan))))  # fmt: skip
    return zero._choose(of_zero, none._choose(z._constant(1), general))


def _equal(z: Tensor, w: Tensor) -> Tensor:
    (a, b), (c, d) = both(z), both(w)
    return a.eq(c) & b.eq(d)


def _different(z: Tensor, w: Tensor) -> Tensor:
    return ~_equal(z, w)


def _isnan(z: Tensor) -> Tensor:
    a, b = both(z)
    return a.isnan() | b.isnan()


_RULES: Final[dict[Op, Callable[..., Tensor]]] = {
    Op.NEG: _negative,
    Op.ADD: _sum,
    Op.SUB: _difference,
    Op.MUL: _product,
    Op.DIV: _quotient,
    Op.RECIP: _reciprocal,
    Op.POW: _power,
    Op.EQ: _equal,
    Op.NE: _different,
    Op.ISNAN: _isnan,
    Op.ABS: functions.length,
    Op.SQRT: functions.sqrt,
    Op.EXP: functions.exp,
    Op.EXP2: lambda z: functions.exp(z * math.log(2)),
    Op.EXPM1: functions.expm1,
    Op.LOG: functions.log,
    Op.LOG1P: functions.log1p,
    Op.LOG2: lambda z: functions.log(z) * (1 / math.log(2)),
    Op.ROUND: lambda z: joined(*[part.round() for part in both(z)]),
    Op.SIN: functions.sin,
    Op.COS: functions.cos,
    Op.TAN: functions.tan,
    Op.ASIN: functions.asin,
    Op.ACOS: functions.acos,
    Op.ATAN: functions.atan,
    Op.SINH: functions.sinh,
    Op.COSH: functions.cosh,
    Op.TANH: functions.tanh,
}


# --- along axes


def reduced(node: Node, monoid: Monoid, axes: tuple[int, ...]) -> Node:
    """A sum or a product over axes, which go away."""
    if not axes:
        return node
    if monoid.kind == "add":
        parts = (build.reduce(part, monoid, axes) for part in (build.real(node), build.imag(node)))
        return build.complex_(*parts)
    if monoid.kind != "mul":
        raise TypeError(f"{monoid.kind} is not defined for {node.dtype.name}: complex numbers have no order")
    z = Tensor._of(node)
    kept = [axis for axis in range(z.ndim) if axis not in axes]
    shape = tuple([z.shape[axis] for axis in kept])
    line = z.permute(*kept, *axes).reshape(*shape, math.prod([z.shape[axis] for axis in axes]))
    return _product_along(line).reshape(shape).node


def _product_along(z: Tensor) -> Tensor:
    """The product along the last axis, by halves: (..., n) -> (..., 1)."""
    while (n := z.shape[-1]) > 1:
        half = n // 2
        pairs = z.narrow(-1, 0, half) * z.narrow(-1, half, half)
        # stored: what is halved again would be computed twice for each half
        z = (z.cat([pairs, z.narrow(-1, n - 1, 1)], -1) if n % 2 else pairs).contiguous()
    return z if z.shape[-1] else Tensor.ones(*z.shape[:-1], 1, dtype=z.dtype)


def scanned(node: Node, monoid: Monoid, axis: int) -> Node:
    """Running sums or products along an axis."""
    if monoid.kind == "add":
        parts = (build.scan(part, monoid, axis) for part in (build.real(node), build.imag(node)))
        return build.complex_(*parts)
    if monoid.kind != "mul":
        raise TypeError(f"{monoid.kind} is not defined for {node.dtype.name}: complex numbers have no order")
    z, reach = Tensor._of(node), 1
    n = z.shape[axis]
    while reach < n:  # each element takes in the one as far before it as it has reached already
        later = z.narrow(axis, reach, n - reach) * z.narrow(axis, 0, n - reach)
        z = z.cat([z.narrow(axis, 0, reach), later], axis).contiguous()
        reach *= 2
    return z.node
