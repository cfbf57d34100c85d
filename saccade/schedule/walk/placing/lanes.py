"""Reductions that are fast many results at a time, and readers that take that from them.

    out[i, j] = log(sum over k of x[k, i]) + move[i, j]    ->    tile[i] = log(sum over k of x[k, i])  for i
                                                                 out[i, j] = tile[i] + move[i, j]

Columns lie side by side, so a vector of them is reduced as fast as one. A loop over j inside of that over i
takes the lanes from it: every sum is made by itself, one element at a time. A tile has a loop of its own,
and i is its vector axis. Eight steps of a hidden Markov model, 64 rows of 64 states: 16.0 -> 1.5 ms.

    out[i, t, j] = x[i, t, j] * sum over k of c[i, k] * w[k, j]    ->    gate = c @ w, stored;  x * gate

A product in a tile of registers wants i and j innermost: the loop over t would go around the tile and make it
again, or go down the columns of x. Gates of 32 x 768 results, for 49 rows each: 4.0 -> 0.6 ms.
"""

from __future__ import annotations

from typing import Final

from ....graph.node import Node
from ....graph.ops import Op
from ...products.product import product_of
from ..draft import Request, fold_free
from .idle import nearest_reductions

#: columns that are worth a vector
COLUMNS: Final = 8


def loses_lanes(node: Node, requests: list[Request]) -> bool:
    """Is it made of columns that readers ask for one by one, each in front of a loop of theirs?"""
    asked = any(_asks_for_one(node, request) for request in requests)
    return asked and any(map(_goes_down, nearest_reductions(node)))


def loses_tile(node: Node, requests: list[Request]) -> bool:
    """Is it made of products of matrices, and asked for in a kernel whose loops share each result?"""
    if not any(_shares_each(node, request) for request in requests):
        return False
    sizes = [product_of(reduction) for reduction in nearest_reductions(node)]
    return any(size is not None and min(size.m, size.n) > 1 for size in sizes)


def _shares_each(node: Node, request: Request) -> bool:
    """Are there loops of the kernel that a value does not follow, where it is made outside of all others?"""
    free = fold_free(node, request)
    outer, inner = frozenset(request.context.outer), frozenset(request.context.inner)
    return bool(free) and not free & inner and free < outer


def lane_axis(node: Node) -> int:
    """The axis of a value along which its elements are neighbours: the last one, but for those of one."""
    return max((axis for axis, n in enumerate(node.shape) if n > 1), default=-1)


def _asks_for_one(node: Node, request: Request) -> bool:
    """Is the innermost loop of the kernel, or of the tile whose loops the value follows, one that it does not
    follow? A factor of a product is packed in the order that the product wants."""
    context, free = request.context, request.free
    if context.operand or not free:
        return False
    folded = {r for ranges in request.draft.fold_ranges.values() for r in ranges}
    inner = [r for r in context.inner if r not in folded]
    in_tile = not request.indices[lane_axis(node)].ranges.isdisjoint(inner)
    loops = inner if in_tile else request.draft.outer
    return bool(loops) and loops[-1] not in free


def _goes_down(reduction: Node) -> bool:
    """Do its results lie side by side in what it reduces? Those of a product of matrices are a tile."""
    if reduction.op is not Op.REDUCE:
        return False
    size = product_of(reduction)
    if size is not None and size.m * size.n > 1:
        return min(size.m, size.n) == 1 and max(size.m, size.n) >= COLUMNS and not size.along
    source, (_, axes) = reduction.src[0], reduction.arg
    along = lane_axis(source)
    return along not in axes and source.shape[along] >= COLUMNS
