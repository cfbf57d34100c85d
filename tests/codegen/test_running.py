"""Running reductions of several rows go together, and give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.cpu.running import ROWS
from saccade.graph.kernels.kernel import LOOP, PARALLEL, UNROLL, range_size
from saccade.runtime.config import settings
from tests.codegen.kernels import kernels_of


@pytest.mark.parametrize("kind", ["cumsum", "cummax"])
def test_rows_run_together(kind: str) -> None:
    x = Tensor(np.zeros((33, 177), "float32"))
    (kernel,) = kernels_of(x.cumsum(1) if kind == "cumsum" else x.cummax(1).values)
    made = optimise(kernel)
    assert [range_size(r) for r in made.order if r.arg.kind == UNROLL] == [ROWS]


def test_threads_come_first() -> None:
    (kernel,) = kernels_of(Tensor(np.zeros((2 * settings.threads, 1_000), "float32")).cumsum(1))
    assert range_size(optimise(kernel).order[0]) == settings.threads
    (one,) = kernels_of(Tensor(np.zeros((1, 177), "float32")).cumsum(1))
    assert all(r.arg.kind in (LOOP, PARALLEL) for r in optimise(one).order)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("shape", [(1, 5), (2, 33), (3, 7, 9), (5, 1), (9, 130), (0, 4), (6, 0), (13, 4, 3)])
def test_results(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> None:
    a = rng.integers(-9, 10, shape).astype(dtype)
    for axis in range(len(shape)):
        np.testing.assert_array_equal(Tensor(a).cumsum(axis).numpy(), np.cumsum(a, axis, dtype=a.dtype))
        if a.size:
            wanted = np.maximum.accumulate(a, axis)
            np.testing.assert_array_equal(Tensor(a).cummax(axis).values.numpy(), wanted)


def test_a_row_of_nan_is_its_own() -> None:
    a = np.ones((9, 21), "float32")
    a[4, 7], a[5, 0], a[2, 3] = np.nan, -np.inf, np.inf
    np.testing.assert_array_equal(Tensor(a).cumsum(1).numpy(), np.cumsum(a, 1))
    np.testing.assert_array_equal(Tensor(a).cummax(1).values.numpy(), np.maximum.accumulate(a, 1))


def test_in_place(rng: np.random.Generator) -> None:
    """A last step that overlaps would add twice."""
    a = rng.integers(-9, 10, (10, 33)).astype("float32")
    x = Tensor(a).realize()
    x.assign(x.cumsum(1)).realize()
    np.testing.assert_array_equal(x.numpy(), np.cumsum(a, 1))
