"""Where the hypotheses of a bank lie: what was learned of the objects, room on the device, programs for both.

Models become tables; tables and settings say how many hypotheses a step can add, and so how much room there
must be. Programs are compiled per capacity and tables' shapes. When the room is too small it grows by a
quarter or as far as needed, and says so.

    room.learn(memories)       take other models; all hypotheses are forgotten
    room.state                 Hypotheses of (R, M, O, H)
    room._run(key, program, ...)    a program, made once for this key
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import programs
from saccade.cortex.bank.inputs import Staging
from saccade.cortex.bank.ledger import Ledger
from saccade.cortex.bank.outcome import Marked, Outcome
from saccade.cortex.bank.program import Program
from saccade.cortex.bank.programs import Spec
from saccade.cortex.bank.space import check_rows
from saccade.cortex.hypotheses import updater_burst
from saccade.cortex.hypotheses.decide import Checks
from saccade.cortex.hypotheses.hypotheses import Hypotheses, Poses, empty
from saccade.cortex.hypotheses.tables import ChannelTable, build_channel, capacity, stepped
from saccade.cortex.hypotheses.updater_burst import SampleSize, Tracker, nodes_to_sample
from saccade.cortex.hypotheses.updater_plain import Update
from saccade.cortex.messages import NUMBERS
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.ops import upload
from saccade.cortex.settings import BurstSettings, EvidenceSettings
from saccade.tensor import Tensor

log = logging.getLogger(__name__)

#: steps of a burst for which there is room beyond one whole burst. Room costs time, if only to fill it, and
#: too little of it costs compiling for more: 129 and 231 episodes with 43 objects, 24 with 12 and ten objects
#: learned without names all needed more than one step of it and less than four
SPARE_STEPS = 4
#: room for hypotheses up to which programs may keep memory of their own; for more, launching takes no time
#: beside the work, and each state is gigabytes
LOOPED_HYPOTHESES = 4_000_000


class Room:
    """Models that M modules know, and memory for their hypotheses in R rows."""

    def __init__(
        self,
        memories: Sequence[Sequence[ObjectModel]],
        channels: Sequence[Sequence[str]],
        settings: EvidenceSettings,
        rows: int = 1,
        device: str | None = None,
    ) -> None:
        """`memories[m]` are the models module m knows, in memory order; `channels[m]` the senders it
        listens to.
        """
        if not memories or len(memories) != len(channels):
            raise ValueError(
                f"{len(memories)} memories and {len(channels)} channel lists: give one of each per module"
            )
        if len({len(names) for names in channels}) != 1 or not channels[0]:
            raise ValueError("modules of one bank listen to the same number of channels, at least one")
        self.settings, self.rows, self.device = settings, rows, device
        self.modules = len(memories)
        self.channels = [tuple(names) for names in channels]
        self.layouts = tuple(settings.layout(name) for name in self.channels[0])
        self.widths = tuple(layout.width for layout in self.layouts)
        self.growths: list[str] = []
        self._programs: dict[tuple[Spec, int], dict[Any, Program[..., Any]]] = {}
        self._stage()
        self._bursts = isinstance(settings.updater, BurstSettings)
        self._launched = 0  # steps
        #: what steps found, by their numbers, while somebody has it and it lies where it was read
        self._outcomes: dict[int, ref[Outcome]] = {}
        self._changed = 0  # steps until rows were reset or left out: they say nothing about what is there now
        self._objects = 0
        self._state: Hypotheses | None = None
        self.learn(memories)

    def _stage(self) -> None:
        """Room for what a step is given, for as many rows as there are."""
        self._staging = Staging(self.rows, self.modules, self.widths, self.device)
        self._batch_shape = (self.rows, self.modules, len(self.widths), NUMBERS + max(self.widths))
        self._pose_turns: deque[tuple[Poses, ...]] = deque()
        self._marked: dict[bytes, Marked] = {}
        self._nobody = np.zeros((self.rows, self.modules), bool)  # makes the end check
        self._nobody.flags.writeable = False
        self._nobody_told = self._nobody.tobytes()

    # --- models and capacities

    def learn(self, memories: Sequence[Sequence[ObjectModel]]) -> None:
        """Take other models (after learning). All hypotheses are forgotten: they refer to the old nodes."""
        for memory in memories:
            names = [model.name for model in memory]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"object names must be unique within a module, {twice} occur more than once")
        self.memories = [list(memory) for memory in memories]
        self._objects = capacity(max((len(memory) for memory in memories), default=1), max(self._objects, 1))
        if max(len(memory) for memory in memories) <= 1 or self._state is None:
            self._objects = max(1, max(len(memory) for memory in memories))
        built = [
            build_channel(
                memories, [names[c] for names in self.channels], self.settings, self._objects, self.device
            )
            for c in range(len(self.widths))
        ]
        self._tables: tuple[ChannelTable, ...] = tuple(table for table, _ in built)
        self.spec = Spec(self.settings, self.layouts, tuple(shape for _, shape in built))
        self._ready = self._programs.setdefault((self.spec, self.rows), {})
        self._node_counts = np.stack([self._counts(c) for c in range(len(self.widths))], axis=-1)  # (M, O, C)
        self._samples = tuple(self._sample_sizes(c) for c in range(len(self.widths)))
        self._most_added = self._added_in_a_step()
        self._allocate()

    def _counts(self, c: int) -> npt.NDArray[np.int64]:
        counts = np.zeros((self.modules, self._objects), np.int64)
        for m, memory in enumerate(self.memories):
            for o, model in enumerate(memory):
                nodes = model.channels.get(self.channels[m][c])
                counts[m, o] = 0 if nodes is None else len(nodes)
        return counts

    def _sample_sizes(self, c: int) -> SampleSize:
        updater = self.settings.updater
        multiplier = updater.sampling_multiplier if isinstance(updater, BurstSettings) else 0.0
        counts = self._node_counts[..., c]

        def sizes(poses: int) -> Tensor:
            flat = [nodes_to_sample(int(n), poses, multiplier) for n in counts.reshape(-1)]
            return upload(np.array(flat).reshape(counts.shape), "int32", self.device)

        return SampleSize(defined=sizes(self._ways(True)), undefined=sizes(self._ways(False)))

    def _added_in_a_step(self) -> npt.NDArray[np.int64]:
        """(M, O) the most new hypotheses of a step of a burst."""
        updater, counts = self.settings.updater, self._node_counts
        if not isinstance(updater, BurstSettings):
            return np.zeros(counts.shape[:2], np.int64)

        def added(nodes: int) -> int:
            # each channel rounds for itself, and may round up
            ways = (self._ways(True), self._ways(False))
            return max(p * nodes_to_sample(nodes, p, updater.sampling_multiplier) for p in ways)

        flat = [added(int(nodes)) for nodes in counts.reshape(-1)]
        return np.asarray(np.array(flat, np.int64).reshape(counts.shape).sum(axis=-1))

    def _size(self, needed: int) -> int:
        """Places for so many hypotheses of the largest model: as many as if it filled the tables, so that
        models of a few nodes less have the same programs."""
        most = self._node_counts.max(axis=(0, 1), initial=1).tolist()  # of each channel
        filled = [
            -(-needed * shape.nodes // nodes) for shape, nodes in zip(self.spec.shapes, most, strict=True)
        ]
        return stepped(max(needed, *filled))

    def _allocate(self) -> None:
        most = int(self._node_counts.sum(axis=-1).max(initial=1))
        updater = self.settings.updater
        if isinstance(updater, BurstSettings):
            per_step = most * min(updater.sampling_multiplier, self._most_ways)
            # one whole burst and a part of the next: by then most of the first have gone
            needed = int(np.ceil((updater.sampling_burst_duration + SPARE_STEPS) * per_step))
        else:
            needed = most * self._ways(True)
        size = self._size(needed)
        kinds = (self.settings.dtype, self.settings.rotation_dtype)
        about = f"{self.modules} x {self._objects} x {size} hypotheses (modules, objects, places)"
        check_rows(self.rows, self.modules * self._objects * size * self._place_bytes, about, self.device)
        self._state = empty(self.rows, self.modules, self._objects, size, *kinds, self.device)
        self._tracker: Tracker | None = None
        if isinstance(updater, BurstSettings):
            self._tracker = updater_burst.empty(
                self.rows, self.modules, self._objects, size, updater, self.settings.dtype, self.device
            )
        lead = (self.rows, self.modules)
        self._checks = Checks(
            upload(np.zeros(lead), "int32", self.device),
            upload(np.zeros((*lead, self._objects)), "int32", self.device),
        )
        none = np.zeros((*lead, self._objects))
        self._untouched = Update(
            threshold=upload(none, self.settings.dtype, self.device),
            prediction_error=upload(none + np.nan, self.settings.dtype, self.device),
            channels_used=upload(none, "int32", self.device),
        )
        self._ledger = Ledger.of(self.rows, self._node_counts)

    @property
    def _place_bytes(self) -> int:
        """Bytes of one hypothesis: evidence, location, rotation and flag, and with bursts its history, slope
        and age."""
        settings = self.settings
        small, turn = np.dtype(settings.dtype).itemsize, np.dtype(settings.rotation_dtype).itemsize
        plain = 4 * small + 9 * turn + 1
        updater = settings.updater
        return plain + ((updater.window_size + 1) * small + 4 if isinstance(updater, BurstSettings) else 0)

    @property
    def state(self) -> Hypotheses:
        assert self._state is not None
        return self._state

    @property
    def tracker(self) -> Tracker:
        """Histories and ages; only banks with the burst updater have them."""
        if self._tracker is None:
            raise ValueError("the plain updater keeps no histories")
        return self._tracker

    def program(self, *key: Any) -> Program[..., Any]:
        """One of the programs in use, for those who measure it: `program("plain step", False)`."""
        return self._ready[key]

    @property
    def compilations(self) -> int:
        return sum(p.compilations for ready in self._programs.values() for p in ready.values())

    def _reserve(self, needed: int) -> None:
        """Make room for `needed` hypotheses per object."""
        size = self.state.shape[3]
        if needed <= size:
            return
        # all work is done for the whole capacity: what bursts need is often a few more than there is room for
        wider = max(self._size(needed), stepped(size * 5 // 4))
        message = f"hypothesis capacity grows from {size} to {wider} ({needed} needed)"
        log.warning(message)
        self.growths.append(message)
        room = (self._objects, wider)
        self._state = self._run(("grow", room), programs.grow, self.state, fixed=room)
        if self._tracker is not None:
            self._tracker = self._run(
                ("grow tracker", room), programs.grow_tracker, self._tracker, fixed=room
            )

    def _run(
        self, key: tuple[Any, ...], function: Callable[..., Any], *args: Any,
        fixed: tuple[Any, ...] = (), loop: bool = False,
    ) -> Any:  # fmt: skip
        """Call a program, made once for this key and these tables' shapes. `fixed` are the function's first
        arguments that are no tensors, which the key tells. `loop`: all that it made and that is still in use
        is among the arguments, as with the state that goes from step to step.
        """
        program = self._ready.get(key)
        if program is None:
            # Calls known by heart keep their arguments, which may be two dozen states.
            small = self.state.evidence.numel() <= LOOPED_HYPOTHESES
            bound = partial(function, *fixed) if fixed else function
            program = self._ready[key] = Program(bound, loop and small)
        return program(*args)

    @property
    def _most_ways(self) -> int:
        return max(self._ways(True), self._ways(False))

    def _ways(self, fully_defined: bool) -> int:
        """How many rotations each node gets, by whether the sensed pose is fully defined."""
        poses = self.settings.initial_possible_poses
        if poses == "informed":
            return 2 if fully_defined else self.settings.umbilical_num_poses
        return 256 if poses == "uniform" else len(poses)
