"""The points of all models of a module, where programs compare them.

Comes in: positions, normals and colours of every model. Goes out: `Known`, tensors that are sent once. They
have room for more models and points, so that one more mostly has the same programs. Colours are places, too:
coordinates beside the three of space, scaled to metres.

    known = surfaces_of(source, settings.colour_scale, "cuda")
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from saccade.cortex.goals.questions import Floats
from saccade.cortex.hypotheses.tables import capacity, stepped
from saccade.cortex.ops import upload
from saccade.tensor import Tensor

#: numbers of a point: place, and its colour as three further places; of a model: its first point, how many
#: it has, 1 where it knows colours; of the box around a model: its low and its high corner
POINT, MODEL, BOX = 6, 3, 6
#: the least models and points that there is room for
LEAST_MODELS, LEAST_POINTS = 64, 1 << 15


class Surfaces(NamedTuple):
    """points (POINT * N,) and normals (3 * N,) float64, column by column; models (M * MODEL,) int32 and boxes
    (M * BOX,) float64. Of a model without points nothing is found, and that takes no time. Behind the last
    model there is room for the longest."""

    points: Tensor
    normals: Tensor
    models: Tensor
    boxes: Tensor


class Known(NamedTuple):
    """The surfaces of all models of a module, and the points that the largest has at most."""

    surfaces: Surfaces
    longest: int


class Models(Protocol):
    """Models by their numbers."""

    @property
    def objects(self) -> int:
        """How many there are."""
        ...

    def points(self, number: int) -> tuple[Floats, Floats]:
        """Positions (N, 3) and unit normals (N, 3) of the model of object `number`."""
        ...

    def colours(self, number: int) -> Floats:
        """(N, 3) of the same points: coordinates in which colours that look alike are near, 1 apart at most
        in each; (N, 0) where the model knows none."""
        ...


def surfaces_of(models: Models, colour_scale: float, device: str | None, objects: int = 0) -> Known:
    """The points of models on a device, with room for so many objects. colour_scale: metres that a colour's
    full range is worth. What is after the last model, or after the room for objects, is a model without any.
    """
    shapes = [models.points(number) for number in range(models.objects)]
    counts = np.array([len(positions) for positions, _ in shapes], np.int64)
    ends, longest = np.cumsum(counts), stepped(int(counts.max(initial=0)))
    room = capacity(sum(counts.tolist()) + longest, LEAST_POINTS)
    points, normals = np.zeros((POINT, room)), np.zeros((3, room))
    table = np.zeros((capacity(max(len(counts), objects) + 1, LEAST_MODELS), MODEL), np.int32)
    boxes = np.zeros((len(table), BOX))
    for number, (positions, facing) in enumerate(shapes):
        here, colours = slice(ends[number] - counts[number], ends[number]), models.colours(number)
        points[:3, here], normals[:, here] = positions.T, facing.T
        points[3 : 3 + colours.shape[1], here] = colour_scale * colours.T
        table[number] = here.start, counts[number], colours.shape[1] > 0
        if len(positions):
            boxes[number] = *positions.min(axis=0), *positions.max(axis=0)
    surfaces = Surfaces(
        upload(points.reshape(-1), "float64", device, True),
        upload(normals.reshape(-1), "float64", device, True),
        upload(table.reshape(-1), "int32", device, True),
        upload(boxes.reshape(-1), "float64", device, True),
    )
    return Known(surfaces, longest)
