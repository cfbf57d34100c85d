"""float64 functions as short expressions, so that they run in vectors and fuse, as those of float32 do
(`transcendental`).

    LOG(x)  ->  e log 2 + f - (f**2 / 2 - s (f**2 / 2 + p(s**2))),   x = (1 + f) 2**e,  s = f / (2 + f)

Each takes a float64 node and gives one, for every float64, with the special values of C. Circular functions
are in `double_circles`. `DOUBLE_FUNCTIONS` is the table `decompose` uses, `DOUBLE_ERRORS_ULP` bounds the
error of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ...graph import dtypes
from ...graph.node import Node, const
from ...graph.ops import Op
from .bits import bits_of, float_of, left, right, with_sign_of
from .double_circles import CIRCLES
from .transcendental import fma, in_pairs, powers_at_the_ends

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
#: a third in two parts, and (atanh(s) / s - 1 - s**2 / 3) / s**4 over s**2 for s as in `_LOG`
_THIRD: Final = (1 / 3, 1.850371707708594e-17)
_ATANH: Final = (
    0.2, 0.14285714285714682, 0.11111111110828116, 0.09090909167657202, 0.07692297485447729,
    0.06667402119112673, 0.05853124270461193, 0.058615255140488765,
)  # fmt: skip
#: exponents beyond this are 0 or infinity, whatever they lack
_FAR: Final = 800.0
#: (sinh(x) / x - 1) / x**2 over x**2 on |x| <= 1
_SINH: Final = (
    0.16666666666666666, 0.008333333333333299, 0.00019841269841324198, 2.7557319191381816e-06,
    2.5052117695907823e-08, 1.6057679623801638e-10, 7.746178593018827e-13,
)  # fmt: skip
#: erf(x) / x - 1 over x**2 on |x| <= 1
_ERF: Final = (
    0.12837916709551256, -0.37612638903183343, 0.1128379167093695, -0.026866170641958863,
    0.005223977596805735, -0.0008548325494918802, 0.0001205528105290451, -1.4924482021838778e-05,
    1.6444426938516248e-06, -1.6186680490254143e-07, 1.3630749318683878e-08, -7.63834242868811e-10,
)  # fmt: skip
#: log2(erfc(x)) on 0.98 <= x <= 5.95: a constant, the slope, and what x**2 is multiplied by
_LOG2_ERFC: Final = (-6.47237708225373e-07, -1.6279004326005222)
_LOG2_ERFC_SQUARE: Final = (
    -0.9184794462564813, -0.1481781773492339, 0.027412586961451713, 0.0005714080396251878,
    -0.002742605462585288, 0.0010947280178700105, -0.00018421088248380622, -3.4452662994979014e-05,
    3.494331534642972e-05, -1.3116004317882824e-05, 3.2248525070768746e-06, -5.641488227668247e-07,
    7.03082613803046e-08, -5.975580990239019e-09, 3.116057106589288e-10, -7.535715540286112e-12,
)  # fmt: skip


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


# --- the error function


def erf(x: Node) -> Node:
    """A series near 0; further out 1 - 2**q with q = log2(erfc(x)), as in float32."""
    magnitude = x.alu(Op.ABS).minimum(_d(5.95))
    square = magnitude * magnitude
    small = fma(magnitude, in_pairs(square, _ERF), magnitude)
    constant, slope = _LOG2_ERFC
    rest = fma(in_pairs(magnitude, _LOG2_ERFC_SQUARE), square, constant)
    shifted = fma(magnitude, slope, rest) + _d(_ROUNDER)
    # the fraction is taken from the parts of the exponent, which have more digits than their sum
    fraction = fma(magnitude, slope, rest - (shifted - _d(_ROUNDER)))
    power = _expm1_of_reduced(fraction * math.log(2)) + 1.0
    large = _d(1.0) - float_of(bits_of(power) + left(bits_of(shifted), 52))
    return with_sign_of((magnitude < 1.0).where(small, large), x)


# --- powers: an error of an exponent is one of the result, so that 745 has to have 64 bits


def _product(a: Node, b: Node) -> tuple[Node, Node]:
    """a * b and what it lacks."""
    high = a * b
    return high, fma(a, b, -high)


def _log_in_two(x: Node) -> tuple[Node, Node]:
    """log x of a finite x > 0, and what it lacks: 2 s (1 + s**2 / 3 + ...) + e log 2 for s = f / (2 + f)."""
    f, e = _split_exponent(x)
    below = f + 2.0
    lost = f - (below - 2.0)
    reciprocal = _d(1.0) / below
    s = f * reciprocal
    s_low = (fma(-s, below, f) - s * lost) * reciprocal
    square, square_low = _product(s, s)
    square_low = fma(s + s, s_low, square_low)
    series, series_low = _product(square, _d(_THIRD[0]))
    series_low = fma(square_low, _THIRD[0], fma(square, _THIRD[1], series_low))
    series_low = fma(square * square, in_pairs(square, _ATANH), series_low)
    twice = s + s
    cubes, cubes_low = _product(twice, series)
    cubes_low = fma(twice, series_low, fma(s_low + s_low, series, cubes_low))
    twos = e * _LN2_HIGH
    first = twos + twice
    whole = first + cubes
    low = (twice - (first - twos)) + (cubes - (whole - first)) + (s_low + s_low)
    low = low + fma(e, _LN2_LOW, cubes_low)
    total = whole + low
    return total, low - (total - whole)


def _exp_of_both(x: Node, low: Node) -> Node:
    """exp(x + low) for a `low` far below x."""
    x = x.maximum(_d(-2046 * math.log(2))).minimum(_d(710.0))
    shifted = fma(x, _LOG2_E, _ROUNDER + 2046)
    n = shifted - _d(_ROUNDER + 2046)
    high, rest = fma(n, -_LN2_HIGH, x), fma(n, -_LN2_LOW, low)
    r = high + rest
    return _times_power(fma(r * r, in_pairs(r, _EXP), (high - r) + rest) + r + 1.0, shifted)


def pow(x: Node, y: Node) -> Node:
    """exp(y log |x|), with the logarithm and its product with y in two numbers each."""
    magnitude = x.alu(Op.ABS)
    high, low = _log_in_two(magnitude)
    high = (magnitude < _d(_INFINITE)).where(high, magnitude)
    high = magnitude.eq(0.0).where(_d(-_INFINITE), high)
    power, power_low = _product(y, high)
    power_low = fma(y, low, power_low)
    power_low = (power.alu(Op.ABS) < _FAR).where(power_low, _d(0.0))
    return powers_at_the_ends(x, y, _exp_of_both(power, power_low))


DOUBLE_FUNCTIONS: Final[dict[Op, Callable[..., Node]]] = {
    Op.EXP: exp, Op.EXP2: exp2, Op.EXPM1: expm1, Op.SINH: sinh, Op.COSH: cosh, Op.TANH: tanh, Op.LOG: log,
    Op.LOG2: log2, Op.LOG1P: log1p, Op.ERF: erf, Op.POW: pow, **CIRCLES,
}  # fmt: skip

#: Largest errors of 40,000 numbers each against numbers of 160 bits, rounded up.
DOUBLE_ERRORS_ULP: Final[dict[Op, float]] = {
    Op.EXP: 1.1, Op.EXP2: 1.2, Op.EXPM1: 2.3, Op.SINH: 1.8, Op.COSH: 1.5, Op.TANH: 2.4, Op.LOG: 0.9, Op.LOG2:
    1.7, Op.LOG1P: 1.1, Op.SIN: 1.0, Op.COS: 1.0, Op.TAN: 1.7, Op.ASIN: 2.0, Op.ACOS: 1.2, Op.ATAN: 1.9,
    Op.ATAN2: 1.9, Op.ERF: 1.1, Op.POW: 1.3,
}  # fmt: skip
