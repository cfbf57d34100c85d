"""Tokens that are found in a text before anything else: `<|im_start|>`, `[MASK]`.

AddedTokens([Added("<s>", 1, special=True)]).parts("a<s>b")     # [("a", None), ("<s>", 1), ("b", None)]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .text.normalizers import BLANKS


@dataclass(frozen=True)
class Added:
    """A token by its text and id.

    special: it steers the model, and is left out when ids become text. normalized: it is looked for after the
    text was normalized, not before. strips_left, strips_right: white space beside it belongs to it.
    single_word: it is none inside of a word.
    """

    text: str
    id: int
    special: bool = False
    normalized: bool = False
    strips_left: bool = False
    strips_right: bool = False
    single_word: bool = False


class AddedTokens:
    """Tokens to look for, the leftmost first and of those that begin at one place the longest."""

    def __init__(self, tokens: Iterable[Added]) -> None:
        self.tokens = {token.text: token for token in tokens if token.text}
        longest_first = sorted(self.tokens, key=len, reverse=True)
        self.pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def parts(self, text: str) -> Iterator[tuple[str, int | None]]:
        """The text in parts: tokens with their id, and what lies between with none."""
        at = 0
        for match in self.pattern.finditer(text) if self.tokens else ():
            token = self.tokens[match[0]]
            first, last = match.span()
            if token.single_word and (_in_word(text[first - 1 : first]) or _in_word(text[last : last + 1])):
                continue
            if token.strips_left:
                first = max(at, len(text[:first].rstrip(BLANKS)))
            if token.strips_right:
                last = len(text) - len(text[last:].lstrip(BLANKS))
            if first > at:
                yield text[at:first], None
            yield match[0], token.id
            at = last
        if at < len(text):
            yield text[at:], None


def _in_word(character: str) -> bool:
    """Letters, marks, digits and what joins them."""
    return bool(character) and (
        character.isalpha() or unicodedata.category(character) in ("Mn", "Mc", "Me", "Nd", "Nl", "Pc")
    )
