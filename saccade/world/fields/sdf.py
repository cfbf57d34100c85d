"""Distance and colour fields of a mesh: how far is the surface, on which side, and what colour is it.

The field is a box of grid points, a little larger than the mesh. Near the surface (the band) distances are
exact: every triangle is measured against the grid points around it. Further off, each point tries the
triangles its neighbours found nearest, swept over the grid from all eight corners; outside that errs by
less than a tenth of a grid step.

The sign comes from crossings: along each grid line, count +1 for every face entered and -1 for every face
left. For a closed mesh that is the winding number, also where parts overlap; for a mesh with holes the six
directions vote.

    field = build_field(mesh, points=600_000)
    field.distance       # (X, Y, Z) float16, in steps of the grid, negative inside
    field.color          # (X, Y, Z, 3) uint8
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.files.npz import read_npz, to_npz
from saccade.reproducible import dot
from saccade.reproducible.native import F64, I64, F64s, I64s, native, scratch_f64, sqrt
from saccade.runtime.cache.cache import Cache, key_of, shared_cache
from saccade.world.meshes.mesh import Mesh

Array = npt.NDArray[np.float64]
BAND = 3.0  # grid steps on either side of the surface that are measured against every triangle
MARGIN = 3  # grid points kept free around the mesh
# Part of the key of what is cached: raise it when a mesh comes to have another field.
VERSION = "2"


@dataclass(frozen=True)
class Field:
    """Grid point (i, j, k) lies at origin + pitch * (i, j, k), in the frame of the mesh."""

    distance: npt.NDArray[np.float16]
    color: npt.NDArray[np.uint8]
    origin: Array
    pitch: float


@native
def point_triangle(corners: F64s, t: I64, px: F64, py: F64, pz: F64, found: F64s) -> None:
    """Squared distance of a point from triangle t (first corner and two edges) and the weights of corners
    two and three.

    found: squared distance, weight of the second, weight of the third corner at the closest point.
    """
    c = t * 9
    ax, ay, az = corners[c + 3], corners[c + 4], corners[c + 5]
    bx, by, bz = corners[c + 6], corners[c + 7], corners[c + 8]
    sx, sy, sz = px - corners[c], py - corners[c + 1], pz - corners[c + 2]
    aa, ab, bb = ax * ax + ay * ay + az * az, ax * bx + ay * by + az * bz, bx * bx + by * by + bz * bz
    sa, sb = sx * ax + sy * ay + sz * az, sx * bx + sy * by + sz * bz
    area = aa * bb - ab * ab
    u, v = 0.0, 0.0
    inside = 0
    if area > 0.0:
        u = (bb * sa - ab * sb) / area
        v = (aa * sb - ab * sa) / area
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            inside = 1
    best = 1e300
    bu, bv = 0.0, 0.0
    if inside == 1:
        bu, bv = u, v
        dx, dy, dz = sx - u * ax - v * bx, sy - u * ay - v * by, sz - u * az - v * bz
        best = dx * dx + dy * dy + dz * dz
    else:
        # the closest point lies on one of the three edges
        for edge in range(3):
            if edge == 0:
                u = min(max(sa / aa, 0.0), 1.0) if aa > 0.0 else 0.0
                v = 0.0
            elif edge == 1:
                u = 0.0
                v = min(max(sb / bb, 0.0), 1.0) if bb > 0.0 else 0.0
            else:
                length = aa - 2.0 * ab + bb
                along = (sb - sa + aa - ab) / length if length > 0.0 else 0.0
                v = min(max(along, 0.0), 1.0)
                u = 1.0 - v
            dx, dy, dz = sx - u * ax - v * bx, sy - u * ay - v * by, sz - u * az - v * bz
            far = dx * dx + dy * dy + dz * dz
            if far < best:
                best = far
                bu, bv = u, v
    found[0] = best
    found[1] = bu
    found[2] = bv


@native
def measure_band(
    corners: F64s,
    count: I64,
    origin: F64s,
    pitch: F64,
    band: F64,
    nx: I64,
    ny: I64,
    nz: I64,
    square: F64s,
    nearest: I64s,
) -> None:
    """Measure every triangle against the grid points within `band` of its box; keep the least squared
    distance."""
    found = scratch_f64(3)
    for t in range(count):
        c = t * 9
        x0, y0, z0 = corners[c], corners[c + 1], corners[c + 2]
        lx = x0 + min(0.0, min(corners[c + 3], corners[c + 6])) - band - origin[0]
        ly = y0 + min(0.0, min(corners[c + 4], corners[c + 7])) - band - origin[1]
        lz = z0 + min(0.0, min(corners[c + 5], corners[c + 8])) - band - origin[2]
        hx = x0 + max(0.0, max(corners[c + 3], corners[c + 6])) + band - origin[0]
        hy = y0 + max(0.0, max(corners[c + 4], corners[c + 7])) + band - origin[1]
        hz = z0 + max(0.0, max(corners[c + 5], corners[c + 8])) + band - origin[2]
        for i in range(max(int(lx / pitch), 0), min(int(hx / pitch) + 2, nx)):
            for j in range(max(int(ly / pitch), 0), min(int(hy / pitch) + 2, ny)):
                for k in range(max(int(lz / pitch), 0), min(int(hz / pitch) + 2, nz)):
                    at = (i * ny + j) * nz + k
                    point_triangle(
                        corners, t, origin[0] + i * pitch, origin[1] + j * pitch, origin[2] + k * pitch, found
                    )
                    if found[0] < square[at]:
                        square[at] = found[0]
                        nearest[at] = t


@native
def sweep(
    corners: F64s,
    origin: F64s,
    pitch: F64,
    nx: I64,
    ny: I64,
    nz: I64,
    sx: I64,
    sy: I64,
    sz: I64,
    square: F64s,
    nearest: I64s,
) -> None:
    """Go over the grid once, upwards (1) or downwards (-1) along each axis, trying the neighbours' nearest
    triangles."""
    found = scratch_f64(3)
    for a in range(nx):
        i = a if sx > 0 else nx - 1 - a
        for b in range(ny):
            j = b if sy > 0 else ny - 1 - b
            for c in range(nz):
                k = c if sz > 0 else nz - 1 - c
                at = (i * ny + j) * nz + k
                for axis in range(3):
                    other = -1
                    if axis == 0 and a > 0:
                        other = at - sx * ny * nz
                    elif axis == 1 and b > 0:
                        other = at - sy * nz
                    elif axis == 2 and c > 0:
                        other = at - sz
                    if other >= 0 and nearest[other] >= 0 and nearest[other] != nearest[at]:
                        # a neighbour's distance less one step bounds ours from below
                        least = sqrt(square[other]) - pitch
                        if least <= 0.0 or least * least < square[at]:
                            point_triangle(
                                corners,
                                nearest[other],
                                origin[0] + i * pitch,
                                origin[1] + j * pitch,
                                origin[2] + k * pitch,
                                found,
                            )
                            if found[0] < square[at]:
                                square[at] = found[0]
                                nearest[at] = nearest[other]


@native
def count_crossings(
    corners: F64s,
    count: I64,
    u: I64,
    v: I64,
    w: I64,
    origin: F64s,
    pitch: F64,
    nu: I64,
    nv: I64,
    nw: I64,
    steps: I64s,
) -> None:
    """For every triangle and grid line along w: +1 or -1 at the first grid point behind the crossing.

    steps: (nu, nv, nw + 1). A face that looks against the line is entered (+1), one that looks along it is
    left (-1). A line that met an edge exactly would count twice; `build_field` shifts the grid so that none
    does.
    """
    for t in range(count):
        c = t * 9
        au, av, aw = corners[c + u], corners[c + v], corners[c + w]
        bu, bv, bw = au + corners[c + 3 + u], av + corners[c + 3 + v], aw + corners[c + 3 + w]
        cu, cv, cw = au + corners[c + 6 + u], av + corners[c + 6 + v], aw + corners[c + 6 + w]
        area = (bu - au) * (cv - av) - (bv - av) * (cu - au)
        if area == 0.0:
            continue
        lu = (min(au, min(bu, cu)) - origin[u]) / pitch
        hu = (max(au, max(bu, cu)) - origin[u]) / pitch
        lv = (min(av, min(bv, cv)) - origin[v]) / pitch
        hv = (max(av, max(bv, cv)) - origin[v]) / pitch
        for i in range(max(int(lu), 0), min(int(hu) + 2, nu)):
            for j in range(max(int(lv), 0), min(int(hv) + 2, nv)):
                x, y = origin[u] + i * pitch, origin[v] + j * pitch
                ea = (bu - x) * (cv - y) - (bv - y) * (cu - x)
                eb = (cu - x) * (av - y) - (cv - y) * (au - x)
                ec = (au - x) * (bv - y) - (av - y) * (bu - x)
                if area < 0.0:
                    ea, eb, ec = -ea, -eb, -ec
                if ea >= 0.0 and eb >= 0.0 and ec >= 0.0 and ea + eb + ec > 0.0:
                    depth = (ea * aw + eb * bw + ec * cw) / (ea + eb + ec)
                    behind = (depth - origin[w]) / pitch
                    k = min(max(int(behind) + 1, 0), nw)
                    steps[(i * nv + j) * (nw + 1) + k] += -1 if area > 0.0 else 1


def build_field(mesh: Mesh, points: int = 600_000) -> Field:
    """The field of a mesh on about `points` grid points."""
    size = mesh.high - mesh.low
    pitch = grid_pitch(size, points)
    shape = np.ceil(size / pitch).astype(int) + 1 + 2 * MARGIN
    # the grid is shifted off the mesh by an odd share of a step, so that hardly any grid line meets an edge
    origin = (mesh.low + mesh.high) / 2 - pitch * ((shape - 1) / 2 + np.array([0.1273, 0.0819, 0.1541]))
    triangles = mesh.triangles
    edges = [triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]]
    corners = np.ascontiguousarray(np.concatenate(edges, axis=1))
    square, nearest = np.full(shape, np.inf), np.full(shape, -1, np.int64)
    grid = [int(n) for n in shape]
    measure_band(corners, len(corners), origin, pitch, BAND * pitch, *grid, square, nearest)
    for direction in np.ndindex(2, 2, 2):
        sweep(corners, origin, pitch, *grid, *(1 - 2 * d for d in direction), square, nearest)
    inside = is_inside(corners, origin, pitch, shape)
    distance = np.sqrt(square) / pitch * np.where(inside, -1.0, 1.0)
    # half precision is exact to a two-thousandth of a step where it matters, within a step of the surface
    return Field(
        distance.astype(np.float16), nearest_color(mesh, corners, nearest, origin, pitch), origin, pitch
    )


def grid_pitch(size: Array, points: int) -> float:
    """The grid step at which a box of this size with its margin has about `points` points."""
    low, high = float(size.max()) / 4096, float(size.max())
    for _ in range(60):
        middle = (low + high) / 2
        x, y, z = size / middle + 1 + 2 * MARGIN
        low, high = (middle, high) if x * y * z > points else (low, middle)
    return high


def is_inside(
    corners: Array, origin: Array, pitch: float, shape: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """(X, Y, Z): whether most of six counts of crossings, from either end along each axis, find the point
    inside."""
    votes = np.zeros(shape, np.int64)
    for u, v, w in ((1, 2, 0), (2, 0, 1), (0, 1, 2)):
        nu, nv, nw = int(shape[u]), int(shape[v]), int(shape[w])
        steps = np.zeros((nu, nv, nw + 1), np.int64)
        count_crossings(corners, len(corners), u, v, w, origin, pitch, nu, nv, nw, steps)
        before = np.cumsum(steps, axis=2)[:, :, :-1]
        after = before - steps.sum(axis=2, keepdims=True)
        for winding in (before, after):
            votes += np.transpose(winding > 0, np.argsort((u, v, w)))
    return votes > 3


def nearest_color(
    mesh: Mesh, corners: Array, nearest: npt.NDArray[np.int64], origin: Array, pitch: float
) -> npt.NDArray[np.uint8]:
    """(X, Y, Z, 3): the colour of the surface point nearest to each grid point."""
    place = origin + pitch * np.moveaxis(np.indices(nearest.shape), 0, -1).reshape(-1, 3)
    which = nearest.ravel()
    first, a, b = (corners[which, k : k + 3] for k in (0, 3, 6))
    s = place - first
    aa, ab, bb, sa, sb = dot(a, a), dot(a, b), dot(b, b), dot(s, a), dot(s, b)
    area = np.maximum(aa * bb - ab * ab, 1e-300)
    # weights of the foot point, pulled into the triangle: near the closest point where they are not it
    u = np.clip((bb * sa - ab * sb) / area, 0, 1)
    v = np.clip((aa * sb - ab * sa) / area, 0, 1)
    over = np.maximum(u + v, 1.0)
    u, v = (u / over)[:, None], (v / over)[:, None]
    paint = mesh.colors[which]
    rgb = paint[:, 0] * (1 - u - v) + paint[:, 1] * u + paint[:, 2] * v
    byte = np.round(np.clip(rgb, 0, 1) * 255).astype(np.uint8)
    return np.asarray(byte.reshape(*nearest.shape, 3))


def cached_field(mesh: Mesh, points: int = 600_000, cache: Cache | None = None) -> Field:
    """The field of a mesh, built once: afterwards from the cache on disk, by the content of the mesh."""
    cache = cache or shared_cache()
    content = [np.ascontiguousarray(part).tobytes() for part in (mesh.vertices, mesh.faces, mesh.colors)]
    key = key_of("field", VERSION, str(points), *content)
    found = cache.load(key, stored_field)
    if found is not None:
        return found
    field = build_field(mesh, points)
    cache.put(key, to_npz(compress=True, **vars(field)))
    return field


def stored_field(data: bytes) -> Field:
    """The field of a file; one of `FAILURES` if it holds none."""
    saved = read_npz(data)
    distance, color, origin = saved["distance"], saved["color"], saved["origin"]
    shape, pitch = distance.shape, saved["pitch"].item()
    whole = len(shape) == 3 and min(shape) > 1 and color.shape == (*shape, 3) and origin.shape == (3,)
    types = distance.dtype == np.float16 and color.dtype == np.uint8 and origin.dtype == np.float64
    if not (whole and types and np.isfinite(origin).all() and 0 < pitch < np.inf):
        raise ValueError(f"a field of shape {shape} with a pitch of {pitch}")
    return Field(distance, color, origin, float(pitch))
