"""Whether all or some elements hold, and differences of neighbours.

>>> diff(Tensor([1, 4, 9])).tolist()
[3, 5]
"""

from __future__ import annotations

from ...tensor.tensor import Tensor
from ..promotion import NUMBERS, need, need_array

Axes = int | tuple[int, ...] | None


def all(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    array = need_array("all", x)
    return array.bool() if axis == () else array.all(axis, keepdims)


def any(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    array = need_array("any", x)
    return array.bool() if axis == () else array.any(axis, keepdims)


def diff(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Differences of neighbours along an axis, n times over."""
    return need("diff", NUMBERS, x).diff(n, axis, prepend, append)


__all__ = ["all", "any", "diff"]
