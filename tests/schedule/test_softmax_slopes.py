"""The slope of a softmax is made of its weights: backward reads nothing else of it."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.graph.ops import Op
from tests.schedule.programs import scheduled


def gradient(x: Tensor, slope: Tensor) -> tuple[Tensor, Tensor]:
    made, back = vjp(lambda x: x.softmax(-1), x)
    return made, back(slope)[0]


def test_exponentials_and_totals_are_not_stored() -> None:
    """Weights and slopes: one kernel each, and only that of the weights has exponentials."""
    made = scheduled(lambda x, g: gradient(x * 2.0, g), (64, 300), (64, 300))
    assert len(made.items) == 2
    assert sum(any(n.op is Op.EXP for n in item.kernel.nodes) for item in made.items) == 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((7, 33), 1), ((5, 6, 9), 1), ((1, 1), 0), ((4, 0), 1), ((3,), 0)]
)
def test_slopes_are_those_of_the_formula(
    dtype: str, shape: tuple[int, ...], axis: int, rng: np.random.Generator
) -> None:
    x, g = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
    made, back = vjp(lambda x: x.softmax(axis), Tensor(x))
    wide = x.astype("float64")
    e = np.exp(wide - wide.max(axis, keepdims=True)) if x.size else wide
    w = e / e.sum(axis, keepdims=True)
    slope = w * (g - (w * g).sum(axis, keepdims=True))
    close = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(made.numpy(), w, rtol=close, atol=close)
    np.testing.assert_allclose(back(Tensor(g))[0].numpy(), slope, rtol=close, atol=close)


def test_masked_rows_and_the_slope_of_the_slope(rng: np.random.Generator) -> None:
    """Weights of -inf are zero, and so are their slopes; second derivatives go through the rewrite too."""
    x = rng.standard_normal((6, 11)).astype("float64")
    x[2, 3:] = -np.inf
    g, h = (rng.standard_normal((6, 11)) for _ in range(2))

    def slope(x: Tensor) -> Tensor:
        return gradient(x, Tensor(g))[1]

    second = vjp(slope, Tensor(x))[1](Tensor(h))[0].numpy()
    w = np.exp(x - x.max(1, keepdims=True))
    w /= w.sum(1, keepdims=True)
    assert not slope(Tensor(x)).numpy()[2, 3:].any()

    def pulled(w: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.asarray(w * (v - (w * v).sum(1, keepdims=True)))

    # of w (g - sum w g) by w, pulled back through the softmax
    by_w = h * (g - (w * g).sum(1, keepdims=True)) - g * (w * h).sum(1, keepdims=True)
    np.testing.assert_allclose(second, pulled(w, by_w), rtol=1e-9, atol=1e-12)
