"""Tensors from nothing, and tensors from several others.

Constants and ranges are nodes, not memory: `Tensor.zeros(1000, 1000)` costs nothing until something stores
it.

    >>> Tensor.arange(3).tolist(), Tensor.cat([Tensor.ones(2), Tensor.zeros(1)]).tolist()
    ([0, 1, 2], [1.0, 1.0, 0.0])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

from ...graph import dtypes
from ...graph.constants import anything
from ...graph.dtypes import DType
from ...graph.node import Node, Scalar, Shape, make
from ...graph.ops import Op
from ...runtime.device import Device
from .. import build
from ..checks import check_classes
from ..core import Core, DTypeLike, Operand, is_scalar
from ..interop import Interop
from ..operands import same_device, scalar_node
from ..reductions.reduce import Reduce
from .movement import sizes_of

#: more elements than any index can count
_MOST = 1 << 62


def checked_shape(args: tuple[Any, ...]) -> Shape:
    shape = sizes_of(args)
    if any(n < 0 for n in shape):
        raise ValueError(f"cannot make a tensor of shape {shape}: sizes are at least 0")
    if math.prod(shape) > _MOST:
        raise ValueError(
            f"cannot make a tensor of shape {shape}: {math.prod(shape)} elements are more than "
            "any memory holds"
        )
    return shape


class Creation(Reduce, Interop):
    __slots__ = ()

    @classmethod
    def _placed(cls, node: Node, device: str | None, requires_grad: bool = False) -> Self:
        """A value without memory, on a device where one is named; in memory where it gathers gradients."""
        if device is not None and Device.canonical(device) != Device.default:
            node = make(Op.COPY, node.dtype, (node,), Device.canonical(device))
        return cls._of(node).requires_grad_(requires_grad)

    # --- constants

    @classmethod
    def full(
        cls,
        size: Sequence[int] | int,
        fill_value: Operand,
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
        requires_grad: bool = False,
    ) -> Self:
        shape = checked_shape((size,))
        value: Scalar | complex = fill_value if is_scalar(fill_value) else cls(fill_value).item()
        wanted = dtypes.of_scalar(value) if dtype is None else dtypes.of(dtype)
        return cls._placed(build.broadcast(scalar_node(value, wanted), shape), device, requires_grad)

    @classmethod
    def zeros(
        cls, *size: Any, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False
    ) -> Self:
        wanted = dtype or dtypes.float32
        return cls.full(sizes_of(size), 0, dtype=wanted, device=device, requires_grad=requires_grad)

    @classmethod
    def ones(
        cls, *size: Any, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False
    ) -> Self:
        wanted = dtype or dtypes.float32
        return cls.full(sizes_of(size), 1, dtype=wanted, device=device, requires_grad=requires_grad)

    @classmethod
    def empty(
        cls, *size: Any, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False
    ) -> Self:
        """A tensor whose values do not matter. They are zeros: a value that is never stored costs nothing.
        But what is stored of `x.where(mask, Tensor.empty(()))` may keep, outside the mask, what memory held.
        """
        node = anything(dtypes.float32 if dtype is None else dtypes.of(dtype))
        shape = checked_shape((sizes_of(size),))
        return cls._placed(build.broadcast(node, shape), device, requires_grad)

    def full_like(
        self,
        fill_value: Scalar | complex,
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
        requires_grad: bool = False,
    ) -> Self:
        wanted, place = dtype or self.dtype, device or self.device
        return self.full(self.shape, fill_value, dtype=wanted, device=place, requires_grad=requires_grad)

    def zeros_like(
        self, *, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False
    ) -> Self:
        return self.full_like(0, dtype=dtype, device=device, requires_grad=requires_grad)

    def ones_like(
        self, *, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False
    ) -> Self:
        return self.full_like(1, dtype=dtype, device=device, requires_grad=requires_grad)

    def empty_like(
        self, *, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False
    ) -> Self:
        wanted, place = dtype or self.dtype, device or self.device
        return self.empty(self.shape, dtype=wanted, device=place, requires_grad=requires_grad)

    def new_zeros(self, *size: Any, dtype: DTypeLike = None) -> Self:
        return self.zeros(*size, dtype=dtype or self.dtype, device=self.device)

    def new_empty(self, *size: Any, dtype: DTypeLike = None) -> Self:
        return self.new_zeros(*size, dtype=dtype)

    def new_ones(self, *size: Any, dtype: DTypeLike = None) -> Self:
        return self.ones(*size, dtype=dtype or self.dtype, device=self.device)

    def new_full(self, size: Sequence[int], fill_value: Scalar | complex, dtype: DTypeLike = None) -> Self:
        return self.full(size, fill_value, dtype=dtype or self.dtype, device=self.device)

    def new_tensor(self, data: object, dtype: DTypeLike = None) -> Self:
        return type(self)(data, dtype=dtype or self.dtype, device=self.device)

    # --- sequences

    @classmethod
    def arange(
        cls,
        start: Scalar,
        end: Scalar | None = None,
        step: Scalar = 1,
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
        requires_grad: bool = False,
    ) -> Self:
        """start, start + step, ... below end."""
        if end is None:
            start, end = 0, start
        if step == 0:
            raise ValueError("arange cannot go by steps of 0")
        if not all(map(math.isfinite, (start, end, step))):
            raise ValueError(f"arange needs finite numbers, not {start}, {end}, {step}")
        whole = all(isinstance(v, int) for v in (start, end, step))
        count = max(-(-(end - start) // step) if whole else math.ceil((end - start) / step), 0)
        wanted = dtypes.of(dtype) if dtype is not None else dtypes.int64 if whole else dtypes.float32
        # float ranges are computed in float64 and rounded once, as torch does
        within = dtypes.int64 if whole and not wanted.is_float else dtypes.float64
        line = cls._of(make(Op.IOTA, dtypes.int64, (), checked_shape((int(count),))[0])).cast(within)
        line = line if step == 1 else line * step
        line = line if start == 0 else line + start
        return cls._placed(line.cast(wanted).node, device, requires_grad)

    @classmethod
    def linspace(
        cls,
        start: float | complex,
        end: float | complex,
        steps: int,
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
        requires_grad: bool = False,
    ) -> Self:
        """`steps` values from start to end, both included."""
        if steps < 0:
            raise ValueError(f"linspace needs a count of at least 0, not {steps}")
        if isinstance(start, complex) or isinstance(end, complex):
            wanted = dtypes.complex64 if dtype is None else dtypes.of(dtype)
            first, last = complex(start), complex(end)
            ends = ((first.real, last.real), (first.imag, last.imag))
            parts = (cls.linspace(*pair, steps, dtype=dtypes.float64).node for pair in ends)
            return cls._placed(build.cast(build.complex_(*parts), wanted), device, requires_grad)
        place = cls._of(make(Op.IOTA, dtypes.int64, (), steps)).cast(dtypes.float64)
        gap = (end - start) / max(steps - 1, 1)
        # from both ends, so that the last value is exactly `end`
        line = (place < steps / 2)._choose(place * gap + start, end - (steps - 1 - place) * gap)
        return cls._placed(line.cast(dtype or dtypes.float32).node, device, requires_grad)

    @classmethod
    def logspace(
        cls, start: float, end: float, steps: int, base: float = 10.0, *, dtype: DTypeLike = None
    ) -> Self:
        return ((cls.linspace(start, end, steps, dtype=dtypes.float64) * math.log(base)).exp()).cast(
            dtype or dtypes.float32
        )

    @classmethod
    def eye(
        cls,
        n: int,
        m: int | None = None,
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
        requires_grad: bool = False,
    ) -> Self:
        shape = checked_shape((n, n if m is None else m))
        same = build.binary(Op.EQ, build.iota(shape, 0), build.iota(shape, 1))
        return cls._placed(build.cast(same, dtypes.of(dtype or dtypes.float32)), device, requires_grad)

    @classmethod
    def tri(cls, n: int, m: int | None = None, k: int = 0, *, dtype: DTypeLike = None) -> Self:
        """Ones at and below the k-th diagonal."""
        return cls._of(_below(checked_shape((n, n if m is None else m)), k)).cast(dtype or dtypes.float32)

    def tril(self, diagonal: int = 0) -> Self:
        self._need_plane("tril")
        return self._new(_below(self.shape, diagonal))._choose(self, self._constant(0))

    def triu(self, diagonal: int = 0) -> Self:
        self._need_plane("triu")
        return self._new(_below(self.shape, diagonal - 1))._choose(self._constant(0), self)

    def _need_plane(self, verb: str) -> None:
        if self.ndim < 2:
            raise ValueError(f"{verb} needs at least 2 axes, not shape {self.shape}")

    def diag(self, diagonal: int = 0) -> Self:
        """The diagonal of a matrix, or a matrix with this diagonal."""
        return self.diag_embed(diagonal) if self.ndim == 1 else self.diagonal(diagonal)

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Self:
        """The last axis as a diagonal of two new axes."""
        rank = self.ndim + 1
        first, second = self._axis(dim1, rank), self._axis(dim2, rank)
        if first == second:
            raise ValueError(f"a diagonal needs two different axes, not {dim1} and {dim2}")
        if (first, second) != (rank - 2, rank - 1):
            return self.diag_embed(offset).movedim((-2, -1), (first, second))
        line = self.pad((offset, 0) if offset > 0 else (0, -offset)).unsqueeze(-2)
        n = line.shape[-1]
        rows, columns = (self._new(build.iota((n, n), axis)) for axis in (0, 1))
        holds = (columns - rows).eq(offset)
        return holds._choose(line.expand(*self.shape[:-1], n, n), line._constant(0))

    def trace(self) -> Self:
        return self.diagonal().sum()

    def one_hot(self, num_classes: int = -1) -> Self:
        """A new last axis of `num_classes`, 1 at the value and 0 elsewhere, as int64. Without a number it is
        one more than the largest value: that is data, so this waits. Classes out of range raise where they
        are in host memory; else, and in jit, their row is all 0."""
        if not self.dtype.is_int:
            raise TypeError(f"one_hot needs integers, not {self.dtype.name}: cast first")
        if num_classes == -1:
            num_classes = int(self.amax().item()) + 1
        if num_classes < 0:
            raise ValueError(f"one_hot needs a number of classes of at least 0, not {num_classes}")
        check_classes(self.node, num_classes)
        wide = self.cast(dtypes.int64).unsqueeze(-1).expand(*self.shape, num_classes)
        return (wide == self._new(build.iota(wide.shape, self.ndim))).cast(dtypes.int64)

    # --- several into one

    @classmethod
    def cat(cls, tensors: Sequence[Operand], dim: int = 0) -> Self:
        """Side by side along an axis; dtypes are promoted."""
        parts = [
            t if isinstance(t, cls) else cls._of(t.node) if isinstance(t, Core) else cls(t) for t in tensors
        ]
        if not parts:
            raise ValueError("cat needs at least one tensor")
        dtype = parts[0].dtype
        for part in parts[1:]:
            dtype = dtypes.promote(dtype, part.dtype)
        # torch lets an empty 1-dim tensor join anything
        parts = [p for p in parts if p.shape != (0,)] or parts[:1]
        first = parts[0]
        if first.ndim == 0:
            raise ValueError("cat cannot join 0-dim tensors: use stack")
        axis = first._axis(dim)
        for part in parts:
            if part.ndim != first.ndim or any(
                a != b for i, (a, b) in enumerate(zip(part.shape, first.shape, strict=True)) if i != axis
            ):
                raise ValueError(
                    f"cannot join shapes {first.shape} and {part.shape} along axis {dim}: the "
                    "other sizes differ"
                )
        same_device(*[part.node for part in parts])
        kept = [part.cast(dtype) for part in parts if part.shape[axis]] or [first.cast(dtype)]
        return kept[0] if len(kept) == 1 else first._joined(kept, axis)

    concat = concatenate = cat

    @classmethod
    def stack(cls, tensors: Sequence[Operand], dim: int = 0) -> Self:
        """Side by side along a new axis."""
        parts = [
            t if isinstance(t, cls) else cls._of(t.node) if isinstance(t, Core) else cls(t) for t in tensors
        ]
        if not parts:
            raise ValueError("stack needs at least one tensor")
        for part in parts:
            if part.shape != parts[0].shape:
                raise ValueError(
                    f"cannot stack shapes {parts[0].shape} and {part.shape}: stack needs equal shapes"
                )
        return cls.cat([part.unsqueeze(dim) for part in parts], parts[0]._axis(dim, parts[0].ndim + 1))

    @classmethod
    def hstack(cls, tensors: Sequence[Self]) -> Self:
        parts = [t.atleast_1d() for t in tensors]
        return cls.cat(parts, 0 if parts[0].ndim == 1 else 1)

    @classmethod
    def vstack(cls, tensors: Sequence[Self]) -> Self:
        return cls.cat([t if t.ndim >= 2 else t.reshape(1, -1) for t in tensors], 0)

    row_stack = vstack

    @classmethod
    def dstack(cls, tensors: Sequence[Self]) -> Self:
        return cls.cat([t.atleast_3d() for t in tensors], 2)

    @classmethod
    def column_stack(cls, tensors: Sequence[Self]) -> Self:
        return cls.cat([t if t.ndim >= 2 else t.reshape(-1, 1) for t in tensors], 1)

    @classmethod
    def block_diag(cls, *tensors: Self) -> Self:
        """Matrices along the diagonal of one that is 0 elsewhere."""
        blocks = [t.atleast_2d() for t in tensors]
        width, start, rows = sum(b.shape[1] for b in blocks), 0, []
        for block in blocks:
            rows.append(block.pad((start, width - start - block.shape[1])))
            start += block.shape[1]
        return cls.cat(rows, 0)

    @classmethod
    def cartesian_prod(cls, *tensors: Self) -> Self:
        """All combinations of one element of each, in rows."""
        if len(tensors) == 1:
            return tensors[0]
        return cls.stack([grid.reshape(-1) for grid in cls.meshgrid(*tensors)], 1)

    def roll(self, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Self:
        """Elements that leave at one end come back at the other."""
        if dims is None:
            if not isinstance(shifts, int):
                raise ValueError(f"roll by {shifts} needs the axes: give dims of the same length")
            return self.ravel().roll(shifts, 0).reshape(self.shape)
        amounts = [shifts] if isinstance(shifts, int) else list(shifts)
        axes = [dims] if isinstance(dims, int) else list(dims)
        if len(amounts) != len(axes):
            raise ValueError(f"roll got {len(amounts)} shifts for {len(axes)} axes: give one for each")
        x = self
        for amount, dim in zip(amounts, axes, strict=True):
            n = x.shape[x._axis(dim)]
            cut = -amount % n if n else 0
            if cut:
                x = x.cat([x.narrow(dim, cut, n - cut), x.narrow(dim, 0, cut)], dim)
        return x

    def rot90(self, k: int = 1, dims: tuple[int, int] = (0, 1)) -> Self:
        """A quarter turn, k times, from the first axis towards the second."""
        first, second = dims
        turns = k % 4
        if turns == 2:
            return self.flip(first, second)
        turned = self.transpose(first, second) if turns else self
        return turned if turns == 0 else turned.flip(first if turns == 1 else second)

    @classmethod
    def meshgrid(cls, *tensors: Any, indexing: str = "ij") -> tuple[Self, ...]:
        """The coordinates of a grid, one tensor an axis."""
        parts: list[Self] = (
            list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
        )
        if indexing not in ("ij", "xy"):
            raise ValueError(f"unknown indexing {indexing!r}: use 'ij' or 'xy'")
        if any(part.ndim > 1 for part in parts):
            shapes = [part.shape for part in parts]
            raise ValueError(f"meshgrid takes tensors of one axis, not shapes {shapes}: use ravel")
        swap = indexing == "xy" and len(parts) >= 2
        if swap:
            parts[0], parts[1] = parts[1], parts[0]
        shape = tuple([part.numel() for part in parts])
        grids = [
            part.reshape(*[-1 if i == axis else 1 for i in range(len(parts))]).expand(shape)
            for axis, part in enumerate(parts)
        ]
        if swap:
            grids[0], grids[1] = grids[1], grids[0]
        return tuple(grids)

    @classmethod
    def broadcast_tensors(cls, *tensors: Self) -> tuple[Self, ...]:
        shape = build.broadcast_shapes(*[t.shape for t in tensors])
        return tuple([t.expand(shape) for t in tensors])


def _below(shape: Shape, diagonal: int) -> Node:
    """True at and below a diagonal of the last two axes: column <= row + diagonal."""
    rank = len(shape)
    limit = build.binary(Op.ADD, build.iota(shape, rank - 2), build.full(diagonal, dtypes.int64, shape))
    return build.binary(Op.LE, build.iota(shape, rank - 1), limit)


__all__ = ["Creation", "DType", "checked_shape"]
