"""The shape of a surface patch: normal, principal curvatures and principal directions, many patches at once.

Comes in: patches of surface points `(B, P, P, 3)` with a mask of valid pixels, the point the patch is judged
at, and the axes of the sensor that saw it. Goes out: a `SurfaceFit` with one row per patch. Nothing here
knows of colours, messages or time.

Conventions, pinned by golden tests:

* The **normal** is a unit vector and points to the sensor's side of the surface.
* **Curvatures** are those of the height above the tangent plane *along the normal*, in 1/metre. A ball seen
  from outside falls away from the normal, so convex is negative: a ball of radius r has (-1/r, -1/r), the
  inside of a bowl (+1/r, +1/r), a plane (0, 0).
* **Order** is algebraic, k1 >= k2. A rod of radius r seen from outside has k1 = 0 along its axis and k2 =
  -1/r around it. (Ordering by magnitude would swap the directions wherever k1 = -k2, in the middle of every
  saddle.)
* **Directions** are unit vectors; (normal, first, second) is orthonormal and right handed, and the first goes
  with k1. A direction is an axis, so its sign is free; it is pinned to the sensor (never pointing to its
  left), hence turning sensor and surface together turns the pose with them. Where all directions are equal
  (k1 = k2) the first is the sensor's right-hand axis laid into the tangent plane.

The fit: a plane first (its normal gives a tangent frame), then a quadratic height field
`h = a uu + b vv + c uv + d u + e v + f` in that frame by weighted least squares, with a Gaussian window.
Curvatures are those of the fitted height field at its centre, exactly (first and second fundamental form), so
a frame that is a few degrees off costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from saccade.reproducible import (
    apply,
    columns,
    cross,
    dot,
    eigen_symmetric,
    exp,
    half_angle,
    hypot,
    norm,
    solve_positive,
    total,
    unit,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

Terms = tuple[tuple[int, int], ...]
NormalMethod = Literal["weighted", "total", "quadratic"]

# One over the condition at which the normal equations are as good as singular: the points lie on a line, or
# on one curve that a whole family of quadratics contains.
SINGULAR = 1e-9
# Rise over run beyond which neighbouring pixels see two surfaces: 76 degrees from head on.
STEEPEST = 4.0
# What height is made of, as powers of u and v: a plane, a quadratic.
PLANE = ((1, 0), (0, 1), (0, 0))
QUADRATIC = ((2, 0), (0, 2), (1, 1), (1, 0), (0, 1), (0, 0))
# The plane is fitted to pixels within this share of the patch width from the centre; the standard deviation
# of the window of the quadratic fit is this share of it.
NORMAL_RADIUS, SIGMA = 1 / 3.2, 1 / 2.13
# Pixels times patches worked on at once: 64 x 64 patches took 0.76 ms each at 8192 and 0.38 ms at 65536.
_CHUNK_PIXELS = 65536


@dataclass(frozen=True)
class SurfaceFit:
    """One row per patch; where `has_curvature` is false directions and curvatures are 0, where `has_normal`
    is false the normal is the axis towards the viewer.

    normal (B, 3), first (B, 3), second (B, 3) unit vectors; curvatures (B, 2) as (k1, k2) in 1/m;
    has_normal (B,), has_curvature (B,) bool.
    """

    normal: Floats
    first: Floats
    second: Floats
    curvatures: Floats
    has_normal: Flags
    has_curvature: Flags


@lru_cache(maxsize=8)
def pixel_distances(size: int) -> Floats:
    """(size, size) distance of every pixel from the centre pixel, in pixels."""
    offset = np.arange(size) - size // 2
    return hypot(offset[:, None], offset)


@lru_cache(maxsize=8)
def gaussian(size: int, sigma: float) -> Floats:
    """(size, size) window that falls off with the distance from the centre pixel, where it is 1."""
    return exp(-0.5 * np.square(pixel_distances(size) / sigma))


def same_surface(points: Floats, valid: Flags, axes: Floats) -> Flags:
    """(B, P, P) the valid pixels that belong to the surface at the centre, not to one before or behind it.

    Between neighbouring pixels of one surface depth changes by at most `STEEPEST` times what they are apart
    across the view. A pixel belongs to the centre if it is reached without a larger change, along the
    centre's row and then its own column, or the other way round. points (B, P, P, 3), axes (B, 3, 3) as for
    `fit_surfaces`.
    """
    middle = points.shape[1] // 2
    x, y, z = planes = np.ascontiguousarray(np.moveaxis(points, -1, 0))  # (B, P, P) each
    to_x, to_y, to_z = axes[:, :, 2].T[:, :, None, None]
    with np.errstate(invalid="ignore", over="ignore"):  # pixels that see nothing may hold anything
        depth = to_x * x + to_y * y + to_z * z
    # rise over run as the share of the rise in the whole step, which needs no root
    most = STEEPEST * STEEPEST / (1 + STEEPEST * STEEPEST)

    def links(axis: int) -> Flags:
        """Whether each pixel and the next along an axis, which comes first here, are of one surface."""
        on = np.moveaxis(valid, axis, 0)
        with np.errstate(invalid="ignore", over="ignore"):  # as above
            (dx, dy, dz), rise = np.diff(planes, axis=axis + 1), np.diff(depth, axis=axis)
            smooth = rise * rise <= most * (dx * dx + dy * dy + dz * dz)
        return np.asarray(on[1:] & on[:-1] & np.moveaxis(smooth, axis, 0))

    def spread(start: Flags, link: Flags) -> Flags:
        """Pixels (P, ...) reached from the middle line `start` (...) through links (P - 1, ...)."""
        ahead = np.logical_and.accumulate(np.concatenate([start[None], link[middle:]]))
        behind = np.logical_and.accumulate(np.concatenate([start[None], link[:middle][::-1]]))
        return np.concatenate([behind[:0:-1], ahead])

    down, right = links(1), links(2)  # (P - 1, B, P) each
    centre = valid[:, middle, middle]
    row, column = spread(centre, right[:, :, middle]), spread(centre, down[:, :, middle])  # (P, B) each
    by_row = np.moveaxis(spread(row.T, down), 0, 1)
    by_column = np.moveaxis(spread(column.T, right), 0, 2)
    return np.ascontiguousarray(by_row | by_column)


def fit_surfaces(
    points: Floats,
    valid: Flags,
    origin: Floats,
    axes: Floats,
    *,
    normal_method: NormalMethod = "quadratic",
    normal_radius: float = NORMAL_RADIUS,
    curvature_sigma: float = SIGMA,
) -> SurfaceFit:
    """Fit B patches.

    points (B, P, P, 3) in any right-handed frame (values at invalid pixels are never used, NaN included);
    valid (B, P, P); origin (B, 3) the surface point of the patch centre; axes (B, 3, 3) whose columns are the
    sensor's right, up and backward (towards the viewer) axes in the frame of the points.
    normal_radius: the plane is fitted to pixels within this share of the patch width from the centre.
    curvature_sigma: standard deviation of the window of the quadratic fit, as a share of the patch width.
    """
    batch, size = points.shape[0], points.shape[1]
    if points.shape[1:] != (size, size, 3) or valid.shape != points.shape[:3]:
        raise ValueError(
            f"need patches (B, P, P, 3) with a mask (B, P, P): got {points.shape} and {valid.shape}"
        )
    distance = pixel_distances(size).ravel()
    disc = np.flatnonzero(distance <= max(size * normal_radius, 1.0))
    window = gaussian(size, size * curvature_sigma).ravel()
    chunk = max(1, _CHUNK_PIXELS // (size * size))
    parts = []
    for start in range(0, batch, chunk):
        rows = slice(start, start + chunk)
        mask = valid[rows].reshape(-1, size * size)
        # Pixels run along the last axis, so that every pass below walks memory in order.
        offsets = points[rows].reshape(-1, size * size, 3).transpose(0, 2, 1) - origin[rows, :, None]
        offsets = np.where(mask[:, None], offsets, 0.0)
        parts.append(_fit_chunk(offsets, mask, axes[rows], disc, window, normal_method))
    if not parts:
        return SurfaceFit(*(np.zeros((0, 3)),) * 3, np.zeros((0, 2)), np.zeros(0, bool), np.zeros(0, bool))
    return SurfaceFit(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _fit_chunk(
    offsets: Floats, mask: Flags, axes: Floats, disc: NDArray[np.intp], window: Floats, method: NormalMethod
) -> tuple[Floats, Floats, Floats, Floats, Flags, Flags]:
    near, inner = mask.take(disc, axis=1).astype(np.float64), offsets.take(disc, axis=2)
    if method == "total":
        plane_normal, has_normal = _plane_total(inner, near, axes)
    else:
        plane_normal, has_normal = _plane_along_view(inner, near * window[disc], axes)
    coefficients, frame, solvable = _quadratic(offsets, mask * window, plane_normal, axes)
    k, fitted_normal, first = principal(coefficients, frame)
    has_curvature = has_normal & solvable
    of_quadratic = has_curvature[:, None] & (method == "quadratic")
    normal = np.where(of_quadratic, fitted_normal, plane_normal)
    first, second = _pin_directions(normal, first, axes)
    shown = has_curvature[:, None]
    return normal, first * shown, second * shown, k * shown, has_normal, has_curvature


def _plane_along_view(offsets: Floats, weights: Floats, axes: Floats) -> tuple[Floats, Flags]:
    """Weighted least-squares plane, errors along the view axis: depth is what a depth sensor gets wrong."""
    right, up, backward = _along(axes, offsets)
    solution, solvable = _solve(right, up, PLANE, weights, backward)
    slope = np.where(solvable[:, None], solution[:, :2], 0.0)
    local_normal = np.concatenate([-slope, np.ones_like(slope[:, :1])], axis=1)
    return unit(apply(axes, local_normal)), solvable


def _along(axes: Floats, offsets: Floats) -> tuple[Floats, Floats, Floats]:
    """Offsets (B, 3, M) along the three columns of axes (B, 3, 3), each (B, M)."""
    x, y, z = offsets[:, 0], offsets[:, 1], offsets[:, 2]
    found = [axes[:, 0, i, None] * x + axes[:, 1, i, None] * y + axes[:, 2, i, None] * z for i in range(3)]
    return found[0], found[1], found[2]


def _plane_total(offsets: Floats, weights: Floats, axes: Floats) -> tuple[Floats, Flags]:
    """Total least-squares plane: the direction of least spread, whatever the viewing angle."""
    number = total(weights)
    weighted = offsets * weights[:, None]
    share = np.maximum(number, 1.0)[:, None]
    mean = total(weighted) / share
    second_moment = total(weighted[:, :, None] * offsets[:, None]) / share[..., None]
    covariance = second_moment - mean[:, :, None] * mean[:, None, :]
    values, vectors = eigen_symmetric(covariance)
    view = axes[:, :, 2]
    # A plane needs spread in two directions; with less the smallest eigenvector is any of many.
    solvable = (values[:, 1] > SINGULAR * values[:, 2]) & (values[:, 2] > 0) & (number >= 3)
    normal = vectors[:, :, 0] * np.where(dot(vectors[:, :, 0], view) < 0, -1.0, 1.0)[:, None]
    return np.where(solvable[:, None], normal, view), solvable


def _tangent_frame(normal: Floats, axes: Floats) -> Floats:
    """(B, 3, 3) with columns u (the sensor's right axis laid into the tangent plane), normal x u, normal."""
    u = axes[:, :, 0] - dot(axes[:, :, 0], normal)[:, None] * normal
    up = axes[:, :, 1] - dot(axes[:, :, 1], normal)[:, None] * normal
    u = unit(np.where(norm(u, keepdims=True) > 1e-6, u, up))
    return columns(u, cross(normal, u), normal)


def _quadratic(
    offsets: Floats, weights: Floats, normal: Floats, axes: Floats
) -> tuple[Floats, Floats, Flags]:
    """Coefficients (B, 6) of uu, vv, uv, u, v, 1 in the tangent frame, that frame, and which fits are
    determined.
    """
    frame = _tangent_frame(normal, axes)
    u, v, height = _along(frame, offsets)
    solution, solvable = _solve(u, v, QUADRATIC, weights, height)
    return np.where(solvable[:, None], solution, 0.0), frame, solvable


def _solve(u: Floats, v: Floats, terms: Terms, weights: Floats, target: Floats) -> tuple[Floats, Flags]:
    """Weighted least squares of `target` by `terms` of u and v, all (B, M), by the normal equations: the
    coefficients (B, F) and a solvable flag (B,).

    Lengths are measured in their own root mean square meanwhile, so that metres do not decide what is
    singular.
    """
    powers, place = _moments(terms)
    moments = np.empty((len(u), len(powers) + len(terms), u.shape[1]))
    for number, (i, j) in enumerate(powers):
        if j:
            np.multiply(moments[:, powers.index((i, j - 1))], v, out=moments[:, number])
        elif i:
            np.multiply(moments[:, powers.index((i - 1, 0))], u, out=moments[:, number])
        else:
            moments[:, number] = weights
    for number, term in enumerate(terms, start=len(powers)):
        np.multiply(moments[:, powers.index(term)], target, out=moments[:, number])
    sums = total(moments)
    across, up, number_of = (sums[:, powers.index(each)] for each in ((2, 0), (0, 2), (0, 0)))
    scale = np.sqrt((across + up) / np.maximum(number_of, 1e-12))
    scale = np.where(scale > 1e-12, scale, 1.0)
    by_power = (np.ones_like(scale), scale, scale * scale)
    units = columns(*(by_power[i + j] for i, j in terms))
    gram = sums[:, place] / (units[:, :, None] * units[:, None, :])
    solution, condition = solve_positive(gram, sums[:, len(powers) :] / units)
    enough = np.count_nonzero(weights, axis=1) >= len(terms)
    return solution / units, enough & (condition * SINGULAR < 1.0)


@lru_cache
def _moments(terms: Terms) -> tuple[Terms, NDArray[np.int64]]:
    """The powers of u and v that products of two terms have, and which of them each product is (F, F)."""
    products = [[(a + c, b + d) for c, d in terms] for a, b in terms]
    powers = tuple(sorted({each for row in products for each in row}))
    return powers, np.array([[powers.index(each) for each in row] for row in products])


def shape_operator(coefficients: Any, area: Any) -> tuple[Any, Any, Any, Any]:
    """The operator (s11, s12, s22) of a height field in an orthonormal basis of its tangent plane, t1 along u
    and t2 across it, and first_uu, the squared length of a step along u. coefficients a, b, c, d, e of
    `principal` and area, the root of 1 + dd + ee: arrays or tensors (B,)."""
    a, b, c, d, e = coefficients
    first_uu, first_uv = 1 + d * d, d * e
    second_uu, second_uv, second_vv = 2 * a / area, c / area, 2 * b / area
    s12 = (first_uu * second_uv - first_uv * second_uu) / (first_uu * area)
    s22 = (
        first_uv * first_uv * second_uu
        - 2 * first_uu * first_uv * second_uv
        + first_uu * first_uu * second_vv
    )
    return second_uu / first_uu, s12, s22 / (first_uu * area * area), first_uu


def principal(coefficients: Floats, frame: Floats) -> tuple[Floats, Floats, Floats]:
    """Curvatures, normal and first direction at the centre of `h = a uu + b vv + c uv + d u + e v + f`.

    coefficients (B, 6) in the order a, b, c, d, e, f; frame (B, 3, 3) with columns u, v, normal.
    Returns (k1, k2) (B, 2), the height field's own normal (B, 3), and the direction of k1 (B, 3).
    """
    a, b, c, d, e, _ = coefficients.T
    area = np.sqrt(1 + d * d + e * e)
    s11, s12, s22, first_uu = shape_operator((a, b, c, d, e), area)
    mean, half = (s11 + s22) / 2, (s11 - s22) / 2
    radius = hypot(half, s12)
    cosine, sine = half_angle(half, s12)
    one, zero = np.ones_like(d), np.zeros_like(d)
    local_normal = columns(-d, -e, one) / area[:, None]
    t1 = columns(one, zero, d) / np.sqrt(first_uu)[:, None]
    t2 = cross(local_normal, t1)
    direction = cosine[:, None] * t1 + sine[:, None] * t2
    curvatures = columns(mean + radius, mean - radius)
    return curvatures, apply(frame, local_normal), apply(frame, direction)


def _pin_directions(normal: Floats, first: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Lay the first direction into the tangent plane, pin its sign to the sensor, add the second."""
    first = unit(first - dot(first, normal)[:, None] * normal, least=1e-300)
    to_right, to_up = dot(first, axes[:, :, 0]), dot(first, axes[:, :, 1])
    leaning = np.where(np.abs(to_right) > 1e-9, to_right, to_up)
    first = first * np.where(leaning < 0, -1.0, 1.0)[:, None]
    return first, cross(normal, first)
