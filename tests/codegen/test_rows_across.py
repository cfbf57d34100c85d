"""Rows that lie side by side, as pixels whose rows are channels: a thread has each, a warp reads lines."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.search.moves import Card, Rows
from saccade.codegen.cuda.source import laid_out
from saccade.graph import dtypes
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import kernel_of


def standardised(x: Tensor) -> Tensor:
    return (x - x.mean(1, keepdim=True)) * 2 + x.amax(1, keepdim=True)


@pytest.mark.parametrize(("side", "team"), [(257, 1), (64, 32)])
def test_many_pixels_have_a_thread_each(side: int, team: int) -> None:
    move = laid_out(kernel_of(standardised, [(1, 40, side, side)], dtypes.float32), Card()).move
    assert isinstance(move, Rows)
    assert move.team == team


def test_rows_that_lie_one_behind_the_other_have_teams() -> None:
    move = laid_out(
        kernel_of(lambda x: x - x.mean(1, keepdim=True), [(70000, 40)], dtypes.float32), Card()
    ).move
    assert isinstance(move, Rows)
    assert move.team > 1


@needs_compiler
def test_channels_of_pixels_are_those_of_numpy(rng: np.random.Generator) -> None:
    x = rng.standard_normal((1, 33, 257, 257)).astype("float32")
    with emulated_gpu():
        ours = standardised(Tensor(x, device="cuda")).numpy()
    expected = (x - x.mean(1, keepdims=True)) * 2 + x.max(1, keepdims=True)
    np.testing.assert_allclose(ours, expected, atol=1e-5)
