"""Triangle meshes with colours, and the checks a mesh must pass before it stands in a world.

A mesh is in metres in its own frame. Colours belong to the corners of triangles, not to vertices, so a
sharp colour edge (a label on a can) needs no doubled vertices and the surface stays connected:

    mesh = Mesh(vertices, faces, colors)          # (V, 3), (F, 3), (F, 3, 3)
    check(mesh, "mug")                            # raises MeshError, or warns
    mesh.scaled(0.01)                             # centimetres to metres
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from saccade.files.reading import shown
from saccade.reproducible import apply, cross, dot, mean, norm, total
from saccade.world.protocol import Placement
from saccade.world.symmetry.symmetry import Symmetry

Array = npt.NDArray[np.float64]
LARGEST, SMALLEST = 2.0, 0.005
GREY = (0.6, 0.6, 0.6)
# Bytes of a mesh file: five million triangles in binary, more than a sensor of this size can tell apart.
MESH_BYTES = 1 << 28
# The largest number that can be a coordinate: 2 m in the smallest unit that a scale makes metres of.
FARTHEST = 1e10


class MeshError(ValueError):
    """A mesh that cannot be used, with what to do about it."""


class WrongUnits(MeshError):
    """A mesh of an impossible size; `scale` would make it a possible one."""

    def __init__(self, message: str, scale: float) -> None:
        super().__init__(message)
        self.scale = scale


class MeshWarning(UserWarning):
    """A mesh that can be used with some loss."""


@dataclass(frozen=True)
class Mesh:
    """vertices (V, 3) float64 metres; faces (F, 3) int64, anticlockwise seen from outside; colors (F, 3, 3)
    0..1."""

    vertices: Array
    faces: npt.NDArray[np.int64]
    colors: Array

    @staticmethod
    def of(
        vertices: npt.ArrayLike,
        faces: npt.ArrayLike,
        color: Sequence[float] | npt.NDArray[np.floating] = GREY,
    ) -> Mesh:
        """A mesh from anything array-like. `color`: one (3,), one a face (F, 3), or one a corner (F, 3,
        3)."""
        where = np.ascontiguousarray(vertices, dtype=np.float64).reshape(-1, 3)
        corners = np.ascontiguousarray(faces, dtype=np.int64).reshape(-1, 3)
        paint = np.asarray(color, dtype=np.float64)
        if paint.shape == (len(corners), 3) and paint.ndim == 2:
            paint = paint[:, None, :]
        return Mesh(where, corners, np.ascontiguousarray(np.broadcast_to(paint, (len(corners), 3, 3))))

    @property
    def triangles(self) -> Array:
        """(F, 3, 3): the three corners of every face."""
        return np.take(self.vertices, self.faces, axis=0)  # a third of the time of an index

    @property
    def low(self) -> Array:
        """The least corner of the bounding box, (3,)."""
        return np.asarray(self.used_vertices().min(axis=0))

    @property
    def high(self) -> Array:
        """The greatest corner of the bounding box, (3,)."""
        return np.asarray(self.used_vertices().max(axis=0))

    def used_vertices(self) -> Array:
        """(U, 3): those that are a corner of a face."""
        used = np.zeros(len(self.vertices), bool)
        used[self.faces.ravel()] = True
        return np.asarray(self.vertices[used])

    @property
    def extent(self) -> float:
        """The longest side of the bounding box, metres."""
        return float((self.high - self.low).max())

    @property
    def area(self) -> Array:
        """(F,) area of each face, square metres."""
        return 0.5 * norm(self.face_normals(unit=False))

    @property
    def volume(self) -> float:
        """Signed volume by the divergence theorem: positive where faces look outwards and the surface is
        closed."""
        t = self.triangles - mean(self.vertices, axis=0)
        return float(total(dot(t[:, 0], cross(t[:, 1], t[:, 2]))) / 6)

    def face_normals(self, unit: bool = True) -> Array:
        """(F, 3) normals by the right-hand rule; their length is twice the area unless `unit`."""
        t = self.triangles
        normals = cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
        return normals / np.maximum(norm(normals, keepdims=True), 1e-300) if unit else normals

    def moved(self, translation: npt.ArrayLike = (0, 0, 0), rotation: npt.ArrayLike | None = None) -> Mesh:
        """Turned by `rotation` (3, 3), then shifted."""
        turned = self.vertices if rotation is None else apply(rotation, self.vertices)
        return Mesh(turned + np.asarray(translation, dtype=np.float64), self.faces, self.colors)

    def scaled(self, factor: float | npt.ArrayLike) -> Mesh:
        """Larger by `factor`, one number or one for each axis (all positive)."""
        return Mesh(self.vertices * np.asarray(factor, dtype=np.float64), self.faces, self.colors)

    def centred(self) -> Mesh:
        """Shifted so that the middle of the bounding box is the origin."""
        return self.moved(-(self.low + self.high) / 2)

    def is_watertight(self) -> bool:
        """Whether every edge, matched by vertex position, is used once in each direction."""
        # positions to a nanometre, mixed into one number each: ten times as fast to sort as rows
        mixed = np.round(self.vertices * 1e9).astype(np.int64) * np.array(
            [1, 0x9E3779B97F4A7C15 >> 1, 0x5851F42D4C957F2D]
        )
        _, welded = np.unique(mixed.sum(axis=1), return_inverse=True)
        faces = welded[self.faces]
        faces = faces[
            (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        ]
        edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        count = len(welded)
        forward = np.sort(edges[:, 0] * count + edges[:, 1])
        backward = np.sort(edges[:, 1] * count + edges[:, 0])
        return bool(np.array_equal(forward, backward))


@dataclass(frozen=True)
class WorldObject:
    """A thing that can be placed in a scene: its name, its mesh, and the rotations that leave it as it is.

    parts: for an object made of other objects, where those are in its frame. shape: the rotations that leave
    its shape as it is, whatever their colours; None where nobody found out.
    """

    name: str
    mesh: Mesh
    symmetry: Symmetry = field(default_factory=Symmetry)
    parts: tuple[Placement, ...] = ()
    shape: Symmetry | None = None


def face_indices(corners: npt.ArrayLike, vertices: int, first: int = 0) -> npt.NDArray[np.int64]:
    """Numbers of vertices as an array of the same shape; ValueError if there is no such vertex. `first`: the
    number that a file gives to the first vertex."""
    given = np.asarray(corners)
    if given.size and given.dtype.kind not in "iuO":  # integers that no machine has are objects
        raise ValueError(f"its faces name vertices by numbers of type {given.dtype}, not by integers")
    wrong = given[(given < first) | (given >= first + vertices)]
    if len(wrong):
        raise ValueError(f"a face names vertex {shown(wrong.tolist()[0])}, and there are {vertices}")
    return given.astype(np.int64) - first


def check_vertices(vertices: Array) -> None:
    """ValueError for coordinates (V, 3) that nothing can have."""
    bad = np.flatnonzero(~(np.abs(vertices) <= FARTHEST).all(axis=1))
    if len(bad):
        x, y, z = vertices[bad[0]].tolist()
        raise ValueError(
            f"vertex {bad[0]} is at ({x:g}, {y:g}, {z:g}), not finite or more than {FARTHEST:g} from 0"
        )


def checked_colors(mesh: Mesh) -> Mesh:
    """The mesh with colours within 0..1; ValueError for colours that are none."""
    if not np.isfinite(mesh.colors).all():
        raise ValueError("it has colours that are not finite")
    if mesh.colors.size and (mesh.colors.min() < 0 or mesh.colors.max() > 1):
        warnings.warn(MeshWarning("colours outside 0..1 are cut off there"), stacklevel=2)
        return Mesh(mesh.vertices, mesh.faces, np.clip(mesh.colors, 0, 1))
    return mesh


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """All meshes as one. Faces inside another part stay; no ray from outside ever meets them."""
    offsets = np.cumsum([0] + [len(m.vertices) for m in meshes])
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.faces + o for m, o in zip(meshes, offsets, strict=False)]),
        np.concatenate([m.colors for m in meshes]),
    )


def check(mesh: Mesh, name: str, allow_any_size: bool = False) -> None:
    """Raise MeshError for a mesh no world can use; warn (MeshWarning) for one with holes."""
    if len(mesh.faces) == 0 or len(mesh.vertices) == 0:
        raise MeshError(f"mesh {name!r} is empty: {len(mesh.vertices)} vertices, {len(mesh.faces)} faces")
    bad = np.flatnonzero(~np.isfinite(mesh.vertices).all(axis=1))
    if len(bad):
        raise MeshError(
            f"mesh {name!r} has {len(bad)} vertices that are not finite, the first is number {bad[0]}: "
            "repair the file"
        )
    if mesh.faces.min() < 0 or mesh.faces.max() >= len(mesh.vertices):
        wrong = int(mesh.faces.min() if mesh.faces.min() < 0 else mesh.faces.max())
        raise MeshError(
            f"mesh {name!r} is broken: a face names vertex {wrong}, and there are {len(mesh.vertices)}"
        )
    if not np.isfinite(mesh.colors).all():
        raise MeshError(f"mesh {name!r} has colours that are not finite; repair the file")
    if not mesh.area.any():
        raise MeshError(f"mesh {name!r} is broken: all of its {len(mesh.faces)} faces have no area")
    if not allow_any_size:
        check_size(mesh.extent, name)
    if not mesh.is_watertight():
        warnings.warn(
            MeshWarning(f"mesh {name!r} is not watertight: a sensor may see its inside"), stacklevel=2
        )


def check_size(extent: float, name: str) -> None:
    """Refuse what cannot be a hand-sized object in metres, and say which scale would make it one."""
    if SMALLEST <= extent <= LARGEST:
        return
    units = {0.001: "millimetres", 0.01: "centimetres", 0.0254: "inches", 1000.0: "kilometres"}
    fitting = [s for s in units if 0.03 <= extent * s <= 0.6] or [0.15 / extent]
    guesses = [
        f"{scale:.4g}, " + (f"as if in {units[scale]}" if scale in units else "to make it 15 cm")
        for scale in fitting
    ]
    raise WrongUnits(
        f"mesh {name!r} is {extent:.4g} m across, which no hand-sized object is "
        f"({SMALLEST * 1000:g} mm to {LARGEST:g} m): use scale {', or '.join(guesses)}",
        fitting[0],
    )
