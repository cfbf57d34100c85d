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
from .bits import with_sign_of
from .double_circles import CIRCLES
from .exponents import ErrorFunction, Precision, at_the_ends, fma, in_pairs
from .transcendental import powers_at_the_ends

_INFINITE: Final = math.inf
#: log 2 in two parts, of which the first has 41 bits: times an exponent it is exact
_LN2: Final = (0.693147180559663, 2.8235290563031577e-13)
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


# --- exponentials and logarithms


def _expm1_of_reduced(r: Node) -> Node:
    return fma(r * r, in_pairs(r, _EXP), r)


def _log_of_parts(f: Node, e: Node) -> Node:
    s, half = f / (f + 2.0), f * f * 0.5
    square = s * s
    rest = fma(s, fma(square, in_pairs(square, _LOG), half), e * _LN2[1])
    return fma(e, _LN2[0], f - (half - rest))


DOUBLE: Final = Precision(
    dtypes.float64, places=52, bias=1023, split=0x3FE6A09E667F3BCD, ln2=_LN2, most=710.0, least=-38.0,
    lift=54, far=100, expm1_of_reduced=_expm1_of_reduced, log_of_parts=_log_of_parts,
)  # fmt: skip


def sinh(x: Node) -> Node:
    return DOUBLE.sinh(x, lambda square: in_pairs(square, _SINH))


def tanh(x: Node) -> Node:
    """t / (t + 2) with t = exp(2 |x|) - 1: an error of t counts less there than in t."""
    t = DOUBLE.expm1(x.alu(Op.ABS).minimum(_d(22.0)) * 2.0)
    return with_sign_of(t / (t + 2.0), x)


def log2(x: Node) -> Node:
    f, e = DOUBLE.split_exponent(x)
    return at_the_ends(x, fma(_log_of_parts(f, _d(0.0)), 1 / math.log(2), e))


def _exp2_of_fraction(f: Node) -> Node:
    return DOUBLE.exp_of_reduced(f * math.log(2))


erf: Final = ErrorFunction(DOUBLE, 1.0, 5.95, _ERF, _LOG2_ERFC, _LOG2_ERFC_SQUARE, _exp2_of_fraction)


# --- powers: an error of an exponent is one of the result, so that 745 has to have 64 bits


def _product(a: Node, b: Node) -> tuple[Node, Node]:
    """a * b and what it lacks."""
    high = a * b
    return high, fma(a, b, -high)


def _log_in_two(x: Node) -> tuple[Node, Node]:
    """log x of a finite x > 0, and what it lacks: 2 s (1 + s**2 / 3 + ...) + e log 2 for s = f / (2 + f)."""
    f, e = DOUBLE.split_exponent(x)
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
    twos = e * _LN2[0]
    first = twos + twice
    whole = first + cubes
    low = (twice - (first - twos)) + (cubes - (whole - first)) + (s_low + s_low)
    low = low + fma(e, _LN2[1], cubes_low)
    total = whole + low
    return total, low - (total - whole)


def _exp_of_both(x: Node, low: Node) -> Node:
    """exp(x + low) for a `low` far below x."""
    shift = 2 * DOUBLE.bias
    x = x.maximum(_d(-shift * math.log(2))).minimum(_d(DOUBLE.most))
    shifted, _ = DOUBLE.reduced(x, shift)
    n = shifted - _d(DOUBLE.rounder + shift)
    high, rest = fma(n, -_LN2[0], x), fma(n, -_LN2[1], low)
    r = high + rest
    return DOUBLE.times_power(fma(r * r, in_pairs(r, _EXP), (high - r) + rest) + r + 1.0, shifted)


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
    Op.EXP: DOUBLE.exp, Op.EXP2: DOUBLE.exp2, Op.EXPM1: DOUBLE.expm1, Op.SINH: sinh, Op.COSH: DOUBLE.cosh,
    Op.TANH: tanh, Op.LOG: DOUBLE.log, Op.LOG2: log2, Op.LOG1P: DOUBLE.log1p, Op.ERF: erf, Op.POW: pow,
    **CIRCLES,
}  # fmt: skip

#: Largest errors of 40,000 numbers each against numbers of 160 bits, rounded up.
DOUBLE_ERRORS_ULP: Final[dict[Op, float]] = {
    Op.EXP: 1.1, Op.EXP2: 1.2, Op.EXPM1: 2.3, Op.SINH: 1.8, Op.COSH: 1.5, Op.TANH: 2.4, Op.LOG: 0.9, Op.LOG2:
    1.7, Op.LOG1P: 1.1, Op.SIN: 1.0, Op.COS: 1.0, Op.TAN: 1.7, Op.ASIN: 2.0, Op.ACOS: 1.2, Op.ATAN: 1.9,
    Op.ATAN2: 1.9, Op.ERF: 1.1, Op.POW: 1.3,
}  # fmt: skip
