"""Damage: what accidents and people do to a file, drawn by a seed.

    damaged(Random(7), data, others)     # other bytes, mostly close to the whole file

Bits flip, bytes are lost, added and repeated, files are cut and joined; numbers become those that code
forgets (10^20, -1, NaN); texts get another encoding, lists without end, or the value of another type.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from random import Random

#: Bytes that a damaged file may have: the attack is on what few bytes can do.
MOST = 1 << 20

NUMBERS = [
    b"-1", b"0", b"1", b"2", b"255", b"256", b"65536", b"2147483647", b"-2147483648", b"4294967295",
    b"9223372036854775807", b"18446744073709551616", b"100000000000000000000", b"-100000000000000000000",
    b"1e300", b"-1e300", b"1e999", b"1e-320", b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"0x10", b"1_000",
    b"9" * 400, b"9" * 5000, b"0.1.2", b"1e", b"", b"true", b"999999999", b"1000000",
]  # fmt: skip
VALUES = [
    b"null",
    b"[]",
    b"{}",
    b'""',
    b'"x"',
    b"true",
    b"[null]",
    b'{"a": 1}',
    b"[[[[1]]]]",
    b'"\\ud800"',
    b'"\\u0000"',
]
WORDS = [
    b"\0",
    b"\n",
    b"\r\n",
    b" ",
    b",",
    b"/",
    b"..",
    b"=",
    b"[",
    b"{",
    b"#",
    b'"',
    b"'",
    b"\xff",
    b"\xef\xbb\xbf",
]
DEEP = [b"[", b"{", b'{"a":', b'[{"a":', b"(", b"<a>", b"x = [", b"a.", b"-", b'"', b"\\"]
ENCODINGS = ["utf-16", "utf-32", "utf-16-le", "utf-8-sig", "cp037", "utf-7"]
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_JSON_VALUE = re.compile(rb'(?<=[:\[,] )(?:-?[\d.eE+-]+|"[^"\\]*"|true|false|null)')


def damaged(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The bytes of a file after one to four kinds of damage."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        data = random.choice(DAMAGES)(random, data, others)[:MOST]
    return data


def place(random: Random, data: bytes) -> int:
    """Anywhere, and often in the header."""
    return random.randint(0, min(len(data), 200 if random.random() < 0.4 else len(data)))


def flip(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8)) if data else 0):
        changed[min(place(random, data), len(data) - 1)] ^= 1 << random.randrange(8)
    return bytes(changed)


def replace(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    at = place(random, data)
    return data[:at] + random.randbytes(random.choice((1, 2, 4))) + data[at + 1 :]


def remove(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    at = place(random, data)
    return data[:at] + data[at + random.choice((1, 1, 2, 4, 16, 100)) :]


def insert(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    at = place(random, data)
    return data[:at] + random.choice(WORDS) * random.choice((1, 1, 1, 3, 1000)) + data[at:]


def repeat(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    at, size = place(random, data), random.choice((1, 4, 20, 100))
    return data[:at] + data[at : at + size] * random.choice((2, 3, 50, 5000)) + data[at + size :]


def cut(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    return data[: place(random, data)]


def splice(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = random.choice(others) if others else data
    return data[: place(random, data)] + other[place(random, other) :]


def number(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A number of a text becomes another."""
    return _exchanged(random, data, _NUMBER, NUMBERS)


def value(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A value of a JSON text becomes one of another type."""
    return _exchanged(random, data, _JSON_VALUE, VALUES + NUMBERS)


def _exchanged(random: Random, data: bytes, pattern: re.Pattern[bytes], texts: Sequence[bytes]) -> bytes:
    found = [match.span() for match in pattern.finditer(data)]
    if not found:
        return data
    first, last = random.choice(found)
    return data[:first] + random.choice(texts) + data[last:]


def word(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Some bytes become a number at the edge of its type."""
    kind = random.choice("bhiqfd")
    edges: Sequence[float] = (float("nan"), float("inf"), 1e30, -1.0, 5e-39)
    if kind in "bhiq":
        bits = 8 * struct.calcsize(kind)
        edges = (-1, 0, 1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 2 ** (bits - 2))
    packed = struct.pack(random.choice("<>") + kind, random.choice(edges))
    at = place(random, data)
    return data[:at] + packed + data[at + len(packed) :]


def nest(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Something begins again and again, and may end."""
    at, deep, count = place(random, data), random.choice(DEEP), random.choice((10, 900, 5000, 100_000))
    closed = {b"[": b"]", b"(": b")", b'{"a":': b"}"}.get(deep, b"")
    inside = data[at:] if random.random() < 0.5 else b"1"
    return data[:at] + deep * count + inside + closed * random.choice((0, count)) + data[at:][:1000]


def line(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A line is lost, doubled, moved, or comes from another file."""
    lines = data.split(b"\n")
    foreign = [each for other in others for each in other.split(b"\n")] or [b"x"]
    at = random.randrange(len(lines))
    how = random.randrange(4)
    taken = lines.pop(at)
    if how:
        more = [taken] * random.choice((1, 2, 500)) if how < 3 else [random.choice(foreign)]
        to = random.randint(0, len(lines)) if how == 2 else at
        lines[to:to] = more
    return b"\n".join(lines)


def encode(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    text = data.decode("latin-1")
    if random.random() < 0.3:
        return text.replace("\n", random.choice(("\r", "\r\n", "\x85", "\u2028"))).encode("utf-8")
    return text.encode(random.choice(ENCODINGS), "replace")


Damage = Callable[[Random, bytes, Sequence[bytes]], bytes]
# Numbers most: they decide what is allocated and how long it takes.
DAMAGES: tuple[Damage, ...] = (
    flip, replace, remove, insert, repeat, cut, splice, number, number, number, value, value, word, word,
    nest, line, encode,
)  # fmt: skip
