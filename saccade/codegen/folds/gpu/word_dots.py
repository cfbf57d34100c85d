"""Sums of the products of the four bytes of two words: one instruction of a GPU, dp4a.

    FOLD(add, int32(uint8(a >> 8 r)) * int32(int8(b >> 8 r)), r < 4)    ->    dp4a(a, b)

Factors of a few bits lie four to a word once a mask has taken them out of it, and so do numbers that are
rounded to bytes: eight factors of four bits are two masks and two dots, where to
unpack each to a float and to multiply takes three instructions for every one of them."""

from __future__ import annotations

from typing import Final, NamedTuple

from ....graph import dtypes
from ....graph.kernels.kernel import UNROLL, range_size
from ....graph.monoid import ADD
from ....graph.node import Node, const, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import simplify

#: bytes of a word, bits of a byte
FOUR: Final = 4
BITS: Final = 8


class WordDot(NamedTuple):
    """Two words of 32 bits, whether the bytes of each are signed, and the ranges over which their dots are
    added up."""

    first: Node
    second: Node
    signed: tuple[bool, bool]
    over: tuple[Node, ...] = ()


def dot_of_words(fold: Node) -> WordDot | None:
    """The words whose bytes a fold multiplies and adds up, if that is what it does; it may be a sum of such
    sums, all written out."""
    body = fold.src[0]
    if fold.arg != ADD or fold.dtype is not dtypes.int32 or _is_open(fold):
        return None
    if body.op is Op.FOLD:
        inner = dot_of_words(body)
        return None if inner is None else inner._replace(over=(*own_ranges(fold), *inner.over))
    own = own_ranges(fold)
    if body.op is not Op.MUL or len(own) != 1 or range_size(own[0]) != FOUR:
        return None
    words = [_word(factor, own[0]) for factor in body.src]
    if words[0] is None or words[1] is None:
        return None
    (first, a), (second, b) = words[0], words[1]
    return WordDot(first, second, (a, b))


def _is_open(fold: Node) -> bool:
    """Does it have loops, or threads that share it?"""
    return any(r.arg.kind != UNROLL for r in own_ranges(fold))


def _word(factor: Node, number: Node) -> tuple[Node, bool] | None:
    """The word of which a factor is the byte of some number, and whether that is signed."""
    byte = factor.src[0] if factor.op is Op.CAST else factor
    if (
        byte.op is not Op.CAST
        or byte.dtype not in (dtypes.int8, dtypes.uint8)
        or byte.src[0].op is not Op.SHR
    ):
        return None
    word, shift = byte.src[0].src
    if word.dtype not in (dtypes.uint32, dtypes.int32) or number in word.ranges:
        return None
    shifts = [simplify(shift.substitute({number: const(n, number.dtype)})) for n in range(FOUR)]
    places = [n.arg if n.op is Op.CONST else None for n in shifts]
    return (word, byte.dtype is dtypes.int8) if places == [BITS * n for n in range(FOUR)] else None
