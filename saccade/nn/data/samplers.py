"""Samplers: which items of a dataset an epoch has, in which order. Names and order of arguments are torch's.

    DataLoader(dataset, 64, sampler=WeightedRandomSampler(weights, num_samples=len(weights)))

What a random one gives depends on its seed and the number of the epoch alone, which the loader tells it
(`set_epoch`): a training that is resumed goes on with the same items. By itself it counts its loops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

import numpy as np

from .randomness import Indices, epoch_order, epoch_uniform


class Sampler:
    """`__iter__` gives the numbers of an epoch's items, `__len__` how many."""

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no __len__: say how many items an epoch has")

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__: it gives the items of an epoch")

    def set_epoch(self, epoch: int) -> None:
        """The next loop is of that epoch."""


class SequentialSampler(Sampler):
    """All items in order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __len__(self) -> int:
        return len(self.data_source)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))


class _Random(Sampler, ABC):
    """Another order in each epoch."""

    def __init__(self, seed: int) -> None:
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        order = self._order()
        self.epoch += 1
        return iter(order.tolist())

    @abstractmethod
    def _order(self) -> Indices:
        """The items of this epoch."""


class RandomSampler(_Random):
    """Items in random order: each once, or with `replacement` `num_samples` that are drawn one by one."""

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, seed: int = 0
    ) -> None:
        super().__init__(seed)
        self.data_source, self.replacement = data_source, replacement
        self.num_samples = len(data_source) if num_samples is None else num_samples
        _need_samples(self.num_samples)
        if not len(data_source):
            raise ValueError("RandomSampler was given a dataset without items")

    def __len__(self) -> int:
        return self.num_samples

    def _order(self) -> Indices:
        count = len(self.data_source)
        if self.replacement:
            drawn = epoch_uniform(self.num_samples, self.seed, self.epoch) * count
            return np.minimum(drawn.astype(np.int64), count - 1)
        rounds = -(-self.num_samples // count)  # more than there are: all of them again, in another order
        words = [epoch_order(count, self.seed + n * _ROUND, self.epoch) for n in range(rounds)]
        return np.concatenate(words)[: self.num_samples]


class SubsetRandomSampler(_Random):
    """These items in random order."""

    def __init__(self, indices: Sequence[int], seed: int = 0) -> None:
        super().__init__(seed)
        self.indices = np.asarray(indices, np.int64)

    def __len__(self) -> int:
        return len(self.indices)

    def _order(self) -> Indices:
        found: Indices = self.indices[epoch_order(len(self), self.seed, self.epoch)]
        return found


class WeightedRandomSampler(_Random):
    """`num_samples` items, item i with a probability in proportion to weights[i]; without `replacement` no
    item twice."""

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, seed: int = 0
    ) -> None:
        super().__init__(seed)
        self.weights = np.asarray(weights, np.float64)
        self.num_samples, self.replacement = num_samples, replacement
        _need_samples(num_samples)
        if self.weights.ndim != 1 or not np.isfinite(self.weights).all() or (self.weights < 0).any():
            raise ValueError("weights of a sampler are a list of finite numbers, 0 or more")
        possible = int((self.weights > 0).sum())
        if possible < (1 if replacement else num_samples):
            raise ValueError(f"{possible} items have a weight above 0, too few for {num_samples} samples")

    def __len__(self) -> int:
        return self.num_samples

    def _order(self) -> Indices:
        if self.replacement:
            ends = np.cumsum(self.weights)
            places = epoch_uniform(self.num_samples, self.seed, self.epoch) * ends[-1]
            last = np.flatnonzero(self.weights)[-1]  # rounding must not lead behind it
            found: Indices = np.minimum(np.searchsorted(ends, places, side="right"), last).astype(np.int64)
            return found
        # the first to arrive, at times of an exponential distribution (Efraimidis and Spirakis 2006)
        with np.errstate(divide="ignore"):
            times = -np.log1p(-epoch_uniform(len(self.weights), self.seed, self.epoch)) / self.weights
        times[self.weights == 0] = np.inf
        return np.argsort(times, kind="stable")[: self.num_samples].astype(np.int64)


class BatchSampler(Sampler):
    """Lists of `batch_size` items of a sampler; a shorter one at the end unless `drop_last`."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool = False) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size={batch_size} has to be 1 or more")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __len__(self) -> int:
        count = len(self.sampler) if isinstance(self.sampler, Sized) else sum(1 for _ in self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for item in self.sampler:
            batch.append(item)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def set_epoch(self, epoch: int) -> None:
        tell_epoch(self.sampler, epoch)


#: between the seeds of the rounds of one epoch
_ROUND = 0x9E3779B1


def tell_epoch(sampler: Any, epoch: int) -> None:
    """To a sampler that asks for it; a plain list does not."""
    if hasattr(sampler, "set_epoch"):
        sampler.set_epoch(epoch)


def _need_samples(count: int) -> None:
    if count < 1:
        raise ValueError(f"num_samples={count} has to be 1 or more")


__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
    "tell_epoch",
]
