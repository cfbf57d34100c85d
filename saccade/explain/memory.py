"""Where the memory of a program goes: live bytes over time, their peak, and who made each buffer.

    >>> print(explain_memory("train.py"))             # or saccade explain --memory train.py
    on cpu: 3 computations, peak 41.2 MB in kernel 12 of computation 3
      at the peak              bytes   made by           line
      result                  16.8 M   add_1024x4096     train.py:14
      between, kept for backward 8.4 M mul_512x4096      model.py:9
      ...
    kept for backward: 25.1 MB; checkpoint around model.py:9 would save up to 16.8 MB, for 4.3 GFLOP more

Memory is of two kinds: *held* (inputs and results of computations, from when they are first seen until nobody
has them), and *between* the kernels of a computation (its arena), kernel by kernel. Nothing is measured: the
schedule says it all, so a model is sized on the null device, which holds no values (`SACCADE_DEVICE=null`).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from ..graph.origin import inherit, origin_of, running_line, tracking
from ..graph.rewriting.passes import Watch, watch
from ..runtime.watch.debug import Computation, size_text, watching
from ..runtime.watch.timeline import Span, Timeline

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..graph.node import Node
    from ..runtime.device import Memory
    from ..runtime.recipe import Recipe
    from ..schedule.kernel_graph import GraphBuffer, Item, KernelGraph

#: rows of the table of the peak
_ROWS: Final = 20

INPUT, RESULT, BETWEEN = "input", "result", "between"


@dataclass(frozen=True)
class Live:
    """Memory that is there at the peak."""

    kind: str
    nbytes: int
    maker: str = ""
    line: str = ""
    kept: bool = False  # made forward, and read backward


@dataclass(frozen=True)
class Kept:
    """What the lines of forward code keep for backward, and what it takes to compute it again."""

    line: str
    nbytes: int
    operations: int
    buffers: int


@dataclass
class MemoryReport:
    """Of one device: live bytes at each kernel of each computation, in order, and the highest of them."""

    device: str
    curve: list[int] = field(default_factory=list)
    peak: int = 0
    #: the computation and the kernel of the peak, from 1
    place: tuple[int, int] = (0, 0)
    live: list[Live] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    #: what is not kept, but computed again (`keep_within`), by the lines that made it
    again: list[Kept] = field(default_factory=list)
    computations: int = 0

    @property
    def kept_bytes(self) -> int:
        return sum(kept.nbytes for kept in self.kept)

    def as_dict(self) -> dict[str, Any]:
        return {
            "device": self.device, "computations": self.computations, "peak": self.peak, "place": self.place,
            "curve": self.curve, "live": [vars(live) for live in self.live],
            "kept_for_backward": [vars(kept) for kept in self.kept],
            "computed_again": [vars(again) for again in self.again],
        }  # fmt: skip


@dataclass
class MemoryExplanation:
    """A report for each device that was used."""

    reports: list[MemoryReport]

    def as_dict(self) -> dict[str, Any]:
        return {"devices": [report.as_dict() for report in self.reports]}

    def __rich__(self) -> RenderableType:
        from rich.console import Group

        if not self.reports:
            return "nothing was computed: a tensor is computed when it is realised or read"
        return Group(*[part for report in self.reports for part in _told(report)])

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=160).print(self)
        return text.getvalue()


def explain_memory(
    target: Callable[[], object] | str | Path, arguments: Sequence[str] = ()
) -> MemoryExplanation:
    """Run a function without arguments, or a script with these, and tell where memory went."""
    from .report import run_script

    kernels = _Kernels()
    timeline = _Ledger(kernels)
    before = watching.timeline
    with watch(kernels), tracking():
        watching.follow(timeline)
        try:
            if callable(target):
                target()
            else:
                run_script(Path(target), arguments)
        finally:
            watching.follow(before)
    return MemoryExplanation(list(timeline.reports.values()))


class _Kernels(Watch):
    """The kernels of every computation, with the lines that asked for them. Keeps no passes."""

    def __init__(self) -> None:
        super().__init__(record=True, sparing=True)
        self._graphs: dict[int, tuple[Recipe, KernelGraph]] = {}

    def step(self, rule: Any, before: Node, after: Node) -> None:
        inherit(after, origin_of(before))

    def made(self, recipe: Any, kernels: Any, device: str) -> None:
        self._graphs[id(recipe)] = (recipe, kernels)
        self.passes = []

    def of(self, executable: Computation) -> KernelGraph | None:
        """None for a computation whose graph nobody wrote down."""
        found = self._graphs.get(id(executable.recipe))
        if found is None and executable.form is not None:  # compiled before anybody looked
            from ..tensor.programs.prepare import scheduled

            self.made(executable.recipe, scheduled(executable.form, executable.device), executable.device)
            found = self._graphs[id(executable.recipe)]
        return None if found is None else found[1]


class _Ledger(Timeline):
    """What is held, by address, and a report for each device."""

    def __init__(self, kernels: _Kernels) -> None:
        super().__init__()
        self.reports: dict[str, MemoryReport] = {}
        self._kernels = kernels
        self._held: dict[str, dict[int, Live]] = {}
        self._alive: dict[tuple[str, int], ref[Memory]] = {}
        #: by program, the line that ran it first
        self._first_run: dict[int, str] = {}

    def add(self, span: Span) -> None:
        """Times are not what is asked for."""

    def begin(self, executable: Computation, addresses: list[int], results: Sequence[Memory]) -> None:
        graph = self._kernels.of(executable)
        if graph is None:
            return
        device = executable.device
        held = self._held.setdefault(device, {})
        first = len(addresses) - len(results)
        # lines in a graph are those of who had it compiled: another line that computes the same says its own
        running = running_line()
        others = "" if self._first_run.setdefault(id(graph), running) == running else running
        slots: dict[int, GraphBuffer] = {b.slot: b for b in graph.buffers if b.role != BETWEEN}
        for slot, address in enumerate(addresses[:first]):
            if slot in slots and address not in held:
                held[address] = Live(INPUT, slots[slot].nbytes, "given", slots[slot].line)
        for slot, memory in enumerate(results, first):
            buffer = slots.get(slot)
            if buffer is not None:
                maker, line = _made_by(buffer)
                held[memory.address] = Live(RESULT, buffer.nbytes, maker, others or line)
                self._watch(device, memory)
        report = self.reports.setdefault(device, MemoryReport(device))
        report.computations += 1
        _count(report, graph, sum(live.nbytes for live in held.values()), list(held.values()))

    def _watch(self, device: str, memory: Memory) -> None:
        place = (device, memory.address)

        def gone(_: object) -> None:
            self._held[device].pop(place[1], None)
            self._alive.pop(place, None)

        self._alive[place] = ref(memory, gone)


def _count(report: MemoryReport, graph: KernelGraph, held: int, others: list[Live]) -> None:
    """One more computation: its kernels one after the other."""
    between = [buffer for buffer in graph.buffers if buffer.role == BETWEEN]
    changes = [0] * (len(graph.items) + 1)
    for buffer in between:
        changes[buffer.first] += buffer.nbytes
        changes[buffer.last + 1] -= buffer.nbytes
    live, curve = held, []
    for change in changes[:-1]:
        live += change
        curve.append(live)
    report.curve += curve or [held]
    top = max(curve, default=held)
    if top <= report.peak:
        return
    place = curve.index(top) if curve else 0
    report.peak, report.place = top, (report.computations, place + 1)
    there = [b for b in between if b.first <= place <= b.last]
    inside = [Live(BETWEEN, b.nbytes, *_made_by(b), kept=_is_kept(b)) for b in there]
    report.live = sorted([*others, *inside], key=lambda each: -each.nbytes)
    report.kept = _by_line([b for b in between if _is_kept(b)])
    report.again = _by_line([b for b in between if b.again])


def _made_by(buffer: GraphBuffer | None) -> tuple[str, str]:
    if buffer is None or buffer.maker is None:
        return "", ""
    return buffer.maker.name, buffer.line


def _is_kept(buffer: GraphBuffer) -> bool:
    """Is it made by forward code and read by backward's?"""
    if not buffer.line or buffer.backward:
        return False
    return any(_is_of_backward(item) for item in buffer.readers)


def _is_of_backward(item: Item) -> bool:
    return any(written.backward for written in item.writes)


def _by_line(buffers: list[GraphBuffer]) -> list[Kept]:
    by_line: dict[str, list[GraphBuffer]] = {}
    for buffer in buffers:
        by_line.setdefault(buffer.line, []).append(buffer)
    found = [
        Kept(
            line,
            sum(buffer.nbytes for buffer in some),
            sum(buffer.maker.operations for buffer in some if buffer.maker is not None),
            len(some),
        )
        for line, some in by_line.items()
    ]
    return sorted(found, key=lambda kept: -kept.nbytes)


def _told(report: MemoryReport) -> list[RenderableType]:
    from rich.table import Table

    computation, kernel = report.place
    title = (
        f"on {report.device}: {report.computations} computation{'' if report.computations == 1 else 's'}, "
        f"peak {size_text(report.peak)}B at kernel {kernel} of computation {computation}"
    )
    table = Table(title=title, title_justify="left")
    table.add_column("at the peak")
    table.add_column("bytes", justify="right")
    table.add_column("made by", overflow="fold")
    table.add_column("line")
    for live in report.live[:_ROWS]:
        kind = f"{live.kind}, kept for backward" if live.kept else live.kind
        table.add_row(kind, size_text(live.nbytes), live.maker, live.line)
    rest = report.live[_ROWS:]
    if rest:
        table.add_row(f"{len(rest)} more", size_text(sum(live.nbytes for live in rest)), "", "")
    parts: list[RenderableType] = [table, f"over time: {_bars(report.curve, report.peak)}"]
    if report.kept:
        parts.append(f"kept for backward at the peak: {size_text(report.kept_bytes)}B")
        parts += [
            f"  checkpoint around {kept.line} would save up to {size_text(kept.nbytes)}B "
            f"({kept.buffers} values), for {size_text(kept.operations)}FLOP more"
            for kept in report.kept[:5]
        ]
    if report.again:
        parts.append(f"computed again: {size_text(sum(again.nbytes for again in report.again))}B")
        parts += [
            f"  of {again.line or 'lines unknown'} {size_text(again.nbytes)}B ({again.buffers} values), "
            f"for {size_text(again.operations)}FLOP"
            for again in report.again[:5]
        ]
    return parts


def _bars(curve: list[int], peak: int, columns: int = 80) -> str:
    """Live bytes as a line of blocks, the highest of each stretch."""
    size = -(-len(curve) // columns)
    tops = [max(curve[start : start + size]) for start in range(0, len(curve), size)]
    return "".join(" ▁▂▃▄▅▆▇█"[round(8 * top / max(peak, 1))] for top in tops)
