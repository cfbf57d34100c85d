"""Acting on goals as a tensor program; see `motor.goal`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from saccade.cortex.columns import Columns
from saccade.cortex.motor import GoalDriven
from saccade.cortex.motor_programs.moves import jump, jump_to, look_at, turn_by
from saccade.cortex.motor_programs.sight import Move, Sight
from saccade.cortex.vectors import Frame, choose
from saccade.tensor import Tensor


class Served(NamedTuple):
    """As `motor.GoalState`."""

    base: Any
    jumped: Tensor
    origin: Frame


@dataclass(frozen=True)
class GoalProgram:
    """base: the program of the wrapped policy."""

    policy: GoalDriven[Any]
    base: Any

    def state(self, columns: Columns) -> Served:
        return Served(self.base.state(columns), columns.flag(), columns.frame())

    def interrupt(self, state: Served, rows: Tensor) -> Served:
        return state._replace(base=self.base.interrupt(state.base, rows), jumped=state.jumped & ~rows)

    def act(self, state: Served, seen: Sight) -> tuple[Move, Served]:
        guide = self.policy.guide
        missed = state.jumped & (seen.feels(guide).coverage == 0.0)
        serve = seen.goal.active & ~missed
        move, base = self.base.act(state.base, seen)
        held = serve | missed
        base = self.base.interrupt(choose(held, state.base, base), held)
        move = choose(missed, jump(state.origin), move)
        move = choose(serve, self._serve(seen), move)
        return move, Served(base, serve, choose(serve, seen.agent, state.origin))

    def _serve(self, seen: Sight) -> Move:
        policy, goal = self.policy, seen.goal
        if policy.kind == "look":
            return turn_by(look_at(seen, policy.guide, goal.location))
        return jump_to(seen, policy.guide, goal.location, goal.normal, policy.distance)
