"""The attack on readers: damaged files of every kind, each read within 5 s and 1 GB.

    >>> report = attack(seed=0, count=240)
    >>> report.failures
    []

Each is read in a process of its own kind (`file_worker`), which is replaced when it hangs or dies. What comes
of a file must be a result or the reader's own error with the name of the file. A file that is neither is made
small and reported with its kind and seed: `attack(seed, 1, [kind])` tries it again.

    python -m saccade.fuzz.files.files --count 10000 --seed 0
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Final

from ..soak.watched import queued
from .file_corpus import Files
from .file_damage import damaged
from .file_kinds import all_kinds
from .file_worker import FAILED, MOST_TOLD, RESULT, write

#: Share of the files whose sums are put right after the damage.
MENDED: Final = 0.8
SECONDS: Final = 5.0
MEMORY: Final = 1 << 30
#: Files that a process reads before another takes over, so that what it keeps does not add up.
TURN: Final = 1000
#: Seconds for a process to start, and for making a failure small.
STARTING: Final = 120.0
PATIENCE: Final = 60.0


@dataclass(frozen=True)
class Case:
    """A damaged file: its kind and seed, the folder it is in and its name there."""

    kind: str
    seed: int
    files: Files
    name: str
    mended: bool

    def on_disk(self) -> Files:
        return all_kinds()[self.kind].mended(self.files) if self.mended else self.files


@dataclass(frozen=True)
class Failure:
    """A case that ended in neither a result nor a clear error, as small as it became."""

    case: Case
    told: str

    def __str__(self) -> str:
        data = self.case.files[self.case.name]
        shown = repr(data) if len(data) <= 2000 else f"{data[:900]!r}...{data[-200:]!r} ({len(data)} bytes)"
        again = f"attack({self.case.seed}, 1, [{self.case.kind!r}])"
        return f"{self.case.kind}, seed {self.case.seed}: {self.told}\n  {self.case.name}: {shown}\n  {again}"


@dataclass
class Report:
    """What was tried, by kind, and what became of it."""

    tried: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        total, read = self.tried.total(), self.results.total()
        least = min(self.tried.values(), default=0)
        return (
            f"{total} damaged files of {len(self.tried)} kinds, at least {least} of each: {read} read, "
            f"{total - read - len(self.failures)} refused, {len(self.failures)} failures "
            f"({self.seconds:.0f} s, the slowest {self.slowest:.1f} s)"
        )


def draw(kind: str, seed: int) -> Case:
    """The case of a seed, the same in every run."""
    random = Random(f"{kind} {seed}")
    about = all_kinds()[kind]
    whole = random.choice(about.whole)
    name = random.choice([name for name in about.attacked if name in whole])
    others = [files[name] for files in about.whole if name in files]
    found = damaged(random, whole[name], others)
    mended = random.random() < MENDED or about.packed
    return Case(kind, seed, {**whole, name: found}, name, mended)


def attack(
    seed: int = 0,
    count: int = 1000,
    kinds: Sequence[str] | None = None,
    progress: Callable[[int, Report], None] | None = None,
) -> Report:
    """Read so many damaged files, as many of each kind; failures are made small."""
    names = list(all_kinds() if kinds is None else kinds)
    report, begun = Report(), time.perf_counter()
    with Reader(names) as reader:
        for number in range(count):
            if progress is not None:
                progress(number, report)
            case = draw(names[number % len(names)], seed + number // len(names))
            outcome, told, seconds = reader.read(case)
            report.tried[case.kind] += 1
            report.results[case.kind] += outcome == RESULT
            report.slowest = max(report.slowest, seconds)
            if outcome == FAILED:
                report.failures.append(small(reader, Failure(case, told)))
            report.seconds = time.perf_counter() - begun
    return report


def small(reader: Reader, failure: Failure) -> Failure:
    """The failure with as much of its file left out as still fails in the same way."""
    end = time.perf_counter() + PATIENCE
    shrunk = True
    while shrunk and time.perf_counter() < end:
        shrunk = False
        for candidate in smaller(failure.case):
            outcome, told, _ = reader.read(candidate)
            if outcome == FAILED and told.partition(":")[0] == failure.told.partition(":")[0]:
                failure, shrunk = Failure(candidate, told), True
                break
            if time.perf_counter() >= end:
                break
    return failure


def smaller(case: Case) -> Iterator[Case]:
    """The case without some of the damaged file: large parts first, then small ones."""
    data = case.files[case.name]
    size = len(data)
    while size >= 1:
        size = -(-size // 2) if size > 1 else 0
        for at in range(0, len(data), max(size, 1)) if size else ():
            left = data[:at] + data[at + size :]
            yield Case(case.kind, case.seed, {**case.files, case.name: left}, case.name, case.mended)


class Reader:
    """Processes that read, one after the other."""

    def __init__(
        self,
        names: Sequence[str],
        seconds: float = SECONDS,
        memory: int = MEMORY,
        command: Sequence[str] = (sys.executable, "-m", "saccade.fuzz.files.file_worker"),
    ) -> None:
        self.seconds, self.command = seconds, [*command, str(memory), *names]
        self.scratch = Path(tempfile.mkdtemp(prefix="saccade-files-"))
        self.process: subprocess.Popen[str] | None = None
        self.left = 0

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def read(self, case: Case) -> tuple[str, str, float]:
        """What becomes of a case, what is told about it, and how long it took."""
        if self.process is None or self.left == 0:
            self.stop()
            self.start()
        folder = self.scratch / "case"
        shutil.rmtree(folder, ignore_errors=True)
        write(folder, case.on_disk())
        self.left -= 1
        begun = time.perf_counter()
        reply = self.asked({"kind": case.kind, "folder": str(folder)}, self.seconds)
        taken = time.perf_counter() - begun
        if reply is None:
            code = self.stop()
            told = f"hung: no answer after {taken:.1f} s" if code is None else f"died: exit code {code}"
            return FAILED, f"{told}: {self.last_words()}", taken
        found = json.loads(reply)
        return found["outcome"], found["told"], taken

    def start(self) -> None:
        environment = {**os.environ, "SACCADE_CACHE": "off", "TMPDIR": str(self.scratch)}
        with (self.scratch / "errors").open("w") as errors:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment,
            )
        self.left = TURN
        if self.line(STARTING) != "ready\n":
            self.stop()
            raise RuntimeError(f"the process that reads files did not start: {self.last_words()}")

    def stop(self) -> int | None:
        """End the process; its exit code, None if it was still running."""
        if self.process is None:
            return None
        code = self.process.poll()
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):  # what it did not read is lost with it
                    pipe.close()
        self.process = None
        return code

    def asked(self, request: dict[str, str], seconds: float) -> str | None:
        assert self.process is not None
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        return self.line(seconds)

    def line(self, seconds: float) -> str | None:
        """The next line of the process, None if it hangs or is dead. What it waits for a core is not its
        time."""
        assert self.process is not None
        assert self.process.stdout is not None
        began, waits, left = time.perf_counter(), queued(self.process.pid), seconds
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            while not waiting.select(max(left, 0.01)):
                left = seconds - (time.perf_counter() - began) + (queued(self.process.pid) - waits)
                if left <= 0:
                    return None
        line = self.process.stdout.readline()
        if not line:
            with suppress(subprocess.TimeoutExpired):  # its end is near: the exit code says why
                self.process.wait(5.0)
            return None
        return line

    def last_words(self) -> str:
        return (self.scratch / "errors").read_text(errors="replace")[-MOST_TOLD:].strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack with a status line; each failure is printed with its kind, seed and bytes."""
    parser = argparse.ArgumentParser(description="Read damaged files of every kind.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=sorted(all_kinds()))
    options = parser.parse_args(arguments)

    def progress(number: int, report: Report) -> None:
        if sys.stderr.isatty() and number % 50 == 0:
            print(f"\r{number} of {options.count}, {len(report.failures)} failures ", end="", file=sys.stderr)

    report = attack(options.seed, options.count, options.kind, progress)
    for failure in report.failures:
        print(failure)
    for name in report.tried:
        print(f"{name:10} {report.tried[name]:6} read {report.results[name]:6}")
    print(report)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
