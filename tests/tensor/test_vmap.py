"""vmap: the law is that many at once are what a loop over them gives, under every transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, hessian, jacrev, jit, linalg, nn, vmap, where
from saccade.explain import explain
from saccade.graph.ops import ELEMENTWISE, PARTS, Op
from saccade.tensor import TraceError
from saccade.transform.batching import SHIFTS, NoBatch
from saccade.transform.gradient.reverse import DERIVATIVES

RNG = np.random.default_rng(0)
X = Tensor(RNG.standard_normal((4, 3)).astype(np.float32))
Y = Tensor(RNG.standard_normal((4, 3)).astype(np.float32))
W = Tensor(RNG.standard_normal((3, 5)).astype(np.float32))
PLACES = Tensor([[0, 1], [2, 2], [1, 0], [0, 0]])
PICTURES = Tensor(RNG.standard_normal((2, 3, 6, 6)).astype(np.float32))


def close(ours: Tensor, wanted: Any) -> None:
    np.testing.assert_allclose(ours.detach().numpy(), wanted.detach().numpy(), rtol=1e-5, atol=1e-5)


def distance(a: Tensor, b: Tensor) -> Tensor:
    return ((a - b) ** 2).sum().sqrt()


def changed_inside(x: Tensor) -> Tensor:
    y = x * 2
    y[0] = 5.0
    return y.cat([y, x]).flip(0)


FAST: list[tuple[Callable[..., Tensor], tuple[Tensor, ...]]] = [
    (lambda x: (x @ W).softmax(-1), (X,)),
    (changed_inside, (X,)),
    (lambda x, i: W[i] * x.gather(0, i).unsqueeze(1), (X, PLACES)),
]
SLOW: list[tuple[Callable[..., Tensor], tuple[Tensor, ...]]] = [
    (lambda x: where(x > 0, x, x.cumsum(0)).sort(descending=True)[0], (X,)),
    (lambda x: x.topk(2)[0] + x.argmax().float(), (X,)),
    (lambda x: x.scatter_add(0, x.long().abs() % 3, x), (X,)),
    (lambda x: x.reshape(1, 3).permute(1, 0).pad((1, 2)).layer_norm((4,)), (X,)),
    (lambda p: p.conv2d(Tensor.ones(4, 3, 3, 3), padding=1).max_pool2d(2), (PICTURES,)),
    (lambda p: linalg.inv(p[0] + 4 * Tensor.eye(6)), (PICTURES,)),
    (lambda x, i: x.unsqueeze(0).cross_entropy(i[:1]), (X, PLACES)),
]


@pytest.mark.parametrize(
    ("function", "given"), [*FAST, *[pytest.param(*case, marks=pytest.mark.slow) for case in SLOW]]
)
def test_many_are_a_loop_over_one(function: Callable[..., Tensor], given: tuple[Tensor, ...]) -> None:
    one_by_one = [function(*[x[n] for x in given]) for n in range(given[0].shape[0])]
    close(vmap(function)(*given), Tensor.stack(one_by_one))


def test_axes_of_arguments_and_results() -> None:
    pairs = vmap(vmap(distance, (None, 0)), (0, None))
    close(pairs(X, Y), X.cdist(Y))
    assert vmap(lambda x: x * 2, 1, 1)(X).shape == (4, 3)
    first, second = vmap(lambda x: (x, x.sum()), out_dims=(1, 0))(X)
    assert (first.shape, second.shape) == ((3, 4), (4,))
    found = vmap(lambda both: {"sum": both["a"] + both["b"], "same": Tensor([1.0])})({"a": X, "b": Y})
    assert (found["sum"].shape, found["same"].tolist()) == ((4, 3), [[1.0]] * 4)


def test_gradients_of_each_example_and_through_all() -> None:
    def loss(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return ((x @ w).sum() - y.sum()) ** 2

    each = vmap(grad(loss), (None, 0, 0))(W, X, Y)
    close(each, Tensor.stack([grad(loss)(W, X[n], Y[n]) for n in range(4)]))
    total = grad(lambda w: vmap(loss, (None, 0, 0))(w, X, Y).sum())(W)
    close(total, each.sum(0))


def test_jacobians() -> None:
    close(jacrev(lambda w: X @ w)(W)[1, 2], X[1].unsqueeze(1) * Tensor([0.0, 0, 1, 0, 0]))
    second = hessian(lambda v: (v**3).sum() * v[0])(Tensor([2.0, 1.0]))
    assert second.tolist() == [[48.0, 3.0], [3.0, 12.0]]


def test_a_model_and_a_jit_function() -> None:
    model = nn.Linear(3, 2)
    vmap(model)(X).sum().backward()
    found = model.weight.grad
    model.zero_grad()
    model(X).sum().backward()
    close(found, model.weight.grad)
    step = jit(lambda x, y: vmap(distance)(x, y))
    for _ in range(3):
        close(step(X, Y), ((X - Y) ** 2).sum(1).sqrt())


def test_a_product_for_many_is_one_kernel() -> None:
    assert explain(lambda: vmap(lambda x: x @ W)(X).realize()).kernels == 1


def test_what_cannot_be_done_for_many_is_refused() -> None:
    def writes(x: Tensor) -> Tensor:
        outside[0] = x[0]
        return x

    outside = Tensor([1.0, 2.0])
    for function, told in (
        (lambda x: x * x.sum().item(), "stands for many"),
        (lambda x: x + Tensor.rand(3), "random numbers"),
        (writes, "from outside"),
    ):
        with pytest.raises(TraceError, match=told):
            vmap(function)(X)
    assert outside.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="has 3 along axis 0, others have 4"):
        vmap(distance)(X, W)
    with pytest.raises(ValueError, match="names 3 axes for 2 arguments"):
        vmap(distance, (0, 0, 0))(X, Y)


def test_every_op_of_a_graph_takes_another_axis() -> None:
    handled = SHIFTS.keys() | {Op.RESHAPE, Op.ASSIGN}
    assert DERIVATIVES.keys() | ELEMENTWISE | PARTS <= handled
    assert issubclass(NoBatch, TypeError)
