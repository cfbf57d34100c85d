"""The memory plan: intermediate values share one arena, and a byte is used again once nobody needs it.

>>> arena_offsets([Lifetime(100, 0, 1), Lifetime(100, 2, 3)])
([0, 0], 128)          # never alive together, so in the same place
"""

from __future__ import annotations

from dataclasses import dataclass

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
    placed: list[tuple[int, int, Lifetime]] = []  # (begin, end, value)
    offsets = [0] * len(values)
    total = 0
    for number in sorted(range(len(values)), key=lambda n: -values[n].nbytes):
        value = values[number]
        size = -(-max(value.nbytes, 1) // ALIGNMENT) * ALIGNMENT
        begin = 0
        for other_begin, other_end, other in sorted(placed, key=lambda p: p[0]):
            if other.last < value.first or other.first > value.last:
                continue
            if begin + size <= other_begin:
                break
            begin = max(begin, other_end)
        placed.append((begin, begin + size, value))
        offsets[number] = begin
        total = max(total, begin + size)
    return offsets, total
