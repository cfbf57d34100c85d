"""Rotations that an experiment shows: the views of a cube, random ones, and Euler angles to write them down.

In: angles in degrees, random draws. Out: 3x3 matrices that turn object vectors into world vectors. Euler
angles turn about the fixed x, then y, then z axis: M = Rz Ry Rx.

    >>> [round(angle, 6) for angle in to_euler(from_euler((10.0, 20.0, 30.0)))]
    [10.0, 20.0, 30.0]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.reproducible import Draws, arctan2, cos_sin, degrees, matmul, radians, unit

Matrix = npt.NDArray[np.float64]
Euler = tuple[float, float, float]

# Six faces of a cube, then its eight corners: degrees about x, y, z.
CUBE_VIEWS: tuple[Euler, ...] = (
    *((0.0, float(yaw), 0.0) for yaw in (0, 90, 180, 270)),
    (90.0, 0.0, 0.0),
    (90.0, 180.0, 0.0),
    *((float(pitch), float(yaw), 0.0) for yaw in (45, 135, 225, 315) for pitch in (35, 325)),
)


def from_euler(angles: Sequence[float]) -> Matrix:
    """The matrix Rz Ry Rx of degrees about x, y, z."""
    (cx, cy, cz), (sx, sy, sz) = cos_sin(radians(angles))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return matmul(matmul(about_z, about_y), about_x)


def to_euler(matrix: Matrix) -> Euler:
    """Degrees about x, y, z in [0, 360); where only one combination counts (y at 90 or 270), z is 0."""
    down = float(np.clip(-matrix[2, 0], -1.0, 1.0))
    level = math.sqrt((1.0 - down) * (1.0 + down))
    if abs(down) > 1 - 1e-12:
        ups, alongs = [math.copysign(1.0, down) * matrix[0, 1], down, 0.0], [matrix[1, 1], level, 1.0]
    else:
        ups, alongs = [matrix[2, 1], down, matrix[1, 0]], [matrix[2, 2], level, matrix[0, 0]]
    angles = (degrees(arctan2(ups, alongs)) % 360.0).tolist()
    first, second, third = (0.0 if angle >= 360.0 else angle for angle in angles)
    return first, second, third


def random_rotation(draws: Draws) -> Matrix:
    """A rotation from the uniform distribution over all of them: a random unit quaternion."""
    return from_quaternion(unit(draws.normal(4)))


def from_quaternion(quaternion: npt.NDArray[np.float64]) -> Matrix:
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
