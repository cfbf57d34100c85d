"""Small whole GGUF files, made in memory: every type of value, every format of tensors, every kind of
tokenizer.

    gguf_bytes([("general.name", "text", "x")], [("w", (2, 32), 8, bytes(68))])
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...llm.files.gguf_header import ARRAY, BOOL, MAGIC, NUMBERS, TEXT
from ...llm.weights.quants import FORMATS

#: Types of values by name: those of numbers as `struct` calls them, and `[f` for an array of them.
KINDS = {letter: kind for kind, letter in NUMBERS.items()} | {"bool": BOOL, "text": TEXT}

#: A pair of metadata: key, type, value. A tensor: name, shape, number of its format, bytes.
Pair = tuple[str, str, Any]
Described = tuple[str, tuple[int, ...], int, bytes]


def gguf_bytes(
    pairs: Sequence[Pair], tensors: Sequence[Described] = (), alignment: int = 32, version: int = 3
) -> bytes:
    """A whole file."""
    made = MAGIC + struct.pack("<IQQ", version, len(tensors), len(pairs))
    for key, kind, value in pairs:
        made += _text(key) + _typed(kind, value)
    data = b""
    for name, shape, form, content in tensors:
        data += bytes(-len(data) % alignment)
        made += _text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        made += struct.pack("<IQ", form, len(data))
        data += content
    return made + bytes(-len(made) % alignment) + data


def _text(value: str) -> bytes:
    content = value.encode()
    return struct.pack("<Q", len(content)) + content


def _typed(kind: str, value: Any) -> bytes:
    """The number of a type, and the value."""
    if kind.startswith("["):
        items = b"".join(_typed(kind[1:], item)[4:] for item in value)
        return struct.pack("<IIQ", ARRAY, KINDS.get(kind[1:], ARRAY), len(value)) + items
    number = struct.pack("<I", KINDS[kind])
    if kind == "text":
        return number + _text(value)
    return number + struct.pack("<" + ("B" if kind == "bool" else kind), value)


def every_value() -> list[Pair]:
    """Metadata of every type."""
    numbers: list[Pair] = [(f"number.{kind}", kind, 1.5 if kind in "fd" else 3) for kind in NUMBERS.values()]
    arrays: list[Pair] = [(f"array.{kind}", "[" + kind, [1, 2, 100]) for kind in NUMBERS.values()]
    return [
        *numbers,
        *arrays,
        ("truth", "bool", True),
        ("truths", "[bool", [True, False]),
        ("name", "text", "Zoë"),
        ("names", "[text", ["a", "", "日本"]),
        ("nested", "[[i", [[1, 2], [], [3]]),
    ]


def gguf_files() -> list[dict[str, bytes]]:
    """Files with metadata of all types, and with tensors of all formats."""
    random = np.random.default_rng(0)
    tensors: list[Described] = [
        (f"w.{form.name}", (2, 2 * form.items), kind, random.bytes(4 * form.bytes))
        for kind, form in FORMATS.items()
    ]
    aligned = gguf_bytes([("general.alignment", "I", 8), ("x", "q", -1)], tensors[:3], 8, 2)
    found = [gguf_bytes(every_value()), gguf_bytes([("x", "text", "y")], tensors), aligned]
    return [{"a.gguf": content} for content in found]
