"""L-BFGS against torch's, step by step, and its line search by its conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.nn.optim import LBFGS, SGD
from saccade.nn.optim.quasi_newton.wolfe import Trial, strong_wolfe

START = [np.array([-1.2, 0.3]), np.array([[1.0, -0.4]])]


def valley(a: Any, b: Any) -> Any:
    """Rosenbrock's, twice; its minimum is 0 at ones."""
    return ((1 - a) ** 2).sum() + (10 * (b[0] - a * a) ** 2).sum()


def trained(params: list[Any], optimizer: Any, steps: int) -> tuple[list[float], int]:
    """The losses that steps return, and how often the closure was called."""
    calls = 0

    def closure() -> Any:
        nonlocal calls
        calls += 1
        optimizer.zero_grad()
        loss = valley(*params)
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(steps)], calls


OPTIONS: list[dict[str, Any]] = [
    {"lr": 0.1, "max_iter": 5},
    {"lr": 0.1, "max_iter": 12, "history_size": 3},
    {"line_search_fn": "strong_wolfe"},
    {"lr": 0.05, "max_iter": 25, "history_size": 12},
    {"lr": 0.1, "max_iter": 20, "max_eval": 4},
    {"tolerance_grad": 100.0},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_like_torch(options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    theirs = [torch.tensor(array, requires_grad=True) for array in START]
    wanted, evaluations = trained(theirs, torch.optim.LBFGS(theirs, **options), 3)
    ours = [Tensor(array, requires_grad=True) for array in START]
    found, calls = trained(ours, LBFGS(ours, **options), 3)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-12)
    for param, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(param.detach().numpy(), other.detach().numpy(), rtol=1e-6)
    assert abs(calls - evaluations) <= 2


def test_float32_comes_to_the_minimum() -> None:
    params = [Tensor(array.astype(np.float32), requires_grad=True) for array in START]
    losses, _ = trained(params, LBFGS(params, line_search_fn="strong_wolfe"), 4)
    assert losses[-1] < 1e-8
    for param in params:
        np.testing.assert_allclose(param.detach().numpy(), np.ones(param.shape), atol=1e-3)


def test_a_saved_state_goes_on_with_the_same_bits() -> None:
    def made() -> tuple[list[Tensor], LBFGS]:
        params = [Tensor(array, requires_grad=True) for array in START]
        return params, LBFGS(params, lr=0.1, max_iter=3)

    params, optimizer = made()
    trained(params, optimizer, 2)
    saved = optimizer.state_dict()
    saved = {**saved, "state": {name: Tensor(t.numpy()) for name, t in saved["state"].items()}}
    values = [param.detach().numpy().copy() for param in params]
    wanted, _ = trained(params, optimizer, 2)
    others, other = made()
    for param, value in zip(others, values, strict=True):
        param.data.assign(Tensor(value)).realize()
    other.load_state_dict(saved)
    assert trained(others, other, 2)[0] == wanted


def test_what_it_cannot_do_is_said() -> None:
    params = [Tensor(array, requires_grad=True) for array in START]
    with pytest.raises(TypeError, match="needs a closure"):
        LBFGS(params).step()
    with pytest.raises(ValueError, match="strong_wolfe"):
        LBFGS(params, line_search_fn="armijo")
    with pytest.raises(ValueError, match="one group"):
        LBFGS([{"params": params[:1]}, {"params": params[1:]}])
    with pytest.raises(ValueError, match="lr=-1"):
        SGD(params, lr=-1.0)


@pytest.mark.parametrize("first", [1e-3, 0.7, 1.0, 50.0])
def test_the_line_search_meets_both_conditions(first: float) -> None:
    """On a line with two minima and a wall, from steps that are far too short and far too long."""

    def at(t: float) -> Trial:
        loss = (t - 2) ** 2 * (0.3 - 0.1 * np.sin(5 * t)) + 0.01 * t**4
        rise = (at_loss(t + 1e-6) - at_loss(t - 1e-6)) / 2e-6
        return Trial(t, loss, rise, Tensor(rise))

    def at_loss(t: float) -> float:
        return float((t - 2) ** 2 * (0.3 - 0.1 * np.sin(5 * t)) + 0.01 * t**4)

    start = at(0.0)
    assert start.rise < 0
    found = strong_wolfe(at, start, first, 1.0, 25)
    assert found.loss <= start.loss + 1e-4 * found.length * start.rise
    assert abs(found.rise) <= -0.9 * start.rise
