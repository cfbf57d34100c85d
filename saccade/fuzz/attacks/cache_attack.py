"""The standing attack on the cache on disk: whatever happens to its files, results are right.

    >>> report = attack(seed=0, count=500)
    >>> report.failures
    []

A cache is filled with the entries of a few small programs. State n of a run is that of seed + n: the whole
cache, some damage (`cache_damage`), and a way to run the programs from it (`cache_worker`): in the same
process again, in a new one, in two at once, in threads, forked, while another cache evicts or clears, after a
writer was killed. Then they run once more, from what is left. A result that differs from NumPy's, an
exception, a process that ends or hangs, and a foreign file that is gone are failures. A failure is told with
its seed and with no more damage than it takes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Final

from ...runtime.cache.cache import Cache, key_of
from ...runtime.cache.folder import MARKER
from .cache_damage import DAMAGES, FOLDER_DAMAGES, Scene
from .cache_worker import Answer, Worker

#: How the programs run, and how often of a hundred times: a new process takes fifty times as long.
WAYS: Final = {
    "plain": 60, "threads": 8, "two": 8, "evicted": 8, "cleared": 6, "fork": 4, "fresh": 3, "killed": 3,
}  # fmt: skip
#: the share of states in which something happens to the folder as a whole
_WHOLE_FOLDER: Final = 0.15
#: bytes of a cache that evicts all the time
_TIGHT: Final = 20_000


@dataclass(frozen=True)
class State:
    """What happens to a cache: damage by kind, each with random numbers of its own, and how programs run."""

    seed: int
    way: str
    damages: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return f"seed {self.seed}: {', '.join(kind for kind, _ in self.damages)}; {self.way}"


@dataclass(frozen=True)
class Failure:
    """A state with the least damage that goes wrong, and how."""

    state: State
    message: str

    def __str__(self) -> str:
        return f"{self.state}: {self.message}"


@dataclass
class Report:
    """What was tried. `discarded` are entries that were found damaged and made again."""

    states: int = 0
    discarded: int = 0
    seconds: float = 0.0
    damages: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        found = f"{len(self.failures)} failures" if self.failures else "no wrong result"
        return (
            f"{self.states} damaged caches, {sum(self.damages.values())} times damaged, {self.discarded} "
            f"entries dropped: {found} ({self.seconds:.0f} s)"
        )


def attack(seed: int, count: int, progress: Callable[[State, Report], None] | None = None) -> Report:
    """Try so many states; failures are made smaller. `progress` is told each state before it is tried."""
    report = Report()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="saccade-attack-") as room, _ignored_warnings():
        arena = Arena(Path(room))
        try:
            for number in range(count):
                state = draw(seed + number)
                if progress is not None:
                    progress(state, report)
                wrong, discarded = arena.run(state)
                if wrong is not None:
                    report.failures.append(_smallest(arena, Failure(state, wrong)))
                report.states += 1
                report.discarded += discarded
                report.damages.update(kind for kind, _ in state.damages)
                report.ways[state.way] += 1
                report.seconds = time.perf_counter() - start
        finally:
            arena.close()
    return report


def draw(seed: int) -> State:
    """The state of a seed."""
    random = Random(seed)
    ways = {way: share for way, share in WAYS.items() if way != "fork" or hasattr(os, "fork")}
    (way,) = random.choices(list(ways), list(ways.values()))
    kinds = random.choices(list(DAMAGES), k=random.choice((1, 1, 2, 3, 6)))
    if random.random() < _WHOLE_FOLDER:
        kinds[random.randrange(len(kinds))] = random.choice(list(FOLDER_DAMAGES))
    return State(seed, way, tuple((kind, random.getrandbits(32)) for kind in kinds))


def _smallest(arena: Arena, failure: Failure) -> Failure:
    """Leave out what damage it goes wrong without."""
    for damage in failure.state.damages:
        less = tuple(other for other in failure.state.damages if other != damage)
        for way in dict.fromkeys(("plain", failure.state.way)):
            state = replace(failure.state, damages=less, way=way)
            wrong, _ = arena.run(state)
            if wrong is not None:
                failure = Failure(state, wrong)
                break
    return failure


class Arena:
    """A whole cache to begin from, the folder that is damaged, and a process that uses it."""

    def __init__(self, room: Path) -> None:
        self.folder, self.whole, self._log = room / "cache", room / "whole", room / "log"
        self.worker = Worker(self.folder, self._log)
        first = self.worker.ask("plain")
        if first.wrong:
            raise RuntimeError(f"the programs fail without any damage: {'; '.join(first.wrong)}")
        shutil.copytree(self.folder, self.whole)
        self.entries = sorted(path.name for path in self.whole.iterdir() if path.name != MARKER)

    def close(self) -> None:
        self.worker.kill()
        self._reset()

    def run(self, state: State) -> tuple[str | None, int]:
        """Make a state and run the programs from it, twice; what was wrong, and how many entries were."""
        self._reset()
        shutil.copytree(self.whole, self.folder)
        precious: dict[Path, bytes] = {}
        for kind, number in state.damages:
            # damage before this one may have taken what it wants
            with contextlib.suppress(OSError, ValueError):
                damage = DAMAGES.get(kind) or FOLDER_DAMAGES[kind]
                damage(Scene(self.folder, self.entries, Random(number), precious))
        there = {path: data for path, data in precious.items() if _content(path) == data}
        answers = [*self._ways(state), self.worker.ask("plain")]
        wrong = [each for answer in answers for each in answer.wrong]
        wrong += [f"{path.name}, a file of somebody else, is gone" for path, data in there.items()
                  if _content(path) != data]  # fmt: skip
        if self.worker.process.poll() is not None:
            self.worker = Worker(self.folder, self._log)
        return "; ".join(wrong) or None, sum(answer.discarded for answer in answers)

    def _ways(self, state: State) -> list[Answer]:
        match state.way:
            case "fresh":
                return [self._fresh("plain")]
            case "two":
                self.worker.tell("plain")
                return [self._fresh("plain"), self.worker.answer()]
            case "killed":
                self._kill_a_writer(Random(state.seed).random() * 0.03)
                return []
            case "evicted" | "cleared":
                with self._meddling(clear=state.way == "cleared"):
                    return [self.worker.ask("plain") for _ in range(3)]
        return [self.worker.ask(state.way)]

    def _fresh(self, how: str) -> Answer:
        worker = Worker(self.folder, self._log.with_suffix(".fresh"))
        try:
            return worker.ask(how)
        finally:
            worker.kill()

    def _kill_a_writer(self, seconds: float) -> None:
        worker = Worker(self.folder, self._log.with_suffix(".fresh"))
        worker.ask("write")
        time.sleep(seconds)
        worker.kill()

    @contextlib.contextmanager
    def _meddling(self, clear: bool) -> Iterator[None]:
        """Another cache in the same folder that removes entries all the time."""
        over = threading.Event()

        def meddle() -> None:
            cache = Cache(self.folder, _TIGHT)
            number = 0
            while not over.is_set():
                number += 1
                cache.put(key_of("meddled", str(number % 20)), bytes(2000))
                if clear:
                    with contextlib.suppress(OSError):  # a folder that is not ours
                        cache.clear()

        thread = threading.Thread(target=meddle)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _reset(self) -> None:
        """Remove what the last state left, whatever its rights."""
        for path in [self.folder, *self.folder.parent.glob(f"{self.folder.name} *")]:
            if path.is_symlink() or path.is_file():
                path.unlink()
            elif path.is_dir():
                path.chmod(0o700)
                shutil.rmtree(path)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


@contextlib.contextmanager
def _ignored_warnings() -> Iterator[None]:
    """Folders that are refused, which is what some damage is for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
