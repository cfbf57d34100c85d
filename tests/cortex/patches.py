"""Depth patches of surfaces known in closed form, seen by a pinhole camera, for the tests of sensing and
acting.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from saccade.world.protocol import Observation, Pose

Array = NDArray[np.float64]
Field = Callable[[Array], Array]


def random_rotations(count: int, seed: int) -> Array:
    """(count, 3, 3) rotations, uniform over all of them."""
    q = np.random.default_rng(seed).normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1),
        ],
        -2,
    )


def rays(size: int, field_of_view: float) -> Array:
    """(P, P, 3) camera-frame directions with -z component 1; pixel (P // 2, P // 2) looks straight ahead."""
    offset = np.tan((np.arange(size) - size // 2) / size * field_of_view)
    down, right = np.meshgrid(offset, offset, indexing="ij")
    return np.stack([right, -down, -np.ones_like(right)], axis=-1)


def look(field: Field, position: Array, rotation: Array, size: int = 16, field_of_view: float = 0.2) -> Array:
    """(P, P, 3) first points in the world where `field` (positive outside, negative inside) changes sign.

    Marches in small steps and bisects, so it works for any field; NaN where nothing is met within 0.3 m.
    """
    directions = rays(size, field_of_view) @ rotation.T
    steps = np.linspace(1e-3, 0.3, 300)
    along = position + steps[:, None, None, None] * directions
    inside = field(along) < 0
    hit = inside.any(axis=0)
    first = inside.argmax(axis=0)
    high = steps[first]
    low = steps[np.maximum(first - 1, 0)]
    for _ in range(40):
        middle = (low + high) / 2
        within = field(position + middle[..., None] * directions) < 0
        high = np.where(within, middle, high)
        low = np.where(within, low, middle)
    points = position + high[..., None] * directions
    return np.where(hit[..., None], points, np.nan)


def facing(normal: Array, up_hint: Array | None = None) -> Array:
    """A camera rotation (columns right, up, backward) that looks along -normal."""
    backward = normal / np.linalg.norm(normal)
    hint = np.array([0.0, 1.0, 0.0]) if up_hint is None else up_hint
    if abs(hint @ backward) > 0.95:
        hint = np.array([1.0, 0.0, 0.0])
    right = np.cross(hint, backward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(backward, right), backward], axis=1)


def sphere(radius: float, centre: Array | None = None) -> Field:
    middle = np.zeros(3) if centre is None else centre
    return lambda p: np.linalg.norm(p - middle, axis=-1) - radius


def bowl(radius: float) -> Field:
    """The inside of a hollow sphere: free within, solid without."""
    return lambda p: radius - np.linalg.norm(p, axis=-1)


def cylinder(radius: float) -> Field:
    """A rod along y."""
    return lambda p: np.hypot(p[..., 0], p[..., 2]) - radius


def saddle(up: float, down: float) -> Field:
    """z = up/2 x^2 - down/2 y^2, free above: curvatures +up along x and -down along y seen from +z."""
    return lambda p: p[..., 2] - 0.5 * up * p[..., 0] ** 2 + 0.5 * down * p[..., 1] ** 2


def plane() -> Field:
    return lambda p: p[..., 2]


def observation(
    fields: list[Field], agent: Pose, mounts: Array | None = None, size: int = 12, field_of_view: float = 0.3
) -> Observation:
    """What agents (R,) see of one closed-form object each, through sensors at `mounts` (S, 3) in their
    frame."""
    places = np.zeros((1, 3)) if mounts is None else mounts
    shape = (len(fields), len(places))
    mounted = Pose(np.broadcast_to(places, (*shape, 3)), np.broadcast_to(np.eye(3), (*shape, 3, 3)))
    sensor = Pose(agent.position[:, None], agent.rotation[:, None]) @ mounted
    points = np.stack(
        [
            [
                look(field, sensor.position[r, s], sensor.rotation[r, s], size, field_of_view)
                for s in range(shape[1])
            ]
            for r, field in enumerate(fields)
        ]
    )
    on = np.isfinite(points).all(-1)
    rgb = np.where(on[..., None], 0.5 + 0.4 * np.sin(40 * np.nan_to_num(points)), 0.0)
    depth = np.where(
        on, np.linalg.norm(np.nan_to_num(points) - sensor.position[:, :, None, None], axis=-1), 10.0
    )
    return Observation(depth, rgb, points, on, np.where(on, 0, -1), sensor, agent)
