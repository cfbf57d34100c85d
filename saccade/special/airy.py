"""Airy's function Ai: it decays on the right of 0 and swings on the left.

>>> [round(airy_ai(Tensor([x])).item(), 6) for x in (-2.0, 0.0, 2.0)]
[0.227407, 0.355028, 0.034924]

From -6 to 2 a Chebyshev series in x. Beyond, with z = 2/3 |x|^(3/2), series of what varies slowly:

    x > 2     Ai = exp(-z) R(1/z) / (2 sqrt(pi) x^(1/4))
    x < -6    Ai = (P(1/z^2) cos(z - pi/4) + Q(1/z^2) / z sin(z - pi/4)) / (sqrt(pi) |x|^(1/4))
"""

from __future__ import annotations

import math
from typing import Final

from ..tensor.elementwise.series import chebyshev
from ..tensor.tensor import Tensor

#: where the three forms meet
LEFT, RIGHT = -6.0, 2.0

# interpolated at 60, 60, 40 and 40 nodes in 50 digits; terms below 2e-18 of the largest are left out
_NEAR: Final = (
    0.07981034257083895, 0.13358598577835648, -0.12888154225314424, -0.08776265494035469,
    -0.11786513948317262, 0.2494019918868029, -0.035635245648797415, -0.12552960424978643,
    0.07658320862153278, 0.006539826099616935, -0.023099786059506074, 0.0075040528747347115,
    0.0017030155672010565, -0.001847967273977794, 0.0003517624295647609, 0.00013635466079863891,
    -8.308790360342944e-05, 8.894157813861605e-06, 5.884144160957906e-06, -2.388680332415851e-06,
    1.1078940909561706e-07, 1.625312951027347e-07, -4.7480935940319924e-08, -1.754949228512617e-10,
    3.144514394466578e-09, -6.872528750687637e-10, -3.432139716305899e-11, 4.5120269871187276e-11,
    -7.505023274955363e-12, -7.320391388335262e-13, 4.998060740578426e-13, -6.330395765884145e-14,
    -9.638462850616974e-15, 4.403519218800548e-15, -4.1759243545597107e-16, -9.31695346064716e-17,
    3.1579001128543586e-17, -2.1501848242997507e-18, -7.070866198007895e-19,
)  # fmt: skip
_RIGHT: Final = (
    0.9844053049171552, -0.014792784850104199, 0.0007327177465426715, -6.12595423417825e-05,
    6.83476697557269e-06, -9.237229735403982e-07, 1.436225340438052e-07, -2.489319422322096e-08,
    4.709793440054328e-09, -9.583863708112733e-10, 2.0745855483677591e-10, -4.737267332192277e-11,
    1.1336099808224236e-11, -2.827706782319351e-12, 7.320712095125598e-13, -1.9599793911089723e-13,
    5.4101162570683925e-14, -1.5356466802223836e-14, 4.472340393300025e-15, -1.3338094674756683e-15,
    4.066582046456231e-16, -1.265583225645289e-16, 4.015126334015871e-17, -1.2969972135960937e-17,
    4.2613499074124e-18,
)  # fmt: skip
_P_LEFT: Final = (
    0.9998088477395531, -0.00019041677962134863, 7.267968168417445e-07, -8.485426967529796e-09,
    1.9144545982950886e-10, -6.778493941405162e-12, 3.345666079656652e-13, -2.1345137724465704e-14,
    1.6718079441151791e-15, -1.5491724858625586e-16, 1.6524273492513008e-17,
)  # fmt: skip
_Q_LEFT: Final = (
    0.06925101122700861, -0.00019199395713168297, 1.4144485007348916e-06, -2.4076418454371364e-08,
    7.033135474188027e-10, -3.0199171290130837e-11, 1.73483636560491e-12, -1.2527799137757002e-13,
    1.0886384509119664e-14, -1.1026771285105438e-15, 1.2709996936013433e-16, -1.6365087007659018e-17,
    2.3195560389025733e-18, -3.5767506409927694e-19,
)  # fmt: skip


def airy_ai(input: Tensor) -> Tensor:
    """Airy's function Ai: 0 at both infinities."""
    return input._in_float64(_airy)


def _airy(x: Tensor) -> Tensor:
    between = x.clamp_min(LEFT).clamp_max(RIGHT)
    near = chebyshev((between - (LEFT + RIGHT) / 2) / ((RIGHT - LEFT) / 2), _NEAR)
    outside = (x < LEFT)._choose(_left(-x), (x > RIGHT)._choose(_right(x), near))
    return x.isinf()._choose(0.0, outside)


def _right(x: Tensor) -> Tensor:
    size = x.isinf()._choose(RIGHT, x.clamp_min(RIGHT))
    z = _z(size)
    series = chebyshev(2 * _z_at(RIGHT) / z - 1, _RIGHT)
    return (-z).exp() * series / (2 * math.sqrt(math.pi) * size.sqrt().sqrt())


def _left(size: Tensor) -> Tensor:
    size = size.isinf()._choose(-LEFT, size.clamp_min(-LEFT))
    z = _z(size)
    inverse = _z_at(-LEFT) / z
    u = 2 * inverse * inverse - 1
    # sine and cosine of z - pi/4, times sqrt(2)
    sine, cosine = z.sin() - z.cos(), z.sin() + z.cos()
    wave = chebyshev(u, _P_LEFT) * cosine + chebyshev(u, _Q_LEFT) / z * sine
    return wave / (math.sqrt(2 * math.pi) * size.sqrt().sqrt())


def _z(size: Tensor) -> Tensor:
    return 2 / 3 * (size * size.sqrt())


def _z_at(x: float) -> float:
    return 2 / 3 * x * math.sqrt(x)


__all__ = ["airy_ai"]
