"""Rays against meshes where the tensors of a run are: the tables of a library, sent once, and programs.

    caster = DeviceCaster(library, "cuda")
    placed = caster.placed(instances, rows)                         # when scenes change
    eyes = caster.eyes(placed, sensor, rig)                         # where the sensors are
    seen = caster.cast(placed, eyes, rig, noise, seeds, looks)      # `ray_programs.Seen`, on the device

Of what `raycast` computes it differs by rounding alone, and by which of two triangles is seen where both are
met in the same place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from saccade import Tensor
from saccade.tensor.jit.function import JitFunction
from saccade.tensor.jit.jit import jit
from saccade.world.arriving import Arriving
from saccade.world.meshes.ray_programs import (
    BOX,
    BOXES,
    CORNERS,
    FAN_LEVELS,
    FANNED,
    FIRST,
    LEAF,
    LEVEL,
    LEVELS,
    PAINT,
    SOLID,
    Looks,
    Seen,
    Shape,
    Tables,
    see,
)
from saccade.world.meshes.raycast import Array, Instances, Library
from saccade.world.meshes.resident_poses import ArrivingPose, mounted, seated
from saccade.world.meshes.sight_program import sight
from saccade.world.noise import DepthNoise
from saccade.world.protocol import Floats, Ints, Observation, Pose, Rig


class Placed(NamedTuple):
    """The objects of rows on the device; see `ray_programs.Looks`. rows: how many of them are somebody's."""

    transform: Tensor
    mesh: Tensor
    rows: int


@dataclass(frozen=True)
class Resident(Observation):
    """What is seen, on a device: depth, rgb, points, on_object and object are tensors, and they may have rows
    beyond those of `sensor` and `agent`, which are nobody's. lines (room, S, 7): what `sights` tells. eyes
    (room, S, 13): the sensors there, as `ray_programs.Looks.sensor`."""

    lines: Tensor
    eyes: Tensor

    @staticmethod
    def of(seen: Seen, eyes: Tensor, sensor: Pose, agent: Pose) -> Resident:
        patches: dict[str, Any] = {
            "depth": seen.depth,
            "rgb": seen.rgb,
            "points": seen.points,
            "on_object": seen.on_object,
            "object": seen.instance,
        }
        return Resident(**patches, sensor=sensor, agent=agent, lines=seen.sights, eyes=eyes)

    def nearest(self) -> Floats:
        return self.sights().read[..., 6]

    def sights(self) -> Arriving:
        sensor = self.sensor
        return Arriving(self.lines, sensor.rows if isinstance(sensor, ArrivingPose) else len(sensor.position))


@cache
def _program(shape: Shape) -> JitFunction[[Tables, Looks], Seen]:
    """One for all worlds of a process."""
    return jit(partial(see, shape))


@cache
def _sight_program(shape: Shape, target: int | None) -> JitFunction[[Tables, Looks], Tensor]:
    return jit(partial(sight, shape, target))


class DeviceCaster:
    """The meshes of a library on a device."""

    def __init__(self, library: Library, device: str) -> None:
        self.library, self.device = library, device
        self._mounts: dict[int, tuple[Rig, Tensor]] = {}
        levels = [int(leaves).bit_length() - 1 for leaves in library.index[:, 3]]
        self._levels = max(1, -(-max(levels) // FAN_LEVELS))
        self._meshes = _mesh_rows(library, levels, self._levels)
        starts = _absolute_starts(library)
        ends = np.diff(starts)
        self._leaf = _rounded(int(ends.max()), 1)
        faces = np.diff(np.append(library.index[:, 1], len(library.faces)))
        self.bits = int(faces.max()).bit_length()
        self._tables = Tables(
            self._sent(_widened(library.boxes, BOXES)),
            self._sent(_widened(library.corners, CORNERS)),
            self._sent(_widened(library.paint, PAINT)),
            self._sent(_filled(starts.astype(np.int32))),
            self._sent(_filled(self._meshes).reshape(-1)),
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the tables on the device."""
        return sum(table.nbytes for table in self._tables)

    def placed(self, instances: Instances, room: int) -> Placed:
        """The objects of rows, padded to `room` of them and to as many objects in each as one has."""
        counts = np.diff(instances.row_start)
        most = max(1, int(counts.max(initial=0)))
        row = np.repeat(np.arange(len(counts)), counts)
        place = np.arange(len(instances.mesh)) - instances.row_start[row]
        transform = np.zeros((room, most, 12))
        mesh = np.full((room, most), len(self._meshes) - 1, np.int32)
        transform[row, place], mesh[row, place] = instances.transform, instances.mesh
        return Placed(self._sent(transform), self._sent(mesh), len(counts))

    def eyes(self, placed: Placed, sensor: Pose, rig: Rig) -> Tensor:
        """(room, S, 13) the sensors of a rig at position (R, S, 3) with rotation (R, S, 3, 3); for all rows
        there is room for."""
        return self._sent(seated(sensor, rig, placed.mesh.shape[0]))

    def mounts(self, rig: Rig) -> Tensor:
        """(S, EYE) where the sensors of a rig are on an agent; sent once."""
        known = self._mounts.get(id(rig))
        if known is None or known[0] is not rig:
            known = self._mounts[id(rig)] = rig, self._sent(mounted(rig))
        return known[1]

    def cast(
        self, placed: Placed, eyes: Tensor, rig: Rig, noise: DepthNoise, seeds: Ints, looks: Ints
    ) -> Seen:
        """Look through the sensors of a rig, with noise of rows with seeds (R,) after so many looks (R,);
        rows beyond the last see nothing."""
        rows, drawn = len(seeds), np.zeros((2, eyes.shape[0]), np.uint64)
        drawn[0, :rows], drawn[1, :rows] = seeds.astype(np.uint64), looks.astype(np.uint64)
        given = Looks(eyes, placed.transform, placed.mesh, self._sent(drawn))
        return _program(self._shape(rig, noise))(self._tables, given)

    def sight(self, placed: Placed, eyes: Tensor, rig: Rig, target: int | None) -> Array:
        """(room, SIGHT) as `sight_program`, through the first sensor of a rig, without noise. Waits."""
        shape = self._shape(rig, DepthNoise())
        looks = Looks(
            eyes, placed.transform, placed.mesh, self._sent(np.zeros((2, eyes.shape[0]), np.uint64))
        )
        return np.asarray(_sight_program(shape, target)(self._tables, looks).numpy())

    def _shape(self, rig: Rig, noise: DepthNoise) -> Shape:
        columns = self._meshes.shape[1]
        return Shape(self._levels, self._leaf, self.bits, columns, rig.resolution, rig.far, noise)

    def _sent(self, value: npt.NDArray[np.generic]) -> Tensor:
        return Tensor(np.ascontiguousarray(value), device=self.device)


#: by the library, which a caster keeps: no other has the same number while it is there
_casters: WeakValueDictionary[tuple[int, str], DeviceCaster] = WeakValueDictionary()


def caster_for(library: Library, device: str) -> DeviceCaster:
    """The meshes of a library on a device, one for all worlds that have it."""
    known = _casters.get((id(library), device))
    if known is None:
        known = _casters[id(library), device] = DeviceCaster(library, device)
    return known


def _mesh_rows(library: Library, levels: list[int], boxes: int) -> npt.NDArray[np.int32]:
    """(meshes + 1, columns) `Tables.meshes` for so many levels of boxes; of the last one nothing is met."""
    rows = np.zeros((len(levels) + 1, LEVELS + LEVEL * boxes), np.int32)
    for row, (box, triangle, leaf, _, solid), depth in zip(rows, library.index.tolist(), levels):
        row[[FIRST, LEAF, SOLID]] = triangle, leaf, solid
        for number in range(boxes):
            # of small trees the highest levels are the root, again and again
            here, above = (max(depth - FAN_LEVELS * up, 0) for up in (number, number + 1))
            fanned = 1 << (here - (above if number + 1 < boxes else 0))
            row[LEVELS + LEVEL * number + FANNED] = fanned
            row[LEVELS + LEVEL * number + BOX] = box + (1 << here) - 1
    return rows


def _absolute_starts(library: Library) -> npt.NDArray[np.int64]:
    """Where leaves begin and the last of each mesh ends, counted in the triangles of the library."""
    sizes = np.diff(np.append(library.index[:, 2], len(library.starts)))
    return library.starts + np.repeat(library.index[:, 1], sizes)


def _rounded(count: int, least: int = 8) -> int:
    """`count` or up to an eighth more: few sizes, so that libraries share programs."""
    step = max(least, 1 << max(count.bit_length() - 4, 0))
    return -(-count // step) * step


def _filled(values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Rows of 0 after the last, up to a size that others have too."""
    room = _rounded(len(values)) - len(values)
    return np.pad(values, ((0, room), *((0, 0),) * (values.ndim - 1)))


def _widened(rows: Array, width: int) -> Array:
    """Rows of so many numbers, laid flat."""
    wide = np.zeros((_rounded(len(rows)), width))
    wide[: len(rows), : rows.shape[1]] = rows
    return wide.reshape(-1)
