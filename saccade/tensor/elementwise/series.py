"""Sums of powers and of Chebyshev's polynomials, with which functions are approximated.

>>> polynomial(Tensor([2.0]), (1.0, 0.0, 3.0)).item()
13.0
"""

from __future__ import annotations

from typing import TypeVar

from .analysis import Analysis

S = TypeVar("S", bound=Analysis)


def chebyshev(u: S, coefficients: tuple[float, ...]) -> S:
    """A Chebyshev series at u in -1 to 1, by Clenshaw's recurrence."""
    b, before = u._constant(0.0), u._constant(0.0)
    for c in reversed(coefficients[1:]):
        b, before = 2 * u * b - before + c, b
    return u * b - before + coefficients[0]


def polynomial(u: S, coefficients: tuple[float, ...]) -> S:
    """c0 + c1 u + c2 u^2 + ..., by Horner."""
    total = u._constant(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = total * u + c
    return total


def even_powers(inverse: S, coefficients: tuple[float, ...]) -> S:
    """c0 + c1 inverse^2 + c2 inverse^4 + ..."""
    return polynomial(inverse * inverse, coefficients)
