"""Whether the hypotheses of all rows fit into a device's memory, told before the first step.

In: a state that one row needs, as shapes and kinds. Out: nothing, or a MemoryError with the rows that fit.
"""

from __future__ import annotations

from pathlib import Path

from saccade import Device

#: states that are there at once: the one before a step and the one after it
STATES = 2
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


def check_rows(rows: int, row_bytes: int, about: str, device: str | None) -> None:
    """MemoryError if hypotheses of `row_bytes` a row cannot be held for so many rows."""
    free = free_bytes(device)
    needed = STATES * rows * row_bytes
    if free is None or needed <= free:
        return
    fit = free // (STATES * row_bytes)
    raise MemoryError(
        f"{rows} rows of {about} need {needed / 1e9:.1f} GB, {STATES * row_bytes / 1e6:.1f} MB each, and "
        f"{free / 1e9:.1f} GB are free: {f'at most {fit} rows fit' if fit else 'not even one row fits'}"
    )
