"""The header of a safetensors file: eight bytes of length, JSON (name -> dtype, shape, bytes), then the data.

    entries = parse_header(text, size)      # where each array is; ValueError and its like if it is none

There is nothing in such a file that could be executed, and every mistake in one can be named. Tensors of
models (`nn.state`) and of object models (`cortex.models.tensor_file`) are kept so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from saccade.files.reading import JSON_BYTES, Place, parse_json, shown

#: bytes of an element, by the names of the format
WIDTHS: Final = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "I64": 8, "I32": 4, "I16": 2,
    "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1,
}  # fmt: skip
#: axes of an array (NumPy's own limit)
MOST_AXES: Final = 32
METADATA: Final = "__metadata__"


@dataclass(frozen=True)
class Entry:
    """What a header says of an array: its type, its shape and its bytes."""

    name: str
    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @staticmethod
    def of(name: str, entry: Mapping[str, Any], most: int) -> Entry:
        kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        if kind not in WIDTHS:
            raise ValueError(f"array {shown(name)} has type {shown(kind)}, which is not known here")
        for numbers, axes in ((shape, MOST_AXES), (offsets, 2)):
            # before they are multiplied: a product of many long numbers alone takes hours
            if len(numbers) > axes or not all(type(n) is int and 0 <= n <= most for n in numbers):
                raise ValueError(f"array {shown(name)} has shape {shown(shape)} and bytes {shown(offsets)}")
        begin, end = offsets
        if end - begin != math.prod(shape) * WIDTHS[kind]:
            raise ValueError(
                f"array {shown(name)} of shape {shown(shape)} does not fit its {end - begin} bytes"
            )
        return Entry(name, kind, tuple(shape), begin, end)


def header_size(start: bytes, size: int) -> int:
    """The length of the header of a file of that size that begins like this."""
    if len(start) < 8:
        raise ValueError(f"it is no tensor file: it has only {len(start)} bytes")
    found = int.from_bytes(start[:8], "little")
    if found > min(JSON_BYTES, size - 8):
        raise ValueError(f"it is no tensor file, or was cut: its header would have {found} bytes")
    return found


def parse_header(text: bytes, size: int, place: Place | None = None) -> tuple[list[Entry], dict[str, str]]:
    """Where the arrays of a file of that size are, and its metadata. They lie side by side: each byte of the
    data is of one of them."""
    place = place or Place()
    place.where = "its header"
    header = parse_json(text)
    entries = [Entry.of(name, entry, size) for name, entry in header.items() if name != METADATA]
    metadata = header.get(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError(f"its metadata is {shown(metadata)}, and texts by name are due")
    at = 0
    for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
        place.where = f"array {shown(entry.name)}"
        if entry.begin != at:
            raise ValueError(f"it begins at byte {entry.begin} of the data, where {at} is due")
        at = entry.end
    place.where = ""
    if 8 + len(text) + at != size:
        what = "it was cut" if 8 + len(text) + at > size else "something was added"
        raise ValueError(f"{what}: its arrays end at byte {8 + len(text) + at}, the file at {size}")
    return entries, metadata


def make_header(
    arrays: Iterable[tuple[str, str, tuple[int, ...]]], metadata: Mapping[str, str] | None = None
) -> bytes:
    """The beginning of a file with these arrays (name, kind, shape), whose data follow in this order."""
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    offset = 0
    for name, kind, shape in arrays:
        end = offset + math.prod(shape) * WIDTHS[kind]
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    # the data begins at a multiple of 8, so that it can be mapped
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text
