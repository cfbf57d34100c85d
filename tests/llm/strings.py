"""Texts at random, the same in every run: many scripts, numbers, code, emoji, all kinds of spaces."""

from __future__ import annotations

import unicodedata
from functools import cache
from random import Random

TALK = """the and of I'll we've don't it's THEY'RE he'd O'Neill 'Tis hello World tokenizer HTTPServer x86_64
naïve café Straße İstanbul ΣΊΣΥΦΟΣ Привет мир שלום مرحبا नमस्ते สวัสดี 你好世界 日本語 テスト 한국어
ภาษาไทย ქართული አማርኛ हिन्दी 😀 👩‍👩‍👧 🇫🇷 ﬁ Å ² ½ Ⅷ ١٢٣ 12345 3.14159 1,000,000 0x1F def return self. ==
!= -> // /* */ #include <stdio.h> https://example.org/?q=1&r=2 a@b.org ... ---- ____ <s> </s> <unk> ▁ ſs
'ſt 'LLama"""
WORDS = TALK.split()
SPACES = [" ", " ", " ", " ", " ", "", "  ", "\n", "\n\n", "\t", "\r\n", "    ", "\u00a0", "\u3000", "\u2009"]
#: First and last characters of scripts and of signs.
RANGES = [
    (0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5F4), (0x600, 0x6FF),
    (0x900, 0x97F), (0xE00, 0xE5B), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F),
    (0x20A0, 0x2BFF), (0x3000, 0x30FF), (0x4E00, 0x4FFF), (0xAC00, 0xAFFF), (0xF900, 0xFAFF),
    (0xFB00, 0xFDFF), (0xFF00, 0xFFEF), (0x10300, 0x1034F), (0x1D400, 0x1D7FF), (0x1F300, 0x1F64F),
    (0x20000, 0x200FF), (0x00, 0x1F),
]  # fmt: skip


@cache
def characters(first: int, last: int) -> str:
    """Those of a range that have been characters since Unicode 6 or so, of which all libraries know."""
    found = [chr(code) for code in range(first, last + 1)]
    old = unicodedata.ucd_3_2_0
    return "".join(c for c in found if old.category(c) != "Cn" or ord(c) in range(0x1F300, 0x1F550)) or "?"


def some_text(random: Random) -> str:
    """A text of some words, of characters of one script or two, or of anything."""
    made = []
    for _ in range(random.randint(0, 12)):
        if random.random() < 0.6:
            made.append(random.choice(WORDS))
        else:
            script = characters(*random.choice(RANGES))
            made.append("".join(random.choice(script) for _ in range(random.choice((1, 1, 2, 5, 9)))))
        made.append(random.choice(SPACES))
    return "".join(made)


def some_texts(count: int, seed: int = 0) -> list[str]:
    random = Random(seed)
    return [some_text(random) for _ in range(count)]
