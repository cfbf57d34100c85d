"""Searches in long rows: the best first, then the first place that has it."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.graph.monoid import ARGMAX, ARGMIN
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.transform.split import split_reductions

LENGTH = (1 << 16) + 5


def searches(tensor: Tensor) -> int:
    nodes = walk(split_reductions((tensor.node,)))
    return sum(n.op is Op.REDUCE and n.arg[0] in (ARGMAX, ARGMIN) for n in nodes)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool"])
def test_the_first_of_equal_elements_is_found(name: str, dtype: str, rng: np.random.Generator) -> None:
    x = rng.integers(-9, 10, (3, LENGTH)).astype(dtype)
    made = getattr(Tensor(x), name)(1)
    assert searches(made) == 0
    np.testing.assert_array_equal(made.numpy(), getattr(np, name)(x, 1))
    np.testing.assert_array_equal(getattr(Tensor(x.T), name)(0).numpy(), getattr(np, name)(x, 1))
    assert getattr(Tensor(x), name)().item() == getattr(np, name)(x)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_nan_is_the_best(name: str, rng: np.random.Generator) -> None:
    x = rng.standard_normal(LENGTH).astype(np.float32)
    x[[40_000, 50_000]] = np.nan
    assert getattr(Tensor(x), name)().item() == 40_000
    x[:] = np.inf if name == "argmin" else -np.inf
    assert getattr(Tensor(x), name)().item() == 0


def test_short_rows_and_many_of_them_are_searched_in_one_pass() -> None:
    assert searches(Tensor(np.zeros((3, 1000), np.float32)).argmax(1)) == 1
    assert searches(Tensor(np.zeros((64, 1 << 16), np.float32)).argmax(1)) == 1
