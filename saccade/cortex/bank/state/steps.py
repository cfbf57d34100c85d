"""Steps: functions of a state and of what was sensed that give the next state. None waits for the device.

    state, step, poses = sensed(tools, state, batch, check)     # percepts on their way, room for what comes
    state, pending = whole_step(tools, state, step, poses)      # update and decisions by one program
    state, outcome = outcome_of(state, pending, values)         # what it found, once it is read

or, where modules hear each other or begin, in parts:

    state, step, poses = sensed(tools, state, batch, check)
    state = advance(tools, state, step, poses)      # the update; hypotheses that begin are `started`
    state = receive(tools, state, ballots, routing, offsets, step)
    state, pending = conclude(tools, state, step)   # the decisions

A step that makes room is two functions, so that the state without it is gone before the work begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import programs
from saccade.cortex.bank.entrance import Entrance
from saccade.cortex.bank.inputs import (
    BEFORE,
    CHECK,
    LOCATED,
    NOWHERE,
    ROW,
    SLOT,
    FeltPacked,
    Headed,
    Ways,
    senders,
)
from saccade.cortex.bank.outcome import Outcome, Pending, Step
from saccade.cortex.bank.program import Report
from saccade.cortex.bank.shelf import Shelf
from saccade.cortex.bank.state.arrangement import Arrangement
from saccade.cortex.bank.state.between import poses_noted, reserved
from saccade.cortex.bank.state.state import Carry, State
from saccade.cortex.geometry import listed_rotations, sensed_sets, uniform_rotations
from saccade.cortex.hypotheses.hypotheses import Poses
from saccade.cortex.hypotheses.updater_burst import SampleSize
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.modules.vote import Ballot, Routing
from saccade.cortex.ops import in_host_memory, upload
from saccade.tensor import Tensor

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
#: of every channel, the ways to read its poses; nothing where no hypotheses begin
AllPoses = tuple[Poses, ...]


class Tools(NamedTuple):
    """What moves a state on and is no part of it: programs, and the memory that percepts go through."""

    shelf: Shelf
    entrance: Entrance

    @staticmethod
    def of(shelf: Shelf, arrangement: Arrangement) -> Tools:
        widths = arrangement.known.spec.widths
        return Tools(shelf, Entrance(arrangement.rows, arrangement.modules, widths, arrangement.device))


# --- what a step begins with


def sensed(
    tools: Tools, state: State, batch: PerceptBatch, check: Bools | None
) -> tuple[State, Step, AllPoses]:
    """Percepts on their way to the device, and with bursts what new hypotheses are made of. check (R, M): who
    makes the end check; None: it is no part of the programs."""
    arrangement, carry, ledger, flight = state
    flight.check_heard()
    flight.free()
    flags, entrance = batch.flags.tobytes(), tools.entrance
    marked = entrance.marked(flags, batch)
    if check is None:
        wanted, checks = entrance.nobody, entrance.nobody_told
    else:
        wanted = np.asarray(check, bool)
        checks = wanted.tobytes()
    packed = entrance.staging.next()
    follows = ledger.all_located and marked.all_present and arrangement.one_channel
    packed.fill(batch, flags, wanted, checks, follows)
    if follows:
        packed.way[...] = ledger.here
        ledger = ledger.at(packed.location.copy())
    else:
        packed.way[...], ledger = ledger.moved(*batch.mean_location())
    step = Step(packed.inbox, marked, wanted, check is not None)
    if not arrangement.bursts:
        return State(arrangement, carry, ledger, flight), step, ()
    samples_now = ledger.may_burst & marked.processed
    if samples_now.any():
        ledger = ledger.launching(_most_added(arrangement, samples_now), arrangement.everyone)
        state = State(arrangement, carry, ledger, flight)
        state, poses = _sampling(tools, state, batch, samples_now)
        return state, step, poses
    ledger = ledger.launching(arrangement.none_added, arrangement.everyone)
    state = State(arrangement, carry, ledger, flight)
    # Sampling of nothing takes a millisecond in the host's memory, and another program seconds to make; a
    # device has to launch kernels for it.
    return state, step, entrance.last_poses() if in_host_memory(arrangement.device) else ()


def _most_added(arrangement: Arrangement, samples_now: Bools) -> Ints:
    """(R, M, O) the most hypotheses that modules (R, M) may begin now."""
    return np.where(samples_now[..., None], arrangement.known.most_added, 0)


def _sampling(tools: Tools, state: State, batch: PerceptBatch, samples_now: Bools) -> tuple[State, AllPoses]:
    """What modules (R, M) may make new hypotheses of now; room for them is made."""
    state = reserved(tools.shelf, state, state.ledger.bound)
    arrangement = state.arrangement
    found = [readings(arrangement, batch, c) for c in range(batch.shape[2])]
    state, first = _first_slots(tools.shelf, state, samples_now)
    if arrangement.informed:
        state = state._replace(ledger=state.ledger._replace(born=state.ledger.born + samples_now))
    before = np.cumsum([0, *(sets.shape[2] for sets, _ in found[:-1])]).tolist()
    slots = [np.where(samples_now, first + number, NOWHERE) for number in before]
    noted = [(*one, slot) for one, slot in zip(found, slots, strict=True)]
    return state, tools.entrance.poses(noted, arrangement.settings.rotation_dtype)


def _first_slots(shelf: Shelf, state: State, samples_now: Bools) -> tuple[State, Ints]:
    """(R, M) where the poses of the first channel are noted; room for them is made."""
    born = state.ledger.born
    if state.arrangement.informed:  # others are the same in every step
        state = poses_noted(shelf, state, int(born.max(initial=0)) + 1)
    return state, np.where(samples_now, born * state.arrangement.known.ways_sensed, NOWHERE)


def readings(arrangement: Arrangement, batch: PerceptBatch, c: int) -> tuple[Floats, Ints]:
    """The ways to read channel c's sensed poses (R, M, P, 9), and their numbers (R, M)."""
    settings, lead = arrangement.settings, arrangement.lead
    poses = settings.initial_possible_poses
    if poses == "informed":
        sets, number = sensed_sets(
            batch.pose_vectors[:, :, c], batch.pose_fully_defined[:, :, c], settings.umbilical_num_poses
        )
    else:
        assert poses == "uniform" or not isinstance(poses, str)
        fixed = uniform_rotations() if isinstance(poses, str) else listed_rotations(poses)
        sets, number = np.broadcast_to(fixed, (*lead, *fixed.shape)), np.full(lead, len(fixed))
    return sets.reshape(*lead, -1, 9), number


# --- percepts that are on the device, which the host has not seen


def headed(
    tools: Tools, state: State, heading: Floats, rows: Ints, check: Bools | None
) -> tuple[State, Headed]:
    """Begin a step of them: what a bank adds to them is written to heading (R, M, HEADING)."""
    arrangement, _, ledger, flight = state
    flight.check_heard()
    flight.free()
    wanted = tools.entrance.nobody if check is None else np.asarray(check, bool)
    heading[..., BEFORE : BEFORE + 3], heading[..., LOCATED] = ledger.here, ledger.located
    heading[..., CHECK], heading[..., ROW], heading[..., SLOT] = wanted, rows[:, None], NOWHERE
    ways, sampled = None, None
    if arrangement.bursts:
        # if anything is told there, which only the device knows
        sampled = ledger.may_burst & (rows >= 0)[:, None]
        ledger = ledger.launching(_most_added(arrangement, sampled), arrangement.everyone)
        state = state._replace(ledger=ledger)
        if sampled.any():
            state, heading[..., SLOT] = _first_slots(tools.shelf, state, sampled)
            state = reserved(tools.shelf, state, ledger.bound)
        if sampled.any() or in_host_memory(arrangement.device):
            ways = Ways(arrangement.settings.umbilical_num_poses, arrangement.settings.rotation_dtype)
    return state, Headed(wanted, check is not None, sampled, ways)


def packed_step(tools: Tools, headed: Headed, felt: FeltPacked) -> tuple[Step, AllPoses]:
    """The step that these percepts, packed, are, and what new hypotheses are made of."""
    step = Step(felt.packed, tools.entrance.nothing, headed.check, headed.checks, sampled=headed.sampled)
    return step, felt.poses if headed.ways else ()


def own_rows(tools: Tools, state: State, felt: FeltPacked) -> FeltPacked:
    """Of the percepts of several banks, those of this one, by a program of their own."""
    if felt.rows is None:
        return felt
    every, key = (felt.packed, felt.poses), ("own", len(felt.poses))
    return FeltPacked(*tools.shelf.run(state.arrangement, key, programs.keep, every, felt.rows))


def sent(tools: Tools, state: State, step: Step) -> None:
    """Note with the step what votes need of its percepts, which the host has not seen."""
    widths = state.arrangement.known.spec.widths
    step.senders = tools.shelf.run(state.arrangement, ("senders",), senders, step.packed, fixed=(widths,))


def heard(tools: Tools, state: State, pending: Pending, batch: PerceptBatch, check: Bools | None) -> State:
    """What the percepts of the step launched last were, and which modules (R, M) made the end check."""
    step, ledger = pending.step, state.ledger
    step.marked = tools.entrance.marked(batch.flags.tobytes(), batch)
    if check is not None:
        step.checked = np.asarray(check, bool)
    if step.sampled is not None:
        ledger = ledger._replace(born=ledger.born + (step.sampled & step.processed))
    _, ledger = ledger.moved(*batch.mean_location())
    return state._replace(ledger=ledger, flight=state.flight._replace(unheard=False))


def not_heard(state: State) -> State:
    """After a step of percepts that the host knows nothing of yet."""
    return state._replace(flight=state.flight._replace(unheard=True))


# --- the work


def samples_of(state: State, poses: AllPoses) -> tuple[SampleSize, ...]:
    return state.arrangement.known.samples if poses else ()


def whole_step(
    tools: Tools, state: State, step: Step, poses: AllPoses, rows: Tensor | None = None
) -> tuple[State, Pending]:
    """Update and decisions by one program. rows (R,): which of the percepts and poses of several banks are
    this one's; None: all are."""
    arrangement, carry, _, _ = state
    checks, known = step.checks, arrangement.known
    if arrangement.bursts:
        share = () if rows is None else (rows,)
        hypotheses, last, report, tracker, step.burst = tools.shelf.run_apart(
            arrangement, ("burst step", checks, len(poses), len(share)), known.spec.burst_step,
            carry.hypotheses, state.tracker, carry.checks, step.packed, known.tables, poses,
            samples_of(state, poses), *share,
            fixed=(checks,), loop=True,
        )  # fmt: skip
        return _under_way(state, Carry(hypotheses, last, tracker), step, report)
    hypotheses, last, report = tools.shelf.run(
        arrangement, ("plain step", checks), known.spec.plain_step,
        carry.hypotheses, carry.checks, step.packed, known.tables,
        fixed=(checks,), loop=True,
    )  # fmt: skip
    return _under_way(state, Carry(hypotheses, last, None), step, report)


def advance(tools: Tools, state: State, step: Step, poses: AllPoses) -> State:
    """Displace and test all hypotheses, and begin others where modules are in a burst."""
    arrangement, carry = state.arrangement, state.carry
    known = arrangement.known
    if arrangement.bursts:
        hypotheses, tracker, step.update, step.burst = tools.shelf.run_apart(
            arrangement, ("burst", len(poses)), known.spec.burst,
            carry.hypotheses, state.tracker, step.packed, known.tables, poses, samples_of(state, poses),
            loop=True,
        )  # fmt: skip
        return state._replace(carry=Carry(hypotheses, carry.checks, tracker))
    hypotheses, step.update = tools.shelf.run(
        arrangement, ("plain",), known.spec.plain, carry.hypotheses, step.packed, known.tables, loop=True
    )
    return state.holding(hypotheses)


def started(tools: Tools, state: State, batch: PerceptBatch, step: Step) -> State:
    """With hypotheses of every channel that senses an object for the first time, of the plain updater."""
    begin = step.marked.usable[:, :, None, :] & state.ledger.waiting
    settled = state.hypotheses.counts
    for c in range(batch.shape[2]):
        if not begin[..., c].any():
            continue
        device, settings = state.arrangement.device, state.arrangement.settings
        sets, number = readings(state.arrangement, batch, c)
        poses = Poses(upload(sets, settings.rotation_dtype, device), upload(number, "int32", device))
        nodes = state.arrangement.known.nodes[None, ..., c]
        bound = state.ledger.bound + np.where(begin[..., c], nodes * number[..., None], 0)
        state = reserved(tools.shelf, state._replace(ledger=state.ledger._replace(bound=bound)), bound)
        known, mask = state.arrangement.known, upload(begin[..., c], "bool", device)
        hypotheses = tools.shelf.run(
            state.arrangement, ("start", c), known.spec.start,
            state.hypotheses, step.packed, mask, settled, known.tables, poses,
            fixed=(c,),
        )  # fmt: skip
        state = state.holding(hypotheses)
    return state._replace(ledger=state.ledger.begun(begin))


def conclude(tools: Tools, state: State, step: Step) -> tuple[State, Pending]:
    """Decide on the hypotheses as they stand."""
    checks, carry, known = step.checks, state.carry, state.arrangement.known
    hypotheses, last, report = tools.shelf.run_apart(
        state.arrangement, ("decide", checks), known.spec.decide,
        carry.hypotheses, carry.checks, step.packed, step.update, programs.small_parts(step.burst),
        known.tables,
        fixed=(checks,), loop=True,
    )  # fmt: skip
    return _under_way(state, Carry(hypotheses, last, carry.tracker), step, report)


def _under_way(state: State, carry: Carry, step: Step, report: Report) -> tuple[State, Pending]:
    arrangement, _, ledger, flight = state
    flight = flight.next()
    return State(arrangement, carry, ledger, flight), Pending(step, report, flight.launched)


# --- votes, between `advance` and `conclude`


def cast_votes(tools: Tools, state: State, step: Step) -> Ballot:
    """The choice of votes; modules that processed nothing send nothing."""
    active, choose = _active(state, step), state.arrangement.known.spec.choose
    return Ballot.of(
        state.hypotheses,
        tools.shelf.run(state.arrangement, ("choose",), choose, state.hypotheses, active),
    )


def receive(
    tools: Tools,
    state: State,
    ballots: tuple[Ballot, ...],
    routing: Routing,
    offsets: Floats | tuple[Tensor, ...],
    step: Step,
) -> State:
    """The effect of votes; offsets (R, S, M, 3) lead from each sender's sensor to the receiver's, or are
    known on the device from the places of the sensors of each bank, (R, M, 3)."""
    if not routing.sender.shape[0]:
        return state
    state.check_voted()
    arrangement, spec = state.arrangement, state.arrangement.known.spec
    if isinstance(offsets, tuple):
        assert step.senders is not None
        own = step.senders.place
        (moved,) = tools.shelf.run(arrangement, ("offsets",), spec.offsets, own, offsets, routing)
    else:
        moved = upload(offsets, spec.settings.rotation_dtype, arrangement.device)
    (evidence,) = tools.shelf.run(
        arrangement, ("receive",), spec.receive,
        state.hypotheses, ballots, routing, moved, _active(state, step),
    )  # fmt: skip
    return state.holding(state.hypotheses._replace(evidence=evidence))


def _active(state: State, step: Step) -> Tensor:
    """(R, M) modules with a percept that counts."""
    if step.senders is not None:
        return step.senders.active
    return upload(step.processed, "bool", state.arrangement.device)


# --- what was found


def results_of(state: State, pending: Pending) -> Sequence[Report]:
    """The tensors to read when the step is gathered: one, small, whatever the number of hypotheses."""
    launched = state.flight.launched
    if launched - pending.number > 1:
        raise RuntimeError(
            f"step {pending.number} is gathered after step {launched} was dispatched, which took "
            "the place of its results: gather a step before the second one after it is dispatched"
        )
    return [pending.report]


def outcome_of(state: State, pending: Pending, values: Sequence[npt.NDArray[Any]]) -> tuple[State, Outcome]:
    """The step on the host, from the values of `results_of`."""
    arrangement, carry, ledger, flight = state
    outcome = Outcome(pending.step, pending.report, values[0])
    if pending.step.burst is not None and pending.number > flight.changed:
        beliefs, _, (*_, upcoming), _ = pending.report.layout.places
        bound = outcome.values[..., beliefs.counts].astype(np.int64)
        if pending.number == flight.launched:
            ledger = ledger.found(bound, outcome.values[..., upcoming] > 0)
        else:  # the next step is under way: it may add to them, and nobody knows what comes after it
            ledger = ledger.found(bound + ledger.added, ledger.may_burst)
    return State(arrangement, carry, ledger, flight.lending(pending.number, outcome)), outcome
