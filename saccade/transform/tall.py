"""Reductions down the columns of a tall matrix in parts: rows go to threads, and the parts are reduced.

    out[j] = sum over k of x[k, j]    ->    part[p, j] = sum over its share of k, stored;  out[j] = sum over p

Memory is read fastest from its beginning to its end, so a thread has whole rows rather than a share of the
columns. The same holds for a few rows times a large matrix, whose sum goes down it. How many parts there are
does not depend on the threads, so results do not either.

In: a graph. Out: the same values (sums in another order).
"""

from __future__ import annotations

from math import prod

from ..graph.node import Node, make, walk
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op
from .split import permuted, reduced, reshaped
from .spread import innermost, sliced

#: the most parts, the least rows of one, and rows that are read at once
PARTS, LEAST_ROWS, TOGETHER = 8, 32, 4
#: the least memory that is read, and how many times the parts it is
LEAST_BYTES, SHARE = 1 << 20, 32
#: the most results for each element that is read
MOST_RESULTS = 32
#: the least bytes of a row
LEAST_ROW = 2048


def columns_in_parts(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same results, with reductions down few long columns in parts."""
    done: dict[Node, Node] = {}
    changed = False
    for node in walk(roots):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        if made.op is Op.REDUCE and (parts := _parts(made)) > 1:
            made, changed = _in_parts(made, parts), True
        done[node] = made
    return tuple(done[r] for r in roots) if changed else roots


def _parts(node: Node) -> int:
    """How many parts a reduction is worth; 1 for most."""
    monoid, axes = node.arg
    source = node.src[0]
    if monoid.elements != 1 or node.size == 0:
        return 1
    largest = max(_leaves(source), key=_memory)
    read, along = _memory(largest), innermost(largest)
    length = prod(source.shape[a] for a in axes)
    # what is repeated along an axis of the results is read once for all of them
    size = source.dtype.itemsize
    if along is None or along in axes or read * size < LEAST_BYTES or source.size > MOST_RESULTS * read:
        return 1
    row = source.shape[along] * size
    others = node.size // source.shape[along] * read // source.size
    if row < LEAST_ROW or others > 4:  # there is enough to share already
        return 1
    stored = node.size * node.dtype.itemsize
    return int(min(PARTS // max(others, 1), length // LEAST_ROWS, read * size // (SHARE * stored)))


def _leaves(source: Node) -> list[Node]:
    """What the elements of a source are computed from."""
    if source.op not in ELEMENTWISE:
        return [source]
    inside = source.toposort(lambda n: n.op in ELEMENTWISE)
    return [s for n in inside for s in n.src if s.op not in ELEMENTWISE]


def _memory(node: Node) -> int:
    """Elements that are read for a node, each counted once however often it is repeated."""
    least = node.size
    while node.op in MOVEMENT:
        node = node.src[0]
        least = min(least, node.size)
    return 0 if node.op is Op.CONST else least


def _in_parts(node: Node, parts: int) -> Node:
    monoid, axes = node.arg
    source = node.src[0]
    kept = tuple(a for a in range(len(source.shape)) if a not in axes)
    length = prod(source.shape[a] for a in axes)
    shape = tuple(source.shape[a] for a in kept)
    rows = reshaped(permuted(source, axes + kept), (length, *shape))
    each = length // parts // TOGETHER * TOGETHER
    main = reshaped(sliced(rows, 0, 0, parts * each), (parts, each, *shape))
    reason = f"a reduction down columns in {parts} parts lets threads read whole rows"
    partial = make(Op.CONTIGUOUS, node.dtype, (reduced(main, monoid, (1,)),), reason)
    result = reduced(partial, monoid, (0,))
    if parts * each < length:
        rest = reduced(sliced(rows, 0, parts * each, length - parts * each), monoid, (0,))
        result = monoid.combine((result,), (rest,))[0]
    return reshaped(result, node.shape)
