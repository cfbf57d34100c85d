"""The loops over all pairs of points that laying two surfaces on each other takes, compiled.

In: points with unit normals, and further coordinates beside the points. Out: squared distances, blurred
colours. Arrays are flat, a point after the other.
"""

from __future__ import annotations

import math

from saccade.cortex.models.model import SAME_SIDE
from saccade.reproducible.native import F64, I64, F64s, native

FAR = math.inf


@native
def pair_squares(
    points: F64s,
    normals: F64s,
    count: I64,
    others: F64s,
    other_normals: F64s,
    other_count: I64,
    width: I64,
    squares: F64s,
) -> None:
    """squares (count, other_count): between points and others of `width` coordinates each that face the same
    way, infinity between those that do not."""
    for i in range(count):
        nx, ny, nz = normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]
        for j in range(other_count):
            facing = nx * other_normals[3 * j] + ny * other_normals[3 * j + 1] + nz * other_normals[3 * j + 2]
            square = 0.0
            for k in range(width):
                gap = points[i * width + k] - others[j * width + k]
                square += gap * gap
            squares[i * other_count + j] = square if facing >= SAME_SIDE else FAR


@native
def blur(
    points: F64s, normals: F64s, colours: F64s, seen: F64s, count: I64, reach: F64, blurred: F64s
) -> None:
    """blurred (count, 3): the mean of the colours within `reach` of each point, on the side that faces as it
    does, each counted as often as it was `seen` (count,)."""
    for i in range(count):
        red, green, blue, weight = 0.0, 0.0, 0.0, 0.0
        for j in range(count):
            x, y, z = (
                points[3 * i] - points[3 * j],
                points[3 * i + 1] - points[3 * j + 1],
                points[3 * i + 2] - points[3 * j + 2],
            )
            facing = (
                normals[3 * i] * normals[3 * j]
                + normals[3 * i + 1] * normals[3 * j + 1]
                + normals[3 * i + 2] * normals[3 * j + 2]
            )
            if facing >= SAME_SIDE and x * x + y * y + z * z < reach * reach:
                red += seen[j] * colours[3 * j]
                green += seen[j] * colours[3 * j + 1]
                blue += seen[j] * colours[3 * j + 2]
                weight += seen[j]
        blurred[3 * i] = red / weight
        blurred[3 * i + 1] = green / weight
        blurred[3 * i + 2] = blue / weight
