"""Mesh files in, meshes out: OBJ with its materials, STL, PLY, MuJoCo's .msh, GLB and glTF.

    mesh = read_mesh(Path("mug.obj"))
    objects = load_folder("meshes", scale=0.01)      # one object a file, checked, named by the file

A texture is sampled at the corners of triangles, which are split first until they are small enough to show
it.
"""

from __future__ import annotations

import struct
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from saccade.files.reading import Place, read_bytes, reading
from saccade.world.formats.gltf import read_gltf
from saccade.world.formats.obj import read_obj
from saccade.world.formats.ply import read_ply, write_ply
from saccade.world.meshes.mesh import (
    MESH_BYTES,
    Mesh,
    MeshError,
    MeshWarning,
    WorldObject,
    check,
    check_vertices,
    checked_colors,
    face_indices,
)
from saccade.world.meshes.texture import find_texture, wrapped_or_plain

__all__ = ["load_folder", "mesh_paths", "read_mesh", "write_ply"]

# What to do about a mesh file that cannot be read.
AGAIN = "repair it or export it again"


def read_stl(path: Path, place: Place) -> Mesh:
    """An STL file, text or binary; equal corners become one vertex."""
    data = read_bytes(path, MESH_BYTES)
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else 0
    if len(data) >= 84 and len(data) == 84 + 50 * count:
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["corners"].astype(np.float64).reshape(-1, 3)
    elif data[:5].lower() == b"solid":
        corners = text_corners(data, place)
    else:
        raise ValueError(
            f"its header promises {count} triangles in {84 + 50 * count} bytes, and it has {len(data)}"
        )
    if len(corners) % 3:
        raise ValueError(f"{len(corners)} corners do not make triangles")
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return Mesh.of(vertices, index.reshape(-1, 3))


def text_corners(data: bytes, place: Place) -> npt.NDArray[np.float64]:
    """The corners (N, 3) of an STL text."""
    words = data.lower().split()
    if b"endsolid" not in words:
        raise ValueError("it ends before its 'endsolid', as if cut short")
    found: list[list[float]] = []
    for at in (i for i, word in enumerate(words) if word == b"vertex"):
        place.where = f"vertex {len(found) + 1}"
        numbers = [float(word) for word in words[at + 1 : at + 4]]
        if len(numbers) != 3:
            raise ValueError(f"a vertex has three numbers, not {len(numbers)}")
        found.append(numbers)
    place.where = ""
    return np.array(found, np.float64).reshape(-1, 3)


def read_msh(path: Path, place: Place) -> Mesh:
    """MuJoCo's own binary: four counts, vertices, normals, texture coordinates, faces. A PNG texture nearby
    is used."""
    data = read_bytes(path, MESH_BYTES)
    counts = struct.unpack_from("<4i", data) if len(data) >= 16 else (0, 0, 0, 0)
    vertex, normal, texcoord, face = counts
    wanted = 16 + 4 * (3 * vertex + 3 * normal + 2 * texcoord + 3 * face)
    if min(counts) < 0 or len(data) != wanted:
        raise ValueError(f"its header asks for {wanted} bytes and it has {len(data)}")
    floats = np.frombuffer(data, "<f4", 3 * vertex + 3 * normal + 2 * texcoord, 16).astype(np.float64)
    vertices = floats[: 3 * vertex].reshape(-1, 3)
    uv = floats[3 * (vertex + normal) :].reshape(-1, 2)
    faces = np.frombuffer(data, "<i4", 3 * face, wanted - 12 * face).reshape(-1, 3)
    mesh = Mesh.of(vertices, face_indices(faces, vertex))
    picture = find_texture(path)
    if picture is None or len(uv) != vertex:
        return mesh
    # this format counts v from the top of the picture
    return wrapped_or_plain(mesh, np.stack([uv[:, 0], 1 - uv[:, 1]], axis=1)[mesh.faces], picture)


READERS: dict[str, Callable[[Path, Place], Mesh]] = {
    ".obj": read_obj,
    ".stl": read_stl,
    ".ply": read_ply,
    ".msh": read_msh,
    ".glb": read_gltf,
    ".gltf": read_gltf,
}


def read_mesh(path: Path | str) -> Mesh:
    """A mesh file by its ending, in the file's own units: faces that name vertices, finite numbers, colours
    within 0..1. MeshError says what is wrong with any other file."""
    path = Path(path)
    if path.suffix.lower() not in READERS:
        raise MeshError(
            f"{path.name}: no reader for {path.suffix or 'a name without ending'}; "
            f"there are {', '.join(READERS)}"
        )
    if not path.is_file():
        raise MeshError(f"{path} does not exist")
    # numbers that are none are refused below, by name
    with reading(path, MeshError, AGAIN) as place, np.errstate(invalid="ignore", over="ignore"):
        mesh = READERS[path.suffix.lower()](path, place)
        place.where = ""
        if not len(mesh.faces):
            raise MeshError(f"{path} is empty: it holds no triangles; {AGAIN}")
        check_vertices(mesh.vertices)
        return checked_colors(mesh)


def load_folder(
    folder: Path | str, scale: float = 1.0, names: Iterable[str] | None = None
) -> list[WorldObject]:
    """Every mesh of a folder and the folders in it as an object, centred, in the order of their paths; or
    those of some `names` in theirs, and then no other is read."""
    table = mesh_paths(folder)
    return [loaded(table[name], name, scale) for name in (table if names is None else names)]


def loaded(path: Path, name: str, scale: float = 1.0) -> WorldObject:
    """A mesh file as an object of that name, checked and centred."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mesh = read_mesh(path)
    for warning in caught:
        warnings.warn(MeshWarning(f"{path.name}: {warning.message}"), stacklevel=2)
    mesh = mesh.scaled(scale)
    check(mesh, name)
    return WorldObject(name, mesh.centred())


def mesh_paths(folder: Path | str) -> dict[str, Path]:
    """The mesh files under a folder by the names of their objects.

    A folder inside that holds a mesh of its own name (mug/mug.stl) is one object; what else lies there
    (collision parts, say) is left out. Meshes of one name that each lie alone in a folder (mug/textured.obj,
    bowl/textured.obj, as scans come) have the names of their folders. Folders that are linked there count,
    what lies deeper in them does not: a link may lead anywhere.
    """
    root = Path(folder)
    if not root.is_dir():
        raise MeshError(f"{root} is not a folder")
    linked = [each for each in root.glob("*") if each.is_symlink() and each.is_dir()]
    every = {*root.rglob("*"), *(path for each in linked for path in each.glob("*"))}
    files = sorted(p for p in every if p.suffix.lower() in READERS and p.is_file())
    own = {p.parent for p in files if p.stem == p.parent.name and p.parent != root}
    files = [p for p in files if p.parent not in own or p.stem == p.parent.name]
    stems, folders = Counter(p.stem for p in files), Counter(p.parent for p in files)
    found: dict[str, Path] = {}
    for path in files:
        alone = path.parent != root and folders[path.parent] == 1
        name = path.parent.name if alone and stems[path.stem] > 1 else path.stem
        if name in found:
            raise MeshError(f"two meshes are named {name!r}: {found[name]} and {path}; rename one")
        found[name] = path
    if not found:
        raise MeshError(f"{root} holds no mesh files; put {', '.join(READERS)} files there")
    return found
