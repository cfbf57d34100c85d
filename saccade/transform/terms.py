"""What transforms write again and again, a line each: other shapes, slices, reductions, constants.

reduced_in_parts(rows, ADD, 0, 8)    # (1000, 40) -> (40,): 8 sums of 125 rows each, stored, and their sum
"""

from __future__ import annotations

from ..graph.constants import everywhere
from ..graph.monoid import Monoid
from ..graph.node import Node, Scalar, Shape, const, make
from ..graph.ops import Op


def reduced(node: Node, monoid: Monoid, axes: tuple[int, ...]) -> Node:
    return make(Op.REDUCE, node.dtype, (node,), (monoid, axes))


def reshaped(node: Node, shape: Shape) -> Node:
    return node if node.shape == shape else make(Op.RESHAPE, node.dtype, (node,), shape)


def permuted(node: Node, axes: tuple[int, ...]) -> Node:
    return node if axes == tuple(range(len(axes))) else make(Op.PERMUTE, node.dtype, (node,), axes)


def sliced(node: Node, axis: int, start: int, length: int) -> Node:
    if start == 0 and length == node.shape[axis]:
        return node
    whole = [(0, n, 1) for n in node.shape]
    whole[axis] = (start, length, 1)
    return make(Op.SLICE, node.dtype, (node,), tuple(whole))


def expanded(node: Node, shape: Shape) -> Node:
    return node if node.shape == shape else make(Op.EXPAND, node.dtype, (node,), shape)


def along(value: Node, axis: int, shape: Shape) -> Node:
    """What lacks an axis of a shape, the same for all of it."""
    return expanded(reshaped(value, (*shape[:axis], 1, *shape[axis + 1 :])), shape)


def full(value: Scalar, like: Node, shape: Shape | None = None) -> Node:
    """A constant of the type of a node, in its shape or another."""
    return everywhere(const(value, like.dtype), like.shape if shape is None else shape)


def cut(node: Node, axis: int, parts: int, multiple: int = 1) -> tuple[Node, Node | None]:
    """An axis as so many parts of equal length, a multiple of that, and what fills none of them:
    (.., n, ..) -> (.., parts, n / parts, ..), (.., rest, ..).
    """
    length = node.shape[axis]
    each = length // parts // multiple * multiple
    shape = (*node.shape[:axis], parts, each, *node.shape[axis + 1 :])
    main = reshaped(sliced(node, axis, 0, parts * each), shape)
    return main, sliced(node, axis, parts * each, length - parts * each) if parts * each < length else None


def reduced_in_parts(
    node: Node, monoid: Monoid, axis: int, parts: int, multiple: int = 1, reason: str | None = None
) -> Node:
    """The reduction along one axis in two steps: parts, stored for that reason, then the parts."""
    main, rest = cut(node, axis, parts, multiple)
    partial = make(Op.CONTIGUOUS, node.dtype, (reduced(main, monoid, (axis + 1,)),), reason)
    result = reduced(partial, monoid, (axis,))
    return result if rest is None else monoid.combine((result,), (reduced(rest, monoid, (axis,)),))[0]
