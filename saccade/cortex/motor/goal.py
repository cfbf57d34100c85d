"""Acting on goals: go where a learning module wants to look, and come back if nothing is there.

Wraps any policy. In a row with a goal the agent takes up the goal's view (jump: the sensor is put in front of
the goal's surface point, facing it; look: the agent only turns until the point is in the middle of the
patch). In all other rows the wrapped policy acts. If a jump ends with nothing in view, the next step returns
to where it began.

    policy = GoalDriven(SurfaceFollow(), kind="jump", distance=0.045)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal

import numpy as np

from saccade.cortex.motor.policy import (
    Flags,
    MotorInput,
    Policy,
    PolicyState,
    face_surface,
    look_at,
    orthonormal,
)
from saccade.cortex.row_random import RowKey
from saccade.cortex.rows import where_rows
from saccade.world.protocol import Actions, Pose


@dataclass(frozen=True)
class GoalState(Generic[PolicyState]):
    """base: the wrapped policy's state. jumped (R,): the last action served a goal. origin (R,): agent pose
    before it.
    """

    base: PolicyState
    jumped: Flags
    origin: Pose


@dataclass(frozen=True)
class GoalDriven(Generic[PolicyState]):
    """base: what to do without a goal. kind: "jump" or "look". distance: metres between sensor and goal point
    after a jump (as many as models were felt from: a patch that sees more has other normals at edges. A goal
    so imprecise that the agent ends inside the object feels nothing, and the agent returns).
    """

    base: Policy[PolicyState]
    kind: Literal["jump", "look"] = "jump"
    distance: float = 0.045
    guide: int = 0

    def start(self, rows: int) -> GoalState[PolicyState]:
        """No goal served yet."""
        return GoalState(self.base.start(rows), np.zeros(rows, bool), Pose.identity(rows))

    def interrupt(self, state: GoalState[PolicyState], rows: Flags) -> GoalState[PolicyState]:
        """A jump cannot be taken back once somebody else moved the agent."""
        return GoalState(self.base.interrupt(state.base, rows), state.jumped & ~rows, state.origin)

    def act(
        self, state: GoalState[PolicyState], seen: MotorInput, key: RowKey
    ) -> tuple[Actions, GoalState[PolicyState]]:
        """Return from a failed jump, else serve a goal, else do as the wrapped policy does."""
        missed = state.jumped & (seen.felt.coverage[:, self.guide] == 0)
        wanted = np.zeros(seen.rows, bool) if seen.goal is None else seen.goal.active
        serve = wanted & ~missed
        actions, base = self.base.act(state.base, seen, key)
        held = serve | missed
        base = self.base.interrupt(where_rows(~held, base, state.base), held)
        actions = Actions.jump(state.origin).where(missed, actions)
        if seen.goal is not None:
            actions = self._serve(seen).where(serve, actions)
        return actions, GoalState(base, serve, seen.agent.where(serve, state.origin))

    def _serve(self, seen: MotorInput) -> Actions:
        assert seen.goal is not None
        if self.kind == "look":
            return look_at_goal(seen, self.guide)
        return jump_to_goal(seen, self.guide, self.distance)


def jump_to_goal(seen: MotorInput, guide: int, distance: float) -> Actions:
    """Absolute actions that put sensor `guide` in front of each row's goal point, facing along minus its
    normal.
    """
    if seen.goal is None:
        raise ValueError("jump_to_goal needs a MotorInput with a goal")
    target = face_surface(seen, guide, seen.goal.location, seen.goal.normal, distance)
    mount = seen.agent.inverse() @ seen.sensor_pose(guide)
    there = target @ mount.inverse()
    return Actions.jump(Pose(there.position, orthonormal(there.rotation)))


def look_at_goal(seen: MotorInput, guide: int) -> Actions:
    """Relative turns after which sensor `guide` has each row's goal point in the middle of its patch."""
    if seen.goal is None:
        raise ValueError("look_at_goal needs a MotorInput with a goal")
    return Actions.relative(rotation=look_at(seen, guide, seen.goal.location))
