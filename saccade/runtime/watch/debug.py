"""Seeing what runs: kernels with their moves, times and rates, printed or handed to a listener.

    SACCADE_DEBUG=1 python script.py

    with saccade.debug(2):
        x.softmax(1).realize()

| level | shows |
|---|---|
| 1 | each kernel: time, GB/s, GFLOP/s; each computation: bytes and operations beside the least possible |
| 2 | why each kernel is one, and the moves made on it |
| 3 | the source |

The rates count what a kernel has to move and compute, each buffer once, not what it happens to.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

if TYPE_CHECKING:  # the command line reads the level, and needs no NumPy for it
    from ..device import Memory, Runnable
    from ..recipe import Recipe

LEVELS: Final = (0, 1, 2, 3)


class Run(NamedTuple):
    """One computation that ran, the seconds of its launches (of all together on some devices), and its graph
    as it was written down (`tensor.programs.form.Form`)."""

    recipe: Recipe
    seconds: tuple[float, ...]
    device: str
    form: Any = None


class Computation(Protocol):
    """What is watched: an `Executable`, which is above this file."""

    plan: Runnable
    recipe: Recipe
    device: str
    form: Any

    def timed(self, addresses: list[int]) -> list[float]:
        """Run it and wait; the seconds of each launch, or of all together."""


class Pending(Protocol):
    """Work whose times are known when it is over."""

    def done(self) -> bool:
        """Whether they are known; does not wait."""

    def times(self) -> list[tuple[float, float]]:
        """Start and seconds of each part, on the host's clock; waits for the work."""


class Tracer(Protocol):
    """Keeps when things ran: a `Timeline`."""

    def begin(self, executable: Computation, addresses: list[int], results: Sequence[Memory]) -> None: ...

    def run(self, executable: Computation, addresses: list[int]) -> None: ...

    def past(self, executable: Computation, start: float, seconds: Sequence[float]) -> None: ...

    def expect(self, pending: Pending, parts: list[tuple[str, str, str, dict[str, Any]]]) -> None: ...


class Observer(Protocol):
    """Sees the memory of whatever runs: addresses of the inputs, then of the results."""

    def before(self, executable: Computation, addresses: list[int]) -> None: ...

    def after(self, executable: Computation, addresses: list[int]) -> None: ...


class Watching:
    """Who wants to know: a level for printing, listeners, an observer, and a trace."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.listeners: tuple[Callable[[Run], None], ...] = ()
        self.observer: Observer | None = None
        self.timeline: Tracer | None = None
        self.active = bool(level)

    def set(self, level: int, listeners: tuple[Callable[[Run], None], ...]) -> None:
        self.level, self.listeners = level, listeners
        self._wake()

    def follow(self, timeline: Tracer | None) -> None:
        """Note what runs there too."""
        self.timeline = timeline
        self._wake()

    def observe(self, observer: Observer | None) -> None:
        """Show it the memory of what runs."""
        self.observer = observer
        self._wake()

    def _wake(self) -> None:
        self.active = bool(self.level or self.listeners or self.observer or self.timeline is not None)


def _level(value: int | str) -> int:
    try:
        level = int(value)
    except ValueError:
        level = -1
    if level not in LEVELS:
        raise ValueError(f"a debug level (SACCADE_DEBUG) is one of 0, 1, 2, 3, not {value!r}")
    return level


watching: Final = Watching(_level(os.environ.get("SACCADE_DEBUG") or 0))


@contextmanager
def debug(level: int = 1) -> Iterator[None]:
    """Print what runs inside the block, on standard error; 0 keeps quiet."""
    before = watching.level
    watching.set(_level(level), watching.listeners)
    try:
        yield
    finally:
        watching.set(before, watching.listeners)


@contextmanager
def listening() -> Iterator[list[Run]]:
    """What runs inside the block, as a list that grows."""
    runs: list[Run] = []
    before = watching.listeners
    watching.set(watching.level, (*before, runs.append))
    try:
        yield runs
    finally:
        watching.set(watching.level, before)


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Show an observer the memory of what runs inside the block."""
    before = watching.observer
    watching.observe(observer)
    try:
        yield
    finally:
        watching.observe(before)


def run_watched(executable: Computation, addresses: list[int], results: Sequence[Memory] = ()) -> None:
    """Run it, timed, and tell whoever wants to know; `results` is the memory that was allocated for it."""
    observer = watching.observer
    if observer is not None:
        observer.before(executable, addresses)
    if watching.timeline is not None:
        watching.timeline.begin(executable, addresses, results)
    _run_timed(executable, addresses)
    if observer is not None:
        observer.after(executable, addresses)


def _run_timed(executable: Computation, addresses: list[int]) -> None:
    timeline = watching.timeline
    if timeline is not None and not watching.level and not watching.listeners:
        timeline.run(executable, addresses)
        return
    start = perf_counter()
    run = Run(executable.recipe, tuple(executable.timed(addresses)), executable.device, executable.form)
    if timeline is not None:
        timeline.past(executable, start, run.seconds)
    for listener in watching.listeners:
        listener(run)
    if watching.level:
        print(describe(run, watching.level), file=sys.stderr, flush=True)


def describe(run: Run, level: int) -> str:
    """A computation in words."""
    recipe, lines = run.recipe, []
    each = len(run.seconds) == len(recipe.steps)
    for number, step in enumerate(recipe.steps):
        source, notes = recipe.sources[step.source], step.notes
        seconds = run.seconds[number] if each else 0.0
        lines.append(
            f"{time_text(seconds) if each else '':>10}  {rate(notes.nbytes, seconds):>7} GB/s "
            f"{rate(notes.operations, seconds):>7} GFLOP/s  {source.name}"
        )
        if level >= 2:
            lines.append(f"{'':12}because {notes.reason or 'its value was asked for'}")
            lines += [f"{'':12}{move}" for move in notes.moves]
        if level >= 3:
            lines.append(source.text)
    moved, computed = totals(recipe)
    count = f"{len(recipe.steps)} kernel{'' if len(recipe.steps) == 1 else 's'}"
    lines.append(
        f"{time_text(sum(run.seconds)):>10}  {count} on {run.device}: {size_text(moved)}B moved, at least "
        f"{size_text(recipe.floor.nbytes)}B; {size_text(computed)}FLOP, at least "
        f"{size_text(recipe.floor.operations)}FLOP"
    )
    return "\n".join(lines)


def totals(recipe: Recipe) -> tuple[int, int]:
    """Bytes and operations of all kernels together."""
    return sum(s.notes.nbytes for s in recipe.steps), sum(s.notes.operations for s in recipe.steps)


def rate(amount: int, seconds: float) -> str:
    """Billions a second."""
    return f"{amount / seconds * 1e-9:.1f}" if seconds > 0 and amount else "-"


def time_text(seconds: float) -> str:
    """`time_text(0.0012) == "1.20 ms"`."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.2f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def size_text(amount: float) -> str:
    """`size_text(67108864) == "67.1 M"`."""
    for scale, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if amount >= scale:
            return f"{amount / scale:.1f} {unit}"
    return f"{amount:.0f} "
