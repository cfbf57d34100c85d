"""Unigram: a piece is cut into those tokens whose scores add up to the most (SentencePiece's other model).

Unigram({"ab": 0, "a": 1, "b": 2}, [-1.0, -2.0, -2.0], unknown=3).encode("ab")      # [0]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from .pieces import PieceModel, without_token

#: A character that is no token scores this less than the worst token.
PENALTY: Final = 10.0
#: Characters of the beginnings of tokens that are kept: all those of a long token would be quadratic.
BEGINNING: Final = 64


@dataclass
class Unigram(PieceModel):
    """Tokens with scores; `fallback`: tokens of bytes for what is no token, empty if there are none."""

    scores: Sequence[float]
    unknown: int | None = None
    fallback: Sequence[int | None] = ()

    def __post_init__(self) -> None:
        self.longest = max(map(len, self.vocabulary), default=1)
        self.least = min(self.scores, default=0.0) - PENALTY
        self.starts = {
            text[:size] for text in self.vocabulary for size in range(1, min(len(text), BEGINNING) + 1)
        }

    def ids_of(self, piece: str) -> list[int]:
        ids: list[int] = []
        for known, texts in groupby(self._best(piece), self._is_known):
            for text in texts if known else ["".join(texts)]:  # several unknown ones in a row are one
                number = self.vocabulary.get(text)
                ids += [number] if number is not None else without_token(text, self.fallback, self.unknown)
        return ids

    def _is_known(self, text: str) -> bool:
        return self.vocabulary.get(text, self.unknown) != self.unknown

    def _best(self, piece: str) -> list[str]:
        """The best cut: for every place the best score of a way to get there and where its last token
        begins. Of equal ones the first to be found counts, which is that with the longest last token."""
        size = len(piece)
        best = [0.0] + [float("-inf")] * size
        begins = [-1] * (size + 1)
        for start in range(size):
            so_far, single = best[start], False
            for end in range(start + 1, min(size, start + self.longest) + 1):
                text = piece[start:end]
                if text[:BEGINNING] not in self.starts:
                    break
                number = self.vocabulary.get(text)
                if number is not None:
                    single = single or end == start + 1
                    score = so_far + self.scores[number]
                    if begins[end] < 0 or score > best[end]:
                        best[end], begins[end] = score, start
            if not single and (begins[start + 1] < 0 or so_far + self.least > best[start + 1]):
                best[start + 1], begins[start + 1] = so_far + self.least, start
        found: list[str] = []
        while size > 0:
            found.append(piece[begins[size] : size])
            size = begins[size]
        return found[::-1]
