"""Closed coloured surfaces to build objects from: turned, swept, blown and boxed. Metres, y up.

    body = revolve(curve([(0, 0), (0.04, 0), (0.04, 0.09), (0, 0.09)], 40), color=RED)
    grip = sweep(arc((0.04, 0.045, 0), 0.03, -90, 90), 0.006, color=RED)
    mug = joined([body, grip])

Every function gives a watertight mesh whose faces look outwards. Colour comes as one colour, or afterwards
with `painted`, which colours the faces a mask chooses, mostly by where their middles are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.reproducible import (
    arctan2,
    cos,
    cos_sin,
    cross,
    degrees,
    hypot,
    interpolate,
    linspace,
    norm,
    power,
    radians,
    sin,
    total,
    unit,
)
from saccade.world.meshes.mesh import Mesh

Array = npt.NDArray[np.float64]
Color = tuple[float, float, float]
Bools = npt.NDArray[np.bool_]

WHITE, BLACK, STEEL = (0.95, 0.95, 0.93), (0.08, 0.08, 0.08), (0.72, 0.74, 0.76)


def curve(points: npt.ArrayLike, count: int = 40) -> Array:
    """`count` points, evenly spaced by length, on a smooth curve (Catmull-Rom) through the given ones (n,
    d)."""
    p = np.asarray(points, np.float64)
    padded = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    t = np.arange(16)[None, :, None] / 16
    a, b, c, d = (padded[i : len(padded) - 3 + i, None] for i in range(4))
    smooth = 0.5 * (
        2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t
    )
    return resampled(np.concatenate([smooth.reshape(-1, p.shape[1]), p[-1:]]), count)


def polyline(points: npt.ArrayLike, count: int = 40) -> Array:
    """Points on straight lines through the given ones, which are kept: corners stay sharp."""
    p = np.asarray(points, np.float64)
    lengths = norm(np.diff(p, axis=0))
    pieces = np.maximum(1, np.round(count * lengths / total(lengths)).astype(int))
    parts = [
        p[i] + linspace(0, 1, n, endpoint=False)[:, None] * (p[i + 1] - p[i]) for i, n in enumerate(pieces)
    ]
    return np.concatenate([*parts, p[-1:]])


def resampled(points: Array, count: int) -> Array:
    """`count` points evenly spaced by length along the given line."""
    along = np.concatenate([[0], np.cumsum(norm(np.diff(points, axis=0)))])
    where = linspace(0, along[-1], count)
    return np.stack([interpolate(where, along, points[:, k]) for k in range(points.shape[1])], axis=1)


def arc(centre: Sequence[float], radius: float, start: float, stop: float, count: int = 24) -> Array:
    """Points on a circle in the xy plane, angles in degrees."""
    angle = radians(linspace(start, stop, count))
    flat = np.stack([*cos_sin(angle), np.zeros_like(angle)], axis=1)
    return np.asarray(centre, np.float64) + radius * flat


def outward(mesh: Mesh) -> Mesh:
    """The mesh without faces of no area, turned inside out if its volume is negative."""
    keep = mesh.area > 1e-14
    whole = Mesh(mesh.vertices, mesh.faces[keep], mesh.colors[keep])
    return whole if whole.volume >= 0 else Mesh(whole.vertices, whole.faces[:, ::-1], whole.colors[:, ::-1])


def grid(points: Array, wrap_rows: bool, wrap_columns: bool) -> npt.NDArray[np.int64]:
    """Faces (F, 3) of a sheet of points (rows, columns, 3), joined at its ends where asked."""
    rows, columns = points.shape[:2]
    index = np.arange(rows * columns).reshape(rows, columns)
    if wrap_rows:
        index = np.concatenate([index, index[:1]])
    if wrap_columns:
        index = np.concatenate([index, index[:, :1]], axis=1)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, :-1], index[1:, 1:]
    return np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([b, d, c], -1).reshape(-1, 3)])


def revolve(
    profile: npt.ArrayLike,
    segments: int = 48,
    color: Color = (0.6, 0.6, 0.6),
    squash: float = 1.0,
    wave: float = 0.0,
    waves: int = 0,
) -> Mesh:
    """Turn a profile (n, 2) of (radius, height) about y; it begins and ends on the axis, or meets itself.

    squash narrows it along z; `waves` flutes of relative depth `wave` run around it.
    """
    p = np.asarray(profile, np.float64)
    closed = bool(np.allclose(p[0], p[-1])) and p[0, 0] > 0
    p = p[:-1] if closed else p
    angle = 2 * np.pi * np.arange(segments) / segments
    radius = p[:, :1] * (1 + wave * cos(waves * angle))[None]
    height = np.broadcast_to(p[:, 1:], radius.shape)
    sheet = np.stack([radius * cos(angle), height, squash * radius * sin(angle)], axis=-1)
    return outward(Mesh.of(sheet.reshape(-1, 3), grid(sheet, closed, True), color))


def sweep(
    path: npt.ArrayLike,
    radius: float | npt.ArrayLike,
    color: Color = (0.6, 0.6, 0.6),
    segments: int = 16,
    flat: float = 1.0,
    up: Sequence[float] = (0.0, 0.0, 1.0),
    closed: bool = False,
) -> Mesh:
    """Carry a disc along a path (n, 3); radius one number or one a point. The ends are closed by caps.

    `flat` scales the disc along `up`, as far as the path is across it; `closed` joins the last point to the
    first.
    """
    p = np.asarray(path, np.float64)
    r = np.broadcast_to(np.asarray(radius, np.float64), (len(p),))
    if not closed:
        p, r = np.concatenate([p[:1], p, p[-1:]]), np.concatenate([[0.0], r, [0.0]])
        tangent = np.gradient(p[1:-1], axis=0)
        tangent = np.concatenate([tangent[:1], tangent, tangent[-1:]])
    else:
        tangent = np.roll(p, -1, axis=0) - np.roll(p, 1, axis=0)
    tangent = unit(tangent)
    side = unit(cross(up, tangent))
    across = cross(tangent, side)
    angle = 2 * np.pi * np.arange(segments) / segments
    disc = cos(angle)[:, None] * side[:, None] + flat * sin(angle)[:, None] * across[:, None]
    sheet = p[:, None] + r[:, None, None] * disc
    return outward(Mesh.of(sheet.reshape(-1, 3), grid(sheet, closed, True), color))


def rod(
    start: Sequence[float], stop: Sequence[float], radius: float, color: Color, segments: int = 20
) -> Mesh:
    """A straight cylinder between two points."""
    path = linspace(start, stop, 10)
    along = np.abs(path[-1] - path[0])
    up = (0.0, 0.0, 1.0) if along[2] < 0.9 * norm(along) else (0.0, 1.0, 0.0)
    return sweep(path, radius, color, segments, up=up)


def blob(
    size: Sequence[float],
    color: Color = (0.6, 0.6, 0.6),
    round_up: float = 1.0,
    round_side: float = 1.0,
    rings: int = 24,
    segments: int = 40,
) -> Mesh:
    """A superellipsoid with the half axes `size`: exponents of 1 make an ellipsoid, small ones a box or a
    drum."""

    def bent(value: Array, exponent: float) -> Array:
        return np.asarray(np.sign(value) * power(np.abs(value), exponent))

    v = linspace(-np.pi / 2, np.pi / 2, rings)[:, None]
    u = 2 * np.pi * np.arange(segments)[None] / segments
    cv = bent(cos(v), round_up)
    cv[0] = cv[-1] = 0.0
    shape = [
        cv * bent(cos(u), round_side),
        np.broadcast_to(bent(sin(v), round_up), (rings, segments)),
        cv * bent(sin(u), round_side),
    ]
    sheet = np.stack(shape, axis=-1) * np.asarray(size, np.float64)
    return outward(Mesh.of(sheet.reshape(-1, 3), grid(sheet, False, True), color))


def box(
    size: Sequence[float], radius: float = 0.002, color: Color = (0.6, 0.6, 0.6), pieces: int = 12
) -> Mesh:
    """A box with full side lengths `size`, edges rounded by `radius`, about `pieces` quads along its
    longest side."""
    half = np.asarray(size, np.float64) / 2
    counts = np.maximum(3, np.round(pieces * half / half.max()).astype(int))
    rows, faces, offset = [], [], 0
    for axis in range(3):
        u, v = [(1, 2), (2, 0), (0, 1)][axis]
        for sign in (-1.0, 1.0):
            a, b = np.meshgrid(
                ticks(half[u], radius, counts[u]), ticks(half[v], radius, counts[v]), indexing="ij"
            )
            sheet = np.empty((*a.shape, 3))
            sheet[..., axis], sheet[..., u], sheet[..., v] = sign * half[axis], a, b
            corners = grid(sheet, False, False)
            faces.append((corners if sign < 0 else corners[:, ::-1]) + offset)
            rows.append(sheet.reshape(-1, 3))
            offset += len(rows[-1])
    points = np.concatenate(rows)
    core = np.clip(points, -(half - radius), half - radius)
    out = points - core
    length = norm(out, keepdims=True)
    return outward(Mesh.of(core + radius * out / np.maximum(length, 1e-12), np.concatenate(faces), color))


def ticks(half: float, radius: float, count: int) -> Array:
    """Places along a side of a box: evenly between the rounded edges, and a few extra on them."""
    flat = linspace(-(half - radius), half - radius, count + 1)
    edge = radius * np.array([0.35, 0.7, 1.0])
    return np.concatenate([-half + radius - edge[::-1], flat, half - radius + edge])


def middles(mesh: Mesh) -> Array:
    """(F, 3): the middle of every face, to say which faces get which colour."""
    return np.asarray((mesh.triangles[:, 0] + mesh.triangles[:, 1] + mesh.triangles[:, 2]) / 3)


def painted(mesh: Mesh, *coats: tuple[Bools, Color]) -> Mesh:
    """Give the faces chosen by masks (F,) their colours; later coats cover earlier ones."""
    colors = mesh.colors.copy()
    for chosen, color in coats:
        colors[chosen] = color
    return Mesh(mesh.vertices, mesh.faces, colors)


def turn(mesh: Mesh, axis: str, degrees: float) -> Mesh:
    """Turned about the x, y or z axis, right-handed."""
    c, s = map(float, cos_sin(radians(degrees)))
    matrices: dict[str, list[list[float]]] = {
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }
    return mesh.moved(rotation=matrices[axis])


def around(points: Array) -> Array:
    """The angle of points (n, 3) about the y axis, degrees: 0 along +x, 90 along +z."""
    return np.asarray(degrees(arctan2(points[:, 2], points[:, 0])))


def from_axis(points: Array) -> Array:
    """The distance of points (n, 3) from the y axis, about which things are turned."""
    return np.asarray(hypot(points[:, 0], points[:, 2]))
