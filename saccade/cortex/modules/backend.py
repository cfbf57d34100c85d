"""Backends: how the modules of a step are run. Two verbs, and every backend gives the same results.

    pending = backend.dispatch(groups, inputs)      # enqueue everything; never waits
    pending = backend.dispatch_felt(groups, felt)   # the same of percepts on the device, where it can
    results = backend.gather(pending)               # wait once; {module name: ModuleResult}
    some = backend.gather(pending, ["lm0", "lm1"])  # of some modules, as soon as they are done

| backend         | banks          | how                                                                |
|-----------------|----------------|--------------------------------------------------------------------|
| `sequential`    | one per module | a plain loop, results read at once: the one others are compared to |
| `threads`       | one per module | a pool of threads prepares and launches them                       |
| `streams`       | one per module | each bank on its own queue, where the device has several           |
| `group-streams` | one per group  | the same                                                           |
| `stacked`       | one per group  | all objects of all modules of a group in one kernel sequence       |

Votes are exchanged inside a dispatch, after all updates were enqueued and before the decisions: no extra
wait. A module that fails (unusable percepts, a bank that raises) reports its failure in its result, and the
others go on. One that fails to begin an episode, or to go on with fewer rows, does so from then on: what it
holds is of another episode.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.outcome import Step
from saccade.cortex.bank.program import Report
from saccade.cortex.bank.results import ModuleResult, failed_result
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.modules.group import Failures, FeltInput, Group, GroupInput, checked, copied
from saccade.cortex.modules.lanes import Lanes
from saccade.cortex.modules.pending import (
    PendingStep,
    Seat,
    between_steps,
    places,
    read_outcome,
    result_of,
    tried,
)
from saccade.cortex.modules.row_blocks import RowBlocks, enough, in_blocks, places_of
from saccade.cortex.modules.vote import routing_of
from saccade.cortex.ops import Readable, queue, read, read_each

Bools = npt.NDArray[np.bool_]

_ONE_QUEUE = nullcontext()
#: banks whose modules can hear each other
VOTERS = (EvidenceBank, RowBlocks)


class Backend(Protocol):
    """What the step needs of a backend."""

    rows: int

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        """Enqueue one step of all groups; inputs[g] is for groups[g]."""

    def gather(self, pending: PendingStep, modules: Collection[str] | None = None) -> dict[str, ModuleResult]:
        """Wait for that step, or for these modules of it, and return their results by name."""

    def reset(self, groups: Sequence[Group], rows: Bools | None = None) -> None:
        """Begin new episodes in the marked rows."""

    def keep(self, groups: Sequence[Group], rows: npt.NDArray[np.int64]) -> None:
        """Go on with the rows of these numbers alone, in this order."""


class SequentialBackend:
    """One bank per module, one after the other; the results are there when dispatch returns."""

    def __init__(
        self, rows: int = 1, device: str | None = None, voting: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """`voting[receiver]` lists the modules it hears, in order; without it nobody votes."""
        self.rows, self.device, self.voting = rows, device, dict(voting or {})
        self._seats: list[Seat] = []
        self._groups: tuple[Group, ...] = ()
        self._lanes: Lanes | None = None  # where banks have more rows than steps
        self.left_out: Failures = {}  #: modules that failed between steps

    # --- who sits where, decided once

    def stacks(self, group: Group) -> bool:
        """Whether the modules of a group share one bank."""
        return False

    def seats(self, groups: Sequence[Group]) -> list[Seat]:
        """The banks of these groups, made when they are first seen."""
        if tuple(groups) != self._groups:
            self._groups = tuple(groups)
            self._seats, self.left_out = [], {}
            for g, group in enumerate(groups):
                size = len(group.modules) if self.stacks(group) else 1
                for first in range(0, len(group.modules), size):
                    members = group.modules[first : first + size]
                    bank = group.kind.bank(members, rows=self.rows, device=self.device)
                    self._seats.append(Seat(g, first, members, bank))
            self._connect()
        return self._seats

    def _connect(self) -> None:
        """Number the modules that vote over all banks, and translate who hears whom."""
        voters = [seat for seat in self._seats if isinstance(seat.bank, VOTERS)]
        if self.voting and voters:
            banks = [seat.bank for seat in voters if isinstance(seat.bank, VOTERS)]
            least = min(bank.size if isinstance(bank, RowBlocks) else bank.rows for bank in banks)
            for seat, bank in zip(voters, banks, strict=True):
                seat.bank = in_blocks(bank, least)
                seat.bank.expect_votes()
        names = [module.name for seat in voters for module in seat.modules]
        unknown = sorted(set(self.voting) - set(names))
        if unknown:
            raise ValueError(f"voting names {unknown}, which are no voting modules; those are {names}")
        numbers = {name: number for number, name in enumerate(names)}
        objects = {m.name: list(m.memory) for seat in voters for m in seat.modules}  # type: ignore[attr-defined]
        for seat in voters:
            receivers = [module.name for module in seat.modules]
            assert isinstance(seat.bank, VOTERS)
            capacity = seat.bank.known.objects
            seat.routing, seat.senders = routing_of(
                receivers, self.voting, numbers, objects, capacity, self.device
            )

    # --- one step

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        """Run the step; here the results are also read, so that gather is free."""
        seats, (given, failures) = self.seats(groups), self._given(groups, inputs)
        if self.voting:
            ended = self._launch_voting(seats, given, failures)
            found = [self._read(s, one, failures) for s, one in zip(seats, ended, strict=True)]
        else:
            found = [
                self._read(seat, self._launch(seat, given[seat.group], failures), failures) for seat in seats
            ]
        return PendingStep(seats, found, failures, dict(enumerate(found)))

    def _given(
        self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]
    ) -> tuple[list[GroupInput], Failures]:
        """The inputs as banks take them, and why modules fail before the step."""
        given, failures = checked(groups, inputs)
        lanes = self._lanes
        return (given if lanes is None else [lanes.spread(one) for one in given]), failures

    @staticmethod
    def _read(seat: Seat, ended: Any, failures: Failures) -> Any:
        return (
            None if ended is None else read_outcome(seat, ended, read(seat.bank.results_of(ended)), failures)
        )

    def gather(self, pending: PendingStep, modules: Collection[str] | None = None) -> dict[str, ModuleResult]:
        """One wait for all banks, or for those of the modules named. A module concludes once, however often
        its result is asked for."""
        asked = places(pending, modules)
        unread = dict.fromkeys(number for number, _, _ in asked if number not in pending.outcomes)
        if unread:
            self._collect(pending, list(unread))
        for number, m, name in asked:
            if name not in pending.results and name in self.left_out:
                pending.results[name] = failed_result(name, self.rows, self.left_out[name])
            elif name not in pending.results:
                result, lanes = result_of(pending, number, m), self._lanes
                pending.results[name] = result if lanes is None else result.of_rows(lanes.numbers)
        return {name: pending.results[name] for _, _, name in asked}

    def _collect(self, pending: PendingStep, numbers: Sequence[int]) -> None:
        """Read what the banks of these seats found, after one wait for all of them."""
        seats, launched = pending.seats, [self._enqueued(pending.launched[number]) for number in numbers]
        tensors: list[Sequence[Readable]] = []
        for number, one in zip(numbers, launched, strict=True):
            tensors.append(() if one is None else seats[number].bank.results_of(one))
        felt, pending.felt = pending.felt, None
        if felt is not None:
            tensors.append((felt.values,))
        also, pending.also = pending.also, None
        if also is not None:
            tensors.append((also.values,))
        found = read_each(tensors)
        if also is not None:
            also.arrived(found.pop()[0])
        if felt is not None:
            self._hear(pending, felt, found.pop()[0])
        for number, one, values in zip(numbers, launched, found, strict=True):
            pending.outcomes[number] = read_outcome(seats[number], one, values, pending.failures)

    def _hear(self, pending: PendingStep, felt: FeltInput, values: npt.NDArray[Any]) -> None:
        """Tell the banks what the percepts of their step were."""
        given, failures = self._given(pending.groups, felt.told(values))
        pending.failures.update(failures)
        for seat, launched in zip(pending.seats, pending.launched, strict=True):
            if launched is not None and isinstance(seat.bank, VOTERS):
                one, (first, last) = given[seat.group], (seat.first, seat.last)
                check = None if one.check is None else one.check[:, first:last]
                batch = one.batch.modules(first, last)
                tried(seat, pending.failures, seat.bank.heard, launched, batch, check)

    def _enqueued(self, launched: Any) -> Any:
        """What a bank returned when it had enqueued its step."""
        return launched

    def reset(self, groups: Sequence[Group], rows: Bools | None = None) -> None:
        if rows is not None and self._lanes is not None:
            rows = self._lanes.marked(rows)
        self._reset_banks(groups, rows)

    def _reset_banks(self, groups: Sequence[Group], rows: Bools | None) -> None:
        for seat in self.seats(groups):
            between_steps(seat, self.left_out, "reset", rows)

    def keep(self, groups: Sequence[Group], rows: npt.NDArray[np.int64]) -> None:
        """As `Backend.keep`: steps have these rows alone at once, banks when it pays."""
        before = Lanes.all(self.rows) if self._lanes is None else self._lanes
        lanes = before.kept(rows)
        gone = before.used & ~lanes.used
        if gone.any():  # what is empty costs next to nothing
            self._reset_banks(groups, gone)
        narrower = max(enough(seat.bank, lanes.rows, len(rows)) for seat in self.seats(groups))
        if narrower < lanes.rows:
            kept = lanes.filled(narrower)
            for seat in self.seats(groups):
                between_steps(seat, self.left_out, "keep", kept)
            lanes = Lanes(np.arange(len(rows)), narrower)
        self.rows = len(rows)
        self._lanes = None if lanes.is_all else lanes
        for seat in self.seats(groups):
            seat.rows = None if lanes.is_all else lanes.numbers

    def _queue(self, number: int) -> AbstractContextManager[object]:
        """The work of seat `number` is enqueued inside it."""
        return _ONE_QUEUE

    def _launch(self, seat: Seat, given: GroupInput, failures: Failures) -> Any:
        """Enqueue one bank's whole step, or note its failure and return None."""
        return self._attempt(seat.bank.launch, seat, given, failures)

    def _advance(self, seat: Seat, given: GroupInput, failures: Failures) -> Any:
        """Enqueue one bank's update, or note its failure and return None."""
        return self._attempt(seat.bank.advance, seat, given, failures)

    def _attempt(self, work: Callable[..., Any], seat: Seat, given: GroupInput, failures: Failures) -> Any:
        first, last, check = seat.first, seat.last, given.check
        wanted = None if check is None else check[:, first:last]
        return tried(seat, failures, work, given.batch.modules(first, last), wanted)

    def _conclude(self, seat: Seat, step: Any, failures: Failures) -> Any:
        """Enqueue one bank's decisions; None if it failed now or before."""
        return None if step is None else tried(seat, failures, seat.bank.conclude, step)

    def _launch_voting(
        self, seats: Sequence[Seat], given: Sequence[GroupInput], failures: Failures
    ) -> list[Any]:
        """Enqueue all updates, then the votes, then the decisions."""

        def begin(number: int) -> Any:
            return self._advance(seats[number], given[seats[number].group], failures)

        steps = self._vote(seats, self._on_queues(seats, begin), failures)
        return self._on_queues(seats, lambda number: self._conclude(seats[number], steps[number], failures))

    def _on_queues(self, seats: Sequence[Seat], work: Callable[[int], Any]) -> list[Any]:
        """What work gives for the number of each seat, enqueued where that seat's is."""
        found: list[Any] = []
        for number in range(len(seats)):
            with self._queue(number):
                found.append(work(number))
        return found

    def _vote(self, seats: Sequence[Seat], steps: Sequence[Any], failures: Failures) -> list[Any]:
        """Enqueue votes and their effects between the updates and the decisions; the steps to decide on,
        None where a bank failed now or before.
        """
        left = list(steps)
        voters = [number for number, seat in enumerate(seats) if isinstance(seat.bank, VOTERS)]
        ballots = []
        for number in voters:
            seat, step = seats[number], left[number]
            with self._queue(number):
                ballots.append(None if step is None else tried(seat, failures, _cast, seat, step))
            if ballots[-1] is None:
                left[number] = None
        if any(left[number] is None for number in voters):
            return left  # the numbers of the voters would not fit; a step without votes is well defined
        places: Any
        if all(left[number].sensor_location is None for number in voters):
            places = tuple(places_of(left[number]) for number in voters)
        else:
            places = np.concatenate([left[number].sensor_location for number in voters], axis=1)
        for number in voters:
            seat, step = seats[number], left[number]
            with self._queue(number):
                left[number] = tried(seat, failures, _receive, seat, step, tuple(ballots), places)
        return left


def _cast(seat: Seat, step: Step) -> Any:
    assert isinstance(seat.bank, VOTERS)
    step.voted = True
    return seat.bank.cast_votes(step)


def _receive(seat: Seat, step: Step, ballots: tuple[Any, ...], places: Any) -> Step:
    """Offsets (R, S, M, 3) from each sender's sensor (R, G, 3) to the receiver's, and the votes' effect; the
    step to decide on. Where the host has not heard of percepts, places are those of each bank on the device.
    """
    assert isinstance(seat.bank, VOTERS)
    assert seat.routing is not None
    assert seat.senders is not None
    offsets = places
    if step.sensor_location is not None:
        offsets = step.sensor_location[:, None] - places[:, np.maximum(seat.senders, 0)]
    seat.bank.receive(ballots, seat.routing, offsets, step)
    return step


class StackedBackend(SequentialBackend):
    """All modules of a group in one kernel sequence; modules without input are masked."""

    def stacks(self, group: Group) -> bool:
        return True

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        seats, (given, failures) = self.seats(groups), self._given(groups, inputs)
        if self.voting:
            launched = self._launch_voting(seats, given, failures)
        else:
            launched = self._on_queues(
                seats, lambda number: self._launch(seats[number], given[seats[number].group], failures)
            )
        return PendingStep(seats, launched, failures)

    def reports(self, pending: PendingStep, seat: Seat) -> Sequence[Report] | None:
        """What the bank of a seat will tell, on the device; None where it failed. Never waits for it."""
        launched = self._enqueued(pending.launched[pending.seats.index(seat)])
        assert isinstance(seat.bank, VOTERS)
        return None if launched is None else seat.bank.results_of(launched)

    def takes_felt(self, groups: Sequence[Group]) -> bool:
        """Whether the next step can be `dispatch_felt`."""
        return all(isinstance(seat.bank, VOTERS) and seat.bank.takes_felt for seat in self.seats(groups))

    def dispatch_felt(self, groups: Sequence[Group], felt: FeltInput) -> PendingStep:
        """As `dispatch`, of percepts that are on the device; the host reads them when it gathers."""
        seats, failures, lanes = self.seats(groups), Failures(), self._lanes
        rows, check = np.arange(felt.rows), felt.check
        if lanes is not None:
            rows = np.full(lanes.rows, -1)
            rows[lanes.numbers] = np.arange(felt.rows)
            check = None if check is None else lanes.marked(check)

        def begin(seat: Seat) -> Any:
            assert isinstance(seat.bank, VOTERS)
            wanted = None if check is None else np.repeat(check[:, None], len(seat.modules), axis=1)
            own = felt.groups[seat.group].of(seat.first, seat.last)
            work = seat.bank.advance_felt if self.voting else seat.bank.launch_felt
            return tried(seat, failures, work, own, rows, wanted)

        steps = self._on_queues(seats, lambda number: begin(seats[number]))
        if self.voting:
            left = self._vote(seats, steps, failures)
            steps = self._on_queues(
                seats, lambda number: self._conclude(seats[number], left[number], failures)
            )
        return PendingStep(seats, steps, failures, groups=groups, felt=felt)


class StreamsBackend(StackedBackend):
    """Every bank on its own queue of the device; `per` is "module" or "group"."""

    def __init__(
        self,
        rows: int = 1,
        device: str | None = None,
        voting: Mapping[str, Sequence[str]] | None = None,
        per: str = "module",
    ) -> None:
        super().__init__(rows, device, voting)
        if per not in ("module", "group"):
            raise ValueError(f"streams are per 'module' or per 'group', not {per!r}")
        self.per = per
        self._queues: list[AbstractContextManager[object]] = []

    def stacks(self, group: Group) -> bool:
        return self.per == "group"

    def _queue(self, number: int) -> AbstractContextManager[object]:
        while len(self._queues) <= number:
            self._queues.append(queue(self.device, len(self._queues)))
        return self._queues[number]


class ThreadsBackend(StackedBackend):
    """One bank per module, prepared and launched by a pool of threads; native code runs without the GIL.

    Inputs are copied, for the caller may fill them anew at once, and a bank's step begins when its last one
    is prepared.
    """

    def __init__(
        self,
        rows: int = 1,
        device: str | None = None,
        voting: Mapping[str, Sequence[str]] | None = None,
        workers: int | None = None,
    ) -> None:
        super().__init__(rows, device, voting)
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="saccade-cortex")
        self._last: list[Future[Any]] = []

    def stacks(self, group: Group) -> bool:
        return False

    def takes_felt(self, groups: Sequence[Group]) -> bool:
        """Threads prepare what is on the host."""
        return False

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        seats, (lent, failures) = self.seats(groups), self._given(groups, inputs)
        given = [copied(one) for one in lent]
        last = self._last

        def begin(number: int) -> Any:
            if last:
                last[number].result()
            seat = seats[number]
            work = self._advance if self.voting else self._launch
            return work(seat, given[seat.group], failures)

        # the pool takes tasks in order, so one waits only for others that have already begun
        steps: list[Future[Any]] = [self._pool.submit(begin, number) for number in range(len(seats))]
        if not self.voting:
            self._last = steps
            return PendingStep(seats, list(steps), failures)
        voted = self._pool.submit(lambda: self._vote(seats, [step.result() for step in steps], failures))
        launched = [
            self._pool.submit(lambda n: self._conclude(seats[n], voted.result()[n], failures), number)
            for number in range(len(seats))
        ]
        self._last = launched
        return PendingStep(seats, list(launched), failures)

    def seats(self, groups: Sequence[Group]) -> list[Seat]:
        if tuple(groups) != self._groups:
            self._last = []
        return super().seats(groups)

    def reset(self, groups: Sequence[Group], rows: Bools | None = None) -> None:
        self._finish()
        super().reset(groups, rows)

    def keep(self, groups: Sequence[Group], rows: npt.NDArray[np.int64]) -> None:
        self._finish()
        super().keep(groups, rows)

    def _finish(self) -> None:
        """Return when all that was dispatched is prepared."""
        for future in self._last:
            future.result()

    def _enqueued(self, launched: Any) -> Any:
        return launched.result()


BACKENDS: dict[str, Callable[..., SequentialBackend]] = {
    "sequential": SequentialBackend,
    "threads": ThreadsBackend,
    "streams": StreamsBackend,
    "group-streams": partial(StreamsBackend, per="group"),
    "stacked": StackedBackend,
}


def make_backend(
    name: str,
    rows: int = 1,
    device: str | None = None,
    voting: Mapping[str, Sequence[str]] | None = None,
    groups: Sequence[Group] = (),
) -> SequentialBackend:
    """A backend by name; "auto" stacks wherever some group has several modules to stack."""
    if name == "auto":
        name = (
            "stacked"
            if device not in (None, "cpu") or any(len(g.modules) > 1 for g in groups)
            else "sequential"
        )
    if name not in BACKENDS:
        raise ValueError(f"unknown backend {name!r}: use one of auto, {', '.join(BACKENDS)}")
    return BACKENDS[name](rows, device, voting)
