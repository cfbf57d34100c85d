"""Tiles on a GPU that are looked up by what is found in tiles before them."""

from __future__ import annotations

import numpy as np

from saccade import Tensor
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler


def farthest(x: Tensor, steps: int) -> Tensor:
    """Points, each as far as can be from those before: (n, k, 3) -> (n, steps). Each step has a row of
    distances to a point that the row before tells."""
    near = (x - x[:, :1]).square().sum(-1)
    found = []
    for _ in range(steps):
        found.append(near.argmax(1))
        chosen = x.gather(1, found[-1].reshape(-1, 1, 1).expand(-1, 1, 3))
        near = near.minimum((x - chosen).square().sum(-1))
    return Tensor.stack(found, 1)


@needs_compiler
def test_farthest_points(rng: np.random.Generator) -> None:
    points = rng.standard_normal((3, 200, 3)).astype(np.float32)
    with emulated_gpu():
        ours = farthest(Tensor(points, device="cuda"), 8).numpy()
    np.testing.assert_array_equal(ours, farthest(Tensor(points, device="cpu"), 8).numpy())
