"""The blocks of packed formats as blocks of 32 numbers each, all formats alike, with rows side by side: what
lanes are made of.

    found = taken_apart(12, raw)            # Q4_K, uint8 (rows, blocks of 256, 144), rows by sixteens
    found.codes                             # uint32 (rows / 16, blocks of 256, 8, 4, 16)

Four bytes of a row are a word, and words of sixteen rows lie side by side, which is what NumPy's loops go
along. A number has its low four bits in a byte of `codes`, number n of a block beside number 16 + n, and what
it has above them in `upper`: bit 4 h + w of byte b is that of number 16 h + 4 w + b, and of two upper bits
those from 2 w on of byte b of word h. Scales and offsets are products of what lies beside: in Q4_K of a
float16 of 256 numbers and an integer of each 32. There are as many bytes as in the file, or a few more:
numbers of six bits become bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]

#: rows side by side
ROWS: Final = 16
#: blocks that share a scale in formats with a K
EIGHT: Final = 8
#: of each byte of a word the lower half, the upper one, and two bits
_LOW, _HIGH, _TWO = (np.uint32(each * 0x01010101) for each in (15, 240, 3))


@dataclass(frozen=True)
class Blocks:
    """codes: words (groups of rows, groups of blocks, blocks, 4 or 8, rows); upper: the same with 1 or 2
    words, or None; scales, offsets: the factors of each, (.., 1 or blocks, rows), or (.., blocks, 2, rows)
    where 16 numbers have one. Factors of uint16 are the bits of a bfloat16."""

    codes: Array
    scales: list[Array]
    offsets: list[Array] = field(default_factory=list)
    upper: Array | None = None


@cache
def _lies(*fields: tuple[str, str, int]) -> np.dtype[Any]:
    """A block as it lies in a file."""
    return np.dtype([(name, kind, (count,)) for name, kind, count in fields])


def _of_file(raw: Array, *fields: tuple[str, str, int]) -> list[Array]:
    """The fields of blocks where they lie, each (groups of rows, blocks, count, rows)."""
    whole = raw.reshape(len(raw), -1).view(_lies(*fields)).reshape(len(raw) // ROWS, ROWS, -1)
    return [np.moveaxis(whole[name], 1, -1) for name, _, _ in fields]


def _beside(found: Array) -> Array:
    """The same with rows side by side."""
    return np.ascontiguousarray(found)


def _heads(found: Array) -> tuple[list[Array], list[Array]]:
    """A scale, and an offset if there are two."""
    return [found[:, :, :1]], [found[:, :, n : n + 1] for n in range(1, found.shape[2])]


def _plain(raw: Array, heads: int, words: int = 4) -> Blocks:
    """Codes that lie as they shall."""
    found, codes = _of_file(raw, ("heads", "<f2", heads), ("codes", "<u4", words))
    return Blocks(codes[:, :, None], *_heads(found))


def _with_fifth(raw: Array, heads: int) -> Blocks:
    found, high, codes = _of_file(raw, ("heads", "<f2", heads), ("high", "<u4", 1), ("codes", "<u4", 4))
    return Blocks(codes[:, :, None], *_heads(found), _every_fourth(_beside(high))[:, :, None])


def _every_fourth(bits: Array) -> Array:
    """Bit 4 k + b of words -> bit k of byte b."""
    made = np.zeros_like(bits)
    for b in range(4):
        found = (bits >> b) & 0x11111111
        for shift, mask in ((3, 0x03030303), (6, 0x000F000F), (12, 0xFF)):
            found = (found | found >> shift) & mask
        made |= found << 8 * b
    return made


def _mxfp4(raw: Array) -> Blocks:
    """The scale is half of 2 ** (e - 127) (`quants._mxfp4`), of which 2 ** -128 and -127 are subnormal."""
    exponent, codes = _of_file(raw, ("exponent", "u1", 1), ("codes", "<u4", 4))
    small, e = np.uint16(0x20), exponent.astype(np.uint16)
    return Blocks(codes[:, :, None], [np.where(e < 2, small << e.clip(0, 1), (e.clip(2) - 1) << 7)])


def _iq4_xs(raw: Array) -> Blocks:
    scale, high, low, codes = _of_file(
        raw, ("scale", "<f2", 1), ("high", "<u2", 1), ("low", "u1", 4), ("codes", "<u4", 32)
    )
    places = np.arange(0, 16, 2, dtype=np.uint16)[:, None]
    four = np.stack([low & 15, low >> 4], 3).reshape(*low.shape[:2], EIGHT, ROWS)
    steps = (four | ((high >> places) & 3).astype(np.uint8) << 4).view(np.int8) - np.int8(32)
    return Blocks(codes.reshape(*codes.shape[:2], EIGHT, 4, ROWS), [scale, steps])


def _six_bits(packed: Array) -> tuple[Array, Array]:
    """12 bytes -> eight scales and eight offsets of 6 bits (`quants.scales_and_mins`)."""
    low, middle, rest = (packed[:, :, at : at + 4] for at in (0, 4, 8))
    scales = np.concatenate([low & 63, (rest & 15) | ((low >> 2) & 48)], 2)
    mins = np.concatenate([middle & 63, (rest >> 4) | ((middle >> 2) & 48)], 2)
    return scales, mins


def _halves(codes: Array, blocks: int) -> Array:
    """Words of 32 numbers of so many blocks in their low halves, and of as many more in the high ones, (..,
    blocks, 8, rows) -> words with numbers n and 16 + n of one block, (.., 2, blocks, 4, rows)."""
    codes = _beside(codes)
    first, second = codes[..., :4, :], codes[..., 4:, :]
    made = np.empty((*codes.shape[:-3], 2, blocks, 4, ROWS), np.uint32)
    np.bitwise_or(first & _LOW, (second & _LOW) << 4, out=made[..., 0, :, :, :])
    np.bitwise_or((first & _HIGH) >> 4, second & _HIGH, out=made[..., 1, :, :, :])
    return made


def _turned(words: list[Array]) -> list[Array]:
    """Bit i of each byte of word k -> bit k of that of word i: squares of four by four bits are exchanged,
    of two by two, and of one."""
    for size, mask in ((4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        for k in (k for k in range(EIGHT) if not k & size):
            first, second = words[k], words[k + size]
            other = ((first >> size) ^ second) & np.uint32(mask)
            words[k], words[k + size] = first ^ (other << size), second ^ other
    return words


def _with_mins(heads: Array, packed: Array, codes: Array, high: Array | None = None) -> Blocks:
    """Of byte l of `codes` (i, l) the low half is number (2 i, l), the upper one number (2 i + 1, l); of byte
    l of `high` bit i belongs to number (i, l)."""
    shape = codes.shape[:2]
    lying = _halves(codes.reshape(*shape, 4, 1, 8, ROWS), 1).reshape(*shape, EIGHT, 4, ROWS)
    scales, mins = _six_bits(packed)
    upper = None
    if high is not None:
        upper = np.stack(_turned([_beside(high[:, :, k]) for k in range(EIGHT)]), 2)[:, :, :, None]
    less = heads[:, :, 1:].view(np.uint16) ^ np.uint16(0x8000)  # offsets are taken off
    return Blocks(lying, [heads[:, :, :1], scales], [less.view(np.float16), mins], upper)


def _q4_k(raw: Array) -> Blocks:
    return _with_mins(*_of_file(raw, ("heads", "<f2", 2), ("packed", "u1", 12), ("codes", "<u4", 32)))


def _q5_k(raw: Array) -> Blocks:
    heads, packed, high, codes = _of_file(
        raw, ("heads", "<f2", 2), ("packed", "u1", 12), ("high", "<u4", 8), ("codes", "<u4", 32)
    )
    return _with_mins(heads, packed, codes, high)


def _q6_k(raw: Array) -> Blocks:
    """(2, 4, 32): four bits in a nibble of (2, 2, 32) bytes, two in a byte of (2, 32)."""
    low, high, steps, scale = _of_file(
        raw, ("low", "<u4", 32), ("high", "<u4", 16), ("steps", "i1", 16), ("scale", "<f2", 1)
    )
    shape = low.shape[:2]
    lying = _halves(low.reshape(*shape, 2, 2, 8, ROWS), 2).reshape(*shape, EIGHT, 4, ROWS)
    two, upper = _beside(high).reshape(*shape, 2, 2, 4, ROWS), np.zeros((*shape, 2, 4, 2, ROWS), np.uint32)
    for n in range(4):
        for w in range(4):
            upper[..., n, :, :] |= ((two[..., w, :] >> 2 * n) & _TWO) << 2 * w
    scales = [scale[:, :, None], steps.reshape(*shape, EIGHT, 2, ROWS)]
    return Blocks(lying, scales, [], upper.reshape(*shape, EIGHT, 2, ROWS))


_APART: Final[MappingProxyType[int, Callable[[Array], Blocks]]] = MappingProxyType(
    {
        2: lambda raw: _plain(raw, 1),
        3: lambda raw: _plain(raw, 2),
        6: lambda raw: _with_fifth(raw, 1),
        7: lambda raw: _with_fifth(raw, 2),
        8: lambda raw: _plain(raw, 1, 8),
        12: _q4_k,
        13: _q5_k,
        14: _q6_k,
        20: lambda raw: _plain(raw, 1),
        23: _iq4_xs,
        39: _mxfp4,
    }
)


def taken_apart(kind: int, raw: Array) -> Blocks:
    """Blocks of a format (rows, blocks, bytes) by their numbers, scales and offsets; rows by sixteens."""
    return _APART[kind](raw)
