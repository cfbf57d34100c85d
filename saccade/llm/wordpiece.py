"""WordPiece: a word is cut from its left into the longest tokens that fit (BERT).

WordPiece({"un": 0, "##able": 1}, unknown=2).encode("unable")       # [0, 1]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .bpe import MOST_KEPT


@dataclass
class WordPiece:
    """Tokens; `start` begins those of the beginning of a word, `inside` the others. A word that cannot be cut
    up, or has more than `longest` characters, is the unknown token."""

    vocabulary: Mapping[str, int]
    unknown: int
    inside: str = "##"
    start: str = ""
    longest: int = 100
    kept: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)

    def encode(self, piece: str) -> Sequence[int]:
        found = self.kept.get(piece)
        if found is None:
            found = tuple(self._ids(piece))
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            self.kept[piece] = found
        return found

    def _ids(self, word: str) -> list[int]:
        if len(word) > self.longest:
            return [self.unknown]
        ids, begin = [], 0
        while begin < len(word):
            mark = self.inside if begin else self.start
            for end in range(len(word), begin, -1):
                number = self.vocabulary.get(mark + word[begin:end])
                if number is not None:
                    ids.append(number)
                    begin = end
                    break
            else:
                return [self.unknown]
        return ids
