"""Hypotheses read one object at a time: what goals, votes of poses and reports want to know of a bank.

Comes in: the hypotheses of a bank, and rows, modules and objects numbered through. Goes out: per number the
evidence, flag, location and rotation of its hypotheses as rows of (14, H) float64.

Where the hypotheses lie in the host's memory they are read there (`Window`); a program that gathers them, as
`programs.held` and `programs.strongest` do on a device, would take longer to call than to run.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from saccade.cortex.hypotheses.hypotheses import Hypotheses
from saccade.cortex.ops import read

Floats = npt.NDArray[np.float64]

#: rows of what is read: evidence, flag, then location and rotation
EVIDENCE, FLAG, POSE = 0, 1, 2


class Window:
    """The hypotheses of a state in the host's memory, good until the next step."""

    def __init__(self, state: Hypotheses) -> None:
        size = state.shape[3]
        counts, *columns = read(
            (state.counts, state.evidence, state.possible, *state.location, *state.rotation)
        )
        self._counts = counts.reshape(-1)
        self._columns = [column.reshape(-1, size) for column in columns]

    def held(self, place: int) -> Floats:
        """(14, H) all of them."""
        count = int(self._counts[place])
        return np.array([column[place, :count] for column in self._columns], np.float64)

    def strongest(self, place: int, most: int) -> Floats:
        """(14, H) at most so many, those with the most evidence first; the first of equals goes first."""
        evidence = self._columns[EVIDENCE][place, : int(self._counts[place])]
        order = np.argsort(-evidence, kind="stable")[:most]
        return np.array([column[place, order] for column in self._columns], np.float64)
