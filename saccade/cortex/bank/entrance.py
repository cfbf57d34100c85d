"""What a step brings to the device, and the memory it goes through: percepts, wishes to check, sensed poses.

In: a batch of percepts for R rows and M modules. Out: inboxes that are filled. Two of each take turns: one
can be filled while a step still reads the other.

    entrance = Entrance(rows, modules, widths, device)
    marked = entrance.marked(batch.flags.tobytes(), batch)
    packed = entrance.staging.next()
    poses = entrance.poses(readings, "float32")
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.inputs import NOWHERE, Staging
from saccade.cortex.bank.outcome import Marked
from saccade.cortex.hypotheses.hypotheses import Poses
from saccade.cortex.messages import NUMBERS, PerceptBatch
from saccade.tensor import Tensor
from saccade.tensor.jit.bound import Inbox

Bools = npt.NDArray[np.bool_]
#: the ways to read the sensed poses of a channel (R, M, P, 9), their numbers (R, M), and where they are noted
#: (R, M)
Readings = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
#: different flags of batches whose meaning is kept
MOST_MARKED = 256


class Entrance:
    """Room for what a step is given, for as many rows as there are."""

    def __init__(self, rows: int, modules: int, widths: tuple[int, ...], device: str | None) -> None:
        self.staging = Staging(rows, modules, widths, device)
        self.nobody = np.zeros((rows, modules), bool)  # makes the end check
        self.nobody.flags.writeable = False
        self.nobody_told = self.nobody.tobytes()
        self.nothing = Marked.of(PerceptBatch.empty(rows, modules, len(widths), max(widths)))
        self._device = device
        self._shape = (rows, modules, len(widths), NUMBERS + max(widths))
        self._poses: deque[tuple[Poses, ...]] = deque()
        self._marked: dict[bytes, Marked] = {}

    def marked(self, flags: bytes, batch: PerceptBatch) -> Marked:
        """What the flags of a batch say, kept for the next batch with the same ones: most have."""
        if batch.numbers.shape != self._shape:
            *lead, columns = self._shape
            raise ValueError(
                f"inputs are for {batch.shape} (rows, modules, channels) and have {batch.features.shape[3]} "
                f"columns of features, the bank has {tuple(lead)} and {columns - NUMBERS}"
            )
        found = self._marked.get(flags)
        if found is None:
            if len(self._marked) >= MOST_MARKED:
                self._marked.clear()
            found = self._marked[flags] = Marked.of(batch)
        return found

    def poses(self, readings: Sequence[Readings], dtype: str) -> tuple[Poses, ...]:
        """The ways to read the sensed poses of every channel, in inboxes."""
        kinds = (dtype, "int32", "int32")
        while len(self._poses) < 2:
            boxes = [
                [Inbox(v.shape, k, self._device) for v, k in zip(one, kinds, strict=True)] for one in readings
            ]
            # a program sees the tensor of an inbox
            self._poses.append(tuple(Poses(*cast("list[Tensor]", pair)) for pair in boxes))
        self._poses.rotate()
        for poses, values in zip(self._poses[0], readings, strict=True):
            for box, value in zip(cast("tuple[Inbox, ...]", poses), values, strict=True):
                box.ready()
                box.array[...] = value
        return self._poses[0]

    def last_poses(self) -> tuple[Poses, ...]:
        """Those of a step before, for one that makes nothing of them; none if there were none."""
        self._poses.rotate()
        for poses in self._poses[0] if self._poses else ():
            slot = cast("Inbox", poses.slot)
            slot.ready()
            slot.array[...] = NOWHERE
        return self._poses[0] if self._poses else ()
