"""Policies that do not look: a square spiral over the field of view, and lists of actions made beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.motor.policy import Flags, Floats, MotorInput, orthonormal, spiral, spiral_leg_length
from saccade.cortex.row_random import RowKey
from saccade.reproducible import matmul
from saccade.world.agents import yaw_pitch
from saccade.world.protocol import Actions, Pose


@dataclass(frozen=True)
class ScanState:
    """count (R,) steps done; start (R, 3, 3) the rotation the spiral is centred on and begun (R,) whether it
    is known; yaw and pitch (R,) from there; finished (R,): the spiral has reached its widest turn and the
    agent stays.
    """

    count: NDArray[np.int64]
    start: Floats
    begun: Flags
    yaw: Floats
    pitch: Floats
    finished: Flags


@dataclass(frozen=True)
class SpiralScan:
    """Turns by `amount` radians along a square spiral about the first view (1 up, 1 left, 2 down, 2 right, 3
    up, ...) until a leg would span `limit` radians. Angles are laid out as yaw and pitch from the first view,
    so the turns of the spiral do not overlap.
    """

    amount: float = math.radians(5.0)
    limit: float = float(np.pi / 2)

    def start(self, rows: int) -> ScanState:
        """The centre of the spiral."""
        none = np.zeros(rows, bool)
        eye = np.broadcast_to(np.eye(3), (rows, 3, 3)).copy()
        return ScanState(np.zeros(rows, np.int64), eye, none, np.zeros(rows), np.zeros(rows), none)

    def interrupt(self, state: ScanState, rows: Flags) -> ScanState:
        """The spiral goes on where it was: its turns are absolute."""
        return state

    def act(self, state: ScanState, seen: MotorInput, key: RowKey) -> tuple[Actions, ScanState]:
        """One turn along the spiral."""
        start = np.where(state.begun[:, None, None], state.start, seen.agent.rotation)
        finished = spiral_leg_length(state.count) * self.amount >= self.limit
        left, up = spiral(state.count)
        yaw = np.where(finished, state.yaw, state.yaw + self.amount * left)
        pitch = np.where(finished, state.pitch, state.pitch + self.amount * up)
        turn = matmul(matmul(np.swapaxes(seen.agent.rotation, 1, 2), start), yaw_pitch(yaw, pitch))
        turn = np.where(finished[:, None, None], np.eye(3), orthonormal(turn))
        begun = np.ones(seen.rows, bool)
        return Actions.relative(rotation=turn), ScanState(
            state.count + ~finished, start, begun, yaw, pitch, finished
        )


@dataclass(frozen=True)
class ReplayState:
    """count (R,): how many actions of the list were taken."""

    count: NDArray[np.int64]


@dataclass(frozen=True)
class Replay:
    """A list of T actions, the same for every row: positions (T, 3), rotations (T, 3, 3), absolute (T,).

    At its end the list begins again, or with repeat=False the agent stays.
    """

    actions: Actions
    repeat: bool = True

    def __post_init__(self) -> None:
        if len(self.actions.absolute) == 0:
            raise ValueError("a list of actions to replay needs at least one action")

    def start(self, rows: int) -> ReplayState:
        """Before the first action."""
        return ReplayState(np.zeros(rows, np.int64))

    def interrupt(self, state: ReplayState, rows: Flags) -> ReplayState:
        """The list goes on."""
        return state

    def act(self, state: ReplayState, seen: MotorInput, key: RowKey) -> tuple[Actions, ReplayState]:
        """The next action of every row's place in the list."""
        length = len(self.actions.absolute)
        at = state.count % length
        motion = self.actions.motion
        taken = Actions(Pose(motion.position[at], motion.rotation[at]), self.actions.absolute[at])
        over = np.full(seen.rows, False) if self.repeat else state.count >= length
        return Actions.stay(seen.rows).where(over, taken), ReplayState(state.count + ~over)
