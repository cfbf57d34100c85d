"""Vectors and poses on a device, as tuples of components: what policies and sensor modules compute with.

A vector is three tensors of one shape, a rotation nine in row order (`geometry`), a pose one of each. The
formulas are those of `reproducible.vectors`, `world.protocol.Pose` and `world.agents`, in the same order.

    there = compose(agent, mount)                 # the pose of a sensor in the world
    there = choose(lost, last_good, there)        # row by row
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from saccade.cortex.geometry import Rotation, Vector, add, dot, rotate, subtract
from saccade.cortex.ops import maximum, where
from saccade.tensor import Tensor

Parts = TypeVar("Parts", bound="Tensor | tuple[Any, ...]")


def length(vector: Vector) -> Tensor:
    return dot(vector, vector).sqrt()


def over(vector: Vector, size: Tensor) -> Vector:
    return vector[0] / size, vector[1] / size, vector[2] / size


def unit(vector: Vector, least: float = 0.0) -> Vector:
    """Divided by their length, or by `least` where they are shorter than that."""
    size = length(vector)
    return over(vector, maximum(size, least) if least else size)


def scaled(vector: Vector, factor: Tensor | float) -> Vector:
    return vector[0] * factor, vector[1] * factor, vector[2] * factor


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def tangent(vector: Vector, normal: Vector) -> Vector:
    """The part of vectors in the planes with unit normals."""
    return subtract(vector, scaled(normal, dot(vector, normal)))


def choose(condition: Tensor, yes: Parts, no: Parts) -> Parts:
    """`yes` where the condition holds, else `no`, for tensors and for tuples of them; those with more axes
    than the condition are chosen as wholes.

    >>> choose(Tensor([True, False]), (Tensor([1.0, 2.0]),), (Tensor([3.0, 4.0]),))[0].tolist()
    [1.0, 4.0]
    """
    chosen: Parts = _chosen(condition, yes, no)
    return chosen


def _chosen(condition: Tensor, yes: Any, no: Any) -> Any:
    if isinstance(yes, Tensor) and isinstance(no, Tensor):
        more = max(yes.ndim, no.ndim) - condition.ndim
        return where(condition.reshape(*condition.shape, *(1,) * more), yes, no)
    parts = [_chosen(condition, a, b) for a, b in zip(yes, no, strict=True)]
    return type(yes)(*parts) if hasattr(yes, "_fields") else tuple(parts)


# --- rotations


def column(rotation: Rotation, number: int) -> Vector:
    return rotation[number], rotation[3 + number], rotation[6 + number]


def from_columns(x: Vector, y: Vector, z: Vector) -> Rotation:
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


def transposed(rotation: Rotation) -> Rotation:
    return from_columns(rotation[0:3], rotation[3:6], rotation[6:9])


def times(a: Rotation, b: Rotation) -> Rotation:
    """The products of matrices, a @ b."""
    return from_columns(*(rotate(a, column(b, i)) for i in range(3)))


def identity(like: Tensor) -> Rotation:
    """As many as `like` has numbers."""
    one, zero = like * 0.0 + 1.0, like * 0.0
    return one, zero, zero, zero, one, zero, zero, zero, one


def orthonormal(rotation: Rotation) -> Rotation:
    """As `motor.policy.orthonormal`."""
    back = unit(column(rotation, 2))
    right = unit(tangent(column(rotation, 0), back))
    return from_columns(right, cross(back, right), back)


def yaw_pitch(yaw: Tensor, pitch: Tensor) -> Rotation:
    """As `world.agents.yaw_pitch`."""
    cy, cp, sy, sp = yaw.cos(), pitch.cos(), yaw.sin(), pitch.sin()
    return from_columns((cy, cy * 0.0, -sy), (sy * sp, cp, cy * sp), (sy * cp, -sp, cy * cp))


def rotation_between(source: Vector, target: Vector) -> Rotation:
    """As `world.agents.rotation_between`: the shortest turn from unit vectors `source` to `target`."""
    opposite = dot(source, target) < -1 + 1e-9
    start = choose(opposite, scaled(source, -1.0), source)
    axis, cosine = cross(start, target), dot(start, target)
    x, y, z = axis
    turned = over(axis, 1 + cosine)
    turn: Rotation = (
        turned[0] * x + cosine, turned[0] * y - z, turned[0] * z + y,
        turned[1] * x + z, turned[1] * y + cosine, turned[1] * z - x,
        turned[2] * x - y, turned[2] * y + x, turned[2] * z + cosine,
    )  # fmt: skip
    one, zero = cosine * 0.0 + 1.0, cosine * 0.0
    other = choose(source[0].abs() < 0.9, (one, zero, zero), (zero, one, zero))
    a, b, c = unit(cross(source, other))
    half: Rotation = (
        2 * a * a - 1, 2 * a * b, 2 * a * c,
        2 * b * a, 2 * b * b - 1, 2 * b * c,
        2 * c * a, 2 * c * b, 2 * c * c - 1,
    )  # fmt: skip
    return choose(opposite, times(turn, half), turn)


# --- poses


class Frame(NamedTuple):
    """Poses, as `world.protocol.Pose`."""

    position: Vector
    rotation: Rotation


def compose(outer: Frame, inner: Frame) -> Frame:
    """Poses given in the frame of `outer`, expressed in the frame `outer` is given in."""
    position = add(outer.position, rotate(outer.rotation, inner.position))
    return Frame(position, times(outer.rotation, inner.rotation))


def inverse(frame: Frame) -> Frame:
    back = transposed(frame.rotation)
    return Frame(scaled(rotate(back, frame.position), -1.0), back)
