"""What a motor policy is: from what the sensors felt to how the agents move, for all rows at once.

Comes in: the policy's own state (arrays, rows first), a `MotorInput`, and the rows' random key. Goes out: one
action per row and the new state. A policy is a frozen value that holds settings only; `act` is a pure
function, and a row's action depends on nothing but that row's input, state and key.

    policy = RandomWalk(amount=math.radians(5))
    state = policy.start(rows)
    actions, state = policy.act(state, MotorInput(felt, agent, sensor), key)
    state = where_rows(begun, policy.start(rows), state)          # episodes that begin again

Motions are relative (in the agent's own frame) except jumps, so a recorded list of actions can be replayed on
an object that stands elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.goals.goals import GoalBatch
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense import Sensation
from saccade.reproducible import columns, cross, dot, matmul, norm, unit
from saccade.tensor import Tensor
from saccade.world.agents import rotation_between
from saccade.world.protocol import Actions, Pose

Floats = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]
PolicyState = TypeVar("PolicyState")


class ResidentSight(NamedTuple):
    """felt (room * S, columns): as `sense_program.COLUMNS`; eyes (room, S, 12 or more): the poses of sensors,
    position, and rotation row by row. Rows beyond the last are nobody's."""

    felt: Tensor
    eyes: Tensor


@dataclass(frozen=True)
class MotorInput:
    """felt: sensations (R, S). agent: poses (R,). sensor: poses (R, S). goal: one goal per row, or None.
    resident: where they are on a device, too, what is felt and where the sensors are."""

    felt: Sensation
    agent: Pose
    sensor: Pose
    goal: GoalBatch | None = None
    resident: ResidentSight | None = None

    @property
    def rows(self) -> int:
        return int(self.felt.usable.shape[0])

    def sensor_pose(self, guide: int) -> Pose:
        """(R,) pose of one sensor in the body frame."""
        return Pose(self.sensor.position[:, guide], self.sensor.rotation[:, guide])


class Policy(Protocol[PolicyState]):
    """A way of moving. Policies are values: two with equal settings behave alike."""

    def start(self, rows: int) -> PolicyState:
        """The state of rows that have not moved yet."""
        ...

    def act(self, state: PolicyState, seen: MotorInput, key: RowKey) -> tuple[Actions, PolicyState]:
        """One action per row."""
        ...

    def interrupt(self, state: PolicyState, rows: Flags) -> PolicyState:
        """Somebody else moved the agents of these rows (R,): forget what assumes otherwise."""
        ...


@runtime_checkable
class ActsThere(Protocol):
    """A policy that acts on what is on a device, before the host has read it."""

    def acts_there(self, state: Any, there: ResidentSight) -> bool:
        """Whether it does at this step."""
        ...

    def enqueue(
        self, state: Any, there: ResidentSight, agent: Pose, goal: Tensor, key: RowKey
    ) -> tuple[Actions, Any]:
        """One action per row; goal (room, GOAL or more): as `goals.asking_program`. Never waits."""
        ...


def orthonormal(rotation: Floats) -> Floats:
    """The rotation (..., 3, 3) nearest to a slightly spoiled one, its third column kept in direction.

    A pose computed from the present pose, applied to it, and computed from again triples its rounding errors
    at each step; without this an agent is deformed beyond use after thirty.
    """
    back = unit(rotation[..., 2])
    right = unit(rotation[..., 0] - dot(rotation[..., 0], back)[..., None] * back)
    return columns(right, cross(back, right), back)


def place_sensor(seen: MotorInput, guide: int, target: Pose) -> Actions:
    """Move every agent so that its sensor `guide` takes the pose `target` (R,), by a motion in the agent's
    frame.
    """
    mount = seen.agent.inverse() @ seen.sensor_pose(guide)
    motion = seen.agent.inverse() @ (target @ mount.inverse())
    return Actions(Pose(motion.position, orthonormal(motion.rotation)), np.zeros(seen.rows, bool))


def face_surface(seen: MotorInput, guide: int, point: Floats, normal: Floats, distance: float) -> Pose:
    """Sensor poses (R,) that see surface points (R, 3) with unit normals (R, 3) head on, turned as little as
    can be.
    """
    current = seen.sensor_pose(guide).rotation
    turn = rotation_between(current[..., 2], normal)
    return Pose(point + distance * normal, orthonormal(matmul(turn, current)))


def look_at(seen: MotorInput, guide: int, point: Floats) -> Floats:
    """Rotations (R, 3, 3) in the agent's frame after which sensor `guide` looks at points (R, 3).

    A sensor beside the eye point is itself moved by the turn; a few rounds settle that.
    """
    mount = seen.agent.inverse() @ seen.sensor_pose(guide)
    agent = seen.agent
    for _ in range(4):
        sensor = agent @ mount
        wanted = sensor.position - point
        reach = norm(wanted, keepdims=True)
        backward = sensor.rotation[..., 2]
        wanted = np.where(reach > 1e-9, wanted / np.maximum(reach, 1e-9), backward)
        agent = Pose(agent.position, matmul(rotation_between(backward, wanted), agent.rotation))
    return orthonormal(matmul(np.swapaxes(seen.agent.rotation, -1, -2), agent.rotation))


def spiral(count: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Direction (left, up) of step number `count` (...,) of a square spiral: 1 up, 1 left, 2 down, 2 right, 3
    up, ...

    Leg n has n // 2 + 1 steps and begins at step (n + 1)**2 // 4.
    """
    leg = np.floor(np.sqrt(4.0 * count + 1.0)).astype(np.int64) - 1
    left = np.array([0.0, 1.0, 0.0, -1.0])[leg % 4]
    up = np.array([1.0, 0.0, -1.0, 0.0])[leg % 4]
    return left, up


def spiral_leg_length(count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps in the leg that step number `count` (...,) belongs to."""
    leg = np.floor(np.sqrt(4.0 * count + 1.0)).astype(np.int64) - 1
    return np.asarray(leg // 2 + 1)
