"""The batched world on a device: distance fields, sphere traced, in float32.

    world = FieldWorld(builtin_objects(), distant_rig(), rows=4096, arrays=TensorArrays("cuda"))
    seen = world.reset(mask, scenes, standing_back(4096))       # arrays of `seen` live on the device

With `NumpyArrays` (the default) observations are NumPy arrays and the class is a `World` like any other. With
`TensorArrays` depth, rgb, points and masks are tensors that have not left the device; poses, a few numbers
a row, are kept on the host, where the policies compute them. With `fetched=True` as well, the rays are traced
on the device and observations come back as NumPy arrays, for sensor modules that compute on the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from saccade.runtime.cache.cache import Cache
from saccade.runtime.config import settings
from saccade.world.fields.arrays import Arrays, NumpyArrays
from saccade.world.fields.field import Placed, Shelf, Tracer, placed_in
from saccade.world.fields.sdf import cached_field
from saccade.world.meshes.mesh import WorldObject
from saccade.world.narrowing import NARROWING
from saccade.world.noise import DepthNoise, normals
from saccade.world.protocol import Bools, Observation, Pose, Rig, Scene
from saccade.world.scene_rows import NOWHERE, RowWorld, SceneRows


class FieldWorld(RowWorld):
    """Implements `World` by sphere tracing; see the module docstring."""

    def __init__(
        self,
        objects: Sequence[WorldObject],
        rig: Rig,
        rows: int = 1,
        noise: DepthNoise | None = None,
        arrays: Arrays | None = None,
        points: int = 600_000,
        cache: Cache | None = None,
        fetched: bool = False,
    ) -> None:
        self.fetched = fetched
        self.rig, self.noise, self.arrays = rig, noise or DepthNoise(), arrays or NumpyArrays()
        if self.noise.missing or self.noise.quantum or self.noise.relative:
            raise ValueError(
                "the field world has Gaussian depth noise only: set DepthNoise(sigma=...) or use MeshWorld"
            )
        self._tracer = Tracer(self.arrays)
        self._rows = SceneRows([o.name for o in objects], rows)
        self.rows, self.object_names = rows, self._rows.object_names
        self.objects = {o.name: o for o in objects}
        with ThreadPoolExecutor(settings.threads) as pool:
            fields = list(pool.map(lambda o: cached_field(o.mesh, points, cache), objects))
        self._shelf = Shelf.of(fields, self.arrays)
        self._room = rows  # rows that are traced, those beyond ours empty
        self._placed = self._laid_out()

    def place(self, rows: Bools, scenes: Sequence[Scene | None]) -> None:
        self._rows.place(rows, scenes)
        self._placed = self._laid_out()

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        # programs are compiled for a number of rows
        fewer = len(rows)
        self._room = fewer if isinstance(self.arrays, NumpyArrays) else NARROWING(self._room, fewer)
        super().keep(rows)

    def _laid_out(self) -> Placed:
        filled = [*self.scenes, *[NOWHERE] * (self._room - self.rows)]
        return placed_in(self._shelf, filled, self._rows.number, self.arrays)

    def look(self, rig: Rig, agent: Pose | None = None) -> Observation:
        return self._seen(rig, self.agent if agent is None else agent, None)

    def _observe(self) -> Observation:
        shape = (len(self.rig), self.rig.resolution, self.rig.resolution)
        noise = None
        if self.noise.sigma:
            noise = self.noise.sigma * normals(self._rows.seeds, self._rows.looks, shape, 0)
        return self._seen(self.rig, self.agent, noise)

    def _seen(self, rig: Rig, agent: Pose, noise: npt.NDArray[np.float64] | None) -> Observation:
        a = self.arrays
        rows, sensors, side = len(agent.position), len(rig), rig.resolution
        sensor = Pose(agent.position[:, None], agent.rotation[:, None]) @ rig.mount
        # only these few numbers a sensor go to the device; the rays are made there
        known = np.concatenate([sensor.position, sensor.rotation.reshape(rows, sensors, 9)], axis=2)
        more = self._room - rows
        known = np.pad(known, ((0, more), (0, 0), (0, 0)), mode="edge")
        columns = tuple(a.put(known[:, :, k, None]) for k in range(12))
        pixel = rig.rays().reshape(1, sensors, -1, 3)
        given = np.zeros((rows, 1)) if noise is None else noise.reshape(rows, -1)
        given = np.pad(given, ((0, more), (0, 0)))
        depth, rgb, points, seen, which = self._tracer.trace(
            self._shelf,
            self._placed,
            columns,
            (a.put(pixel[..., 0]), a.put(pixel[..., 1])),
            a.put(given),
            a.put(np.array(rig.far)),
        )
        if self.fetched:
            depth, rgb, points, seen, which = a.fetch_all((depth, rgb, points, seen, which))
        if more:
            depth, rgb, points, seen, which = (
                part.reshape(self._room, -1)[:rows] for part in (depth, rgb, points, seen, which)
            )
        shape = (rows, sensors, side, side)
        return Observation(
            depth.reshape(shape),
            rgb.reshape(*shape, 3),
            points.reshape(*shape, 3),
            seen.reshape(shape),
            which.reshape(shape),
            sensor,
            agent,
        )
