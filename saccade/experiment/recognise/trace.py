"""What was felt in an episode, step by step, and where nothing was.

In: what sensors felt, and how far they saw. Out: the percepts and the lines of sight of an episode (`Diary`),
for laying them on a model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.free_space import Reals, lines_of_sight
from saccade.cortex.fitting.surface import percepts_in
from saccade.cortex.ops import read
from saccade.cortex.sense import Sensation
from saccade.tensor import Tensor
from saccade.world.arriving import Arriving

Floats = npt.NDArray[np.float64]

#: steps for which there is room at first
ROOM = 64


class Unread(NamedTuple):
    """Sights of a step on a device: values (room, S, 7), and which rows (R,) of them go on."""

    step: int
    values: Tensor
    rows: npt.NDArray[np.int64]
    tangent: Reals
    reach: float


class Diary:
    """What all rows felt, the latest steps, as percepts (T, R, S, 9) of `cortex.fitting.settle`, and lines of
    sight (T, R, S, 8) of `cortex.fitting.free_space`, which are read from a device when somebody asks for
    some. `now` is the number of the next step; steps before `first` are forgotten. coloured: whether sensors
    tell colours."""

    def __init__(self, coloured: bool = True) -> None:
        self.first = self.now = 0
        self._coloured = coloured
        self._percepts = np.zeros((0, 0, 0, 9))
        self._sights = np.zeros((0, 0, 0, 8))
        self._usable = np.zeros((0, 0, 0), bool)
        self._unread: list[Unread] = []

    def add(self, felt: Sensation, sights: Reals | Arriving, tangent: Reals, reach: float) -> None:
        """A step: what sensors felt, and how far they saw (R, S, 7), as `Observation.sights`. tangent, reach:
        as `lines_of_sight` takes them."""
        place = self.now - self.first
        if place == len(self._usable):
            self._grow(*felt.usable.shape)
        hsv = felt.hsv if self._coloured else None
        self._percepts[place] = percepts_in(felt.location, felt.pose_vectors[..., 0, :], hsv)
        self._usable[place] = felt.usable
        if isinstance(sights, Arriving):
            self._unread.append(Unread(self.now, sights.values, np.arange(sights.rows), tangent, reach))
        else:
            self._sights[place] = _lines(sights, tangent, reach)
        self.now += 1

    def _read(self) -> None:
        """All that is on a device, after one wait."""
        unread = [each for each in self._unread if each.step >= self.first]
        self._unread = []
        if unread:
            for each, values in zip(unread, read([one.values for one in unread]), strict=True):
                lines = _lines(values[each.rows], each.tangent, each.reach)
                self._sights[each.step - self.first] = lines

    def _grow(self, rows: int, sensors: int) -> None:
        """Twice the room."""
        known = len(self._usable)
        percepts = np.zeros((max(2 * known, ROOM), rows, sensors, 9))
        sights, usable = np.zeros((*percepts.shape[:3], 8)), np.zeros(percepts.shape[:3], bool)
        if known:
            percepts[:known], sights[:known], usable[:known] = self._percepts, self._sights, self._usable
        self._percepts, self._sights, self._usable = percepts, sights, usable

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Go on with these rows alone."""
        if self._usable.size:
            self._percepts, self._sights = self._percepts[:, rows], self._sights[:, rows]
            self._usable = self._usable[:, rows]
        self._unread = [each._replace(rows=each.rows[rows]) for each in self._unread]

    def forget(self, before: int) -> None:
        """Nobody asks for steps before this one any more."""
        gone = min(before, self.now) - self.first
        # moved when as much is gone as stays, so that a step is moved once on average
        if gone > 0 and 2 * gone >= self.now - self.first:
            left = self.now - self.first - gone
            for array in (self._percepts, self._sights, self._usable):
                array[:left] = array[gone : gone + left].copy()
            self.first += gone

    def of(self, row: int, since: int, sensors: int) -> Floats:
        """(P, 9) what the first sensors of a row felt since a step, where it could be used; world frame."""
        steps = slice(since - self.first, self.now - self.first)
        percepts = np.swapaxes(self._percepts[steps, row, :sensors], 0, 1)
        return np.ascontiguousarray(percepts[self._usable[steps, row, :sensors].T])

    def steps_of(self, row: int, since: int, sensors: int) -> npt.NDArray[np.int64]:
        """(P,) the step, counted from `since`, of each percept that `of` tells."""
        usable = self._usable[since - self.first : self.now - self.first, row, :sensors]
        return np.nonzero(usable.T)[1]

    def free(self, row: int, since: int, sensors: int) -> Floats:
        """(Q, 8) the lines of sight of the first sensors of a row since a step that are free for a part;
        world frame."""
        self._read()
        sights = self._sights[since - self.first : self.now - self.first, row, :sensors].reshape(-1, 8)
        return np.ascontiguousarray(sights[sights[:, 6] < sights[:, 7]])


def _lines(sights: Reals, tangent: Reals, reach: float) -> Floats:
    """(R, S, 8) lines of sight. The nearest of a whole patch ends them: beside an outline nothing may be
    free."""
    return lines_of_sight(sights[..., :3], sights[..., 3:6], sights[..., 6], tangent, reach)
