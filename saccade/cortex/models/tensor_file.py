"""Named arrays in one file, in the safetensors format: a length, a JSON header, then the bytes of all arrays.

The format is eight bytes (little-endian length of the header), the header (name -> dtype, shape, byte
range), the data. There is nothing in it that could be executed, and every mistake in a file can be named.
Files written here are read by the safetensors library and the other way round.

    >>> write_arrays(path, {"x": np.arange(3, dtype=np.float32)})
    >>> read_arrays(path)["x"].tolist()
    [0.0, 1.0, 2.0]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.files.reading import read_bytes, reading, shown
from saccade.files.safetensors import Entry, header_size, make_header, parse_header

Array = npt.NDArray[Any]

#: names of the format and our types; little-endian throughout
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "|b1",
}  # fmt: skip
NAMES = {np.dtype(ours): theirs for theirs, ours in DTYPES.items()}
#: bytes of a file
TENSOR_BYTES = 1 << 30
AGAIN = "restore it, or learn again"


class FileError(ValueError):
    """A file that cannot be what it should be; says which and why."""


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write all arrays; the caller sees to it that the file appears whole."""
    kinds, chunks = [], []
    for name, value in arrays.items():
        array = np.ascontiguousarray(value)
        if array.dtype not in NAMES:
            raise FileError(f"cannot store array {name!r} of type {array.dtype}")
        kinds.append((name, NAMES[array.dtype], np.shape(value)))
        chunks.append(array.astype(array.dtype.newbyteorder("<")).tobytes())
    with open(path, "wb") as file:
        file.write(make_header(kinds))
        for data in chunks:
            file.write(data)


def read_arrays(path: Path) -> dict[str, Array]:
    """Read all arrays; FileError says what is wrong with a file that is not of this format or was cut."""
    with reading(path, FileError, AGAIN):
        return parse_arrays(read_bytes(path, TENSOR_BYTES), path)


def parse_arrays(content: bytes, path: Path) -> dict[str, Array]:
    """The arrays of a file's content."""
    with reading(path, FileError, AGAIN) as place:
        base = 8 + header_size(content, len(content))
        entries, _ = parse_header(content[8:base], len(content), place)
        return {entry.name: _taken(entry, content, base) for entry in entries}


def _taken(entry: Entry, content: bytes, base: int) -> Array:
    if entry.kind not in DTYPES:
        raise ValueError(f"array {shown(entry.name)} has type {entry.kind}, which is not known here")
    flat = np.frombuffer(content, DTYPES[entry.kind], math.prod(entry.shape), base + entry.begin)
    return flat.reshape(entry.shape).copy()
