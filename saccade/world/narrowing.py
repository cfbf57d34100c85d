"""Rows without work: when programs for fewer rows are worth making.

Whoever computes by loops of the host leaves such rows out at once. A program is compiled for a number of
rows, which takes seconds, and rows in which nothing is cost it little.

    NARROWING(256, busy=3)      # 16: go on with so many
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Narrowing:
    """When rows without work are left out: as soon as so many `times` fewer are enough, but never below
    `least`. Programs for another number of rows have to be compiled once, which is to pay.
    """

    times: int
    least: int

    def __call__(self, rows: int, busy: int) -> int:
        """How many of `rows` to go on with when `busy` of them have something to do.

        >>> [Narrowing(4, 1)(256, busy) for busy in (65, 64, 3)], Narrowing(16, 16)(256, 3)
        ([256, 64, 4], 16)
        """
        fewer = max(-(-rows // self.times), self.least)
        return self(fewer, busy) if 0 < busy <= fewer < rows else rows


# Rows that rest cost little where they are, and programs for another number of rows take seconds to make: 30
# episodes of ten scans took 17.5 CPU seconds on 30 rows to the end, and 22.1 with a quarter of them twice.
NARROWING = Narrowing(16, 16)
