"""The k best of a row that lanes of a warp, and warps of a block, have parts of: the same as on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.search.moves import Card, Rows
from saccade.codegen.cuda.source import laid_out
from saccade.graph import dtypes
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import Array, kernel_of


def rows_of(rng: np.random.Generator, count: int, length: int) -> Array:
    """Many equal elements, and rows of nothing but -inf, of NaN and of zeros of both signs."""
    x = rng.integers(0, 9, (count, length)).astype("float32")
    x[0], x[1, ::3], x[1, 5:] = -np.inf, np.nan, -np.inf
    x[2] = np.where(rng.random(length) < 0.5, 0.0, -0.0)
    x[3, 7] = np.nan
    return x


#: a warp has a row; four warps have one
@needs_compiler
@pytest.mark.parametrize(("count", "length"), [(64, 45), (5, 300)])
@pytest.mark.parametrize("largest", [True, False])
def test_ties_and_nan_come_in_the_order_of_the_cpu(
    count: int, length: int, largest: bool, rng: np.random.Generator
) -> None:
    x = rows_of(rng, count, length)
    expected = [part.numpy() for part in Tensor(x, device="cpu").topk(6, largest=largest)]
    with emulated_gpu():
        ours = [part.numpy() for part in Tensor(x, device="cuda").topk(6, largest=largest)]
    np.testing.assert_array_equal(ours[0], expected[0])
    np.testing.assert_array_equal(ours[1], expected[1])


def test_many_rows_have_a_warp_each() -> None:
    move = laid_out(kernel_of(lambda x: x.topk(10).values, [(4001, 777)], dtypes.float32), Card()).move
    assert isinstance(move, Rows)
    assert move.team == 32
