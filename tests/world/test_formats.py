"""Mesh files: what is written comes back, and what is broken is refused by name."""

from __future__ import annotations

import struct
import warnings

import numpy as np
import pytest

from saccade.world.formats import obj as obj_format
from saccade.world.formats import obj_loops
from saccade.world.formats.formats import load_folder, read_mesh, write_ply
from saccade.world.formats.png import read_png, write_png
from saccade.world.meshes.mesh import Mesh, MeshError, MeshWarning, check, joined
from saccade.world.meshes.texture import distinct_rows, read_picture, split, textured, wrapped
from saccade.world.objects.shapes import box

BOX = box((0.1, 0.06, 0.04), 0.004, (0.25, 0.5, 0.75), pieces=4)


def same_surface(a: Mesh, b: Mesh, digits=6):
    """The same triangles in the same order, whatever their vertices are called."""
    return np.allclose(a.triangles, b.triangles, atol=10**-digits)


def write_obj(path, mesh, extra=""):
    lines = [
        extra,
        *(f"v {x} {y} {z}" for x, y, z in mesh.vertices),
        *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces),
    ]
    path.write_text("\n".join(lines))


def write_stl(path, mesh, text=False):
    if text:
        body = "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join(f"vertex {x} {y} {z}\n" for x, y, z in t)
            + "endloop\nendfacet\n"
            for t in mesh.triangles
        )
        path.write_text("solid thing\n" + body + "endsolid\n")
        return
    records = np.zeros(len(mesh.faces), np.dtype([("n", "<f4", 3), ("c", "<f4", (3, 3)), ("x", "<u2")]))
    records["c"] = mesh.triangles
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(mesh.faces)) + records.tobytes())


def save_ply(path, mesh, form):
    head = f"ply\nformat {form} 1.0\ncomment made here\nelement vertex {len(mesh.vertices)}\n"
    head += "property float x\nproperty float y\nproperty float z\n"
    head += "property uchar red\nproperty uchar green\nproperty uchar blue\n"
    head += f"element face {len(mesh.faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    if form == "ascii":
        rows = [f"{x} {y} {z} 64 128 191" for x, y, z in mesh.vertices] + [
            f"3 {a} {b} {c}" for a, b, c in mesh.faces
        ]
        path.write_text(head + "\n".join(rows))
        return
    o = "<" if "little" in form else ">"
    vertices = np.zeros(len(mesh.vertices), np.dtype([("p", o + "f4", 3), ("c", "u1", 3)]))
    vertices["p"], vertices["c"] = mesh.vertices, (64, 128, 191)
    faces = np.zeros(len(mesh.faces), np.dtype([("n", "u1"), ("i", o + "i4", 3)]))
    faces["n"], faces["i"] = 3, mesh.faces
    path.write_bytes(head.encode() + vertices.tobytes() + faces.tobytes())


def write_msh(path, mesh, uv=None):
    uv = np.zeros((0, 2)) if uv is None else uv
    head = struct.pack("<4i", len(mesh.vertices), 0, len(uv), len(mesh.faces))
    path.write_bytes(
        head
        + mesh.vertices.astype("<f4").tobytes()
        + uv.astype("<f4").tobytes()
        + mesh.faces.astype("<i4").tobytes()
    )


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply(tmp_path, form):
    save_ply(tmp_path / "box.ply", BOX, form)
    read = read_mesh(tmp_path / "box.ply")
    assert same_surface(read, BOX)
    assert np.allclose(read.colors, (0.25, 0.5, 0.75), atol=0.01)


@pytest.mark.parametrize("text", [True, False])
def test_stl(tmp_path, text):
    write_stl(tmp_path / "box.stl", BOX, text)
    read = read_mesh(tmp_path / "box.stl")
    assert same_surface(read, BOX)
    assert read.is_watertight()


def test_obj_with_materials_polygons_and_negative_indices(tmp_path):
    (tmp_path / "m.mtl").write_text("newmtl red paint\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    (tmp_path / "a.obj").write_text(
        "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
        "usemtl red paint\nf 1/1/1 2//2 3 4\nusemtl blue\nv 0 0 1\nf -1 1 2\n"
    )
    mesh = read_mesh(tmp_path / "a.obj")
    assert len(mesh.faces) == 3
    assert np.array_equal(mesh.colors[:, 0], [(1, 0, 0), (1, 0, 0), (0, 0, 1)])
    assert np.array_equal(mesh.triangles[2], [(0, 0, 1), (0, 0, 0), (1, 0, 0)])


def test_a_texture_is_split_fine_and_sampled(tmp_path):
    picture = np.zeros((8, 8, 3))
    picture[:4, :, 0] = 1  # the upper half red, the lower blue
    picture[4:, :, 2] = 1
    write_png(tmp_path / "p.png", picture)
    (tmp_path / "m.mtl").write_text("newmtl p\nmap_Kd p.png\n")
    (tmp_path / "a.obj").write_text(
        "mtllib m.mtl\nusemtl p\nv 0 0 0\nv .1 0 0\nv .1 .1 0\nv 0 .1 0\n"
        "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n"
    )
    mesh = read_mesh(tmp_path / "a.obj")
    middle = mesh.triangles.mean(axis=1)
    colors = mesh.colors.mean(axis=1)
    assert mesh.area.sum() == pytest.approx(0.01)
    upper, lower = (
        (middle[:, 1] > 0.06) & (middle[:, 1] < 0.09),
        (middle[:, 1] < 0.04) & (middle[:, 1] > 0.01),
    )
    assert np.allclose(colors[upper], (1, 0, 0))
    assert np.allclose(colors[lower], (0, 0, 1))


def test_a_wrapped_mesh_has_the_colours_of_its_picture_as_32_bit_floats(tmp_path):
    uv = np.random.default_rng(0).random((len(BOX.faces), 3, 2))
    write_png(tmp_path / "p.png", np.random.default_rng(1).random((16, 16, 3)))
    exact, found = textured(BOX, uv, read_picture(tmp_path / "p.png")), wrapped(BOX, uv, tmp_path / "p.png")
    assert np.array_equal(exact.triangles, found.triangles)
    assert np.array_equal(found.colors, exact.colors.astype(np.float32))


def test_msh_with_a_texture_beside_it(tmp_path):
    write_msh(tmp_path / "plain.msh", BOX)
    assert same_surface(read_mesh(tmp_path / "plain.msh"), BOX)
    write_msh(tmp_path / "green.msh", BOX, np.full((len(BOX.vertices), 2), 0.5))
    (tmp_path / "textures").mkdir()
    write_png(tmp_path / "textures" / "green.png", np.tile([[[0.0, 1.0, 0.0]]], (4, 4, 1)))
    assert np.allclose(read_mesh(tmp_path / "green.msh").colors, (0, 1, 0))


PLY = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
FACES = b"element face 1\nproperty list uchar int vertex_indices\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.obj", b"", "empty"),
        ("a.stl", b"solid endsolid", "a.stl is empty: it holds no triangles"),
        ("a.msh", b"\0" * 16, "a.msh is empty: it holds no triangles"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 9\n", "vertex 9"),
        ("a.obj", b"v 0 zero 0\n", "line 1"),
        ("a.stl", b"\0" * 80 + b"\x05\0\0\0" + b"1234", "5 triangles"),
        ("a.ply", b"plyformat", "end_header"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", "broken"),
        ("a.ply", PLY + b"end_header\n0 0 0\n0 0", "vertex 2 of 3, as if cut short"),
        ("a.ply", PLY + b"element\nend_header\n", "a.ply, line 7 is broken"),
        ("a.ply", PLY + FACES + b"end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1", "face 1 of 1, as if cut short"),
        ("a.stl", b"solid x\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n", "cut short"),
        ("a.stl", b"solid x\nvertex 0 0 zero\nendsolid\n", "a.stl, vertex 1 is broken"),
        ("a.obj", b"v 0 0\n", "line 1 is broken: a vertex has three numbers, not 2"),
        ("a.msh", b"\x01\0\0\0" * 4 + b"12", "bytes"),
        ("a.xyz", b"", "no reader"),
    ],
)
def test_broken_files_are_refused(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MeshError, match=words):
        read_mesh(tmp_path / name)


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "stl", "text.stl", "obj", "msh"])
def test_damaged_files_are_read_or_refused_by_name(tmp_path, form):
    """Whatever is cut off or changed, a reader gives a mesh or says which file is broken."""
    path = tmp_path / f"a.{form.split('.')[-1] if form in ('stl', 'text.stl', 'obj', 'msh') else 'ply'}"
    small = Mesh.of(BOX.vertices[BOX.faces[:6].ravel()], np.arange(18))
    if path.suffix == ".ply":
        save_ply(path, small, form)
    elif path.suffix == ".stl":
        write_stl(path, small, form == "text.stl")
    else:
        (write_obj if form == "obj" else write_msh)(path, small)
    whole, random = path.read_bytes(), np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(whole[: random.integers(1, len(whole))] if random.random() < 0.3 else whole)
        for at in random.integers(0, len(damaged), 3):
            damaged[at] = random.choice([0, 10, 32, 45, 57, 255])
        path.write_bytes(damaged)
        refused = ""
        try:
            read_mesh(path)
        except MeshError as error:
            refused = str(error)
        assert not refused or path.name in refused


def test_a_texture_is_found_behind_options_and_spaces_and_missed_aloud(tmp_path):
    (tmp_path / "m.mtl").write_text("newmtl p\nKd 1 0 0\nmap_Kd -s 1 1 1 my photo.png\n")
    (tmp_path / "a.obj").write_text(
        "mtllib m.mtl\nusemtl p\nv 0 0 0\nv .1 0 0\nv .1 .1 0\nvt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\n"
    )
    with pytest.warns(MeshWarning, match="photo.png of m.mtl is missing"):
        assert np.allclose(read_mesh(tmp_path / "a.obj").colors, (1, 0, 0))
    write_png(tmp_path / "my photo.png", np.tile([[[0.0, 1.0, 0.0]]], (4, 4, 1)))
    assert np.allclose(read_mesh(tmp_path / "a.obj").colors, (0, 1, 0))


def test_folder_is_read_scaled_centred_and_in_order(tmp_path):
    (tmp_path / "deep").mkdir()
    write_obj(tmp_path / "deep" / "b.obj", BOX.scaled(100).moved((5, 5, 5)))
    write_stl(tmp_path / "a.stl", BOX.scaled(100))
    (tmp_path / "notes.txt").write_text("not a mesh")
    objects = load_folder(tmp_path, scale=0.01)
    assert [o.name for o in objects] == ["a", "b"]
    assert same_surface(objects[0].mesh, objects[1].mesh, 5)


def test_folders_that_are_linked_count_and_nothing_deeper_in_them(tmp_path):
    for name in ("mug", "bowl", "bowl/deeper"):
        (tmp_path / "scans" / name).mkdir(parents=True)
        write_obj(tmp_path / "scans" / name / "textured.obj", BOX)
    (tmp_path / "chosen").mkdir()
    for name in ("mug", "bowl"):
        (tmp_path / "chosen" / name).symlink_to(tmp_path / "scans" / name, target_is_directory=True)
    (tmp_path / "chosen" / "round").symlink_to(tmp_path / "chosen", target_is_directory=True)
    assert [o.name for o in load_folder(tmp_path / "chosen")] == ["bowl", "mug"]


def test_meshes_of_one_name_have_the_names_of_their_folders(tmp_path):
    for name in ("mug", "bowl"):
        (tmp_path / name).mkdir()
        write_obj(tmp_path / name / "textured.obj", BOX)
    assert [o.name for o in load_folder(tmp_path)] == ["bowl", "mug"]
    assert [o.name for o in load_folder(tmp_path, names=["mug"])] == ["mug"]
    write_obj(tmp_path / "mug" / "other.obj", BOX)  # no longer alone there
    assert [o.name for o in load_folder(tmp_path)] == ["bowl", "other", "textured"]


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda d: None, "no mesh files"),
        (
            lambda d: write_obj(d / "mug.obj", BOX.scaled(120)),
            "12 m across.*scale 0.01, as if in centimetres",
        ),
        (lambda d: write_obj(d / "mug.obj", BOX.scaled(1 / 0.0254)), "or 0.0254, as if in inches"),
        (lambda d: write_obj(d / "mug.obj", BOX.scaled(1000)), "scale 0.001, as if in millimetres"),
        (lambda d: write_obj(d / "mug.obj", BOX.scaled(0.001)), "scale 1000"),
        (
            lambda d: (write_obj(d / "mug.obj", BOX), write_stl(d / "mug.stl", BOX)),
            "two meshes are named 'mug'",
        ),
        (
            lambda d: write_obj(d / "mug.obj", Mesh.of([[0, 0, 0], [np.nan, 0, 0], [0, 1, 0]], [[0, 1, 2]])),
            "not finite",
        ),
    ],
)
def test_folder_troubles(tmp_path, prepare, words):
    prepare(tmp_path)
    with pytest.raises(MeshError, match=words):
        load_folder(tmp_path)


def test_checks_on_a_mesh():
    with pytest.raises(MeshError, match="empty"):
        check(Mesh.of(np.zeros((0, 3)), np.zeros((0, 3))), "x")
    with pytest.raises(MeshError, match="no area"):
        check(Mesh.of([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], [[0, 1, 2]]), "x")
    with pytest.raises(MeshError, match="names vertex 7"):
        check(Mesh.of([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], [[0, 1, 7]]), "x")
    open_box = Mesh(BOX.vertices, BOX.faces[10:], BOX.colors[10:])
    with pytest.warns(MeshWarning, match="not watertight"):
        check(open_box, "x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(joined([BOX, BOX.moved((0.02, 0, 0))]), "x")


@pytest.mark.parametrize("shape", [(5, 7, 3), (4, 3, 1)])
def test_png_round_trip(tmp_path, shape):
    rng = np.random.default_rng(0)
    for kind in (np.uint8, np.uint16):
        pixels = rng.integers(0, np.iinfo(kind).max, shape).astype(kind)
        write_png(tmp_path / "p.png", pixels)
        assert np.array_equal(read_png(tmp_path / "p.png", raw=True), pixels)


def test_png_filters_agree_with_pillow(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: pip install 'saccade[world]'")
    rng = np.random.default_rng(1)
    smooth = (
        np.add.outer(np.arange(40) * 3, np.arange(30) * 5)[..., None] + rng.integers(0, 9, (40, 30, 4))
    ) % 256
    for mode, pixels in (("RGB", smooth[..., :3]), ("RGBA", smooth), ("L", smooth[..., 0])):
        image.fromarray(pixels.astype(np.uint8), mode).save(tmp_path / "p.png")
        assert np.array_equal(read_png(tmp_path / "p.png", raw=True).reshape(pixels.shape), pixels)


def test_written_ply_keeps_the_colours_of_corners(tmp_path):
    rng = np.random.default_rng(0)
    spotted = Mesh(BOX.vertices, BOX.faces, rng.integers(0, 256, BOX.colors.shape) / 255)
    write_ply(tmp_path / "a.ply", spotted)
    again = read_mesh(tmp_path / "a.ply")
    assert same_surface(again, spotted)
    assert np.allclose(again.colors, spotted.colors, atol=1e-6)
    assert again.is_watertight()


def test_ply_with_quads(tmp_path):
    head = "ply\nformat binary_little_endian 1.0\nelement vertex 4\n"
    head += "property float x\nproperty float y\nproperty float z\n"
    head += "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "<f4")
    (tmp_path / "q.ply").write_bytes(
        head.encode() + square.tobytes() + b"\x04" + np.arange(4, dtype="<i4").tobytes()
    )
    mesh = read_mesh(tmp_path / "q.ply")
    assert len(mesh.faces) == 2
    assert mesh.area.sum() == pytest.approx(1)


def test_splitting_for_a_texture_keeps_the_surface_closed():
    corners, faces = split(BOX, np.zeros((len(BOX.faces), 3, 2)), 0.004)
    fine = Mesh.of(corners[:, :3], faces)
    assert len(fine.faces) > 2 * len(BOX.faces)
    assert corners.shape[1] == 5
    assert fine.is_watertight()
    assert fine.volume == pytest.approx(BOX.volume)
    assert fine.area.sum() == pytest.approx(BOX.area.sum())
    sides = fine.triangles - np.roll(fine.triangles, 1, axis=1)
    assert np.linalg.norm(sides, axis=2).max() <= 0.004


def test_a_folder_with_a_mesh_of_its_name_is_one_object(tmp_path):
    for name in ("cup", "jug"):
        (tmp_path / name).mkdir()
        write_stl(tmp_path / name / f"{name}.stl", BOX)
        write_stl(tmp_path / name / "collision.stl", BOX)
    assert [o.name for o in load_folder(tmp_path)] == ["cup", "jug"]


def scanned(rng, corner="{0}/{1}", extra=0):
    """The text of an OBJ file as scanners write it, with its faces in two materials."""
    vertices, places = rng.normal(size=(30, 3 + extra)) * 0.05, rng.random((20, 2))
    if extra:
        vertices[:, 3:] = rng.random((30, 3))
    faces = [[(rng.integers(1, 31), rng.integers(1, 21), 1) for _ in range(3)] for _ in range(40)]
    lines = ["mtllib m.mtl", *("v " + " ".join(map(repr, v.tolist())) for v in vertices)]
    lines += [f"vt {u:.6f}  {v:.3e} " for u, v in places]
    for number, face in enumerate(faces):
        if number in (0, 25):
            lines.append(f"usemtl m{number}")
        lines.append("f " + " ".join(corner.format(*each) for each in face))
    return lines


def read_both_ways(path, monkeypatch):
    """What comes of a file whose lines are read at machine speed, and one by one."""
    found = []
    for numbers_of in (obj_format.numbers_of, lambda data: None):
        monkeypatch.setattr(obj_format, "numbers_of", numbers_of)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                mesh = read_mesh(path)
                found.append([part.tobytes() for part in (mesh.vertices, mesh.faces, mesh.colors)])
            except MeshError as error:
                found.append(str(error))
    return found


@pytest.mark.parametrize("corner", ["{0}", "{0}/{1}", "{0}/{1}/{2}", "{0}//{2}", "-{1}/-{1}", "+{0}/{1}"])
@pytest.mark.parametrize("extra", [0, 3])
def test_many_lines_at_once_are_read_as_one_by_one(corner, extra, rng, tmp_path, monkeypatch):
    (tmp_path / "m.mtl").write_text("newmtl m0\nmap_Kd m.png\nnewmtl m25\nKd 0.2 0.4 0.6\n")
    write_png(tmp_path / "m.png", rng.integers(0, 255, (8, 8, 3), dtype=np.uint8))
    path = tmp_path / "m.obj"
    path.write_text("\n".join(scanned(rng, corner, extra)))
    together, alone = read_both_ways(path, monkeypatch)
    assert together == alone
    assert isinstance(together, list)


@pytest.mark.parametrize(
    "line", ["f 1/1 2/2 31/1", "f 0/1 1/1 2/1", "f 1/1 2/2 x", "f 1/1 2/2 99999999999999999999/1",
             "f 1/1 2/2 3/99", "f 1/1 2/2", "f 1 2 3 4", "f 1/ 2/ 3/", "f 1/1 2/2 3/9999999999999999999999"],
)  # fmt: skip
@pytest.mark.parametrize("at", [2, -1])
def test_an_unusual_line_among_many_is_read_or_named_as_alone(line, at, rng, tmp_path, monkeypatch):
    lines = scanned(rng)
    lines.insert(at, line)
    path = tmp_path / "m.obj"
    path.write_text("\n".join(lines))
    together, alone = read_both_ways(path, monkeypatch)
    assert together == alone


@pytest.mark.parametrize(
    "line", ["v 1 2", "v 1 2 x", "v 1e 2 3", "v 1 2 3 4", "v nan 1 2", "v .5 5. 1E-2", "vt 1"]
)
def test_an_unusual_vertex_among_many_is_read_or_named_as_alone(line, rng, tmp_path, monkeypatch):
    lines = scanned(rng)
    lines.insert(7, line)
    path = tmp_path / "m.obj"
    path.write_text("\n".join(lines))
    together, alone = read_both_ways(path, monkeypatch)
    assert together == alone


def test_numbers_of_any_length_are_read_as_python_reads_them(rng):
    texts = [repr(float(x)) for x in rng.normal(size=600) * 10.0 ** rng.integers(-30, 30, 600)]
    texts += ["-0.0", "+.5", "5.", "1e22", "1e-22", "9007199254740993", "0.1234567890123456789", "1E+3", "0"]
    data = "".join(f"v {x} {x}\t{x}\r\nvt {x}\r\n" for x in texts).encode()
    found = obj_loops.numbers_of(data)
    assert found is not None
    wanted = np.array([float(x) for x in texts])
    assert np.array_equal(found.vertices, np.stack([wanted] * 3, axis=1))
    assert np.array_equal(found.places[:, 0], wanted)
    assert np.signbit(found.vertices[600, 0])


@pytest.mark.parametrize(
    "data", [b"f 0 1 2", b"v 1 2", b"v 1 2 3x", b"f 1/x 2 3", b"f -1 2 3", b"v 1 2 3\x0b4"]
)
def test_lines_of_unusual_forms_are_left_to_be_read_one_by_one(data):
    assert obj_loops.numbers_of(b"v 0 0 0\n" + data) is None


def test_distinct_rows_are_those_of_numpy(rng):
    for rows in (rng.integers(-3, 4, (500, 3)) / 7, rng.normal(size=(40, 3)), np.zeros((1, 3))):
        wanted, index = np.unique(rows, axis=0, return_inverse=True)
        found, places = distinct_rows(rows)
        assert np.array_equal(found, wanted)
        assert np.array_equal(places, index.reshape(-1))
