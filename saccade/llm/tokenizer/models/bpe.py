"""Byte-pair encoding: the symbols of a piece are merged in pairs, the best pair first, until none is left.

    model = Bpe(vocabulary, ranked_by_merges([("l", "o"), ("lo", "w")]))
    model.encode("low")                 # the ids of what is left: one, if "low" is a token

Which pair is the best is a rank: the place in a list of merges (GPT-2, Llama 3), or what the merged token
scores (SentencePiece). Among equal ones the left one comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import count, pairwise
from typing import Final

from ...files.texts import Texts
from ..vocabulary import Vocabulary
from .pieces import PieceModel, without_token

#: The rank of a pair of symbols, lower is sooner; None if they are not merged.
Rank = Callable[[tuple[str, str]], float | None]


def ranked_by_merges(merges: Iterable[tuple[str, str]]) -> Rank:
    """Pairs as they come in a list; of two that are equal the last counts."""
    return dict(zip(merges, count())).get


def ranked_by_texts(merges: Texts) -> Rank:
    """The same for pairs "a b", of symbols that have no space in them, as the characters of bytes have none.
    50,000 merges in a dict would take 7 MB."""
    ranks = Vocabulary(merges, last=True).get
    return lambda pair: ranks(f"{pair[0]} {pair[1]}")


def ranked_by_scores(vocabulary: Mapping[str, int], scores: Sequence[float]) -> Rank:
    """Any pair that is a token together, by the score of that, highest first."""

    def rank(pair: tuple[str, str]) -> float | None:
        token = vocabulary.get(pair[0] + pair[1])
        return None if token is None else -scores[token]

    return rank


def byte_characters() -> dict[int, str]:
    """A printable character for each byte: itself where it is one in Latin-1, else one from U+0100 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [code for code in range(256) if code not in plain]
    return {code: chr(code) for code in plain} | {code: chr(256 + n) for n, code in enumerate(others)}


#: For `str.translate` of a text whose characters are bytes (Latin-1).
BYTE_LEVEL: Final = byte_characters()
BYTES: Final = {char: code for code, char in BYTE_LEVEL.items()}


def byte_level(piece: str) -> str:
    """A piece as one character for each byte of its UTF-8."""
    return piece.encode().decode("latin-1").translate(BYTE_LEVEL)


@dataclass
class Bpe(PieceModel):
    """A vocabulary with ranks of pairs.

    on_bytes: symbols are bytes, by their characters; else characters. fallback: tokens of bytes for what is
    no token, empty if there are none. unknown: the id for the rest; without one it is left out. fuse: one
    unknown id for several in a row. whole: a piece that is a token is not taken apart. suffix: ends a piece.
    by_text: characters that are no tokens may be part of one.
    """

    rank: Rank
    on_bytes: bool = False
    fallback: Sequence[int | None] = ()
    unknown: int | None = None
    fuse: bool = False
    whole: bool = False
    suffix: str = ""
    by_text: bool = False

    def ids_of(self, piece: str) -> list[int]:
        piece = byte_level(piece) if self.on_bytes else piece
        if self.whole and piece in self.vocabulary:
            return [self.vocabulary[piece]]
        symbols = list(piece)
        if self.suffix and symbols:
            symbols[-1] += self.suffix
        ids: list[int] = []
        for symbol in merged(symbols if self.by_text else self._known(symbols), self.rank):
            number = self.vocabulary.get(symbol)
            ids += [number] if number is not None else without_token(symbol, self.fallback, self.unknown)
        return ids

    def _known(self, symbols: list[str]) -> list[str]:
        """Symbols that are tokens: those that are none become the texts of those that stand for them, which
        may be merged as any other."""
        if all(symbol in self.vocabulary for symbol in symbols):
            return symbols
        found: list[str] = []
        fused = False
        for symbol in symbols:
            known = symbol in self.vocabulary
            ids = [] if known else without_token(symbol, self.fallback, self.unknown)
            unknown = ids == [self.unknown]
            if not (unknown and fused):
                found += [symbol] if known else [self.texts[number] for number in ids]
            fused = unknown and self.fuse
        return found

    @cached_property
    def texts(self) -> dict[int, str]:
        """Tokens by id."""
        return {number: text for text, number in self.vocabulary.items()}


def merged(symbols: list[str], rank: Rank) -> list[str]:
    """The symbols after all merges. A heap holds the pairs that can be merged, and is never cleaned: a pair
    counts if both symbols are still what they were when it was put there."""
    if len(symbols) == 2:
        return ["".join(symbols)] if rank((symbols[0], symbols[1])) is not None else symbols
    heap = [
        (found, place, pair)
        for place, pair in enumerate(pairwise(symbols))
        if (found := rank(pair)) is not None
    ]
    if not heap:
        return symbols
    heapify(heap)
    last = len(symbols)
    after, before = list(range(1, last + 1)), list(range(-1, last - 1))
    while heap:
        _, left, (first, second) = heappop(heap)
        right = after[left]
        if symbols[left] != first or right == last or symbols[right] != second:
            continue
        symbols[left], symbols[right] = first + second, ""
        after[left] = beyond = after[right]
        if beyond < last:
            before[beyond] = left
        for place in (before[left], left):
            if place >= 0 and after[place] < last:
                pair = symbols[place], symbols[after[place]]
                found = rank(pair)
                if found is not None:
                    heappush(heap, (found, place, pair))
    return [symbol for symbol in symbols if symbol]
