"""Gather and scatter along an axis, and searching in what is sorted.

Integer indices whose values are at hand (lists, NumPy arrays, tensors that lie computed in the memory of the
host) are checked at once. In others (still to be computed, of a jit function, on a GPU) nobody waits to
look: a negative index counts from the end, and one out of range reads 0 and writes nothing.
Where several axes are indexed together the places become one number, so there an index out of range may mean
another element of the tensor.

    >>> Tensor([10, 20, 30]).gather(0, [2, 0]).tolist()
    [30, 10]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal, Self, overload

import numpy as np

from ...graph import dtypes
from ...graph.node import Node, Scalar, Shape, make
from ...graph.ops import Op
from .. import build
from ..checks import check_range, values_at_hand
from ..core import Core, Operand
from ..operands import same_device
from .creation import Creation

_MODES = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min"}


def host_index(index: object, n: int) -> np.ndarray[Any, Any] | None:
    """A list or array of integers, checked against an axis of n and made non-negative; None for a tensor."""
    if isinstance(index, Core):
        return None
    array = np.asarray(index)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"indices are integers or bools, not {array.dtype}: {index!r:.60}")
    check_range(array, -n, n)
    return np.where(array < 0, array + n, array).astype(np.int64)


class Gather(Creation):
    __slots__ = ()

    def _index_tensor(self, index: Operand, n: int, from_end: bool = True) -> Self:
        """Integer indices into an axis of n, as int64; with `from_end` negative ones count from the end."""
        known = host_index(index, n)
        if known is not None:
            return self._coerce(known)
        places = self._coerce(index)
        if not places.dtype.is_int:
            raise TypeError(f"indices are integers, not {places.dtype.name}: cast with .long()")
        values = values_at_hand(places.node)
        if values is not None:
            check_range(values, -n if from_end else 0, n)
        wide = places.cast(dtypes.int64)
        if not from_end or places.dtype.is_unsigned or _never_negative(places.node):
            return wide
        return (wide < 0)._choose(wide + n, wide)

    # --- gather and scatter along one axis

    def gather(self, dim: int, index: Operand) -> Self:
        """out[i][j] = x[index[i][j]][j] for dim 0. As in torch, indices do not count from the end."""
        axis = self._axis(dim)
        places = self._index_tensor(index, self.shape[axis] if self.ndim else 1, from_end=False)
        return self._gathered(axis, places)

    def _gathered(self, axis: int, places: Self) -> Self:
        if self.ndim == 0 or places.ndim == 0:
            return self.atleast_1d()._gathered(axis, places.atleast_1d()).reshape(places.shape)
        if places.ndim != self.ndim:
            raise ValueError(
                f"gather needs an index with as many axes as {self.shape}, not shape {places.shape}"
            )
        for a, (n, m) in enumerate(zip(self.shape, places.shape, strict=True)):
            if a != axis and m > n:
                raise ValueError(f"an index of shape {places.shape} is larger than {self.shape} on axis {a}")
        same_device(self.node, places.node)
        part = self.shrink([None if a == axis else (0, m) for a, m in enumerate(places.shape)])
        return self._new(make(Op.GATHER, self.dtype, (part.node, places.node), axis))

    def take_along_dim(self, indices: Operand, dim: int | None = None) -> Self:
        """Like gather, with the other axes broadcast."""
        if dim is None:
            return self.ravel().gather(0, self._coerce(indices).ravel())
        axis, places = self._axis(dim), self._coerce(indices)
        if places.ndim != self.ndim:
            raise ValueError(
                f"take_along_dim needs an index with as many axes as {self.shape}, not shape {places.shape}"
            )
        outer = build.broadcast_shapes(
            tuple(1 if a == axis else n for a, n in enumerate(self.shape)),
            tuple(1 if a == axis else n for a, n in enumerate(places.shape)),
        )
        mine, theirs = (
            t.expand(*[t.shape[axis] if a == axis else n for a, n in enumerate(outer)])
            for t in (self, places)
        )
        return mine.gather(axis, theirs)

    def index_select(self, dim: int, index: Operand) -> Self:
        axis = self._axis(dim)
        places = self._index_tensor(index, self.shape[axis])
        if places.ndim > 1:
            raise ValueError(f"index_select takes a 1-dim index, not shape {places.shape}")
        return self._taken([axis], [places.atleast_1d()], axis)

    def take(self, index: Operand) -> Self:
        flat = self.ravel()
        return flat._taken([0], [flat._index_tensor(index, flat.shape[0])], 0)

    def scatter(
        self,
        dim: int,
        index: Operand,
        src: Operand | None = None,
        *,
        value: Scalar | None = None,
        reduce: str | None = None,
    ) -> Self:
        """x with x[index[i][j]][j] = src[i][j] for dim 0; of several writes to one place, one wins. A
        number may be given as `value`, torch's word."""
        updates = value if src is None else src
        if updates is None or (src is not None and value is not None):
            raise TypeError("scatter takes src= or value=: give one of them")
        mode = "set" if reduce is None else _mode(reduce)
        axis = self._axis(dim)
        return self._scattered(axis, *self._updates(axis, index, updates), mode)

    def scatter_add(self, dim: int, index: Operand, src: Operand) -> Self:
        axis = self._axis(dim)
        return self._scattered(axis, *self._updates(axis, index, src), "add")

    def scatter_reduce(
        self, dim: int, index: Operand, src: Operand, reduce: str, *, include_self: bool = True
    ) -> Self:
        """Values that meet are combined: reduce is sum, prod, mean, amax or amin."""
        axis = self._axis(dim)
        places, updates = self._updates(axis, index, src)
        start = self
        if not include_self:
            neutral = {"prod": 1, "amax": self.dtype.min, "amin": self.dtype.max}.get(reduce, 0)
            start = self._scattered(axis, places, updates._constant(neutral), "set")
        if reduce != "mean":
            return start._scattered(axis, places, updates, _mode(reduce))
        total = start._scattered(axis, places, updates, "add")
        ones = self._new(build.full(1, dtypes.int64, places.shape))
        first = self._new(build.full(1 if include_self else 0, dtypes.int64, self.shape))
        count = first._scattered(axis, places, ones, "add").maximum(1)
        return ((total / count) if self.dtype.has_gradient else total // count).cast(self.dtype)

    def _updates(self, axis: int, index: Operand, src: Operand) -> tuple[Self, Self]:
        """Index and updates of one shape, in our dtype."""
        places = self._index_tensor(index, self.shape[axis] if self.ndim else 1, from_end=False)
        if isinstance(src, (bool, int, float, complex)):
            return places, self._new(build.full(src, self.dtype, places.shape))
        updates = self._coerce(src)
        if updates.dtype is not self.dtype:
            raise TypeError(
                f"scatter into {self.dtype.name} needs updates of that dtype, not "
                f"{updates.dtype.name}: cast them"
            )
        if updates.ndim != places.ndim or any(
            m > n for m, n in zip(places.shape, updates.shape, strict=True)
        ):
            raise ValueError(
                f"scatter needs updates at least as large as the index {places.shape}, not shape "
                f"{updates.shape}"
            )
        return places, updates.shrink([(0, m) for m in places.shape])

    def _scattered(self, axis: int, places: Self, updates: Self, mode: str) -> Self:
        """Updates of our dtype at non-negative places of the same shape."""
        if self.ndim == 0:
            return self.reshape(1)._scattered(0, places.reshape(1), updates.reshape(1), mode).reshape(())
        if places.ndim != self.ndim:
            raise ValueError(
                f"scatter needs an index with as many axes as {self.shape}, not shape {places.shape}"
            )
        if any(a != axis and m > n for a, (n, m) in enumerate(zip(self.shape, places.shape, strict=True))):
            raise ValueError(
                f"an index of shape {places.shape} is larger than {self.shape} on an axis other than {axis}"
            )
        if mode not in ("set", "add"):
            self._need_order(f"scatter by {mode!r}")
        same_device(self.node, places.node, updates.node)
        if places.numel() == 0:
            return self
        half = mode == "add" and self.dtype.accumulator is not self.dtype and self.dtype.is_float
        base, wide = (t.cast(self.dtype.accumulator) if half else t for t in (self, updates))
        node = make(Op.SCATTER, base.dtype, (base.node, places.node, wide.node), (axis, mode))
        return self._new(node).cast(self.dtype)

    def index_add(self, dim: int, index: Operand, source: Operand, *, alpha: Scalar = 1) -> Self:
        axis = self._axis(dim)
        places, added = self._along(axis, index, source)
        return self._scattered(axis, places, added if alpha == 1 else (added * alpha).cast(self.dtype), "add")

    def index_reduce(
        self, dim: int, index: Operand, source: Operand, reduce: str, *, include_self: bool = True
    ) -> Self:
        """Like scatter_reduce, of whole rows: reduce is prod, mean, amax or amin."""
        axis = self._axis(dim)
        places, updates = self._along(axis, index, source)
        return self.scatter_reduce(axis, places, updates, reduce, include_self=include_self)

    def index_copy(self, dim: int, index: Operand, source: Operand) -> Self:
        axis = self._axis(dim)
        return self._scattered(axis, *self._along(axis, index, source), "set")

    def index_fill(self, dim: int, index: Operand, value: Scalar) -> Self:
        axis = self._axis(dim)
        places = self._index_tensor(index, self.shape[axis]).atleast_1d()
        shape = tuple([places.shape[0] if a == axis else n for a, n in enumerate(self.shape)])
        updates = self._new(build.full(value, self.dtype, shape))
        return self._scattered(axis, *self._along(axis, places, updates), "set")

    def _along(self, axis: int, index: Operand, source: Operand) -> tuple[Self, Self]:
        """A 1-dim index into one axis at every position of the updates, and the updates."""
        places, updates = self._index_tensor(index, self.shape[axis]).atleast_1d(), self._coerce(source)
        if updates.ndim != self.ndim or places.shape != (updates.shape[axis],):
            raise ValueError(
                f"an index of shape {places.shape} does not name rows of {updates.shape} along axis {axis}"
            )
        line = places.reshape(*[-1 if a == axis else 1 for a in range(self.ndim)])
        return line.expand(updates.shape), updates.cast(self.dtype)

    # --- places of what holds

    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Self: ...
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Self, ...]: ...

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        """The places of nonzero elements, (count, ndim). The count is data: this waits for it."""
        flat = self._nonzero_flat()
        count, columns = flat.numel(), []
        for n in reversed(self.shape):
            columns.append(flat % n if n else flat)
            flat = flat // n if n else flat
        columns.reverse()
        if as_tuple:
            return tuple(columns)
        return self.stack(columns, 1) if columns else self._new(build.full(0, dtypes.int64, (count, 0)))

    def argwhere(self) -> Self:
        return self.nonzero()

    def _nonzero_flat(self) -> Self:
        """The places of nonzero elements in row-major order: each goes where the running count says."""
        n = self.numel()
        mask = self.cast(dtypes.bool_).reshape(n)
        running = mask.cast(dtypes.int64).cumsum(0).realize()
        count = int(running.narrow(0, -1, 1).item()) if n else 0
        empty = self._of(build.full(0, dtypes.int64, (count,)))
        places = self._of(make(Op.IOTA, dtypes.int64, (), n))
        return empty._scattered(0, mask._choose(running - 1, count), places, "set") if count else empty

    def searchsorted(self, values: Operand, *, right: bool = False, side: str | None = None) -> Self:
        """With sorted values on the last axis: where each of `values` would be inserted. A binary search.
        NaN belongs behind everything else, where `sort` puts it."""
        if side not in (None, "left", "right"):
            raise ValueError(f"unknown side {side!r}: use 'left' or 'right'")
        right = right or side == "right"
        sought = self._coerce(values)
        if self.ndim > 1 and sought.shape[:-1] != self.shape[:-1]:
            raise ValueError(
                f"searchsorted needs values with the leading axes of {self.shape}, not shape {sought.shape}"
            )
        if self.ndim == 0:
            raise ValueError("searchsorted needs a sorted axis, not a 0-dim tensor")
        n, line = self.shape[-1], sought.reshape(sought.numel()) if self.ndim == 1 else sought
        low, missing = self._new(build.full(0, dtypes.int64, line.shape)), line.isnan()
        step = 1 << max(n.bit_length() - 1, 0)
        while step and n:
            reach = low + step
            probe = self._gathered(self.ndim - 1, (reach - 1).minimum(n - 1))
            before = ((probe <= line) | missing) if right else ((probe < line) | missing & ~probe.isnan())
            low = ((reach <= n) & before)._choose(reach, low)
            step >>= 1
        return low.reshape(sought.shape)

    def bucketize(self, boundaries: Operand, *, right: bool = False) -> Self:
        return self._coerce(boundaries).searchsorted(self, right=right)

    # --- several axes at once

    def _flat_places(
        self, axes: Sequence[int], places: Sequence[Self]
    ) -> tuple[Self, Self, Shape, list[int]]:
        """Us as (indexed, rest), the places as one linear index, its shape, and the axes of the rest."""
        shape = build.broadcast_shapes(*[p.shape for p in places])
        linear: Self | None = None
        for axis, place in zip(axes, places, strict=True):
            step = place.expand(shape)
            linear = step if linear is None else linear * self.shape[axis] + step
        assert linear is not None
        rest = [a for a in range(self.ndim) if a not in axes]
        front = self.permute(*axes, *rest)
        flat = front.reshape(prod(self.shape[a] for a in axes), prod(self.shape[a] for a in rest))
        return flat, linear, shape, rest

    def _taken(self, axes: Sequence[int], places: Sequence[Self], at: int) -> Self:
        """Advanced indexing of some axes; the axes of the index come to stand at position `at`."""
        flat, linear, shape, rest = self._flat_places(axes, places)
        count, inner = prod(shape), flat.shape[1]
        if flat.shape[0] == 0 and count and inner:
            raise IndexError(f"cannot index an axis of size 0 of shape {self.shape}")
        taken = flat._gathered(0, linear.reshape(count, 1).expand(count, inner))
        full = taken.reshape(*shape, *[self.shape[a] for a in rest])
        order = list(range(len(shape), full.ndim))
        return full.permute(*order[:at], *range(len(shape)), *order[at:])


def _never_negative(node: Node) -> bool:
    """Is this integer at least 0 by its making? It saves the wrap-around of negative indices."""
    while node.op in (Op.RESHAPE, Op.EXPAND, Op.PERMUTE, Op.SLICE, Op.CONTIGUOUS):
        node = node.src[0]
    return node.op is Op.IOTA or (node.op in (Op.TOPK, Op.SORT) and node.arg[-1] == "indices")


def _mode(reduce: str) -> str:
    if reduce not in _MODES:
        raise ValueError(f"unknown reduction {reduce!r}: use sum, prod, mean, amax or amin")
    return _MODES[reduce]
