"""Where two hypotheses differ most: the one place whose look tells them apart, as a tensor program.

Comes in: the strongest hypotheses of pairs of objects, or of one object twice, questions about them, and the
points of all models (`Surfaces`), sent once. Goes out: a row of numbers for each question.

A hypothesis (location L, rotation R) puts a model point x at the body-frame place `sensed + R^T (x - L)`, so
two hypotheses lay two models over each other; the place is the point of one that is farthest from every point
of the other. Both directions are tried: a mug differs from a cup at its handle even when the cup is the
better hypothesis, and no point of the cup could tell. Far means in space and in looks, so that the label of a
can, which is nowhere but on its side, is a place that tells its turns apart.

The two are the best of each object that no empty place refutes; of one object the best, and the best of those
that put it differently: the next best number as such would nearly always be the same pose from a neighbouring
node. Among equals the first counts.

All tried points are compared with all others, which is straight work for vectors. Loops over points end at
the loaded count of a model, those over empty places at how many there are, so a row that asks nothing costs
next to nothing.

    answers = telling(settings, shape, held, asked, surfaces)       # (W, ANSWER)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from typing import cast as static_cast

from saccade.cortex.geometry import Rotation, Vector, add, dot, rotate, rotate_back, subtract, widened
from saccade.cortex.goals.questions import GoalSettings
from saccade.cortex.goals.surfaces import BOX, MODEL, POINT, Surfaces
from saccade.cortex.ops import (
    cast,
    clip,
    first_highest,
    highest,
    integers,
    logical_and,
    lowest,
    maximum,
    pick,
    take,
    where,
)
from saccade.cortex.vectors import Frame, length, over, times, transposed
from saccade.reproducible import cosine_of
from saccade.tensor import Tensor

#: numbers of a question before its empty places: the models in question, how many places are empty, and
#: where the sensor is; of an answer: whether there is one, place and normal
QUESTION, ANSWER = 6, 7
#: what is farther than all points
FAR = 1e300
INFINITY = float("inf")


class Shape(NamedTuple):
    """What programs are compiled for: longest: points of a model at most; tried: of them as goals."""

    longest: int
    tried: int


class Sides(NamedTuple):
    """The models of both sides of questions, (W, 2) int32."""

    begin: Tensor
    points: Tensor
    coloured: Tensor


def telling(settings: GoalSettings, shape: Shape, held: Tensor, asked: Tensor, surfaces: Surfaces) -> Tensor:
    """(W, ANSWER) for questions asked (W, QUESTION + 3 E). held (2 W, H, 13): evidence, -inf where there is
    no hypothesis, location and rotation of those of the first and of the second object of each question."""
    count, most = asked.shape[0], held.shape[1]
    pairs = held.reshape(count, 2, most, 13)
    evidence = pairs[..., 0]
    location: Vector = (pairs[..., 1], pairs[..., 2], pairs[..., 3])
    rotation = _rotation(pairs[..., 4 + i] for i in range(9))
    model = cast(asked[:, :2], "int32")
    sides = Sides(*(take(surfaces.models, model * MODEL + i).contiguous() for i in range(MODEL)))
    sensed: Vector = (asked[:, 3], asked[:, 4], asked[:, 5])
    stands = _standing(settings, shape, asked, sensed, location, rotation, sides, surfaces).contiguous()

    score = where(stands & (evidence > -INFINITY), evidence, -INFINITY).contiguous()
    best = first_highest(score[:, 0]).contiguous()
    strongest = Frame(
        _vector(pick(part[:, 0], best).contiguous() for part in location),
        _rotation(pick(part[:, 0], best).contiguous() for part in rotation),
    )
    others = Frame(_vector(part[:, 1] for part in location), _rotation(part[:, 1] for part in rotation))
    alike = _alike(settings, strongest, others)
    # of one object another pose is the rival; both sides hold the same then
    same = (model[:, 0] == model[:, 1]).unsqueeze(-1)
    rivals = where(same & alike, -INFINITY, score[:, 1]).contiguous()
    index = Tensor.stack([best, first_highest(rivals)], 1).contiguous()
    both = (highest(score[:, 0]) > -INFINITY) & (highest(rivals) > -INFINITY)

    chosen = Frame(
        _vector(pick(part, index).contiguous() for part in location),
        _rotation(pick(part, index).contiguous() for part in rotation),
    )
    gap, point = _farthest(shape, chosen, sides, surfaces)
    second = gap[:, 1] > gap[:, 0]

    def of_it(value: Tensor) -> Tensor:
        """(W,) of the side whose point it is."""
        return where(second, value[:, 1], value[:, 0]).contiguous()

    at, turn = _vector(map(of_it, chosen.position)), _rotation(map(of_it, chosen.rotation))
    row, size = of_it(point), surfaces.points.shape[0] // POINT
    found = both & (of_it(gap) > settings.min_gap)
    there = add(sensed, rotate_back(turn, subtract(_columns(surfaces.points, row, size), at)))
    normal = rotate_back(turn, _columns(surfaces.normals, row, size))
    normal = over(normal, maximum(length(normal), 1e-12))
    return Tensor.stack([cast(each, "float64").contiguous() for each in (found, *there, *normal)], -1)


def _standing(
    settings: GoalSettings,
    shape: Shape,
    asked: Tensor,
    sensed: Vector,
    location: Vector,
    rotation: Rotation,
    sides: Sides,
    surfaces: Surfaces,
) -> Tensor:
    """(W, 2, H) hypotheses that put no surface at one of the empty places. Where a place is not in the box
    around a model no point is asked; of one object both sides hold the same, so the first tells."""
    room = (asked.shape[1] - QUESTION) // 3
    places = asked[:, QUESTION:].reshape(-1, 1, 1, room, 3)
    way = _vector(places[..., i] - sensed[i].reshape(-1, 1, 1, 1) for i in range(3))
    turn = _rotation(part.unsqueeze(-1) for part in rotation)
    empty = integers(room, asked) < cast(asked[:, 2], "int32").reshape(-1, 1, 1, 1)
    there = add(widened(location), rotate(turn, way))
    here = _stored(_vector(where(empty, part, 0.0) for part in there))  # (W, 2, H, E)
    asking = empty & _in_box(settings, here, cast(asked[:, :2], "int32"), surfaces)
    second = (integers(2, asked) == 1) & (asked[:, :1] == asked[:, 1:2])
    asking = asking & ~second.reshape(-1, 2, 1, 1)
    count = where(asking, sides.points.reshape(-1, 2, 1, 1), 0).contiguous().unsqueeze(-1)
    number = integers(shape.longest, asked)
    away = subtract(widened(here), _points(surfaces, shape, sides.begin.reshape(-1, 2, 1, 1, 1), number))
    near = where(number < count, dot(away, away), FAR).amin(-1).contiguous()
    stands = near.amin(-1) > settings.same_place * settings.same_place
    return where(second.unsqueeze(-1), stands[:, :1], stands)


def _in_box(settings: GoalSettings, here: Vector, model: Tensor, surfaces: Surfaces) -> Tensor:
    """(W, 2, H, E) whether places are in the box around a model, or as near as refutes."""
    inside = []
    for axis, part in enumerate(here):
        low, high = (take(surfaces.boxes, model * BOX + end + axis).reshape(-1, 2, 1, 1) for end in (0, 3))
        inside += [part >= low - settings.same_place, part <= high + settings.same_place]
    return logical_and(*inside)


def _alike(settings: GoalSettings, best: Frame, others: Frame) -> Tensor:
    """(W, H) whether hypotheses say the same as the best (W,): turned by little, and the object is where it
    is."""
    cosine = cosine_between(others.rotation, _rotation(part.unsqueeze(-1) for part in best.rotation))
    origin = widened(rotate_back(best.rotation, best.position))
    way = length(subtract(origin, rotate_back(others.rotation, others.position)))
    same = cosine >= float(cosine_of(settings.pose_difference))
    return same & (way <= settings.location_difference)


def cosine_between(one: Rotation, other: Rotation) -> Tensor:
    """As `questions.cosine_between`, to the last bit."""
    products = [mine * its for mine, its in zip(one, other, strict=True)]
    a, b = products[0] + products[4] + products[8], products[1] + products[5]
    c, d = products[2] + products[6], products[3] + products[7]
    return ((a + c) + (b + d) - 1.0) / 2.0


def _farthest(shape: Shape, chosen: Frame, sides: Sides, surfaces: Surfaces) -> tuple[Tensor, Tensor]:
    """(W, 2) how far the point of each side that is farthest from all of the other is, and which it is."""
    size = surfaces.points.shape[0] // POINT
    tried = integers(shape.tried, sides.begin)
    count = sides.points.unsqueeze(-1)
    step = maximum((count + (shape.tried - 1)) // shape.tried, 1)
    there = tried < (count + step - 1) // step
    row = where(there, sides.begin.unsqueeze(-1) + tried * step, 0).contiguous()
    foreign = Frame(_vector(map(_swapped, chosen.position)), _rotation(map(_swapped, chosen.rotation)))
    across = times(foreign.rotation, transposed(chosen.rotation))
    away = subtract(_columns(surfaces.points, row, size), widened(chosen.position))
    turned = rotate(_rotation(part.unsqueeze(-1) for part in across), away)
    place = _stored(add(turned, widened(foreign.position)))
    look = _stored(_columns(surfaces.points, row, size, 3))

    both = (sides.coloured[:, 0] * sides.coloured[:, 1]).reshape(-1, 1, 1, 1) > 0
    begin, number = (_swapped(part).contiguous().reshape(-1, 2, 1, 1) for part in (sides.begin, sides.points))
    other = integers(shape.longest, begin)
    away = subtract(widened(place), _points(surfaces, shape, begin, other))
    colour = subtract(widened(look), _points(surfaces, shape, begin, other, 3))
    squared = dot(away, away) + where(both, dot(colour, colour), 0.0)
    gaps = where(there, lowest(where(other < number, squared, FAR)), -1.0).contiguous()
    which = first_highest(gaps).contiguous()
    return highest(gaps).sqrt().contiguous(), pick(row, which).contiguous()


def _points(surfaces: Surfaces, shape: Shape, begin: Tensor, number: Tensor, first: int = 0) -> Vector:
    """Three numbers of the points of models that begin there. The table goes on for `longest` points after
    the last model, and the compiler is told so: no place is asked whether it is in the table."""
    size = surfaces.points.shape[0] // POINT
    row = clip(begin, 0, size - shape.longest) + number
    return _columns(surfaces.points, row, size, first)


def _columns(table: Tensor, row: Tensor, size: int, first: int = 0) -> Vector:
    """Three numbers of rows of a table whose columns, of this size, lie one after the other."""
    return _vector(take(table, row + column * size) for column in range(first, first + 3))


def _vector(parts: Iterable[Tensor]) -> Vector:
    x, y, z = parts
    return x, y, z


def _rotation(parts: Iterable[Tensor]) -> Rotation:
    return static_cast(Rotation, tuple(parts))


def _stored(vector: Vector) -> Vector:
    return _vector(part.contiguous() for part in vector)


def _swapped(value: Tensor) -> Tensor:
    """(W, 2) what the other side has."""
    return value.flip(1)
