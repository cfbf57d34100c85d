"""Graphs that are known by their keys, without being written down."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import numpy as np
import pytest

from saccade import Tensor, keep_within, where
from saccade.tensor.programs import realize as module
from saccade.tensor.programs.form import canonical
from saccade.tensor.programs.graph_key import graph_key

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
        lambda: ((x * y + x) * y).sum(),
        lambda: (x.reshape(2, 1) * 3)[1:] - y,
    ]
    for _ in range(2):
        expected = [f().tolist() for f in every]
    monkeypatch.setattr(module, "canonical", written)
    assert [f().tolist() for f in every] == expected
    with pytest.raises(AssertionError, match="written down"):
        (x + x).realize()  # one buffer twice is another program
    with pytest.raises(AssertionError, match="written down"):
        ((x * y + x) * x).sum().realize()
    with pytest.raises(AssertionError, match="written down"):
        (x.reshape(1, 2) * 3).realize()
    with pytest.raises(AssertionError, match="written down"), keep_within(1 << 20):
        (x + 1).realize()
    module._executables.clear()
    with pytest.raises(AssertionError, match="written down"):
        (x + 1).realize()


def test_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_KNOWN", 3)
    for _ in range(2):
        for size in range(1, 9):
            assert (Tensor(np.ones(size, np.float32)) + 1).tolist() == [2.0] * size
    assert 0 < len(module._executables.known) <= 3


def test_graphs_with_equal_keys_have_one_form_and_its_numbers_and_buffers() -> None:
    rng = random.Random(0)
    forms: dict[Any, Any] = {}
    for _ in range(400):
        pool = [Tensor(np.ones((2, 2), np.float32)) for _ in range(2)]
        pool.append(pool[0].reshape(4)[1:3].reshape(1, 2) * 1.0)
        flat = Tensor(np.ones(2, np.float32))  # a BUFFER, and what is computed a RESHAPE of one
        pool.append(rng.choice([flat, (flat * 1.0).contiguous().realize()]))
        for _ in range(rng.randrange(1, 4)):
            x, y = (rng.choice(pool) for _ in range(2))
            pool.append(
                rng.choice([x + y, x * rng.choice([0.0, -0.0, 1.0, 2.0]), y - x, x.sum(0), (x > y) * 1.0])
            )
        nodes = [pool[-1].node] if rng.random() < 0.7 else [x.node for x in pool[4:]]
        key, numbers, buffers = graph_key(nodes)
        form, expected = canonical(nodes)
        assert (numbers, buffers) == (form[1], expected)
        assert forms.setdefault(key, form[0]) == form[0]
    assert len({repr(form) for form in forms.values()}) == len(forms)
    assert len(forms) > 50


def test_threads_that_compute_at_once_have_results_of_their_own() -> None:
    x = Tensor(np.arange(10, dtype=np.float32)).realize()

    def work(number: int) -> bool:
        scale = Tensor(np.full(10, number, np.float32)).realize()
        kept = []
        for step in range(300):
            made = ((x + scale) * scale).realize()
            kept = [*kept[-(step % 4) :], made] if step % 4 else [made]
            if any(y.tolist() != [(i + number) * number for i in range(10)] for y in kept):
                return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(work, range(8)))
