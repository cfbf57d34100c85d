"""PLY files, text or binary of either byte order, in and out: a header that declares tables, then their rows.

    ply
    format ascii 1.0
    element vertex 3                                  a table of three rows
    property float x                                  with a column of numbers
    ...
    element face 1
    property list uchar int vertex_indices            and one of lists, each after its length
    end_header

A header can promise anything. A row takes at least a byte (a word, in a text) for each of its columns, so
that no table is read further than the file goes; one without columns has no rows to read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from saccade.files.reading import Place, read_bytes, shown
from saccade.world.meshes.mesh import MESH_BYTES, Mesh, face_indices

Column = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]
Table = dict[str, Column]
TYPES = {
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
# Letters of `struct` for those types.
LETTERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}
# Byte orders by the name of the format; a text has none.
ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
# Bytes of a header: it names the tables, their columns and who made them.
HEADER_BYTES = 1 << 20
COLORS = ("red", "green", "blue")


@dataclass(frozen=True)
class Property:
    """A column: the type of its numbers, and for lists that of the lengths."""

    name: str
    kind: str
    length: str = ""


@dataclass(frozen=True)
class Element:
    """A table of so many rows."""

    name: str
    rows: int
    properties: tuple[Property, ...]

    @property
    def has_lists(self) -> bool:
        return any(p.length for p in self.properties)


def read_ply(path: Path, place: Place) -> Mesh:
    """A mesh, with colours of vertices or faces where the file has them."""
    data = read_bytes(path, MESH_BYTES)
    end = data.find(b"end_header", 0, HEADER_BYTES)
    body = data.find(b"\n", max(end, 0)) + 1
    if data[:3] != b"ply" or end < 0 or not body:
        raise ValueError("a PLY file begins with 'ply' and its header ends with the line 'end_header'")
    order, elements = header_of(data[:end].decode("ascii", "replace"), place)
    place.where = ""
    return mesh_of(
        binary_tables(data, body, elements, order) if order else text_tables(data[body:], elements)
    )


# --- the header


def header_of(text: str, place: Place) -> tuple[str, list[Element]]:
    """The byte order, empty for a text, and the tables of a file."""
    order: str | None = None
    found: list[tuple[str, int, list[Property]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        place.where = f"line {number}"
        match line.split():
            case ["format", form, *_]:
                if form not in ORDERS:
                    raise ValueError(f"format {shown(form)} is not one of {', '.join(ORDERS)}")
                order = ORDERS[form]
            case ["element", name, count]:
                if int(count) < 0:
                    raise ValueError(f"element {shown(name)} has {int(count)} rows")
                if any(name == other for other, _, _ in found):
                    raise ValueError(f"element {shown(name)} is declared twice")
                found.append((name, int(count), []))
            case ["property", *_] if found:
                made = property_of(line)
                if any(made.name == other.name for other in found[-1][2]):
                    raise ValueError(f"property {shown(made.name)} is declared twice")
                found[-1][2].append(made)
            case ["element" | "property", *_]:
                raise ValueError(f"{shown(line)} declares nothing")
    if order is None:
        raise ValueError("no line of its header says the format")
    return order, [Element(name, rows, tuple(columns)) for name, rows, columns in found]


def property_of(line: str) -> Property:
    """The column that a line of a header declares."""
    match line.split():
        case ["property", "list", length, kind, name] if length in TYPES and kind in TYPES:
            if TYPES[length][0] == "f":
                raise ValueError(f"the lists of {shown(name)} are counted by {length}, which is no integer")
            return Property(name, TYPES[kind], TYPES[length])
        case ["property", kind, name] if kind in TYPES:
            return Property(name, TYPES[kind])
    raise ValueError(f"{shown(line)} is no property; its types are {', '.join(TYPES)}")


# --- the tables


def text_tables(body: bytes, elements: list[Element]) -> dict[str, Table]:
    """The tables of a text file: a column of floats, or of lists of numbers."""
    words = body.split()
    tables: dict[str, Table] = {}
    at = 0
    for element in elements:
        columns: dict[str, list[Any]] = {p.name: [] for p in element.properties}
        for row in range(element.rows if columns else 0):
            for p in element.properties:
                if at >= len(words):
                    cut_short(element, row)
                count = list_length(int(words[at])) if p.length else 1
                first = at + bool(p.length)
                at = first + count
                if at > len(words):
                    cut_short(element, row)
                values = words[first:at]
                item = int if p.length and p.kind[0] != "f" else float
                columns[p.name].append([item(w) for w in values] if p.length else item(values[0]))
        tables[element.name] = {p.name: column(columns[p.name], p) for p in element.properties}
    return tables


def binary_tables(data: bytes, at: int, elements: list[Element], order: str) -> dict[str, Table]:
    """The tables of a binary file from a byte on. Those of one size a row are read at once."""
    tables: dict[str, Table] = {}
    for element in elements:
        if not element.properties:
            tables[element.name] = {}
            continue
        record = record_of(element, order)
        if not element.has_lists and element.rows > (len(data) - at) // record.itemsize:
            cut_short(element, (len(data) - at) // record.itemsize)
        table = even_table(data, at, element, record)
        if table is not None:
            tables[element.name], at = table, at + record.itemsize * element.rows
            continue
        columns: dict[str, list[Any]] = {p.name: [] for p in element.properties}
        at = uneven_rows(data, at, element, order, columns)
        tables[element.name] = {p.name: column(columns[p.name], p) for p in element.properties}
    return tables


def record_of(element: Element, order: str) -> np.dtype[Any]:
    """A row whose lists have three numbers each."""
    kinds = [
        np.dtype([("count", order + p.length), ("items", order + p.kind, 3)])
        if p.length
        else np.dtype(order + p.kind)
        for p in element.properties
    ]
    return np.dtype([(p.name, kind) for p, kind in zip(element.properties, kinds)])


def even_table(data: bytes, at: int, element: Element, record: np.dtype[Any]) -> Table | None:
    """The table if it has no lists, or only of three numbers; else None."""
    if element.rows > (len(data) - at) // record.itemsize:
        return None
    rows = np.frombuffer(data, record, element.rows, at)
    if any(p.length and (rows[p.name]["count"] != 3).any() for p in element.properties):
        return None
    return {
        p.name: rows[p.name]["items"].copy() if p.length else rows[p.name].astype(np.float64)
        for p in element.properties
    }


def uneven_rows(data: bytes, at: int, element: Element, order: str, columns: dict[str, list[Any]]) -> int:
    """Read a table row by row into its columns; the byte behind it."""
    letters = [(LETTERS[p.kind], LETTERS[p.length] if p.length else "") for p in element.properties]
    for row in range(element.rows):
        for p, (kind, length) in zip(element.properties, letters):
            try:
                count = 1
                if length:
                    count = list_length(struct.unpack_from(order + length, data, at)[0])
                    at += struct.calcsize(order + length)
                if count > len(data) - at:
                    cut_short(element, row)
                values = struct.unpack_from(f"{order}{count}{kind}", data, at)
            except struct.error:
                cut_short(element, row)
            at += struct.calcsize(f"{order}{count}{kind}")
            columns[p.name].append(list(values) if length else float(values[0]))
    return at


def list_length(count: int) -> int:
    if count < 0:
        raise ValueError(f"it has a list of {count} numbers")
    return count


def cut_short(element: Element, row: int) -> NoReturn:
    raise ValueError(f"it ends in {element.name} {row + 1} of {shown(element.rows)}, as if cut short")


def column(values: list[Any], p: Property) -> Column:
    """A column of a table; lists, which may be of unequal length, stay lists."""
    if not p.length:
        return np.array(values, np.float64)
    made = np.empty(len(values), object)
    made[:] = values
    return made


# --- the mesh


def mesh_of(tables: dict[str, Table]) -> Mesh:
    """Triangles of the polygons, with the colours the tables hold."""
    points, face = tables.get("vertex", {}), tables.get("face", {})
    vertices = np.stack(list(numbers(points, "xyz")), axis=1)
    rows, corners = triangles_of(face.get("vertex_indices", face.get("vertex_index")), len(vertices))
    for table, index in ((face, rows), (points, corners)):
        if all(name in table for name in COLORS):
            values = np.stack(list(numbers(table, COLORS)), axis=-1)
            return Mesh.of(vertices, corners, values[index] / (255 if values.max() > 1 else 1))
    return Mesh.of(vertices, corners)


def triangles_of(polygons: Column | None, vertices: int) -> tuple[Indices, Indices]:
    """The triangles (F, 3) of polygons, and the polygon (F,) that each is from."""
    if polygons is not None and polygons.dtype == object:
        fans = [(k, p[0], p[i], p[i + 1]) for k, p in enumerate(polygons) for i in range(1, len(p) - 1)]
        rows = np.array([fan[0] for fan in fans], np.int64)
        corners = face_indices([fan[1:] for fan in fans], vertices)
    elif polygons is not None and polygons.ndim == 2:
        rows, corners = np.arange(len(polygons)), face_indices(polygons, vertices)
    else:
        rows, corners = np.arange(0), np.zeros((0, 3), np.int64)
    if not len(rows):
        raise ValueError("it has no faces, and a cloud of points cannot be looked at")
    return rows, corners


def numbers(table: Table, names: str | tuple[str, ...]) -> Iterator[Column]:
    """Columns of a table that hold a number each row."""
    for name in names:
        if name not in table:
            raise ValueError(f"its vertices have no {name!r}")
        if table[name].dtype == object or table[name].ndim != 1:
            raise ValueError(f"property {name!r} is a list, not a number")
        yield table[name]


def write_ply(path: Path, mesh: Mesh) -> None:
    """A binary PLY file with the colours of the corners: three vertices a face, in the order of the faces."""
    record = np.dtype([("place", "<f4", 3), ("color", "u1", 3)])
    vertices = np.zeros(3 * len(mesh.faces), record)
    vertices["place"] = mesh.triangles.reshape(-1, 3)
    vertices["color"] = np.round(np.clip(mesh.colors, 0, 1) * 255).reshape(-1, 3)
    faces = np.zeros(len(mesh.faces), np.dtype([("count", "u1"), ("index", "<i4", 3)]))
    faces["count"], faces["index"] = 3, np.arange(len(vertices)).reshape(-1, 3)
    properties = [*(f"property float {a}" for a in "xyz"), *(f"property uchar {c}" for c in COLORS)]
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(vertices)}", *properties]
    head += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    path.write_bytes("\n".join(head).encode() + vertices.tobytes() + faces.tobytes())
