"""Long rows on a GPU: sorts, running reductions, segments and searches that many blocks share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor

pytestmark = pytest.mark.gpu

Array = np.ndarray[Any, Any]


def on_gpu(array: Array) -> Tensor:
    return Tensor(array, device="cuda")


@pytest.mark.parametrize("shape", [(100_000,), (3, 5000), (2, 4097, 3)])
@pytest.mark.parametrize("descending", [False, True])
def test_sorts_are_stable(shape: tuple[int, ...], descending: bool, rng: np.random.Generator) -> None:
    x = rng.integers(-500, 500, shape).astype(np.float32)
    x[rng.random(shape) < 0.01] = np.nan
    axis = 0 if len(shape) == 1 else 1
    key = np.flip(x, axis) if descending else x
    order = np.argsort(key, axis, kind="stable")
    order = x.shape[axis] - 1 - np.flip(order, axis) if descending else order
    values, indices = on_gpu(x).sort(axis, descending)
    np.testing.assert_array_equal(indices.numpy(), order)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, order, axis))
    first = np.take(order, range(100), axis)
    np.testing.assert_array_equal(on_gpu(x).topk(100, axis, descending).indices.numpy(), first)


@pytest.mark.parametrize("shape", [(1 << 20,), (100_003,), (300, 700), (3, 50_000), (2, 3000, 5)])
def test_running_sums(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    x = rng.integers(-3, 4, shape)
    for axis in range(len(shape)):
        np.testing.assert_array_equal(on_gpu(x).cumsum(axis).numpy(), np.cumsum(x, axis))
        np.testing.assert_array_equal(on_gpu(x).cummax(axis).values.numpy(), np.maximum.accumulate(x, axis))


@pytest.mark.parametrize("columns", [(), (3,), (64,)])
@pytest.mark.parametrize("segments", [3, 5000])
def test_segments(columns: tuple[int, ...], segments: int, rng: np.random.Generator) -> None:
    x = rng.integers(-9, 10, (20_000, *columns)).astype(np.float32)
    offsets = np.concatenate([[0], np.sort(rng.integers(0, len(x) + 1, segments - 1)), [len(x)]])
    wanted = Tensor(x).segment_reduce("sum", offsets=offsets).numpy()
    given = on_gpu(x)
    np.testing.assert_array_equal(given.segment_reduce("sum", offsets=on_gpu(offsets)).numpy(), wanted)
    numbers = on_gpu(np.repeat(np.arange(segments), np.diff(offsets)))
    found = given.segment_reduce("sum", indices=numbers, num_segments=segments)
    np.testing.assert_array_equal(found.numpy(), wanted)
    added = on_gpu(np.zeros_like(wanted)).index_add(0, numbers, given)
    np.testing.assert_array_equal(added.numpy(), wanted)


def test_searches_in_few_long_rows(rng: np.random.Generator) -> None:
    x = rng.integers(-(10**6), 10**6, (3, 1 << 18)).astype(np.float32)
    np.testing.assert_array_equal(on_gpu(x).argmax(1).numpy(), x.argmax(1))
    order = np.argsort(x, 1, kind="stable")[:, :8]
    np.testing.assert_array_equal(on_gpu(x).topk(8, 1, largest=False).indices.numpy(), order)
