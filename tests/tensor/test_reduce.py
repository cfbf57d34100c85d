"""Reductions and running reductions against NumPy: axes, dtypes, empty and 0-dim tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from saccade import Tensor, dtypes

from .compare import agree

rng = np.random.default_rng(2)
X = rng.standard_normal((3, 4, 5)).astype("float32")


@pytest.mark.parametrize("axes", [None, 0, -1, (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "amax", "amin", "var", "std"])
def test_axes(name: str, axes: Any) -> None:
    numpy_name = {"amax": "max", "amin": "min"}.get(name, name)
    options = {"ddof": 1} if name in ("var", "std") else {}
    for keep in (False, True):
        expected = getattr(X, numpy_name)(axis=axes, keepdims=keep, **options)
        agree(getattr(Tensor(X), name)(axes, keepdim=keep), np.asarray(expected))


@given(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3), st.data())
def test_sums_of_any_shape(shape: tuple[int, ...], data: st.DataObject) -> None:
    axes = tuple(data.draw(st.sets(st.integers(0, len(shape) - 1)))) if shape else ()
    x = rng.integers(-9, 9, shape)
    agree(Tensor(x).sum(axes), x.sum(axis=axes or None))
    agree((Tensor(x) > 0).any(axes), (x > 0).any(axis=axes or None))
    agree((Tensor(x) > 0).all(axes), (x > 0).all(axis=axes or None))


def test_dtypes_of_sums() -> None:
    for name in ("bool", "uint8", "int8", "int32"):
        assert Tensor([1, 0, 1], dtype=name).sum().dtype is dtypes.int64
        assert Tensor([1, 0, 1], dtype=name).cumsum(0).dtype is dtypes.int64
    for name in ("float16", "bfloat16", "float32", "float64"):
        assert Tensor([1, 0, 1], dtype=name).sum().dtype.name == name
    assert Tensor([1.5, 2.5]).sum(dtype="int32").item() == 3
    assert Tensor([200, 100], dtype="uint8").sum().item() == 300
    assert Tensor(np.full(4096, 0.1, "float16")).sum().item() == pytest.approx(409.5, abs=0.3)


def test_indices_of_extremes() -> None:
    x = np.array([[3, 1, 3], [2, 2, 0]])
    values, indices = Tensor(x).max(1)
    agree((values, indices), (x.max(1), x.argmax(1)))
    found = Tensor(x).min(dim=0, keepdim=True)
    agree((found.values, found.indices), (x.min(0, keepdims=True), np.array([[1, 0, 1]])))
    assert Tensor(x).argmax().item() == 0
    assert Tensor([1.0, np.nan, 2.0]).argmax().item() == 1
    agree(Tensor(x).max(Tensor([[2], [1]])), np.maximum(x, [[2], [1]]))


def test_running() -> None:
    agree(Tensor(X).cumsum(1), X.cumsum(1))
    agree(Tensor(X).cumprod(-1), X.cumprod(-1))
    agree(Tensor(X).cummax(0).values, np.maximum.accumulate(X, 0))
    found = Tensor([1, 3, 2, 3, 4, 0]).cummax(0)
    assert found.indices.tolist() == [0, 1, 1, 3, 4, 4]
    agree(Tensor(X).diff(dim=1), np.diff(X, axis=1))
    agree(Tensor(X).logcumsumexp(1), np.logaddexp.accumulate(X, 1))


def test_logsumexp_and_norms() -> None:
    agree(Tensor(X).logsumexp((0, 1)), np.log(np.exp(X).sum((0, 1))))
    assert Tensor([1000.0, 1000.0]).logsumexp(0).item() == pytest.approx(1000.6931)
    assert Tensor([-np.inf, -np.inf]).logsumexp(0).item() == -np.inf
    agree(Tensor(X).norm(), np.linalg.norm(X.ravel()))
    agree(Tensor(X).norm(1, dim=2), np.abs(X).sum(2))
    agree(Tensor(X).norm(np.inf, dim=0), np.abs(X).max(0))
    agree(Tensor(X).count_nonzero(0), np.count_nonzero(X, axis=0))


def test_nothing_and_one() -> None:
    assert Tensor.zeros(0).sum().item() == 0
    assert Tensor.zeros(0).prod().item() == 1
    assert np.isnan(Tensor.zeros(0).mean().item())
    assert np.isnan(Tensor([1.0]).var().item())
    assert Tensor(3.0).sum(0).item() == 3
    assert Tensor(3.0).argmax().item() == 0
    assert Tensor.zeros(0, 3).sum(0).tolist() == [0, 0, 0]
    assert Tensor.zeros(3, 0).any(1).tolist() == [False] * 3
    for program in (lambda x: x.amax(), lambda x: x.argmax(), lambda x: x.max(0), lambda x: x.amin(0)):
        with pytest.raises(ValueError, match="no elements"):
            program(Tensor.zeros(0))


def test_errors() -> None:
    with pytest.raises(TypeError, match=r"mean needs floats, not int64: use x.float\(\).mean"):
        Tensor([1, 2]).mean()
    with pytest.raises(IndexError, match="axis 3 is out of range"):
        Tensor(X).sum(3)
    with pytest.raises(ValueError, match="twice"):
        Tensor(X).sum((0, -3))
    with pytest.raises(ValueError, match="unknown norm 'nuc'"):
        Tensor(X).norm("nuc")


def test_a_running_logsumexp_loses_nothing_beside_large_values() -> None:
    x = np.array([[-300.0, -200, 0, 5, -900, 700], [1, 2, 3, 4, 5, 6]], "float32")
    agree(Tensor(x).logcumsumexp(1), np.logaddexp.accumulate(x, axis=1), rtol=1e-6)
    long = np.random.default_rng(0).standard_normal(1000) * 50
    agree(Tensor(long).logcumsumexp(0), np.logaddexp.accumulate(long), rtol=1e-12)


def test_sums_of_nothing_and_words_of_torch() -> None:
    empty = Tensor.zeros(2, 0)
    assert empty.logsumexp(1).tolist() == [-np.inf, -np.inf]
    assert empty.logcumsumexp(1).shape == (2, 0)
    x = Tensor([[1.0, 4.0], [2.0, np.nan]])
    assert x.aminmax(dim=1).max[0].item() == 4
    assert x.nansum(dtype="float64").dtype.name == "float64"
    assert x[0].var(False).item() == x[0].var(correction=0).item() == 2.25
    assert x[0].var(correction=5).item() == np.inf
    assert x[0].diff(prepend=Tensor([0.0]), append=Tensor([5.0])).tolist() == [1.0, 3.0, 1.0]
