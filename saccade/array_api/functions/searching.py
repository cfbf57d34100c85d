"""Where things are.

>>> nonzero(Tensor([0, 3, 5]))[0].tolist()
[1, 2]
"""

from __future__ import annotations

from ...graph.dtypes import CATEGORY
from ...tensor.tensor import Tensor
from ..promotion import ANYTHING, REALS, Arg, agreed, need, need_array, number_of, scalar_dtype

Axes = int | tuple[int, ...] | None


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    return need("argmax", REALS, x).argmax(axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    return need("argmin", REALS, x).argmin(axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    holds = need_array("count_nonzero", x).bool()
    return holds.long() if axis == () else holds.sum(axis, keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The places of what is not 0, one array an axis. Their number is data: this computes and waits."""
    array = need_array("nonzero", x)
    if array.ndim == 0:
        raise ValueError("nonzero takes at least one axis: reshape a 0-dim array to (1,)")
    return array.nonzero(as_tuple=True)


def searchsorted(x1: Tensor, x2: Arg, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Where x2 would be inserted in x1, which is in order, or is once `sorter` has indexed it."""
    line, sought = agreed("searchsorted", REALS, x1, x2)
    ordered = line if sorter is None else line[sorter]
    return ordered.searchsorted(
        sought if isinstance(sought, Tensor) else Tensor.full((), sought, dtype=line.dtype), side=side
    )


def where(condition: Tensor, x1: Arg, x2: Arg, /) -> Tensor:
    """x1 where the condition holds, else x2."""
    holds = need_array("where", condition)
    if isinstance(x1, Tensor) or isinstance(x2, Tensor):
        yes, no = agreed("where", ANYTHING, x1, x2)
        if not isinstance(no, Tensor):
            no = Tensor.full((), no, dtype=yes.dtype)
        return holds._choose(yes, no)
    first, second = number_of(x1, "where"), number_of(x2, "where")
    kinds = [Tensor.full((), value) for value in (first, second)]
    wide = max(kinds, key=lambda t: CATEGORY[t.dtype.kind]).dtype
    for value in (first, second):
        scalar_dtype(wide, value, "where")
    return holds._choose(first, second)


__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]
