"""What the modules of a bank know: their models as tables, and how many hypotheses those can bring.

In: the models of every module, the channels it listens to, settings. Out: a value that nobody changes; other
models make another one.

    known = Knowledge.of(memories, channels, settings, objects=12, device=None)
    known.first_size()              # places for hypotheses of each object to begin with
    known.size(needed)              # places for so many
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.programs import Spec
from saccade.cortex.hypotheses.packing import Places, places_of, sizes_of
from saccade.cortex.hypotheses.tables import ChannelTable, TableShape, build_channel, stepped, table_nodes
from saccade.cortex.hypotheses.turns import BURST_STEPS
from saccade.cortex.hypotheses.updater_burst import SampleSize, nodes_to_sample
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.ops import upload
from saccade.cortex.settings import BurstSettings, EvidenceSettings
from saccade.tensor import Tensor

Ints = npt.NDArray[np.int64]
Memories = Sequence[Sequence[ObjectModel]]

#: steps of a burst for which there is room beyond one whole burst. Room costs time, if only to fill it, and
#: too little of it costs compiling for more: 129 and 231 episodes with 43 objects, 24 with 12 and ten objects
#: learned without names all needed more than one step of it and less than four
SPARE_STEPS = 4


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Of M modules: their models in memory order, the senders each listens to, room for O objects, tables of
    every channel, what programs depend on, nodes (M, O, C) of each model in each channel, how many of them a
    burst takes, and the most hypotheses (M, O) that a step of a burst adds."""

    memories: tuple[tuple[ObjectModel, ...], ...]
    channels: tuple[tuple[str, ...], ...]
    objects: int
    tables: tuple[ChannelTable, ...]
    spec: Spec
    nodes: Ints
    samples: tuple[SampleSize, ...]
    most_added: Ints

    @staticmethod
    def of(
        memories: Memories,
        channels: Sequence[Sequence[str]],
        settings: EvidenceSettings,
        objects: int,
        device: str | None,
    ) -> Knowledge:
        """`memories[m]` are the models of module m, `channels[m]` the senders it listens to."""
        known = Knowledge.counted(memories, channels, settings, objects)
        count = len(channels[0])
        built = [
            build_channel(memories, [names[c] for names in channels], settings, objects, device)
            for c in range(count)
        ]
        return replace(
            known,
            tables=tuple(table for table, _ in built),
            spec=replace(known.spec, shapes=tuple(shape for _, shape in built)),
            samples=tuple(_sample_sizes(known.nodes[..., c], settings, device) for c in range(count)),
        )

    @staticmethod
    def counted(
        memories: Memories, channels: Sequence[Sequence[str]], settings: EvidenceSettings, objects: int
    ) -> Knowledge:
        """The same without tables and with no device: what tells how many places and bytes there will be."""
        if not memories or len(memories) != len(channels):
            raise ValueError(
                f"{len(memories)} memories and {len(channels)} channel lists: give one of each per module"
            )
        if len({len(names) for names in channels}) != 1 or not channels[0]:
            raise ValueError("modules of one bank listen to the same number of channels, at least one")
        for memory in memories:
            names = [model.name for model in memory]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"object names must be unique within a module, {twice} occur more than once")
        count = len(channels[0])
        layouts = tuple(settings.layout(name) for name in channels[0])
        nodes = np.zeros((len(memories), objects, count), np.int64)
        for m, memory in enumerate(memories):
            for o, model in enumerate(memory):
                for c, name in enumerate(channels[m]):
                    nodes[m, o, c] = len(model.channels[name]) if name in model.channels else 0
        most = nodes.max(axis=(0, 1), initial=0).tolist()
        shapes = tuple(TableShape(len(memories), objects, table_nodes(each), 0, False, 0.0) for each in most)
        return Knowledge(
            tuple(tuple(memory) for memory in memories),
            tuple(tuple(names) for names in channels),
            objects,
            (),
            Spec(settings, layouts, shapes),
            nodes,
            (),
            _added_in_a_step(nodes, settings),
        )

    @property
    def row_places(self) -> int:
        """Places for hypotheses of all modules and objects that a row has to begin with."""
        return len(self.memories) * self.objects * self.first_size()

    def row_bytes(self, stored: bool, voted: bool = False, packed: bool = False) -> int:
        """Bytes of these, and of poses sensed in bursts; stored: rotations are, although bursts make them;
        voted: votes change evidence; packed: as they lie between steps of many rows."""
        settings = self.spec.settings
        poses = 0 if stored else len(self.memories) * self.first_sensed
        modules = len(self.memories)
        places = modules * places_of(self.sizes(self.first_size())) if packed else self.row_places
        return (
            places * place_bytes(settings, stored, voted)
            + poses * 9 * np.dtype(settings.rotation_dtype).itemsize
        )

    @property
    def ways_sensed(self) -> int:
        """Ways to read a sensed pose, those of all channels together."""
        return len(self.spec.layouts) * max(2, *_all_ways(self.spec.settings))

    @property
    def first_sensed(self) -> int:
        """Places for poses sensed in bursts to begin with; 0 where rotations are stored."""
        settings = self.spec.settings
        if not isinstance(settings.updater, BurstSettings):
            return 0
        return self.ways_sensed * (BURST_STEPS if settings.initial_possible_poses == "informed" else 1)

    def number(self, module: int, name: str) -> int:
        """Of an object among those a module knows."""
        number = self._numbers[module].get(name)
        if number is None:
            raise KeyError(
                f"module {module} knows no object {name!r}; it knows {list(self._numbers[module])}"
            )
        return number

    @cached_property
    def _numbers(self) -> list[dict[str, int]]:
        return [{model.name: number for number, model in enumerate(memory)} for memory in self.memories]

    def size(self, needed: int) -> int:
        """Places for so many hypotheses of the largest model: as many as if it filled the tables, so that
        models of a few nodes less have the same programs."""
        return stepped(self._filled(needed))

    def sizes(self, size: int) -> Ints:
        """(M, O) room for the hypotheses of each object, by its nodes, where the largest has `size`."""
        nodes = self.nodes.sum(axis=-1)
        return sizes_of(nodes, self._filled(int(nodes.max(initial=1))), size)

    def places(self, size: int, device: str | None) -> Places:
        """Where these lie, on a device: one value for all who ask."""
        found = self._placed.get((size, device))
        if found is None:
            found = self._placed[size, device] = Places.of(self.sizes(size), device)
        return found

    @cached_property
    def _placed(self) -> dict[tuple[int, str | None], Places]:
        return {}

    def _filled(self, number: int) -> int:
        """What is so many of the largest model, if it had as many nodes as the tables have room for."""
        most: list[int] = self.nodes.max(axis=(0, 1), initial=1).tolist()  # of each channel
        shapes = zip(self.spec.shapes, most, strict=True)
        return max(number, *(-(-number * shape.nodes // nodes) for shape, nodes in shapes))

    def first_size(self) -> int:
        """Places to begin with: for all hypotheses of the plain updater, or for one whole burst and a part of
        the next, for by then most of the first have gone."""
        nodes = self._filled(int(self.nodes.sum(axis=-1).max(initial=1)))
        settings = self.spec.settings
        updater = settings.updater
        if not isinstance(updater, BurstSettings):
            return stepped(nodes * ways(settings, True))
        per_step = nodes * min(updater.sampling_multiplier, max(_all_ways(settings)))
        return stepped(int(np.ceil((updater.sampling_burst_duration + SPARE_STEPS) * per_step)))


def ways(settings: EvidenceSettings, fully_defined: bool) -> int:
    """How many rotations each node gets, by whether the sensed pose is fully defined."""
    poses = settings.initial_possible_poses
    if poses == "informed":
        return 2 if fully_defined else settings.umbilical_num_poses
    return 256 if poses == "uniform" else len(poses)


def place_bytes(settings: EvidenceSettings, stored: bool, voted: bool) -> int:
    """Bytes of one hypothesis: evidence, location, rotation and flag, and with bursts its history, slope and
    age, and what its rotation came from instead of that, unless it is `stored`. The newest value of the
    history is the evidence, unless votes change that."""
    small, turn = np.dtype(settings.dtype).itemsize, 9 * np.dtype(settings.rotation_dtype).itemsize
    updater = settings.updater
    if not isinstance(updater, BurstSettings):
        return 4 * small + turn + 1
    tracked = updater.window_size - 2 + voted + 1
    return 4 * small + (turn if stored else 4) + 1 + tracked * small + 1


def _all_ways(settings: EvidenceSettings) -> tuple[int, int]:
    return ways(settings, True), ways(settings, False)


def _sample_sizes(counts: Ints, settings: EvidenceSettings, device: str | None) -> SampleSize:
    """How many of the nodes (M, O) of one channel a burst takes."""
    updater = settings.updater
    multiplier = updater.sampling_multiplier if isinstance(updater, BurstSettings) else 0.0

    def sizes(poses: int) -> Tensor:
        flat = [nodes_to_sample(int(n), poses, multiplier) for n in counts.reshape(-1)]
        return upload(np.array(flat).reshape(counts.shape), "int32", device)

    defined, undefined = _all_ways(settings)
    return SampleSize(defined=sizes(defined), undefined=sizes(undefined))


def _added_in_a_step(nodes: Ints, settings: EvidenceSettings) -> Ints:
    """(M, O) the most new hypotheses of a step of a burst."""
    updater = settings.updater
    if not isinstance(updater, BurstSettings):
        return np.zeros(nodes.shape[:2], np.int64)

    def added(count: int) -> int:
        # each channel rounds for itself, and may round up
        return max(p * nodes_to_sample(count, p, updater.sampling_multiplier) for p in _all_ways(settings))

    flat = [added(int(count)) for count in nodes.reshape(-1)]
    return np.asarray(np.array(flat, np.int64).reshape(nodes.shape).sum(axis=-1))
