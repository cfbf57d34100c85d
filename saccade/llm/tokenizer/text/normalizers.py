"""What happens to a text before it is cut into pieces: other forms of Unicode, small letters, other spaces.

    normalizer({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}]})("É")     # "é"

The descriptions are those of `tokenizer.json`. A normalizer takes a text and gives a text.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from ....files.reading import shown
from .charsmap import CharsMap
from .split_patterns import SplitPattern

Normalizer = Callable[[str], str]

_CHINESE: Final = (
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
#: Characters that are white space, of those that are no ASCII too.
BLANKS: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"  # noqa: E501
#: What BERT removes, or turns into a space.
_ODD: Final = SplitPattern(r"(?! )[\p{C}\s]")
_SPACES: Final = frozenset(BLANKS) - frozenset("\v\f\x85")


def normalizer(described: Mapping[str, Any] | None) -> Normalizer:
    """What a description means; ValueError for what is not known."""
    if described is None:
        return _same
    match described["type"]:
        case "Sequence":
            return _chained([normalizer(each) for each in described["normalizers"]])
        case "NFC" | "NFD" | "NFKC" | "NFKD" as form:
            return partial(unicodedata.normalize, form)
        case "Lowercase":
            return lowercase
        case "StripAccents":
            return without_accents
        case "Strip":
            return partial(_stripped, described["strip_left"], described["strip_right"])
        case "Prepend":
            return partial(_prepended, _text(described["prepend"]))
        case "Replace":
            return _replacing(described["pattern"], _text(described["content"]))
        case "BertNormalizer":
            return bert(described)
        case "Precompiled":
            return CharsMap(base64.b64decode(described["precompiled_charsmap"], validate=True)).normalized
    raise ValueError(f"a normalizer of type {shown(described['type'])}, which is not known here")


def _same(text: str) -> str:
    return text


def _chained(steps: list[Normalizer]) -> Normalizer:
    def run(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return run


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} where a text is due")
    return value


def _prepended(start: str, text: str) -> str:
    return start + text if text else text


def _stripped(left: bool, right: bool, text: str) -> str:
    text = text.lstrip(BLANKS) if left else text
    return text.rstrip(BLANKS) if right else text


def _replacing(pattern: Mapping[str, str], content: str) -> Normalizer:
    """Every match of a text or of an expression becomes the content."""
    if "String" in pattern:
        old = _text(pattern["String"])
        if not old:
            raise ValueError("a normalizer replaces the empty text")
        return lambda text: text.replace(old, content)
    compiled = SplitPattern.read(_text(pattern["Regex"]))
    return lambda text: compiled.replaced(text, lambda _: content)


def lowercase(text: str) -> str:
    """Small letters, each by itself: the last sigma of a word is one like any other."""
    return text.replace("Σ", "σ").lower()


def without_accents(text: str) -> str:
    return text if text.isascii() else "".join([c for c in text if unicodedata.category(c) != "Mn"])


def bert(described: Mapping[str, Any]) -> Normalizer:
    """BERT's: no control characters, spaces around Chinese characters, no accents, small letters."""
    lower = described["lowercase"]
    accents = described.get("strip_accents")
    steps: list[Normalizer] = []
    if described["clean_text"]:
        steps.append(cleaned)
    if described["handle_chinese_chars"]:
        steps.append(partial(re.sub, _CHINESE, r" \g<0> "))
    if lower if accents is None else accents:
        steps += [partial(unicodedata.normalize, "NFD"), without_accents]
    if lower:
        steps.append(lowercase)
    return _chained(steps)


def cleaned(text: str) -> str:
    """Without control characters and what is no character, and with one kind of space."""
    return _ODD.replaced(text.replace("\ufffd", ""), lambda odd: " " if odd in _SPACES else "")
