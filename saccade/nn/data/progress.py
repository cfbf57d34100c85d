"""A line that says how far an epoch is: batches, rate, time left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def shown(batches: Iterable[Any], total: int, done: int, epoch: int, wanted: bool) -> Iterator[Any]:
    """The batches; a bar on a terminal (stderr) counts them if it is wanted."""
    if not wanted:
        yield from batches
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("epoch {task.fields[epoch]}"), BarColumn(), MofNCompleteColumn(),
               TextColumn("{task.fields[rate]}"), TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True)) as bars:
        task = bars.add_task("", total=total, completed=done, epoch=epoch, rate="")
        for batch in batches:
            yield batch
            speed = bars.tasks[0].speed
            bars.update(task, advance=1, rate=f"{speed:.1f} batches/s" if speed else "")
