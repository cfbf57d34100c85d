"""The tensor program of rays against meshes: sensor poses and placed meshes in, what every pixel sees out.

Comes in: `Tables`, the trees of boxes of many meshes with their triangles, and for every row where its
sensors are and which meshes stand where. Goes out: depth, colour and point of every pixel, as `raycast`
computes them on the host.

A tree of two children a node is walked with `FAN` children a step, so a mesh of 16,384 triangles has three
levels of boxes. The walk is nested minima: over the boxes of the highest level, of each over its children, of
a leaf over its triangles. A loop has no elements where the ray misses the box it is in, so a ray visits the
boxes it crosses and their children, and nothing has to be remembered on the way:

    nearest(ray) = min over boxes a of (min over children b of ... if ray crosses a)

What the minimum is of is one integer a triangle: the bits of its distance, which order positive doubles, with
the number of the triangle in place of the last of them. The hit is then computed once more, exactly.
"""

from __future__ import annotations

from typing import NamedTuple

from saccade import Tensor, where
from saccade.world.noise import DepthNoise
from saccade.world.noise_program import noisy

#: children of a step, and the levels of the tree with two children that they are apart
FAN_LEVELS = 3
FAN = 1 << FAN_LEVELS
#: numbers per mesh before those of its levels: its first triangle, its first leaf, 1 where it is solid
FIRST, LEAF, SOLID, LEVELS = 0, 1, 2, 3
#: numbers per level, the leaves first: boxes for each one of the level above, and the first box
FANNED, BOX = 0, 1
LEVEL = 2
#: the key of a ray that meets nothing
NOTHING = (1 << 63) - 1
#: as in `raycast`: how far outside a triangle still counts as in, and what a flat box may lose by rounding
EDGE, THICKNESS = 1e-9, 1.0 + 1e-12

Vector = tuple[Tensor, Tensor, Tensor]


class Tables(NamedTuple):
    """Rows of numbers, laid flat. Boxes, corners and paint have some room after each row, so that pairs of
    numbers are aligned."""

    boxes: Tensor  # (boxes * 8,) float64: low and high corner
    corners: Tensor  # (triangles * 10,) float64: first corner and two edges
    paint: Tensor  # (triangles * 10,) float64: colours of the corners
    starts: Tensor  # (leaves + meshes,) int32: the first triangle of each leaf, and where the last one ends
    meshes: Tensor  # (meshes * columns,) int32


class Shape(NamedTuple):
    """What programs are compiled for. levels: of boxes; leaf: most triangles in one; bits: of the number of a
    triangle; columns: of `Tables.meshes`; side: pixels along a patch; far: depth where nothing is met; noise:
    what depth sensors add."""

    levels: int
    leaf: int
    bits: int
    columns: int
    side: int
    far: float
    noise: DepthNoise


class Looks(NamedTuple):
    """What the host sends. sensor (R, S, 13): position, rotation row by row, tangent of half the angle of
    view. placed (R, O, 12): as `raycast.Instances.transform`. mesh (R, O) int32: a row of `Tables.meshes`.
    rows (2, R) uint64: their seeds and looks, which noise is made of."""

    sensor: Tensor
    placed: Tensor
    mesh: Tensor
    rows: Tensor


class Seen(NamedTuple):
    """Per pixel, as `raycast.Views`; sights (R, S, 7): as `protocol.Observation.sights`."""

    depth: Tensor
    rgb: Tensor
    points: Tensor
    on_object: Tensor
    instance: Tensor
    sights: Tensor


class Rays(NamedTuple):
    """In the frames of meshes, (R, O, S, N): where rays begin, their direction, and 1 / that. They are
    stored: what the rays of a patch have in common with a triangle is computed where they meet it, not for
    all triangles."""

    begin: Vector
    ahead: Vector
    inverse: Vector


def see(shape: Shape, tables: Tables, looks: Looks) -> Seen:
    """What all pixels (R, S, P, P) see."""
    rows, sensors = looks.sensor.shape[:2]
    eye, view = _in_world(shape, looks)
    rays = _in_meshes(looks, eye, view)
    mesh = looks.mesh.unsqueeze(-1).unsqueeze(-1)  # (R, O, 1, 1)
    key = _nearest(shape, tables, mesh, rays).contiguous()
    found = key < NOTHING
    number = (key & ((1 << shape.bits) - 1)).cast("int32")
    triangle = where(found, number + _column(shape, tables, mesh, FIRST), 0)
    along, u, v, det = _crossed(tables, triangle, rays)
    depth = where(found, along, shape.far)
    behind = found & (det < 0.0) & (_column(shape, tables, mesh, SOLID) > 0)
    # the nearest of the objects of a row; what is behind the surface of a solid one sees nothing
    best = [part[:, 0] for part in (depth, triangle, u, v, behind, found)]
    which = where(found[:, 0], 0, -1)
    for place in range(1, depth.shape[1]):
        nearer = depth[:, place] < best[0]
        parts = [part[:, place] for part in (depth, triangle, u, v, behind, found)]
        best = [where(nearer, new, old) for new, old in zip(parts, best, strict=True)]
        which = where(nearer, place, which)
    depth, triangle, u, v, behind, found = best
    there = found & ~behind
    depth = where(there, depth, shape.far)
    patch = (rows, sensors, shape.side, shape.side)
    begin = _row(triangle, tables.paint, PAINT)
    shares = (1.0 - u - v, u, v)
    rgb = []
    for channel in range(3):
        corners = [_at(tables.paint, begin + (3 * corner + channel)) for corner in range(3)]
        mixed = shares[0] * corners[0] + shares[1] * corners[1] + shares[2] * corners[2]
        rgb.append(where(there, mixed, 0.0))
    if not shape.noise.is_silent:
        read, has = noisy(shape.noise, depth.reshape(patch), there.reshape(patch), looks.rows)
        depth, there = (part.reshape(depth.shape).contiguous() for part in (read, has))
    points = [e[:, 0] + depth * d[:, 0] for e, d in zip(eye, view, strict=True)]
    nearest = where(there, depth, float("inf")).amin(-1)
    return Seen(
        depth.reshape(patch),
        Tensor.stack(rgb, -1).reshape(*patch, 3),
        Tensor.stack(points, -1).reshape(*patch, 3),
        there.reshape(patch),
        where(there, which, -1).cast("int32").reshape(patch),
        sights_of(looks.sensor, nearest),
    )


def sights_of(eyes: Tensor, nearest: Tensor) -> Tensor:
    """(R, S, 7) where sensors (R, S, 12 or more) are, along what they look, and the least depth (R, S)."""
    place, ahead = [eyes[..., i] for i in range(3)], [-eyes[..., i] for i in (5, 8, 11)]
    return Tensor.stack([*place, *ahead, nearest], -1)


# --- rays


def _in_world(shape: Shape, looks: Looks) -> tuple[Vector, Vector]:
    """Eyes (R, 1, S, 1) and directions (R, 1, S, N) of length one along the axis of view."""
    sensor = [looks.sensor[:, :, i].unsqueeze(1).unsqueeze(-1) for i in range(13)]
    pixel = Tensor.arange(shape.side * shape.side, dtype="int32", device=looks.sensor.device)
    wide = sensor[12]
    x = wide * ((2 * (pixel % shape.side) + 1).cast("float64") / shape.side - 1.0)
    y = wide * (1.0 - (2 * (pixel // shape.side) + 1).cast("float64") / shape.side)
    turn = sensor[3:12]
    vx, vy, vz = (turn[3 * i] * x + turn[3 * i + 1] * y - turn[3 * i + 2] for i in range(3))
    return (sensor[0], sensor[1], sensor[2]), (vx, vy, vz)


def _in_meshes(looks: Looks, eye: Vector, view: Vector) -> Rays:
    placed = [looks.placed[:, :, i].unsqueeze(-1).unsqueeze(-1) for i in range(12)]
    offset = [eye[i] - placed[9 + i] for i in range(3)]

    def turned(vector: Vector | list[Tensor]) -> Vector:
        x, y, z = (
            placed[3 * i] * vector[0] + placed[3 * i + 1] * vector[1] + placed[3 * i + 2] * vector[2]
            for i in range(3)
        )
        return x, y, z

    ahead = turned(view)
    inverse = [where(part != 0.0, 1.0 / where(part != 0.0, part, 1.0), 1e300) for part in ahead]
    begin = [part.expand(ahead[0].shape) for part in turned(offset)]
    parts = [part.contiguous() for part in (*begin, *ahead, *inverse)]
    return Rays(
        (parts[0], parts[1], parts[2]), (parts[3], parts[4], parts[5]), (parts[6], parts[7], parts[8])
    )


def _deeper(vector: Vector, axes: int) -> Vector:
    """Components with so many axes of one element at the end."""
    x, y, z = (part.reshape(*part.shape, *(1,) * axes) for part in vector)
    return x, y, z


# --- the walk


def _nearest(shape: Shape, tables: Tables, mesh: Tensor, rays: Rays) -> Tensor:
    """(R, O, S, N) the key of the nearest triangle of each mesh."""
    number = Tensor.arange(FAN, dtype="int32", device=mesh.device)
    top = shape.levels - 1
    count = _column(shape, tables, mesh, LEVELS + LEVEL * top + FANNED).unsqueeze(-1)
    inside = _within(shape, tables, mesh, rays, top, number, 1)
    return where(number < count, inside, NOTHING).amin(-1)


def _within(
    shape: Shape, tables: Tables, mesh: Tensor, rays: Rays, level: int, box: Tensor, axes: int
) -> Tensor:
    """(R, O, S, N, ...) the key of the nearest triangle in boxes of a level, which are numbered on it along
    as many last `axes`."""
    deep = mesh.reshape(*mesh.shape, *(1,) * axes)
    crossed = _crosses(shape, tables, deep, rays, level, box, axes).unsqueeze(-1)
    if level == 0:
        leaf = _column(shape, tables, deep, LEAF) + box
        first = _taken(tables.starts, leaf)
        count = (_taken(tables.starts, leaf + 1) - first).unsqueeze(-1)
        slot = Tensor.arange(shape.leaf, dtype="int32", device=mesh.device)
        triangle = first.unsqueeze(-1) + slot
        return where(
            (slot < count) & crossed, _keys(shape, tables, deep, rays, triangle, axes + 1), NOTHING
        ).amin(-1)
    slot = Tensor.arange(FAN, dtype="int32", device=mesh.device)
    fanned = _column(shape, tables, deep, LEVELS + LEVEL * (level - 1) + FANNED).unsqueeze(-1)
    inside = _within(shape, tables, mesh, rays, level - 1, box.unsqueeze(-1) * fanned + slot, axes + 1)
    return where((slot < fanned) & crossed, inside, NOTHING).amin(-1)


def _crosses(
    shape: Shape, tables: Tables, mesh: Tensor, rays: Rays, level: int, box: Tensor, axes: int
) -> Tensor:
    """Whether rays go through boxes."""
    first = _column(shape, tables, mesh, LEVELS + LEVEL * level + BOX)
    begin = _row(first + box, tables.boxes, BOXES)
    near, far = [], []
    for axis, (eye, inverse) in enumerate(
        zip(_deeper(rays.begin, axes), _deeper(rays.inverse, axes), strict=True)
    ):
        low, high = (_at(tables.boxes, begin + (side + axis)) for side in (0, 3))
        forwards = inverse > 0.0
        near.append((where(forwards, low, high) - eye) * inverse)
        far.append((where(forwards, high, low) - eye) * inverse)
    # comparisons alone: nothing here is NaN, which minima and maxima would have to look for
    enter, leave = near[0], far[0]
    for one, other in zip(near[1:], far[1:], strict=True):
        enter, leave = where(enter < one, one, enter), where(other < leave, other, leave)
    return (enter <= leave * THICKNESS) & (leave >= 0.0) & (enter < shape.far)


def _keys(shape: Shape, tables: Tables, mesh: Tensor, rays: Rays, triangle: Tensor, axes: int) -> Tensor:
    """The keys of triangles that rays hit, `NOTHING` of others."""
    along, u, v, det = _crossed(tables, triangle, rays, axes)
    inside = (u >= -EDGE) & (u <= 1.0 + EDGE) & (v >= -EDGE) & (u + v <= 1.0 + EDGE)
    hit = (det != 0.0) & inside & (along > 0.0) & (along < shape.far)
    number = (triangle - _column(shape, tables, mesh, FIRST).unsqueeze(-1)).cast("int64")
    key = (along.bitcast("int64") & ~((1 << shape.bits) - 1)) | number
    return where(hit, key, NOTHING)


def _crossed(
    tables: Tables, triangle: Tensor, rays: Rays, axes: int = 0
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Where rays cross the planes of triangles: the parameter, the weights of the second and third corner,
    and a number that is negative where the ray comes from behind."""
    (ox, oy, oz), (dx, dy, dz) = _deeper(rays.begin, axes), _deeper(rays.ahead, axes)
    begin = _row(triangle, tables.corners, CORNERS)
    cx, cy, cz, e1x, e1y, e1z, e2x, e2y, e2z = (_at(tables.corners, begin + i) for i in range(9))
    px, py, pz = dy * e2z - dz * e2y, dz * e2x - dx * e2z, dx * e2y - dy * e2x
    det = e1x * px + e1y * py + e1z * pz
    inverse = 1.0 / where(det != 0.0, det, 1.0)
    sx, sy, sz = ox - cx, oy - cy, oz - cz
    u = (sx * px + sy * py + sz * pz) * inverse
    qx, qy, qz = sy * e1z - sz * e1y, sz * e1x - sx * e1z, sx * e1y - sy * e1x
    v = (dx * qx + dy * qy + dz * qz) * inverse
    return (e2x * qx + e2y * qy + e2z * qz) * inverse, u, v, det


# --- reading

#: numbers per row of the tables
BOXES, CORNERS, PAINT = 8, 10, 10


def _row(number: Tensor, table: Tensor, size: int) -> Tensor:
    """Where rows of so many numbers begin; one that is not there is the last, so that nothing is tested."""
    last = table.shape[0] // size - 1
    return number.maximum(0).minimum(last).cast("int64") * size


def _at(table: Tensor, index: Tensor) -> Tensor:
    return table.gather(0, index.reshape(-1)).reshape(index.shape)


def _taken(table: Tensor, index: Tensor) -> Tensor:
    return _at(table, _row(index, table, 1))


def _column(shape: Shape, tables: Tables, mesh: Tensor, column: int) -> Tensor:
    """One number of meshes of any shape."""
    return _at(tables.meshes, _row(mesh, tables.meshes, shape.columns) + column)
