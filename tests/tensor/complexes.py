"""Complex numbers for tests, and how their results are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from saccade import Tensor


def numbers(*shape: int, dtype: Any = np.complex128, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def together(*tensors: Tensor) -> list[Any]:
    """Their values, computed by one program."""
    tensors[0].realize(*tensors[1:])
    return [tensor.numpy() for tensor in tensors]


def close(got: Any, want: Any, tolerance: float) -> None:
    """Of one dtype and shape, and as near as that in relation to the largest."""
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    size = max(1.0, float(np.abs(want).max(initial=0.0)))
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * size)
