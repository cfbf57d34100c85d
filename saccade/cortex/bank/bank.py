"""A bank: the device state of evidence modules that step together, and the programs that move it on.

Modules of one group share settings, so their hypotheses can be stacked along one axis and updated by one
program. A bank holds M >= 1 of them for R rows (parallel episodes). The host keeps only what it decided
itself: which channels have started, where the sensors were, how many hypotheses there can be at most.
Everything else stays on the device.

    launch(batch, check)  -> Pending    enqueue a whole step, as one program where it can be; never waits
    launch_felt(felt, rows, check)      the same of percepts on the device; `heard` tells the host of them
    advance(batch, check) -> Step       enqueue the update alone; never waits
    conclude(step)        -> Pending    enqueue the decisions; never waits
    collect(pending)      -> Outcome    wait once and read the small results

A step is: update (displace and test), start (only when a channel senses an object for the first time),
votes if any (`cast_votes` and `receive`, between advance and conclude), decide. Only steps with an end check
compute one; in between, what the last one found is reported again. Where the hypotheses lie, and how
programs are made, is in `room`; how they are read on demand in `held`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import programs
from saccade.cortex.bank.entrance import Entrance
from saccade.cortex.bank.held import HeldRoom
from saccade.cortex.bank.inputs import (
    BEFORE,
    CHECK,
    HEADING,
    LOCATED,
    NOWHERE,
    ROW,
    SLOT,
    FeltPacked,
    FeltPercepts,
    Headed,
    Ways,
    senders,
)
from saccade.cortex.bank.ledger import Ledger
from saccade.cortex.bank.outcome import Marked, Outcome, Pending, Step
from saccade.cortex.bank.program import Report
from saccade.cortex.bank.room import State
from saccade.cortex.geometry import listed_rotations, sensed_sets, uniform_rotations
from saccade.cortex.hypotheses.hypotheses import Poses
from saccade.cortex.hypotheses.updater_burst import Burst, SampleSize
from saccade.cortex.hypotheses.updater_plain import Update
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.modules.vote import Ballot, Routing
from saccade.cortex.ops import in_host_memory, read, upload
from saccade.tensor import Tensor

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class EvidenceBank(HeldRoom):
    """Hypotheses of M modules in R rows, and the steps that move them on."""

    def reset(self, rows: Bools | None = None) -> None:
        """Forget the hypotheses of the marked rows (all by default); models stay."""
        self._check_heard()
        chosen = np.ones(self.rows, bool) if rows is None else np.asarray(rows, bool)
        mask = upload(np.repeat(chosen[:, None], self.modules, axis=1), "bool", self.device)
        hypotheses, checks, tracker = self._held
        hypotheses, checks = self.run(("reset",), programs.reset, hypotheses, checks, mask)
        if tracker is not None:
            left = self.run(("calm",), programs.calm, tracker.burst_left, mask)
            tracker = tracker._replace(burst_left=left)
        self._held = State(hypotheses, checks, tracker)
        self._ledger.reset(chosen, self.known.nodes)
        self._changed = self._launched

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Go on with the rows of these numbers alone, in this order. All work is done for every row, so rows
        that nobody needs cost as much as the others; programs for fewer rows are compiled when first used.
        """
        self._check_heard()
        hypotheses, checks, tracker = self._held
        index = upload(rows, "int32", self.device)
        every = (hypotheses, checks, tracker or (), self._untouched)
        hypotheses, checks, tracker, self._untouched = self.run(("keep",), programs.keep, every, index)
        self._held = State(hypotheses, checks, tracker or None)
        del self._programs[self._kind]  # with the memory that its loops hold
        self.rows = len(rows)
        self._entrance = Entrance(self.rows, self.modules, self.widths, self.device)
        self._ready = self._programs.setdefault(self._kind, {})
        self._ledger = self._ledger.kept(rows)
        self._changed = self._launched

    @property
    def ledger(self) -> Ledger:
        """What the host knows of the rows."""
        return self._ledger

    @property
    def whole(self) -> tuple[Any, ...]:
        """All that goes from step to step, as programs take it."""
        hypotheses, checks, tracker = self._held
        return hypotheses, checks, tracker or ()

    def go_on(self, held: State, ledger: Ledger) -> None:
        """With another state of as many rows."""
        self._held, self._ledger, self._changed = held, ledger, self._launched

    def _readings(self, batch: PerceptBatch, c: int) -> tuple[Floats, Ints]:
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
        """Enqueue one whole step for all rows and modules. `check` (R, M) asks for the end check; with None
        it is no part of the program, which is another one then. Never waits.
        """
        if self._ledger.any_waiting and not self._bursts:
            # some channel may begin, which is not part of that program
            return self.conclude(self.advance(batch, check))
        step = self._sensed(batch, check)
        if not self._bursts:
            return self._whole_step(step)
        return self._whole_step(step, *self._sampling(batch, step.marked))

    def _whole_step(
        self,
        step: Step,
        poses: tuple[Poses, ...] = (),
        samples: tuple[SampleSize, ...] = (),
        rows: Tensor | None = None,
    ) -> Pending:
        """rows (R,): which of the percepts and poses of several banks are this one's; None: all are."""
        checks, held = step.checks, self._held
        if self._bursts:
            share = () if rows is None else (rows,)
            hypotheses, last, report, tracker, step.burst = self.run_apart(
                ("burst step", checks, len(poses), len(share)), self.spec.burst_step,
                held.hypotheses, held.tracker, held.checks, step.packed, self.known.tables, poses, samples,
                *share, fixed=(checks,), loop=True,
            )  # fmt: skip
            self._held = State(hypotheses, last, tracker)
        else:
            hypotheses, last, report = self.run(
                ("plain step", checks), self.spec.plain_step,
                held.hypotheses, held.checks, step.packed, self.known.tables,
                fixed=(checks,), loop=True,
            )  # fmt: skip
            self._held = State(hypotheses, last, None)
        return self._under_way(step, report)

    # --- percepts that are on the device

    @property
    def takes_felt(self) -> bool:
        """Whether the next step can be `launch_felt`: where hypotheses begin, the plain updater asks the
        host."""
        return self._informed if self._bursts else not self._ledger.any_waiting

    def launch_felt(self, felt: FeltPercepts, rows: Ints, check: Bools | None = None) -> Pending:
        """As `launch`, of percepts on the device that the host has not seen; rows (R,): which of them each
        row takes, -1 for none. Never waits. `heard` comes next, with what they were.
        """
        return self.launch_headed(*self._packed(felt, rows, check))

    def advance_felt(self, felt: FeltPercepts, rows: Ints, check: Bools | None = None) -> Step:
        """As `advance`, of percepts on the device."""
        return self.advance_headed(*self._packed(felt, rows, check))

    def _packed(self, felt: FeltPercepts, rows: Ints, check: Bools | None) -> tuple[Headed, FeltPacked]:
        heading = np.zeros((self.rows, self.modules, HEADING))
        headed = self.headed(heading, rows, check)
        return headed, FeltPacked(*felt.packed(heading, headed.ways))

    def headed(self, heading: Floats, rows: Ints, check: Bools | None) -> Headed:
        """Begin a step of percepts on the device: what the bank adds to them is written to heading
        (R, M, HEADING). `launch_headed` or `advance_headed` comes next."""
        self._check_heard()
        self._free_results()
        ledger = self._ledger
        wanted = self._entrance.nobody if check is None else np.asarray(check, bool)
        heading[..., BEFORE : BEFORE + 3], heading[..., LOCATED] = ledger.here, ledger.located
        heading[..., CHECK], heading[..., ROW], heading[..., SLOT] = wanted, rows[:, None], NOWHERE
        ways, sampled = None, None
        if self._bursts:
            # if anything is told there, which only the device knows
            sampled = ledger.may_burst & (rows >= 0)[:, None]
            if sampled.any():
                heading[..., SLOT] = self._first_slots(sampled)
            self._make_room(sampled)
            if sampled.any() or in_host_memory(self.device):
                ways = Ways(self.settings.umbilical_num_poses, self.settings.rotation_dtype)
            ledger.may_burst[:] = True  # until the step is read
        return Headed(wanted, check is not None, sampled, ways)

    def launch_headed(self, headed: Headed, felt: FeltPacked) -> Pending:
        """As `launch_felt`, of percepts that are packed; of those of several banks, this one's rows alone."""
        if felt.rows is not None and not self._bursts:
            felt = self._own(felt)
        poses = felt.poses if headed.ways else ()
        step = self._unheard_step(headed, felt.packed)
        pending = self._whole_step(step, poses, self.known.samples if poses else (), felt.rows)
        self._unheard = True
        return pending

    def advance_headed(self, headed: Headed, felt: FeltPacked) -> Step:
        """As `advance_felt`, of percepts that are packed."""
        felt = self._own(felt)
        poses = felt.poses if headed.ways else ()
        step = self._unheard_step(headed, felt.packed)
        step.senders = self.run(("senders",), senders, step.packed, fixed=(self.widths,))
        step.update, step.burst = self._updated(step, poses, self.known.samples if poses else ())
        self._unheard = True
        return step

    def _own(self, felt: FeltPacked) -> FeltPacked:
        """The rows of this bank, by a program of their own."""
        if felt.rows is None:
            return felt
        every = felt.packed, felt.poses
        packed, poses = self.run(("own", len(felt.poses)), programs.keep, every, felt.rows)
        return FeltPacked(packed, poses)

    def _unheard_step(self, headed: Headed, packed: Tensor) -> Step:
        return Step(packed, self._entrance.nothing, headed.check, headed.checks, sampled=headed.sampled)

    def heard(self, pending: Pending, batch: PerceptBatch, check: Bools | None) -> None:
        """What the percepts of the step launched last were, and which modules (R, M) made the end check; its
        outcome is asked for after that."""
        step, ledger = pending.step, self._ledger
        step.marked = self._entrance.marked(batch.flags.tobytes(), batch)
        if check is not None:
            step.checked = np.asarray(check, bool)
        if step.sampled is not None:
            ledger.born = ledger.born + (step.sampled & step.processed)
        ledger.moved(*batch.mean_location())
        self._unheard = False

    def _check_heard(self) -> None:
        if self._unheard:
            raise RuntimeError(
                "the last step was of percepts that the host has not heard of: gather it before anything "
                "else is done with the bank"
            )

    def advance(self, batch: PerceptBatch, check: Bools | None = None) -> Step:
        """Enqueue the update of all hypotheses by the percepts of one step. Never waits."""
        step = self._sensed(batch, check)
        step.sensor_location = batch.mean_location()[0]
        step.update, step.burst = self._advance(batch, step)
        return step

    def _sensed(self, batch: PerceptBatch, check: Bools | None) -> Step:
        """What a step begins with: its percepts on their way to the device."""
        self._check_heard()
        self._free_results()
        flags, entrance = batch.flags.tobytes(), self._entrance
        marked = entrance.marked(flags, batch)
        if check is None:
            wanted, checks = entrance.nobody, entrance.nobody_told
        else:
            wanted = np.asarray(check, bool)
            checks = wanted.tobytes()
        packed = entrance.staging.next()
        follows = self._ledger.all_located and marked.all_present and len(self.widths) == 1
        packed.fill(batch, flags, wanted, checks, follows)
        if follows:
            packed.way[...] = self._ledger.here
            self._ledger.here = packed.location
        else:
            packed.way[...] = self._ledger.moved(*batch.mean_location())
        return Step(packed.inbox, marked, wanted, check is not None)

    def _free_results(self) -> None:
        """The next step may take the memory of results that were read before the last one."""
        for number in tuple(self._outcomes):
            if number < self._launched:
                outcome = self._outcomes.pop(number)()
                if outcome is not None:
                    outcome.keep()

    def cast_votes(self, step: Step) -> Ballot:
        """Enqueue the choice of votes; modules that processed nothing send nothing."""
        active = self._active(step)
        return Ballot.of(self.state, self.run(("choose",), self.spec.choose, self.state, active))

    def receive(
        self,
        ballots: tuple[Ballot, ...],
        routing: Routing,
        offsets: Floats | tuple[Tensor, ...],
        step: Step,
    ) -> None:
        """Enqueue the effect of votes; offsets (R, S, M, 3) lead from each sender's sensor to the receiver's,
        or are known on the device from the places of the sensors of each bank, (R, M, 3).
        """
        if not routing.sender.shape[0]:
            return
        self._check_voted()
        if isinstance(offsets, tuple):
            assert step.senders is not None
            own = step.senders.place
            (moved,) = self.run(("offsets",), self.spec.offsets, own, offsets, routing)
        else:
            moved = upload(offsets, self.settings.rotation_dtype, self.device)
        active = self._active(step)
        (evidence,) = self.run(("receive",), self.spec.receive, self.state, ballots, routing, moved, active)
        self._put(self.state._replace(evidence=evidence))

    def _active(self, step: Step) -> Tensor:
        """(R, M) modules with a percept that counts."""
        if step.senders is not None:
            return step.senders.active
        return upload(step.processed, "bool", self.device)

    def _advance(self, batch: PerceptBatch, step: Step) -> tuple[Update, Burst | None]:
        if self._bursts:
            return self._updated(step, *self._sampling(batch, step.marked))
        # if not, there is nothing yet to displace or test
        found = self._updated(step) if self._ledger.bound.any() else (self._untouched, None)
        if self._ledger.any_waiting:
            self._start(batch, step)
        return found

    def _updated(
        self, step: Step, poses: tuple[Poses, ...] = (), samples: tuple[SampleSize, ...] = ()
    ) -> tuple[Update, Burst | None]:
        """Displace and test all hypotheses, and begin others where modules are in a burst."""
        held = self._held
        if not self._bursts:
            hypotheses, update = self.run(
                ("plain",), self.spec.plain, self.state, step.packed, self.known.tables, loop=True
            )
            self._put(hypotheses)
            return update, None
        hypotheses, tracker, update, burst = self.run_apart(
            ("burst", len(poses)), self.spec.burst,
            held.hypotheses, held.tracker, step.packed, self.known.tables, poses, samples,
            loop=True,
        )  # fmt: skip
        self._held = State(hypotheses, held.checks, tracker)
        return update, burst

    def _start(self, batch: PerceptBatch, step: Step) -> None:
        """Hypotheses of every channel that senses an object for the first time."""
        begin = step.marked.usable[:, :, None, :] & self._ledger.waiting
        settled = self.state.counts
        for c in range(len(self.widths)):
            if not begin[..., c].any():
                continue
            sets, number = self._readings(batch, c)
            poses = Poses(
                upload(sets, self.settings.rotation_dtype, self.device), upload(number, "int32", self.device)
            )
            self._ledger.bound += np.where(
                begin[..., c], self.known.nodes[None, ..., c] * number[..., None], 0
            )
            self._reserve(self._ledger.bound)
            mask = upload(begin[..., c], "bool", self.device)
            hypotheses = self.run(
                ("start", c), self.spec.start,
                self.state, step.packed, mask, settled, self.known.tables, poses,
                fixed=(c,),
            )  # fmt: skip
            self._put(hypotheses)
        self._ledger.begun(begin)

    def _sampling(
        self, batch: PerceptBatch, marked: Marked
    ) -> tuple[tuple[Poses, ...], tuple[SampleSize, ...]]:
        """What new hypotheses are made of, nothing where there can be none and a device has to launch kernels
        for it; room for them is made."""
        poses: tuple[Poses, ...] = ()
        samples_now = self._ledger.may_burst & marked.processed
        self._make_room(samples_now)
        if samples_now.any():
            found = [self._readings(batch, c) for c in range(len(self.widths))]
            slots = self._slots(samples_now, [sets.shape[2] for sets, _ in found])
            noted = [(*one, slot) for one, slot in zip(found, slots, strict=True)]
            poses = self._entrance.poses(noted, self.settings.rotation_dtype)
        elif in_host_memory(self.device):
            # Sampling of nothing takes a millisecond there, and another program seconds to make.
            poses = self._entrance.last_poses()
        self._ledger.may_burst[:] = True  # until the step is read
        return poses, self.known.samples if poses else ()

    def _slots(self, samples_now: Bools, ways: Sequence[int]) -> list[Ints]:
        """(R, M) of each channel: where its poses of this step are noted."""
        first = self._first_slots(samples_now)
        if self._informed:
            self._ledger.born = self._ledger.born + samples_now
        before = np.cumsum([0, *ways[:-1]]).tolist()
        return [np.where(samples_now, first + number, NOWHERE) for number in before]

    def _first_slots(self, samples_now: Bools) -> Ints:
        """(R, M) where the poses of the first channel are noted; room for them is made."""
        born = self._ledger.born
        if self._informed:  # others are the same in every step
            self.note_poses(int(born.max(initial=0)) + 1)
        return np.where(samples_now, born * self.known.ways_sensed, NOWHERE)

    def _make_room(self, samples_now: Bools) -> None:
        """For the hypotheses that modules (R, M) may begin now."""
        self._ledger.added = np.where(samples_now[..., None], self.known.most_added, 0)
        if samples_now.any():
            self._ledger.bound += self._ledger.added
            self._reserve(self._ledger.bound)

    def conclude(self, step: Step) -> Pending:
        """Decide on the hypotheses as they stand; enqueued, like everything else."""
        checks = step.checks
        held = self._held
        hypotheses, last, report = self.run_apart(
            ("decide", checks), self.spec.decide,
            held.hypotheses, held.checks, step.packed, step.update, programs.small_parts(step.burst),
            self.known.tables,
            fixed=(checks,), loop=True,
        )  # fmt: skip
        self._held = State(hypotheses, last, held.tracker)
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
        outcome = Outcome(pending.step, pending.report, values[0])
        self._outcomes[pending.number] = ref(outcome)
        if pending.step.burst is not None and pending.number > self._changed:
            beliefs, _, (*_, upcoming), _ = pending.report.layout.places
            self._ledger.bound = outcome.values[..., beliefs.counts].astype(np.int64)
            if pending.number == self._launched:
                self._ledger.may_burst = outcome.values[..., upcoming] > 0
            else:  # the next step is under way: it may add to them, and nobody knows what comes after it
                self._ledger.bound += self._ledger.added
        return outcome

    def collect(self, pending: Pending) -> Outcome:
        """Wait for a step and read its results: the one synchronisation."""
        return self.outcome_of(pending, read(self.results_of(pending)))
