"""Where the hypotheses of a bank lie: room on the device for what its modules know, and programs for both.

Tables and settings say how many hypotheses a step can add, and so how much room there must be (`knowledge`).
Programs are compiled per capacity and tables' shapes. When the room is too small it grows by a quarter or as
far as needed, and says so.

    room.learn(memories)       take other models; all hypotheses are forgotten
    room.state                 Hypotheses of (R, M, O, H)
    room.run(key, program, ...)    a program, made once for this key
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import programs
from saccade.cortex.bank.entrance import Entrance
from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.bank.ledger import Ledger
from saccade.cortex.bank.outcome import Outcome
from saccade.cortex.bank.program import Program
from saccade.cortex.bank.programs import Spec
from saccade.cortex.bank.space import check_rows, rotations_are_stored
from saccade.cortex.hypotheses import updater_burst
from saccade.cortex.hypotheses.decide import Checks
from saccade.cortex.hypotheses.hypotheses import Hypotheses, empty
from saccade.cortex.hypotheses.packing import Places, repacked, unpacked_in
from saccade.cortex.hypotheses.tables import capacity, stepped, table_objects
from saccade.cortex.hypotheses.turns import BURST_STEPS, Turns
from saccade.cortex.hypotheses.updater_burst import Tracker
from saccade.cortex.hypotheses.updater_plain import Update
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.ops import blank, upload
from saccade.cortex.settings import BurstSettings, EvidenceSettings

log = logging.getLogger(__name__)
Ints = npt.NDArray[np.int64]

#: room for hypotheses up to which programs may keep memory of their own; for more, launching takes no time
#: beside the work, and each state is gigabytes
LOOPED_HYPOTHESES = 4_000_000


#: what programs depend on: rows among it, and whether rotations are stored, votes expected, and all packed
Kind = tuple[Spec, int, bool, bool, bool]
#: by that and a key
Programs = dict[Kind, dict[Any, Program[..., Any]]]


class State(NamedTuple):
    """All that goes from step to step on the device: hypotheses, what the last end checks found, and with
    bursts how the evidence went. Programs take its parts and give them anew."""

    hypotheses: Hypotheses
    checks: Checks
    tracker: Tracker | None


class Room:
    """Models that M modules know, and memory for their hypotheses in R rows."""

    def __init__(
        self,
        memories: Sequence[Sequence[ObjectModel]],
        channels: Sequence[Sequence[str]],
        settings: EvidenceSettings,
        rows: int = 1,
        device: str | None = None,
        known: Knowledge | None = None,
        programs: Programs | None = None,
        packed: bool = False,
    ) -> None:
        """`memories[m]` are the models module m knows, in memory order; `channels[m]` the senders it
        listens to. known: these models as tables, where they are there. programs: those of other rooms of the
        same modules, to share. packed: hypotheses of bursts are between steps, unless votes change them.
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
        self._programs: Programs = {} if programs is None else programs
        # results of a loop take turns in memory, and a room cannot know what another one still holds
        self._loops = programs is None
        self._entrance = Entrance(rows, self.modules, self.widths, device)
        self._unheard = False  # a step of percepts that the host knows nothing of is under way
        self._stored = rotations_are_stored(device)
        self._voted, self._packing = False, packed
        self._launched = 0  # steps
        #: what steps found, by their numbers, while somebody has it and it lies where it was read
        self._outcomes: dict[int, ref[Outcome]] = {}
        self._changed = 0  # steps until rows were reset or left out: they say nothing about what is there now
        self._take(memories, table_objects(memories), known)

    # --- models and capacities

    def learn(self, memories: Sequence[Sequence[ObjectModel]]) -> None:
        """Take other models (after learning). All hypotheses are forgotten: they refer to the old nodes."""
        most = max(map(len, memories))
        self._take(memories, capacity(most, self.known.objects) if most > 1 else 1)

    def _take(
        self, memories: Sequence[Sequence[ObjectModel]], objects: int, known: Knowledge | None = None
    ) -> None:
        """Know these models, with room for so many objects, and hold no hypotheses."""
        if known is None:
            known = Knowledge.of(memories, self.channels, self.settings, objects, self.device)
        self.known = known
        self._ready = self._programs.setdefault(self._kind, {})
        self._allocate()

    def expect_votes(self, rotations: bool = True) -> None:
        """Evidence will change between steps: histories store their newest values too, and rotations are
        stored, of which votes read many from elsewhere. All hypotheses are forgotten."""
        stored = self._stored or rotations
        if self._bursts and (self._stored, self._voted) != (stored, True):
            self._stored, self._voted = stored, True
            self._ready = self._programs.setdefault(self._kind, {})
            self._allocate()

    def _check_voted(self) -> None:
        """Evidence is about to change, between steps."""
        if self._bursts and not self._voted:
            raise ValueError(
                "a bank whose evidence changes between steps is told so: call expect_votes() before"
            )

    @property
    def _bursts(self) -> bool:
        """Whether hypotheses come in bursts."""
        return isinstance(self.settings.updater, BurstSettings)

    @property
    def _informed(self) -> bool:
        """Whether hypotheses begin with poses that are sensed."""
        return self.settings.initial_possible_poses == "informed"

    @property
    def memories(self) -> tuple[tuple[ObjectModel, ...], ...]:
        """The models of each module, in memory order."""
        return self.known.memories

    @property
    def spec(self) -> Spec:
        """What programs depend on."""
        return self.known.spec

    @property
    def _kind(self) -> Kind:
        return self.spec, self.rows, self._stored, self._voted, self.is_packed

    @property
    def is_packed(self) -> bool:
        """Whether hypotheses lie packed between steps."""
        return self._packing and self._bursts and not self._stored and not self._voted

    def _allocate(self) -> None:
        """Room for hypotheses, and none in it."""
        settings, objects = self.settings, self.known.objects
        self._resize(self.known.first_size())
        check_rows(self.rows, self.rows, self.known, self.device, self._stored, self._voted, self.is_packed)
        lead = (self.rows, self.modules)
        # packed, the hypotheses of all objects lie as if they were those of one
        room = (
            (*lead, objects, self.size) if self._places is None else (*lead, 1, self._places.owner.shape[1])
        )
        tracker: Tracker | None = None
        if isinstance(settings.updater, BurstSettings):
            tracker = updater_burst.empty(*room, settings.updater, settings.dtype, self.device, self._voted)
        checks = Checks(
            upload(np.zeros(lead), "int32", self.device),
            upload(np.zeros((*lead, objects)), "int32", self.device),
        )
        sensed = 0 if self._stored else self.known.first_sensed
        hypotheses = empty(*room, settings.dtype, settings.rotation_dtype, self.device, sensed)
        if self._places is not None:
            assert tracker is not None
            each = (*lead, objects)
            hypotheses = hypotheses._replace(counts=blank(each, "int32", self.device))
            channels = tuple(blank(each, settings.dtype, self.device) for _ in tracker.channels)
            tracker = tracker._replace(channels=channels)
        self._held = State(hypotheses, checks, tracker)
        none = np.zeros((*lead, objects))
        self._untouched = Update(
            threshold=upload(none, settings.dtype, self.device),
            prediction_error=upload(none + np.nan, settings.dtype, self.device),
            channels_used=upload(none, "int32", self.device),
        )
        self._ledger = Ledger.of(self.rows, self.known.nodes)

    @property
    def state(self) -> Hypotheses:
        return self._held.hypotheses

    @property
    def tracker(self) -> Tracker:
        """Histories and ages; only banks with the burst updater have them."""
        if self._held.tracker is None:
            raise ValueError("the plain updater keeps no histories")
        return self._held.tracker

    def _put(self, hypotheses: Hypotheses) -> None:
        """Go on with these hypotheses."""
        self._held = self._held._replace(hypotheses=hypotheses)

    def program(self, *key: Any) -> Program[..., Any]:
        """One of the programs in use, for those who measure it: `program("plain step", False)`."""
        return self._ready[key]

    @property
    def compilations(self) -> int:
        return sum(p.compilations for ready in self._programs.values() for p in ready.values())

    def _resize(self, size: int) -> None:
        """Let there be places for `size` hypotheses of the largest object."""
        self.size = size  # places for the hypotheses of an object in a step
        self._sizes: Ints | int = size  # (M, O) of each object between steps
        self._places: Places | None = None
        if self.is_packed:
            self._sizes = self.known.sizes(size)
            self._places = self.known.places(size, self.device)

    def _reserve(self, bound: Ints) -> None:
        """Make room for so many hypotheses (R, M, O)."""
        size = self.size
        if (bound <= self._sizes).all():
            return
        # as many of the largest object
        needed = int((-(-bound * size // np.maximum(self._sizes, 1))).max())
        # all work is done for the whole capacity: what bursts need is often a few more than there is room for
        wider = max(self.known.size(needed), stepped(size * 5 // 4))
        message = f"hypothesis capacity grows from {size} to {wider} ({needed} needed)"
        log.warning(message)
        self.growths.append(message)
        self.widen(wider)

    def widen(self, size: int) -> None:
        """Places for so many hypotheses of every object, where there are fewer."""
        if size <= self.size:
            return
        room, (before, old) = (self.known.objects, size), (self.size, self._places)
        hypotheses, checks, tracker = self._held
        self._resize(size)
        if old is not None:
            both, fixed = (old, self._places), (self.known.objects, before, size)
            hypotheses = self.run(("repack", fixed), repacked, *both, hypotheses, fixed=fixed)
            tracker = self.run(("repack tracker", fixed), repacked, *both, tracker, fixed=fixed)
        else:
            hypotheses = self.run(("grow", room), programs.grow, hypotheses, fixed=room)
            if tracker is not None:
                tracker = self.run(("grow tracker", room), programs.grow_tracker, tracker, fixed=room)
        self._held = State(hypotheses, checks, tracker)

    def note_poses(self, steps: int) -> None:
        """Make room for poses of so many steps of bursts."""
        turns = self.state.rotation
        if not isinstance(turns, Turns) or steps * self.known.ways_sensed <= turns.sensed.shape[2]:
            return
        wider = capacity(steps, BURST_STEPS) * self.known.ways_sensed
        message = f"room for poses sensed in bursts grows from {turns.sensed.shape[2]} to {wider}"
        log.warning(message)
        self.growths.append(message)
        sensed = self.run(("widened", wider), programs.widened, turns.sensed, fixed=(wider,))
        self._put(self.state._replace(rotation=turns._replace(sensed=sensed)))

    def run(
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
            program = self._ready[key] = Program(bound, loop and small and self._loops)
        return program(*args)

    def run_apart(
        self, key: tuple[Any, ...], function: Callable[..., Any], *args: Any,
        fixed: tuple[Any, ...] = (), loop: bool = False,
    ) -> Any:  # fmt: skip
        """`run` of a function that works on hypotheses as (R, M, O, H), however they lie between steps."""
        if self._places is None:
            return self.run(key, function, *args, fixed=fixed, loop=loop)
        bound = partial(function, *fixed) if fixed else function
        return self.run((*key, self.size), unpacked_in(bound, self.size), self._places, *args, loop=loop)
