"""Views: which elements of a storage a tensor stands for, read and written.

A view is a storage and the *moves* (an op and its argument each) that lead from there to the tensor:

    x[0].T        ((SLICE, ..), (RESHAPE, ..), (PERMUTE, ..))

`moved` reads through them; `put` is the other way round, the storage's value after a write through the view.
`layout_of` gives the strides that NumPy and torch would have, and None where torch's `reshape` copies,
because no strides describe the result.

    >>> layout_of((2, 3), ((Op.PERMUTE, (1, 0)),))
    Layout(shape=(3, 2), strides=(1, 3), offset=0)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any, Final

from ...graph import dtypes
from ...graph.node import Node, Shape, make
from ...graph.ops import Op
from .. import build

#: An op of movement (or BITCAST) with its argument; EXPAND may put axes in front. DIAGONAL is of the last two
#: axes: its argument is the place, in rows, where it starts, and its length.
DIAGONAL: Final = "diagonal"
#: The same elements, through which no gradient flows; its argument tells leaves apart (see `leaves`).
DETACH: Final = "detach"
#: Of a whole storage; its argument is a `Layout`.
STRIDED: Final = "strided"
Move = tuple[Op | str, Any]
Moves = tuple[Move, ...]


def _bitcast(node: Node, dtype: dtypes.DType) -> Node:
    return node if node.dtype is dtype else make(Op.BITCAST, dtype, (node,), None)


def _detached(node: Node, label: int | None) -> Node:
    return make(Op.BITCAST, node.dtype, (node,), label)


def _window(node: Node, arg: tuple[int, int, int, int]) -> Node:
    return build.window(node, *arg)


def _diagonal(node: Node, arg: tuple[int, int]) -> Node:
    """Every (columns + 1)th element of the flattened plane."""
    flat = build.reshape(node, _flattened(node.shape))
    return build.slice_(flat, _along(node.shape, arg))


def _flattened(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-2] * shape[-1])


def _along(shape: Shape, arg: tuple[int, int]) -> build.Slices:
    return build.slices_along(_flattened(shape), len(shape) - 2, *arg, shape[-1] + 1)


def _strided(node: Node, layout: Layout) -> Node:
    """Any places of a value in order, by their numbers."""
    count = prod(layout.shape)
    place = build.full(layout.offset, dtypes.int64, layout.shape)
    for axis, stride in enumerate(layout.strides):
        step = build.full(stride, dtypes.int64, layout.shape)
        place = build.binary(Op.ADD, place, build.binary(Op.MUL, build.iota(layout.shape, axis), step))
    flat, line = build.reshape(node, (node.size,)), build.reshape(place, (count,))
    if not count:
        return build.full(0, node.dtype, layout.shape)
    return build.reshape(make(Op.GATHER, node.dtype, (flat, line), 0), layout.shape)


MOVE: dict[Op | str, Callable[[Node, Any], Node]] = {
    Op.RESHAPE: build.reshape,
    Op.PERMUTE: build.permute,
    Op.EXPAND: build.broadcast,
    Op.SLICE: build.slice_,
    Op.WINDOW: _window,
    Op.BITCAST: _bitcast,
    DIAGONAL: _diagonal,
    DETACH: _detached,
    STRIDED: _strided,
}


def moved(node: Node, moves: Moves) -> Node:
    """What a view of a value shows."""
    for op, arg in moves:
        node = MOVE[op](node, arg)
    return node


def is_whole(shape: Shape, moves: Moves) -> bool:
    """Do moves lead to all of a storage of that shape, in order?"""
    if all(op is Op.RESHAPE for op, _ in moves):
        return True
    layout = None if any(op is Op.BITCAST or op == DETACH for op, _ in moves) else layout_of(shape, moves)
    return layout is not None and layout.is_in_order and prod(layout.shape) == prod(shape)


# --- writing through a view


def put(whole: Node, moves: Moves, value: Node) -> Node:
    """The whole after a view of it was given a value."""
    if 0 in value.shape or value is moved(whole, moves):
        return whole
    if any(op not in _PUT for op, _ in moves):
        return _scattered(whole, moves, value)
    shown = [whole]
    for op, arg in moves:
        shown.append(MOVE[op](shown[-1], arg))
    for number in reversed(range(len(moves))):
        if value is shown[number + 1]:  # what was there already
            return whole
        op, arg = moves[number]
        value = _PUT[op](shown[number], value, arg)
    return value


def _put_reshape(whole: Node, value: Node, shape: Shape) -> Node:
    """An update of what has axes of size 1 more or less is one of the whole."""
    if value.op is Op.UPDATE and value.src[0] is build.reshape(whole, shape):
        slices = _with_units(value.arg, shape, whole.shape)
        if slices is not None:
            part = build.reshape(value.src[1], tuple([length for _, length, _ in slices]))
            return build.update(whole, part, slices)
    return build.reshape(value, whole.shape)


def _with_units(slices: build.Slices, shape: Shape, wanted: Shape) -> build.Slices | None:
    """Slices of a shape as those of another that differs in axes of size 1, else None."""
    if [n for n in shape if n != 1] != [n for n in wanted if n != 1]:
        return None
    if any(length == 0 for _, length, _ in slices):
        return None
    rest = iter([piece for piece, n in zip(slices, shape, strict=True) if n != 1])
    return tuple([(0, 1, 1) if n == 1 else next(rest) for n in wanted])


def _put_permute(whole: Node, value: Node, axes: tuple[int, ...]) -> Node:
    inverse = tuple(sorted(range(len(axes)), key=axes.__getitem__))
    if value.op is Op.UPDATE and value.src[0] is build.permute(whole, axes):
        slices = tuple([value.arg[axis] for axis in inverse])
        return build.update(whole, build.permute(value.src[1], inverse), slices)
    return build.permute(value, inverse)


def _scattered(whole: Node, moves: Moves, value: Node) -> Node:
    """Any view without overlaps: the elements go where the same view of the numbers of all places says."""
    size = whole.size
    numbers = build.reshape(make(Op.IOTA, dtypes.int64, (), size), whole.shape)
    shown = moved(numbers, tuple([move for move in moves if move[0] not in (Op.BITCAST, DETACH)]))
    places, values = (build.reshape(n, (value.size,)) for n in (shown, _bitcast(value, whole.dtype)))
    flat = make(Op.SCATTER, whole.dtype, (build.reshape(whole, (size,)), places, values), (0, "set"))
    return build.reshape(flat, whole.shape)


def _put_diagonal(whole: Node, value: Node, arg: tuple[int, int]) -> Node:
    flat = _flattened(whole.shape)
    changed = build.update(build.reshape(whole, flat), value, _along(whole.shape, arg))
    return _put_reshape(whole, changed, flat)


_PUT: dict[Op | str, Callable[[Node, Node, Any], Node]] = {
    Op.RESHAPE: _put_reshape,
    Op.PERMUTE: _put_permute,
    Op.SLICE: build.update,
    Op.BITCAST: lambda whole, value, _: _bitcast(value, whole.dtype),
    DIAGONAL: _put_diagonal,
    DETACH: lambda whole, value, _: value,
}


# --- where the elements are


@dataclass(frozen=True)
class Layout:
    """Element (i, j, ..) is at offset + i * strides[0] + j * strides[1] + ..., counted in elements."""

    shape: Shape
    strides: tuple[int, ...]
    offset: int

    @property
    def is_in_order(self) -> bool:
        """Do its elements lie side by side, as those of a tensor do?"""
        ordered = zip(self.shape, self.strides, _contiguous(self.shape), strict=True)
        return all(n == 1 or stride == wanted for n, stride, wanted in ordered)

    @cached_property
    def overlaps(self) -> bool:
        """May two of its elements be one place in memory?"""
        reach = 0
        for stride, n in sorted((abs(s), n) for s, n in zip(self.strides, self.shape, strict=True) if n > 1):
            if stride <= reach:
                return 0 not in self.shape
            reach += stride * (n - 1)
        return False


@lru_cache(4096)  # a program has few views, and makes them again and again
def layout_of(shape: Shape, moves: Moves) -> Layout | None:
    """The elements that moves lead to, in the memory of a storage of that shape."""
    layout: Layout | None = Layout(shape, _contiguous(shape), 0)
    for op, arg in moves:
        if layout is None:
            return None
        layout = _LAYOUT[op](layout, arg)
    return layout


def _contiguous(shape: Shape) -> tuple[int, ...]:
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def _reshaped(layout: Layout, shape: Shape) -> Layout | None:
    """Axes that lie in one another are one; each new axis has to be within one of those."""
    if 0 in shape:
        return Layout(shape, _contiguous(shape), layout.offset)
    runs: list[list[int]] = []  # size, stride of the last axis
    for n, stride in zip(layout.shape, layout.strides, strict=True):
        if n == 1:
            continue
        if runs and runs[-1][1] == stride * n:
            runs[-1] = [runs[-1][0] * n, stride]
        else:
            runs.append([n, stride])
    strides: list[int] = []
    for n in reversed(shape):
        while runs and runs[-1][0] == 1:
            runs.pop()
        if n == 1:
            strides.append(1)
            continue
        if not runs or runs[-1][0] % n:
            return None
        size, stride = runs[-1]
        strides.append(stride)
        runs[-1] = [size // n, stride * n]
    return Layout(shape, tuple(reversed(strides)), layout.offset)


def _expanded(layout: Layout, shape: Shape) -> Layout:
    lead = len(shape) - len(layout.shape)
    own = zip(layout.shape, layout.strides, shape[lead:], strict=True)
    strides = [stride if n == wanted else 0 for n, stride, wanted in own]
    return Layout(shape, (*(0,) * lead, *strides), layout.offset)


def _sliced(layout: Layout, slices: build.Slices) -> Layout:
    starts = sum(start * stride for (start, _, _), stride in zip(slices, layout.strides, strict=True))
    strides = tuple([step * stride for (_, _, step), stride in zip(slices, layout.strides, strict=True)])
    return Layout(tuple([length for _, length, _ in slices]), strides, layout.offset + starts)


def _permuted(layout: Layout, axes: tuple[int, ...]) -> Layout:
    shape, strides = ([of[axis] for axis in axes] for of in (layout.shape, layout.strides))
    return Layout(tuple(shape), tuple(strides), layout.offset)


def _windowed(layout: Layout, arg: tuple[int, int, int, int]) -> Layout:
    axis, size, step, dilation = arg
    count = (layout.shape[axis] - dilation * (size - 1) - 1) // step + 1
    shape = (*layout.shape[:axis], count, size, *layout.shape[axis + 1 :])
    stride = layout.strides[axis]
    strides = (*layout.strides[:axis], stride * step, stride * dilation, *layout.strides[axis + 1 :])
    return Layout(shape, strides, layout.offset)


def _on_diagonal(layout: Layout, arg: tuple[int, int]) -> Layout:
    start, length = arg
    rows, columns = layout.strides[-2:]
    row, column = divmod(start, max(layout.shape[-1], 1))
    offset = layout.offset + row * rows + column * columns
    return Layout((*layout.shape[:-2], length), (*layout.strides[:-2], rows + columns), offset)


_LAYOUT: dict[Op | str, Callable[[Layout, Any], Layout | None]] = {
    Op.RESHAPE: _reshaped,
    Op.PERMUTE: _permuted,
    Op.EXPAND: _expanded,
    Op.SLICE: _sliced,
    Op.WINDOW: _windowed,
    Op.BITCAST: lambda layout, _: layout,
    DIAGONAL: _on_diagonal,
    DETACH: lambda layout, _: layout,
    STRIDED: lambda layout, wanted: wanted if layout.is_in_order else None,
}
