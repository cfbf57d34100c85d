"""Gradients against finite differences in float64, through realised values, under jit, of second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from saccade import Tensor, grad, jit, jvp, value_and_grad, vjp, where
from saccade.tensor.jit.trace import TraceError
from saccade.tensor.programs import realize
from saccade.transform.gradient import NoGradient

Function = Callable[[Tensor], Tensor]
INDEX = np.array([[1, 0, 2, 2, 1], [0, 0, 1, 3, 2], [3, 3, 3, 0, 0]])
ROWS = Tensor(np.array([3, 0, 3]))

#: functions of a (4, 5) tensor of numbers between 0.3 and 2.3, no two of them near each other
FUNCTIONS: dict[str, Function] = {
    "neg": lambda x: -x,
    "abs": lambda x: (x - 1).abs(),
    "sqrt": lambda x: x.sqrt(),
    "rsqrt": lambda x: x.rsqrt(),
    "reciprocal": lambda x: x.reciprocal(),
    "exp": lambda x: x.exp(),
    "exp2": lambda x: x.exp2(),
    "log": lambda x: x.log(),
    "log2": lambda x: x.log2(),
    "log1p": lambda x: x.log1p(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tan": lambda x: (x / 2).tan(),
    "asin": lambda x: (x / 3).asin(),
    "acos": lambda x: (x / 3).acos(),
    "atan": lambda x: x.atan(),
    "sinh": lambda x: x.sinh(),
    "cosh": lambda x: x.cosh(),
    "tanh": lambda x: x.tanh(),
    "erf": lambda x: x.erf(),
    "floor": lambda x: x.floor() + x,
    "cast": lambda x: x.cast("float64") * 2,
    "add": lambda x: x + x * 2 + 1,
    "sub": lambda x: 1 - x,
    "mul": lambda x: x * x,
    "div": lambda x: (x + 1) / x,
    "mod": lambda x: (x * 3) % x.flip(0),
    "pow": lambda x: x**2.5,
    "pow of both": lambda x: x ** x.flip(1),
    "atan2": lambda x: x.atan2(x.flip(0)),
    "maximum": lambda x: x.maximum(x.flip(0)),
    "minimum": lambda x: x.minimum(1.2),
    "clamp": lambda x: x.clamp(0.7, 1.5),
    "where": lambda x: where(x > 1, x * x, x.sin()),
    "relu": lambda x: (x - 1).relu(),
    "gelu": lambda x: x.gelu(),
    "silu": lambda x: x.silu(),
    "sigmoid": lambda x: x.sigmoid(),
    "softplus": lambda x: x.softplus(),
    "reshape": lambda x: x.reshape(2, 10) * Tensor(np.arange(10.0)),
    "transpose": lambda x: x.T @ x,
    "expand": lambda x: x[:1].expand(6, 5) * Tensor(np.arange(6.0)).reshape(6, 1),
    "broadcast": lambda x: x[:, :1] * x[:1],
    "pad": lambda x: x.pad((1, 2, 3, 0)),
    "slice": lambda x: x[1:3, 2:],
    "steps": lambda x: x[::2, 4::-2],
    "flip": lambda x: x.flip(0, 1),
    "roll": lambda x: x.roll(1, 0),
    "cat": lambda x: Tensor.cat([x, x * 2, x[:2]], 0),
    "stack": lambda x: Tensor.stack([x, x.exp()], 1),
    "unfold": lambda x: x.unfold(1, 3, 1),
    "unfold by two": lambda x: x.unfold(1, 2, 2),
    "conv1d": lambda x: x.reshape(1, 4, 5).conv1d(Tensor(np.ones((2, 4, 3))), padding=1),
    "conv2d": lambda x: x.reshape(1, 1, 4, 5).conv2d(x[:2, :3].reshape(1, 1, 2, 3), stride=2, padding=1),
    "dilated conv": lambda x: x.reshape(1, 1, 4, 5).conv2d(x[:2, :2].reshape(1, 1, 2, 2), dilation=2),
    "max pool": lambda x: x.reshape(1, 1, 4, 5).max_pool2d(2, 1),
    "average pool": lambda x: x.reshape(1, 1, 4, 5).avg_pool2d(2),
    "sum": lambda x: x.sum(0),
    "mean": lambda x: x.mean(),
    "var": lambda x: x.var(1),
    "std": lambda x: x.std(0),
    "max": lambda x: x.amax(1),
    "min": lambda x: x.amin(0),
    "prod": lambda x: x.prod(1),
    "prod with a zero": lambda x: (x - x[0, 0]).prod(1) + (x - x[1, 2]).prod(0).sum(),
    "norm": lambda x: x.norm(dim=1),
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(0),
    "cummax": lambda x: x.cummax(1)[0],
    "logsumexp": lambda x: x.logsumexp(0),
    "softmax": lambda x: x.softmax(1),
    "log softmax": lambda x: x.log_softmax(0),
    "sort": lambda x: x.sort(1)[0],
    "sort down": lambda x: x.sort(0, descending=True)[0],
    "topk": lambda x: x.topk(2, 1)[0],
    "gather": lambda x: x.gather(0, Tensor(INDEX)),
    "index": lambda x: x[ROWS],
    "index of both": lambda x: x[ROWS, Tensor(np.array([0, 4, 4]))],
    "take along": lambda x: x[:, Tensor(np.array([1, 1, 4]))],
    "scatter add": lambda x: (x * 2).scatter_add(0, Tensor(INDEX), x[:3].exp()),
    "scatter": lambda x: (x * 2).scatter(
        1, Tensor(np.array([[0, 3], [1, 2], [2, 4], [4, 0]])), x[:, :2].exp()
    ),
    "matmul": lambda x: x @ x.T @ x,
    "einsum": lambda x: Tensor.einsum("ij,kj->ik", x, x.sin()),
    "layer norm": lambda x: x.layer_norm((5,)),
    "cross entropy": lambda x: x.cross_entropy(Tensor(np.array([0, 4, 2, 2]))),
    "attention": lambda x: x.scaled_dot_product_attention(x * 2, x.cos()),
    "segments": lambda x: x.segment_reduce("sum", lengths=Tensor(np.array([1, 3]))),
    "interpolate": lambda x: x.reshape(1, 1, 4, 5).interpolate(scale_factor=2, mode="bilinear"),
    "diagonal": lambda x: x.diagonal(),
    "tril": lambda x: x.tril(),
    "contiguous": lambda x: x.contiguous() * 2,
}


def numbers(seed: int = 0) -> np.ndarray:
    """Numbers apart from each other, so that no step of a finite difference changes their order."""
    rng = np.random.default_rng(seed)
    return (0.3 + 2 * rng.permutation(20) / 20 + rng.uniform(0, 0.05, 20)).reshape(4, 5)


def weighted(function: Function) -> Function:
    """A function with one number as its result, in which every element counts differently."""

    def loss(x: Tensor) -> Tensor:
        made = function(x)
        weights = np.random.default_rng(1).uniform(0.5, 1.5, made.shape)
        return (made * Tensor(weights, dtype="float64")).sum()

    return loss


def agrees(function: Function, start: np.ndarray, tolerance: float = 1e-6) -> None:
    found = grad(function)(Tensor(start)).numpy()
    assert found.shape == start.shape
    rng = np.random.default_rng(2)
    for _ in range(2):
        step = rng.normal(size=start.shape)
        step *= 1e-5 / np.abs(step).max()
        up, down = function(Tensor(start + step)).item(), function(Tensor(start - step)).item()
        slope = float((found * step).sum())
        assert slope == pytest.approx((up - down) / 2, rel=tolerance, abs=tolerance * 1e-4)


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_gradient_is_what_finite_differences_say(name: str) -> None:
    start = numbers()
    assert start.dtype == np.float64
    agrees(weighted(FUNCTIONS[name]), start)


SMOOTH = (
    "mul",
    "div",
    "pow",
    "tanh",
    "softmax",
    "matmul",
    "var",
    "prod",
    "cumsum",
    "conv2d",
    "gather",
    "attention",
)


@pytest.mark.parametrize("name", SMOOTH)
def test_a_gradient_of_a_gradient(name: str) -> None:
    function = weighted(FUNCTIONS[name])
    agrees(lambda x: (grad(function)(x) * x).sum(), numbers())


@pytest.mark.parametrize("name", ["softmax", "matmul", "conv2d", "gather", "layer norm"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("bfloat16", 0.1)])
def test_other_floats_have_the_gradients_of_float64(name: str, dtype: str, tolerance: float) -> None:
    def loss(x: Tensor) -> Tensor:
        return weighted(FUNCTIONS[name])(x.cast("float64"))

    start = Tensor(numbers()).cast(dtype)
    found = grad(loss)(start)
    assert str(found.dtype.name) == dtype
    wanted = grad(loss)(start.cast("float64")).numpy()
    np.testing.assert_allclose(found.cast("float64").numpy(), wanted, rtol=tolerance, atol=tolerance)


def test_equal_ones_share_and_zeros_do_not_divide() -> None:
    assert grad(lambda x: x.amax())(Tensor([1.0, 2.0, 2.0])).tolist() == [0.0, 0.5, 0.5]
    assert grad(lambda x: x.maximum(Tensor([1.0, 0.0])).sum())(Tensor([1.0, 1.0])).tolist() == [0.5, 1.0]
    assert grad(lambda x: x.prod())(Tensor([0.0, 2.0, 3.0])).tolist() == [6.0, 0.0, 0.0]
    assert grad(lambda x: x.prod())(Tensor([0.0, 0.0, 3.0])).tolist() == [0.0, 0.0, 0.0]
    assert grad(lambda x: (x**0).sum())(Tensor([0.0, 2.0])).tolist() == [0.0, 0.0]
    assert grad(lambda x: x.abs().sum())(Tensor([-2.0, 0.0, 2.0])).tolist() == [-1.0, 0.0, 1.0]


# --- functions


class Layer(NamedTuple):
    weight: Tensor
    bias: Tensor


def test_arguments_come_in_trees() -> None:
    layers = [Layer(Tensor.ones(3, 2), Tensor.zeros(2)), Layer(Tensor.ones(2, 1), Tensor.zeros(1))]
    x = Tensor(np.arange(12.0, dtype=np.float32).reshape(4, 3))

    def loss(layers: list[Layer], x: Tensor) -> Tensor:
        for weight, bias in layers:
            x = x @ weight + bias
        return x.mean()

    value, slopes = value_and_grad(loss)(layers, x)
    assert value.item() == pytest.approx(33.0)
    assert isinstance(slopes[0], Layer)
    assert slopes[1].bias.tolist() == [1.0]
    assert slopes[0].weight.shape == (3, 2)
    found = grad(loss, argnums=(0, 1))(layers, x)
    assert isinstance(found, tuple)
    assert found[1].tolist() == [[0.5] * 3] * 4


def test_what_it_does_not_depend_on_has_a_gradient_of_zeros() -> None:
    assert grad(lambda x, y: y.sum())(Tensor([1.0, 2.0]), Tensor([3.0])).tolist() == [0.0, 0.0]
    assert grad(lambda x: (x > 1).cast("float32").sum())(Tensor([1.0, 2.0])).tolist() == [0.0, 0.0]
    assert grad(lambda x: ((x * x).detach() * x).sum())(Tensor([3.0])).tolist() == [9.0]


def test_an_argument_is_not_what_else_has_its_memory() -> None:
    w = Tensor([2.0, 3.0]).realize()
    assert grad(lambda x: (x * w).sum())(w).tolist() == [2.0, 3.0]


def test_values_may_be_looked_at() -> None:
    def loss(x: Tensor) -> Tensor:
        y = (x * 2).realize()
        return (y * y).sum() if y.sum().item() > 0 else y.sum()

    assert grad(loss)(Tensor([1.0, 2.0])).tolist() == [8.0, 16.0]
    assert grad(loss)(Tensor([-1.0, -2.0])).tolist() == [2.0, 2.0]
    with pytest.raises(TraceError):
        jit(grad(loss))(Tensor([1.0, 2.0]))


def test_values_that_are_looked_at_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    original = realize.make_executable
    monkeypatch.setattr(realize, "make_executable", lambda *given: made.append(given) or original(*given))

    def loss(x: Tensor) -> Tensor:
        y = (x * 1.25).exp()
        return y.sum() if y.amax().item() > 0 else y.mean()

    grad(loss)(Tensor([1.0, 2.0, 3.0, 4.0])).realize()
    first = len(made)
    for _ in range(3):
        grad(loss)(Tensor([1.0, 2.0, 3.0, 4.0])).realize()
    assert len(made) == first


def test_inside_jit_and_around_it() -> None:
    def loss(x: Tensor) -> Tensor:
        return (x.sin() * x).sum()

    x = Tensor(np.linspace(0, 1, 7, dtype=np.float32))
    wanted = np.sin(x.numpy()) + x.numpy() * np.cos(x.numpy())
    step = jit(grad(loss))
    for _ in range(3):
        np.testing.assert_allclose(step(x).numpy(), wanted, rtol=1e-5)
    assert step.traces == 1
    np.testing.assert_allclose(grad(jit(loss))(x).numpy(), wanted, rtol=1e-5)


def test_cotangents_and_tangents() -> None:
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    value, pull = vjp(lambda x, y: (x * y, x.sum()), x, y)
    assert value[0].tolist() == [3.0, 8.0]
    found = pull((Tensor([1.0, 10.0]), Tensor(2.0)))
    assert [t.tolist() for t in found] == [[5.0, 42.0], [1.0, 20.0]]
    value, change = jvp(lambda x, y: x * y, (x, y), (Tensor([1.0, 0.0]), Tensor([0.0, 1.0])))
    assert (value.tolist(), change.tolist()) == ([3.0, 8.0], [3.0, 2.0])


def test_help_from_outside_comes_back() -> None:
    slope, notes = grad(lambda x: ((x * x).sum(), {"twice": x * 2}), has_aux=True)(Tensor([3.0]))
    assert slope.tolist() == [6.0]
    assert notes["twice"].tolist() == [6.0]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: grad(lambda x: x * 2)(Tensor([1.0, 2.0])), r"one number, not the shape \(2,\)"),
        (lambda: grad(lambda x: 3.0)(Tensor([1.0])), "returns a tensor, not float"),
        (lambda: grad(lambda x: x.argmax())(Tensor([1.0])), "returns a float, not int64"),
        (lambda: grad(lambda x: x.sum())(Tensor([1, 2])), "gradients are of floats, so cast it"),
        (lambda: grad(lambda x: x.sum())(2.0), "gradients are of tensors"),
        (lambda: grad(lambda x: x.sum(), argnums=1)(Tensor([1.0])), "names argument 1 of a call with 1"),
        (lambda: grad(lambda x: x.sum(), argnums="x"), "argnums is the number of an argument"),
        (lambda: vjp(lambda x: x * 2, Tensor([1.0]))[1](Tensor([1.0, 2.0])), r"shape \(2,\)"),
        (lambda: vjp(lambda x: x * 2, Tensor([1.0]))[1]((Tensor([1.0]),)), "in the structure of the result"),
        (lambda: jvp(lambda x: x * 2, (Tensor([1.0]),), ()), "in the structure of the arguments"),
        (
            lambda: jvp(lambda x: x * 2, (Tensor([1.0]),), (Tensor([1.0, 2.0]),)),
            r"a tangent has shape \(2,\)",
        ),
        (lambda: jvp(lambda x: x * 2, (Tensor([1.0]),), (Tensor([1]),)), "a tangent has .* dtype int64"),
        (lambda: grad(lambda x: x.sum(), argnums=(0, -1))(Tensor([1.0])), "names argument 0 twice"),
    ],
)
def test_bad_input_is_told(call: Callable[[], Any], problem: str) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        call()


def test_every_float_op_has_a_derivative_or_says_so() -> None:
    from saccade.graph.ops import ELEMENTWISE, MOVEMENT, Op
    from saccade.transform.gradient.reverse import _FLAT, DERIVATIVES

    integers = {Op.NOT, Op.IDIV, Op.TDIV, Op.IPOW, Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR}
    truths = {Op.LT, Op.LE, Op.EQ, Op.NE, Op.ISNAN}
    missing = (ELEMENTWISE | MOVEMENT) - DERIVATIVES.keys() - _FLAT - integers - truths
    assert missing == set()
    assert issubclass(NoGradient, TypeError)


@pytest.mark.parametrize("name", ["amax", "logsumexp", "softmax", "log_softmax"])
def test_the_best_of_sums_is_found_again(name: str) -> None:
    """Sums that two kernels compute in two orders differ in their last bits: none was equal to the largest,
    and the gradient was divided by how many are."""
    rng = np.random.default_rng(0)
    x, *weights = (Tensor(rng.standard_normal(s).astype(np.float32)) for s in ((16, 2), (32, 2), (3, 32)))

    def loss(first: Tensor, second: Tensor) -> Tensor:
        made = getattr((x @ first.T).tanh().linear(second), name)(1)
        return made.sum() if name != "softmax" else (made**2).sum()

    value, slopes = value_and_grad(loss, (0, 1))(*weights)
    value.realize(*slopes)
    exact = [weight.double() for weight in weights]
    x = x.double()
    for found, wanted in zip(slopes, grad(loss, (0, 1))(*exact), strict=True):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-4)


def test_the_best_of_scattered_sums_is_found_again() -> None:
    rng = np.random.default_rng(1)
    x, weights = (Tensor(rng.standard_normal(s).astype(np.float32)) for s in ((64, 48), (48, 8)))
    index = Tensor(np.tile(np.arange(64)[:, None] % 5, (1, 8)))

    def loss(weights: Tensor) -> Tensor:
        sums = x @ weights
        return Tensor(np.full((5, 8), -9.0, np.float32)).scatter_reduce(0, index, sums.tanh(), "amax").sum()

    both = jit(value_and_grad(loss))(weights)[1].numpy()
    sums = (x @ weights).tanh().numpy()
    best = sums.reshape(-1, 8)
    groups = np.arange(64) % 5
    chosen = np.array([[sums[groups == g, c].max() for c in range(8)] for g in range(5)])
    slope = np.where(best == chosen[groups], 1 - best**2, 0.0)
    np.testing.assert_allclose(both, x.numpy().T @ slope, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "function",
    [lambda x: x.std(1), *[lambda x, p=p: (x - 1).norm(p, 1) for p in (0.5, 1, 2, 3, float("inf"))]],
)
def test_norms_and_deviations_of_nothing_have_no_slope(function: Callable[[Tensor], Tensor]) -> None:
    """All elements of the first row are equal, as torch has it: 0, not 0 / 0; the second row is as ever."""
    both = np.array([[1, 1, 1], [1.5, 2, 4]])
    found = grad(lambda x: function(x).sum())(Tensor(both)).numpy()
    alone = grad(lambda x: function(x).sum())(Tensor(both[1:])).numpy()
    np.testing.assert_array_equal(found[0], np.zeros(3))
    np.testing.assert_allclose(found[1:], alone)
    assert np.isfinite(alone).all()
    assert alone.any()
