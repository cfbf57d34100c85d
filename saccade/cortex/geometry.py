"""Rotations and vectors, twice: on the host with NumPy, and on the device as tuples of components.

A device vector is three tensors of one shape, a device rotation nine in row order. Components instead of a
last axis of three keep every formula elementwise: nothing to reduce, nothing to interleave, and memory is
read in stride one.

Host conventions: Euler angles are degrees about the fixed x, then y, then z axis, M = Rz Ry Rx. A
hypothesis rotation turns body-frame vectors into object-frame vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.reproducible import arctan2, cos_sin, cross, hypot, matmul, radians
from saccade.reproducible import degrees as to_degrees
from saccade.tensor import Tensor

Floats = npt.NDArray[np.float64]
Vector = tuple[Tensor, Tensor, Tensor]
Rotation = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]

# --- on the device


def dot(a: Vector, b: Vector) -> Tensor:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def add(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def subtract(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def rotate(rotation: Rotation, vector: Vector) -> Vector:
    """R @ v for every hypothesis."""
    return dot(rotation[0:3], vector), dot(rotation[3:6], vector), dot(rotation[6:9], vector)


def rotate_back(rotation: Rotation, vector: Vector) -> Vector:
    """R^T @ v for every hypothesis."""
    columns = [(rotation[i], rotation[3 + i], rotation[6 + i]) for i in range(3)]
    return dot(columns[0], vector), dot(columns[1], vector), dot(columns[2], vector)


def widened(vector: Vector) -> Vector:
    """(...) as (..., 1): each vector beside all that a new last axis counts."""
    return vector[0].unsqueeze(-1), vector[1].unsqueeze(-1), vector[2].unsqueeze(-1)


def vector_cast(vector: Vector, like: Tensor) -> Vector:
    """The vector in the dtype of `like`."""
    return vector[0].cast(like.dtype), vector[1].cast(like.dtype), vector[2].cast(like.dtype)


def components(value: Tensor, added_axes: int = 0) -> Vector:
    """The last axis (3) as a vector, each component with `added_axes` axes of size one appended."""
    parts = [value[..., i] for i in range(3)]
    for _ in range(added_axes):
        parts = [part.unsqueeze(-1) for part in parts]
    return parts[0], parts[1], parts[2]


# --- on the host


def euler_to_matrix(degrees: Sequence[float] | Floats) -> Floats:
    """(3, 3) rotation by fixed-axis x, y, z angles.

    >>> euler_to_matrix([0, 0, 90]).round(3)[1].tolist()
    [1.0, 0.0, 0.0]
    """
    (cx, cy, cz), (sx, sy, sz) = cos_sin(radians(degrees))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return matmul(matmul(about_z, about_y), about_x)


def matrix_to_euler(matrix: Floats) -> Floats:
    """(3,) degrees, the inverse of `euler_to_matrix`; at gimbal lock the z angle is 0."""
    m = np.asarray(matrix, dtype=np.float64)
    across = float(hypot(m[0, 0], m[1, 0]))
    if across > 1e-7:
        return to_degrees(arctan2([m[2, 1], -m[2, 0], m[1, 0]], [m[2, 2], across, m[0, 0]]))
    return to_degrees(arctan2([-m[1, 2], -m[2, 0], 0.0], [m[1, 1], across, 1.0]))


def uniform_rotations() -> Floats:
    """(256, 3, 3): steps of 45 degrees on each axis, each rotation once.

    Of the 512 triples every rotation has two; a triple is skipped if its dual (a + 180, 180 - b, c + 180)
    was kept.
    """
    kept: list[tuple[int, int, int]] = []
    duals: set[tuple[int, int, int]] = set()
    steps = range(0, 360, 45)
    for triple in ((a, b, c) for a in steps for b in steps for c in steps):
        if triple not in duals:
            kept.append(triple)
            duals.add(((triple[0] + 180) % 360, (180 - triple[1]) % 360, (triple[2] + 180) % 360))
    return np.stack([euler_to_matrix(triple) for triple in kept])


def listed_rotations(triples: Sequence[Sequence[float]]) -> Floats:
    """(p, 3, 3) hypothesis rotations for objects rotated by the given Euler triples: the inverses."""
    return np.stack([euler_to_matrix(triple).T for triple in triples])


def sensed_sets(
    pose_vectors: Floats, fully_defined: npt.NDArray[np.bool_], umbilical_poses: int
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The ways to read sensed poses (..., 3, 3): (..., p, 3, 3), padded with zeros, and their numbers (...).

    Directions are axes, so a defined one can be read two ways; at an umbilic any tangent will do.
    """
    lead = pose_vectors.shape[:-2]
    two_ways = np.asarray(fully_defined, bool) | (umbilical_poses == 2)
    sets = np.zeros((*lead, max(2, umbilical_poses), 3, 3))
    normal, first, second = (pose_vectors[..., None, i, :] for i in range(3))
    angles = 2 * np.pi * np.arange(umbilical_poses)[:, None] / umbilical_poses
    cosine, sine = cos_sin(angles)
    directions = cosine * first + sine * second
    normals = np.broadcast_to(normal, directions.shape)
    around = np.stack([normals, directions, cross(normals, directions)], axis=-2)
    sets[..., :umbilical_poses, :, :] = np.where(two_ways[..., None, None, None], 0.0, around)
    flipped = pose_vectors * np.array([[1.0], [-1.0], [-1.0]])
    sets[two_ways, 0], sets[two_ways, 1] = pose_vectors[two_ways], flipped[two_ways]
    return sets, np.where(two_ways, 2, umbilical_poses).astype(np.int64)
