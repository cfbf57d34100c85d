"""float32 functions as short expressions of the arithmetic every machine has, so they run in vectors and
fuse.

    EXP(x)  ->  2**n * (1 + r + r**2 * p(r)),   n = round(x / log 2),  r = x - n * log 2

Each function takes float32 nodes and gives a float32 node, for every float32: subnormals, infinities and NaN
as in C, and odd functions keep the sign of zero. Polynomials are minimax fits with coefficients rounded to
the type they are used in. `FUNCTIONS` is the table `decompose` uses; `ERRORS_ULP` bounds the error of each in
units of the last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ...graph import dtypes
from ...graph.node import Node, const, make
from ...graph.ops import Op
from .bits import bits_of, float_of, left, right, sign_bit, with_changed_sign, with_sign_of
from .exponents import ErrorFunction, Precision, at_the_ends, fma, in_pairs, polynomial

_INFINITY: Final = math.inf


def _f(value: float) -> Node:
    return const(value, dtypes.float32)


def _i(value: int) -> Node:
    return const(value, dtypes.int32)


def _abs(x: Node) -> Node:
    return x.alu(Op.ABS)


# --- exponentials and logarithms

#: (exp(r) - 1 - r) / r**2 on |r| <= log(2) / 2, relative error of exp under 3e-9
_EXP: Final = (
    0.500000001429109, 0.16666573358081616, 0.04166645677791456, 0.008363776466635116, 0.001393454452063287,
)  # fmt: skip
#: (log(1 + f) - f + f**2 / 2) / f**3 on sqrt(1/2) - 1 <= f <= sqrt(2) - 1
_LOG: Final = (
    0.33333331190845944, -0.24999989048742352, 0.20000707478581362, -0.16668480239100944, 0.1424993652832354,
    -0.1241105068968512, 0.1166151111062494, -0.11571200705059126, 0.07149753760724949,
)  # fmt: skip
_LN2: Final = (0.693145751953125, 1.42860677e-06)


def _expm1_of_reduced(r: Node) -> Node:
    return fma(r * r, polynomial(r, _EXP), r)


def _log_of_parts(f: Node, e: Node) -> Node:
    square = f * f
    value = fma(square * f, in_pairs(f, _LOG), fma(square, -0.5, e * _f(_LN2[1]))) + f
    return fma(e, _LN2[0], value)


SINGLE: Final = Precision(
    dtypes.float32, places=23, bias=127, split=0x3F3504F3, ln2=_LN2, most=89.0, least=-18.0, lift=24, far=64,
    expm1_of_reduced=_expm1_of_reduced, log_of_parts=_log_of_parts,
)  # fmt: skip


def _small_exp(x: Node) -> Node:
    """exp(x) for -80 < x <= 0, where n can simply be added to the exponent."""
    shifted, r = SINGLE.reduced(x, 0)
    return float_of(bits_of(SINGLE.exp_of_reduced(r)) + left(bits_of(shifted), 23))


def log2(x: Node) -> Node:
    f, e = SINGLE.split_exponent(x)
    square = f * f
    value = fma(square * f, in_pairs(f, _LOG), square * _f(-0.5)) + f
    return at_the_ends(x, fma(value, 1 / math.log(2), e))


# --- circular functions

#: Beyond this, quotients by pi/2 have too many digits for three float32 constants, and `far` takes over.
_FAR: Final = 2.0**17
#: pi/2 in three parts, all of one sign so that zero keeps its own
_HALF_PI: Final = (1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15)
#: (sin(r) / r - 1) / r**2 and (cos(r) - 1 + r**2 / 2) / r**4 over r**2 on |r| <= pi/4
_SIN: Final = (-0.1666666716337204, 0.008333379402756691, -0.00019853064441122115, 2.832508471328765e-06)
_COS: Final = (0.0416666679084301, -0.0013888980029150844, 2.4822014893288724e-05, -2.887982191168703e-07)


def _sin_or_cos(x: Node, op: Op) -> Node:
    """Octant by octant: r = x - q * pi/2, and q says which of the two series and which sign."""
    magnitude = _abs(x)
    shifted = fma(magnitude, 2 / math.pi, SINGLE.rounder)
    q = shifted - _f(SINGLE.rounder)
    r = magnitude
    for part in _HALF_PI:
        r = fma(q, -part, r)
    value = sine_or_cosine(r, bits_of(shifted), op)
    if op is Op.SIN:
        value = with_changed_sign(value, x)
    return or_far(op, x, value, _FAR)


def sine_or_cosine(r: Node, quarters: Node, op: Op) -> Node:
    """The function of quarters * pi/2 + r, for |r| <= pi/4 and the low bits of an integer."""
    square = r * r
    sine = fma(r * square, polynomial(square, _SIN), r)
    cosine = fma(square * square, polynomial(square, _COS), fma(square, -0.5, 1.0))
    quadrant = quarters if op is Op.SIN else quarters + 1
    is_cosine = (quadrant & 1).ne(0)
    return float_of(bits_of(is_cosine.where(cosine, sine)) ^ left(quadrant & 2, 30))


def or_far(op: Op, x: Node, near: Node, limit: float) -> Node:
    """`near` below the limit, beyond it the device's own function, which is asked about zeros otherwise."""
    far = const(limit, x.dtype) <= _abs(x)
    return far.where(far.where(x, const(0.0, x.dtype)).alu(op), near)


def sin(x: Node) -> Node:
    return _sin_or_cos(x, Op.SIN)


def cos(x: Node) -> Node:
    return _sin_or_cos(x, Op.COS)


#: The same in float64, where two parts of pi/2 reach much further.
_TAN_FAR: Final = 2.0**45
_ROUNDER_64: Final = 1.5 * 2.0**52
_HALF_PI_64: Final = (1.5707963267948966, 6.123233995736766e-17)
_TAN: Final = (
    0.3333333183624732, 0.1333341102772147, 0.053954564097657004, 0.021985133696238824, 0.008329681465908376,
    0.00499620757187564, -0.000599508819030364, 0.0020427313713380934,
)  # fmt: skip


def tan(x: Node) -> Node:
    """In float64: tan magnifies the error of its reduced argument."""
    wide = x.cast(dtypes.float64)
    shifted = fma(wide, 2 / math.pi, _ROUNDER_64)
    q = shifted - _ROUNDER_64
    r = wide
    for part in _HALF_PI_64:
        r = fma(q, -part, r)
    near = tangent(r, make(Op.BITCAST, dtypes.int64, (shifted,))).cast(dtypes.float32)
    return or_far(Op.TAN, x, near, _TAN_FAR)


def tangent(r: Node, quarters: Node) -> Node:
    """tan(quarters * pi/2 + r) in float64, for |r| <= pi/4 and the low bits of an integer."""
    square = r * r
    value = fma(r * square, polynomial(square, _TAN), r)
    return (quarters & 1).ne(0).where(const(-1.0, dtypes.float64) / value, value)


# --- inverse circular functions

_PI_2_HIGH: Final = 1.5707963705062866
_PI_2_LOW: Final = -4.371138828673793e-08
#: (asin(s) / s - 1) / s**2 over s**2 on |s| <= 1/2, (atan(t) / t - 1) / t**2 over t**2 on |t| <= 1
_ASIN: Final = (
    0.16666659712791443, 0.07500521838665009, 0.04451335221529007, 0.031839519739151, 0.014312203042209148,
    0.03770206868648529,
)  # fmt: skip
_ATAN: Final = (
    -0.333333283662796, 0.1999971568584442, -0.14280343055725098, 0.11061234027147293, -0.0882146880030632,
    0.06763673573732376, -0.04498372972011566, 0.022778121754527092, -0.007425646297633648,
    0.0011345873354002833,
)  # fmt: skip


def _half_angle(magnitude: Node) -> tuple[Node, Node]:
    """(is a over 1/2, b): asin(a) is b, or pi/2 - 2 b where a is over 1/2."""
    large = _f(0.5) < magnitude
    square = large.where((_f(1.0) - magnitude) * _f(0.5), magnitude * magnitude)
    s = large.where(square.alu(Op.SQRT), magnitude)
    return large, fma(s * square, polynomial(square, _ASIN), s)


def asin(x: Node) -> Node:
    large, part = _half_angle(_abs(x))
    return with_sign_of(large.where(fma(part, -2.0, _PI_2_HIGH) + _f(_PI_2_LOW), part), x)


def acos(x: Node) -> Node:
    return arc_cosine(x, *_half_angle(_abs(x)), (_PI_2_HIGH, _PI_2_LOW))


def arc_cosine(x: Node, large: Node, part: Node, quarter: tuple[float, float]) -> Node:
    """acos(x) by asin of its magnitude, which is `part`, or pi/2 - 2 part where that is `large`; `quarter`
    is pi/2 as a number and what it lacks."""
    high, low = quarter
    signed = with_changed_sign(part, x)
    double = signed + signed
    beyond = (x < 0.0).where(double + 2 * low + 2 * high, double)
    return large.where(beyond, const(high, x.dtype) - (signed - const(low, x.dtype)))


def _atan_below_one(t: Node) -> Node:
    square = t * t
    return fma(t * square, polynomial(square, _ATAN), t)


def atan(x: Node) -> Node:
    magnitude, one = _abs(x), _f(1.0)
    part = _atan_below_one(magnitude.minimum(one) / magnitude.maximum(one))
    steep = one < magnitude
    return with_sign_of(steep.where(_f(_PI_2_HIGH) - part + _f(_PI_2_LOW), part), x)


def atan2(y: Node, x: Node) -> Node:
    a, b = _abs(y), _abs(x)
    low, high = a.minimum(b), a.maximum(b)
    same = low.eq(high) & high.ne(0.0)  # infinity over infinity is 1 too
    ratio = same.where(_f(1.0), low / high.maximum(_f(2.0**-149)))
    turns, signed = quarter_turns(y, x, _atan_below_one(ratio))
    return with_sign_of(fma(turns, _PI_2_LOW, fma(turns, _PI_2_HIGH, signed)), y)


def quarter_turns(y: Node, x: Node, part: Node) -> tuple[Node, Node]:
    """Quarter turns to start from, and the angle back from there, of a point whose angle to the nearer axis
    is `part`: 0 + p, 1 - p, 2 - p, 1 + p."""
    steep, on_left = _abs(x) < _abs(y), bits_of(x) < 0
    one, two, zero = (const(n, x.dtype) for n in (1.0, 2.0, 0.0))
    turns = steep.where(one, on_left.where(two, zero))
    return turns, float_of((steep ^ on_left).where(bits_of(part) ^ sign_bit(x), bits_of(part)))


# --- hyperbolic functions and the error function

#: (sinh(x) / x - 1) / x**2 on |x| <= 1, (tanh(x) / x - 1) / x**2 on |x| <= 0.64, erf(x) / x - 1 on |x| <=
#: 0.93, all over x**2
_SINH: Final = (0.1666666716337204, 0.00833331048488617, 0.00019842895562760532, 2.782212277452345e-06)
_TANH: Final = (
    -0.3333333134651184, 0.13333211839199066, -0.05394637584686279, 0.021694554015994072,
    -0.008155154064297676, 0.002117810770869255,
)  # fmt: skip
_ERF: Final = (
    0.12837916612625122, -0.3761262893676758, 0.11283620446920395, -0.02685532532632351, 0.005191321950405836,
    -0.0008037816733121872, 7.950037979753688e-05,
)  # fmt: skip
#: log2(erfc(x)) on 0.98 <= x <= 4: a constant, the slope, and what x**2 is multiplied by
_LOG2_ERFC: Final = (-0.00040552837890572846, -1.6263912916183472)
_LOG2_ERFC_SQUARE: Final = (
    -0.9200897812843323, -0.14922364056110382, 0.03172525390982628, -0.0043058549053967,
    0.00027415432850830257,
)  # fmt: skip
#: (2**f - 1) / f on |f| <= 1/2
_EXP2_STEEP: Final = (
    0.6931471824645996, 0.24022647738456726, 0.05550359562039375, 0.00961849931627512, 0.0013390970416367054,
    0.00015329309098888189,
)  # fmt: skip


def sinh(x: Node) -> Node:
    return SINGLE.sinh(x, lambda square: polynomial(square, _SINH))


def tanh(x: Node) -> Node:
    """A series near 0; further out 1 - 2 e / (1 + e) with e = exp(-2 |x|), which cancels nothing there."""
    magnitude = _abs(x)
    square = magnitude * magnitude
    small = fma(magnitude * square, polynomial(square, _TANH), magnitude)
    e = _small_exp(magnitude.minimum(_f(10.0)) * _f(-2.0))
    large = fma(e / (e + _f(1.0)), -2.0, 1.0)
    return with_sign_of((magnitude < _f(0.62)).where(small, large), x)


def _exp2_of_fraction(f: Node) -> Node:
    return fma(in_pairs(f, _EXP2_STEEP), f, 1.0)


erf: Final = ErrorFunction(SINGLE, 0.98, 4.0, _ERF, _LOG2_ERFC, _LOG2_ERFC_SQUARE, _exp2_of_fraction)


# --- powers, in float64

#: (log2(m) - 2 s / log 2) / s**3 over s**2 for s = (m - 1) / (m + 1), and (2**f - 1) / f on |f| <= 1/2
_LOG2_64: Final = (
    0.9617966940589425, 0.5770779527338569, 0.4122084560296857, 0.31993229980801074, 0.2825780441024364,
)  # fmt: skip
_EXP2_64: Final = (
    0.6931471805424079, 0.2402265107674362, 0.055504109596671715, 0.00961803635306046, 0.0013333430922975737,
    0.00015467821187187036, 1.532367959864266e-05,
)  # fmt: skip


def _log2_in_float64(x: Node) -> Node:
    """log2 of a float64 that is not subnormal, with 40 bits."""
    bits = make(Op.BITCAST, dtypes.int64, (x,))
    e = right(bits - 0x3FE6A09E667F3BCD, 52)  # the bits of sqrt(1/2)
    mantissa = make(Op.BITCAST, dtypes.float64, (bits - left(e, 52),))
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square = s * s
    value = fma(s, 2 / math.log(2), s * square * polynomial(square, _LOG2_64))
    return value + e.cast(dtypes.int32).cast(dtypes.float64)


def _exp2_in_float64(x: Node) -> Node:
    """2**x for |x| < 1000."""
    shifted = x + _ROUNDER_64
    fraction = x - (shifted - _ROUNDER_64)
    value = fma(fraction, polynomial(fraction, _EXP2_64), 1.0)
    exponent = left(make(Op.BITCAST, dtypes.int64, (shifted,)), 52)
    return make(Op.BITCAST, dtypes.float64, (make(Op.BITCAST, dtypes.int64, (value,)) + exponent,))


def pow(x: Node, y: Node) -> Node:
    """x ** y with every special case of C's pow."""
    magnitude, wide_y = _abs(x), y.cast(dtypes.float64)
    log2_x = _log2_in_float64(magnitude.cast(dtypes.float64))
    log2_x = magnitude.eq(0.0).where(const(-_INFINITY, dtypes.float64), log2_x)
    log2_x = (magnitude < _f(_INFINITY)).where(log2_x, magnitude.cast(dtypes.float64))  # infinity and NaN
    power = (log2_x * wide_y).maximum(-200.0).minimum(200.0)
    return powers_at_the_ends(x, y, _exp2_in_float64(power).cast(dtypes.float32))


def powers_at_the_ends(x: Node, y: Node, value: Node) -> Node:
    """x ** y from |x| ** y: of negative and infinite numbers, 0, 1 and NaN as in C."""
    zero, infinity = const(0.0, x.dtype), const(_INFINITY, x.dtype)
    whole = y.alu(Op.FLOOR).eq(y)
    half = y * const(0.5, x.dtype)
    odd = whole & half.alu(Op.FLOOR).ne(half)
    value = (odd & (bits_of(x) < 0)).where(-value, value)
    undefined = (x < zero) & (-infinity < x) & ~whole
    value = undefined.where(const(math.nan, x.dtype), value)
    one = y.eq(0.0) | x.eq(1.0) | (x.eq(-1.0) & _abs(y).eq(infinity))
    return one.where(const(1.0, x.dtype), value)


FUNCTIONS: Final[dict[Op, Callable[..., Node]]] = {
    Op.EXP: SINGLE.exp, Op.EXP2: SINGLE.exp2, Op.LOG: SINGLE.log, Op.LOG2: log2, Op.SIN: sin, Op.COS: cos,
    Op.TAN: tan, Op.ASIN: asin, Op.ACOS: acos, Op.ATAN: atan, Op.ATAN2: atan2, Op.SINH: sinh,
    Op.COSH: SINGLE.cosh, Op.TANH: tanh, Op.ERF: erf, Op.POW: pow, Op.EXPM1: SINGLE.expm1,
    Op.LOG1P: SINGLE.log1p,
}  # fmt: skip

#: Largest errors measured against float64, rounded up: every fifth float32 of 2**-13 <= |x| < 2**19 and
#: samples of all others; for two operands six million pairs.
ERRORS_ULP: Final[dict[Op, float]] = {
    Op.EXP: 1.1, Op.EXP2: 1.1, Op.LOG: 0.9, Op.LOG2: 1.8, Op.SIN: 1.6, Op.COS: 1.6, Op.TAN: 1.1, Op.ASIN: 1.9,
    Op.ACOS: 1.1, Op.ATAN: 1.4, Op.ATAN2: 1.6, Op.SINH: 1.7, Op.COSH: 1.6, Op.TANH: 1.5, Op.ERF: 1.0, Op.POW:
    0.51, Op.EXPM1: 1.7, Op.LOG1P: 1.5,
}  # fmt: skip
