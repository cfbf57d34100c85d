"""Where two hypotheses differ most, for many rows at once, on the device that holds them.

Comes in: the hypotheses of a bank, the node table of a channel, and K questions (`goal_places.Questions`) as
one array. Goes out: per question the place whose look tells the two hypotheses apart, as
`goal_places.telling_place` finds it for one row, which this follows step by step. What the host reads is
`COLUMNS` numbers a question, whatever the number of hypotheses and nodes.

    answers = Program(partial(disagree, GoalSettings(), layout))(state, table, asked)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from typing import cast as static_cast

import numpy as np
import numpy.typing as npt

from saccade.cortex.features import FeatureLayout
from saccade.cortex.geometry import Rotation, Vector, add, dot, rotate, rotate_back, subtract
from saccade.cortex.goals.goal_places import CONSIDERED, TRIED, GoalSettings, Places, Questions
from saccade.cortex.hypotheses.hypotheses import Hypotheses
from saccade.cortex.hypotheses.tables import NORMAL, POSITION, ROW, ChannelTable
from saccade.cortex.ops import cast, first_highest, highest, integers, lowest, maximum, pick, take, where
from saccade.reproducible import cosine_of, unit
from saccade.tensor import Tensor

INFINITY = float("inf")
#: columns of an answer: found, gap, place, normal
COLUMNS = 2 + 3 + 3
#: columns of a question before its empty places: hypotheses of the object and of its rival, their models,
#: number of empty places, sensed
FIXED = 8


def pack(
    questions: Questions, module: int, modules: int, objects: int, models: int
) -> npt.NDArray[np.float64]:
    """(W, FIXED + 3 E), one array for one transfer. Whose hypotheses they are is one number for all rows,
    modules and objects, and so is a model, of so many of each module: one program answers all, and reads in
    bounds whatever it is asked."""
    asking = (questions.rows * modules + module) * objects
    known = module * models
    numbers = np.stack(
        [
            asking + questions.top,
            asking + questions.rival,
            known + questions.top,
            known + questions.rival,
            questions.vain,
        ],
        axis=1,
    )
    empty = questions.empty.reshape(len(numbers), -1)
    return np.concatenate([numbers.astype(np.float64), questions.sensed, empty], axis=1)


def unpack(answers: npt.NDArray[np.float64], settings: GoalSettings) -> Places:
    """What the device found, where it is worth a look."""
    found = (answers[:, 0] > 0) & (answers[:, 1] > settings.min_gap)
    return Places(found, answers[:, 2:5], unit(answers[:, 5:8], least=1e-12))


class Poses(NamedTuple):
    """The best hypotheses of one object in each row: evidence (K, C), -inf where there is none, and poses."""

    evidence: Tensor
    location: Vector
    rotation: Rotation

    def at(self, index: Tensor) -> tuple[Vector, Rotation]:
        """One of them in each row, index (K,)."""
        number = cast(index, "int64")
        location = tuple(pick(part, number) for part in self.location)
        rotation = tuple(pick(part, number) for part in self.rotation)
        return static_cast(Vector, location), static_cast(Rotation, rotation)


class Models(NamedTuple):
    """The nodes of all modules' objects in one channel, numbered through, and what they are compared by."""

    table: ChannelTable
    layout: FeatureLayout

    def number(self, asked: Tensor) -> Tensor:
        """(K,) clipped, so that whatever is asked for, nothing outside is read."""
        modules, objects = self.table.counts.shape
        return asked.clip(0, modules * objects - 1)

    def begin(self, number: Tensor) -> Tensor:
        """Global number of the first node of objects (K,)."""
        return number * self.table.features.shape[2]

    def node_count(self, number: Tensor) -> Tensor:
        """(K,) how many nodes they have."""
        return take(self.table.counts.reshape(-1), number)

    def vector(self, node: Tensor, column: int) -> Vector:
        """Position or normal of nodes of any shape."""
        parts = tuple(take(self.table.nodes, node * ROW + (column + i)) for i in range(3))
        return static_cast(Vector, parts)

    def looks(self, node: Tensor, scale: float) -> tuple[Tensor, ...]:
        """Coordinates of the colours of nodes in metres (`BankSource.colours`); none without colours."""
        if not self.layout.hue_columns:
            return ()
        first = self.layout.hue_columns[0]
        flat, width = self.table.features.reshape(-1), self.table.features.shape[3]
        hue, saturation, value = (take(flat, node * width + (first + i)) for i in range(3))
        angle, radius = hue * (2 * np.pi), saturation * value * (0.5 * scale)
        return radius * angle.cos(), radius * angle.sin(), value * scale


def disagree(
    settings: GoalSettings,
    layout: FeatureLayout,
    state: Hypotheses,
    table: ChannelTable,
    asked: Tensor,
) -> Tensor:
    """(K, COLUMNS) float64 for questions (K, FIXED + 3 E) float64."""
    own_place, other_place, own_model, other_model, vain = (cast(asked[:, i], "int64") for i in range(5))
    sensed = static_cast(Vector, tuple(asked[:, 5 + i] for i in range(3)))
    models = Models(table, layout)
    top, rival = models.number(own_model), models.number(other_model)
    empty = _offsets(asked, sensed)

    def standing(place: Tensor, number: Tensor) -> Poses:
        poses = strongest(CONSIDERED, state, place)
        refuted = _refuted(models, number, poses, empty, vain, settings)
        return poses._replace(evidence=where(refuted, -INFINITY, poses.evidence))

    own, others = standing(own_place, top), standing(other_place, rival)
    first = own.at(first_highest(own.evidence))
    usable = (rival != top).unsqueeze(-1) | _differs(own, first, settings)
    # where poses of one object are in question, `others` are `own`
    chosen = where(usable, others.evidence, -INFINITY)
    second = others.at(first_highest(chosen))
    found = (highest(own.evidence) > -INFINITY) & (highest(chosen) > -INFINITY)
    near = _farthest(models, top, first, rival, second, sensed, settings.colour_scale)
    far = _farthest(models, rival, second, top, first, sensed, settings.colour_scale)
    nearer = near[0] >= far[0]
    answers = [where(nearer, a, b) for a, b in zip(near, far, strict=True)]
    return Tensor.stack([cast(found, "float64"), *answers], -1)


def _offsets(asked: Tensor, sensed: Vector) -> Vector:
    """(K, 1, E) from where was sensed to the empty places."""
    places = asked[:, FIXED:].reshape(asked.shape[0], 1, -1, 3)
    parts = tuple(places[..., i] - sensed[i].unsqueeze(-1).unsqueeze(-1) for i in range(3))
    return static_cast(Vector, parts)


def strongest(most: int, state: Hypotheses, asked: Tensor) -> Poses:
    """The strongest hypotheses, at most so many, of rows, modules and objects numbered through as `asked`
    (K,): those with the most evidence first where there is room for more."""
    rows, modules, objects, size = state.shape
    # clipped, so that whatever is asked for, nothing outside is read
    model = asked.clip(0, rows * modules * objects - 1)
    there = integers(size, asked)
    every = (model * size).unsqueeze(-1) + cast(there, "int64")
    known = there < take(state.counts.reshape(-1), model).unsqueeze(-1)
    evidence = where(known, take(state.evidence.reshape(-1), every), -INFINITY)
    if size > most:
        evidence, order = evidence.topk(most, -1)
        every = (model * size).unsqueeze(-1) + cast(order, "int64")

    def at(value: Tensor) -> Tensor:
        return cast(take(value.reshape(-1), every), "float64")

    location = tuple(at(part) for part in state.location)
    rotation = tuple(at(part) for part in state.rotation)
    return Poses(evidence, static_cast(Vector, location), static_cast(Rotation, rotation))


def _refuted(
    models: Models, number: Tensor, poses: Poses, empty: Vector, vain: Tensor, settings: GoalSettings
) -> Tensor:
    """(K, C) hypotheses that put a surface at one of the first `vain` empty places."""
    places = add(_spread(poses.location, -1), rotate(_spread_rotation(poses.rotation, -1), empty))
    real = models.table.nodes
    small = static_cast(Vector, tuple(cast(part, real).contiguous() for part in places))
    nodes = integers(models.table.features.shape[2], number)
    begin = models.begin(number).unsqueeze(-1)
    surface = models.vector(begin + cast(nodes, "int64"), POSITION)
    kept = static_cast(Vector, tuple(p.contiguous().unsqueeze(-2).unsqueeze(-2) for p in surface))
    away = subtract(_spread(small, -1), kept)
    there = (nodes < models.node_count(number).unsqueeze(-1)).unsqueeze(-2).unsqueeze(-2)
    nearest = lowest(where(there, dot(away, away), INFINITY))
    counts = (integers(nearest.shape[-1], number) < vain.unsqueeze(-1)).unsqueeze(-2)
    met = where(counts, nearest, INFINITY)
    return lowest(met) <= settings.same_place * settings.same_place


def _differs(poses: Poses, best: tuple[Vector, Rotation], settings: GoalSettings) -> Tensor:
    """(K, C) hypotheses that turn the object otherwise than the best (K,) does, or put it elsewhere."""
    own_location, own_rotation = _spread(best[0], -1), _spread_rotation(best[1], -1)
    pairs = list(zip(poses.rotation, own_rotation, strict=True))
    cosine = sum((a * b for a, b in pairs[1:]), pairs[0][0] * pairs[0][1])
    origin, own_origin = (
        rotate_back(poses.rotation, poses.location),
        rotate_back(own_rotation, own_location),
    )
    apart = subtract(origin, own_origin)
    turned = (cosine - 1.0) * 0.5 < cosine_of(settings.pose_difference)
    far = settings.location_difference * settings.location_difference
    return turned | (dot(apart, apart) > far)


def _farthest(
    models: Models,
    number: Tensor,
    own: tuple[Vector, Rotation],
    other: Tensor,
    foreign: tuple[Vector, Rotation],
    sensed: Vector,
    colour_scale: float,
) -> list[Tensor]:
    """Of a model's points the one farthest from all of the other model's: gap, place and normal there."""
    nodes = models.table.features.shape[2]
    count, place = models.node_count(number), integers(min(TRIED, nodes), number)
    stride = maximum((count + (TRIED - 1)) // TRIED, 1).unsqueeze(-1)
    tried = place * stride
    exist = tried < count.unsqueeze(-1)
    mine = models.begin(number).unsqueeze(-1) + cast(where(exist, tried, 0), "int64")
    every = integers(nodes, number)
    theirs = models.begin(other).unsqueeze(-1) + cast(every, "int64")
    moved = _carried(models.vector(mine, POSITION), own, foreign)
    here = [*moved, *models.looks(mine, colour_scale)]
    there = [*models.vector(theirs, POSITION), *models.looks(theirs, colour_scale)]
    squared: Tensor | None = None
    for a, b in zip(here, there, strict=True):
        away = a.contiguous().unsqueeze(-1) - b.contiguous().unsqueeze(-2)
        squared = away * away if squared is None else squared + away * away
    assert squared is not None
    known = (every < models.node_count(other).unsqueeze(-1)).unsqueeze(-2)
    gaps = where(exist, lowest(where(known, squared, INFINITY)), -INFINITY)
    at = pick(mine, cast(first_highest(gaps), "int64"))
    point = [cast(part, "float64") for part in models.vector(at, POSITION)]
    normal = [cast(part, "float64") for part in models.vector(at, NORMAL)]
    location, rotation = own
    offset = subtract(static_cast(Vector, tuple(point)), location)
    where_to = add(sensed, rotate_back(rotation, offset))
    facing = rotate_back(rotation, static_cast(Vector, tuple(normal)))
    gap = cast(maximum(highest(gaps), 0.0), "float64").sqrt()
    return [gap, *where_to, *facing]


def _carried(points: Vector, own: tuple[Vector, Rotation], foreign: tuple[Vector, Rotation]) -> Vector:
    """Points (K, N) of one model in the frame of the other: R' R^T (x - L) + L'."""
    (location, rotation), (other_location, other_rotation) = own, foreign
    mine, theirs = _rows_of(rotation), _rows_of(other_rotation)
    turn = [dot(theirs[i], mine[j]) for i in range(3) for j in range(3)]

    def small(parts: Sequence[Tensor]) -> list[Tensor]:
        return [cast(part, points[0]).unsqueeze(-1) for part in parts]

    offset = subtract(points, static_cast(Vector, tuple(small(location))))
    turned = rotate(static_cast(Rotation, tuple(small(turn))), offset)
    return add(turned, static_cast(Vector, tuple(small(other_location))))


def _rows_of(rotation: Rotation) -> tuple[Vector, Vector, Vector]:
    return rotation[0:3], rotation[3:6], rotation[6:9]


def _spread(vector: Vector, axis: int) -> Vector:
    return static_cast(Vector, tuple(part.unsqueeze(axis) for part in vector))


def _spread_rotation(rotation: Rotation, axis: int) -> Rotation:
    return static_cast(Rotation, tuple(part.unsqueeze(axis) for part in rotation))
