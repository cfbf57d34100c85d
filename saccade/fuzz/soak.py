"""The soak: all attacks in turn, for as long as there is time, from where the last one stopped.

    state = open_state(Path("soak.json"), seed=0)
    soak(state, Path("soak.json"), seconds=3600)
    state.failures                        # of each fault, its smallest case

An attack (`soak_turn.ATTACKS`) tries cases, each that of a seed. It gets its share of the time in turns of
about a minute, each in a process of its own: one that ends or hangs is a failure of the case it was at, and
the soak goes on behind it. The state is written after each turn. What was not finished when the soak stopped
is tried again when it goes on; with the same seed and state the same cases come in the same order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from .soak_turn import ATTACKS

#: Seconds that a turn is planned to take, and after which one that says nothing hangs.
_TURN: Final = 60.0
_PATIENCE: Final = 300.0
_TOLD: Final = 2000


@dataclass
class Failure:
    """A fault by its smallest case yet, and how often it was found."""

    kind: str
    fault: str
    seed: int
    case: str
    times: int = 1

    def __str__(self) -> str:
        often = f" ({self.times} times)" if self.times > 1 else ""
        return f"{self.kind}, seed {self.seed}{often}: {self.case}"


@dataclass
class Progress:
    """Of one attack: the seed that is next, seeds (from, to) that were begun and not finished, cases that
    were tried, and seconds."""

    next: int
    unfinished: list[tuple[int, int]] = field(default_factory=list)
    tried: int = 0
    seconds: float = 0.0


@dataclass
class State:
    """What a soak knows when it stops."""

    seed: int
    kinds: dict[str, Progress] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def progress(self, kind: str) -> Progress:
        return self.kinds.setdefault(kind, Progress(self.seed))

    def add(self, failure: Failure) -> None:
        """Of two cases of one fault the smaller is kept."""
        for number, known in enumerate(self.failures):
            if (known.kind, known.fault) == (failure.kind, failure.fault):
                smaller = min(known, failure, key=lambda each: len(each.case))
                smaller.times = known.times + failure.times
                self.failures[number] = smaller
                return
        self.failures.append(failure)

    def __str__(self) -> str:
        found = len(self.failures)
        tried = ", ".join(f"{p.tried:,} {ATTACKS[kind].called}" for kind, p in self.kinds.items())
        told = f"{found} failures" if found else "nothing found"
        return f"{tried or 'nothing tried'}: {told} ({sum(p.seconds for p in self.kinds.values()):.0f} s)"


def open_state(path: Path, seed: int | None) -> State:
    """The state in a file, or a new one where there is none; ValueError if it is another's."""
    if not path.exists():
        return State(seed or 0)
    remedy = "remove it, or name another with --state"
    try:
        state = _from_json(json.loads(path.read_text()))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is not the state of a soak ({error}): {remedy}") from None
    if seed is not None and seed != state.seed:
        raise ValueError(f"{path} is the state of a soak with seed {state.seed}, not {seed}: {remedy}")
    return state


def _from_json(value: dict[str, Any]) -> State:
    kinds = {name: Progress(**each) for name, each in value["kinds"].items() if name in ATTACKS}
    for progress in kinds.values():
        progress.unfinished = [(int(a), int(b)) for a, b in progress.unfinished]
        progress.next, progress.tried = int(progress.next), int(progress.tried)
        progress.seconds = float(progress.seconds)
    return State(int(value["seed"]), kinds, [Failure(**each) for each in value["failures"]])


def write_state(state: State, path: Path) -> None:
    from ..atomic import write_text

    write_text(path, json.dumps(asdict(state), indent=1) + "\n")


def soak(
    state: State,
    path: Path,
    seconds: float,
    only: Sequence[str] = (),
    jobs: int = 1,
    tell: Callable[[State, float], None] | None = None,
) -> None:
    """Go on with a soak for some seconds, with so many turns at a time. `tell` is called again and again with
    what is known, and with the seconds that are over."""
    kinds = [kind for kind in ATTACKS if not only or kind in only]
    began = time.perf_counter()
    running: list[Turn] = []
    with TemporaryDirectory(prefix="saccade-soak-", ignore_cleanup_errors=True) as folder:
        try:
            while (over := time.perf_counter() - began) < seconds or running:
                while over < seconds and len(running) < jobs:
                    kind = _least_served(state, kinds, running)
                    running.append(Turn(state, kind, Path(folder), seconds - over))
                for turn in [turn for turn in running if turn.is_over()]:
                    running.remove(turn)
                    turn.enter_into(state)
                    write_state(state, path)
                if tell is not None:
                    tell(state, over)
                time.sleep(0.05)
        finally:
            for turn in running:
                turn.stop()
                turn.enter_into(state, stopped=True)
            write_state(state, path)


def _least_served(state: State, kinds: Sequence[str], running: Sequence[Turn]) -> str:
    """The attack that is furthest behind its share of the time."""

    def served(kind: str) -> float:
        planned = sum(turn.planned for turn in running if turn.kind == kind)
        return (state.progress(kind).seconds + planned) / ATTACKS[kind].share

    return min(kinds, key=served)


class Turn:
    """A process that tries some seeds of an attack, taken out of the state."""

    def __init__(self, state: State, kind: str, folder: Path, left: float) -> None:
        self.kind, attack = kind, ATTACKS[kind]
        most = max(1, int(min(_TURN, left) / attack.seconds))
        self.seeds = _taken(state.progress(kind), most)
        self.planned = (self.seeds[1] - self.seeds[0]) * attack.seconds
        self._told, self._errors = (folder / f"{kind} {self.seeds[0]}.{end}" for end in ("out", "err"))
        self._began = self._heard = time.perf_counter()
        self._length = 0
        numbers = [str(self.seeds[0]), str(self.seeds[1] - self.seeds[0])]
        with self._told.open("w") as told, self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "saccade.fuzz.soak_turn", kind, *numbers],
                stdin=subprocess.DEVNULL, stdout=told, stderr=errors, env=_environment(),
                start_new_session=True,
            )  # fmt: skip
        self._end = ""

    def is_over(self) -> bool:
        """Whether the process has ended; one that has said nothing for long is ended."""
        code = self._process.poll()
        if code is not None:
            self._end = f"the process ended with {code}"
            self.stop()  # what it may have left running
            return True
        length = self._told.stat().st_size
        if length != self._length:
            self._length, self._heard = length, time.perf_counter()
        if time.perf_counter() - self._heard < _PATIENCE:
            return False
        self.stop()
        self._end = f"hangs: nothing happened for {_PATIENCE:.0f} s"
        return True

    def stop(self) -> None:
        """End the process and all that it has started."""
        if hasattr(os, "killpg"):
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                self._end = self._end or "the process has ended"
        else:
            self._process.kill()
        self._process.wait()

    def enter_into(self, state: State, stopped: bool = False) -> None:
        """What was tried and found; the seeds that are left go back."""
        progress = state.progress(self.kind)
        progress.seconds += time.perf_counter() - self._began
        at, tried, done = self.seeds[0], 0, False
        for line in self._told.read_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                break  # it was ended in the middle of a word
            said = json.loads(line)
            if "found" in said:
                state.add(Failure(self.kind, **said["found"]))
            at, tried, done = said.get("at", at), said.get("tried", tried), "done" in said
        progress.tried += tried
        if not done and not stopped:
            told = self._errors.read_text(errors="replace")[-_TOLD:].strip()
            case = f"{self._end}\n  python -m saccade.fuzz.soak_turn {self.kind} {at} 1\n{told}"
            state.add(Failure(self.kind, self._end, at, case))
            at += 1
        if not done and at < self.seeds[1]:
            progress.unfinished.append((at, self.seeds[1]))


def _taken(progress: Progress, most: int) -> tuple[int, int]:
    """The seeds of the next turn."""
    if progress.unfinished:
        first, end = progress.unfinished.pop(0)
        if end - first > most:
            progress.unfinished.insert(0, (first + most, end))
        return first, min(end, first + most)
    first = progress.next
    progress.next = first + most
    return first, progress.next


def _environment() -> dict[str, str]:
    """That of this process; the package is the one of this process too."""
    root = str(Path(__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}
