"""Packages of others: a catalogue with sizes in centimetres, a wheel with MuJoCo meshes, bodies in a tar."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile

import numpy as np
import pytest

from saccade.world.formats import archives
from saccade.world.formats.formats import load_folder
from saccade.world.formats.packages import prepare
from saccade.world.meshes.mesh import MeshError, MeshWarning
from saccade.world.objects.shapes import box

BOX = box((1.0, 2.0, 0.5), 0.01, pieces=4)


def obj(mesh):
    rows = [f"v {x} {y} {z}" for x, y, z in mesh.vertices] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces
    ]
    return "mtllib m.mtl\nusemtl red\n" + "\n".join(rows)


def test_a_catalogue_gives_objects_of_the_listed_size(tmp_path):
    with zipfile.ZipFile(tmp_path / "c.sh3f", "w") as made:
        listed = ["id=all", "name=all"]
        for i, (name, width) in enumerate((("cup", 10), ("sofa", 200), ("lost", 10)), 1):
            listed += [
                f"name#{i}={name}",
                f"model#{i}=/lib/{name}/{name}.obj",
                f"width#{i}={width}",
                f"depth#{i}=8",
                f"height#{i}=12.5",
            ]
        made.writestr("PluginFurnitureCatalog.properties", "# a comment\n" + "\n".join(listed))
        made.writestr("LICENSE.TXT", "free")
        for name in ("cup", "sofa"):
            made.writestr(f"lib/{name}/{name}.obj", obj(BOX))
            made.writestr(f"lib/{name}/m.mtl", "newmtl red\nKd 1 0 0\n")
    with pytest.warns(MeshWarning, match="lost left out"):
        files = prepare(tmp_path / "c.sh3f", tmp_path / "out")
    assert [f.name for f in files] == ["cup.ply"]
    (cup,) = load_folder(tmp_path / "out")
    assert np.allclose(cup.mesh.high - cup.mesh.low, (0.1, 0.125, 0.08), atol=1e-6)
    assert np.allclose(cup.mesh.colors, (1, 0, 0))
    assert (tmp_path / "out" / "LICENSE-c-LICENSE.TXT").read_text() == "free"
    assert not list((tmp_path / "out").glob("*.part"))


def test_a_wheel_gives_its_meshes(tmp_path):
    mesh = BOX.scaled(0.1)
    body = struct.pack("<4i", len(mesh.vertices), 0, 0, len(mesh.faces))
    body += mesh.vertices.astype("<f4").tobytes() + mesh.faces.astype("<i4").tobytes()
    with zipfile.ZipFile(tmp_path / "m.whl", "w") as made:
        made.writestr("myosuite/simhive/YCB_sim/meshes/002_can.msh", body)
    (path,) = prepare(tmp_path / "m.whl", tmp_path / "out")
    assert path.stem == "002_can"
    assert load_folder(tmp_path / "out")[0].mesh.extent == pytest.approx(0.2, abs=1e-6)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("no")
    with pytest.raises(MeshError, match="is no package"):
        prepare(tmp_path / "a.txt", tmp_path / "out")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as made:
        made.writestr("x", "y")
    with pytest.raises(MeshError, match="holds no objects"):
        prepare(tmp_path / "b.zip", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(ValueError, match="sizes"):
        prepare(tmp_path / "b.zip", tmp_path / "out", largest=9)


URDF = """<robot name="r"><link name="l"><visual>
<geometry><mesh filename="7.obj" scale="0.1 0.1 0.2"/></geometry>
<material name="m"><color rgba="0 0.5 1 1"/></material></visual></link></robot>"""


def tarred(files, how="w:gz"):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=how) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def test_bodies_have_the_scale_and_colour_of_their_description(tmp_path):
    files = {
        "p-1/data/random_urdfs/7/7.urdf": URDF.encode(),
        "p-1/data/random_urdfs/7/7.obj": obj(BOX).encode(),
        "p-1/data/other/7.obj": b"not looked at",
        "p-1/LICENSE.txt": b"free",
    }
    (tmp_path / "p-1.tar.gz").write_bytes(tarred(files))
    (path,) = prepare(tmp_path / "p-1.tar.gz", tmp_path / "out")
    (thing,) = load_folder(tmp_path / "out")
    assert path.stem == thing.name == "random_7"
    assert np.allclose(thing.mesh.high - thing.mesh.low, (0.1, 0.2, 0.1), atol=1e-6)
    assert np.allclose(thing.mesh.colors, (0, 0.5, 1), atol=0.005)
    assert [each.name for each in (tmp_path / "out").glob("LICENSE*")] == ["LICENSE-p-1.tar-p-1-LICENSE.txt"]


def catalogue(*names):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        lines = []
        for i, name in enumerate(names, 1):
            lines += [f"model#{i}=/{name}.obj", f"width#{i}=10", f"depth#{i}=8", f"height#{i}=12.5"]
            archive.writestr(f"{name}.obj", obj(BOX))
        archive.writestr("PluginFurnitureCatalog.properties", "\n".join(lines))
    return made.getvalue()


def test_catalogues_in_a_debian_package_can_be_chosen_and_counted(tmp_path):
    data = tarred(
        {"./usr/free.sh3f": catalogue("cup", "pot", "jug"), "./usr/other.sh3f": catalogue("bowl")}, "w:xz"
    )
    members = {b"debian-binary": b"2.0\n", b"control.tar.xz": b"x" * 7, b"data.tar.xz": data}
    packed = b"!<arch>\n"
    for name, content in members.items():
        header = name.ljust(16) + b"0".ljust(32) + str(len(content)).encode().ljust(10) + b"`\n"
        packed += header + content + b"\n" * (len(content) % 2)
    (tmp_path / "d.deb").write_bytes(packed)
    assert [path.stem for path in prepare(tmp_path / "d.deb", tmp_path / "all")] == [
        "cup",
        "pot",
        "jug",
        "bowl",
    ]
    chosen = prepare(tmp_path / "d.deb", tmp_path / "some", only="free", limit=2)
    assert [path.stem for path in chosen] == ["cup", "pot"]


def test_a_package_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MeshError, match=r"no file .*gone\.whl"):
        prepare(tmp_path / "gone.whl", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def zipped(files, how=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def long_name(size):
    """A tar file whose only member has a name of so many bytes."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, size
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(size), 1)


CAN = "m/YCB_sim/can.msh"
ZEROS = bytes(2 << 20)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.whl", lambda: zipped({CAN: ZEROS}), "too large.* at most 1,048,576"),
        ("a.whl", lambda: zipped({CAN: b"x" * 999}, zipfile.ZIP_LZMA), "compressed in a way"),
        ("a.whl", lambda: zipped({CAN: b"x" * 999})[:-200], "no package|broken"),
        ("a.tar.gz", lambda: gzip.compress(tarred({CAN: ZEROS}, "w"), 1), "too large.* more than 1,048,576"),
        ("a.tar.gz", lambda: long_name(2 << 20), "too large.* more than 1,048,576|no package"),
        ("a.tar.gz", lambda: tarred({CAN: b"x" * 99_999})[:-50], "broken|cannot be read"),
        ("a.deb", lambda: b"!<arch>\ndata.tar.xz".ljust(56) + b"-1".ljust(12), "-1 bytes"),
        ("a.deb", lambda: b"!<arch>\n" + b"x" * 60, "broken"),
    ],
)
def test_archives_that_unpack_to_too_much_or_not_at_all(tmp_path, monkeypatch, name, content, told):
    monkeypatch.setattr(archives, "UNPACKED_BYTES", 1 << 20)
    (tmp_path / name).write_bytes(content())
    with pytest.raises(MeshError, match=rf"{name}.*({told})"):
        prepare(tmp_path / name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_names_of_a_tar_file_stay_in_its_folder(tmp_path):
    """With every Python: `tarfile` itself has no filter before 3.11.4."""
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "a.tar.gz").write_bytes(tarred({"/in/can.msh": b"1", "in/b.msh": b"2"}))
    archives.unpack(tmp_path / "a.tar.gz", folder, lambda _: lambda name: True)
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.msh")) == [
        "in/b.msh",
        "in/can.msh",
    ]
    (tmp_path / "b.tar.gz").write_bytes(tarred({"in/../../secret.msh": b"3"}))
    with pytest.raises(MeshError, match="no package"):
        archives.unpack(tmp_path / "b.tar.gz", folder, lambda _: lambda name: True)
    assert not list(tmp_path.rglob("secret.msh"))


@pytest.mark.parametrize(
    ("urdf", "told"),
    [
        (URDF.replace("7.obj", "../../../../secret.obj"), "outside"),
        (URDF.replace("7.obj", "/etc/secret.obj"), "outside"),
        (URDF.replace("0.1 0.1 0.2", "0.1 nan 0.2"), "above 0"),
        (URDF.replace("0.1 0.1 0.2", "0.1"), "three sizes"),
        (URDF.replace("0 0.5 1 1", "0 1e300"), "from 0 to 1"),
        ("<robot>" * 50_000, "broken"),
        ("<robot/>", "no visual mesh"),
    ],
)
def test_a_body_that_is_described_badly_is_left_out(tmp_path, urdf, told):
    files = {}
    for number, text in (("6", urdf), ("7", URDF)):
        files[f"random_urdfs/{number}/{number}.urdf"] = text.encode()
        files[f"random_urdfs/{number}/7.obj"] = obj(BOX).encode()
    (tmp_path / "p.tar.gz").write_bytes(tarred(files))
    with pytest.warns(MeshWarning, match=rf"random_6 left out: .*{told}"):
        written = prepare(tmp_path / "p.tar.gz", tmp_path / "out")
    assert [path.stem for path in written] == ["random_7"]
