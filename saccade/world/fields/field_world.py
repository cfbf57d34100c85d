"""The batched world on a device: distance fields, sphere traced, in float32.

    world = FieldWorld(builtin_objects(), distant_rig(), rows=4096, arrays=TensorArrays("cuda"))
    seen = world.reset(mask, scenes, standing_back(4096))       # arrays of `seen` live on the device

With `NumpyArrays` (the default) observations are NumPy arrays and the class is a `World` like any other. With
`TensorArrays` depth, rgb, points and masks are tensors that have not left the device; poses, a few numbers
a row, are kept on the host, where the policies compute them. With `fetched=True` as well, the rays are traced
on the device and observations come back as NumPy arrays, for sensor modules that compute on the host. With
`resident=True` what `reset` and `step` show stays there as `Resident` observations, as of `MeshWorld`: rays
begin where a policy that acts there put the sensors, and sensor modules are a program, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import numpy.typing as npt

from saccade import Tensor, where
from saccade.runtime.cache.cache import Cache
from saccade.runtime.config import settings
from saccade.tensor.jit.jit import jit
from saccade.world.fields.arrays import Arrays, NumpyArrays, TensorArrays, Value
from saccade.world.fields.field import Placed, Shelf, Tracer, placed_in
from saccade.world.fields.sdf import cached_field
from saccade.world.meshes.mesh import WorldObject
from saccade.world.meshes.ray_device import Resident
from saccade.world.meshes.ray_programs import Seen, sights_of
from saccade.world.meshes.resident_poses import POSE, ArrivingPose, eyes_of, mounted, seated
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
        resident: bool = False,
    ) -> None:
        self.fetched, self.resident = fetched, resident
        self.rig, self.noise, self.arrays = rig, noise or DepthNoise(), arrays or NumpyArrays()
        if self.noise.missing or self.noise.quantum or self.noise.relative:
            raise ValueError(
                "the field world has Gaussian depth noise only: set DepthNoise(sigma=...) or use MeshWorld"
            )
        if resident and not isinstance(self.arrays, TensorArrays):
            raise ValueError(
                "what is seen stays on the device of tensors: give arrays=TensorArrays(device), or leave out "
                "resident=True"
            )
        self._tracer = Tracer(self.arrays)
        self._rows = SceneRows([o.name for o in objects], rows)
        self.rows, self.object_names = rows, self._rows.object_names
        self.objects = {o.name: o for o in objects}
        with ThreadPoolExecutor(settings.threads) as pool:
            fields = list(pool.map(lambda o: cached_field(o.mesh, points, cache), objects))
        self._shelf = Shelf.of(fields, self.arrays)
        self._room = rows  # rows that are traced, those beyond ours empty
        self._mounts: Tensor | None = None
        self._shown = jit(partial(shown, len(rig), rig.resolution))
        self._placed = self._laid_out()

    def place(self, rows: Bools, scenes: Sequence[Scene | None]) -> None:
        self._rows.place(rows, scenes)
        self._placed = self._laid_out()

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        # programs are compiled for a number of rows
        fewer = self._room if self.resident else len(rows)
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
        if isinstance(self.arrays, TensorArrays) and self.resident:
            return self._stays(self.arrays, noise)
        return self._seen(self.rig, self.agent, noise)

    def _stays(self, arrays: TensorArrays, noise: npt.NDArray[np.float64] | None) -> Resident:
        """What is seen, on the device; agents that are there are not read."""
        agent, rig = self.agent, self.rig
        if isinstance(agent, ArrivingPose) and agent.values.shape[0] == self._room:
            if self._mounts is None:
                self._mounts = Tensor(mounted(rig), device=arrays.device)
            eyes = eyes_of(agent.values, self._mounts)
            sensor: Pose = ArrivingPose(eyes, self.rows)
        else:
            sensor = Pose(agent.position[:, None], agent.rotation[:, None]) @ rig.mount
            eyes = Tensor(seated(sensor, rig, self._room), device=arrays.device)
        traced = self._traced(rig, columns_of(eyes), noise)
        return Resident.of(self._shown(eyes, *traced), eyes, sensor, agent)

    def _seen(self, rig: Rig, agent: Pose, noise: npt.NDArray[np.float64] | None) -> Observation:
        a = self.arrays
        rows, sensors, side = len(agent.position), len(rig), rig.resolution
        sensor = Pose(agent.position[:, None], agent.rotation[:, None]) @ rig.mount
        # only these few numbers a sensor go to the device; the rays are made there
        known = np.concatenate([sensor.position, sensor.rotation.reshape(rows, sensors, 9)], axis=2)
        more = self._room - rows
        known = np.pad(known, ((0, more), (0, 0), (0, 0)), mode="edge")
        columns = tuple(a.put(known[:, :, k, None]) for k in range(12))
        depth, rgb, points, seen, which = self._traced(rig, columns, noise)
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

    def _traced(
        self, rig: Rig, sensor: tuple[Value, ...], noise: npt.NDArray[np.float64] | None
    ) -> tuple[Value, ...]:
        """As `Tracer.trace` through the sensors of a rig, with noise (R, S, P, P) of the rows that are
        somebody's."""
        a = self.arrays
        pixel = rig.rays().reshape(1, len(rig), -1, 3)
        given = np.zeros((self._room, 1))
        if noise is not None:
            given = np.pad(noise.reshape(len(noise), -1), ((0, self._room - len(noise)), (0, 0)))
        side = a.put(pixel[..., 0]), a.put(pixel[..., 1])
        return self._tracer.trace(
            self._shelf, self._placed, sensor, side, a.put(given), a.put(np.array(rig.far))
        )


@jit
def columns_of(eyes: Tensor) -> tuple[Tensor, ...]:
    """Twelve (room, S, 1) float32, as a `Tracer` takes them, of eyes (room, S, EYE)."""
    return tuple(eyes[:, :, k].unsqueeze(-1).cast("float32") for k in range(POSE))


def shown(
    sensors: int,
    side: int,
    eyes: Tensor,
    depth: Tensor,
    rgb: Tensor,
    points: Tensor,
    seen: Tensor,
    which: Tensor,
) -> Seen:
    """What a `Tracer` found through eyes (room, S, EYE), as the rays of a `MeshWorld` give it: in double
    precision, so that both are sensed by one program."""
    patch = (depth.shape[0], sensors, side, side)
    deep, there = depth.cast("float64").reshape(patch), seen.reshape(patch)
    nearest = where(seen, depth.cast("float64"), float("inf")).reshape(depth.shape[0], sensors, side * side)
    return Seen(
        deep,
        rgb.cast("float64").reshape(*patch, 3),
        points.cast("float64").reshape(*patch, 3),
        there,
        which.reshape(patch),
        sights_of(eyes, nearest.amin(-1)),
    )
