"""Files made to harm: small ones that ask for much are refused before anything is allocated or counted."""

from __future__ import annotations

import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from saccade.world.formats.formats import read_mesh
from saccade.world.formats.png import SIGNATURE, ImageError, read_png, write_png
from saccade.world.meshes.mesh import MeshError, MeshWarning

XYZ = b"property float x\nproperty float y\nproperty float z\n"
LIST = b"property list uchar int vertex_indices\n"
SIGNED = b"property list int int vertex_indices\n"
TRIANGLE = b"0 0 0\n1 0 0\n0 1 0\n"
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
HUGE = b"100000000000000000000"


def ply(form: bytes, rows: bytes, faces: bytes, listed: bytes = LIST, more: bytes = b"") -> bytes:
    vertex = b"element vertex " + rows + b"\n" + XYZ
    head = b"ply\nformat " + form + b" 1.0\n" + more + vertex
    return head + b"element face " + faces + b"\n" + listed + b"end_header\n"


BINARY = b"binary_little_endian"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (ply(b"ascii", b"3", b"999999999", b"") + TRIANGLE, "no faces"),
        (ply(b"ascii", b"3", b"1", more=b"element other 999999999999\n") + TRIANGLE, "face 1 of 1"),
        (ply(BINARY, b"3", b"999999999999", b"") + POINTS, "no faces"),
        (ply(b"ascii", b"3", b"9" * 18, SIGNED) + TRIANGLE + b"-2 ", "list of -2"),
        (ply(BINARY, b"3", b"9" * 18, SIGNED) + POINTS + struct.pack("<i", -1), "list of -1"),
        (ply(BINARY, b"9" * 30, b"1") + POINTS, "vertex 4 of 9+, as if cut short"),
        (ply(BINARY, b"3", b"9" * 5000) + POINTS, "integer"),
        (ply(b"ascii", b"3", b"-5") + TRIANGLE, "-5 rows"),
        (ply(b"ascii", b"3", b"1") + TRIANGLE + b"3 0 1 " + HUGE, f"vertex {HUGE.decode()}, and there are 3"),
        (ply(b"ascii", b"3", b"1") + TRIANGLE + b"3 0 1 -1", "vertex -1, and there are 3"),
        (ply(b"ascii", b"3", b"1") + b"0 0 0\n1 0 0\n0 1e300 0\n3 0 1 2", "vertex 2.*1e[+]?300"),
        (ply(b"ascii", b"3", b"1", LIST + LIST) + TRIANGLE, "declared twice"),
        (ply(b"ascii", b"1", b"1", b"property list uchar\n"), "property list uchar"),
        (ply(b"ascii", b"1", b"1", b"property list float int vertex_indices\n"), "counted by float"),
        (ply(b"other", b"1", b"1"), "format .other"),
    ],
)  # fmt: skip
def test_ply_files_that_promise_what_they_have_not(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "bad.ply"
    path.write_bytes(content)
    with pytest.raises(MeshError, match=rf"bad\.ply.*({told})"):
        read_mesh(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 " + HUGE, f"line 4 .*vertex {HUGE.decode()}, and there are 3"),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -" + HUGE, f"line 4 .*vertex -{HUGE.decode()}, and there are 3"),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0", "line 4 .*vertex 0"),
        (b"v 0 0 0\nv 1 0 0\nv 0 1e999 0\nf 1 2 3", "vertex 2.*inf"),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 " + b"9" * 5000 + b"\nf 1 2 3", "vertex 2"),
        (b"v 0 0 0\nf 1 1 " + b"9" * 5000, "line 2 .*integer"),
    ],
)
def test_obj_numbers_that_no_mesh_has(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "bad.obj"
    path.write_bytes(content)
    with pytest.raises(MeshError, match=rf"bad\.obj.*({told})"):
        read_mesh(path)


def test_a_material_file_is_read_once_however_often_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.mtl").write_text("newmtl a\nKd 1 0 0\n" + "# nothing\n" * 10_000)
    lines = ["mtllib m.mtl", "mtllib ./m.mtl"] * 1_000
    (tmp_path / "a.obj").write_text("\n".join([*lines, "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3"]))
    assert np.allclose(read_mesh(tmp_path / "a.obj").colors, (1, 0, 0))


def test_files_far_from_the_mesh_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "private.mtl").write_text("newmtl a\nKd 1 0 0\n")
    deep = tmp_path / "shared" / "meshes"
    deep.mkdir(parents=True)
    (deep / "a.obj").write_text("mtllib ../../private.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3")
    with pytest.warns(MeshWarning, match=r"private\.mtl.*outside"):
        assert np.allclose(read_mesh(deep / "a.obj").colors, 0.6)
    (tmp_path / "shared" / "near.mtl").write_text("newmtl a\nKd 1 0 0\n")
    (deep / "a.obj").write_text("mtllib ../near.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3")
    assert np.allclose(read_mesh(deep / "a.obj").colors, (1, 0, 0))


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, stream: bytes, bits: int = 8, kind: int = 2, more: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + more + chunk(b"IDAT", stream) + chunk(b"IEND", b"")


def zeros(count: int) -> bytes:
    """A deflated stream of so many zeros, made without holding them."""
    packer = zlib.compressobj(9)
    pieces = [packer.compress(bytes(min(1 << 20, count - at))) for at in range(0, count, 1 << 20)]
    return b"".join(pieces) + packer.flush()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (lambda: png(16, 16, zeros(30 << 20)), "more"),
        (lambda: png(40_000, 40_000, zeros(1 << 20)), "40000 x 40000"),
        (lambda: png(2**31 - 1, 2**31 - 1, b""), "2147483647 x 2147483647"),
        (lambda: png(0, 16, zeros(16)), "0 x 16"),
        (lambda: png(16, 16, zeros(100)), "ends"),
        (lambda: png(16, 16, zeros(16 * 49)[:-6]), "ends"),
        (lambda: png(4, 1, zeros(5), kind=9), "kind 9"),
        (lambda: png(4, 1, zlib.compress(b"\0\1\2\3\4"), kind=3, more=chunk(b"PLTE", b"rgb")), "palette"),
        (lambda: png(4, 1, zeros(5), kind=3), "palette"),
        (lambda: SIGNATURE + struct.pack(">I4s", 2**32 - 1, b"IHDR") + b"short", "IHDR"),
        (lambda: SIGNATURE + chunk(b"IHDR", b"x") + chunk(b"IDAT", b""), "header"),
        (lambda: png(16, 16, b"no stream"), "compressed data"),
    ],
)
def test_pictures_that_are_not_what_they_say(tmp_path: Path, content: Callable[[], bytes], told: str) -> None:
    path = tmp_path / "bad.png"
    path.write_bytes(content())
    tracemalloc.start()
    try:
        with pytest.raises(ImageError, match=rf"bad\.png.*({told})"):
            read_png(path)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_a_picture_takes_little_more_than_its_pixels(tmp_path: Path) -> None:
    write_png(tmp_path / "p.png", np.zeros((1024, 1024, 3), np.uint8))
    read_png(tmp_path / "p.png")  # the first compiles
    tracemalloc.start()
    try:
        pixels = read_png(tmp_path / "p.png", raw=True)
        assert tracemalloc.get_traced_memory()[1] < 3 * pixels.nbytes
    finally:
        tracemalloc.stop()
