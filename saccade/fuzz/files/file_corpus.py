"""Small whole files of every kind that is read, made in memory: what the attack on the readers damages.

    mesh_files()["obj"]       # [{"a.obj": b"...", "m.mtl": b"...", "p.png": b"..."}, ...]

A case is the files of one folder by name. The same bytes come in every run, so that a seed is a file.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import lzma
import pickle
import struct
import tarfile
import tempfile
import zipfile
import zlib
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...cortex.models.model import NodeSet, ObjectModel
from ...cortex.models.storage import INDEX, NODES, save_models
from ...cortex.models.tensor_file import write_arrays
from ...experiment.config import config as configs
from ...experiment.config.settings import ExperimentConfig
from ...experiment.engine.episode import EpisodeRow
from ...experiment.engine.memory import Memory, Origin, save_memory
from ...experiment.record import rows
from ...experiment.report import metrics
from ...nn.saved.state import save
from ...runtime.cache.searched import VERSION
from ...tensor import Tensor
from ...world.formats.packages import CATALOGUE
from ...world.formats.ply import write_ply
from ...world.formats.png import SIGNATURE, write_png
from ...world.formats.prepared import packed
from ...world.meshes.mesh import Mesh, WorldObject
from ...world.symmetry.symmetry import Symmetry

#: The files of a folder by name.
Files = dict[str, bytes]

CORNERS = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
MESH = Mesh.of(CORNERS, FACES, np.linspace(0, 1, 36).reshape(4, 3, 3))
UV = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
TREE_FACES = 40


def written(write: Any, *arguments: Any) -> bytes:
    """What a writer of files writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(path, *arguments)
        return path.read_bytes()


def folder_of(save: Any, *arguments: Any) -> Files:
    """What a writer of folders writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "folder"
        save(path, *arguments)
        found = sorted(each for each in path.rglob("*") if each.is_file())
        return {each.relative_to(path).as_posix(): each.read_bytes() for each in found}


# --- pictures and meshes


@cache
def pictures() -> tuple[bytes, ...]:
    """PNG files: grey, colour, 16 bits, all predictions, a palette."""
    random = np.random.default_rng(0)
    plain = [
        written(write_png, random.integers(0, 255, (5, 7, channels)).astype(kind))
        for channels, kind in ((1, np.uint8), (3, np.uint8), (3, np.uint16))
    ]
    lines = b"".join(bytes([kind, *range(12)]) for kind in range(5))
    predicted = png(4, 5, 2, lines)
    palette = png(3, 2, 3, b"\0\0\1\2\0\2\1\0", chunk(b"PLTE", bytes(range(9))))
    return (*plain, predicted, palette)


def png(width: int, height: int, kind: int, lines: bytes, more: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return (
        SIGNATURE + chunk(b"IHDR", header) + more + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    )


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def obj_text(uv: bool = True) -> bytes:
    lines = ["# a tetrahedron", "mtllib m.mtl", "usemtl a", *(f"v {x} {y} {z}" for x, y, z in CORNERS)]
    lines += [f"vt {u} {v}" for u, v in UV] if uv else []
    corner = "{0}/{0}" if uv else "{0}"
    lines += ["f " + " ".join(corner.format(i + 1) for i in face) for face in FACES[:3]]
    return "\n".join([*lines, "usemtl b", "f -4 -3 -2 -1", ""]).encode()


MATERIALS = b"newmtl a\nKd 1 0.5 0\nmap_Kd -s 1 1 1 p.png\nnewmtl b\nKd 0 0 1\n"


def ply(form: str) -> bytes:
    head = f"ply\nformat {form} 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty float y\n"
    head += (
        "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nelement face 3\n"
    )
    head += "property list uchar int vertex_indices\nproperty uchar flags\nend_header\n"
    order = "<" if "little" in form else ">"
    polygons = [*FACES[:2].tolist(), [0, 3, 2, 1]]
    if form == "ascii":
        lines = [f"{x} {y} {z} 1 2 255" for x, y, z in CORNERS]
        lines += [" ".join(map(str, [len(p), *p, 7])) for p in polygons]
        return (head + "\n".join(lines) + "\n").encode()
    body = b"".join(struct.pack(f"{order}3f3B", *place, 1, 2, 255) for place in CORNERS)
    body += b"".join(struct.pack(f"{order}B{len(p)}iB", len(p), *p, 7) for p in polygons)
    return head.encode() + body


def stl(text: bool) -> bytes:
    if text:
        facets = [
            "facet normal 0 0 0\nouter loop\n"
            + "".join(f"vertex {x} {y} {z}\n" for x, y, z in triangle)
            + "endloop\nendfacet\n"
            for triangle in MESH.triangles
        ]
        return f"solid x\n{''.join(facets)}endsolid x\n".encode()
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0) for triangle in MESH.triangles)
    return b"x" * 80 + struct.pack("<I", len(FACES)) + records


def msh(uv: bool) -> bytes:
    counts = struct.pack("<4i", len(CORNERS), 0, len(UV) if uv else 0, len(FACES))
    places = UV.astype("<f4").tobytes() if uv else b""
    return counts + CORNERS.astype("<f4").tobytes() + places + FACES.astype("<i4").tobytes()


def gltf() -> tuple[dict[str, Any], bytes]:
    """A description of two nodes, a picture and a material, and the buffer beside it."""
    picture = pictures()[1]
    parts = [
        CORNERS.astype("<f4"),
        UV.astype("<f4"),
        FACES.astype("<u2").ravel(),
        np.frombuffer(picture, "u1"),
    ]
    views, data = [], b""
    for part in parts:
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": part.nbytes})
        data += part.tobytes() + b"\0" * (-part.nbytes % 4)
    accessors = [
        {"bufferView": k, "componentType": kind, "count": count, "type": width}
        for k, (kind, count, width) in enumerate(((5126, 4, "VEC3"), (5126, 4, "VEC2"), (5123, 12, "SCALAR")))
    ]
    primitive = {"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}
    described = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"mesh": 0, "children": [1], "translation": [0.1, 0, 0]},
            {"mesh": 0, "scale": [1, 2, 1], "rotation": [0, 0, 0.6, 0.8]},
        ],
        "meshes": [{"primitives": [primitive]}],
        "materials": [
            {"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1], "baseColorTexture": {"index": 0}}}
        ],
        "textures": [{"source": 0}],
        "images": [{"bufferView": 3, "mimeType": "image/png"}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    return described, data


def glb(described: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(described).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x4E4942) + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def gltf_files() -> list[Files]:
    described, data = gltf()
    inside = {**described, "buffers": [{"uri": "data:;base64," + base64.b64encode(data).decode()}]}
    outside = {**described, "buffers": [{"uri": "b.bin"}], "images": [{"uri": "p.png"}]}
    return [
        {"a.gltf": json.dumps(inside).encode()},
        {"a.gltf": json.dumps(outside).encode(), "b.bin": data, "p.png": pictures()[0]},
    ]


# --- archives


def zipped(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return made.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def debian(data: bytes) -> bytes:
    packed = b"!<arch>\n"
    for name, content in ((b"debian-binary", b"2.0\n"), (b"data.tar.xz", lzma.compress(data))):
        header = name.ljust(16) + b"0".ljust(32) + str(len(content)).encode().ljust(10) + b"`\n"
        packed += header + content + b"\n" * (len(content) % 2)
    return packed


URDF = b"""<robot name="r"><link name="l"><visual>
<geometry><mesh filename="7.obj" scale="1 1 2"/></geometry>
<material name="m"><color rgba="0 0.5 1 1"/></material></visual></link></robot>"""
LISTED = b"""# a catalogue
name#1=cup
model#1=/lib/cup.obj
width#1=10
depth#1=8
height#1=12.5
"""


def package_files() -> dict[str, list[Files]]:
    """What packages hold; they are packed after the damage, or before."""
    body = {"random_urdfs/7/7.urdf": URDF, "random_urdfs/7/7.obj": obj_text(False), "LICENSE": b"free"}
    catalogue = {CATALOGUE: LISTED, "lib/cup.obj": obj_text(False), "lib/m.mtl": MATERIALS}
    wheel = {"m/YCB_sim/can.msh": msh(True), "m/YCB_sim/can.png": pictures()[1], "m/LICENSE": b"free"}
    return {
        "urdf": [body],
        "catalogue": [catalogue],
        "zip": [{"a.whl": zipped(wheel)}, {"a.whl": zipped(catalogue)}],
        "tar": [{"a.whl": gzip.compress(tarred(body), mtime=0)}, {"a.whl": tarred(body)}],
        "deb": [{"a.whl": debian(tarred({"usr/a.sh3f": zipped(catalogue)}))}],
    }


# --- models


def model(name: str, nodes: int) -> ObjectModel:
    random = np.random.default_rng(nodes)
    poses = np.broadcast_to(np.eye(3, dtype=np.float32), (nodes, 3, 3))
    hsv, curvature, places = (random.random((nodes, width), np.float32) for width in (3, 2, 3))
    features = {"hsv": hsv, "principal_curvatures_log": curvature}
    found = NodeSet(places, poses, np.ones(nodes, bool), features)
    return ObjectModel(name, {"patch_0": found})


def model_files() -> list[Files]:
    return [folder_of(save_models, [model("mug", 3), model("bowl", 2)]), folder_of(save_models, [])]


def memory_files() -> list[Files]:
    origins = {"new_0": Origin("mug", tuple(np.eye(3).ravel()))}
    return [folder_of(_save_memory, Memory(({"new_0": model("new_0", 2)},), origins))]


def _save_memory(path: Path, memory: Memory) -> None:
    save_memory(memory, path)


def tensor_files() -> list[Files]:
    kinds = ("f8", "f4", "f2", "i8", "i4", "i2", "u1", "?")
    arrays = {kind: np.arange(6).reshape(2, 3).astype(kind) for kind in kinds}
    return [{"a": written(write_arrays, arrays)}, {"a": written(write_arrays, {"one": np.array(1.5)})}]


def weight_files() -> list[Files]:
    """safetensors files: of all kinds of numbers, and a tree with plain values."""
    kinds = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
    tensors = {kind: Tensor(np.arange(6).reshape(2, 3) % 2).cast(kind) for kind in kinds}
    tree = {"model": {"w": tensors["float32"]}, "steps": [1, 2.5, "x", None], "more": {"a": tensors["int8"]}}
    return [{"a": written(lambda path, state=state: save(state, path))} for state in (tensors, tree)]


def torch_files() -> list[Files]:
    """The members of files of torch: a dict of two tensors of one storage, and a list; and what stands beside
    tensors."""
    rebuild, ordered = b"ctorch._utils\n_rebuild_tensor_v2\n", b"ccollections\nOrderedDict\n)R"
    storage = _text("storage") + b"ctorch\nFloatStorage\n" + _text("0") + _text("cpu") + b"K\x06t"

    def tensor(offset: int, size: bytes, strides: bytes) -> bytes:
        return (
            rebuild
            + b"(("
            + storage
            + b"Q"
            + bytes([0x4B, offset])
            + size
            + strides
            + b"\x89"
            + ordered
            + b"tR"
        )

    whole = tensor(0, b"K\x02K\x03\x86", b"K\x03K\x01\x86")
    part = tensor(3, b"K\x03\x85", b"K\x01\x85")
    listed = _text("more") + b"](K\x01G?\xf8\0\0\0\0\0\0Ne"
    told = b"\x80\x02" + ordered + b"(" + _text("w") + whole + _text("b") + part + listed + b"u."
    numbers = np.arange(6, dtype="<f4").tobytes()
    beside = {
        "args": Namespace(lr=0.1, seen={1}),
        "arrays": [np.arange(6.0).reshape(2, 3), np.array(["a", "bc"]), np.float32(1.5)],
        "more": (frozenset({3}), Counter("aab"), 1j, b"\x00\xff"),
    }
    members = {"a/byteorder": b"little", "a/data/0": numbers, "a/version": b"3\n"}
    return [{"a/data.pkl": pickled, **members} for pickled in (told, pickle.dumps(beside, 2))]


def _text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def archived(files: Mapping[str, bytes]) -> bytes:
    """An archive that is not packed."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()


def with_checksum(files: Files) -> Files:
    """Models whose index has the sum of the nodes as they are."""
    try:
        index = json.loads(files[INDEX])
        index["checksum"] = hashlib.sha256(files[NODES]).hexdigest()
    except (ValueError, TypeError, KeyError, RecursionError):
        return files
    return {**files, INDEX: json.dumps(index).encode()}


# --- runs


def row(index: int, **changes: Any) -> EpisodeRow:
    found = {
        "detected": "mug",
        "ending": "match",
        "correct": True,
        "steps": 30 + index,
        "rotation_error": 5.5,
        "target_rotation": "0 90 180",
    }
    base = {"phase": "eval", "index": index, "epoch": 0, "object": ("mug", "bowl")[index % 2], "seconds": 0.5}
    return EpisodeRow(id=f"eval-{index:06d}", **{**base, **found, **changes})


def run_files() -> list[Files]:
    config = ExperimentConfig()
    episodes = [row(0), row(1, correct=False, ending="mlh", rotation_error=float("nan")), row(2, detected="")]
    figures = metrics.measure(episodes)
    per_object = {name: each.results() for name, each in metrics.by_object(episodes).items()}
    summary = {
        "format": 2,
        "complete": True,
        "name": "x",
        "results": {"eval": {**figures.results(), "objects": per_object, "known": figures.results(),
                             "unknown": figures.results()}},
        "timing": {"eval": figures.timing()},
    }  # fmt: skip
    head = {"format": 2, "saccade": "0.1.0", "name": "x", "fingerprint": configs.fingerprint(config)}
    evidence = {"best_evidence": np.arange(4.0), "second_evidence": np.ones(4), "objects": np.array(["mug"])}
    return [
        {
            "run.json": json.dumps(head).encode(),
            "config.toml": configs.dumps(config).encode(),
            "episodes.csv": rows.format_rows(episodes).encode(),
            "summary.json": json.dumps(summary).replace("NaN", "null").encode(),
            "traces/eval-000000.npz": npz(**evidence),
        }
    ]


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def arrays() -> list[bytes]:
    """Arrays in NumPy's format, as members of an archive."""
    made = []
    for array in (
        np.arange(6.0).reshape(2, 3),
        np.array(["mug", "bowl"]),
        np.array(3),
        np.zeros((0, 2), "f4"),
    ):
        file = io.BytesIO()
        np.lib.format.write_array(file, array, allow_pickle=False)
        made.append(file.getvalue())
    return made


def with_row_sums(files: Files) -> Files:
    """Rows whose sums are those of what they hold."""
    head, *lines = files["episodes.csv"].split(b"\n")
    parts = [line.rpartition(b",")[0].decode("utf-8", "replace").encode() for line in lines if b"," in line]
    summed = [part + b"," + f"{zlib.crc32(part):08x}".encode() for part in parts]
    return {**files, "episodes.csv": b"\n".join([head, *summed, b""])}


# --- searches and caches


MOVES = [
    '[{"move": "Split", "axis": 0, "factor": 4, "kind": "vector"}, {"move": "Order", "axes": [1, 0]}]',
    '[{"move": "Pack", "fold": 2, "operand": 0, "at": 0}]',
    '[{"move": "Flat", "threads": 64, "width": 1, "repeat": 1, "steps": 1}]',
]


def result_files() -> list[Files]:
    entries = [
        {"kernel": "ab" * 32, "name": f"k{n}", "moves": moves, "before": 2e-6, "after": 1e-6}
        for n, moves in enumerate(MOVES)
    ]
    content = {"saccade search results": VERSION, "target": "some card", "results": entries}
    return [{"a.json": json.dumps(content).encode()}]


def cache_files() -> dict[str, list[Files]]:
    """What is kept of meshes: one made ready, its field, the order of its faces."""
    field = {
        "distance": np.zeros((3, 4, 5), np.float16),
        "color": np.zeros((3, 4, 5, 3), np.uint8),
        "origin": np.zeros(3),
        "pitch": 0.01,
    }
    turned = Symmetry(axis=(0.0, 1.0, 0.0))
    ready = packed(WorldObject("a", MESH, turned, shape=turned), ["a warning"])
    return {
        "prepared": [{"a": ready}],
        "field": [{"a": npz(**field)}],
        "tree": [{"a": b"\1" + np.arange(TREE_FACES, dtype="<i4")[::-1].tobytes()}],
    }


def mesh_files() -> dict[str, list[Files]]:
    beside = {"m.mtl": MATERIALS, "p.png": pictures()[1]}
    described, data = gltf()
    return {
        "obj": [{"a.obj": obj_text(), **beside}, {"a.obj": obj_text(False), **beside}],
        "mtl": [{"a.obj": obj_text(), **beside}],
        "stl": [{"a.stl": stl(True)}, {"a.stl": stl(False)}],
        "ply": [
            *({"a.ply": ply(form)} for form in ("ascii", "binary_little_endian", "binary_big_endian")),
            {"a.ply": written(write_ply, MESH)},
        ],
        "msh": [{"a.msh": msh(True), "a.png": pictures()[1]}, {"a.msh": msh(False)}],
        "glb": [{"a.glb": glb(described, data)}],
        "gltf": gltf_files(),
    }
