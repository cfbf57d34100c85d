"""Reductions down columns in parts give what they gave whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.transform.parallel.tall import columns_in_parts


def in_parts(tensor: Tensor) -> Tensor:
    return Tensor._of(*columns_in_parts((tensor.node,)))


def numbers(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def stored(tensor: Tensor) -> int:
    return sum(n.op is Op.CONTIGUOUS for n in walk((tensor.node,)))


@pytest.mark.parametrize("rows", [1024, 1023, 517])
@pytest.mark.parametrize("name", ["sum", "amax", "amin"])
def test_columns(rows: int, name: str) -> None:
    x = numbers(rows, 1000)
    made = in_parts(getattr(Tensor(x), name)(0))
    assert stored(made) == 1
    np.testing.assert_array_equal(made.numpy(), getattr(np, name)(x, 0))


def test_several_axes_are_one_column() -> None:
    x = numbers(4, 150, 640)
    made = in_parts(Tensor(x).sum((0, 1)))
    assert stored(made) == 1
    np.testing.assert_array_equal(made.numpy(), x.sum((0, 1)))


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_few_rows_times_a_matrix(rows: int) -> None:
    a, b = numbers(rows, 1000), numbers(1000, 1500, seed=1)
    made = in_parts(Tensor(a) @ Tensor(b) + 1)
    assert stored(made) == 1
    np.testing.assert_array_equal(made.numpy(), a @ b + 1)


def test_the_rest_is_left_alone() -> None:
    for whole in (
        Tensor(numbers(1024, 1000)).sum(1),  # along rows
        Tensor(numbers(100, 1000)).sum(0),  # little memory
        Tensor(numbers(16384, 15)).sum(0),  # rows shorter than a line of memory
        Tensor(numbers(16, 128, 600)).sum(1),  # there is enough for every thread
        Tensor(numbers(1024, 1000)).argmax(0),
        Tensor(numbers(64, 1000)) @ Tensor(numbers(1000, 1000)),
        Tensor(numbers(2, 1000)) @ Tensor(numbers(1000, 1000)).transpose(0, 1),
    ):
        assert in_parts(whole).node is whole.node


def test_an_axis_of_nothing_is_reduced() -> None:
    x = Tensor(numbers(1, 2))
    assert bool((x[0, 0:0] == Tensor([])).all())
