"""Numbers taken apart and counted: divisors, bits of floats, histograms, areas under curves.

>>> Tensor([12, 18]).gcd(8).tolist()
[4, 2]
"""

from __future__ import annotations

import math
from itertools import combinations, combinations_with_replacement
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np

from ...graph import dtypes, monoid
from ...graph.dtypes import DType
from .. import build
from ..core import Operand
from ..reductions.ordering import Ordering
from ..reductions.reduce import ValuesAndIndices

T = TypeVar("T")


class Frexp(NamedTuple, Generic[T]):
    """What frexp returns, as in torch."""

    mantissa: T
    exponent: T


class Histogram(NamedTuple, Generic[T]):
    """What histogram returns, as in torch."""

    hist: T
    bin_edges: T


class Numeric(Ordering):
    __slots__ = ()

    # --- integers

    def gcd(self, other: Operand) -> Self:
        """The greatest common divisor by halves (Stein), in steps without a division: each takes a bit off
        one of the numbers. `low` is the bit that both are multiples of; `b` stays odd in its units."""
        a, b = (self._new(node).abs() for node in self._integers(other, "gcd"))
        word = a.dtype
        if not word.is_unsigned:  # the least number has no absolute value but there
            a, b = (x.cast(dtypes.by_name(f"u{word.name}")) for x in (a, b))
        low = (a | b) & -(a | b)
        swap = (b & low).eq(0)
        a, b = swap._choose(b, a), swap._choose(a, b)
        for step in range(2 * word.bits - 1):
            even = (a & low).eq(0)
            less = a.minimum(b)
            a, b = even._choose(a, a.maximum(b) - less) >> 1, even._choose(b, less)
            if step % 16 == 15:  # kernels that are alike, instead of one that takes LLVM seconds
                a, b = a.contiguous(), b.contiguous()
        return b.cast(word)

    def lcm(self, other: Operand) -> Self:
        """The least common multiple; 0 if one of them is 0."""
        a, b = (self._new(node) for node in self._integers(other, "lcm"))
        return (a // a.gcd(b) * b).abs()  # 0 // 0 is 0

    def _integers(self, other: Operand, verb: str) -> Any:
        nodes = self._pair(other)
        if not nodes[0].dtype.is_int:
            raise TypeError(f"{verb} takes integers, not {nodes[0].dtype.name}: cast with .long()")
        return nodes

    # --- floats as bits

    def frexp(self) -> Frexp[Self]:
        """x = mantissa * 2^exponent with a mantissa in 0.5 to 1; 0, inf and NaN have the exponent 0."""
        self._need_floats("frexp")
        wide = self.cast(dtypes.float64 if self.dtype is dtypes.float64 else dtypes.float32)
        word, fraction, bias = _bits_of(wide.dtype)
        # subnormal numbers are made normal first
        tiny = (wide.abs() < 2.0 ** (1 - bias)) & wide.ne(0)
        normal = tiny._choose(wide * 2.0**fraction, wide)
        power = ((normal.bitcast(word) >> fraction) & (2 * bias + 1)) - (bias - 1)
        exponent = power - tiny.cast(word) * fraction
        # normal * 2^-power, which is exact and has a gradient; in two halves, as 2^-power may be subnormal
        half = power >> 1
        mantissa = normal
        for part in (half, power - half):
            mantissa = mantissa * ((bias - part) << fraction).bitcast(wide.dtype)
        plain = wide.isfinite() & wide.ne(0)
        return Frexp(
            plain._choose(mantissa, wide).cast(self.dtype), plain._choose(exponent, 0).cast(dtypes.int32)
        )

    def nextafter(self, other: Operand) -> Self:
        """The next number of the dtype on the way to `other`."""
        left, right = self._pair(other)
        x, y = self._new(left), self._new(right)
        x._need_floats("nextafter")
        word = _bits_of(x.dtype)[0]
        bits = x.bitcast(word)
        away = (y > x) == (x > 0)
        step = away._choose(bits + 1, bits - 1).bitcast(x.dtype)
        smallest = x._constant(1.0).cast(word).bitcast(x.dtype).copysign(y)
        moved = x.eq(0)._choose(smallest, step)
        return x.eq(y)._choose(y, (x.isnan() | y.isnan())._choose(math.nan, moved)).cast(x.dtype)

    # --- counting

    def mode(self, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices[Self]:
        """The most common value along an axis, the smallest of several, and the last place that holds it."""
        axis = self._axis(dim)
        if self.ndim == 0:
            return ValuesAndIndices(self, self._new(build.full(0, dtypes.int64, ())))
        self._need_elements((axis,), "mode")
        values, places = self.sort(axis)
        n = self.shape[axis]
        here = self._new(build.iota(self.shape, axis))
        if n > 1:
            changes = values.narrow(axis, 1, n - 1) != values.narrow(axis, 0, n - 1)
            first = changes.narrow(axis, 0, 1)._constant(True)
            begins = changes._joined([first, changes], axis)._choose(here, here._constant(0))
            count = here - begins._running(monoid.MAX, axis)
        else:
            count = here
        longest = count.argmax(axis, keepdim=True)
        found = [part.gather(axis, longest) for part in (values, places)]
        return ValuesAndIndices(*found) if keepdim else ValuesAndIndices(*[p.squeeze(axis) for p in found])

    def histogram(
        self,
        bins: Operand,
        *,
        range: tuple[float, float] | None = None,
        weight: Operand | None = None,
        density: bool = False,
    ) -> Histogram[Self]:
        """How many elements fall between each two edges (the last edge included), and the edges: given, or
        `bins` equal ones over a range or over the data, which waits for them."""
        self._need_floats("histogram")
        if isinstance(bins, int):
            edges = self._equal_edges(bins, range)
        else:
            edges = self._coerce(bins).cast(self.dtype)
        line, count = self.ravel(), edges.shape[0] - 1
        if edges.ndim != 1 or count < 1:
            raise ValueError(f"histogram needs two edges or more, not shape {edges.shape}")
        last = line.eq(edges[-1])
        place = last._choose(count - 1, edges.searchsorted(line, right=True) - 1)
        inside = (place >= 0) & (place < count) & ~line.isnan()
        given = line._constant(1.0) if weight is None else self._coerce(weight).ravel().cast(self.dtype)
        empty = self._new(build.full(0, self.dtype, (count,)))
        total = empty.scatter_add(0, inside._choose(place, 0), inside._choose(given, 0.0))
        if density:
            total = total / total.sum() / (edges[1:] - edges[:-1])
        return Histogram(total, edges)

    def _equal_edges(self, bins: int, limits: tuple[float, float] | None) -> Self:
        if bins < 1:
            raise ValueError(f"histogram needs at least 1 bin, not {bins}")
        if limits is None:
            low, high = (float(self.amin()), float(self.amax())) if self.numel() else (0.0, 1.0)
        else:
            low, high = map(float, limits)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ValueError(f"histogram cannot span {low} to {high}: give a range that is finite and rising")
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        return type(self)(np.linspace(low, high, bins + 1), self.dtype, self.device)

    def combinations(self, r: int = 2, with_replacement: bool = False) -> Self:
        """All choices of r elements of a line, in order: (count, r)."""
        if self.ndim != 1 or r < 0:
            raise ValueError(f"combinations takes a line and a count, not shape {self.shape} and {r}")
        choose = combinations_with_replacement if with_replacement else combinations
        places = np.array(list(choose(range(self.shape[0]), r)), np.int64).reshape(-1, r)
        if not places.size:
            return self._new(build.full(0, self.dtype, places.shape))
        return self[places]

    def unravel_index(self, shape: tuple[int, ...] | int) -> tuple[Self, ...]:
        """Places counted in order as one index for each axis of a shape."""
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        found, rest = [], self.long()
        for n in reversed(sizes):
            found.append(rest % n)
            rest = rest // n
        return tuple(reversed(found))

    # --- sizes, areas, powers

    def renorm(self, p: float, dim: int, maxnorm: float) -> Self:
        """Each part along an axis, scaled down to a p-norm of `maxnorm` if it has a larger one."""
        axis = self._axis(dim)
        norms = self.norm(p, tuple([a for a in range(self.ndim) if a != axis]), keepdim=True)
        return self * (norms > maxnorm)._choose(maxnorm / (norms + 1e-7), 1.0).cast(self.dtype)

    def trapezoid(self, x: Operand | None = None, *, dx: float = 1.0, dim: int = -1) -> Self:
        """The area below the points along an axis, `dx` or the distances of `x` apart."""
        return self._trapezoids(x, dx, dim).sum(self._axis(dim))

    trapz = trapezoid

    def cumulative_trapezoid(self, x: Operand | None = None, *, dx: float = 1.0, dim: int = -1) -> Self:
        """The area up to each point along an axis but the first."""
        return self._trapezoids(x, dx, dim).cumsum(self._axis(dim))

    def _trapezoids(self, x: Operand | None, dx: float, dim: int) -> Self:
        axis, y = self._axis(dim), self._floating()
        n = y.shape[axis]
        count = max(n - 1, 0)
        later, earlier = y.narrow(axis, n - count, count), y.narrow(axis, 0, count)
        if x is None:
            return (later + earlier) * (dx / 2)
        places = self._coerce(x)
        if places.ndim == 1:
            places = places.reshape(*[-1 if a == axis else 1 for a in range(self.ndim)])
        return (later + earlier) * places.diff(dim=axis - self.ndim) / 2

    def vander(self, N: int | None = None, increasing: bool = False) -> Self:
        """Powers of a line as columns: (n, N), the highest first unless `increasing`."""
        if self.ndim != 1:
            raise ValueError(f"vander takes a line, not shape {self.shape}")
        count = self.shape[0] if N is None else N
        if count < 0:
            raise ValueError(f"vander cannot have {count} columns")
        column = self._new(build.full(1, self.dtype, self.shape))
        columns = []
        for _ in range(count):
            columns.append(column)
            column = column * self
        if not columns:
            return self._new(build.full(0, self.dtype, (self.shape[0], 0)))
        return self.stack(columns if increasing else columns[::-1], 1)


def _bits_of(dtype: DType) -> tuple[DType, int, int]:
    """The integer of a float's width, the bits of its fraction, and the bias of its exponent."""
    known = {
        dtypes.float16: (dtypes.int16, 10, 15),
        dtypes.bfloat16: (dtypes.int16, 7, 127),
        dtypes.float32: (dtypes.int32, 23, 127),
        dtypes.float64: (dtypes.int64, 52, 1023),
    }
    if dtype not in known:
        raise TypeError(f"the bits of {dtype.name} are not taken apart: cast to float32")
    return known[dtype]


__all__ = ["Frexp", "Histogram", "Numeric"]
