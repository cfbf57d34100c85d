"""A byte of a word put into a constant: one instruction of a GPU, prmt.

    u32(u8(word >> 8 n)) << 16 | 0x43000000    ->    permute(word, 8 n, 0x43000000)

So a code of a few bits becomes a float without a conversion (0x43 is the exponent of 128, whose unit is bit
16). By a shift and a mask it is two instructions, and a third one for the mask's constant."""

from __future__ import annotations

from typing import Final, NamedTuple

from ....graph import dtypes
from ....graph.kernels.kernel import UNROLL, range_size
from ....graph.node import Node, const
from ....graph.ops import Op
from ....graph.rules.symbolic import simplify

#: bits where the bytes of a word begin
PLACES: Final = (0, 8, 16, 24)


class Permute(NamedTuple):
    """The word, the bit where a byte of it begins, the constant, and the bit where the byte goes."""

    word: Node
    start: Node
    rest: int
    to: int


def permute_of(node: Node) -> Permute | None:
    """The byte that an OR puts into a constant of 32 bits, if that is what it does."""
    if node.op is not Op.OR or node.dtype is not dtypes.uint32:
        return None
    moved, rest = node.src if node.src[1].op is Op.CONST else node.src[::-1]
    if rest.op is not Op.CONST:
        return None
    to = 0
    if moved.op is Op.SHL and moved.src[1].op is Op.CONST:
        moved, to = moved.src[0], int(moved.src[1].arg)
    if to not in PLACES or int(rest.arg) >> to & 255 or moved.op is not Op.CAST:
        return None
    byte = moved.src[0]
    if byte.op is not Op.CAST or byte.dtype is not dtypes.uint8 or byte.src[0].op is not Op.SHR:
        return None
    word, start = byte.src[0].src
    return (
        Permute(word, start, int(rest.arg), to) if word.dtype is dtypes.uint32 and _is_place(start) else None
    )


def _is_place(start: Node) -> bool:
    """Does a byte begin there, whatever the unroll axes are?"""
    axes = list(start.ranges)
    if len(axes) > 1 or any(r.arg.kind != UNROLL for r in axes):
        return False
    points = [simplify(start.substitute({r: const(n, r.dtype)})) for r in axes for n in range(range_size(r))]
    return all(n.op is Op.CONST and n.arg in PLACES for n in (points or [start]))
