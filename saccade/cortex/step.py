"""The step: sensors, learning modules, goals and motor system, once around, for all rows.

Comes in: the state of the last step and what the world shows now. Goes out: one action per row, the new
state, and a report of what was felt, believed and wanted. In between:

    sense     patches become sensations; noise; which of them are news
    dispatch  every group of modules gets its percepts; updates, votes and decisions are queued; nothing waits
    gather    the one wait
    goals     modules that want to look somewhere say so
    act       the policy moves every agent

What a world shows on a device is sensed there, and percepts go from there to the modules: the host reads them
with the results, so that such a step waits once, too (`resident`). Goals and policies that are on the device
come before the wait: the host reads goals with the results.

Messages between levels travel one step: what a module concludes now reaches the module above at the next
step, and a goal made above reaches the module below at the next step. All modules compute in every step,
whatever their level. A module listens to the senders named by its channels: sensors, or other modules.

The step knows no targets, labels, episodes or files. Starting an episode in some rows is `reset` with a mask;
rows do not influence each other, and randomness belongs to (seed, episode id, step), so a row behaves the
same in any batch.

    cortex = Cortex(modules, rig.names, policy, StackedBackend(rows))
    state = cortex.start(episodes)
    actions, state, report = cortex.step(state, seen)
    state = cortex.reset(state, finished, new_episodes)
    state = cortex.keep(state, np.flatnonzero(unfinished))      # no more episodes: fewer rows are faster
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.program import Report
from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.goals.goal_device import COMPARING, DeviceGoals, ResidentGoals
from saccade.cortex.goals.goal_source import BankSource, ReadableBank, standing_of
from saccade.cortex.goals.goals import (
    Flags,
    Floats,
    GoalBatch,
    GoalSettings,
    HostGoals,
    Ints,
    propose,
    select_goals,
)
from saccade.cortex.laps import Laps
from saccade.cortex.messages import Percept
from saccade.cortex.modules.backend import Backend
from saccade.cortex.modules.group import FeltInput, Group, GroupInput, make_groups
from saccade.cortex.modules.hearing import Hearing
from saccade.cortex.modules.module import LearningModule
from saccade.cortex.modules.pending import Also, PendingStep, Seat
from saccade.cortex.modules.row_blocks import RowBlocks
from saccade.cortex.motor import MotorInput, Policy
from saccade.cortex.motor.policy import ActsThere, PolicyState, ResidentSight
from saccade.cortex.ops import blank
from saccade.cortex.resident import Felt, enqueued, wirings_of
from saccade.cortex.row_random import RowKey
from saccade.cortex.rows import take_rows, where_rows
from saccade.cortex.sense import (
    ChangeMemory,
    ChangeThresholds,
    NoiseSettings,
    Sensation,
    SensorSettings,
    add_noise,
    pass_changes,
    sense,
)
from saccade.cortex.sense.change_program import ResidentChanges
from saccade.cortex.sense.percept_program import ResidentPercepts
from saccade.cortex.sense.sense_program import COLUMNS, DeviceSense, Feeling
from saccade.world.meshes.ray_device import Resident
from saccade.world.protocol import Actions, Observation


class SeatedBackend(Backend, Protocol):
    """A backend that tells which bank a module sits in, so that hypotheses can be read on demand."""

    def seats(self, groups: Sequence[Group]) -> list[Seat]:
        """The banks of these groups."""
        ...


@runtime_checkable
class TakesFelt(Protocol):
    """A backend that takes percepts which are on its device."""

    def takes_felt(self, groups: Sequence[Group]) -> bool:
        """Whether it does in the next step."""
        ...

    def dispatch_felt(self, groups: Sequence[Group], felt: FeltInput) -> PendingStep:
        """Enqueue one step of all groups."""
        ...


@runtime_checkable
class Reporting(Protocol):
    """A backend that tells what banks will report, on their device, before it is read."""

    def reports(self, pending: PendingStep, seat: Seat) -> Sequence[Report] | None:
        """Of the bank of a seat; None where it failed."""
        ...


#: like `sense.sense`: points, colours and flags of patches, where the sensors are, settings -> Sensation
Sense = Callable[..., Sensation]


@dataclass(frozen=True)
class StepSettings:
    """seed: of all randomness. sensor: how patches are read. change: what counts as news (None: everything
    usable). noise: added to sensations (None: none). goals: when to test hypotheses (None: never). asking:
    the modules that make goals (empty: all). sense: what turns patches into sensations. resident_goals:
    goals are made where hypotheses are, if the backend can, not on the host."""

    seed: int = 0
    sensor: SensorSettings = field(default_factory=SensorSettings)
    change: ChangeThresholds | None = field(default_factory=ChangeThresholds)
    noise: NoiseSettings | None = None
    goals: GoalSettings | None = None
    asking: tuple[str, ...] = ()
    sense: Sense = sense
    resident_goals: bool = False


@dataclass(frozen=True)
class StepState(Generic[PolicyState]):
    """What passes from step to step on the host; hypotheses stay in the backend's banks.

    episode (R,) ids, step (R,) steps since reset, changes: what each sensor passed last, motor: the policy's
    state, goals: what modules asked for and wait for, upward: each module's conclusion per row, on its way to
    the level above."""

    episode: Ints
    step: Ints
    changes: ChangeMemory | ResidentChanges
    motor: PolicyState
    goals: HostGoals | ResidentGoals
    upward: Mapping[str, tuple[Percept | None, ...]]


@dataclass(frozen=True)
class StepReport:
    """felt: sensations (R, S), with their noise. news (R, S): which were passed on. results: by module name.
    goal: what the motor system was asked for in each row."""

    felt: Sensation
    news: Flags
    results: Mapping[str, ModuleResult]
    goal: GoalBatch


@dataclass(frozen=True)
class Told:
    """What was felt (R, S), which of it is news (R, S), and what each sensor passed last by now."""

    felt: Sensation
    news: Flags
    changes: ChangeMemory | ResidentChanges


class Cortex(Generic[PolicyState]):
    """Modules, who listens to whom, a policy and a backend: everything that stays the same from step to
    step."""

    def __init__(
        self,
        modules: Sequence[LearningModule],
        sensors: Sequence[str],
        policy: Policy[PolicyState],
        backend: SeatedBackend,
        settings: StepSettings | None = None,
    ) -> None:
        self.modules, self.sensors = tuple(modules), tuple(sensors)
        self.policy, self.backend = policy, backend
        self.settings = StepSettings() if settings is None else settings
        self.groups = make_groups(self.modules) if self.modules else []
        self._check_names()
        self._hearing = Hearing(self.groups, self.sensors)
        self._wirings = wirings_of(self.groups, self.sensors)
        self._there: DeviceGoals | None = None
        #: where the time of steps goes
        self.laps = Laps()

    def _check_names(self) -> None:
        names = [module.name for module in self.modules]
        if len(set(self.sensors)) != len(self.sensors):
            raise ValueError(f"sensor names must be unique, got {list(self.sensors)}")
        both = sorted(set(names) & set(self.sensors))
        if both:
            raise ValueError(
                f"{both} are names of sensors and of modules; channels could not tell them apart"
            )
        for module in self.modules:
            if len(set(module.channels)) != len(module.channels):
                raise ValueError(f"module {module.name!r} listens twice to one of {list(module.channels)}")
            for channel in module.channels:
                if channel == module.name or channel not in (*self.sensors, *names):
                    raise ValueError(
                        f"module {module.name!r} listens to {channel!r}; "
                        f"there are sensors {list(self.sensors)} and modules {names}"
                    )

    # -- beginning

    def start(self, episodes: Ints) -> StepState[PolicyState]:
        """New episodes in all rows; episodes (R,) are their ids."""
        rows = len(episodes)
        if rows != self.backend.rows:
            raise ValueError(f"{rows} episode ids for a backend of {self.backend.rows} rows")
        self._hearing.start(rows)
        if self.groups:
            self.backend.reset(self.groups, None)
        self._there = self._goals_there()
        return self._fresh(np.asarray(episodes, np.int64))

    def _goals_there(self) -> DeviceGoals | None:
        """What makes goals on the device of the banks; None where the host does."""
        settings, backend = self.settings, self.backend
        if not self.groups or settings.goals is None or not settings.resident_goals:
            return None
        sources = [(module, self.source(module)) for module in self.modules if self._asks(module)]
        telling = [(module, source) for module, source in sources if source is not None and source.models]
        there = all(isinstance(source.bank, COMPARING) for _, source in telling)
        if not telling or not there or not isinstance(backend, Reporting):
            return None
        asking = [module for module, _ in telling]
        return DeviceGoals(self.modules, self.sensors, settings.goals, asking, backend.seats(self.groups))

    def _asks(self, module: LearningModule) -> bool:
        """Whether a module makes goals."""
        return self.settings.goals is not None and module.name in (self.settings.asking or (module.name,))

    def _fresh(self, episodes: Ints) -> StepState[PolicyState]:
        rows = len(episodes)
        return StepState(
            episode=episodes,
            step=np.zeros(rows, np.int64),
            changes=ChangeMemory.empty(rows, len(self.sensors)),
            motor=self.policy.start(rows),
            goals=(
                HostGoals.start(rows, len(self.modules)) if self._there is None else self._there.start(rows)
            ),
            upward={module.name: (None,) * rows for module in self.modules},
        )

    def reset(self, state: StepState[PolicyState], rows: Flags, episodes: Ints) -> StepState[PolicyState]:
        """Begin the episodes with ids `episodes` (R,) in the marked rows (R,); the others go on
        undisturbed."""
        fresh = self._fresh(np.where(rows, episodes, state.episode).astype(np.int64))
        changes = state.changes  # on a device rows at their first step have no memory
        if isinstance(changes, ChangeMemory) and isinstance(fresh.changes, ChangeMemory):
            changes = where_rows(rows, fresh.changes, changes)
        if self.groups and rows.any():
            self.backend.reset(self.groups, rows)
        return StepState(
            episode=fresh.episode,
            step=np.where(rows, 0, state.step),
            changes=changes,
            motor=where_rows(rows, fresh.motor, state.motor),
            goals=where_rows(rows, fresh.goals, state.goals),
            upward={
                name: tuple(None if begun else one for begun, one in zip(rows, sent, strict=True))
                for name, sent in state.upward.items()
            },
        )

    def keep(self, state: StepState[PolicyState], rows: Ints) -> StepState[PolicyState]:
        """Go on with the rows of these numbers alone, in this order."""
        if self.groups:
            self.backend.keep(self.groups, rows)
        self._hearing.keep(rows)
        changes = state.changes
        return replace(
            state,
            episode=state.episode[rows],
            step=state.step[rows],
            changes=changes.kept(rows) if isinstance(changes, ResidentChanges) else take_rows(changes, rows),
            motor=take_rows(state.motor, rows),
            goals=take_rows(state.goals, rows),
            upward={name: tuple(sent[row] for row in rows) for name, sent in state.upward.items()},
        )

    # -- once around

    def step(
        self,
        state: StepState[PolicyState],
        seen: Observation,
        check: Flags | None = None,
        wish: GoalBatch | None = None,
    ) -> tuple[Actions, StepState[PolicyState], StepReport]:
        """One step of all rows. check (R,): rows whose modules test whether they are done. wish: goals of
        nobody's here, which go before those of modules."""
        laps = self.laps
        laps.begin()
        key = RowKey(self.settings.seed, state.episode, state.step)
        told = self._sense(state, seen, key)
        sight = None
        if isinstance(told, Felt) and isinstance(seen, Resident):
            sight = ResidentSight(told.values, seen.eyes)
        pending, there, moved = self._dispatched(state, told, check), None, None
        if pending is not None and isinstance(state.goals, ResidentGoals):
            there = self._goals_under_way(state.goals, pending, wish, key)
            laps.lap("goals")
            policy, motor = self.policy, state.motor
            if sight is not None and isinstance(policy, ActsThere) and policy.acts_there(motor, sight):
                moved = policy.enqueue(motor, sight, seen.agent, there.now.values, key)
                laps.lap("act")
        results = dict[str, ModuleResult]() if pending is None else self.backend.gather(pending)
        laps.lap("gather")
        goals, goal = self._goals(state, results, wish, key) if there is None else (there, there.now.goal)
        laps.lap("goals")
        if moved is None:
            motion = MotorInput(told.felt, seen.agent, seen.sensor, goal, sight)
            moved = self.policy.act(state.motor, motion, key)
        actions, motor = moved
        after = StepState(
            episode=state.episode,
            step=state.step + 1,
            changes=told.changes,
            motor=motor,
            goals=goals,
            upward={name: self._hearing.conclusions(name, result) for name, result in results.items()},
        )
        laps.lap("act")
        return actions, after, StepReport(told.felt, told.news, results, goal)

    def _dispatched(
        self, state: StepState[PolicyState], told: Told | Felt, check: Flags | None
    ) -> PendingStep | None:
        """The step of all modules under way; None where there are none."""
        pending, asked = None, None if check is None else self._settled(state, check)
        if isinstance(told, Felt) and self._stays_there():
            pending = self._dispatched_felt(state, told, asked)
        else:
            inputs = self._hearing.inputs(state.upward, told.felt, told.news, asked)
            self.laps.lap("sense")
            if self.groups:
                pending = self.backend.dispatch(self.groups, inputs)
        self.laps.lap("dispatch")
        return pending

    def _sense(self, state: StepState[PolicyState], seen: Observation, key: RowKey) -> Told | Felt:
        """What the sensors feel; on a device it is under way."""
        settings = self.settings
        if isinstance(settings.sense, DeviceSense) and isinstance(seen, Resident):
            how = Feeling(settings.sensor, settings.noise, settings.change)
            return enqueued(settings.sense, seen, how, key, state.changes)
        changes = state.changes
        if isinstance(changes, ResidentChanges):
            changes = changes.read(len(state.step))
        given = (seen.points, seen.rgb, seen.on_object, seen.sensor.position, seen.sensor.rotation)
        felt = settings.sense(*given, settings.sensor)
        if settings.noise is not None:
            felt = add_noise(felt, settings.noise, key)
        if settings.change is None:
            return Told(felt, felt.usable, changes)
        return Told(felt, *pass_changes(felt, changes, settings.change))

    def _stays_there(self) -> bool:
        """Whether modules can take percepts of this step on the device."""
        backend = self.backend
        return (
            bool(self.groups)
            and self._wirings is not None
            and isinstance(backend, TakesFelt)
            and backend.takes_felt(self.groups)
        )

    def _dispatched_felt(self, state: StepState[PolicyState], told: Felt, asked: Flags | None) -> PendingStep:
        """The same of percepts that are on the device. The host reads those with the results, and has then
        what it would have had before."""
        backend, wirings = self.backend, self._wirings
        assert isinstance(backend, TakesFelt)
        assert wirings is not None

        def heard(values: npt.NDArray[Any]) -> list[GroupInput]:
            told.arrived(values)
            return self._hearing.inputs(state.upward, told.felt, told.news, asked)

        room = told.values.shape[0] // len(self.sensors)
        percepts = [
            ResidentPercepts(told.values, wiring, told.device, said)
            for wiring, said in zip(wirings, self._said(state, room), strict=True)
        ]
        given = FeltInput(percepts, len(state.step), asked, told.values, heard)
        self.laps.lap("sense")
        return backend.dispatch_felt(self.groups, given)

    def _said(self, state: StepState[PolicyState], room: int) -> list[Floats | None]:
        """What modules of each group hear of others, for the device; None where nobody hears others."""
        assert self._wirings is not None
        if not any(wiring.levels for wiring in self._wirings):
            return [None] * len(self.groups)
        return self._hearing.messages(state.upward, len(state.step), room)

    @staticmethod
    def _settled(state: StepState[PolicyState], check: Flags) -> Flags:
        """The rows to check (R,) whose last test of a pose met something: that the hypotheses of the others
        stay as they are would count for a symmetry."""
        return check & ~state.goals.unsettled if check.any() else check

    # -- goals

    def _goals_under_way(
        self, state: ResidentGoals, pending: PendingStep, wish: GoalBatch | None, key: RowKey
    ) -> ResidentGoals:
        """The goals of a step under way, on the device; the host reads them with the results."""
        assert self._there is not None
        assert isinstance(self.backend, Reporting)
        goals = self._there.enqueue(state, partial(self.backend.reports, pending), wish, key)
        pending.also = Also(goals.now.values, goals.now.arrived)
        return goals

    def _goals(
        self,
        state: StepState[PolicyState],
        results: Mapping[str, ModuleResult],
        wish: GoalBatch | None,
        key: RowKey,
    ) -> tuple[HostGoals, GoalBatch]:
        """Every module's goal per row: the most confident of its own and of those that came down to it; and
        the one that the motor system is asked for."""
        rows, before = len(state.step), state.goals
        assert isinstance(before, HostGoals)
        wanted, memories = list[GoalBatch](), list(before.memories)
        for number, module in enumerate(self.modules):
            above = [
                came
                for other, came in zip(self.modules, before.downward, strict=True)
                if module.name in other.channels
            ]
            own, result = GoalBatch.none(rows), results[module.name]
            source = self.source(module) if self._asks(module) else None
            if self.settings.goals is not None and source is not None and result.failure is None:
                standing = standing_of(module, result, self._hearing.sensed(module.name), source)
                # policies bring the first sensor before a goal
                standing = replace(standing, aimed=self.sensors[0] in module.channels)
                own, memories[number] = propose(
                    memories[number], standing, source, self.settings.goals, key, number
                )
            wanted.append(select_goals([own, *above]))
        goal = self._for_motor(wanted, rows)
        if wish is not None:
            goal = where_rows(wish.active, wish, goal)
        # only the goal that is acted upon can be found reached or in vain
        acted = (
            replace(memory, open=memory.open & goal.active & (goal.sender == number))
            for number, memory in enumerate(memories)
        )
        return HostGoals(tuple(acted), tuple(wanted)), goal

    def _for_motor(self, wanted: Sequence[GoalBatch], rows: int) -> GoalBatch:
        """Goals of the modules that have sensors of their own; the others' are still on their way down."""
        pairs = zip(self.modules, wanted, strict=True)
        near = [each for module, each in pairs if any(c in self.sensors for c in module.channels)]
        return select_goals(near) if near else GoalBatch.none(rows)

    def rehearsals(self, rows: int) -> list[Callable[[], None]]:
        """Calls that make the programs of steps of so many rows, in any order, where banks step in blocks and
        modules do not vote; of what is sensed on a device, where it is, and of goals there."""
        sense, wirings, parts = self.settings.sense, self._wirings, list[Callable[[], None]]()
        for seat in self.backend.seats(self.groups):
            if not isinstance(seat.bank, RowBlocks):
                continue
            felt = None  # from the host; where goals stay on the device, all does
            if self.settings.resident_goals and isinstance(sense, DeviceSense) and wirings is not None:
                nothing = blank((rows * len(self.sensors), COLUMNS), "float64", sense.device)
                said = self._said(self._fresh(np.zeros(rows, np.int64)), rows)[seat.group]
                percepts = ResidentPercepts(nothing, wirings[seat.group], sense.device, said)
                felt = percepts.of(seat.first, seat.last)
            parts += seat.bank.rehearsals(felt)
        if self._there is not None:
            parts.append(self._there.rehearse)
        return parts

    def source(self, module: LearningModule) -> BankSource | None:
        """Where to read the module's hypotheses; None for kinds of module that cannot tell."""
        for seat in self.backend.seats(self.groups):
            bank: object = seat.bank
            if module not in seat.modules:
                continue
            number, channel = seat.modules.index(module), module.channels[0]
            if isinstance(bank, ReadableBank):
                return BankSource(bank, number, channel, seat.rows)
        return None
