"""The exact world: triangle meshes seen through the ray caster.

Scenes and poses come in, observations in float64 go out, as `protocol.World` says:

    world = MeshWorld(builtin_objects(), distant_rig(), rows=8)
    seen = world.reset(np.ones(8, bool), [Scene((Placement("mug"),))] * 8, standing_back(8))
    seen = world.step(Actions.relative(rotation=yaw_pitch(yaw, pitch)))

With a device, rays of steps are cast there, and what is seen stays there: `Resident` observations, whose
patches are tensors; after actions of a policy that acts there, poses are, too. Views through other sensors
(`look`) are NumPy arrays all the same; where an object is in such a view (`sight`) is found on the device.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade import Tensor
from saccade.world.agents import Sighting
from saccade.world.meshes.mesh import WorldObject
from saccade.world.meshes.ray_device import DeviceCaster, Placed, Resident, caster_for
from saccade.world.meshes.raycast import Instances, Library, cast
from saccade.world.meshes.resident_poses import ArrivingPose, eyes_of
from saccade.world.meshes.sight_program import AIM, FOUND, NEAREST
from saccade.world.noise import DepthNoise
from saccade.world.protocol import Bools, Observation, Pose, Rig, Scene
from saccade.world.scene_rows import RowWorld, SceneRows


class MeshWorld(RowWorld):
    """Implements `World` exactly."""

    def __init__(
        self,
        objects: Sequence[WorldObject],
        rig: Rig,
        rows: int = 1,
        noise: DepthNoise | None = None,
        device: str | None = None,
    ) -> None:
        self.rig, self.noise = rig, noise or DepthNoise()
        self._rows = SceneRows([o.name for o in objects], rows)
        self.rows, self.object_names = rows, self._rows.object_names
        self.objects = {o.name: o for o in objects}
        self._library = Library.of([o.mesh for o in objects])
        self._caster = None if device is None else caster_for(self._library, device)
        self._laid: list[tuple[Scene, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]] = []
        # Rows that programs are compiled for, those beyond ours empty. They stay when rows leave: a look of
        # 2,048 takes 3 ms longer than one of 8 on an H200, and programs for fewer rows a tenth of a second
        self._room = rows
        self._lay_out()

    def place(self, rows: Bools, scenes: Sequence[Scene | None]) -> None:
        self._rows.place(rows, scenes)
        self._lay_out()

    def look(self, rig: Rig, agent: Pose | None = None) -> Observation:
        return self._seen(rig, self.agent if agent is None else agent)

    def sight(self, rig: Rig, agent: Pose, target: int | None) -> Sighting | None:
        """As `agents.sighting` of a look, on the device; None where there is none, or several sensors."""
        if self._caster is None or self._placed is None or len(rig) > 1:
            return None
        eyes = self._caster.eyes(self._placed, self._sensors(rig, agent), rig)
        found = self._caster.sight(self._placed, eyes, rig, target)[: self.rows]
        return Sighting(found[:, FOUND] > 0.5, found[:, AIM : AIM + 3], found[:, NEAREST])

    def _observe(self) -> Observation:
        if self._caster is not None and self._placed is not None:
            sensor, eyes = self._eyes(self._caster, self._placed)
            rows = self._rows
            views = self._caster.cast(self._placed, eyes, self.rig, self.noise, rows.seeds, rows.looks)
            return Resident.of(views, eyes, sensor, self.agent)
        seen = self._seen(self.rig, self.agent)
        if self.noise.is_silent:
            return seen
        depth, on_object = self.noise.apply(seen.depth, seen.on_object, self._rows.seeds, self._rows.looks)
        eye = seen.sensor.position[:, :, None, None, :]
        points = eye + (seen.points - eye) * (depth / seen.depth)[..., None]
        which = np.where(on_object, seen.object, -1)
        return Observation(depth, seen.rgb, points, on_object, which, seen.sensor, seen.agent)

    def _eyes(self, caster: DeviceCaster, placed: Placed) -> tuple[Pose, Tensor]:
        """Where the sensors are, here and on the device; agents that are there are not read."""
        agent = self.agent
        if isinstance(agent, ArrivingPose) and agent.values.shape[0] == self._room:
            eyes = eyes_of(agent.values, caster.mounts(self.rig))
            return ArrivingPose(eyes, self.rows), eyes
        sensor = self._sensors(self.rig, agent)
        return sensor, caster.eyes(placed, sensor, self.rig)

    def _seen(self, rig: Rig, agent: Pose) -> Observation:
        sensor = self._sensors(rig, agent)
        views = cast(
            self._library,
            self._instances,
            np.asarray(sensor.position, np.float64),
            np.asarray(sensor.rotation, np.float64),
            np.asarray(rig.half_tangent, np.float64),
            rig.resolution,
            rig.far,
        )
        return Observation(
            views.depth, views.rgb, views.points, views.instance >= 0, views.instance, sensor, agent
        )

    def _sensors(self, rig: Rig, agent: Pose) -> Pose:
        return Pose(agent.position[:, None], agent.rotation[:, None]) @ rig.mount

    def _lay_out(self) -> None:
        self._instances = self._laid_out()
        self._placed = None if self._caster is None else self._caster.placed(self._instances, self._room)

    def _laid_out(self) -> Instances:
        # of most rows the scene is the one that was laid out before
        known = {id(scene): (scene, laid) for scene, laid in self._laid}
        for scene in self.scenes:
            if id(scene) not in known:
                known[id(scene)] = scene, self._placements(scene)
        self._laid = [known[id(scene)] for scene in self.scenes]
        start = np.cumsum([0] + [len(scene.objects) for scene in self.scenes])
        parts = [laid for _, laid in self._laid]
        mesh = np.concatenate([numbers for numbers, _ in parts])
        return Instances(start.astype(np.int64), mesh, np.concatenate([moved for _, moved in parts]))

    def _placements(self, scene: Scene) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The meshes (I,) and transforms (I, 12) of a scene; see `Instances`."""
        transform = np.zeros((len(scene.objects), 12))
        for row, placed in zip(transform, scene.objects, strict=True):
            row[:9] = (np.asarray(placed.rotation, np.float64).T / placed.scale).ravel()
            row[9:] = placed.position
        return np.array([self._rows.number[placed.name] for placed in scene.objects], np.int64), transform
