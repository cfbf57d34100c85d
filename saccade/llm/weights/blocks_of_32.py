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
    numbers have one."""

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


def _nibbles(numbers: Array) -> Array:
    """(.., 32) -> the low four bits of each, two in a byte, (.., 16)."""
    made: Array = (numbers[..., :16] & 15) | (numbers[..., 16:] << 4)
    return made


def _fifth(bits: Array) -> Array:
    """One bit each of (.., 32) numbers as `upper`, (.., 4)."""
    return np.packbits(bits.reshape(*bits.shape[:-1], EIGHT, 4), axis=-2, bitorder="little").squeeze(-2)


def _two_above(bits: Array) -> Array:
    """Two bits each of (.., 32) numbers as `upper`, (.., 8)."""
    words = bits.reshape(*bits.shape[:-1], 2, 4, 4)
    made: Array = words[..., 0, :] | words[..., 1, :] << 2 | words[..., 2, :] << 4 | words[..., 3, :] << 6
    return made.reshape(*bits.shape[:-1], 8)


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
    found, high, codes = _of_file(raw, ("heads", "<f2", heads), ("high", "u1", 4), ("codes", "u1", 16))
    scale, *offsets = (found[..., n : n + 1] for n in range(heads))
    upper = _fifth(np.unpackbits(high, axis=-1, bitorder="little"))
    return Blocks(codes[:, :, None], [scale], offsets, upper[:, :, None])


def _with_mins(heads: Array, packed: Array, codes: Array, high: Array | None = None) -> Blocks:
    """Of byte l of `codes` (i, l) the low half is number (2 i, l), the upper one number (2 i + 1, l); of byte
    l of `high` bit i belongs to number (i, l)."""
    shape = codes.shape[:2]
    four = codes.reshape(*shape, 4, 1, ITEMS)
    lying = _nibbles(np.concatenate([four & 15, four >> 4], -2)).reshape(*shape, EIGHT, 16)
    scales, mins = _six_bits(packed)
    places = np.arange(EIGHT, dtype=np.uint8)[:, None]
    upper = None if high is None else _fifth((high[:, :, None] >> places) & 1)
    less = heads[..., 1:].view(np.uint16) ^ np.uint16(0x8000)  # offsets are taken off
    return Blocks(lying, [heads[..., :1], scales], [less.view(np.float16), mins], upper)


def _q4_k(raw: Array) -> Blocks:
    return _with_mins(*_of_file(raw, ("heads", "<f2", 2), ("packed", "u1", 12), ("codes", "u1", 128)))


def _q5_k(raw: Array) -> Blocks:
    heads, packed, high, codes = _of_file(
        raw, ("heads", "<f2", 2), ("packed", "u1", 12), ("high", "u1", 32), ("codes", "u1", 128)
    )
    return _with_mins(heads, packed, codes, high)


def _q6_k(raw: Array) -> Blocks:
    low, high, steps, scale = _of_file(
        raw, ("low", "u1", 128), ("high", "u1", 64), ("steps", "i1", 16), ("scale", "<f2", 1)
    )
    shape = low.shape[:2]
    four = low.reshape(*shape, 2, 1, 2, ITEMS)
    numbers = np.concatenate([four & 15, four >> 4], -3).reshape(*shape, EIGHT, ITEMS)
    two = (high.reshape(*shape, 2, 1, ITEMS) >> np.arange(0, 8, 2, dtype=np.uint8)[:, None]) & 3
    upper = _two_above(two.reshape(*shape, EIGHT, ITEMS))
    return Blocks(_nibbles(numbers), [scale[..., None], steps.reshape(*shape, EIGHT, 2)], [], upper)


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
    }
)


def taken_apart(kind: int, raw: Array) -> Blocks:
    """Blocks of a format (rows, blocks, bytes) by their numbers, scales and offsets."""
    return _APART[kind](raw)
