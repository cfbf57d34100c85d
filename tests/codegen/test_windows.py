"""Thin products whose factor comes in overlapping windows: a thread has several neighbours down a column."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.schemes import thin
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the smallest sizes, too."""
    monkeypatch.setattr(thin, "LEAST", 1)
    monkeypatch.setattr(thin, "ENOUGH", 1)


@needs_compiler
@pytest.mark.parametrize(
    ("shape", "channels", "groups", "options"),
    [
        ((2, 3, 17, 5), 3, 3, {"padding": 1}),  # rows no run divides
        ((1, 10, 9, 7), 5, 5, {"stride": 2, "padding": 1}),
        ((1, 2, 13, 8), 2, 2, {"dilation": 2, "padding": 2}),
    ],
)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_convolutions_of_few_channels(
    shape: tuple[int, ...],
    channels: int,
    groups: int,
    options: dict[str, int],
    dtype: str,
    rng: np.random.Generator,
) -> None:
    x = rng.standard_normal(shape).astype(dtype)
    w = rng.standard_normal((channels, shape[1] // groups, 3, 3)).astype(dtype)
    expected = Tensor(x, device="cpu").conv2d(Tensor(w, device="cpu"), groups=groups, **options).numpy()
    with emulated_gpu():
        ours = Tensor(x, device="cuda").conv2d(Tensor(w, device="cuda"), groups=groups, **options).numpy()
    np.testing.assert_allclose(ours, expected, rtol=2e-3, atol=2e-3)
