"""Comparing a tensor program with NumPy and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from saccade import Tensor

Array = np.ndarray[Any, Any]


def value(result: Any) -> Any:
    """What a program returned, as NumPy arrays (tuples stay tuples)."""
    if isinstance(result, (tuple, list)):
        return tuple(value(part) for part in result)
    if hasattr(result, "numpy"):
        return np.asarray(result.numpy())
    return np.asarray(result)


def same(ours: Any, theirs: Any, rtol: float = 2e-5, atol: float = 2e-6, dtype: bool = True) -> None:
    """Equal in structure, shape and dtype; floats within a tolerance, everything else exactly."""
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple)
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            same(a, b, rtol, atol, dtype)
        return
    assert ours.shape == theirs.shape, f"shape {ours.shape} instead of {theirs.shape}"
    if dtype:
        assert ours.dtype == theirs.dtype, f"dtype {ours.dtype} instead of {theirs.dtype}"
    if theirs.dtype.kind == "f":
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(ours, theirs)


def agree(ours: Any, expected: Any, **tolerance: Any) -> None:
    """A tensor (or a tuple of tensors) has the expected NumPy value."""
    same(value(ours), value(expected), **tolerance)


def tensors(*arrays: Any) -> list[Tensor]:
    return [Tensor(a) for a in arrays]
