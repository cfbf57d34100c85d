"""What happened in an episode, step by step: what was felt, and what a trace keeps of it.

In: the thoughts of a mind. Out: the percepts of an episode (`Diary`), for laying them on a model when it is
over; the arrays of a trace (`record_step`, `record_cloud`), one entry a step.
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
from saccade.experiment.thought import TellsHypotheses, Thought


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


def record_step(trace: dict[str, list[npt.NDArray[np.generic]]], thought: Thought, row: int) -> None:
    """Append one step of one row: where it sensed, the evidence of every object, the best hypothesis."""
    evidence = np.full(2, np.nan)
    strongest = max(
        (
            np.sort(result.evidence[row][np.isfinite(result.evidence[row])])[::-1]
            for result in thought.results
        ),
        key=lambda values: values[0] if len(values) else -np.inf,
    )
    evidence[: min(2, len(strongest))] = strongest[:2]
    first = thought.results[0]
    best = first.best[row]
    entries: dict[str, npt.ArrayLike] = {
        "sensed": thought.sensed[row],
        "processed": thought.processed[row],
        "best_evidence": evidence[0],
        "second_evidence": evidence[1],
        "object_evidence": first.evidence[row],
        "hypotheses": first.counts[row].sum(),
        "best_object": -1 if best is None else first.objects.index(best.object),
        "best_location": np.full(3, np.nan) if best is None else best.location,
        "best_rotation": np.full((3, 3), np.nan) if best is None else best.rotation,
    }
    if thought.felt is not None:
        felt = take_rows(thought.felt, np.array([row]))
        entries |= {
            "felt_usable": felt.usable[0],
            "felt_location": felt.location[0],
            "felt_pose": felt.pose_vectors[0],
            "felt_defined": felt.pose_fully_defined[0],
            "felt_hsv": felt.hsv[0],
            "felt_curvature": felt.curvatures_log[0],
        }
    for name, value in entries.items():
        trace.setdefault(name, []).append(np.asarray(value))


def record_cloud(
    trace: dict[str, list[npt.NDArray[np.generic]]],
    thought: Thought,
    row: int,
    mind: TellsHypotheses,
    most: int,
) -> None:
    """Append the strongest hypotheses that one row has of its likeliest object: where on the object (most, 3)
    and how strong (most,), NaN where there are fewer."""
    locations, evidence = np.full((most, 3), np.nan, np.float32), np.full(most, np.nan, np.float32)
    best = thought.results[0].best[row]
    if best is not None:
        places, strengths = mind.hypotheses(row, best.object, most)
        locations[: len(places)], evidence[: len(strengths)] = places, strengths
    trace.setdefault("cloud_location", []).append(locations)
    trace.setdefault("cloud_evidence", []).append(evidence)
