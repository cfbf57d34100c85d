"""Nodes of tensor terms, built a little smartly: what is obviously nothing is not built.

The method families of `Tensor` speak in torch's terms; this file speaks in nodes. Every function takes nodes
whose arguments were already checked and returns a node that keeps the conventions of the graph (equal shapes,
equal dtypes).

    >>> x = make(Op.IOTA, dtypes.int64, (), 6)
    >>> reshape(reshape(x, (2, 3)), (6,)) is x
    True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import copysign, prod
from typing import Protocol

import numpy as np

from ..graph import dtypes
from ..graph.constants import constant_of, everywhere
from ..graph.dtypes import DType
from ..graph.monoid import Monoid
from ..graph.node import Node, Scalar, Shape, const, make
from ..graph.ops import COMPARE, Op
from .jit.number import is_number, number_node

Slices = tuple[tuple[int, int, int], ...]
Padding = tuple[tuple[int, int], ...]

# --- movement

#: named once: asking an enum for a member takes Python 3.11 as long as six names do
_CAST, _CAT, _COMPLEX, _EXPAND, _IMAG = Op.CAST, Op.CAT, Op.COMPLEX, Op.EXPAND, Op.IMAG
_IOTA, _ISNAN, _NEG, _OR, _PAD = Op.IOTA, Op.ISNAN, Op.NEG, Op.OR, Op.PAD
_PERMUTE, _REAL, _REDUCE, _RESHAPE, _SCAN = Op.PERMUTE, Op.REAL, Op.REDUCE, Op.RESHAPE, Op.SCAN
_SLICE, _UPDATE, _WHERE, _WINDOW = Op.SLICE, Op.UPDATE, Op.WHERE, Op.WINDOW


def reshape(node: Node, shape: Shape) -> Node:
    while node.shape != shape and node.op is _RESHAPE:
        node = node.src[0]
    if node.shape == shape:
        return node
    return make(_RESHAPE, node.dtype, (node,), shape)


def expand(node: Node, shape: Shape) -> Node:
    """Axes of size one grow; the rank stays."""
    while node.shape != shape and node.op is _EXPAND:
        node = node.src[0]
    if node.shape == shape:
        return node
    return make(_EXPAND, node.dtype, (node,), shape)


def broadcast(node: Node, shape: Shape) -> Node:
    """The node at a shape it is known to broadcast to: leading axes appear, axes of size one grow."""
    own = node.shape
    if own == shape:
        return node
    if len(own) != len(shape):
        node = reshape(node, (1,) * (len(shape) - len(own)) + own)
    return expand(node, shape)


def permute(node: Node, axes: tuple[int, ...]) -> Node:
    straight = tuple(range(len(axes)))
    while axes != straight and node.op is _PERMUTE:
        node, axes = node.src[0], tuple([node.arg[axis] for axis in axes])
    if axes == straight:
        return node
    return make(_PERMUTE, node.dtype, (node,), axes)


def pad(node: Node, padding: Padding) -> Node:
    """Zeros around the value; all amounts are at least zero."""
    if all(amount == (0, 0) for amount in padding):
        return node
    return make(_PAD, node.dtype, (node,), padding)


def slice_(node: Node, slices: Slices) -> Node:
    """out[i] = node[start + i * step] along every axis, for i < length; steps may be negative."""
    while not _is_whole(slices, node.shape) and node.op is _SLICE:
        inner: Slices = node.arg
        slices = tuple(
            [
                (s0 + s * step0, n, step * step0)
                for (s, n, step), (s0, _, step0) in zip(slices, inner, strict=True)
            ]
        )
        node = node.src[0]
    if _is_whole(slices, node.shape):
        return node
    return make(_SLICE, node.dtype, (node,), slices)


def _is_whole(slices: Slices, shape: Shape) -> bool:
    return all(s == (0, n, 1) for s, n in zip(slices, shape, strict=True))


def slices_along(shape: Shape, axis: int, start: int, length: int, step: int = 1) -> Slices:
    """Everything of all axes but one."""
    slices = [(0, n, 1) for n in shape]
    slices[axis] = (start, length, step)
    return tuple(slices)


def slice_axis(node: Node, axis: int, start: int, length: int, step: int = 1) -> Node:
    return slice_(node, slices_along(node.shape, axis, start, length, step))


def window(node: Node, axis: int, size: int, stride: int, dilation: int) -> Node:
    """The axis becomes (positions, size); the caller knows that at least one window fits."""
    count = (node.shape[axis] - dilation * (size - 1) - 1) // stride + 1
    return make(_WINDOW, node.dtype, (node,), (axis, count, size, stride, dilation))


def pad_value(node: Node, padding: Padding, value: Scalar) -> Node:
    """Like `pad`, with any value: padding in the graph is zeros, so another value is chosen by a padded
    mask."""
    padded = pad(node, padding)
    if padded is node or value == 0:
        return padded
    inside = pad(full(True, dtypes.bool_, node.shape), padding)
    return inside.alu(_WHERE, padded, full(value, node.dtype, padded.shape))


def update(base: Node, part: Node, slices: Slices) -> Node:
    """The base with a part, of the shape of the slices, where they point: what `slice_` then finds there."""
    if 0 in part.shape or part is slice_(base, slices):
        return base
    if part.op is _UPDATE and part.src[0] is slice_(base, slices):  # a part of the part
        inner: Slices = part.arg
        both = zip(slices, inner, strict=True)
        joined = tuple([(s0 + s * step0, n, step * step0) for (s0, _, step0), (s, n, step) in both])
        return update(base, part.src[1], joined)
    if part.shape == base.shape:
        return slice_(
            part, tuple([(n - 1, n, -1) if step < 0 and n > 1 else (0, n, 1) for _, n, step in slices])
        )
    return make(_UPDATE, base.dtype, (base, part), slices)


def unslice(value: Node, slices: Slices, shape: Shape) -> Node:
    """The inverse of `slice_`: zeros of `shape` with `value` where the slices point."""
    amounts = []
    for axis, ((start, length, step), n) in enumerate(zip(slices, shape, strict=True)):
        if step < 0 and length:
            value = slice_axis(value, axis, length - 1, length, -1)
            start, step = start + (length - 1) * step, -step
        if step > 1 and length > 1:
            value = dilate(value, axis, step)
        span = value.shape[axis]
        start = start if length else 0
        amounts.append((start, n - start - span))
    return pad(value, tuple(amounts))


def dilate(node: Node, axis: int, step: int) -> Node:
    """Zeros between the elements of an axis: length n becomes (n - 1) * step + 1."""
    if step == 1 or node.shape[axis] < 2:
        return node
    shape = node.shape
    n = shape[axis]
    spread = reshape(node, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    amounts = [(0, 0)] * len(spread.shape)
    amounts[axis + 1] = (0, step - 1)
    flat = reshape(pad(spread, tuple(amounts)), (*shape[:axis], n * step, *shape[axis + 1 :]))
    return slice_axis(flat, axis, 0, (n - 1) * step + 1)


#: parts of one CAT: more are put together in groups, so that a graph may be cut between them
MOST_PARTS = 64


def cat(parts: Sequence[Node], axis: int) -> Node:
    """Nodes of one dtype side by side along an axis."""
    while len(parts) > 1:
        groups = [tuple(parts[n : n + MOST_PARTS]) for n in range(0, len(parts), MOST_PARTS)]
        parts = [make(_CAT, g[0].dtype, g, axis) if len(g) > 1 else g[0] for g in groups]
    return parts[0]


# --- leaves


def full(value: Scalar | complex, dtype: DType, shape: Shape) -> Node:
    """A constant everywhere, or a number that is given with each call."""
    if is_number(value):
        if dtype.is_complex:
            return complex_(number_node(value, dtype.part, shape), full(0.0, dtype.part, shape))
        return number_node(value, dtype, shape)
    if dtype.is_complex:
        whole = complex(value)
        return complex_(full(whole.real, dtype.part, shape), full(whole.imag, dtype.part, shape))
    if value == 0 and isinstance(value, float) and copysign(1.0, value) < 0:
        return _full.__wrapped__(value, dtype, shape)  # -0.0 == 0.0, so it must not be found as that
    return _full(value, dtype, shape)


@lru_cache(4096, typed=True)  # most programs repeat a handful of constants
def _full(value: Scalar, dtype: DType, shape: Shape) -> Node:
    return everywhere(const(value, dtype), shape)


def iota(shape: Shape, axis: int) -> Node:
    """The index along one axis at every position of a shape, as int64."""
    line = make(_IOTA, dtypes.int64, (), shape[axis])
    return expand(reshape(line, (1,) * axis + (shape[axis],) + (1,) * (len(shape) - axis - 1)), shape)


# --- elementwise


def cast(node: Node, dtype: DType) -> Node:
    if node.dtype is dtype:
        return node
    if dtype.is_complex or node.dtype.is_complex:
        return _complex_cast(node, dtype)
    constant = constant_of(node)
    if constant is not None and _castable(constant, dtype):
        return full(constant.arg, dtype, node.shape)
    return make(_CAST, dtype, (node,), None)


def _complex_cast(node: Node, dtype: DType) -> Node:
    if dtype.is_complex:
        return complex_(cast(real(node), dtype.part), cast(imag(node), dtype.part))
    if dtype.is_bool:
        return make(_OR, dtype, (cast(real(node), dtype), cast(imag(node), dtype)), None)
    raise TypeError(
        f"a cast of {node.dtype.name} to {dtype.name} would lose the imaginary parts: use x.real, or abs(x)"
    )


def complex_(re: Node, im: Node) -> Node:
    """The complex numbers with these parts, floats of one dtype."""
    if re.op is _REAL and im.op is _IMAG and re.src[0] is im.src[0]:
        return re.src[0]
    return make(_COMPLEX, re.dtype.complex, (re, im), None)


def real(node: Node) -> Node:
    if not node.dtype.is_complex:
        return node
    return node.src[0] if node.op is _COMPLEX else make(_REAL, node.dtype.part, (node,), None)


def imag(node: Node) -> Node:
    """The imaginary part; zeros of a real node."""
    if not node.dtype.is_complex:
        return full(0, node.dtype, node.shape)
    return node.src[1] if node.op is _COMPLEX else make(_IMAG, node.dtype.part, (node,), None)


def _castable(constant: Node, dtype: DType) -> bool:
    """Constants are folded where every device agrees: not float to integer out of range, not through a
    rounding type."""
    if constant.dtype.is_float and not dtype.is_float:
        return bool(dtype.min <= constant.arg <= dtype.max)
    return not dtype.is_float or dtype.bits >= 32


def unary(op: Op, node: Node) -> Node:
    if node.dtype.is_complex:
        return _complex(op, node)
    if op is _NEG and node.op is _NEG:
        return node.src[0]
    if op is _NEG and (constant := constant_of(node)) is not None and not node.dtype.is_bool:
        return full(-constant.arg, node.dtype, node.shape)
    return make(op, dtypes.bool_ if op is _ISNAN else node.dtype, (node,), None)


def binary(op: Op, left: Node, right: Node) -> Node:
    """Two nodes of one shape and dtype."""
    if left.dtype.is_complex:
        return _complex(op, left, right)
    device = left.device or right.device
    if device is None and op in _FOLDS:
        a, b = constant_of(left), constant_of(right)
        folded = None if a is None or b is None else _fold(op, a, b)
        if folded is not None:
            return full(folded, left.dtype, left.shape)
    made = make(op, dtypes.bool_ if op in COMPARE else left.dtype, (left, right), None)
    made._device = device  # the caller has looked at the operands, and others will ask
    made._shape = left.shape
    return made


class ComplexRules(Protocol):
    """What ops are on complex numbers. The rules are written in tensors, which know this file and not the
    other way round: `tensor/__init__.py` puts them here."""

    def elementwise(self, op: Op, *nodes: Node) -> Node: ...

    def reduced(self, node: Node, monoid: Monoid, axes: tuple[int, ...]) -> Node: ...

    def scanned(self, node: Node, monoid: Monoid, axis: int) -> Node: ...

    def function(self, name: str, node: Node) -> Node: ...


def _no_rules() -> ComplexRules:
    raise RuntimeError("complex numbers need saccade.tensor: import it first")


complex_rules: Callable[[], ComplexRules] = _no_rules


def _complex(op: Op, *nodes: Node) -> Node:
    return complex_rules().elementwise(op, *nodes)


_FOLDS = {Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply}
_FOLDABLE = {d: np.dtype(d.name) for d in (*dtypes.INTS, dtypes.float32, dtypes.float64)}


def _fold(op: Op, a: Node, b: Node) -> Scalar | None:
    numpy_dtype = _FOLDABLE.get(a.dtype)
    if numpy_dtype is None:
        return None
    with np.errstate(all="ignore"):
        left, right = np.array([a.arg], numpy_dtype), np.array([b.arg], numpy_dtype)
        value: Scalar = _FOLDS[op](left, right)[0].item()
    return value


def where(condition: Node, yes: Node, no: Node) -> Node:
    """Three nodes of one shape; the last two of one dtype."""
    if yes is no:
        return yes
    constant = constant_of(condition)
    if constant is not None:
        return yes if constant.arg else no
    return make(_WHERE, yes.dtype, (condition, yes, no), None)


def reduce(node: Node, monoid: Monoid, axes: tuple[int, ...]) -> Node:
    if node.dtype.is_complex:
        return complex_rules().reduced(node, monoid, axes)
    return make(_REDUCE, node.dtype, (node,), (monoid, axes)) if axes else node


def scan(node: Node, monoid: Monoid, axis: int) -> Node:
    if node.dtype.is_complex:
        return complex_rules().scanned(node, monoid, axis)
    return make(_SCAN, node.dtype, (node,), (monoid, axis))


# --- shapes and dtypes of operands


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape all operands broadcast to, as NumPy and torch have it."""
    if not shapes:
        return ()
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    rank = max(map(len, shapes))
    out = [1] * rank
    for shape in shapes:
        for axis, n in enumerate(shape, rank - len(shape)):
            if n != 1:
                if out[axis] not in (1, n):
                    listed = " and ".join(map(str, shapes))
                    raise ValueError(
                        f"cannot broadcast shapes {listed}: axis {axis - rank} has sizes "
                        f"{out[axis]} and {n}; "
                        "sizes must be equal or 1"
                    )
                out[axis] = n
    return tuple(out)


def result_type(nodes: Sequence[Node], scalars: Sequence[Scalar | complex] = ()) -> DType:
    """The dtype of an expression: tensors with axes decide; 0-dim tensors, then Python scalars, only raise
    the category."""
    levels: list[DType | None] = [None, None]
    for node in nodes:
        level = 0 if node.shape else 1
        before = levels[level]
        levels[level] = node.dtype if before is None else dtypes.promote(before, node.dtype)
    lone = [dtypes.of_scalar(value) for value in scalars]
    result: DType | None = None
    for dtype in (*levels, *lone):
        if dtype is not None:
            result = dtype if result is None else dtypes.lifted(result, dtype)
    assert result is not None, "result_type needs an operand"
    return result


def element_count(shape: Shape) -> int:
    return prod(shape)
