"""All learning modules of a Monty as one step on a device: dispatch everything, then wait once.

    mind = Mind(voting={"lm0": ["lm1"], "lm1": ["lm0"]})
    mind.begin([lm0, lm1])                        # EvidenceModules, at the start of an episode
    mind.dispatch({"lm0": percepts, "lm1": ...})  # enqueue updates and decisions; never waits
    mind.vote()                                   # enqueue votes and the decisions after them; never waits
    sights = mind.gather()                        # the one wait: {name: Sight}

Monty lets goal generators and logs look at the beliefs *before* votes and at the end of a step again, so a
step has two reports and a `Sight` holds both. Modules that were not given percepts are masked. Nothing here
needs tbp.monty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.messages import Percept
from saccade.cortex.modules.backend import StackedBackend
from saccade.cortex.modules.group import Group, checked, group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule, EvidenceResult
from saccade.cortex.modules.pending import Seat
from saccade.cortex.ops import read_each

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sight:
    """What a module believes before votes, and after them where there were any."""

    before: EvidenceResult
    after: EvidenceResult | None


class TwoReports(StackedBackend):
    """A stacked backend that decides before the votes as well as after them."""

    def _connect(self) -> None:
        """Monty's own code may write evidence between steps, as votes do."""
        for seat in self._seats:
            bank_of(seat).expect_votes(rotations=False)
        super()._connect()

    def advance(self, groups: Sequence[Group], percepts: Mapping[str, Sequence[Sequence[Percept]]]) -> Any:
        """Enqueue all updates and the decisions on them; what the banks returned, by seat."""
        inputs, failures = checked(groups, [group_input(group, percepts) for group in groups])
        steps, pending = [], []
        for seat in self.seats(groups):
            if not self.voting:  # one program for the whole step
                pending.append(self._launch(seat, inputs[seat.group], failures))
                continue
            step = self._advance(seat, inputs[seat.group], failures)
            steps.append(step)
            pending.append(self._conclude(seat, step, failures))
        for name, error in failures.items():
            raise ValueError(f"learning module {name!r} could not take its step: {error}") from error
        return steps, pending

    def exchange(self, groups: Sequence[Group], steps: Sequence[Any], places: Mapping[str, Floats]) -> Any:
        """Enqueue votes between modules whose sensors are at `places`, and the decisions after them."""
        failures: dict[str, Exception] = {}
        seats = self.seats(groups)
        for seat, step in zip(seats, steps, strict=True):
            step.sensor_location = np.array([[places.get(m.name, np.zeros(3)) for m in seat.modules]])
        voted = self._vote(seats, steps, failures)
        pending = [self._conclude(seat, step, failures) for seat, step in zip(seats, voted, strict=True)]
        for name, error in failures.items():
            raise ValueError(f"votes to or from learning module {name!r} failed: {error}") from error
        return pending


class Mind:
    """The modules that step together, and the step under way."""

    def __init__(self, voting: Mapping[str, Sequence[str]] | None = None, device: str | None = None) -> None:
        self._backend = TwoReports(1, device, voting)
        self._modules: tuple[EvidenceModule, ...] = ()
        self._groups: list[Group] = []
        self._steps: Any = None
        self._reports: list[list[Any]] = []
        self._places: dict[str, Floats] = {}
        self._reading = Lock()  # Monty looks at hypotheses from one thread per object

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of: it has begun nothing, as banks on a device are not copied."""
        return Mind, (self._backend.voting, self._backend.device)

    def begin(self, modules: Sequence[EvidenceModule]) -> None:
        """Begin an episode; banks are made again only where a module, and so what it knows, is another."""
        if tuple(modules) != self._modules:
            self._modules, self._groups = tuple(modules), make_groups(modules)
        self._backend.reset(self._groups)
        for name, error in self._backend.left_out.items():
            raise ValueError(f"learning module {name!r} could not begin its episode: {error}") from error
        self._steps, self._reports = None, []

    def dispatch(self, percepts: Mapping[str, Sequence[Percept]]) -> None:
        """Enqueue the step of the modules named. Votes come from where a module's first percept is."""
        self._places = {name: felt[0].location for name, felt in percepts.items() if felt}
        given = {name: [felt] for name, felt in percepts.items()}
        self._steps, pending = self._backend.advance(self._groups, given)
        self._reports = [pending]

    def vote(self) -> None:
        """Enqueue the exchange of votes of the step under way; only once a step."""
        self._reports.append(self._backend.exchange(self._groups, self._steps, self._places))

    def gather(self) -> dict[str, Sight]:
        """Wait once for all that was enqueued since the last time."""
        seats = self._backend.seats(self._groups)
        wanted = [
            bank_of(seat).results_of(one)
            for pending in self._reports
            for seat, one in zip(seats, pending, strict=True)
        ]
        values = iter(read_each(wanted))
        found: list[dict[str, EvidenceResult]] = []
        for pending in self._reports:
            found.append({})
            for seat, one in zip(seats, pending, strict=True):
                outcome = bank_of(seat).outcome_of(one, next(values))
                outcome.keep()
                for m, module in enumerate(seat.modules):
                    known = tuple(module.memory)  # type: ignore[attr-defined]
                    found[-1][module.name] = EvidenceResult(module.name, known, [None], outcome, m)
        self._reports = []
        after = found[1] if len(found) > 1 else {}
        return {name: Sight(one, after.get(name)) for name, one in found[0].items()} if found else {}

    def seat_of(self, name: str) -> tuple[EvidenceBank, int]:
        """The bank of a module and its number there."""
        for seat in self._backend.seats(self._groups):
            for m, module in enumerate(seat.modules):
                if module.name == name:
                    return bank_of(seat), m
        raise KeyError(f"no module {name!r}; there are {[m.name for m in self._modules]}")

    def hypotheses(self, module: str, name: str) -> dict[str, npt.NDArray[Any]]:
        """All hypotheses of one object, read back; waits."""
        bank, m = self.seat_of(module)
        with self._reading:
            return bank.hypotheses_of(0, m, name)

    def write(self, module: str, values: Mapping[str, Mapping[str, npt.NDArray[Any]]]) -> None:
        """Put other evidence or flags of possible hypotheses, `values[object]`, where the next step reads."""
        bank, m = self.seat_of(module)
        for name, parts in values.items():
            bank.write(0, m, name, **parts)


def bank_of(seat: Seat) -> EvidenceBank:
    assert isinstance(seat.bank, EvidenceBank)
    return seat.bank
