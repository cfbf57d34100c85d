"""Mesh files in, meshes out: OBJ with its materials, STL, PLY, MuJoCo's .msh, and GLB through trimesh.

    mesh = read_mesh(Path("mug.obj"))
    objects = load_folder("meshes", scale=0.01)      # one object a file, checked, named by the file

A texture is sampled at the corners of triangles, which are split first until they are small enough to show
it.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.world.mesh import Mesh, MeshError, MeshWarning, WorldObject, check, joined
from saccade.world.obj_format import read_obj
from saccade.world.texture import find_texture, textured, wrapped

Array = npt.NDArray[np.float64]
Column = npt.NDArray[Any]
Table = dict[str, Column]
PLY_TYPES = {
    "char": "i1",
    "int8": "i1",
    "uchar": "u1",
    "uint8": "u1",
    "short": "i2",
    "int16": "i2",
    "ushort": "u2",
    "uint16": "u2",
    "int": "i4",
    "int32": "i4",
    "uint": "u4",
    "uint32": "u4",
    "float": "f4",
    "float32": "f4",
    "double": "f8",
    "float64": "f8",
}


def read_stl(path: Path) -> Mesh:
    """An STL file, text or binary; equal corners become one vertex."""
    data = path.read_bytes()
    count = struct.unpack("<I", data[80:84])[0] if len(data) >= 84 else 0
    if len(data) >= 84 and len(data) == 84 + 50 * count:
        records = np.frombuffer(
            data, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")]), count, 84
        )
        corners = records["corners"].astype(np.float64).reshape(-1, 3)
    elif data[:5].lower() == b"solid":
        words = data.decode("ascii", "replace").lower().split()
        if "endsolid" not in words:
            raise MeshError(f"{path} is broken: it ends before its 'endsolid', as if cut short")
        at = [i for i, word in enumerate(words) if word == "vertex"]
        corners = np.array([[float(v) for v in words[i + 1 : i + 4]] for i in at], np.float64).reshape(-1, 3)
    else:
        raise MeshError(
            f"{path} is broken: its header promises {count} triangles in {84 + 50 * count} bytes, "
            f"and it has {len(data)}"
        )
    if len(corners) % 3:
        raise MeshError(f"{path} is broken: {len(corners)} corners do not make triangles")
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return Mesh.of(vertices, index.reshape(-1, 3))


def read_msh(path: Path) -> Mesh:
    """MuJoCo's own binary: four counts, vertices, normals, texture coordinates, faces. A PNG texture nearby
    is used."""
    data = path.read_bytes()
    counts = struct.unpack("<4i", data[:16]) if len(data) >= 16 else (0, 0, 0, 0)
    vertex, normal, texcoord, face = counts
    wanted = 16 + 4 * (3 * vertex + 3 * normal + 2 * texcoord + 3 * face)
    if min(counts) < 0 or len(data) != wanted:
        raise MeshError(f"{path} is broken: its header asks for {wanted} bytes and it has {len(data)}")
    floats = np.frombuffer(data, "<f4", 3 * vertex + 3 * normal + 2 * texcoord, 16).astype(np.float64)
    vertices = floats[: 3 * vertex].reshape(-1, 3)
    uv = floats[3 * (vertex + normal) :].reshape(-1, 2)
    faces = np.frombuffer(data, "<i4", 3 * face, wanted - 12 * face).reshape(-1, 3)
    mesh = Mesh.of(vertices, faces)
    picture = find_texture(path)
    if picture is None or len(uv) != vertex:
        return mesh
    # this format counts v from the top of the picture
    return wrapped(mesh, np.stack([uv[:, 0], 1 - uv[:, 1]], axis=1)[mesh.faces], picture)


def read_ply(path: Path) -> Mesh:
    """A PLY file, text or binary of either byte order, with colours of vertices or faces where it has
    them."""
    data = path.read_bytes()
    end = data.find(b"end_header")
    if data[:3] != b"ply" or end < 0:
        raise MeshError(
            f"{path} is broken: a PLY file begins with 'ply' and its header ends with 'end_header'"
        )
    lines = [line.split() for line in data[:end].decode("ascii", "replace").splitlines()]
    body = data[data.index(b"\n", end) + 1 :]
    form = next((line[1] for line in lines if line and line[0] == "format"), "ascii")
    elements: list[tuple[str, int, list[list[str]]]] = []
    for line in lines:
        if line[:1] == ["element"]:
            elements.append((line[1], int(line[2]), []))
        elif line[:1] == ["property"]:
            elements[-1][2].append(line[1:])
    tables = (
        ply_text(body, elements)
        if form == "ascii"
        else ply_binary(body, elements, "<" if "little" in form else ">")
    )
    points, face = tables["vertex"], tables.get("face", {})
    vertices = np.stack([points[axis] for axis in "xyz"], axis=1)
    polygons = face.get("vertex_indices", face.get("vertex_index"))
    if polygons is None or len(polygons) == 0:
        raise MeshError(f"{path} has no faces; a cloud of points cannot be looked at")
    return ply_mesh(vertices, polygons, points, face)


def ply_mesh(vertices: Array, polygons: Column, points: Table, face: Table) -> Mesh:
    """Triangles of the polygons, with the colours the tables hold."""
    if polygons.ndim == 2:
        index = np.concatenate([np.arange(len(polygons))[:, None], polygons], axis=1)
    else:
        fans = [(k, p[0], p[i], p[i + 1]) for k, p in enumerate(polygons) for i in range(1, len(p) - 1)]
        index = np.array(fans, np.int64).reshape(-1, 4)
    names = ("red", "green", "blue")
    for table, rows in ((face, index[:, 0]), (points, index[:, 1:])):
        if all(name in table for name in names):
            values = np.stack([table[name] for name in names], axis=-1)
            return Mesh.of(vertices, index[:, 1:], values[rows] / (255 if values.max() > 1 else 1))
    return Mesh.of(vertices, index[:, 1:])


def ply_text(body: bytes, elements: list[tuple[str, int, list[list[str]]]]) -> dict[str, Table]:
    """The tables of a text file: a column of floats, or of integer arrays for a list property."""
    words = body.split()
    tables: dict[str, Table] = {}
    at = 0
    for name, count, properties in elements:
        columns: dict[str, list[object]] = {p[-1]: [] for p in properties}
        for k in range(count):
            for p in properties:
                length = int(words[at]) if p[0] == "list" and at < len(words) else 1
                first, at = (at + 1, at + 1 + length) if p[0] == "list" else (at, at + 1)
                if at > len(words):
                    raise ValueError(f"it ends in {name} {k + 1} of {count}, as if cut short")
                values = words[first:at]
                columns[p[-1]].append([int(w) for w in values] if p[0] == "list" else float(values[0]))
        tables[name] = {p[-1]: column(columns[p[-1]], p[0] == "list") for p in properties}
    return tables


def ply_binary(body: bytes, elements: list[tuple[str, int, list[list[str]]]], order: str) -> dict[str, Table]:
    """The tables of a binary file. Runs of records without lists are read at once."""
    tables: dict[str, Table] = {}
    at = 0
    for name, count, properties in elements:
        if all(p[0] != "list" for p in properties):
            record = np.dtype([(p[-1], order + PLY_TYPES[p[0]]) for p in properties])
            rows = np.frombuffer(body, record, count, at)
            at += record.itemsize * count
            tables[name] = {p[-1]: rows[p[-1]].astype(np.float64) for p in properties}
            continue
        triangles = ply_triangles(body, count, properties, order, at)
        if triangles is not None:
            tables[name], at = triangles
            continue
        columns: dict[str, list[object]] = {p[-1]: [] for p in properties}
        kinds = [
            [np.dtype(order + PLY_TYPES[word]) for word in p[1 if p[0] == "list" else 0 : -1]]
            for p in properties
        ]
        for _ in range(count):
            for p, kind in zip(properties, kinds, strict=True):
                value = np.frombuffer(body, kind[0], 1, at)[0]
                at += kind[0].itemsize
                if p[0] == "list":
                    columns[p[-1]].append(np.frombuffer(body, kind[1], int(value), at).tolist())
                    at += kind[1].itemsize * int(value)
                else:
                    columns[p[-1]].append(float(value))
        tables[name] = {p[-1]: column(columns[p[-1]], p[0] == "list") for p in properties}
    return tables


def ply_triangles(
    body: bytes, count: int, properties: list[list[str]], order: str, at: int
) -> tuple[Table, int] | None:
    """A table whose only list always holds three numbers, read at once; None if it is another."""
    record = np.dtype(
        [
            (p[-1], np.dtype([("count", order + PLY_TYPES[p[1]]), ("items", order + PLY_TYPES[p[2]], 3)]))
            if p[0] == "list"
            else (p[-1], order + PLY_TYPES[p[0]])
            for p in properties
        ]
    )
    if at + record.itemsize * count > len(body):
        return None
    rows = np.frombuffer(body, record, count, at)
    if any(p[0] == "list" and (rows[p[-1]]["count"] != 3).any() for p in properties):
        return None
    table = {
        p[-1]: rows[p[-1]]["items"].astype(np.int64) if p[0] == "list" else rows[p[-1]].astype(np.float64)
        for p in properties
    }
    return table, at + record.itemsize * count


def column(values: list[object], ragged: bool) -> Column:
    """A column of a PLY table; lists of unequal length stay lists."""
    if not ragged:
        return np.array(values, np.float64)
    made = np.empty(len(values), object)
    made[:] = values
    return made


def read_glb(path: Path) -> Mesh:
    """A GLB or glTF file, through trimesh; its textures become colours of the corners."""
    try:
        import trimesh
    except ImportError:
        raise MeshError(f"{path.name} needs the package trimesh: pip install 'saccade[world]'") from None
    scene = trimesh.load(path, force="scene")
    parts = []
    for piece in scene.dump():
        look = piece.visual
        material = getattr(look, "material", None)
        image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
        if material is None:
            colors = np.asarray(look.vertex_colors, np.float64)[:, :3] / 255
            parts.append(Mesh.of(piece.vertices, piece.faces, colors[piece.faces]))
            continue
        plain = Mesh.of(piece.vertices, piece.faces, np.asarray(material.main_color, np.float64)[:3] / 255)
        if image is not None and getattr(look, "uv", None) is not None:
            pixels = np.asarray(image.convert("RGB"), np.float64) / 255
            plain = textured(plain, np.asarray(look.uv, np.float64)[plain.faces], pixels)
        parts.append(plain)
    if not parts:
        raise MeshError(f"{path} is empty: it holds no triangles")
    return joined(parts)


READERS: dict[str, Callable[[Path], Mesh]] = {
    ".obj": read_obj,
    ".stl": read_stl,
    ".ply": read_ply,
    ".msh": read_msh,
    ".glb": read_glb,
    ".gltf": read_glb,
}


#: What reading meets in a file that does not hold what it says, whichever line of a reader meets it first.
BROKEN = (ValueError, TypeError, LookupError, NotImplementedError, struct.error)


def read_mesh(path: Path | str) -> Mesh:
    """A mesh file by its ending, in the file's own units."""
    path = Path(path)
    if path.suffix.lower() not in READERS:
        raise MeshError(
            f"{path.name}: no reader for {path.suffix or 'a name without ending'}; "
            f"there are {', '.join(READERS)}"
        )
    if not path.is_file():
        raise MeshError(f"{path} does not exist")
    try:
        return READERS[path.suffix.lower()](path)
    except MeshError:
        raise
    except BROKEN as error:
        raise MeshError(f"{path} is broken: {error}") from None


def load_folder(
    folder: Path | str, scale: float = 1.0, names: Iterable[str] | None = None
) -> list[WorldObject]:
    """Every mesh of a folder and the folders in it as an object, centred, in the order of their paths; or
    those of some `names` in theirs, and then no other is read."""
    table = mesh_paths(folder)
    objects = []
    for path in table.values() if names is None else [table[name] for name in names]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mesh = read_mesh(path)
        for warning in caught:
            warnings.warn(MeshWarning(f"{path.name}: {warning.message}"), stacklevel=2)
        mesh = mesh.scaled(scale)
        check(mesh, path.stem)
        objects.append(WorldObject(path.stem, mesh.centred()))
    return objects


def mesh_paths(folder: Path | str) -> dict[str, Path]:
    """The mesh files under a folder by the names of their objects.

    A folder inside that holds a mesh of its own name (mug/mug.stl) is one object; what else lies there
    (collision parts, say) is left out.
    """
    root = Path(folder)
    if not root.is_dir():
        raise MeshError(f"{root} is not a folder")
    files = sorted(p for p in root.rglob("*") if p.suffix.lower() in READERS and p.is_file())
    own = {p.parent for p in files if p.stem == p.parent.name and p.parent != root}
    found: dict[str, Path] = {}
    for path in (p for p in files if p.parent not in own or p.stem == p.parent.name):
        if path.stem in found:
            raise MeshError(f"two meshes are named {path.stem!r}: {found[path.stem]} and {path}; rename one")
        found[path.stem] = path
    if not found:
        raise MeshError(f"{root} holds no mesh files; put {', '.join(READERS)} files there")
    return found


def write_ply(path: Path, mesh: Mesh) -> None:
    """A binary PLY file with the colours of the corners: three vertices a face, in the order of the faces."""
    record = np.dtype([("place", "<f4", 3), ("color", "u1", 3)])
    vertices = np.zeros(3 * len(mesh.faces), record)
    vertices["place"] = mesh.triangles.reshape(-1, 3)
    vertices["color"] = np.round(np.clip(mesh.colors, 0, 1) * 255).reshape(-1, 3)
    faces = np.zeros(len(mesh.faces), np.dtype([("count", "u1"), ("index", "<i4", 3)]))
    faces["count"], faces["index"] = 3, np.arange(len(vertices)).reshape(-1, 3)
    colors = ("red", "green", "blue")
    properties = [*(f"property float {a}" for a in "xyz"), *(f"property uchar {c}" for c in colors)]
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(vertices)}", *properties]
    head += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    path.write_bytes("\n".join(head).encode() + vertices.tobytes() + faces.tobytes())
