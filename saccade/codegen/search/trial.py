"""What candidates of a search are tried on: numbers to compute with, and how far results may differ.

numbers(dtypes.float32, 1000, random)      # short fractions, so that sums are exact in any order
agree(found, wanted, dtype, looseness(kernel))
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...graph.dtypes import DType
from ...graph.kernels.kernel import Kernel, range_size
from ...graph.node import own_ranges
from ...graph.ops import Op
from ...runtime.memory.halves import WORDS, from_float32, storage_dtype, to_float32

Array = NDArray[Any]

#: integers are below this, as indices are
_SMALL: Final = 8
#: units in the last place that results may differ by where nothing is summed
_ULPS: Final = 16


class WrongResult(AssertionError):
    """Legal moves changed what a kernel computes."""


def numbers(dtype: DType, size: int, random: np.random.Generator, small: int = _SMALL) -> Array:
    """Short fractions: their sums are exact, in any order. Integers are below `small`."""
    if dtype.is_bool:
        return random.integers(0, 2, size).astype(np.bool_)
    if not dtype.is_float:
        return random.integers(0, small, size).astype(dtype.name)
    values = (random.integers(-8, 9, size) / 4).astype(np.float32)
    return from_float32(values, dtype) if dtype in WORDS else values.astype(storage_dtype(dtype))


def small_integers(kernel: Kernel) -> int:
    """Below what integers have to be so that no load goes astray: those that are places and that no condition
    guards are 0."""
    unguarded = [n.src[1] for n in kernel.nodes if n.op is Op.LOAD and len(n.src) == 2]
    astray = any(inner.op is Op.LOAD for index in unguarded for inner in index.toposort())
    return 1 if astray else _SMALL


def place_words(kernel: Kernel, arrays: Sequence[Array]) -> None:
    """Give runtime values numbers they may have, in the memory of their words."""
    for node in kernel.nodes:
        if node.op is Op.VALUE:
            words = arrays[node.src[0].arg.slot]
            number = node.arg.number
            if node.dtype.is_float:
                words[number : number + 1].view(np.float64)[:] = 1.5
            else:
                words[number] = 1 if node.arg.low is None else node.arg.low


def looseness(kernel: Kernel) -> float:
    """How far sums in another order may differ, relative to the largest result: as a random walk grows."""
    folds = [n for n in kernel.nodes if n.op is Op.FOLD and n.dtype.is_float]
    steps = [(2.0**-n.dtype.mantissa_bits, prod(range_size(r) for r in own_ranges(n))) for n in folds]
    return max((ulp * (64 + 16 * sqrt(length)) for ulp, length in steps), default=0.0)


def tolerance(dtype: DType, loose: float) -> float:
    """How far results of a type may differ, relative to the largest: what sums may, and some roundings."""
    return loose + _ULPS * 2.0**-dtype.mantissa_bits


def agree(found: Array, wanted: Array, dtype: DType, loose: float) -> bool:
    """Equal, or for floats within what another order of summation may change."""
    if not dtype.is_float:
        return bool((found == wanted).all())
    a, b = ((to_float32(x, dtype) if dtype in WORDS else x).astype(np.float64) for x in (found, wanted))
    with np.errstate(invalid="ignore"):
        scale = np.abs(b[np.isfinite(b)]).max(initial=0.0)
        near = np.abs(a - b) <= tolerance(dtype, loose) * scale
    return bool((near | (a == b) | (np.isnan(a) & np.isnan(b))).all())
