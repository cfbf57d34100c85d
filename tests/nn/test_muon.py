"""Muon: singular values near one; every option beside NumPy in float64 and beside torch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.nn import optim

Array = np.ndarray[Any, Any]

OPTIONS: list[dict[str, Any]] = [
    {},
    {"nesterov": False, "momentum": 0.8, "weight_decay": 0.0},
    {"adjust_lr_fn": "match_rms_adamw", "ns_steps": 3},
    {"adjust_lr_fn": "original", "ns_coefficients": (2.0, -1.5, 0.5), "ns_steps": 8, "eps": 1e-3},
]
START = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)
TARGET = np.random.default_rng(1).standard_normal((6, 4)).astype(np.float32)


def trained(shape: tuple[int, int], options: dict[str, Any]) -> Array:
    param, target = Tensor(START.reshape(shape), requires_grad=True), Tensor(TARGET.reshape(shape))
    optimizer = optim.Muon([param], lr=0.1, **options)
    for _ in range(4):
        optimizer.zero_grad()
        ((param - target) ** 2).sum().backward()
        optimizer.step()
    found: Array = param.detach().numpy()
    return found


def by_hand(
    shape: tuple[int, int],
    lr: float = 0.1,
    weight_decay: float = 0.1,
    momentum: float = 0.95,
    nesterov: bool = True,
    ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
    eps: float = 1e-7,
    ns_steps: int = 5,
    adjust_lr_fn: str | None = None,
) -> Array:
    x, target = (a.reshape(shape).astype(np.float64) for a in (START, TARGET))
    mean = np.zeros(shape)
    rows, columns = shape
    a, b, c = ns_coefficients
    for _ in range(4):
        grad = 2 * (x - target)
        mean = momentum * mean + (1 - momentum) * grad
        turned = (1 - momentum) * grad + momentum * mean if nesterov else mean
        turned = turned / max(np.linalg.norm(turned), eps)
        for _ in range(ns_steps):
            gram = turned @ turned.T
            turned = a * turned + (b * gram + c * gram @ gram) @ turned
        scale = math.sqrt(max(1, rows / columns))
        if adjust_lr_fn == "match_rms_adamw":
            scale = 0.2 * math.sqrt(max(rows, columns))
        x = x * (1 - lr * weight_decay) - lr * scale * turned
    return x


@pytest.mark.parametrize("options", OPTIONS)
def test_options_by_hand(options: dict[str, Any]) -> None:
    for shape in ((6, 4), (4, 6)):
        np.testing.assert_allclose(trained(shape, options), by_hand(shape, **options), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("options", OPTIONS)
def test_like_torch(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose iterations are in bfloat16, with two digits: here they are not rounded."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.Tensor, "bfloat16", torch.Tensor.clone)
    for shape in ((6, 4), (4, 6)):
        param = torch.tensor(START.reshape(shape), requires_grad=True)
        theirs = torch.optim.Muon([param], lr=0.1, **options)
        for _ in range(4):
            theirs.zero_grad()
            ((param - torch.tensor(TARGET.reshape(shape))) ** 2).sum().backward()
            theirs.step()
        np.testing.assert_allclose(trained(shape, options), param.detach().numpy(), rtol=1e-4, atol=2e-5)
    assert list(theirs.defaults) == [k for k in optim.Muon([param_of()]).param_groups[0] if k != "params"]


def param_of() -> Tensor:
    return Tensor(START, requires_grad=True)


def test_singular_values_come_near_one() -> None:
    for shape in ((6, 4), (4, 6)):
        turned = optim.muon.orthogonal(Tensor(START.reshape(shape))).numpy()
        values = np.linalg.svd(turned)[1]
        assert (values > 0.6).all()
        assert (values < 1.3).all()


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="matrices"):
        optim.Muon([Tensor([1.0], requires_grad=True)])
    with pytest.raises(ValueError, match="'match_rms'"):
        optim.Muon([param_of()], adjust_lr_fn="match_rms")
    two: Any = (1.0, 2.0)
    with pytest.raises(ValueError, match="three ns_coefficients"):
        optim.Muon([param_of()], ns_coefficients=two)
