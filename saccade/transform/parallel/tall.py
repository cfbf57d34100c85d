"""Reductions down the columns of a tall matrix in parts: rows go to threads, and the parts are reduced.

    out[j] = sum over k of x[k, j]    ->    part[p, j] = sum over its share of k, stored;  out[j] = sum over p

Memory is read fastest from its beginning to its end, so a thread has whole rows rather than a share of the
columns. The same holds for a few rows times a large matrix, whose sum goes down it. How many parts there are
does not depend on the threads, so results do not either.

In: a graph. Out: the same values (sums in another order).
"""

from __future__ import annotations

from math import prod

from ...graph.node import Node, make, walk
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ..lying import Lying, memory_of
from ..terms import permuted, reduced_in_parts, reshaped

#: the most parts, the least rows of one, and rows that are read at once
PARTS, LEAST_ROWS, TOGETHER = 8, 32, 4
#: the least memory that is read, and how many times the parts it is
LEAST_BYTES, SHARE = 1 << 19, 32
#: the most results for each element that is read
MOST_RESULTS = 32
#: the least bytes of a row: of one with a few results for each element, of others
LEAST_ROW, LEAST_ROW_OF_MANY, FEW_RESULTS = 64, 2048, 12


@rewrite_pass("reduce columns in parts")
def columns_in_parts(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same results, with reductions down few long columns in parts."""
    lying = Lying()
    spread = _spread_again(roots)

    def change(made: Node, node: Node) -> Node:
        parts = _parts(made, lying) if made.op is Op.REDUCE else 1
        if parts <= 1:
            return made
        result = _in_parts(made, parts)
        # a mean that its rows differ from: added up by each of them, it would put the columns around the rows
        return make(Op.CONTIGUOUS, made.dtype, (result,), "rows read it again") if node in spread else result

    return changed(roots, change)


def _spread_again(roots: tuple[Node, ...]) -> set[Node]:
    """The reductions whose results, or what is made of each, are repeated."""
    repeated = {n.src[0] for n in walk(roots) if n.op is Op.EXPAND and n.size > n.src[0].size}
    return {n for below in repeated for n in _of_its_size(below) if n.op is Op.REDUCE}


def _of_its_size(node: Node) -> list[Node]:
    return node.toposort(lambda n: n.size == node.size)


def _parts(node: Node, lying: Lying) -> int:
    """How many parts a reduction is worth; 1 for most."""
    monoid, axes = node.arg
    source = node.src[0]
    if monoid.elements != 1 or node.size == 0:
        return 1
    largest = lying.largest(source)
    read, along = memory_of(largest), lying.innermost(largest)
    length = prod(source.shape[a] for a in axes)
    # what is repeated along an axis of the results is read once for all of them
    size = source.dtype.itemsize
    if along is None or along in axes or read * size < LEAST_BYTES or source.size > MOST_RESULTS * read:
        return 1
    row = source.shape[along] * size
    others = node.size // source.shape[along] * read // source.size
    least = LEAST_ROW if source.size <= FEW_RESULTS * read else LEAST_ROW_OF_MANY
    if row < least or others > 4:  # there is enough to share already
        return 1
    stored = node.size * node.dtype.itemsize
    return int(min(PARTS // max(others, 1), length // LEAST_ROWS, read * size // (SHARE * stored)))


def _in_parts(node: Node, parts: int) -> Node:
    monoid, axes = node.arg
    source = node.src[0]
    kept = tuple(a for a in range(len(source.shape)) if a not in axes)
    length = prod(source.shape[a] for a in axes)
    shape = tuple(source.shape[a] for a in kept)
    rows = reshaped(permuted(source, axes + kept), (length, *shape))
    reason = f"a reduction down columns in {parts} parts lets threads read whole rows"
    return reshaped(reduced_in_parts(rows, monoid, 0, parts, TOGETHER, reason), node.shape)
