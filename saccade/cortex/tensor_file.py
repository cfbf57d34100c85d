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
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: names of the format and our types; little-endian throughout
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "|b1",
}  # fmt: skip
NAMES = {np.dtype(ours): theirs for theirs, ours in DTYPES.items()}
#: a header longer than this is refused, as other readers of the format do
MAX_HEADER = 100_000_000


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
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    if len(content) < 8:
        raise FileError(f"{path} is no tensor file: it has only {len(content)} bytes")
    size = int.from_bytes(content[:8], "little")
    if size > min(MAX_HEADER, len(content) - 8):
        raise FileError(f"{path} is no tensor file, or was cut: its header would have {size} bytes")
    try:
        header = json.loads(content[8 : 8 + size])
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        return {name: _array(entry, content, 8 + size, name, path) for name, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path} is no tensor file: its header cannot be read ({error})") from None


def _array(entry: Mapping[str, Any], content: bytes, base: int, name: str, path: Path) -> Array:
    if entry["dtype"] not in DTYPES:
        raise FileError(f"{path}: array {name!r} has type {entry['dtype']}, which is not known here")
    dtype = np.dtype(DTYPES[entry["dtype"]])
    shape = tuple(int(n) for n in entry["shape"])
    begin, end = (int(n) for n in entry["data_offsets"])
    if min(shape, default=0) < 0 or end - begin != math.prod(shape) * dtype.itemsize or begin < 0:
        raise FileError(f"{path}: array {name!r} of shape {shape} does not fit its {end - begin} bytes")
    if base + end > len(content):
        raise FileError(
            f"{path} was cut: array {name!r} ends at byte {base + end}, the file at {len(content)}"
        )
    return np.frombuffer(content, dtype, math.prod(shape), base + begin).reshape(shape).copy()
