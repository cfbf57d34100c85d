"""Airy's function, the incomplete gamma functions and Hurwitz's zeta function beside SciPy's and torch's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, special

scipy_special = pytest.importorskip("scipy.special")
Array = np.ndarray[Any, Any]


def grid(first: Array, second: Array) -> tuple[Array, Array]:
    a, b = np.meshgrid(first, second)
    return a.ravel(), b.ravel()


def of(name: str, a: Array, b: Array) -> Array:
    """A function of as many places as other tests have, the same again and again: compiling one of these
    functions takes seconds, and one program serves them all."""
    places = 110 if name == "zeta" else 2400
    made = getattr(special, name)(Tensor(np.resize(a, places)), Tensor(np.resize(b, places))).numpy()
    count = min(len(a), places)
    np.testing.assert_array_equal(np.resize(made[:count], places), made)
    return np.asarray(made[:count])


def narrow_agrees(name: str, a: Array, b: Array) -> None:
    """float32 in, float32 out: the exact value, rounded once."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    made = getattr(special, name)(Tensor(a), Tensor(b))
    assert made.dtype.name == "float32"
    want = getattr(scipy_special, name)(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(made.numpy(), want, rtol=2e-7, atol=1e-37)


# --- Airy

AIRY = np.concatenate(
    [np.linspace(-40, 40, 1601), [-6.0, np.nextafter(-6, -7), 2.0, np.nextafter(2, 3), 103.0]]
)


def test_airy_beside_scipy() -> None:
    """On the left as good as beside the next extremum, on the right to the last places of a tiny number."""
    want = scipy_special.airy(AIRY)[0]
    swing = np.where(AIRY < 0, np.abs(AIRY).clip(1) ** -0.25, np.abs(want))
    error = np.abs(special.airy_ai(Tensor(AIRY)).numpy() - want)
    assert (error <= 1e-13 * swing + 1e-300).all()
    narrow = special.airy_ai(Tensor(AIRY.astype(np.float32)))
    assert narrow.dtype.name == "float32"
    once = scipy_special.airy(AIRY.astype(np.float32).astype(np.float64))[0]
    np.testing.assert_allclose(narrow.numpy(), once, rtol=2e-7, atol=1e-13)


def test_airy_at_its_ends_and_its_slope() -> None:
    assert special.airy_ai(Tensor([math.inf, -math.inf])).tolist() == [0.0, 0.0]
    assert math.isnan(special.airy_ai(Tensor([math.nan])).item())
    x = np.array([-30.0, -6.0, -5.9, -1.0, 0.0, 1.9, 2.0, 2.1, 30.0])
    slope = grad(lambda x: special.airy_ai(x).sum())(Tensor(x))
    np.testing.assert_allclose(slope.numpy(), scipy_special.airy(x)[1], rtol=1e-11, atol=1e-300)
    assert grad(lambda x: special.airy_ai(x).sum())(Tensor([math.inf, -math.inf])).tolist() == [0.0, 0.0]


# --- incomplete gamma functions

SHAPES = np.concatenate([10.0 ** np.arange(-10, 5.5, 0.5), [0.9, 1.4, 1.5, 1.6, 2.0, 9.9, 10.1, 20.0, 200.0]])
PLACES = np.array([1e-8, 1e-3, 0.05, 0.3, 0.7, 0.99, 1.0, 1.0001, 1.1, 1.4, 1.5, 1.6, 2.0, 3.0, 10.0])


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma_beside_scipy(name: str) -> None:
    """Places as shares of the shape, by themselves, and some widths of the distribution to both sides."""
    a, share = grid(SHAPES, PLACES)
    root = np.sqrt(a) * share
    x = np.concatenate([a * share, share, a + root, np.abs(a - root)])
    a = np.concatenate([a] * 4)
    want = getattr(scipy_special, name)(a, x)
    np.testing.assert_allclose(of(name, a, x), want, rtol=1e-11, atol=1e-290)
    keep = (a > 1e-6) & (x > 1e-6) & (want > 1e-30)
    narrow_agrees(name, a[keep], x[keep])


def test_incomplete_gamma_of_large_shapes() -> None:
    """Integrated in 60 digits. SciPy 1.17 and torch 2.13 have 3.57e-24 for the second."""
    a, x = np.array([1e7, 1e9, 1e9]), np.array([9968377.223398317, 999683772.2339832, 999000000.0])
    want = [6.856023602431435e-24, 7.5399586582069807e-24, 6.4322489509878705e-220]
    np.testing.assert_allclose(of("gammainc", a, x), want, rtol=1e-12)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma_at_its_ends(name: str) -> None:
    ends = np.array([0.0, 1.0, math.inf, -1.0, math.nan])
    a, x = grid(ends, ends)
    np.testing.assert_allclose(of(name, a, x), getattr(scipy_special, name)(a, x), rtol=1e-14)


def test_slopes_of_incomplete_gamma() -> None:
    """By x the density, as torch has it; by a, which torch has not, a small step."""
    a, x = grid(np.array([1e-3, 0.4, 1.5, 7.0, 30.0, 1e4]), np.array([0.2, 1.4, 1.6, 8.0, 29.0]))
    total = grad(lambda a, x: special.gammainc(a, x).sum(), argnums=(0, 1))
    by_a, by_x = (slope.numpy() for slope in total(Tensor(a), Tensor(x)))
    density = np.exp(scipy_special.xlogy(a - 1, x) - x - scipy_special.gammaln(a))
    np.testing.assert_allclose(by_x, density, rtol=1e-8, atol=1e-250)
    step = 1e-6 * a
    small = (scipy_special.gammainc(a + step, x) - scipy_special.gammainc(a - step, x)) / (2 * step)
    np.testing.assert_allclose(by_a, small, rtol=1e-5, atol=1e-7)


# --- zeta

EXPONENTS = np.array([1.0000001, 1.01, 1.5, 2.0, 3.0, 5.0, 7.5, 20.0, 50.0, 100.0])
STARTS = np.array([1e-5, 0.1, 0.5, 1.0, 1.5, 3.0, 10.0, 30.0, 100.0, 1e4, 1e9])


def test_zeta_beside_scipy() -> None:
    x, q = grid(EXPONENTS, STARTS)
    want = scipy_special.zeta(x, q)
    np.testing.assert_allclose(of("zeta", x, q), want, rtol=1e-14)
    keep = (x > 1.001) & (want < 1e38) & (want > 1e-30)
    narrow_agrees("zeta", x[keep], q[keep])
    np.testing.assert_allclose(
        special.zeta(Tensor([2.0, 3.0, 4.0, 5.0], dtype="float64"), -7.3).numpy(),
        scipy_special.zeta([2.0, 3.0, 4.0, 5.0], -7.3),
        rtol=1e-13,
    )


def test_zeta_at_its_ends() -> None:
    x = np.array([1.0, 1.0, 0.5, 2.5, 3.0, 3.0, 3.0, 2.0, 2.0, math.nan])
    q = np.array([2.0, -1.0, 1.0, -0.5, 0.0, -2.0, math.inf, -math.inf, math.nan, 1.0])
    np.testing.assert_array_equal(of("zeta", x, q), scipy_special.zeta(x, q))


def test_slope_of_zeta() -> None:
    """By q it is -x zeta(x + 1, q), also left of 0."""
    x, q = np.array([1.2, 2.0, 3.0, 6.5, 3.0]), np.array([0.3, 1.0, 25.0, 4.0, -2.6])
    slope = grad(lambda x, q: special.zeta(x, q).sum(), argnums=1)(Tensor(x), Tensor(q)).numpy()
    np.testing.assert_allclose(slope, -x * scipy_special.zeta(x + 1, q), rtol=1e-12)
