"""What a float type can hold, and how far apart its numbers are: the arithmetic behind the oracle's radii."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.dtypes import DType

Array = NDArray[Any]


def largest(dtype: DType) -> float:
    """The largest finite number."""
    if dtype.name == "float8_e4m3":
        return 448.0
    bias = (1 << (dtype.exponent_bits - 1)) - 1
    return math.ldexp(2.0 - 2.0**-dtype.mantissa_bits, bias)


def smallest(dtype: DType) -> float:
    """The smallest normal number: below it, precision is lost or flushed."""
    return math.ldexp(1.0, 2 - (1 << (dtype.exponent_bits - 1)))


def is_short(value: Array, dtype: DType) -> Array:
    """Is a number so short that arithmetic on such numbers, with short results, was exact on the way?"""
    fraction = dtype.mantissa_bits // (3 if dtype.bits > 16 else 4)
    scaled = value * float(1 << fraction)
    fits: Array = (scaled == np.rint(scaled)) & (np.abs(scaled) < float(1 << dtype.mantissa_bits))
    return fits


def ulp(value: Array, dtype: DType) -> Array:
    """The distance between neighbours of this magnitude, and no less than the smallest normal number."""
    made: Array = np.abs(value) * 2.0**-dtype.mantissa_bits + smallest(dtype)
    return made


def distance(a: Array, b: Array) -> Array:
    """How far apart; 0 for two NaNs and for equal infinities."""
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0.0, np.abs(a - b))
