"""Special functions against SciPy, in both precisions, over their poles, tails and special values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as reference

from saccade import Tensor

from .compare import Array

EDGES = [0.0, -0.0, 1.0, 2.0, -1.0, -2.0, np.inf, -np.inf, np.nan, 1e-10, -1e-10, 1e10, 1e20]
LINE = np.concatenate([np.linspace(-6.3, 30, 500), EDGES])
INSIDE = np.concatenate([np.linspace(-1, 1, 401), [1 - 1e-7, -1 + 1e-6, 1.5, np.nan, 0.0, -0.0, 1e-8]])
CASES = {
    "erfc": (reference.erfc, LINE),
    "erfinv": (reference.erfinv, INSIDE),
    "lgamma": (reference.gammaln, LINE),
    "digamma": (reference.digamma, LINE),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_special(name: str, dtype: str) -> None:
    function, points = CASES[name]
    x: Array = points.astype(dtype)
    if name == "lgamma":
        x = x[x != -np.inf]  # inf in C and torch, -inf in SciPy
    exact = function(x.astype("float64")).astype(dtype)
    ours = getattr(Tensor(x), name)().numpy()
    np.testing.assert_allclose(ours, exact, rtol=1e-6 if dtype == "float32" else 1e-12, atol=1e-13)


def test_the_tail_of_erfc_does_not_cancel() -> None:
    assert Tensor([5.0]).erfc().item() == pytest.approx(1.5374597944280349e-12, rel=1e-6)


#: between which numbers lgamma is right to how many units of its last place; None: it passes 0 between poles,
#: and there it is to those of 1
LGAMMA = [
    (0.5, 2.0, 3.5), (1 - 1e-3, 1 + 1e-3, 3.5), (2 - 1e-3, 2 + 1e-3, 3.5), (2.0, 10.0, 3.5), (10.0, 1e6, 3.0),
    (-0.5, 0.5, 3.0), (-2.0, -0.5, 3.0), (-6.5, -2.0, None), (-40.0, -6.5, None), (1e-44, 1e-37, 2.0),
    (1e30, 4e36, 3.0),
]  # fmt: skip


@pytest.mark.parametrize(("low", "high", "units"), LGAMMA)
def test_lgamma_in_float32_keeps_its_digits(low: float, high: float, units: float | None) -> None:
    x = np.random.default_rng(0).uniform(low, high, 20_000).astype("float32")
    exact = reference.gammaln(x.astype("float64"))
    off = np.abs(Tensor(x).lgamma().numpy() - exact)
    last = np.spacing(np.abs(exact).astype("float32"))
    assert np.all(
        off <= (3.5 * np.maximum(last, np.spacing(np.float32(1))) if units is None else units * last)
    )


def test_lgamma_at_its_ends() -> None:
    at = np.array([0.0, -0.0, -1.0, -7.0, -1e10, np.inf, -np.inf, 3.4e38, np.nan], "float32")
    np.testing.assert_array_equal(Tensor(at).lgamma().numpy(), [np.inf] * 8 + [np.nan])


def test_lgamma_of_halves_is_that_of_float32_rounded() -> None:
    x = np.array([0.3, -2.3, 100.0, 6e4, 1.0], "float16")
    exact = reference.gammaln(x.astype("float64"))
    np.testing.assert_array_equal(Tensor(x).lgamma().numpy(), exact.astype("float16"))


@pytest.mark.parametrize(("low", "high", "units"), [(-9, 0.5, 2), (0.5, 3, 7), (3, 9.1, 7)])
def test_erfc_in_float32_keeps_its_digits(low: float, high: float, units: float) -> None:
    x = np.random.default_rng(1).uniform(low, high, 20_000).astype("float32")
    exact = reference.erfc(x.astype("float64"))
    off = np.abs(Tensor(x).erfc().numpy() - exact)
    assert np.all(off <= units * np.spacing(np.abs(exact).astype("float32")))


def test_erfc_at_its_ends() -> None:
    at = np.array([np.inf, -np.inf, 11.0, -11.0, 0.0, -0.0, np.nan], "float32")
    np.testing.assert_array_equal(Tensor(at).erfc().numpy(), [0, 2, 0, 2, 1, 1, np.nan])
