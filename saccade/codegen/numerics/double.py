"""float64 functions as short expressions, so that they run in vectors and fuse, as those of float32 do
(`transcendental`).

    LOG(x)  ->  e log 2 + f - (f**2 / 2 - s (f**2 / 2 + p(s**2))),   x = (1 + f) 2**e,  s = f / (2 + f)

Each takes a float64 node and gives one, for every float64, with the special values of C. Powers, erf, tan and
inverse circular functions have no entry: they stay calls of the C library. `DOUBLE_FUNCTIONS` is the table
`decompose` uses, `DOUBLE_ERRORS_ULP` bounds the error of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ...graph import dtypes
from ...graph.node import Node, const
from ...graph.ops import Op
from .bits import bits_of, float_of, left, right, with_sign_of
from .transcendental import fma, in_pairs

_SIGN: Final = -(1 << 63)
_INFINITE: Final = math.inf
#: adding this rounds to an integer, which is then in the low bits of the sum
_ROUNDER: Final = 1.5 * 2.0**52
_LOG2_E: Final = 1 / math.log(2)
#: log 2 in two parts, of which the first has 41 bits: times an exponent it is exact
_LN2_HIGH: Final = 0.693147180559663
_LN2_LOW: Final = 2.8235290563031577e-13
#: (exp(r) - 1 - r) / r**2 on |r| <= log(2) / 2
_EXP: Final = (
    0.5000000000000001, 0.16666666666666669, 0.04166666666662413, 0.008333333333330062, 0.0013888888917213717,
    0.00019841269863053618, 2.4801521295954376e-05, 2.7557268459997064e-06, 2.7620088445409746e-07,
    2.510038549551032e-08,
)  # fmt: skip
#: (log(1 + f) / s - 2) / s**2 over s**2 for s = f / (2 + f), sqrt(1/2) - 1 <= f <= sqrt(2) - 1
_LOG: Final = (
    0.666666666666667, 0.39999999999899444, 0.2857142862600327, 0.22222211130259878, 0.18182889455674947,
    0.15331710618210773, 0.14616585424888623,
)  # fmt: skip
#: (sinh(x) / x - 1) / x**2 over x**2 on |x| <= 1
_SINH: Final = (
    0.16666666666666666, 0.008333333333333299, 0.00019841269841324198, 2.7557319191381816e-06,
    2.5052117695907823e-08, 1.6057679623801638e-10, 7.746178593018827e-13,
)  # fmt: skip
#: (sin(r) / r - 1) / r**2 and (cos(r) - 1 + r**2 / 2) / r**4 over r**2 on |r| <= pi/4
_SIN: Final = (
    -0.16666666666666666, 0.008333333333330936, -0.00019841269836740532, 2.7557316093198404e-06,
    -2.5051129896450185e-08, 1.5917988979397435e-10,
)  # fmt: skip
_COS: Final = (
    0.041666666666666664, -0.0013888888888887389, 2.48015872987544e-05, -2.755731726587808e-07,
    2.087614504941318e-09, -1.138254464534925e-11,
)  # fmt: skip
#: pi/2 in three parts, of which the first has 33 bits, and how far its multiples are exact
_HALF_PI: Final = (1.5707963267341256, 6.077100506506192e-11, 3.5215598651832e-27)
_FAR: Final = 2.0**20


def _d(value: float) -> Node:
    return const(value, dtypes.float64)


# --- exponentials


def _expm1_of_reduced(r: Node) -> Node:
    """exp(r) - 1 for |r| <= log(2) / 2."""
    return fma(r * r, in_pairs(r, _EXP), r)


def _reduced(x: Node, rounder: float) -> tuple[Node, Node]:
    """(the sum whose low bits hold n, x - n log 2) for n = round(x / log 2)."""
    shifted = fma(x, _LOG2_E, rounder)
    n = shifted - _d(rounder)
    return shifted, fma(n, -_LN2_LOW, fma(n, -_LN2_HIGH, x))


def _times_power(value: Node, shifted: Node) -> Node:
    """value * 2**n, where the low bits of `shifted` hold n + 2046; it may be subnormal or infinite."""
    bits = bits_of(shifted)
    half = right(bits, 1)
    return value * float_of(left(half, 52)) * float_of(left(bits - half, 52))


def exp(x: Node) -> Node:
    # the lower end is where the power is zero times zero: see `_NOTHING` of `transcendental`
    shifted, r = _reduced(x.maximum(_d(-2046 * math.log(2))).minimum(_d(710.0)), _ROUNDER + 2046)
    return _times_power(_expm1_of_reduced(r) + 1.0, shifted)


def exp2(x: Node) -> Node:
    x = x.maximum(_d(-2046.0)).minimum(_d(1025.0))
    shifted = x + (_ROUNDER + 2046)
    r = (x - (shifted - (_ROUNDER + 2046))) * math.log(2)
    return _times_power(_expm1_of_reduced(r) + 1.0, shifted)


def expm1(x: Node) -> Node:
    """2 (h p + h - 1/2) with h = 2**(n - 1) and p = exp(r) - 1, as in float32."""
    shifted, r = _reduced(x.maximum(_d(-38.0)).minimum(_d(710.0)), _ROUNDER + 1022)
    half = float_of(left(bits_of(shifted), 52))
    value = fma(half, _expm1_of_reduced(r), half - _d(0.5))
    return x.eq(0.0).where(x, value + value)


def _half_exp(x: Node) -> Node:
    """exp(x) / 2 for x >= 0, which is finite a little longer."""
    shifted, r = _reduced(x.minimum(_d(712.0)), _ROUNDER + 2046)
    return _times_power(_expm1_of_reduced(r) + 1.0, shifted - _d(1.0))


def sinh(x: Node) -> Node:
    magnitude = x.alu(Op.ABS)
    square = magnitude * magnitude
    small = fma(magnitude * square, in_pairs(square, _SINH), magnitude)
    e = _half_exp(magnitude)
    return with_sign_of((magnitude < 1.0).where(small, e - _d(0.25) / e), x)


def cosh(x: Node) -> Node:
    e = _half_exp(x.alu(Op.ABS))
    return e + _d(0.25) / e


def tanh(x: Node) -> Node:
    """t / (t + 2) with t = exp(2 |x|) - 1: an error of t counts less there than in t."""
    t = expm1(x.alu(Op.ABS).minimum(_d(22.0)) * 2.0)
    return with_sign_of(t / (t + 2.0), x)


# --- logarithms


def _exponent(bits: Node) -> Node:
    """e of m * 2**e with sqrt(1/2) <= m < sqrt(2), from the bits of a number that is not subnormal."""
    return right(bits - 0x3FE6A09E667F3BCD, 52)


def _float(e: Node) -> Node:
    return e.cast(dtypes.int32).cast(dtypes.float64)


def _split_exponent(x: Node) -> tuple[Node, Node]:
    """x = (1 + f) * 2**e as (f, e), subnormals included."""
    tiny = x < 2.0**-1022
    bits = bits_of(tiny.where(x * 2.0**54, x))
    e = _exponent(bits)
    return float_of(bits - left(e, 52)) - _d(1.0), _float(e) - tiny.where(_d(54.0), _d(0.0))


def _log_of_parts(f: Node, e: Node) -> Node:
    """log((1 + f) 2**e)."""
    s, half = f / (f + 2.0), f * f * 0.5
    square = s * s
    rest = fma(s, fma(square, in_pairs(square, _LOG), half), e * _LN2_LOW)
    return fma(e, _LN2_HIGH, f - (half - rest))


def _at_the_ends(x: Node, value: Node) -> Node:
    """log of 0, infinity, negative numbers and NaN. A constant chosen last would look like padding, which is
    branched around."""
    value = (_d(0.0) <= x).where(value, _d(math.nan))
    value = x.eq(_d(0.0)).where(_d(-_INFINITE), value)
    return x.eq(_d(_INFINITE)).where(x, value)


def log(x: Node) -> Node:
    return _at_the_ends(x, _log_of_parts(*_split_exponent(x)))


def log2(x: Node) -> Node:
    f, e = _split_exponent(x)
    return _at_the_ends(x, fma(_log_of_parts(f, _d(0.0)), _LOG2_E, e))


def log1p(x: Node) -> Node:
    """The logarithm of 1 + x and of what its rounding lost (a two-sum)."""
    total = x + 1.0
    added = total - _d(1.0)
    lost = (_d(1.0) - (total - added)) + (x - added)
    bits = bits_of(total)
    e = _exponent(bits)
    # of 2**100 and more nothing is lost that counts
    scale = float_of(left(const(1023, dtypes.int64) - e.minimum(const(100, dtypes.int64)), 52))
    f = fma(lost, scale, float_of(bits - left(e, 52)) - _d(1.0))
    return x.eq(0.0).where(x, _at_the_ends(total, _log_of_parts(f, _float(e))))


# --- circular functions


def _sin_or_cos(x: Node, op: Op) -> Node:
    """Octant by octant, as in float32, with what rounding took from r in a number of its own."""
    magnitude = x.alu(Op.ABS)
    shifted = fma(magnitude, 2 / math.pi, _ROUNDER)
    q = shifted - _d(_ROUNDER)
    first, second, third = _HALF_PI
    near, taken = fma(q, -first, magnitude), q * second
    r = near - taken
    tail = fma(q, -third, ((near - r) - taken) - fma(q, second, -taken))
    square = r * r
    sine = r + fma(r * square, in_pairs(square, _SIN), tail)
    half = square * 0.5
    one = _d(1.0) - half
    lost = (_d(1.0) - one) - half
    cosine = one + fma(square * square, in_pairs(square, _COS), fma(-r, tail, lost))
    quadrant = bits_of(shifted) if op is Op.SIN else bits_of(shifted) + 1
    sign = left(quadrant & 2, 62)
    if op is Op.SIN:
        sign = sign ^ (bits_of(x) & _SIGN)
    value = float_of(bits_of((quadrant & 1).ne(0).where(cosine, sine)) ^ sign)
    far = _d(_FAR) <= magnitude
    return far.where(far.where(x, _d(0.0)).alu(op), value)


def sin(x: Node) -> Node:
    value = _sin_or_cos(x, Op.SIN)
    return x.eq(0.0).where(x, value)


def cos(x: Node) -> Node:
    return _sin_or_cos(x, Op.COS)


DOUBLE_FUNCTIONS: Final[dict[Op, Callable[..., Node]]] = {
    Op.EXP: exp, Op.EXP2: exp2, Op.EXPM1: expm1, Op.SINH: sinh, Op.COSH: cosh, Op.TANH: tanh, Op.LOG: log,
    Op.LOG2: log2, Op.LOG1P: log1p, Op.SIN: sin, Op.COS: cos,
}  # fmt: skip

#: Largest errors of 40,000 numbers each against numbers of 160 bits, rounded up.
DOUBLE_ERRORS_ULP: Final[dict[Op, float]] = {
    Op.EXP: 1.1, Op.EXP2: 1.2, Op.EXPM1: 2.3, Op.SINH: 1.8, Op.COSH: 1.5, Op.TANH: 2.4, Op.LOG: 0.9, Op.LOG2:
    1.7, Op.LOG1P: 1.1, Op.SIN: 1.0, Op.COS: 1.0,
}  # fmt: skip
