"""The results table, for a terminal.

In: episode rows or summaries. Out: rich tables with the columns correct %, used-MLH %, steps over all
episodes and over those that ended by a match, rotation error (mean and median up to symmetry, mean up to
that of shape, mean as the reference judges), run time, seconds per episode, and the time split into world,
modules and recording.

    console.print(results_table([("default", measure(rows))]))
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.markup import escape
from rich.table import Table

from saccade.experiment.report.blame import Account
from saccade.experiment.report.compare import Comparison
from saccade.experiment.report.metrics import Metrics

COLUMNS = (
    "experiment",
    "episodes",
    "correct %",
    "used MLH %",
    "steps",
    "match steps",
    "rotation error °",
    "median °",
    "of shape °",
    "as Monty °",
    "run time",
    "s/episode",
    "world s",
    "modules s",
    "recording s",
)
OBJECT_COLUMNS = (
    "object",
    "episodes",
    "correct %",
    "steps",
    "error °",
    "of shape °",
    "as Monty °",
)


def number(value: float | None, digits: int = 1) -> str:
    """A figure for a table, in few characters whatever it is."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:.{digits}f}" if abs(value) < 1e12 else f"{value:.3g}"


def plain(text: object) -> str:
    """A text of somebody else's for a terminal: neither markup nor control characters."""
    return escape("".join(c if c.isprintable() else "�" for c in str(text)))


def duration(seconds: float | None) -> str:
    """Seconds as a person says them: 42.1 s, 3 min 05 s, 2 h 10 min."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"


def cells(name: str, figures: Mapping[str, Any]) -> list[str]:
    """One line of the table from the figures of `Metrics`, as attributes or as read from a summary."""
    return [
        plain(name),
        str(figures["episodes"]),
        number(figures["correct"]),
        number(figures["used_mlh"]),
        number(figures.get("steps")),
        number(figures["match_steps"]),
        number(figures["rotation_error"]),
        number(figures.get("rotation_error_median")),
        number(figures.get("rotation_error_shape")),
        number(figures.get("rotation_error_reference")),
        duration(figures.get("seconds")),
        number(figures.get("seconds_per_episode"), 3),
        number(figures.get("seconds_world"), 2),
        number(figures.get("seconds_modules"), 2),
        number(figures.get("seconds_recording"), 2),
    ]


def results_table(
    lines: Iterable[tuple[str, Metrics | Mapping[str, Any]]], width: int = 120, title: str = ""
) -> Table:
    """A line per run; where that is wider than `width` characters, a column per run instead."""
    grid = [list(COLUMNS)]
    for name, figures in lines:
        mapping = {**figures.results(), **figures.timing()} if isinstance(figures, Metrics) else figures
        grid.append(cells(name, mapping))
    needed = 1 + sum(3 + max(map(len, column)) for column in zip(*grid))
    if needed > width:
        grid = [list(column) for column in zip(*grid)]
    table = Table(title=title or None, title_justify="left")
    for index, column in enumerate(grid[0]):
        table.add_column(column, justify="left" if index == 0 else "right", overflow="fold")
    for line in grid[1:]:
        table.add_row(*line)
    return table


def summary_table(summary: Mapping[str, Any], width: int = 120) -> Table:
    """The table of a run's summary: recognition, and learning where it recognises too."""
    lines: list[tuple[str, Mapping[str, Any]]] = []
    results, timing = summary["results"], summary["timing"]
    if "train" in results and "first_epoch" in results["train"]:
        lines.append((f"{summary['name']}: first epoch", results["train"]["first_epoch"]))
        lines.append((f"{summary['name']}: later epochs", results["train"]["later_epochs"]))
        lines.append((f"{summary['name']}: all epochs", {**results["train"], **timing["train"]}))
    elif "train" in results and "eval" not in results:
        lines.append((f"{summary['name']}: learning", {**results["train"], **timing["train"]}))
    if "eval" in results:
        if "unknown" in results["eval"]:
            lines.append((f"{summary['name']}: known objects", results["eval"]["known"]))
            lines.append((f"{summary['name']}: unknown objects", results["eval"]["unknown"]))
        lines.append((summary["name"], {**results["eval"], **timing["eval"]}))
    return results_table(lines, width)


def comparison_tables(comparison: Comparison, width: int = 120) -> list[Table]:
    """Figures; episodes that came out differently, with how likely that is by luck; settings that differ, and
    what the runs were computed with where that differs."""
    titles = [
        name if done else f"{name} (not complete)"
        for name, done in zip(comparison.names, comparison.complete)
    ]
    tables = [results_table(zip(titles, comparison.figures), width)]
    if len(comparison.names) > 1:
        paired = Table(title=f"same episodes, against {plain(comparison.names[0])}", title_justify="left")
        for column in ("run", "better", "worse", "by chance"):
            paired.add_column(column, justify="left" if column == "run" else "right", overflow="fold")
        for index, name in enumerate(comparison.names[1:], start=1):
            chance = f"{comparison.chance[index]:.3f}"
            paired.add_row(plain(name), str(comparison.better[index]), str(comparison.worse[index]), chance)
        tables.append(paired)
    for title, column, differing in (
        ("settings that differ", "setting", comparison.differences),
        ("computed with", "what", comparison.environments),
    ):
        if differing:
            table = Table(title=title, title_justify="left")
            table.add_column(column, overflow="fold")
            for name in comparison.names:
                table.add_column(plain(name), overflow="fold")
            for key, values in differing.items():
                table.add_row(key, *map(plain, values))
            tables.append(table)
    return tables


def error_lines(accounts: Iterable[Account]) -> Iterator[str]:
    """Lines for each episode that went wrong: what happened, what decided, where the truth lost most."""
    for each in accounts:
        row = each.row
        off = f", {number(row.rotation_error)}° off" if math.isfinite(row.rotation_error) else ""
        yield f"{plain(row.id)}  {plain(row.object)}: reported {plain(row.detected or 'nothing')}{off}"
        if each.missing:
            yield f"    {plain(each.verdict)}"
            continue
        gains = ", ".join(f"{kind} {value:+.1f}" for kind, value in each.by_kind.items())
        yield f"    {each.verdict} (the truth against {plain(each.won_object)}: {gains})"
        lost = ", ".join(f"{step} by {kind} {value:+.1f}" for step, kind, value in each.worst)
        yield f"    lost most at step {lost}" if lost else "    lost at no step"


def objects_table(summary: Mapping[str, Any], phase: str = "eval") -> Table:
    """One line per object; titles are folded rather than names, and names rather than cut off."""
    table = Table(title=None)
    table.add_column(OBJECT_COLUMNS[0], overflow="fold")
    for column in OBJECT_COLUMNS[1:]:
        table.add_column(column, justify="right", max_width=max(map(len, column.split())))
    for name, figures in summary["results"].get(phase, {}).get("objects", {}).items():
        table.add_row(
            plain(name),
            str(figures["episodes"]),
            number(figures["correct"]),
            number(figures.get("steps")),
            number(figures["rotation_error"]),
            number(figures.get("rotation_error_shape")),
            number(figures.get("rotation_error_reference")),
        )
    return table
