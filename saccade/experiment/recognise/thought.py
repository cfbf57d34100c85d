"""The seam between the experiment and a mind: what it is given, and what it answers.

In: looks. Out: beliefs and movements, for many rows at once; on demand the hypotheses behind them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.goals.goals import GoalBatch
from saccade.cortex.laps import Laps
from saccade.cortex.sense import Sensation
from saccade.world.protocol import Actions, Observation

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Held:
    """Hypotheses of an object: evidence (H,), locations (H, 3), rotations (H, 3, 3)."""

    evidence: Floats
    locations: Floats
    rotations: Floats

    def strongest(self, most: int) -> Held:
        order = np.argsort(-self.evidence, kind="stable")[:most]
        return Held(self.evidence[order], self.locations[order], self.rotations[order])


@dataclass(frozen=True)
class Thought:
    """What a mind makes of one look: results of each module of the lowest level and above, and how to move.

    sensed (R, M, 3): where in the world the hypotheses of module m lie. processed (R,): some module got a
    percept that counts. felt: what the sensors told, where the mind keeps it. goal: what the motor system was
    asked for.
    """

    results: Sequence[ModuleResult]
    actions: Actions
    sensed: Floats
    processed: Bools
    felt: Sensation | None = None
    goal: GoalBatch | None = None


class Mind(Protocol):
    """Everything between a look and the next movement, for R rows. A row's thoughts depend on it alone."""

    @property
    def rows(self) -> int: ...

    def reset(self, rows: Bools, episodes: npt.NDArray[np.int64]) -> None:
        """Begin anew in the marked rows (R,), with random numbers that belong to `episodes` (R,)."""
        ...

    def rest(self, rows: Bools) -> None:
        """Believe nothing in the marked rows (R,): nobody reads them before they begin anew."""
        ...

    def interrupt(self, rows: Bools) -> None:
        """The agents of the marked rows (R,) were put elsewhere; what is known and believed stays."""
        ...

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Go on with the rows of these numbers alone, in this order."""
        ...

    def think(self, seen: Observation, check: Bools) -> Thought:
        """One step; `check` (R,) asks for the end check."""
        ...


@runtime_checkable
class TellsHypotheses(Protocol):
    """A mind whose hypotheses can be read."""

    def held(self, row: int, module: int, name: str) -> Held:
        """All hypotheses that a module of a row has of an object."""
        ...

    def strongest(self, module: int, wanted: Sequence[tuple[int, str]], most: int) -> list[Held]:
        """At most so many of the hypotheses that a module has of the object of each row, the strongest."""
        ...

    def wish(self, row: int, location: Floats, normal: Floats) -> None:
        """Look at this place (3,) of the world, with its normal (3,), at the next step if it can."""
        ...


@runtime_checkable
class Measured(Protocol):
    """A mind that measures where its time goes."""

    @property
    def laps(self) -> Laps: ...
