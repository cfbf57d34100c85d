"""Orthogonal polynomials of a whole degree, by their recurrences of three terms, in float64.

>>> legendre_polynomial_p(Tensor([0.5]), 2).tolist(), chebyshev_polynomial_t(Tensor([0.5]), 3).tolist()
([-0.125], [-1.0])
"""

from __future__ import annotations

from collections.abc import Callable

from ..tensor.tensor import Tensor

#: the polynomial of degree k + 1 from k, x, and those of degree k and k - 1
Next = Callable[[int, Tensor, Tensor, Tensor], Tensor]


def _degree(input: Tensor, n: int, first: Callable[[Tensor], Tensor], following: Next) -> Tensor:
    """0 for a degree below 0, as torch has it."""
    if not isinstance(n, int):
        raise TypeError(f"a polynomial has a whole degree, not {n!r}")

    def function(x: Tensor) -> Tensor:
        if n < 1:
            return x * 0 + (1.0 if n == 0 else 0.0)
        before, now = x * 0 + 1.0, first(x)
        for k in range(1, n):
            before, now = now, following(k, x, now, before)
        return now

    return input._in_float64(function)


def _doubled(k: int, x: Tensor, now: Tensor, before: Tensor) -> Tensor:
    return 2 * x * now - before


def chebyshev_polynomial_t(input: Tensor, n: int) -> Tensor:
    """T_n of the first kind: cos(n arccos(x))."""
    return _degree(input, n, lambda x: x, _doubled)


def chebyshev_polynomial_u(input: Tensor, n: int) -> Tensor:
    """U_n of the second kind."""
    return _degree(input, n, lambda x: 2 * x, _doubled)


def chebyshev_polynomial_v(input: Tensor, n: int) -> Tensor:
    """V_n of the third kind."""
    return _degree(input, n, lambda x: 2 * x - 1, _doubled)


def chebyshev_polynomial_w(input: Tensor, n: int) -> Tensor:
    """W_n of the fourth kind."""
    return _degree(input, n, lambda x: 2 * x + 1, _doubled)


def shifted_chebyshev_polynomial_t(input: Tensor, n: int) -> Tensor:
    """T_n for numbers from 0 to 1: T_n(2 x - 1)."""
    return chebyshev_polynomial_t(2 * input - 1, n)


def shifted_chebyshev_polynomial_u(input: Tensor, n: int) -> Tensor:
    """U_n(2 x - 1)."""
    return chebyshev_polynomial_u(2 * input - 1, n)


def shifted_chebyshev_polynomial_v(input: Tensor, n: int) -> Tensor:
    """V_n(2 x - 1)."""
    return chebyshev_polynomial_v(2 * input - 1, n)


def shifted_chebyshev_polynomial_w(input: Tensor, n: int) -> Tensor:
    """W_n(2 x - 1)."""
    return chebyshev_polynomial_w(2 * input - 1, n)


def hermite_polynomial_h(input: Tensor, n: int) -> Tensor:
    """H_n of the physicists."""
    return _degree(input, n, lambda x: 2 * x, lambda k, x, now, before: 2 * (x * now - k * before))


def hermite_polynomial_he(input: Tensor, n: int) -> Tensor:
    """He_n of probability theory."""
    return _degree(input, n, lambda x: x, lambda k, x, now, before: x * now - k * before)


def laguerre_polynomial_l(input: Tensor, n: int) -> Tensor:
    """L_n of Laguerre."""

    def following(k: int, x: Tensor, now: Tensor, before: Tensor) -> Tensor:
        return ((2 * k + 1 - x) * now - k * before) / (k + 1)

    return _degree(input, n, lambda x: 1 - x, following)


def legendre_polynomial_p(input: Tensor, n: int) -> Tensor:
    """P_n of Legendre."""

    def following(k: int, x: Tensor, now: Tensor, before: Tensor) -> Tensor:
        return ((2 * k + 1) * x * now - k * before) / (k + 1)

    return _degree(input, n, lambda x: x, following)


__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]
