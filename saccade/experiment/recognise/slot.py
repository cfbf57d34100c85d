"""What a row of the world is busy with, how its episodes end, and what loggers are told of a step of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.telling import Place
from saccade.experiment.plan.plan import Episode, Unit
from saccade.experiment.recognise.judge import Verdict
from saccade.experiment.recognise.settling import Standing
from saccade.experiment.recognise.thought import Thought
from saccade.experiment.record.episode_trace import EpisodeTrace
from saccade.extend.loggers import StepNews

Floats = npt.NDArray[np.float64]


@dataclass
class Slot:
    """What is so far known of an episode.

    matched: steps on which some module had a percept, felt: how many of them each module had. since: the
    number of its first step in the diary. standings: what was felt about the pose of each object that was in
    question; contested: steps for which no object was clear. places: where to look next, with normals, and
    looked: where the agent was sent so far. failures: when and why modules failed first, by name.
    """

    unit: Unit
    position: int = 0
    since: int = 0
    looks: int = 0
    matched: int = 0
    felt: list[int] = field(default_factory=list)
    standings: dict[str, Standing] = field(default_factory=dict)
    contested: int = 0
    places: list[Place] = field(default_factory=list)
    looked: list[Floats] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    seconds_world: float = 0.0
    seconds_modules: float = 0.0
    trace: EpisodeTrace = field(default_factory=EpisodeTrace)

    @property
    def episode(self) -> Episode:
        return self.unit.episodes[self.position]


@dataclass(frozen=True)
class Ended:
    """How an episode ended, after so many looks: the verdict, where in the world its hypotheses lay (3,), and
    where the agent was then, position (3,) and rotation (3, 3)."""

    verdict: Verdict
    anchor: Floats
    position: Floats
    rotation: Floats
    looks: int


def step_news(slot: Slot, thought: Thought, row: int) -> StepNews:
    """What loggers are told of a step."""
    for result in thought.results:
        best = result.best[row]
        if best is not None:
            possible = len(result.possible[row])
            return StepNews(
                slot.episode.id, slot.looks, slot.episode.object, best.object, float(best.evidence), possible
            )
    return StepNews(slot.episode.id, slot.looks, slot.episode.object, "", 0.0, 0)
