"""Updates of a small target are added up in shared memory, by the kernels a GPU runs, on the host."""

from __future__ import annotations

from math import gcd

import numpy as np
import pytest

from bench.kernel_programs import form_of, given
from saccade import Tensor
from saccade.codegen.cuda.search.moves import Card
from saccade.codegen.cuda.source import far_apart, laid_out
from saccade.codegen.cuda.templates.privatised import FLOAT_PLACES, LARGEST, updates_of
from saccade.graph.kernels.kernel import Kernel
from saccade.tensor.programs.prepare import scheduled

from .cuda_emulator import emulated_gpu, needs_compiler


def kernel_of(places: int, updates: int, reduce: str = "sum") -> Kernel:
    """The kernel that makes the updates."""
    x, index = given(updates), given(updates, dtype="int64")
    made = given(places).scatter_reduce(0, index, x, reduce)
    return scheduled(form_of(made), "cuda:0").items[-1].kernel


@needs_compiler
@pytest.mark.usefixtures("gpu_by_default")
@pytest.mark.parametrize(("dtype", "places"), [("int32", 7), ("int64", 5), ("float32", 7), ("float64", 5)])
@pytest.mark.parametrize("updates", [4096, 4099])
def test_counts(dtype: str, places: int, updates: int) -> None:
    labels = np.random.default_rng(0).integers(0, places, updates)
    start = np.arange(places).astype(dtype)
    ones = Tensor(np.ones(updates, dtype))
    found = Tensor(start).index_add(0, Tensor(labels), ones).numpy()
    np.testing.assert_array_equal(found, start + np.bincount(labels, minlength=places).astype(dtype))


@needs_compiler
@pytest.mark.usefixtures("gpu_by_default")
def test_what_is_outside_is_not_counted() -> None:
    x = np.random.default_rng(0).normal(size=5003).astype(np.float32)
    expected = np.histogram(x, 6, (-1, 1))[0]
    np.testing.assert_array_equal(Tensor(x).histc(6, -1, 1).numpy(), expected)


@needs_compiler
@pytest.mark.usefixtures("gpu_by_default")
def test_rows_of_groups() -> None:
    rng = np.random.default_rng(0)
    x, groups = rng.integers(-4, 5, (1501, 3)).astype(np.float32), np.sort(rng.integers(0, 2, 1501))
    expected = np.zeros((2, 3), np.float32)
    np.add.at(expected, groups, x)
    found = Tensor.zeros(2, 3).index_add(0, Tensor(groups), Tensor(x)).numpy()
    np.testing.assert_array_equal(found, expected)


def test_a_launch_is_as_wide_as_the_card_and_has_what_it_copies() -> None:
    source = laid_out(kernel_of(64, 1 << 24), Card()).source
    assert (source.grid, source.block) == (4 * Card.processors, 256)
    assert source.shared == 8 * 64 * 4  # a copy for each warp
    assert "atomic_add(own" in source.text


@pytest.mark.parametrize(
    ("places", "updates", "reduce"),
    [
        (64, 1000, "sum"),
        (LARGEST // 4 + 1, 1 << 26, "sum"),
        (FLOAT_PLACES + 1, 1 << 24, "sum"),
        (64, 1 << 24, "amax"),
    ],
    ids=["few", "large", "many floats", "a maximum"],
)
def test_others_go_to_memory(places: int, updates: int, reduce: str) -> None:
    assert updates_of(kernel_of(places, updates, reduce)) is None


@needs_compiler
def test_sorted_rows_are_added_by_blocks_that_work_far_apart() -> None:
    rng = np.random.default_rng(3)
    rows, groups = rng.integers(0, 9, (70_003, 33)).astype(np.float32), np.sort(rng.integers(0, 150, 70_003))
    expected = np.zeros((150, 33), np.float32)
    np.add.at(expected, groups, rows)
    with emulated_gpu():
        into = Tensor(np.zeros((150, 33), np.float32), device="cuda")
        made = into.index_add(0, Tensor(groups, device="cuda"), Tensor(rows, device="cuda"))
        np.testing.assert_array_equal(made.numpy(), expected)
    assert far_apart(2047) == 1
    assert all(gcd(far_apart(grid), grid) == 1 < far_apart(grid) for grid in range(2048, 2100))
