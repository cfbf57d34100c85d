"""A graph for one as a graph for many: a new first axis is carried through every op that depends on it.

    batched([y], {x: xs})        # x (3,) stands for the rows of xs (8, 3)

    REDUCE add (0,) of x (3,)        ->  REDUCE add (1,) of xs (8, 3)
    ADD of x (3,) and bias (3,)      ->  ADD of xs (8, 3) and EXPAND of bias (8, 3)
    GATHER 0 of table and x (3,)     ->  GATHER 1 of EXPAND of table and xs

Every op of the graph takes further axes in front, so each node becomes one node, and what does not depend on
the new axis is computed once. An EXPAND costs nothing by itself: it is a stride of 0 in whoever reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..graph.node import Node, make, walk
from ..graph.ops import ELEMENTWISE, PARTS, Op
from .terms import expanded, reshaped

#: From the arg of a node and the size of the new axis to the arg with that axis in front.
Shift = Callable[[Any, int], Any]


class NoBatch(TypeError):
    """An op that cannot be done for many at once, and what to do."""


def _as_it_is(arg: Any, size: int) -> Any:
    return arg


def _axis_first(arg: Any, size: int) -> Any:
    """(axis, ...) of a scan, a sort, a window, a scatter."""
    return (arg[0] + 1, *arg[1:])


#: Elementwise ops and COPY keep their args.
SHIFTS: Final[Mapping[Op, Shift]] = {
    **dict.fromkeys(ELEMENTWISE | PARTS | {Op.COPY}, _as_it_is),
    Op.EXPAND: lambda shape, size: (size, *shape),
    Op.PERMUTE: lambda axes, size: (0, *[axis + 1 for axis in axes]),
    Op.PAD: lambda amounts, size: ((0, 0), *amounts),
    Op.SLICE: lambda slices, size: ((0, size, 1), *slices),
    Op.UPDATE: lambda slices, size: ((0, size, 1), *slices),
    Op.WINDOW: _axis_first,
    Op.SORT: _axis_first,
    Op.SCATTER: _axis_first,
    Op.REDUCE: lambda arg, size: (arg[0], tuple([axis + 1 for axis in arg[1]])),
    Op.SCAN: lambda arg, size: (arg[0], arg[1] + 1),
    Op.TOPK: lambda arg, size: (arg[0], arg[1] + 1, *arg[2:]),
    Op.GATHER: lambda axis, size: axis + 1,
    Op.CAT: lambda axis, size: axis + 1,
    # moves that somebody chose are of the kernel for one
    Op.CONTIGUOUS: lambda arg, size: None if isinstance(arg, tuple) else arg,
}


def batched(results: Sequence[Node], given: Mapping[Node, Node]) -> list[Node]:
    """The results with a first axis, for nodes that stand for one of `given`: its values (size, *shape)."""
    size = next(iter(given.values())).shape[0]
    done: dict[Node, Node] = dict(given)
    for node in walk(tuple(results)):
        if node not in done and any(source in done for source in node.src):
            done[node] = _for_many(node, done, size)
    return [done.get(node) or _repeated(node, size) for node in results]


def _for_many(node: Node, done: Mapping[Node, Node], size: int) -> Node:
    if node.op is Op.BITCAST and isinstance(node.arg, str) and (" < " in node.arg or node.arg.endswith(" >")):
        raise NoBatch(
            "a function under vmap calls one with a custom_gradient, whose backward is written for one: "
            "write it for a batch and call it outside of vmap"
        )
    sources = tuple([done.get(source) or _repeated(source, size) for source in node.src])
    if node.op is Op.RESHAPE:
        below = sources[0]
        while below.op is Op.RESHAPE:
            below = below.src[0]
        return reshaped(below, (size, *node.arg))
    shift = SHIFTS.get(node.op)
    if shift is None:
        raise NoBatch(
            f"vmap cannot do {node.op.name} for many at once: a function under vmap writes to nothing that "
            f"is outside of it"
        )
    return make(node.op, node.dtype, sources, shift(node.arg, size))


def _repeated(node: Node, size: int) -> Node:
    """The same value for all of them."""
    return expanded(reshaped(node, (1, *node.shape)), (size, *node.shape))


__all__ = ["NoBatch", "batched"]
