"""The seam of all readers: bounds, and one clear error whatever goes wrong."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import pytest

from saccade.experiment.ray_backend import unpack
from saccade.files.reading import (
    FAILURES,
    TooLarge,
    beside,
    parse_json,
    read_bytes,
    read_json,
    read_text,
    reading,
    shown,
    within,
)


class Broken(ValueError):
    """The error of a reader."""


def read_badly(failure: Exception) -> None:
    with reading("f", Broken, "mend it") as place:
        place.where = "line 3"
        raise failure


def nested() -> list[object]:
    made: list[object] = []
    for _ in range(100_000):
        made = [made]
    return made


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (FileNotFoundError(2, "No such file"), "f, line 3 cannot be read: No such file; mend it"),
        (MemoryError(), "f, line 3 cannot be read: it needs more memory than there is; mend it"),
        (RecursionError("maximum recursion"), "f, line 3 is broken: it is nested too deeply; mend it"),
        (UnicodeDecodeError("utf-8", b"ab\xff", 2, 3, "x"), "byte 2 (0xff) is no utf-8 text; mend it"),
        (KeyError("name"), "f, line 3 is broken: it has no 'name'; mend it"),
        (TooLarge("9 of 8"), "f, line 3 is too large: 9 of 8; mend it"),
        (zlib.error("bad"), "f, line 3 is broken: its compressed data is damaged (bad); mend it"),
        (struct.error("short"), "f, line 3 is broken: short; mend it"),
        (OverflowError("int too large"), "f, line 3 is broken: int too large; mend it"),
        (EOFError(), "f, line 3 is broken: EOFError; mend it"),
        (ValueError("x" * 10_000), "xxx...; mend it"),
        (IndexError("out of range"), "f, line 3 is broken: out of range; mend it"),
        (AttributeError("no items"), "f, line 3 is broken: no items; mend it"),
        (ZeroDivisionError("by zero"), "f, line 3 is broken: by zero; mend it"),
    ],
)
def test_every_failure_is_the_reader_s_error(failure: Exception, told: str) -> None:
    assert isinstance(failure, FAILURES)
    with pytest.raises(Broken) as caught:
        read_badly(failure)
    assert told in str(caught.value)
    assert len(str(caught.value)) < 500
    assert caught.value.__cause__ is failure


def test_its_own_error_and_mistakes_of_ours_pass() -> None:
    own = Broken("f: as it is")
    with pytest.raises(Broken) as caught, reading("f", Broken, "mend it"):
        raise own
    assert caught.value is own
    with pytest.raises(AssertionError), reading("f", Broken, "mend it"):
        raise AssertionError("a mistake of ours")
    with pytest.raises(Broken, match="f is broken: odd"), reading("f", Broken, "mend it", (AssertionError,)):
        raise AssertionError("odd")


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * 3_000_000)
    assert read_bytes(path, 3_000_000) == b"x" * 3_000_000
    with pytest.raises(TooLarge, match="3,000,000 bytes, and at most 2,999,999 are read"):
        read_bytes(path, 2_999_999)
    path.write_bytes("\ufeffä".encode())
    assert read_text(path, 10, "utf-8-sig") == "ä"


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes are those of POSIX")
def test_devices_and_pipes_have_bounds_too(tmp_path: Path) -> None:
    with pytest.raises(TooLarge):
        read_bytes("/dev/zero", 5_000_000)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="named pipe"):
        read_bytes(tmp_path / "pipe", 10)
    read, write = os.pipe()
    os.write(write, b"seed = 1")
    os.close(write)
    assert read_bytes(f"/dev/fd/{read}", 10) == b"seed = 1"
    os.close(read)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[" * 100_000, RecursionError),
        ("9" * 5000, ValueError),
        ('["\\ud800"]', ValueError),
        ("{", ValueError),
    ],
)
def test_json_that_is_none(tmp_path: Path, text: str, error: type[Exception]) -> None:
    (tmp_path / "f").write_text(text)
    for read in (lambda: parse_json(text), lambda: read_json(tmp_path / "f")):
        with pytest.raises(error):
            read()


def test_json_that_is_some() -> None:
    assert parse_json('{"a": "\\ud83d\\ude00 \\u00e4"}') == {"a": "😀 ä"}
    assert parse_json(b'[1, 2.5, null, "\\\\ud800"]') == [1, 2.5, None, "\\ud800"]


def test_values_in_messages_are_short() -> None:
    values = [nested(), "x" * 10**6, 16**5000, [16**5000] * 100, {"a": nested()}, b"x" * 10**6, 1e300]
    assert all(len(shown(value)) < 500 for value in values)
    assert shown(10**20) == "100000000000000000000"
    assert shown(16**5000) == "a number of more than 40 digits"
    assert shown("ä\x1b[2J") == repr("ä\x1b[2J")


def test_names_lead_nowhere_else(tmp_path: Path) -> None:
    mesh = tmp_path / "meshes" / "a" / "a.obj"
    assert beside(mesh, "m.mtl") == tmp_path / "meshes" / "a" / "m.mtl"
    assert beside(mesh, "..\\textures\\p.png") == tmp_path / "meshes" / "textures" / "p.png"
    for name in ("../../m.mtl", "/etc/passwd", "x/../../../m.mtl", "..\\..\\m.mtl"):
        assert beside(mesh, name) is None
    assert within(tmp_path, tmp_path / "a" / ".." / "b") == tmp_path / "b"
    with pytest.raises(ValueError, match="leads out of its folder"):
        unpack({"../x": b"", "y": b""}, tmp_path / "sent")
    assert not (tmp_path / "x").exists()
