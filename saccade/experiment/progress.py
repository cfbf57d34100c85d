"""Who is told how a run goes: a line with rate and time left on a terminal, or nobody.

In: the beginning of a phase, each finished episode, warnings. Out: what a person wants to see meanwhile.

    with terminal_progress(console) as progress:
        progress.begin("eval", total=100, done=20)
        progress.advance(row)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from saccade.experiment.engine.episode import EpisodeRow, Outcome

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress


class Progress(Protocol):
    """Told by the experiment, from one thread."""

    def begin(self, phase: str, total: int, done: int) -> None:
        """A phase of `total` episodes starts, `done` of which were recorded before."""
        ...

    def advance(self, row: EpisodeRow) -> None:
        """An episode was recorded."""
        ...

    def note(self, text: str) -> None:
        """Something a person should know, once."""
        ...


def tell_failures(outcome: Outcome, told: set[str], progress: Progress) -> None:
    """Say which modules have failed meanwhile, each of them once."""
    for name, why in outcome.failures.items():
        if name not in told:
            told.add(name)
            progress.note(f"module {name!r} failed and said nothing on {why}; the others went on")


class Silent:
    """Tells nobody; keeps the notes for whoever asks."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def begin(self, phase: str, total: int, done: int) -> None:
        return

    def advance(self, row: EpisodeRow) -> None:
        return

    def note(self, text: str) -> None:
        self.notes.append(text)


class Notes(Silent):
    """Tells of nothing but what a person should know."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._tell = tell

    def note(self, text: str) -> None:
        super().note(text)
        self._tell(text)


TITLES = {"train": "learning", "eval": "recognising"}


class TerminalProgress:
    """One bar per phase: episodes done, rate, time left, share of correct ones."""

    def __init__(self, bars: RichProgress) -> None:
        self._bars = bars
        self._task: int | None = None
        self._done = 0
        self._judged = 0
        self._correct = 0

    def begin(self, phase: str, total: int, done: int) -> None:
        self._done = self._judged = self._correct = 0
        title = TITLES.get(phase, phase)
        self._task = self._bars.add_task(title, total=total, completed=done, rate="", correct="")

    def advance(self, row: EpisodeRow) -> None:
        from rich.progress import TaskID

        if self._task is None:
            return
        task = TaskID(self._task)
        self._done += 1
        self._judged += row.ending != "explored"
        self._correct += row.correct
        elapsed = self._bars.tasks[self._bars.task_ids.index(task)].elapsed or 0.0
        rate = f"{self._done / elapsed:.1f}/s" if elapsed > 0 else ""
        share = f"{100 * self._correct / self._judged:.1f}% correct" if self._judged else ""
        self._bars.update(task, advance=1, rate=rate, correct=share)

    def note(self, text: str) -> None:
        from rich.markup import escape

        self._bars.console.print(f"[yellow]note[/] {escape(text)}", highlight=False)


@contextlib.contextmanager
def terminal_progress(console: Console) -> Iterator[TerminalProgress]:
    """Bars on `console` while the block runs."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("[bold]{task.description:<11}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("[green]{task.fields[correct]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bars:
        yield TerminalProgress(bars)
