"""Whether the hypotheses of all rows fit into a device's memory, told before the first step.

In: what modules know, and for how many rows. Out: nothing, or a MemoryError with the rows that fit.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from saccade import Device
from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.ops import in_host_memory

MEMINFO = Path("/proc/meminfo")
_budget: int | None = None
_sharers = 1


def limit(budget: int | None, sharers: int = 1) -> None:
    """Count on so many bytes at most from now on, because so many processes share the rows and the memory;
    None: on an even part of what is free."""
    global _budget, _sharers
    _budget, _sharers = budget, sharers


def free_bytes(device: str | None) -> int | None:
    """What is left of the memory that tensors of a device lie in, or of this process' part of it; None where
    nobody can tell."""
    free = unused_bytes(device)
    if free is None:
        return None
    return free // _sharers if _budget is None else min(free, _budget)


def unused_bytes(device: str | None) -> int | None:
    """What is left of that memory for all processes together."""
    found = Device[Device.canonical(device)]
    if not found.host_memory:
        free: int | None = getattr(found, "free_bytes", None)
        return free
    try:
        lines = MEMINFO.read_text().splitlines()
    except OSError:  # not Linux
        return None
    told = [line.split() for line in lines if line.startswith("MemAvailable:")]
    return int(told[0][1]) * 1024 if told else None


def rotations_are_stored(device: str | None) -> bool:
    """Whether those that bursts make are, if nobody wishes otherwise: a GPU computes them of what they came
    from, in half the memory; for a processor that would be more work than loading them (ten episodes of 43
    objects on two Neoverse N1: 16.0 s of processor time instead of 11.8)."""
    return in_host_memory(device)


def check_rows(
    rows: int, together: int, known: Knowledge, device: str | None, stored: bool, voted: bool = False,
    packed: bool = False,
) -> None:  # fmt: skip
    """MemoryError if hypotheses of so many rows cannot be held, and those of the rows that step `together` a
    second time: as they were before a step and after it. stored: with their rotations;
    voted: with what they had before votes; packed: those of rows that do not step are."""
    check_room(rows, together, known, stored, free_bytes(device), _sharers, voted=voted, packed=packed)


def check_room(
    rows: int,
    together: int,
    known: Knowledge,
    stored: bool,
    free: int | None,
    sharers: int = 1,
    made: Callable[[int], int] = int,
    voted: bool = False,
    packed: bool = False,
) -> None:
    """The same with so many bytes free, for each of the processes that share the rows; made: the rows that
    there are where somebody wishes for so many."""
    # a row that steps is there a second time, not packed
    row, stepping = known.row_bytes(stored, voted, packed), known.row_bytes(stored, voted)
    what = f"{len(known.memories)} x {known.objects} x {known.first_size()} hypotheses"
    check_bytes(rows, together, row, stepping, what, free, sharers, made)


def check_bytes(
    rows: int,
    together: int,
    row: int,
    stepping: int,
    what: str,
    free: int | None,
    sharers: int = 1,
    made: Callable[[int], int] = int,
) -> None:
    """The same of whatever a row holds: `row` bytes, and `stepping` more while it steps. what: says so, by
    modules, objects and places."""
    needed = rows * row + together * stepping
    if free is None or needed <= free:
        return
    fit = free // (row + stepping) if together == rows else (free - together * stepping) // row
    while fit > 0 and made(fit) > fit:
        fit -= 1
    raise MemoryError(
        f"{rows * sharers} rows of {what} (modules, objects, places) need "
        f"{_number(needed * sharers / 1e9)} GB, {_number(needed / rows / 1e6)} MB each, and "
        f"{_number(free * sharers / 1e9)} GB are free{f' for {sharers} processes' if sharers > 1 else ''}: "
        f"{f'at most {fit * sharers} rows fit' if fit > 0 else 'not even one row fits'}"
    )


def _number(value: float) -> str:
    """With three digits, or all in front of the point."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
