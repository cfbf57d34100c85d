"""The part of a step that stays on a device: what a world shows there is felt there, and modules hear it.

Comes in: a `Resident` observation. Goes out: `Felt`, numbers of every sensor on the device, on which the
update of hypotheses is queued at once; the host reads the same numbers with the results, for goals, motor
policies and logs.

    felt = enqueued(sense, seen, how, key, state.changes)   # never waits
    felt.values                                             # (room * S, COLUMNS), for modules
    felt.arrived(read([felt.values])[0])                    # or asked for: felt.felt, felt.news
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.modules.group import Group
from saccade.cortex.ops import read
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense import ChangeMemory, Sensation
from saccade.cortex.sense.change_program import ResidentChanges
from saccade.cortex.sense.percept_program import MODULE, Wiring
from saccade.cortex.sense.sense_program import NEWS, DeviceSense, Feeling, patches_of, unpacked
from saccade.tensor import Tensor
from saccade.world.meshes.ray_device import Resident

Bools = npt.NDArray[np.bool_]


class Felt:
    """What R rows of S sensors feel, on a device until it is read. changes: what each passed last by now."""

    def __init__(
        self, values: Tensor, rows: int, sensors: int, changes: ResidentChanges, device: str
    ) -> None:
        self.values, self.changes, self.device = values, changes, device
        self._shape = rows, sensors
        self._known: tuple[Sensation, Bools] | None = None

    def arrived(self, values: npt.NDArray[Any]) -> None:
        """The values are on the host."""
        rows, sensors = self._shape
        known = values.reshape(-1, sensors, values.shape[1])[:rows]
        self._known = unpacked(known), known[..., NEWS] > 0.5

    @property
    def felt(self) -> Sensation:
        """On the host; waits if it has not arrived."""
        return self._read()[0]

    @property
    def news(self) -> Bools:
        """(R, S) on the host; waits if it has not arrived."""
        return self._read()[1]

    def _read(self) -> tuple[Sensation, Bools]:
        if self._known is None:
            self.arrived(read([self.values])[0])
        assert self._known is not None
        return self._known


def enqueued(
    sense: DeviceSense, seen: Resident, how: Feeling, key: RowKey, changes: ChangeMemory | ResidentChanges
) -> Felt:
    """Queue what turns patches into percepts: fits, noise and the change filter. Never waits."""
    room, sensors = seen.eyes.shape[:2]
    if isinstance(changes, ChangeMemory):
        changes = ResidentChanges.of(changes, room, sense.device)
    shown: Any = seen  # tensors
    patches = patches_of(shown.points, shown.rgb, shown.on_object, seen.eyes)
    values, memory = sense.enqueue(patches, how, key, room, changes.in_room(room))
    return Felt(values, key.rows, sensors, ResidentChanges(memory, sensors), sense.device)


def wirings_of(groups: Sequence[Group], sensors: Sequence[str]) -> list[Wiring] | None:
    """Which sensors the modules of each group hear; None where a channel hears a sensor in one module and a
    module in another."""
    channels = {name for group in groups for module in group.modules for name in module.channels}
    numbers = {name: number for number, name in enumerate(sensors)}
    told = tuple(number for name, number in numbers.items() if name in channels)
    levels = not channels.issubset(sensors)
    found = list[Wiring]()
    for group in groups:
        heard = tuple(tuple(numbers.get(name, MODULE) for name in one.channels) for one in group.modules)
        if any(len({number == MODULE for number in channel}) > 1 for channel in zip(*heard, strict=True)):
            return None
        found.append(Wiring(len(sensors), heard, group.modules[0].layouts, told, levels))
    return found
