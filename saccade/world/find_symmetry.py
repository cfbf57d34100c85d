"""The rotations that leave a mesh as it is, found by trying.

Comes in: a mesh and what a sensor cannot tell apart, in metres and in colour. Goes out: a `Symmetry`.

    find_symmetry(mesh)                      # a can without a print: any turn about its axis, and upside down
    find_symmetry(mesh, distance=0.0005)     # a better sensor sees the rim that only one of its ends has

A rotation counts if it brings every place of the surface (99 in 100, for a sample has chance in it) to a
place of the surface that is at most `distance` away, faces the same way and differs by at most `colour` in
each of red, green and blue. The default is the noise of one look in the presets, and less than half of the
distance between the points of a model. A mark that exceeds it on one hundredth of the surface makes an object
one without that symmetry, however seldom a sensor meets the mark.

Few rotations need to be tried. A symmetry keeps the middle of the surface and the axes along which it
spreads: where the three spreads differ only half turns about those are left; where two are equal, turns about
the third axis and half turns across it. Of bodies as wide in all directions (a cube) the axes of the mesh are
tried as well; an odd axis of such a body is not found, and the object is then judged without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.reproducible import Draws, apply, cross, dot, eigen_symmetric, mean, norm, total, unit
from saccade.runtime.cache import Cache, key_of, shared_cache
from saccade.world.mesh import Mesh
from saccade.world.symmetry import Symmetry, generated, rotation_about

Array = npt.NDArray[np.float64]

DISTANCE, COLOUR = 0.002, 0.1
# Share of the places that must find one like them, and the cosine of the angle between normals that is alike.
SHARE, FACING = 0.99, 0.7
# Places that stand for the surface and that are tried; fewer of both for a first look at a rotation.
KEPT, TRIED, FEW_KEPT, FEW_TRIED = 16_000, 1_000, 4_000, 60
# Entries of rotation matrices that measured axes may differ by: about 10 degrees.
MEASURED = 0.15
# Turns about an axis: if it keeps these angles all are free; else it may keep these parts of a circle.
FREE = (0.7, 1.0, 1.9, 2.6)
ORDERS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12)
# Part of the key of what is cached: raise it when the rule changes.
VERSION = "2"


@dataclass(frozen=True)
class Surface:
    """Places spread evenly over a mesh in random order: position, normal and colour, each (N, 3)."""

    position: Array
    normal: Array
    colour: Array

    def first(self, count: int) -> Surface:
        return Surface(self.position[:count], self.normal[:count], self.colour[:count])

    def about(self, middle: Array) -> Surface:
        return Surface(self.position - middle, self.normal, self.colour)

    @staticmethod
    def of(mesh: Mesh, count: int, seed: int) -> Surface:
        random = Draws(seed)
        area = np.cumsum(mesh.area)
        # one place in each of `count` equal shares of the area
        marks = (np.arange(count) + random.uniform(count)) / count * area[-1]
        face = np.minimum(np.searchsorted(area, marks), len(area) - 1)[random.order(count)]
        root, along = np.sqrt(random.uniform(count, 1)), random.uniform(count, 1)
        weights = np.concatenate([1 - root, root * (1 - along), root * along], axis=1)
        return Surface(
            dot(weights[:, None], np.swapaxes(mesh.triangles[face], 1, 2)),
            mesh.face_normals()[face],
            dot(weights[:, None], np.swapaxes(mesh.colors[face], 1, 2)),
        )


def find_symmetry(mesh: Mesh, distance: float = DISTANCE, colour: float = COLOUR) -> Symmetry:
    """The rotations of a mesh that a sensor cannot tell from none."""
    if not (distance > 0 and colour >= 0):
        raise ValueError(f"distance = {distance} must be above 0 and colour = {colour} at least 0")
    return Finder(mesh, distance, colour).find()


def cached_symmetry(mesh: Mesh, cache: Cache | None = None) -> Symmetry:
    """`find_symmetry(mesh)`, found once: afterwards from the cache on disk, by the content of the mesh."""
    cache = cache or shared_cache()
    content = [np.ascontiguousarray(part).tobytes() for part in (mesh.vertices, mesh.faces, mesh.colors)]
    key = key_of("symmetry", VERSION, *content)
    stored = cache.get(key)
    if stored is None:
        found = find_symmetry(mesh)
        stored = json.dumps({"axis": found.axis, "rotations": np.asarray(found.rotations).tolist()}).encode()
        cache.put(key, stored)
    kept = json.loads(stored)
    return Symmetry(tuple(kept["axis"]) if kept["axis"] else None, [np.array(r) for r in kept["rotations"]])


class Finder:
    """The surface of one mesh, and which rotations keep it."""

    def __init__(self, mesh: Mesh, distance: float, colour: float) -> None:
        every = Surface.of(mesh, KEPT, 0)
        middle = mean(every.position, axis=0)
        self.every, self.tried = every.about(middle), Surface.of(mesh, TRIED, 1).about(middle)
        self.distance, self.colour = distance, colour
        self.area = float(total(mesh.area))
        self.radius = float(norm(self.every.position).max())

    def share(self, rotation: Array, some: Surface, every: Surface) -> float:
        """How many of some places a rotation brings to a place like them."""
        moved, facing = apply(rotation, some.position), apply(rotation, some.normal)
        # where the surface is the same the nearest of the places kept may still be their spacing away
        reach = self.distance + np.sqrt(self.area / len(every.position))
        squares = np.zeros((len(moved), len(every.position)))
        for axis in range(3):
            squares += np.square(moved[:, None, axis] - every.position[:, axis])
        row, column = np.nonzero(squares <= reach * reach)
        alike = np.abs(some.colour[row] - every.colour[column]).max(axis=1) <= self.colour
        alike &= dot(facing[row], every.normal[column]) >= FACING
        return len(np.unique(row[alike])) / len(moved)

    def glance(self, rotation: Array) -> float:
        """The share of few places, which never is much less than that of all."""
        return self.share(rotation, self.tried.first(FEW_TRIED), self.every.first(FEW_KEPT))

    def keeps(self, rotation: Array) -> bool:
        """Whether a rotation leaves everything as it is."""
        return self.glance(rotation) > 0.9 and self.share(rotation, self.tried, self.every) >= SHARE

    def find(self) -> Symmetry:
        where = self.every.position  # about its middle
        squares, axes = eigen_symmetric(mean(where[:, :, None] * where[:, None, :], axis=0))
        equal = np.diff(np.sqrt(squares)) < self.distance
        if not equal.any():
            return Symmetry(rotations=generated(*self.kept(map(half_turn, axes.T)), near=MEASURED))
        if equal.all():
            return self.around([*axes.T, *np.eye(3)])
        return self.around([axes[:, 2] if equal[0] else axes[:, 0]])

    def kept(self, candidates: Iterable[Array]) -> list[Array]:
        return [candidate for candidate in candidates if self.keeps(candidate)]

    def around(self, axes: list[Array]) -> Symmetry:
        """Turns about some axes, and half turns across them."""
        for axis in axes:
            if all(self.keeps(rotation_about(axis, angle)) for angle in FREE):
                x, y, z = axis.tolist()
                return Symmetry((x, y, z), [np.eye(3), *self.kept([half_turn(across(axis))])])
        found: list[Array] = []
        for axis in axes:
            found += self.kept(rotation_about(axis, 2 * np.pi / order) for order in ORDERS)
            # the rotation that keeps most, if it keeps all
            found += self.kept([max(self.flips(axis), key=self.glance)])
        return Symmetry(rotations=generated(*found, near=MEASURED))

    def flips(self, axis: Array) -> Iterator[Array]:
        """Half turns about directions across an axis, so close that none is farther off than the distance."""
        count = int(np.clip(np.ceil(np.pi * self.radius / self.distance), 8, 180))
        for k in range(count):
            yield half_turn(apply(rotation_about(axis, np.pi * k / count), across(axis)))


def half_turn(axis: Array) -> Array:
    return rotation_about(axis, np.pi)


def across(axis: Array) -> Array:
    """Some unit vector perpendicular to an axis."""
    return unit(cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))]))
