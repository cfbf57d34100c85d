"""The blocks of packed formats as blocks of 32 numbers each, all formats alike: what lanes are made of.

    found = taken_apart(12, raw)            # Q4_K, uint8 (rows, blocks of 256, 144)
    found.codes                             # uint8 (rows, blocks of 256, 8, 16)

A number has its low four bits in a byte of `codes`, number n of a block beside number 16 + n, and what it
has above them in `upper`: bit 4 h + w of byte b is that of number 16 h + 4 w + b, and of two upper bits those
from 2 w on of byte 4 h + b. Scales and offsets are products of what lies beside: in Q4_K of a float16 of 256
numbers and an integer of each 32. There are as many bytes as in the file, or a few more: numbers of six bits
become bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]

#: numbers of a block, blocks that share a scale in formats with a K
ITEMS: Final = 32
EIGHT: Final = 8


@dataclass(frozen=True)
class Blocks:
    """codes: uint8 (rows, groups of blocks, blocks, 16 or 32); upper: uint8 (rows, groups, blocks, 4 or 8),
    or None; scales, offsets: the factors of each, (rows, groups, 1 or blocks), or (.., blocks, 2) where 16
    numbers have one. Factors of uint16 are the bits of a bfloat16."""

    codes: Array
    scales: list[Array]
    offsets: list[Array] = field(default_factory=list)
    upper: Array | None = None


@cache
def _lies(*fields: tuple[str, str, int]) -> np.dtype[Any]:
    """A block as it lies in a file."""
    return np.dtype([(name, kind, (count,)) for name, kind, count in fields])


def _of_file(raw: Array, *fields: tuple[str, str, int]) -> list[Array]:
    """The fields of blocks, each (rows, blocks, count)."""
    whole = raw.reshape(len(raw), -1).view(_lies(*fields))
    return [whole[name] for name, _, _ in fields]


def _nibbles(low: Array, shifted: Array) -> Array:
    """Numbers of four bits (.., 32), in the lower and in the upper half of a byte -> both in (.., 16)."""
    made: Array = low.view(np.uint64)[..., :2] | shifted.view(np.uint64)[..., 2:]
    return made.view(np.uint8)


def _every_fourth(bits: Array) -> Array:
    """Bit 4 k + b of words -> bit k of byte b, uint8 (.., 4)."""
    made = np.zeros_like(bits)
    for b in range(4):
        found = (bits >> b) & 0x11111111
        for shift, mask in ((3, 0x03030303), (6, 0x000F000F), (12, 0xFF)):
            found = (found | found >> shift) & mask
        made |= found << 8 * b
    return made[..., None].view(np.uint8)


def _six_bits(packed: Array) -> tuple[Array, Array]:
    """12 bytes -> eight scales and eight offsets of 6 bits (`quants.scales_and_mins`)."""
    low, middle, rest = packed[..., 0:4], packed[..., 4:8], packed[..., 8:12]
    scales = np.concatenate([low & 63, (rest & 15) | ((low >> 2) & 48)], -1)
    mins = np.concatenate([middle & 63, (rest >> 4) | ((middle >> 2) & 48)], -1)
    return scales, mins


def _plain(raw: Array, heads: int, size: int = 16) -> Blocks:
    """A scale, an offset if there are two heads, and codes that lie as they shall."""
    found, codes = _of_file(raw, ("heads", "<f2", heads), ("codes", "u1", size))
    scale, *offsets = (found[..., n : n + 1] for n in range(heads))
    return Blocks(codes[:, :, None], [scale], offsets)


def _with_fifth(raw: Array, heads: int) -> Blocks:
    found, high, codes = _of_file(raw, ("heads", "<f2", heads), ("high", "<u4", 1), ("codes", "u1", 16))
    scale, *offsets = (found[..., n : n + 1] for n in range(heads))
    return Blocks(codes[:, :, None], [scale], offsets, _every_fourth(high))


def _mxfp4(raw: Array) -> Blocks:
    """The scale is half of 2 ** (e - 127) (`quants._mxfp4`), of which 2 ** -128 and -127 are subnormal."""
    exponent, codes = _of_file(raw, ("exponent", "u1", 1), ("codes", "u1", 16))
    small, e = np.uint16(0x20), exponent.astype(np.uint16)
    return Blocks(codes[:, :, None], [np.where(e < 2, small << e, (e.clip(2) - 1) << 7)])


def _iq4_xs(raw: Array) -> Blocks:
    scale, high, low, codes = _of_file(
        raw, ("scale", "<f2", 1), ("high", "<u2", 1), ("low", "u1", 4), ("codes", "u1", 128)
    )
    places = np.arange(EIGHT, dtype=np.uint16)
    four = np.stack([low & 15, low >> 4], -1).reshape(*low.shape[:2], EIGHT)
    steps = (four | ((high >> 2 * places) & 3).astype(np.uint8) << 4).astype(np.int8) - np.int8(32)
    return Blocks(codes.reshape(*codes.shape[:2], EIGHT, 16), [scale, steps])


def _with_mins(heads: Array, packed: Array, codes: Array, high: Array | None = None) -> Blocks:
    """Of byte l of `codes` (i, l) the low half is number (2 i, l), the upper one number (2 i + 1, l); of byte
    l of `high`, in words, bit i belongs to number (i, l)."""
    shape = codes.shape[:2]
    four = codes.reshape(*shape, 4, ITEMS)
    lying = np.empty((*shape, 4, 2, 16), np.uint8)
    lying[..., 0, :] = _nibbles(four & 15, four << 4)
    lying[..., 1, :] = _nibbles(four >> 4, four & 240)
    scales, mins = _six_bits(packed)
    upper = None
    if high is not None:
        places = np.arange(EIGHT, dtype=np.uint32)
        words = [((high[..., k : k + 1] >> places) & 0x01010101) << k for k in range(EIGHT)]
        upper = np.bitwise_or.reduce(words).view(np.uint8).reshape(*shape, EIGHT, 4)
    less = heads[..., 1:].view(np.uint16) ^ np.uint16(0x8000)  # offsets are taken off
    return Blocks(
        lying.reshape(*shape, EIGHT, 16), [heads[..., :1], scales], [less.view(np.float16), mins], upper
    )


def _q4_k(raw: Array) -> Blocks:
    return _with_mins(*_of_file(raw, ("heads", "<f2", 2), ("packed", "u1", 12), ("codes", "u1", 128)))


def _q5_k(raw: Array) -> Blocks:
    heads, packed, high, codes = _of_file(
        raw, ("heads", "<f2", 2), ("packed", "u1", 12), ("high", "<u4", 8), ("codes", "u1", 128)
    )
    return _with_mins(heads, packed, codes, high)


def _q6_k(raw: Array) -> Blocks:
    low, high, steps, scale = _of_file(
        raw, ("low", "u1", 128), ("high", "u1", 64), ("steps", "i1", 16), ("scale", "<f2", 1)
    )
    shape = low.shape[:2]
    four, lying = low.reshape(*shape, 2, 2, ITEMS), np.empty((*shape, 2, 2, 2, 16), np.uint8)
    lying[..., 0, :, :] = _nibbles(four & 15, four << 4)
    lying[..., 1, :, :] = _nibbles(four >> 4, four & 240)
    two, upper = high.reshape(*shape, 2, 8, 4), np.zeros((*shape, 2, 4, 2, 4), np.uint8)
    for n in range(4):
        for w in range(4):
            upper[..., n, :, :] |= ((two[..., w::4, :] >> 2 * n) & 3) << 2 * w
    scales = [scale[..., None], steps.reshape(*shape, EIGHT, 2)]
    return Blocks(lying.reshape(*shape, EIGHT, 16), scales, [], upper.reshape(*shape, EIGHT, 8))


_APART: Final[MappingProxyType[int, Callable[[Array], Blocks]]] = MappingProxyType(
    {
        2: lambda raw: _plain(raw, 1),
        3: lambda raw: _plain(raw, 2),
        6: lambda raw: _with_fifth(raw, 1),
        7: lambda raw: _with_fifth(raw, 2),
        8: lambda raw: _plain(raw, 1, ITEMS),
        12: _q4_k,
        13: _q5_k,
        14: _q6_k,
        20: lambda raw: _plain(raw, 1),
        23: _iq4_xs,
        39: _mxfp4,
    }
)


def taken_apart(kind: int, raw: Array) -> Blocks:
    """Blocks of a format (rows, blocks, bytes) by their numbers, scales and offsets."""
    return _APART[kind](raw)
