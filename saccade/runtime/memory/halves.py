"""Floats NumPy has no type for: bfloat16 and the two eight-bit ones, kept as words.

    >>> to_float32(from_float32(np.float32([1.0, 3.14159]), dtypes.bfloat16), dtypes.bfloat16)
    array([1.      , 3.140625], dtype=float32)

`from_float32` rounds to nearest, ties to even. bfloat16 and float8_e5m2 overflow to infinity. float8_e4m3 has
none: what is too large, an infinity too, becomes its largest number, 448, as in torch and in the GPU's
instruction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.graph import dtypes
from saccade.graph.dtypes import DType

Array = NDArray[Any]

WORDS: dict[DType, np.dtype[Any]] = {
    dtypes.bfloat16: np.dtype(np.uint16),
    dtypes.float8_e4m3: np.dtype(np.uint8),
    dtypes.float8_e5m2: np.dtype(np.uint8),
}


def storage_dtype(dtype: DType) -> np.dtype[Any]:
    """The NumPy type of the memory of `dtype`: its own where NumPy has it, else the word of its width."""
    return WORDS[dtype] if dtype in WORDS else np.dtype(dtype.name)


def to_float32(words: Array, dtype: DType) -> NDArray[np.float32]:
    """The values that words of `dtype` stand for; exact."""
    if dtype is dtypes.bfloat16:
        return (words.astype(np.uint32) << 16).view(np.float32)
    table: NDArray[np.float32] = _TABLES[dtype][words]
    return table


def from_float32(values: Array, dtype: DType) -> Array:
    """Words of `dtype` nearest to float32 `values`, ties to even."""
    values = np.asarray(values, np.float32)
    if dtype is dtypes.bfloat16:
        return _to_bfloat16(values)
    return _to_float8(values, dtype)


def _to_bfloat16(values: NDArray[np.float32]) -> Array:
    bits = np.ascontiguousarray(values).view(np.uint32).reshape(values.shape)
    # 0x7fff plus the last kept bit carries exactly when the dropped half is above a tie, or a tie onto an odd
    # word
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1))) >> 16
    quiet_nan = (bits >> 16) | 0x40
    return np.where(np.isnan(values), quiet_nan, rounded).astype(np.uint16)


def _to_float8(values: NDArray[np.float32], dtype: DType) -> Array:
    """A magnitude is q * 2**(e - mantissa); with e no less than the subnormals' exponent, (e - least) *
    2**mantissa + q is its word, and a q rounded up to the next power of two carries into the exponent by
    itself."""
    mantissa, bias = dtype.mantissa_bits, (1 << (dtype.exponent_bits - 1)) - 1
    least = 1 - bias
    with np.errstate(invalid="ignore"):  # raised by signalling NaNs
        magnitude = np.abs(values.astype(np.float64))
    finite = np.isfinite(magnitude)
    magnitude = np.where(finite, magnitude, 0.0)
    exponent = np.where(magnitude == 0, least, np.maximum(np.frexp(magnitude)[1] - 1, least))
    steps = np.rint(np.ldexp(magnitude, mantissa - exponent))
    word = np.minimum((exponent - least) * (1 << mantissa) + steps, 255).astype(np.int64)
    overflow, nan = _SPECIALS[dtype]
    word = np.where(finite & (word < overflow), word, overflow)
    word = np.where(np.isnan(values), nan, word)
    signed: Array = (word | (np.signbit(values).astype(np.int64) << 7)).astype(np.uint8)
    return signed


#: What overflow becomes, and a NaN.
_SPECIALS = {dtypes.float8_e4m3: (0x7E, 0x7F), dtypes.float8_e5m2: (0x7C, 0x7E)}


def _decode_table(dtype: DType) -> NDArray[np.float32]:
    words = np.arange(256)
    mantissa_bits, bias = dtype.mantissa_bits, (1 << (dtype.exponent_bits - 1)) - 1
    sign = np.where(words & 0x80, -1.0, 1.0)
    exponent = (words & 0x7F) >> mantissa_bits
    mantissa = words & ((1 << mantissa_bits) - 1)
    fraction = np.where(exponent == 0, mantissa, mantissa + (1 << mantissa_bits)).astype(np.float64)
    values = sign * np.ldexp(fraction, np.maximum(exponent, 1) - bias - mantissa_bits)
    magnitude = words & 0x7F
    if dtype is dtypes.float8_e4m3:
        values = np.where(magnitude == 0x7F, np.nan, values)
    else:
        values = np.where(magnitude == 0x7C, sign * np.inf, np.where(magnitude > 0x7C, np.nan, values))
    return values.astype(np.float32)


_TABLES = {dtype: _decode_table(dtype) for dtype in _SPECIALS}
