"""Products whose results lie in rows of odd length: threads write columns that are eight apart."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler


@needs_compiler
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("rows", "columns", "length"), [(197, 197, 131), (70, 133, 132), (129, 65, 900)])
def test_factors_along_the_sum(
    rng: np.random.Generator, dtype: str, rows: int, columns: int, length: int
) -> None:
    a, b = (rng.integers(-3, 4, (n, length)).astype(dtype) for n in (rows, columns))
    with emulated_gpu():
        ours = (Tensor(a, device="cuda") @ Tensor(b, device="cuda").mT).numpy()
    np.testing.assert_array_equal(ours, a @ b.T)
