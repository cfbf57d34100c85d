"""A trace of what ran when: kernels and copies on every queue of every device, for Perfetto or Chrome.

    with saccade.trace("step.json"):
        step(weights, batch)

    SACCADE_TRACE=run.json python script.py        # the whole process

Open the file at https://ui.perfetto.dev or chrome://tracing. A device is a process there, a queue one of its
rows; the host's rows show when work was handed over. Inside the block kernels are launched one by one instead
of as captured graphs, with a device timestamp after each; nothing waits before the end, so queues overlap as
they do without a trace.

Devices tell times in two ways. The CPU's are known when a plan returns. A GPU's are events, which are read
when they have happened: `Pending` holds them until then. Both are placed on the clock of the host."""

from __future__ import annotations

import json
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Protocol, runtime_checkable

from ..device import Device, Memory
from ..process.forking import fork_lock
from ..recipe import Recipe, Step
from .debug import Computation, Pending, watching

#: Spans that are kept; a longer trace is of no use to a viewer.
MOST_SPANS: Final = 1_000_000
#: Things whose times are not known yet, before those that are over are looked for.
_MOST_PENDING: Final = 1024
HOST: Final = "host"


@dataclass(frozen=True)
class Span:
    """Something that ran on a row of a device, in seconds of `time.perf_counter`."""

    device: str
    row: str
    name: str
    start: float
    seconds: float
    details: dict[str, Any] = field(default_factory=dict)


@runtime_checkable
class Stamps(Protocol):
    """A plan that notes the times of its launches without waiting."""

    def stamp(self, addresses: Sequence[int]) -> Pending:
        """Run it on the current queue."""


class Timeline:
    """The spans of a trace, in no order."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.left_out = 0
        self._pending: deque[tuple[Pending, list[tuple[str, str, str, dict[str, Any]]]]] = deque()
        self._lock = fork_lock()

    def begin(self, executable: Computation, addresses: list[int], results: Sequence[Memory]) -> None:
        """A computation is about to run, with inputs and then results at these addresses, in memory that was
        allocated for it. For those who keep more than spans."""

    def run(self, executable: Computation, addresses: list[int]) -> None:
        """Run a computation and note its kernels."""
        device, recipe = executable.device, executable.recipe
        names = [recipe.sources[step.source].name for step in recipe.steps]
        start = perf_counter()
        if isinstance(executable.plan, Stamps):
            row = row_of(Device[device].queue)
            pending = executable.plan.stamp(addresses)
            details = self.details(recipe)
            parts = [(device, row, name, told) for name, told in zip(names, details, strict=True)]
            self.expect(pending, parts)
        else:
            seconds = executable.timed(addresses)
            self.past(executable, start, seconds)
        what = f"{len(names)} kernel{'' if len(names) == 1 else 's'} on {device}"
        self.add(Span(HOST, threading.current_thread().name, what, start, perf_counter() - start))

    def past(self, executable: Computation, start: float, seconds: Sequence[float]) -> None:
        """Note the kernels of a computation that ran, one after the other, from `start`."""
        recipe, device = executable.recipe, executable.device
        row = row_of(Device[device].queue)
        if len(seconds) != len(recipe.steps):  # told for all together only
            self.add(Span(device, row, f"{len(recipe.steps)} kernels", start, sum(seconds)))
            return
        for step, told, taken in zip(recipe.steps, self.details(recipe), seconds, strict=True):
            details = _with_rates(told, taken)
            self.add(Span(device, row, recipe.sources[step.source].name, start, taken, details))
            start += taken

    def details(self, recipe: Recipe) -> list[dict[str, Any]]:
        """What is told of each launch."""
        return [_details(step) for step in recipe.steps]

    def expect(self, pending: Pending, parts: list[tuple[str, str, str, dict[str, Any]]]) -> None:
        """Note something when its times are known: device, row, name and details of each part."""
        with self._lock:
            self._pending.append((pending, parts))
            while len(self._pending) > _MOST_PENDING and self._pending[0][0].done():
                self._finish_one()

    def add(self, span: Span) -> None:
        if len(self.spans) < MOST_SPANS:
            self.spans.append(span)
        else:
            self.left_out += 1

    def finish(self) -> None:
        """Wait for what is still running."""
        with self._lock:
            while self._pending:
                self._finish_one()

    def _finish_one(self) -> None:
        pending, parts = self._pending.popleft()
        self._note(parts, pending.times())

    def _note(
        self, parts: list[tuple[str, str, str, dict[str, Any]]], times: Sequence[tuple[float, float]]
    ) -> None:
        for (device, row, name, details), (start, seconds) in zip(parts, times, strict=True):
            self.add(Span(device, row, name, start, seconds, _with_rates(details, seconds)))

    # --- the file

    def to_json(self) -> str:
        """The trace in the format of Chrome, which Perfetto reads: times in microseconds."""
        spans = sorted(self.spans, key=lambda span: span.start)
        origin = spans[0].start if spans else 0.0
        processes: dict[str, int] = {}
        rows: dict[tuple[str, str], int] = {}
        events: list[dict[str, Any]] = []
        for span in spans:
            process = processes.setdefault(span.device, len(processes) + 1)
            row = rows.setdefault((span.device, span.row), len(rows) + 1)
            events.append(
                {
                    "ph": "X",
                    "name": span.name,
                    "pid": process,
                    "tid": row,
                    "ts": round((span.start - origin) * 1e6, 3),
                    "dur": round(span.seconds * 1e6, 3),
                    "args": span.details,
                }
            )
        for device, process in processes.items():
            events.append({"ph": "M", "name": "process_name", "pid": process, "args": {"name": device}})
        for (device, name), row in rows.items():
            place = {"pid": processes[device], "tid": row}
            events.append({"ph": "M", "name": "thread_name", **place, "args": {"name": name}})
        return json.dumps({"traceEvents": events, "otherData": {"spans left out": self.left_out}})


def row_of(queue: object) -> str:
    """The name of a queue in a trace."""
    return str(getattr(queue, "label", "queue"))


def _details(step: Step) -> dict[str, Any]:
    notes = step.notes
    return {
        "bytes": notes.nbytes,
        "operations": notes.operations,
        "why": notes.reason or "asked for",
        "moves": list(notes.moves),
    }


def _with_rates(details: dict[str, Any], seconds: float) -> dict[str, Any]:
    rates = {
        unit: round(amount / seconds * 1e-9, 3)
        for key, unit in (("bytes", "GB/s"), ("operations", "GFLOP/s"))
        if (amount := details.get(key)) and seconds > 0
    }
    return details | rates


@contextmanager
def trace(path: str | os.PathLike[str] | None = None) -> Iterator[Timeline]:
    """Note what runs inside the block, in all threads; write it to `path`, where one is given, at the end. A
    folder that is missing is made; OSError, before anything runs, where the file cannot be written.
    """
    if watching.timeline is not None:
        raise RuntimeError("a trace is being made already: one at a time")
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).open("a").close()
    timeline = Timeline()
    watching.follow(timeline)
    try:
        yield timeline
    finally:
        watching.follow(None)
        timeline.finish()
        if path is not None:
            Path(path).write_text(timeline.to_json())


def trace_process(path: str) -> None:
    """Trace until the process ends."""
    import atexit

    block = trace(path)
    block.__enter__()
    atexit.register(block.__exit__, None, None, None)
