"""Figures of a run, from its episode rows.

In: episode rows. Out: `Metrics`, the columns of the results table: correct %, used-MLH %, steps, rotation
error, times.

    >>> from saccade.experiment.engine.episode import EpisodeRow
    >>> rows = [EpisodeRow("e0", "eval", 0, 0, "mug", "mug", "match", True, 30, 5.0),
    ...         EpisodeRow("e1", "eval", 1, 0, "can", "mug", "mlh", False, 500)]
    >>> figures = measure(rows)
    >>> figures.correct, figures.used_mlh, figures.match_steps, figures.rotation_error
    (50.0, 50.0, 30.0, 5.0)

Figures that repeat bit for bit (`Metrics.results`) are kept apart from times, which never do.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from saccade.experiment.engine.episode import EpisodeRow


@dataclass(frozen=True)
class Metrics:
    """correct, used_mlh: percent of episodes that asked for an object, NaN where none did. match_steps: mean
    over episodes that ended by a match, steps: over all.

    rotation_error: mean degrees over correct episodes, up to the object's symmetry, and its median;
    rotation_error_shape and rotation_error_reference: the means of the two other judges of `EpisodeRow`;
    rotation_error_asymmetric: over objects without symmetry alone. modules_correct: percent of all
    modules; parts_correct: of those of the lower of two levels, which name parts. Means over nothing are NaN.
    """

    episodes: int
    correct: float
    used_mlh: float
    no_match: float
    match_steps: float
    steps: float
    rotation_error: float
    rotation_error_median: float
    rotation_error_shape: float
    rotation_error_reference: float
    rotation_error_asymmetric: float
    modules_correct: float
    parts_correct: float
    seconds: float
    seconds_per_episode: float
    seconds_world: float
    seconds_modules: float
    seconds_recording: float

    def results(self) -> dict[str, float | int]:
        """What a repetition of the run must reproduce exactly."""
        return {
            name: value for name, value in dataclasses.asdict(self).items() if not name.startswith("seconds")
        }

    def timing(self) -> dict[str, float]:
        return {name: value for name, value in dataclasses.asdict(self).items() if name.startswith("seconds")}


def mean(values: Iterable[float]) -> float:
    """The mean of what is a finite number, NaN if nothing is; summed exactly, so the order does not
    matter."""
    numbers = [value for value in values if math.isfinite(value)]
    try:
        return math.fsum(numbers) / len(numbers) if numbers else math.nan
    except OverflowError:  # only a file that somebody wrote has such numbers
        return math.inf


def median(values: Iterable[float]) -> float:
    """The middle one of what is a finite number, NaN if nothing is."""
    numbers = sorted(value for value in values if math.isfinite(value))
    return statistics.median(numbers) if numbers else math.nan


def percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else math.nan


def measure(rows: Sequence[EpisodeRow], seconds: float | None = None) -> Metrics:
    """The figures of some rows; `seconds` is the time the whole took, the sum over rows if not given."""
    total = len(rows)
    right = [row for row in rows if row.correct]
    elapsed = math.fsum(row.seconds for row in rows) if seconds is None else seconds
    asked = [row for row in rows if row.ending != "explored"]
    modules = sum(row.modules for row in asked)
    return Metrics(
        episodes=total,
        correct=percent(len(right), len(asked)),
        used_mlh=percent(sum(row.used_mlh for row in asked), len(asked)),
        no_match=percent(sum(row.ending == "no_match" for row in asked), len(asked)),
        match_steps=mean(row.steps for row in rows if row.ending == "match"),
        steps=mean(row.steps for row in rows),
        rotation_error=mean(row.rotation_error for row in right),
        rotation_error_median=median(row.rotation_error for row in right),
        rotation_error_shape=mean(row.rotation_error_shape for row in right),
        rotation_error_reference=mean(row.rotation_error_reference for row in right),
        rotation_error_asymmetric=mean(row.rotation_error for row in right if not row.symmetric),
        modules_correct=percent(sum(row.modules_correct for row in asked), modules),
        parts_correct=percent(sum(row.parts_correct for row in rows), sum(row.parts for row in rows)),
        seconds=elapsed,
        seconds_per_episode=elapsed / total if total else math.nan,
        seconds_world=math.fsum(row.seconds_world for row in rows),
        seconds_modules=math.fsum(row.seconds_modules for row in rows),
        seconds_recording=math.fsum(row.seconds_recording for row in rows),
    )


def by_object(rows: Iterable[EpisodeRow]) -> dict[str, Metrics]:
    """The figures of each object, names in order."""
    groups: dict[str, list[EpisodeRow]] = {}
    for row in rows:
        groups.setdefault(row.object, []).append(row)
    return {name: measure(groups[name]) for name in sorted(groups)}


def by_epoch(rows: Iterable[EpisodeRow]) -> dict[int, Metrics]:
    groups: dict[int, list[EpisodeRow]] = {}
    for row in rows:
        groups.setdefault(row.epoch, []).append(row)
    return {epoch: measure(groups[epoch]) for epoch in sorted(groups)}


def confusion(rows: Iterable[EpisodeRow]) -> Counter[tuple[str, str]]:
    """How often each object was taken for which; nothing reported counts as "none"."""
    return Counter((row.object, row.detected or "none") for row in rows)


def parted(rows: Iterable[EpisodeRow], unknown: Collection[str]) -> tuple[Metrics, Metrics]:
    """Objects that were learned, and those that were not."""
    groups: tuple[list[EpisodeRow], list[EpisodeRow]] = [], []
    for row in rows:
        groups[row.object in unknown].append(row)
    return measure(groups[0]), measure(groups[1])


def unsupervised(rows: Sequence[EpisodeRow]) -> tuple[Metrics, Metrics]:
    """First epoch and later ones. Right in the first is to find a new object, later to know it again."""
    first = [row for row in rows if row.epoch == 0]
    return measure(first), measure([row for row in rows if row.epoch > 0])
