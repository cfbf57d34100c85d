"""Random small experiments, killed at random moments and resumed until they end: as if nothing had happened.

    >>> report = attack(seed=1, count=100)
    >>> report.failures
    []

Experiment n of an attack is that of seed + n. It runs once undisturbed. Then it runs again and is sent
SIGKILL, SIGTERM or SIGINT at a random moment, is resumed and killed again, some times, and is at last left to
end. After each kill all that was recorded before is still there, no row is there twice, and each is the row
of the undisturbed run, bit for bit; in the end so are all rows, the results, the models and the traces.
SIGTERM and SIGINT end it with their exit codes and one line that names `saccade resume`.

The processes are forked from this one, in which everything is imported and compiled, so that a kill costs a
fraction of a second and falls into the work, not into the start. The command line that they call is the real
one. (Kills while Python starts are those of tests/test_process.py and tests/experiment/test_killed.py.)
"""

from __future__ import annotations

import contextlib
import os
import runpy
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from ...cli import signals as cli_signals
from ..soak.watched import queued

#: what all experiments share: models and episodes as small as can be, and one set of shapes to compile for
SMALL: Final = (
    "objects.names=mug,hammer", "world.agent=surface", "train.rotations=2", "train.steps=12",
    "module.updater=plain", "module.node_spacing=0.008", "module.max_nodes=8", "module.neighbours=4",
    "noise.location=0.001", "eval.epochs=2", "eval.min_steps=2", "eval.max_steps=4",
    "recording.plots=false", "device=cpu",
)  # fmt: skip
#: the ways in which runs are recorded and go on
KINDS: Final[dict[str, tuple[str, ...]]] = {
    "plain": (),
    "batch": ("batch=2",),
    "swap": ("eval.mode=swap",),
    "scene": ("eval.mode=scene", "world.distractors=1"),
    "training": ("eval.mode=none", "train.rotations=4"),
    "unsupervised": ("train.mode=unsupervised", "eval.mode=none", "train.epochs=2", "train.rotations=1"),
}
_SIGNALS: Final = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
#: kills of one experiment, at most
_MOST_KILLS: Final = 12
#: seconds after which a process that was told to end has not
_PATIENCE: Final = 120.0


@dataclass(frozen=True)
class Kill:
    """A signal, how many seconds after the start of its process it came, and how many rows there were."""

    signal: str
    moment: float
    rows: int


@dataclass(frozen=True)
class Failure:
    """What went wrong, after which kills of which experiment."""

    seed: int
    settings: tuple[str, ...]
    kills: tuple[Kill, ...]
    message: str

    def __str__(self) -> str:
        kills = "".join(f"\n  {k.signal} after {k.moment:.3f} s, {k.rows} rows" for k in self.kills)
        return f"seed {self.seed}: {self.message}\n  {' '.join(self.settings)}{kills}"


@dataclass
class Report:
    """Experiments that were run, signals that ended a process at its work, seconds, and what went wrong."""

    experiments: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        landed = ", ".join(f"{number} {name}" for name, number in sorted(self.kills.items()))
        each = self.seconds / max(self.kills.total(), 1)
        found = f"{len(self.failures)} failures" if self.failures else "nothing lost, nothing doubled"
        return (
            f"{self.experiments} experiments, {self.kills.total()} kills ({landed}): {found} "
            f"({self.seconds:.0f} s, {each:.2f} s a kill)"
        )


class Lost(AssertionError):
    """A run is not what it would have been."""


def attack(
    seed: int,
    count: int,
    seconds: float = float("inf"),
    experiments: float = float("inf"),
    kinds: Sequence[str] = tuple(KINDS),
    progress: Callable[[int, Report], None] | None = None,
) -> Report:
    """Land `count` kills, or as many as there are `seconds` or `experiments` for, on experiments of these
    kinds. `progress` is told each seed before it is tried, and after each kill: an experiment may take
    minutes on a busy machine."""
    report = Report()

    def tell(number: int) -> None:
        if progress is not None:
            progress(number, report)

    with tempfile.TemporaryDirectory(prefix="saccade-kills-") as folder:
        warm_up(Path(folder), kinds)
        began = time.perf_counter()
        while report.kills.total() < count and report.seconds < seconds and report.experiments < experiments:
            number = seed + report.experiments
            place = Path(folder) / str(number)
            place.mkdir()
            tell(number)
            victim = Victim(place, number, count - report.kills.total(), kinds)
            try:
                victim.run(report, partial(tell, number))
            except Lost as error:
                failure = Failure(number, victim.settings, tuple(victim.kills), str(error))
                report.failures.append(failure)
            report.experiments += 1
            report.seconds = time.perf_counter() - began
            shutil.rmtree(place)
    return report


def warm_up(folder: Path, kinds: Sequence[str]) -> None:
    """Import everything and compile the programs of these kinds of experiment, in this process."""
    import_module("saccade.cli.app")  # what the forked processes run
    for kind in kinds:
        run_here(folder / f"warm {kind}", [*SMALL, *KINDS[kind]])


def run_here(path: Path, settings: Sequence[str]) -> None:
    """An experiment in this process, from its beginning to its end."""
    from saccade.experiment.config.config import override
    from saccade.experiment.config.settings import ExperimentConfig
    from saccade.experiment.engine.engine import make_engine
    from saccade.experiment.progress import Silent
    from saccade.experiment.record.record import RunFolder
    from saccade.experiment.run import execute

    config = override(ExperimentConfig(), settings)
    engine = make_engine(config)
    with RunFolder.create(path, config) as folder:
        execute(folder, engine, [each.name for each in engine.objects], Silent())


class Victim:
    """One experiment: its undisturbed run, and the one that is killed."""

    def __init__(self, place: Path, seed: int, most: int, kinds: Sequence[str]) -> None:
        self.random = Random(seed)
        kind = KINDS[self.random.choice(kinds)]
        traces = f"recording.traces={self.random.choice(['true', 'false'])}"
        self.settings = (*SMALL, *kind, traces, f"seed={self.random.randrange(1 << 30)}")
        self.whole, self.killed, self.told = place / "whole", place / "killed", place / "stderr"
        self.most = min(most, _MOST_KILLS)
        self.kills: list[Kill] = []
        #: seconds that the run takes
        self.length = 0.0

    def run(self, report: Report, tell: Callable[[], None]) -> None:
        began = time.perf_counter()
        self._end_of(self._start(self.whole), 0)
        self.length = time.perf_counter() - began
        wanted = rows_of(self.whole)
        while len(self.kills) < self.most:
            before, longest = self.length, 1.0 - 0.7 * len(rows_of(self.killed)) / len(wanted)
            name = self._kill(self.length * longest)
            self._check_rows(wanted)
            if name is not None:
                report.kills[name] += 1
                tell()
            elif not self.kills and self.length < before / 2:
                shutil.rmtree(self.killed)  # the run before had still to compile: now its length is known
            else:
                break  # it was over before
        self._end_of(self._start(self.killed), 0)
        self._check_whole(wanted)

    def _start(self, path: Path) -> int:
        """A process that makes the run at `path`, or goes on with it; its number."""
        options = [part for setting in self.settings for part in ("-s", setting)]
        if (path / "run.json").exists():
            arguments = ["resume", str(path), "--quiet"]
        else:
            arguments = ["run", "default", "--out", str(path), "--quiet", *options]
        return forked(arguments, self.told)

    def _kill(self, longest: float) -> str | None:
        """Start or go on, and send a signal at a random moment; its name, None if it came too late."""
        chosen = self.random.choice(_SIGNALS)
        began = time.perf_counter()
        process = self._start(self.killed)
        code = ended(process, self.random.uniform(0.0, longest))
        moment = time.perf_counter() - began
        if code is None:
            os.kill(process, chosen)
            code = waited(process)
        else:
            self.length = moment
        self.kills.append(Kill(chosen.name, moment, len(rows_of(self.killed))))
        if code == 0:
            self.kills.pop()
            return None
        self._check_end(code, chosen)
        return chosen.name

    def _check_end(self, code: int, chosen: signal.Signals) -> None:
        """A process ended as its signal asks for; what is told is one line."""
        told = self.told.read_text()
        if chosen is signal.SIGKILL:
            if code != -chosen:
                raise Lost(f"killed, and the exit code is {code}: {told}")
            return
        if code != 128 + chosen:
            raise Lost(f"{chosen.name} was answered with exit code {code}: {told}")
        errors = [line for line in told.splitlines() if line.startswith("error")]
        if len(errors) != 1 or "stopped" not in errors[0] or "Traceback" in told:
            raise Lost(f"{chosen.name} was answered with {told!r}")
        # a folder that appeared after the signal came is not named by a process that had not begun it
        if rows_of(self.killed) and f"saccade resume {self.killed}" not in told:
            raise Lost(f"{chosen.name} was answered without the way to go on: {told!r}")

    def _end_of(self, process: int, wanted: int) -> None:
        code = waited(process)
        if code != wanted:
            raise Lost(f"a run that nobody disturbed ended with exit code {code}: {self.told.read_text()}")

    def _check_rows(self, wanted: dict[str, str]) -> None:
        """What is recorded so far is part of what is wanted; nothing of before is missing."""
        rows = rows_of(self.killed)
        for name, row in rows.items():
            if wanted.get(name) != row:
                raise Lost(f"row {name} is {row}, and undisturbed {wanted.get(name)}")
        if self.kills and len(rows) < max(kill.rows for kill in self.kills):
            raise Lost(f"{len(rows)} rows are left of those that were recorded")

    def _check_whole(self, wanted: dict[str, str]) -> None:
        """The run is the undisturbed one to the last bit: rows in their order, results, models, traces."""
        if list(rows_of(self.killed).items()) != list(wanted.items()):
            raise Lost("the rows are not those of the undisturbed run")
        one, other = (contents(path) for path in (self.whole, self.killed))
        if set(one) != set(other):
            raise Lost(f"only one of the runs has {sorted(set(one) ^ set(other))}")
        for name in one:
            if one[name] != other[name]:
                raise Lost(f"{name} is not that of the undisturbed run")


# --- processes


def forked(arguments: Sequence[str], told: Path) -> int:
    """A process of the command line with these arguments, forked from this one; its number. What it writes to
    standard error goes to `told`."""
    parent = os.getpid()
    # signals wait until the process looks after them
    before = signal.pthread_sigmask(signal.SIG_BLOCK, cli_signals.SIGNALS)
    try:
        with warnings.catch_warnings():
            # newer Pythons doubt forks of processes with threads; ours start over in the child
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
    finally:
        if os.getpid() == parent:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if process:
        return process
    code = 70
    with contextlib.suppress(BaseException):  # this process has nobody to tell but its exit code
        for number in cli_signals.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        for target, path in ((1, os.devnull), (2, str(told))):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), target)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
        sys.argv = ["saccade", *arguments]
        cli_signals.end_at_once()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        code = _command_line()
    os._exit(code)


def _command_line() -> int:
    """`python -m saccade`, in this process; its exit code."""
    try:
        runpy.run_module("saccade", run_name="__main__")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def ended(process: int, seconds: float, with_a_core: bool = False) -> int | None:
    """The exit code of a process, negative if a signal ended it; None if it still runs after so long, not
    counting what it waited for a core if `with_a_core`."""
    began = time.perf_counter()
    while True:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        over = time.perf_counter() - began
        if over >= seconds and (not with_a_core or over - queued(process) >= seconds):
            return None
        time.sleep(0.001)


def waited(process: int) -> int:
    """The exit code of a process; one that does not end is lost."""
    code = ended(process, _PATIENCE, with_a_core=True)
    if code is None:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        raise Lost(f"a process did not end within {_PATIENCE:.0f} s")
    return code


# --- runs on disk


def rows_of(path: Path) -> dict[str, str]:
    """What is recorded, as text that tells every bit, by the names of the episodes."""
    from saccade.experiment.record.record import RunFolder

    if not (path / "run.json").exists():
        return {}
    lines = (path / "episodes.csv").read_bytes().count(b"\n") - 1
    rows = RunFolder.open(path).rows()
    if lines > len(rows):  # a torn last line has no end
        raise Lost(f"{lines} lines are {len(rows)} rows: some are there twice, or damaged")
    return {row.id: repr(row.results()) for row in rows}


def contents(path: Path) -> dict[str, bytes]:
    """Models and traces by the names of their files, and the results of the summary; what tells of time is
    left out."""
    from saccade.experiment.record.record import RunFolder

    found = {"results": repr((RunFolder.open(path).summary() or {}).get("results")).encode()}
    for each in sorted((path / "models").rglob("*")):
        if each.is_file():
            found[str(each.relative_to(path))] = each.read_bytes()
    for each in sorted((path / "traces").glob("*.npz")):
        with np.load(each) as arrays:
            found[str(each.relative_to(path))] = b"".join(arrays[name].tobytes() for name in sorted(arrays))
    leftovers = [str(each) for each in path.rglob(".*partial*")]
    if leftovers:
        raise Lost(f"the run has leftovers: {leftovers}")
    return found


def main(arguments: Sequence[str]) -> int:
    """`python -m saccade.fuzz.attacks.kills [KILLS [SEED]]`."""
    count, seed = (int(each) for each in (*arguments, *("100", "0")[len(arguments) :]))
    report = attack(seed, count)
    for failure in report.failures:
        print(failure)
    print(report)
    return 1 if report.failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
