"""Rows that lie side by side, as pixels whose rows are channels: a thread has each, a warp reads lines."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.search.moves import Card, Rows
from saccade.codegen.cuda.source import laid_out
from saccade.graph import dtypes
from saccade.schedule.cost import GPU
from saccade.schedule.schedule import schedule
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import kernel_of
from tests.schedule.programs import inputs


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


def gated(x: Tensor, w: Tensor) -> Tensor:
    """CBAM's gate of places: a padded window of two planes, for all channels of a place."""
    planes = Tensor.cat((x.mean(1, keepdim=True), x.amax(1, keepdim=True)), 1)
    return x * planes.conv2d(w, padding=3).sigmoid()


def test_padding_does_not_part_neighbours() -> None:
    shapes = ((1, 33, 257, 257), (1, 2, 7, 7))
    *_, last = schedule((gated(*inputs(*shapes)).node,), 2, GPU).items
    move = laid_out(last.kernel, Card()).move
    assert isinstance(move, Rows)
    assert move.team == 1
    assert move.held  # the places of a window that is written out are constants


@pytest.mark.parametrize("channels", [7, 256])
def test_few_long_rows_across_get_their_reduction_from_a_kernel_of_its_own(channels: int) -> None:
    shapes = ((64, channels, 14, 14), (1, 2, 7, 7))
    *_, last = schedule((gated(*inputs(*shapes)).node,), 2, GPU).items
    reads_gate = any(size == 64 * 14 * 14 for _, size in last.kernel.params)
    assert reads_gate == (channels == 256)  # 0.4 MB are not worth a launch


@needs_compiler
def test_gate_of_places_is_that_of_numpy(rng: np.random.Generator) -> None:
    x, w = (rng.standard_normal(s).astype("float32") for s in ((1, 33, 257, 259), (1, 2, 7, 7)))
    with emulated_gpu():
        ours = gated(Tensor(x, device="cuda"), Tensor(w, device="cuda")).numpy()
    planes = np.pad(np.stack([x.mean(1), x.max(1)], 1), ((0, 0), (0, 0), (3, 3), (3, 3)))
    windows = np.lib.stride_tricks.sliding_window_view(planes, (7, 7), axis=(2, 3))
    expected = x / (1 + np.exp(-np.einsum("nchwij,ocij->nohw", windows, w)))
    np.testing.assert_allclose(ours, expected, atol=2e-5)


@needs_compiler
def test_channels_of_pixels_are_those_of_numpy(rng: np.random.Generator) -> None:
    x = rng.standard_normal((1, 33, 257, 257)).astype("float32")
    with emulated_gpu():
        ours = standardised(Tensor(x, device="cuda")).numpy()
    expected = (x - x.mean(1, keepdims=True)) * 2 + x.max(1, keepdims=True)
    np.testing.assert_allclose(ours, expected, atol=1e-5)
