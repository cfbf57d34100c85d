"""A step under way: what its banks were asked for, and what was gathered of it so far.

A module's result is made once, from what its bank found, however often and with which others it is gathered.
A bank that raises fails for its own modules alone: why is kept, and goes into their results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.results import ModuleResult, failed_result
from saccade.cortex.modules.group import Failures, FeltInput, Group
from saccade.cortex.modules.module import Bank, LearningModule
from saccade.cortex.modules.vote import Routing
from saccade.cortex.ops import Readable


@dataclass
class Seat:
    """A bank and the modules in it: modules first to last - 1 of a group. rows (r,): which of the bank's rows
    those of a step are, None where they are the same."""

    group: int
    first: int
    modules: tuple[LearningModule, ...]
    bank: Bank
    routing: Routing | None = None
    senders: npt.NDArray[np.int64] | None = None  # (S, M) for the host
    rows: npt.NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        self.last = self.first + len(self.modules)


class Also(NamedTuple):
    """Values that somebody waits for, and who is told."""

    values: Readable
    arrived: Callable[[npt.NDArray[Any]], None]


@dataclass(slots=True)
class PendingStep:
    """A step under way: per seat what its bank returned, or why it failed; and what was gathered of it so
    far, by the number of the seat and by the name of the module. felt: percepts of the groups that the host
    has not read yet. also: what else it reads with the results."""

    seats: Sequence[Seat]
    launched: list[Any]
    failures: Failures
    outcomes: dict[int, Any] = field(default_factory=dict)
    results: dict[str, ModuleResult] = field(default_factory=dict)
    groups: Sequence[Group] = ()
    felt: FeltInput | None = None
    also: Also | None = None


def tried(seat: Seat, failures: Failures, work: Callable[..., Any], *args: Any) -> Any:
    """What the work of a bank returns; None, and why is noted, if it raises."""
    try:
        return work(*args)
    except Exception as error:  # noqa: BLE001  whatever a bank raises must not lose the others' results
        return note(seat, error, failures)


def note(seat: Seat, error: Exception, failures: Failures) -> None:
    """Remember why the modules of a bank have no result."""
    for module in seat.modules:
        failures[module.name] = error


def between_steps(
    seat: Seat, left_out: Failures, what: str, rows: npt.NDArray[np.bool_] | npt.NDArray[np.int64] | None
) -> None:
    """`reset` or `keep` of a bank and its modules; why is noted of those that raise."""
    tried(seat, left_out, getattr(seat.bank, what), rows)
    for module in seat.modules:
        try:
            getattr(module, what)(rows)
        except Exception as error:  # noqa: BLE001  whatever a module raises must not lose the others' results
            left_out.setdefault(module.name, error)


def read_outcome(seat: Seat, launched: Any, values: Sequence[npt.NDArray[Any]], failures: Failures) -> Any:
    """What a bank found; None if it failed now or before."""
    return None if launched is None else tried(seat, failures, seat.bank.outcome_of, launched, values)


def places(pending: PendingStep, modules: Collection[str] | None) -> list[tuple[int, int, str]]:
    """The seat, the place in it and the name of each module, or of those named."""
    every = [
        (number, m, module.name)
        for number, seat in enumerate(pending.seats)
        for m, module in enumerate(seat.modules)
    ]
    if modules is None:
        return every
    modules = (modules,) if isinstance(modules, str) else modules
    names = [name for _, _, name in every]
    unknown = sorted(set(modules) - set(names))
    if unknown:
        raise ValueError(f"there are no modules {unknown} to gather; the step has {names}")
    return [place for place in every if place[2] in modules]


def result_of(pending: PendingStep, number: int, m: int) -> ModuleResult:
    """What module m of a seat concludes from what its bank found; one that failed carries its error."""
    seat, outcome = pending.seats[number], pending.outcomes[number]
    module = seat.modules[m]
    error = pending.failures.get(module.name) if pending.failures else None
    if outcome is not None:
        try:
            result = module.conclude(outcome, m)
            result.failure = error
            return result
        except Exception as own:  # noqa: BLE001  whatever a bank raises must not lose the others' results
            error = own
    assert error is not None
    return failed_result(module.name, seat.bank.rows, error)
