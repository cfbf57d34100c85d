"""ResNet-18 on pictures of 32 x 32 in float16 with loss scaling, beside the same in float32.

    python -m saccade.examples cifar --device cuda

Pictures are made here: each class is a pattern of waves, and noise. What is shown is that the losses of
float16, whose gradients would vanish without scaling, follow those of float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import Tensor, jit, nn

from .models import resnet18

Array = NDArray[Any]


def pictures(count: int, classes: int = 10, seed: int = 0) -> tuple[Array, Array]:
    """(count, 3, 32, 32) float32 and classes (count,)."""
    rng = np.random.default_rng(seed)
    patterns = np.random.default_rng(99).standard_normal((classes, 3, 8, 8)).repeat(4, 2).repeat(4, 3)
    labels = rng.integers(0, classes, count)
    return (patterns[labels] + rng.standard_normal((count, 3, 32, 32))).astype(np.float32), labels


@jit
def scaled_step(
    model: nn.Module, optimizer: nn.optim.Optimizer, scaler: nn.optim.GradScaler, x: Tensor, y: Tensor
) -> Tensor:
    """Logits in the model's dtype, the loss in float32."""
    loss: Tensor = model(x).float().cross_entropy(y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return loss


def losses(model: nn.Module, dtype: str, steps: int, batch: int, device: str | None = None) -> list[float]:
    """Train a model with weights of a dtype; its losses. Norms and their statistics stay float32."""
    model = model.to(device=device or Tensor([0.0]).device)
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            module.to(dtype)
    optimizer = nn.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    scaler = nn.optim.GradScaler(init_scale=1024.0, enabled=dtype == "float16")
    found = []
    for number in range(steps):
        x, y = pictures(batch, seed=number)
        given = Tensor(x, device=device).cast(dtype).realize()
        found.append(scaled_step(model, optimizer, scaler, given, Tensor(y, device=device)).item())
    return found


def main(device: str | None = None, steps: int = 60, batch: int = 64) -> None:
    found = {}
    for dtype in ("float32", "float16"):
        Tensor.manual_seed(0)
        found[dtype] = losses(resnet18(nn, 10, small=True), dtype, steps, batch, device)
    for number in range(0, steps, 5):
        print(
            f"step {number}: float32 {found['float32'][number]:.4f}  float16 {found['float16'][number]:.4f}"
        )
