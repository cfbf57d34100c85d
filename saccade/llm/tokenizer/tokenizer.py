"""Texts to ids and back.

    tokenizer = Tokenizer.from_gguf("model.gguf")           # or from_json("tokenizer.json")
    ids = tokenizer.encode("Hello")
    tokenizer.decode(ids)

A text goes through five steps: added tokens are found in it; the rest is normalized and cut into pieces; a
model (`bpe`, `unigram`, `wordpiece`) gives the ids of each piece; and those that every text has (a token for
its beginning) are put around. All of them are values, made by who reads the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ...files.reading import reading
from .added_tokens import Added, AddedTokens
from .decoding import Stream, TokenBytes, bytes_of_characters
from .parts import Model, TokenizerError
from .text.normalizers import Normalizer
from .text.pretokenizers import Splitter

if TYPE_CHECKING:
    from ..files.gguf import Gguf
    from .spellings import Spellings


@dataclass
class Tokenizer:
    """A vocabulary, and how texts become its tokens.

    tokens: texts by id; ids without a token have "". begin, end: ids around every text. named: ids that a
    file gives a role ("bos", "eos", "pad", ...).
    """

    tokens: Sequence[str]
    model: Model
    normalize: Normalizer
    split: Splitter
    token_bytes: TokenBytes
    added: list[Added] = field(default_factory=list)
    begin: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        raw = [token for token in self.added if not token.normalized]
        self._raw = AddedTokens(raw)
        self._raw_plain = AddedTokens(token for token in raw if not token.special)
        later = [replace(token, text=self.normalize(token.text)) for token in self.added if token.normalized]
        self._normalized = AddedTokens(later)
        self._special = {token.id for token in self.added if token.special}
        self._added = {token.id: token.text for token in (*raw, *later)}

    @staticmethod
    def from_gguf(source: Gguf | os.PathLike[str] | str) -> Tokenizer:
        """The tokenizer of a GGUF file, which may be open already; TokenizerError where it has none, or one
        that is not known here."""
        from ..files.gguf import REMEDY, Gguf
        from .tokenizer_gguf import gguf_parts

        file = source if isinstance(source, Gguf) else Gguf(source)
        with reading(file.path, TokenizerError, REMEDY) as place:
            return Tokenizer(*gguf_parts(file, place))

    @staticmethod
    def from_json(path: os.PathLike[str] | str) -> Tokenizer:
        """The tokenizer of a `tokenizer.json`; TokenizerError for one that is broken or has what is not known
        here."""
        from .tokenizer_json import REMEDY, json_parts

        with reading(path, TokenizerError, REMEDY) as place:
            return Tokenizer(*json_parts(path, place))

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, text: str, *, add_special: bool = True, parse_special: bool = True) -> list[int]:
        """The ids of a text. add_special: with those around every text. parse_special: what reads like a
        special token is one; without, for texts that others wrote, it is only text."""
        if not isinstance(text, str):
            raise TypeError(f"encode takes a str, not {type(text).__name__}")
        try:
            text.encode()
        except UnicodeEncodeError as failure:
            raise TokenizerError(
                f"character {failure.start} of the text is half of a surrogate pair: remove it, for instance "
                "with text.encode('utf-8', 'replace').decode()"
            ) from None
        ids = list(self.begin) if add_special else []
        first = True
        for part, number in (self._raw if parse_special else self._raw_plain).parts(text):
            if number is None:
                self._encode_plain(part, first, ids)
            else:
                ids.append(number)
            first = False
        if add_special:
            ids += self.end
        return ids

    def _encode_plain(self, text: str, first: bool, ids: list[int]) -> None:
        """Add the ids of a text without tokens that are found before it is normalized."""
        encode = self.model.encode
        for part, number in self._normalized.parts(self.normalize(text)):
            if number is None:
                for piece in self.split(part, first):
                    ids.extend(encode(piece))
            else:
                ids.append(number)
            first = False

    def decode(self, ids: Iterable[int], *, skip_special: bool = True) -> str:
        """The text of ids; what is no text in UTF-8 is marked by U+FFFD."""
        stream = self.stream(skip_special=skip_special)
        return "".join([stream.put(number) for number in ids]) + stream.end()

    def stream(self, *, skip_special: bool = True, continues: bool = False) -> Stream:
        """Decode ids that come one by one; `continues`: they follow others, so that a space at the start is
        one."""

        def token_bytes(number: int, first: bool) -> bytes | None:
            return None if skip_special and number in self._special else self.bytes_of(number, first)

        return Stream(token_bytes, first=not continues)

    def bytes_of(self, number: int, first: bool = False) -> bytes:
        """The bytes of a token in a text, at its very start or not."""
        text = self._added.get(number)
        if text is None:
            return self.token_bytes(self.token(number), first)
        # the characters of an added token stand for themselves
        return text.encode() if self.token_bytes is bytes_of_characters else self.token_bytes(text, first)

    @cached_property
    def spellings(self) -> Spellings:
        """The bytes of all tokens but special ones, as `grammar.py` goes through them."""
        from .spellings import Spellings  # few texts keep to a grammar

        known = (n for n, token in enumerate(self.tokens) if token and n not in self._special)
        contents = {number: content for number in known if (content := self.bytes_of(number))}
        return Spellings(contents, len(self))

    def token(self, number: int) -> str:
        """The text of a token, as the vocabulary writes it."""
        if not 0 <= number < len(self.tokens):
            raise TokenizerError(f"id {number} is no token: there are {len(self.tokens)}")
        return self.tokens[number]

    @cached_property
    def _ids(self) -> dict[str, int]:
        known = {text: number for number, text in enumerate(self.tokens) if text}
        return known | {token.text: token.id for token in self.added}

    def id_of(self, token: str) -> int | None:
        """The id of a token, None if it is none."""
        return self._ids.get(token)
