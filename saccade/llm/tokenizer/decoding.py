"""From ids back to text, whole or one id at a time.

    stream = tokenizer.stream()
    for id in ids:
        print(stream.put(id), end="")       # "" while a character is not complete
    print(stream.end())

A token is some bytes, which need not be whole characters: one of three bytes may come in three tokens.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import Final

from .models.bpe import BYTES
from .models.pieces import MARK

#: The bytes of a token, by its text and whether it is the first.
TokenBytes = Callable[[str, bool], bytes]

_BYTE: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_TIDY: Final = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip


def bytes_of_characters(token: str, first: bool) -> bytes:
    """A token of byte-level BPE: each character is a byte. What has others is a text of its own."""
    found = [BYTES.get(char) for char in token]
    return token.encode() if None in found else bytes(code for code in found if code is not None)


def spaces_of_marks(strip: bool, mark: str = MARK) -> TokenBytes:
    """A token of SentencePiece: marks are spaces, `<0x0A>` is a byte; `strip`: no space at the very start."""

    def token_bytes(token: str, first: bool) -> bytes:
        match = _BYTE.fullmatch(token)
        if match:
            return bytes([int(match[1], 16)])
        text = token.replace(mark, " ")
        return (text[1:] if first and strip and text.startswith(" ") else text).encode()

    return token_bytes


def words_of_pieces(inside: str, start: str, tidy: bool) -> TokenBytes:
    """A token of WordPiece: one that does not go on with a word is set apart by a space; `tidy`: full stops
    and the like are not."""

    def token_bytes(token: str, first: bool) -> bytes:
        if inside and token.startswith(inside) and not first:
            text = token[len(inside) :]
        elif start and not token.startswith(start):
            text = token
        else:
            text = token.removeprefix(start) if first else " " + token.removeprefix(start)
        for old, new in _TIDY if tidy else ():
            text = text.replace(old, new)
        return text.encode()

    return token_bytes


class Stream:
    """Ids that come one by one, as text. What was given is never taken back, and no character is cut."""

    def __init__(self, token_bytes: Callable[[int, bool], bytes | None], first: bool = True) -> None:
        self._token_bytes = token_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._first = first

    def put(self, id: int) -> str:
        """What the text goes on with; "" if nothing is sure yet."""
        found = self._token_bytes(id, self._first)
        if found is None:
            return ""
        self._first = False
        return self._decoder.decode(found)

    def end(self) -> str:
        """What is left: a mark for bytes that are no character."""
        self._first = True
        return self._decoder.decode(b"", final=True)
