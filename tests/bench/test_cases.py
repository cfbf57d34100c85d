"""Every case: its NumPy program is right on small inputs, and its inputs are the same in every process."""

from __future__ import annotations

import numpy as np
import pytest

from bench.case import OURS, PEERS, Work
from bench.cases import CASES
from bench.cases.neighbours import nearest_numpy, nearest_scipy
from bench.cases.products import conv_numpy
from bench.cases.reductions import layer_norm_numpy, softmax_numpy


@pytest.mark.parametrize("name", CASES)
def test_inputs_are_deterministic_and_work_is_counted(name: str) -> None:
    case = CASES[name]
    first, second = case.make_inputs(quick=True), case.make_inputs(quick=True)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert case.work(first).reads == sum(array.nbytes for array in first)


@pytest.mark.parametrize("name", CASES)
def test_programs_are_ours_numpys_and_known_peers(name: str) -> None:
    programs = set(CASES[name].programs)
    assert {OURS, "numpy"} <= programs <= {OURS, *PEERS}


def test_neighbours_agree_with_a_tree() -> None:
    rng = np.random.default_rng(1)
    queries, nodes = rng.random((3, 40, 3), dtype=np.float32), rng.random((3, 25, 3), dtype=np.float32)
    distances, indices = nearest_numpy(queries, nodes)
    by_tree, _ = nearest_scipy(queries, nodes)
    np.testing.assert_allclose(distances, by_tree, rtol=1e-5)
    found = np.take_along_axis(nodes[:, None], indices[..., None], axis=2)
    np.testing.assert_allclose(((queries[:, :, None] - found) ** 2).sum(-1), distances, rtol=1e-5)


def test_conv_of_a_shift_kernel_shifts() -> None:
    x = np.random.default_rng(2).random((2, 1, 5, 6), dtype=np.float32)
    weight = np.zeros((1, 1, 3, 3), np.float32)
    weight[0, 0, 1, 2] = 1
    expected = np.zeros_like(x)
    expected[..., :-1] = x[..., 1:]
    np.testing.assert_array_equal(conv_numpy(x, weight), expected)


def test_normalisations_normalise() -> None:
    x = np.random.default_rng(3).standard_normal((4, 50)).astype(np.float32)
    np.testing.assert_allclose(softmax_numpy(x).sum(-1), 1, rtol=1e-5)
    normalised = layer_norm_numpy(x)
    np.testing.assert_allclose(normalised.mean(-1), 0, atol=1e-5)
    np.testing.assert_allclose(normalised.std(-1), 1, rtol=1e-3)


def test_rate_prefers_items_then_arithmetic_then_bytes() -> None:
    assert Work(reads=0, writes=0, flops=10**9, items=5_000_000, item="calls").rate(1.0) == (5.0, "M calls/s")
    assert Work(reads=1, writes=1, flops=2 * 10**9).rate(2.0) == (1.0, "GFLOP/s")
    assert Work(reads=10**9, writes=10**9).rate(1.0) == (2.0, "GB/s")
