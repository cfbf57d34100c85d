"""Sums, products, means and extremes, over all elements or some axes; `axis=()` is no axis at all.

Sums and products of integers have the widest dtype of their sign, those of floats their own.

    >>> sum(Tensor([200, 100], dtype="uint8")).dtype
    dtypes.uint64
"""

from __future__ import annotations

from ...graph import dtypes
from ...graph.dtypes import DType
from ...tensor.tensor import Tensor
from ..promotion import FLOATING, FLOATS, REALS, need, need_array

Axes = int | tuple[int, ...] | None


def sum_dtype(x: Tensor, dtype: DType | None) -> DType:
    """The dtype of sums and products of x."""
    if dtype is not None:
        return dtype
    return x.dtype if x.dtype.has_gradient else dtypes.uint64 if x.dtype.is_unsigned else dtypes.int64


def sum(x: Tensor, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Tensor:
    wanted = sum_dtype(need_array("sum", x), dtype)
    return x.cast(wanted) if axis == () else x.sum(axis, keepdims, dtype=wanted)


def prod(x: Tensor, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Tensor:
    wanted = sum_dtype(need_array("prod", x), dtype)
    return x.cast(wanted) if axis == () else x.prod(axis, keepdims, dtype=wanted)


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    array = need("mean", FLOATING, x)
    return Tensor(array) if axis == () else array.mean(axis, keepdims)


def var(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The mean square distance from the mean, over (count - correction)."""
    array = need("var", FLOATS, x)
    if axis == ():
        return array.unsqueeze(0).var(0, correction=correction)
    return array.var(axis, keepdim=keepdims, correction=correction)


def std(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    return var(x, axis=axis, correction=correction, keepdims=keepdims).sqrt()


def max(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    array = need("max", REALS, x)
    return Tensor(array) if axis == () else array.amax(axis, keepdims)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    array = need("min", REALS, x)
    return Tensor(array) if axis == () else array.amin(axis, keepdims)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Tensor:
    """Running sums, with a 0 before the first where asked."""
    along, wanted = _line("cumulative_sum", x, axis), sum_dtype(x, dtype)
    return _led(x.cumsum(along, dtype=wanted), along, 0 if include_initial else None)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Tensor:
    """Running products, with a 1 before the first where asked."""
    along, wanted = _line("cumulative_prod", x, axis), sum_dtype(x, dtype)
    return _led(x.cumprod(along, dtype=wanted), along, 1 if include_initial else None)


def _line(name: str, x: Tensor, axis: int | None) -> int:
    """The axis to run along; an array of one axis needs no name for it."""
    array = need_array(name, x)
    if array.ndim == 0 or (axis is None and array.ndim != 1):
        raise ValueError(f"{name} needs an axis of shape {array.shape}: only one axis alone needs no name")
    return 0 if axis is None else array._axis(axis)


def _led(x: Tensor, axis: int, first: int | None) -> Tensor:
    if first is None:
        return x
    lead = Tensor.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), first, dtype=x.dtype)
    return x._joined([lead, x], axis)


__all__ = ["cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var"]
