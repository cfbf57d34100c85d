"""Sphere tracing: rays march through distance fields, each step as long as the field says is safe.

Everything is arithmetic on whole arrays (`arrays.Arrays`), a fixed number of steps for all rays of all rows:

    shelf = Shelf.of([cached_field(o.mesh) for o in objects], arrays)
    placed = placed_in(shelf, scenes, numbers, arrays)         # R rows, O places in each
    depth, rgb, points, seen, which = Tracer(arrays).trace(shelf, placed, sensor, pixel, noise, far)

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

from saccade.reproducible import apply, dot
from saccade.world.fields.arrays import Arrays, Value
from saccade.world.fields.sdf import Field
from saccade.world.protocol import Scene

STEPS = 40
STRIDE = 8  # of them in one program, which is launched as a whole
Rays = tuple[Value, ...]
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
            shift[r, o] = -apply(turn, thing.position) - shelf.origin[number] / shelf.pitch[number]
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


class Tracer:
    """The programs of a trace, compiled once for a namespace: aim, march some steps, look."""

    def __init__(self, arrays: Arrays) -> None:
        self.aim = arrays.compiled(lambda *values: aim(arrays, *values))
        self.march = arrays.compiled(lambda *values: march(arrays, *values))
        self.look = arrays.compiled(lambda *values: look(arrays, *values))

    def trace(
        self, shelf: Shelf, placed: Placed, sensor: Rays, pixel: Rays, noise: Value, far: Value
    ) -> tuple[Value, ...]:
        """March the N = S * P * P rays of every row.

        sensor: twelve (R, S, 1), position, then rotation row by row. pixel: two (1, S, P * P), right and up.
        noise: (R, N), added to the depth of what is hit. far: (), the depth of what is not.
        Returns depth (R, N), rgb and points (R, N, 3), on_object (R, N) and which object of its row (R, N).
        """
        *beam, entry, leave = self.aim(*placed.matrix, *placed.shift, *placed.shape, *sensor, *pixel)
        lines, eye, direction = beam[:7], beam[7:10], beam[10:13]
        at = entry
        for _ in range(STEPS // STRIDE):
            (at,) = self.march(shelf.distance, placed.start, *placed.shape, *lines, leave, at)
        return self.look(
            shelf.distance,
            shelf.color,
            placed.start,
            placed.present,
            *placed.shape,
            *lines,
            entry,
            leave,
            at,
            *eye,
            *direction,
            noise,
            far,
        )


def aim(arrays: Arrays, *values: Value) -> tuple[Value, ...]:
    """Rays in the grids (7), in the world (6), and where they enter and leave the grids."""
    grid, views = values[:15], values[15:]
    beam = rays(*views)
    *lines, entry, leave = enter(arrays, *grid, *beam)
    return (*lines, *beam, entry, leave)


def rays(*values: Value) -> tuple[Value, ...]:
    """Rays in the world: origin x, y, z and direction x, y, z, each (R, N), a unit of depth long."""
    position, turn, (x, y) = values[:3], values[3:12], values[12:]
    rows, count = position[0].shape[0], x.shape[1] * x.shape[2]
    origin = [(p + x * 0).reshape(rows, count) for p in position]
    ahead = [(turn[3 * i] * x + turn[3 * i + 1] * y - turn[3 * i + 2]).reshape(rows, count) for i in range(3)]
    return (*origin, *ahead)


def enter(arrays: Arrays, *values: Value) -> tuple[Value, ...]:
    """Rays in the grid of every object of their row: start and step, x, y, z each (R, O, N), the length of a
    step, and the depths at which they enter and leave the grid; rays that miss it enter last."""
    m, shift, shape = values[:9], values[9:12], values[12:15]
    eye, direction = [v[:, None, :] for v in values[15:18]], [v[:, None, :] for v in values[18:21]]
    begin = [m[3 * i] * eye[0] + m[3 * i + 1] * eye[1] + m[3 * i + 2] * eye[2] + shift[i] for i in range(3)]
    step = [
        m[3 * i] * direction[0] + m[3 * i + 1] * direction[1] + m[3 * i + 2] * direction[2] for i in range(3)
    ]
    square = step[0] * step[0] + step[1] * step[1] + step[2] * step[2]
    # an absent object has a matrix of zeros; its rays stand still
    length = arrays.sqrt(arrays.maximum(square, square * 0 + 1e-12))
    entry, leave = begin[0] * 0, begin[0] * 0 + 1e9
    for b, s, n in zip(begin, step, shape):
        slow = arrays.maximum(s, -s) < 1e-9
        inverse = 1.0 / arrays.where(slow, s * 0 + 1e-9, s)
        one, other = -b * inverse, (n - 1.0 - b) * inverse
        entry = arrays.maximum(entry, arrays.minimum(one, other))
        leave = arrays.minimum(leave, arrays.maximum(one, other))
    return (*begin, *step, length, entry, leave)


def march(arrays: Arrays, distance: Value, start: Value, *values: Value) -> tuple[Value, ...]:
    """Some steps of every ray: as far as the field says, back again from inside, and not beyond the grid."""
    shape, begin, step, (length, leave, at) = values[:3], values[3:6], values[6:9], values[9:]
    for _ in range(STRIDE):
        gap = sample(arrays, distance, start, shape, [b + s * at for b, s in zip(begin, step)])
        # A ray that has reached the end stays there and is no hit. Each step is a kernel: joined in one they
        # took a third longer.
        at = arrays.stored(arrays.where(at < leave, at + gap / length, at))
    return (at,)


def sample(arrays: Arrays, distance: Value, start: Value, shape: Rays, point: list[Value]) -> Value:
    """The distance (R, O, N) at grid points x, y, z, trilinear; outside, that of the nearest point inside."""
    low, share = [], []
    for p, n in zip(point, shape):
        inside = arrays.minimum(arrays.maximum(p, p * 0), p * 0 + (n - 1.001))
        below = arrays.floor(inside)
        low.append(below)
        share.append(inside - below)
    row, plane = shape[2], shape[1] * shape[2]
    first = start + arrays.whole(low[0] * plane + low[1] * row + low[2])
    x, y, z = share
    lines = []
    for offset in (first, first + arrays.whole(plane)):
        for here in (offset, offset + arrays.whole(row)):
            near, next_ = arrays.take(distance, here), arrays.take(distance, here + 1)
            lines.append(near + (next_ - near) * z)
    front = lines[0] + (lines[1] - lines[0]) * y
    back = lines[2] + (lines[3] - lines[2]) * y
    return front + (back - front) * x


def look(
    arrays: Arrays, distance: Value, color: Value, start: Value, present: Value, *values: Value
) -> tuple[Value, ...]:
    """What the rays have hit, the nearest object of each row's; see `Tracer.trace`."""
    shape, begin, step, (_, entry, leave, at) = values[:3], values[3:6], values[6:9], values[9:13]
    eye, direction, (noise, far) = values[13:16], values[16:19], values[19:]
    point = [b + s * at for b, s in zip(begin, step)]
    gap = sample(arrays, distance, start, shape, point)
    hit = present & (entry <= leave) & (gap <= REACH) & (at <= leave) & (at > 0)
    index = start
    for p, n, stride in zip(point, shape, (shape[1] * shape[2], shape[2], shape[2] * 0 + 1)):
        whole = arrays.floor(arrays.minimum(arrays.maximum(p, p * 0), p * 0 + (n - 1.0)) + 0.5)
        index = index + arrays.whole(whole * stride)
    paint = arrays.take(color, index)
    depth = arrays.where(hit, at, at * 0 + far)
    best, shade, which = depth[:, 0], paint[:, 0], arrays.whole(depth[:, 0] * 0)
    for o in range(1, depth.shape[1]):
        nearer = depth[:, o] < best
        shade = arrays.where(nearer, paint[:, o], shade)
        which = arrays.where(nearer, which * 0 + o, which)
        best = arrays.where(nearer, depth[:, o], best)
    seen = best < far
    noisy = arrays.where(seen, arrays.maximum(best + noise, best * 0 + 1e-6), best)
    points = arrays.stack([e + d * noisy for e, d in zip(eye, direction)])
    rgb = unpacked(arrays, arrays.where(seen, shade, shade * 0))
    return noisy, rgb, points, seen, arrays.where(seen, which, which * 0 - 1)


def packed(color: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Colours (..., 3) in one number each, so that one gather fetches them; a float32 holds 24 bits
    exactly."""
    return dot(color, [65536.0, 256.0, 1.0]).astype(np.float32)


def unpacked(arrays: Arrays, color: Value) -> Value:
    """Packed colours (...) as red, green and blue 0..1, (..., 3)."""
    red = arrays.floor(color / 65536.0)
    rest = color - red * 65536.0
    green = arrays.floor(rest / 256.0)
    return arrays.stack([red / 255.0, green / 255.0, (rest - green * 256.0) / 255.0])
