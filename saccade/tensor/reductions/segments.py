"""Reductions of segments: parts of an axis, one after the other, each of its own length.

    >>> Tensor([1.0, 2.0, 3.0, 4.0]).segment_reduce("sum", lengths=[1, 3]).tolist()
    [1.0, 9.0]

A segment is a loop from where it starts to where it ends, so the work is that of the elements that are there
and the sum of a segment is always taken in the same order: the same bits in every run, on a GPU too (where
`scatter_add` and `index_add` meet by atomic operations, in any order). Elements that are not sorted by their
segment go to those.
"""

from __future__ import annotations

from math import prod
from typing import Self

import numpy as np

from ...graph import dtypes, monoid
from ...graph.monoid import Monoid
from ...graph.node import Scalar
from .. import build
from ..checks import values_at_hand
from ..core import Core, Operand
from ..shapes.indexing import Indexing

_REDUCTIONS: dict[str, Monoid] = {
    "sum": monoid.ADD,
    "mean": monoid.ADD,
    "prod": monoid.MUL,
    "max": monoid.MAX,
    "amax": monoid.MAX,
    "min": monoid.MIN,
    "amin": monoid.MIN,
}

Rows = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


class Segments(Indexing):
    __slots__ = ()

    def segment_reduce(
        self,
        reduce: str,
        *,
        lengths: Operand | None = None,
        indices: Operand | None = None,
        offsets: Operand | None = None,
        axis: int = 0,
        unsafe: bool = False,
        initial: Scalar | None = None,
        num_segments: int | None = None,
    ) -> Self:
        """Each segment of an axis reduced to one element: sum, mean, prod, max or min, as in torch.

        Segments follow each other. They are given by their `lengths`, by the `offsets` where they start (and
        the end of the last), both with the axes before `axis` in front; or by `indices`, the number of each
        element's segment, in ascending order (with `num_segments`, in jit in any case). Of an empty segment
        the sum is 0, the mean NaN, the maximum -inf, or `initial`, which every segment starts from."""
        kind = _REDUCTIONS.get(reduce)
        if kind is None:
            raise ValueError(f"unknown reduction {reduce!r}: use sum, mean, prod, max or min")
        if self.ndim == 0:
            raise ValueError("a 0-dim tensor has no segments: reshape it to (1,)")
        self._need_real("segment_reduce")
        at = self._axis(axis)
        if reduce == "mean":
            self._need_floats("segment_reduce('mean')")
        bounds = self._segment_bounds(lengths, indices, offsets, at, unsafe, num_segments)
        result = self._reduced_segments(kind, bounds, at, reduce == "mean", initial)
        return result.cast(self.dtype)

    def _segment_bounds(
        self,
        lengths: Operand | None,
        indices: Operand | None,
        offsets: Operand | None,
        axis: int,
        unsafe: bool,
        segments: int | None,
    ) -> Self:
        """Where segments start, and where the last one ends: (axes before `axis`, segments + 1)."""
        if sum(given is not None for given in (lengths, indices, offsets)) != 1:
            raise ValueError("segment_reduce takes one of lengths=, offsets= and indices=")
        before, n = self.shape[:axis], self.shape[axis]
        if indices is not None:
            numbers, known = self._bound_tensor(indices, before, "indices")
            if numbers.shape[-1] != n:
                raise ValueError(f"{numbers.shape[-1]} indices do not name the {n} elements of axis {axis}")
            if known is not None and not unsafe and np.any(np.diff(known, axis=1) < 0):
                raise ValueError("indices are not in ascending order: sort by them, or use scatter_reduce")
            return self._bounds_of_numbers(numbers, segments)
        name, given = ("lengths", lengths) if offsets is None else ("offsets", offsets)
        assert given is not None
        bounds, known = self._bound_tensor(given, before, name)
        if name == "offsets":
            if bounds.shape[-1] == 0:
                raise ValueError(
                    "offsets name the start of every segment and the end of the last: at least 1"
                )
            if known is not None and not unsafe:
                _check_offsets(known, n)
            return bounds
        if known is not None and not unsafe:
            _check_lengths(known, n)
        zero = self._of(build.full(0, dtypes.int64, (*before, 1)))
        return self.cat([zero, bounds.cumsum(-1)], -1).contiguous()

    def _bound_tensor(self, given: Operand, before: tuple[int, ...], name: str) -> tuple[Self, Rows | None]:
        """Bounds as int64 (*before, count), and their values as rows where they are at hand."""
        made = self._coerce(given)
        if not made.dtype.is_int and made.numel():
            raise TypeError(f"{name} are integers, not {made.dtype.name}: cast them with .long()")
        if made.ndim != len(before) + 1 or made.shape[:-1] != before:
            wanted = ", ".join([*map(str, before), "segments"])
            raise ValueError(
                f"{name} of shape {made.shape} do not fit a tensor of shape {self.shape}: use ({wanted})"
            )
        known = values_at_hand(made.node) if isinstance(given, Core) else np.asarray(given)
        wide = made.cast(dtypes.int64)
        return wide, None if known is None else known.reshape(prod(before), made.shape[-1]).astype(np.int64)

    def _bounds_of_numbers(self, numbers: Self, segments: int | None) -> Self:
        """Bounds from the sorted number of each element's segment: a binary search for each."""
        if segments is None:
            segments = int(numbers.amax().item()) + 1 if numbers.numel() else 0
        before = numbers.shape[:-1]
        wanted = self._of(build.iota((segments + 1,), 0))
        wanted = wanted.reshape(*(1,) * len(before), segments + 1).expand(*before, segments + 1)
        return numbers.searchsorted(wanted).contiguous()

    def _reduced_segments(
        self, kind: Monoid, bounds: Self, axis: int, mean: bool, initial: Scalar | None
    ) -> Self:
        before, n, after = self.shape[:axis], self.shape[axis], self.shape[axis + 1 :]
        rows, columns, segments = prod(before), prod(after), bounds.shape[-1] - 1
        accumulator = self.dtype.accumulator if self.dtype.is_float else self.dtype
        # clamped, so that every place between two of them exists
        bounds = bounds.reshape(rows, segments + 1).clamp(0, n)
        start, end = (bounds.narrow(1, first, segments).unsqueeze(-1) for first in (0, 1))
        count = end - start
        step = self._of(build.iota((1, 1, n), 2))
        row = self._of(build.iota((rows, 1, 1), 0))
        place = (row * n + start + step).expand(rows, segments, n)
        flat = self.reshape(rows * n, columns)
        line = place.reshape(rows * segments * n, 1).expand(rows * segments * n, columns)
        taken = flat._gathered(0, line).reshape(rows, segments, n, columns).cast(accumulator)
        neutral = kind.identity((accumulator,))[0].arg
        inside = (step < count).unsqueeze(-1)
        result = self._new(build.reduce(inside._choose(taken, taken._constant(neutral)).node, kind, (2,)))
        if initial is not None:
            result = self._new(kind.combine((result.node,), (result._constant(initial).node,))[0])
        if mean:
            result = result / count.maximum(0 if initial is None else 1)
        return result.reshape(*before, segments, *after)


def _check_lengths(lengths: Rows, n: int) -> None:
    if lengths.min(initial=0) < 0:
        raise ValueError(f"a segment cannot have {lengths.min()} elements: use lengths of at least 0")
    totals = lengths.sum(1)
    wrong = totals[totals != n]
    if wrong.size:
        raise ValueError(
            f"lengths come to {wrong[0]}, not to the {n} elements of the axis: correct them, or use "
            "unsafe=True to take what is there"
        )


def _check_offsets(offsets: Rows, n: int) -> None:
    if offsets.min(initial=0) < 0 or offsets.max(initial=0) > n or np.any(np.diff(offsets, axis=1) < 0):
        raise ValueError(f"offsets go from 0 up to the {n} elements of the axis, in ascending order")
