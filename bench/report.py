"""The tables and the JSON of a run.

In: rows, each either a timed case (`Timing`) or a count (`Count`). Out: two rich tables for a person (ours
against the best, then everybody's times) with the failures spelled out below them, or one JSON document.
"""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.case import OURS, PEERS, Target, Work
from bench.machine import Machine
from bench.rounds import Figure
from bench.structure import Count


@dataclass(frozen=True)
class Timing:
    """One timed case with everybody's figures."""

    name: str
    title: str
    target: Target
    figures: dict[str, Figure]
    work: Work | None = None
    floor: float | None = None

    @property
    def ours(self) -> float | None:
        figure = self.figures.get(OURS)
        return figure.seconds if figure else None

    def best_peer(self) -> tuple[str, float] | None:
        """The fastest of the peers that the target counts, and its seconds."""
        times = [
            (figure.seconds, name)
            for name, figure in self.figures.items()
            if name in self.target.against and figure.seconds is not None
        ]
        if not times:
            return None
        seconds, name = min(times)
        return name, seconds

    def ratio(self) -> float | None:
        """The best peer's time over ours: above 1 we are faster."""
        best = self.best_peer()
        return best[1] / self.ours if best and self.ours else None

    def passed(self) -> bool | None:
        """None when the target needs a peer that is not here, or when we were not measured."""
        if OURS not in self.figures:
            return None
        if self.ours is None:
            return False
        if self.target.seconds is not None and self.ours > self.target.seconds:
            return False
        if self.target.ratio is None:
            return True
        ratio = self.ratio()
        return None if ratio is None else ratio >= self.target.ratio


@dataclass
class Report:
    """Everything one run found."""

    machine: Machine
    threads: int
    quick: bool
    versions: dict[str, str]
    missing: list[str]
    timings: list[Timing] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)

    def failed(self) -> list[str]:
        """The names of the rows that missed their target."""
        return [row.name for row in self.timings if row.passed() is False] + [
            count.name for count in self.counts if not count.passed
        ]

    def as_json(self) -> dict[str, Any]:
        return {
            "machine": asdict(self.machine) | {"processor": platform.machine(), "system": platform.system()},
            "threads": self.threads,
            "quick": self.quick,
            "versions": self.versions,
            "missing": self.missing,
            "cases": [
                {
                    "name": row.name,
                    "title": row.title,
                    "target": asdict(row.target),
                    "floor": row.floor,
                    "ratio": row.ratio(),
                    "passed": row.passed(),
                    "work": asdict(row.work) if row.work else None,
                    "figures": {name: asdict(figure) for name, figure in row.figures.items()},
                }
                for row in self.timings
            ],
            "counts": [asdict(count) for count in self.counts],
        }


def seconds_text(seconds: float | None) -> str:
    """
    >>> [seconds_text(t) for t in (None, 2.5, 0.0314, 0.0000021)]
    ['-', '2.50 s', '31.4 ms', '2.1 us']
    """
    if seconds is None:
        return "-"
    for scale, unit, digits in ((1.0, "s", 2), (1e-3, "ms", 1)):
        if seconds >= scale:
            return f"{seconds / scale:.{digits}f} {unit}"
    return f"{seconds * 1e6:.1f} us"


def target_text(target: Target) -> str:
    parts = []
    if target.ratio is not None:
        parts.append(
            f"{target.ratio:g} of {'best' if target.against == PEERS else ', '.join(target.against)}"
        )
    if target.seconds is not None:
        parts.append(f"at most {seconds_text(target.seconds)}")
    return "; ".join(parts)


def verdict_text(passed: bool | None) -> str:
    return {True: "[green]pass[/]", False: "[red]FAIL[/]", None: "[yellow]no peer[/]"}[passed]


def ours_table(report: Report) -> Table:
    table = Table(title="saccade against the best peer", title_justify="left", header_style="bold")
    for column in ("case", "saccade", "rate", "floor", "best peer", "ratio", "target", ""):
        table.add_column(column, justify="left" if column in ("case", "best peer", "target", "") else "right")
    for row in report.timings:
        best, ratio = row.best_peer(), row.ratio()
        rate = "-"
        if row.work is not None and row.ours is not None:
            value, unit = row.work.rate(row.ours)
            rate = f"{value:.3g} {unit}"
        table.add_row(
            row.title,
            seconds_text(row.ours) if row.ours is not None else "failed" if OURS in row.figures else "-",
            rate,
            seconds_text(row.floor),
            f"{best[0]} {seconds_text(best[1])}" if best else "-",
            f"{ratio:.2f}" if ratio is not None else "-",
            target_text(row.target),
            verdict_text(row.passed()) if OURS in row.figures else "",
        )
    return table


def line(row: Timing) -> str:
    """One case in a line, for while the others still run."""
    best, ratio = row.best_peer(), row.ratio()
    peer = f", {best[0]} {seconds_text(best[1])}" if best else ""
    return f"{row.title}: {seconds_text(row.ours)}{peer}" + (f", ratio {ratio:.2f}" if ratio else "")


def everyone_table(report: Report) -> Table:
    """Times, with the slowdown against the fastest contender of the row."""
    names = [name for name in (OURS, *PEERS) if name in report.versions]
    table = Table(
        title="everyone, and how much slower than the fastest", title_justify="left", header_style="bold"
    )
    table.add_column("case")
    for name in names:
        table.add_column(f"{name}\n{report.versions[name]}", justify="right")
    for row in report.timings:
        fastest = min((f.seconds for f in row.figures.values() if f.seconds is not None), default=None)
        table.add_row(row.title, *(cell(row.figures.get(name), fastest) for name in names))
    return table


def cell(figure: Figure | None, fastest: float | None) -> str:
    if figure is None:
        return ""
    if figure.seconds is None or fastest is None:
        return "[red]failed[/]"
    text = f"{seconds_text(figure.seconds)} ({figure.seconds / fastest:.2f})"
    return f"[bold]{text}[/]" if figure.seconds == fastest else text


def counts_table(report: Report) -> Table:
    table = Table(title="counts", title_justify="left", header_style="bold")
    for column in ("what", "found", "wanted", ""):
        table.add_column(column)
    for count in report.counts:
        table.add_row(count.title, escape(count.found), count.wanted, verdict_text(count.passed))
    return table


def show(report: Report, console: Console) -> None:
    machine = report.machine
    console.print(
        f"{report.threads} threads; this machine now: copying {machine.copy / 1e9:.1f} GB/s, "
        f"reading {machine.read / 1e9:.1f} GB/s, {machine.flops / 1e9:.1f} float32 GFLOP/s (the floor)"
    )
    if report.quick:
        console.print(
            "[yellow]--quick: small inputs and few rounds; the figures only show that everything runs[/]"
        )
    if report.timings:
        console.print(ours_table(report))
        console.print(everyone_table(report))
    if report.counts:
        console.print(counts_table(report))
    if report.missing:
        names = ", ".join(report.missing)
        console.print(f"[yellow]not installed:[/] {names} (`make peers` installs the peers)")
    for (name, error), titles in failures(report).items():
        console.print(f"[red]{name} failed[/] on {'; '.join(titles)}: {escape(error)}")
    failed = report.failed()
    total = sum(row.passed() is not None for row in report.timings) + len(report.counts)
    missed = f"; missed: {', '.join(failed)}" if failed else ""
    console.print(f"{total - len(failed)} of {total} targets met{missed}")


def failures(report: Report) -> dict[tuple[str, str], list[str]]:
    """Which cases each error stopped: one cause often stops many."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in report.timings:
        for name, figure in row.figures.items():
            if figure.error is not None:
                found.setdefault((name, figure.error), []).append(row.title)
    return found
