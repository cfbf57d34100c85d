"""Derivatives of movements: what a value was moved from gets the cotangents of all the places it went to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ...graph import dtypes
from ...graph.monoid import ADD
from ...graph.node import Node, make
from ...graph.ops import Op
from ..terms import expanded, permuted, reduced, reshaped, sliced

Parts = Sequence[Node | None]


def summed(node: Node, axes: tuple[int, ...]) -> Node:
    """A sum along axes, which go away, as precise as a Tensor's."""
    if not axes:
        return node
    wide = node.dtype.accumulator
    return reduced(node.cast(wide), ADD, axes).cast(node.dtype)


def padded(node: Node, axis: int, before: int, after: int) -> Node:
    """Zeros around one axis."""
    if not before and not after:
        return node
    amounts = [(0, 0)] * len(node.shape)
    amounts[axis] = (before, after)
    return make(Op.PAD, node.dtype, (node,), tuple(amounts))


def flipped(node: Node, axis: int) -> Node:
    slices = [(0, n, 1) for n in node.shape]
    slices[axis] = (node.shape[axis] - 1, node.shape[axis], -1)
    return make(Op.SLICE, node.dtype, (node,), tuple(slices)) if node.shape[axis] > 1 else node


def dilated(node: Node, axis: int, step: int) -> Node:
    """Zeros between the elements of an axis: n elements become (n - 1) * step + 1."""
    shape, n = node.shape, node.shape[axis]
    if step == 1 or n < 2:
        return node
    apart = padded(reshaped(node, (*shape[: axis + 1], 1, *shape[axis + 1 :])), axis + 1, 0, step - 1)
    line = reshaped(apart, (*shape[:axis], n * step, *shape[axis + 1 :]))
    return sliced(line, axis, 0, (n - 1) * step + 1)


def _expand(y: Node, g: Node) -> Parts:
    x = y.src[0]
    grown = tuple([axis for axis, (a, b) in enumerate(zip(x.shape, y.shape, strict=True)) if a != b])
    return (reshaped(summed(g, grown), x.shape),)


def _permute(y: Node, g: Node) -> Parts:
    back = [0] * len(y.arg)
    for position, axis in enumerate(y.arg):
        back[axis] = position
    return (permuted(g, tuple(back)),)


def _pad(y: Node, g: Node) -> Parts:
    inside = tuple([(before, n, 1) for (before, _), n in zip(y.arg, y.src[0].shape, strict=True)])
    return (make(Op.SLICE, g.dtype, (g,), inside),)


def _slice(y: Node, g: Node) -> Parts:
    """Back to its places, one axis after the other; zeros are in between and around."""
    for axis, ((start, length, step), n) in enumerate(zip(y.arg, y.src[0].shape, strict=True)):
        if isinstance(start, Node):  # known at each call: every place looks up what came from it
            g = _looked_up(g, axis, start, step, n)
            continue
        if not length:
            g = padded(g, axis, 0, n)
            continue
        if step < 0:
            g, start, step = flipped(g, axis), start + (length - 1) * step, -step
        g = dilated(g, axis, step)
        g = padded(g, axis, start, n - start - g.shape[axis])
    return (g,)


def _looked_up(g: Node, axis: int, start: Node, step: int, n: int) -> Node:
    shape = (*g.shape[:axis], n, *g.shape[axis + 1 :])
    line = make(Op.IOTA, dtypes.int64, (), n)
    first = expanded(reshaped(start.cast(dtypes.int64), (1,)), (n,))
    away = line.alu(Op.SUB, first)
    if step != 1:
        steps = expanded(reshaped(_constant(step), (1,)), (n,))
        outside = expanded(reshaped(_constant(-1), (1,)), (n,))
        rest = away.alu(Op.MOD, steps).alu(Op.EQ, expanded(reshaped(_constant(0), (1,)), (n,)))
        away = rest.alu(Op.WHERE, away.alu(Op.IDIV, steps), outside)
    index = expanded(reshaped(away, (1,) * axis + (n,) + (1,) * (len(shape) - axis - 1)), shape)
    return make(Op.GATHER, g.dtype, (g, index), axis)


def _constant(value: int) -> Node:
    return make(Op.CONST, dtypes.int64, (), value)


MOVEMENT: Final[dict[Op, Callable[[Node, Node], Parts]]] = {
    Op.RESHAPE: lambda y, g: (reshaped(g, y.src[0].shape),),
    Op.PERMUTE: _permute,
    Op.EXPAND: _expand,
    Op.PAD: _pad,
    Op.SLICE: _slice,
}
