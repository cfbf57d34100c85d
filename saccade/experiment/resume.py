"""Continue a run after it was stopped, wherever it was stopped.

In: the path of a run folder. Out: the folder, opened for writing, with how much of the plan is recorded. The
config comes from the folder; only where and how wide it runs (batch, device, backend) may be chosen anew.
Where the code, LLVM, the processor or the device is another than before, results may be too: that is refused
unless it is asked for, and kept in run.json.

    with reopen(Path("runs/first"), batch=64) as folder:
        execute(folder, engine, names, progress)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.experiment.config.environment import describe, environment_of
from saccade.experiment.plan.plan import plan_eval, plan_train
from saccade.experiment.record.record import RunFolder
from saccade.experiment.run import with_placement


@dataclass(frozen=True)
class Standing:
    """How far a run is: recorded of planned episodes, and whether it has been summed up."""

    recorded: int
    planned: int
    complete: bool


def reopen(
    path: Path,
    batch: int | None = None,
    device: str | None = None,
    backend: str | None = None,
    mixed: bool = False,
    note: Callable[[str], None] | None = None,
) -> RunFolder:
    """The run folder, locked for this process, a torn last line cut off and leftovers of the killed process
    removed.

    mixed: go on although results may depend on what is other here than before. note: gets what is other.
    """
    folder = RunFolder.open(path, write=True)
    try:
        chosen: dict[str, Any] = {"batch": batch, "device": device, "backend": backend}
        folder.config = with_placement(
            folder.config, {key: value for key, value in chosen.items() if value is not None}
        )
        if folder.summary() is None:
            other = folder.continue_under(environment_of(folder.config.device), mixed)
            if other and note is not None:
                note(f"{path} goes on with something else, which run.json tells: {describe(other)}")
    except BaseException:
        folder.close()
        raise
    return folder


def standing(folder: RunFolder, names: Sequence[str]) -> Standing:
    units = [*plan_train(folder.config, names), *plan_eval(folder.config, names)]
    episodes = [episode for unit in units for episode in unit.episodes]
    done = sum(folder.recorded(episode.id) is not None for episode in episodes)
    return Standing(done, len(episodes), folder.summary() is not None)
