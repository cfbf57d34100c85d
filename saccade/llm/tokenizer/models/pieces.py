"""What all models share: ids of pieces are kept, for they repeat; long pieces are cut where no token reaches.

A model is a subclass with `ids_of(piece)`. Texts of SentencePiece models are one piece, in which a mark
stands for each space. Where no token has a mark after another character, every way to cut the text has a cut
before each run of marks, so that words can be looked up one by one, with the same result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

#: Stands for a space.
MARK: Final = "▁"
#: Pieces whose ids are kept, and how long they may be.
MOST_KEPT: Final = 1 << 16
LONGEST_KEPT: Final = 64


@dataclass
class PieceModel(ABC):
    """Tokens by text. boundary: a character that no token has after another one; "" if there is none."""

    vocabulary: Mapping[str, int]
    boundary: str = field(default="", kw_only=True)
    kept: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False, kw_only=True)

    @abstractmethod
    def ids_of(self, piece: str) -> Sequence[int]:
        """The ids of a piece, worked out."""

    def encode(self, piece: str) -> Sequence[int]:
        """The ids of a piece."""
        found = self.kept.get(piece)
        if found is None:
            if self.boundary and self.boundary in piece[1:]:
                parts = words(piece, self.boundary)
                if len(parts) > 1:
                    return [number for part in parts for number in self.encode(part)]
            found = tuple(self.ids_of(piece))
            if len(piece) <= LONGEST_KEPT:
                if len(self.kept) >= MOST_KEPT:
                    self.kept.clear()
                self.kept[piece] = found
        return found


def boundary_of(vocabulary: Mapping[str, int]) -> str:
    """The mark of spaces, if it is a token and none has one after another character."""
    inner = any(MARK in text.lstrip(MARK) for text in vocabulary if MARK in text)
    return "" if inner or MARK not in vocabulary else MARK


def words(piece: str, boundary: str) -> list[str]:
    """A piece cut before each run of a character."""
    first, *rest = piece.split(boundary)
    found, run = [first] if first else [], ""
    for part in rest:
        run += boundary
        if part:
            found.append(run + part)
            run = ""
    return [*found, run] if run else found


def byte_tokens(vocabulary: Mapping[str, int]) -> list[int | None]:
    """The ids of the 256 tokens `<0x00>` to `<0xFF>`, None for those that are none."""
    return [vocabulary.get(f"<0x{code:02X}>") for code in range(256)]


def without_token(symbol: str, fallback: Sequence[int | None], unknown: int | None) -> list[int]:
    """Ids for a symbol that is no token: those of its bytes if all of them have one, or the unknown one."""
    found = [fallback[code] for code in symbol.encode()] if fallback else [None]
    known = [number for number in found if number is not None]
    if len(known) == len(found):
        return known
    return [] if unknown is None else [unknown]
