"""Moving elements without computing: shape, order, repetition, padding, and basic slices.

Nothing here costs memory or time by itself: the compiler turns these nodes into index arithmetic of whoever
reads the value. Slices with integers, ranges, `...` and `None` are here; indices that are data are in
`indexing.py`.

    >>> Tensor.arange(6).reshape(2, 3).T.flip(0).tolist()
    [[2, 5], [1, 4], [0, 3]]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from types import EllipsisType
from typing import Any, Self, SupportsIndex

from ...graph import dtypes
from ...graph.node import Scalar, Shape, make
from ...graph.ops import Op
from .. import build
from ..core import Core, DTypeLike
from ..elementwise.casts import Casts
from ..jit.number import is_number, place_on, slice_on
from ..stores.views import DIAGONAL, STRIDED, Layout, Moves, layout_of

BasicIndex = int | slice | EllipsisType | None


def sizes_of(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given as f(2, 3) or f((2, 3))."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    try:
        return tuple([size.__index__() for size in sizes])
    except AttributeError:
        raise TypeError(f"sizes are integers, not {tuple(sizes)!r}") from None


class Movement(Casts):
    __slots__ = ()

    # --- shape

    def reshape(self, *sizes: Any, shape: Any = ()) -> Self:
        """Another shape: a view, or a copy where no strides lead from memory to it, as in torch."""
        move = (Op.RESHAPE, self._filled_shape(sizes_of(sizes or (shape,))))
        storage = self.storage
        if (
            storage is None
            or not self.moves
            or layout_of(storage.node.shape, (*self.moves, move)) is not None
        ):
            return self._view(move)
        return self._new(build.reshape(self.node, move[1]))

    def _filled_shape(self, wanted: Shape) -> Shape:
        """The shape with its -1 worked out."""
        mine, total = self.shape, self.numel()
        unknown = [axis for axis, size in enumerate(wanted) if size == -1]
        if any(size < -1 for size in wanted) or len(unknown) > 1:
            raise ValueError(
                f"cannot reshape {mine} to {wanted}: sizes are at least 0, and at most one may be -1"
            )
        if not unknown:
            if prod(wanted) != total:
                raise ValueError(
                    f"cannot reshape {mine} to {wanted}: {total} elements do not fill {prod(wanted)}"
                )
            return wanted
        known = prod(size for size in wanted if size != -1)
        if known == 0:
            raise ValueError(
                f"cannot reshape {mine} to {wanted}: with an axis of size 0, the -1 could be anything"
            )
        if total % known:
            raise ValueError(f"cannot reshape {mine} to {wanted}: {total} is not divisible by {known}")
        return tuple(total // known if size == -1 else size for size in wanted)

    def view(self, *sizes: Any, size: Any = ()) -> Self:
        """`reshape` that never copies, so writes reach the tensor; or `view(dtype)`: the same bits as another
        dtype."""
        if (
            len(sizes) == 1
            and not isinstance(sizes[0], (int, tuple, list))
            and not hasattr(sizes[0], "__index__")
        ):
            return self.bitcast(sizes[0])
        seen = self.reshape(*sizes, shape=size)
        if self.storage is not None and seen.storage is not self.storage:
            raise ValueError(
                f"a view of shape {seen.shape} would be a copy: the elements of shape {self.shape} lie in "
                f"another order in memory; use reshape"
            )
        return seen

    def reshape_as(self, other: Core) -> Self:
        return self.reshape(other.shape)

    def view_as(self, other: Core) -> Self:
        return self.view(other.shape)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Self:
        if self.ndim == 0:
            return self.reshape(1)
        first, last = self._axis(start_dim), self._axis(end_dim)
        if first > last:
            raise ValueError(f"cannot flatten axes {start_dim} to {end_dim}: the first comes after the last")
        shape = self.shape
        return self.reshape(*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :])

    def ravel(self) -> Self:
        return self.reshape(-1) if self.numel() else self.reshape(0)

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Self:
        axis = self._axis(dim)
        part = self._new(
            build.reshape(make(Op.IOTA, dtypes.int64, (), self.shape[axis]), (self.shape[axis],))
        )
        return self.reshape(*self.shape[:axis], *part._filled_shape(tuple(sizes)), *self.shape[axis + 1 :])

    def squeeze(self, dim: int | tuple[int, ...] | None = None) -> Self:
        chosen = self._axes(dim)
        return self.reshape(*[n for axis, n in enumerate(self.shape) if n != 1 or axis not in chosen])

    def unsqueeze(self, dim: int) -> Self:
        axis = self._axis(dim, self.ndim + 1)
        return self.reshape(*self.shape[:axis], 1, *self.shape[axis:])

    def atleast_1d(self) -> Self:
        return self if self.ndim else self.reshape(1)

    def atleast_2d(self) -> Self:
        return self if self.ndim >= 2 else self.reshape(1, -1)

    def atleast_3d(self) -> Self:
        return self if self.ndim >= 3 else self.atleast_2d().unsqueeze(-1)

    # --- order

    def permute(self, *axes_in_order: Any, dims: Any = ()) -> Self:
        wanted = sizes_of(axes_in_order or (dims,))
        axes = tuple([self._axis(d) for d in wanted])
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError(
                f"cannot permute shape {self.shape} by {wanted}: name each of its {self.ndim} axes once"
            )
        return self._view((Op.PERMUTE, axes))

    def transpose(self, dim0: int, dim1: int) -> Self:
        axes = list(range(self.ndim))
        if axes:
            first, second = self._axis(dim0), self._axis(dim1)
            axes[first], axes[second] = second, first
        return self._view((Op.PERMUTE, tuple(axes)))

    swapaxes = swapdims = transpose

    def t(self) -> Self:
        if self.ndim > 2:
            raise ValueError(f"t() takes at most 2 axes, not shape {self.shape}: use transpose or mT")
        return self.T

    @property
    def T(self) -> Self:
        return self._view((Op.PERMUTE, tuple(reversed(range(self.ndim)))))

    @property
    def mT(self) -> Self:
        if self.ndim < 2:
            raise ValueError(f"mT needs at least 2 axes, not shape {self.shape}")
        return self.transpose(-2, -1)

    def movedim(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Self:
        sources = [self._axis(d) for d in ([source] if isinstance(source, int) else source)]
        targets = [self._axis(d) for d in ([destination] if isinstance(destination, int) else destination)]
        if (
            len(sources) != len(targets)
            or len(set(sources)) != len(sources)
            or len(set(targets)) != len(targets)
        ):
            raise ValueError(
                f"cannot move axes {source} to {destination}: name as many places as axes, each once"
            )
        rest = iter([axis for axis in range(self.ndim) if axis not in sources])
        placed = dict(zip(targets, sources, strict=True))
        return self.permute(*[placed[axis] if axis in placed else next(rest) for axis in range(self.ndim)])

    moveaxis = movedim

    def flip(self, *axes_to_flip: Any, dims: Any = ()) -> Self:
        wanted = sizes_of(axes_to_flip or (dims,))
        axes = self._axes(wanted) if wanted else ()
        slices = [(n - 1, n, -1) if axis in axes and n else (0, n, 1) for axis, n in enumerate(self.shape)]
        return self._new(build.slice_(self.node, tuple(slices)))

    def fliplr(self) -> Self:
        return self.flip(1)

    def flipud(self) -> Self:
        return self.flip(0)

    # --- repetition

    def expand(self, *sizes: Any, size: Any = ()) -> Self:
        """Axes of size one grow; -1 keeps a size; new axes come in front."""
        wanted, shape = sizes_of(sizes or (size,)), self.shape
        lead = len(wanted) - len(shape)
        full = tuple([shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(wanted)])
        if (
            lead < 0
            or any(n < 0 for n in full)
            or any(a not in (1, b) for a, b in zip(shape, full[lead:], strict=True))
        ):
            raise ValueError(
                f"cannot expand {shape} to {wanted}: only axes of size 1 grow, and new axes come first"
            )
        grows = full[lead:] != shape or any(n != 1 for n in full[:lead])
        return self._view((Op.EXPAND if grows else Op.RESHAPE, full))

    broadcast_to = expand

    def expand_as(self, other: Core) -> Self:
        return self.expand(other.shape)

    def repeat(self, *counts: Any, repeats: Any = ()) -> Self:
        """The whole tensor, several times along each axis."""
        times = sizes_of(counts or (repeats,))
        if len(times) < self.ndim or any(n < 0 for n in times):
            raise ValueError(
                f"cannot repeat shape {self.shape} by {times}: give a count of at least 0 for every axis"
            )
        shape = (1,) * (len(times) - self.ndim) + self.shape
        paired = self.reshape(*[size for n in shape for size in (1, n)])
        grown = paired.expand(*[size for n, count in zip(shape, times, strict=True) for size in (count, n)])
        return self._new(grown.reshape(*[n * count for n, count in zip(shape, times, strict=True)]).node)

    def tile(self, *counts: Any, dims: Any = ()) -> Self:
        times = sizes_of(counts or (dims,))
        return self.repeat(*(1,) * (self.ndim - len(times)), *times)

    # --- padding and slices

    def pad(self, pad: Sequence[int], mode: str = "constant", value: Scalar = 0) -> Self:
        """torch's order: (left, right) of the last axis first, then the axis before it. Negative amounts
        crop."""
        if len(pad) % 2 or len(pad) > 2 * self.ndim or not all(isinstance(n, SupportsIndex) for n in pad):
            raise ValueError(
                f"cannot pad shape {self.shape} by {tuple(pad)}: give (before, after) pairs of whole numbers "
                "in one row, last axis first"
            )
        pairs = [(0, 0)] * (self.ndim - len(pad) // 2) + [
            (pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)
        ]
        if mode == "constant":
            return self._pad_constant(pairs, value)
        if mode not in _BORDER:
            raise ValueError(f"unknown padding mode {mode!r}: use constant, reflect, replicate or circular")
        x = self
        for axis, (before, after) in enumerate(pairs):
            if before or after:
                # a ring closes where it is cut; the other borders mirror or repeat what is cut off afterwards
                crop = [(0, 0)] * axis + [(min(before, 0), min(after, 0))] + [(0, 0)] * (self.ndim - axis - 1)
                x = x._pad_constant(crop, 0) if mode == "circular" else x
                x = x._pad_border(axis, max(before, 0), max(after, 0), mode)
                x = x if mode == "circular" else x._pad_constant(crop, 0)
        return x

    def _pad_constant(self, pairs: Sequence[tuple[int, int]], value: Scalar) -> Self:
        crop = []
        for (before, after), n in zip(pairs, self.shape, strict=True):
            if n + before + after < 0:
                raise ValueError(
                    f"cannot pad an axis of size {n} by ({before}, {after}): nothing would be left"
                )
            start = max(-before, 0)
            crop.append((start, max(n - start - max(-after, 0), 0), 1))
        grow = tuple([(max(before, 0), max(after, 0)) for before, after in pairs])
        cropped = build.slice_(self.node, tuple(crop)) if any(min(p) < 0 for p in pairs) else self.node
        return self._new(build.pad_value(cropped, grow, value))

    def _pad_border(self, axis: int, before: int, after: int, mode: str) -> Self:
        """One axis padded from its own elements: three pieces side by side."""
        n = self.shape[axis]
        limit = n - 1 if mode == "reflect" else n if mode == "circular" else max(before, after)
        if n == 0 or max(before, after) > limit:
            raise ValueError(
                f"cannot pad an axis of size {n} by ({before}, {after}) in mode {mode!r}: at most {limit}"
            )

        def piece(start: int, length: int, step: int) -> Any:
            return self._new(build.slice_axis(self.node, axis, start, length, step))

        def edge(start: int, length: int) -> Any:
            return piece(start, 1, 1).expand(*[length if a == axis else -1 for a in range(self.ndim)])

        if mode == "reflect":
            parts = [piece(before, before, -1), self, piece(n - 2, after, -1)]
        elif mode == "circular":
            parts = [piece(n - before, before, 1), self, piece(0, after, 1)]
        else:
            parts = [edge(0, before), self, edge(n - 1, after)]
        return self._joined([p for p in parts if p.shape[axis]], axis)

    def shrink(self, bounds: Sequence[tuple[int, int] | None]) -> Self:
        """The part from start to end along every axis; None keeps an axis."""
        whole = [(0, n) if b is None else b for b, n in zip(bounds, self.shape, strict=True)]
        for (start, end), n in zip(whole, self.shape, strict=True):
            if not 0 <= start <= end <= n:
                raise ValueError(
                    f"cannot shrink shape {self.shape} to {list(bounds)}: bounds lie between 0 and the size"
                )
        return self._view((Op.SLICE, tuple([(start, end - start, 1) for start, end in whole])))

    def narrow(self, dim: int, start: int, length: int) -> Self:
        axis = self._axis(dim)
        n = self.shape[axis]
        if is_number(start):
            return self._basic((*[slice(None)] * axis, slice(start, start + length)))
        start = start + n if start < 0 else start
        if not (0 <= start <= n and 0 <= length <= n - start):
            raise IndexError(
                f"cannot take {length} elements from {start} of axis {dim} of shape {self.shape}"
            )
        return self._view((Op.SLICE, build.slices_along(self.shape, axis, start, length)))

    def select(self, dim: int, index: int) -> Self:
        axis = self._axis(dim)
        return self._basic(tuple([slice(None)] * axis + [index]))

    def _basic(self, index: tuple[BasicIndex, ...]) -> Self:
        """Integers, slices, `...` and None."""
        return self._view(*self._basic_moves(index))

    def _basic_moves(self, index: tuple[BasicIndex, ...]) -> Moves:
        slices, shape = self._plan_slices(index)
        return (Op.SLICE, slices), (Op.RESHAPE, shape)

    def _plan_slices(self, index: tuple[BasicIndex, ...]) -> tuple[build.Slices, Shape]:
        """What to slice of every axis, and the shape after integers dropped axes and None added some."""
        taken = sum(1 for i in index if i is not None and i is not Ellipsis)
        if taken > self.ndim:
            raise IndexError(f"{taken} indices are too many for shape {self.shape} with {self.ndim} axes")
        if not any(item is Ellipsis for item in index):
            index = (*index, Ellipsis)
        slices: list[tuple[int, int, int]] = []
        shape: list[int] = []
        for item in index:
            if item is None:
                shape.append(1)
            elif item is Ellipsis:
                for n in self.shape[len(slices) : len(slices) + self.ndim - taken]:
                    slices.append((0, n, 1))
                    shape.append(n)
            elif isinstance(item, slice) and (is_number(item.start) or is_number(item.stop)):
                start, length = slice_on(item, self.shape[len(slices)])
                slices.append((start, length, 1))
                shape.append(length)
            elif isinstance(item, slice):
                start, stop, step = _slice_bounds(item, self.shape[len(slices)])
                length = len(range(start, stop, step))
                slices.append((start, length, step) if length else (0, 0, 1))
                shape.append(length)
            else:
                slices.append((self._position(item, len(slices)), 1, 1))
        return tuple(slices), tuple(shape)

    def _position(self, item: Any, axis: int) -> Any:
        if is_number(item):
            return place_on(item, self.shape[axis])
        if not hasattr(item, "__index__"):
            raise TypeError(f"an index is an integer, a slice, None, ... or a tensor of them, not {item!r}")
        place, n = int(item.__index__()), self.shape[axis]
        if not -n <= place < n:
            raise IndexError(f"index {place} is out of range for axis {axis} of shape {self.shape}")
        return place + n if place < 0 else place

    # --- pieces

    def split(self, split_size: int | Sequence[int], dim: int = 0) -> tuple[Self, ...]:
        axis = self._axis(dim)
        n = self.shape[axis]
        if isinstance(split_size, int):
            if split_size <= 0:
                raise ValueError(f"cannot split into pieces of {split_size}: use a size of at least 1")
            sizes = [min(split_size, n - start) for start in range(0, n, split_size)] or [0]
        else:
            sizes = list(split_size)
            if sum(sizes) != n or min(sizes, default=0) < 0:
                raise ValueError(
                    f"pieces {sizes} do not add up to the {n} elements of axis {dim} of shape {self.shape}"
                )
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        return tuple([self.narrow(axis, s, size) for s, size in zip(starts, sizes, strict=True)])

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Self, ...]:
        if chunks < 1:
            raise ValueError(f"cannot make {chunks} chunks: use at least 1")
        n = self.shape[self._axis(dim)]
        return self.split(max(-(-n // chunks), 1), dim) if n else self.split([0] * chunks, dim)

    def tensor_split(self, sections: int | Sequence[int], dim: int = 0) -> tuple[Self, ...]:
        n = self.shape[self._axis(dim)]
        if isinstance(sections, int):
            return self.split([n // sections + (i < n % sections) for i in range(sections)], dim)
        edges = [0, *[min(max(e + n if e < 0 else e, 0), n) for e in sections], n]
        return self.split([max(b - a, 0) for a, b in pairwise(edges)], dim)

    def unbind(self, dim: int = 0) -> tuple[Self, ...]:
        axis = self._axis(dim)
        return tuple([self.select(axis, i) for i in range(self.shape[axis])])

    def unfold(self, dimension: int, size: int, step: int) -> Self:
        """Windows of `size` along an axis, `step` apart; the window becomes the last axis."""
        axis = self._axis(dimension)
        if not 0 < size <= self.shape[axis] or step < 1:
            raise ValueError(
                f"cannot take windows of {size} every {step} along axis {dimension} of shape {self.shape}"
            )
        return self._view((Op.WINDOW, (axis, size, step, 1))).movedim(axis + 1, -1)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Self:
        """The elements (i, i + offset) of two axes, as the last axis."""
        first, second = self._axis(dim1), self._axis(dim2)
        if self.ndim < 2 or first == second:
            raise ValueError(
                f"a diagonal needs two different axes, not {dim1} and {dim2} of shape {self.shape}"
            )
        plane = self.movedim((first, second), (-2, -1))
        rows, columns = plane.shape[-2:]
        length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
        start = (offset if offset >= 0 else -offset * columns) if length else 0
        return plane._view((DIAGONAL, (start, length)))

    def as_strided(
        self, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
    ) -> Self:
        """The elements at offset + i * stride[0] + j * stride[1] + ... of the memory that this is, or is a
        view of: a view, which can be written to if no element occurs in it twice."""
        whole = self.whole()
        if storage_offset is None:
            layout = layout_of(whole.shape, self.moves) if self.storage is not None else None
            storage_offset = 0 if layout is None else layout.offset
        wanted = Layout(sizes_of((size,)), sizes_of((stride,)), storage_offset)
        if len(wanted.shape) != len(wanted.strides) or min((*wanted.shape, *wanted.strides, 0)) < 0:
            raise ValueError(
                f"as_strided takes as many strides as sizes, at least 0, not {size} and {stride}"
            )
        last = sum((n - 1) * step for n, step in zip(wanted.shape, wanted.strides, strict=True))
        if prod(wanted.shape) and not 0 <= storage_offset <= storage_offset + last < whole.numel():
            raise ValueError(
                f"as_strided with sizes {wanted.shape}, strides {wanted.strides} and offset {storage_offset} "
                f"leaves the {whole.numel()} elements that there are"
            )
        return whole._view((STRIDED, wanted))

    # --- joining

    def _joined(self, parts: Sequence[Self], axis: int) -> Self:
        """Parts of one dtype side by side."""
        return self._new(build.cat([part.node for part in parts], axis))


_BORDER = ("reflect", "replicate", "circular")


def _slice_bounds(item: slice, n: int) -> tuple[int, int, int]:
    if item.step is not None and item.step == 0:
        raise ValueError("a slice cannot have step 0")
    try:
        return item.indices(n)
    except TypeError:
        raise TypeError(f"slice bounds are integers or None, not {item!r}") from None


__all__ = ["BasicIndex", "DTypeLike", "Movement", "sizes_of"]
