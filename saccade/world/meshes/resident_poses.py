"""Poses and actions that are on a device, and come to the host when somebody there asks for them.

Who acts on a device knows where agents are after their actions, and who looks from there casts rays from it:
the host may read both later, when it has waited for something else anyway.

    actions = ResidentActions(moves, after, rows)     # of a policy
    agent = actions.moved(agent)                      # an ArrivingPose; nothing is read
    eyes = eyes_of(agent.values, mount)               # (room, S, EYE) what rays begin with
    agent.position                                    # (rows, 3), read now
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from saccade import Tensor, where
from saccade.tensor.jit.jit import jit
from saccade.world.arriving import Arriving
from saccade.world.protocol import Actions, Bools, Floats, Ints, Pose, Rig

#: numbers of a pose: position, and the rotation row by row; of a sensor: also the tangent of half its angle
#: of view; of an action: also whether it is absolute
POSE, EYE, ACTION = 12, 13, 13


def laid_out(pose: Pose) -> npt.NDArray[np.float64]:
    """(..., POSE) poses as rows of numbers."""
    lead = pose.position.shape[:-1]
    return np.concatenate([pose.position, pose.rotation.reshape(*lead, 9)], axis=-1)


def mounted(rig: Rig) -> npt.NDArray[np.float64]:
    """(S, EYE) where the sensors of a rig are on an agent."""
    return np.concatenate([laid_out(rig.mount), rig.half_tangent[:, None]], axis=1)


def seated(sensor: Pose, rig: Rig, room: int) -> npt.NDArray[np.float64]:
    """(room, S, EYE) the sensors of a rig at position (R, S, 3) with rotation (R, S, 3, 3)."""
    rows, sensors = sensor.position.shape[:2]
    known = np.zeros((room, sensors, EYE))
    known[:rows, :, :POSE], known[:rows, :, POSE] = laid_out(sensor), rig.half_tangent
    return known


class ArrivingPose(Arriving, Pose):
    """Poses of values (room, ..., POSE or more)."""

    @property
    def position(self) -> Floats:
        return self.read[..., :3]

    @property
    def rotation(self) -> Floats:
        return self.read[..., 3:POSE].reshape(*self.read.shape[:-1], 3, 3)

    def replaced(self, chosen: Bools, new: Pose) -> ArrivingPose:
        given = np.zeros((self.values.shape[0], POSE + 1))
        given[: self.rows, :POSE], given[: self.rows, POSE] = laid_out(new), chosen
        return ArrivingPose(_exchanged(self.values, Tensor(given, device=self.values.device)), self.rows)

    def taken(self, rows: Ints) -> ArrivingPose:
        return ArrivingPose(_rows_of(self.values, rows), len(rows))


class ResidentActions(Actions):
    """Actions moves (room, ACTION), after which agents are at after (room, POSE); of the first `rows`."""

    after: Tensor

    def __init__(self, moves: Tensor, after: Tensor, rows: int) -> None:
        object.__setattr__(self, "after", after)
        object.__setattr__(self, "motion", ArrivingPose(moves, rows))
        object.__setattr__(self, "_rows", rows)

    @property
    def rows(self) -> int:
        return int(self.__dict__["_rows"])

    @property
    def absolute(self) -> Bools:
        moves = self.motion
        assert isinstance(moves, ArrivingPose)
        return moves.read[:, POSE] > 0.5

    def moved(self, agent: Pose) -> Pose:
        return ArrivingPose(self.after, self.rows)

    def replaced(self, chosen: Bools, new: Actions) -> Actions:
        """As `where_rows`, on the host."""
        return new.where(chosen, self)

    def taken(self, rows: Ints) -> ResidentActions:
        """The actions of these rows, where they are."""
        moves = self.motion
        assert isinstance(moves, ArrivingPose)
        return ResidentActions(_rows_of(moves.values, rows), _rows_of(self.after, rows), len(rows))


def _rows_of(values: Tensor, rows: Ints) -> Tensor:
    """Rows of values (room, ...) before any others, in as much room."""
    index = np.zeros(values.shape[0], np.int64)
    index[: len(rows)] = rows
    return _picked(values, Tensor(index, device=values.device))


@jit
def _picked(values: Tensor, index: Tensor) -> Tensor:
    return values[index]


@jit
def _exchanged(values: Tensor, given: Tensor) -> Tensor:
    """values (room, POSE) with given (room, POSE + 1) where the last of its numbers says so."""
    return where(given[:, POSE:] > 0.5, given[:, :POSE], values)


@jit
def eyes_of(agent: Tensor, mount: Tensor) -> Tensor:
    """(room, S, EYE) the sensors of agents (room, POSE), which are mounted at (S, EYE)."""
    frame = [agent[:, i].unsqueeze(-1) for i in range(POSE)]
    fixed = [mount[:, i].unsqueeze(0) for i in range(EYE)]

    def turned(first: int, step: int) -> list[Tensor]:
        """A vector of the mount, whose numbers are so far apart, in the world."""
        x, y, z = (fixed[first + step * i] for i in range(3))
        return [frame[3 + 3 * i] * x + frame[4 + 3 * i] * y + frame[5 + 3 * i] * z for i in range(3)]

    position = [at + way for at, way in zip(frame[:3], turned(0, 1), strict=True)]
    axes = [turned(3 + i, 3) for i in range(3)]
    rotation = [axes[column][row] for row in range(3) for column in range(3)]
    wide = fixed[12].expand(position[0].shape)
    return Tensor.stack([*position, *rotation, wide], -1)
