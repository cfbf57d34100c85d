"""Vectors of texts by a language model itself: the mean of what its head would multiply, token by token.

    encoder = TextVectors(load("model.gguf"))
    encoder.embed(["a cat", "a kitten"])                # (2, width) of float32, of length 1

An encoder made for it (`model/bert.py`) tells meanings apart better; this one is there where a model is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import numpy as np

from ...tensor.tensor import Tensor
from ..files.load import LanguageModel
from ..generation.slots import MOST_CAPACITY, chunk_width, unit_of
from ..model.cache import Cache

Array = np.ndarray[Any, Any]
#: Runs a function where nothing else uses the model.
Call = Callable[[Callable[[], Array]], "Future[Array]"]


def _at_once(function: Callable[[], Array]) -> Future[Array]:
    made: Future[Array] = Future()
    made.set_result(function())
    return made


class TextVectors:
    """An encoder (`model/embeddings.py`) made of a model that makes texts. longest: tokens of a text; call:
    who runs the model, text by text, so that others come in between (`engine.py`); at once, if nobody
    does."""

    def __init__(self, loaded: LanguageModel, longest: int | None = None, call: Call = _at_once) -> None:
        config = loaded.model.config
        self.loaded, self.name, self._call = loaded, loaded.name, call
        self.width, self.vocabulary = config.width, min(config.vocabulary, len(loaded.tokenizer))
        self.longest = min(config.context, MOST_CAPACITY) if longest is None else longest
        self._cache: Cache | None = None

    def ids(self, text: str) -> list[int]:
        """The tokens of a text. ValueError for one that is too long: its meaning may be at its end."""
        found = self.loaded.tokenizer.encode(text, parse_special=False)
        if not 0 < len(found) <= self.longest:
            raise ValueError(f"a text of {len(found)} tokens: 1 to {self.longest} are due")
        return found

    def embed(self, texts: Sequence[str]) -> Array:
        """(texts, width) of float32."""
        return self.embed_ids([self.ids(text) for text in texts])

    def embed_ids(self, given: Sequence[Sequence[int]]) -> Array:
        """The same for texts as ids."""
        made = np.zeros((len(given), self.width), np.float32)
        for number, ids in enumerate(given):
            made[number] = self._call(partial(self._mean, ids)).result()
        return made

    def _mean(self, ids: Sequence[int]) -> Array:
        """(width,): read in chunks, as prompts are, so that no program is made for a length."""
        model = self.loaded.model
        if self._cache is None:
            self._cache = model.cache(self.longest)
        cache, total, at = self._cache, np.zeros(self.width), 0
        cache.lengths[:] = 0
        while at < len(ids):
            width = chunk_width(len(ids) - at, unit_of(cache.device))
            chunk = list(ids[at : at + width])
            filled = np.array([chunk + [0] * (width - len(chunk))])
            states = model.states(Tensor(filled), cache, np.array([len(chunk)])).numpy()
            total += states[0, : len(chunk)].sum(0, dtype=np.float64)
            at += len(chunk)
        size = np.linalg.norm(total)
        return (total / size if size > 0 else total).astype(np.float32)
