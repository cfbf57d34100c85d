"""In order along an axis. Sorting is always stable, and NaN counts as the largest.

>>> sort(Tensor([2, 1]), descending=True).tolist()
[2, 1]
"""

from __future__ import annotations

from ...tensor.tensor import Tensor
from ..promotion import REALS, need


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    return need("argsort", REALS, x).argsort(axis, descending, stable)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    return need("sort", REALS, x).sort(axis, descending, stable).values


__all__ = ["argsort", "sort"]
