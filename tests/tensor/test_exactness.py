"""Numbers that come in, and sums of many: as exact as their dtype, beside float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor

Array = np.ndarray[Any, Any]


def off_by(ours: Tensor, exact: Array) -> float:
    return float((np.abs(ours.numpy() - exact) / np.abs(exact)).max())


@pytest.mark.parametrize("data", [[0.1, 1e300, 16777217.0], 0.1, [[0.1], [1e-300]], (16777217.0,)])
def test_python_floats_keep_their_digits_in_float64(data: Any) -> None:
    assert np.array_equal(Tensor(data, dtype="float64").numpy(), np.asarray(data))


def test_python_floats_become_integers_without_a_detour() -> None:
    assert Tensor([16777217.0], dtype="int64").tolist() == [16777217]
    assert Tensor([1e300]).tolist() == [float("inf")]
    assert Tensor([1e300], dtype="bfloat16").tolist() == [float("inf")]


@pytest.mark.parametrize("kind", ["equal", "random", "signed"])
def test_a_long_running_sum_does_not_drift(kind: str) -> None:
    rng = np.random.default_rng(0)
    n = 1_000_000
    made = {"equal": np.full(n, 0.1), "random": rng.random(n), "signed": rng.standard_normal(n) + 0.5}
    x = made[kind].astype(np.float32)
    exact = np.cumsum(x.astype(np.float64))
    far = np.abs(exact) > 1
    assert (np.abs(Tensor(x).cumsum(0).numpy() - exact) / np.abs(exact))[far].max() < 1e-7


def test_running_sums_along_each_axis() -> None:
    x = np.full((3, 5000), 0.1, np.float32)
    assert off_by(Tensor(x).cumsum(1), x.astype(np.float64).cumsum(1)) < 1e-7
    assert off_by(Tensor(x.T.copy()).cumsum(0), x.T.astype(np.float64).cumsum(0)) < 1e-7


@pytest.mark.parametrize(
    ("shape", "dim"), [((100_000, 4), 0), ((4, 3000), 1), ((50, 3), 0), ((200, 100), None)]
)
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_the_variance_of_data_far_from_zero(shape: tuple[int, ...], dim: int | None, offset: float) -> None:
    x = (np.random.default_rng(1).standard_normal(shape) + offset).astype(np.float32)
    wide = x.astype(np.float64)
    assert off_by(Tensor(x).var(dim), wide.var(dim, ddof=1)) < 1e-6
    assert off_by(Tensor(x).std(dim, unbiased=False), wide.std(dim)) < 1e-6


def test_the_variance_of_few_or_no_elements() -> None:
    assert np.isnan(Tensor([1.0]).var().item())
    assert Tensor([1.0]).var(unbiased=False).item() == 0.0
    assert np.isnan(Tensor.zeros(0, 3).var(0).numpy()).all()
    assert np.isnan(Tensor([1.0, float("nan")]).var().item())
