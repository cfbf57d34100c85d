"""Kernels that let memory go run early: what forward kept goes as backward comes."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, jit, nn, value_and_grad
from saccade.explain import explain
from saccade.schedule.joining.release import LEAST_BYTES
from saccade.schedule.kernel_graph import BETWEEN, KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

LAYERS, ROWS, WIDTH = 6, 2048, 256
#: bytes of a layer's values
LAYER = ROWS * WIDTH * 4


def loss(weights: list[Tensor], x: Tensor) -> Tensor:
    for w in weights:
        x = (x @ w).tanh()
    return (x * x).mean()


def planned(*results: Tensor) -> KernelGraph:
    form, _ = canonical([t.node for t in results])
    return schedule(*graph_of(form))


def test_gradients_of_weights_come_as_soon_as_they_can() -> None:
    """Forward keeps a value for each layer; backward has a slope or two beside them, and not all slopes."""
    assert LAYER >= LEAST_BYTES
    weights = [Tensor.zeros(WIDTH, WIDTH).realize() for _ in range(LAYERS)]
    value, slopes = value_and_grad(loss)(weights, Tensor.zeros(ROWS, WIDTH).realize())
    assert planned(value, *slopes).arena <= (LAYERS + 3) * LAYER


def test_parts_of_a_sum_and_their_sum_come_early_together() -> None:
    """A gradient in two kernels: parts of a product, and their sum with the rest of it, with which goes what
    forward kept."""

    def summed(x: Tensor, slope: Tensor) -> Tensor:
        x, slope = (t.reshape(8, -1, WIDTH) for t in (x, slope))
        parts = (x[:7].transpose(1, 2) @ slope[:7]).contiguous()
        return parts.sum(0) + x[7].T @ slope[7]

    w = Tensor.zeros(WIDTH, WIDTH).realize()
    kept, gradients = [Tensor.zeros(ROWS, WIDTH).realize()], []
    for _ in range(LAYERS):
        kept.append((kept[-1] @ w).tanh())
    slope = kept[-1]
    for value in kept[-2::-1]:
        gradients.append(summed(value, slope))
        slope = (slope @ w) * (1 - value * value)
    assert planned(slope, *gradients).arena <= (LAYERS + 3) * LAYER


@pytest.mark.slow
def test_a_layer_of_many_is_worth_a_move() -> None:
    """What one of 280 layers keeps is a small part of the peak, and what all keep is the peak."""
    deep, rows = 280, 1024
    weights = [Tensor.zeros(WIDTH, WIDTH).realize() for _ in range(deep)]
    value, slopes = value_and_grad(loss)(weights, Tensor.zeros(rows, WIDTH).realize())
    assert planned(value, *slopes).arena <= (deep + 5) * rows * WIDTH * 4


def test_the_same_values_in_another_order() -> None:
    """A step that changes its weights in place: readers of the old ones still run before."""
    random = np.random.default_rng(0)
    arrays = [random.standard_normal((WIDTH, WIDTH)).astype(np.float32) * 0.1 for _ in range(3)]
    x = random.standard_normal((ROWS, WIDTH)).astype(np.float32)

    def step(weights: list[Tensor], x: Tensor) -> Tensor:
        value, slopes = value_and_grad(loss)(weights, x)
        for w, slope in zip(weights, slopes, strict=True):
            w.assign(w - slope)
        return value

    weights = [Tensor(array) for array in arrays]
    traced, given = jit(step), Tensor(x)
    for _ in range(2):
        traced(weights, given).realize()
    kept = [array.astype(np.float64) for array in arrays]
    for _ in range(2):
        kept = _stepped(kept, x.astype(np.float64))
    for w, wanted in zip(weights, kept, strict=True):
        np.testing.assert_allclose(w.numpy(), wanted, rtol=2e-4, atol=2e-5)


def _stepped(weights: list[np.ndarray], x: np.ndarray) -> list[np.ndarray]:
    """The same step by hand, in float64."""
    values = [x]
    for w in weights:
        values.append(np.tanh(values[-1] @ w))
    slope = 2 * values[-1] / values[-1].size
    slopes = []
    for w, given, made in zip(weights[::-1], values[-2::-1], values[:0:-1], strict=True):
        slope = slope * (1 - made * made)
        slopes.append(given.T @ slope)
        slope = slope @ w.T
    return [w - s for w, s in zip(weights, slopes[::-1], strict=True)]


def test_batch_norm_keeps_what_it_normalises_and_nothing_else() -> None:
    """Of a convolution, batch norm and relu, forward keeps the result of the convolution and the padded input
    of the next. Distances, their float64, what is normalised and masks are made again from these."""
    side, channels = 32, 32
    layers = [
        (nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)) for _ in range(3)
    ]
    each = 8 * channels * side * side * 4

    def value(x: Tensor) -> Tensor:
        for convolution, norm in layers:
            x = norm(convolution(x)).relu()
        return (x * x).mean()

    def step(x: Tensor) -> None:
        x.requires_grad_()
        value(x).backward()

    x = Tensor.zeros(8, channels, side, side).realize()
    made = max((c.graph for c in explain(lambda: step(x)).computations), key=lambda graph: graph.arena)
    large = [b for b in made.of_role(BETWEEN) if b.nbytes >= each]
    assert {b.dtype.name for b in large} == {"float32"}
    assert made.arena <= (2 * len(layers) + 3) * each
