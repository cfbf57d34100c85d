"""Names of torch that are a line or two of other methods.

>>> Tensor([1.0, 2.0]).vdot(Tensor([3.0, 4.0])).item()
11.0
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import nan, prod
from typing import Any, Self

from ...graph import dtypes
from ...graph.node import Scalar, Shape
from ...graph.ops import Op
from .. import build
from ..core import Operand
from ..reductions.products import Products
from ..shapes.indexing import Indexing
from ..shapes.tables import Tables


class Composed(Products, Indexing, Tables):
    __slots__ = ()

    # --- what it is

    def equal(self, other: Self) -> bool:
        """The same shape and the same elements."""
        return self.shape == other.shape and bool((self == other).all())

    def is_same_size(self, other: Self) -> bool:
        return self.shape == other.shape

    def is_nonzero(self) -> bool:
        return bool(self)

    def is_contiguous(self) -> bool:
        """Always: every tensor is stored in row-major order when it is stored at all."""
        return True

    def stride(self, dim: int | None = None) -> Shape | int:
        """Elements between neighbours along each axis of the row-major order it is stored in."""
        strides = [prod(max(size, 1) for size in self.shape[axis + 1 :]) for axis in range(self.ndim)]
        return tuple(strides) if dim is None else strides[self._axis(dim)]

    def is_signed(self) -> bool:
        return self.dtype.has_gradient or (self.dtype.is_int and not self.dtype.is_unsigned)

    def is_complex(self) -> bool:
        return self.dtype.is_complex

    def conj(self) -> Self:
        """The complex conjugate; a real tensor is its own."""
        if not self.dtype.is_complex:
            return self
        re, im = build.real(self.node), build.imag(self.node)
        return self._new(build.complex_(re, build.unary(Op.NEG, im)))

    conj_physical = conj

    def resolve_conj(self) -> Self:
        """Itself: conjugates are values here, not marks as in torch."""
        return self

    def is_conj(self) -> bool:
        return False

    @property
    def is_cuda(self) -> bool:
        return self.device.startswith("cuda")

    @property
    def is_cpu(self) -> bool:
        return self.device == "cpu"

    def ndimension(self) -> int:
        return self.ndim

    def byte(self) -> Self:
        return self.cast(dtypes.uint8)

    def char(self) -> Self:
        return self.cast(dtypes.int8)

    # --- products

    def inner(self, other: Self) -> Self:
        """Sums of products over the last axis of both."""
        return self * other if not (self.ndim and other.ndim) else self.tensordot(other, ([-1], [-1]))

    def vdot(self, other: Operand) -> Self:
        """The sum of products, of the conjugates of these."""
        return self.conj().dot(other)

    def ger(self, vec2: Operand) -> Self:
        return self.outer(vec2)

    def addmv(self, mat: Self, vec: Operand, *, beta: Scalar = 1, alpha: Scalar = 1) -> Self:
        return self * beta + mat.mv(vec) * alpha

    def addr(self, vec1: Self, vec2: Operand, *, beta: Scalar = 1, alpha: Scalar = 1) -> Self:
        return self * beta + vec1.outer(vec2) * alpha

    def addbmm(self, batch1: Self, batch2: Operand, *, beta: Scalar = 1, alpha: Scalar = 1) -> Self:
        return self * beta + batch1.bmm(batch2).sum(0) * alpha

    def matrix_power(self, n: int) -> Self:
        """A square matrix times itself, n times, by squaring; its inverse where n is negative."""
        if self.ndim < 2 or self.shape[-1] != self.shape[-2]:
            raise ValueError(f"matrix_power needs square matrices, not shape {self.shape}")
        if n < 0:
            return self.inverse().matrix_power(-n)
        if n == 0:
            rows = self.arange(self.shape[-1], device=self.device)
            return (rows.unsqueeze(1) == rows).cast(self.dtype).expand(self.shape)
        if n == 1:
            return self.clone()
        square = self @ self
        result = self if n & 1 else None
        while n := n >> 1:
            if n & 1:
                result = square if result is None else result @ square
            if n > 1:
                square = square @ square
        assert result is not None
        return result

    def adjoint(self) -> Self:
        return self.mT.conj()

    @property
    def mH(self) -> Self:
        return self.mT.conj()

    @property
    def H(self) -> Self:
        if self.ndim != 2:
            raise ValueError(f"H is of matrices, not of shape {self.shape}: use mH for a batch of them")
        return self.mH

    # --- of `saccade.linalg`, which is made of tensors

    def det(self) -> Self:
        return self._linalg("det")

    def slogdet(self) -> Any:
        return self._linalg("slogdet")

    def logdet(self) -> Self:
        """log of the determinant: NaN where that is negative."""
        sign, log = self.slogdet()
        made: Self = (sign < 0)._choose(nan, log)
        return made

    def inverse(self) -> Self:
        return self._linalg("inv")

    def pinverse(self, rcond: float = 1e-15) -> Self:
        return self._linalg("pinv", rtol=rcond)

    def matrix_exp(self) -> Self:
        return self._linalg("matrix_exp")

    def _linalg(self, name: str, **options: Any) -> Self:
        made: Self = getattr(import_module("saccade.linalg"), name)(self, **options)
        return made

    # --- statistics

    def pairwise_distance(self, other: Operand, p: float = 2.0, eps: float = 1e-6) -> Self:
        """Distances between the rows of two tensors."""
        return (self - other + eps).norm(p, -1)

    def dist(self, other: Operand, p: float = 2) -> Self:
        return (self - other).norm(p)

    def pdist(self, p: float = 2.0) -> Self:
        """Distances between rows (n, d), each pair once, of 0 and 1, 0 and 2, ...: (n (n - 1) / 2,)."""
        if self.ndim != 2:
            raise ValueError(f"pdist takes a matrix, not shape {self.shape}")
        first, second = self.triu_indices(self.shape[0], self.shape[0], 1, device=self.device).unbind()
        return (self.index_select(0, first) - self.index_select(0, second)).norm(p, 1)

    def cov(self, *, correction: int = 1) -> Self:
        """Covariances of the rows."""
        rows = (self.reshape(1, -1) if self.ndim < 2 else self)._floating()
        centred = rows - rows.mean(1, keepdim=True)
        result = centred @ centred.mH / max(rows.shape[1] - correction, 0)
        return result.reshape(()) if self.ndim < 2 else result

    def corrcoef(self) -> Self:
        """Correlations of the rows."""
        covariance = self.cov()
        if not covariance.ndim:
            return covariance / covariance
        scale = covariance.diagonal().sqrt()
        found = covariance / scale.unsqueeze(1) / scale
        if found.dtype.is_complex:
            return found
        # Rounding alone exceeds 1. A slope through the bounds would depend on it: kernels that sum in two
        # orders do not agree which numbers are beyond
        return found.detach().clamp(-1, 1) + (found - found.detach())

    def histc(self, bins: int = 100, min: float = 0, max: float = 0) -> Self:
        """How many elements fall into each of equal bins; without limits they span the data."""
        if min == max:
            min, max = float(self.min()), float(self.max())
            if min == max:
                min, max = min - 1, max + 1
        inside = (self >= min) & (self <= max)
        place = ((self - min) * (bins / (max - min))).floor().clamp(0, bins - 1).long()
        counts = self.new_zeros(bins)
        return counts.scatter_add(
            0, inside._choose(place, 0).reshape(-1), inside.cast(self.dtype).reshape(-1)
        )

    def gradient(
        self, *, spacing: Any = 1, dim: int | Sequence[int] | None = None, edge_order: int = 1
    ) -> tuple[Self, ...]:
        """Slopes along each axis (or those in `dim`) by differences of neighbours, by one-sided ones of
        `edge_order` at both ends. `spacing` is a distance, a distance for each axis, or for each the places
        of its elements (n,)."""
        chosen = range(self.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
        axes = [self._axis(axis) for axis in chosen]
        each = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(axes)
        if len(each) != len(axes) or edge_order not in (1, 2):
            raise ValueError(
                f"gradient takes one spacing or one for each of {len(axes)} axes, not {len(each)}, and "
                f"edge_order 1 or 2, not {edge_order}"
            )
        return tuple([self._slopes(axis, gap, edge_order) for axis, gap in zip(axes, each, strict=True)])

    def _slopes(self, axis: int, spacing: Any, edge_order: int) -> Self:
        """The slope of the parabola through three neighbours, in the middle and at the ends of the axis."""
        n = self.shape[axis]
        if n <= edge_order:
            raise ValueError(f"gradient along {n} elements: edge_order {edge_order} needs more")
        x = self._floating().movedim(axis, -1)
        steps, left, right = spacing, x.new_ones(n - 2), x.new_ones(n - 2)
        if isinstance(spacing, type(self)) and spacing.ndim:
            if spacing.shape != (n,):
                raise ValueError(f"places of shape {spacing.shape} for axis {axis} of {n}")
            steps = spacing.cast(x.dtype).diff()
            left, right = steps[:-1], steps[1:]
        slopes = x.diff() / steps
        middle = (slopes[..., :-1] * right + slopes[..., 1:] * left) / (left + right)
        start, end = slopes[..., :1], slopes[..., -1:]
        if edge_order == 2:
            bend = (slopes[..., 1:] - slopes[..., :-1]) / (left + right)
            start, end = start - bend[..., :1] * left[:1], end + bend[..., -1:] * right[-1:]
        whole: Self = start.cat([start, middle, end], -1)
        return whole.movedim(-1, axis)

    # --- parts

    def diagflat(self, offset: int = 0) -> Self:
        """A matrix with these elements on a diagonal."""
        return self.reshape(-1).diag(offset)

    def hsplit(self, split: int | Sequence[int]) -> list[Self]:
        return list(self.tensor_split(split, 0 if self.ndim == 1 else 1))

    def vsplit(self, split: int | Sequence[int]) -> list[Self]:
        return list(self.tensor_split(split, 0))

    def dsplit(self, split: int | Sequence[int]) -> list[Self]:
        return list(self.tensor_split(split, 2))

    def split_with_sizes(self, sizes: Sequence[int], dim: int = 0) -> Sequence[Self]:
        return self.split(list(sizes), dim)

    def sum_to_size(self, *size: Any) -> Self:
        """Sum away what broadcasting from `size` would have repeated."""
        shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else tuple(size)
        extra = self.ndim - len(shape)
        if extra < 0 or any(a not in (b, 1) for a, b in zip(shape, self.shape[max(extra, 0) :], strict=True)):
            raise ValueError(f"shape {self.shape} is not a broadcast of {shape}")
        axes = [a for a in range(self.ndim) if a < extra or shape[a - extra] != self.shape[a]]
        return (self.sum(tuple(axes)) if axes else self).reshape(shape)

    def select_scatter(self, src: Operand, dim: int, index: int) -> Self:
        """A copy with one position of an axis replaced."""
        return self._with((slice(None),) * self._axis(dim) + (index,), src)

    def slice_scatter(
        self, src: Operand, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
    ) -> Self:
        """A copy with a slice of an axis replaced."""
        return self._with((slice(None),) * self._axis(dim) + (slice(start, end, step),), src)

    def diagonal_scatter(self, src: Operand, offset: int = 0) -> Self:
        """A copy of a matrix with a diagonal replaced."""
        if self.ndim != 2:
            raise ValueError(f"diagonal_scatter takes a matrix, not shape {self.shape}")
        rows, columns = self.shape
        wanted, given = self.diagonal(offset).shape, self._coerce(src).cast(self.dtype)
        if given.shape != wanted:
            raise ValueError(f"a diagonal of shape {wanted} is not replaced by shape {given.shape}")
        down, right = max(-offset, 0), max(offset, 0)
        square = given.diag_embed().pad((right, columns - right - wanted[0], down, rows - down - wanted[0]))
        place = self.arange(columns, device=self.device) - self.arange(rows, device=self.device).unsqueeze(1)
        return place.eq(offset)._choose(square, self)

    def masked_scatter(self, mask: Self, source: Self) -> Self:
        """The elements of `source`, in order, where the mask holds."""
        holds = mask.expand(self.shape).reshape(-1)
        place = (holds.long().cumsum(0) - 1).clamp(min=0)
        return holds._choose(source.reshape(-1).take(place), self.reshape(-1)).reshape(self.shape)

    def put(self, index: Operand, source: Self, accumulate: bool = False) -> Self:
        """A copy with elements replaced, numbered as if it were flat."""
        return self.reshape(-1).index_put([index], source, accumulate).reshape(self.shape)
