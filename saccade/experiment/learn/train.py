"""The learning phase: models of named objects, or objects found without names.

In: a run folder, an engine, units. Out: the engine knows all models, and the folder holds them and one row
per episode.

Supervised, a unit is an object: its model part is written first, then its rows in one go. Without names,
memory after every wave of episodes is written before the last one's row. Either way, rows on disk mean that
what they stand for is there too, or is made again from what was known before.
"""

from __future__ import annotations

import itertools
import shutil

from saccade.experiment.engine.episode import Engine
from saccade.experiment.errors import RunError, explain
from saccade.experiment.plan.plan import Unit, waves
from saccade.experiment.progress import Progress, tell_failures
from saccade.experiment.record.record import RunFolder
from saccade.files import atomic


def is_recorded(folder: RunFolder, unit: Unit) -> bool:
    return all(folder.recorded(episode.id) for episode in unit.episodes)


def supervised(folder: RunFolder, engine: Engine, units: list[Unit], progress: Progress) -> None:
    """Learn what is not learned yet, load the rest, and put it all into memory in the order of the units."""
    done = [unit for unit in units if is_recorded(folder, unit) and folder.part_path(unit).exists()]
    missing = [unit for unit in units if unit not in done]
    progress.begin(
        "train", sum(len(unit.episodes) for unit in units), sum(len(unit.episodes) for unit in done)
    )
    for unit in done:
        engine.load_unit(unit, folder.part_path(unit))
    for unit, outcomes in engine.learn(missing, folder.config.batch):
        try:
            with atomic.staged(folder.part_path(unit)) as stage:
                engine.save_unit(unit, stage)
        except OSError as error:
            raise explain(error, "a model", folder.path) from None
        folder.append(outcomes)
        for outcome in outcomes:
            progress.advance(outcome.row)
    engine.finish_learning(units)
    save_memory(folder, engine)


def save_memory(folder: RunFolder, engine: Engine) -> None:
    """Write the models as one thing that other runs can start from."""
    if folder.memory_path.exists():
        return
    try:
        with atomic.staged(folder.memory_path) as stage:
            engine.save_memory(stage)
    except OSError as error:
        raise explain(error, "the models", folder.path) from None


def unsupervised(folder: RunFolder, engine: Engine, unit: Unit, progress: Progress) -> None:
    """Meet the unit's objects in order, from the wave of the first that is not recorded: those of a wave know
    what was known before it, so memory is kept where waves end."""
    total = len(unit.episodes)
    first = next((i for i, episode in enumerate(unit.episodes) if not folder.recorded(episode.id)), total)
    progress.begin("train", total, first)
    ends = [0, *itertools.accumulate(map(len, waves(unit, folder.config.train.together)))]
    begin = max(end for end in ends if end <= first)
    if begin:
        if not folder.state_path(begin).exists():
            raise RunError(f"{folder.state_path(begin)} is missing, so the run cannot go on; start it anew")
        engine.load_memory(folder.state_path(begin))
    failed = set[str]()
    for index, outcome in enumerate(engine.discover(unit, begin), start=begin + 1):
        tell_failures(outcome, failed, progress)
        if index in ends and not folder.state_path(index).exists():
            _keep_state(folder, engine, index)
        if index > first:
            folder.append([outcome])
            progress.advance(outcome.row)
        if index in ends:
            # The state before this one is kept: it is the one to go on from if this episode's row did not
            # get written.
            for old in ends[: max(ends.index(index) - 1, 0)]:
                _forget(folder, old)
    save_memory(folder, engine)


def _keep_state(folder: RunFolder, engine: Engine, episodes: int) -> None:
    try:
        with atomic.staged(folder.state_path(episodes)) as stage:
            engine.save_memory(stage)
    except OSError as error:
        raise explain(error, "the state of learning", folder.path) from None


def _forget(folder: RunFolder, episodes: int) -> None:
    path = folder.state_path(episodes)
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
