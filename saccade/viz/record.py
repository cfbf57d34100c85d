"""Recording a program while it runs: passes, kernels, memory and time, streamed to a file.

    with saccade.record("step.saccade"):
        step(weights, batch)

    SACCADE_VIZ=run.saccade python script.py        # the whole process; SACCADE_VIZ=1 names the file itself

The recorder is a `Watch` of the passes and a `Timeline` of what runs, and keeps nothing that is written:
a computation when its kernels are made, spans and memory in batches. Recipes on disk are left aside, so that
every pass is seen; a computation that this process had compiled before is scheduled again when it first runs.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextvars import Token
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from saccade.graph.origin import not_tracking, tracking
from saccade.graph.rewriting.passes import PassRun, Watch, stage, watch, watching
from saccade.runtime.watch import debug
from saccade.runtime.watch.timeline import HOST, Span, Timeline
from saccade.version import saccade_version
from saccade.viz.compiled import Made, records_of
from saccade.viz.file import RecordingError, RecordingWriter
from saccade.viz.views.totals import Totals

if TYPE_CHECKING:
    from saccade.runtime.device import Memory
    from saccade.runtime.recipe import Recipe

#: Spans and events of memory that are written together, and the seconds they wait at most for more of them.
_BATCH: Final = 4096
_SECONDS: Final = 1.0
SUFFIX: Final = ".saccade"


class Recorder(Watch):
    """Writes what it is told of: the passes of the recording thread, and what runs in all threads."""

    def __init__(self, writer: RecordingWriter, program: str, verify: bool = False) -> None:
        super().__init__(verify=verify, record=True, sparing=True)
        self.writer = writer
        self.origin = perf_counter()
        self.spans = Spans(self)
        self.devices: set[str] = set()
        self._known: dict[int, tuple[ref[Recipe], int]] = {}
        self._computations = 0
        self._made: Made | None = None
        self._starts: list[float] = []
        self._numbering = threading.Lock()
        writer.write(("H", _about(program)))

    # --- computations

    @contextlib.contextmanager
    def follow(self, run: PassRun) -> Iterator[PassRun]:
        start = perf_counter()
        try:
            with super().follow(run):
                self._starts.append(start - self.origin)
                yield run
        finally:
            self.spans.add(Span(HOST, "compiler", run.name, start, run.seconds, {"depth": run.depth}))
            if not self._running:
                passes, starts, made = self.passes, self._starts, self._made
                self.passes, self._starts, self._made = [], [], None
                self._write_computation(passes, starts, made)

    def made(self, recipe: object, kernels: object, device: str) -> None:
        self._made = Made(recipe, kernels, device)  # type: ignore[arg-type]

    def _write_computation(self, passes: list[PassRun], starts: list[float], made: Made | None) -> None:
        records = records_of(passes, starts, made)
        with self._numbering:
            if made is not None:
                self._known[id(made.recipe)] = ref(made.recipe), self._computations
            self._computations += 1
            self.writer.write(*records)

    def number_of(self, executable: debug.Computation) -> int:
        """The computation that this is; one from before the recording is scheduled again, to be seen. -1 for
        one whose graph nobody wrote down."""
        recipe = executable.recipe
        if self.number_of_recipe(recipe) < 0 and executable.form is not None:
            from saccade.tensor.programs.prepare import scheduled

            start = perf_counter() - self.origin
            name = f"a computation on {executable.device}, compiled before"
            with watch(Watch(record=True)) as again, not_tracking(), stage(name):
                graph = scheduled(executable.form, executable.device)
            made = Made(recipe, graph, executable.device)
            self._write_computation(again.passes, [start] * len(again.passes), made)
        return self.number_of_recipe(recipe)

    def number_of_recipe(self, recipe: Recipe) -> int:
        """The same for a recipe, -1 for one that was never seen."""
        known = self._known.get(id(recipe))
        return known[1] if known is not None and known[0]() is recipe else -1

    def measure_ceilings(self) -> None:
        """What the devices that were used reach at most, for the floors of kernels; a second for each."""
        from saccade.ceilings import ceilings

        debug.watching.follow(None)  # which is no part of the program
        with watch(Watch(record=False)):
            for device in sorted(self.devices):
                found = ceilings(device) if device.partition(":")[0] in ("cpu", "cuda") else None
                if found is not None and found.copy:
                    told = {"device": device, "copy": found.copy, "products": dict(found.products)}
                    self.writer.write(("L", told))

    def close(self) -> None:
        self.spans.finish()
        self.spans.flush()
        self.writer.write(
            ("E", {"seconds": perf_counter() - self.origin, "totals": self.spans.totals.told()})
        )
        self.writer.close()


class Spans(Timeline):
    """What runs, and the memory it runs on, in batches of columns."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder
        self._waiting: list[Span] = []
        self._events: deque[list[Any]] = deque()  # freed memory comes from the garbage collector, at any time
        self._flushed = perf_counter()
        self._places: dict[int, int] = {}  # by address: the number of the memory that lies there
        self._alive: dict[int, ref[Memory]] = {}
        self._next = 0
        self._captured: set[int] = set()  # computations that are captured graphs when nobody looks
        self._batches = threading.Lock()
        self.totals = Totals()

    def begin(self, executable: debug.Computation, addresses: list[int], results: Sequence[Memory]) -> None:
        computation = self._recorder.number_of(executable)
        if computation < 0:
            return
        self._recorder.devices.add(executable.device)
        if getattr(executable.plan, "captures", False):
            self._captured.add(computation)
        now = self._now()
        # results that were allocated before, as those of a bound call, are seen as memory that was given
        first = len(addresses) - len(results)
        used = [
            self._place(address, executable.device, now, computation, n)
            for n, address in enumerate(addresses[:first])
        ]
        for output, memory in enumerate(results):
            number = self._number(memory.address)
            self._events.append(["a", now, number, executable.device, computation, output])
            self._alive[number] = ref(memory, lambda _, number=number: self._freed(number))  # type: ignore[misc]
        self._events.append(["r", now, computation, used])
        self._flush_sometimes()

    def run(self, executable: debug.Computation, addresses: list[int]) -> None:
        super().run(executable, addresses)
        self._events.append(["e", self._now()])

    def _place(self, address: int, device: str, now: float, computation: int, slot: int) -> int:
        """The memory at an address; what was not allocated here was given by somebody."""
        number = self._places.get(address)
        if number is None:
            number = self._number(address)
            self._events.append(["g", now, number, device, computation, slot])
        return number

    def _number(self, address: int) -> int:
        number = self._places[address] = self._next
        self._next += 1
        return number

    def _freed(self, number: int) -> None:
        self._events.append(["f", self._now(), number])
        self._alive.pop(number, None)

    def _now(self) -> float:
        return round(perf_counter() - self._recorder.origin, 9)

    def details(self, recipe: Recipe) -> list[dict[str, Any]]:
        computation = self._recorder.number_of_recipe(recipe)
        depth = int(computation in self._captured)
        return [
            {"computation": computation, "kernel": number, "depth": depth}
            for number in range(len(recipe.steps))
        ]

    def _note(
        self, parts: list[tuple[str, str, str, dict[str, Any]]], times: Sequence[tuple[float, float]]
    ) -> None:
        """Kernels of a captured graph lie below a bar of their own."""
        super()._note(parts, times)
        device, row, _, details = parts[0]
        if details.get("depth"):
            first, last = times[0][0], times[-1][0] + times[-1][1]
            self.add(Span(device, row, f"captured graph, {len(parts)} kernels", first, last - first))

    def add(self, span: Span) -> None:
        self._waiting.append(span)
        self._flush_sometimes()

    def _flush_sometimes(self) -> None:
        waiting = len(self._waiting) + len(self._events)
        if waiting >= _BATCH or (waiting and perf_counter() - self._flushed > _SECONDS):
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        with self._batches:
            spans, self._waiting = self._waiting, []
            events = [self._events.popleft() for _ in range(len(self._events))]
            self._flushed = perf_counter()
        records: list[tuple[str, object]] = []
        if spans:
            columns = _columns(spans, self._recorder.origin)
            self.totals.add(columns)
            records.append(("S", columns))
        if events:
            records.append(("M", events))
        self._recorder.writer.write(*records)


def _columns(spans: Sequence[Span], origin: float) -> dict[str, Any]:
    """Spans as columns: names and rows once, times in whole nanoseconds."""
    names: dict[str, int] = {}
    rows: dict[tuple[str, str], int] = {}
    return {
        "name": [names.setdefault(span.name, len(names)) for span in spans],
        "row": [rows.setdefault((span.device, span.row), len(rows)) for span in spans],
        "start": [round((span.start - origin) * 1e9) for span in spans],
        "duration": [round(span.seconds * 1e9) for span in spans],
        "computation": [span.details.get("computation", -1) for span in spans],
        "kernel": [span.details.get("kernel", -1) for span in spans],
        "depth": [span.details.get("depth", 0) for span in spans],
        "names": list(names),
        "rows": list(rows),
    }


def _about(program: str) -> dict[str, Any]:
    return {
        "saccade": saccade_version(),
        "python": sys.version.split()[0],
        "program": program[:500],
        "started": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "process": os.getpid(),
    }


# --- for users


@contextlib.contextmanager
def record(path: str | os.PathLike[str], program: str | None = None) -> Iterator[Recorder]:
    """Record what is compiled and run inside the block, for `saccade viz PATH`; `program` is its name there,
    else that of this process. A folder that is missing is made; RecordingError, before anything runs, where
    the file cannot be written."""
    called = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]) if sys.argv else ""
    recorder, token = _begin(Path(path), called if program is None else program)
    try:
        with tracking():
            yield recorder
    finally:
        debug.watching.follow(None)
        watching.reset(token)
        recorder.close()


def _begin(path: Path, program: str) -> tuple[Recorder, Token[Watch | None]]:
    if debug.watching.timeline is not None:
        raise RecordingError("a recording or a trace is being made already: one at a time")
    outer = watching.get()
    recorder = Recorder(RecordingWriter(path), program, verify=outer is not None and outer.verify)
    debug.watching.follow(recorder.spans)
    return recorder, watching.set(recorder)


def default_path(program: str) -> Path:
    """`train.py` -> `train.saccade` in this folder."""
    return Path(f"{Path(program).stem or 'program'}{SUFFIX}")


def record_process(wanted: str) -> None:
    """Record until this process ends; the processes it starts are not recorded."""
    import atexit

    path = default_path(sys.argv[0] if sys.argv else "") if wanted in ("1", "true", "yes") else Path(wanted)
    block = record(path)
    block.__enter__()
    atexit.register(block.__exit__, None, None, None)
