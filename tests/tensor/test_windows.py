"""Convolution and pooling against direct sums, and the graph a convolution makes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.graph.ops import Op

from .compare import agree

rng = np.random.default_rng(5)
Array = np.ndarray[Any, Any]


def normal(*shape: int) -> Array:
    return rng.standard_normal(shape)


def direct(x: Array, w: Array, stride: int, padding: int, dilation: int, groups: int) -> Array:
    """A convolution by its definition, one output position at a time."""
    dims = w.ndim - 2
    x = np.pad(x, [(0, 0)] * 2 + [(padding, padding)] * dims)
    places = [
        (n - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x.shape[2:], w.shape[2:], strict=True)
    ]
    out = np.zeros((x.shape[0], w.shape[0], *places))
    inner, outer = w.shape[1], w.shape[0] // groups
    for place in product(*map(range, places)):
        cut = tuple(
            slice(p * stride, p * stride + dilation * (k - 1) + 1, dilation)
            for p, k in zip(place, w.shape[2:], strict=True)
        )
        for channel in range(w.shape[0]):
            first = channel // outer * inner
            window = x[(slice(None), slice(first, first + inner), *cut)]
            out[(slice(None), channel, *place)] = (window * w[channel]).sum(tuple(range(1, dims + 2)))
    return out


@pytest.mark.parametrize(
    ("space", "kernel", "stride", "padding", "dilation", "groups"),
    [
        ((9,), (3,), 1, 0, 1, 1),
        ((7, 6), (3, 2), 2, 1, 1, 1),
        ((7, 6), (2, 3), 1, 2, 2, 2),
        ((5, 5), (3, 3), 1, 1, 1, 4),
        ((4, 3, 5), (2, 3, 2), 2, 1, 1, 1),
        ((3, 3, 2, 3), (2, 1, 2, 2), 1, 0, 1, 1),
    ],
)
def test_conv(space: Any, kernel: Any, stride: int, padding: int, dilation: int, groups: int) -> None:
    x, w = normal(2, 4, *space), normal(8, 4 // groups, *kernel)
    ours = Tensor(x).conv(Tensor(w), None, stride, padding, dilation, groups)
    agree(ours, direct(x, w, stride, padding, dilation, groups), rtol=1e-10)


def test_the_graph_of_a_convolution() -> None:
    out = Tensor(normal(1, 2, 5, 5)).conv2d(Tensor(normal(3, 2, 3, 3)), padding=1)
    ops = [n.op for n in out.node.toposort()]
    assert (ops.count(Op.PAD), ops.count(Op.WINDOW), ops.count(Op.MUL), ops.count(Op.REDUCE)) == (1, 2, 1, 1)


def test_transposed_convolution_is_the_transpose() -> None:
    """<conv(x), y> = <x, conv_transpose(y)> for all x and y."""
    x, w = normal(1, 4, 7, 7), normal(6, 2, 3, 3)
    options: dict[str, Any] = {"stride": 2, "padding": 1, "groups": 2}
    forward = Tensor(x).conv(Tensor(w), **options)
    y = normal(*forward.shape)
    back = Tensor(y).conv_transpose(Tensor(w), **options)
    assert back.shape == x.shape
    assert (forward.numpy() * y).sum() == pytest.approx((back.numpy() * x).sum())


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize(("space", "stride"), [((1, 1), 1), ((1, 1), 3), ((1, 5), 1), ((4, 1), 2)])
def test_an_axis_of_one_place_multiplies_no_zeros(space: tuple[int, int], stride: int, padding: int) -> None:
    """Its windows are single places, whatever the stride."""
    y, w = normal(2, 4, *space), normal(4, 3, 4, 3)
    made = Tensor(y).conv_transpose(Tensor(w), stride=stride, padding=padding)
    full = np.zeros((2, 3, *[(n - 1) * stride + k for n, k in zip(space, (4, 3), strict=True)]))
    for i, j in product(*map(range, space)):
        at = slice(i * stride, i * stride + 4), slice(j * stride, j * stride + 3)
        full[:, :, *at] += np.einsum("nc,coab->noab", y[:, :, i, j], w)
    agree(made, full[:, :, padding : full.shape[2] - padding, padding : full.shape[3] - padding])
    sizes = {(n.arg[0] - 2) // 2: n.arg[2] for n in made.node.toposort() if n.op is Op.WINDOW}
    assert all(sizes.get(axis, 1) == 1 for axis, n in enumerate(space) if n == 1)


def test_pooling() -> None:
    x = normal(2, 3, 6, 4)
    tiles = x.reshape(2, 3, 3, 2, 2, 2)
    agree(Tensor(x).max_pool2d(2), tiles.max((3, 5)))
    agree(Tensor(x).avg_pool2d(2), tiles.mean((3, 5)))
    agree(Tensor(x).adaptive_avg_pool2d((3, 2)), tiles.mean((3, 5)))
    agree(Tensor(x).adaptive_avg_pool2d(1), x.mean((2, 3), keepdims=True))
    assert Tensor(-np.abs(x)).max_pool2d(3, 1, 1).max().item() < 0  # padding never wins
    agree(Tensor(x).max_pool2d((6, 4)), x.max((2, 3), keepdims=True))
    values, places = Tensor(x).max_pool2d(2, return_indices=True)
    agree(
        Tensor(x).reshape(2, 3, 24).gather(2, places.reshape(2, 3, 6)).reshape(values.shape),
        tiles.max((3, 5)),
    )


def test_interpolation() -> None:
    x = np.arange(6.0).reshape(1, 1, 2, 3)
    agree(Tensor(x).interpolate(scale_factor=2), x.repeat(2, 2).repeat(2, 3))


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (lambda x: x.conv2d(Tensor.zeros(4, 5, 3, 3)), "conv of 3 channels in 1 groups does not fit weights"),
        (lambda x: x.conv2d(Tensor.zeros(4, 3, 9, 9)), "a window of 9 with dilation 1 does not fit 6"),
        (lambda x: x.conv2d(Tensor.zeros(4, 3, 3)), "weights of 4 axes"),
        (lambda x: x.conv2d(Tensor.zeros(4, 3, 3, 3), stride=0), "use at least 1"),
        (lambda x: x.conv2d(Tensor.zeros(4, 3, 3, 3), stride=(1, 2, 3)), "one number for each of 2"),
        (lambda x: x.conv2d(Tensor.zeros(4, 3, 3, 3), padding="full"), "unknown padding 'full'"),
        (lambda x: x.max_pool2d(2, padding=2), "more than half the window"),
        (lambda x: x[0, 0].max_pool2d(2), "needs an input of 4 axes"),
        (lambda x: x.interpolate(), "either size or scale_factor"),
    ],
)
def test_errors(program: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        program(Tensor.zeros(2, 3, 6, 6))


def test_averages_count_what_is_there() -> None:
    x = np.arange(5, dtype=np.float32).reshape(1, 1, 5)
    # windows of 2 every 3 from -1: {pad, 0}, {2, 3}; the third would begin in the padding at the end
    agree(Tensor(x).avg_pool1d(2, 3, 1, ceil_mode=True), np.float32([[[0.0, 2.5]]]))
    agree(Tensor(x).avg_pool1d(2, 3, 1, True, False), np.float32([[[0.0, 2.5]]]))
    agree(Tensor(x).avg_pool1d(2, divisor_override=4), np.float32([[[0.25, 1.25]]]))
