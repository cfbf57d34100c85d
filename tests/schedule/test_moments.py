"""Sums of squares around means in parts: the same values, memory read once, odd sizes, large numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.nn import functional as F
from saccade.transform.parallel import moments
from tests.schedule.test_long_totals import planned
from tests.schedule.test_online import run

Array = np.ndarray[Any, Any]


def batch_norm(x: Tensor) -> Tensor:
    made: Tensor = F.batch_norm(x, None, None, training=True)
    return made


PROGRAMS: dict[str, tuple[tuple[int, ...], Callable[[Tensor], Tensor]]] = {
    "columns": ((640, 33), lambda x: x.var(0)),
    "columns of an odd number of rows": ((677, 33), lambda x: x.var(0)),
    "columns standardised": ((384, 20), lambda x: (x - x.mean(0)) / x.std(0)),
    "batch norm": ((16, 3, 9, 9), batch_norm),
    "batch norm of long runs": ((3, 5, 32, 32), batch_norm),
    "norm over the batch, channels last": ((12, 10, 10, 7), lambda x: x.var((0, 1, 2), keepdim=True)),
    "few long rows": ((3, 5000), lambda x: x.var(1)),
    "few long rows, odd": ((3, 4999), lambda x: x.std(1, correction=0)),
    "half precision": ((640, 32), lambda x: x.bfloat16().var(0).float()),
}


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("LARGE", 1), ("LEAST_LONG", 200), ("MOST", 256), ("LEAST", 32)):
        monkeypatch.setattr(moments, name, size)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_whole_sums(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shape, program = PROGRAMS[name]
    x = np.random.default_rng(0).standard_normal(shape).astype("float32") * 3 + 5
    before, given = planned(program(Tensor(x, device="cpu")))
    small(monkeypatch)
    made, _ = planned(program(Tensor(x, device="cpu")))
    assert made != before
    loose = 1e-2 if name == "half precision" else 2e-5
    np.testing.assert_allclose(run(made, given)[0], run(before, given)[0], rtol=loose, atol=loose)


@pytest.mark.parametrize("shape", [(640, 9), (16, 9, 40)])
def test_numbers_far_from_zero_do_not_cancel(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row of a part is at another height, which a difference of large sums would lose."""
    small(monkeypatch)
    axes = tuple(a for a in range(len(shape)) if a != 1)
    x = (np.random.default_rng(1).standard_normal(shape) + 1e5).astype("float32")
    made, given = planned(Tensor(x, device="cpu").var(axes))
    np.testing.assert_allclose(run(made, given)[0], x.astype("float64").var(axes, ddof=1), rtol=1e-5)


def test_what_is_infinite_or_no_number_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    x = np.random.default_rng(2).standard_normal((640, 4)).astype("float32")
    x[7, 1], x[500, 2], x[:, 3] = np.inf, np.nan, 2.5
    made, given = planned(Tensor(x, device="cpu").var(0))
    found = run(made, given)[0]
    assert np.isfinite(found[0])
    assert np.isnan(found[1:3]).all()
    assert found[3] == 0


@pytest.mark.parametrize(
    ("shape", "axes"), [((65536, 1024), (0,)), ((128, 64, 56, 56), (0, 2, 3)), ((16, 1 << 22), (1,))]
)
def test_large_memory_is_read_once(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    x = Tensor.empty(shape, device="null:cuda").realize()
    made, _ = planned(x.var(axes))
    assert sum(item.nbytes for item in made.items) < 1.2 * x.nbytes


def test_what_fits_the_cache_stays_one_kernel() -> None:
    made, _ = planned(Tensor.empty(512, 4096, device="null:cuda").realize().var(1))
    assert len(made.items) == 1


def test_a_mean_beside_a_deviation_reads_nothing_again() -> None:
    x = Tensor.empty(1 << 24, device="null:cuda").realize()
    made, _ = planned((x - x.mean()) / x.std())
    assert sum(item.nbytes for item in made.items) < 3.2 * x.nbytes  # read for both, read again and written


@pytest.mark.parametrize("numbers", [{}, {5: np.inf}, {-5: -np.inf}, {5: np.inf, -5: -np.inf}, {7: np.nan}])
def test_a_mean_beside_a_deviation_is_the_mean(numbers: dict[int, float]) -> None:
    x = (np.random.default_rng(3).standard_normal(1 << 20) + 100).astype("float32")
    for place, number in numbers.items():
        x[place] = number
    deviation, mean = Tensor(x, device="cpu").std_mean()
    with np.errstate(invalid="ignore"):
        wide = x.astype("float64")
        np.testing.assert_allclose(mean.item(), wide.mean(), rtol=1e-6)
        np.testing.assert_allclose(deviation.item(), wide.std(ddof=1), rtol=1e-5)
