"""The shape and the device of a value, which follow from its op, its argument and its sources.

    shape_of(Op.REDUCE, (ADD, (0,)), (x,))      # x of (2, 3): (3,)

A node asks on first use and keeps the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from .ops import ELEMENTWISE, PARTS, Op

Shape = tuple[int, ...]

#: named once: asking an enum for a member takes Python 3.11 as long as six names do
_BUFFER, _CAT, _COPY, _EXPAND, _GATHER = Op.BUFFER, Op.CAT, Op.COPY, Op.EXPAND, Op.GATHER
_IOTA, _PAD, _PARAM, _PERMUTE, _REDUCE = Op.IOTA, Op.PAD, Op.PARAM, Op.PERMUTE, Op.REDUCE
_RESHAPE, _SLICE, _SORT, _TOPK, _WINDOW = Op.RESHAPE, Op.SLICE, Op.SORT, Op.TOPK, Op.WINDOW


class Source(Protocol):
    """What is known of a source: a node."""

    @property
    def shape(self) -> Shape: ...

    @property
    def device(self) -> str | None: ...


#: ops whose value has the shape of their first source
_LIKE_FIRST = PARTS | {Op.CONTIGUOUS, Op.COPY, Op.SCAN, Op.SCATTER, Op.UPDATE, Op.ASSIGN}


def shape_of(op: Op, arg: Any, src: Sequence[Source]) -> Shape:
    if op in ELEMENTWISE or op in _LIKE_FIRST:
        return src[0].shape
    if op is _BUFFER or op is _PARAM:
        return (arg.size,)
    if op is _IOTA:
        return (arg,)
    if op is _SORT:
        if not isinstance(arg, tuple):  # in kernel terms: rows of one memory, sorted into others
            return ()
        axis, _, keep, _, _ = arg
        shape = src[0].shape
        return (*shape[:axis], keep, *shape[axis + 1 :])
    if op is _RESHAPE or op is _EXPAND:
        moved: Shape = arg
        return moved
    if op is _PERMUTE:
        return tuple(src[0].shape[axis] for axis in arg)
    if op is _PAD:
        return tuple(n + before + after for n, (before, after) in zip(src[0].shape, arg, strict=True))
    if op is _SLICE:
        return tuple(length for _, length, _ in arg)
    if op is _WINDOW:
        axis, count, size, _, _ = arg
        shape = src[0].shape
        return (*shape[:axis], count, size, *shape[axis + 1 :])
    if op is _REDUCE:
        return tuple(n for axis, n in enumerate(src[0].shape) if axis not in arg[1])
    if op is _TOPK:
        shape = src[0].shape
        return (*shape[: arg[1]], arg[0], *shape[arg[1] + 1 :])
    if op is _GATHER:
        return src[1].shape
    if op is _CAT:
        shape = src[0].shape
        return (*shape[:arg], sum([s.shape[arg] for s in src]), *shape[arg + 1 :])
    return ()


def device_of(op: Op, arg: Any, src: Sequence[Source]) -> str | None:
    if op is _BUFFER or op is _PARAM:
        here: str | None = arg.device
        return here
    if op is _COPY:
        there: str = arg
        return there
    for source in src:
        found = source.device
        if found is not None:
            return found
    return None
