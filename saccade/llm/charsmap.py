"""SentencePiece's table of normal forms: a trie of byte strings, each with the text that it becomes.

    CharsMap(data).normalized("ﬁ")          # "fi"

The table is four bytes of length, a double array, and texts that end with a zero. A unit of the array says
where the children of its node are (`offset`), which byte leads to it (`label`), and whether it ends a string;
where a text begins is the value of the leaf then. At each place of a text the longest string counts.
"""

from __future__ import annotations

import numpy as np

_LEAF = 1 << 8
_LABEL = (1 << 31) | 0xFF
_VALUE = (1 << 31) - 1


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & (1 << 9)) >> 6)


class CharsMap:
    """A table, by its bytes."""

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:4], "little")
        if len(data) < 4 or size > len(data) - 4 or size % 4 or size == 0:
            raise ValueError(f"a table of characters with a trie of {size} bytes in {len(data)}")
        self.units = np.frombuffer(data, "<u4", size // 4, 4).tolist()
        self.texts = data[4 + size :]

    def normalized(self, text: str) -> str:
        """The text with every string that the table has replaced."""
        data = text.encode()
        made, at = bytearray(), 0
        while at < len(data):
            size, replacement = self.longest(data, at)
            if size == 0:
                size = _width(data[at])
                replacement = data[at : at + size]
            made += replacement
            at += size
        return made.decode("utf-8", "replace")

    def longest(self, data: bytes, at: int) -> tuple[int, bytes]:
        """How many bytes from here the longest string of the table has, and what they become."""
        units, size, found = self.units, 0, b""
        node = _offset(units[0])
        for depth in range(at, len(data)):
            node ^= data[depth]
            if node >= len(units) or units[node] & _LABEL != data[depth]:
                break
            unit = units[node]
            node ^= _offset(unit)
            if unit & _LEAF and node < len(units):
                begin = units[node] & _VALUE
                end = self.texts.find(b"\0", begin)
                if end >= 0:
                    size, found = depth + 1 - at, self.texts[begin:end]
        return size, found


def _width(first: int) -> int:
    """Bytes of a character, by its first."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
