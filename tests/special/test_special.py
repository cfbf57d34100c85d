"""Special functions beside SciPy's, in float64, in float32, differentiated and at their ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, jit, special

scipy_special = pytest.importorskip("scipy.special")

WIDE = np.concatenate([np.linspace(-30, 30, 241), [-700.0, -90.0, -1e-9, 0.0, 1e-9, 90.0, 700.0]])
SHARES = np.concatenate([[1e-300, 1e-100, 1e-20, 1e-9], np.linspace(0.001, 0.999, 99), [1 - 1e-9]])
POSITIVE = np.concatenate([np.linspace(0.05, 30, 100), [1e-3, 400.0]])

FUNCTIONS: dict[str, tuple[Any, float]] = {
    "ndtr": (WIDE[WIDE > -38], 1e-12),
    "log_ndtr": (WIDE, 1e-12),
    "ndtri": (SHARES, 1e-12),
    "erfcx": (WIDE[WIDE > -20], 1e-12),
    "entr": (POSITIVE, 1e-14),
    "i0e": (WIDE, 1e-12),
    "i1": (WIDE, 1e-12),
    "i1e": (WIDE, 1e-12),
    "i0": (WIDE, 1e-12),
    "expit": (WIDE, 1e-12),
    "gammaln": (POSITIVE, 1e-12),
    "psi": (POSITIVE, 1e-12),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_beside_scipy(name: str) -> None:
    x, limit = FUNCTIONS[name]
    want = getattr(scipy_special, name)(x)
    np.testing.assert_allclose(getattr(special, name)(Tensor(x)).numpy(), want, rtol=limit, atol=1e-300)
    narrow = getattr(special, name)(Tensor(x.astype(np.float32)))
    assert narrow.dtype.name == "float32"
    with np.errstate(over="ignore"):
        once = getattr(scipy_special, name)(x.astype(np.float32).astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(narrow.numpy(), once, rtol=2e-7, atol=1e-38)


WAVES = np.concatenate([np.linspace(0.01, 60, 800), [1e-300, 1e-9, 8.0, np.nextafter(8.0, 9), 300.0]])
BESSEL: dict[str, tuple[str, float]] = {
    "bessel_j0": ("j0", 1e-14),
    "bessel_j1": ("j1", 1e-14),
    "bessel_y0": ("y0", 1e-14),
    "bessel_y1": ("y1", 1e-14),
    "modified_bessel_k0": ("k0", 0.0),
    "modified_bessel_k1": ("k1", 0.0),
    "scaled_modified_bessel_k0": ("k0e", 0.0),
    "scaled_modified_bessel_k1": ("k1e", 0.0),
}


@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions_beside_scipy(name: str) -> None:
    """Near a root, as good as beside the next extremum."""
    theirs, near_roots = BESSEL[name]
    ours, want = getattr(special, name), getattr(scipy_special, theirs)
    np.testing.assert_allclose(ours(Tensor(WAVES)).numpy(), want(WAVES), rtol=1e-12, atol=near_roots)
    narrow = WAVES[WAVES > 1e-30].astype(np.float32)
    once = want(narrow.astype(np.float64)).astype(np.float32)
    made = ours(Tensor(narrow))
    assert made.dtype.name == "float32"
    np.testing.assert_allclose(made.numpy(), once, rtol=2e-7, atol=near_roots or 1e-38)


@pytest.mark.parametrize("name", BESSEL)
def test_ends_of_bessel_functions(name: str) -> None:
    function = getattr(special, name)
    at_zero, below, far, missing = function(Tensor([0.0, -2.0, math.inf, math.nan])).tolist()
    assert math.isnan(missing)
    assert far == 0
    if "_j" in name:
        odd = name.endswith("1")
        assert at_zero == (0 if odd else 1)
        assert below == function(Tensor([2.0])).item() * (-1 if odd else 1)
    else:
        assert at_zero == (-math.inf if "_y" in name else math.inf)
        assert math.isnan(below)


def test_derivatives_of_bessel_functions() -> None:
    """J0' = -J1, Y0' = -Y1, K0' = -K1, on both sides of where two series meet."""
    x = Tensor(np.array([0.3, 1.9, 2.0, 2.1, 7.9, 8.0, 8.1, 25.0]))
    for name in ("bessel_j", "bessel_y", "modified_bessel_k"):
        zero, one = (getattr(special, name + order) for order in "01")
        slope = grad(lambda x, zero=zero: zero(x).sum())(x)
        np.testing.assert_allclose(slope.numpy(), -one(x).numpy(), rtol=1e-9, atol=1e-12)


POLYNOMIALS: dict[str, Callable[[int, Any], Any]] = {
    "chebyshev_polynomial_t": scipy_special.eval_chebyt,
    "chebyshev_polynomial_u": scipy_special.eval_chebyu,
    "shifted_chebyshev_polynomial_t": scipy_special.eval_sh_chebyt,
    "shifted_chebyshev_polynomial_u": scipy_special.eval_sh_chebyu,
    "hermite_polynomial_h": scipy_special.eval_hermite,
    "hermite_polynomial_he": scipy_special.eval_hermitenorm,
    "laguerre_polynomial_l": scipy_special.eval_laguerre,
    "legendre_polynomial_p": scipy_special.eval_legendre,
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials(name: str) -> None:
    x = np.linspace(-1, 1, 41)
    for n in (0, 1, 2, 7):
        np.testing.assert_allclose(
            getattr(special, name)(Tensor(x), n).numpy(), POLYNOMIALS[name](n, x), rtol=1e-11, atol=1e-11
        )
    assert getattr(special, name)(Tensor(x), -1).numpy().tolist() == [0.0] * 41


def test_polynomials_of_the_third_and_fourth_kind() -> None:
    """V_n(cos a) cos(a / 2) = cos((n + 1/2) a), W_n(cos a) sin(a / 2) = sin((n + 1/2) a)."""
    a = np.linspace(0.1, 3, 30)
    x = Tensor(np.cos(a))
    for n in (0, 1, 4):
        v, w = (f(x, n).numpy() for f in (special.chebyshev_polynomial_v, special.chebyshev_polynomial_w))
        shifted = special.shifted_chebyshev_polynomial_v((x + 1) / 2, n).numpy()
        np.testing.assert_allclose(shifted, v, atol=1e-12)
        shifted = special.shifted_chebyshev_polynomial_w((x + 1) / 2, n).numpy()
        np.testing.assert_allclose(shifted, w, atol=1e-12)
        np.testing.assert_allclose(v * np.cos(a / 2), np.cos((n + 0.5) * a), atol=1e-13)
        np.testing.assert_allclose(w * np.sin(a / 2), np.sin((n + 0.5) * a), atol=1e-13)


def test_of_two_arguments() -> None:
    x, y = np.array([0.0, 0.0, 2.0, 3.0]), np.array([-1.0, np.nan, 0.5, 1e-20])
    np.testing.assert_allclose(special.xlog1py(Tensor(x), Tensor(y)).numpy(), scipy_special.xlog1py(x, y))
    np.testing.assert_allclose(special.xlogy(Tensor(x), 2.0).numpy(), scipy_special.xlogy(x, 2.0))
    np.testing.assert_allclose(
        special.multigammaln(Tensor([2.5, 7.0], dtype="float64"), 3).numpy(),
        [scipy_special.multigammaln(a, 3) for a in (2.5, 7.0)],
        rtol=1e-13,
    )
    np.testing.assert_allclose(
        special.polygamma(2, Tensor([0.5, 3.0], dtype="float64")).numpy(),
        scipy_special.polygamma(2, [0.5, 3.0]),
        rtol=1e-12,
    )


def test_names_of_methods() -> None:
    x = Tensor(np.random.default_rng(0).random((3, 4)))
    pairs = [
        (special.softmax(x, 1), x.softmax(1)),
        (special.log_softmax(x, 0, dtype="float32"), x.float().log_softmax(0)),
        (special.logsumexp(x, 1, True), x.logsumexp(1, True)),
        (special.round(x, decimals=1), x.round(decimals=1)),
        (special.spherical_bessel_j0(x), x.sin() / x),
        (special.expm1(x), x.expm1()),
    ]
    for got, want in pairs:
        assert got.dtype is want.dtype
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "x", "want"),
    [
        ("ndtri", [0.0, 1.0, -0.5, 1.5, math.nan], [-math.inf, math.inf, math.nan, math.nan, math.nan]),
        ("ndtr", [-math.inf, math.inf, math.nan], [0.0, 1.0, math.nan]),
        ("log_ndtr", [-math.inf, math.inf, math.nan], [-math.inf, 0.0, math.nan]),
        ("erfcx", [math.inf, -math.inf, math.nan], [0.0, math.inf, math.nan]),
        ("entr", [0.0, -1.0, math.nan], [0.0, -math.inf, math.nan]),
        ("i1", [math.inf, -math.inf, math.nan], [math.inf, -math.inf, math.nan]),
        ("i1e", [math.inf, -math.inf, math.nan], [0.0, 0.0, math.nan]),
        ("i0e", [math.inf, -math.inf, math.nan], [0.0, 0.0, math.nan]),
        ("spherical_bessel_j0", [0.0, math.inf, math.nan], [1.0, 0.0, math.nan]),
    ],
)
def test_at_their_ends(name: str, x: list[float], want: list[float]) -> None:
    got = getattr(special, name)(Tensor(x, dtype="float64")).numpy()
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", ["ndtr", "log_ndtr", "ndtri", "erfcx", "entr", "i0e", "i1", "i1e"])
def test_slopes_are_those_of_small_steps(name: str) -> None:
    x = np.array([0.05, 0.3, 0.7, 0.93])
    function = getattr(special, name)
    slope = jit(grad(lambda x: function(x).sum()))(Tensor(x)).numpy()
    step = 1e-6
    want = (getattr(scipy_special, name)(x + step) - getattr(scipy_special, name)(x - step)) / (2 * step)
    np.testing.assert_allclose(slope, want, rtol=1e-7)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 dimension"):
        special.multigammaln(Tensor([3.0]), 0)
    with pytest.raises(TypeError, match="whole degree"):
        special.legendre_polynomial_p(Tensor([3.0]), 0.5)
