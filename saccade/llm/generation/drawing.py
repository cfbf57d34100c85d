"""Next tokens that a device chooses: what it has to know of each text, and no more.

    drawing = Drawing(model, cache, tokens)
    ids, logits = drawing.step({0: generation}, at)     # texts by their rows, and places of all rows

A device remembers the tokens of a text that has penalties or biases, and is told of all of them only when the
text is new to its row, or went on elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ..model.cache import Cache
from ..model.choice import Memory, Numbers
from ..model.decoder import PLAIN, Decoder
from ..model.llama import Llama
from .text import Generation

Array = np.ndarray[Any, Any]
#: `Numbers` of a row that nothing is asked of: the most probable token, whatever was there.
NOTHING: Final = (0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Drawing:
    """Tokens for the rows of a cache on a device. tokens: so many there are."""

    def __init__(self, model: Llama, cache: Cache, tokens: int) -> None:
        self._decoder, self._rows, self._tokens = Decoder(model, cache, tokens), cache.batch, tokens
        #: the text that each row remembers, and how many of its tokens were made by then
        self._known: dict[int, tuple[Generation, int]] = {}

    def step(self, texts: Mapping[int, Generation], at: Array) -> tuple[list[int], Array | None]:
        """The next token of each row, and logits (rows, tokens) if a text asks for them."""
        ids = np.zeros(self._rows)
        for row, text in texts.items():
            ids[row] = text.ids[-1]
        device = {row: text for row, text in texts.items() if not text.needs_logits}
        plain = all(text.is_plain for text in device.values())
        how = self._chances(device) if plain else self._numbers(device)
        chosen, logits = self._decoder.draw(ids, at, how)
        return chosen.tolist(), logits.numpy() if len(device) < len(texts) else None

    def warm(self) -> None:
        """Compile both programs."""
        nobody = np.zeros(self._rows)
        for numbers in (len(PLAIN), len(Numbers._fields)):
            self._decoder.draw(nobody, nobody, np.zeros((numbers, self._rows)))[0].tolist()

    def _chances(self, texts: Mapping[int, Generation]) -> Array:
        made = np.zeros((len(PLAIN), self._rows))
        for row, text in texts.items():
            made[:, row] = text.chance()
        return made

    def _numbers(self, texts: Mapping[int, Generation]) -> Array:
        made = np.tile(np.array([NOTHING]).T, self._rows)
        for row, text in texts.items():
            made[:, row] = *text.chance(), *text.limits(), self._told(row, text)
        return made

    def _told(self, row: int, text: Generation) -> bool:
        """Have a row know the tokens of a text; is only its last one left to be counted?"""
        before = self._known.pop(row, None)
        if text.remembers:
            self._known[row] = text, text.made
            if before is not None and before[0] is text and before[1] == text.made - 1:
                return True
            self._decoder.remember(row, text.memory())
        elif before is not None:  # its biases would count for this one, too
            self._decoder.remember(row, np.zeros((len(Memory._fields), self._tokens)))
        return False
