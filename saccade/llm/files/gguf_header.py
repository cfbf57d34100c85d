"""The header of a GGUF file: metadata by key, then what tensors there are and where.

    header = parse_header(data, place)
    header.metadata["general.architecture"], header.tensors["token_embd.weight"].shape

The layout, all little endian: the magic `GGUF`, the version, two counts, pairs of key and value, descriptions
of tensors, zeros up to a multiple of `general.alignment`, and the data. A text is its length and its bytes;
an array is the type of its items, their count, and the items. Every count and length is held against the
bytes that are left before anything is made of it.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...files.reading import Place, TooLarge, shown
from ..weights.quants import FORMATS, NAMES
from .texts import Array, Texts

MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)
ALIGNMENT: Final = "general.alignment"
DEFAULT_ALIGNMENT: Final = 32
#: Axes of a tensor, arrays in arrays, and the bytes of a key: what the format's own library takes.
MOST_AXES: Final = 4
MOST_DEPTH: Final = 4
MOST_KEY: Final = 1 << 16
#: Keys, tensors, and items of metadata that become Python objects, all together.
MOST_ITEMS: Final = 10_000_000
#: Bytes that begin a pair (a length, a type) and a tensor (a length, axes, a type, an offset) at least.
PAIR_BYTES: Final = 8 + 4 + 1
TENSOR_BYTES: Final = 8 + 4 + 4 + 8

#: Bytes in which short texts are looked for at once, and texts that are read one by one where few were found.
WINDOW: Final = 1 << 20
FEW_TEXTS: Final = 16
WINDOW_TEXTS: Final = 1 << 12

#: Types of values: numbers by what `struct` calls them, the others by name.
NUMBERS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 10: "Q", 11: "q", 12: "d"}
BOOL: Final = 7
TEXT: Final = 8
ARRAY: Final = 9

#: A number, a text, an array of numbers, texts, or a list of arrays.
Value = bool | int | float | str | Array | Texts | list[Any]


@dataclass(frozen=True)
class Info:
    """What a header says of a tensor. `shape`: in the order of NumPy, the last axis lies side by side.
    `kind`: the number of its format, which may be none that is known here. `begin`: counted from the start of
    the file; `size`: bytes, None where the format is not known."""

    name: str
    shape: tuple[int, ...]
    kind: int
    begin: int
    size: int | None

    @property
    def format(self) -> str:
        return NAMES.get(self.kind, f"number {self.kind}")


@dataclass(frozen=True)
class Header:
    """The header of a file, with its tensors by name."""

    version: int
    alignment: int
    metadata: dict[str, Value]
    tensors: dict[str, Info]


def parse_header(data: memoryview, place: Place) -> Header:
    """What the header of these bytes says; ValueError and its like where it is broken."""
    cursor = Cursor(data)
    if bytes(data[:4]) != MAGIC:
        raise ValueError(f"it is no GGUF file: it begins with {bytes(data[:4])!r}")
    cursor.at = 4
    version = cursor.number("I")
    if version not in VERSIONS:
        swapped = int.from_bytes(struct.pack("<I", version), "big") in VERSIONS
        raise ValueError("it is big endian, and little is read" if swapped else f"it has version {version}")
    tensors = cursor.count("tensors", "Q", TENSOR_BYTES)
    pairs = cursor.count("pairs of metadata", "Q", PAIR_BYTES)
    metadata = _metadata(cursor, pairs, place)
    alignment = metadata.get(ALIGNMENT, DEFAULT_ALIGNMENT)
    if type(alignment) is not int or not 1 <= alignment <= 1 << 30 or alignment & (alignment - 1):
        raise ValueError(f"{ALIGNMENT} is {shown(alignment)}, and a power of two is due")
    return Header(version, alignment, metadata, _tensors(cursor, tensors, alignment, place))


def _metadata(cursor: Cursor, count: int, place: Place) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for number in range(count):
        place.where = f"metadata {number}"
        key = cursor.text(MOST_KEY)
        place.where = f"metadata {shown(key)}"
        if key in found:
            raise ValueError("there are two of that name")
        found[key] = cursor.value(cursor.number("I"))
    place.where = ""
    return found


def _tensors(cursor: Cursor, count: int, alignment: int, place: Place) -> dict[str, Info]:
    """The tensors by name, none of which lies outside of the file or in another."""
    found: dict[str, Info] = {}
    for number in range(count):
        place.where = f"tensor {number}"
        name = cursor.text(MOST_KEY)
        place.where = f"tensor {shown(name)}"
        if name in found:
            raise ValueError("there are two of that name")
        axes = cursor.number("I")
        if axes > MOST_AXES:
            raise ValueError(f"it has {axes} axes, and at most {MOST_AXES} are read")
        shape = tuple(reversed([cursor.number("Q") for _ in range(axes)]))
        kind, offset = cursor.number("I"), cursor.number("Q")
        if offset % alignment:
            raise ValueError(f"it begins at byte {offset} of the data, which is no multiple of {alignment}")
        found[name] = Info(name, shape, kind, offset, _size(shape, kind))
    base = cursor.at + -cursor.at % alignment
    at = 0
    for info in sorted(found.values(), key=lambda info: (info.begin, info.size or 0)):
        place.where = f"tensor {shown(info.name)}"
        if info.begin < at:
            raise ValueError(f"it begins at byte {info.begin} of the data, where another one ends at {at}")
        at = info.begin + (info.size or 0)
        if base + at > cursor.size and (info.size is None or info.size):
            raise ValueError(f"it ends at byte {base + at}, and the file at {cursor.size}: it was cut")
    place.where = ""
    return {name: Info(name, i.shape, i.kind, base + i.begin, i.size) for name, i in found.items()}


def _size(shape: tuple[int, ...], kind: int) -> int | None:
    """The bytes of a tensor, None if its format is not known."""
    if kind not in FORMATS:
        return None
    block, row = FORMATS[kind], shape[-1] if shape else 1
    if row % block.items:
        raise ValueError(f"its rows of {row} are no blocks of {block.items}, as {block.name} has them")
    return math.prod(shape) // block.items * block.bytes


def short_texts(data: memoryview, at: int, count: int) -> tuple[bytes, Array]:
    """Texts from a byte on, at most so many: their bytes, one behind the other, and how many each has; as
    many as are easily seen to be whole. None is, where one of 256 bytes comes, or one that is no UTF-8.

    The length of a short text is a byte and seven zeros, which is found everywhere at once. It is one if each
    length leads to the next.
    """
    window = np.frombuffer(data[at : at + WINDOW], np.uint8)
    none = b"", np.empty(0, np.int64)
    if len(window) < 8:
        return none
    lengths = np.ndarray((len(window) - 7,), "<u8", window, strides=(1,))
    begins = np.flatnonzero(lengths < 256)[: count + 1]
    sizes = lengths[begins].astype(np.int64)
    ends = begins + 8 + sizes
    leads = begins[1:] == ends[:-1]
    several = len(leads) if leads.all() else int(leads.argmin())
    if several == 0 or begins[0] != 0:
        return none
    kept = np.ones(int(ends[several - 1]), bool)
    np.ndarray((len(kept) - 7,), "<u8", kept, strides=(1,))[begins[:several]] = 0  # eight at a time
    # a text begins where a character does: together they are UTF-8 if each of them is
    starts = window[begins[:several][sizes[:several] > 0] + 8]
    content = window[: len(kept)][kept].tobytes()
    try:
        content.decode()
    except UnicodeDecodeError:  # who reads them one by one says which
        return none
    return none if ((starts & 0xC0) == 0x80).any() else (content, sizes[:several])


class Cursor:
    """A place in bytes, from which values are taken."""

    def __init__(self, data: memoryview) -> None:
        self.data, self.size, self.at = data, len(data), 0
        self.items = 0

    def take(self, size: int) -> int:
        """Where the next bytes begin, of which there are enough."""
        begin = self.at
        if size > self.size - begin:
            raise ValueError(f"it was cut: {size} bytes are due at byte {begin} of {self.size}")
        self.at = begin + size
        return begin

    def number(self, kind: str) -> Any:
        return struct.unpack_from("<" + kind, self.data, self.take(struct.calcsize("<" + kind)))[0]

    def count(self, what: str, kind: str, least: int) -> int:
        """A number of things of at least so many bytes each, which are there."""
        found: int = self.number(kind)
        if found * least > self.size - self.at:
            raise ValueError(f"{found} {what} do not fit into the {self.size - self.at} bytes that are left")
        self.items += found
        if self.items > MOST_ITEMS:
            raise TooLarge(f"it has more than {MOST_ITEMS:,} items of metadata")
        return found

    def text(self, most: int | None = None) -> str:
        size = self.number("Q")
        if most is not None and size > most:
            raise ValueError(f"a name has {size} bytes, and at most {most} are read")
        begin = self.take(size)
        return str(self.data[begin : begin + size], "utf-8")

    def texts(self, count: int) -> Texts:
        """As `text`, without a call for each: a vocabulary and its merges are 100,000 of them."""
        contents: list[bytes] = []
        sizes: list[Array] = [np.empty(0, np.int64)]
        while count:
            content, many = short_texts(self.data, self.at, count)
            self.at += len(content) + 8 * len(many)
            if len(many) < FEW_TEXTS:  # long ones, or broken ones: looking ahead for them does not pay
                single = [self.text().encode() for _ in range(min(WINDOW_TEXTS, count - len(many)))]
                content += b"".join(single)
                many = np.append(many, [len(each) for each in single]).astype(np.int64)
            contents.append(content)
            sizes.append(many)
            count -= len(many)
        return Texts(b"".join(contents), np.concatenate(sizes))

    def value(self, kind: int, depth: int = 0) -> Value:
        """A value of a type, by its number."""
        if kind in NUMBERS:
            found: Value = self.number(NUMBERS[kind])
            return found
        if kind == BOOL:
            return self.truth(self.number("B"))
        if kind == TEXT:
            return self.text()
        if kind == ARRAY:
            return self.array(depth)
        raise ValueError(f"it has type {kind}, which is not known")

    def truth(self, byte: int) -> bool:
        if byte > 1:
            raise ValueError(f"a bool is 0 or 1, and not {byte}")
        return bool(byte)

    def array(self, depth: int) -> Value:
        """Numbers as an array, other items as a list."""
        if depth == MOST_DEPTH:
            raise ValueError(f"arrays are nested more than {MOST_DEPTH} deep")
        kind = self.number("I")
        if kind in NUMBERS or kind == BOOL:
            dtype = np.dtype("<" + NUMBERS.get(kind, "B"))
            length = self.number("Q")
            begin = self.take(length * dtype.itemsize)
            array = np.frombuffer(self.data, dtype, length, begin).copy() if length else np.empty(0, dtype)
            if kind == BOOL:
                self.truth(int(array.max(initial=0)))
                return array.astype(bool)
            return array
        if kind == TEXT:
            return self.texts(self.count("texts", "Q", 8))
        return [self.value(kind, depth + 1) for _ in range(self.count("arrays", "Q", 12))]
