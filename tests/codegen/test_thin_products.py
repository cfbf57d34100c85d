"""Products with few columns, where a warp has several rows of the large factor: rows of any number."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.source import cuda_source
from saccade.graph import dtypes
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import kernel_of


def product(a: Tensor, b: Tensor) -> Tensor:
    return a @ b


@pytest.mark.parametrize(
    ("rows", "length", "columns", "each"),
    [(2048, 129, 4, 2), (2051, 129, 4, 2), (26665, 777, 10, 4), (32768, 512, 10, 8), (2665, 777, 16, 2)],
)
def test_a_warp_has_several_rows(rows: int, length: int, columns: int, each: int) -> None:
    made = cuda_source(kernel_of(product, [(rows, length), (length, columns)], dtypes.float32))
    assert made.grid == -(-rows // (each * made.block // 32))


@needs_compiler
def test_the_last_warp_has_fewer_rows(rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal(shape).astype("float32") for shape in ((2051, 129), (129, 4)))
    with emulated_gpu():
        ours = (Tensor(a, device="cuda") @ Tensor(b, device="cuda")).numpy()
    np.testing.assert_allclose(ours, a @ b, atol=1e-4)
