r"""Regular expressions of tokenizers, whose `\p{L}` Python's `re` does not have.

    GPT2.pieces("I'll pay 20 €")        # ["I", "'ll", " pay", " 20", " €"]

A text is turned into one byte for each character first: ASCII stays what it is, and any other character
becomes the number of its general category (`Lu`, `Nd`, ...). A set of characters such as `\p{L}` is then a
set of bytes, and `re` does the rest at its own speed, over bytes whose places are those of the characters.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import Final

import numpy as np

CATEGORIES: Final = (
    "Cc", "Cf", "Cn", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No", "Pc",
    "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs",
)  # fmt: skip
_NUMBER: Final = {name: 0x80 + number for number, name in enumerate(CATEGORIES)}
#: Characters with a byte of their own: white space that is of category Cc, and an s that is no ASCII.
NEXT_LINE: Final = 0x80 + len(CATEGORIES)
LONG_S: Final = NEXT_LINE + 1
_SINGLE: Final = {"\x85": NEXT_LINE, "ſ": LONG_S}
SPACE: Final = frozenset([*b"\t\n\v\f\r ", *(_NUMBER[name] for name in ("Zl", "Zp", "Zs")), NEXT_LINE])
MOST_PATTERN: Final = 2000
_PAGE: Final = 256
_QUANTIFIERS: Final = "+*{"
#: Repeats in one alternative of a pattern: each may multiply the time by the length of a text.
MOST_REPEATS: Final = 3


class _Classes:
    """The byte of every character. Pages of 256 are filled when a text first has a character of them."""

    def __init__(self) -> None:
        self.table = np.zeros(sys.maxunicode + 1, np.uint8)
        self.known = np.zeros((sys.maxunicode + 1) // _PAGE, bool)

    def of(self, text: str) -> bytes:
        if text.isascii():
            return text.encode()
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        pages = codes // _PAGE
        if not self.known[pages].all():
            for page in np.unique(pages).tolist():
                self.fill(page)
        return self.table[codes].tobytes()

    def fill(self, page: int) -> None:
        begin = page * _PAGE
        self.table[begin : begin + _PAGE] = [_byte(chr(code)) for code in range(begin, begin + _PAGE)]
        self.known[page] = True


def _byte(character: str) -> int:
    if character.isascii():
        return ord(character)
    return _SINGLE.get(character) or _NUMBER[unicodedata.category(character)]


#: One byte for each character of a text.
classes = _Classes().of


@cache
def members(name: str) -> frozenset[int]:
    """The bytes of a category (`Lu`) or of those with one initial (`L`)."""
    if not any(each.startswith(name) for each in CATEGORIES):
        raise ValueError(f"a category {name!r}, which is not known")
    plain = [code for code in range(0x80) if unicodedata.category(chr(code)).startswith(name)]
    other = [code for each, code in _NUMBER.items() if each.startswith(name)]
    single = [code for each, code in _SINGLE.items() if unicodedata.category(each).startswith(name)]
    return frozenset([*plain, *other, *single])


class SplitPattern:
    """An expression over texts, by the source that a tokenizer gives. It is compiled when it is first used:
    those that are written here are many, and a tokenizer has one or two."""

    def __init__(self, source: str) -> None:
        self.source = source

    @staticmethod
    def read(source: str) -> SplitPattern:
        """One from a file, which may be broken: that is told at once."""
        if len(source) > MOST_PATTERN:
            raise ValueError(f"a pattern of {len(source)} characters, and at most {MOST_PATTERN} are read")
        found = SplitPattern(source)
        found.compiled  # noqa: B018 - made here, so that what is wrong is told here
        return found

    @cached_property
    def compiled(self) -> re.Pattern[bytes]:
        try:
            return re.compile(_Translation(self.source).run())
        except re.error as failure:
            raise ValueError(f"the pattern {self.source!r} is broken: {failure}") from failure

    def spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Where it matches, from left to right; never nothing."""
        found = (match.span() for match in self.compiled.finditer(classes(text)))
        return ((first, last) for first, last in found if first < last)

    def replaced(self, text: str, by: Callable[[str], str]) -> str:
        """The text with something else for each match."""
        found, at = [], 0
        for first, last in self.spans(text):
            found += [text[at:first], by(text[first:last])]
            at = last
        return "".join([*found, text[at:]])

    def pieces(self, text: str) -> list[str]:
        """The text in parts: what matches, and what lies between."""
        found, at = [], 0
        for match in self.compiled.finditer(classes(text)):
            first, last = match.span()
            if first > at:
                found.append(text[at:first])
            if last > first:
                found.append(text[first:last])
            at = last
        if at < len(text):
            found.append(text[at:])
        return found


class _Translation:
    """An expression over characters as one over bytes of classes."""

    def __init__(self, source: str) -> None:
        self.source, self.at = source, 0
        self.folding: list[bool] = [False]
        self.made: list[bytes] = []
        self.repeats = 0

    def run(self) -> bytes:
        while self.at < len(self.source):
            self.one()
        return b"".join(self.made)

    def one(self) -> None:
        char = self.source[self.at]
        if char == "\\":
            self.made.append(_set(self.escaped()))
        elif char == "[":
            self.made.append(self.bracketed())
        elif char == "(":
            self.group()
        elif char == ")":
            self.folding.pop()
            after = self.source[self.at + 1 : self.at + 2]
            # (a+)+ may take as long as the universe has; patterns of tokenizers have no use for it
            if not self.folding or (after and after in _QUANTIFIERS):
                raise ValueError(f"the pattern {self.source!r} repeats a group, or ends one that is none")
            self.literal(char)
        elif char in "^$" or not char.isascii():
            raise ValueError(f"the pattern {self.source!r} has {char!r}, which is not read in one")
        elif char in "sS" and self.folding[-1]:
            self.made.append(_set(frozenset([ord("s"), LONG_S])))
            self.at += 1
        else:
            self.count_repeats(char)
            self.literal(char)

    def count_repeats(self, char: str) -> None:
        """`.*.*.*.*x` takes the length of a text to the power of its repeats."""
        if char == "|" and len(self.folding) == 1:
            self.repeats = 0
        self.repeats += char in _QUANTIFIERS
        if self.repeats > MOST_REPEATS:
            raise ValueError(
                f"the pattern {self.source!r} repeats more than {MOST_REPEATS} times in one alternative"
            )

    def literal(self, char: str) -> None:
        self.made.append(char.encode())
        self.at += 1

    def group(self) -> None:
        """`(`, `(?:`, `(?i:`, `(?!` or `(?=`."""
        start = re.match(r"\((?:\?(?:i?:|!|=))?", self.source[self.at :])
        assert start is not None
        self.folding.append(self.folding[-1] or "i" in start[0])
        self.made.append(start[0].encode())
        self.at += len(start[0])

    def escaped(self) -> frozenset[int]:
        """The bytes of what begins with a backslash here, and past it."""
        match = re.match(r"\\(?:([pP])(?:\{(\^?)(\w+)\}|(\w))|(.))", self.source[self.at :], re.DOTALL)
        if match is None:
            raise ValueError(f"the pattern {self.source!r} ends with a backslash")
        self.at += match.end()
        if match[1]:
            found = members(match[3] or match[4])
            return found if (match[1] == "p") != bool(match[2]) else _others(found)
        char = match[5]
        plain = {"r": "\r", "n": "\n", "t": "\t", "f": "\f", "v": "\v"}.get(char, char)
        match char:
            case "s":
                return SPACE
            case "S":
                return _others(SPACE)
            case "d":
                return members("Nd")
            case "D":
                return _others(members("Nd"))
        if not plain.isascii() or (char.isalnum() and plain == char):
            raise ValueError(f"the pattern {self.source!r} has \\{char}, which is not read in one")
        return frozenset([ord(plain)])

    def bracketed(self) -> bytes:
        """A set in brackets."""
        self.at += 1
        negative = self.source[self.at : self.at + 1] == "^"
        self.at += negative
        found: set[int] = set()
        first = True
        while first or self.source[self.at : self.at + 1] != "]":
            found |= self.range()
            first = False
        self.at += 1
        return _set(_others(frozenset(found)) if negative else frozenset(found))

    def range(self) -> frozenset[int]:
        """A character in brackets, an escaped set, or the first and last of a range."""
        begin = self.member()
        rest = self.source[self.at : self.at + 2]
        if len(begin) > 1 or len(rest) < 2 or rest[0] != "-" or rest[1] == "]":
            return begin
        self.at += 1
        end = self.member()
        if len(end) != 1:
            raise ValueError(f"the pattern {self.source!r} has a range without an end")
        return frozenset(range(min(begin), min(end) + 1))

    def member(self) -> frozenset[int]:
        char = self.source[self.at : self.at + 1]
        if char == "\\":
            return self.escaped()
        if not char or char in "[" or not char.isascii() or self.source[self.at : self.at + 2] == "&&":
            raise ValueError(f"the pattern {self.source!r} has {char!r} in brackets, which is not read there")
        self.at += 1
        return frozenset([ord(char)])


def _others(found: frozenset[int]) -> frozenset[int]:
    return frozenset(range(LONG_S + 1)) - found


def _set(found: frozenset[int]) -> bytes:
    """A set of bytes as `re` writes it; one of none matches nothing."""
    return b"[" + b"".join(b"\\x%02x" % code for code in sorted(found)) + b"]" if found else b"(?!)"


_CONTRACTIONS: Final = r"'s|'t|'re|'ve|'m|'ll|'d"
_BLANKS: Final = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CAPITALS: Final = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_SMALL: Final = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"


def _modern(digits: str, letters: str = r"\p{L}", more: str = "") -> SplitPattern:
    """The family that began with GPT-4: contractions of any case, a letter run with what is before it."""
    return SplitPattern(
        rf"(?i:{_CONTRACTIONS})|[^\r\n\p{{L}}\p{{N}}]?[{letters}]+|{digits}"
        rf"| ?[^\s\p{{L}}{more}\p{{N}}]+[\r\n]*|{_BLANKS}"
    )


def _cased(digits: str, contractions: str) -> SplitPattern:
    """The family of GPT-4o: words end where capitals begin."""
    start = r"[^\r\n\p{L}\p{N}]?"
    return SplitPattern(
        rf"{start}[{_CAPITALS}]*[{_SMALL}]+{contractions}|{start}[{_CAPITALS}]+[{_SMALL}]*{contractions}"
        rf"|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_BLANKS}"
    )


GPT2: Final = SplitPattern(rf"{_CONTRACTIONS}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+")
LLAMA3: Final = _modern(r"\p{N}{1,3}")
QWEN2: Final = _modern(r"\p{N}")
QWEN35: Final = _modern(r"\p{N}", r"\p{L}\p{M}", r"\p{M}")
GPT4O: Final = _cased(r"\p{N}{1,3}", rf"(?i:{_CONTRACTIONS})?")
TEKKEN: Final = _cased(r"\p{N}", "")
DIGIT: Final = SplitPattern(r"\p{N}")
DIGITS: Final = SplitPattern(r"\p{N}+")
BLANK: Final = SplitPattern(r"\s")
PUNCTUATION: Final = SplitPattern(r"[\p{P}!-/:-@\[-`{-~]")
