"""The file of a recording: a line, then records that are whole or not there.

    saccade-recording 2\\n
    kind (1 byte)  length (4, little-endian)  CRC-32 (4)  payload (zlib of JSON) ...

A record is appended by one write. A process that dies leaves at most its last record torn, and everything
before it can be read. A reader keeps the place of every record, not its content, so that a file of any size
takes little memory.

| kind | what its JSON holds |
|---|---|
| H | when, where and by which program the recording was made |
| C | a computation: its passes; the N, P, K and T that follow are its own |
| N | nodes of its graphs, as columns |
| P | the steps of one pass, as columns |
| K | kernels and buffers (`KernelGraph.to_data`) |
| T | the sources of its kernels, and whether each was compiled quickly |
| S | spans of the timeline, as columns |
| M | memory: allocated, freed, used by a run |
| L | what a device reaches at most |
| E | the end: the program ended and nothing is missing |
"""

from __future__ import annotations

import json
import os
import struct
import threading
import warnings
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from saccade.files.reading import parse_json, shown

MAGIC: Final = b"saccade-recording "
VERSION: Final = 2
KINDS: Final = "HCNPKTSMLE"
_HEAD: Final = struct.Struct("<cII")
#: Bytes of a record in the file, and of its JSON for each of them: what is read grows with the file, so that
#: a small one cannot fill the memory. A record that packs better is written unpacked.
MOST_STORED: Final = 1 << 26
MOST_PACKING: Final = 32
#: Records of a file, of which each takes some 100 bytes of a reader.
MOST_RECORDS: Final = 2_000_000
#: Decoded records that a reader keeps.
_KEPT: Final = 12


#: What to do about a recording that cannot be read.
AGAIN: Final = "record the program again"


class RecordingError(ValueError):
    """A file that is no recording, or a recording that cannot be written or read."""


class RecordingWriter:
    """Appends records. Safe from several threads; a forked child writes nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._owner = os.getpid()
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(path, "wb", buffering=0)  # noqa: SIM115 - open as long as the program runs
            self._file.write(MAGIC + str(VERSION).encode() + b"\n")
        except OSError as error:
            raise RecordingError(
                f"cannot write a recording at {path}: {error.strerror or error}; choose another file"
            ) from None

    def write(self, *records: tuple[str, object]) -> None:
        """Append records, one after the other with none of another thread between them."""
        packed = [_packed(kind, value) for kind, value in records]
        if os.getpid() != self._owner:
            return
        with self._lock:
            if self._file.closed:
                return
            try:
                for record in packed:
                    self._append(record)
            except OSError as error:
                self._file.close()
                told = f"the recording {self.path} stops here: {error.strerror or error}; the program goes on"
                warnings.warn(told, RuntimeWarning, stacklevel=2)

    def _append(self, record: bytes) -> None:
        left = memoryview(record)
        while left:  # a file may take less than it is given
            left = left[self._file.write(left) :]

    def close(self) -> None:
        with self._lock:
            self._file.close()


def _packed(kind: str, value: object) -> bytes:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    payload = zlib.compress(text, 1)
    if len(text) > MOST_PACKING * len(payload):
        payload = zlib.compress(text, 0)
    return _HEAD.pack(kind.encode(), len(payload), zlib.crc32(payload)) + payload


@dataclass(frozen=True)
class Record:
    """Where a record is."""

    kind: str
    offset: int
    length: int
    checksum: int


class RecordingReader:
    """The records of a file. `message` tells what a person should know: that the end is missing, or where it
    is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.message = ""
        self._lock = threading.Lock()
        self._cache: OrderedDict[int, Any] = OrderedDict()
        try:
            self._file = open(path, "rb")  # noqa: SIM115 - closed by close()
        except OSError as error:
            raise RecordingError(f"cannot read {path}: {error.strerror or error}") from None
        try:
            self.size = os.fstat(self._file.fileno()).st_size
            self.records = self._index()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        self._file.close()

    def places(self, kind: str) -> list[int]:
        """The numbers of all records of a kind."""
        return [number for number, record in enumerate(self.records) if record.kind == kind]

    def read(self, number: int) -> Any:
        """The JSON value of a record."""
        with self._lock:
            if number in self._cache:
                self._cache.move_to_end(number)
                return self._cache[number]
            value = self._decoded(number)
            self._cache[number] = value
            while len(self._cache) > _KEPT:
                self._cache.popitem(last=False)
            return value

    def text(self, number: int) -> bytes:
        """The JSON of a record as it is, for those who only pass it on."""
        with self._lock:
            return self._unpacked(number)

    def _decoded(self, number: int) -> Any:
        try:
            return parse_json(self._unpacked(number))
        except (ValueError, RecursionError) as error:
            if isinstance(error, RecordingError):
                raise
            raise RecordingError(f"{self._where(number)} is damaged ({error}); {AGAIN}") from None

    def _where(self, number: int) -> str:
        return f"{self.path}: record {number} at byte {self.records[number].offset}"

    def _unpacked(self, number: int) -> bytes:
        record = self.records[number]
        self._file.seek(record.offset)
        payload = self._file.read(record.length)
        where = self._where(number)
        if zlib.crc32(payload) != record.checksum:
            raise RecordingError(f"{where} is damaged; {AGAIN}")
        unpacking = zlib.decompressobj()
        try:
            text = unpacking.decompress(payload, MOST_PACKING * max(len(payload), 1))
        except zlib.error as error:
            raise RecordingError(f"{where} is damaged ({error}); {AGAIN}") from None
        if unpacking.unconsumed_tail:
            raise RecordingError(
                f"{where} holds more than {MOST_PACKING} times its {len(payload):,} bytes; "
                "it is no recording of ours"
            )
        return text

    def _index(self) -> list[Record]:
        line = self._file.readline(len(MAGIC) + 12)
        if not line.startswith(MAGIC):
            raise RecordingError(
                f"{self.path} is no recording: it begins with {shown(line[:16])}; "
                "`saccade viz script.py --out FILE` makes one"
            )
        if line != MAGIC + str(VERSION).encode() + b"\n":
            version = line[len(MAGIC) :].strip().decode("ascii", "replace")
            raise RecordingError(
                f"{self.path} is a recording of version {version or '?'}, and this saccade reads {VERSION}; "
                f"{AGAIN}"
            )
        found: list[Record] = []
        place = len(line)
        while place < self.size:
            self._file.seek(place)
            head = self._file.read(_HEAD.size)
            if len(head) < _HEAD.size:
                self.message = _torn(place)
                return found
            kind, length, checksum = _HEAD.unpack(head)
            if kind not in KINDS.encode() or length > MOST_STORED or len(found) == MOST_RECORDS:
                self.message = f"damaged at byte {place:,} of {self.size:,}: what comes before it is shown"
                return found
            if place + _HEAD.size + length > self.size:
                self.message = _torn(place)
                return found
            found.append(Record(kind.decode(), place + _HEAD.size, length, checksum))
            place += _HEAD.size + length
        if not found or found[-1].kind != "E":
            self.message = "the program has not ended yet, or was killed: what it had recorded is shown"
        return found


def _torn(place: int) -> str:
    return f"the end is missing from byte {place:,} on: what was recorded before it is shown"
