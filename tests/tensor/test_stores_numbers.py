"""Writes in place where an offset, a number or a length changes: three programs, one memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.runtime.null import counting, ledger
from saccade.runtime.watch.debug import Run, listening
from saccade.tensor.jit.trace import buffer_of


def address(tensor: Tensor) -> int:
    return buffer_of(tensor.realize().node).address


def moved(runs: list[Run]) -> int:
    return sum(step.notes.nbytes for run in runs for step in run.recipe.steps)


def test_a_cache_at_an_offset_that_changes(made: list[object]) -> None:
    cache, expected = Tensor(np.zeros((2, 64, 8), np.float32)), np.zeros((2, 64, 8), np.float32)
    place = address(cache)
    for t in range(12):
        new = np.full((2, 1, 8), t + 1.0, np.float32)
        expected[:, t : t + 1] = new
        with listening() as runs:
            cache[:, t : t + 1] = Tensor(new)
            cache.realize()
        assert moved(runs) == 2 * new.nbytes  # read and written, and nothing of the cache
        assert (address(cache), len(made)) == (place, min(t + 1, 3))
    np.testing.assert_array_equal(cache.numpy(), expected)


def test_a_cache_at_an_offset_that_is_an_argument(made: list[object]) -> None:
    @jit
    def step(cache: Tensor, new: Tensor, t: int) -> Tensor:
        cache[:, t : t + 1] = new
        return cache[:, t].sum(1)

    costs = set()
    for length in (64, 4096):
        cache, expected = Tensor(np.zeros((2, length, 8), np.float32)), np.zeros((2, length, 8), np.float32)
        place = address(cache)
        made.clear()
        for t in range(10):
            new = np.full((2, 1, 8), t + 1.0, np.float32)
            expected[:, t : t + 1] = new
            with listening() as runs:
                result = step(cache, Tensor(new), t)
            np.testing.assert_array_equal(result.numpy(), expected[:, t].sum(1))
            costs.add(moved(runs))
            assert (address(cache), len(made)) == (place, min(t + 1, 3))
        np.testing.assert_array_equal(cache.numpy(), expected)
    assert len(costs) == 1  # of the first call too, and of a cache of any length


def test_a_row_and_a_number_that_change(made: list[object]) -> None:
    x, expected = Tensor(np.zeros((20, 3), np.float32)), np.zeros((20, 3), np.float32)
    place = address(x)
    for i in range(10):
        x[i] += float(i)
        x[-i - 1, 1] = 0.5 * i
        expected[i] += float(i)
        expected[-i - 1, 1] = 0.5 * i
        assert address(x) == place
    np.testing.assert_array_equal(x.numpy(), expected)
    assert len(made) == 3


def test_a_part_of_other_places_moves_with_its_offset(made: list[object]) -> None:
    """Overlapping places, read before any of them is overwritten, wherever they are."""
    x, expected = Tensor(np.arange(40, dtype=np.float32)), np.arange(40, dtype=np.float32)
    for i in range(8):
        x[i + 1 : i + 9] = x[i : i + 8] * 2
        expected[i + 1 : i + 9] = expected[i : i + 8].copy() * 2
        x.realize()
    np.testing.assert_array_equal(x.numpy(), expected)
    assert len(made) <= 4


LENGTHS: dict[str, Callable[[Any], Any]] = {
    "all of it": lambda x: x.__iadd__(1),
    "a part": lambda x: x.__setitem__(slice(1, 3), 7.0),
    "all but the ends": lambda x: x.__setitem__(slice(1, -1), x[2:] * 10),
    "the last two, backwards": lambda x: x[::-1][:2].__imul__(x[:2] + 2),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_lengths_that_change(name: str, made: list[object]) -> None:
    for n in range(5, 40):
        array = np.arange(2.0 * n, dtype=np.float32).reshape(n, 2)
        x = Tensor(array)
        place = address(x)
        later = x * 2
        LENGTHS[name](x)
        total = x.sum()
        x.realize(total)
        assert address(x) == place
        np.testing.assert_array_equal(later.numpy(), array * 2)
        LENGTHS[name](array)
        np.testing.assert_array_equal(x.numpy(), array)
        assert total.item() == array.sum()
    assert len(made) <= 12  # of the store, of its copy and of the value that waits: no more for more lengths


def test_a_call_in_place_needs_no_other_memory() -> None:
    @jit
    def step(x: Tensor, rate: float) -> None:
        x.assign(x * rate + 1)

    x = Tensor(np.ones((1000, 1000), np.float32), device="null").realize()
    step(x, 0.5)
    ledger.start_over()
    alone = ledger.live
    with counting() as report:
        for n in range(6):
            step(x, 0.1 * n)
    assert report.peak_bytes <= alone + 64  # a word for the rate
