"""Single ops that are known without their graph being written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import pytest

from saccade import Tensor, keep_within, where
from saccade.tensor.programs import realize as module

Function = Callable[..., Any]

FUNCTIONS: dict[str, Function] = {
    "x + 1": lambda x, y: x + 1,
    "x + 2": lambda x, y: x + 2,
    "1 - x": lambda x, y: 1 - x,
    "x - y": lambda x, y: x - y,
    "y - x": lambda x, y: y - x,
    "0.0": lambda x, y: x * 0.0,
    "-0.0": lambda x, y: x * -0.0,
    "x < y": lambda x, y: x < y,
    "-x": lambda x, y: -x,
}


@pytest.fixture(autouse=True)
def _nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_executables", module.Families())


def values(shape: Sequence[int]) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(10,), (2, 5), (5, 2), (1,)])
def test_values_are_the_same_with_and_without_a_graph(shape: tuple[int, ...]) -> None:
    x, y = values(shape), values((*shape, 2))[..., 0].copy()
    for _ in range(3):
        for name, function in FUNCTIONS.items():
            found = function(Tensor(x), Tensor(y)).numpy()
            np.testing.assert_array_equal(found, function(x, y), err_msg=name)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(function(x, y)), err_msg=name)


def test_what_was_computed_twice_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(nodes: object) -> NoReturn:
        raise AssertionError("a graph was written down")

    x, y = Tensor([1.0, 2.0]).realize(), Tensor([3.0, 4.0]).realize()
    mask = (x > 1).realize()
    every: list[Callable[[], Tensor]] = [
        lambda: x + 1,
        lambda: x * y,
        lambda: (x + 1).realize() * 2,
        lambda: where(mask, x, y),
    ]
    for _ in range(2):
        expected = [f().tolist() for f in every]
    monkeypatch.setattr(module, "canonical", written)
    assert [f().tolist() for f in every] == expected
    with pytest.raises(AssertionError, match="written down"):
        (x + x).realize()  # one buffer twice is another program
    with pytest.raises(AssertionError, match="written down"), keep_within(1 << 20):
        (x + 1).realize()
    module._executables.clear()
    with pytest.raises(AssertionError, match="written down"):
        (x + 1).realize()


def test_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_SHALLOW", 3)
    for _ in range(2):
        for size in range(1, 9):
            assert (Tensor(np.ones(size, np.float32)) + 1).tolist() == [2.0] * size
    assert 0 < len(module._executables.shallow) <= 3
