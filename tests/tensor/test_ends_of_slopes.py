"""Slopes where a function or a part of it is infinite, as torch has them: infinite too or 0, not NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, special
from saccade.nn import functional

torch = pytest.importorskip("torch")

INF = float("inf")
#: of tensors
METHODS: dict[str, list[float]] = {
    "sigmoid": [-INF, -1e30, -100.0, -88.8, -20.0, 0.0, 10.0, 100.0, INF],
    "acosh": [1.0, 1.5, 100.0, 1e30, INF],
    "asinh": [-INF, -1e30, -0.0, 0.5, 1e30, 3.4e38, INF],
    "atanh": [-1.0, -0.5, 0.0, 1e-6, 0.99, 1.0],
    "digamma": [0.0, -0.0, 0.3, 2.0],
    "lgamma": [0.0, -0.0, 0.3, 2.0, 30.0, INF],
    "erfc": [-INF, -30.0, -1.0, 0.0, 3.0, 30.0, INF],
    "erfinv": [-1.0, -0.5, 0.0, 0.999, 1.0],
    "logit": [0.0, -0.0, 1e-6, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0],
    "sinc": [-1e30, 0.0, 0.3, 1e30],
    "i0": [-1e30, -2.0, 3.0, 1e30],
}
ACTIVATIONS: dict[str, list[float]] = {
    "silu": [-1e30, -100.0, -1.0, 0.0, 100.0],
    "elu": [-INF, -100.0, -1.0, -0.0, 0.0, 1.0, 100.0, 1e30, INF],
    "selu": [-INF, -100.0, -1.0, -0.0, 0.0, 1.0, 100.0, 1e30, INF],
    "celu": [-INF, -100.0, -1.0, -0.0, 0.0, 1.0, 100.0, 1e30, INF],
}
SPECIAL: dict[str, list[float]] = {
    "entr": [0.0, -0.0, 0.5, 1.0, 3.0, -1.0],
    "erfcx": [-2.0, 0.0, 2.0, 30.0],
    "ndtr": [-INF, -1.0, 0.0, 3.0, INF],
    "log_ndtr": [-3.0, -0.5, 2.0, INF],
    "ndtri": [0.0, 0.1, 0.5, 0.9, 1.0],
}


def agree(ours: Any, theirs: Any, at: list[float]) -> None:
    x = torch.tensor(at, requires_grad=True)
    want = theirs(x)
    want.sum().backward()
    np.testing.assert_allclose(ours(Tensor(at)).numpy(), want.detach().numpy(), rtol=1e-5, atol=1e-6)
    slope = grad(lambda x: ours(x).sum())(Tensor(at)).numpy()
    np.testing.assert_allclose(slope, x.grad.numpy(), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("name", METHODS)
def test_of_methods(name: str) -> None:
    agree(lambda x: getattr(x, name)(), lambda x: getattr(x, name)(), METHODS[name])


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_of_activations(name: str) -> None:
    agree(getattr(functional, name), getattr(torch.nn.functional, name), ACTIVATIONS[name])


@pytest.mark.parametrize("name", SPECIAL)
def test_of_special_functions(name: str) -> None:
    agree(getattr(special, name), getattr(torch.special, name), SPECIAL[name])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_logistic_function_has_a_slope_however_it_is_written(dtype: str) -> None:
    at = np.array([-1e4, -800.0, -100.0, -5.0, 0.0, 10.0, 15.0, 800.0])
    x = Tensor(at).cast(dtype)
    for logistic in (lambda x: x.sigmoid(), lambda x: 1 / (1 + (-x).exp())):
        slope = grad(lambda x, f=logistic: f(x).sum())(x).cast("float64").numpy()
        size = np.exp(-np.abs(at))
        exact = size / (1 + size) ** 2
        digits = {"float16": 2e-2, "bfloat16": 4e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
        np.testing.assert_allclose(slope, exact, rtol=digits, atol=1e-6 if dtype == "float16" else 1e-37)


def test_slopes_of_what_a_logistic_function_is_made_of() -> None:
    """The slope goes past them to the exponent; asked for, they have theirs, computed or not yet."""
    at = np.array([0.5, -2.0], np.float32)
    known = np.exp(-at)
    for of_below in (False, True):
        for realised in (False, True):
            given = (-Tensor(at)).exp() + int(of_below)
            given = given.realize() if realised else given
            slope = grad(lambda part, of_below=of_below: (1 / (part + int(not of_below))).sum())(given)
            np.testing.assert_allclose(slope.numpy(), -1 / (1 + known) ** 2, rtol=1e-6)


def test_second_slopes_of_sigmoid() -> None:
    at = [-100.0, -3.0, 0.0, 2.0, 100.0]
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(x.sigmoid().sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    ours = grad(lambda x: grad(lambda x: x.sigmoid().sum())(x).sum())(Tensor(at, dtype="float64"))
    np.testing.assert_allclose(ours.numpy(), second.numpy(), rtol=1e-9, atol=1e-40)


@pytest.mark.parametrize(
    ("name", "given"),
    [("smooth_l1_loss", {"beta": b}) for b in (0, 0.5, 1.0)] + [("huber_loss", {"delta": 2.0})],
)
def test_losses_that_grow_with_the_distance_have_its_sign_at_infinity(
    name: str, given: dict[str, float]
) -> None:
    target = [0.0, 1.0, 2.0, 3.0, 0.0, 0.5]
    agree(
        lambda x: getattr(functional, name)(x, Tensor(target), **given),
        lambda x: getattr(torch.nn.functional, name)(x, torch.tensor(target), **given),
        [-INF, INF, 2.25, -1e30, 0.0, 0.0],
    )


def test_threshold_keeps_nan() -> None:
    assert np.isnan(Tensor([float("nan")]).threshold(0.5, 0.1).item())
