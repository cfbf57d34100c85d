"""When an episode is over, and what it is then worth.

In: the modules' results after a step (`ModuleResult`), one row of them. Out: the ending, the object and pose
that are reported, and how far they are from the truth.

An episode ends when a module has settled on an object and its pose after enough steps and enough modules, it
among them, hold that object alone for possible; or when its time is over. (Were all of them to settle the
pose, several modules would take longer than one.) A belief counts when its evidence is worth the steps: a
hypothesis that was made a few steps ago explains those few alone. At a match the report is that of the
settled module with the most evidence; at the end of time that of the module with the most evidence at all, if
it has enough. How it ended:

| ending | meaning |
|---|---|
| match | a module settled, and enough agree |
| mlh | time was over; the most likely hypothesis is reported |
| time_out | time was over and nothing has enough evidence |
| no_match | time was over and no module has any object left |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.cortex.results import MATCH, NO_MATCH, ModuleResult
from saccade.cortex.results import Pose as Hypothesis
from saccade.experiment.config import ExperimentConfig
from saccade.experiment.plan import Episode
from saccade.experiment.rotations import to_euler
from saccade.world.symmetry import Symmetry, rotation_error


@dataclass(frozen=True)
class Verdict:
    """How an episode ended, which module speaks for it (-1: none), and what that module believes."""

    ending: str
    module: int
    report: Hypothesis | None


def judge(
    results: Sequence[ModuleResult], row: int, steps: int, config: ExperimentConfig, expired: bool
) -> Verdict | None:
    """The verdict on one row after a step; None while the episode goes on."""
    beliefs = [(module, result.best[row]) for module, result in enumerate(results)]
    worth = config.eval.evidence_per_step * steps
    matched = [
        (module, best)
        for module, best in beliefs
        if best and results[module].terminal[row] == MATCH and best.evidence >= worth
    ]
    if matched and steps > config.eval.min_steps:
        module, best = _strongest(matched)
        settled = {other for other, belief in matched if belief.object == best.object}
        agreeing = settled | {
            other
            for other, belief in beliefs
            if len(settled) < config.eval.modules_to_match
            and belief
            and belief.evidence >= worth
            and results[other].possible[row] == [best.object]
        }
        if len(agreeing) >= config.eval.modules_to_match:
            return Verdict("match", module, best)
    if not expired:
        return None
    # A module that was without a match for a while may have found one since.
    if all(result.terminal[row] == NO_MATCH and not result.possible[row] for result in results):
        return Verdict("no_match", -1, None)
    threshold = config.module.object_evidence_threshold
    likely = [(module, best) for module, best in beliefs if best and best.evidence > threshold]
    if not likely:
        return Verdict("time_out", -1, None)
    module, best = _strongest(likely)
    return Verdict("mlh", module, best)


def _strongest(candidates: Sequence[tuple[int, Hypothesis]]) -> tuple[int, Hypothesis]:
    """The one with the most evidence; among equals the first module."""
    return max(candidates, key=lambda candidate: (candidate[1].evidence, -candidate[0]))


@dataclass(frozen=True)
class Errors:
    """rotation: degrees up to symmetry. location: metres between the true and the reported origin.

    Rounded well below what they mean, so that the last bits of single precision, which depend on how rows are
    laid out on a device, do not tell runs apart.
    """

    rotation: float
    location: float
    detected_rotation: str


def errors_of(
    report: Hypothesis, sensed: npt.NDArray[np.float64], episode: Episode, symmetry: Symmetry
) -> Errors:
    """How far a reported pose is off. `sensed` (3,) is where, in the world, the hypothesis' location lies."""
    rotation = np.asarray(report.rotation, np.float64).T
    origin = sensed - rotation @ np.asarray(report.location, np.float64)
    degrees = float(np.degrees(rotation_error(rotation, episode.rotation, symmetry)))
    return Errors(round(degrees, 2), round(float(np.linalg.norm(origin)), 5), format_angles(rotation))


def format_angles(rotation: npt.NDArray[np.float64]) -> str:
    """Degrees about x, y, z as text, as episode rows hold them."""
    return " ".join(f"{angle:.2f}" for angle in to_euler(rotation))
