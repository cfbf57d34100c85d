"""The recognition phase: every episode that is not recorded yet, side by side.

In: a run folder, an engine that knows the models, units. Out: one row per episode in the folder.

A unit of several episodes (objects swapped unannounced) shares hypotheses between them, so it is always run
from its beginning; what was recorded of it before stays as it is, and a replay that disagrees is reported.
"""

from __future__ import annotations

from saccade.experiment.engine.episode import Engine, EpisodeRow, Outcome
from saccade.experiment.learn.train import is_recorded
from saccade.experiment.plan.plan import Unit
from saccade.experiment.progress import Progress, tell_failures
from saccade.experiment.record.record import RunFolder


def evaluate(folder: RunFolder, engine: Engine, units: list[Unit], progress: Progress) -> None:
    """Run and record what is missing of `units`."""
    missing = [unit for unit in units if not is_recorded(folder, unit)]
    planned = [episode for unit in units for episode in unit.episodes]
    progress.begin("eval", len(planned), sum(folder.recorded(episode.id) is not None for episode in planned))
    failed = set[str]()
    for outcome in engine.recognise(missing, folder.config.batch):
        tell_failures(outcome, failed, progress)
        before = folder.recorded(outcome.row.id)
        if before is not None:
            _compare(before, outcome, progress)
            continue
        for row in folder.append([outcome]):
            progress.advance(row)


def _compare(before: EpisodeRow, outcome: Outcome, progress: Progress) -> None:
    """Say so if an episode that was run again came out differently: the run then moved to another device."""
    # Through text, because NaN differs from itself.
    if repr(before.results()) != repr(outcome.row.results()):
        progress.note(f"{before.id} came out differently when run again; the recorded result is kept")
