"""When an episode is over, and what it is then worth.

In: the modules' results after a step (`ModuleResult`), one row of them. Out: the ending, the object and pose
that are reported, and how far they are from the truth.

An episode ends when enough modules hold one object alone for possible and its pose is settled, by one of
them or by all together. (Were all of them to settle the pose each by itself, several modules would take
longer than one.) Together means a symmetry: what proves one is that so many percepts in a row have left the
possible poses as they were, and modules that agree on the object have each felt their own. A belief counts
when its evidence is worth the percepts its module had: a hypothesis that was made a few steps ago explains
those few alone, and a sensor that is often beside a thin object has little to explain. At a match
the report is that of the module with the most evidence among those that settled, or else that agree; at the
end of time that of the module with the most evidence at all, if it has enough. How it ended:

| ending | meaning |
|---|---|
| match | enough modules agree, and the pose is settled |
| mlh | time was over; the most likely hypothesis is reported |
| time_out | time was over and nothing has enough evidence |
| no_match | time was over and no module has any object left |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.results import MATCH, NO_MATCH, ModuleResult
from saccade.cortex.bank.results import Pose as Hypothesis
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.plan.plan import Episode
from saccade.experiment.plan.rotations import to_euler
from saccade.reproducible import apply, degrees, norm
from saccade.world.symmetry.symmetry import Symmetry, rotation_error


@dataclass(frozen=True)
class Contest:
    """The module that speaks for some that believe in one object, its report, and the objects in question:
    all that they hold for possible, and the runner-up, who may be right where the truth was given up.
    doubtful: their evidence is not worth what they felt."""

    module: int
    report: Hypothesis
    objects: tuple[str, ...]
    doubtful: bool = False


@dataclass(frozen=True)
class Verdict:
    """How an episode ended, which module speaks for it (-1: none), and what that module believes."""

    ending: str
    module: int
    report: Hypothesis | None


def judge(
    results: Sequence[ModuleResult],
    row: int,
    steps: int,
    config: ExperimentConfig,
    expired: bool,
    felt: Sequence[int] = (),
) -> Verdict | None:
    """The verdict on one row after a step; None while the episode goes on. `felt`: how many of the steps
    brought each module a percept, by default all."""
    beliefs = [(module, result.best[row]) for module, result in enumerate(results)]
    if steps > config.eval.min_steps:
        due = [config.eval.evidence_per_step * each for each in felt or [steps] * len(results)]
        worthy = [(module, best) for module, best in beliefs if best and best.evidence >= due[module]]
        match = _agreed(results, row, worthy, config)
        if match:
            return Verdict("match", *match)
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


def contest(
    results: Sequence[ModuleResult], row: int, felt: Sequence[int], config: ExperimentConfig
) -> Contest | None:
    """What modules believe, whatever they know of its pose. Those come first whose evidence is worth what
    they felt and that hold their object alone for possible; where too few of these agree, all whose evidence
    is worth it; then all. Where too few agree at all, everything that one of them believes is in question:
    what all of them felt may tell objects apart that none of them can by itself."""
    beliefs = [
        (module, best)
        for module, result in enumerate(results)
        if (best := result.best[row]) is not None and result.possible[row]
    ]
    due = config.eval.evidence_per_step
    worthy = [(module, best) for module, best in beliefs if best.evidence >= due * felt[module]]
    alone = [each for each in worthy if results[each[0]].possible[row] == [each[1].object]]
    for believing, doubtful in ((alone, False), (worthy, False), (beliefs, True)):
        if not believing:
            continue
        module, best = _strongest(believing)
        agree = [other for other, belief in believing if belief.object == best.object]
        if len(agree) >= config.eval.modules_to_match:
            possible = {name for other in agree for name in results[other].possible[row]}
            names = {best.object, *possible, *likeliest([results[module]], row, 2)}
            return Contest(module, best, tuple(sorted(names)), doubtful)
    if not beliefs:
        return None
    module, best = _strongest(beliefs)
    names = {*(belief.object for _, belief in beliefs), *likeliest([results[module]], row, 2)}
    return Contest(module, best, tuple(sorted(names)), doubtful=True)


def likeliest(results: Sequence[ModuleResult], row: int, most: int) -> list[str]:
    """The objects of which modules together have the strongest hypotheses, the best first."""
    together: dict[str, float] = {}
    for result in results:
        for name, evidence in zip(result.objects, result.evidence[row].tolist(), strict=True):
            if evidence > -np.inf:
                together[name] = together.get(name, 0.0) + evidence
    return sorted(together, key=lambda name: -together[name])[:most]


def _agreed(
    results: Sequence[ModuleResult],
    row: int,
    worthy: Sequence[tuple[int, Hypothesis]],
    config: ExperimentConfig,
) -> tuple[int, Hypothesis] | None:
    """The module that speaks for an object and a pose on which enough of them have settled, or None."""
    needed = config.eval.modules_to_match
    settled = [module for module, _ in worthy if results[module].terminal[row] == MATCH]
    # one module has to settle the pose by itself, and reading what is possible takes time
    holding = [
        (module, best)
        for module, best in worthy
        if module in settled or (needed > 1 and results[module].possible[row] == [best.object])
    ]
    if len(holding) < needed:
        return None
    module, best = _strongest([each for each in holding if not settled or each[0] in settled])
    agreeing = [other for other, belief in holding if belief.object == best.object]
    unchanged = sum(int(results[other].symmetry[row]) for other in agreeing)
    known = bool(settled) or unchanged >= config.module.symmetry_evidence
    return (module, best) if known and len(agreeing) >= needed else None


def _strongest(candidates: Sequence[tuple[int, Hypothesis]]) -> tuple[int, Hypothesis]:
    """The one with the most evidence; among equals the first module."""
    return max(candidates, key=lambda candidate: (candidate[1].evidence, -candidate[0]))


@dataclass(frozen=True)
class Errors:
    """rotation, shape, reference: degrees, by the three judges of `EpisodeRow`. location: metres between the
    true and the reported origin.

    Rounded well below what they mean, so that the last bits of single precision, which depend on how rows are
    laid out on a device, do not tell runs apart.
    """

    rotation: float
    shape: float
    reference: float
    location: float
    detected_rotation: str


def errors_of(
    report: Hypothesis,
    sensed: npt.NDArray[np.float64],
    episode: Episode,
    symmetry: Symmetry,
    shape: Symmetry | None = None,
    possible: npt.NDArray[np.float64] | None = None,
) -> Errors:
    """How far a reported pose is off. `sensed` (3,) is where, in the world, the hypothesis' location lies.
    `shape`: of the object's shape alone, by default its symmetry. `possible` (H, 3, 3): the rotations that
    were still possible where the module found a symmetry."""
    rotation = np.asarray(report.rotation, np.float64).T
    origin = sensed - apply(rotation, report.location)

    def off(turned: npt.NDArray[np.float64], up_to: Symmetry | None) -> float:
        return round(float(degrees(rotation_error(turned, episode.rotation, up_to)).min()), 2)

    held = rotation[None]
    if possible is not None and len(possible):
        held = np.concatenate([held, np.swapaxes(np.asarray(possible, np.float64), -1, -2)])
    return Errors(
        off(rotation, symmetry),
        off(rotation, shape or symmetry),
        off(held, None),
        round(float(norm(origin)), 5),
        format_angles(rotation),
    )


def format_angles(rotation: npt.NDArray[np.float64]) -> str:
    """Degrees about x, y, z as text, as episode rows hold them."""
    return " ".join(f"{angle:.2f}" for angle in to_euler(rotation))
