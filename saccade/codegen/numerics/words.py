"""bfloat16 and the two eight-bit floats as integers: machines here have no registers for them.

A value of such a type is carried as a word, an unsigned integer with its bits. Arithmetic happens in float32:

    decode(word, dtype)    the float32 with the same value; exact
    encode(value, dtype)   the word nearest to a float32, ties to even; NaN stays NaN

bfloat16 and float8_e5m2 overflow to infinity; float8_e4m3 has none, and what is too large becomes 448.
`runtime.halves` does the same for arrays.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Node, Scalar, const, make
from ...graph.ops import Op
from ...runtime.memory.halves import from_float32
from .bits import float_of, left, right

#: The integer that carries each type.
WORDS: Final[dict[DType, DType]] = {
    dtypes.bfloat16: dtypes.uint16,
    dtypes.float8_e4m3: dtypes.uint8,
    dtypes.float8_e5m2: dtypes.uint8,
}
#: Words of the eight-bit types: what overflow becomes, and a NaN.
_SPECIAL: Final = {dtypes.float8_e4m3: (0x7E, 0x7F), dtypes.float8_e5m2: (0x7C, 0x7E)}


def word_constant(value: Scalar, dtype: DType) -> Node:
    with np.errstate(over="ignore"):
        return const(int(from_float32(np.array(value, np.float32), dtype)), WORDS[dtype])


def negated(word: Node) -> Node:
    return word ^ (1 << (word.dtype.bits - 1))


def magnitude(word: Node) -> Node:
    return word & ((1 << (word.dtype.bits - 1)) - 1)


def decode(word: Node, dtype: DType) -> Node:
    """word of `dtype` -> float32."""
    if dtype is dtypes.float8_e5m2:  # the upper half of a float16
        half = make(Op.BITCAST, dtypes.float16, (left(word.cast(dtypes.uint16), 8),))
        return half.cast(dtypes.float32)
    bits = word.cast(dtypes.uint32)
    if dtype is dtypes.bfloat16:
        return float_of(left(bits, 16))
    # as a float32 with the same fields it is 2**120 times too small, subnormals included
    small = float_of(left(bits & 0x7F, 20) | left(bits & 0x80, 24))
    exact = small * const(2.0**120, dtypes.float32)
    return (bits & 0x7F).eq(0x7F).where(const(float("nan"), dtypes.float32), exact)


def encode(value: Node, dtype: DType) -> Node:
    """float32 -> word of `dtype`."""
    bits = make(Op.BITCAST, dtypes.uint32, (value,))
    if dtype is dtypes.bfloat16:
        # 0x7fff plus the last kept bit carries when the rest is over half, or half and the last bit is odd
        rounded = right(bits + 0x7FFF + (right(bits, 16) & 1), 16)
        quiet_nan = right(bits, 16) | 0x40
        return value.alu(Op.ISNAN).where(quiet_nan, rounded).cast(dtypes.uint16)
    return _encode_eight_bits(value, bits, dtype)


def _encode_eight_bits(value: Node, bits: Node, dtype: DType) -> Node:
    kept, bias = dtype.mantissa_bits, (1 << (dtype.exponent_bits - 1)) - 1
    dropped = 23 - kept
    positive = bits & 0x7FFFFFFF
    rounded = right(positive + ((1 << (dropped - 1)) - 1) + (right(positive, dropped) & 1), dropped)
    normal = rounded - ((127 - bias) << kept)
    # adding a power of two whose last place is the smallest subnormal rounds to a multiple of that
    anchor = const(2.0 ** (1 - bias - kept + 23), dtypes.float32)
    tiny = make(Op.BITCAST, dtypes.uint32, (float_of(positive) + anchor,))
    subnormal = tiny - make(Op.BITCAST, dtypes.uint32, (anchor,))
    overflow, nan = _SPECIAL[dtype]
    word = (positive < ((127 + 1 - bias) << 23)).where(subnormal, normal.minimum(overflow))
    word = value.alu(Op.ISNAN).where(const(nan, dtypes.uint32), word)
    return (word | (right(bits, 24) & 0x80)).cast(dtypes.uint8)
