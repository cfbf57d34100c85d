"""What was felt in an episode, step by step.

In: what sensors felt. Out: the percepts of an episode (`Diary`), for laying them on a model when it is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from saccade.cortex.model import Observations
from saccade.cortex.rows import take_rows
from saccade.cortex.sense import Sensation
from saccade.experiment.explore import observations_of


@dataclass
class Diary:
    """What all rows felt, the latest steps. `first` is the number of the oldest that is kept."""

    first: int = 0
    steps: list[Sensation] = field(default_factory=list)

    @property
    def now(self) -> int:
        """The number of the next step."""
        return self.first + len(self.steps)

    def add(self, felt: Sensation) -> None:
        self.steps.append(felt)

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Go on with these rows alone."""
        self.steps = [take_rows(felt, rows) for felt in self.steps]

    def forget(self, before: int) -> None:
        """Nobody asks for steps before this one any more."""
        if before > self.first:
            self.steps, self.first = self.steps[before - self.first :], before

    def of(self, row: int, since: int, sensors: Sequence[int], features: Sequence[str]) -> Observations:
        """What the sensors of a row felt since a step, where it could be used; world frame."""
        steps = self.steps[since - self.first :]
        parts = [observations_of(steps, row, sensor, features) for sensor in sensors]
        return Observations.joined(parts)
