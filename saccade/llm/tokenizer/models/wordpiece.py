"""WordPiece: a word is cut from its left into the longest tokens that fit (BERT).

WordPiece({"un": 0, "##able": 1}, unknown=2).encode("unable")       # [0, 1]
"""

from __future__ import annotations

from dataclasses import dataclass

from .pieces import PieceModel


@dataclass
class WordPiece(PieceModel):
    """Tokens; `start` begins those of the beginning of a word, `inside` the others. A word that cannot be cut
    up, or has more than `longest` characters, is the unknown token."""

    unknown: int
    inside: str = "##"
    start: str = ""
    longest: int = 100

    def ids_of(self, piece: str) -> list[int]:
        if len(piece) > self.longest:
            return [self.unknown]
        ids, begin = [], 0
        while begin < len(piece):
            mark = self.inside if begin else self.start
            for end in range(len(piece), begin, -1):
                number = self.vocabulary.get(mark + piece[begin:end])
                if number is not None:
                    ids.append(number)
                    begin = end
                    break
            else:
                return [self.unknown]
        return ids
