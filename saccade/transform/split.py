"""Long reductions to few results become two: parts in parallel, then the parts.

    sum of 16M numbers      ->  256 sums of 65,536, stored; then a sum of 256
    argmax of 16M numbers   ->  their maximum, then the least place that has it, both in parts

Without it one thread would do all the work. Plain monoids are split, and those that follow from them; a
remainder that does not fill a part is reduced with the second step.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.monoid import ARGMAX, ARGMIN, MAX, MIN, Monoid
from ..graph.node import Node, const, make, walk
from ..graph.ops import Op

#: results that are enough for all threads
ENOUGH = 32
#: elements of a part
LEAST_PART = 16 * 1024


def split_reductions(
    roots: tuple[Node, ...], most_parts: int = 256, whole: Collection[Node] = ()
) -> tuple[Node, ...]:
    """The same results, with long reductions in two steps, of at most so many parts; but those in `whole`."""
    done: dict[Node, Node] = {}
    changed = False
    for node in walk(roots):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        if made.op is Op.REDUCE and node not in whole and _is_long(made):
            plain = made.arg[0].elements == 1
            made = _in_two_steps(made, most_parts) if plain else _search_in_two_steps(made, most_parts)
            changed = True
        done[node] = made
    return tuple(done[r] for r in roots) if changed else roots


def _is_long(node: Node) -> bool:
    monoid: Monoid = node.arg[0]
    splits = monoid.elements == 1 or monoid in (ARGMAX, ARGMIN)
    return splits and 0 < node.size < ENOUGH and node.src[0].size // node.size >= 4 * LEAST_PART


def _in_two_steps(node: Node, most_parts: int) -> Node:
    monoid, axes = node.arg
    source = node.src[0]
    kept = tuple(a for a in range(len(source.shape)) if a not in axes)
    length = prod(source.shape[a] for a in axes)
    rows = reshaped(permuted(source, kept + axes), (node.size, length))
    parts = min(most_parts, length // LEAST_PART)
    each = length // parts
    main = reshaped(_columns(rows, 0, parts * each), (node.size, parts, each))
    partial = make(Op.CONTIGUOUS, node.dtype, (reduced(main, monoid, (2,)),))
    result = reduced(partial, monoid, (1,))
    if parts * each < length:
        rest = reduced(_columns(rows, parts * each, length - parts * each), monoid, (1,))
        result = monoid.combine((result,), (rest,))[0]
    return reshaped(result, node.shape)


def _search_in_two_steps(node: Node, most_parts: int) -> Node:
    """The place of the best element: the best, then the first place that has it. A NaN is the best of all."""
    monoid, axes = node.arg
    source = node.src[0]
    kept = tuple(a for a in range(len(source.shape)) if a not in axes)
    length = prod(source.shape[a] for a in axes)
    rows = reshaped(permuted(source, kept + axes), (node.size, length))
    best = _in_two_steps(reduced(rows, MAX if monoid == ARGMAX else MIN, (1,)), most_parts)
    best = make(Op.CONTIGUOUS, source.dtype, (best,))
    has = rows.alu(Op.EQ, make(Op.EXPAND, source.dtype, (reshaped(best, (node.size, 1)),), rows.shape))
    if source.dtype.is_float:
        has = make(Op.OR, dtypes.bool_, (has, make(Op.ISNAN, dtypes.bool_, (rows,))))
    kind = dtypes.int32 if length < dtypes.int32.max else dtypes.int64
    line = _as(make(Op.IOTA, dtypes.int64, (), length), kind)
    places = make(Op.EXPAND, kind, (reshaped(line, (1, length)),), rows.shape)
    none = make(Op.EXPAND, kind, (reshaped(const(length, kind), (1, 1)),), rows.shape)
    first = _in_two_steps(reduced(has.alu(Op.WHERE, places, none), MIN, (1,)), most_parts)
    return reshaped(_as(first, node.dtype), node.shape)


def _as(node: Node, dtype: DType) -> Node:
    return node if node.dtype is dtype else make(Op.CAST, dtype, (node,))


def reduced(node: Node, monoid: Monoid, axes: tuple[int, ...]) -> Node:
    return make(Op.REDUCE, node.dtype, (node,), (monoid, axes))


def reshaped(node: Node, shape: tuple[int, ...]) -> Node:
    return node if node.shape == shape else make(Op.RESHAPE, node.dtype, (node,), shape)


def permuted(node: Node, axes: tuple[int, ...]) -> Node:
    return node if axes == tuple(range(len(axes))) else make(Op.PERMUTE, node.dtype, (node,), axes)


def _columns(node: Node, start: int, length: int) -> Node:
    if length == node.shape[1]:
        return node
    return make(Op.SLICE, node.dtype, (node,), ((0, node.shape[0], 1), (start, length, 1)))
