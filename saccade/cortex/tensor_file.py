"""Named arrays in one file, in the safetensors format: a length, a JSON header, then the bytes of all arrays.

The format is eight bytes (little-endian length of the header), the header (name -> dtype, shape, byte
range), the data. There is nothing in it that could be executed, and every mistake in a file can be named.
Files written here are read by the safetensors library and the other way round.

    >>> write_arrays(path, {"x": np.arange(3, dtype=np.float32)})
    >>> read_arrays(path)["x"].tolist()
    [0.0, 1.0, 2.0]
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.reading import JSON_BYTES, parse_json, read_bytes, reading, shown

Array = npt.NDArray[Any]

#: names of the format and our types; little-endian throughout
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "|b1",
}  # fmt: skip
NAMES = {np.dtype(ours): theirs for theirs, ours in DTYPES.items()}
#: bytes of a file, and axes of an array (NumPy's own limit)
TENSOR_BYTES, MOST_AXES = 1 << 30, 32
AGAIN = "restore it, or learn again"


class FileError(ValueError):
    """A file that cannot be what it should be; says which and why."""


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write all arrays; the caller sees to it that the file appears whole."""
    header: dict[str, Any] = {}
    chunks, offset = [], 0
    for name, value in arrays.items():
        array = np.ascontiguousarray(value)
        if array.dtype not in NAMES:
            raise FileError(f"cannot store array {name!r} of type {array.dtype}")
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        header[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(np.shape(value)),
            "data_offsets": [offset, offset + len(data)],
        }
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header).encode()
    # the data begins at a multiple of 8, so that it can be mapped
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for data in chunks:
            file.write(data)


def read_arrays(path: Path) -> dict[str, Array]:
    """Read all arrays; FileError says what is wrong with a file that is not of this format or was cut."""
    with reading(path, FileError, AGAIN):
        return parse_arrays(read_bytes(path, TENSOR_BYTES), path)


def parse_arrays(content: bytes, path: Path) -> dict[str, Array]:
    """The arrays of a file's content. They lie side by side: each byte of the data is of one of them."""
    with reading(path, FileError, AGAIN) as place:
        if len(content) < 8:
            raise ValueError(f"it is no tensor file: it has only {len(content)} bytes")
        size = int.from_bytes(content[:8], "little")
        if size > min(JSON_BYTES, len(content) - 8):
            raise ValueError(f"it is no tensor file, or was cut: its header would have {size} bytes")
        place.where = "its header"
        header = parse_json(content[8 : 8 + size])
        entries = [Entry.of(name, entry) for name, entry in header.items() if name != "__metadata__"]
        at = 0
        for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
            place.where = f"array {shown(entry.name)}"
            if entry.begin != at:
                raise ValueError(f"it begins at byte {entry.begin} of the data, where {at} is due")
            at = entry.end
        place.where = ""
        if 8 + size + at != len(content):
            raise ValueError(
                f"it was cut: its arrays end at byte {8 + size + at}, the file at {len(content)}"
            )
        return {entry.name: entry.taken(content, 8 + size) for entry in entries}


@dataclass(frozen=True)
class Entry:
    """What a header says of an array: its type, its shape and its bytes."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int

    @staticmethod
    def of(name: str, entry: Mapping[str, Any]) -> Entry:
        kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        if kind not in DTYPES:
            raise ValueError(f"array {shown(name)} has type {shown(kind)}, which is not known here")
        for numbers, most in ((shape, MOST_AXES), (offsets, 2)):
            # before they are multiplied: a product of many long numbers alone takes hours
            if len(numbers) > most or not all(type(n) is int and 0 <= n <= TENSOR_BYTES for n in numbers):
                raise ValueError(f"array {shown(name)} has shape {shown(shape)} and bytes {shown(offsets)}")
        begin, end = offsets
        dtype = np.dtype(DTYPES[kind])
        if end - begin != math.prod(shape) * dtype.itemsize:
            raise ValueError(
                f"array {shown(name)} of shape {shown(shape)} does not fit its {end - begin} bytes"
            )
        return Entry(name, dtype, tuple(shape), begin, end)

    def taken(self, content: bytes, base: int) -> Array:
        flat = np.frombuffer(content, self.dtype, math.prod(self.shape), base + self.begin)
        return flat.reshape(self.shape).copy()
