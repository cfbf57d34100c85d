"""Slopes at single points, as torch has them: relu at 0, a clamp at its bound, odd functions at 0, products
with zeros, whole numbers where a mirrored half is infinite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, hessian, jit, special, vmap
from saccade.graph.kernels.kernel import range_size
from saccade.nn import functional
from tests.codegen.kernels import kernels_of

torch = pytest.importorskip("torch")

#: every activation has its corners among them
CORNERS = [0.0, -0.0, 6.0, -1.0, 1.0, 3.0, -3.0, 20.0, 0.5, -0.5, 2.0, float("nan")]
ACTIVATIONS = (
    "relu", "relu6", "hardtanh", "hardsigmoid", "hardswish", "elu", "selu", "celu", "leaky_relu",
    "softshrink", "hardshrink", "softplus", "gelu", "silu", "mish", "logsigmoid", "softsign",
)  # fmt: skip


def agree(ours: Callable[[Any], Any], theirs: Callable[[Any], Any], at: list[Any]) -> None:
    x = torch.tensor(at, requires_grad=True)
    want = theirs(x)
    want.sum().backward()
    np.testing.assert_allclose(ours(Tensor(at)).numpy(), want.detach().numpy(), rtol=1e-5, atol=1e-6)
    slope = grad(lambda x: ours(x).sum())(Tensor(at)).numpy()
    np.testing.assert_allclose(slope, x.grad.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_corners_of_activations(name: str) -> None:
    agree(getattr(functional, name), getattr(torch.nn.functional, name), CORNERS[:-1])


def test_bounds_of_clamp() -> None:
    agree(lambda x: x.clamp(-1, 1), lambda x: x.clamp(-1, 1), CORNERS[:-1])
    agree(lambda x: x.clamp_min(0), lambda x: x.clamp_min(0), CORNERS[:-1])
    agree(lambda x: x.clamp_max(6.0), lambda x: x.clamp_max(6.0), CORNERS[:-1])
    low, high = np.array([-1.0, 2, 5], np.float32), np.array([1.0, 3, 4], np.float32)
    for at in ([-1.0, 2.0, 4.0], [1.0, 3.0, 9.0], [0.0, 2.5, -9.0]):
        agree(
            lambda x: x.clamp(Tensor(low), Tensor(high)),
            lambda x: x.clamp(torch.tensor(low), torch.tensor(high)),
            at,
        )


def test_nan_in_bounds_and_between_them() -> None:
    nan = float("nan")
    x, low = [1.0, nan, 3.0, -0.0], [0.0, 0.0, nan, 0.0]
    got = Tensor(x).clamp(Tensor(low), Tensor([2.0, 2.0, 2.0, 0.0])).numpy()
    np.testing.assert_array_equal(
        got, torch.tensor(x).clamp(torch.tensor(low), torch.tensor([2.0, 2.0, 2.0, 0.0]))
    )
    assert np.isnan(Tensor([1.0, nan]).clamp(nan).numpy()).all()
    assert np.isnan(Tensor([nan]).clamp(-1, 1).item())
    assert np.isnan(Tensor([nan]).relu().item())
    assert Tensor([-3, 0, 3]).clamp(-1, 1).tolist() == [-1, 0, 1]


def test_two_that_are_equal() -> None:
    """A maximum shares out, fmax and fmin give all to the first, and log(exp(x) + exp(y)) is smooth."""
    other = [0.0, 1.0, 6.0, -1.0, float("nan"), 3.0]
    for name in ("maximum", "minimum", "fmax", "fmin", "logaddexp"):
        at = [0.0, 2.0, 6.0, -4.0, 1.0, 3.0] if name.startswith("f") else [0.0, 2.0, 6.0, -4.0]
        ours, theirs = Tensor(other[: len(at)]), torch.tensor(other[: len(at)])
        agree(
            lambda x, name=name, y=ours: getattr(x, name)(y),
            lambda x, name=name, y=theirs: getattr(torch, name)(x, y),
            at,
        )
    zeros = torch.zeros(3)
    agree(lambda x: x.logaddexp(Tensor.zeros(3)), lambda x: torch.logaddexp(x, zeros), [0.0, 1.0, -1.0])


@pytest.mark.parametrize("name", ["asinh", "atanh", "erfc", "erfinv", "sinc", "lgamma", "digamma"])
def test_slopes_at_zero_and_at_whole_numbers(name: str) -> None:
    """Computed from |x| the slope at 0 was 0, and of the side that is not chosen 0 times infinity."""
    at = [1.0, 2.0, 7.0, 30.0, -0.5, 0.5] if name.endswith("gamma") else [0.0, 1e-7, 0.5, -0.25]
    agree(lambda x: getattr(x, name)(), getattr(torch, name), at)
    for n in (1, 2):
        if name == "digamma":
            agree(lambda x, n=n: x.polygamma(n), lambda x, n=n: torch.polygamma(n, x), at)


@pytest.mark.parametrize(
    ("name", "at"),
    [("atan2", (0.0, 0.0)), ("atan2", (0.0, -1.0)), ("xlogy", (0.0, 2.0)), ("xlogy", (0.0, 0.0))],
)
def test_slopes_of_two_at_zero(name: str, at: tuple[float, float]) -> None:
    """By the first: by the second xlogy has none at (0, 0)."""
    agree(
        lambda x: getattr(x, name)(Tensor([at[1]])),
        lambda x: getattr(torch, name)(x, torch.tensor([at[1]])),
        [at[0]],
    )
    assert Tensor([0.0]).xlogy(float("inf")).item() == 0


def test_slopes_of_special_functions_and_remainders_at_zero() -> None:
    for name, at in (("i1", [0.0, 1.0]), ("i1e", [0.0, -1.0]), ("erfcx", [0.0, 0.5]), ("ndtri", [0.5, 0.25])):
        agree(getattr(special, name), getattr(torch.special, name), at)
    agree(lambda x: x.fmod(2.0), lambda x: x.fmod(2.0), [0.0, 5.0, -5.0])
    below = torch.tensor([-1.0, 2.0])
    agree(
        lambda x: special.xlog1py(x, Tensor([-1.0, 2.0])),
        lambda x: torch.special.xlog1py(x, below),
        [0.0, 0.0],
    )


@pytest.mark.parametrize(
    ("name", "target"), [("multi_margin_loss", [0, 2, 1]), ("multilabel_margin_loss", [[0, -1, 0]] * 3)]
)
def test_margins_that_are_just_kept(name: str, target: list[Any]) -> None:
    ours, theirs = getattr(functional, name), getattr(torch.nn.functional, name)
    rows = [[0.0, 1.0, -1.0], [2.0, 2.0, 0.5], [-3.0, 0.0, 0.0]]
    agree(lambda x: ours(x, Tensor(target)), lambda x: theirs(x, torch.tensor(target)), rows)


@pytest.mark.parametrize("name", ["asinh", "atanh", "tanh", "sinh"])
def test_odd_functions_keep_the_sign_of_zero(name: str) -> None:
    assert np.signbit(getattr(Tensor([-0.0, 0.0]), name)().numpy()).tolist() == [True, False]


ZEROS = [[0.0, 2.0, 3.0], [2.0, 0.0, 3.0], [0.0, 2.0, 0.0], [1.0, 2.0, 3.0], [2.0, 3.0, 0.0]]


def test_second_slopes_of_products_with_zeros() -> None:
    for row in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0]):
        theirs = torch.autograd.functional.hessian(lambda x: x.prod(), torch.tensor(row))
        ours = hessian(lambda x: x.prod())(Tensor(row)).numpy()
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-6)
    # without its zero the product overflows
    assert grad(lambda x: x.prod())(Tensor([0.0, 1e30, 1e30])).tolist() == [float("inf"), 0.0, 0.0]
    singular = hessian(Tensor.det)(Tensor([[1.0, 2.0], [2.0, 4.0]])).reshape(4, 4)
    assert singular.flip(1).tolist() == [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]


def test_running_products_with_zeros() -> None:
    weights = [1.0, 10.0, 100.0]
    ours = grad(lambda x: (x.cumprod(1) * Tensor(weights)).sum())(Tensor(ZEROS)).numpy()
    x = torch.tensor(ZEROS, requires_grad=True)
    (x.cumprod(1) * torch.tensor(weights)).sum().backward()
    np.testing.assert_allclose(ours, x.grad.numpy(), rtol=1e-6)


@pytest.mark.parametrize("mode", ["prod", "amax", "amin"])
def test_scattered_zeros_and_ties(mode: str) -> None:
    start, values, places = [2.0, 0.0, 1.0, 5.0], [0.0, 2.0, 0.0, 3.0, 1.0, 1.0], [0, 0, 1, 1, 2, 2]
    ours = grad(lambda x, v: x.scatter_reduce(0, Tensor(places), v, mode).square().sum(), argnums=(0, 1))(
        Tensor(start), Tensor(values)
    )
    x, v = torch.tensor(start, requires_grad=True), torch.tensor(values, requires_grad=True)
    x.scatter_reduce(0, torch.tensor(places), v, mode).square().sum().backward()
    np.testing.assert_allclose(ours[0].numpy(), x.grad.numpy(), rtol=1e-6)
    np.testing.assert_allclose(ours[1].numpy(), v.grad.numpy(), rtol=1e-6)


def test_binary_cross_entropy_of_certain_answers() -> None:
    target = [0.0, 1.0, 1.0, 0.0, 0.5, 0.25]
    ours, theirs = Tensor(target), torch.tensor(target)
    agree(
        lambda x: x.binary_cross_entropy(ours),
        lambda x: torch.nn.functional.binary_cross_entropy(x, theirs),
        [0.0, 1.0, 0.0, 1.0, 0.5, 0.9],
    )
    half = Tensor([0.0, 1.0], dtype="float16")
    assert np.isfinite(grad(lambda x: x.binary_cross_entropy(Tensor([0.0, 1.0])))(half).numpy()).all()


EQUALS = [[1.0, 3.0, 3.0, 2.0], [5.0, 5.0, 5.0, 5.0], [2.0, 0.0, 0.0, 7.0]]


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_an_extreme_with_its_place_gives_the_first_of_equals_all(name: str, dim: int, keepdim: bool) -> None:
    nan = float("nan")
    for at in (EQUALS, [[nan, 1.0, nan], [2.0, nan, 2.0]]):
        agree(
            lambda x: getattr(x, name)(dim, keepdim)[0] * 3,
            lambda x: getattr(x, name)(dim, keepdim)[0] * 3,
            at,
        )


def test_extremes_without_a_place_share_out() -> None:
    for name in ("amax", "amin"):
        agree(lambda x, name=name: getattr(x, name)(1), lambda x, name=name: getattr(x, name)(1), EQUALS)
        agree(
            lambda x, name=name: getattr(x, name[1:])(), lambda x, name=name: getattr(x, name[1:])(), EQUALS
        )


def test_the_first_of_equals_for_many_at_once_and_later() -> None:
    want = np.array(EQUALS) * 0
    want[[0, 1, 2], [1, 0, 3]] = 1
    each = vmap(grad(lambda row: row.max(0)[0]))(Tensor(EQUALS))
    np.testing.assert_array_equal(each.numpy(), want)
    x = Tensor(EQUALS, requires_grad=True)
    best = (x * 1).max(1)[0].realize()
    (best * 1).sum().backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), want)
    np.testing.assert_array_equal(jit(grad(lambda x: x.max(1)[0].sum()))(Tensor(EQUALS)).numpy(), want)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_max_pools_give_the_first_of_equals_all(dims: int, stride: int) -> None:
    """After a relu most windows have several zeros."""
    few = np.random.default_rng(dims).integers(-2, 2, (2, 3, *(7,) * dims)).astype(np.float32)
    for x in (few, np.maximum(few, 0), few * 0):
        weight = np.random.default_rng(5).standard_normal((2, 3, *(7,) * dims)).astype(np.float32)
        for name, arguments in (("max_pool", (3, stride, 1)), ("adaptive_max_pool", (2 + stride,))):
            ours, theirs = (getattr(of, f"{name}{dims}d") for of in (Tensor, torch.nn.functional))
            t = torch.tensor(x, requires_grad=True)
            want = theirs(t, *arguments)
            some = weight[tuple(slice(n) for n in want.shape)]
            (want * torch.tensor(some)).sum().backward()
            got = grad(lambda x, f=ours, a=arguments, w=some: (f(x, *a) * Tensor(w)).sum())(Tensor(x))
            np.testing.assert_allclose(got.numpy(), t.grad.numpy(), rtol=1e-5, atol=1e-6)
            both, _ = ours(Tensor(x), *arguments, return_indices=True)
            np.testing.assert_array_equal(both.numpy(), want.detach().numpy())


@pytest.mark.parametrize("name", ["median", "cummax", "cummin"])
@pytest.mark.parametrize("dim", [0, 1])
def test_a_nan_that_wins_has_the_slope(name: str, dim: int) -> None:
    nan = float("nan")
    rows = [[1.0, nan, 3.0, 2.0], [nan, nan, 1.0, 0.0], [1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 1.0, nan]]
    agree(lambda x: getattr(x, name)(dim)[0] * 3, lambda x: getattr(x, name)(dim)[0] * 3, rows)


def test_the_slope_of_a_pool_is_made_once_for_a_window() -> None:
    """Behind the pool is a convolution: its slope is a sum, and was made for each of nine places."""
    x = Tensor(np.arange(1 * 4 * 16 * 16, dtype=np.float32).reshape(1, 4, 16, 16)).realize()
    weight = Tensor(np.ones((8, 4, 3, 3), np.float32)).realize()
    slope = grad(lambda x: x.max_pool2d(3, 2, 1).conv2d(weight, padding=1).square().sum())(x)
    loops = [[range_size(r) for r in kernel.ranges()] for kernel in kernels_of(slope)]
    assert any(9 in sizes for sizes in loops)  # places of a window
    assert not any(9 in sizes and sizes.count(3) > 1 for sizes in loops)  # and the taps of the convolution


def test_places_and_phases_of_windows_that_overlap_are_made_once() -> None:
    """Every tap of a window looked for its place; and a vector had the phases of both axes in turns."""
    x, g = (Tensor(np.ones((2, 5, n, n), np.float32)).realize() for n in (112, 56))

    def loops(pool: Callable[[Tensor], Tensor]) -> list[list[int]]:
        slope = grad(lambda x: (pool(x) * g).sum())(x)
        return [[range_size(r) for r in kernel.ranges()] for kernel in kernels_of(slope)]

    assert max(sizes.count(9) for sizes in loops(lambda x: x.max_pool2d(3, 2, 1))) == 1
    assert [2, 5, 112, 112, 2, 2] not in loops(lambda x: x.avg_pool2d(3, 2, 1))
