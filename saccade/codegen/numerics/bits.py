"""The bits of floats as integers of their size, and shifts of these.

float_of(bits_of(x) + left(n, 23))      # x * 2**n, for a float32 of ordinary size
"""

from __future__ import annotations

from typing import Final

from ...graph import dtypes
from ...graph.node import Node, const, make
from ...graph.ops import Op

_WORDS: Final = {dtypes.float32: dtypes.int32, dtypes.float64: dtypes.int64}
_FLOATS: Final = {word.itemsize: dtype for dtype, word in _WORDS.items()}


def bits_of(x: Node) -> Node:
    """A signed integer."""
    return make(Op.BITCAST, _WORDS[x.dtype], (x,))


def float_of(bits: Node) -> Node:
    return make(Op.BITCAST, _FLOATS[bits.dtype.itemsize], (bits,))


def left(x: Node, places: int) -> Node:
    return x.alu(Op.SHL, const(places, x.dtype))


def right(x: Node, places: int) -> Node:
    return x.alu(Op.SHR, const(places, x.dtype))


def sign_bit(x: Node) -> int:
    """The bit of a float's sign, of its word."""
    return -(1 << 8 * x.dtype.itemsize - 1)


def with_sign_of(magnitude: Node, x: Node) -> Node:
    """A value >= 0 with the sign of x, so that odd functions keep the sign of zero."""
    return float_of(bits_of(magnitude) | (bits_of(x) & sign_bit(x)))


def with_changed_sign(value: Node, x: Node) -> Node:
    """A value with the other sign where x has one."""
    return float_of(bits_of(value) ^ (bits_of(x) & sign_bit(x)))
