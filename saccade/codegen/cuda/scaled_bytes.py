"""Bytes of a word times a scale, and an offset, in bfloat16: two of them by each instruction.

    bfloat16(scale * (code - middle) + offset)        a code: one byte of a word, below 128

Scale and offset are bfloat16 themselves. A byte in the low bits of a bfloat16 between 128 and 256 is 128 +
code, so one `prmt` makes two of them, and two packed instructions (HFMA2.BF16) the results: a subtraction,
which is exact, and a multiply-add, which rounds once. One by one a number takes a `prmt` and half a
conversion, both at half the rate of multiply-adds: they were 2,700 of the 3,000 cycles that a step of a
product with packed weights unpacks and multiplies in. On an H200, 32 rows in Q4_K, us with a launch each:
28.2 -> 25.9 for 14336 x 4096, 26.0 -> 23.8 for 4096 x 14336, 183 -> 165 for 128256 x 4096.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from ...graph import dtypes
from ...graph.node import Node, below_casts, is_const
from ...graph.ops import Op

#: Of a float32: 128, and the bit of its unit.
_BITS_OF_128: Final = 0x43000000
_UNIT: Final = 16
#: of bytes that are 128 or more
_TOP_BITS: Final = 0x80808080

PAIRS_PRELUDE: Final = r"""
// two neighbouring bytes of a word, below 128, as bfloat16 of 128 + byte
template <int FIRST> DEVICE u32 bytes_above_128(u32 word) {
#ifdef __CUDA_ARCH__
  return __byte_perm(word, 0x43434343u, 0x4140u + FIRST * 0x0101u);
#else
  return 0x43004300u | (word >> FIRST * 8 & 0xffu) | (word >> (FIRST * 8 + 8) & 0xffu) << 16;
#endif
}
DEVICE u32 twice(u16 x) { return (u32)x | (u32)x << 16; }
// a * b + c of two bfloat16 each, rounded once
DEVICE u32 multiply_add_pairs(u32 a, u32 b, u32 c) {
#if __CUDA_ARCH__ >= 800
  u32 made;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(made) : "r"(a), "r"(b), "r"(c));
  return made;
#else
  const auto one = [](u32 x, u32 y, u32 z) {
    return (u32)f32_to_bf16(fmaf(bf16_to_f32((u16)x), bf16_to_f32((u16)y), bf16_to_f32((u16)z)));
  };
  return one(a, b, c) | one(a >> 16, b >> 16, c >> 16) << 16;
#endif
}
template <int FIRST> DEVICE u32 scaled_bytes(u32 word, u16 less, u16 scale, u16 offset) {
  const u32 codes = multiply_add_pairs(bytes_above_128<FIRST>(word), twice(0x3f80), twice(less));
  return multiply_add_pairs(codes, twice(scale), twice(offset));
}
"""


class Texts(Protocol):
    """What writes expressions (`pieces.Piece`)."""

    def at(self, node: Node, place: Mapping[int, int]) -> str: ...


@dataclass(frozen=True)
class ScaledBytes:
    """bfloat16(scale * (code + less) + offset), where 128 + code has a byte of `word` in its last bits; scale
    and offset are bfloat16, and `less` are the bits of one."""

    word: Node
    scale: Node
    offset: Node
    less: int

    def pairs(self, piece: Texts, place: Mapping[int, int]) -> str:
        """The text of the four results of a word, as two words."""
        word, scale, offset = (piece.at(each, place) for each in (self.word, self.scale, self.offset))
        given = f"{word}, {self.less:#x}, {scale}, {offset}"
        return f"scaled_bytes<0>({given}), scaled_bytes<2>({given})"


def scaled_bytes(value: Node, byte: Node) -> ScaledBytes | None:
    """An expression over the bytes of a word, which `byte` numbers, as such; None if it is another one."""
    if value.op is not Op.CAST or value.dtype is not dtypes.bfloat16 or value.src[0].op is not Op.ADD:
        return None
    for product, end in _both(value.src[0]):
        for factor, code in _both(product) if product.op is Op.MUL else ():
            scale, offset, found = _rounded(factor), _rounded(end), _code(code, byte)
            if scale is None or offset is None or found is None:
                continue
            if not any(r.arg == byte.arg for each in (scale, offset, found[0]) for r in each.ranges):
                return ScaledBytes(found[0], scale, offset, found[1])
    return None


def _both(node: Node) -> tuple[tuple[Node, Node], tuple[Node, Node]]:
    first, second = node.src
    return (first, second), (second, first)


def _rounded(node: Node) -> Node | None:
    """The bfloat16 that a float32 is, if it is one."""
    return node.src[0] if node.op is Op.CAST and node.src[0].dtype is dtypes.bfloat16 else None


def _code(node: Node, byte: Node) -> tuple[Node, int] | None:
    """The word of `128 + its byte - constant`, and the bits of minus that constant as a bfloat16."""
    if node.op is not Op.SUB or node.src[1].op is not Op.CONST or node.src[0].op is not Op.BITCAST:
        return None
    bits, less = node.src[0].src[0], int(np.float32(-node.src[1].arg).view(np.uint32))
    if bits.op is not Op.OR or not is_const(bits.src[1], _BITS_OF_128) or less & 0xFFFF:
        return None
    put = bits.src[0]
    if put.op is not Op.SHL or not is_const(put.src[1], _UNIT):
        return None
    taken = below_casts(put.src[0])
    is_byte = put.src[0].op is Op.CAST and put.src[0].src[0].dtype is dtypes.uint8
    if not is_byte or taken.op is not Op.SHR or taken.dtype is not dtypes.uint32:
        return None
    word, start = taken.src
    numbered = start.op is Op.MUL and below_casts(start.src[0]).arg == byte.arg and is_const(start.src[1], 8)
    return (word, less >> 16) if numbered and not _bits(word) & _TOP_BITS else None


def _bits(word: Node) -> int:
    """The bits of a word that may be ones."""
    if word.op is Op.CONST:
        return int(word.arg)
    if word.op is Op.AND:
        return _bits(word.src[0]) & _bits(word.src[1])
    if word.op is Op.OR:
        return _bits(word.src[0]) | _bits(word.src[1])
    return 0xFFFFFFFF
