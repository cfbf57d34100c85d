"""Slopes where a function or a part of it is infinite, as torch has them: infinite too or 0, not NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, special
from saccade.nn import functional

torch = pytest.importorskip("torch")

INF, NAN = float("inf"), float("nan")
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
    # not at -0.0, where torch's sign depends on the processor and on the number of elements
    "logit": [0.0, 1e-6, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0],
    "sinc": [-1e30, 0.0, 0.3, 1e30],
    "i0": [-1e30, -2.0, 3.0, 1e30, NAN],
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
    "log_ndtr": [-20.0, -3.0, -0.5, 2.0, INF],
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


def test_the_slope_of_logit_has_the_sign_of_zero() -> None:
    slope = grad(lambda x: x.logit().sum())(Tensor([-0.0, 0.0])).numpy()
    np.testing.assert_array_equal(slope, [-INF, INF])


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


@pytest.mark.parametrize("exponent", [-2, -3, -4])
def test_negative_powers(exponent: int) -> None:
    """At 0, and where the power itself is infinite or 0; asked for, the product has its slope."""
    at = [0.0, -0.0, 1e-8, 1e-30, 0.5, -3.0, 1e30, INF, -INF]
    agree(lambda x: x**exponent, lambda x: x**exponent, at)
    x = Tensor([2.0])
    square = x * x
    assert grad(lambda square: (3 / (square * square)).sum())(square).tolist() == [-0.09375]
    assert grad(lambda x: (x / (x * x * x)).sum())(x).tolist() == [-0.25]


def test_what_has_lost_its_digits_elsewhere() -> None:
    """Far below 0 an exponential less 1 is -1, and its slope is the exponential; near 0 half of x is i0's."""
    for name in ("elu", "selu", "celu"):
        slope = grad(lambda x, name=name: getattr(x, name)().sum())(Tensor([-30.0])).item()
        assert slope == pytest.approx(np.exp(-30.0) * (1.7580993408473766 if name == "selu" else 1), rel=1e-5)
    assert grad(lambda x: x.i0().sum())(Tensor([1e-20])).item() == pytest.approx(5e-21, rel=1e-5)


def test_hypot_at_infinity_has_the_slope_of_the_side_that_is_infinite() -> None:
    x, y = Tensor([3.0, -INF, -2.0, INF]), Tensor([INF, 1.0, -INF, NAN])
    along, across = grad(lambda x, y: x.hypot(y).sum(), argnums=(0, 1))(x, y)
    assert x.hypot(y).tolist() == [INF] * 4
    assert along.tolist() == [0, -1, 0, 1]
    assert across.tolist() == [1, 0, -1, 0]


def test_polygamma_at_its_poles_and_far_out() -> None:
    for n in (1, 2, 4):
        agree(lambda x, n=n: x.polygamma(n), lambda x, n=n: torch.polygamma(n, x), [0.0, -0.0, 2.0, 3e38])


@pytest.mark.parametrize("weighted", [False, True])
def test_certain_logits_cost_nothing_where_they_are_right(weighted: bool) -> None:
    """And infinity where they are wrong, of which torch has NaN on one side."""
    x, y = Tensor([INF, -INF, INF, -INF, 0.0, 2.0]), Tensor([1.0, 0.0, 0.0, 1.0, 0.25, 0.25])
    loss = functional.binary_cross_entropy_with_logits
    given = {"reduction": "none", **({"pos_weight": Tensor([1.0])} if weighted else {})}
    both = np.log1p(np.exp([0.0, 2.0])) - [0.0, 0.5]
    np.testing.assert_allclose(loss(x, y, **given).numpy(), [0, 0, INF, INF, *both], rtol=1e-6)
    slope, _ = grad(lambda x, y: loss(x, y, **given).sum(), argnums=(0, 1))(x, y)
    np.testing.assert_allclose(slope.numpy(), [0, 0, 1, -1, 0.25, 1 / (1 + np.exp(-2)) - 0.25], rtol=1e-6)


def test_a_nan_is_seen_in_the_slope() -> None:
    other = Tensor([1.0, NAN])
    for loss in (
        lambda x: x.softplus(),
        lambda x: functional.logsigmoid(x),
        lambda x: x.smooth_l1_loss(other, "none"),
        lambda x: x.huber_loss(other, "none"),
        lambda x: x.logaddexp(other),
        lambda x: functional.binary_cross_entropy_with_logits(x, other, reduction="none"),
    ):
        assert np.isnan(grad(lambda x, loss=loss: loss(x).sum())(Tensor([NAN, 1.0])).numpy()[0])


@pytest.mark.parametrize("weight", [0.3, 0.7, [0.3, 0.5, 0.7, 1.0, 1.0]])
def test_between_two_of_which_one_is_infinite(weight: float | list[float]) -> None:
    start, end = [INF, 1.0, -INF, 1e8, 2.0], [0.0, INF, 3.0, 1.1, INF]
    ours, theirs = ((make(weight) if isinstance(weight, list) else weight) for make in (Tensor, torch.tensor))
    agree(
        lambda x: x.lerp(Tensor(end), ours),
        lambda x: x.lerp(torch.tensor(end), theirs),
        start,
    )
    assert Tensor([1e8]).lerp(Tensor([1.1]), 1.0).item() == Tensor([1.1]).item()
    assert Tensor([1.0, -INF, 2.0, 3.0]).quantile(0.3).item() == -INF


def test_a_variance_without_a_bound() -> None:
    spread = [INF, 1e-8, 2.0]
    agree(
        lambda x: functional.gaussian_nll_loss(
            Tensor([1.0, 2.0, 3.0]), Tensor([0.0] * 3), x, reduction="none"
        ),
        lambda x: torch.nn.functional.gaussian_nll_loss(
            torch.tensor([1.0, 2.0, 3.0]), torch.zeros(3), x, reduction="none"
        ),
        spread,
    )


def test_correlations_with_itself_have_no_slope() -> None:
    rows = np.random.default_rng(0).standard_normal((6, 50)).astype(np.float32)
    slope = grad(lambda x: x.corrcoef().diagonal().sum())(Tensor(rows)).numpy()
    np.testing.assert_allclose(slope, 0, atol=1e-6)


def test_threshold_keeps_nan() -> None:
    assert np.isnan(Tensor([float("nan")]).threshold(0.5, 0.1).item())
