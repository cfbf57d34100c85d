"""The gamma function, one element at a time: its logarithm and the derivatives of that.

float64 is computed in float64. So are derivatives of narrower types, rounded once; lgamma keeps its digits in
float32 (`_lgamma_narrow`). All of them are computed for one number on the right, x or its mirror image.

    >>> [round(value, 5) for value in Tensor([0.5, 10.0, -2.5]).lgamma().tolist()]
    [0.57236, 12.80183, -0.05624]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, Self

from ...graph import dtypes
from .analysis import Analysis
from .series import S, even_powers, polynomial

# The coefficients of 1/z, 1/z^3, ... in the series of Stirling, and of 1/z^2, 1/z^4, ... in its derivative;
# Bernoulli's numbers.
STIRLING: Final = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_DIGAMMA: Final = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
# From here on seven terms of those series are exact to float64's last places.
_SHIFT: Final = 9
# From here on three terms of STIRLING are exact to float32's last place. Up to there, from 0.5 on, log
# gamma(z) is (z - 1) (z - 2) times a polynomial in log z - _MIDDLE, interpolated at 9 nodes: relative error
# below 9e-9.
_NEAR: Final = 4.0
_MIDDLE: Final = 0.34657359
_LGAMMA_NEAR: Final = (
    0.49613404, -0.22272468, 0.032187436, -0.00060291955, -9.1586253e-06, -1.5502492e-05, -2.4370336e-05,
    3.523295e-06, 1.5619646e-06,
)  # fmt: skip
# sin(pi r) / r by r^2 up to 0.25, interpolated at 5 nodes: relative error below 7e-9
_SIN_OF_PI: Final = (3.14159264, -5.16771008, 2.55007739, -0.59829041, 0.077655912)
# Down to this - 0.5, log |gamma(x)| passes 0 between poles at many a float32: there 1 / gamma(x) is made
# of 1 / gamma(1 + r), r from -0.5 to 0.5, interpolated at 10 nodes: relative error below 1e-9.
_CLOSE: Final = -6
_RECIPROCAL: Final = (
    1.0, 0.5772156649, -0.6558781201, -0.04200262762, 0.1665401648, -0.04219797211, -0.00963938121,
    0.007221612914, -0.001085471114, -0.0002275377809,
)  # fmt: skip


class Gamma(Analysis):
    __slots__ = ()

    def _in_float64(self, function: Callable[[Self], Self]) -> Self:
        x = self._floating()
        return function(x.cast(dtypes.float64)).cast(x.dtype)

    def lgamma(self) -> Self:
        """log |gamma(x)|; inf at 0 and the negative integers."""
        wide = self._floating()
        x = wide.cast(wide.dtype.accumulator)
        end = x.abs().eq(math.inf)
        x = end._choose(1.0, x)
        beside, left = x.abs() < 0.5, x <= -0.5
        right = left._choose(-x, beside._choose(1 + x, x))
        right = right._lgamma_wide() if x.dtype is dtypes.float64 else right._lgamma_narrow()
        mirrored = left._choose(x, -0.75)._lgamma_left(right)
        # gamma(1 + x) = x gamma(x)
        value = right - beside._choose((x < 0)._choose(-x, x), 1.0).log()
        return end._choose(wide * wide, left._choose(mirrored, value).cast(wide.dtype))

    def _lgamma_left(self, right: Self) -> Self:
        """The same for x <= -0.5 from that of -x: gamma(x) gamma(-x) = -pi / (x sin(pi x))."""
        factor = self * (self - self.round())._sin_of_pi().abs() * (-1 / math.pi)
        if self.dtype is not dtypes.float64:
            close, exact = self > _CLOSE - 0.5, self._reciprocal_gamma()
            factor = close._choose(exact.cast(self.dtype), factor)
            lost = (exact - factor.cast(dtypes.float64)).cast(self.dtype)
            right = close._choose(lost / factor.eq(0)._choose(1.0, factor), right)
        return -(right + factor.log())

    def _reciprocal_gamma(self) -> Self:
        """|1 / gamma(x)| in float64 of a float32 in -6.5 to -0.5, by sums and products alone."""
        whole = self.round()
        r = (self - whole).cast(dtypes.float64)
        value = r.abs() * polynomial(r, _RECIPROCAL)
        for k in range(1, 1 - _CLOSE):
            value = value * (whole <= -k)._choose(k - r, 1.0)
        return value

    def _lgamma_narrow(self) -> Self:
        """log gamma(z) for z >= 0.5 in float32: with factors that are 0 where it is, and by Stirling's series
        beyond, which takes no two large numbers from each other."""
        log, inverse = self.log(), 1 / self
        near = self.clamp_max(_NEAR)
        near = (near - 1) * (near - 2) * polynomial(log - _MIDDLE, _LGAMMA_NEAR)
        rest = 0.5 * math.log(2 * math.pi) - 0.5 + inverse * even_powers(inverse, STIRLING[:3])
        return (self < _NEAR)._choose(near, (self - 0.5) * (log - 1) + rest)

    def _lgamma_wide(self) -> Self:
        """log gamma(z) for z >= 0.5: Stirling's series at z + 9, less the factors in between."""
        z, factors = self + _SHIFT, self
        for step in range(1, _SHIFT):
            factors = factors * (self + step)
        # beyond this the product of the factors would overflow, and they no longer matter
        large = self > 1e15
        z, below = large._choose(self, z), large._choose(0.0, factors.log())
        inverse = 1 / z
        return (
            (z - 0.5) * z.log()
            - z
            + 0.5 * math.log(2 * math.pi)
            + inverse * even_powers(inverse, STIRLING)
            - below
        )

    def digamma(self) -> Self:
        """The derivative of log gamma; NaN at the negative integers, infinite at 0."""

        def function(x: Self) -> Self:
            zero, left = x.eq(0), x < 0.5
            beside = left._choose(zero._choose(0.25, x), 0.25)
            part = beside - beside.round()
            cotangent = (part * math.pi).cos() / part._sin_of_pi()
            right = left._choose(1 - beside, x)._digamma_right()
            mirrored = part.eq(0)._choose(math.nan, right - math.pi * cotangent)
            return zero._choose(-1 / zero._choose(x, 1.0), left._choose(mirrored, right))

        return self._in_float64(function)

    def _digamma_right(self) -> Self:
        z, below = self + _SHIFT, 1 / self
        for step in range(1, _SHIFT):
            below = below + 1 / (self + step)
        inverse = 1 / z
        value = z.log() - inverse * 0.5 - inverse * inverse * even_powers(inverse, _DIGAMMA) - below
        return self.eq(math.inf)._choose(math.inf, value)

    def _sin_of_pi(self) -> Self:
        """sin(pi x) for x in -0.5 to 0.5."""
        if self.dtype is dtypes.float64:
            return (self * math.pi).sin()
        return self * even_powers(self, _SIN_OF_PI)

    def polygamma(self, n: int) -> Self:
        """The derivative of order n of digamma; infinite at 0 and the negative integers."""
        if n < 0:
            raise ValueError(f"polygamma needs an order of at least 0, not {n}")
        if n == 0:
            return self.digamma()
        sign = -1.0 if n % 2 == 0 else 1.0

        def function(x: Self) -> Self:
            left = x < 0.5
            beside, right = left._choose(x, 0.25), left._choose(0.75, x)
            away = beside - beside.round()
            pole = away.eq(0)
            beside, part = pole._choose(0.25, beside), pole._choose(0.25, away)
            cotangent = (part * math.pi).cos() / part._sin_of_pi()
            # the derivative of digamma(x) = digamma(1 - x) - pi cot(pi x)
            slope = _cotangent_derivative(cotangent, n) * (sign * math.pi ** (n + 1))
            mirrored = slope - (1 - beside)._zeta_sum(n)
            # at a pole the term of it alone, whose slope is infinite too
            beyond = pole._choose(pole._choose(away, 1.0) ** -(n + 1) * sign, mirrored)
            return left._choose(beyond, right._zeta_sum(n) * sign)

        return self._in_float64(function)

    def _zeta_sum(self, n: int) -> Self:
        """n! / x^(n+1) + n! / (x+1)^(n+1) + ... for x >= 0.5: nine terms, then Euler and Maclaurin."""
        z, total = self + _SHIFT, self._constant(0.0)
        factor = _factorial(n)
        for step in range(_SHIFT):
            total = total + factor * (self + step) ** -(n + 1)
        tail = _factorial(n - 1) * z**-n + factor / 2 * z ** -(n + 1)
        for k, bernoulli in enumerate(BERNOULLI, 1):
            tail = tail + bernoulli * _factorial(2 * k + n - 1) / _factorial(2 * k) * z ** -(2 * k + n)
        return total + tail


def _factorial(n: int) -> float:
    return float(math.factorial(n)) if n < 171 else math.inf


def _cotangent_derivative(cotangent: S, n: int) -> S:
    """(-1)^n times the n-th derivative of cot, a polynomial in cot: d/dx p(cot) = -p'(cot) (1 + cot^2)."""
    powers = [0.0, 1.0]
    for _ in range(n):
        slopes = [k * c for k, c in enumerate(powers)][1:]
        powers = [a + b for a, b in zip([*slopes, 0.0, 0.0], [0.0, 0.0, *slopes], strict=True)]
    total = cotangent._constant(0.0)
    for c in reversed(powers):
        total = total * cotangent + c
    return total
