"""What a tokenizer is made of, as a file tells it: values, put together by `Tokenizer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .added_tokens import Added
from .decoding import TokenBytes
from .text.normalizers import Normalizer
from .text.pretokenizers import Splitter


class TokenizerError(ValueError):
    """A tokenizer that cannot be read, or a text or id that it has no tokens for; says which and why."""


class Model(Protocol):
    """What gives the ids of a piece."""

    def encode(self, piece: str, /) -> Sequence[int]: ...


class Parts(NamedTuple):
    """The fields of a `Tokenizer`, in its order."""

    tokens: Sequence[str]
    model: Model
    normalize: Normalizer
    split: Splitter
    token_bytes: TokenBytes
    added: list[Added]
    begin: list[int]
    end: list[int]
    named: dict[str, int]
