"""SentencePiece's table of normal forms: a trie of byte strings, each with the text that it becomes.

    CharsMap(data).normalized("ﬁ")          # "fi"

The table is four bytes of length, a double array, and texts that end with a zero. A unit of the array says
where the children of its node are (`offset`), which byte leads to it (`label`), and whether it ends a string;
where a text begins is the value of the leaf then. At each place of a text the longest string counts.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

#: Characters of a string of the table: the longest of SentencePiece's own has 18.
MOST_CHARACTERS: Final = 64
NEVER, BEFORE, ALWAYS = range(3)
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
        self.known: dict[str, int] = {}

    def normalized(self, text: str) -> str:
        """The text with every string that the table has replaced."""
        kinds = {char: self.kind(char) for char in set(text)}
        always, before_others = (
            "".join(c for c, kind in kinds.items() if kind == k) for k in (ALWAYS, BEFORE)
        )
        sets = [f"[{re.escape(always)}]"] * bool(always)
        sets += [f"[{re.escape(before_others)}](?=[^\x00-\x7f])"] * bool(before_others)
        made, at = [], 0
        for match in re.finditer("|".join(sets), text) if sets else ():
            begin = match.start()
            if begin >= at:
                size, replacement = self.longest(text[begin : begin + MOST_CHARACTERS].encode())
                if size:
                    made += [text[at:begin], replacement.decode("utf-8", "replace")]
                    at = begin + size
        return "".join([*made, text[at:]])

    def kind(self, char: str) -> int:
        """Whether a string of the table may begin at a character: never, before what is no ASCII, always."""
        found = self.known.get(char)
        if found is None:
            found = NEVER
            if self.walked(char.encode()):
                plain = any(self.walked((char + chr(code)).encode()) for code in range(1, 128))
                found = ALWAYS if plain or self.longest(char.encode())[0] else BEFORE
            self.known[char] = found
        return found

    def walked(self, data: bytes) -> int:
        """The node that some bytes lead to, 0 if there is none."""
        node = _offset(self.units[0])
        for byte in data:
            node ^= byte
            if node >= len(self.units) or self.units[node] & _LABEL != byte:
                return 0
            node ^= _offset(self.units[node])
        return node

    def longest(self, data: bytes) -> tuple[int, bytes]:
        """How many characters the longest string of the table has that these bytes begin with, and what they
        become; 0 if there is none."""
        units, size, found = self.units, 0, b""
        node = _offset(units[0])
        for depth, byte in enumerate(data):
            node ^= byte
            if node >= len(units) or units[node] & _LABEL != byte:
                break
            unit = units[node]
            node ^= _offset(unit)
            if unit & _LEAF and node < len(units):
                begin = units[node] & _VALUE
                end = self.texts.find(b"\0", begin)
                if end >= 0:
                    size, found = depth + 1, self.texts[begin:end]
        # a damaged table may end within a character
        return len(data[:size].decode("utf-8", "ignore")), found
