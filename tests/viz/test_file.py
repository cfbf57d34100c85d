"""The file of a recording: what is whole is read, whatever happened to the rest."""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest

from saccade.viz.file import MAGIC, RecordingError, RecordingReader, RecordingWriter

VALUES = [("H", {"program": "x"}), ("C", {"passes": [], "kernels": 0}), ("M", [["f", 0.5, 1]]), ("E", {})]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    writer = RecordingWriter(tmp_path / "deep" / "a.saccade")
    for kind, value in VALUES:
        writer.write((kind, value))
    writer.close()
    return tmp_path / "deep" / "a.saccade"


def all_of(path: Path) -> tuple[list[tuple[str, object]], str]:
    reader = RecordingReader(path)
    try:
        return [(r.kind, reader.read(n)) for n, r in enumerate(reader.records)], reader.message
    finally:
        reader.close()


def test_what_is_written_is_read(written: Path) -> None:
    assert all_of(written) == (VALUES, "")


def test_cut_at_any_byte_it_holds_what_was_whole(written: Path, tmp_path: Path) -> None:
    data, cut = written.read_bytes(), tmp_path / "cut"
    start = data.index(b"\n") + 1
    counts = set()
    for length in range(start, len(data)):
        cut.write_bytes(data[:length])
        found, message = all_of(cut)
        assert found == VALUES[: len(found)]
        assert message
        counts.add(len(found))
    assert counts == {0, 1, 2, 3}


def test_damage_is_told_with_its_place(written: Path) -> None:
    data = bytearray(written.read_bytes())
    data[-1] ^= 1  # in the payload of the last record
    written.write_bytes(data)
    reader = RecordingReader(written)
    assert reader.read(0) == {"program": "x"}
    with pytest.raises(RecordingError, match=r"record 3 at byte \d+ is damaged"):
        reader.read(3)
    data[data.index(b"\n") + 1] = ord("?")  # the kind of the first record
    written.write_bytes(data)
    found, message = all_of(written)
    assert found == []
    assert "damaged at byte" in message


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is no recording"),
        (b"\x89PNG\r\n\x1a\n0000", "is no recording"),
        (MAGIC + b"3\n", "version 3, and this saccade reads 2"),
        (MAGIC + b"1" * 100, "version"),
    ],
)
def test_foreign_files_are_refused(tmp_path: Path, data: bytes, told: str) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(RecordingError, match=told):
        RecordingReader(tmp_path / "f")


def test_random_damage_never_ends_in_a_traceback(written: Path, rng: np.random.Generator) -> None:
    data = written.read_bytes()
    for _ in range(100):
        broken = bytearray(data)
        for place in rng.integers(0, len(data), 3):
            broken[place] = int(rng.integers(256))
        written.write_bytes(broken)
        with contextlib.suppress(RecordingError):
            all_of(written)


def test_a_small_file_cannot_unfold_to_a_huge_one(tmp_path: Path) -> None:
    """Nor to many that are large together: what is read is bounded by the bytes of each record."""
    payload = zlib.compress(b" " * (1 << 21), 9)
    head = struct.pack("<cII", b"C", len(payload), zlib.crc32(payload))
    (tmp_path / "bomb").write_bytes(MAGIC + b"2\n" + head + payload)
    reader = RecordingReader(tmp_path / "bomb")
    with pytest.raises(RecordingError, match="holds more than"):
        reader.read(0)


def test_a_record_that_packs_too_well_is_written_as_it_is(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a")
    writer.write(("S", [0] * 100_000))
    writer.close()
    assert all_of(tmp_path / "a")[0] == [("S", [0] * 100_000)]


def test_a_huge_file_is_indexed_in_little_memory(tmp_path: Path) -> None:
    """500 MB of records; the holes of the file take no disk."""
    path, length = tmp_path / "huge.saccade", 1 << 20
    head = struct.pack("<cII", b"S", length, 0)
    with path.open("wb") as out:
        out.write(MAGIC + b"2\n")
        for _ in range(500):
            out.write(head)
            out.seek(length, os.SEEK_CUR)
        out.truncate()
    tracemalloc.start()
    reader = RecordingReader(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(reader.records) == 500
    assert peak < 1 << 20


def test_a_place_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot write a recording at"):
        RecordingWriter(tmp_path / "file" / "a.saccade")


class Full:
    """A file that takes a few bytes at a time, and at some point none."""

    def __init__(self, path: Path, room: int) -> None:
        self.file, self.room, self.closed = path.open("ab", buffering=0), room, False

    def write(self, data: bytes) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= 5
        return self.file.write(data[:5])

    def close(self) -> None:
        self.file.close()
        self.closed = True


def test_a_full_disk_ends_the_recording_and_not_the_program(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a")
    writer.write(("H", {"program": "x"}))
    writer._file = Full(tmp_path / "a", 200)
    writer.write(("C", {"passes": []}))
    writer._file.room = 7
    with pytest.warns(RuntimeWarning, match=r"stops here: No space left.*the program goes on"):
        writer.write(("M", [["f", 0.5, 1]]))
    writer.write(("E", {}))  # of which nothing comes
    found, message = all_of(tmp_path / "a")
    assert found == [("H", {"program": "x"}), ("C", {"passes": []})]
    assert "the end is missing" in message


def test_a_forked_child_writes_nothing(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a")
    child = os.fork()
    if child == 0:
        writer.write(("H", {}))
        os._exit(0)
    os.waitpid(child, 0)
    writer.write(("E", {}))
    assert all_of(tmp_path / "a") == ([("E", {})], "")
