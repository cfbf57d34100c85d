"""Monty's benchmark, run by its names on a folder of scans, and one table: ours, theirs, the difference.

In: names of experiments, a folder of meshes, where to put the runs. Out: a `Line` for each, when it is done.

    OUT/models_all_surface_noise_77obj/         models that several experiments recognise with, learned once
    OUT/randrot_noise_77obj_surf_agent/         a run folder like any other

What is complete is read, what was stopped goes on, and what is missing is run: a benchmark that was killed is
started again with the same command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from saccade.experiment.config.config import PLACEMENT, fingerprint, override, with_absolute_paths
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.errors import RunError
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.monty_twins import OBJECTS, WITHOUT, Twin, learning_config, recognising_config
from saccade.experiment.report.report import duration, number
from saccade.experiment.resume import reopen
from saccade.experiment.run import with_placement
from saccade.world.formats.formats import mesh_paths

#: what runs a folder, and what that found; and how it is made ready for the run that a path will hold
Execute = Callable[[RunFolder], dict[str, Any]]
Prepare = Callable[[Path, ExperimentConfig], Execute]


@dataclass(frozen=True)
class Placement:
    """Where and how wide runs are computed, None: as the preset says. mixed: go on with runs that were begun
    by other code or on another machine."""

    device: str | None = None
    batch: int | None = None
    backend: str | None = None
    mixed: bool = False

    def applied(self, config: ExperimentConfig) -> ExperimentConfig:
        chosen = {key: value for key in PLACEMENT if (value := getattr(self, key)) is not None}
        return with_placement(config, chosen)


@dataclass(frozen=True)
class Line:
    """An experiment and what came of ours: the figures of `Metrics` by name."""

    twin: Twin
    results: dict[str, Any]
    seconds: float | None

    @property
    def figures(self) -> list[tuple[str, float | None, float | None]]:
        """Name, ours and the published of every figure: those that are compared, rotations as Monty judges,
        and those that only we have."""
        published, unnamed = self.twin.published, "first_epoch" in self.results
        later = self.results["later_epochs"] if unnamed else self.results
        first = self.results["first_epoch"]["correct"] if unnamed else None
        return [
            ("first meetings %", first, published.first),
            ("correct %", later["correct"], published.correct),
            ("steps", later.get("steps"), published.steps),
            ("rotation error °", later.get("rotation_error_reference"), published.rotation_error),
            ("match steps", later.get("match_steps"), None),
            ("up to symmetry °", later.get("rotation_error"), None),
            ("median °", later.get("rotation_error_median"), None),
            ("of shape °", later.get("rotation_error_shape"), None),
        ]


def check_objects(twins: Iterable[Twin], folder: Path) -> None:
    """ConfigError if the folder lacks objects of some of the experiments: before anything is run."""
    there = set(mesh_paths(folder))
    wanted = {name: each.name for each in twins for name in OBJECTS[each.objects]}
    missing = [name for name in wanted if name not in there]
    if missing:
        few = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        raise ConfigError(
            f"{folder} lacks {len(missing)} of the {len(wanted)} objects these experiments need: {few}; "
            "put NAME/textured.obj or NAME.obj there, or choose other experiments with --only"
        )


def run_all(
    twins: Sequence[Twin],
    folder: Path,
    out: Path,
    seed: int,
    placement: Placement,
    prepare: Prepare,
    traces: bool = False,
    scale: float = 1.0,
) -> Iterator[Line]:
    """Run what is missing of each, models first; yields its line when it is done. What is wrong with any of
    them is an error before the first. traces: runs that begin record every step of their episodes. scale:
    metres a unit of the scans."""
    check_objects(twins, folder)
    plans: list[tuple[Twin, dict[Path, ExperimentConfig]]] = []
    for each in twins:
        models = out / each.learned
        runs = {models: learning_config(each, str(folder), scale)} if each.models else {}
        recognises = recognising_config(each, str(folder), str(models), seed, scale)
        runs[out / each.name] = override(recognises, ["recording.traces=true"] if traces else [])
        plans.append((each, {path: placement.applied(config) for path, config in runs.items()}))
    for each, configs in plans:
        for path, config in configs.items():  # the last one is what it recognises with them
            summary = _done(path, config, placement, prepare)
        phase = "eval" if "eval" in summary["results"] else "train"
        yield Line(each, summary["results"][phase], summary["timing"][phase].get("seconds"))


def _done(path: Path, config: ExperimentConfig, placement: Placement, prepare: Prepare) -> dict[str, Any]:
    """The summary of the run at `path`, run or finished if need be."""
    wanted = with_absolute_paths(config)
    if path.exists() and any(path.iterdir()):
        with reopen(path, placement.batch, placement.device, placement.backend, placement.mixed) as folder:
            if fingerprint(folder.config) != fingerprint(wanted):
                raise RunError(
                    f"{path} holds a run with other settings or another seed; choose another folder: --out"
                )
            return folder.summary() or prepare(path, folder.config)(folder)
    execute = prepare(path, wanted)  # meshes that cannot be used leave no folder
    with RunFolder.create(path, wanted) as folder:
        return execute(folder)


def benchmark_table(lines: Iterable[Line]) -> Table:
    """Ours, the published figure and the difference: a part for each experiment, a line for each figure that
    is there, so that no name is cut off on a narrow terminal."""
    table = Table(title="ours, published, difference", title_justify="left")
    table.add_column("experiment", overflow="fold")
    for column in ("ours", "published", "difference"):
        table.add_column(column, justify="right")
    for line in lines:
        table.add_row(line.twin.name)
        table.add_row("  episodes", str(line.results["episodes"]))
        for name, ours, theirs in line.figures:
            if ours is not None or theirs is not None:
                table.add_row(f"  {name}", number(ours), number(theirs), difference(ours, theirs))
        table.add_row("  run time", duration(line.seconds))
        table.add_section()
    return table


def difference(ours: float | None, theirs: float | None) -> str:
    """How much a figure is above another.

    >>> difference(99.6, 98.3), difference(12.0, None)
    ('+1.3', '')
    """
    return "" if ours is None or theirs is None else f"{ours - theirs:+.1f}"


def without_table() -> Table:
    """Experiments that have no twin, and why."""
    table = Table(title="not run", title_justify="left")
    for column in ("experiment", "why"):
        table.add_column(column, overflow="fold")
    for name, why in WITHOUT.items():
        table.add_row(name, why)
    return table
