"""Functions the machine does not have, as arithmetic it has.

`decompose(sink)` rewrites float32 transcendentals to short polynomials after range reduction, so they run in vectors and fuse
like anything else. float64 ones stay calls of the C library; half types are computed in float32 and rounded once.

    EXP(x)  ->  2**n * p(x - n * log 2),  n = round(x / log 2)
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..graph import dtypes
from ..graph.node import Node, const, make
from ..graph.ops import ELEMENTWISE, Op


def decompose(sink: Node) -> Node:
    """The kernel with every function the device lacks replaced."""
    done: dict[Node, Node] = {}
    for node in sink.toposort():
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        done[node] = _replacement(made)
    return done[sink]


def _replacement(node: Node) -> Node:
    if node.dtype is dtypes.float32:
        rule = FLOAT32.get(node.op)
        return node if rule is None else rule(node.src[0])
    if node.op in ELEMENTWISE and node.op not in (Op.CAST, Op.BITCAST, Op.WHERE) and _is_half(node):
        return _in_float32(node)
    return node


def _is_half(node: Node) -> bool:
    return any(s.dtype.is_float and s.dtype.bits < 32 for s in node.src)


def _in_float32(node: Node) -> Node:
    """half op -> float32 op, rounded back: one rounding, as if the machine had the op."""
    wide = tuple(s.cast(dtypes.float32) if s.dtype.is_float else s for s in node.src)
    if not node.dtype.is_float:
        return make(node.op, node.dtype, wide, node.arg)
    return _replacement(make(node.op, dtypes.float32, wide, node.arg)).cast(node.dtype)


def _f(value: float) -> Node:
    return const(value, dtypes.float32)


def fma(a: Node, b: Node, c: Node) -> Node:
    return make(Op.FMA, a.dtype, (a, b, c))


def polynomial(x: Node, coefficients: tuple[float, ...]) -> Node:
    """Horner's rule, the constant first in `coefficients`."""
    result = const(coefficients[-1], x.dtype)
    for c in reversed(coefficients[:-1]):
        result = fma(result, x, const(c, x.dtype))
    return result


def _int(x: Node) -> Node:
    return x.cast(dtypes.int32)


def _bits(x: Node) -> Node:
    return make(Op.BITCAST, dtypes.int32, (x,))


def _power_of_two(n: Node) -> Node:
    """2**n as float32 for an integer -126 <= n <= 127."""
    shifted = (n + 127).alu(Op.SHL, const(23, dtypes.int32))
    return make(Op.BITCAST, dtypes.float32, (shifted,))


def _scale(x: Node, n: Node) -> Node:
    """x * 2**n in two steps, so that results may be subnormal or infinite."""
    half = n.alu(Op.SHR, const(1, dtypes.int32))
    return x * _power_of_two(half) * _power_of_two(n - half)


#: (exp(r) - 1 - r) / r**2 on |r| <= log(2) / 2, relative error of exp under 3e-9
_EXP = (0.500000001429109, 0.16666573358081616, 0.04166645677791456, 0.008363776466635116, 0.001393454452063287)
_LN2_HIGH, _LN2_LOW = 0.693145751953125, 1.42860677e-06


def exp(x: Node) -> Node:
    """float32 exp within 1 ulp or so; exact limits at both ends, NaN stays NaN."""
    x = x.maximum(_f(-104.0)).minimum(_f(89.0))
    n = (x * _f(1 / math.log(2))).alu(Op.ROUND)
    r = fma(n, _f(-_LN2_HIGH), x)
    r = fma(n, _f(-_LN2_LOW), r)
    value = fma(r * r, polynomial(r, _EXP), r) + _f(1.0)
    return _scale(value, _int(n))


def exp2(x: Node) -> Node:
    x = x.maximum(_f(-151.0)).minimum(_f(129.0))
    n = x.alu(Op.ROUND)
    r = (x - n) * _f(math.log(2))
    value = fma(r * r, polynomial(r, _EXP), r) + _f(1.0)
    return _scale(value, _int(n))


#: (log(1 + f) - f + f**2 / 2) / f**3 on sqrt(1/2) - 1 <= f <= sqrt(2) - 1
_LOG = (0.33333331190845944, -0.24999989048742352, 0.20000707478581362, -0.16668480239100944, 0.1424993652832354,
        -0.1241105068968512, 0.1166151111062494, -0.11571200705059126, 0.07149753760724949)  # fmt: skip


def _split_exponent(x: Node) -> tuple[Node, Node]:
    """x = m * 2**e with sqrt(1/2) <= m < sqrt(2), subnormals included; (m - 1, e as float)."""
    tiny = x < _f(2.0**-126)
    scaled = tiny.where(x * _f(2.0**24), x)
    shifted = _bits(scaled) - 0x3F3504F3  # the bits of sqrt(1/2)
    e = shifted.alu(Op.SHR, const(23, dtypes.int32))
    mantissa = make(Op.BITCAST, dtypes.float32, (_bits(scaled) - e.alu(Op.SHL, const(23, dtypes.int32)),))
    exponent = e.cast(dtypes.float32) - tiny.where(_f(24.0), _f(0.0))
    return mantissa - _f(1.0), exponent


def _at_the_ends(x: Node, value: Node) -> Node:
    """log of 0, infinity, negative numbers and NaN."""
    value = x.eq(_f(math.inf)).where(_f(math.inf), value)
    value = x.eq(_f(0.0)).where(_f(-math.inf), value)
    return (_f(0.0) <= x).where(value, _f(math.nan))


def log(x: Node) -> Node:
    """float32 natural logarithm."""
    f, e = _split_exponent(x)
    square = f * f
    value = fma(square * f, polynomial(f, _LOG), fma(square, _f(-0.5), e * _f(_LN2_LOW))) + f
    return _at_the_ends(x, fma(e, _f(_LN2_HIGH), value))


def log2(x: Node) -> Node:
    f, e = _split_exponent(x)
    square = f * f
    value = fma(square * f, polynomial(f, _LOG), square * _f(-0.5)) + f
    return _at_the_ends(x, fma(value, _f(1 / math.log(2)), e))


FLOAT32: dict[Op, Callable[[Node], Node]] = {Op.EXP: exp, Op.EXP2: exp2, Op.LOG: log, Op.LOG2: log2}
