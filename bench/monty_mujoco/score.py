"""One scorer for both sides, and the table.

In: rows of an experiment. Out: percent correct, steps over all episodes, rotation errors (up to the symmetry
of shape and colour of the scan, one reported pose each; and as the side itself judges), seconds an episode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.reproducible import degrees
from saccade.world.symmetry.symmetry import Symmetry, rotation_error

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """An episode: truth and found (3, 3) turn the object into the world; judged: degrees, as Monty computes
    them (the least over all poses that were still possible where a symmetry was found)."""

    object: str
    correct: bool
    steps: int
    truth: Floats
    found: Floats | None
    judged: float
    seconds: float


@dataclass(frozen=True)
class Score:
    episodes: int
    correct: float
    steps: float
    error: float
    median: float
    judged: float
    seconds: float

    @staticmethod
    def of(rows: Sequence[Row], symmetries: Mapping[str, Symmetry]) -> Score:
        """Errors are those of correct episodes."""
        right = [row for row in rows if row.correct]
        errors = [
            float(degrees(rotation_error(row.found, row.truth, symmetries[row.object])))
            for row in right
            if row.found is not None
        ]
        return Score(
            len(rows),
            100 * len(right) / max(len(rows), 1),
            _mean([row.steps for row in rows]),
            _mean(errors),
            float(np.median(errors)) if errors else float("nan"),
            _mean([row.judged for row in right]),
            _mean([row.seconds for row in rows]),
        )

    def line(self, name: str) -> str:
        return (
            f"| {name} | {self.episodes} | {self.correct:.1f} | {self.steps:.1f} | {self.error:.1f}° "
            f"({self.median:.1f}°) | {self.judged:.1f}° | {self.seconds:.2f} |"
        )


HEAD = """| | episodes | correct % | steps | rotation error (median) | as Monty | s/episode |
|---|---|---|---|---|---|---|"""


def _mean(values: Sequence[float]) -> float:
    finite = [value for value in values if np.isfinite(value)]
    return float(np.mean(finite)) if finite else float("nan")


def worst(rows: Sequence[Row], symmetries: Mapping[str, Symmetry]) -> str:
    """The objects with the largest errors of all, and those that were named wrong."""
    told = []
    for name in sorted({row.object for row in rows}):
        score = Score.of([row for row in rows if row.object == name], symmetries)
        told.append((-score.error if np.isfinite(score.error) else 0.0, f"{name} {score.error:.0f}°"))
    wrong = [f"{row.object} wrong" for row in rows if not row.correct]
    return ", ".join([text for _, text in sorted(told)[:3]] + wrong)
