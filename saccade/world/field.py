"""Sphere tracing: rays march through distance fields, each step as long as the field says is safe.

Everything is arithmetic on whole arrays (`arrays.Arrays`), a fixed number of steps for all rays of all rows:

    shelf = Shelf.of([cached_field(o.mesh) for o in objects], arrays)
    placed = placed_in(shelf, scenes, numbers, arrays)         # R rows, O places in each
    depth, color, which = trace(arrays, shelf, placed, eye, direction, far=10.0)

Rays are carried into the grid of the field they march through, where a step of one is a grid step; fields
are stored in grid steps too. The distance between grid points is trilinear. After the last step a ray that
stands within a quarter of a grid step of the surface has hit it. tests/world/test_field.py states the error
against the exact world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.world.arrays import Arrays, Value
from saccade.world.protocol import Scene
from saccade.world.sdf import Field

STEPS = 40
REACH = 0.25  # grid steps from the surface that still count as a hit after the last step


@dataclass(frozen=True)
class Shelf:
    """All fields end to end: distance and color (N,) in the namespace in use, and per field, on the host,
    where it begins, its shape (M, 3), its origin (M, 3) and its pitch (M,)."""

    distance: Value
    color: Value
    start: npt.NDArray[np.int64]
    shape: npt.NDArray[np.int64]
    origin: npt.NDArray[np.float64]
    pitch: npt.NDArray[np.float64]

    @staticmethod
    def of(fields: Sequence[Field], arrays: Arrays) -> Shelf:
        """Lay the fields end to end."""
        sizes = [field.distance.size for field in fields]
        return Shelf(
            arrays.put(np.concatenate([field.distance.ravel() for field in fields])),
            arrays.put(np.concatenate([packed(field.color).ravel() for field in fields])),
            np.cumsum([0, *sizes[:-1]]),
            np.array([field.distance.shape for field in fields]),
            np.array([field.origin for field in fields]),
            np.array([field.pitch for field in fields]),
        )


@dataclass(frozen=True)
class Placed:
    """The objects of every row, padded to O places; arrays of the namespace in use.

    matrix: nine (R, O, 1) and shift: three (R, O, 1), grid point = matrix @ world point + shift.
    shape: three (R, O, 1) floats; start: (R, O, 1) int32; present: (R, O, 1) bool.
    """

    matrix: tuple[Value, ...]
    shift: tuple[Value, ...]
    shape: tuple[Value, ...]
    start: Value
    present: Value


def placed_in(shelf: Shelf, scenes: Sequence[Scene], numbers: Mapping[str, int], arrays: Arrays) -> Placed:
    """Where the objects of the scenes stand in the grids of their fields."""
    rows, most = len(scenes), max(1, max(len(s.objects) for s in scenes))
    matrix, shift = np.zeros((rows, most, 3, 3)), np.zeros((rows, most, 3))
    which, present = np.zeros((rows, most), np.int64), np.zeros((rows, most), bool)
    for r, scene in enumerate(scenes):
        for o, thing in enumerate(scene.objects):
            number = numbers[thing.name]
            turn = np.asarray(thing.rotation, np.float64).T / (thing.scale * shelf.pitch[number])
            matrix[r, o] = turn
            shift[r, o] = -turn @ np.asarray(thing.position) - shelf.origin[number] / shelf.pitch[number]
            which[r, o], present[r, o] = number, True
    shape = shelf.shape[which].astype(np.float64)

    def column(value: npt.NDArray[np.generic]) -> Value:
        return arrays.put(np.ascontiguousarray(value[:, :, None]))

    return Placed(
        tuple(column(matrix[:, :, i, j]) for i in range(3) for j in range(3)),
        tuple(column(shift[:, :, i]) for i in range(3)),
        tuple(column(shape[:, :, i]) for i in range(3)),
        column(shelf.start[which]),
        column(present),
    )


def trace(
    arrays: Arrays,
    shelf: Shelf,
    placed: Placed,
    eye: tuple[Value, ...],
    direction: tuple[Value, ...],
    far: float,
) -> tuple[Value, Value, Value]:
    """March N rays a row. eye and direction: x, y, z each (R, N); one unit of direction is one unit of depth.

    Returns depth (R, N), packed colour (R, N) and the place of the object hit (R, N) int32, -1 for none.
    """
    begin, step, length = into_grids(arrays, placed, eye, direction)
    entry, leave = box_span(arrays, placed, begin, step)
    (at,) = arrays.keep(entry)
    for _ in range(STEPS):
        # each step is one kernel on a device: the same one every time
        (at,) = arrays.keep(march(arrays, shelf, placed, begin, step, length, leave, at))
    gap = sample(arrays, shelf, placed, [b + s * at for b, s in zip(begin, step)])
    hit = placed.present & (entry <= leave) & (gap <= REACH) & (at <= leave) & (at > 0)
    return nearest(arrays, shelf, placed, begin, step, at, hit, far)


def into_grids(
    arrays: Arrays, placed: Placed, eye: tuple[Value, ...], direction: tuple[Value, ...]
) -> tuple[list[Value], list[Value], Value]:
    """Rays in the grid of every object of their row: start and step, x, y, z each (R, O, N), and the step's
    length."""
    m = placed.matrix
    e, d = [v[:, None, :] for v in eye], [v[:, None, :] for v in direction]
    begin = [m[3 * i] * e[0] + m[3 * i + 1] * e[1] + m[3 * i + 2] * e[2] + placed.shift[i] for i in range(3)]
    step = [m[3 * i] * d[0] + m[3 * i + 1] * d[1] + m[3 * i + 2] * d[2] for i in range(3)]
    square = step[0] * step[0] + step[1] * step[1] + step[2] * step[2]
    # an absent object has a matrix of zeros; its rays stand still
    length = arrays.sqrt(arrays.maximum(square, square * 0 + 1e-12))
    return begin, step, length


def box_span(arrays: Arrays, placed: Placed, begin: list[Value], step: list[Value]) -> tuple[Value, Value]:
    """Depths (R, O, N) at which rays enter and leave the grid; the first is the greater for those that miss
    it."""
    entry, leave = begin[0] * 0, begin[0] * 0 + 1e9
    for b, s, n in zip(begin, step, placed.shape):
        slow = arrays.maximum(s, -s) < 1e-9
        inverse = 1.0 / arrays.where(slow, s * 0 + 1e-9, s)
        one, other = -b * inverse, (n - 1.0 - b) * inverse
        entry = arrays.maximum(entry, arrays.minimum(one, other))
        leave = arrays.minimum(leave, arrays.maximum(one, other))
    return entry, leave


def march(
    arrays: Arrays,
    shelf: Shelf,
    placed: Placed,
    begin: list[Value],
    step: list[Value],
    length: Value,
    leave: Value,
    at: Value,
) -> Value:
    """One step of every ray: as far as the field says, back again from inside, and not beyond the grid."""
    gap = sample(arrays, shelf, placed, [b + s * at for b, s in zip(begin, step)])
    # a ray that has reached the end stays there and is no hit
    return arrays.where(at < leave, at + gap / length, at)


def sample(arrays: Arrays, shelf: Shelf, placed: Placed, point: list[Value]) -> Value:
    """The distance (R, O, N) at grid points x, y, z, trilinear; points outside are moved to the nearest
    inside."""
    low, share = [], []
    for p, n in zip(point, placed.shape):
        inside = arrays.minimum(arrays.maximum(p, p * 0), p * 0 + (n - 1.001))
        below = arrays.floor(inside)
        low.append(below)
        share.append(inside - below)
    _, ny, nz = placed.shape
    row = nz
    plane = ny * nz
    first = placed.start + arrays.whole(low[0] * plane + low[1] * row + low[2])
    row_, plane_ = arrays.whole(row), arrays.whole(plane)
    x, y, z = share
    lines = []
    for offset in (0, plane_):
        for side in (0, row_):
            here = first + offset + side
            near, next_ = arrays.take(shelf.distance, here), arrays.take(shelf.distance, here + 1)
            lines.append(near + (next_ - near) * z)
    front = lines[0] + (lines[1] - lines[0]) * y
    back = lines[2] + (lines[3] - lines[2]) * y
    return front + (back - front) * x


def nearest(
    arrays: Arrays,
    shelf: Shelf,
    placed: Placed,
    begin: list[Value],
    step: list[Value],
    at: Value,
    hit: Value,
    far: float,
) -> tuple[Value, Value, Value]:
    """The nearest hit among the objects of a row, its packed colour and its place."""
    places = at.shape[1]
    index = placed.start
    _, ny, nz = placed.shape
    for b, s, n, stride in zip(begin, step, placed.shape, (ny * nz, nz, nz * 0 + 1)):
        p = b + s * at
        whole = arrays.floor(arrays.minimum(arrays.maximum(p, p * 0), p * 0 + (n - 1.0)) + 0.5)
        index = index + arrays.whole(whole * stride)
    color = arrays.take(shelf.color, index)
    depth = arrays.where(hit, at, at * 0 + far)
    best, paint, which = depth[:, 0], color[:, 0], arrays.whole(depth[:, 0] * 0)
    for o in range(1, places):
        nearer = depth[:, o] < best
        paint = arrays.where(nearer, color[:, o], paint)
        which = arrays.where(nearer, which * 0 + o, which)
        best = arrays.where(nearer, depth[:, o], best)
    seen = best < far
    return best, arrays.where(seen, paint, paint * 0), arrays.where(seen, which, which * 0 - 1)


def packed(color: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Colours (..., 3) in one number each, so that one gather fetches them; a float32 holds 24 bits
    exactly."""
    return np.asarray(color.astype(np.float64) @ np.array([65536.0, 256.0, 1.0]), np.float32)


def unpacked(arrays: Arrays, color: Value) -> Value:
    """Packed colours (...) as red, green and blue 0..1, (..., 3)."""
    red = arrays.floor(color / 65536.0)
    rest = color - red * 65536.0
    green = arrays.floor(rest / 256.0)
    return arrays.stack([red / 255.0, green / 255.0, (rest - green * 256.0) / 255.0])
