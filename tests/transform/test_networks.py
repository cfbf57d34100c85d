"""Single places of short rows in order: networks in registers, with the results of a sort."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from saccade import Tensor
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.schedule import schedule
from saccade.transform.networks import MOST
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.schedule.programs import inputs

#: what has an order of its own: signs of zeros stay as they came, and NaNs are behind all numbers
ODD = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 1.0], np.float32)


def in_order(row: np.ndarray, descending: bool) -> list[int]:
    """Where elements come from: stable, NaNs as the largest."""
    sign = -1 if descending else 1
    keys = [(sign * bool(np.isnan(v)), 0.0 if np.isnan(v) else sign * float(v)) for v in row]
    return sorted(range(len(row)), key=keys.__getitem__)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("n", [2, 3, 5, 9, MOST])
def test_a_place_is_that_of_a_stable_sort(n: int, descending: bool, rng: np.random.Generator) -> None:
    rows = rng.choice(ODD, (100, n))
    places = np.array([in_order(row, descending) for row in rows])
    values = np.take_along_axis(rows, places, 1)
    made = Tensor(rows).sort(1, descending=descending)
    for place in {0, n // 2, n - 1}:
        found = made.values[:, place].numpy()
        np.testing.assert_array_equal(made.indices[:, place].numpy(), places[:, place])
        np.testing.assert_array_equal(found, values[:, place])
        np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(values[:, place][found == 0]))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float64"])
def test_numbers_of_any_kind(dtype: str, rng: np.random.Generator) -> None:
    rows = rng.integers(0, 100, (50, 7)).astype(dtype)
    np.testing.assert_array_equal(Tensor(rows).sort(1).values[:, 3].numpy(), np.sort(rows, 1)[:, 3])


def median(x: Tensor) -> Tensor:
    shifted = [x[:, i : i + 30, j : j + 30] for i in range(3) for j in range(3)]
    return Tensor.stack(shifted, -1).sort(-1).values[..., 4]


@pytest.mark.parametrize("machine", [CPU, GPU])
def test_a_median_of_shifted_pictures_is_one_kernel(machine: Machine) -> None:
    """A million rows of nine were stacked, sorted and read: 504 microseconds on an H200 for 13 pictures."""
    graph = schedule((median(*inputs((4, 32, 32))).node,), 1, machine)
    assert len(graph.items) == 1
    assert not any(n.op is Op.SORT for item in graph.items for n in walk((item.kernel.sink,)))


def test_sums_in_order_are_made_once() -> None:
    """Places of rows that take reductions read them from memory."""
    build = (Tensor(np.ones((64, 5, 300), np.float32)) * 1).sum(2).sort(1).values[:, 2]
    np.testing.assert_array_equal(build.numpy(), np.full(64, 300, np.float32))
    graph = schedule((inputs((64, 5, 300))[0].sum(2).sort(1).values[:, 2].node,), 1, CPU)
    assert len(graph.items) == 2


@needs_compiler
def test_a_card_has_the_same_places(rng: np.random.Generator) -> None:
    x = rng.choice(ODD, (2, 12, 11))

    def build(x: Tensor) -> Iterable[Tensor]:
        return Tensor.stack([x[:, i : i + 10] for i in range(3)], -1).sort(-1)

    wanted = [part[..., 1].numpy() for part in build(Tensor(x))]
    with emulated_gpu():
        found = [part[..., 1].numpy() for part in build(Tensor(x, device="cuda"))]
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(mine, theirs)
