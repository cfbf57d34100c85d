"""GLB and glTF: triangles where their nodes put them, and no more than the file can hold."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.world.formats.formats import read_mesh
from saccade.world.formats.png import write_png
from saccade.world.meshes.mesh import Mesh, MeshError, MeshWarning
from saccade.world.objects.shapes import box
from saccade.world.symmetry.symmetry import rotation_about

BOX = box((0.1, 0.06, 0.04), 0.004, pieces=2)
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "<f4")


def described(
    arrays: dict[str, np.ndarray], indices: np.ndarray | None = None, **more: Any
) -> tuple[dict[str, Any], bytes]:
    """The description and the buffer of one primitive; `more` replaces what the description has."""
    data, views, accessors = b"", [], []
    named = {**arrays, **({} if indices is None else {"indices": indices})}
    for array in named.values():
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": array.nbytes})
        kinds = {"f4": 5126, "u1": 5121, "u2": 5123, "u4": 5125}
        width = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}[array.shape[1] if array.ndim == 2 else 1]
        accessors.append(
            {
                "bufferView": len(accessors),
                "componentType": kinds[array.dtype.str[1:]],
                "count": len(array),
                "type": width,
                "normalized": array.dtype == np.uint8,
            }
        )
        data += array.tobytes() + b"\0" * (-array.nbytes % 4)
    primitive: dict[str, Any] = {"attributes": {name: k for k, name in enumerate(arrays)}}
    if indices is not None:
        primitive["indices"] = len(arrays)
    made = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    return made | more, data


def glb(description: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(description).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x4E4942) + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def read(folder: Path, description: dict[str, Any], data: bytes) -> Mesh:
    (folder / "a.glb").write_bytes(glb(description, data))
    return read_mesh(folder / "a.glb")


def plain_box(**more: Any) -> tuple[dict[str, Any], bytes]:
    return described({"POSITION": BOX.vertices.astype("<f4")}, BOX.faces.ravel().astype("<u2"), **more)


def test_a_box_comes_back(tmp_path: Path) -> None:
    mesh = read(tmp_path, *plain_box())
    assert np.allclose(mesh.triangles, BOX.triangles, atol=1e-6)
    assert mesh.is_watertight()
    description, data = plain_box()
    description["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
    (tmp_path / "b.gltf").write_text(json.dumps(description))
    assert np.allclose(read_mesh(tmp_path / "b.gltf").triangles, mesh.triangles)
    description["buffers"][0]["uri"] = "some%20data.bin"
    (tmp_path / "c.gltf").write_text(json.dumps(description))
    (tmp_path / "some data.bin").write_bytes(data)
    assert np.allclose(read_mesh(tmp_path / "c.gltf").triangles, mesh.triangles)


def test_nodes_move_turn_stretch_and_mirror(tmp_path: Path) -> None:
    half = float(np.sin(0.4))
    nodes = [
        {"children": [1, 2], "translation": [1, 2, 3]},
        {"mesh": 0, "rotation": [half, 0, 0, float(np.cos(0.4))], "scale": [1, 2, 1]},
        {"mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 9, 0, 0, 1]},
    ]
    mesh = read(tmp_path, *plain_box(nodes=nodes))
    turned = BOX.scaled((1, 2, 1)).moved((1, 2, 3), rotation_about((1, 0, 0), 0.8))
    mirrored = BOX.scaled((-1, 1, 1)).moved((10, 2, 3))
    count = len(BOX.faces)
    assert np.allclose(mesh.triangles[:count], turned.triangles, atol=1e-6)
    assert np.allclose(mesh.triangles[count:], mirrored.triangles[:, ::-1], atol=1e-6)
    assert mesh.volume == pytest.approx(3 * BOX.volume, rel=1e-3)


@pytest.mark.parametrize(("mode", "order"), [(5, [0, 1, 3, 2]), (6, [0, 1, 2, 3])])
def test_strips_and_fans(tmp_path: Path, mode: int, order: list[int]) -> None:
    description, data = described({"POSITION": SQUARE[order]})
    description["meshes"][0]["primitives"][0]["mode"] = mode
    mesh = read(tmp_path, description, data)
    assert mesh.area.sum() == pytest.approx(1)
    assert np.allclose(mesh.face_normals(), (0, 0, 1))


def test_colours_of_vertices_materials_and_pictures(tmp_path: Path) -> None:
    painted = np.array([[255, 0, 0, 255]] * 4, np.uint8)
    index = np.array([0, 1, 2, 0, 2, 3], "<u2")
    assert np.allclose(
        read(tmp_path, *described({"POSITION": SQUARE, "COLOR_0": painted}, index)).colors, (1, 0, 0)
    )
    halves = np.repeat(np.array([(255, 0, 0), (0, 0, 255)], np.uint8), 4, axis=0)
    write_png(tmp_path / "p.png", np.repeat(halves[:, None], 2, axis=1))
    uv = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], "<f4")
    description, data = described({"POSITION": SQUARE, "TEXCOORD_0": uv}, index)
    description["meshes"][0]["primitives"][0]["material"] = 0
    base: dict[str, Any] = {"baseColorFactor": [0, 1, 0, 1]}
    description["materials"] = [{"pbrMetallicRoughness": base}]
    assert np.allclose(read(tmp_path, description, data).colors, (0, 1, 0))
    base["baseColorTexture"] = {"index": 0}
    description["textures"], description["images"] = [{"source": 0}], [{"uri": "p.png"}]
    mesh = read(tmp_path, description, data)
    middle, colors = mesh.triangles.mean(axis=1)[:, 1], mesh.colors.mean(axis=1)
    assert np.allclose(colors[(middle > 0.65) & (middle < 0.85)], (1, 0, 0))
    assert np.allclose(colors[(middle > 0.15) & (middle < 0.35)], (0, 0, 1))
    description["images"] = [{"uri": "data:image/png;base64,AAAA"}]
    with pytest.warns(MeshWarning, match="texture left out: .*a.glb, image 0"):
        assert np.allclose(read(tmp_path, description, data).colors, (0, 1, 0))


def bomb() -> dict[str, Any]:
    """Four thousand nodes that show one mesh of a thousand triangles."""
    return {"nodes": [{"mesh": 0}] * 4000, "scenes": [{"nodes": list(range(4000))}]}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d["accessors"][0].update(count=10**12), "count of accessor 0 is 1000000000000"),
        (lambda d: d["accessors"][0].update(count=-1), "count of accessor 0 is -1"),
        (lambda d: d["accessors"][0].update(count=10**400), "more than 40 digits"),
        (lambda d: d["accessors"][0].update(sparse={}), "sparse"),
        (lambda d: d["accessors"][0].update(componentType=1), "accessor 0 has type"),
        (lambda d: d["bufferViews"][0].update(byteLength=10**9), "byteLength of view 0 is 1000000000"),
        (lambda d: d["bufferViews"][0].update(byteOffset=-4), "byteOffset of view 0 is -4"),
        (lambda d: d["nodes"][0].update(children=[0]), "node 0 has two parents"),
        (lambda d: d["nodes"][0].update(scale=[1, 1, 1e308], translation=[1e308] * 3), "vertex 0 is at"),
        (lambda d: d["nodes"][0].update(mesh=7), "one of its 1 meshes is 7"),
        (lambda d: d.update(extensionsRequired=["KHR_draco_mesh_compression"]), "KHR_draco"),
        (lambda d: d["asset"].update(version="1.0"), "version '1.0'"),
        (lambda d: d["buffers"][0].update(uri="../../../etc/passwd"), "outside"),
        (lambda d: d["buffers"][0].update(uri="data:;base64,!"), "base64"),
        (lambda d: d["meshes"][0]["primitives"][0].update(mode=0), "no triangles"),
        (lambda d: d.update(bomb()), "too large"),
        (lambda d: d.update(nodes=[]), "nodes is 0"),
    ],
)
def test_files_that_ask_for_what_is_not_there(tmp_path: Path, change: Any, told: str) -> None:
    triangles = np.tile(np.arange(3), 1000).astype("<u2")
    description, data = described({"POSITION": SQUARE}, triangles)
    change(description)
    with pytest.raises(MeshError, match=rf"a\.glb.*{told}"):
        read(tmp_path, description, data)


@pytest.mark.parametrize("keep", [3, 4, 11, 15, 40, -5])
def test_a_file_that_was_cut(tmp_path: Path, keep: int) -> None:
    (tmp_path / "a.glb").write_bytes(glb(*plain_box())[:keep])
    with pytest.raises(MeshError, match=r"a\.glb"):
        read_mesh(tmp_path / "a.glb")


def test_what_trimesh_writes_is_read(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh", reason="trimesh, the other reader of GLB, is not installed")
    scene = trimesh.Scene([trimesh.Trimesh(BOX.vertices, BOX.faces, process=False)])
    turn = trimesh.transformations.rotation_matrix(0.7, (1, 2, 3), (0.1, 0, 0))
    scene.add_geometry(trimesh.creation.icosphere(radius=0.05), transform=turn)
    scene.export(tmp_path / "a.glb")
    theirs, ours = trimesh.load(tmp_path / "a.glb", force="mesh"), read_mesh(tmp_path / "a.glb")
    assert ours.area.sum() == pytest.approx(theirs.area, rel=1e-4)
    assert ours.volume == pytest.approx(theirs.volume, rel=1e-4)
    assert np.allclose(ours.low, theirs.bounds[0], atol=1e-5)
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: pip install 'saccade[world]'")
    look = trimesh.visual.TextureVisuals(
        uv=np.full((len(BOX.vertices), 2), 0.5), image=image.new("RGB", (4, 4), (0, 255, 0))
    )
    trimesh.Trimesh(BOX.vertices, BOX.faces, visual=look, process=False).export(tmp_path / "b.glb")
    assert np.allclose(read_mesh(tmp_path / "b.glb").colors, (0, 1, 0))
