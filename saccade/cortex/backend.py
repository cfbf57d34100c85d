"""Backends: how the modules of a step are run. Two verbs, and every backend gives the same results.

    pending = backend.dispatch(groups, inputs)      # enqueue everything; never waits
    results = backend.gather(pending)               # wait once; {module name: ModuleResult}

| backend      | banks                | how                                                             |
|--------------|----------------------|-----------------------------------------------------------------|
| `sequential` | one per module       | a plain loop, results read at once: the one others are compared to |
| `threads`    | one per module       | a pool of threads prepares and launches them                    |
| `streams`    | one per module/group | each bank on its own queue, where the device has several        |
| `stacked`    | one per group        | all objects of all modules of a group in one kernel sequence    |

Votes are exchanged inside a dispatch, after all updates were enqueued and before the decisions: no extra
wait. A module that fails (unusable percepts, a bank that raises) reports its failure in its result, and the
others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import EvidenceBank
from saccade.cortex.group import Failures, Group, GroupInput, checked, copied
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.module import Bank, LearningModule
from saccade.cortex.ops import Readable, queue, read, read_each
from saccade.cortex.outcome import Step
from saccade.cortex.results import ModuleResult, failed_result
from saccade.cortex.vote import Routing, routing_of

Bools = npt.NDArray[np.bool_]


class Backend(Protocol):
    """What the step needs of a backend."""

    rows: int

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        """Enqueue one step of all groups; inputs[g] is for groups[g]."""

    def gather(self, pending: PendingStep) -> dict[str, ModuleResult]:
        """Wait for that step and return every module's result."""

    def reset(self, groups: Sequence[Group], rows: Bools | None = None) -> None:
        """Begin new episodes in the marked rows."""

    def keep(self, groups: Sequence[Group], rows: npt.NDArray[np.int64]) -> None:
        """Go on with the rows of these numbers alone, in this order."""


@dataclass
class Seat:
    """A bank and the modules in it: modules first to last - 1 of a group."""

    group: int
    first: int
    modules: tuple[LearningModule, ...]
    bank: Bank
    routing: Routing | None = None
    senders: npt.NDArray[np.int64] | None = None  # (S, M) for the host

    def __post_init__(self) -> None:
        self.last = self.first + len(self.modules)


@dataclass(slots=True)
class PendingStep:
    """A step under way: per seat what its bank returned, or why it failed."""

    seats: Sequence[Seat]
    launched: list[Any]
    failures: Failures


class SequentialBackend:
    """One bank per module, one after the other; the results are there when dispatch returns."""

    def __init__(
        self, rows: int = 1, device: str | None = None, voting: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """`voting[receiver]` lists the modules it hears, in order; without it nobody votes."""
        self.rows, self.device, self.voting = rows, device, dict(voting or {})
        self._seats: list[Seat] = []
        self._groups: tuple[Group, ...] = ()

    # --- who sits where, decided once

    def stacks(self, group: Group) -> bool:
        """Whether the modules of a group share one bank."""
        return False

    def seats(self, groups: Sequence[Group]) -> list[Seat]:
        """The banks of these groups, made when they are first seen."""
        if tuple(groups) != self._groups:
            self._groups = tuple(groups)
            self._seats = []
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
        voters = [seat for seat in self._seats if isinstance(seat.bank, EvidenceBank)]
        names = [module.name for seat in voters for module in seat.modules]
        unknown = sorted(set(self.voting) - set(names))
        if unknown:
            raise ValueError(f"voting names {unknown}, which are no voting modules; those are {names}")
        numbers = {name: number for number, name in enumerate(names)}
        objects = {m.name: list(m.memory) for seat in voters for m in seat.modules}  # type: ignore[attr-defined]
        for seat in voters:
            receivers = [module.name for module in seat.modules]
            assert isinstance(seat.bank, EvidenceBank)
            capacity = seat.bank.state.shape[2]
            seat.routing, seat.senders = routing_of(
                receivers, self.voting, numbers, objects, capacity, self.device
            )

    # --- one step

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        """Run the step; here the results are also read, so that gather is free."""
        seats, (given, failures) = self.seats(groups), checked(groups, inputs)
        if self.voting:
            ended = self._launch_voting(seats, given, failures)
            found = [self._read(s, one, failures) for s, one in zip(seats, ended, strict=True)]
        else:
            found = [
                self._read(seat, self._launch(seat, given[seat.group], failures), failures) for seat in seats
            ]
        return PendingStep(seats, found, failures)

    @staticmethod
    def _read(seat: Seat, ended: Any, failures: Failures) -> Any:
        return None if ended is None else _outcome(seat, ended, read(seat.bank.results_of(ended)), failures)

    def gather(self, pending: PendingStep) -> dict[str, ModuleResult]:
        return _results(pending, pending.launched)

    def reset(self, groups: Sequence[Group], rows: Bools | None = None) -> None:
        for seat in self.seats(groups):
            seat.bank.reset(rows)
            for module in seat.modules:
                module.reset(rows)

    def keep(self, groups: Sequence[Group], rows: npt.NDArray[np.int64]) -> None:
        for seat in self.seats(groups):
            seat.bank.keep(rows)
            for module in seat.modules:
                module.keep(rows)
        self.rows = len(rows)

    def _launch(self, seat: Seat, given: GroupInput, failures: Failures) -> Any:
        """Enqueue one bank's whole step, or note its failure and return None."""
        return self._attempt(seat.bank.launch, seat, given, failures)

    def _advance(self, seat: Seat, given: GroupInput, failures: Failures) -> Any:
        """Enqueue one bank's update, or note its failure and return None."""
        return self._attempt(seat.bank.advance, seat, given, failures)

    def _attempt(self, work: Callable[..., Any], seat: Seat, given: GroupInput, failures: Failures) -> Any:
        first, last, check = seat.first, seat.last, given.check
        try:
            return work(given.batch.modules(first, last), None if check is None else check[:, first:last])
        except Exception as error:  # noqa: BLE001  whatever a bank raises must not lose the others' results
            return _note(seat, error, failures)

    def _conclude(self, seat: Seat, step: Any, failures: Failures) -> Any:
        """Enqueue one bank's decisions; None if it failed now or before."""
        return None if step is None else _tried(seat, failures, seat.bank.conclude, step)

    def _launch_voting(
        self, seats: Sequence[Seat], given: Sequence[GroupInput], failures: Failures
    ) -> list[Any]:
        """Enqueue all updates, then the votes, then the decisions."""
        steps = [self._advance(seat, given[seat.group], failures) for seat in seats]
        steps = self._vote(seats, steps, failures)
        return [self._conclude(seat, step, failures) for seat, step in zip(seats, steps, strict=True)]

    def _vote(self, seats: Sequence[Seat], steps: Sequence[Any], failures: Failures) -> list[Any]:
        """Enqueue votes and their effects between the updates and the decisions; the steps to decide on,
        None where a bank failed now or before.
        """
        left = list(steps)
        voters = [number for number, seat in enumerate(seats) if isinstance(seat.bank, EvidenceBank)]
        ballots = []
        for number in voters:
            seat, step = seats[number], left[number]
            ballots.append(None if step is None else _tried(seat, failures, _cast, seat, step))
            if ballots[-1] is None:
                left[number] = None
        if any(left[number] is None for number in voters):
            return left  # the numbers of the voters would not fit; a step without votes is well defined
        places = np.concatenate([left[number].sensor_location for number in voters], axis=1)
        for number in voters:
            seat, step = seats[number], left[number]
            left[number] = _tried(seat, failures, _receive, seat, step, tuple(ballots), places)
        return left


def _cast(seat: Seat, step: Step) -> Any:
    assert isinstance(seat.bank, EvidenceBank)
    step.voted = True
    return seat.bank.cast_votes(step)


def _receive(seat: Seat, step: Step, ballots: tuple[Any, ...], places: npt.NDArray[np.float64]) -> Step:
    """Offsets (R, S, M, 3) from each sender's sensor (R, G, 3) to the receiver's, and the votes' effect; the
    step to decide on.
    """
    assert isinstance(seat.bank, EvidenceBank)
    assert seat.routing is not None
    assert seat.senders is not None
    assert step.sensor_location is not None
    theirs = places[:, np.maximum(seat.senders, 0)]
    offsets = step.sensor_location[:, None] - theirs
    seat.bank.receive(ballots, seat.routing, offsets, step)
    return step


class StackedBackend(SequentialBackend):
    """All modules of a group in one kernel sequence; modules without input are masked."""

    def stacks(self, group: Group) -> bool:
        return True

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        seats, (given, failures) = self.seats(groups), checked(groups, inputs)
        if self.voting:
            launched = self._launch_voting(seats, given, failures)
        else:
            launched = [self._launch(seat, given[seat.group], failures) for seat in seats]
        return PendingStep(seats, launched, failures)

    def gather(self, pending: PendingStep) -> dict[str, ModuleResult]:
        """One wait for all banks, then everything is read."""
        seats, launched, failures = pending.seats, pending.launched, pending.failures
        tensors: list[Sequence[Readable]] = []
        for number, one in enumerate(launched):
            tensors.append(() if one is None else seats[number].bank.results_of(one))
        outcomes = []
        for number, values in enumerate(read_each(tensors)):
            outcomes.append(_outcome(seats[number], launched[number], values, failures))
        return _results(pending, outcomes)


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

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        seats, (given, failures) = self.seats(groups), checked(groups, inputs)
        begin = self._advance if self.voting else self._launch
        begun: list[Any] = []
        while len(self._queues) < len(seats):
            self._queues.append(queue(self.device, len(self._queues)))
        for seat, own in zip(seats, self._queues, strict=False):
            with own:
                begun.append(begin(seat, given[seat.group], failures))
        if not self.voting:
            return PendingStep(seats, begun, failures)
        ended: list[Any] = []
        for seat, step, own in zip(seats, self._vote(seats, begun, failures), self._queues, strict=False):
            with own:
                ended.append(self._conclude(seat, step, failures))
        return PendingStep(seats, ended, failures)


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

    def dispatch(self, groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]) -> PendingStep:
        seats, (lent, failures) = self.seats(groups), checked(groups, inputs)
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

    def gather(self, pending: PendingStep) -> dict[str, ModuleResult]:
        pending.launched = [future.result() for future in pending.launched]
        return super().gather(pending)


def _tried(seat: Seat, failures: Failures, work: Callable[..., Any], *args: Any) -> Any:
    """What the work of a bank returns; None, and why is noted, if it raises."""
    try:
        return work(*args)
    except Exception as error:  # noqa: BLE001  as in `_attempt`
        return _note(seat, error, failures)


def _note(seat: Seat, error: Exception, failures: Failures) -> None:
    """Remember why the modules of a bank have no result."""
    for module in seat.modules:
        failures[module.name] = error


def _outcome(seat: Seat, launched: Any, values: Sequence[npt.NDArray[Any]], failures: Failures) -> Any:
    """What a bank found; None if it failed now or before."""
    return None if launched is None else _tried(seat, failures, seat.bank.outcome_of, launched, values)


BACKENDS: dict[str, Callable[..., SequentialBackend]] = {
    "sequential": SequentialBackend,
    "threads": ThreadsBackend,
    "streams": StreamsBackend,
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


def _results(pending: PendingStep, outcomes: Sequence[Any]) -> dict[str, ModuleResult]:
    """Every module's result; failed ones carry their error."""
    results: dict[str, ModuleResult] = {}
    for seat, outcome in zip(pending.seats, outcomes, strict=True):
        for m, module in enumerate(seat.modules):
            error = pending.failures.get(module.name) if pending.failures else None
            if outcome is not None:
                try:
                    result = results[module.name] = module.conclude(outcome, m)
                    result.failure = error
                    continue
                except Exception as own:  # noqa: BLE001  as in `_attempt`
                    error = own
            assert error is not None
            results[module.name] = failed_result(module.name, seat.bank.rows, error)
    return results
