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
