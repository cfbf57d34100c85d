"""What the examples share: a training step, and the same of torch to compare with."""

from __future__ import annotations

from typing import Any

from saccade import Tensor, jit, nn


@jit
def train_step(model: nn.Module, optimizer: nn.optim.Optimizer, x: Tensor, y: Tensor) -> Tensor:
    """Forward, backward and update as one program: logits (..., classes) against classes (...); the loss."""
    logits = model(x)
    loss: Tensor = logits.reshape(-1, logits.shape[-1]).cross_entropy(y.reshape(-1))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss


def torch_step(torch: Any, model: Any, optimizer: Any, x: Any, y: Any) -> float:
    """The same in torch, of NumPy arrays."""
    optimizer.zero_grad()
    logits = model(torch.tensor(x))
    loss = torch.nn.functional.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), torch.tensor(y).reshape(-1)
    )
    loss.backward()
    optimizer.step()
    return float(loss.item())


def take_over(model: nn.Module, theirs: Any) -> None:
    """Start from the weights of a torch model."""
    model.load_state_dict({name: value.numpy() for name, value in theirs.state_dict().items()})
