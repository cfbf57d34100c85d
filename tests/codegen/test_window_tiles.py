"""Sums over windows without a tile of a product, as depthwise convolutions: several results in registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.moves.tile_values import without_factor_tiles
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import (
    UNROLL,
    VECTOR,
    Kernel,
    fold,
    load,
    loop,
    param,
    range_size,
    sink,
    stage,
    store,
)
from saccade.graph.monoid import ADD
from saccade.graph.node import own_ranges
from saccade.graph.ops import Op
from saccade.runtime.cpu.machine import AVX2, AVX512, NEON, SSE, Registers, assuming, host_registers
from tests.codegen.kernels import kernels_of, run_shaped_for

Array = np.ndarray[Any, Any]
RUN_HERE = [r for r in (SSE, AVX2, AVX512, NEON) if r.by_lane == host_registers().by_lane]
RUN_HERE = [r for r in RUN_HERE if r.bytes <= host_registers().bytes]


def zeros(*shape: int) -> Tensor:
    return Tensor(np.zeros(shape, "float32"))


def last_kernel(*made: Tensor) -> Kernel:
    return kernels_of(*made)[-1]


def sums_of(kernel: Kernel) -> int:
    """Results of a sum in registers."""
    fold = next(n for n in kernel.nodes if n.op is Op.FOLD)
    return int(np.prod([range_size(r) for r in fold.ranges if r.arg.kind == UNROLL]))


def lanes_along_the_sum(kernel: Kernel) -> bool:
    return any(r.arg.kind == VECTOR for n in kernel.nodes if n.op is Op.FOLD for r in own_ranges(n))


@pytest.mark.parametrize("registers", [AVX2, AVX512, NEON])
@pytest.mark.parametrize(("n", "window"), [(14, 7), (28, 3), (57, 5)])
def test_rows_of_a_depthwise_convolution_are_together(registers: Registers, n: int, window: int) -> None:
    x, w = zeros(2, 24, n, n), zeros(24, 1, window, window)
    kernel = last_kernel(x.conv2d(w, padding=window // 2, groups=24))
    with assuming(registers):
        made = optimise(kernel)
    assert 4 <= sums_of(made) < registers.count
    assert not lanes_along_the_sum(made)


def test_one_axis_has_lanes_along_the_results() -> None:
    kernel = last_kernel(zeros(2, 24, 200).conv1d(zeros(24, 1, 15), padding=7, groups=24))
    with assuming(AVX512):
        assert not lanes_along_the_sum(optimise(kernel))


def by_weights(channels: int, n: int, window: int, groups: int) -> Kernel:
    x, w = zeros(4, channels, n, n), zeros(channels, channels // groups, window, window)
    options = {"padding": window // 2, "groups": groups}
    return last_kernel(grad(lambda w: (x.conv2d(w, **options) * zeros(4, channels, n, n)).sum())(w))


def test_results_of_a_small_window_are_together() -> None:
    with assuming(AVX512):
        made = optimise(by_weights(24, 28, 3, 24))
    assert sums_of(made) == 9
    assert lanes_along_the_sum(made)


def test_channels_of_groups_are_two_loops() -> None:
    """As one loop, taken apart by their number, both factors would follow it."""
    x, w = zeros(2, 32, 14, 14), zeros(32, 8, 3, 3)
    for kernel in (
        last_kernel(x.conv2d(w, padding=1, groups=4)),
        last_kernel(grad(lambda x: (x.conv2d(w, padding=1, groups=4) * zeros(2, 32, 14, 14)).sum())(x)),
    ):
        with assuming(AVX512):
            assert sums_of(optimise(kernel)) >= 8


def test_the_result_of_groups_is_not_copied() -> None:
    kernels = kernels_of(zeros(4, 64, 28, 28).conv2d(zeros(64, 8, 3, 3), padding=1, groups=8))
    assert sum(any(n.op is Op.FOLD for n in k.nodes) for k in kernels) == 1
    assert any(n.op is Op.FOLD for n in kernels[-1].nodes)


def depthwise(x: Array, w: Array) -> Array:
    """Valid windows, by definition."""
    places = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwab,cab->nchw", places, w[:, 0], dtype=np.float64)


@pytest.mark.parametrize("registers", RUN_HERE)
@pytest.mark.parametrize(
    ("space", "window"),
    [((9, 7), (3, 3)), ((14, 14), (7, 7)), ((5, 33), (1, 9)), ((33, 4), (6, 1)), ((20, 31), (5, 2))],
)
def test_values(
    registers: Registers, space: tuple[int, int], window: tuple[int, int], rng: np.random.Generator
) -> None:
    """Sizes that no vector and no number of rows divides, for all kinds of registers this machine has."""
    x = rng.integers(-3, 4, (2, 3, *space)).astype(np.float32)
    w = rng.integers(-3, 4, (3, 1, *window)).astype(np.float32)
    expected = depthwise(x, w)
    (kernel,) = kernels_of(Tensor(x).conv2d(Tensor(w), groups=3))
    out = np.empty(expected.shape, np.float32)
    sizes: dict[int, Array] = {x.size: x, w.size: w}
    arrays = [out if slot in kernel.outputs else sizes[size] for slot, (_, size) in enumerate(kernel.params)]
    run_shaped_for(kernel, registers, arrays)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("strides", [1, 2, 3])
@pytest.mark.parametrize("make", [lambda y: y, lambda y: y.relu() * 2, lambda y: y.exp()])
def test_what_follows_a_sum(strides: int, make: Callable[[Tensor], Tensor], rng: np.random.Generator) -> None:
    x, w = rng.standard_normal((2, 5, 19, 23)), rng.standard_normal((5, 1, 3, 3))
    made = make(Tensor(x).conv2d(Tensor(w), stride=strides, groups=5)).numpy()
    expected = make(Tensor(depthwise(x, w)[:, :, ::strides, ::strides])).numpy()
    np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("side", [17, 28, 29])
def test_the_last_vector_of_a_row_overlaps_the_one_before(side: int, rng: np.random.Generator) -> None:
    """Two vectors cover a row of 29: with one, a tile of 8 channels has too few sums."""
    x = rng.integers(-3, 4, (2, 16, side, side)).astype(np.float32)
    w = rng.integers(-3, 4, (16, 8, 3, 3)).astype(np.float32)
    kernel = last_kernel(Tensor(x).conv2d(Tensor(w), groups=2))
    if host_registers() == AVX512:
        assert sums_of(optimise(kernel)) == 16
    places = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    halves = [
        np.einsum("nchwab,ocab->nohw", places[:, c : c + 8], w[c : c + 8], dtype=np.float64) for c in (0, 8)
    ]
    found = Tensor(x).conv2d(Tensor(w), groups=2).numpy()
    np.testing.assert_array_equal(found, np.concatenate(halves, 1))


def windowed(length: int) -> Kernel:
    """Windows of a tile that is a row, times weights of 4 outputs: y[o, i] = sum of tile[i + a] * w[o, a]."""
    i, a, o, c = loop(0, length), loop(1, 3), loop(2, 4), loop(3, length + 2)
    row = stage(load(param(1, dtypes.float32, length + 2), c), c, (c,), 9, length + 2)
    body = load(row, i + a) * load(param(2, dtypes.float32, 12), o * 3 + a)
    total = fold(ADD, (body,), (a,))
    stores = (store(param(0, dtypes.float32, 4 * length), o * length + i, total),)
    sizes = (4 * length, length + 2, 12)
    return Kernel(sink(stores), (o, i), tuple((dtypes.float32, size) for size in sizes), (0,))


@pytest.mark.parametrize(("length", "kept"), [(30, True), (5, False)])
def test_a_tile_of_windows_is_kept(length: int, kept: bool) -> None:
    """Its elements are read three times; computed where they are read, a border would be asked for each time.
    One that leaves no loop to a tile of registers is not."""
    made = without_factor_tiles(windowed(length))
    assert any(n.op is Op.STAGE for n in made.nodes) == kept
