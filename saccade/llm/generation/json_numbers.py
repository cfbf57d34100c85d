"""Whole numbers between two bounds as a grammar of their digits.

integers_between(8, 120)        # 8, 9, [1-9][0-9], 1[0-1][0-9], 120

Numbers with as many digits are compared digit by digit: those that begin as the bound does go on as it does,
and those that begin with less (or more) are free from there.
"""

from __future__ import annotations

from .automaton import NOTHING, Node, choice, one_of, repeated, sequence, text

DIGIT = one_of(b"0123456789")


def integers_between(least: int | None, most: int | None, digits: int) -> Node:
    """Whole numbers from `least` to `most`, of up to so many digits; None: without that bound."""
    furthest = 10**digits - 1
    low = -furthest if least is None else max(least, -furthest)
    high = furthest if most is None else min(most, furthest)
    parts: list[Node] = []
    if low < 0:
        parts.append(sequence(text("-"), _naturals(max(1, -high), -low)))
    if high >= 0:
        parts.append(_naturals(max(0, low), high))
    return choice(*parts)


def _naturals(low: int, high: int) -> Node:
    """From low to high, both at least 0: one choice for each number of digits."""
    parts = []
    for size in range(len(str(low)), len(str(high)) + 1):
        first = max(low, 10 ** (size - 1) if size > 1 else 0)
        parts.append(_equally_long(str(first), str(min(high, 10**size - 1))))
    return choice(*parts)


def _equally_long(low: str, high: str) -> Node:
    """Texts of digits from low to high, which have equally many."""
    if not low:
        return NOTHING
    rest = len(low) - 1
    if set(low[1:]) <= {"0"} and set(high[1:]) <= {"9"}:
        return sequence(_digits(low[0], high[0]), repeated(DIGIT, rest, rest))
    if low[0] == high[0]:
        return sequence(text(low[0]), _equally_long(low[1:], high[1:]))
    parts = [
        sequence(text(low[0]), _equally_long(low[1:], "9" * rest)),
        sequence(text(high[0]), _equally_long("0" * rest, high[1:])),
    ]
    if int(high[0]) - int(low[0]) > 1:
        inner = _digits(chr(ord(low[0]) + 1), chr(ord(high[0]) - 1))
        parts.append(sequence(inner, repeated(DIGIT, rest, rest)))
    return choice(*parts)


def _digits(first: str, last: str) -> Node:
    return one_of(range(ord(first), ord(last) + 1))
