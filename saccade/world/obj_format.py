"""Wavefront OBJ files: faces as triangles, with the colours and textures of the .mtl file beside them.

Numbers are taken as they stand; the reader of a folder scales and checks them:

    mesh = read_obj(Path("teapot.obj"))
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from saccade.world.mesh import GREY, Mesh, MeshError, MeshWarning, joined
from saccade.world.texture import wrapped


@dataclass
class Material:
    """Diffuse colour and, where there is one, the picture that replaces it."""

    color: tuple[float, ...] = GREY
    picture: Path | None = None


@dataclass
class Contents:
    """What the lines of a file add up to; corners are (vertex, texture vertex or -1)."""

    vertices: list[tuple[float, ...]] = field(default_factory=list)
    vertex_colors: list[tuple[float, ...]] = field(default_factory=list)
    places: list[tuple[float, ...]] = field(default_factory=list)
    faces: dict[str, list[list[tuple[int, int]]]] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)


def read_obj(path: Path) -> Mesh:
    """The triangles of an OBJ file, polygons cut into fans; vertex colours are read where vertices have six
    numbers."""
    contents = parsed(path)
    if not contents.vertices or not contents.faces:
        raise MeshError(
            f"{path} is empty: {len(contents.vertices)} vertices, {len(contents.faces)} groups of faces"
        )
    vertices = np.array(contents.vertices, np.float64)
    parts = []
    for name, faces in contents.faces.items():
        index = np.array(faces, np.int64)
        if index[..., 0].min() < 0 or index[..., 0].max() >= len(vertices):
            raise MeshError(
                f"{path} is broken: a face names vertex {int(index[..., 0].max()) + 1}, "
                f"and there are {len(vertices)}"
            )
        parts.append(colored(contents, vertices, index, contents.materials.get(name, Material())))
    return joined(parts)


def colored(
    contents: Contents, vertices: npt.NDArray[np.float64], index: npt.NDArray[np.int64], material: Material
) -> Mesh:
    """The faces (F, 3, 2) of one material."""
    faces = index[..., 0]
    if len(contents.vertex_colors) == len(vertices):
        return Mesh.of(vertices, faces, np.array(contents.vertex_colors, np.float64)[faces])
    used, compact = np.unique(faces, return_inverse=True)
    mesh = Mesh.of(vertices[used], compact.reshape(-1, 3), material.color)
    if material.picture is None or (index[..., 1] < 0).any() or index[..., 1].max() >= len(contents.places):
        return mesh
    try:
        return wrapped(mesh, np.array(contents.places, np.float64)[index[..., 1]], material.picture)
    except (MeshError, ValueError) as unread:
        warnings.warn(MeshWarning(f"texture left out: {unread}"), stacklevel=2)
        return mesh


def parsed(path: Path) -> Contents:
    """Go through the lines once."""
    contents, material = Contents(), ""
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        try:
            if words[0] == "v":
                values = tuple(float(w) for w in words[1:7])
                if len(values) < 3:
                    raise ValueError(f"a vertex has three numbers, not {len(values)}")
                contents.vertices.append(values[:3])
                if len(values) == 6:
                    contents.vertex_colors.append(values[3:])
            elif words[0] == "vt":
                contents.places.append(tuple(float(w) for w in words[1:3]))
            elif words[0] == "f":
                corners = [corner(w, len(contents.vertices), len(contents.places)) for w in words[1:]]
                fans = contents.faces.setdefault(material, [])
                fans.extend([corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1))
            elif words[0] == "usemtl":
                material = line.split(None, 1)[1].strip() if len(words) > 1 else ""
            elif words[0] == "mtllib" and len(words) > 1:
                contents.materials |= read_materials(path.parent / line.split(None, 1)[1].strip())
        except ValueError as broken:
            raise MeshError(f"{path}, line {number} is broken: {broken}") from None
    contents.faces = {name: faces for name, faces in contents.faces.items() if faces}
    return contents


def corner(word: str, vertices: int, places: int) -> tuple[int, int]:
    """`7/3/1`, `7//1` or `-1/-1` as (vertex, texture vertex), counted from 0; -1 for no texture vertex."""
    numbers = word.split("/")
    vertex = int(numbers[0])
    place = int(numbers[1]) if len(numbers) > 1 and numbers[1] else 0
    return (
        vertex - 1 if vertex > 0 else vertices + vertex,
        place - 1 if place > 0 else places + place if place else -1,
    )


def read_materials(path: Path) -> dict[str, Material]:
    """The materials of an .mtl file; a missing file is a warning and grey."""
    if not path.is_file():
        warnings.warn(MeshWarning(f"material file {path.name} is missing: the mesh stays grey"), stacklevel=2)
        return {}
    found: dict[str, Material] = {}
    now = Material()
    for line in path.read_text("utf-8", "replace").splitlines():
        words = line.split()
        if len(words) < 2:
            continue
        if words[0] == "newmtl":
            now = found.setdefault(line.split(None, 1)[1].strip(), Material())
        elif words[0] == "Kd" and len(words) >= 4:
            now.color = tuple(float(w) for w in words[1:4])
        elif words[0] == "map_Kd":
            # options come first, and names may have spaces: the longest ending that is a file
            rest = [" ".join(words[k:]).replace("\\", "/") for k in range(1, len(words))]
            now.picture = next((path.parent / name for name in rest if (path.parent / name).is_file()), None)
            if now.picture is None:
                warnings.warn(
                    MeshWarning(f"picture {rest[-1]} of {path.name} is missing: one colour instead"),
                    stacklevel=2,
                )
    return found
