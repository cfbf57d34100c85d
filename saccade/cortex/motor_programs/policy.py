"""A policy whose state stays on a device and whose actions are computed there, for all rows at once.

Comes in: a policy of `motor` and, each step, what it acts on. Goes out: the same actions, to rounding. The
state stays; goals and the rows' random keys are sent, and so are percepts and poses that are not there
already. Rows that begin again, or whose agents somebody else moved, are marks that go with them.

    policy = on_device(GoalDriven(SurfaceFollow()), "cuda")     # itself, where there is no program of it
    actions, state = policy.act(state, seen, key)
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.bank.program import Program
from saccade.cortex.columns import Columns, packed, packed_state
from saccade.cortex.goals.asking_program import GOAL, Goal
from saccade.cortex.motor import GoalDriven, MotorInput, Policy, RandomWalk, SpiralScan, SurfaceFollow
from saccade.cortex.motor.policy import Flags, Floats, ResidentSight
from saccade.cortex.motor_programs.goal import GoalProgram
from saccade.cortex.motor_programs.sight import Move, Sight
from saccade.cortex.motor_programs.surface import FollowProgram
from saccade.cortex.motor_programs.walk import ScanProgram, WalkProgram
from saccade.cortex.ops import upload, where
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense import Sensation
from saccade.cortex.sense.noise_program import Draws, draws_of, keys_of
from saccade.cortex.sense.sense_program import COLUMNS, unpacked
from saccade.cortex.vectors import choose, compose
from saccade.tensor import Tensor
from saccade.world.meshes.resident_poses import EYE, POSE, ArrivingPose, ResidentActions, laid_out
from saccade.world.protocol import Actions, Pose

#: numbers that are sent for a row: whether it begins, and whether somebody else moved its agent
TOLD = 2


class PolicyProgram(Protocol):
    """A policy of `motor`, written in components; a value, as that is."""

    def __hash__(self) -> int: ...

    def state(self, columns: Columns) -> Any:
        """Its state, read from the numbers of rows."""
        ...

    def act(self, state: Any, seen: Sight) -> tuple[Move, Any]:
        """As `Policy.act`."""
        ...

    def interrupt(self, state: Any, rows: Tensor) -> Any:
        """As `Policy.interrupt`."""
        ...


def program_of(policy: Policy[Any]) -> PolicyProgram | None:
    """The program of a policy, None where there is none: of lists of actions, and of others' policies."""
    if type(policy) is RandomWalk:
        return WalkProgram(policy)
    if type(policy) is SpiralScan:
        return ScanProgram(policy)
    if type(policy) is SurfaceFollow:
        return FollowProgram(policy)
    if type(policy) is GoalDriven:
        base = program_of(policy.base)
        return None if base is None else GoalProgram(policy, base)
    return None


def on_device(policy: Policy[Any], device: str) -> Policy[Any]:
    """The policy with its state on a device; the policy itself where no program is known."""
    return policy if program_of(policy) is None else DevicePolicy(policy, device)


class Inputs(NamedTuple):
    """felt (room * S, COLUMNS): as `sense_program`. eyes (room, S, 12 or more): poses of sensors, agent
    (room, POSE) of agents. goal (room, GOAL or more): as `asking_program`. told (room, TOLD). draws: of
    rows."""

    felt: Tensor
    eyes: Tensor
    agent: Tensor
    goal: Tensor
    told: Tensor
    draws: Draws


class Acted(NamedTuple):
    """table (room, C): the state after. actions (room, 13): a pose, and whether it is absolute. agent
    (room, POSE): poses after the move."""

    table: Tensor
    actions: Tensor
    agent: Tensor


def act(program: PolicyProgram, table: Tensor, fresh: Tensor, given: Inputs) -> Acted:
    """One action of all rows. fresh (1, C): the state of a row that begins."""
    room, sensors = given.eyes.shape[:2]
    agent, columns = Columns(given.agent).frame(), Columns(given.told)
    goal, begun, moved = Goal.of(Columns(given.goal)), columns.flag(), columns.flag()
    seen = Sight(given.felt.reshape(room, sensors, -1), given.eyes, agent, goal, given.draws)
    state = program.state(Columns(where(begun.unsqueeze(-1), fresh, table)))
    move, state = program.act(program.interrupt(state, moved), seen)
    after = choose(move.absolute, move.motion, compose(agent, move.motion))
    return Acted(packed(state), packed(move), packed(after))


@dataclass(frozen=True)
class MotorRows:
    """table (room, C): the numbers of all rows, those beyond the last nobody's; None: no row acted yet. begun
    (R,) rows that begin at the next step, moved (R,) whose agents somebody else moved since the last."""

    table: Tensor | None
    room: int
    begun: Flags
    moved: Flags

    def replaced(self, chosen: NDArray[np.bool_], new: MotorRows) -> MotorRows:
        """`new` in the rows chosen (R,): rows that begin are marked, and nothing is sent."""
        if not (new.begun | ~chosen).all():
            raise ValueError("rows on a device can be exchanged for such as begin, not for others")
        return replace(self, begun=self.begun | chosen, moved=self.moved & ~chosen)

    def taken(self, rows: NDArray[np.int64]) -> MotorRows:
        """The rows of these numbers, in this order; in as much room, so that nothing is compiled."""
        table = self.table
        if table is not None:
            index = np.zeros((self.room, 1), np.int64)
            index[: len(rows), 0] = rows
            wide = upload(index, "int64", table.device, True).expand(table.shape)
            table = table.gather(0, wide).contiguous().realize()
        return MotorRows(table, self.room, self.begun[rows], self.moved[rows])


@cache
def _compiled(program: PolicyProgram) -> Program[[Tensor, Tensor, Inputs], Acted]:
    """One for all runs of a process."""
    return Program(partial(act, program))


class DevicePolicy:
    """Implements `Policy` by the program of another; see the module docstring."""

    def __init__(self, policy: Policy[Any], device: str) -> None:
        program = program_of(policy)
        if program is None:
            raise ValueError(f"there is no program of {type(policy).__name__}; it acts on the host")
        self.policy, self.device = policy, device
        self._program = _compiled(program)
        self._keys = cache(partial(keys_of, device=device))
        self._fresh = upload(packed_state(policy.start(1)), "float64", device)

    @property
    def compilations(self) -> int:
        return self._program.compilations

    def rehearse(self, rows: int, sensors: int) -> None:
        """Compile the program of so many rows before there is anything to see."""
        felt = unpacked(np.zeros((rows, sensors, COLUMNS)))
        seen = MotorInput(felt, Pose.identity(rows), Pose.identity(rows, sensors))
        self.act(self.start(rows), seen, RowKey(0, np.zeros(rows, np.int64), np.zeros(rows, np.int64)))

    def start(self, rows: int) -> MotorRows:
        return MotorRows(None, rows, np.ones(rows, bool), np.zeros(rows, bool))

    def interrupt(self, state: MotorRows, rows: Flags) -> MotorRows:
        return replace(state, moved=state.moved | rows)

    def act(self, state: MotorRows, seen: MotorInput, key: RowKey) -> tuple[Actions, MotorRows]:
        """One action per row. Never waits: actions come to the host when somebody there asks for them."""
        room, rows, there = state.room, seen.rows, seen.resident
        if there is None or not self.acts_there(state, there):
            eyes = np.zeros((room, seen.sensor.position.shape[1], EYE))
            eyes[:rows, :, :POSE] = laid_out(seen.sensor)
            there = ResidentSight(self._sent(_felt(seen.felt, room)), self._sent(eyes))
        goal = np.zeros((room, GOAL))
        if seen.goal is not None:
            goal[:rows] = seen.goal.columns
        return self.enqueue(state, there, seen.agent, self._sent(goal), key)

    def acts_there(self, state: MotorRows, there: ResidentSight) -> bool:
        """Whether what is felt on the device can be acted upon as it is."""
        return there.eyes.shape[0] == state.room

    def enqueue(
        self, state: MotorRows, there: ResidentSight, agent: Pose, goal: Tensor, key: RowKey
    ) -> tuple[Actions, MotorRows]:
        """As `act`, on what is on the device: goal (room, GOAL or more)."""
        room, rows = state.room, key.rows
        if isinstance(agent, ArrivingPose) and agent.values.shape[0] == room:
            poses = agent.values
        else:
            known = np.zeros((room, POSE))
            known[:rows] = laid_out(agent)
            poses = self._sent(known)
        told = np.zeros((room, TOLD))
        told[:rows, 0], told[:rows, 1] = state.begun, state.moved
        draws = draws_of(key, room, self._keys(key.seed), self.device)
        table = state.table
        if table is None:  # any numbers: all rows begin
            table = self._sent(np.zeros((room, self._fresh.shape[1])))
        given = Inputs(*there, poses, goal, self._sent(told), draws)
        acted, none = self._program(table, self._fresh, given), np.zeros(rows, bool)
        return ResidentActions(acted.actions, acted.agent, rows), MotorRows(acted.table, room, none, none)

    def _sent(self, values: Floats) -> Tensor:
        return upload(values, "float64", self.device, True)


def _felt(felt: Sensation, room: int) -> Floats:
    """(room * S, columns) what sensors feel, as a device that sensed it would have it."""
    rows, sensors = felt.usable.shape
    parts = [np.asarray(getattr(felt, each.name), np.float64) for each in fields(felt)]
    table = np.concatenate([each.reshape(rows, sensors, -1) for each in parts], axis=-1)
    padded = np.zeros((room, sensors, COLUMNS))
    padded[:rows, :, : table.shape[-1]] = table
    return padded.reshape(room * sensors, -1)
