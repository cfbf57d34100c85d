"""Two or more runs side by side: figures, what differs in their configs, and how sure a difference in
accuracy is.

In: run folders. Out: a `Comparison`, which `report` and the command line print.

    comparison = compare([RunFolder.open(a), RunFolder.open(b)])
    comparison.differences           # {"world.agent": ("distant", "surface")}
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from saccade.experiment.config.environment import DECIDING, TOLD
from saccade.experiment.config.sections import to_dict
from saccade.experiment.engine.episode import EpisodeRow
from saccade.experiment.errors import RunError
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.metrics import Metrics, measure

# Tosses up to which the number of ways is counted exactly.
EXACT = 1000
#: between what a run began with and what it went on with
CHANGED = ", then "


@dataclass(frozen=True)
class Comparison:
    """names: of the runs, made unique. figures: per run. differences: config key to the value in each run.
    environments: likewise, what they were computed with.

    better, worse: episodes that run i > 0 got right and the first got wrong, and the other way round, over
    those that show the same object at the same rotation; chance: probability of a split at least as uneven by
    luck alone.
    """

    names: tuple[str, ...]
    figures: tuple[Metrics, ...]
    complete: tuple[bool, ...]
    differences: Mapping[str, tuple[object, ...]]
    environments: Mapping[str, tuple[str, ...]]
    better: tuple[int, ...]
    worse: tuple[int, ...]
    chance: tuple[float, ...]

    def to_dict(self) -> dict[str, object]:
        """For JSON: one entry per run, then the settings that differ."""
        runs = [
            {
                "name": name,
                "complete": complete,
                **figures.results(),
                **figures.timing(),
                "better": better,
                "worse": worse,
                "chance": chance,
            }
            for name, complete, figures, better, worse, chance in zip(
                self.names, self.complete, self.figures, self.better, self.worse, self.chance
            )
        ]
        return {
            "runs": runs,
            "differences": {key: list(values) for key, values in self.differences.items()},
            "environments": {key: list(values) for key, values in self.environments.items()},
        }

    @property
    def mixed(self) -> tuple[str, ...]:
        """What results may depend on and the runs do not share, or one of them changed on its way."""
        return tuple(name for name in DECIDING if name in self.environments)


def judged_rows(folder: RunFolder) -> list[EpisodeRow]:
    """The rows a run is judged by: recognition, or learning where that recognises."""
    rows = folder.rows()
    return [row for row in rows if row.phase == "eval"] or [row for row in rows if row.ending != "explored"]


def sign_test(better: int, worse: int) -> float:
    """Probability that a fair coin splits better + worse tosses at least as unevenly (two-sided)."""
    total = better + worse
    if total == 0:
        return 1.0
    if total > EXACT:  # the numbers of ways have too many digits: their logarithms, each from the one before
        k = np.arange(1, min(better, worse) + 1)
        ways = np.concatenate([[0.0], np.cumsum(np.log(total - k + 1) - np.log(k))])
        return min(1.0, 2.0 * float(np.exp(np.logaddexp.reduce(ways) - total * math.log(2.0))))
    tail = sum(math.comb(total, k) for k in range(min(better, worse) + 1))
    return min(1.0, 2.0 * tail / 2.0**total)


def paired(first: Sequence[EpisodeRow], second: Sequence[EpisodeRow]) -> tuple[int, int]:
    """(better, worse) of `second` against `first` over the episodes that both were shown."""
    known = {(row.id, row.object, row.target_rotation): row.correct for row in first}
    better = worse = 0
    for row in second:
        before = known.get((row.id, row.object, row.target_rotation))
        if before is not None and before != row.correct:
            better, worse = better + row.correct, worse + before
    return better, worse


def compare(folders: Sequence[RunFolder]) -> Comparison:
    """The comparison of at least one run; the first is the one the others are held against."""
    if not folders:
        raise RunError("nothing to compare: name at least one run folder")
    rows = [judged_rows(folder) for folder in folders]
    tables = [_flat(to_dict(folder.config)) for folder in folders]
    differing = {
        key: tuple(table[key] for table in tables)
        for key in tables[0]
        if key != "name" and any(table[key] != tables[0][key] for table in tables)
    }
    kept = {name: tuple(_kept(folder, name) for folder in folders) for name in (*DECIDING, *TOLD)}
    pairs = [paired(rows[0], other) for other in rows]
    return Comparison(
        names=_unique_names(folders),
        figures=tuple(measure(each) for each in rows),
        complete=tuple(folder.summary() is not None for folder in folders),
        differences=differing,
        environments={
            name: values for name, values in kept.items() if len(set(values)) > 1 or CHANGED in values[0]
        },
        better=tuple(pair[0] for pair in pairs),
        worse=tuple(pair[1] for pair in pairs),
        chance=tuple(sign_test(*pair) for pair in pairs),
    )


def _kept(folder: RunFolder, name: str) -> str:
    """What a run was computed with, one thing after the other."""
    values = [each.get(name, "unknown") for each in folder.environments] or ["unknown"]
    return CHANGED.join(dict.fromkeys(values))


def _flat(table: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            result.update(_flat(value, f"{prefix}{key}."))
        else:
            result[f"{prefix}{key}"] = value
    return result


def _unique_names(folders: Sequence[RunFolder]) -> tuple[str, ...]:
    names = [folder.path.name for folder in folders]
    return tuple(str(folder.path) if names.count(name) > 1 else name for name, folder in zip(names, folders))
