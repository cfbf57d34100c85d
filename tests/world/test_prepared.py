"""A mesh file is made ready once for its content, and every time with the same result."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from saccade.runtime.cache.cache import Cache
from saccade.runtime.cache.folder import MARKER
from saccade.world.formats import prepared as preparing
from saccade.world.formats.formats import load_folder, mesh_paths
from saccade.world.formats.png import write_png
from saccade.world.formats.prepared import made_of, packed, prepared, unpacked
from saccade.world.meshes.mesh import MeshError, MeshWarning, WrongUnits
from saccade.world.objects.shapes import box

BOX = box((0.1, 0.06, 0.04))


def write_scan(folder, scale=1.0, red=0.8):
    """A box with a picture, as scans come: NAME/textured.obj, .mtl and .png."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["mtllib textured.mtl", "usemtl m", *(f"v {x} {y} {z}" for x, y, z in BOX.vertices * scale)]
    lines += ["vt 0.1 0.1", "vt 0.9 0.1", "vt 0.5 0.9"]
    lines += [f"f {a + 1}/1 {b + 1}/2 {c + 1}/3" for a, b, c in BOX.faces]
    (folder / "textured.obj").write_text("\n".join(lines))
    (folder / "textured.mtl").write_text("newmtl m\nmap_Kd map.png\n")
    write_png(folder / "map.png", np.tile([[[red, 0.5, 0.2]]], (4, 4, 1)))


@pytest.fixture
def scans(tmp_path):
    for name in ("one", "two"):
        write_scan(tmp_path / "scans" / name)
    return tmp_path / "scans"


@pytest.fixture
def counted(monkeypatch):
    """The names of the meshes that were made, not found."""
    names, made = [], preparing.made
    monkeypatch.setattr(
        preparing, "made", lambda path, name, scale: names.append(name) or made(path, name, scale)
    )
    return names


def same(one, other):
    return (
        one.name == other.name
        and all(
            np.array_equal(getattr(one.mesh, k), getattr(other.mesh, k))
            for k in ("vertices", "faces", "colors")
        )
        and np.array_equal(one.symmetry.rotations, other.symmetry.rotations)
        and one.shape.axis == other.shape.axis
    )


def test_a_folder_is_made_ready_once(scans, tmp_path, counted):
    first, again = (prepared(mesh_paths(scans), cache=Cache(tmp_path / "cache", 1 << 30)) for _ in range(2))
    assert counted == ["one", "two"]
    assert all(map(same, first, again))
    assert [each.name for each in first] == ["one", "two"]
    assert len(first[0].shape.rotations) == 4
    for each, plain in zip(first, load_folder(scans), strict=True):
        assert np.array_equal(each.mesh.triangles, plain.mesh.triangles)
        assert np.array_equal(each.mesh.colors, plain.mesh.colors)
    assert first[0].mesh.faces.dtype == np.int64


def test_what_any_of_its_files_says_is_part_of_the_content(scans, tmp_path, counted):
    cache, paths = Cache(tmp_path / "cache", 1 << 30), mesh_paths(scans)
    prepared(paths, cache=cache)
    write_scan(scans / "one", red=0.1)
    assert prepared(paths, cache=cache)[0].mesh.colors[0, 0, 0] == pytest.approx(0.1, abs=0.01)
    (scans / "one" / "textured.mtl").write_text("newmtl m\nKd 0 1 0\n")
    assert prepared(paths, cache=cache)[0].mesh.colors[0, 0].tolist() == [0, 1, 0]
    prepared(paths, scale=2.0, cache=cache)
    assert counted == ["one", "two", "one", "one", "one", "two"]


def test_warnings_are_given_each_time(scans, tmp_path, counted):
    (scans / "two" / "map.png").unlink()
    for _ in range(2):
        with pytest.warns(MeshWarning, match="textured.obj: picture map.png of textured.mtl is missing"):
            prepared(mesh_paths(scans), cache=Cache(tmp_path / "cache", 1 << 30))
    assert counted == ["one", "two"]


def test_looking_for_files_leaves_warnings_alone(scans, monkeypatch):
    """Threads look for files side by side: what one of them kept quiet, another gave back."""
    (scans / "two" / "map.png").unlink()
    monkeypatch.setattr(warnings, "catch_warnings", None)
    monkeypatch.setattr(warnings, "warn", None)
    assert preparing.key_for(scans / "two" / "textured.obj", "two", 1.0) is not None


def test_an_entry_that_is_no_mesh_is_made_again(scans, tmp_path, counted):
    cache, paths = Cache(tmp_path / "cache", 1 << 30), {"one": scans / "one" / "textured.obj"}
    (first,) = prepared(paths, cache=cache)
    (entry,) = (path.name for path in (tmp_path / "cache").iterdir() if path.name != MARKER)
    whole = packed(first, [])
    arrays = preparing.read_npz(whole)
    beyond = preparing.to_npz(**{**arrays, "faces": arrays["faces"] + 1000})
    for nonsense in (
        b"",
        b"whole, and no mesh",
        whole[: len(whole) // 2],
        beyond,
        preparing.to_npz(note=[1]),
    ):
        cache.put(entry, nonsense)
        assert same(prepared(paths, cache=cache)[0], first)
    assert cache.discarded == 5
    assert same(unpacked(whole).object, first)


def test_errors_are_those_of_reading(scans, tmp_path):
    cache = Cache(tmp_path / "cache", 1 << 30)
    (scans / "two" / "textured.mtl").write_bytes(b"newmtl m\nKd 0 x 0\n")
    with pytest.raises(MeshError, match=r"textured\.mtl, line 2 is broken"):
        prepared(mesh_paths(scans), cache=cache)
    write_scan(scans / "two", scale=100)
    with pytest.raises(WrongUnits):
        prepared(mesh_paths(scans), cache=cache)


@pytest.mark.slow
def test_other_processes_make_the_same(tmp_path, monkeypatch):
    for k in range(8):
        write_scan(tmp_path / "scans" / f"scan{k}", scale=1 + k / 10)
    paths = mesh_paths(tmp_path / "scans")
    monkeypatch.setattr(preparing, "WORTH", 100)
    alone = dict(made_of(paths, 1.0))
    monkeypatch.setattr(preparing, "WORTH", 4)
    monkeypatch.setattr(preparing, "settings", replace(preparing.settings, threads=2))
    heard = []
    (tmp_path / "json.py").write_text("raise SystemExit('imported from the folder we are in')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(preparing, "made", lambda *a: pytest.fail("made here"))
    assert dict(made_of(paths, 1.0)) == alone
    monkeypatch.undo()
    monkeypatch.setattr(preparing, "settings", replace(preparing.settings, threads=2))
    prepared(paths, tell=lambda *a: heard.append(a), cache=Cache(tmp_path / "cache", 1 << 30))
    assert heard == [(k, 8) for k in range(1, 9)]
    write_scan(tmp_path / "scans" / "scan5", scale=100)
    with pytest.raises(WrongUnits):
        list(made_of(paths, 1.0))
