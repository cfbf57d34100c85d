"""Goals where the hypotheses are: who asks, where to look and what became of it stay on the device.

Comes in: the reports of banks, whose steps are under way. Goes out: the goal of every row, for a policy that
is there, too; the host reads it with the results. What a module asked before is its memory, a row of numbers
(R, C) on the device (`asking_program`); the points of all models are sent once for every bank.

    goals = DeviceGoals(modules, sensors, settings, asking, seats)
    state = goals.enqueue(goals.start(rows), reports, wish, key)    # never waits
    state.now.values                                                # (room, EAGER + 1) for the policy
    state.now.goal                                                  # on the host, when it has arrived
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.bank import programs
from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.held import Comparison
from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.bank.program import Program, Report
from saccade.cortex.columns import packed_state
from saccade.cortex.goals.asking_program import (
    EAGER,
    GOAL,
    UNSETTLED,
    Asker,
    At,
    Considered,
    Given,
    Heard,
    Owned,
    Places,
    Settled,
    consider,
    settle,
)
from saccade.cortex.goals.goal_program import ANSWER, QUESTION, Shape, telling
from saccade.cortex.goals.goal_source import BankSource
from saccade.cortex.goals.goals import EMPTY_PLACES, Flags, GoalBatch, GoalMemory
from saccade.cortex.goals.questions import CONSIDERED, TRIED, GoalSettings
from saccade.cortex.goals.surfaces import surfaces_of
from saccade.cortex.modules.module import LearningModule
from saccade.cortex.modules.pending import Seat
from saccade.cortex.modules.row_blocks import RowBlocks
from saccade.cortex.ops import blank, read, upload, where
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense.noise_program import draws_of, keys_of
from saccade.tensor import Tensor

#: banks that compare hypotheses where they are
COMPARING = (EvidenceBank, RowBlocks)


def comparison_of(
    source: BankSource, settings: GoalSettings, device: str | None, objects: int = 0
) -> Comparison:
    """How the hypotheses of two objects of a module are compared: where they differ most. objects: those that
    its bank has room for."""
    known = surfaces_of(source, settings.colour_scale, device, objects)
    shape = Shape(known.longest, TRIED)
    ask = partial(telling, settings, shape)
    return Comparison(("telling", settings, shape), ask, known.surfaces, CONSIDERED)


class Told:
    """values (room, EAGER + 1): the goal that each of R rows acts upon, and what the host has to know of
    memories; on a device until it is read."""

    def __init__(self, values: Tensor, rows: int) -> None:
        self.values, self.rows = values, rows
        self._known: NDArray[np.float64] | None = None

    def arrived(self, values: NDArray[Any]) -> None:
        """The values are on the host."""
        self._known = values[: self.rows]

    @property
    def known(self) -> NDArray[np.float64]:
        """(R, EAGER + 1) on the host; waits if it has not arrived."""
        if self._known is None:
            self.arrived(read([self.values])[0])
        assert self._known is not None
        return self._known

    @property
    def goal(self) -> GoalBatch:
        known = self.known
        return GoalBatch(
            known[:, :3], known[:, 3:6], known[:, 7], known[:, 6] > 0.5, known[:, 8].astype(np.int64)
        )


@dataclass(frozen=True)
class ResidentGoals:
    """What `goals.GoalMemory` holds, of all modules, on a device. held: None before the first step. told: of
    the last step. begun (R,): rows that begin at the next one."""

    held: Settled | None
    told: Told | None
    room: int
    begun: Flags

    @property
    def now(self) -> Told:
        """Of the last step, if there was one."""
        assert self.told is not None
        return self.told

    @property
    def unsettled(self) -> Flags:
        """(R,) whether some module's last test of a pose met nothing."""
        return self._said(UNSETTLED)

    @property
    def eager(self) -> Flags:
        """(R,) whether some module may ask at the next step."""
        return self._said(EAGER)

    def _said(self, column: int) -> Flags:
        if self.told is None:
            return np.zeros(len(self.begun), bool)
        return (self.told.known[:, column] > 0.5) & ~self.begun

    def replaced(self, chosen: Flags, new: ResidentGoals) -> ResidentGoals:
        """As `where_rows`: rows that begin are marked, and nothing is sent."""
        if not (new.begun | ~chosen).all():
            raise ValueError("rows on a device can be exchanged for such as begin, not for others")
        return replace(self, begun=self.begun | chosen)

    def taken(self, rows: NDArray[np.int64]) -> ResidentGoals:
        """As `take_rows`: in as much room, so that nothing is compiled."""
        if self.held is None or self.told is None:
            return ResidentGoals(None, None, self.room, self.begun[rows])
        index = np.zeros(self.room, np.int64)
        index[: len(rows)] = rows
        held = _taken(len(self.held.tables))(self.held, upload(index, "int64", self.held.last.device, True))
        told = Told(held.last, len(rows))
        told.arrived(self.told.known[rows])
        return ResidentGoals(held, told, self.room, self.begun[rows])


@cache
def _taken(modules: int) -> Program[[Settled, Tensor], Settled]:
    """Some rows of the tables of so many modules."""
    return Program(programs.keep)


@cache
def consider_program(asker: Asker, blocks: int) -> Program[[Given], Considered]:
    """Of a bank in so many blocks; one for all runs of a process."""
    return Program(partial(consider, asker))


@cache
def settle_program(
    askers: tuple[Asker, ...], heard: Heard
) -> Program[[tuple[Owned, ...], Tensor, Tensor], Settled]:
    return Program(partial(settle, askers, heard))


@Program
def _begun(table: Tensor, fresh: Tensor, sent: Tensor) -> Tensor:
    """The memory of a module that failed: rows that begin have none."""
    return where(sent[:, GOAL:] > 0.5, fresh, table)


class Asking(NamedTuple):
    """A module that asks: its bank, which of its modules it is, and its number among all."""

    seat: Seat
    bank: EvidenceBank | RowBlocks
    place: int
    number: int


class DeviceGoals:
    """Goals of modules whose banks, in these seats, are on a device. asking: the modules that make some, at
    least one, which know objects."""

    def __init__(
        self,
        modules: Sequence[LearningModule],
        sensors: Sequence[str],
        settings: GoalSettings,
        asking: Sequence[LearningModule],
        seats: Sequence[Seat],
    ) -> None:
        self.settings, self._sensors, self._modules = settings, sensors, modules
        every = list(enumerate(modules))
        self._heard = Heard(
            tuple(tuple(n for n, other in every if one.name in other.channels) for _, one in every),
            tuple(number for number, one in every if set(one.channels) & set(sensors)),
        )
        self._asking = [
            Asking(seat, seat.bank, index, modules.index(module))
            for seat in seats
            for index, module in enumerate(seat.modules)
            if module in asking and isinstance(seat.bank, COMPARING)
        ]
        self.device = device = self._asking[0].bank.device
        # after what `GoalMemory` holds come percepts so far
        self._fresh = upload(np.pad(packed_state(GoalMemory.start(1)), ((0, 0), (0, 1))), "float64", device)
        self._keys = cache(partial(keys_of, device=device))
        self._unanswered = cache(lambda count: blank((count, ANSWER), "float64", device))
        #: how hypotheses of each module are compared, for what its bank knows
        self._comparisons: dict[int, tuple[Knowledge, Comparison]] = {}
        #: rows of each module's bank, for the rows that it has
        self._places: dict[int, tuple[tuple[Any, ...], Places]] = {}

    def start(self, rows: int) -> ResidentGoals:
        """No goal yet, in so many rows."""
        return ResidentGoals(None, None, rows, np.ones(rows, bool))

    def enqueue(
        self,
        state: ResidentGoals,
        reports: Callable[[Seat], Sequence[Report] | None],
        wish: GoalBatch | None,
        key: RowKey,
    ) -> ResidentGoals:
        """The goals after a step. reports: of the bank of a seat, None where it failed. Never waits."""
        room, sent = state.room, self._sent(state, wish)
        held = self._nothing(room) if state.held is None else state.held
        draws = draws_of(key, room, self._keys(key.seed), self.device)
        eager, tables, owned = state.eager.any(), list(held.tables), dict[int, tuple[Asker, Owned]]()
        for place, one in enumerate(self._asking):
            told = reports(one.seat)
            if told is None:
                tables[place] = _begun(tables[place], self._fresh, sent)
                continue
            asker, values = self._asker(one, told[0]), one.bank.in_shares([each.values for each in told])
            places = self._places_of(one, room)
            given = Given(tables[place], self._fresh, held.last, sent, values, places, draws)
            considered = consider_program(asker, len(values))(given)
            answers = self._unanswered(considered.questions.shape[0])
            if eager:
                answers = one.bank.compared(considered.asked, considered.questions, self._comparison(one))
            owned[place] = asker, Owned(considered.table, answers, places)
        askers, found = tuple(asker for asker, _ in owned.values()), tuple(own for _, own in owned.values())
        settled = settle_program(askers, self._heard)(found, held.wanted, sent)
        for place, table in zip(owned, settled.tables, strict=True):
            tables[place] = table
        after = settled._replace(tables=tuple(tables))
        return ResidentGoals(after, Told(after.last, key.rows), room, np.zeros(key.rows, bool))

    def rehearse(self) -> None:
        """Make the programs that compare hypotheses while there is time, by questions of nobody."""
        for one in self._asking:
            shares, size = one.bank.shares
            asked = blank((shares, 2 * size), "int64", self.device)
            questions = np.zeros((shares * size, QUESTION + 3 * EMPTY_PLACES))
            questions[:, :2] = one.bank.known.objects
            one.bank.compared(asked, upload(questions, "float64", self.device), self._comparison(one))

    def _sent(self, state: ResidentGoals, wish: GoalBatch | None) -> Tensor:
        """(room, GOAL + 1) wishes of nobody's here, and who begins."""
        sent, rows = np.zeros((state.room, GOAL + 1)), len(state.begun)
        if wish is not None:
            sent[:rows, :GOAL] = wish.columns
        sent[:rows, GOAL] = state.begun
        return upload(sent, "float64", self.device, True)

    def _nothing(self, room: int) -> Settled:
        """Any numbers: all rows begin."""

        def zeros(*shape: int) -> Tensor:
            return blank((room, *shape), "float64", self.device)

        tables = tuple(zeros(self._fresh.shape[1]) for _ in self._asking)
        return Settled(tables, zeros(len(self._modules), GOAL), zeros(EAGER + 1))

    def _asker(self, one: Asking, report: Report) -> Asker:
        # policies bring the first sensor before a goal
        aimed = self._sensors[0] in self._modules[one.number].channels
        at = At.of(report.layout.places)
        objects = one.bank.known.objects
        return Asker(self.settings, one.number, one.place, len(one.seat.modules), at, objects, aimed)

    def _comparison(self, one: Asking) -> Comparison:
        known, held = one.bank.known, self._comparisons.get(one.number)
        if held is None or held[0] is not known:
            source = BankSource(one.bank, one.place, self._modules[one.number].channels[0])
            made = comparison_of(source, self.settings, self.device, known.objects)
            held = self._comparisons[one.number] = known, made
        return held[1]

    def _places_of(self, one: Asking, room: int) -> Places:
        """Where the rows of the run are in the bank, and back; sent when that changes."""
        shares, size = one.bank.shares
        key, held = (one.seat.rows, one.bank.rows, shares * size, room), self._places.get(one.number)
        if held is None or held[0][0] is not key[0] or held[0][1:] != key[1:]:
            rows = np.arange(one.bank.rows) if one.seat.rows is None else one.seat.rows
            there, back = np.zeros(room, np.int64), np.full(shares * size, -1)
            there[: len(rows)], back[rows] = rows, np.arange(len(rows))
            places = Places(upload(there, "int64", self.device), upload(back, "int64", self.device))
            held = self._places[one.number] = key, places
        return held[1]
