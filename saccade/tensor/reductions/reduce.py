"""Reductions and running reductions.

What they accumulate in: half types in float32 (the result is cast back), integers and bools in int64 (as
torch's sum), everything else in its own type. `mean`, `var` and `std` need floats, as in torch.

    >>> Tensor([[1, 2], [3, 4]]).sum(dim=0).tolist()
    [4, 6]
"""

from __future__ import annotations

import math
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar, overload

from ...graph import dtypes, monoid
from ...graph.dtypes import DType
from ...graph.monoid import Monoid
from ...graph.node import Node, Scalar, make
from ...graph.ops import Op
from .. import build
from ..core import Core, DTypeLike, Operand
from ..elementwise.analysis import Analysis
from ..shapes.movement import Movement

Dims = int | tuple[int, ...] | list[int] | None
T = TypeVar("T")

#: sums of more float32 numbers than this, one after the other, are made in float64
_LONG_SUM: Final = 4096
#: elements that no cache near a core holds: what reads them twice takes twice as long
_MANY: Final = 1 << 20
#: elements of a part of a long sum
_RUN: Final = 1 << 14


class ValuesAndIndices(NamedTuple, Generic[T]):
    """What max, min, sort, topk and the like return, as in torch."""

    values: T
    indices: T


class Extremes(NamedTuple, Generic[T]):
    """What aminmax returns, as in torch."""

    min: T
    max: T


class Reduce(Movement, Analysis):
    __slots__ = ()

    def _fold(self, kind: Monoid, dim: Dims, keepdim: bool, accumulator: DType | None = None) -> Self:
        axes = self._axes(dim)
        node = build.cast(self.node, accumulator or self.dtype)
        return self._kept(build.reduce(node, kind, axes), axes, keepdim)

    def _kept(self, node: Node, axes: tuple[int, ...], keepdim: bool) -> Self:
        """The reduced value, its axes put back with size one where asked."""
        if keepdim:
            node = build.reshape(node, tuple([1 if axis in axes else n for axis, n in enumerate(self.shape)]))
        return self._new(node)

    def _need_floats(self, verb: str) -> None:
        if not self.dtype.has_gradient:
            raise TypeError(f"{verb} needs floats, not {self.dtype.name}: use x.float().{verb}(...)")

    def _need_elements(self, axes: tuple[int, ...], verb: str) -> None:
        if any(self.shape[axis] == 0 for axis in axes):
            raise ValueError(
                f"{verb} of no elements (shape {self.shape}) has no value: reduce an axis of size 1 or more"
            )

    def _for_long_sums(self, count: int) -> Self:
        """Of float32, as float64 where so many are added up that their rounding errors add up too."""
        return self.double() if count > _LONG_SUM and self.dtype is dtypes.float32 else self

    # --- sums and products

    def sum(self, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike = None) -> Self:
        return self._accumulated(monoid.ADD, dim, keepdim, dtype)

    def prod(self, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike = None) -> Self:
        return self._accumulated(monoid.MUL, dim, keepdim, dtype)

    def _accumulated(self, kind: Monoid, dim: Dims, keepdim: bool, dtype: DTypeLike) -> Self:
        own = self.dtype
        result = dtypes.of(dtype) if dtype is not None else (own if own.has_gradient else own.accumulator)
        return (
            self.cast(result)
            ._fold(kind, dim, keepdim, result.accumulator if result.is_float else result)
            .cast(result)
        )

    def mean(self, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike = None) -> Self:
        x = self if dtype is None else self.cast(dtype)
        x._need_floats("mean")
        axes = x._axes(dim)
        count = math.prod(x.shape[a] for a in axes)
        total = (
            x._fold(monoid.ADD, axes or None, keepdim, x.dtype.accumulator)
            if axes
            else x.cast(x.dtype.accumulator)
        )
        return (total / count).cast(x.dtype)

    def nansum(self, dim: Dims = None, keepdim: bool = False, *, dtype: DTypeLike = None) -> Self:
        return self.isnan()._choose(self._constant(0), self).sum(dim, keepdim, dtype=dtype)

    def nanmean(self, dim: Dims = None, keepdim: bool = False) -> Self:
        return self.nansum(dim, keepdim) / (~self.isnan()).sum(dim, keepdim)

    def var(
        self,
        dim: Dims = None,
        unbiased: bool = True,
        keepdim: bool = False,
        *,
        correction: Scalar | None = None,
    ) -> Self:
        """The mean square distance from the mean, over (count - correction)."""
        self._need_floats("var")
        if isinstance(dim, bool):  # torch's x.var(False) is x.var(unbiased=False)
            return self.var(None, dim, keepdim, correction=correction)
        if self.dtype.is_complex:  # of distances in the plane
            re, im = self._new(build.real(self.node)), self._new(build.imag(self.node))
            return re.var(dim, unbiased, keepdim, correction=correction) + im.var(
                dim, unbiased, keepdim, correction=correction
            )
        axes = self._axes(dim)
        count = math.prod(self.shape[a] for a in axes)
        less = (1 if unbiased else 0) if correction is None else correction
        x = self.cast(self.dtype.accumulator)
        if not axes:
            return (x * 0 / max(count - less, 0)).cast(self.dtype) if count > less else self * math.nan
        distance = (x - x._centre(axes, count))._for_long_sums(count)
        # what the centre is off by is in every distance: their sum tells it
        shift = distance.sum(axes, keepdim)
        total = (distance * distance).sum(axes, keepdim) - shift * shift / count if count else shift
        return (total / max(count - less, 0)).cast(self.dtype)

    def _centre(self, axes: tuple[int, ...], count: int) -> Self:
        """A number near the mean to measure distances from, axes kept.

        Of very many elements the mean of a sixteenth will do, so that they are read once and not twice: the
        mean of any sixteenth is at most four deviations from that of all, which costs four bits at the worst.
        One that is not finite is no centre: around 0 infinities and NaN add up as they do without one.
        """
        longest = max(axes, key=lambda axis: self.shape[axis])
        if count < _MANY or self.shape[longest] < 16:
            return self.mean(axes, keepdim=True)
        some = self.shape[longest] // 16
        some -= some % _RUN if some > _RUN else 0  # parts of a long sum leave nothing over
        mean = self.narrow(longest, 0, some).mean(axes, keepdim=True)
        return mean.isfinite()._choose(mean, 0.0)._without_past()

    def std(
        self,
        dim: Dims = None,
        unbiased: bool = True,
        keepdim: bool = False,
        *,
        correction: Scalar | None = None,
    ) -> Self:
        return self.var(dim, unbiased, keepdim, correction=correction)._flat_at_zero().sqrt()

    def var_mean(
        self, dim: Dims = None, keepdim: bool = False, *, correction: Scalar = 1
    ) -> tuple[Self, Self]:
        return self.var(dim, keepdim=keepdim, correction=correction), self.mean(dim, keepdim)

    def std_mean(
        self, dim: Dims = None, keepdim: bool = False, *, correction: Scalar = 1
    ) -> tuple[Self, Self]:
        return self.std(dim, keepdim=keepdim, correction=correction), self.mean(dim, keepdim)

    def logsumexp(self, dim: Dims = None, keepdim: bool = False) -> Self:
        """log(sum(exp(x))), from the maximum so that nothing overflows."""

        def function(x: Self) -> Self:
            top = x._fold(monoid.MAX, dim, keepdim=True)
            top = top.isfinite()._choose(top._without_past(), 0.0)  # the result does not depend on it
            total = (x - top).exp().sum(dim, keepdim=True).log() + top
            return total if keepdim else total._dropped(x._axes(dim))

        return self._wide(function)

    def _dropped(self, axes: tuple[int, ...]) -> Self:
        return self.reshape(*[n for axis, n in enumerate(self.shape) if axis not in axes])

    def norm(self, p: float | str = 2, dim: Dims = None, keepdim: bool = False) -> Self:
        """The p-norm over some axes; p may be "fro", inf, -inf or 0 (the count of nonzeros)."""
        self._need_floats("norm")
        if self.dtype.is_complex:
            return self.abs().norm(p, dim, keepdim)
        x = self.cast(self.dtype.accumulator)
        if p == "fro" or p == 2:
            result = (x * x).sum(dim, keepdim)._flat_at_zero().sqrt()
        elif p == 1:
            result = x.abs().sum(dim, keepdim)
        elif p == math.inf:
            result = x.abs().amax(dim, keepdim)
        elif p == -math.inf:
            result = x.abs().amin(dim, keepdim)
        elif p == 0:
            result = x.cast(dtypes.bool_).sum(dim, keepdim).cast(x.dtype)
        elif isinstance(p, str):
            raise ValueError(f"unknown norm {p!r}: use a number, inf, -inf or 'fro'")
        else:
            result = (x.abs() ** p).sum(dim, keepdim)._flat_at_zero() ** (1.0 / p)
        return result.cast(self.dtype)

    def _flat_at_zero(self) -> Self:
        """The same values, and no gradient through those that are 0. A root has no slope there, and the
        squares below it have slope 0: their product would be NaN, where torch has 0."""
        return self.cast(dtypes.bool_)._choose(self, 0.0)

    def count_nonzero(self, dim: Dims = None) -> Self:
        return self.cast(dtypes.bool_).sum(dim)

    # --- extremes

    def amax(self, dim: Dims = None, keepdim: bool = False) -> Self:
        self._need_elements(self._axes(dim), "amax")
        return self._fold(monoid.MAX, dim, keepdim)

    def amin(self, dim: Dims = None, keepdim: bool = False) -> Self:
        self._need_elements(self._axes(dim), "amin")
        return self._fold(monoid.MIN, dim, keepdim)

    def aminmax(self, *, dim: int | None = None, keepdim: bool = False) -> Extremes[Self]:
        return Extremes(self.amin(dim, keepdim), self.amax(dim, keepdim))

    @overload
    def max(self, dim: None = None, keepdim: bool = False) -> Self: ...
    @overload
    def max(self, dim: int, keepdim: bool = False) -> ValuesAndIndices[Self]: ...
    @overload
    def max(self, dim: Core, keepdim: bool = False) -> Self: ...

    def max(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The largest value; with `dim` also where it is; with a tensor the elementwise `maximum`."""
        return self._extreme(dim, keepdim, largest=True)

    @overload
    def min(self, dim: None = None, keepdim: bool = False) -> Self: ...
    @overload
    def min(self, dim: int, keepdim: bool = False) -> ValuesAndIndices[Self]: ...
    @overload
    def min(self, dim: Core, keepdim: bool = False) -> Self: ...

    def min(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The smallest value; with `dim` also where it is; with a tensor the elementwise `minimum`."""
        return self._extreme(dim, keepdim, largest=False)

    def _extreme(self, dim: Any, keepdim: bool, largest: bool) -> Any:
        if isinstance(dim, Core):
            return self.maximum(dim) if largest else self.minimum(dim)
        if dim is None or self.ndim == 0:
            values = self.amax(dim, keepdim) if largest else self.amin(dim, keepdim)
            return values if dim is None else ValuesAndIndices(values, self._place_of(dim, keepdim, largest))
        values = self._first_best((self._axis(dim),), largest)
        place = self._place_of(dim, keepdim, largest)
        return ValuesAndIndices(values.unsqueeze(dim) if keepdim else values, place)

    def _first_best(self, axes: tuple[int, ...], largest: bool = True) -> Self:
        """The best over axes that lie side by side; of equal ones the first has the gradient."""
        values = self.amax(axes) if largest else self.amin(axes)
        if not self.dtype.has_gradient:
            return values
        return self._new(make(Op.BITCAST, values.dtype, (values.node,), monoid.FIRST_OF_EQUALS))

    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Self:
        return self._place_of(dim, keepdim, largest=True)

    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Self:
        return self._place_of(dim, keepdim, largest=False)

    def _place_of(self, dim: int | None, keepdim: bool, largest: bool) -> Self:
        """The index of the best element: the smallest such index, or that of the first NaN."""
        if dim is None:
            flat = self.ravel()._place_of(0, False, largest)
            return flat.reshape(*(1,) * self.ndim) if keepdim else flat
        axis = self._axis(dim)
        if self.ndim == 0:
            return self._new(build.full(0, dtypes.int64, ()))
        self._need_order("argmax" if largest else "argmin")
        self._need_elements((axis,), "argmax" if largest else "argmin")
        kind = monoid.ARGMAX if largest else monoid.ARGMIN
        best = self._new(make(Op.REDUCE, dtypes.int64, (self.node,), (kind, (axis,))))
        return best.unsqueeze(axis) if keepdim else best

    def any(self, dim: Dims = None, keepdim: bool = False) -> Self:
        return self.cast(dtypes.bool_)._fold(monoid.MAX, dim, keepdim)

    def all(self, dim: Dims = None, keepdim: bool = False) -> Self:
        return self.cast(dtypes.bool_)._fold(monoid.MIN, dim, keepdim)

    def allclose(
        self, other: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
    ) -> bool:
        return bool(self.isclose(other, rtol, atol, equal_nan).all())

    # --- running reductions

    def _running(self, kind: Monoid, dim: int, accumulator: DType | None = None) -> Self:
        axis = self._axis(dim)
        x = self if accumulator is None else self.cast(accumulator)
        return x if self.ndim == 0 else self._new(build.scan(x.node, kind, axis))

    def cumsum(self, dim: int, *, dtype: DTypeLike = None) -> Self:
        """Running sums. Long ones of float32 are made in float64, as torch does: every rounding error would
        stay in all that follows."""
        result = self._running_dtype(dtype)
        if result.is_complex:  # each part as long sums are
            x = self.cast(result)
            parts = (self._new(part(x.node)).cumsum(dim).node for part in (build.real, build.imag))
            return self._new(build.complex_(*parts))
        x = self.cast(result).cast(result.accumulator if result.is_float else result)
        length = x.shape[x._axis(dim)] if x.ndim else 1
        return x._for_long_sums(length)._running(monoid.ADD, dim).cast(result)

    def cumprod(self, dim: int, *, dtype: DTypeLike = None) -> Self:
        result = self._running_dtype(dtype)
        return (
            self.cast(result)
            ._running(monoid.MUL, dim, result.accumulator if result.is_float else result)
            .cast(result)
        )

    def _running_dtype(self, dtype: DTypeLike) -> DType:
        if dtype is not None:
            return dtypes.of(dtype)
        return self.dtype if self.dtype.has_gradient else self.dtype.accumulator

    def logcumsumexp(self, dim: int) -> Self:
        """log(cumsum(exp(x))). Every sum has its own scale, so that nothing small is lost beside what is
        large: log n times, each element takes in the one as far before it as it has reached already."""
        self._need_floats("logcumsumexp")
        axis = self._axis(dim)
        x, n, reach = self.cast(self.dtype.accumulator), self.shape[axis] if self.ndim else 1, 1
        while reach < n:
            later = x.narrow(axis, reach, n - reach).logaddexp(x.narrow(axis, 0, n - reach))
            x = x._joined([x.narrow(axis, 0, reach), later], axis).contiguous()
            reach *= 2
        return x.cast(self.dtype)

    def cummax(self, dim: int) -> ValuesAndIndices[Self]:
        return self._running_extreme(monoid.MAX, dim)

    def cummin(self, dim: int) -> ValuesAndIndices[Self]:
        return self._running_extreme(monoid.MIN, dim)

    def _running_extreme(self, kind: Monoid, dim: int) -> ValuesAndIndices[Self]:
        """The running extreme, and the last place so far that holds it."""
        values = self._running(kind, dim)
        if self.ndim == 0:
            return ValuesAndIndices(values, self._new(build.full(0, dtypes.int64, ())))
        here = self._new(build.iota(self.shape, self._axis(dim)))
        holds = (self == values) | self.isnan()
        places = holds._choose(here, here._constant(-1))._running(monoid.MAX, dim)
        return ValuesAndIndices(values, places)

    def diff(
        self, n: int = 1, dim: int = -1, prepend: Self | None = None, append: Self | None = None
    ) -> Self:
        axis = self._axis(dim)
        parts = [part.cast(self.dtype) for part in (prepend, self, append) if part is not None]
        x = self._joined(parts, axis) if len(parts) > 1 else self
        for _ in range(n):
            length = x.shape[axis]
            if length == 0:
                return x
            later, earlier = x.narrow(axis, 1, length - 1), x.narrow(axis, 0, length - 1)
            x = later ^ earlier if x.dtype.is_bool else later - earlier
        return x
