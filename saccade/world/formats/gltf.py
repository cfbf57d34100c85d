"""GLB and glTF 2.0 files: the triangles of a scene's nodes, each where its node puts it.

| read | left out | refused by name |
|---|---|---|
| triangles, strips and fans | points and lines | compressed buffers (Draco, meshopt) |
| transforms of nodes | animations, skins, morph targets | sparse accessors |
| base colour, its picture, colours of vertices | other parts of a material | a node with two parents |

Buffers and pictures are in the file, in a `data:` text, or files beside it. A file can ask for more triangles
than it holds: several nodes may show one mesh. All of them together are bounded.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from saccade.files.reading import JSON_BYTES, Place, TooLarge, beside, parse_json, read_bytes, shown
from saccade.reproducible import apply, cross, dot, matmul
from saccade.world.meshes.mesh import GREY, MESH_BYTES, Mesh, face_indices, joined
from saccade.world.meshes.texture import Encoded, wrapped_or_plain

Array = npt.NDArray[Any]
Object = dict[str, Any]
JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942
COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
TRIANGLES, STRIP, FAN = 4, 5, 6
# Extensions without which a file still shows its triangles and colours.
HARMLESS = ("KHR_mesh_quantization", "KHR_texture_transform", "KHR_materials_")
# What a file may come to by showing one mesh many times: triangles (or one for each 6 of its bytes), parts.
MOST_TRIANGLES, MOST_PARTS = 1 << 20, 10_000


def read_gltf(path: Path, place: Place) -> Mesh:
    """All triangles of the scene as one mesh."""
    data = read_bytes(path, MESH_BYTES)
    if data[:4] == b"glTF":
        described, binary = chunks(data)
    else:
        described, binary = data, b""
    if len(described) > JSON_BYTES:
        raise TooLarge(f"its description has {len(described):,} bytes, and at most {JSON_BYTES:,} are read")
    file = Gltf(path, parse_json(described), binary)
    file.check_version()
    limit = max(MOST_TRIANGLES, len(data) // 6)
    textured: dict[int, list[tuple[Mesh, Array]]] = {}
    parts: list[Mesh] = []
    triangles = 0
    for number, (matrix, primitive) in enumerate(file.primitives(), 1):
        place.where = f"part {number}"
        mesh, uv, image = file.part(primitive, matrix)
        triangles += len(mesh.faces)
        if triangles > limit or number > MOST_PARTS:
            raise TooLarge(f"its nodes show more than {limit:,} triangles or {MOST_PARTS:,} parts")
        if uv is None or image is None:
            parts.append(mesh)
        else:
            textured.setdefault(image, []).append((mesh, uv))
    for image, found in textured.items():
        place.where = f"image {image}"
        whole, uv = joined([mesh for mesh, _ in found]), np.concatenate([uv for _, uv in found])
        parts.append(wrapped_or_plain(whole, uv, file.image(image)))
    place.where = ""
    return joined(parts) if parts else Mesh.of([], [])


def chunks(data: bytes) -> tuple[bytes, bytes]:
    """The description and the binary part of a GLB file."""
    _, version, length = struct.unpack_from("<4sII", data)
    if version != 2 or length > len(data):
        raise ValueError(f"it has version {version} and {len(data)} bytes of {length}; version 2 is read")
    found: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            raise ValueError(f"it ends in a chunk of {size} bytes at byte {at}, as if cut short")
        found.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    if JSON_CHUNK not in found:
        raise ValueError("it has no chunk with its description")
    return found[JSON_CHUNK], found.get(BIN_CHUNK, b"")


def whole(value: object, most: int, what: str) -> int:
    """A number of the file that must be an integer from 0 to `most`."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{what} is {shown(value)}, not an integer from 0 to {most}")
    return value


def numbers(value: object, count: int, what: str) -> Array:
    """A list of the file that must have so many numbers."""
    if not isinstance(value, list) or len(value) != count or not all(type(v) in (int, float) for v in value):
        raise ValueError(f"{what} is {shown(value)}, not a list of {count} numbers")
    return np.array(value, np.float64)


def objects(owner: Object, key: str) -> list[Object]:
    """A list of the file that must hold objects; one that is not there is empty."""
    found = owner.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{key} is {shown(found)}, not a list of objects")
    return found


@dataclass
class Gltf:
    """A file's description, and its buffers as they are asked for."""

    path: Path
    described: Any
    binary: bytes
    buffers: dict[int | Path, bytes] = field(default_factory=dict)

    def entry(self, kind: str, index: object) -> Object:
        """Number `index` of a list of the description."""
        listed = self.described.get(kind, [])
        if not isinstance(listed, list):
            raise ValueError(f"{kind} is {shown(listed)}, not a list")
        found = listed[whole(index, len(listed) - 1, f"the number of one of its {len(listed)} {kind}")]
        if not isinstance(found, dict):
            raise ValueError(f"{kind} {index} is {shown(found)}, not an object")
        return found

    def check_version(self) -> None:
        if not isinstance(self.described, dict):
            raise ValueError(f"its description is {shown(self.described)}, not an object")
        version = str(self.described["asset"].get("version"))
        if not version.startswith("2."):
            raise ValueError(f"it has version {shown(version)}; version 2 is read")
        for name in self.described.get("extensionsRequired", []):
            if not str(name).startswith(HARMLESS):
                raise ValueError(f"it needs the extension {shown(name)}: export it without, uncompressed")

    # --- nodes

    def primitives(self) -> Iterator[tuple[Array, Object]]:
        """What the nodes of the scene show, and the transforms (4, 4) into the scene."""
        scene = self.entry("scenes", self.described.get("scene", 0))
        waiting = [(index, np.eye(4)) for index in reversed(scene.get("nodes", []))]
        seen: set[int] = set()
        while waiting:
            index, parent = waiting.pop()
            node = self.entry("nodes", index)
            if index in seen:
                raise ValueError(f"node {index} has two parents, or is its own")
            seen.add(index)
            with np.errstate(all="ignore"):  # what leaves the range is refused as a vertex
                matrix = matmul(parent, transform_of(node))
            waiting += [(child, matrix) for child in reversed(node.get("children", []))]
            if "mesh" in node:
                for primitive in objects(self.entry("meshes", node["mesh"]), "primitives"):
                    if primitive.get("mode", TRIANGLES) in (TRIANGLES, STRIP, FAN):
                        yield matrix, primitive

    def part(self, primitive: Object, matrix: Array) -> tuple[Mesh, Array | None, int | None]:
        """A primitive in the scene: its mesh, and where it has a picture uv (F, 3, 2) and the image."""
        attributes = primitive["attributes"]
        position, unit = self.accessor(attributes["POSITION"], 3)
        listed = np.arange(len(position))
        if "indices" in primitive:
            listed = face_indices(self.accessor(primitive["indices"], 1)[0][:, 0], len(position))
        faces = triangles_of(listed, primitive.get("mode", TRIANGLES))
        used, compact = np.unique(faces, return_inverse=True)
        with np.errstate(all="ignore"):
            vertices = apply(matrix[:3, :3], position[used] / unit) + matrix[:3, 3]
            mirrored = dot(cross(matrix[0, :3], matrix[1, :3]), matrix[2, :3]) < 0
        color, image, channel = self.look(primitive)
        if "COLOR_0" in attributes:
            painted, unit = self.accessor(attributes["COLOR_0"], 3, 4)
            color = color * painted[face_indices(faces, len(painted))][..., :3] / unit
        mesh = Mesh.of(vertices, compact.reshape(-1, 3), color)
        uv: Array | None = None
        if image is not None and f"TEXCOORD_{channel}" in attributes:
            places, unit = self.accessor(attributes[f"TEXCOORD_{channel}"], 2)
            # this format counts v from the top of the picture
            uv = places[face_indices(faces, len(places))] / unit * (1, -1) + (0, 1)
        if mirrored:
            mesh = Mesh(mesh.vertices, mesh.faces[:, ::-1], mesh.colors[:, ::-1])
            uv = None if uv is None else uv[:, ::-1]
        return mesh, uv, image

    def look(self, primitive: Object) -> tuple[Array, int | None, int]:
        """The base colour (3,) of a primitive, its image and which texture coordinates that is for."""
        if "material" not in primitive:
            return np.ones(3) if "COLOR_0" in primitive["attributes"] else np.array(GREY), None, 0
        base = self.entry("materials", primitive["material"]).get("pbrMetallicRoughness", {})
        color = numbers(base.get("baseColorFactor", [1, 1, 1, 1]), 4, "baseColorFactor")[:3]
        texture = base.get("baseColorTexture")
        source = None if texture is None else self.entry("textures", texture["index"]).get("source")
        if source is None:
            return color, None, 0
        return color, whole(source, MOST_PARTS, "source"), whole(texture.get("texCoord", 0), 99, "texCoord")

    # --- bytes

    def accessor(self, index: object, *widths: int) -> tuple[Array, float]:
        """The numbers (count, width) of an accessor, a width of these, and what stands for 1."""
        described = self.entry("accessors", index)
        if "sparse" in described or "bufferView" not in described:
            raise ValueError(f"accessor {index} is sparse, which is not read: export it without")
        data, stride = self.view(described["bufferView"])
        width, letter = WIDTHS.get(described["type"], 0), COMPONENTS.get(described["componentType"])
        if width not in widths or letter is None:
            kind = shown((described["type"], described["componentType"]))
            raise ValueError(f"accessor {index} has type {kind}, where {widths} numbers are due")
        dtype = np.dtype(letter)
        size, offset = dtype.itemsize * width, whole(described.get("byteOffset", 0), len(data), "byteOffset")
        step = max(stride, size)
        most = (len(data) - offset - size) // step + 1 if len(data) - offset >= size else 0
        count = whole(described["count"], most, f"the count of accessor {index}")
        found = np.ndarray((count, width), dtype, data, offset, (step, dtype.itemsize))
        parts_of_one = described.get("normalized") is True and dtype.kind != "f"
        return found, float(np.iinfo(dtype).max) if parts_of_one else 1.0

    def view(self, index: object) -> tuple[memoryview, int]:
        """The bytes of a buffer view and how far apart its elements are, 0: close together."""
        described = self.entry("bufferViews", index)
        data = memoryview(self.buffer(described["buffer"]))
        offset = whole(described.get("byteOffset", 0), len(data), f"byteOffset of view {index}")
        length = whole(described["byteLength"], len(data) - offset, f"byteLength of view {index}")
        return data[offset : offset + length], whole(described.get("byteStride", 0), 252, "byteStride")

    def buffer(self, index: int) -> bytes:
        described = self.entry("buffers", index)
        if index not in self.buffers:
            self.buffers[index] = self.resource(described["uri"]) if "uri" in described else self.binary
        return self.buffers[index]

    def image(self, index: int) -> Encoded:
        """A picture as it is stored."""
        described = self.entry("images", index)
        name = f"{self.path}, image {index}"
        if "bufferView" in described:
            return Encoded(name, bytes(self.view(described["bufferView"])[0]))
        return Encoded(name, self.resource(described["uri"]))

    def resource(self, uri: object) -> bytes:
        """What a `data:` text holds, or a file beside this one; each file is read once."""
        if not isinstance(uri, str):
            raise ValueError(f"uri is {shown(uri)}, not a text")
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2], validate=True)
        path = beside(self.path, unquote(uri))
        if path is None:
            raise ValueError(f"it names {shown(uri)}, outside {self.path.parent.parent}: copy it beside")
        if path not in self.buffers:
            used = sum(map(len, self.buffers.values()))
            self.buffers[path] = read_bytes(path, MESH_BYTES - min(used, MESH_BYTES))
        return self.buffers[path]


def transform_of(node: Object) -> Array:
    """The transform (4, 4) of a node into its parent: a matrix, or scale, rotation and translation."""
    if "matrix" in node:
        return numbers(node["matrix"], 16, "matrix").reshape(4, 4).T
    x, y, z, w = numbers(node.get("rotation", [0, 0, 0, 1]), 4, "rotation")
    turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    made = np.eye(4)
    made[:3, :3] = np.array(turn) * numbers(node.get("scale", [1, 1, 1]), 3, "scale")
    made[:3, 3] = numbers(node.get("translation", [0, 0, 0]), 3, "translation")
    return made


def triangles_of(listed: Array, mode: int) -> Array:
    """The triangles (F, 3) of vertices in a row."""
    if mode == TRIANGLES:
        return listed[: len(listed) // 3 * 3].reshape(-1, 3)
    if len(listed) < 3:
        return np.zeros((0, 3), np.int64)
    if mode == FAN:
        return np.stack([np.full(len(listed) - 2, listed[0]), listed[1:-1], listed[2:]], axis=1)
    faces = np.stack([listed[:-2], listed[1:-1], listed[2:]], axis=1)
    faces[1::2] = faces[1::2, ::-1]  # every other one is the other way round
    return faces
