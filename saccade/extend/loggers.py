"""Loggers: told of every step and every episode of a run; CSV, JSON lines and wandb are built in.

    saccade run --set recording.loggers=csv,json

They are told beside what a run folder keeps anyway. One that raises is left out from then on, with a note;
the others and the run go on.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from saccade import extend


@dataclass(frozen=True)
class StepNews:
    """One step of one episode: what the first module that has a belief believes."""

    episode: str
    step: int
    object: str  # what is shown
    believed: str  # "" for nothing
    evidence: float
    possible: int  # objects that are possible


class Logger(Protocol):
    def begin(self, config: Any) -> None:
        """A run begins or goes on."""

    def step(self, news: StepNews) -> None:
        """A step of an episode of recognition was computed."""

    def episode(self, row: Any) -> None:
        """An episode ended and is recorded: an `EpisodeRow`."""

    def end(self, summary: dict[str, Any] | None) -> None:
        """The run is over; without a summary it was stopped."""


class Loggers:
    """Several loggers as one that never raises."""

    def __init__(self, loggers: Sequence[tuple[str, Logger]], note: Callable[[str], None]) -> None:
        self._loggers, self._note = list(loggers), note

    def __bool__(self) -> bool:
        return bool(self._loggers)

    def _tell(self, what: str, given: Any) -> None:
        for name, one in tuple(self._loggers):
            try:
                getattr(one, what)(given)
            except Exception as error:  # noqa: BLE001  whatever a logger raises must not lose others' results
                self._loggers.remove((name, one))
                self._note(
                    f"logger {name!r} failed in {what} and is left out: {type(error).__name__}: {error}"
                )

    def begin(self, config: Any) -> None:
        self._tell("begin", config)

    def step(self, news: StepNews) -> None:
        self._tell("step", news)

    def episode(self, row: Any) -> None:
        self._tell("episode", row)

    def end(self, summary: dict[str, Any] | None) -> None:
        self._tell("end", summary)


def make_loggers(config: Any, folder: Path, note: Callable[[str], None]) -> Loggers:
    """The loggers that a config names."""
    found: list[tuple[str, Logger]] = []
    for name in config.recording.loggers:
        own = BUILT_IN.get(name)
        made = own(folder) if own is not None else extend.made("logger", name, config, folder)
        found.append((name, made))
    return Loggers(found, note)


class CsvLogger:
    """steps.csv: a line a step."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "steps.csv"
        self._file: TextIO | None = None

    def begin(self, config: Any) -> None:
        fresh = not self._path.exists()
        self._file = self._path.open("a", encoding="utf-8", newline="")
        if fresh:
            csv.writer(self._file).writerow(StepNews.__dataclass_fields__)

    def step(self, news: StepNews) -> None:
        assert self._file is not None, "begin comes first"
        csv.writer(self._file).writerow(asdict(news).values())

    def episode(self, row: Any) -> None:
        assert self._file is not None, "begin comes first"
        self._file.flush()

    def end(self, summary: dict[str, Any] | None) -> None:
        if self._file is not None:
            self._file.close()


def _without_nan(value: Any) -> Any:
    """With null for what is not known: JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


class JsonLogger:
    """log.jsonl: a JSON object a line, for steps, episodes and the summary."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "log.jsonl"
        self._file: TextIO | None = None

    def _write(self, kind: str, value: Any) -> None:
        assert self._file is not None, "begin comes first"
        self._file.write(json.dumps(_without_nan({"kind": kind, **value}), default=str) + "\n")

    def begin(self, config: Any) -> None:
        self._file = self._path.open("a", encoding="utf-8")
        self._write("begin", {"name": config.name, "seed": config.seed})

    def step(self, news: StepNews) -> None:
        self._write("step", asdict(news))

    def episode(self, row: Any) -> None:
        self._write("episode", asdict(row))
        assert self._file is not None
        self._file.flush()

    def end(self, summary: dict[str, Any] | None) -> None:
        if self._file is not None:
            self._write("end", {"summary": summary})
            self._file.close()


class WandbLogger:
    """Weights & Biases: a line of charts an episode, the figures at the end."""

    def __init__(self, folder: Path) -> None:
        try:
            import wandb
        except ImportError as error:
            raise ImportError(
                "recording.loggers has wandb, which is not installed: pip install 'saccade[wandb]'"
            ) from error
        self._wandb, self._folder = wandb, folder
        self._run: Any = None
        self._steps = 0

    def begin(self, config: Any) -> None:
        self._run = self._wandb.init(
            project="saccade", name=config.name, dir=str(self._folder), config=asdict(config)
        )

    def step(self, news: StepNews) -> None:
        self._steps += 1

    def episode(self, row: Any) -> None:
        values = {key: value for key, value in asdict(row).items() if isinstance(value, (int, float))}
        self._run.log({**values, "steps_so_far": self._steps})

    def end(self, summary: dict[str, Any] | None) -> None:
        if self._run is not None:
            self._run.summary.update({} if summary is None else summary.get("results", {}))
            self._run.finish()


BUILT_IN: dict[str, Callable[[Path], Logger]] = {"csv": CsvLogger, "json": JsonLogger, "wandb": WandbLogger}
