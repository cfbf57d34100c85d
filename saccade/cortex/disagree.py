"""Where two hypotheses differ most, for many rows at once, on the device that holds them.

Comes in: the hypotheses of a bank, the node table of a channel, and a request of K (row, object, rival)
triples. Goes out: per request the point of one model that is farthest from every point of the other when the
two best hypotheses lay them over each other, as `goals.HypothesisSource.disagreements` says. What the host
reads is `COLUMNS` numbers a request, whatever the number of hypotheses and nodes.

    found = Program(partial(disagree, GoalSettings(), layout, module))(state, table, request)

Rivals within one object are poses that put it differently: as in `goals.rival_pose`, which this follows step
by step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from typing import cast as static_cast

import numpy as np

from saccade.cortex.features import FeatureLayout
from saccade.cortex.geometry import Rotation, Vector, add, dot, rotate, rotate_back, subtract
from saccade.cortex.goals import GoalSettings
from saccade.cortex.hypotheses import Hypotheses
from saccade.cortex.ops import (
    cast,
    first_highest,
    highest,
    integers,
    lowest,
    maximum,
    minimum,
    pick,
    take,
    where,
)
from saccade.cortex.tables import NORMAL, POSITION, ROW, ChannelTable
from saccade.tensor import Tensor

INFINITY = float("inf")
#: columns of an answer: found, gap, point, normal, then location and rotation of the hypothesis of its model
COLUMNS = 2 + 3 + 3 + 3 + 9


def disagree(
    settings: GoalSettings,
    layout: FeatureLayout,
    module: int,
    state: Hypotheses,
    table: ChannelTable,
    request: Tensor,
) -> Tensor:
    """(K, COLUMNS) float64; request (K, 3) int64 of row, object number and rival's number."""
    row, top, rival = (request[:, i] for i in range(3))
    _, modules, objects, size = state.shape

    def begin(number: Tensor) -> Tensor:
        """Where the hypotheses of object `number` begin in the flat state."""
        return ((row * modules + module) * objects + number) * size

    count = state.counts.reshape(-1)
    there = integers(size, row)

    def evidence_of(number: Tensor) -> Tensor:
        """(K, H), -inf where there is no hypothesis."""
        known = there < take(count, begin(number) // size).unsqueeze(-1)
        listed = take(state.evidence.reshape(-1), begin(number).unsqueeze(-1) + cast(there, "int64"))
        return where(known, listed, -INFINITY)

    best = begin(top) + cast(first_highest(evidence_of(top)), "int64")
    first = pose_at(state, best)
    every = begin(rival).unsqueeze(-1) + cast(there, "int64")
    listed = evidence_of(rival)
    usable = (listed > -INFINITY) & ((rival != top).unsqueeze(-1) | _differs(state, every, first, settings))
    chosen = where(usable, listed, -INFINITY)
    second = pose_at(state, begin(rival) + cast(first_highest(chosen), "int64"))
    found = highest(chosen) > -INFINITY
    compare = Comparison(table, module, layout, settings.feature_gap)
    near = _farthest(compare, top, first, rival, second)
    far = _farthest(compare, rival, second, top, first)
    nearer = near[0] >= far[0]
    answers = [where(nearer, a, b) for a, b in zip(near, far, strict=True)]
    return Tensor.stack([cast(found, "float64"), *answers], -1)


def pose_at(state: Hypotheses, index: Tensor) -> tuple[Vector, Rotation]:
    """Location and rotation of the hypotheses at flat indices (...), in double precision."""

    def at(value: Tensor) -> Tensor:
        return cast(take(value.reshape(-1), index), "float64")

    location = tuple(at(part) for part in state.location)
    rotation = tuple(at(part) for part in state.rotation)
    return static_cast(Vector, location), static_cast(Rotation, rotation)


def _differs(
    state: Hypotheses, every: Tensor, best: tuple[Vector, Rotation], settings: GoalSettings
) -> Tensor:
    """(K, H) hypotheses that turn the object otherwise than the best (K,) does, or put it elsewhere."""
    location, rotation = pose_at(state, every)
    own = [part.unsqueeze(-1) for part in (*best[0], *best[1])]
    cosine = sum((a * b for a, b in zip(rotation[1:], own[4:])), rotation[0] * own[3])
    origin = rotate_back(rotation, location)
    own_location, own_rotation = static_cast(Vector, tuple(own[:3])), static_cast(Rotation, tuple(own[3:]))
    apart = subtract(origin, rotate_back(own_rotation, own_location))
    turned = (cosine - 1.0) * 0.5 < float(np.cos(settings.pose_difference))
    return turned | (dot(apart, apart) > settings.location_difference**2)


class Comparison(NamedTuple):
    """What models are compared by."""

    table: ChannelTable
    module: int
    layout: FeatureLayout
    feature_gap: float


def _farthest(
    compare: Comparison,
    number: Tensor,
    own: tuple[Vector, Rotation],
    other: Tensor,
    foreign: tuple[Vector, Rotation],
) -> list[Tensor]:
    """Of a model's points the one farthest from all of the other model's: gap, point, normal, own pose."""
    table, module = compare.table, compare.module
    objects, nodes = table.counts.shape[1], table.features.shape[2]
    place, count = integers(nodes, number), table.counts.reshape(-1)

    def rows(which: Tensor) -> tuple[Tensor, Tensor]:
        """(K, N) where the nodes of an object begin in the flat table, and which of them exist."""
        model = which + module * objects
        at = (model.unsqueeze(-1) * nodes + cast(place, "int64")) * ROW
        return at, place < take(count, model).unsqueeze(-1)

    def columns(at: Tensor, column: int) -> Vector:
        parts = tuple(take(table.nodes, at + (column + i)).contiguous() for i in range(3))
        return static_cast(Vector, parts)

    mine, exist = rows(number)
    theirs, their_exist = rows(other)
    points, others = columns(mine, POSITION), columns(theirs, POSITION)
    moved = _carried(points, own, foreign)
    away = subtract(_spread(moved, -1), _spread(others, -2))
    squared = dot(away, away)
    if compare.feature_gap > 0:
        alike = _alike(compare, mine // ROW, theirs // ROW)
        squared = where(alike, squared, maximum(squared, compare.feature_gap**2))
    squared = where(their_exist.unsqueeze(-2), squared, INFINITY)
    gaps = where(exist, lowest(squared), -INFINITY)
    index = first_highest(gaps)
    at = pick(mine, cast(index, "int64"))
    point = [cast(take(table.nodes, at + (POSITION + i)), "float64") for i in range(3)]
    normal = [cast(take(table.nodes, at + (NORMAL + i)), "float64") for i in range(3)]
    gap = cast(maximum(highest(gaps), 0.0), "float64").sqrt()
    return [gap, *point, *normal, *own[0], *own[1]]


def _alike(compare: Comparison, mine: Tensor, theirs: Tensor) -> Tensor:
    """(K, N, N) whether nodes (K, N) of one model and of another have the same features."""
    flat, width = compare.table.features.reshape(-1), compare.table.features.shape[3]
    alike: Tensor | None = None
    for column, tolerance in enumerate(compare.layout.tolerances):
        own = take(flat, mine * width + column).contiguous().unsqueeze(-1)
        other = take(flat, theirs * width + column).contiguous().unsqueeze(-2)
        away = (own - other).abs()
        if column in compare.layout.hue_columns:
            away = minimum(away, (1.0 - away).abs())
        near = away <= tolerance
        alike = near if alike is None else alike & near
    assert alike is not None
    return alike


def _carried(points: Vector, own: tuple[Vector, Rotation], foreign: tuple[Vector, Rotation]) -> Vector:
    """Points (K, N) of one model in the frame of the other: R' R^T (x - L) + L'."""
    (location, rotation), (other_location, other_rotation) = own, foreign
    mine, theirs = _rows_of(rotation), _rows_of(other_rotation)
    turn = [dot(theirs[i], mine[j]) for i in range(3) for j in range(3)]

    def small(parts: Sequence[Tensor]) -> list[Tensor]:
        return [cast(part, points[0]).unsqueeze(-1) for part in parts]

    offset = subtract(points, static_cast(Vector, tuple(small(location))))
    turned = rotate(static_cast(Rotation, tuple(small(turn))), offset)
    moved = add(turned, static_cast(Vector, tuple(small(other_location))))
    return static_cast(Vector, tuple(part.contiguous() for part in moved))


def _rows_of(rotation: Rotation) -> tuple[Vector, Vector, Vector]:
    return rotation[0:3], rotation[3:6], rotation[6:9]


def _spread(vector: Vector, axis: int) -> Vector:
    return static_cast(Vector, tuple(part.unsqueeze(axis) for part in vector))
