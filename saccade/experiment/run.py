"""A whole run: learn, recognise, sum up, draw. The same function starts a run and continues one.

In: a run folder (new or not), an engine, and the names of the objects. Out: the summary, also written to the
folder.

    with RunFolder.create(path, config) as folder:
        summary = execute(folder, engine, names, progress)
    summary["results"]["eval"]["correct"]
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from saccade.experiment.config import config as configs
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.episode import Engine, EpisodeRow
from saccade.experiment.errors import RunError
from saccade.experiment.learn import train
from saccade.experiment.plan.plan import Unit, check_counts, plan_eval, plan_train
from saccade.experiment.progress import Progress
from saccade.experiment.recognise.evaluate import evaluate
from saccade.experiment.record.record import FORMAT, RunFolder
from saccade.experiment.report import metrics
from saccade.extend.loggers import Loggers, make_loggers

Drawer = Callable[[RunFolder, Progress], Sequence[Path]]


def execute(
    folder: RunFolder, engine: Engine, names: Sequence[str], progress: Progress, draw: Drawer | None = None
) -> dict[str, Any]:
    """Do what is not done yet and return the summary; a run that is complete is left as it is."""
    complete = folder.summary()
    if complete is not None:
        return complete
    loggers = make_loggers(folder.config, folder.path, progress.note)
    if not loggers:
        return _carried_out(folder, engine, names, progress, draw)
    if hasattr(engine, "tell"):
        engine.tell = loggers.step
    loggers.begin(folder.config)
    summary = None
    try:
        summary = _carried_out(folder, engine, names, Told(progress, loggers), draw)
        return summary
    finally:
        loggers.end(summary)


class Told:
    """A progress that tells loggers of episodes as well."""

    def __init__(self, progress: Progress, loggers: Loggers) -> None:
        self._progress, self._loggers = progress, loggers
        self.begin, self.note = progress.begin, progress.note

    def advance(self, row: EpisodeRow) -> None:
        self._progress.advance(row)
        self._loggers.episode(row)


def _carried_out(
    folder: RunFolder, engine: Engine, names: Sequence[str], progress: Progress, draw: Drawer | None
) -> dict[str, Any]:
    config = folder.config
    check_counts(config, names)
    models = first_models(config)
    if models is not None:
        engine.load_memory(models)
    training = plan_train(config, names)
    if config.train.mode == "supervised":
        train.supervised(folder, engine, training, progress)
    elif config.train.mode == "unsupervised":
        train.unsupervised(folder, engine, training[0], progress)
    units = plan_eval(config, names)
    unknown = unknown_objects(config, engine, units)
    if unknown:
        progress.note(_about_unknown(unknown, units, config.train.models))
    evaluate(folder, engine, units, progress)
    summary = summarise(config, folder.rows(), unknown)
    if draw is not None and config.recording.plots:
        draw(folder, progress)
    folder.finish(summary)
    return {"format": FORMAT, "complete": True, **summary}


def unknown_objects(config: ExperimentConfig, engine: Engine, units: Sequence[Unit]) -> list[str]:
    """The objects that are shown although the models a run begins with are of others."""
    if config.train.mode != "none":
        return []
    shown = dict.fromkeys(episode.object for unit in units for episode in unit.episodes)
    return [name for name in shown if name not in engine.known]


def _about_unknown(unknown: Sequence[str], units: Sequence[Unit], models: str) -> str:
    shown = {episode.object for unit in units for episode in unit.episodes}
    share = (
        "none of the objects was"
        if len(unknown) == len(shown)
        else f"{len(unknown)} of {len(shown)} objects were not"
    )
    return (
        f"{share} learned by the models at {models}: {', '.join(unknown)}. Such an episode is right when "
        "nothing is reported; the table has them in a line of their own"
    )


def first_models(config: ExperimentConfig) -> Path | None:
    """Where the models are that a run begins with, None where it learns its own."""
    if config.train.mode == config.eval.mode == "none":
        raise ConfigError(
            "train.mode and eval.mode are both none, so there is nothing to do: set one of them"
        )
    if config.train.models:
        return models_path(Path(config.train.models))
    if config.train.mode == "none":
        raise ConfigError(
            "train.mode = none learns nothing, and there are no models to recognise with: name a run that "
            "learned, train.models=RUN (or saccade eval --models RUN)"
        )
    return None


def models_path(path: Path) -> Path:
    """The models in a run folder, in its folder `models`, or the folder of models itself."""
    for inside in (path / "models" / "memory", path / "memory"):
        if inside.exists():
            return inside
    if (path / "run.json").exists():
        raise RunError(f"{path} is a run without finished models; finish it with `saccade resume {path}`")
    if not path.exists():
        raise RunError(f"there are no models at {path}; train some with `saccade train --out {path}`")
    return path


def summarise(
    config: ExperimentConfig, rows: Sequence[EpisodeRow], unknown: Sequence[str] = ()
) -> dict[str, Any]:
    """Figures per phase, object and epoch: what repeats exactly under "results", the rest under "timing".

    Objects that were shown without having been learned, `unknown`, are counted apart from the others as well.
    """
    results: dict[str, Any] = {}
    timing: dict[str, Any] = {}
    for phase in ("train", "eval"):
        chosen = [row for row in rows if row.phase == phase]
        if not chosen:
            continue
        figures = metrics.measure(chosen)
        results[phase] = figures.results()
        timing[phase] = figures.timing()
        if phase == "eval" or config.train.mode == "unsupervised":
            per_object = metrics.by_object(chosen)
            results[phase]["objects"] = {name: each.results() for name, each in per_object.items()}
            pairs = sorted(metrics.confusion(chosen).items())
            results[phase]["confusion"] = [[true, seen, count] for (true, seen), count in pairs]
        if phase == "eval" and unknown:
            of_known, of_unknown = metrics.parted(chosen, unknown)
            results[phase]["known"] = of_known.results()
            results[phase]["unknown"] = {**of_unknown.results(), "names": list(unknown)}
        if phase == "train" and config.train.mode == "unsupervised":
            first, later = metrics.unsupervised(chosen)
            results[phase]["first_epoch"], results[phase]["later_epochs"] = first.results(), later.results()
    return {
        "name": config.name,
        "fingerprint": configs.fingerprint(config),
        "results": results,
        "timing": timing,
        "placement": {key: getattr(config, key) for key in configs.PLACEMENT},
    }


def with_placement(config: ExperimentConfig, placement: dict[str, Any]) -> ExperimentConfig:
    """The config with other batch, device or backend, which a resumed run may choose anew."""
    return configs.check(dataclasses.replace(config, **placement))
