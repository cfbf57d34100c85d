"""The feature-change filter as a tensor program: what `change` decides, where sensations are computed.

Comes in: the columns of sensations and a memory of what each sensor passed last, rows of `MEMORY` numbers.
Goes out: which sensations are news, and the memory after passing those. The formulas are those of `change`.
The memory never leaves the device; a row that begins an episode has none, so a reset sends nothing.

    news, memory = passed(ChangeThresholds(), percept, usable, memory, begun)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.program import Program
from saccade.cortex.geometry import Vector, dot, subtract
from saccade.cortex.ops import blank, cast, logical_and, minimum, upload, where
from saccade.cortex.sense.change import ChangeMemory, ChangeThresholds
from saccade.cortex.sense.noise_program import Percept
from saccade.reproducible import cosine_of
from saccade.tensor import Tensor

Ints = npt.NDArray[np.int64]

#: numbers kept of what a sensor passed last: location, normal, hsv, curvatures_log, held, begun
LOCATION, NORMAL, HSV, LOGS, HELD, BEGUN = 0, 3, 6, 9, 11, 12
MEMORY = 13


def passed(
    thresholds: ChangeThresholds, felt: Percept, usable: Tensor, memory: Tensor, fresh: Tensor
) -> tuple[Tensor, Tensor]:
    """Which usable sensations (B,) are news, and the memory (B, MEMORY) after passing those. fresh (B,): of
    rows that have just begun, whose memory counts for nothing."""
    begun = (memory[:, BEGUN] > 0.5) & ~fresh
    held = where(fresh, 0.0, memory[:, HELD])
    news = usable & (~begun | _differs(thresholds, felt, memory, held))
    now = [*felt.location, *felt.vectors[0], *felt.hsv, *felt.curvatures_log]
    kept = [where(news, value, memory[:, column]) for column, value in enumerate(now)]
    counted = where(news, 0.0, held + cast(usable, "float64"))
    return news, Tensor.stack([*kept, counted, cast(begun | news, "float64")], -1)


def _differs(thresholds: ChangeThresholds, felt: Percept, memory: Tensor, held: Tensor) -> Tensor:
    def last(column: int) -> Vector:
        return memory[:, column], memory[:, column + 1], memory[:, column + 2]

    found = []
    if thresholds.distance is not None:
        way = subtract(felt.location, last(LOCATION))
        found.append(dot(way, way).sqrt() > thresholds.distance)
    if thresholds.steps is not None:
        found.append(held >= float(thresholds.steps))
    if thresholds.hsv is not None:
        gaps = [(now - then).abs() for now, then in zip(felt.hsv, last(HSV), strict=True)]
        gaps[0] = minimum(gaps[0], (1.0 - gaps[0]).abs())  # hue is circular
        found += [gap > most for gap, most in zip(gaps, thresholds.hsv, strict=True)]
    if thresholds.normal_angle is not None:
        found.append(dot(felt.vectors[0], last(NORMAL)) <= cosine_of(thresholds.normal_angle))
    if thresholds.curvatures_log is not None:
        pairs = zip(felt.curvatures_log, thresholds.curvatures_log, strict=True)
        found += [(now - memory[:, LOGS + i]).abs() > most for i, (now, most) in enumerate(pairs)]
    # one is enough: not all of them are missing
    return ~logical_and(*(~one for one in found)) if found else held < 0.0


# --- from step to step


@Program
def _taken(memory: Tensor, index: Tensor) -> Tensor:
    """Some rows of a memory."""
    return memory[index]


@dataclass(frozen=True)
class ResidentChanges:
    """A `ChangeMemory` on a device: memory (room * S, MEMORY). rows (R,): which of its rows go on, in this
    order, None where all do."""

    memory: Tensor
    sensors: int
    rows: Ints | None = None

    @staticmethod
    def of(known: ChangeMemory, room: int, device: str | None) -> ResidentChanges:
        """What the host knows, with so many rows."""
        rows, sensors = known.held.shape
        table = np.zeros((room, sensors, MEMORY))
        parts = (known.location, known.normal, known.hsv, known.curvatures_log)
        table[:rows, :, :HELD] = np.concatenate(parts, axis=-1)
        table[:rows, :, HELD], table[:rows, :, BEGUN] = known.held, known.begun
        return ResidentChanges(upload(table.reshape(-1, MEMORY), "float64", device, True), sensors)

    @staticmethod
    def empty(room: int, sensors: int, device: str | None) -> ResidentChanges:
        return ResidentChanges(blank((room * sensors, MEMORY), "float64", device), sensors)

    def kept(self, rows: Ints) -> ResidentChanges:
        """Go on with the rows of these numbers alone, in this order."""
        return ResidentChanges(self.memory, self.sensors, rows if self.rows is None else self.rows[rows])

    def in_room(self, room: int) -> Tensor:
        """(room * S, MEMORY) the memory of the rows that go on, before any others."""
        before = self.memory.shape[0] // self.sensors
        if self.rows is None and room == before:
            return self.memory
        rows = np.arange(min(room, before)) if self.rows is None else self.rows
        # those beyond the last are nobody's
        source = np.zeros((room, self.sensors), np.int64)
        source[: len(rows)] = rows[:, None] * self.sensors + np.arange(self.sensors)
        index = upload(source.reshape(-1), "int64", self.memory.device, True)
        return _taken(self.memory, index)

    def read(self, rows: int) -> ChangeMemory:
        """The same on the host, of so many rows; waits."""
        table = self.in_room(rows).numpy().reshape(rows, self.sensors, MEMORY)
        return ChangeMemory(
            table[..., LOCATION:NORMAL],
            table[..., NORMAL:HSV],
            table[..., HSV:LOGS],
            table[..., LOGS:HELD],
            table[..., HELD].astype(np.int64),
            table[..., BEGUN] > 0.5,
        )
