"""Numbers of bfloat16 that are made of the bytes of a word, two at a time.

    scale * ((128 + byte) - centre) + offset        128 + byte from the bits of 128, in float32

The sum of 128 and a byte below 128 is a bfloat16 as it is, less a whole number it is one again, and scale and
offset are, so one fused instruction for two neighbours rounds the result once, as float32 does that is
rounded to bfloat16 at last. A lane of a packed product unpacks with it (`templates.product.unpacked`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...graph import dtypes
from ...graph.kernels.kernel import range_size
from ...graph.node import Node, index_const
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify

_BITS_OF_128: Final = 0x43000000


@dataclass(frozen=True)
class Pairs:
    """words: uint32 of four bytes below 128 each; scale, offset: bfloat16; centre: what is taken off."""

    words: Node
    scale: Node
    offset: Node
    centre: float


def pairs_of(made: Node, byte: Node) -> Pairs | None:
    """What an expression is as such numbers, where `byte` is the axis of the four bytes of a word."""
    if made.op is not Op.CAST or made.dtype is not dtypes.bfloat16 or range_size(byte) != 4:
        return None
    total = made.src[0]
    if total.op is not Op.ADD or total.src[0].op is not Op.MUL or total.src[0].src[0].op is not Op.SUB:
        return None
    (near, centre), scale, offset = total.src[0].src[0].src, total.src[0].src[1], total.src[1]
    if near.op is not Op.BITCAST or centre.op is not Op.CONST or not all(map(_is_widened, (scale, offset))):
        return None
    bits = near.src[0]
    if bits.op is not Op.OR or bits.src[1].op is not Op.CONST or bits.src[1].arg != _BITS_OF_128:
        return None
    words = _bytes_of(bits.src[0], byte)
    if words is None or any(byte in each.ranges for each in (words, scale, offset)):
        return None
    return Pairs(words, scale.src[0], offset.src[0], float(centre.arg))


def _is_widened(node: Node) -> bool:
    """Is it a bfloat16 in float32?"""
    return node.op is Op.CAST and node.dtype is dtypes.float32 and node.src[0].dtype is dtypes.bfloat16


def _bytes_of(shifted: Node, byte: Node) -> Node | None:
    """The words of (uint32)(uint8)(words >> 8 byte) << 16."""
    if shifted.op is not Op.SHL or shifted.src[1].op is not Op.CONST or shifted.src[1].arg != 16:
        return None
    wide = shifted.src[0]
    narrow = wide.src[0] if wide.op is Op.CAST and wide.dtype is dtypes.uint32 else wide
    if narrow.op is not Op.CAST or narrow.dtype is not dtypes.uint8 or narrow.src[0].op is not Op.SHR:
        return None
    words, by = narrow.src[0].src
    places = [simplify(by.substitute({byte: index_const(i)})) for i in range(4)]
    in_order = all(p.op is Op.CONST and p.arg == 8 * i for i, p in enumerate(places))
    return words if in_order and words.dtype is dtypes.uint32 else None
