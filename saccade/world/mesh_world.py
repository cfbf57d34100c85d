"""The exact world: triangle meshes seen through the ray caster.

    world = MeshWorld(builtin_objects(), distant_rig(), rows=8)
    seen = world.reset(np.ones(8, bool), [Scene((Placement("mug"),))] * 8, standing_back(8))
    seen = world.step(Actions.relative(rotation=yaw_pitch(yaw, pitch)))
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np

from saccade.world.mesh import WorldObject
from saccade.world.noise import DepthNoise
from saccade.world.protocol import Actions, Bools, Observation, Pose, Rig, Scene
from saccade.world.raycast import Instances, Library, cast

NOWHERE = Scene(())


class MeshWorld:
    """Implements `World` exactly. State: the scene, the agent's pose and the number of looks of every row."""

    def __init__(
        self, objects: Sequence[WorldObject], rig: Rig, rows: int = 1, noise: DepthNoise | None = None
    ) -> None:
        names = [o.name for o in objects]
        if not names:
            raise ValueError("a world needs at least one object; builtin_objects() gives a set")
        if len(set(names)) < len(names):
            double = next(n for n in names if names.count(n) > 1)
            raise ValueError(f"two objects are named {double!r}; rename one")
        if rows < 1:
            raise ValueError(f"a world needs at least one row, got {rows}")
        self.rows, self.rig, self.noise = rows, rig, noise or DepthNoise()
        self.object_names = tuple(names)
        self.objects = {o.name: o for o in objects}
        self.agent = Pose.identity(rows)
        self._number = {name: i for i, name in enumerate(names)}
        self._library = Library.of([o.mesh for o in objects])
        self._scenes: list[Scene] = [NOWHERE] * rows
        self._seeds = np.zeros(rows, np.int64)
        self._looks = np.zeros(rows, np.int64)
        self._instances = self._laid_out()

    @property
    def scenes(self) -> tuple[Scene, ...]:
        return tuple(self._scenes)

    def reset(self, rows: Bools, scenes: Sequence[Scene | None], agent: Pose) -> Observation:
        self.place(rows, scenes)
        rows = np.asarray(rows, bool)
        for row in np.flatnonzero(rows):
            self._seeds[row] = self._scenes[row].seed
        self._looks = np.where(rows, 0, self._looks)
        self.agent = agent.where(rows, self.agent)
        return self._observe()

    def place(self, rows: Bools, scenes: Sequence[Scene | None]) -> None:
        if len(rows) != self.rows or len(scenes) != self.rows:
            raise ValueError(f"this world has {self.rows} rows, got a mask of {len(rows)} and {len(scenes)} scenes")
        for row in np.flatnonzero(np.asarray(rows, bool)):
            scene = scenes[row]
            if scene is None:
                raise ValueError(f"row {row} is to be filled and has no scene")
            for placed in scene.objects:
                if placed.name not in self._number:
                    near = difflib.get_close_matches(placed.name, self.object_names, 1)
                    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self.object_names)}"
                    raise ValueError(f"no object is named {placed.name!r}: {hint}")
            self._scenes[row] = scene
        self._instances = self._laid_out()

    def step(self, actions: Actions) -> Observation:
        self.agent = actions.moved(self.agent)
        self._looks = self._looks + 1
        return self._observe()

    def look(self, rig: Rig, agent: Pose | None = None) -> Observation:
        return self._seen(rig, self.agent if agent is None else agent)

    def _observe(self) -> Observation:
        seen = self._seen(self.rig, self.agent)
        if self.noise.is_silent:
            return seen
        depth, on_object = self.noise.apply(seen.depth, seen.on_object, self._seeds, self._looks)
        eye = seen.sensor.position[:, :, None, None, :]
        points = eye + (seen.points - eye) * (depth / seen.depth)[..., None]
        which = np.where(on_object, seen.object, -1)
        return Observation(depth, seen.rgb, points, on_object, which, seen.sensor, seen.agent)

    def _seen(self, rig: Rig, agent: Pose) -> Observation:
        sensor = Pose(agent.position[:, None], agent.rotation[:, None]) @ rig.mount
        views = cast(
            self._library,
            self._instances,
            np.asarray(sensor.position, np.float64),
            np.asarray(sensor.rotation, np.float64),
            np.tan(np.asarray(rig.field_of_view, np.float64) / 2),
            rig.resolution,
            rig.far,
        )
        return Observation(
            views.depth, views.rgb, views.points, views.instance >= 0, views.instance, sensor, agent
        )

    def _laid_out(self) -> Instances:
        placed = [p for scene in self._scenes for p in scene.objects]
        start = np.cumsum([0] + [len(scene.objects) for scene in self._scenes])
        transform = np.zeros((len(placed), 12))
        for i, p in enumerate(placed):
            transform[i, :9] = (np.asarray(p.rotation, np.float64).T / p.scale).ravel()
            transform[i, 9:] = p.position
        mesh = np.array([self._number[p.name] for p in placed], np.int64)
        return Instances(start.astype(np.int64), mesh, transform)
