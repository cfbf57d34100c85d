"""The seam between the cortex and any world: poses and scenes go in, depth and colour patches come out.

A world holds `rows` independent episodes side by side; the row is the outermost axis of every array. Shapes
below use R rows, S sensors on the agent of each row, P pixels along a side of a patch.

    world = MeshWorld(builtin_objects(), distant_rig(), rows=2)
    scenes = [Scene((Placement("mug"),), seed=row) for row in range(2)]
    seen = world.reset(np.ones(2, bool), scenes, standing_back(2))
    seen = world.step(Actions.relative(rotation=yaw_pitch(np.full(2, 0.02), np.zeros(2))))
    seen.points[seen.on_object]          # surface points in the world frame, metres

Frames. Metres and radians; right-handed; y is up. An agent and a sensor look along their own -z, with +x to
the right and +y up. A rotation is a 3x3 matrix that turns column vectors of the inner frame into the outer
one: a sensor's rotation turns sensor vectors into world vectors, a placement's rotation turns object
vectors into world vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from saccade.reproducible import apply, matmul, tan
from saccade.world.arriving import Arriving

Floats = npt.NDArray[np.floating]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Pose:
    """Where something is and how it is turned, for any number of things at once.

    position: (..., 3) metres, in the outer frame.
    rotation: (..., 3, 3), turns inner-frame column vectors into outer-frame ones.
    """

    position: Floats
    rotation: Floats

    @staticmethod
    def identity(*shape: int) -> Pose:
        """The pose that changes nothing, `shape` times."""
        return Pose(np.zeros((*shape, 3)), np.broadcast_to(np.eye(3), (*shape, 3, 3)).copy())

    def __matmul__(self, inner: Pose) -> Pose:
        """`self @ inner`: a pose given in the frame of `self`, expressed in the frame `self` is given in."""
        return Pose(self.apply(inner.position), matmul(self.rotation, inner.rotation))

    def apply(self, points: Floats) -> Floats:
        """Points (..., 3) of the inner frame, in the outer frame."""
        return np.asarray(self.position + apply(self.rotation, points))

    def inverse(self) -> Pose:
        """The pose of the outer frame, in the inner frame: `p.inverse() @ p` is the identity."""
        back = np.swapaxes(self.rotation, -1, -2)
        return Pose(-apply(back, self.position), back)

    def where(self, chosen: Bools, other: Pose) -> Pose:
        """This pose where `chosen` (...,) is true, `other` elsewhere."""
        return Pose(
            np.where(chosen[..., None], self.position, other.position),
            np.where(chosen[..., None, None], self.rotation, other.rotation),
        )

    def taken(self, rows: Ints) -> Pose:
        """Poses of these rows, in this order."""
        return Pose(self.position[rows], self.rotation[rows])

    def replaced(self, chosen: Bools, new: Pose) -> Pose:
        """The `new` pose where `chosen` (...,) is true, this one elsewhere."""
        return new.where(chosen, self)


@dataclass(frozen=True)
class Placement:
    """One object in a scene: world point = position + rotation @ (scale * object point)."""

    name: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: Floats = field(default_factory=lambda: np.eye(3))
    scale: float = 1.0


@dataclass(frozen=True)
class Scene:
    """What stands in the world of one row. `seed` decides the row's sensor noise and nothing else.

    By convention the first object is the one an episode is about; the others distract.
    """

    objects: tuple[Placement, ...]
    seed: int = 0


@dataclass(frozen=True)
class Rig:
    """The sensors fixed to an agent. All have P x P pixels; each its own mount and angle of view.

    names: S names, unique.
    mount: pose of each sensor in the agent frame, position (S, 3), rotation (S, 3, 3).
    field_of_view: (S,) full angle across a patch, radians.
    resolution: P.
    far: depth reported where a ray meets nothing, metres.
    """

    names: tuple[str, ...]
    mount: Pose
    field_of_view: Floats
    resolution: int = 16
    far: float = 10.0

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def half_tangent(self) -> Floats:
        """(S,) tangent of half the angle of view."""
        return tan(np.asarray(self.field_of_view, np.float64) / 2)

    def rays(self) -> Floats:
        """(S, P, P, 3): the ray of every pixel in its sensor's frame, of length one along its axis."""
        steps = (2 * np.arange(self.resolution) + 1) / self.resolution - 1
        wide = self.half_tangent[:, None, None]
        across, up = np.broadcast_arrays(wide * steps[None, None, :], -wide * steps[None, :, None])
        return np.stack([across, up, -np.ones_like(across)], axis=-1)


@dataclass(frozen=True)
class Observation:
    """What the sensors of every row see. Floats are float64 on the exact world, float32 on the field world.

    depth:     (R, S, P, P) distance along the sensor's viewing axis (not along the ray); `rig.far` where
               nothing is.
    rgb:       (R, S, P, P, 3) surface colour in 0..1; 0 where nothing is.
    points:    (R, S, P, P, 3) the seen points in the world frame, consistent with `depth` and so with its
               noise.
    on_object: (R, S, P, P) whether the pixel sees any object.
    object:    (R, S, P, P) int32: which of the row's `scene.objects` is seen, -1 for none.
    sensor:    pose of each sensor in the world frame, position (R, S, 3), rotation (R, S, 3, 3).
    agent:     pose of each agent in the world frame, position (R, 3), rotation (R, 3, 3).

    Pixel [0, 0] is the top left as the sensor sees it; the first pixel axis runs down, the second to the
    right.
    """

    depth: Floats
    rgb: Floats
    points: Floats
    on_object: Bools
    object: Ints
    sensor: Pose
    agent: Pose

    def nearest(self) -> Floats:
        """(R, S) the least depth of each patch, infinity where no object is in view."""
        return np.asarray(np.where(self.on_object, self.depth, np.inf).min(axis=(2, 3)))

    def sights(self) -> Floats | Arriving:
        """(R, S, 7) where each sensor is, the unit vector along which it looks, and `nearest`; of a world
        on a device it is not read yet."""
        parts = self.sensor.position, -self.sensor.rotation[..., 2], self.nearest()[..., None]
        return np.concatenate([np.asarray(part, np.float64) for part in parts], axis=-1)


@dataclass(frozen=True)
class Actions:
    """How the agent of each row moves before it looks again.

    motion:   position (R, 3), rotation (R, 3, 3). Relative: the new pose is `agent @ motion`, that is a
              step in the agent's own frame followed by a turn about its own eye point. Absolute: the new
              pose is `motion`.
    absolute: (R,) rows whose motion is a pose in the world frame (a jump to a goal, a return to the start).
    """

    motion: Pose
    absolute: Bools

    @staticmethod
    def relative(*, translation: Floats | None = None, rotation: Floats | None = None) -> Actions:
        """Move by translation (R, 3), then turn by rotation (R, 3, 3), in the agent frame; one is enough."""
        if translation is None and rotation is None:
            raise ValueError(
                "Actions.relative needs a translation, a rotation or both; use Actions.stay(rows) for neither"
            )
        rows = len(translation) if translation is not None else len(rotation) if rotation is not None else 0
        none = Pose.identity(rows)
        motion = Pose(
            none.position if translation is None else translation,
            none.rotation if rotation is None else rotation,
        )
        return Actions(motion, np.zeros(rows, bool))

    @staticmethod
    def jump(pose: Pose) -> Actions:
        """Set the pose of every row, in the world frame: position (R, 3), rotation (R, 3, 3)."""
        return Actions(pose, np.ones(len(pose.position), bool))

    @staticmethod
    def stay(rows: int) -> Actions:
        """Look again from where you are."""
        return Actions(Pose.identity(rows), np.zeros(rows, bool))

    @property
    def rows(self) -> int:
        """R."""
        return len(self.absolute)

    def where(self, chosen: Bools, other: Actions) -> Actions:
        """These actions in the rows `chosen` (R,), the `other` ones elsewhere."""
        return Actions(
            self.motion.where(chosen, other.motion), np.where(chosen, self.absolute, other.absolute)
        )

    def moved(self, agent: Pose) -> Pose:
        """The pose of every agent after its action."""
        return self.motion.where(self.absolute, agent @ self.motion)


class World(Protocol):
    """R independent episodes. A row's observations depend on that row's scene, seed and actions alone."""

    @property
    def rows(self) -> int:
        """R."""
        ...

    @property
    def rig(self) -> Rig:
        """The sensors every row's agent carries."""
        ...

    @property
    def object_names(self) -> tuple[str, ...]:
        """The names a placement may use."""
        ...

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """What stands in each row now."""
        ...

    @property
    def agent(self) -> Pose:
        """Where each row's agent is now: position (R, 3), rotation (R, 3, 3)."""
        ...

    def reset(
        self, rows: Bools, scenes: Sequence[Scene | None], agent: Pose, actions: Actions | None = None
    ) -> Observation:
        """Begin an episode in the rows where the mask `rows` (R,) is true and look.

        scenes: R entries; those outside the mask are not read and may be None. agent: (R, ...) start poses,
        likewise. The other rows keep their state and see what they saw before, or with `actions` move as in
        `step`, so that one look serves both. A row's noise starts again from its scene's seed.
        """
        ...

    def place(self, rows: Bools, scenes: Sequence[Scene | None]) -> None:
        """Exchange the objects of some rows without a reset: nothing else of the row changes."""
        ...

    def step(self, actions: Actions) -> Observation:
        """Move every agent, then look."""
        ...

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Go on with the rows of these numbers alone, in this order; the others are gone."""
        ...

    def look(self, rig: Rig, agent: Pose | None = None) -> Observation:
        """A noiseless view through other sensors (a viewfinder), from where the agents are or from `agent`.

        Changes no state, and takes nothing from the rows' noise.
        """
        ...
