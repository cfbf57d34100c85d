"""Matrices to try linear algebra on, and NumPy beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from saccade import Tensor

Array = np.ndarray[Any, Any]
rng = np.random.default_rng(17)


def normal(*shape: int, dtype: str = "float64") -> Array:
    return rng.standard_normal(shape).astype(dtype)


def definite(*shape: int, dtype: str = "float64") -> Array:
    """Symmetric matrices with positive eigenvalues."""
    x = rng.standard_normal(shape)
    return (x @ x.swapaxes(-1, -2) + np.eye(shape[-1])).astype(dtype)


def transposed(x: Array) -> Array:
    return x.swapaxes(-1, -2)


def close(ours: Tensor, theirs: Any, tolerance: float | None = None) -> None:
    """Equal in shape and dtype, and within a tolerance of the size of the largest element."""
    expected = np.asarray(theirs)
    assert ours.shape == expected.shape
    assert ours.dtype.name == expected.dtype.name
    limit = tolerance or (1e-4 if expected.dtype == np.float32 else 1e-11)
    scale = max(np.abs(expected).max(initial=0), 1)
    np.testing.assert_allclose(ours.numpy(), expected, rtol=0, atol=limit * scale)
