"""A bank: the device state of evidence modules that step together, and the programs that move it on.

Modules of one group share settings, so their hypotheses can be stacked along one axis and updated by one
program. A bank holds M >= 1 of them for R rows (parallel episodes). The host keeps only what it decided
itself: which channels have started, where the sensors were, how many hypotheses there can be at most.
Everything else stays on the device.

    launch(batch, check)  -> Pending    enqueue a whole step, as one program where it can be; never waits
    advance(batch, check) -> Step       enqueue the update alone; never waits
    conclude(step)        -> Pending    enqueue the decisions; never waits
    collect(pending)      -> Outcome    wait once and read the small results

A step is: update (displace and test), start (only when a channel senses an object for the first time),
votes if any (`cast_votes` and `receive`, between advance and conclude), decide. Only steps with an end check
compute one; in between, what the last one found is reported again. Programs are compiled per capacity;
when the capacity is too small it grows by a quarter or as far as needed, and says so.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from saccade.cortex import programs, updater_burst
from saccade.cortex.decide import Checks
from saccade.cortex.disagree import disagree, unpack
from saccade.cortex.disagree import pack as pack_questions
from saccade.cortex.geometry import listed_rotations, sensed_sets, uniform_rotations
from saccade.cortex.goal_places import GoalSettings, Places, Questions
from saccade.cortex.hypotheses import Hypotheses, Poses, empty
from saccade.cortex.inputs import Staging
from saccade.cortex.messages import NUMBERS, PerceptBatch
from saccade.cortex.model import ObjectModel
from saccade.cortex.ops import read, upload
from saccade.cortex.outcome import Marked, Outcome, Pending, Step
from saccade.cortex.program import Program, Report
from saccade.cortex.programs import Spec
from saccade.cortex.settings import BurstSettings, EvidenceSettings
from saccade.cortex.tables import ChannelTable, build_channel, capacity
from saccade.cortex.updater_burst import Burst, SampleSize, Tracker, nodes_to_sample
from saccade.cortex.updater_plain import Update
from saccade.cortex.vote import Ballot, Routing
from saccade.tensor import Tensor
from saccade.tensor.bound import Inbox

log = logging.getLogger(__name__)

Bools = npt.NDArray[np.bool_]

#: steps of a burst for which there is room beyond one whole burst. Room costs time, if only to fill it; in
#: 300 steps of 8 episodes with 12 objects the survivors never filled this
SPARE_STEPS = 1
#: room for hypotheses up to which programs may keep memory of their own; for more, launching takes no time
#: beside the work, and each state is gigabytes
LOOPED_HYPOTHESES = 4_000_000
#: comparisons of hypotheses in one launch on a device of its own; a host does them one by one
REQUESTS = 16
COMPARED_ONE_BY_ONE = ("cpu", "interpreter")
#: different flags of batches whose meaning is kept
MOST_MARKED = 256


class EvidenceBank:
    """Hypotheses of M modules in R rows, and what was learned about the objects they know."""

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

        return SampleSize(defined=sizes(2), undefined=sizes(self.settings.umbilical_num_poses))

    def _added_in_a_step(self) -> npt.NDArray[np.int64]:
        """(M, O) the most new hypotheses of a step of a burst."""
        updater = self.settings.updater
        if not isinstance(updater, BurstSettings):
            return np.zeros((self.modules, self._objects), np.int64)
        share = min(updater.sampling_multiplier, max(2, self.settings.umbilical_num_poses))
        return np.asarray(np.ceil(self._node_counts.sum(axis=-1) * share), np.int64)

    def _allocate(self) -> None:
        most = int(self._node_counts.sum(axis=-1).max(initial=1))
        updater = self.settings.updater
        if isinstance(updater, BurstSettings):
            per_step = most * min(updater.sampling_multiplier, max(2, self.settings.umbilical_num_poses))
            # one whole burst and a part of the next: by then most of the first have gone
            needed = int(np.ceil((updater.sampling_burst_duration + SPARE_STEPS) * per_step))
        else:
            needed = most * self._ways(fully_defined=True)
        size = max(-(-needed // 8) * 8, 8)
        kinds = (self.settings.dtype, self.settings.rotation_dtype)
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
        self._bound = none.astype(np.int64)
        #: (R, M, O, C) models whose channel has made no hypotheses yet, and whether there are any
        self._waiting = np.broadcast_to(self._node_counts > 0, (*lead, *self._node_counts.shape[1:])).copy()
        self._any_waiting = True
        self._last_location = np.zeros((*lead, 3))
        self._has_location, self._all_located = np.zeros(lead, bool), False
        self._may_burst = np.ones(lead, bool)

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
        wider = -(-max(needed, size * 5 // 4) // 8) * 8
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

    # --- one step

    def reset(self, rows: Bools | None = None) -> None:
        """Forget the hypotheses of the marked rows (all by default); models stay."""
        chosen = np.ones(self.rows, bool) if rows is None else np.asarray(rows, bool)
        mask = upload(np.repeat(chosen[:, None], self.modules, axis=1), "bool", self.device)
        self._state, self._checks = self._run(("reset",), programs.reset, self.state, self._checks, mask)
        if self._tracker is not None:
            left = self._run(("calm",), programs.calm, self._tracker.burst_left, mask)
            self._tracker = self._tracker._replace(burst_left=left)
        self._bound[chosen] = 0
        self._waiting[chosen] = self._node_counts > 0
        self._any_waiting = True
        self._has_location[chosen], self._all_located = False, False
        self._may_burst[chosen] = True

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Go on with the rows of these numbers alone, in this order. All work is done for every row, so rows
        that nobody needs cost as much as the others; programs for fewer rows are compiled when first used.
        """
        held = (self.state, self._checks, self._untouched, self._tracker or ())
        index = upload(rows, "int32", self.device)
        self._state, self._checks, self._untouched, tracker = self._run(("keep",), programs.keep, held, index)
        self._tracker = tracker or None
        del self._programs[self.spec, self.rows]  # with the memory that its loops hold
        self.rows = len(rows)
        self._stage()
        self._ready = self._programs.setdefault((self.spec, self.rows), {})
        self._bound, self._waiting = self._bound[rows], self._waiting[rows]
        self._last_location, self._has_location = self._last_location[rows], self._has_location[rows]
        self._may_burst = self._may_burst[rows]
        self._any_waiting = bool(self._waiting.any())
        self._all_located = bool(self._has_location.all())

    def _displace(self, batch: PerceptBatch, marked: Marked, out: npt.NDArray[np.float64]) -> None:
        """Write (R, M, 3) from the last mean location of the inputs to this one; zero on the first."""
        if self._all_located and marked.all_present:
            here = batch.numbers[:, :, 0, :3].copy() if len(self.widths) == 1 else batch.mean_location()[0]
            np.subtract(here, self._last_location, out=out)
            self._last_location = here
            return
        here, present = batch.mean_location()
        known = present & self._has_location
        out[...] = np.where(known[..., None], here - self._last_location, 0.0)
        self._last_location = np.where(present[..., None], here, self._last_location)
        self._has_location |= present
        self._all_located = bool(self._has_location.all())

    def _ways(self, fully_defined: bool) -> int:
        poses = self.settings.initial_possible_poses
        if poses == "informed":
            return 2 if fully_defined else self.settings.umbilical_num_poses
        return 256 if poses == "uniform" else len(poses)

    def _readings(self, batch: PerceptBatch, c: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """The ways to read channel c's sensed poses (R, M, P, 9), and their numbers (R, M)."""
        poses = self.settings.initial_possible_poses
        lead = (self.rows, self.modules)
        if poses == "informed":
            sets, number = sensed_sets(
                batch.pose_vectors[:, :, c],
                batch.pose_fully_defined[:, :, c],
                self.settings.umbilical_num_poses,
            )
        else:
            assert poses == "uniform" or not isinstance(poses, str)
            fixed = uniform_rotations() if poses == "uniform" else listed_rotations(poses)  # type: ignore[arg-type]
            sets, number = np.broadcast_to(fixed, (*lead, *fixed.shape)), np.full(lead, len(fixed))
        return sets.reshape(*lead, -1, 9), number

    def launch(self, batch: PerceptBatch, check: Bools | None = None) -> Pending:
        """Enqueue one whole step for all rows and modules. `check` (R, M) asks for the end check. Never
        waits.
        """
        burst = self._bursts
        if self._any_waiting and not burst:  # some channel may begin, which is not part of that program
            return self.conclude(self.advance(batch, check))
        step = self._sensed(batch, check)
        checks = step.checks
        if burst:
            poses, samples = self._sampling(batch, step.marked)
            self._state, self._checks, report, self._tracker, step.burst = self._run(
                ("burst step", checks, len(poses)), self.spec.burst_step,
                self.state, self._tracker, self._checks, step.packed, self._tables, poses, samples,
                fixed=(checks,), loop=True,
            )  # fmt: skip
        else:
            self._state, self._checks, report = self._run(
                ("plain step", checks), self.spec.plain_step,
                self.state, self._checks, step.packed, self._tables,
                fixed=(checks,), loop=True,
            )  # fmt: skip
        return self._under_way(step, report)

    def advance(self, batch: PerceptBatch, check: Bools | None = None) -> Step:
        """Enqueue the update of all hypotheses by the percepts of one step. Never waits."""
        step = self._sensed(batch, check)
        step.sensor_location = batch.first_location()
        step.update, step.burst = self._advance(batch, step)
        return step

    def _sensed(self, batch: PerceptBatch, check: Bools | None) -> Step:
        """What a step begins with: its percepts on their way to the device."""
        if batch.numbers.shape != self._batch_shape:
            *lead, columns = self._batch_shape
            raise ValueError(
                f"inputs are for {batch.shape} (rows, modules, channels) and have {batch.features.shape[3]} "
                f"columns of features, the bank has {tuple(lead)} and {columns - NUMBERS}"
            )
        flags = batch.flags.tobytes()
        marked = self._marked.get(flags)
        if marked is None:
            marked = self._mark(flags, batch)
        if check is None:
            wanted, checks = self._nobody, self._nobody_told
        else:
            wanted = np.asarray(check, bool)
            checks = wanted.tobytes()
        packed = self._staging.next()
        packed.fill(batch, flags, wanted, checks)
        self._displace(batch, marked, packed.displacement)
        return Step(packed.inbox, marked, wanted, checks != self._nobody_told)

    def _mark(self, flags: bytes, batch: PerceptBatch) -> Marked:
        """What the flags of a batch say, kept for the next batch with the same ones: most have."""
        if len(self._marked) >= MOST_MARKED:
            self._marked.clear()
        found = self._marked[flags] = Marked.of(batch)
        return found

    def cast_votes(self, step: Step) -> Ballot:
        """Enqueue the choice of votes; modules that processed nothing send nothing."""
        active = upload(step.processed, "bool", self.device)
        return Ballot.of(self.state, self._run(("choose",), self.spec.choose, self.state, active))

    def receive(
        self, ballots: tuple[Ballot, ...], routing: Routing, offsets: npt.NDArray[np.float64], step: Step
    ) -> None:
        """Enqueue the effect of votes; offsets (R, S, M, 3) lead from each sender's sensor to the
        receiver's.
        """
        if not routing.sender.shape[0]:
            return
        active = upload(step.processed, "bool", self.device)
        moved = upload(offsets, self.settings.rotation_dtype, self.device)
        (evidence,) = self._run(("receive",), self.spec.receive, self.state, ballots, routing, moved, active)
        self._state = self.state._replace(evidence=evidence)

    def _advance(self, batch: PerceptBatch, step: Step) -> tuple[Update, Burst | None]:
        if self._bursts:
            return self._advance_burst(batch, step)
        if self._bound.any():
            self._state, update = self._run(
                ("plain",), self.spec.plain, self.state, step.packed, self._tables, loop=True
            )
        else:
            update = self._untouched  # there is nothing yet to displace or test
        if self._any_waiting:
            self._start(batch, step)
        return update, None

    def _start(self, batch: PerceptBatch, step: Step) -> None:
        """Hypotheses of every channel that senses an object for the first time."""
        begin = step.marked.usable[:, :, None, :] & self._waiting
        settled = self.state.counts
        for c in range(len(self.widths)):
            if not begin[..., c].any():
                continue
            sets, number = self._readings(batch, c)
            poses = Poses(
                upload(sets, self.settings.rotation_dtype, self.device), upload(number, "int32", self.device)
            )
            self._bound += np.where(begin[..., c], self._node_counts[None, ..., c] * number[..., None], 0)
            self._reserve(int(self._bound.max(initial=0)))
            mask = upload(begin[..., c], "bool", self.device)
            self._state = self._run(
                ("start", c), self.spec.start,
                self.state, step.packed, mask, settled, self._tables, poses,
                fixed=(c,),
            )  # fmt: skip
        self._waiting &= ~begin
        self._any_waiting = bool(self._waiting.any())

    def _advance_burst(self, batch: PerceptBatch, step: Step) -> tuple[Update, Burst | None]:
        poses, samples = self._sampling(batch, step.marked)
        self._state, self._tracker, update, burst = self._run(
            ("burst", len(poses)), self.spec.burst,
            self.state, self._tracker, step.packed, self._tables, poses, samples,
            loop=True,
        )  # fmt: skip
        return update, burst

    def _sampling(
        self, batch: PerceptBatch, marked: Marked
    ) -> tuple[tuple[Poses, ...], tuple[SampleSize, ...]]:
        """What new hypotheses are made of, nothing where there can be none; room for them is made."""
        poses: tuple[Poses, ...] = ()
        samples: tuple[SampleSize, ...] = ()
        samples_now = self._may_burst & marked.processed
        if samples_now.any():
            poses, samples = self._sent_poses(batch), self._samples
            self._bound += np.where(samples_now[..., None], self._most_added, 0)
            self._reserve(int(self._bound.max(initial=0)))
        self._may_burst[:] = True  # until the step is read
        return poses, samples

    def _sent_poses(self, batch: PerceptBatch) -> tuple[Poses, ...]:
        """The ways to read the sensed poses of every channel, in inboxes that two steps in turn use."""
        found = [self._readings(batch, c) for c in range(len(self.widths))]
        kinds = (self.settings.rotation_dtype, "int32")
        while len(self._pose_turns) < 2:
            boxes = [
                [Inbox(v.shape, k, self.device) for v, k in zip(one, kinds, strict=True)] for one in found
            ]
            # a program sees the tensor of an inbox
            self._pose_turns.append(tuple(Poses(*cast("list[Tensor]", pair)) for pair in boxes))
        self._pose_turns.rotate()
        for poses, values in zip(self._pose_turns[0], found, strict=True):
            for box, value in zip(cast("tuple[Inbox, Inbox]", poses), values, strict=True):
                box.ready()
                box.array[...] = value
        return self._pose_turns[0]

    def conclude(self, step: Step) -> Pending:
        """Decide on the hypotheses as they stand; enqueued, like everything else."""
        checks = step.checks
        self._state, self._checks, report = self._run(
            ("decide", checks), self.spec.decide,
            self.state, self._checks, step.packed, step.update, programs.small_parts(step.burst),
            fixed=(checks,), loop=True,
        )  # fmt: skip
        return self._under_way(step, report)

    def _under_way(self, step: Step, report: Report) -> Pending:
        self._launched += 1
        return Pending(step, report, self._launched)

    def results_of(self, pending: Pending) -> Sequence[Report]:
        """The tensors to read when the step is gathered: one, small, whatever the number of hypotheses."""
        if self._launched - pending.number > 1:
            raise RuntimeError(
                f"step {pending.number} is gathered after step {self._launched} was dispatched, which took "
                "the place of its results: gather a step before the second one after it is dispatched"
            )
        return [pending.report]

    def outcome_of(self, pending: Pending, values: Sequence[npt.NDArray[Any]]) -> Outcome:
        """The step on the host, from the values of `results_of`."""
        # a copy, for on a device in host memory a later step writes its own report there
        outcome = Outcome(pending.step, pending.report, values[0].copy())
        if pending.step.burst is not None:
            beliefs, _, (*_, upcoming) = pending.report.layout.places
            self._bound = outcome.values[..., beliefs.counts].astype(np.int64)
            self._may_burst = outcome.values[..., upcoming] > 0
        return outcome

    def collect(self, pending: Pending) -> Outcome:
        """Wait for a step and read its results: the one synchronisation."""
        return self.outcome_of(pending, read(self.results_of(pending)))

    # --- reading back on demand

    def hypotheses_of(self, row: int, module: int, name: str) -> dict[str, npt.NDArray[Any]]:
        """Evidence (H,), locations (H, 3), rotations (H, 3, 3) and flags (H,) of one object. Waits."""
        names = [model.name for model in self.memories[module]]
        if name not in names:
            raise KeyError(f"module {module} knows no object {name!r}; it knows {names}")
        o = names.index(name)
        at = (row, module, o)
        state = self.state
        values = [
            v[at] for v in (state.counts, state.evidence, state.possible, *state.location, *state.rotation)
        ]
        count, evidence, possible, *rest = read(values)
        h = int(count)
        columns = np.stack([value[:h] for value in rest], axis=-1)
        return {
            "evidence": evidence[:h],
            "locations": columns[:, :3],
            "rotations": columns[:, 3:].reshape(h, 3, 3),
            "possible": possible[:h].astype(bool),
        }

    def telling_places(self, module: int, questions: Questions, settings: GoalSettings) -> Places | None:
        """Places whose look tells the best hypotheses of two objects (or poses) apart; see `goal_places`.

        Compares the nodes of the first channel; None if a model has none there. Waits.
        """
        numbers = np.stack([questions.top, questions.rival])
        if not self._node_counts[module, numbers, 0].all():
            return None
        asked = pack_questions(questions, module)
        # Always this many at a time, whatever the number of rows, so that they do not change what comes out.
        size = 1 if self.state.evidence.device in COMPARED_ONE_BY_ONE else REQUESTS
        fixed = (settings, self.layouts[0])
        answers = []
        for start in range(0, len(asked), size):
            part = asked[start : start + size]
            padded = np.concatenate([part, np.repeat(part[-1:], size - len(part), axis=0)])
            key = ("disagree", settings)
            given = upload(padded, "float64", self.device)
            answers.append(self._run(key, disagree, self.state, self._tables[0], given, fixed=fixed))
        return unpack(np.concatenate(read(answers))[: len(asked)], settings)
