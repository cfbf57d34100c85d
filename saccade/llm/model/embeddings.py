"""Requests to /v1/embeddings: what to embed is read and checked, and the answer put together.

told = read_embeddings(body, encoder)       # ids of each text, and how vectors are to be written
reply(told, vectors, encoder.name)
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from ...files.reading import shown
from ..serving.openai_api import BadRequest

#: Texts of one request.
MOST_TEXTS: Final = 2048
_KNOWN: Final = frozenset(["input", "model", "encoding_format", "dimensions", "user"])


class TextEncoder(Protocol):
    """What makes vectors of texts. width: of a vector; vocabulary: ids are below it; longest: of a text, in
    tokens."""

    @property
    def name(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def vocabulary(self) -> int: ...
    @property
    def longest(self) -> int: ...

    def ids(self, text: str) -> list[int]:
        """The tokens of a text; ValueError for one that is not taken."""
        ...

    def embed_ids(self, given: Sequence[Sequence[int]]) -> np.ndarray:
        """(texts, width) of float32."""
        ...


@dataclass(frozen=True)
class Wanted:
    """A request that was read. ids: of each text; packed: vectors as base64 of float32."""

    ids: list[list[int]]
    packed: bool


def read_embeddings(body: Any, encoder: TextEncoder) -> Wanted:
    """BadRequest for what is wrong, by name."""
    if not isinstance(body, dict):
        raise BadRequest(f"the body is {shown(body)}, and an object is due")
    for name in body:
        if name not in _KNOWN:
            raise BadRequest(f"the parameter {shown(name)} is not known here", name)
    form = body.get("encoding_format") or "float"
    if form not in ("float", "base64"):
        raise BadRequest(f"encoding_format is {shown(form)}: use float or base64", "encoding_format")
    if body.get("dimensions") not in (None, encoder.width):
        told = f"dimensions is {shown(body['dimensions'])}, and vectors have {encoder.width}"
        raise BadRequest(told, "dimensions")
    given: Any = body.get("input")
    plain = isinstance(given, str) or (_is_list(given) and type(given[0]) is int)
    texts = [given] if plain else given
    if not _is_list(texts) or len(texts) > MOST_TEXTS:
        raise BadRequest(f"input is a text or up to {MOST_TEXTS} of them, as strings or ids", "input")
    return Wanted([_ids(each, encoder) for each in texts], form == "base64")


def _is_list(given: Any) -> bool:
    return isinstance(given, list) and len(given) > 0


def _ids(text: Any, encoder: TextEncoder) -> list[int]:
    if isinstance(text, str):
        if not text:
            raise BadRequest("a text of the input is empty", "input")
        try:
            return encoder.ids(text)
        except ValueError as error:
            raise BadRequest(str(error), "input") from None
    vocabulary, longest = encoder.vocabulary, encoder.longest
    if not _is_list(text) or not all(type(id) is int and 0 <= id < vocabulary for id in text):
        told = f"a text of the input is {shown(text)}, and a string or ids below {vocabulary} are due"
        raise BadRequest(told, "input")
    if len(text) > longest:
        raise BadRequest(f"a text of the input has {len(text)} tokens, and {longest} is the most", "input")
    return list(text)


def reply(wanted: Wanted, vectors: np.ndarray, name: str) -> dict[str, Any]:
    """What a client gets."""
    data = [
        {
            "object": "embedding",
            "index": number,
            "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode()
            if wanted.packed
            else row.tolist(),
        }
        for number, row in enumerate(vectors)
    ]
    tokens = sum(map(len, wanted.ids))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": name, "usage": usage}
