"""Free space: lines of sight along which nothing was met, and poses that put a surface into them.

Comes in: where sensors were, and how far their patches saw. Goes out: lines of sight, and for every pose of a
model how many of them go through its surface.

    sights = lines_of_sight(eyes, ahead, nearest, tangent, reach)       # (R, S, 8)
    Shell.of(points, edge).crossed(sights[kept], poses)                 # (K,)

Percepts alone cannot tell a die from the corner of a box: all that was felt of the one fits the other. That
nothing was met beside it can. A patch is a cone; its axis counts as free as far as nothing in the whole patch
is nearer, and from where the cone is wider than what a pose may be off. So an outline that is a few
millimetres beside its place costs nothing.

Nothing holds a sensor back, and surfaces are seen from outside: a sensor within a solid sees nothing. So a
line of sight that begins behind the nearest point of a model says nothing about that pose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.reproducible.native import I64, F64s, I64s, U8s, floor, native, scratch_f64

Floats = npt.NDArray[np.float64]
Reals = npt.NDArray[np.floating]

#: parts of the reach: what is free around a line of sight at its beginning, and what is left at its end
CLEAR, SLACK = 0.5, 1.0


def lines_of_sight(eyes: Reals, ahead: Reals, nearest: Reals, tangent: Reals, reach: float) -> Floats:
    """(R, S, 8) from eyes (R, S, 3) along unit vectors ahead (R, S, 3), as far as nothing was seen in the
    whole patch, nearest (R, S): point, direction, and where the free part of it begins and ends. tangent
    (S,): of half the angle of view. It ends before it begins where none of it is free."""
    begin = np.broadcast_to(CLEAR * reach / tangent, nearest.shape)
    parts = eyes, ahead, begin[..., None], nearest[..., None] - SLACK * reach
    return np.concatenate([np.asarray(part, np.float64) for part in parts], axis=-1)


@dataclass(frozen=True)
class Shell:
    """The cells of a grid that hold a point of a model: filled (cells,), the low corner and edge (4,), the
    number of cells along each axis (3,); and the points with their normals (N, 6)."""

    points: Floats
    filled: npt.NDArray[np.uint8]
    grid: Floats
    extent: npt.NDArray[np.int64]

    @staticmethod
    def of(points: Floats, edge: float) -> Shell:
        """The shell of points (N, 6 or more), whose first six numbers are a place and a normal."""
        # cells of models begin at multiples of their edge, and so do these: none between two nodes is empty
        cells = np.floor(points[:, :3] / edge).astype(np.int64)
        low = cells.min(axis=0)
        extent = cells.max(axis=0) - low + 1
        filled = np.zeros(math.prod(extent.tolist()), np.uint8)
        cells -= low
        filled[(cells[:, 0] * extent[1] + cells[:, 1]) * extent[2] + cells[:, 2]] = 1
        return Shell(np.ascontiguousarray(points[:, :6]), filled, np.array([*(low * edge), edge]), extent)

    def crossed(self, sights: Floats, poses: Floats) -> Floats:
        """(K,) how many of the lines of sight (Q, 8) go through the shell in poses (K, 12)."""
        told = np.zeros(len(poses))
        crossings(
            sights, len(sights), poses, len(poses), self.points, len(self.points), self.filled, self.grid,
            self.extent, told,
        )  # fmt: skip
        return told


@native
def height_above_nearest(eye: F64s, points: F64s, size: I64, height: F64s) -> None:
    """height[0]: of an eye (3,) above the tangent plane of the nearest of the points (size, 6)."""
    least = 1e30
    for n in range(size):
        at = 6 * n
        x, y, z = eye[0] - points[at], eye[1] - points[at + 1], eye[2] - points[at + 2]
        square = x * x + y * y + z * z
        if square < least:
            least = square
            height[0] = x * points[at + 3] + y * points[at + 4] + z * points[at + 5]


@native
def crossings(
    sights: F64s, count: I64, poses: F64s, number: I64, points: F64s, size: I64, filled: U8s, grid: F64s,
    extent: I64s, told: F64s,
) -> None:  # fmt: skip
    """told (number): the lines of sight that meet a filled cell in each pose, walked in half cells, but for
    those that begin behind the nearest of the points (size, 6)."""
    eye = scratch_f64(3)
    height = scratch_f64(1)
    edge = grid[3]
    for pose in range(number):
        to = 12 * pose
        met = 0.0
        for s in range(count):
            at = 8 * s
            # the part of the line that is free and within the grid
            begin, end = sights[at + 6], sights[at + 7]
            for i in range(3):
                a, b, c = poses[to + 3 * i], poses[to + 3 * i + 1], poses[to + 3 * i + 2]
                start = a * sights[at] + b * sights[at + 1] + c * sights[at + 2] + poses[to + 9 + i] - grid[i]
                slope = a * sights[at + 3] + b * sights[at + 4] + c * sights[at + 5]
                wide = extent[i] * edge
                if abs(slope) > 1e-9:
                    one, other = -start / slope, (wide - start) / slope
                    begin = max(begin, min(one, other))
                    end = min(end, max(one, other))
                elif start < 0.0 or start >= wide:
                    end = begin - 1.0
            if begin < end:
                x, y, z = poses[to + 9] - grid[0], poses[to + 10] - grid[1], poses[to + 11] - grid[2]
                u, v, w = 0.0, 0.0, 0.0
                for i in range(3):
                    x += poses[to + i] * sights[at + i]
                    y += poses[to + 3 + i] * sights[at + i]
                    z += poses[to + 6 + i] * sights[at + i]
                    u += poses[to + i] * sights[at + 3 + i]
                    v += poses[to + 3 + i] * sights[at + 3 + i]
                    w += poses[to + 6 + i] * sights[at + 3 + i]
                along = begin
                while along <= end:
                    i = min(max(floor((x + along * u) / edge), 0), extent[0] - 1)
                    j = min(max(floor((y + along * v) / edge), 0), extent[1] - 1)
                    k = min(max(floor((z + along * w) / edge), 0), extent[2] - 1)
                    if filled[(i * extent[1] + j) * extent[2] + k] > 0:
                        eye[0], eye[1], eye[2] = x + grid[0], y + grid[1], z + grid[2]
                        height_above_nearest(eye, points, size, height)
                        met += 1.0 if height[0] >= 0.0 else 0.0
                        break
                    along += 0.5 * edge
        told[pose] = met
