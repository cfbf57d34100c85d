"""The fuzzer: random programs, the heuristic's moves and random legal ones, against the oracle.

    >>> report = fuzz(programs=200, seed=1)
    >>> report.failures
    []

Program n of a run is that of seed + n, whatever the run, so a failure is found again with `fuzz(1,
its_seed)`. Most kernels are compiled quickly, some as well as ever; of some the bounds of every index are
proved, and the interpreter is checked in the same way as the CPU. On another device (`fuzz(200,
device="cuda")`) programs run as `realize` runs them there, one way each.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from .check import Failure, Trial, check, check_interpreter
from .draw import draw
from .shrink import as_code, shrink

#: one in so many programs is compiled at full optimisation, is given its numbers, is interpreted, has its
#: bounds proved
_OPTIMISED: Final = 6
_GIVEN: Final = 2
_INTERPRETED: Final = 8
_PROVED: Final = 20


@dataclass
class Report:
    """What was checked. `elements` are those of all outputs; the oracle could tell `known` of them."""

    programs: int = 0
    kernels: int = 0
    moved: int = 0
    known: int = 0
    elements: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        found = f"{len(self.failures)} failures" if self.failures else "no mismatch"
        kernels = f"{self.kernels} kernels by heuristic, {self.moved} with random moves, " * bool(
            self.kernels
        )
        return (
            f"{self.programs} programs, {kernels}{self.known} of {self.elements} elements decided: {found} "
            f"({self.seconds:.0f} s)"
        )


def fuzz(
    programs: int,
    seed: int = 0,
    progress: Callable[[int, Report], None] | None = None,
    device: str = "cpu",
) -> Report:
    """Check so many programs; failures are shrunk. `progress` is told each seed before it is tried."""
    report = Report()
    start = time.perf_counter()
    can_prove = importlib.util.find_spec("z3") is not None
    for number in range(seed, seed + programs):
        if progress is not None:
            progress(number, report)
        program = draw(number)
        plain = Trial(quick=number % _OPTIMISED != 0, prove=can_prove and number % _PROVED == 0)
        numbers_given = number % _GIVEN == 0
        moved = replace(plain, moves=number, given=numbers_given)
        trials = [plain, moved] if device == "cpu" else [Trial(device=device)]
        for trial in trials:
            outcome = check(program, trial)
            if outcome.failure is not None:
                report.failures.append(shrink(outcome.failure))
            report.elements += outcome.elements
            report.known += outcome.known
            report.kernels += outcome.kernels if trial.moves is None else 0
            report.moved += outcome.kernels if trial.moves is not None else 0
        if device == "cpu" and number % _INTERPRETED == 0:
            failure = check_interpreter(program, numbers_given)
            report.failures += [failure] if failure is not None else []
        report.programs += 1
        report.seconds = time.perf_counter() - start
    return report


def describe(failure: Failure) -> str:
    """A failure for a person: where, what, the moves, and code that shows it again."""
    moves = [f"  {kernel.moves}" for kernel in failure.kernels if kernel.moves]
    lines = [f"seed {failure.program.seed}, {failure.stage}: {failure.message}", *moves]
    return "\n".join([*lines, as_code(failure.program, failure.trial)])


def main(programs: int = 2000, seed: int = 0, device: str = "cpu") -> int:
    """Fuzz with a status line; each failure is printed with its seed and a small reproduction."""
    shown = 0

    def progress(current: int, report: Report) -> None:
        nonlocal shown
        for failure in report.failures[shown:]:
            print(f"\n{describe(failure)}\n", flush=True)
        shown = len(report.failures)
        if sys.stderr.isatty():
            # told before it is tried: should a compiler abort the process, the line says with what
            line = f"seed {current}: {report.programs} of {programs} programs, {shown} failures"
            print(f"\r{line} ", end="", file=sys.stderr, flush=True)

    report = fuzz(programs, seed, progress, device)
    progress(seed + programs, report)
    print(f"\n{report}" if sys.stderr.isatty() else report)
    return 1 if report.failures else 0
