"""The k-th smallest by counting: the element, and the place, that a stable sort has there."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.tensor.reductions import selection
from saccade.tensor.reductions.selection import SHORTEST, is_selected

N = SHORTEST + 9
DTYPES = ("float32", "float16", "int32", "uint32", "int16", "uint8", "int8")


def special(rng: np.random.Generator, dtype: str) -> np.ndarray:
    """Rows with ties, both zeros, infinities and NaN of both signs."""
    if not dtype.startswith("float"):
        info = np.iinfo(dtype)
        return rng.choice([info.min, info.max, 0, 1, info.max - 1, info.min + 1], (4, N)).astype(dtype)
    values = [0.0, -0.0, np.inf, -np.inf, 1.5, -1.5, 1e-7, -1e-7, np.nan, -np.nan]
    x = rng.choice(values, (4, N)).astype(dtype)
    x[0] = rng.normal(size=N).astype(dtype)
    return x


@pytest.mark.parametrize(
    ("dtype", "k"),
    [("float32", N // 2), ("float16", 17), ("int8", N)]
    + [pytest.param(d, k, marks=pytest.mark.slow) for d in DTYPES for k in (17, N // 2, N)],
)
def test_what_a_stable_sort_has_there(dtype: str, k: int, rng: np.random.Generator) -> None:
    a = special(rng, dtype)
    order = np.argsort(a, axis=1, kind="stable")
    assert is_selected(Tensor(a), N)
    values, places = Tensor(a).kthvalue(k, 1)
    np.testing.assert_array_equal(places.numpy(), order[:, k - 1])
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(a, order, 1)[:, k - 1])


def test_other_axes_and_gradients(rng: np.random.Generator) -> None:
    a = rng.normal(size=(3, N, 2)).astype("float32")
    values, places = Tensor(a).kthvalue(100, 1, keepdim=True)
    want = np.argsort(a, axis=1, kind="stable")[:, 99:100]
    np.testing.assert_array_equal(places.numpy(), want)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(a, want, 1))
    x = Tensor(a).requires_grad_()
    x.kthvalue(100, 1).values.sum().backward()
    slope = np.zeros_like(a)
    np.put_along_axis(slope, want, 1, 1)
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), slope)


def test_the_rest_is_sorted(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("counted")

    monkeypatch.setattr(selection, "_ordered", refuse)
    for a in (rng.normal(size=N), rng.normal(size=40).astype("float32"), np.zeros((0, N), "float32")):
        k = a.shape[-1] // 2
        np.testing.assert_array_equal(Tensor(a).kthvalue(k).values.numpy(), np.sort(a)[..., k - 1])


def test_medians(rng: np.random.Generator) -> None:
    a = rng.normal(size=(5, N)).astype("float32")
    np.testing.assert_array_equal(Tensor(a).median(1).values.numpy(), np.sort(a)[:, (N + 1) // 2 - 1])
    a[0, 7] = np.nan
    values, places = Tensor(a).median(1)
    assert np.isnan(values.numpy()[0])
    assert places.numpy()[0] == 7
