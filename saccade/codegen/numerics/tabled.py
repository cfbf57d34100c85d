"""Functions of float32 by tables of sixteen numbers, for machines that pick each lane of a vector from a
register of them (AVX-512's vpermps): half the instructions of `transcendental`.

    ERF(x)  ->  a + d + d q(d),          d = |x| - c:  c, a = erf(c) and q belong to one of sixteen intervals
    LOG(x)  ->  e log 2 + l + log(1 + f),    x = m 2**e,  f = m r - 1:  r and l = -log(r) to one of sixteen

The points c and r were chosen so that erf(c) and log(r) are nearly numbers of float32 (within 1/128 of a
unit in the last place; Gal's accurate tables): what is added to them is small, so that one rounding counts.
`TABLED` has what is better than the function of the same op in `FUNCTIONS`; errors are within the same
bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...graph import dtypes
from ...graph.node import Node, const, make
from ...graph.ops import Op
from .bits import bits_of, float_of, left, right, with_sign_of
from .exponents import at_the_ends, fma, in_pairs

#: adding this rounds to an integer, which is then in the low bits of the sum
_ROUNDER: Final = 1.5 * 2.0**23
_LOG2_E: Final = 1.4426950408889634
_LN2_HIGH: Final = 0.693145751953125
_LN2_LOW: Final = 1.42860677e-06

#: intervals of this width on 0 <= x <= 15 of them, where erf(x) is 1
_WIDTH: Final = 0.2625
_CENTRES: Final = (
    0.0, 0.2602502405643463, 0.5233888626098633, 0.790529727935791, 1.0468342304229736, 1.3118680715560913,
    1.5720009803771973, 1.8383450508117676, 2.1011812686920166, 2.3613414764404297, 2.623945713043213,
    2.8902029991149902, 3.1488258838653564, 3.40877366065979, 3.678999900817871, 3.9375,
)  # fmt: skip
_ERF_THERE: Final = (
    0.0, 0.2871636152267456, 0.5408114194869995, 0.7364235520362854, 0.8612460494041443,
    0.9364411234855652, 0.9737939834594727, 0.9906725287437439, 0.9970366954803467, 0.9991605281829834,
    0.9997934103012085, 0.9999563694000244, 0.9999915361404419, 0.9999985694885254, 0.9999998211860657,
    1.0,
)  # fmt: skip
#: (erf(c + d) - erf(c)) / d - 1: the constant of each interval first, then what d is multiplied by, and so on
_ERF: Final = (
    (
        0.12837916612625122, 0.054484520107507706, -0.14200212061405182, -0.3959842324256897,
        -0.6228376626968384, -0.7981470227241516, -0.904669463634491, -0.9615628123283386,
        -0.986352264881134, -0.9957257509231567, -0.9988457560539246, -0.999734103679657,
        -0.9999442100524902, -0.9999898672103882, -0.9999985098838806, -0.9999998211860657,
    ),
    (
        1.126488058389441e-07, -0.2744297683238983, -0.44906651973724365, -0.47749239206314087,
        -0.39482641220092773, -0.26480451226234436, -0.1498597413301468, -0.0706607773900032,
        -0.02867639809846878, -0.010092915035784245, -0.0030286761466413736, -0.0007684276206418872,
        -0.0001756017591105774, -3.456733611528762e-05, -5.49531978322193e-06, -8.211401336666313e-07,
    ),
    (
        -0.376129150390625, -0.3038769066333771, -0.12931153178215027, 0.05030215159058571,
        0.1498163789510727, 0.1643107682466507, 0.1252814382314682, 0.07378493994474411,
        0.03562355414032936, 0.014460453763604164, 0.0049133626744151115, 0.0013878562022000551,
        0.0003460496955085546, 7.653476495761424e-05, 1.3600113561551552e-05, 7.270139121828834e-06,
    ),
    (
        -6.8391073000384495e-06, 0.13100290298461914, 0.18352468311786652, 0.13927675783634186,
        0.05318914353847504, -0.019503675401210785, -0.0485125295817852, -0.04427049681544304,
        -0.027864133939146996, -0.013713022693991661, -0.0054365661926567554, -0.0017553619109094143,
        -0.0004925286048091948, -0.00011658525909297168, -2.2039434043108486e-05, -3.831439244095236e-06,
    ),
    (
        0.11368007957935333, 0.07704198360443115, 0.0006426232866942883, -0.05846342444419861,
        -0.0666329488158226, -0.03914199769496918, -0.007398258429020643, 0.010382456704974174,
        0.012561202980577946, 0.008744470775127411, 0.0042438930831849575, 0.0017830436117947102,
        0.0006757093360647559, 8.530657214578241e-05, 4.909739800496027e-06, -0.00019630674796644598,
    ),
    (
        -0.00866925623267889, -0.040828026831150055, -0.04867013171315193, -0.021472087129950523,
        0.009125101380050182, 0.022043973207473755, 0.016564490273594856, 0.005494704470038414,
        -0.0014351597055792809, -0.0030965826008468866, -0.0022510222624987364, -0.0010895694140344858,
        -0.00041335111018270254, -0.00012566667282953858, -2.968721673823893e-05, -6.228593520063441e-06,
    ),
)  # fmt: skip
#: the bits at which m begins; its intervals are 2**19 apart, and the two on each side of 1 have r = 1
_FIRST: Final = 0x3F300000
_RECIPROCAL: Final = (
    1.4216372966766357, 1.362121820449829, 1.306156039237976, 1.2545300722122192, 1.2076818943023682,
    1.1628713607788086, 1.1225963830947876, 1.083974838256836, 1.0, 1.0, 1.0, 1.0, 0.8651540279388428,
    0.8202585577964783, 0.7797248363494873, 0.7447378039360046,
)  # fmt: skip
_LOG_THERE: Final = (
    -0.35180923342704773, -0.30904364585876465, -0.26708850264549255, -0.22676105797290802,
    -0.18870273232460022, -0.1508922576904297, -0.11564420163631439, -0.0806346908211708, 0.0, 0.0, 0.0,
    0.0, 0.14484772086143494, 0.19813567399978638, 0.248814195394516, 0.2947230637073517,
)  # fmt: skip
#: (log(1 + f) - f) / f**2 on -1/16 <= f <= 1/8
_LOG: Final = (
    -0.49999985098838806,
    0.33333468437194824,
    -0.25012415647506714,
    0.2000708431005478,
    -0.14457978308200836,
)


def _f(value: float) -> Node:
    return const(value, dtypes.float32)


def _pick(index: Node, numbers: tuple[float, ...]) -> Node:
    """One of sixteen numbers, by the low bits of an integer."""
    return make(Op.PICK, dtypes.float32, (index,), numbers)


def erf(x: Node) -> Node:
    magnitude = x.alu(Op.ABS).minimum(_f(15 * _WIDTH))
    index = bits_of(fma(magnitude, 1 / _WIDTH, _ROUNDER))
    d = magnitude - _pick(index, _CENTRES)
    slope = _pick(index, _ERF[-1])
    for numbers in reversed(_ERF[:-1]):
        slope = fma(slope, d, _pick(index, numbers))
    return with_sign_of(fma(d, slope, d) + _pick(index, _ERF_THERE), x)


def _logarithm(x: Node) -> tuple[Node, Node, Node, Node]:
    """(e, l, f, log(1 + f) - f) of x > 0, subnormals included."""
    tiny = x < _f(2.0**-126)
    bits = bits_of(tiny.where(x * _f(2.0**24), x))
    offset = bits - _FIRST
    e = right(offset, 23)
    index = right(offset, 19)
    f = fma(float_of(bits - left(e, 23)), _pick(index, _RECIPROCAL), -1.0)
    exponent = e.cast(dtypes.float32) - tiny.where(_f(24.0), _f(0.0))
    return exponent, _pick(index, _LOG_THERE), f, f * f * in_pairs(f, _LOG)


def log(x: Node) -> Node:
    e, there, f, rest = _logarithm(x)
    value = there + (fma(e, _LN2_LOW, f) + rest)
    return at_the_ends(x, fma(e, _LN2_HIGH, value))


def log2(x: Node) -> Node:
    e, there, f, rest = _logarithm(x)
    return at_the_ends(x, fma(there + (f + rest), _LOG2_E, e))


TABLED: Final[dict[Op, Callable[..., Node]]] = {Op.ERF: erf, Op.LOG: log, Op.LOG2: log2}
