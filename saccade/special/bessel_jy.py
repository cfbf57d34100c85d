"""Bessel functions of the first and second kind, of order 0 and 1.

>>> [round(f(Tensor([2.0])).item(), 6) for f in (bessel_j0, bessel_j1, bessel_y0, bessel_y1)]
[0.223891, 0.576725, 0.510376, -0.107032]

Up to 8 a Chebyshev series in x^2 / 32 - 1: of J itself, and of what is left of Y without its logarithm and
its pole, 2/pi (log(x) J0(x)) and 2/pi (log(x) J1(x) - 1/x). Beyond, with the phase p = x - pi/4 (order 0) or
x - 3 pi/4 (order 1), series in 2 (8/x)^2 - 1 of the slowly varying P and x Q (Hankel's form):

    J = sqrt(2 / (pi x)) (P cos p - Q sin p)        Y = sqrt(2 / (pi x)) (P sin p + Q cos p)

Sine and cosine of p come from those of x, so that no digit of a large x is lost to the difference.
"""

from __future__ import annotations

import math
from typing import Final

from ..tensor.elementwise.series import chebyshev
from ..tensor.tensor import Tensor

#: where the two forms meet
NEAR: Final = 8.0
_Series = tuple[float, ...]

# interpolated at 34 nodes up to 8, at 26 beyond, in 40 digits; terms below 2e-18 of the largest are left out
_J0_NEAR: Final = (
    0.15772797147489012, -0.008723442352852221, 0.2651786132033368, -0.37009499387264977,
    0.15806710233209725, -0.034893769411408884, 0.004819180069467605, -0.00046062616620627504,
    3.246032882100508e-05, -1.7619469077621507e-06, 7.608163592418782e-08, -2.679253530557673e-09,
    7.848696314479465e-11, -1.9438346867370164e-12, 4.125320595634374e-14, -7.588508125447546e-16,
    1.2218515873961411e-17,
)  # fmt: skip
_J1_NEAR: Final = (
    0.08104484632565812, -0.1489751450676521, 0.1609992623572097, -0.08268049176681791,
    0.022213639654966037, -0.003646940600769276, 0.0004050337728354822, -3.255554866857259e-05,
    1.9858774049915165e-06, -9.521984756750436e-08, 3.687133759097148e-09, -1.178026622695885e-10,
    3.160154580348003e-12, -7.221755239651773e-14, 1.4232144003513942e-15, -2.4441972916190464e-17,
    3.6912682997929334e-19,
)  # fmt: skip
_Y0_NEAR: Final = (
    -0.03314611320328494, -0.2744743055297453, 0.17903431407718265, 0.26156734625504663,
    -0.17730201278114358, 0.04719668959576339, -0.007287962479552079, 0.0007531135932577742,
    -5.632079141056987e-05, 3.206532537654801e-06, -1.44072332740187e-07, 5.248794787330516e-09,
    -1.5837552541812015e-10, 4.02633081830612e-12, -8.747341203310769e-14, 1.6434898714919468e-15,
    -2.6977881152566837e-17,
)  # fmt: skip
_Y1_NEAR: Final = (
    0.0025380132357417816, -0.01608717304766875, -0.09591204536083074, 0.08445197259652346,
    -0.028328123944594365, 0.005289897544167113, -0.0006414551451326356, 5.505982873338744e-05,
    -3.53808001868935e-06, 1.7707804556154404e-07, -7.11055004989928e-09, 2.344337905911516e-10,
    -6.4651518414115946e-12, 1.51429151205002e-13, -3.0511859694473254e-15, 5.34668038572867e-17,
    -8.224911372021585e-19,
)  # fmt: skip
_P0_FAR: Final = (
    0.9994603493475187, -0.0005365220468132117, 3.0751847875194745e-06, -5.1705945376060975e-08,
    1.6306464635151382e-09, -7.86409137723707e-11, 5.168262387349193e-12, -4.3045788699253914e-13,
    4.3265957431549404e-14, -5.069034095935236e-15, 6.748072215733873e-16, -1.0011513723467785e-16,
    1.630591923374416e-17, -2.8808661694828118e-18,
)  # fmt: skip
_Q0_FAR: Final = (
    -0.12444683684269607, 0.0005470815954089319, -5.9315987288485175e-06, 1.4377965798375193e-07,
    -5.817532749493056e-09, 3.376097523734991e-10, -2.565397936797308e-11, 2.404916100281365e-12,
    -2.6690625482579414e-13, 3.4041800321963686e-14, -4.87994410531204e-15, 7.729703176242603e-16,
    -1.3348852171502477e-16, 2.4865952389389522e-17, -4.952892629883997e-18, 1.0473158973711288e-18,
)  # fmt: skip
_P1_FAR: Final = (
    1.0009030408600137, 0.0008989898330859408, -3.987284300488908e-06, 6.177633960644299e-08,
    -1.8718907491063067e-09, 8.816898659582339e-11, -5.704863640395645e-12, 4.699195515230542e-13,
    -4.6842237839904895e-14, 5.452674896044717e-15, -7.221180842274018e-16, 1.0667689114335411e-16,
    -1.731231321611631e-17, 3.049299119766526e-18,
)  # fmt: skip
_Q1_FAR: Final = (
    0.3742222965562826, -0.0007702178839325664, 7.3108922063643636e-06, -1.676782510726674e-07,
    6.583354662120443e-09, -3.749090950541556e-10, 2.8121750359748866e-11, -2.61145253946232e-12,
    2.8774212663332235e-13, -3.649001916061838e-14, 5.206626366226707e-15, -8.215318025458593e-16,
    1.4141084390211793e-16, -2.626761589838427e-17, 5.219264919668814e-18, -1.1012617187812808e-18,
)  # fmt: skip


def bessel_j0(input: Tensor) -> Tensor:
    """The Bessel function of the first kind, of order 0."""
    return input._in_float64(_j0)


def bessel_j1(input: Tensor) -> Tensor:
    """The Bessel function of the first kind, of order 1."""
    return input._in_float64(_j1)


def bessel_y0(input: Tensor) -> Tensor:
    """The Bessel function of the second kind, of order 0: -inf at 0, NaN below."""

    def function(x: Tensor) -> Tensor:
        size, positive = _clear_of_zero(x)
        near = chebyshev(_near(size), _Y0_NEAR) + 2 / math.pi * size.log() * _j0(size)
        far = _wave(size, _P0_FAR, _Q0_FAR, order=0, second=True)
        return _at_zero(x, positive._choose((size <= NEAR)._choose(near, far), math.nan))

    return input._in_float64(function)


def bessel_y1(input: Tensor) -> Tensor:
    """The Bessel function of the second kind, of order 1: -inf at 0, NaN below."""

    def function(x: Tensor) -> Tensor:
        size, positive = _clear_of_zero(x)
        pole = 2 / math.pi * (size.log() * _j1(size) - 1 / size)
        near = chebyshev(_near(size), _Y1_NEAR) * size.clamp_max(NEAR) + pole
        far = _wave(size, _P1_FAR, _Q1_FAR, order=1, second=True)
        return _at_zero(x, positive._choose((size <= NEAR)._choose(near, far), math.nan))

    return input._in_float64(function)


def _j0(x: Tensor) -> Tensor:
    size = x.abs()
    near, far = chebyshev(_near(size), _J0_NEAR), _wave(size, _P0_FAR, _Q0_FAR, order=0)
    return (size <= NEAR)._choose(near, far)


def _j1(x: Tensor) -> Tensor:
    size = x.abs()
    near = chebyshev(_near(size), _J1_NEAR) * size.clamp_max(NEAR)
    whole = (size <= NEAR)._choose(near, _wave(size, _P1_FAR, _Q1_FAR, order=1))
    return (x < 0)._choose(-whole, whole)


def _near(size: Tensor) -> Tensor:
    """The variable of the series up to 8."""
    least = size.clamp_max(NEAR)
    return least * least / 32 - 1


def _wave(size: Tensor, even: _Series, odd: _Series, *, order: int, second: bool = False) -> Tensor:
    """Hankel's form beyond 8; 0 at infinity."""
    endless = size.isinf()
    x = endless._choose(NEAR, size.clamp_min(NEAR))
    u = 2 * (8 / x) * (8 / x) - 1
    sine, cosine = x.sin(), x.cos()
    # times sqrt(2): cos(x - pi/4) = (cos x + sin x) / sqrt(2), and a quarter of a turn further for order 1
    cos_p, sin_p = (cosine + sine, sine - cosine) if order == 0 else (sine - cosine, -sine - cosine)
    p, q = chebyshev(u, even), chebyshev(u, odd) / x
    wave = p * sin_p + q * cos_p if second else p * cos_p - q * sin_p
    return endless._choose(0.0, wave / (math.pi * x).sqrt())


def _clear_of_zero(x: Tensor) -> tuple[Tensor, Tensor]:
    """x where it is above 0, 1 elsewhere; and where that is (NaN stays)."""
    positive = x > 0
    return (positive | x.isnan())._choose(x, 1.0), positive


def _at_zero(x: Tensor, value: Tensor) -> Tensor:
    return x.eq(0)._choose(-math.inf, value)


__all__ = ["bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"]
