"""Poses of many claims in one array, those of a claim side by side: what is done to each claim, done to all.

Comes in: claim (N,), rising, whose pose each is, and poses (N, 12). Goes out: which of them are the first of
their claim, the cheapest, those that differ.

    >>> claim = np.array([0, 0, 0, 2, 2])
    >>> first_of_each(claim, 2).tolist()
    [0, 1, 3, 4]
    >>> ranked(claim, np.array([3.0, 1.0, 2.0, 0.5, 0.5])).tolist()
    [1, 2, 0, 3, 4]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.settle_loops import distinct
from saccade.reproducible import cosine_of, linspace
from saccade.reproducible.threads import in_threads, pieces

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

#: poses that differ by less, in radians and metres, are one
_SAME_TURN, _SAME_PLACE = 0.2, 0.01


@dataclass(frozen=True)
class Shared:
    """Arrays (n, C) that claims share, as those of one episode do; of (B,): which is whose."""

    arrays: Sequence[Floats]
    of: Indices

    @staticmethod
    def among(arrays: Sequence[Floats]) -> Shared:
        """Of each claim its array; one that comes again is kept once."""
        numbers: dict[int, int] = {}
        unique: list[Floats] = []
        for array in arrays:
            if id(array) not in numbers:
                numbers[id(array)] = len(unique)
                unique.append(array)
        return Shared(unique, np.array([numbers[id(array)] for array in arrays], np.int64))

    def __getitem__(self, claim: int) -> Floats:
        return self.arrays[int(self.of[claim])]

    @property
    def counts(self) -> Indices:
        """(B,) how long the array of each claim is."""
        return np.array([len(array) for array in self.arrays], np.int64)[self.of]

    def some(self, most: int) -> Shared:
        """At most so many rows of each array, spread evenly over it."""
        return Shared([_some(array, most) for array in self.arrays], self.of)


def _some(array: Floats, most: int) -> Floats:
    if len(array) <= most:
        return array
    return array[linspace(0, len(array) - 1, most).astype(np.int64)]


@dataclass(frozen=True)
class Poses:
    """claim (N,), rising, and values (N, 12): rotations, row after row, and shifts."""

    claim: Indices
    values: Floats

    @staticmethod
    def each(arrays: Sequence[Floats]) -> Poses:
        """Of each claim its poses (K, 12)."""
        claim = np.repeat(np.arange(len(arrays)), [len(array) for array in arrays])
        return Poses(claim, np.concatenate([np.zeros((0, 12)), *arrays]))

    @staticmethod
    def joined(*parts: Poses) -> Poses:
        """All of them; of a claim, those of the first part first."""
        claim = np.concatenate([part.claim for part in parts])
        order = np.argsort(claim, kind="stable")
        return Poses(claim[order], np.concatenate([part.values for part in parts])[order])

    @property
    def bounds(self) -> Indices:
        """(B + 1,) where the poses of each claim that has some begin, and where the last end."""
        begin = np.flatnonzero(np.diff(self.claim, prepend=-1))
        return np.append(begin, len(self.claim)).astype(np.int64)

    def __getitem__(self, chosen: Indices) -> Poses:
        return Poses(self.claim[chosen], self.values[chosen])

    def distinct(self, most: int) -> Indices:
        """Which of them differ from all before them of their claim, at most so many of each."""
        bounds = self.bounds
        claims = len(bounds) - 1
        kept, count = np.empty((claims, most), np.int64), np.empty(claims, np.int64)
        limits = np.array([1 + 2 * cosine_of(_SAME_TURN), _SAME_PLACE**2])
        values = np.ascontiguousarray(self.values)

        def part(low: int, high: int) -> None:
            distinct(
                values, bounds[low : high + 1], high - low, limits, kept[low:high].reshape(-1), most,
                count[low:high],
            )  # fmt: skip

        in_threads(part, *pieces(claims))
        return kept[np.arange(most) < count[:, None]]


def first_of_each(claim: Indices, most: int) -> Indices:
    """The first entries of each claim, at most so many; claim (N,) rises."""
    begin = np.searchsorted(claim, claim)
    return np.flatnonzero(np.arange(len(claim)) - begin < most)


def ranked(claim: Indices, cost: Floats) -> Indices:
    """The order by claim and, within a claim, by cost; equals stay in order."""
    return np.lexsort((cost, claim))
