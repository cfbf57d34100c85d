"""Where the time goes: seconds by the name of a part of the work, measured from lap to lap.

    laps = Laps()
    laps.begin()
    felt = sense(...)
    laps.lap("sense")

A lap costs a fifth of a microsecond, so nobody turns them off.
"""

from __future__ import annotations

from collections import Counter
from time import perf_counter


class Laps:
    """Seconds of each part so far, and how often it was done."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.times: Counter[str] = Counter()
        self._last = perf_counter()

    def begin(self) -> None:
        """What was done since the last lap belongs to nobody here."""
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        """What was done since the last lap, or since `begin`, was this."""
        now = perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self.times[name] += 1
        self._last = now

    def __str__(self) -> str:
        """The parts, the longest first.

        >>> laps = Laps()
        >>> laps.seconds["goals"], laps.times["goals"] = 1.5, 3
        >>> str(laps)
        'goals 1.50 s (3)'
        """
        longest = sorted(self.seconds.items(), key=lambda part: -part[1])
        return ", ".join(f"{name} {spent:.2f} s ({self.times[name]})" for name, spent in longest)
