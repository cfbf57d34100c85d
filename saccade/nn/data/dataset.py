"""Datasets: anything with a length whose items are found by number.

    class Photos(Dataset):
        def __init__(self, paths): self.paths = paths
        def __len__(self): return len(self.paths)
        def __getitem__(self, index): return decode(self.paths[index]), label(self.paths[index])

Items are NumPy arrays, tensors, numbers and texts, or tuples, lists, dicts and dataclasses of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...tensor.tensor import Tensor
from .collate import collate
from .randomness import Indices, epoch_order, item_random, making

__all__ = ["ConcatDataset", "Dataset", "Subset", "TensorDataset", "batch_of", "item_random", "random_split"]


class Dataset:
    """`__len__` and `__getitem__`; a list does as well. `batch` may be given where many items at once are
    cheaper than one by one."""

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no __len__: say how many items there are")

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__: it makes item `index`")

    def batch(self, indices: Indices) -> Any:
        """The items with these numbers, stacked."""
        return collate([item_at(self, index) for index in indices.tolist()])


def item_at(dataset: Any, index: int) -> Any:
    """Item `index`, with random numbers of its own."""
    making(index)
    return dataset[index]


def batch_of(dataset: Any, indices: Indices) -> Any:
    """The stacked items of any dataset, also of one that is a plain list."""
    if isinstance(dataset, Dataset):
        return dataset.batch(indices)
    return collate([item_at(dataset, index) for index in indices.tolist()])


class TensorDataset(Dataset):
    """Arrays or tensors whose rows belong together: item i is the tuple of rows i. A batch is one gather an
    array."""

    def __init__(self, *arrays: Any) -> None:
        if not arrays:
            raise ValueError("TensorDataset needs at least one array")
        self.arrays: list[NDArray[Any]] = [
            array.numpy() if isinstance(array, Tensor) else np.asarray(array) for array in arrays
        ]
        lengths = [len(array) for array in self.arrays]
        if len(set(lengths)) != 1:
            raise ValueError(f"the arrays have {lengths} rows: they have to have equally many")

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(array[index] for array in self.arrays)

    def batch(self, indices: Indices) -> tuple[NDArray[Any], ...]:
        return tuple(array[indices] for array in self.arrays)


class Subset(Dataset):
    """Some items of a dataset, in an order of its own. Random numbers of an item go by its place here."""

    def __init__(self, dataset: Any, indices: Sequence[int] | Indices) -> None:
        self.dataset, self.indices = dataset, np.asarray(indices, np.int64)
        wrong = self.indices[(self.indices < 0) | (self.indices >= len(dataset))]
        if wrong.size:
            raise IndexError(f"a dataset of {len(dataset)} items has no item {wrong[0]}")

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[int(self.indices[index])]

    def batch(self, indices: Indices) -> Any:
        if getattr(type(self.dataset), "batch", Dataset.batch) is Dataset.batch:
            return super().batch(indices)
        return self.dataset.batch(self.indices[indices])


class ConcatDataset(Dataset):
    """Datasets one after the other."""

    def __init__(self, datasets: Sequence[Any]) -> None:
        if not datasets:
            raise ValueError("ConcatDataset needs at least one dataset")
        self.datasets = list(datasets)
        self.ends = list(accumulate(len(dataset) for dataset in self.datasets))

    def __len__(self) -> int:
        return self.ends[-1]

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < len(self):
            raise IndexError(f"{len(self)} items have no item {index}")
        part = bisect_right(self.ends, index)
        return self.datasets[part][index - (self.ends[part - 1] if part else 0)]


def random_split(dataset: Any, lengths: Sequence[int | float], seed: int = 0) -> list[Subset]:
    """Disjoint random parts of so many items, or of such shares of all. The rest of a rounded share goes to
    the first parts."""
    total = len(dataset)
    counts = [int(length) for length in lengths]
    if any(isinstance(length, float) for length in lengths):
        if abs(sum(lengths) - 1) > 1e-6:
            raise ValueError(f"the shares {list(lengths)} add up to {sum(lengths)}: they have to be 1")
        counts = [int(length * total) for length in lengths]
        for place in range(total - sum(counts)):
            counts[place % len(counts)] += 1
    if sum(counts) != total:
        raise ValueError(f"{list(lengths)} are {sum(counts)} items, and the dataset has {total}")
    order = epoch_order(total, seed, 0)
    ends = list(accumulate(counts))
    return [Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)]
