"""Hurwitz's zeta function, the sum of 1 / (q + k)^x over k = 0, 1, 2, ...

>>> [round(zeta(Tensor([2.0]), q).item(), 6) for q in (1.0, 0.5, -0.5)]
[1.644934, 4.934802, 8.934802]

Right of q = 0: nine terms as they are, the others by Euler's and Maclaurin's formula. Left of it only whole x
have a real sum, and what lies left of 0 is a difference of two such sums: with f = q + m in (0, 1),

    zeta(x, q) = zeta(x, f) + (-1)^x (zeta(x, 1 - f) - zeta(x, 1 - q))
"""

from __future__ import annotations

import math
from typing import Final

from ..tensor.core import Operand
from ..tensor.elementwise.gamma import BERNOULLI
from ..tensor.tensor import Tensor

#: terms that are added one by one
TERMS: Final = 9
#: Bernoulli's numbers over their factorials, B_2k / (2k)!
_FACTORS: Final = tuple(number / math.factorial(2 * k) for k, number in enumerate(BERNOULLI, 1))


def zeta(input: Tensor, other: Operand) -> Tensor:
    """input is the exponent x and other is q: inf at x = 1 and at the poles q = 0, -1, ..., NaN for x < 1."""
    left, right = input._pair(other, floats=True)
    exponent, start = input._new(left), input._new(right)
    return _zeta(exponent.double(), start.double()).cast(exponent.dtype)


def _zeta(x: Tensor, q: Tensor) -> Tensor:
    above, pole = q > 0, (q <= 0) & q.eq(q.floor())
    mirror = ~above & ~pole & x.eq(x.floor()) & ~q.isnan()
    power = (x > 1)._choose(x.clamp_max(1e300), 2.0)
    right = _right(power, (above & ~q.isinf())._choose(q, 1.0))
    left = _left(power, mirror._choose(q, -0.5))
    value = above._choose(q.isinf()._choose(0.0, right), mirror._choose(left, math.nan))
    value = (x > 1)._choose(pole._choose(math.inf, value), math.nan)
    return (x.eq(1) & ~q.isnan())._choose(math.inf, value)


def _left(x: Tensor, q: Tensor) -> Tensor:
    """For a whole x > 1 and q < 0 that is no whole number."""
    part = q - q.floor()
    sign = 1 - 2 * (x - 2 * (x / 2).floor())
    return _right(x, part) + sign * (_right(x, 1 - part) - _right(x, 1 - q))


def _right(x: Tensor, q: Tensor) -> Tensor:
    """For x > 1 and q > 0."""
    total = q ** (-x)
    for step in range(1, TERMS):
        total = total + (q + step) ** (-x)
    z = q + TERMS
    last = z ** (-x)
    total = total + last * z / (x - 1) + last / 2
    term = last * x / z
    for k, factor in enumerate(_FACTORS):
        total = total + term * factor
        term = term * ((x + (2 * k + 1)) / z) * ((x + (2 * k + 2)) / z)
    return total


__all__ = ["zeta"]
