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
from ..graph.node import Node, make
from ..graph.ops import Op
from ..graph.passes import rewrite_pass
from ..graph.rewrite import changed
from .terms import full, permuted, reduced, reduced_in_parts, reshaped

#: results that are enough for all threads
ENOUGH = 32
#: elements of a part
LEAST_PART = 16 * 1024


@rewrite_pass("split long reductions")
def split_reductions(
    roots: tuple[Node, ...], most_parts: int = 256, whole: Collection[Node] = ()
) -> tuple[Node, ...]:
    """The same results, with long reductions in two steps, of at most so many parts; but those in `whole`."""

    def change(made: Node, node: Node) -> Node:
        if made.op is not Op.REDUCE or node in whole or not _is_long(made):
            return made
        plain = made.arg[0].elements == 1
        return _in_two_steps(made, most_parts) if plain else _search_in_two_steps(made, most_parts)

    return changed(roots, change)


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
    return reshaped(reduced_in_parts(rows, monoid, 1, parts), node.shape)


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
    none = full(length, places)
    first = _in_two_steps(reduced(has.alu(Op.WHERE, places, none), MIN, (1,)), most_parts)
    return reshaped(_as(first, node.dtype), node.shape)


def _as(node: Node, dtype: DType) -> Node:
    return node if node.dtype is dtype else make(Op.CAST, dtype, (node,))
