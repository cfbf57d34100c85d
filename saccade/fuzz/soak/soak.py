"""The soak: all attacks in turn, for as long as there is time, from where the last one stopped.

    state = open_state(Path("soak.json"), seed=0)
    soak(state, Path("soak.json"), seconds=3600)
    state.failures                        # of each fault, its smallest case

An attack (`soak_turn.ATTACKS`) tries cases, each that of a seed. It gets its share of the time in turns of
at most a minute (in a short soak less: each attack gets two), each in a process of its own. One that ends or
hangs is a failure of the case it was at; the soak goes on behind it. After each turn the state is written.
What was not finished when the soak stopped is tried again when it goes on; with the same seed and state the
same cases come in the same order."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from .soak_turn import ATTACKS
from .watched import Watched

#: Seconds that a turn is planned to take, and after which one that says nothing hangs.
_TURN: Final = 60.0
_PATIENCE: Final = 300.0


@dataclass
class Failure:
    """A fault by its smallest case yet, and how often it was found. `how`: something was wrong or raised, or
    the process ended or hung."""

    kind: str
    fault: str
    seed: int
    case: str
    how: str = "wrong"
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
        state = from_json(json.loads(path.read_text()))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"{path} is not the state of a soak ({error}): {remedy}") from None
    if seed is not None and seed != state.seed:
        raise ValueError(f"{path} is the state of a soak with seed {state.seed}, not {seed}: {remedy}")
    return state


def from_json(value: dict[str, Any]) -> State:
    kinds = {name: Progress(**each) for name, each in value["kinds"].items() if name in ATTACKS}
    for progress in kinds.values():
        progress.unfinished = [(int(a), int(b)) for a, b in progress.unfinished]
        progress.next, progress.tried = int(progress.next), int(progress.tried)
        progress.seconds = float(progress.seconds)
    return State(int(value["seed"]), kinds, [Failure(**each) for each in value["failures"]])


def write_state(state: State, path: Path) -> None:
    from ...files.atomic import write_text

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
    kinds = list(only) or [kind for kind, attack in ATTACKS.items() if attack.is_possible()]
    began = time.perf_counter()
    running: list[Turn] = []
    with TemporaryDirectory(prefix="saccade-soak-", ignore_cleanup_errors=True) as folder:
        try:
            while (over := time.perf_counter() - began) < seconds or running:
                while over < seconds and len(running) < jobs:
                    kind = _least_served(state, kinds, running)
                    most = _cases(state, kind, min(_TURN, seconds / (2 * len(kinds)), seconds - over))
                    running.append(Turn(state, kind, Path(folder), most))
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


def _cases(state: State, kind: str, seconds: float) -> int:
    """How many cases of an attack take so long, at the pace of this machine where that is known."""
    so_far = state.progress(kind)
    return max(1, int(seconds / max(ATTACKS[kind].seconds, so_far.seconds / max(so_far.tried, 1))))


def _least_served(state: State, kinds: Sequence[str], running: Sequence[Turn]) -> str:
    """The attack that is furthest behind its share of the time."""

    def served(kind: str) -> float:
        planned = sum(turn.planned for turn in running if turn.kind == kind)
        return (state.progress(kind).seconds + planned) / ATTACKS[kind].share

    return min(kinds, key=served)


class Turn(Watched):
    """A process that tries at most so many seeds of an attack, taken out of the state."""

    def __init__(self, state: State, kind: str, folder: Path, most: int, patience: float = _PATIENCE) -> None:
        self.kind, self.seeds = kind, _taken(state.progress(kind), most)
        first, count = self.seeds[0], self.seeds[1] - self.seeds[0]
        self.planned = count * ATTACKS[kind].seconds
        command = [sys.executable, "-m", "saccade.fuzz.soak.soak_turn", kind, str(first), str(count)]
        super().__init__(command, folder / f"{kind} {first}", patience)

    def tried(self) -> int:
        """How many cases were."""
        return int(max((said.get("tried", 0) for said in self.said()), default=0))

    def enter_into(self, state: State, stopped: bool = False) -> None:
        """What was tried and found; the seeds that are left go back."""
        progress = state.progress(self.kind)
        progress.seconds += time.perf_counter() - self.began
        progress.tried += self.tried()
        at, done = self.seeds[0], False
        for said in self.said():
            if "found" in said:
                state.add(Failure(self.kind, **said["found"]))
            at, done = said.get("at", at), "done" in said
        if not done and not stopped:
            case = f"{self.end}\n  python -m saccade.fuzz.soak.soak_turn {self.kind} {at} 1\n{self.errors()}"
            state.add(Failure(self.kind, self.end, at, case, "hung" if self.hung else "ended"))
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
