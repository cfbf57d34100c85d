"""Random programs while threads, forks and signals disturb them: results are the oracle's, caches stay whole.

    >>> run(Case("threads", seed=7, programs=(56, 57)))        # what went wrong, None if nothing did

- threads: several of them realise the same programs at once, each in an order of its own
- forks: the process is forked at a random moment while threads of it compile and run; child and parent go on
- signals: SIGINT at random moments in a forked child, which goes on after each and computes right, until
  SIGTERM or SIGKILL ends it in the middle; then another process finds every entry of its cache whole

The caches of this process are put aside meanwhile: cases have a folder of their own, emptied again and again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, mkdtemp
from types import FrameType
from typing import Final

import numpy as np

from ... import Tensor
from ...runtime.cache.cache import shared_cache
from ...runtime.config import settings
from ..programs.check import difference, run_on
from ..programs.draw import draw
from ..programs.programs import Program
from ..programs.reference import Bounded, evaluate
from ..raised import with_frames
from ..soak.watched import queued
from .cache_worker import forget

#: threads that realise programs, and programs of a case at most
_THREADS: Final = 3
_MOST_PROGRAMS: Final = 5
#: computations beside them that differ in their lengths alone
_LENGTHS: Final = 4
#: seconds in which a fork, or the signals of a case, come
_MOMENTS: Final = 0.2
#: seconds after which a process or a thread hangs
_PATIENCE: Final = 60.0
#: how often a smaller case is tried: what is a matter of moments does not go wrong each time
_TRIES: Final = 3


@dataclass(frozen=True)
class Case:
    """A way to disturb, the seed of its moments, and the seeds of the programs."""

    kind: str
    seed: int
    programs: tuple[int, ...]

    def __str__(self) -> str:
        return f"run({self!r})"


@dataclass(frozen=True)
class Failure:
    """A case with no more programs than it takes, and what went wrong."""

    case: Case
    message: str

    def __str__(self) -> str:
        return f"{self.message}\n  from saccade.fuzz.attacks.unrest import Case, run\n  print({self.case})"


@dataclass
class Report:
    """Cases that were tried, and what went wrong."""

    cases: int = 0
    failures: list[Failure] = field(default_factory=list)


def attack(
    kind: str,
    seed: int,
    count: int,
    progress: Callable[[int, Report], None] | None = None,
) -> Report:
    """Try so many cases of a kind; case n is that of seed + n."""
    report = Report()
    for number in range(seed, seed + count):
        if progress is not None:
            progress(number, report)
        case = drawn(kind, number)
        wrong = run(case)
        if wrong is not None:
            report.failures.append(smallest(Failure(case, wrong)))
        report.cases += 1
    return report


def drawn(kind: str, seed: int) -> Case:
    """The case of a seed."""
    random = Random(f"{kind} {seed}")
    return Case(kind, seed, tuple(random.sample(range(1 << 30), random.randint(2, _MOST_PROGRAMS))))


def smallest(failure: Failure) -> Failure:
    """Leave out the programs without which it goes wrong too."""
    for program in failure.case.programs:
        less = tuple(other for other in failure.case.programs if other != program)
        case = replace(failure.case, programs=less)
        found = next((wrong for _ in range(_TRIES) if less and (wrong := run(case)) is not None), None)
        failure = failure if found is None else Failure(case, found)
    return failure


def run(case: Case) -> str | None:
    """What goes wrong, if anything does."""
    with _own_cache():  # drawing a program may compute, too
        works = [Work.of(draw(seed)) for seed in case.programs] + Lines.drawn(Random(f"lines {case.seed}"))
        forget()
        return WAYS[case.kind](works, Random(case.seed))


@contextlib.contextmanager
def _own_cache() -> Iterator[None]:
    """Nothing is compiled yet, and what will be is kept in a new folder."""
    before = settings.cache
    with TemporaryDirectory(prefix="saccade-unrest-", ignore_cleanup_errors=True) as folder:
        object.__setattr__(settings, "cache", Path(folder))
        forget()
        try:
            yield
        finally:
            object.__setattr__(settings, "cache", before)
            forget()


@dataclass(frozen=True)
class Work:
    """A program and what the oracle says of its outputs."""

    program: Program
    expected: list[Bounded]

    @classmethod
    def of(cls, program: Program) -> Work:
        return cls(program, evaluate(program.roots, program.arrays()))

    def wrong(self) -> str | None:
        """Realise it; what is wrong with the results."""
        name = f"program {self.program.seed}"
        try:
            found = run_on("cpu", self.program, self.program.arrays())
        except Exception as error:  # noqa: BLE001  whatever is raised is what was looked for
            return f"{name} raised {with_frames(error)}"
        different = difference(self.program.roots, self.expected, found)
        return None if different is None else f"{name}: {different}"


@dataclass(frozen=True)
class Lines:
    """Sums of rows, at several lengths at once: they share what is known of their lengths (see
    `tensor.programs.lengths`). Small whole numbers, so that the result is exact."""

    shape: tuple[int, int]

    @classmethod
    def drawn(cls, random: Random) -> list[Lines]:
        return [cls((random.randint(2, 9), random.randint(2, 9))) for _ in range(_LENGTHS)]

    def wrong(self) -> str | None:
        """Realise it; what is wrong with the result."""
        rows, columns = self.shape
        data = np.arange(rows * columns, dtype=np.float32).reshape(self.shape)
        try:
            found = (Tensor(data) + 1).sum(1).numpy()
        except Exception as error:  # noqa: BLE001  whatever is raised is what was looked for
            return f"sums of rows of shape {self.shape} raised {with_frames(error)}"
        expected = (data + 1).sum(1)
        return None if (found == expected).all() else f"sums of rows of shape {self.shape}: {found}"


Works = Sequence[Work | Lines]


def _first_wrong(works: Works) -> str | None:
    return next((wrong for work in works if (wrong := work.wrong()) is not None), None)


# --- threads


class Threads:
    """Threads that realise programs, each in an order of its own; `wait` says what went wrong."""

    def __init__(self, works: Works, random: Random) -> None:
        self._wrong: list[str] = []
        orders = [random.sample(works, len(works)) * 2 for _ in range(_THREADS)]
        self._threads = [threading.Thread(target=self._run, args=[order], daemon=True) for order in orders]
        for thread in self._threads:
            thread.start()

    def _run(self, works: Works) -> None:
        self._wrong += filter(None, [_first_wrong(works)])

    def wait(self) -> str | None:
        began, waits = time.perf_counter(), queued(os.getpid())
        for thread in self._threads:
            while thread.is_alive():
                thread.join(_PATIENCE)
                if time.perf_counter() - began - (queued(os.getpid()) - waits) > _PATIENCE:
                    return f"a thread hangs: no result after {_PATIENCE:.0f} s"
        return next(iter(self._wrong), None)


@contextlib.contextmanager
def _often_switched() -> Iterator[None]:
    """Threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def threads(works: Works, random: Random) -> str | None:
    with _often_switched():
        return Threads(works, random).wait()


# --- forks


def forks(works: Works, random: Random) -> str | None:
    with _often_switched():
        busy = Threads(works, random)
        time.sleep(random.uniform(0, _MOMENTS))
        child = Child(lambda _: _first_wrong(works) or "")
        wrong = busy.wait()
    told = child.end()
    return f"in the process that forked: {wrong}" if wrong else f"in the fork: {told}" if told else None


class Child:
    """A fork of this process. Its work is given a function that tells this process something; what the work
    gives is told at last."""

    def __init__(self, work: Callable[[Callable[[str], None]], str]) -> None:
        self._folder = Path(mkdtemp(prefix="saccade-fork-"))
        self.told = self._folder / "told"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a fork with threads: that is the question
            self.process = os.fork()
        if self.process == 0:
            status = 70
            try:
                self._tell(work(self._tell))
                status = 0
            finally:
                os._exit(status)

    def _tell(self, text: str) -> None:
        part = self.told.with_suffix(".part")
        part.write_text(text)
        part.rename(self.told)

    def end(self, told_is_enough: bool = False) -> str:
        """Wait until the child has ended, or has told something; what it told, or how it ended otherwise."""
        began = time.perf_counter()
        while (over := time.perf_counter() - began) < _PATIENCE or over - queued(self.process) < _PATIENCE:
            found, status = os.waitpid(self.process, os.WNOHANG)
            if found:
                return self._last(os.waitstatus_to_exitcode(status))
            if told_is_enough and self.told.exists():
                return self.told.read_text()
            time.sleep(0.001)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        shutil.rmtree(self._folder)
        return f"the process hangs: no end after {_PATIENCE:.0f} s"

    def kill(self, number: signal.Signals) -> str:
        """End it by a signal that it must not survive."""
        os.kill(self.process, number)
        _, status = os.waitpid(self.process, 0)
        shutil.rmtree(self._folder)
        code = os.waitstatus_to_exitcode(status)
        return "" if code == -number else f"{number.name} was answered with exit code {code}"

    def _last(self, code: int) -> str:
        text = self.told.read_text() if self.told.exists() else ""
        shutil.rmtree(self._folder)
        return text if code == 0 else f"the process ended with {code}"


# --- signals


def signals(works: Works, random: Random) -> str | None:
    began = time.perf_counter()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the child has its handlers
    child = Child(lambda tell: _interrupted(works, tell))
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    for moment in sorted(random.uniform(0, _MOMENTS) for _ in range(random.randint(1, 6))):
        time.sleep(max(0.0, began + moment - time.perf_counter()))
        os.kill(child.process, signal.SIGINT)
    told = child.end(told_is_enough=True)
    if told:
        with contextlib.suppress(ProcessLookupError, ChildProcessError, FileNotFoundError):
            child.kill(signal.SIGKILL)
        return f"after SIGINT: {told}"
    time.sleep(random.uniform(0, _MOMENTS))
    told = child.kill(random.choice((signal.SIGTERM, signal.SIGKILL)))
    return told or Child(lambda _: _from_disk(works)).end() or None


def _interrupted(works: Works, tell: Callable[[str], None]) -> str:
    """Realise programs for a while, each once more where a signal comes between, and tell what went wrong;
    then on and on, until somebody ends the process."""
    armed = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal armed
        if armed:
            armed = False  # another one must not come before the first is caught
            raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    end = time.perf_counter() + 1.5 * _MOMENTS
    while True:
        shared_cache().clear()
        forget()
        for work in works:
            wrong: str | None = None
            try:
                armed = True
                wrong = work.wrong()
                armed = False
            except KeyboardInterrupt:
                wrong = work.wrong()
            if wrong is not None:
                return wrong
        if time.perf_counter() > end:
            tell("")


def _from_disk(works: Works) -> str:
    """What is wrong with a cache that somebody left."""
    forget()
    wrong = _first_wrong(works)
    damaged = shared_cache().discarded
    return wrong or (f"{damaged} entries of the cache are damaged" if damaged else "")


WAYS: Final[dict[str, Callable[[Works, Random], str | None]]] = {
    "threads": threads,
    **({"forks": forks, "signals": signals} if hasattr(os, "fork") else {}),
}
