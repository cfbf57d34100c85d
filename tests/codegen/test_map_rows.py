"""Maps whose rows have a root or the like of their own, and no vectors whose lanes would share it."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.source import cuda_source
from saccade.graph import dtypes
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import kernel_of


def normalised(x: Tensor, mean: Tensor, var: Tensor, w: Tensor) -> Tensor:
    """Batch norm, as it is used."""
    mean, var, w = (a.reshape(1, -1, 1, 1) for a in (mean, var, w))
    return (x - mean) * (var + 1e-5).rsqrt() * w


def blocks(*shape: int) -> int:
    channels = (shape[1],)
    return cuda_source(kernel_of(normalised, [shape, channels, channels, channels], dtypes.float32)).grid


def test_a_block_has_a_plane_that_has_no_vectors() -> None:
    assert blocks(49, 33, 57, 57) == 49 * 33


@pytest.mark.parametrize("shape", [(49, 33, 56, 56), (49, 33, 29, 29), (2, 33, 57, 57)])
def test_other_planes_are_spread_over_all_threads(shape: tuple[int, ...]) -> None:
    """Those of vectors, short ones, and few."""
    assert blocks(*shape) != shape[0] * shape[1]


@needs_compiler
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_planes_of_blocks(rng: np.random.Generator, dtype: str) -> None:
    x = rng.standard_normal((9, 33, 33, 35)).astype(dtype)
    mean, var, w = (rng.uniform(0.5, 2, 33).astype(dtype) for _ in range(3))
    with emulated_gpu():
        ours = normalised(*(Tensor(a, device="cuda") for a in (x, mean, var, w))).numpy()
    expected = normalised(*(Tensor(a, device="cpu") for a in (x, mean, var, w))).numpy()
    np.testing.assert_allclose(ours, expected, rtol=1e-6 if dtype == "float32" else 2e-3)
