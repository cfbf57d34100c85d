"""`detect_anomaly`: the first value that is not finite, and its line."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from saccade import Tensor, detect_anomaly, jit, nn


def here() -> str:
    """The line that this is called in."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return f"{Path(__file__).name}:{frame.f_back.f_lineno}"


def test_the_first_value_that_is_not_finite_is_named_with_its_line() -> None:
    x = Tensor([1.0, 0.0, 2.0], requires_grad=True)
    with detect_anomaly():
        y = x * 2
        logs, line = y.log(), here()
        loss = (logs.sigmoid() * 0 + logs).sum()
        with pytest.raises(FloatingPointError, match=r"1 of 3 elements") as raised:
            loss.backward()
    assert line in str(raised.value)
    assert "the value that backward starts from" in str(raised.value)
    assert x.grad is None


def test_values_that_were_looked_at_are_seen_through() -> None:
    x = Tensor([4.0, -1.0], requires_grad=True)
    with detect_anomaly():
        roots, line = x.sqrt(), here()
        roots.realize()
        with pytest.raises(FloatingPointError) as raised:
            (roots + 1).sum().backward()
    assert line in str(raised.value)


def test_a_gradient_that_is_not_finite_though_the_value_is() -> None:
    x = Tensor([0.0, 1.0], requires_grad=True)
    with (
        detect_anomaly(),
        pytest.raises(FloatingPointError, match="a gradient is not finite: the gradient"),
    ):
        x.sqrt().sum().backward()


def test_what_was_given_is_told_apart() -> None:
    x = Tensor([float("nan"), 1.0], requires_grad=True)
    with detect_anomaly(), pytest.raises(FloatingPointError, match=r"shape \(2,\) that was given"):
        (x * 2).sum().backward()


def test_a_traced_step_is_looked_into_and_a_good_one_goes_on() -> None:
    model = nn.Linear(2, 1)
    optimizer = nn.optim.Adam(model.parameters())

    @jit
    def step(model: nn.Module, optimizer: nn.optim.Optimizer, x: Tensor) -> Tensor:
        loss: Tensor = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    before = model.weight.numpy().copy()
    with detect_anomaly():
        step(model, optimizer, Tensor.ones(3, 2))
    assert (model.weight.numpy() != before).any()
    with detect_anomaly(), pytest.raises(FloatingPointError, match="given holds NaN"):
        step(model, optimizer, Tensor.full((3, 2), float("inf")).realize())
