"""Goals: where a learning module would like to look next, because its two best hypotheses disagree there.

Comes in, once a step and module: what the module believes about every row (`Standing`), and on demand the
hypotheses and model points of a few rows (`HypothesisSource`). Goes out: a `GoalBatch`, at most one goal per
row, as a surface point and normal in the body frame.

The two best hypotheses are either the best of the two best objects, or two poses of the best object once its
identity is nearly settled. A hypothesis (location L, rotation R) puts a model point x at the body-frame place
`sensed + R^T (x - L)`, so two hypotheses lay two models over each other; the goal is the point of one that is
farthest from every point of the other. Both directions are tried: a mug differs from a cup at its handle even
when the cup is the better hypothesis, and no point of the cup could tell.

    goals, memory = propose(memory, standing, source, GoalSettings(), key)
    goal = select_goals([goals_of_module_0, goals_of_module_1])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.row_random import RowKey, Stream, uniform

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class GoalBatch:
    """One goal per row or none: location (R, 3) on the surface, normal (R, 3) unit, confidence (R,) in 0..1,
    active (R,), sender (R,) number of the module that wants it, -1 where none does."""

    location: Floats
    normal: Floats
    confidence: Floats
    active: Flags
    sender: Ints

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
    processed an input on this step. confidence (R,) in 0..1.
    """

    per_object: Floats
    best_object: Ints
    best_rotation: Floats
    counts: Ints
    sensed: Floats
    ready: Flags
    confidence: Floats


@dataclass(frozen=True)
class GoalSettings:
    """min_steps: steps that must pass between goals. elapsed_steps: after so many a goal is made without
    other cause; the wait is multiplied by `wait_growth` each time. x_percent and pose_focus_scale: how clear
    the best object must be to test its pose instead of its identity. tolerance: metres from the goal that
    count as reached. new_rotation: radians by which the best rotation must have changed to test again;
    pose_difference: radians and
    location_difference: metres by which a pose must differ from
    the best to be its rival. min_gap: metres; models that agree this well everywhere are not worth a goal.
    feature_gap: metres that points with other features count as apart at least; 0 compares places alone.
    """

    min_steps: int = 10
    elapsed_steps: int = 10
    wait_growth: int = 2
    x_percent: float = 20.0
    pose_focus_scale: float = 0.75
    tolerance: float = 0.015
    new_rotation: float = float(np.radians(5.0))
    pose_difference: float = float(np.radians(20.0))
    location_difference: float = 0.02
    min_gap: float = 0.005
    feature_gap: float = 0.0


@dataclass(frozen=True)
class Disagreements:
    """Where two hypotheses differ most, for W requests: found (W,) whether there are two; gap (W,) metres;
    point (W, 3) and normal (W, 3) of one of their models; location (W, 3) and rotation (W, 3, 3) of the
    hypothesis that this model belongs to.
    """

    found: Flags
    gap: Floats
    point: Floats
    normal: Floats
    location: Floats
    rotation: Floats


class HypothesisSource(Protocol):
    """Read on demand, for the few rows that make a goal."""

    def hypotheses(self, row: int, number: int) -> tuple[Floats, Floats, Floats]:
        """Evidence (H,), locations (H, 3) and rotations (H, 3, 3) of object `number` in one row."""
        ...

    def points(self, number: int) -> tuple[Floats, Floats]:
        """Positions (N, 3) and unit normals (N, 3) of the model of object `number`."""
        ...

    def features(self, number: int) -> Floats:
        """(N, F) features of those points in units of their tolerances; the first is circular, with a period
        of `hue_period` of those units. Asked for only where `feature_gap` is set."""
        ...

    def hue_period(self) -> float:
        """Infinite where the first feature is no hue."""
        ...

    def disagreements(self, rows: Ints, top: Ints, rival: Ints, settings: GoalSettings) -> Disagreements:
        """For requests (W,) of a row, its best object and the rival's number: where the best hypothesis of
        the one and that of the other differ most; where both are one object, its best pose and the best that
        puts it differently.

        One after the other; a source whose hypotheses are on a device asks for all of them at once.
        """
        count = len(rows)
        answer = Disagreements(
            np.zeros(count, bool),
            np.zeros(count),
            np.zeros((count, 3)),
            np.zeros((count, 3)),
            np.zeros((count, 3)),
            np.zeros((count, 3, 3)),
        )
        for i, (row, best, other) in enumerate(zip(rows.tolist(), top.tolist(), rival.tolist())):
            answer.found[i] = _disagreement_of_row(self, row, best, other, settings, answer, i)
        return answer


@dataclass(frozen=True)
class GoalMemory:
    """since (R,) steps since the last goal; wait (R,) the grown waiting factor; top, second (R,) object
    numbers of the last goal, -1 before; rotation (R, 3, 3) of its best hypothesis; target (R, 3) where it
    was; open (R,) whether it is still to be checked; tried, reached (R,) goals made and reached so far.
    """

    since: Ints
    wait: Ints
    top: Ints
    second: Ints
    rotation: Floats
    target: Floats
    open: Flags
    tried: Ints
    reached: Ints

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
            np.zeros(rows, bool),
            zero,
            zero,
        )


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
        found = source.disagreements(asked, top[asked], rivals, settings)
        worth = found.found & (found.gap > settings.min_gap)
        offset = np.einsum("wji,wj->wi", found.rotation, found.point - found.location)
        facing = np.einsum("wji,wj->wi", found.rotation, found.normal)
        length = np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-12)
        at = asked[worth]
        made[at] = True
        goals.location[at] = (standing.sensed[asked] + offset)[worth]
        goals.normal[at] = (facing / length)[worth]
    goals = GoalBatch(
        goals.location,
        goals.normal,
        np.where(made, np.clip(standing.confidence, 0.0, 1.0), 0.0),
        made,
        np.where(made, module, -1),
    )
    kept = made[:, None]
    return goals, GoalMemory(
        since=np.where(made, 0, memory.since + standing.ready),
        wait=np.where(made & waited, memory.wait * settings.wait_growth, memory.wait),
        top=np.where(made, top, memory.top),
        second=np.where(made, second, memory.second),
        rotation=np.where(kept[..., None], standing.best_rotation, memory.rotation),
        target=np.where(kept, goals.location, memory.target),
        open=made,
        tried=memory.tried + made,
        reached=memory.reached,
    )


def _check_reached(
    memory: GoalMemory, standing: Standing, settings: GoalSettings
) -> tuple[GoalMemory, Flags]:
    """A goal is reached if the very next input comes from within the tolerance; goals are tried once."""
    near = np.linalg.norm(standing.sensed - memory.target, axis=1) <= settings.tolerance
    now = memory.open & standing.ready & near
    return replace(memory, reached=memory.reached + now), now


def _wants(
    memory: GoalMemory, standing: Standing, top: Ints, second: Ints, settings: GoalSettings, key: RowKey
) -> tuple[Flags, Flags, Flags]:
    """Which rows want a goal, which of them to settle the pose, and which only because of waiting long
    enough.
    """
    rows = np.arange(len(top))
    may = standing.ready & (memory.since > settings.min_steps) & (top >= 0)
    several = (top >= 0) & (standing.counts[rows, np.maximum(top, 0)] > 1)
    settled = possible_matches(standing.per_object, settings.x_percent).sum(axis=1) == 1
    nearly = (
        possible_matches(standing.per_object, settings.x_percent, settings.pose_focus_scale).sum(axis=1) == 1
    )
    coin = uniform(key, Stream.GOAL) <= 0.5
    focus_pose = (second < 0) | settled | (nearly & coin)
    tested_before = memory.top >= 0
    changed = tested_before & ((top != memory.top) | (second != memory.second))
    cosine = (np.einsum("rij,rij->r", standing.best_rotation, memory.rotation) - 1) / 2
    turned = tested_before & (cosine < np.cos(settings.new_rotation))
    waited = memory.since % (memory.wait * settings.elapsed_steps) == 0
    wanted = may & np.where(focus_pose, several, changed | turned | waited)
    return wanted, focus_pose, wanted & ~focus_pose & ~changed & ~turned


def possible_matches(per_object: Floats, x_percent: float, scale: float = 1.0) -> Flags:
    """(R, O) objects whose best evidence is near the top; all that have hypotheses where they are too alike
    to tell.
    """
    there = np.isfinite(per_object)
    number = np.maximum(there.sum(axis=1), 1)
    finite = np.where(there, per_object, 0.0)
    mean = finite.sum(axis=1) / number
    deviation = np.sqrt((np.where(there, finite - mean[:, None], 0.0) ** 2).sum(axis=1) / number)
    top = np.where(there.any(axis=1), np.where(there, per_object, -np.inf).max(axis=1), 0.0)
    cut = np.where(top > 0, top - top / 100.0 * x_percent * scale, 0.0)
    clear = (deviation > 0.1) | (top < 0)
    single = there.sum(axis=1) == 1
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


def _disagreement_of_row(
    source: HypothesisSource,
    row: int,
    top: int,
    rival: int,
    settings: GoalSettings,
    answer: Disagreements,
    place: int,
) -> bool:
    """Write one answer at its place; False without a rival."""
    evidence, locations, rotations = source.hypotheses(row, top)
    best = int(np.argmax(evidence))
    first = (locations[best], rotations[best])
    if rival == top:
        other = rival_pose(evidence, locations, rotations, settings)
        if other is None:
            return False
        second = (locations[other], rotations[other])
    else:
        evidence, locations, rotations = source.hypotheses(row, rival)
        best = int(np.argmax(evidence))
        second = (locations[best], rotations[best])
    candidates = []
    for (model, own), (other_model, foreign) in (
        ((top, first), (rival, second)),
        ((rival, second), (top, first)),
    ):
        positions, normals = source.points(model)
        other_positions = source.points(other_model)[0]
        alike = None
        if settings.feature_gap > 0:
            alike = _alike(source.features(model), source.features(other_model), source.hue_period())
        index, gap = most_different_point(
            positions, own, other_positions, foreign, alike, settings.feature_gap
        )
        candidates.append((gap, positions[index], normals[index], own))
    gap, position, normal, (location, rotation) = max(candidates, key=lambda candidate: candidate[0])
    answer.gap[place], answer.point[place], answer.normal[place] = gap, position, normal
    answer.location[place], answer.rotation[place] = location, rotation
    return True


def rival_pose(evidence: Floats, locations: Floats, rotations: Floats, settings: GoalSettings) -> int | None:
    """The best hypothesis (H,) that puts the object differently than the best one does; None if all agree.

    The next best number as such would nearly always be the same pose from a neighbouring node. Two hypotheses
    agree if their rotations do and they put the object's origin, -R^T L from the sensor, in one place.
    """
    best = int(np.argmax(evidence))
    cosine = (np.einsum("hij,ij->h", rotations, rotations[best]) - 1) / 2
    origins = -np.einsum("hji,hj->hi", rotations, locations)
    apart = np.linalg.norm(origins - origins[best], axis=1) > settings.location_difference
    differs = (cosine < np.cos(settings.pose_difference)) | apart
    if not differs.any():
        return None
    return int(np.argmax(np.where(differs, evidence, -np.inf)))


def _alike(features: Floats, other: Floats, hue_period: float) -> Flags:
    """(N, M) whether points have the same features, each within its tolerance."""
    away = np.abs(features[:, None] - other[None])
    away[..., 0] = np.minimum(away[..., 0], np.abs(hue_period - away[..., 0]))
    return np.asarray((away <= 1.0).all(axis=-1))


def most_different_point(
    positions: Floats,
    own: tuple[Floats, Floats],
    other: Floats,
    foreign: tuple[Floats, Floats],
    alike: Flags | None = None,
    feature_gap: float = 0.0,
) -> tuple[int, float]:
    """The point of one model (N, 3) farthest from every point of the other (M, 3), and that distance.

    own and foreign are (location (3,), rotation (3, 3)) of the hypotheses that lay the models over each
    other. Points that are not alike (N, M) are at least `feature_gap` apart.
    """
    (location, rotation), (other_location, other_rotation) = own, foreign
    moved = (positions - location) @ (other_rotation @ rotation.T).T + other_location
    gaps = nearest_distance(moved, np.asarray(other, np.float64))
    if alike is not None and len(other):
        apart = np.linalg.norm(moved[:, None] - other[None], axis=-1)
        gaps = np.where(alike, apart, np.maximum(apart, feature_gap)).min(axis=1)
    index = int(np.argmax(gaps))
    return index, float(gaps[index])


def nearest_distance(points: Floats, others: Floats, chunk: int = 512) -> Floats:
    """(N,) distance from each point (N, 3) to the nearest of others (M, 3)."""
    if not len(others):
        return np.full(len(points), np.inf)
    squares = (others**2).sum(axis=1)
    out = np.empty(len(points))
    for start in range(0, len(points), chunk):
        part = points[start : start + chunk]
        gaps = (part**2).sum(axis=1)[:, None] + squares - 2 * part @ others.T
        out[start : start + chunk] = np.sqrt(np.maximum(gaps.min(axis=1), 0.0))
    return out


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
