"""Goals: where a learning module would like to look next, because its two best hypotheses disagree there.

Comes in, once a step and module: what the module believes about every row (`Standing`), and on demand the
hypotheses and model points of a few rows (`HypothesisSource`). Goes out: a `GoalBatch`, at most one goal per
row, as a surface point and normal in the body frame.

The two best hypotheses are either the best of the two best objects, or two poses of the best object once its
identity is nearly settled. Where they differ most is found in `goal_program`; when to ask, and what became of
it, is kept here. A place that turns out to be empty is remembered: hypotheses that put a surface there are
not asked again, so that the next goal tests another one.

    goals, memory = propose(memory, standing, source, GoalSettings(), key)
    goal = select_goals([goals_of_module_0, goals_of_module_1])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.goals.goal_places import HypothesisSource
from saccade.cortex.goals.questions import GoalSettings as GoalSettings
from saccade.cortex.goals.questions import Questions, cosine_between
from saccade.cortex.row_random import RowKey, Stream, uniform
from saccade.reproducible import cosine_of, dot, norm, total

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

# Empty places that are remembered.
EMPTY_PLACES = 16


@dataclass(frozen=True)
class GoalBatch:
    """One goal per row or none: location (R, 3) on the surface, normal (R, 3) unit, confidence (R,) in 0..1,
    active (R,), sender (R,) number of the module that wants it, -1 where none does."""

    location: Floats
    normal: Floats
    confidence: Floats
    active: Flags
    sender: Ints

    @property
    def columns(self) -> Floats:
        """(R, GOAL) as `asking_program` has them."""
        parts = self.location, self.normal, self.active, self.confidence, self.sender
        return np.column_stack(parts).astype(np.float64)

    @staticmethod
    def none(rows: int) -> GoalBatch:
        """No goals."""
        up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), (rows, 3)).copy()
        return GoalBatch(np.zeros((rows, 3)), up, np.zeros(rows), np.zeros(rows, bool), np.full(rows, -1))


@dataclass(frozen=True)
class Standing:
    """What one module believes about every row after a step; O objects in memory order.

    per_object (R, O): best evidence of each object, -inf without hypotheses. best_object (R,): number of the
    best. best_rotation (R, 3, 3): of the best hypothesis, body to object. counts (R, O): hypotheses of each
    object. sensed (R, 3): the body-frame location the hypotheses' locations stand for. ready (R,): the module
    processed an input on this step. confidence (R,) in 0..1. aimed: the module's own sensor is the one that
    is brought before a goal, so that it can tell whether something is there.
    """

    per_object: Floats
    best_object: Ints
    best_rotation: Floats
    counts: Ints
    sensed: Floats
    ready: Flags
    confidence: Floats
    aimed: bool = True


@dataclass(frozen=True)
class GoalMemory:
    """since (R,) steps since the last goal; wait (R,) the grown waiting factor; top, second (R,) object
    numbers of the last goal, -1 before; rotation (R, 3, 3) of its best hypothesis; target (R, 3) where it
    was and facing (R, 3) its normal; open (R,) whether it is still to be checked; tried, reached (R,) goals
    made and reached so far; of_pose (R,) whether it was to settle a pose; empty (R, E, 3) the last places
    found without a surface, vain (R,) how many; unsettled (R,) whether the last test of a pose met nothing,
    so that another one is due.
    """

    since: Ints
    wait: Ints
    top: Ints
    second: Ints
    rotation: Floats
    target: Floats
    facing: Floats
    open: Flags
    tried: Ints
    reached: Ints
    of_pose: Flags
    empty: Floats
    vain: Ints
    unsettled: Flags

    @staticmethod
    def start(rows: int) -> GoalMemory:
        """No goal yet; also what reset rows get."""
        zero = np.zeros(rows, np.int64)
        eye = np.broadcast_to(np.eye(3), (rows, 3, 3)).copy()
        none = np.full(rows, -1, np.int64)
        return GoalMemory(
            zero,
            np.ones(rows, np.int64),
            none,
            none,
            eye,
            np.zeros((rows, 3)),
            np.zeros((rows, 3)),
            np.zeros(rows, bool),
            zero,
            zero,
            np.zeros(rows, bool),
            np.zeros((rows, EMPTY_PLACES, 3)),
            zero,
            np.zeros(rows, bool),
        )


@dataclass(frozen=True)
class HostGoals:
    """memories: goal memory of each module. downward: the goals of each, on their way to the level below."""

    memories: tuple[GoalMemory, ...]
    downward: tuple[GoalBatch, ...]

    @staticmethod
    def start(rows: int, modules: int) -> HostGoals:
        """No goal yet."""
        number = range(modules)
        return HostGoals(
            tuple(GoalMemory.start(rows) for _ in number), tuple(GoalBatch.none(rows) for _ in number)
        )

    @property
    def unsettled(self) -> Flags:
        """(R,) whether some module's last test of a pose met nothing."""
        return np.asarray(np.any([memory.unsettled for memory in self.memories], axis=0))


def propose(
    memory: GoalMemory,
    standing: Standing,
    source: HypothesisSource,
    settings: GoalSettings,
    key: RowKey,
    module: int = 0,
) -> tuple[GoalBatch, GoalMemory]:
    """The goals of one module, and its memory after making them."""
    rows = len(standing.ready)
    top, second = top_two(standing.per_object, standing.best_object)
    memory, reached_now = _check_reached(memory, standing, settings)
    wanted, focus_pose, waited = _wants(memory, standing, top, second, settings, key)
    wanted &= ~reached_now
    goals = GoalBatch.none(rows)
    made = np.zeros(rows, bool)
    asked = np.flatnonzero(wanted)
    if len(asked):
        rivals = np.where(focus_pose, top, second)[asked]
        vain = np.minimum(memory.vain[asked], EMPTY_PLACES)
        questions = Questions(asked, top[asked], rivals, standing.sensed[asked], memory.empty[asked], vain)
        places = source.telling_places(questions, settings)
        made[asked] = places.found
        goals.location[made], goals.normal[made] = places.location[places.found], places.normal[places.found]
    goals = GoalBatch(
        goals.location,
        goals.normal,
        np.where(made, np.clip(standing.confidence, 0.0, 1.0), 0.0),
        made,
        np.where(made, module, -1),
    )
    kept = made[:, None]
    return goals, replace(
        memory,
        since=np.where(made, 0, memory.since + standing.ready),
        wait=np.where(made & waited, memory.wait * settings.wait_growth, memory.wait),
        top=np.where(made, top, memory.top),
        second=np.where(made, second, memory.second),
        rotation=np.where(kept[..., None], standing.best_rotation, memory.rotation),
        target=np.where(kept, goals.location, memory.target),
        facing=np.where(kept, goals.normal, memory.facing),
        open=made,
        of_pose=np.where(made, focus_pose, memory.of_pose),
        # nothing is left to tell apart
        unsettled=memory.unsettled & ~(wanted & focus_pose & ~made),
        tried=memory.tried + made,
    )


def _check_reached(
    memory: GoalMemory, standing: Standing, settings: GoalSettings
) -> tuple[GoalMemory, Flags]:
    """A goal is reached if the very next input comes from within the tolerance; goals are tried once.

    If there is no input, or one from behind, nothing is where the goal was. Then the next test of the pose
    need not wait: it will be another one. After as many as can be remembered, patience is over.
    """
    away = standing.sensed - memory.target
    now = memory.open & standing.ready & (norm(away) <= settings.tolerance)
    behind = dot(away, memory.facing) < -settings.tolerance
    vain = memory.open & standing.aimed & (~standing.ready | behind)
    again = vain & memory.of_pose & (memory.vain < EMPTY_PLACES)
    place = np.arange(EMPTY_PLACES) == (memory.vain % EMPTY_PLACES)[:, None]
    return replace(
        memory,
        reached=memory.reached + now,
        since=np.where(again, settings.min_steps + 1, memory.since),
        empty=np.where((place & vain[:, None])[..., None], memory.target[:, None], memory.empty),
        vain=memory.vain + vain,
        unsettled=np.where(now | (vain & ~again), False, memory.unsettled | again),
    ), now


def _wants(
    memory: GoalMemory, standing: Standing, top: Ints, second: Ints, settings: GoalSettings, key: RowKey
) -> tuple[Flags, Flags, Flags]:
    """Which rows want a goal, which of them to settle the pose, and which only because of waiting long
    enough.
    """
    rows = np.arange(len(top))
    may = standing.ready & (memory.since > settings.min_steps) & (top >= 0)
    several = (top >= 0) & (standing.counts[rows, np.maximum(top, 0)] > 1)
    possible = possible_matches(standing.per_object, settings.x_percent)
    focused = possible_matches(standing.per_object, settings.x_percent, settings.pose_focus_scale)
    settled, nearly = (np.count_nonzero(each, axis=1) == 1 for each in (possible, focused))
    coin = uniform(key, Stream.GOAL) <= 0.5
    focus_pose = (second < 0) | settled | (nearly & coin)
    tested_before = memory.top >= 0
    changed = tested_before & ((top != memory.top) | (second != memory.second))
    cosine = cosine_between(standing.best_rotation, memory.rotation)
    turned = tested_before & (cosine < cosine_of(settings.new_rotation))
    waited = memory.since % (memory.wait * settings.elapsed_steps) == 0
    wanted = may & np.where(focus_pose, several, changed | turned | waited)
    return wanted, focus_pose, wanted & ~focus_pose & ~changed & ~turned


def possible_matches(per_object: Floats, x_percent: float, scale: float = 1.0) -> Flags:
    """(R, O) objects whose best evidence is near the top; all that have hypotheses where they are too alike
    to tell.
    """
    there = np.isfinite(per_object)
    number = np.maximum(np.count_nonzero(there, axis=1), 1)
    finite = np.where(there, per_object, 0.0)
    mean = total(finite) / number
    deviation = np.sqrt(total(np.square(np.where(there, finite - mean[:, None], 0.0))) / number)
    top = np.where(there.any(axis=1), np.where(there, per_object, -np.inf).max(axis=1), 0.0)
    cut = np.where(top > 0, top - top / 100.0 * x_percent * scale, 0.0)
    clear = (deviation > 0.1) | (top < 0)
    single = np.count_nonzero(there, axis=1) == 1
    above = np.where(clear[:, None], per_object > cut[:, None], ~single[:, None] | (per_object >= 0))
    return np.asarray(there & above)


def top_two(per_object: Floats, best_object: Ints) -> tuple[Ints, Ints]:
    """Numbers (R,) of the best object and of the runner-up; -1 where there is none."""
    rows = np.arange(len(best_object))
    there = np.isfinite(per_object)
    top = np.where(there.any(axis=1), best_object, -1)
    rest = np.where(there, per_object, -np.inf)
    rest[rows, np.maximum(top, 0)] = -np.inf
    if rest.shape[1] == 0:
        return top, top
    # Among equals the last in memory order, as an ascending sort leaves it.
    second = rest.shape[1] - 1 - np.argmax(rest[:, ::-1], axis=1)
    return top, np.where(np.isfinite(rest.max(axis=1)), second, -1)


def select_goals(goals: Sequence[GoalBatch]) -> GoalBatch:
    """Among the goals of all modules the most confident one of each row; among equals that of the first
    module.
    """
    if not goals:
        raise ValueError("select_goals needs the goals of at least one module")
    rank = np.stack([np.where(batch.active, batch.confidence, -1.0) for batch in goals])
    chosen = rank.argmax(axis=0)
    rows = np.arange(rank.shape[1])

    def pick(values: Sequence[NDArray[Any]]) -> Any:
        return np.stack(values)[chosen, rows]

    return GoalBatch(
        location=pick([batch.location for batch in goals]),
        normal=pick([batch.normal for batch in goals]),
        confidence=pick([batch.confidence for batch in goals]),
        active=pick([batch.active for batch in goals]),
        sender=pick([batch.sender for batch in goals]),
    )
