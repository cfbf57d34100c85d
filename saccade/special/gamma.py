"""The incomplete gamma functions P and Q, the shares of a gamma distribution below and above x; P + Q = 1.

>>> [round(f(Tensor([2.0]), 3.0).item(), 6) for f in (gammainc, gammaincc)]
[0.800852, 0.199148]

The smaller of the two is computed, the other is 1 less it. Up to x = 1.5 by power series. Beyond, with the
density D = x^a exp(-x) / gamma(a), the substitution t = x exp(-v) or t = x exp(v) makes an integral whose
integrand falls from 1 without ever rising:

    P = D int exp(-(a - x) v - x (exp(-v) - 1 + v)) dv        x <= a
    Q = D int exp(-(x - a) v - x (exp(v) - 1 - v)) dv         x > a

It ends where the exponent is 40, found by Newton's steps, and Gauss's and Legendre's nodes add it up.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..tensor.core import Operand
from ..tensor.elementwise.gamma import STIRLING
from ..tensor.elementwise.series import chebyshev, even_powers
from ..tensor.tensor import Tensor

#: up to this x power series, which have so many terms
NEAR, TERMS = 1.5, 26
#: the exponent at which the integral ends, and the nodes
LAST, NODES = 40.0, 64
#: from this a on Stirling's series says what gamma(a) is beside sqrt(2 pi / a) (a / e)^a
LARGE: Final = 10.0
# log(gamma(1 + a)) / a for a up to 1.5, a Chebyshev series in 4/3 a - 1: interpolated at 40 nodes
_LGAMMA: Final = (
    -0.15209263771660186, 0.37725823978509915, -0.040553436459911274, 0.006048374356480982,
    -0.0010301407799999565, 0.00018818398569440947, -3.586222243014715e-05, 7.0272313088072596e-06,
    -1.4041467356128028e-06, 2.8463664711028157e-07, -5.8339553914234415e-08, 1.2062444949818268e-08,
    -2.5119003035722097e-09, 5.261953371276932e-10, -1.1078432175882884e-10, 2.34257360595509e-11,
    -4.972232035202466e-12, 1.0589078693591086e-12, -2.2617962178670191e-13, 4.843993129762763e-14,
    -1.039908580476757e-14, 2.2373382425661662e-15, -4.823135393927262e-16, 1.0416358160229802e-16,
    -2.2533429741433158e-17, 4.882108842844404e-18,
)  # fmt: skip


def gammainc(input: Tensor, other: Operand) -> Tensor:
    """P(a, x), the regularised lower incomplete gamma function of a = input and x = other."""
    return _of_pair(input, other, lower=True)


def gammaincc(input: Tensor, other: Operand) -> Tensor:
    """Q(a, x) = 1 - P(a, x), the regularised upper incomplete gamma function."""
    return _of_pair(input, other, lower=False)


def _of_pair(input: Tensor, other: Operand, *, lower: bool) -> Tensor:
    left, right = input._pair(other, floats=True)
    a, x = input._new(left), input._new(right)
    return _share(a.double(), x.double(), lower).cast(a.dtype)


def _share(a: Tensor, x: Tensor, lower: bool) -> Tensor:
    inside = (a > 0) & (x > 0) & ~a.isinf() & ~x.isinf()
    shape, place = inside._choose(a, 1.0), inside._choose(x, 1.0)
    # where P is the smaller one, or nearly so; for small x that is where x^a is below 0.67
    middle = (place < 0.5)._choose(-0.4 / place.clamp_max(0.5).log(), place)
    below, near = middle <= shape, place <= NEAR
    smaller = near._choose(_by_series(shape, place, below), _by_integral(shape, place, below))
    wanted = below if lower else ~below
    value = wanted._choose(smaller, 1 - smaller)
    return inside._choose(value, _at_ends(a, x, lower))


def _at_ends(a: Tensor, x: Tensor, lower: bool) -> Tensor:
    """Where a or x is 0 or infinite; NaN where nothing is known, or where one of them is negative."""
    nothing = (x.eq(0) & (a > 0)) | (a.eq(math.inf) & (x >= 0) & ~x.isinf())
    everything = (a.eq(0) & (x > 0)) | (x.eq(math.inf) & (a >= 0) & ~a.isinf())
    none, all_ = (0.0, 1.0) if lower else (1.0, 0.0)
    return nothing._choose(none, everything._choose(a._constant(all_), math.nan))


def _by_series(a: Tensor, x: Tensor, below: Tensor) -> Tensor:
    """P where it is wanted, else Q; for x up to `NEAR`."""
    x = x.clamp_max(NEAR)
    # P = x^a / gamma(a + 1) (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...) exp(-x)
    small = below._choose(0.5, a).clamp_max(NEAR)
    term = total = a._constant(1.0)
    for n in range(1, TERMS):
        term = term * (x / (a + n))
        total = total + term
    lower = (a * x.log() - x - (a + 1).lgamma()).exp() * total
    # Q = 1 - x^a / gamma(a + 1) (1 + a (-x / (a + 1) + x^2 / (2! (a + 2)) - ...)), with 1 and x^a together
    log = small * (x.log() - chebyshev(4 / 3 * small - 1, _LGAMMA))
    power, rest = a._constant(1.0), a._constant(0.0)
    for n in range(1, TERMS):
        power = power * (x * (-1 / n))
        rest = rest + power / (small + n)
    upper = -log.expm1() - log.exp() * small * rest
    return below._choose(lower, upper)


def _by_integral(a: Tensor, x: Tensor, below: Tensor) -> Tensor:
    """P where x <= a, else Q; for x from `NEAR` on."""
    x = x.clamp_min(NEAR)
    sign = below._choose(-1.0, x._constant(1.0))
    slope = (x - a) * sign  # how fast the exponent rises at 0
    end = _end(slope.detach(), x.detach(), sign)
    nodes, weights = (Tensor(array, device=x.device) for array in _legendre())
    v = end.unsqueeze(-1) * nodes
    exponent = slope.unsqueeze(-1) * v + x.unsqueeze(-1) * _bend(v * sign.unsqueeze(-1))
    return _density(a, x) * end * ((-exponent).exp() * weights).sum(-1)


def _end(slope: Tensor, x: Tensor, sign: Tensor) -> Tensor:
    """Where slope v + x (exp(sign v) - 1 - sign v) is `LAST`, from a parabola's root on."""
    v = 2 * LAST / (slope + (slope * slope + 2 * LAST * x).sqrt())
    for _ in range(4):
        grown = (v * sign).exp()
        value = slope * v + x * _bend(v * sign) - LAST
        v = v - value / (slope + x * sign * (grown - 1))
    return v


def _bend(v: Tensor) -> Tensor:
    """exp(v) - 1 - v, exact near 0 too."""
    small = v.abs() < 0.5
    near, total = small._choose(v, 0.0), v._constant(0.0)
    for n in range(16, 1, -1):
        total = (total * near + 1) / n
    return small._choose(total * near * near, v.expm1() - v)


def _density(a: Tensor, x: Tensor) -> Tensor:
    """x^a exp(-x) / gamma(a); of a large a beside x^a and gamma(a) at x = a, which both overflow."""
    large = a > LARGE
    big, little = large._choose(a, LARGE), a.clamp_max(LARGE)
    inverse = 1 / big
    exponent = -big * _lag((x - big) * inverse) - inverse * even_powers(inverse, STIRLING)
    far = (big / (2 * math.pi)).sqrt() * exponent.exp()
    return large._choose(far, (little * x.log() - x - little.lgamma()).exp())


def _lag(u: Tensor) -> Tensor:
    """u - log(1 + u), exact near 0 too: with r = u / (2 + u), log(1 + u) = 2 (r + r^3 / 3 + ...)."""
    small = u.abs() < 0.3
    near = small._choose(u, 0.0)
    r = near / (2 + near)
    square, total = r * r, u._constant(0.0)
    for n in range(25, 1, -2):
        total = total * square + 1 / n
    return small._choose(near * r - 2 * r * square * total, u - u.log1p())


@cache
def _legendre() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights on 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2


__all__ = ["gammainc", "gammaincc"]
