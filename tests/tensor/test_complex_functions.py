"""Functions of complex tensors beside NumPy's: ordinary numbers, special values, branch cuts and points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from saccade import Tensor

from .complexes import numbers, together

NAMES = """
exp expm1 log log1p log2 log10 sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh
square reciprocal sign absolute conj negative isfinite isnan isinf
"""
FUNCTIONS = NAMES.split()
#: what is compiled for float32 too
FEW = ("exp", "log", "sqrt", "absolute")
EDGES = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan])
#: where formulas cancel: near 0, 1 and -1
CLOSE = np.array([[a + 1j * b for a in (1e-9, 1e-5, 3e-3) for b in (1e-9, 3e-3)]]) + np.array(
    [[0], [1], [-1]]
)


def special_values() -> Any:
    z = np.empty((7, 7), np.complex128)
    z.real, z.imag = np.meshgrid(EDGES, EDGES, indexing="ij")
    return z.ravel()


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """All functions of ordinary numbers (128), of special ones (49) and of those where formulas cancel (18),
    computed by one program."""
    ordinary = np.concatenate([numbers(64), numbers(64, seed=1) * 20])
    z = np.concatenate([ordinary, special_values(), CLOSE.ravel()])
    x = Tensor(z)
    values = together(*[-x if name == "negative" else getattr(x, name)() for name in FUNCTIONS])
    return {"z": z, **dict(zip(FUNCTIONS, values, strict=True))}


def relative(got: Any, want: Any) -> float:
    """The largest error of finite results."""
    kept = np.isfinite(want)
    return float((np.abs(got - want)[kept] / np.maximum(np.abs(want[kept]), 1e-30)).max())


def test_functions(found: dict[str, Any]) -> None:
    z = found["z"][:128]
    for name in FUNCTIONS:
        got = found[name][:128]
        want = getattr(np, name)(z)
        assert got.dtype == want.dtype, name
        assert np.array_equal(got, want) if want.dtype == bool else relative(got, want) < 2e-13, name


def test_functions_in_single() -> None:
    z = numbers(64, dtype=np.complex64)
    values = together(*[getattr(Tensor(z), name)() for name in FEW])
    for name, got in zip(FEW, values, strict=True):
        want = getattr(np, name)(z)
        assert got.dtype == want.dtype, name
        assert relative(got, want) < 4e-6, name


def test_special_values(found: dict[str, Any]) -> None:
    """Infinities, NaN and signed zeros in either part, beside NumPy: the same parts are NaN, infinite or 0,
    and where C leaves a sign open none is looked at."""
    z = special_values()
    for name in ["exp", "log", "sqrt", "sinh", "cosh", "tanh", "arcsinh", "arccos", "arctanh"]:
        with np.errstate(all="ignore"):
            want = getattr(np, name)(z)
        for part in (np.real, np.imag):
            a, b = part(found[name][128:177]), part(want)
            if name == "tanh" and part is np.imag:
                a, b = a[np.isfinite(z.imag)], b[np.isfinite(z.imag)]  # C23 leaves NaN there, C11 0
            np.testing.assert_array_equal(np.isnan(a), np.isnan(b), err_msg=name)
            np.testing.assert_allclose(np.abs(a), np.abs(b), rtol=1e-14, err_msg=name)


def test_no_digits_are_lost_where_formulas_cancel(found: dict[str, Any]) -> None:
    """Beside NumPy, whose functions are those of the C library; log1p, which cancels there, beside its
    series."""
    cases = {
        "log": 1,
        "log1p": 0,
        "expm1": 0,
        "arccos": 1,
        "arccosh": 1,
        "arctanh": 0,
        "arcsinh": 0,
        "sqrt": 2,
    }
    for name, row in cases.items():
        z = CLOSE[row]
        want = sum(-((-z) ** k) / k for k in range(9, 0, -1)) if name == "log1p" else getattr(np, name)(z)
        got = found[name][177:].reshape(3, 6)[row]
        for part in (np.real, np.imag):
            np.testing.assert_allclose(part(got), part(want), rtol=1e-12, err_msg=name)


def test_expm1_of_zero_is_zero_whatever_its_sign(found: dict[str, Any]) -> None:
    zeros = np.flatnonzero((special_values() == 0) & ~np.signbit(special_values().imag))
    values = found["expm1"][128 + zeros]
    assert values.tolist() == [0, 0]
    assert not np.signbit(values.real).any()


def test_branch_cuts_follow_the_sign_of_zero() -> None:
    above, below = complex(-2.0, 0.0), complex(-2.0, -0.0)
    x = Tensor([above, below], dtype="complex128")
    log, sqrt, acosh = together(x.log(), x.sqrt(), x.acosh())
    assert log.imag.tolist() == [math.pi, -math.pi]
    assert np.signbit(sqrt.imag).tolist() == [False, True]
    assert np.signbit(acosh.imag).tolist() == [False, True]
