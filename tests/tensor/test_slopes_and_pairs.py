"""Names of torch that are made of others: slopes by differences, distances of pairs, integers in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, nn

rng = np.random.default_rng(0)


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("shape", [(5,), (4, 6)])
def test_slopes_like_numpys(shape: tuple[int, ...], edge_order: int) -> None:
    x = rng.standard_normal(shape)
    places = [np.sort(rng.standard_normal(n)) for n in shape]
    for spacing in ([1.0] * len(shape), [0.5, 2.0][: len(shape)], places):
        wanted = np.gradient(x, *spacing, edge_order=edge_order)
        given = [Tensor(gap) if isinstance(gap, np.ndarray) else gap for gap in spacing]
        found = Tensor(x).gradient(spacing=given, edge_order=edge_order)
        for mine, its in zip(found, [wanted] if len(shape) == 1 else wanted, strict=True):
            np.testing.assert_allclose(mine.numpy(), its, rtol=1e-9, atol=1e-9)


def test_slopes_of_few_elements_and_axes() -> None:
    x = Tensor([[1.0, 4.0], [3.0, 9.0]])
    assert [t.tolist() for t in x.gradient()] == [[[2.0, 5.0], [2.0, 5.0]], [[3.0, 3.0], [6.0, 6.0]]]
    (found,) = x.gradient(spacing=2.0, dim=-1)
    assert found.tolist() == [[1.5, 1.5], [3.0, 3.0]]
    with pytest.raises(ValueError, match="edge_order 2 needs more"):
        x.gradient(edge_order=2)
    with pytest.raises(ValueError, match="not 3"):
        x.gradient(spacing=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"places of shape \(3,\)"):
        x.gradient(spacing=[Tensor([1.0, 2.0, 3.0])], dim=0)


def test_slopes_like_torch() -> None:
    torch = pytest.importorskip("torch")
    x = rng.standard_normal((4, 5))
    for options in (
        {},
        {"spacing": 0.5},
        {"dim": 1, "edge_order": 2},
        {"dim": (1, 0), "spacing": [2.0, 3.0]},
    ):
        for mine, its in zip(
            Tensor(x).gradient(**options), torch.gradient(torch.tensor(x), **options), strict=True
        ):
            np.testing.assert_allclose(mine.numpy(), its.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("p", [2.0, 1.0, 3.0, float("inf")])
def test_distances_of_pairs(p: float) -> None:
    x = rng.standard_normal((5, 3))
    wanted = [np.linalg.norm(x[i] - x[j], p) for i in range(5) for j in range(i + 1, 5)]
    np.testing.assert_allclose(Tensor(x).pdist(p).numpy(), wanted, rtol=1e-12)
    assert nn.functional.pdist(Tensor(x[:1])).shape == (0,)


def test_equal_rows_have_no_slope() -> None:
    x = Tensor([[1.0, 2.0], [1.0, 2.0], [4.0, 6.0]], requires_grad=True)
    x.pdist().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [[-0.6, -0.8], [-0.6, -0.8], [1.2, 1.6]], rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "most"), [("uint8", 255), ("int8", 127), ("bool", 1), ("float16", 2048), ("float32", 1 << 24)]
)
def test_integers_in_place(dtype: str, most: int) -> None:
    x = Tensor.zeros(5000, dtype=dtype).random_().double()
    assert x.min().item() >= 0
    assert 0.95 * most <= x.max().item() <= most


def test_limits_of_integers_in_place() -> None:
    x = Tensor.zeros(200)
    assert set(x.random_(3).tolist()) == {0.0, 1.0, 2.0}
    with pytest.raises(ValueError, match="0"):
        x.random_(0)
    assert set(x.random_(-1, 2).tolist()) == {-1.0, 0.0, 1.0}
    assert Tensor.zeros(9, dtype="int64").random_().max().item() > 1 << 40


@pytest.mark.parametrize("name", ["celu", "elu", "hardtanh", "leaky_relu", "selu", "relu"])
def test_activations_in_place(name: str) -> None:
    x = Tensor([-2.0, 0.5, 3.0])
    wanted = getattr(x, name)().tolist()
    assert getattr(nn.functional, f"{name}_")(x) is x
    assert x.tolist() == wanted


def test_more_in_place() -> None:
    x = Tensor([-2.0, 0.5, 3.0])
    assert x.threshold_(0.1, 20.0).tolist() == [20.0, 0.5, 3.0]
    assert set(Tensor.ones(100).dropout_(0.5).tolist()) == {0.0, 2.0}


def test_short_ones() -> None:
    x: Any = Tensor([4.0, 9.0], dtype="float64")
    assert x.float_power_(0.5).tolist() == [2.0, 3.0]
    assert Tensor.row_stack([Tensor([1, 2]), Tensor([[3, 4]])]).tolist() == [[1, 2], [3, 4]]
