"""The memory plan: intermediate values share one arena, and a byte is used again once nobody needs it.

>>> arena_offsets([Lifetime(100, 0, 1), Lifetime(100, 2, 3)])
([0, 0], 128)          # never alive together, so in the same place
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]

ALIGNMENT = 64


@dataclass(frozen=True)
class Lifetime:
    """A value of `nbytes`, written by kernel `first` and read for the last time by kernel `last`."""

    nbytes: int
    first: int
    last: int


def arena_offsets(values: list[Lifetime]) -> tuple[list[int], int]:
    """A byte offset for each value, and the size of the arena: large ones first, each at the lowest place
    that is free."""
    count = len(values)
    offsets = [0] * count
    # of what is placed, by where it begins: an array each, since a graph may have thousands of values
    begins, ends, firsts, lasts = (np.zeros(count, np.int64) for _ in range(4))
    total = 0
    for placed, number in enumerate(sorted(range(count), key=lambda n: -values[n].nbytes)):
        value = values[number]
        size = -(-max(value.nbytes, 1) // ALIGNMENT) * ALIGNMENT
        together = np.flatnonzero((firsts[:placed] <= value.last) & (lasts[:placed] >= value.first))
        begin = _lowest(begins[together], ends[together], size)
        at = int(np.searchsorted(begins[:placed], begin))
        for array, new in ((begins, begin), (ends, begin + size), (firsts, value.first), (lasts, value.last)):
            array[at + 1 : placed + 1] = array[at:placed]
            array[at] = new
        offsets[number] = begin
        total = max(total, begin + size)
    return offsets, total


def _lowest(begins: Places, ends: Places, size: int) -> int:
    """The lowest place for `size` bytes beside blocks that begin and end there, in the order they begin."""
    if not len(begins):
        return 0
    free_from = np.maximum.accumulate(ends)
    before = np.concatenate(([0], free_from[:-1]))
    gaps = np.flatnonzero(begins - before >= size)
    return int(before[gaps[0]] if len(gaps) else free_from[-1])
