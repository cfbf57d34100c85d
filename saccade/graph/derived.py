"""The shape and the device of a node, which follow from its op, its argument and its sources.

    shape_of(make(Op.REDUCE, dtypes.float32, (x,), (ADD, (0,))))      # x of (2, 3): (3,)

A node derives each on first use and keeps it; so do the nodes below it, sources first, because graphs are
deeper than Python's stack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ops import ELEMENTWISE, PARTS, Op

if TYPE_CHECKING:
    from .node import Node, Shape


def shape_of(node: Node) -> Shape:
    # what a call hands out is a view of a buffer, and there may be hundreds
    if any(source.src and not hasattr(source, "_shape") for source in node.src):
        # iterative, because graphs are deeper than Python's stack
        for n in node.toposort(lambda n: not hasattr(n, "_shape")):
            n._shape = _shape_from_sources(n)
    return _shape_from_sources(node)


#: ops whose value has the shape of their first source
_LIKE_FIRST = PARTS | {Op.CONTIGUOUS, Op.COPY, Op.SCAN, Op.SCATTER, Op.UPDATE, Op.ASSIGN}


def _shape_from_sources(node: Node) -> Shape:
    op, arg = node.op, node.arg
    if op in ELEMENTWISE or op in _LIKE_FIRST:
        return node.src[0].shape
    if op is Op.BUFFER or op is Op.PARAM:
        return (arg.size,)
    if op is Op.IOTA:
        return (arg,)
    if op is Op.SORT:
        if not isinstance(arg, tuple):  # in kernel terms: rows of one memory, sorted into others
            return ()
        axis, _, keep, _, _ = arg
        shape = node.src[0].shape
        return (*shape[:axis], keep, *shape[axis + 1 :])
    if op is Op.RESHAPE or op is Op.EXPAND:
        moved: Shape = arg
        return moved
    if op is Op.PERMUTE:
        return tuple(node.src[0].shape[axis] for axis in arg)
    if op is Op.PAD:
        return tuple(n + before + after for n, (before, after) in zip(node.src[0].shape, arg, strict=True))
    if op is Op.SLICE:
        return tuple(length for _, length, _ in arg)
    if op is Op.WINDOW:
        axis, count, size, _, _ = arg
        shape = node.src[0].shape
        return (*shape[:axis], count, size, *shape[axis + 1 :])
    if op is Op.REDUCE:
        return tuple(n for axis, n in enumerate(node.src[0].shape) if axis not in arg[1])
    if op is Op.TOPK:
        shape = node.src[0].shape
        return (*shape[: arg[1]], arg[0], *shape[arg[1] + 1 :])
    if op is Op.GATHER:
        return node.src[1].shape
    if op is Op.CAT:
        shape = node.src[0].shape
        return (*shape[:arg], sum([s.shape[arg] for s in node.src]), *shape[arg + 1 :])
    return ()


def device_of(node: Node) -> str | None:
    if any(source.src and not hasattr(source, "_device") for source in node.src):
        for n in node.toposort(lambda n: not hasattr(n, "_device")):
            n._device = _device_from_sources(n)
    return _device_from_sources(node)


def _device_from_sources(node: Node) -> str | None:
    if node.op is Op.BUFFER or node.op is Op.PARAM:
        here: str | None = node.arg.device
        return here
    if node.op is Op.COPY:
        there: str = node.arg
        return there
    return next((s.device for s in node.src if s.device is not None), None)
