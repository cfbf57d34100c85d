"""Whether the hypotheses of all rows fit into a device's memory, told before the first step.

In: what modules know, and for how many rows. Out: nothing, or a MemoryError with the rows that fit.
"""

from __future__ import annotations

from pathlib import Path

from saccade import Device
from saccade.cortex.bank.knowledge import Knowledge

MEMINFO = Path("/proc/meminfo")


def free_bytes(device: str | None) -> int | None:
    """What is left of the memory that tensors of a device lie in; None where nobody can tell."""
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


def check_rows(rows: int, together: int, known: Knowledge, device: str | None) -> None:
    """MemoryError if hypotheses of so many rows cannot be held, and those of the rows that step `together` a
    second time: as they were before a step and after it."""
    free = free_bytes(device)
    needed = (rows + together) * known.row_bytes
    if free is None or needed <= free:
        return
    shape = f"{len(known.memories)} x {known.objects} x {known.first_size()}"
    fit = free // (2 * known.row_bytes) if together == rows else free // known.row_bytes - together
    raise MemoryError(
        f"{rows} rows of {shape} hypotheses (modules, objects, places) need {needed / 1e9:.1f} GB, "
        f"{needed / rows / 1e6:.1f} MB each, and {free / 1e9:.1f} GB are free: "
        f"{f'at most {fit} rows fit' if fit > 0 else 'not even one row fits'}"
    )
