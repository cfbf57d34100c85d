"""The loader: the same bits with any number of workers and after a resume, errors that name their batch."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from saccade import Tensor
from saccade.nn.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    RandomSampler,
    Subset,
    TensorDataset,
    WorkerError,
    collate,
    item_random,
    random_split,
)  # fmt: skip

from ..patience import HANG


class Noisy(Dataset):
    """Items that need random numbers, and say who made them."""

    def __len__(self) -> int:
        return 23

    def __getitem__(self, index: int) -> dict[str, Any]:
        rng = item_random()
        return {
            "x": rng.standard_normal(3).astype(np.float32) + index,
            "index": index,
            "name": f"item {index}",
        }


def contents(batches: Sequence[Any]) -> list[Any]:
    return [(batch["x"].numpy().tobytes(), batch["index"].tolist(), batch["name"]) for batch in batches]


def test_the_bits_do_not_depend_on_the_number_of_workers() -> None:
    loaders = [DataLoader(Noisy(), 4, shuffle=True, num_workers=count, seed=5) for count in (0, 1, 3)]
    epochs = [[contents(list(loader)) for _ in range(2)] for loader in loaders]
    assert epochs[0] == epochs[1] == epochs[2]
    first, second = epochs[0]
    assert first != second  # another order and other noise
    assert sorted(i for _, indices, _ in first for i in indices) == list(range(23))
    assert [len(indices) for _, indices, _ in first] == [4, 4, 4, 4, 4, 3]


@pytest.mark.parametrize("workers", [0, 2])
def test_it_goes_on_behind_the_last_batch(workers: int) -> None:
    def loader() -> DataLoader:
        return DataLoader(Noisy(), 4, shuffle=True, num_workers=workers, seed=1)

    whole = loader()
    wanted = contents([batch for _ in range(3) for batch in whole])
    broken = loader()
    found = list(broken)
    for batch in broken:
        found.append(batch)
        if len(found) == 8:
            break
    state = broken.state_dict()
    assert (state["epoch"], state["batch"]) == (1, 2)
    resumed = loader()
    resumed.load_state_dict(state)
    rest = contents([batch for _ in range(2) for batch in resumed])
    assert contents(found) + rest == wanted


def test_a_state_after_an_epoch_goes_on_with_the_next() -> None:
    first, second = (DataLoader(Noisy(), 4, shuffle=True) for _ in range(2))
    list(first)
    second.load_state_dict(first.state_dict())
    assert list(second) == []  # the epoch that was finished has no batch left
    assert contents(list(second)) == contents(list(first))


def test_a_loop_that_is_left_ends_its_epoch() -> None:
    loader = DataLoader(list(range(10)), 2)
    next(iter(loader))
    assert next(batch.tolist() for batch in loader) == [0, 1]
    assert loader.epoch == 1


def test_a_state_of_other_batches_is_refused() -> None:
    with pytest.raises(ValueError, match="batches of 4"):
        DataLoader(Noisy(), 8).load_state_dict(DataLoader(Noisy(), 4).state_dict())


class Failing(Dataset):
    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> int:
        if index == 5:
            raise ValueError("item 5 is broken")
        return index


def test_what_a_worker_raises_is_raised_in_the_loop() -> None:
    seen = []
    with pytest.raises(WorkerError, match="item 5 is broken") as raised:
        seen += [batch.tolist() for batch in DataLoader(Failing(), 2, num_workers=2)]
    assert "could not make batch 2" in str(raised.value)
    with pytest.raises(ValueError, match="item 5 is broken"):
        list(DataLoader(Failing(), 2))


class Suicidal(Dataset):
    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        if index == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return index


def test_a_worker_that_is_killed_is_told() -> None:
    with pytest.raises(WorkerError, match="code -9 before it had sent batch 3"):
        list(DataLoader(Suicidal(), 1, num_workers=2))


class Slow(Dataset):
    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> np.ndarray[Any, Any]:
        if index:
            time.sleep(2 * HANG)
        return np.zeros(1 << 16)  # more than a pipe holds


def test_leaving_a_loop_does_not_wait_for_slow_items() -> None:
    start = time.monotonic()
    for _ in DataLoader(Slow(), 1, num_workers=2):
        break
    assert time.monotonic() - start < HANG


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass(frozen=True)
class Sample:
    x: Any
    y: Any


def test_items_stack_as_what_they_are() -> None:
    pair = collate([Pair(np.ones(2), 1), Pair(np.zeros(2), 2)])
    assert isinstance(pair, Pair)
    assert pair.left.shape == (2, 2)
    assert pair.right.dtype == np.int64
    sample = collate([Sample(Tensor([1.0]), 0.5), Sample(Tensor([2.0]), 1.5)])
    assert sample.x.tolist() == [[1.0], [2.0]]
    assert sample.y.dtype == np.float32
    assert collate([{"a": True, "b": None}, {"a": False, "b": None}])["a"].dtype == np.bool_
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\) do not stack"):
        collate([np.ones(2), np.ones(3)])
    with pytest.raises(TypeError, match="cannot stack a set"):
        collate([{1}, {2}])


def test_datasets() -> None:
    rows = TensorDataset(Tensor(np.arange(12.0).reshape(6, 2)), np.arange(6))
    x, y = next(iter(DataLoader(rows, 3)))
    assert x.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert y.tolist() == [0, 1, 2]
    some = Subset(rows, [5, 1])
    assert next(iter(DataLoader(some, 2)))[1].tolist() == [5, 1]
    both = ConcatDataset([some, rows])
    assert len(both) == 8
    assert [both[i][1] for i in (1, 2, 7)] == [1, 0, 5]
    parts = random_split(rows, [0.5, 0.5])
    assert sorted(int(i) for part in parts for i in part.indices) == list(range(6))
    with pytest.raises(ValueError, match=r"\[6, 5\] rows"):
        TensorDataset(np.zeros(6), np.zeros(5))
    with pytest.raises(IndexError, match="no item 9"):
        Subset(rows, [9])
    with pytest.raises(ValueError, match="5 items, and the dataset has 6"):
        random_split(rows, [2, 3])


def test_a_sampler_and_a_collate_function() -> None:
    loader = DataLoader(list("abcd"), 2, sampler=[3, 0, 1], collate_fn="".join, drop_last=True)
    assert list(loader) == ["da"]
    assert len(loader) == 1


def test_batches_are_memory_of_their_own() -> None:
    data = np.zeros((4, 2), np.float32)

    class Views(TensorDataset):
        def batch(self, indices: Any) -> Any:
            return (self.arrays[0][indices[0] : indices[-1] + 1],)

    (batch,) = next(iter(DataLoader(Views(data), 2)))
    batch += 1
    assert batch.sum().item() == 4
    assert data.sum() == 0


def test_random_numbers_of_items_are_for_items() -> None:
    with pytest.raises(RuntimeError, match="while a DataLoader makes an item"):
        item_random()


def test_progress_counts_batches(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(DataLoader(list(range(6)), 2, progress=True))) == 3
    assert "3/3" in capsys.readouterr().err


@pytest.mark.parametrize("workers", [0, 2])
def test_a_batch_sampler_gives_whole_batches(workers: int) -> None:
    lengths = [[3], [0, 1, 2], [], [9, 8]]
    loader = DataLoader(list(range(10)), batch_sampler=[b for b in lengths if b], num_workers=workers)
    assert len(loader) == 3
    assert [batch.tolist() for batch in loader] == [b for b in lengths if b]


def test_a_batch_sampler_is_told_the_epoch_and_a_state_goes_on() -> None:
    def made() -> DataLoader:
        return DataLoader(list(range(10)), batch_sampler=BatchSampler(RandomSampler(range(10), seed=3), 4))

    loader = made()
    first, second = ([batch.tolist() for batch in loader] for _ in range(2))
    assert first != second
    for epoch in (first, second):
        assert sorted(item for batch in epoch for item in batch) == list(range(10))
    loader, other = made(), made()
    next(iter(loader))
    other.load_state_dict(loader.state_dict())
    assert [batch.tolist() for batch in other] == first[1:]


def test_a_batch_sampler_leaves_no_other_choice() -> None:
    for options in ({"batch_size": 2}, {"shuffle": True}, {"sampler": [1]}, {"drop_last": True}):
        with pytest.raises(ValueError, match="whole batches"):
            DataLoader(list(range(4)), batch_sampler=[[0, 1]], **options)


class Opened(Dataset):
    """Items that need something which a worker opens."""

    number = -1

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return self.number


def test_workers_begin_with_their_function() -> None:
    data = Opened()

    def begin(worker: int) -> None:
        data.number = 10 + worker

    loader = DataLoader(data, 1, num_workers=2, worker_init_fn=begin)
    assert [batch.tolist() for batch in loader] == [[10], [11], [10], [11]]
    assert data.number == -1  # which is the parent's


def test_a_worker_that_cannot_begin_says_why() -> None:
    def begin(worker: int) -> None:
        raise OSError(f"no file for {worker}")

    with pytest.raises(WorkerError, match="no file for 0"):
        list(DataLoader(list(range(4)), 1, num_workers=1, worker_init_fn=begin))


def test_a_state_of_something_else_is_told() -> None:
    with pytest.raises(ValueError, match="no state of a loader: seed, epoch, batch_size missing"):
        DataLoader(Noisy(), 8).load_state_dict({"batch": 1})


def test_arrays_of_other_libraries_are_stacked() -> None:
    class Other:
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
            return np.ones(3, np.float32)

    (batch,) = DataLoader([(Other(), 1), (Other(), 2)], 2)
    assert batch[0].tolist() == [[1.0] * 3] * 2
