"""NumPy's functions take tensors: ours where there is one, else NumPy's on the values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.tensor import numpy_calls

X = np.random.default_rng(0).uniform(0.1, 0.9, (3, 4)).astype(np.float32)
Y = np.random.default_rng(1).uniform(0.1, 0.9, (3, 4)).astype(np.float32)

CALLS: dict[str, Any] = {
    "sum": np.sum,
    "sum of an axis": lambda x: np.sum(x, axis=1, keepdims=True),
    "mean": lambda x: np.mean(x, axis=0),
    "prod": np.prod,
    "max": lambda x: np.max(x, axis=1),
    "amin": np.amin,
    "argmax": lambda x: np.argmax(x, axis=1),
    "var": lambda x: np.var(x, axis=0),
    "std": lambda x: np.std(x, ddof=1),
    "any": lambda x: np.any(x > 0.5, axis=0),
    "cumsum": lambda x: np.cumsum(x),
    "sort": lambda x: np.sort(x, axis=0),
    "argsort": np.argsort,
    "where": lambda x: np.where(x > 0.5, x, np.float32(0)),
    "concatenate": lambda x: np.concatenate([x, Y], axis=1),
    "concatenate flat": lambda x: np.concatenate([x, Y], axis=None),
    "stack": lambda x: np.stack([x, x], axis=-1),
    "clip": lambda x: np.clip(x, 0.2, 0.8),
    "transpose": np.transpose,
    "reshape": lambda x: np.reshape(x, (2, 6)),
    "expand_dims": lambda x: np.expand_dims(x, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 4)),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, Y),
    "tril": np.tril,
    "full_like": lambda x: np.full_like(x, 3),
    "array + x": lambda x: Y + x,
    "array @ x": lambda x: Y @ x.T,
    "number * x": lambda x: np.float32(2) * x,
    "array < x": lambda x: np.less(Y, x),
    "array ** x": lambda x: Y**x,
    "exp": np.exp,
    "arctan2": lambda x: np.arctan2(Y, x),
    "maximum": lambda x: np.maximum(0.5, x),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_function_of_numpy_gives_a_tensor(call: Any) -> None:
    ours, theirs = call(Tensor(X)), call(X)
    assert isinstance(ours, Tensor)
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", sorted({*numpy_calls._SAME_NAME, *numpy_calls._METHODS}))
def test_every_ufunc_of_the_table_is_there(name: str) -> None:
    ufunc = getattr(np, name)
    whole = name in ("gcd", "lcm")
    given = [(a * 10).astype(np.int64) if whole else a for a in (X + (name == "arccosh"), Y)][: ufunc.nin]
    ours = ufunc(*map(Tensor, given))
    assert isinstance(ours, Tensor)
    np.testing.assert_allclose(ours.numpy(), ufunc(*given), rtol=1e-5, atol=1e-6)


def test_what_tensors_do_not_have_is_numpys() -> None:
    x = Tensor(X)
    assert isinstance(np.median(x), np.floating)
    assert np.array_equal(np.linalg.svd(x, compute_uv=False), np.linalg.svd(X, compute_uv=False))
    assert isinstance(np.add.reduce(x), np.ndarray)
    into = np.zeros(())
    assert np.sum(x, out=into) is into
    assert into == pytest.approx(X.sum())
    assert np.array_equal(np.sum(Y, axis=0, where=x > 0.5), np.sum(Y, axis=0, where=X > 0.5))


def test_an_array_takes_a_tensor_in_place() -> None:
    array = Y.copy()
    array += Tensor(X)
    assert type(array) is np.ndarray
    np.testing.assert_allclose(array, X + Y)


def test_functions_of_numpy_are_traced() -> None:
    squared = jit(lambda x: np.sqrt(np.sum(np.square(x), axis=1)))
    np.testing.assert_allclose(squared(Tensor(X)).numpy(), np.sqrt((X**2).sum(1)), rtol=1e-6)
