"""Where the time of recognition goes, told while it runs: SACCADE_PROFILE=10 prints a line every 10 s.

In: a recogniser after each of its steps. Out: lines on standard error: steps, rows that are busy, programs
compiled so far, waits for the device, and seconds by part (`Laps`).

    40 s: step 212, 31 of 231 rows busy, 9 programs, 431 waits; gather 12.10 s (212), settle 8.20 s (190), ...
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.experiment.recognise.mind import CortexMind
    from saccade.experiment.recognise.recognise import Recogniser

VARIABLE = "SACCADE_PROFILE"


def interval() -> float | None:
    """Seconds between two lines that the environment asks for; None if it asks for none. What is no number of
    seconds is an error, which whoever makes a run folder wants to know before."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    try:
        every = float(text)
    except ValueError:
        every = math.nan
    if not every >= 0:
        raise ValueError(
            f"{VARIABLE}={text!r} is no number of seconds between two lines: set it to 10, say, or unset it"
        )
    return every


def profiler(mind: CortexMind) -> Callable[[Recogniser], None] | None:
    """Prints where the time went, as often as the environment asks and when all is done; None if it does
    not."""
    every = interval()
    if every is None:
        return None
    from saccade.cortex import ops

    began = last = perf_counter()

    def profile(recogniser: Recogniser) -> None:
        nonlocal last
        now, busy = perf_counter(), sum(slot is not None for slot in recogniser.slots)
        if busy and now - last < every:
            return
        last = now
        print(
            f"{now - began:.0f} s: step {recogniser.steps}, {busy} of {len(recogniser.slots)} rows busy, "
            f"{mind.programs} programs, {ops.waits} waits; {recogniser.laps}",
            file=sys.stderr,
            flush=True,
        )

    return profile
