"""A thread's own sums of any length take several elements at a time; the last step has what is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler


@needs_compiler
@pytest.mark.parametrize("length", [17, 29, 31, 377])
@pytest.mark.parametrize("kind", ["sum", "amax", "prod"])
def test_columns_of_any_length(rng: np.random.Generator, length: int, kind: str) -> None:
    x = rng.uniform(0.9, 1.1, (length, 4500)).astype("float32")
    with emulated_gpu():
        ours = getattr(Tensor(x, device="cuda"), kind)(0).numpy()
    np.testing.assert_allclose(ours, getattr(np, kind)(x.astype(np.float64), 0), rtol=2e-5)


@needs_compiler
def test_gradients_by_weights_in_parts_of_rows_and_images(rng: np.random.Generator) -> None:
    shapes = (12, 17, 13, 13), (18, 17, 3, 3), (12, 18, 13, 13)
    arrays = [rng.integers(-2, 3, shape).astype("float32") for shape in shapes]

    def slopes(device: str) -> np.ndarray[Any, Any]:
        x, w, slope = (Tensor(a, device=device) for a in arrays)
        made = grad(lambda w: (x.conv2d(w, padding=1) * slope).sum())(w)
        assert isinstance(made, Tensor)
        return np.asarray(made.numpy())

    with emulated_gpu():
        ours = slopes("cuda")
    np.testing.assert_array_equal(ours, slopes("cpu"))
