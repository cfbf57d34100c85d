"""Evidence of one object's hypotheses for one percept, called object by object, without tbp.monty.

    known = KnownObjects(models, layouts, settings)
    gain = known.evidence("mug", 0, locations, rotations, percept)      # (H,), as `hypotheses.evidence` says

Monty's updaters keep hypotheses on the host and ask about one object at a time. All objects share the shape
of one table and hypotheses are padded to a power of two, so a run compiles a few programs for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from threading import Lock

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.inputs import Packed, unpack
from saccade.cortex.bank.program import Program
from saccade.cortex.geometry import Rotation, Vector
from saccade.cortex.hypotheses.evidence import channel_evidence
from saccade.cortex.hypotheses.tables import (
    FACING,
    PLACE,
    ROW,
    ChannelTable,
    TableShape,
    build_channel,
    capacity,
)
from saccade.cortex.hypotheses.updater_plain import Channel, node_scores
from saccade.cortex.messages import Percept, batch_of
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.ops import read, upload
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor

Floats = npt.NDArray[np.float64]

LEAST_ROOM = 64


class KnownObjects:
    """Tables of the models a module knows, one channel after the other."""

    def __init__(
        self, models: Sequence[ObjectModel], channels: Sequence[str], settings: EvidenceSettings,
        device: str | None = None,
    ) -> None:  # fmt: skip
        self.settings, self.device, self.channels = settings, device, tuple(channels)
        self._lock = Lock()  # Monty asks from one thread per object; a kernel uses all cores by itself
        self._tables: dict[tuple[str, int], ChannelTable] = {}
        self._shapes: list[TableShape] = []
        self._programs: list[Program[..., Tensor]] = []
        for c, channel in enumerate(channels):
            joint, shape = build_channel([models], [channel], settings, max(len(models), 1), device)
            self._shapes.append(replace(shape, modules=1, objects=1))
            for model, own in zip(models, apart(joint, shape, device), strict=False):
                self._tables[model.name, c] = own
            self._programs.append(Program(partial(self._evidence, c)))
        self._staging = [Packed(1, 1, (settings.layout(channel).width,), device) for channel in channels]

    def evidence(
        self, name: str, channel: int, locations: Floats, rotations: Floats, percept: Percept
    ) -> Floats:
        """(H,) for locations (H, 3) and rotations (H, 3, 3), in the object's frame."""
        count, own = len(locations), self.channels[channel]
        batch = batch_of([percept], [own], [self.settings.layout(own)])
        room = capacity(count, LEAST_ROOM)
        place = np.zeros((12, room))
        place[:3, :count] = locations.T
        place[3:, :count] = rotations.reshape(count, 9).T
        with self._lock:
            packed = self._staging[channel]
            packed.inbox.ready()
            nobody = np.zeros((1, 1), bool)
            packed.fill(batch, batch.flags.tobytes(), nobody, nobody.tobytes())
            found = self._programs[channel](
                upload(place, "float64", self.device),
                upload(np.full((1, 1, 1, 1), count), "int32", self.device),
                packed.inbox,
                self._tables[name, channel],
            )
            values = read([found])[0]
        return np.asarray(values.reshape(-1)[:count], np.float64)

    def _evidence(self, c: int, place: Tensor, count: Tensor, packed: Tensor, table: ChannelTable) -> Tensor:
        settings = self.settings
        layout = settings.layout(self.channels[c])
        sensed = unpack(packed, (layout.width,), settings).channels[0]
        columns = [place[i].reshape(1, 1, 1, -1) for i in range(12)]
        location: Vector = (columns[0], columns[1], columns[2])
        a, b, d, e, f, g, h, i, j = columns[3:]
        rotation: Rotation = (a, b, d, e, f, g, h, i, j)
        there = Tensor.arange(place.shape[1], dtype="int32", device=place.device).reshape(1, 1, 1, -1) < count
        scores = node_scores(sensed, Channel(layout, table, self._shapes[c]), settings)
        return channel_evidence(
            location, rotation, there, sensed, table, self._shapes[c], scores, settings
        ).contiguous()


def apart(table: ChannelTable, shape: TableShape, device: str | None) -> list[ChannelTable]:
    """The tables of the objects of a single module, one each; they have equal shapes, and share the lists of
    candidates. Cut on the host: a program for every slice would have to be compiled.
    """
    n, room = shape.nodes, capacity(shape.nodes)

    def rows(values: Tensor, width: int, number: int) -> list[Tensor]:
        parts = values.numpy()[: shape.objects * n * width].reshape(shape.objects, n, width)
        padded = np.pad(parts, ((0, 0), (0, number - n), (0, 0)))
        return [upload(part.reshape(-1), values.dtype.name, device) for part in padded]

    def of(values: Tensor) -> list[Tensor]:
        parts = values.numpy()
        return [upload(parts[:, o : o + 1], values.dtype.name, device) for o in range(shape.objects)]

    def three(values: tuple[Tensor, Tensor, Tensor]) -> list[tuple[Tensor, Tensor, Tensor]]:
        return list(zip(of(values[0]), of(values[1]), of(values[2]), strict=True))

    counts, features, first = of(table.counts), of(table.features), of(table.first_voxel)
    nodes, origin, extent = rows(table.nodes, ROW, n), three(table.origin), three(table.extent)
    places, facing = rows(table.places, PLACE, room), rows(table.facing, FACING, room)
    return [
        table._replace(
            counts=counts[o], nodes=nodes[o], places=places[o], facing=facing[o], features=features[o],
            origin=origin[o], extent=extent[o], first_voxel=first[o],
        )
        for o in range(shape.objects)
    ]  # fmt: skip
