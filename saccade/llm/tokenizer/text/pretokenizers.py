"""How a text is cut into pieces before a model sees it: words, numbers, runs of spaces.

    splitter({"type": "Digits", "individual_digits": True})("ab12", True)       # ["ab", "1", "2"]

The descriptions are those of `tokenizer.json`. A splitter takes a piece and whether it begins the text, and
gives pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ....files.reading import shown
from .split_patterns import BLANK, DIGIT, DIGITS, GPT2, PUNCTUATION, SplitPattern

Splitter = Callable[[str, bool], list[str]]


def splitter(described: Mapping[str, Any] | None) -> Splitter:
    """What a description means; ValueError for what is not known."""
    if described is None:
        return _whole
    match described["type"]:
        case "Sequence":
            return chained([splitter(each) for each in described["pretokenizers"]])
        case "ByteLevel":
            pattern = GPT2 if described.get("use_regex", True) else None
            return partial(_byte_level, bool(described.get("add_prefix_space", True)), pattern)
        case "Split":
            pattern = _pattern(described["pattern"])
            return split_by(pattern, described["behavior"], bool(described.get("invert", False)))
        case "Digits":
            return split_by(DIGIT if described["individual_digits"] else DIGITS, "Isolated")
        case "WhitespaceSplit":
            return split_by(BLANK, "Removed")
        case "Punctuation":
            return split_by(PUNCTUATION, described.get("behavior", "Isolated"))
        case "BertPreTokenizer":
            return BERT
        case "Metaspace":
            return metaspace(described)
    raise ValueError(f"a pre-tokenizer of type {shown(described['type'])}, which is not known here")


def _whole(piece: str, first: bool) -> list[str]:
    return [piece]


def chained(steps: list[Splitter]) -> Splitter:
    """Each step cuts what the one before has left."""
    if len(steps) == 1:
        return steps[0]

    def run(piece: str, first: bool) -> list[str]:
        pieces = [piece]
        for step in steps:
            pieces = [part for n, each in enumerate(pieces) for part in step(each, first and n == 0)]
        return pieces

    return run


def isolated(pattern: SplitPattern) -> Splitter:
    """What matches and what lies between are pieces."""
    return lambda piece, first: pattern.pieces(piece)


def _byte_level(space: bool, pattern: SplitPattern | None, piece: str, first: bool) -> list[str]:
    if space and piece and not piece.startswith(" "):
        piece = " " + piece
    return [piece] if pattern is None else pattern.pieces(piece)


def _pattern(described: Mapping[str, str]) -> SplitPattern:
    if "Regex" in described:
        return SplitPattern.read(described["Regex"])
    if not described["String"]:
        raise ValueError("a pre-tokenizer cuts at the empty text")
    return SplitPattern.read(re.escape(described["String"]))


def split_by(pattern: SplitPattern, behavior: str, invert: bool = False) -> Splitter:
    """Cut at matches, which are pieces of their own, are dropped, or join what is before or after."""
    if behavior == "Isolated":
        return isolated(pattern)  # the same inverted
    join = _JOINS.get(behavior)
    if join is None:
        raise ValueError(
            f"a pre-tokenizer with behavior {shown(behavior)}: one of {', '.join(_JOINS)} is due"
        )

    def run(piece: str, first: bool) -> list[str]:
        parts, at = [], 0
        for begin, end in pattern.spans(piece):
            parts += [(piece[at:begin], invert), (piece[begin:end], not invert)]
            at = end
        return join([part for part in [*parts, (piece[at:], invert)] if part[0]])

    return run


#: Pieces, and whether they match.
Parts = list[tuple[str, bool]]


def _removed(parts: Parts) -> list[str]:
    return [text for text, matches in parts if not matches]


def _with_previous(parts: Parts) -> list[str]:
    found: list[str] = []
    before = False
    for text, matches in parts:
        if matches and not before and found:
            found[-1] += text
        else:
            found.append(text)
        before = matches
    return found


def _with_next(parts: Parts) -> list[str]:
    found: list[str] = []
    after = False
    for text, matches in reversed(parts):
        if matches and not after and found:
            found[-1] = text + found[-1]
        else:
            found.append(text)
        after = matches
    return found[::-1]


def _contiguous(parts: Parts) -> list[str]:
    found: list[str] = []
    before: bool | None = None
    for text, matches in parts:
        if matches == before:
            found[-1] += text
        else:
            found.append(text)
        before = matches
    return found


_JOINS: dict[str, Callable[[Parts], list[str]]] = {
    "Isolated": lambda parts: [text for text, _ in parts],
    "Removed": _removed,
    "MergedWithPrevious": _with_previous,
    "MergedWithNext": _with_next,
    "Contiguous": _contiguous,
}

BERT: Splitter = chained([split_by(BLANK, "Removed"), isolated(PUNCTUATION)])


def metaspace(described: Mapping[str, Any]) -> Splitter:
    """SentencePiece's: spaces become a mark, and a mark begins each piece."""
    mark = described["replacement"]
    if not isinstance(mark, str) or len(mark) != 1:
        raise ValueError(f"a mark for spaces that is {shown(mark)}, and one character is due")
    plain = "always" if described.get("add_prefix_space", True) else "never"
    scheme = described.get("prepend_scheme", plain)
    if scheme not in ("always", "first", "never"):
        raise ValueError(f"a mark that is put before {shown(scheme)}: always, first or never is due")
    cut = bool(described.get("split", True))

    def run(piece: str, first: bool) -> list[str]:
        piece = piece.replace(" ", mark)
        if not piece.startswith(mark) and (scheme == "always" or (scheme == "first" and first)):
            piece = mark + piece
        return cut_before(mark, piece) if cut else [piece]

    return run


def cut_before(mark: str, piece: str) -> list[str]:
    """A piece cut before each mark."""
    start, *rest = piece.split(mark)
    return [start] * bool(start) + [mark + each for each in rest]
