"""The shape of a surface patch as a tensor program: what `surface` computes, where the pixels are.

Comes in: offsets of pixels from the point a patch is judged at, which pixels count, and the axes of the
sensor. Goes out: normal, principal curvatures and directions of every patch. The formulas are those of
`surface`, where they are explained; sums over pixels are added up in the device's own order.

Numbers of a patch are (B,), of its pixels (B, N) or (B, P, P), and a vector is a tuple of components.
"""

from __future__ import annotations

from typing import NamedTuple

from saccade.cortex.geometry import Vector, add, dot, widened
from saccade.cortex.ops import cast, integers, logical_and, maximum, where
from saccade.cortex.sense.surface import PLANE, QUADRATIC, SINGULAR, STEEPEST, Terms, shape_operator
from saccade.cortex.vectors import choose, cross, length, over, scaled, tangent, unit
from saccade.tensor import Tensor

#: the columns of the rotation of a sensor: right, up, backward
Axes = tuple[Vector, Vector, Vector]
Rows = list[list[Tensor | float]]


class Weights(NamedTuple):
    """roots (B, N): of the weights of pixels; pixels (B,) how many of them are not 0."""

    roots: Tensor
    pixels: Tensor


class Fit(NamedTuple):
    """As `surface.SurfaceFit`."""

    normal: Vector
    first: Vector
    second: Vector
    curvatures: tuple[Tensor, Tensor]
    has_normal: Tensor
    has_curvature: Tensor


def same_surface(cloud: Vector, valid: Tensor, backward: Vector) -> Tensor:
    """(B, P, P) the valid pixels that belong to the surface at the centre; cloud: three of (B, P, P)."""
    size = valid.shape[1]
    middle = size // 2
    to_x, to_y, to_z = (part.reshape(-1, 1, 1) for part in backward)
    depth = to_x * cloud[0] + to_y * cloud[1] + to_z * cloud[2]
    most = STEEPEST * STEEPEST / (1 + STEEPEST * STEEPEST)

    def links(axis: int) -> Tensor:
        """Whether each pixel and the next along an axis are of one surface, (B, P, P); past the last pixel
        nobody asks."""

        def pair(value: Tensor) -> tuple[Tensor, Tensor]:
            ahead = [slice(None)] * 3
            ahead[axis] = slice(1, None)
            last = [slice(None)] * 3
            last[axis] = slice(size - 1, None)
            return value, Tensor.cat([value[tuple(ahead)], value[tuple(last)]], dim=axis)

        def step(value: Tensor) -> Tensor:
            here, there = pair(value)
            return there - here

        rise, way = step(depth), (step(cloud[0]), step(cloud[1]), step(cloud[2]))
        here, there = pair(valid)
        return logical_and(here, there, rise * rise <= most * dot(way, way)).contiguous()

    def reached(link: Tensor, axis: int) -> Tensor:
        """(B, P, P) whether all links from the middle to each pixel along an axis hold."""
        at = integers(size, valid).reshape((1, size, 1) if axis == 1 else (1, 1, size)).unsqueeze(-1)
        low, high = where(at < middle, at, middle), where(at < middle, middle, at)
        between = integers(size, valid)
        along = link.transpose(1, 2).unsqueeze(1) if axis == 1 else link.unsqueeze(2)
        broken = logical_and(between >= low, between < high, ~along)
        return (cast(broken, "int32").amax(-1) == 0).contiguous()

    down, right = reached(links(1), 1), reached(links(2), 2)
    by_row = right[:, middle : middle + 1, :] & down
    by_column = down[:, :, middle : middle + 1] & right
    return valid[:, middle : middle + 1, middle : middle + 1] & (by_row | by_column)


def fit_patches(
    offsets: Vector, disc: Weights, curved: Weights, axes: Axes, of_quadratic: bool = True
) -> Fit:
    """Fit B patches. offsets: three of (B, N), 0 where a pixel does not count; disc and curved: the weights
    of pixels in the fits of a plane and of a curved surface. of_quadratic: whether the normal is that of the
    latter."""
    plane, has_normal = _plane_along_view(offsets, disc, axes)
    frame = _tangent_frame(plane, axes)
    u, v, height = (dot(widened(axis), offsets) for axis in frame)
    found, solvable = _solved(u, v, QUADRATIC, curved, height)
    has_curvature = has_normal & solvable
    curvatures, bent, first = _principal([where(solvable, each, 0.0) for each in found], frame)
    normal = choose(has_curvature, bent, plane) if of_quadratic else plane
    first, second = _pinned(normal, first, axes)
    k1, k2 = (where(has_curvature, each, 0.0) for each in curvatures)
    shown = [_shown(has_curvature, direction) for direction in (first, second)]
    return Fit(normal, shown[0], shown[1], (k1, k2), has_normal, has_curvature)


def _shown(condition: Tensor, vector: Vector) -> Vector:
    x, y, z = (where(condition, part, 0.0) for part in vector)
    return x, y, z


def _combined(columns: Axes, vector: Vector) -> Vector:
    """The matrices with these columns, applied."""
    (a, b, c), (x, y, z) = columns, vector
    return add(add(scaled(a, x), scaled(b, y)), scaled(c, z))


def _plane_along_view(offsets: Vector, weights: Weights, axes: Axes) -> tuple[Vector, Tensor]:
    right, up, backward = (dot(widened(axis), offsets) for axis in axes)
    found, solvable = _solved(right, up, PLANE, weights, backward)
    slope = [where(solvable, -each, 0.0) for each in found[:2]]
    return unit(_combined(axes, (slope[0], slope[1], slope[0] * 0.0 + 1.0))), solvable


def _tangent_frame(normal: Vector, axes: Axes) -> Axes:
    u, up = tangent(axes[0], normal), tangent(axes[1], normal)
    u = unit(choose(length(u) > 1e-6, u, up))
    return u, cross(normal, u), normal


def _solved(
    u: Tensor, v: Tensor, terms: Terms, weights: Weights, target: Tensor
) -> tuple[list[Tensor], Tensor]:
    """Weighted least squares of `target` by `terms` of u and v: the coefficients, and whether they are
    determined. The normal equations are read off one Gram matrix F^T F, where the columns of F (N, terms + 1)
    are the terms and the target, times the roots of the weights."""
    columns = [_power(u, v, weights.roots, *term) for term in terms]
    equations = Tensor.stack([*columns, target * weights.roots], -1).contiguous()
    gram = (equations.transpose(-1, -2) @ equations).contiguous()
    sums = [[gram[:, i, j] for j in range(len(terms) + 1)] for i in range(len(terms))]
    along, up, one = (terms.index(term) for term in ((1, 0), (0, 1), (0, 0)))
    scale = ((sums[along][along] + sums[up][up]) / maximum(sums[one][one], 1e-12)).sqrt()
    scale = where(scale > 1e-12, scale, 1.0)
    units = [(scale * 0.0 + 1.0, scale, scale * scale)[i + j] for i, j in terms]
    rows: Rows = []
    for number, unit_of in enumerate(units):
        scaled = [sums[number][other] / (unit_of * units[other]) for other in range(len(terms))]
        identity = [float(number == other) for other in range(len(terms))]
        rows.append([*scaled, sums[number][-1] / unit_of, *identity])
    solution, condition = _solved_positive(rows)
    found = [each / unit_of for each, unit_of in zip(solution, units, strict=True)]
    return found, (weights.pixels >= len(terms)) & (condition * SINGULAR < 1.0)


def _power(u: Tensor, v: Tensor, start: Tensor, i: int, j: int) -> Tensor:
    """start u^i v^j"""
    for factor in [*[u] * i, *[v] * j]:
        start = start * factor
    return start


def _solved_positive(rows: Rows) -> tuple[list[Tensor], Tensor]:
    """As `reproducible.solve_positive`, of rows (n, 2 n + 1): matrix, right side, identity."""
    size = len(rows)
    trace = _sum([rows[i][i] for i in range(size)])
    definite = None
    for number in range(size):
        pivot = rows[number][number]
        assert isinstance(pivot, Tensor)
        positive = pivot > 0.0
        definite = positive if definite is None else definite & positive
        safe = where(positive, pivot, 1.0)
        scaled = [_divided(each, safe) for each in rows[number]]
        for other in range(size):
            if other != number:
                factor = rows[other][number]
                # columns to the left are those of the identity by now
                rows[other] = [
                    each if column < number else _less(each, factor, scaled[column])
                    for column, each in enumerate(rows[other])
                ]
        rows[number] = scaled
    inverse = _sum([rows[i][size + 1 + i] for i in range(size)])
    assert definite is not None
    solution = [each for each in (row[size] for row in rows) if isinstance(each, Tensor)]
    return solution, where(definite, trace * inverse, float("inf"))


def _divided(value: Tensor | float, by: Tensor) -> Tensor | float:
    return 0.0 if isinstance(value, float) and value == 0.0 else value / by


def _less(value: Tensor | float, factor: Tensor | float, other: Tensor | float) -> Tensor | float:
    return value if isinstance(other, float) and other == 0.0 else value - factor * other


def _sum(values: list[Tensor | float]) -> Tensor:
    found = values[0]
    for each in values[1:]:
        found = found + each
    assert isinstance(found, Tensor)
    return found


def _principal(coefficients: list[Tensor], frame: Axes) -> tuple[tuple[Tensor, Tensor], Vector, Vector]:
    """Curvatures, normal and first direction, as `surface.principal`."""
    d, e = coefficients[3:5]
    area = (1 + d * d + e * e).sqrt()
    s11, s12, s22, first_uu = shape_operator(coefficients[:5], area)
    mean, half = (s11 + s22) / 2, (s11 - s22) / 2
    radius = (half * half + s12 * s12).sqrt()
    cosine, sine = _half_angle(half, s12, radius)
    one, zero = d * 0.0 + 1.0, d * 0.0
    local = over((-d, -e, one), area)
    t1 = over((one, zero, d), first_uu.sqrt())
    direction = add(scaled(t1, cosine), scaled(cross(local, t1), sine))
    return (mean + radius, mean - radius), _combined(frame, local), _combined(frame, direction)


def _half_angle(x: Tensor, y: Tensor, size: Tensor) -> tuple[Tensor, Tensor]:
    """As `reproducible.half_angle`, of (x, y) of this length."""
    there = size > 0.0
    safe = where(there, size, 1.0)
    larger = where(there, ((safe + x.abs()) / (2 * safe)).sqrt(), 1.0)
    smaller = y.abs() / (2 * safe * larger)
    ahead = x >= 0.0
    sine = where(ahead, smaller, larger)
    return where(ahead, larger, smaller), where(_is_negative(y), -sine, sine)


def _is_negative(value: Tensor) -> Tensor:
    """The sign of numbers, that of 0 too."""
    return value.bitcast("int64") < 0


def _pinned(normal: Vector, first: Vector, axes: Axes) -> tuple[Vector, Vector]:
    first = unit(tangent(first, normal), least=1e-300)
    to_right, to_up = dot(first, axes[0]), dot(first, axes[1])
    leaning = where(to_right.abs() > 1e-9, to_right, to_up)
    first = scaled(first, where(leaning < 0.0, leaning * 0.0 - 1.0, 1.0))
    return first, cross(normal, first)
