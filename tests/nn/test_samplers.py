"""Samplers: which items come, how often, and that a resumed training gets the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade.nn.data import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

ITEMS = list(range(20))


def test_each_item_once() -> None:
    assert list(SequentialSampler(ITEMS)) == ITEMS
    random = RandomSampler(ITEMS, seed=3)
    first, second = list(random), list(random)
    assert sorted(first) == sorted(second) == ITEMS
    assert first != second  # another epoch
    some = SubsetRandomSampler([3, 5, 8, 13], seed=1)
    assert len(some) == 4
    assert sorted(some) == [3, 5, 8, 13]


def test_more_samples_than_items() -> None:
    counts = np.bincount(list(RandomSampler(ITEMS, num_samples=50)), minlength=20)
    assert counts.sum() == 50
    assert set(counts.tolist()) == {2, 3}
    drawn = list(RandomSampler(ITEMS, replacement=True, num_samples=4000))
    np.testing.assert_allclose(np.bincount(drawn, minlength=20), 200, atol=80)


def test_items_come_as_often_as_they_weigh() -> None:
    weights = [0.0, 1.0, 3.0, 0.0, 6.0, 0.0]
    counts = np.bincount(list(WeightedRandomSampler(weights, 10_000)), minlength=6)
    np.testing.assert_allclose(counts / 1000, weights, atol=0.3)
    assert counts[[0, 3, 5]].tolist() == [0, 0, 0]


def test_without_replacement_heavy_items_come_first() -> None:
    firsts = []
    sampler = WeightedRandomSampler([0.0, 1.0, 3.0, 6.0], 3, replacement=False)
    for _ in range(2000):
        chosen = list(sampler)
        assert sorted(chosen) == [1, 2, 3]
        firsts.append(chosen[0])
    np.testing.assert_allclose(np.bincount(firsts, minlength=4) / 200, [0, 1, 3, 6], atol=0.4)


@pytest.mark.parametrize(("drop", "lengths"), [(False, [8, 8, 4]), (True, [8, 8])])
def test_batches(drop: bool, lengths: list[int]) -> None:
    batches = BatchSampler(SequentialSampler(ITEMS), 8, drop)
    assert [len(batch) for batch in batches] == lengths
    assert len(batches) == len(lengths)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomSampler(ITEMS, seed=5),
        lambda: RandomSampler(ITEMS, replacement=True, seed=5),
        lambda: SubsetRandomSampler(ITEMS[::2], seed=5),
        lambda: WeightedRandomSampler(ITEMS, 16, seed=5),
    ],
)
def test_a_resumed_loader_has_the_same_items(make: Any) -> None:
    def batches(loader: DataLoader) -> list[list[int]]:
        return [batch.tolist() for batch in loader]

    whole = DataLoader(ITEMS, 4, sampler=make())
    epochs = [batches(whole), batches(whole)]
    assert epochs[0] != epochs[1]
    assert len(whole) == len(epochs[0])
    half = DataLoader(ITEMS, 4, sampler=make())
    batches(half)
    for number, _ in enumerate(half):
        if number == 1:
            break
    other = DataLoader(ITEMS, 4, sampler=make())
    other.load_state_dict(half.state_dict())
    assert batches(other) == epochs[1][2:]


def test_wrong_ones_are_told() -> None:
    with pytest.raises(ValueError, match="num_samples=0"):
        WeightedRandomSampler([1.0], 0)
    with pytest.raises(ValueError, match="0 or more"):
        WeightedRandomSampler([1.0, -1.0], 2)
    with pytest.raises(ValueError, match="1 items have a weight above 0"):
        WeightedRandomSampler([1.0, 0.0], 2, replacement=False)
    with pytest.raises(ValueError, match="without items"):
        RandomSampler([], num_samples=3)
    with pytest.raises(ValueError, match="batch_size=0"):
        BatchSampler(ITEMS, 0)
    with pytest.raises(NotImplementedError, match="no __iter__"):
        iter(Sampler())
