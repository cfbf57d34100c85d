"""Bodies for the sensors: which sensors an agent carries, how it moves, and where it begins.

A motion is a pose in the agent's own frame (see `protocol.Actions`), so every way of moving is a small
function that makes one. All take and give rows:

    distant agent   looks from 30 cm and saccades: turns about its eye point, which stays where it is
    surface agent   hovers 3 cm over the surface: a step along the tangent, then it faces the surface again

    world.step(Actions.relative(rotation=yaw_pitch(yaw, pitch)))             # a saccade
    world.step(Actions.relative(translation=sideways(direction, 0.004)))     # a step along the tangent
    world.step(facing(normal_in_agent_frame, distance, wanted=0.03))         # keep to the surface
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from saccade.reproducible import arctan, arctan2, columns, cos_sin, cross, dot, hypot, matmul, unit
from saccade.world.protocol import Actions, Bools, Floats, Observation, Pose, Rig, World

DISTANT_RANGE = 0.30
SURFACE_RANGE = 0.03


# -- the sensors


def rig_of(
    offsets: npt.ArrayLike,
    field_of_view: float,
    resolution: int,
    converge: float | None = None,
    far: float = 10.0,
) -> Rig:
    """Sensors at `offsets` (S, 2) metres right of and above the agent's axis, looking ahead.

    With `converge` they sit at the agent's eye point instead and look at points with these offsets at that
    distance.
    """
    where = np.asarray(offsets, np.float64).reshape(-1, 2)
    count = len(where)
    mount = Pose.identity(count)
    if converge is None:
        mount.position[:, :2] = where
    else:
        yaw = -arctan2(where[:, 0], converge)
        pitch = arctan2(where[:, 1], hypot(where[:, 0], converge))
        mount = Pose(mount.position, yaw_pitch(yaw, pitch))
    names = tuple(f"patch_{i}" for i in range(count))
    return Rig(names, mount, np.full(count, field_of_view), resolution, far)


def spread(sensors: int, spacing: float) -> Floats:
    """(S, 2) offsets: one in the middle, the others evenly on a circle of radius `spacing` around it."""
    angles = 2 * np.pi * np.arange(max(sensors - 1, 0)) / max(sensors - 1, 1)
    ring = spacing * np.stack(cos_sin(angles), axis=1)
    return np.concatenate([np.zeros((1, 2)), ring])[:sensors]


def distant_rig(sensors: int = 1, resolution: int = 16, patch: float = 0.02, spacing: float = 0.015) -> Rig:
    """Sensors in the eye point whose patches are `patch` metres wide and `spacing` apart at the distant
    agent's range."""
    angle = 2 * float(arctan(patch / 2 / DISTANT_RANGE))
    return rig_of(spread(sensors, spacing), angle, resolution, converge=DISTANT_RANGE)


def surface_rig(sensors: int = 1, resolution: int = 16, patch: float = 0.014, spacing: float = 0.01) -> Rig:
    """Parallel sensors `spacing` apart whose patches are `patch` metres wide at the surface agent's range."""
    angle = 2 * float(arctan(patch / 2 / SURFACE_RANGE))
    return rig_of(spread(sensors, spacing), angle, resolution)


def viewfinder(resolution: int = 64, field_of_view: float = np.pi / 2) -> Rig:
    """One wide view along the agent's axis, for `World.look`."""
    return Rig(("view_finder",), Pose.identity(1), np.array([field_of_view]), resolution)


# -- motions, in the agent frame


def yaw_pitch(yaw: npt.ArrayLike, pitch: npt.ArrayLike) -> Floats:
    """(R, 3, 3): turn left by `yaw` (R,) about the agent's own up, then up by `pitch` (R,) about its own
    right."""
    (cy, cp), (sy, sp) = cos_sin(np.stack(np.broadcast_arrays(yaw, pitch)))
    zero = np.zeros_like(cy)
    return columns(columns(cy, zero, -sy), columns(sy * sp, cp, cy * sp), columns(sy * cp, -sp, cy * cp))


def sideways(direction: npt.ArrayLike, distance: npt.ArrayLike) -> Floats:
    """(R, 3) steps across the line of sight; direction (R,) radians, 0 is right and a quarter turn is up."""
    angle, length = np.broadcast_arrays(np.asarray(direction, np.float64), np.asarray(distance, np.float64))
    cosine, sine = cos_sin(angle)
    return columns(length * cosine, length * sine, np.zeros_like(length))


def forward(distance: npt.ArrayLike) -> Floats:
    """(R, 3) steps along the line of sight; negative goes back."""
    length = np.asarray(distance, np.float64)
    return columns(np.zeros_like(length), np.zeros_like(length), -length)


def rotation_between(source: Floats, target: Floats) -> Floats:
    """(..., 3, 3): the shortest turn that takes unit vectors (..., 3) `source` into `target`."""
    # opposite vectors have no shortest turn: half a turn about any axis across, then what is left to turn
    opposite = dot(source, target) < -1 + 1e-9
    start = np.where(opposite[..., None], -source, source)
    axis, cosine = cross(start, target), dot(start, target)
    x, y, z = axis[..., 0], axis[..., 1], axis[..., 2]
    # c I + [a] + a a^T / (1 + c), where [a] b is a x b
    turn = (axis / (1 + cosine)[..., None])[..., :, None] * axis[..., None, :]
    turn += columns(columns(cosine, z, -y), columns(-z, cosine, x), columns(y, -x, cosine))
    other = np.where(np.abs(source[..., :1]) < 0.9, np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    across = unit(cross(source, other))
    half = 2 * across[..., :, None] * across[..., None, :] - np.eye(3)
    return np.asarray(np.where(opposite[..., None, None], matmul(turn, half), turn))


def facing(
    normal: Floats, distance: Floats, wanted: float = SURFACE_RANGE, active: Bools | None = None
) -> Actions:
    """Turn about the surface point ahead until it is seen head on, from the `wanted` distance.

    normal (R, 3): outward surface normal in the agent frame; distance (R,): depth of the point ahead. Rows
    that are not `active` (R,) stay. The point on the agent's axis stays on its axis.
    """
    turn = rotation_between(np.broadcast_to(np.array([0.0, 0.0, 1.0]), normal.shape), normal)
    surface = columns(np.zeros_like(distance), np.zeros_like(distance), -distance)
    actions = Actions.relative(translation=surface + wanted * turn[..., :, 2], rotation=turn)
    return actions if active is None else actions.where(active, Actions.stay(len(distance)))


# -- poses in the world


def looking_at(eye: Floats, target: Floats) -> Pose:
    """Agents at `eye` (R, 3) that look at `target` (R, 3), as level as can be."""
    back = unit(eye - target)
    steep = np.abs(back[..., 1:2]) > 0.999
    up = np.where(steep, np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0]))
    right = unit(cross(up, back))
    return Pose(eye, columns(right, cross(back, right), back))


def standing_back(
    rows: int, distance: float = DISTANT_RANGE, target: npt.ArrayLike = (0.0, 0.0, 0.0)
) -> Pose:
    """Agents in front of (on the +z side of) a target, looking at it."""
    aim = np.broadcast_to(np.asarray(target, np.float64), (rows, 3))
    return looking_at(aim + np.array([0.0, 0.0, distance]), aim)


def jump_to_surface(points: Floats, normals: Floats, distance: float = SURFACE_RANGE) -> Actions:
    """Go straight to a pose that sees surface points (R, 3) with outward normals (R, 3) head on; world
    frame."""
    return Actions.jump(looking_at(points + distance * normals, points))


def centre_pixel(seen: Observation, sensor: int = 0) -> tuple[Floats, Bools]:
    """The point (R, 3) in the middle of a sensor's patch, and whether (R,) it is on an object."""
    middle = seen.depth.shape[-1] // 2
    return seen.points[:, sensor, middle, middle], seen.on_object[:, sensor, middle, middle]


def good_view(
    world: World, agent: Pose, closest: float, target: int | None = 0, finder: Rig | None = None
) -> tuple[Pose, Bools]:
    """Turn every row's agent to its object and go until the nearest seen point is `closest` metres away.

    Looks at the object through a wide viewfinder, aims at the pixel of the object that is furthest inside
    its outline, and repeats once from the new place. target: which of the scene's objects counts, None for
    any. Returns the poses and the rows (R,) that see the object; a row that saw nothing keeps its pose.
    """
    rig = finder or viewfinder()
    found: Bools = np.zeros(world.rows, bool)
    for _ in range(2):
        there = world.sight(rig, agent, target) if isinstance(world, Sighted) else None
        sight = sighting(world.look(rig, agent), target) if there is None else there
        found = sight.found
        aim = np.where(found[:, None], sight.aim, agent.position - agent.rotation[:, :, 2])
        turned = looking_at(agent.position, aim)
        travel = np.where(found, sight.nearest - closest, 0.0)
        gone = turned @ Pose(forward(travel), np.broadcast_to(np.eye(3), turned.rotation.shape))
        agent = gone.where(found, agent)
    return agent, found


class Sighting(NamedTuple):
    """Of an object through one sensor a row: found (R,), aim (R, 3) the point of it that is furthest inside
    its outline, any where it is not found, nearest (R,) the least depth, infinity where it is not."""

    found: Bools
    aim: Floats
    nearest: Floats


@runtime_checkable
class Sighted(Protocol):
    """A world that finds objects in a view where the view is."""

    def sight(self, rig: Rig, agent: Pose, target: int | None) -> Sighting | None:
        """As `sighting` of `look`; None where that is as well."""
        ...


def sighting(seen: Observation, target: int | None) -> Sighting:
    """Where in the view of the first sensor an object is; target: which of the scene's, None for any."""
    mask = seen.on_object[:, 0] if target is None else seen.object[:, 0] == target
    rows = len(mask)
    inner = inside(mask).reshape(rows, -1)
    aim = seen.points[:, 0].reshape(rows, -1, 3)[np.arange(rows), inner.argmax(axis=1)]
    nearest = np.where(mask, seen.depth[:, 0], np.inf).min(axis=(1, 2))
    return Sighting(np.asarray(mask.any(axis=(1, 2))), aim, nearest)


def inside(mask: Bools) -> Floats:
    """How many pixels each pixel of mask (R, P, P) is from the outside of it (city blocks); 0 outside."""
    layers = np.zeros(mask.shape)
    left = mask
    while left.any():
        layers += left
        padded = np.pad(left, ((0, 0), (1, 1), (1, 1)))
        left = left & padded[:, 2:, 1:-1] & padded[:, :-2, 1:-1] & padded[:, 1:-1, 2:] & padded[:, 1:-1, :-2]
    return layers
