"""The run folder: what a run leaves behind, whole at every moment.

In: a config and finished episodes. Out, in one folder (format 2):

    run.json        format, name, fingerprint of the config, when it began, and what it was computed with:
                    an entry for each stretch of episodes under another Python, NumPy, LLVM, processor, ...
    config.toml     the whole config
    episodes.csv    one line per finished episode, appended and flushed; sorted when the run is complete
    episodes.parquet  the same, where pyarrow is installed, when the run is complete
    models/         what was learned: one part per training unit, then `memory` with everything
    state/          where learning without names stands, the last two episodes
    traces/         <episode>.npz, one array per recorded quantity, steps first, when asked for
    plots/          pictures
    summary.json    figures, when the run is complete; "results" repeats bit for bit, "timing" does not
    lock            held by the process that writes

An episode counts as recorded when its line is whole. Whatever else belongs to it (trace, model part, state)
is written before, under another name until it is whole. So a kill at any moment loses only what was not yet
recorded, and running what is missing again, with the same seeds, gives the same lines.

    with RunFolder.create(Path("runs/first"), config) as folder:
        folder.append([Outcome(row)])
    RunFolder.open(Path("runs/first")).rows()
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import importlib
import os
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from saccade.experiment.config import config as configs
from saccade.experiment.config.environment import DECIDING, Environment, describe, differences, environment_of
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.episode import ROW_TYPES, EpisodeRow, Outcome, Trace
from saccade.experiment.errors import FolderTaken, RunError, explain
from saccade.experiment.plan.plan import Unit
from saccade.experiment.record import rows as lines
from saccade.experiment.record import summary as summaries
from saccade.files import atomic
from saccade.files.json_text import to_json
from saccade.files.reading import read_bytes, read_json, reading, shown
from saccade.version import saccade_version

try:
    import fcntl
except ImportError:  # not a POSIX system: two writers of one run folder are not noticed there
    fcntl = None  # type: ignore[assignment]

FORMAT = 2
# Bytes of the rows of a run: three million episodes.
CSV_BYTES = 1 << 30


class RunFolder:
    """One run on disk. Make one with `create`, `open` (to read) or `open(..., write=True)` (to continue)."""

    def __init__(self, path: Path, config: ExperimentConfig, write: bool) -> None:
        self.path = path
        self.config = config
        self._lock: int | None = None
        self._file: int | None = None
        self._pending_seconds = 0.0
        self._rows: dict[str, EpisodeRow] = {}
        self._is_older = False  # whether its rows lack columns that this version has
        if write:
            self._acquire()
        whole = self._read_rows()
        if write:
            atomic.remove_leftovers(path)
            self._open_for_append(self._converted() if self._is_older else whole)

    # --- making and opening ---------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path, config: ExperimentConfig) -> RunFolder:
        """A new run folder; it appears whole (with config and head) or not at all."""
        if path.exists() and not path.is_dir():
            raise RunError(f"{path} is a file; choose another folder with --out")
        if path.is_dir() and any(path.iterdir()):
            raise FolderTaken(path)
        head = {
            "format": FORMAT,
            "saccade": saccade_version(),
            "name": config.name,
            "fingerprint": configs.fingerprint(config),
            "began": _now(),
            "environments": [_stretch(environment_of(config.device), 0)],
        }
        try:
            with atomic.staged(path, fresh=True) as stage:
                stage.mkdir()
                (stage / "config.toml").write_text(configs.dumps(config), encoding="utf-8")
                (stage / "episodes.csv").write_text(lines.HEADER, encoding="utf-8")
                (stage / "run.json").write_text(to_json(head), encoding="utf-8")
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST) and path.is_dir():
                raise FolderTaken(path) from None
            raise explain(error, "a run folder", path, begun=False) from None
        return cls(path, config, write=True)

    @classmethod
    def open(cls, path: Path, write: bool = False) -> RunFolder:
        """An existing run folder."""
        head_path = path / "run.json"
        if not path.is_dir():
            raise RunError(f"{path} is not a folder; `saccade run` prints the folder of each run")
        if not head_path.exists():
            raise RunError(f"{path} is not a run folder: it has no run.json")
        with reading(head_path, RunError, "restore it, or start a new run"):
            head = read_json(head_path)
        found = head.get("format") if isinstance(head, dict) else None
        if found != FORMAT:
            maker = head.get("saccade", "?") if isinstance(head, dict) else "?"
            raise RunError(
                f"{path} has run format {shown(found)}, this saccade reads format {FORMAT}; it was made by "
                f"saccade {str(maker)[:40]}, use that version for it"
            )
        try:
            config = configs.load(path / "config.toml", trusted=False)
        except ConfigError as error:
            raise RunError(f"the run's config cannot be used: {error}") from None
        if write and head.get("fingerprint") != configs.fingerprint(config):
            raise RunError(
                f"{path / 'config.toml'} is not what the run began with: it was changed, or another version "
                "of saccade has other settings; restore it, or start a new run with --config"
            )
        return cls(path, config, write)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._lock is not None:
            os.close(self._lock)  # closing releases the lock
            self._lock = None

    def _acquire(self) -> None:
        """Hold the folder's lock; the system releases it when the process ends, however it ends."""
        try:
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
            if fcntl is not None:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(
                f"{self.path} is being written by another process; wait for it or stop it first"
            ) from None
        except OSError as error:
            raise explain(error, "the run folder", self.path) from None

    # --- what it is computed with ---------------------------------------------------------------------------

    @property
    def environments(self) -> list[dict[str, str]]:
        """What the run was computed with, an entry for each stretch of its episodes; those of older versions
        kept nothing."""
        with self._reading_head():
            found = read_json(self.path / "run.json").get("environments", [])
            return [{str(key): str(value) for key, value in each.items()} for each in found]

    def _reading_head(self) -> contextlib.AbstractContextManager[object]:
        return reading(self.path / "run.json", RunError, "restore it, or start a new run")

    def continue_under(self, environment: Environment, mixed: bool) -> dict[str, tuple[str, str]]:
        """Go on in this environment; what is other than before, which `run.json` tells from now on.

        What may change results is refused unless they may be `mixed`."""
        last: Environment = next(iter(self.environments[::-1]), {})
        found = differences(last, environment)
        deciding = {name: pair for name, pair in found.items() if name in DECIDING and last}
        if deciding and not mixed:
            raise RunError(
                f"{self.path} was computed with something else ({describe(deciding)}), so its other episodes "
                "may come out as they would not have there: go on there, or add --mixed, which run.json keeps"
            )
        if found:
            with self._reading_head():
                head = read_json(self.path / "run.json")
            head.setdefault("environments", []).append(_stretch(environment, len(self._rows)))
            try:
                atomic.write_text(self.path / "run.json", to_json(head))
            except OSError as error:
                raise explain(error, "run.json", self.path) from None
        return found if last else {}

    # --- episode rows ---------------------------------------------------------------------------------------

    @property
    def csv_path(self) -> Path:
        return self.path / "episodes.csv"

    def _read_rows(self) -> int:
        """Read all whole lines; returns the length of the file up to the last of them. A run of a version
        with fewer columns is read by those it has."""
        with reading(self.csv_path, RunError, "restore it, or start a new run"):
            data = read_bytes(self.csv_path, CSV_BYTES) if self.csv_path.exists() else b""
            if lines.HEADER.encode().startswith(data) and not data.endswith(b"\n"):
                return 0
            header, newline, _ = data.partition(b"\n")
            if not newline:
                raise ValueError("its first line, which names the columns, is cut off")
            columns = lines.columns_of(header.decode(errors="replace"))
        self._is_older = columns != tuple(ROW_TYPES)
        whole = position = len(header + newline)
        damaged: int | None = None
        for number, raw in enumerate(data[position:].splitlines(keepends=True), start=2):
            position += len(raw)
            row = lines.parse(raw.decode(errors="replace"), columns)
            if row is None:
                damaged = damaged or number
                continue
            if damaged is not None:
                raise RunError(
                    f"line {damaged} of {self.csv_path} is damaged but not the last; delete it to run it anew"
                )
            self._rows.setdefault(row.id, row)
            whole = position
        return whole

    def _converted(self) -> int:
        """Write the rows of an older version with all columns; the length of the file."""
        try:
            atomic.write_text(self.csv_path, lines.format_rows(self._rows.values()))
            return self.csv_path.stat().st_size
        except OSError as error:
            raise explain(error, "episodes.csv", self.path) from None

    def _open_for_append(self, whole: int) -> None:
        """Cut off a torn last line, then append from there."""
        try:
            self._file = os.open(self.csv_path, os.O_RDWR | os.O_CREAT, 0o644)
            os.ftruncate(self._file, whole)
            os.lseek(self._file, whole, os.SEEK_SET)
            if whole == 0:
                self._write_or_undo(lines.HEADER.encode())
        except OSError as error:
            raise explain(error, "episodes.csv", self.path) from None

    def _write_or_undo(self, data: bytes) -> None:
        """Write and flush all of `data`, or leave the file as it was."""
        assert self._file is not None
        start = os.lseek(self._file, 0, os.SEEK_CUR)
        try:
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
            os.fsync(self._file)
        except OSError:
            with contextlib.suppress(OSError):  # the first error is the one to report
                os.ftruncate(self._file, start)
                os.lseek(self._file, start, os.SEEK_SET)
            raise

    def rows(self) -> list[EpisodeRow]:
        """Everything recorded, in order of phase and index."""
        return sorted(self._rows.values(), key=lambda row: (row.phase != "train", row.phase, row.index))

    def recorded(self, episode_id: str) -> EpisodeRow | None:
        return self._rows.get(episode_id)

    def append(self, outcomes: Iterable[Outcome]) -> list[EpisodeRow]:
        """Record episodes; those recorded before stay as they are. Returns the rows that were new."""
        if self._file is None:
            raise RunError(f"{self.path} was opened for reading")
        began = time.perf_counter()
        fresh = [outcome for outcome in outcomes if outcome.row.id not in self._rows]
        added = []
        try:
            for outcome in fresh:
                if outcome.trace:
                    self._write_trace(outcome.row.id, outcome.trace)
                # The time of this flush is known only after it; it is counted with the next row.
                spent, self._pending_seconds = self._pending_seconds, 0.0
                added.append(_with_recording(outcome.row, spent))
            if added:
                self._write_or_undo("".join(map(lines.format_row, added)).encode())
        except OSError as error:
            raise explain(error, "episodes", self.path) from None
        self._rows.update({row.id: row for row in added})
        if self.config.recording.parquet and any(row.phase == "eval" for row in added):
            _arrow()  # takes half a second once, in which other processes go on
        self._pending_seconds += time.perf_counter() - began
        return added

    # --- traces, models, state, summary ---------------------------------------------------------------------

    def _write_trace(self, episode_id: str, trace: Trace) -> None:
        with atomic.staged(self.trace_path(episode_id)) as stage:
            np.savez_compressed(stage, **dict(trace))  # type: ignore[arg-type]

    def trace_path(self, episode_id: str) -> Path:
        return self.path / "traces" / f"{episode_id}.npz"

    def part_path(self, unit: Unit) -> Path:
        return self.path / "models" / unit.id

    @property
    def memory_path(self) -> Path:
        return self.path / "models" / "memory"

    def state_path(self, episodes: int) -> Path:
        """Where memory after so many episodes of learning without names is kept."""
        return self.path / "state" / f"memory-{episodes:06d}"

    @property
    def plots_path(self) -> Path:
        return self.path / "plots"

    @property
    def summary_path(self) -> Path:
        return self.path / "summary.json"

    def summary(self) -> dict[str, Any] | None:
        """The written summary, None while the run is not complete."""
        if not self.summary_path.exists():
            return None
        remedy = f"delete it, then `saccade resume {self.path}` writes it again"
        with reading(self.summary_path, RunError, remedy):
            return summaries.checked(read_json(self.summary_path))

    def finish(self, summary: dict[str, Any]) -> None:
        """Sort the rows, write them as Parquet where possible, and the summary last: it marks the run as
        complete.
        """
        try:
            ordered = self.rows()
            if self._file is not None:
                os.close(self._file)
                self._file = None
            atomic.write_text(self.csv_path, lines.format_rows(ordered))
            if self.config.recording.parquet:
                _write_parquet(self.path / "episodes.parquet", ordered)
            atomic.write_text(self.summary_path, to_json({"format": FORMAT, "complete": True, **summary}))
            self._open_for_append(self.csv_path.stat().st_size)
        except OSError as error:
            raise explain(error, "the summary", self.path) from None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def _stretch(environment: Environment, episodes: int) -> dict[str, object]:
    """An entry of run.json: from when on, and after how many recorded episodes."""
    return {"began": _now(), "after_episodes": episodes, **environment}


def _with_recording(row: EpisodeRow, seconds: float) -> EpisodeRow:
    recording = row.seconds_recording + seconds
    return dataclasses.replace(row, seconds_recording=recording, seconds=row.seconds + seconds)


def _write_parquet(path: Path, rows: Sequence[EpisodeRow]) -> None:
    modules = _arrow()
    if modules is None:
        return
    arrow, parquet = modules
    table = arrow.table({name: [getattr(row, name) for row in rows] for name in ROW_TYPES})
    with atomic.staged(path) as stage:
        parquet.write_table(table, stage)


@cache
def _arrow() -> tuple[Any, Any] | None:
    """pyarrow and its parquet, where it is installed. The first table takes a third of a second more than
    others, so one of a row is written beforehand, to nowhere."""
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        return None
    parquet.write_table(arrow.table({"id": [""], "seconds": [0.0]}), arrow.BufferOutputStream())
    return arrow, parquet
