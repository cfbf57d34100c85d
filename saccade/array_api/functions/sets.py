"""Different values, and which are among others. Every NaN is a value of its own, as no two are equal.

How many there are is data: these compute the array and wait.

    >>> unique_counts(Tensor([3, 1, 3])).counts.tolist()
    [1, 2]
"""

from __future__ import annotations

from typing import NamedTuple

from ...tensor.tensor import Tensor
from ..promotion import ANYTHING, Arg, agreed, need_array


class UniqueAll(NamedTuple):
    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    values: Tensor
    inverse_indices: Tensor


def isin(x1: Arg, x2: Arg, /, *, invert: bool = False) -> Tensor:
    """Is each element of x1 one of x2 (or, with `invert`, none of them)?"""
    elements, values = agreed("isin", ANYTHING, x1, x2)
    found = elements.isin(
        values if isinstance(values, Tensor) else Tensor.full((1,), values, dtype=elements.dtype)
    )
    return ~found if invert else found


def unique_all(x: Tensor, /) -> UniqueAll:
    """The values in order, the place of the first of each, which one every element is, how many of each."""
    values, inverse, counts = need_array("unique_all", x).unique(return_inverse=True, return_counts=True)
    # a stable sort has equal elements in their order, so the first of each run is the first of all
    first = x.ravel()._in_some_order()[1][counts.cumsum(0) - counts]
    return UniqueAll(values, first, inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    return UniqueCounts(*need_array("unique_counts", x).unique(return_counts=True))


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    return UniqueInverse(*need_array("unique_inverse", x).unique(return_inverse=True))


def unique_values(x: Tensor, /) -> Tensor:
    values: Tensor = need_array("unique_values", x).unique()
    return values


__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]
