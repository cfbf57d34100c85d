"""What many spans come to: how often each kernel ran and how long, and when everything was.

A recorder adds up as it writes and leaves the result at the end of its file, so that a large recording opens
at once. One that was cut is added up by its reader.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Totals:
    """`kernels`: by computation and kernel, how often it ran, its best and its sum of seconds. Of all spans:
    how many, the first start and the last end in nanoseconds."""

    kernels: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    count: int = 0
    first: int | None = None
    last: int = 0

    def add(self, spans: dict[str, Any]) -> None:
        """Spans as columns."""
        columns = (spans[name] for name in ("computation", "kernel", "start", "duration"))
        for computation, kernel, start, duration in zip(*columns, strict=True):
            self.count += 1
            self.first = start if self.first is None else min(self.first, start)
            self.last = max(self.last, start + duration)
            if computation >= 0:
                seconds = duration * 1e-9
                seen = self.kernels.setdefault((computation, kernel), [0, seconds, 0.0])
                seen[0] += 1
                seen[1] = min(seen[1], seconds)
                seen[2] += seconds

    def told(self) -> dict[str, Any]:
        kernels = [[*place, *seen] for place, seen in self.kernels.items()]
        return {"kernels": kernels, "count": self.count, "first": self.first, "last": self.last}

    @staticmethod
    def of(told: dict[str, Any]) -> Totals:
        """What `told` told."""
        kernels = {(computation, kernel): list(seen) for computation, kernel, *seen in told["kernels"]}
        return Totals(kernels, told["count"], told["first"], told["last"])
