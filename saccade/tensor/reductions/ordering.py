"""Order: sort, top-k, and what follows from them.

A small top-k keeps its k best in registers while it reads; a large one sorts what may be among them; the k-th
alone is found by counting (`selection.py`). NaN
counts as the largest value in a sort and as the best of all in a top-k, as in torch; equal elements keep
their order.

    >>> Tensor([3, 1, 2]).topk(2).indices.tolist()
    [0, 2]
"""

from __future__ import annotations

from typing import Any, Self

from ...graph import dtypes
from ...graph.node import make
from ...graph.ops import Op
from .. import build
from ..core import Operand
from ..shapes.indexing import Indexing
from .reduce import ValuesAndIndices
from .selection import is_selected, kth_place

#: what a quantile between two elements is
_BETWEEN = ("linear", "lower", "higher", "midpoint", "nearest")
#: up to here the k best are kept in registers
SMALL_K = 16


class Ordering(Indexing):
    __slots__ = ()

    def topk(
        self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
    ) -> ValuesAndIndices[Self]:
        """The k best along an axis, best first."""
        self._need_order("topk")
        axis = self._axis(dim)
        n = self.shape[axis] if self.ndim else 1
        if not 0 <= k <= n:
            raise ValueError(
                f"cannot take the top {k} of {n} elements along axis {dim} of shape {self.shape}"
            )
        if self.ndim == 0:
            return ValuesAndIndices(self, self._new(build.full(0, dtypes.int64, ())))
        if k == 0 or self.numel() == 0:
            empty = self.narrow(axis, 0, k)
            return ValuesAndIndices(empty, empty._constant(0).cast(dtypes.int64))
        if k > SMALL_K:
            return self._sorted(axis, largest, k)
        values, indices = (
            self._new(make(Op.TOPK, dtype, (self.node,), (k, axis, largest, want)))
            for dtype, want in ((self.dtype, "values"), (dtypes.int64, "indices"))
        )
        return ValuesAndIndices(values, indices)

    def sort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> ValuesAndIndices[Self]:
        """In order along an axis, and where each element came from. Always stable."""
        self._need_order("sort")
        axis = self._axis(dim)
        if self.ndim == 0 or self.numel() == 0:
            return ValuesAndIndices(self, self._new(build.full(0, dtypes.int64, self.shape)))
        return self._sorted(axis, descending, self.shape[axis])

    def _sorted(self, axis: int, descending: bool, keep: int) -> ValuesAndIndices[Self]:
        """The first `keep` in order along an axis, and where they came from."""
        values, indices = (
            self._new(make(Op.SORT, dtype, (self.node,), (axis, descending, keep, 0, want)))
            for dtype, want in ((self.dtype, "values"), (dtypes.int64, "indices"))
        )
        return ValuesAndIndices(values, indices)

    def argsort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> Self:
        return self.sort(dim, descending).indices

    def msort(self) -> Self:
        return self.sort(0).values

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices[Self]:
        """The k-th smallest (counted from 1) along an axis."""
        self._need_order("kthvalue")
        axis = self._axis(dim)
        n = self.shape[axis] if self.ndim else 1
        if not 1 <= k <= n:
            raise ValueError(
                f"there is no {k}-th smallest of {n} elements along axis {dim} of shape {self.shape}"
            )
        if self.ndim == 0:
            return ValuesAndIndices(self, self._new(build.full(0, dtypes.int64, ())))
        if k > SMALL_K and is_selected(self, n):
            place = kth_place(self, k, axis)
            picked = [self.gather(axis, place), place]
        else:
            picked = [part.narrow(axis, k - 1, 1) for part in self._sorted(axis, False, k)]
        values, indices = picked if keepdim else [part.squeeze(axis) for part in picked]
        return ValuesAndIndices(values, indices)

    def median(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """The lower middle element; with `dim` also where it is. A NaN wins, as in torch."""
        if dim is None:
            if not self.numel() and self.dtype.is_float:
                return self._new(build.full(float("nan"), self.dtype, ()))
            return self.ravel().median(0).values
        n = self.shape[self._axis(dim)] if self.ndim else 1
        found = self.kthvalue((n + 1) // 2, dim, keepdim)
        if not self.dtype.is_float or self.ndim == 0:
            return found
        largest = self.max(dim, keepdim)  # the first NaN, if there is one
        spoiled = largest.values.isnan()
        values = spoiled._choose(largest.values, found.values)
        return ValuesAndIndices(values, spoiled._choose(largest.indices, found.indices))

    def nanmedian(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """The lower middle element of those that are numbers; with `dim` also where it is."""
        if dim is None:
            return self.ravel().nanmedian(0).values
        axis = self._axis(dim)
        if self.ndim == 0:
            return self.kthvalue(1)
        self._need_elements((axis,), "nanmedian")
        middle = (((~self.isnan()).sum(axis, keepdim=True) - 1) // 2).maximum(0)
        picked = [part.gather(axis, middle) for part in self.sort(axis)]
        values, indices = picked if keepdim else [part.squeeze(axis) for part in picked]
        return ValuesAndIndices(values, indices)

    def quantile(
        self, q: Operand, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
    ) -> Self:
        """Quantiles, between two neighbours by `interpolation` (linear, lower, higher, midpoint, nearest);
        several q make a first axis."""
        return self._quantile(q, dim, keepdim, interpolation, False)

    def nanquantile(
        self, q: Operand, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
    ) -> Self:
        """Quantiles of the elements that are numbers."""
        return self._quantile(q, dim, keepdim, interpolation, True)

    def _quantile(
        self, q: Operand, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool
    ) -> Self:
        if dim is None:
            flat = self.ravel()._quantile(q, 0, False, interpolation, ignore_nan)
            return flat.reshape(*flat.shape, *(1,) * self.ndim) if keepdim else flat
        if interpolation not in _BETWEEN:
            raise ValueError(f"unknown interpolation {interpolation!r}: use one of {', '.join(_BETWEEN)}")
        if isinstance(q, (int, float)) and not 0 <= q <= 1:
            raise ValueError(f"a quantile lies between 0 and 1, not {q}")
        axis = self._axis(dim)
        self._need_floats("quantile")
        self._need_elements((axis,), "quantile")
        ordered = self.sort(axis).values.movedim(axis, -1)
        share = (
            self._new(build.full(q, self.dtype, ()))
            if isinstance(q, (int, float))
            else self._coerce(q).cast(self.dtype)
        )
        place = share.reshape(*share.shape, *(1,) * (self.ndim - 1), 1)
        if ignore_nan:
            last = (~ordered.isnan()).sum(-1, keepdim=True) - 1
            place = place * last.maximum(0).cast(self.dtype)
        else:
            place = place * (ordered.shape[-1] - 1)
        if interpolation in ("lower", "higher", "nearest"):
            place = {"lower": place.floor, "higher": place.ceil, "nearest": place.round}[interpolation]()
        low = place.floor()
        target = (*share.shape, *ordered.shape[:-1], 1)
        spread = ordered.expand(*share.shape, *ordered.shape)
        below = spread.gather(-1, low.long().expand(target))
        above = spread.gather(-1, place.ceil().long().expand(target))
        found = below.lerp(above, 0.5 if interpolation == "midpoint" else place - low)
        if not ignore_nan:
            found = self.isnan().any(axis).unsqueeze(-1)._choose(float("nan"), found)
        result = found.cast(self.dtype).squeeze(-1)
        return result.unsqueeze(share.ndim + axis) if keepdim else result

    def unique(
        self,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Any:
        """The different values, in order, or the different parts along an axis. Their number is data: this
        computes the tensor and waits."""
        if dim is not None:
            numbers = self._part_numbers(dim)
            _, inverse, counts = numbers.unique(True, True, True)
            first = numbers.argsort(stable=True)[counts.cumsum(0) - counts]
            parts = (self.index_select(dim, first), *[inverse][:return_inverse], *[counts][:return_counts])
            return parts[0] if len(parts) == 1 else parts
        values, order = self.ravel()._in_some_order()
        found, number, counts = values._runs()
        result = [found]
        if return_inverse:
            result.append(number._constant(0).scatter(0, order, number).reshape(self.shape))
        if return_counts:
            result.append(counts)
        return result[0] if len(result) == 1 else tuple(result)

    def _in_some_order(self) -> tuple[Self, Self]:
        """A line with equal values side by side, and where they came from; complex numbers by their real,
        then by their imaginary part, as NumPy has them."""
        if not self.dtype.is_complex:
            values, order = self.sort(0)
            return values, order
        re, im = self._new(build.real(self.node)), self._new(build.imag(self.node))
        order = im.argsort(0)
        order = order[re[order].argsort(0)]
        return self[order], order

    def unique_consecutive(
        self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
    ) -> Any:
        """The first of every run of equal values, or of equal parts along an axis. Their number is data: this
        computes the tensor and waits."""
        line = self.ravel() if dim is None else self._part_numbers(dim)
        found, number, counts = line._runs()
        if dim is not None:
            found = self.index_select(dim, counts.cumsum(0) - counts)
        result = [found]
        result += [number.reshape(self.shape if dim is None else line.shape)] if return_inverse else []
        result += [counts] if return_counts else []
        return result[0] if len(result) == 1 else tuple(result)

    def _part_numbers(self, dim: int) -> Self:
        """For each part along an axis of length n how many different parts come before it in the order of
        their elements, the first counting most: (n,). Numbers of two columns make that of both, so a part of
        c elements takes log2(c) sorts."""
        n = self.shape[self._axis(dim)]
        columns = self.movedim(dim, 0).reshape(n, self.numel() // max(n, 1)).T
        columns = columns.cast(dtypes.uint8) if self.dtype.is_bool else columns
        numbers = columns._ranks() if columns.shape[0] else self._of(build.full(0, dtypes.int64, (1, n)))
        while numbers.shape[0] > 1:
            if numbers.shape[0] % 2:
                numbers = self.cat([numbers, self._of(build.full(0, dtypes.int64, (1, n)))])
            numbers = (numbers[0::2] * n + numbers[1::2])._ranks()
        return numbers[0]

    def _ranks(self) -> Self:
        """(c, n): of each row, how many different numbers are less than each of it."""
        values, order = self.sort(1)
        new = (values[:, 1:] != values[:, :-1]).long().cumsum(1).pad((1, 0))
        return new._constant(0).scatter(1, order, new)

    def _runs(self) -> tuple[Self, Self, Self]:
        """Of an axis of runs of equal values: one of each, the number of each element's run, their
        lengths."""
        n = self.shape[0]
        self.realize()
        first = self._of(build.iota((n,), 0)).eq(0)
        new = first | (self != self.roll(1, 0)) if n else first
        starts = new.nonzero().squeeze(1)
        ends = (
            self.cat([starts[1:], self._of(build.full(n, dtypes.int64, (1,)))]) if starts.shape[0] else starts
        )
        return self[starts], new.long().cumsum(0) - 1, ends - starts

    def bincount(self, weights: Operand | None = None, minlength: int = 0) -> Self:
        """How often each of 0, 1, ... occurs. The largest value is data: this computes the tensor and
        waits."""
        if self.ndim != 1 or not self.dtype.is_int:
            raise ValueError(
                f"bincount takes one axis of integers, not {self.dtype.name} of shape {self.shape}"
            )
        if self.numel() and int(self.amin().item()) < 0:
            raise ValueError(f"bincount counts 0, 1, ..., and {int(self.amin().item())} is among the values")
        size = max(int(self.amax().item()) + 1 if self.numel() else 0, minlength)
        counted = self._new(build.full(1, dtypes.int64, self.shape))
        if weights is not None:
            counted = self._coerce(weights)
            counted = counted if counted.dtype is dtypes.float32 else counted.cast(dtypes.float64)
        return self._new(build.full(0, counted.dtype, (size,))).scatter_add(0, self, counted)

    def isin(self, values: Operand) -> Self:
        """Is each element one of `values`?"""
        return self.unsqueeze(-1).eq(self._coerce(values).ravel()).any(-1)

    def repeat_interleave(self, repeats: Operand, dim: int | None = None) -> Self:
        """Each element several times in a row. With a tensor of counts the result's size is data: this
        waits."""
        x = self.ravel() if dim is None else self
        axis = x._axis(0 if dim is None else dim)
        n = x.shape[axis]
        if isinstance(repeats, int):
            if repeats < 0:
                raise ValueError(f"cannot repeat {repeats} times: use a count of at least 0")
            wide = x.unsqueeze(axis + 1).expand(*x.shape[: axis + 1], repeats, *x.shape[axis + 1 :])
            return wide.reshape(*x.shape[:axis], n * repeats, *x.shape[axis + 1 :])
        counts = x._coerce(repeats).long()
        if counts.numel() not in (1, n):
            raise ValueError(
                f"{counts.numel()} counts do not fit the {n} elements of axis {axis} of shape {x.shape}"
            )
        running = counts.ravel().expand(n).cumsum(0).realize()
        total = int(running[-1].item()) if n else 0
        source = running.searchsorted(self._of(build.iota((total,), 0)), right=True)
        return x.index_select(axis, source)
