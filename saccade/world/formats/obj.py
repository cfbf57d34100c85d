"""Wavefront OBJ files: faces as triangles, with the colours and textures of the .mtl file beside them.

Numbers are taken as they stand; the reader of a folder scales and checks them:

    mesh = read_mesh(Path("teapot.obj"))

A file may name others, materials and pictures. They are looked for under the folder that holds the mesh's
own, so that a file of somebody else's does not reach into the rest of the disk.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.files.reading import Place, beside, read_bytes, read_text, reading, shown
from saccade.world.formats.obj_loops import numbers_of
from saccade.world.formats.png import PICTURE_BYTES
from saccade.world.meshes.mesh import GREY, MESH_BYTES, Mesh, MeshError, MeshWarning, face_indices, joined
from saccade.world.meshes.texture import wrapped_or_plain

Indices = npt.NDArray[np.int64]
# Bytes of a file of materials, and words in front of the name of a picture: options with their numbers.
MATERIAL_BYTES, MOST_OPTIONS = 1 << 24, 64
# Bytes of a line that names a file, more than a path can have.
LONGEST_NAME = 1 << 14


@dataclass
class Material:
    """Diffuse colour and, where there is one, the picture that replaces it."""

    color: tuple[float, ...] = GREY
    picture: Path | None = None


@dataclass
class Contents:
    """What the lines of a file add up to; corners are (vertex, texture vertex or 0), counted from 1.

    vertices, vertex_colors (3 numbers each), places (2): lists, or arrays. faces: of each material, blocks of
    triangles: lists, or arrays (F, 3, 2). highest: the largest number of a vertex that a face names, and the
    line.
    """

    vertices: Any = field(default_factory=list)
    vertex_colors: Any = field(default_factory=list)
    places: Any = field(default_factory=list)
    faces: dict[str, list[Any]] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    libraries: set[Path] = field(default_factory=set)
    highest: tuple[int, int] = (0, 0)

    def add_face(self, words: list[str], material: str, line: int) -> None:
        """A polygon, cut into a fan of triangles."""
        corners = [corner(word, len(self.vertices), len(self.places)) for word in words]
        self.highest = max([self.highest, *((vertex, line) for vertex, _ in corners)])
        blocks = self.faces.setdefault(material, [[]])
        blocks[-1] += ([corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1))

    def triangles(self, material: str) -> npt.NDArray[Any]:
        """All corners (F, 3, 2) of a material; whole numbers that no machine has make them objects."""
        blocks = self.faces[material]
        try:
            return np.concatenate([np.asarray(each, np.int64).reshape(-1, 3, 2) for each in blocks])
        except OverflowError:
            return np.concatenate([np.asarray(each, object).reshape(-1, 3, 2) for each in blocks])


def read_obj(path: Path, place: Place) -> Mesh:
    """The triangles of an OBJ file, polygons cut into fans; vertex colours are read where vertices have six
    numbers."""
    contents = parsed(path, place)
    if not len(contents.vertices) or not any(
        len(block) for blocks in contents.faces.values() for block in blocks
    ):
        raise MeshError(
            f"{path} is empty: {len(contents.vertices)} vertices, {len(contents.faces)} groups of faces"
        )
    place.where = f"line {contents.highest[1]}"
    face_indices([contents.highest[0]], len(contents.vertices), first=1)
    place.where = ""
    vertices = np.asarray(contents.vertices, np.float64)
    return joined(list(parts(contents, vertices)))


def parts(contents: Contents, vertices: npt.NDArray[np.float64]) -> Iterator[Mesh]:
    """The faces of each material, and together those that share a picture, so that it is read once."""
    textured: dict[Path, list[tuple[Mesh, npt.NDArray[np.float64]]]] = {}
    for name in contents.faces:
        material = contents.materials.get(name, Material())
        corners = contents.triangles(name)
        index, places = corners[:, :, 0].astype(np.int64) - 1, corners[:, :, 1]
        if len(contents.vertex_colors) == len(vertices):
            yield Mesh.of(vertices, index, np.asarray(contents.vertex_colors, np.float64)[index])
            continue
        mesh = part(vertices, index, material.color)
        if material.picture is None or not ((places > 0) & (places <= len(contents.places))).all():
            yield mesh
            continue
        uv = np.asarray(contents.places, np.float64)[places.astype(np.int64) - 1]
        textured.setdefault(material.picture, []).append((mesh, uv))
    for picture, found in textured.items():
        mesh, uv = joined([mesh for mesh, _ in found]), np.concatenate([uv for _, uv in found])
        yield wrapped_or_plain(mesh, uv, picture)


def part(vertices: npt.NDArray[np.float64], faces: Indices, color: tuple[float, ...]) -> Mesh:
    """Faces of one colour with the vertices they use."""
    used, compact = np.unique(faces, return_inverse=True)
    return Mesh.of(vertices[used], compact.reshape(-1, 3), color)


def parsed(path: Path, place: Place) -> Contents:
    """Go through the lines once: at machine speed where all have the usual forms, else one by one."""
    data = read_bytes(path, MESH_BYTES)
    lines = numbers_of(data)
    if lines is None:
        return parsed_by_line(path, data.decode("utf-8", "replace"), place)
    contents = Contents(lines.vertices, lines.colours, lines.places, highest=lines.highest)
    material, first = "", 0
    for other in lines.others:
        place.where = f"line {other.number}"
        match other.text.split()[:2]:
            case ["usemtl", *_]:
                contents.faces.setdefault(material, []).append(lines.triangles[first : other.triangles])
                material, first = rest_of(other.text), other.triangles
            case ["mtllib", _]:
                contents.materials |= read_materials(path, rest_of(other.text), contents.libraries, warn)
    contents.faces.setdefault(material, []).append(lines.triangles[first:])
    contents.faces = {name: blocks for name, blocks in contents.faces.items() if any(map(len, blocks))}
    return contents


def parsed_by_line(path: Path, text: str, place: Place) -> Contents:
    contents, material = Contents(), ""
    for number, line in enumerate(text.splitlines(), 1):
        place.where = f"line {number}"
        words = line.split()
        match words[:1]:
            case ["v"]:
                values = floats(words[1:7], 3, "a vertex")
                contents.vertices.append(values[:3])
                if len(values) == 6:
                    contents.vertex_colors.append(values[3:])
            case ["vt"]:
                contents.places.append((*floats(words[1:3], 1, "a texture vertex"), 0.0)[:2])
            case ["f"]:
                contents.add_face(words[1:], material, number)
            case ["usemtl"]:
                material = rest_of(line)
            case ["mtllib"] if len(words) > 1:
                contents.materials |= read_materials(path, rest_of(line), contents.libraries, warn)
    return contents


def floats(words: list[str], least: int, what: str) -> tuple[float, ...]:
    if len(words) < least:
        raise ValueError(f"{what} has {('one number', 'three numbers')[least == 3]}, not {len(words)}")
    return tuple(float(word) for word in words)


def rest_of(line: str) -> str:
    """A line without its first word: names may have spaces."""
    return " ".join(line.split(None, 1)[1:]).strip()


def corner(word: str, vertices: int, places: int) -> tuple[int, int]:
    """`7/3/1`, `7//1` or `-1/-1` as (vertex, texture vertex), counted from 1; 0 for no texture vertex."""
    numbers = word.split("/")
    vertex = int(numbers[0])
    place = int(numbers[1]) if len(numbers) > 1 and numbers[1] else 0
    if vertex == 0 or vertex < -vertices:
        raise ValueError(f"a face names vertex {shown(vertex)}, and there are {vertices} so far")
    return vertex if vertex > 0 else vertices + 1 + vertex, place if place >= 0 else places + 1 + place


def read_materials(
    mesh: Path, name: str, known: set[Path], tell: Callable[[str], None]
) -> dict[str, Material]:
    """The materials of an .mtl file that a mesh names, unless they are `known`; of a missing one the caller
    is told, and it is grey."""
    path = beside(mesh, name)
    if path is None or not path.is_file():
        why = "is missing" if path is not None else f"lies outside {mesh.parent.parent}"
        tell(f"material file {name} {why}: the mesh stays grey")
    if path is None or path in known or not path.is_file():
        return {}
    known.add(path)
    found: dict[str, Material] = {}
    now = Material()
    with reading(path, MeshError, "repair it or delete it") as place:
        for number, line in enumerate(read_text(path, MATERIAL_BYTES, errors="replace").splitlines(), 1):
            place.where = f"line {number}"
            words = line.split()
            match words[:1]:
                case ["newmtl"] if len(words) > 1:
                    now = found.setdefault(rest_of(line), Material())
                case ["Kd"] if len(words) >= 4:
                    now.color = tuple(float(w) for w in words[1:4])
                case ["map_Kd"] if len(words) > 1:
                    now.picture = picture_of(words[1:], path, tell)
    return found


def files_named(path: Path, data: bytes) -> list[bytes]:
    """All that other files have to do with an OBJ file of this content: materials, and pictures. What is
    missing is not told: whoever reads the mesh hears of it. Threads may call this, and what keeps warnings
    quiet is one for all of them."""
    materials: dict[str, Material] = {}
    known: set[Path] = set()
    # scans name their materials at the top: what follows is not looked at
    end = data.rfind(b"mtllib") + LONGEST_NAME
    for line in data[:end].decode("utf-8", "replace").splitlines() if b"mtllib" in data else ():
        if line.split(None, 1)[:1] == ["mtllib"]:
            materials |= read_materials(path, rest_of(line), known, lambda told: None)
    pictures = {each.picture for each in materials.values() if each.picture is not None}
    told = [f"{name} {each.color} {each.picture}" for name, each in materials.items()]
    return ["\n".join(told).encode(), *(read_bytes(each, PICTURE_BYTES) for each in sorted(pictures))]


def warn(told: str) -> None:
    """Tell it to whoever reads a mesh."""
    warnings.warn(MeshWarning(told), stacklevel=3)


def picture_of(words: list[str], materials: Path, tell: Callable[[str], None]) -> Path | None:
    """The picture of a line of materials; the caller is told where there is none."""
    # options come first, and names may have spaces: the longest ending that is a file
    for k in range(min(len(words), MOST_OPTIONS)):
        path = beside(materials, " ".join(words[k:]))
        if path is not None and path.is_file():
            return path
    tell(f"picture {words[-1]} of {materials.name} is missing: one colour instead")
    return None
