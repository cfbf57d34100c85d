"""Rotations that leave an object as it is, and the error of an estimated rotation up to those.

An estimate that cannot be told from the truth has no error:

    can = Symmetry(axis=(0, 1, 0))                    # a plain can: any turn about y
    brick = Symmetry(rotations=about((0, 1, 0), 2))   # half turns about y
    ball = Symmetry(every=True)                       # any rotation at all
    rotation_error(estimated, true, can)              # radians
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from saccade.reproducible import apply, arctan2, cos_sin, cross, dot, matmul, norm, unit

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Symmetry:
    """axis: unit vector of the object frame about which any turn changes nothing, or None.

    rotations: (G, 3, 3) further rotations that change nothing, the identity among them. With an axis the
    group is every one of them followed by any turn about the axis.

    every: all rotations change nothing.
    """

    axis: tuple[float, float, float] | None = None
    rotations: Sequence[Array] = (np.eye(3),)
    every: bool = False

    @property
    def is_trivial(self) -> bool:
        """Whether the object can be told from itself in every other rotation."""
        return self.axis is None and len(self.rotations) == 1 and not self.every


def rotation_about(axis: npt.ArrayLike, angle: npt.ArrayLike) -> Array:
    """The matrices (..., 3, 3) that turn by `angle` (...) radians about `axis` (..., 3), right-handed."""
    straight = unit(axis)
    x, y, z = straight[..., 0], straight[..., 1], straight[..., 2]
    cosine, sine = (each[..., None, None] for each in cos_sin(angle))
    skew = np.zeros((*x.shape, 3, 3))
    skew[..., 0, 1], skew[..., 0, 2] = -z, y
    skew[..., 1, 0], skew[..., 1, 2] = z, -x
    skew[..., 2, 0], skew[..., 2, 1] = -y, x
    return np.asarray(np.eye(3) + sine * skew + (1 - cosine) * matmul(skew, skew))


def about(axis: npt.ArrayLike, order: int) -> list[Array]:
    """The `order` rotations by multiples of a full turn / order about an axis."""
    return list(rotation_about(axis, np.array([2 * np.pi * k / order for k in range(order)])))


def dihedral(axis: npt.ArrayLike, across: npt.ArrayLike, order: int) -> list[Array]:
    """Those rotations, and half turns about `order` directions across the axis, of which one is given."""
    turns = about(axis, order)
    return [*turns, *(matmul(turn, rotation_about(across, np.pi)) for turn in turns)]


def generated(*generators: Array, near: float = 1e-6) -> list[Array]:
    """The finite group of rotations that the generators make.

    Products whose entries differ by at most `near` are one: more than nothing where axes were measured.
    """
    group = [np.eye(3)]
    for member in group:  # grows while it is read: every new member is multiplied in its turn
        for generator in generators:
            product = matmul(member, generator)
            if not any(np.abs(product - known).max() <= near for known in group):
                group.append(product)
        if len(group) > 120:
            raise ValueError(
                "the generators make more than 120 rotations: no finite symmetry of a solid is that large"
            )
    return group


@cache
def polyhedral() -> tuple[tuple[Array, ...], ...]:
    """The groups of the regular solids, the largest first: the 60 rotations of an icosahedron in its two
    places in a cube, the 24 of that cube, the 12 of a tetrahedron. Half turns about x, y and z are in each.
    """
    golden = (1 + np.sqrt(5)) / 2
    corner, half = rotation_about((1, 1, 1), 2 * np.pi / 3), rotation_about((0, 0, 1), np.pi)
    quarter = rotation_about((0, 0, 1), np.pi / 2)
    icosahedron = generated(corner, half, rotation_about((0, 1, golden), 2 * np.pi / 5))
    turned = [matmul(matmul(quarter, member), quarter.T) for member in icosahedron]
    groups = (icosahedron, turned, generated(corner, quarter), generated(corner, half))
    return tuple(map(tuple, groups))


def rotation_error(estimated: npt.ArrayLike, true: npt.ArrayLike, symmetry: Symmetry | None = None) -> Array:
    """Least angle in radians, (...,), between rotations (..., 3, 3) of an object, up to its symmetry."""
    symmetry = symmetry or Symmetry()
    if symmetry.every:
        return np.zeros(np.broadcast_shapes(np.shape(estimated), np.shape(true))[:-2])
    between = matmul(np.swapaxes(true, -1, -2), estimated)
    errors = [_angle(matmul(between, member), symmetry.axis) for member in symmetry.rotations]
    return np.asarray(np.min(errors, axis=0))


def _angle(rotation: Array, axis: tuple[float, float, float] | None) -> Array:
    """Angle of a rotation; with an axis, the least angle of `rotation` followed by any turn about it."""
    if axis is None:
        trace = rotation[..., 0, 0] + rotation[..., 1, 1] + rotation[..., 2, 2]
        # atan2 keeps small angles exact where arccos would lose half the digits
        skew = rotation - np.swapaxes(rotation, -1, -2)
        sine = 0.5 * norm(np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1))
        return arctan2(sine, (trace - 1) / 2)
    # a turn about the axis is free, so what is left is how far the axis itself is tilted
    straight = unit(axis)
    tilted = apply(rotation, straight)
    return arctan2(norm(cross(straight, tilted)), dot(straight, tilted))
