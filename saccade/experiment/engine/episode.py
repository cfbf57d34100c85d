"""What is known about an episode when it is over, and who may produce it.

In: units of episodes (`plan`). Out: one `EpisodeRow` per episode, in any order. The seam is `Engine`: the
real one (`engine.CortexEngine`) moves sensors over objects; tests use one that only pretends to. Everything
above the seam (recording, resuming, measuring, spreading over machines) is the same for both.

    row = EpisodeRow(id="eval-000000", phase="eval", index=0, epoch=0, object="mug", detected="mug", ...)
    row.correct        # True
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from saccade.experiment.plan.plan import Unit

Trace = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True)
class EpisodeRow:
    """One line of `episodes.csv`. All columns but the seconds are results, the same in every repetition.

    `ending` is match (recognised in time), mlh (timed out, judged by the most likely hypothesis), time_out
    (without one), no_match (nothing fits) or explored (no question was asked).
    With several levels of modules, `part` is what those below believe to be on, `parts` their number and
    `parts_correct` how many of them name a part that the object has. `modules_failed`: modules that raised on
    some step and said nothing there.

    Three judges of a pose, in degrees. `rotation_error`: up to the rotations that leave the object as it is.
    `rotation_error_shape`: up to those that leave its shape as it is. `rotation_error_reference`: as the
    reference implementation judges, which knows nothing of symmetries of objects: against the truth, and
    where the module itself found a symmetry the least over all poses it still held for possible.
    """

    id: str
    phase: str
    index: int
    epoch: int
    object: str
    detected: str = ""
    ending: str = "explored"
    correct: bool = False
    steps: int = 0
    rotation_error: float = math.nan
    symmetric: bool = False
    target_rotation: str = ""
    detected_rotation: str = ""
    location_error: float = math.nan
    evidence: float = math.nan
    modules: int = 1
    modules_correct: int = 0
    part: str = ""
    parts: int = 0
    parts_correct: int = 0
    new_object: bool = False
    nodes: int = 0
    seed: int = 0
    seconds: float = 0.0
    seconds_world: float = 0.0
    seconds_modules: float = 0.0
    seconds_recording: float = 0.0
    rotation_error_shape: float = math.nan
    rotation_error_reference: float = math.nan
    modules_failed: int = 0

    @property
    def used_mlh(self) -> bool:
        """Whether time ran out and the most likely hypothesis was reported."""
        return self.ending in ("mlh", "time_out")

    def results(self) -> dict[str, Any]:
        """The columns that a repetition must reproduce exactly."""
        table = dataclasses.asdict(self)
        return {name: value for name, value in table.items() if not name.startswith("seconds")}


ROW_TYPES: dict[str, type] = typing.get_type_hints(EpisodeRow)


@dataclass(frozen=True)
class Outcome:
    """A finished episode: its row and, if asked for, what happened at every step (arrays, steps first, beside
    the names of the objects that the columns of their evidence are of). failures: of modules that failed
    meanwhile, by name, when and why."""

    row: EpisodeRow
    trace: Trace = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)


class Engine(Protocol):
    """Runs episodes. Results depend on the unit, the config and the models alone, never on what runs beside
    it.
    """

    @property
    def known(self) -> frozenset[str]:
        """The objects that memory has models of."""
        ...

    def learn(self, units: Sequence[Unit], rows: int) -> Iterator[tuple[Unit, list[Outcome]]]:
        """Explore named objects, `rows` units at a time; yields each unit when its model is learned."""
        ...

    def discover(self, unit: Unit, first: int) -> Iterator[Outcome]:
        """Meet unnamed objects in order from episode `first` on, where a wave of them begins (`waves`),
        recognising or learning each."""
        ...

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        """Recognise objects, `rows` units at a time; yields each episode when it is over."""
        ...

    def save_unit(self, unit: Unit, path: Path) -> None:
        """Write what `learn` found in this unit."""
        ...

    def load_unit(self, unit: Unit, path: Path) -> None:
        """Take over what `save_unit` wrote, as if `learn` had just found it."""
        ...

    def save_memory(self, path: Path) -> None:
        """Write all models and what else `discover` needs to go on from here."""
        ...

    def load_memory(self, path: Path) -> None:
        """Take over what `save_memory` wrote, in this or in another run."""
        ...

    def finish_learning(self, units: Sequence[Unit]) -> None:
        """Put the models of all units into memory in the order of the units, whatever order they were learned
        in.
        """
        ...
