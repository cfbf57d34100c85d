"""Which weights of convolutions a CPU gets copies of."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, grad
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

rng = np.random.default_rng(0)


def normal(*shape: int) -> Tensor:
    return Tensor(rng.standard_normal(shape).astype(np.float32))


def copies(result: Tensor) -> int:
    form, _ = canonical([result.node])
    return sum("along its sum" in item.kernel.reason for item in schedule(*graph_of(form)).items)


def test_weights_that_lie_across_the_sum_are_copied() -> None:
    x, w = normal(2, 32, 12, 12), normal(32, 32, 3, 3)
    turned = x.conv2d(w.transpose(0, 1).flip(2, 3), padding=1)
    assert copies(turned) == 1
    stored = x.conv2d(w.transpose(0, 1).flip(2, 3).contiguous().realize(), padding=1)
    np.testing.assert_allclose(turned.numpy(), stored.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "result",
    [
        normal(2, 32, 12, 12).conv2d(normal(32, 32, 3, 3), padding=1),  # they lie along it
        normal(2, 32, 12, 12).conv2d(normal(32, 32, 3, 3).flip(2, 3), padding=1),
        normal(2, 4, 5, 5).conv2d(normal(4, 4, 3, 3).transpose(0, 1)),  # too small to pay
        # by the weights: the slopes of a picture are side by side
        grad(lambda w: (normal(4, 16, 12, 12).conv2d(w, padding=1) ** 2).sum())(normal(16, 16, 3, 3)),
        normal(64, 128) @ normal(128, 256),  # no windows
    ],
)
def test_others_are_not(result: Tensor) -> None:
    assert copies(result) == 0
