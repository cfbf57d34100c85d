"""The gradient of windows: what it is, and what is stored on the way."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

Array = np.ndarray[Any, Any]

#: space, kernel, stride, padding, dilation, groups
CONVOLUTIONS = [
    ((9,), (3,), 1, 0, 1, 1),
    ((10,), (3,), 3, 1, 1, 1),
    ((11,), (2,), 3, 0, 1, 1),  # a stride longer than the window
    ((12,), (5,), 2, 2, 1, 2),
    ((12,), (3,), 2, 0, 2, 1),
    ((9, 8), (3, 2), 1, 1, 1, 1),
    ((7, 9), (3, 3), 2, 1, 1, 1),
    ((8, 8), (1, 1), 2, 0, 1, 1),
    ((7, 6), (2, 3), 1, 2, 2, 2),
    ((5, 5), (3, 3), 1, 1, 1, 4),
    ((4, 4), (4, 4), 1, 0, 1, 1),  # one window: a convolution would be mostly of zeros
    ((4, 3, 5), (2, 3, 2), 2, 1, 1, 1),
    ((4, 5, 4), (2, 3, 1), 1, 1, 1, 1),
]


def numbers(*shape: int, seed: int = 0) -> Array:
    """Integers: every order of a sum of them gives the same."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def scattered(slope: Array, w: Array, like: Array, stride: int, padding: int, dilation: int) -> Array:
    """The gradient by the input, by its definition: each slope goes, times the weights, to the places that
    its window read. One group."""
    dims = w.ndim - 2
    out = np.pad(np.zeros_like(like), [(0, 0)] * 2 + [(padding, padding)] * dims)
    for place in product(*map(range, slope.shape[2:])):
        for tap in product(*map(range, w.shape[2:])):
            at = tuple(p * stride + t * dilation for p, t in zip(place, tap, strict=True))
            here = (slice(None), slice(None), *place)
            out[(slice(None), slice(None), *at)] += slope[here] @ w[(slice(None), slice(None), *tap)]
    inside = tuple(slice(padding, padding + n) for n in like.shape[2:])
    return out[(slice(None), slice(None), *inside)]


@pytest.mark.parametrize("device", ["cpu", "interpreter"])
@pytest.mark.parametrize(("space", "kernel", "stride", "padding", "dilation", "groups"), CONVOLUTIONS)
def test_convolution(
    device: str, space: Any, kernel: Any, stride: int, padding: int, dilation: int, groups: int
) -> None:
    x, w = numbers(2, 4, *space), numbers(8, 4 // groups, *kernel, seed=1)

    def convolved(x: Tensor, w: Tensor) -> Tensor:
        return x.conv(w, None, stride, padding, dilation, groups)

    tx, tw = Tensor(x, device=device), Tensor(w, device=device)
    slope = numbers(*convolved(tx, tw).shape, seed=2)
    ours = grad(lambda x, w: (convolved(x, w) * Tensor(slope, device=device)).sum())(tx, tw)
    halves = zip(*(np.split(a, groups, axis) for a, axis in ((slope, 1), (w, 0), (x, 1))), strict=True)
    expected = [scattered(s, part, like, stride, padding, dilation) for s, part, like in halves]
    np.testing.assert_array_equal(ours.numpy(), np.concatenate(expected, 1))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("stride", [1, 2])
def test_other_types_keep_theirs(dtype: str, stride: int) -> None:
    x, w = numbers(2, 3, 6, 7), numbers(4, 3, 3, 3, seed=1)
    tx, tw = Tensor(x).cast(dtype), Tensor(w).cast(dtype)
    slope = numbers(*tx.conv2d(tw, stride=stride, padding=1).shape, seed=2).clip(-1, 1)
    ours = grad(lambda x: (x.conv2d(tw, stride=stride, padding=1) * Tensor(slope).cast(dtype)).sum())(tx)
    assert ours.dtype.name == dtype
    np.testing.assert_array_equal(ours.cast("float32").numpy(), scattered(slope, w, x, stride, 1, 1))


@pytest.mark.parametrize("stride", [1, 2])
def test_a_gradient_has_gradients(stride: int) -> None:
    """The gradient by the input is linear in the weights: its gradient by them is that of a convolution."""
    x, w, v = numbers(2, 3, 7, 6), numbers(4, 3, 3, 3, seed=1), numbers(2, 3, 7, 6, seed=3)

    def by_input(w: Tensor) -> Tensor:
        return grad(lambda x: (x.conv2d(w, stride=stride, padding=1) ** 2).sum())(Tensor(x))

    ours = grad(lambda w: (by_input(w) * Tensor(v)).sum())(Tensor(w))

    def weighed(
        w: Array,
    ) -> float:  # sum of 2 conv(x, w) conv(v, w), which is quadratic: differences are exact
        parts = [Tensor(a).conv2d(Tensor(w), stride=stride, padding=1).numpy().astype(float) for a in (x, v)]
        return float((2 * parts[0] * parts[1]).sum())

    for at in [(0, 0, 0, 0), (3, 2, 1, 2), (1, 1, 2, 0)]:
        step = np.zeros_like(w)
        step[at] = 1
        assert ours.numpy()[at] == (weighed(w + step) - weighed(w - step)) / 2


@pytest.mark.parametrize(
    ("size", "stride", "padding"), [(3, 2, 1), (2, 2, 0), (3, 3, 0), (3, 1, 1), (2, 3, 0)]
)
def test_pooling(size: int, stride: int, padding: int) -> None:
    x = np.random.default_rng(0).permutation(2 * 3 * 9 * 8).reshape(2, 3, 9, 8).astype(np.float32)
    slope = numbers(*Tensor(x).max_pool2d(size, stride, padding).shape, seed=1)
    ours = grad(lambda x: (x.max_pool2d(size, stride, padding) * Tensor(slope)).sum())(Tensor(x))
    expected = np.pad(np.zeros_like(x), [(0, 0)] * 2 + [(padding, padding)] * 2)
    around = np.pad(x, [(0, 0)] * 2 + [(padding, padding)] * 2, constant_values=-1)
    for n, c, i, j in np.ndindex(*slope.shape):
        top, left = i * stride, j * stride
        part = around[n, c, top : top + size, left : left + size]
        a, b = np.unravel_index(part.argmax(), part.shape)
        expected[n, c, top + a, left + b] += slope[n, c, i, j]
    np.testing.assert_array_equal(ours.numpy(), expected[:, :, padding : padding + 9, padding : padding + 8])


# --- what is stored


def planned(gradient: Tensor) -> KernelGraph:
    form, _ = canonical([gradient.node])
    return schedule(*graph_of(form))


def by_input(channels: int, n: int, **options: int) -> Tensor:
    x, w = (
        Tensor(np.zeros((4, channels, n, n), "float32")),
        Tensor(np.zeros((channels, channels, 3, 3), "float32")),
    )
    return grad(lambda x: (x.conv2d(w, padding=1, **options) ** 2).sum())(x)


@pytest.mark.parametrize(("channels", "n"), [(16, 32), (24, 19), (64, 9)])
def test_cotangents_of_windows_are_not_stored(channels: int, n: int) -> None:
    """They are 9 times the input; its slopes, padded or not, and the weights are all a convolution reads."""
    plan = planned(by_input(channels, n))
    largest = max(4 * channels * (n + 4) ** 2, 9 * channels**2)
    assert max(buffer.size for buffer in plan.buffers) <= largest


@pytest.mark.parametrize(("size", "stride", "taps"), [(3, 2, 2), (5, 2, 3), (4, 4, 1), (7, 3, 3)])
def test_a_stride_makes_no_zeros(size: int, stride: int, taps: int) -> None:
    """Of windows with a stride, only so many reach a place: no more are added up."""
    x = Tensor(np.zeros((2, 40), "float32"))
    made = grad(lambda x: (x.unfold(1, size, stride).exp()).sum())(x)
    graph = list(walk((made.node,)))
    sums = [n for n in graph if n.op is Op.ADD and n.dtype.is_float]
    assert len(sums) == taps - 1
    assert not any(n.op is Op.REDUCE for n in graph), "a few terms are added one by one"


def test_many_windows_that_reach_a_place_are_one_sum() -> None:
    x = Tensor(np.zeros((2, 40), "float32"))
    made = grad(lambda x: (x.unfold(1, 14, 2).exp()).sum())(x)
    assert [n.src[0].shape[n.arg[1][0]] for n in walk((made.node,)) if n.op is Op.REDUCE] == [7]


def test_the_gradient_of_a_convolution_is_one() -> None:
    """Windows of the slopes, and one sum over channels and both axes of the window."""
    made = by_input(16, 32)
    product = next(n for n in reversed(list(walk((made.node,)))) if n.op is Op.REDUCE)
    assert len(product.arg[1]) == 3
    assert product.src[0].op is Op.MUL


def test_that_of_a_depthwise_convolution_is_one_too() -> None:
    """Nothing is summed but the window: its axes are, for windows of any size."""
    x, w = Tensor(np.zeros((2, 8, 14, 14), "float32")), Tensor(np.zeros((8, 1, 7, 7), "float32"))
    made = grad(lambda x: (x.conv2d(w, padding=3, groups=8) ** 2).sum())(x)
    product = next(n for n in reversed(list(walk((made.node,)))) if n.op is Op.REDUCE)
    assert len(product.arg[1]) == 2
    assert product.src[0].op is Op.MUL


def test_axes_of_a_window_stay_in_order() -> None:
    """Weights are read along their memory, backwards, and slopes are padded in theirs."""
    x, w = Tensor(np.zeros((2, 16, 9, 9), "float32")), Tensor(np.zeros((16, 4, 5, 3), "float32"))
    made = grad(lambda x: (x.conv2d(w, padding=(2, 1), groups=4) ** 2).sum())(x)
    product = next(n for n in reversed(list(walk((made.node,)))) if n.op is Op.REDUCE)
    assert [product.src[0].shape[a] for a in product.arg[1]] == [4, 5, 3]
    pads = [n for n in walk((made.node,)) if n.op is Op.PAD and n.shape[-1] > 1 and max(n.arg[-1]) > 0]
    assert any(n.shape[-2:] == (9 + 2 * 4, 9 + 2 * 2) for n in pads)


def test_a_factor_that_is_the_same_all_along_a_window() -> None:
    """It is no weight of a convolution."""
    x, w = numbers(2, 3, 12), numbers(3)
    made = grad(lambda x: (x.unfold(2, 4, 1) * Tensor(w).reshape(3, 1, 1)).sum())(Tensor(x)).numpy()
    counts = np.array([1, 2, 3, 4, 4, 4, 4, 4, 4, 3, 2, 1])
    np.testing.assert_array_equal(made, np.broadcast_to(w[:, None] * counts, x.shape))


def test_a_gpu_has_the_sum_as_it_stands() -> None:
    x, w = (Tensor(np.zeros(shape, "float32"), device="null:cuda") for shape in ((2, 8, 9, 9), (8, 8, 3, 3)))
    made = grad(lambda x: (x.conv2d(w, padding=1) ** 2).sum())(x)
    sums = [n.arg[1] for n in walk((made.node,)) if n.op is Op.REDUCE]
    assert all(len(axes) == 1 for axes in sums[-2:])  # one window after the other
