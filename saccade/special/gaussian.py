"""The normal distribution and what it is made of, exact in both tails.

>>> ndtr(Tensor([0.0])).item(), f"{log_ndtr(Tensor([-40.0])).item():.6g}"
(0.5, '-804.608')
"""

from __future__ import annotations

import math
from typing import Final

from ..tensor.tensor import Tensor

_ROOT_HALF: Final = math.sqrt(0.5)
#: steps of Halley from a start that is good to 0.2 %: each gives three times as many digits
_STEPS: Final = 3


def erfcx(input: Tensor) -> Tensor:
    """exp(x^2) erfc(x): what is left of erfc without its decay."""
    return input._in_float64(_erfcx)


def _erfcx(x: Tensor) -> Tensor:
    left = x < 0
    right = left._choose(-x, x)._erfc_scaled()  # not |x|, whose slope at 0 is 0
    below = left._choose(x, 0.0)  # the square of the other half would have an infinite exponential
    return left._choose(2 * (below * below).exp() - right, right)


def ndtr(input: Tensor) -> Tensor:
    """The share of a standard normal distribution below x."""
    return input._in_float64(lambda x: (x * -_ROOT_HALF).erfc() * 0.5)


def log_ndtr(input: Tensor) -> Tensor:
    """log of `ndtr`, finite as far as x^2 is."""

    def function(x: Tensor) -> Tensor:
        lower = x < -1
        below = lower._choose(x, -1.0) * -_ROOT_HALF
        left = (below._erfc_scaled() * 0.5).log() - below * below
        right = ((lower._choose(-1.0, x) * _ROOT_HALF).erfc() * -0.5).log1p()
        return lower._choose(left, right)

    return input._in_float64(function)


def ndtri(input: Tensor) -> Tensor:
    """The x below which that share of a standard normal distribution lies; NaN outside of 0 to 1."""

    def function(p: Tensor) -> Tensor:
        upper = p > 0.5
        twice = 2 * upper._choose(1 - p, p)  # erfc of what is looked for, at most 1
        # near 1/2 the first terms of a series: there the root below has no slope
        middle = (p - 0.5).abs() < 1e-5
        q = ((twice <= 0) | middle)._choose(0.5, twice)
        log = (q * (2 - q)).log()
        half = 2 / (math.pi * 0.147) + log * 0.5
        z = ((half * half - log / 0.147).sqrt() - half).clamp(min=0).sqrt()
        for _ in range(_STEPS):
            # (erfc(z) - q) / erfc'(z), with both scaled by exp(z^2)
            error = (z._erfc_scaled() - q * (z * z).exp()) * (math.sqrt(math.pi) / -2)
            z = z - error / (1 + z * error)
        # at 0 and 1 value and slope are infinite
        pole = -twice.eq(0)._choose(twice, 1.0).log()
        z = twice.eq(0)._choose(pole, (twice < 0)._choose(math.nan, z))
        t = (p - 0.5) * math.sqrt(2 * math.pi)
        return middle._choose(t * (1 + t * t / 6), upper._choose(z, -z) / _ROOT_HALF)

    return input._in_float64(function)


def entr(input: Tensor) -> Tensor:
    """-x log(x), the part of an entropy: 0 at 0, and -inf below it."""
    inside = (input <= 0)._choose(1.0, input)
    rises = (input + input.abs()).sqrt()  # at 0 and -0 its value is 0 and its slope infinite, as that of entr
    ends = input.eq(0)._choose(rises, -math.inf)
    return (input <= 0)._choose(ends, -inside * inside.log())


__all__ = ["entr", "erfcx", "log_ndtr", "ndtr", "ndtri"]
