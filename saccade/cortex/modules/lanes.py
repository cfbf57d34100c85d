"""The rows of banks that the rows of a step lie in: fewer, where episodes have ended.

Banks are compiled for a number of rows, so they keep rows that nobody needs any more, empty, until far fewer
are enough (`world.narrowing`). All that the host does in a step is done for the rows of the step alone.

    lanes = Lanes.all(8).kept(np.array([2, 5]))     # rows 0 and 1 of a step are rows 2 and 5 of the banks
    lanes.spread(given)                             # a step's input as banks take it
    result.of_rows(lanes.numbers)                   # and what comes back
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.cortex.messages import NUMBERS, PerceptBatch
from saccade.cortex.modules.group import GroupInput

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lanes:
    """numbers (r,): which of the banks' `rows` each row of a step is."""

    numbers: Ints
    rows: int

    @staticmethod
    def all(rows: int) -> Lanes:
        """Every row of the banks, in order."""
        return Lanes(np.arange(rows), rows)

    @property
    def is_all(self) -> bool:
        """Whether a step has all rows of the banks, in order."""
        return bool(np.array_equal(self.numbers, np.arange(self.rows)))

    @property
    def used(self) -> Bools:
        """(rows,) which rows of the banks a step has."""
        return self.marked(np.ones(len(self.numbers), bool))

    def kept(self, rows: Ints) -> Lanes:
        """Of these rows of a step alone, in this order."""
        return Lanes(self.numbers[rows], self.rows)

    def filled(self, rows: int) -> Ints:
        """(rows,) numbers of so many rows of the banks, ours first."""
        others = np.setdiff1d(np.arange(self.rows), self.numbers)
        return np.concatenate([self.numbers, others[: rows - len(self.numbers)]])

    def marked(self, rows: Bools) -> Bools:
        """A mask (r,) as one of the banks' rows."""
        found = np.zeros(self.rows, bool)
        found[self.numbers] = rows
        return found

    def spread(self, given: GroupInput) -> GroupInput:
        """An input with its percepts in the banks' rows, and none in the others."""
        batch = given.batch
        _, modules, channels = batch.shape
        wide = PerceptBatch.empty(self.rows, modules, channels, batch.numbers.shape[3] - NUMBERS)
        wide.numbers[self.numbers], wide.flags[self.numbers] = batch.numbers, batch.flags
        check = None
        if given.check is not None:
            check = np.zeros((self.rows, modules), bool)
            check[self.numbers] = given.check
        return GroupInput(wide, check, given.failures)
