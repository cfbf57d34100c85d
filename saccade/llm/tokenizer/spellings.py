"""How tokens are spelt: the bytes of all of them, as an automaton goes through them (`grammar.py`)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


class Spellings:
    """The bytes of all tokens, the longest first. codes: (longest, tokens) of uint8, and `counts` of them how
    many tokens have a byte there; ids: of the tokens. contents: bytes by id, of those that have any."""

    def __init__(self, contents: Mapping[int, bytes], vocabulary: int) -> None:
        texts = sorted(contents.items(), key=lambda pair: -len(pair[1]))
        self.vocabulary = vocabulary
        self.texts = dict(texts)
        self.ids = np.array([number for number, _ in texts], np.int64)
        sizes = np.array([len(content) for _, content in texts])
        self.codes = np.zeros((int(sizes.max(initial=0)), len(texts)), np.uint8)
        for place, (_, content) in enumerate(texts):
            self.codes[: len(content), place] = np.frombuffer(content, np.uint8)
        self.counts = [int((sizes > place).sum()) for place in range(len(self.codes))]
