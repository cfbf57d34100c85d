"""Circular functions of float64 and their inverses, as short expressions: see `double`.

SIN(x)   ->  r + r**3 p(r**2) or its cosine, with a sign,   x = q pi/2 + r
ATAN(x)  ->  a + t + t**3 p(t**2),   where x is t, (1 + t) / (1 - t) or -1 / t, and a is 0, pi/4 or pi/2
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ...graph import dtypes
from ...graph.node import Node, const
from ...graph.ops import Op
from .bits import bits_of, float_of, left, sign_bit, with_changed_sign, with_sign_of
from .exponents import fma, in_pairs
from .transcendental import arc_cosine, or_far, quarter_turns

#: adding this rounds to an integer, which is then in the low bits of the sum
_ROUNDER: Final = 1.5 * 2.0**52
#: pi/2 in three parts, of which the first has 33 bits, and how far its multiples are exact
_HALF_PI: Final = (1.5707963267341256, 6.077100506506192e-11, 3.5215598651832e-27)
_FAR: Final = 2.0**20
#: (sin(r) / r - 1) / r**2, (cos(r) - 1 + r**2 / 2) / r**4 and (tan(r) / r - 1) / r**2 over r**2 on
#: |r| <= pi/4
_SIN: Final = (
    -0.16666666666666666, 0.008333333333330936, -0.00019841269836740532, 2.7557316093198404e-06,
    -2.5051129896450185e-08, 1.5917988979397435e-10,
)  # fmt: skip
_COS: Final = (
    0.041666666666666664, -0.0013888888888887389, 2.48015872987544e-05, -2.755731726587808e-07,
    2.087614504941318e-09, -1.138254464534925e-11,
)  # fmt: skip
_TAN: Final = (
    0.3333333333333278, 0.13333333333414168, 0.05396825392685651, 0.021869489604916827, 0.008863219217457061,
    0.0035922886285098612, 0.0014547605578413454, 0.0005950543399509909, 0.00022240932921707923,
    0.00013646654477474982, -2.6304960023766488e-05, 8.937911115243677e-05, -4.483763885520253e-05,
    2.085401853124002e-05,
)  # fmt: skip
#: (asin(s) / s - 1) / s**2 over s**2 on |s| <= 1/2, (atan(t) / t - 1) / t**2 over t**2 on |t| <= tan(pi/8)
_ASIN: Final = (
    0.16666666666665383, 0.07500000000342945, 0.04464285682354406, 0.03038195932924783, 0.022371753562247597,
    0.01735977062891503, 0.013884602264029685, 0.012173259887352789, 0.006510915726903754,
    0.019573789701271254, -0.016293970615287697, 0.03195894835251977,
)  # fmt: skip
_ATAN: Final = (
    -0.333333333333332, 0.19999999999953819, -0.1428571428022337, 0.11111110785047577, -0.09090897810577517,
    0.07692061203169993, -0.06663114496796618, 0.058479498227421794, -0.050394632171401686,
    0.038064446449958975, -0.017900988353740918,
)  # fmt: skip
#: pi/2 as a number and what it lacks
_PI_2_HIGH: Final = math.pi / 2
_PI_2_LOW: Final = 6.123233995736766e-17
#: tan(pi/8)
_EIGHTH: Final = math.sqrt(2) - 1


def _d(value: float) -> Node:
    return const(value, dtypes.float64)


def _reduced(magnitude: Node) -> tuple[Node, Node, Node]:
    """(the sum whose low bits hold q, r, what rounding took from r) for q = round(x / (pi/2))."""
    shifted = fma(magnitude, 2 / math.pi, _ROUNDER)
    q = shifted - _d(_ROUNDER)
    first, second, third = _HALF_PI
    near, taken = fma(q, -first, magnitude), q * second
    r = near - taken
    return shifted, r, fma(q, -third, ((near - r) - taken) - fma(q, second, -taken))


def _sin_or_cos(x: Node, op: Op) -> Node:
    """Octant by octant, as in float32."""
    shifted, r, tail = _reduced(x.alu(Op.ABS))
    square = r * r
    sine = r + fma(r * square, in_pairs(square, _SIN), tail)
    half = square * 0.5
    one = _d(1.0) - half
    lost = (_d(1.0) - one) - half
    cosine = one + fma(square * square, in_pairs(square, _COS), fma(-r, tail, lost))
    quadrant = bits_of(shifted) if op is Op.SIN else bits_of(shifted) + 1
    sign = left(quadrant & 2, 62)
    if op is Op.SIN:
        sign = sign ^ (bits_of(x) & sign_bit(x))
    value = float_of(bits_of((quadrant & 1).ne(0).where(cosine, sine)) ^ sign)
    return or_far(op, x, value, _FAR)


def sin(x: Node) -> Node:
    value = _sin_or_cos(x, Op.SIN)
    return x.eq(0.0).where(x, value)


def cos(x: Node) -> Node:
    return _sin_or_cos(x, Op.COS)


def tan(x: Node) -> Node:
    """The tangent of r, or -1 over it. What r lacks counts as the slope, 1 + tan(r)**2, says."""
    shifted, r, tail = _reduced(x.alu(Op.ABS))
    square = r * r
    cubic = r * square * in_pairs(square, _TAN)
    about = r + cubic
    value = r + (cubic + fma(about * about, tail, tail))
    odd = (bits_of(shifted) & 1).ne(0)
    value = odd.where(_d(-1.0), value) / odd.where(value, _d(1.0))
    return or_far(Op.TAN, x, x.eq(0.0).where(x, with_changed_sign(value, x)), _FAR)


def _half_angle(magnitude: Node) -> tuple[Node, Node, Node]:
    """(is a over 1/2, s, rest): asin(a) is s + rest, or pi/2 - 2 (s + rest) where a is over 1/2."""
    large = _d(0.5) < magnitude
    square = large.where((_d(1.0) - magnitude) * 0.5, magnitude * magnitude)
    s = large.where(square.alu(Op.SQRT), magnitude)
    return large, s, s * square * in_pairs(square, _ASIN)


def asin(x: Node) -> Node:
    large, s, rest = _half_angle(x.alu(Op.ABS))
    beyond = fma(s, -2.0, _PI_2_HIGH) - fma(rest, 2.0, -_PI_2_LOW)
    return with_sign_of(large.where(beyond, s + rest), x)


def acos(x: Node) -> Node:
    large, s, rest = _half_angle(x.alu(Op.ABS))
    return arc_cosine(x, large, s + rest, (_PI_2_HIGH, _PI_2_LOW))


def _atan_of_ratio(low: Node, high: Node) -> Node:
    """The angle whose tangent is low / high, for 0 <= low <= high: less than an eighth of a turn."""
    steep = high * _EIGHTH < low
    t = steep.where(low - high, low) / steep.where(low + high, high)
    square = t * t
    rest = t * square * in_pairs(square, _ATAN)
    return t + (rest + steep.where(_d(_PI_2_LOW / 2), _d(0.0))) + steep.where(_d(_PI_2_HIGH / 2), _d(0.0))


def atan(x: Node) -> Node:
    magnitude, one = x.alu(Op.ABS), _d(1.0)
    beyond = one < magnitude
    # 1 / x rather than infinities side by side
    part = _atan_of_ratio(beyond.where(one, magnitude), beyond.where(magnitude, one))
    return with_sign_of(beyond.where(_d(_PI_2_HIGH) - (part - _d(_PI_2_LOW)), part), x)


def atan2(y: Node, x: Node) -> Node:
    a, b = y.alu(Op.ABS), x.alu(Op.ABS)
    low, high = a.minimum(b), a.maximum(b)
    same = low.eq(high) & high.ne(0.0)  # infinity over infinity is 1 too
    scale = (_d(2.0**1000) < high).where(_d(2.0**-100), _d(1.0))  # low + high must be a number
    low, high = same.where(_d(1.0), low * scale), same.where(_d(1.0), (high * scale).maximum(2.0**-1074))
    turns, signed = quarter_turns(y, x, _atan_of_ratio(low, high))
    return with_sign_of(fma(turns, _PI_2_HIGH, fma(turns, _PI_2_LOW, signed)), y)


CIRCLES: Final[dict[Op, Callable[..., Node]]] = {
    Op.SIN: sin, Op.COS: cos, Op.TAN: tan, Op.ASIN: asin, Op.ACOS: acos, Op.ATAN: atan, Op.ATAN2: atan2,
}  # fmt: skip
