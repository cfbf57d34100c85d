"""Long running sums in three steps: those of short parts, the running sum of their totals, and both added.

    the running sum of 77 rows of 5,600   ->   of 77 x 75 parts of 75; of 77 rows of 75 totals; an addition

A running sum is one thread's work from beginning to end. With a few rows a GPU would use as many of its
thousands of threads; with parts, it uses as many as there are parts, and the way is as long as two of them.
"""

from __future__ import annotations

from math import isqrt

from ..graph.monoid import ADD
from ..graph.node import Node, make, walk
from ..graph.ops import Op

#: shorter running sums are over before another kernel could begin
LEAST_LENGTH = 256


def split_scans(roots: tuple[Node, ...], threads: int) -> tuple[Node, ...]:
    """The same results; running sums that leave most of so many threads without work are split."""
    done: dict[Node, Node] = {}
    changed = False
    for node in walk(roots):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        if made.op is Op.SCAN and _is_long(made, threads):
            made = _in_parts(made)
            changed = True
        done[node] = made
    return tuple(done[r] for r in roots) if changed else roots


def _is_long(node: Node, threads: int) -> bool:
    monoid, axis = node.arg
    length = node.shape[axis]
    return bool(monoid == ADD and length >= LEAST_LENGTH and 0 < node.size // length < threads)


def _in_parts(node: Node) -> Node:
    _, axis = node.arg
    source, shape, dtype = node.src[0], node.shape, node.dtype
    length = shape[axis]
    size = isqrt(length)
    parts = -(-length // size)
    front, back = shape[:axis], shape[axis + 1 :]
    whole = _padded(source, axis, 0, parts * size - length)
    cut = _shaped(whole, (*front, parts, size, *back))
    inner = make(Op.SCAN, dtype, (cut,), (ADD, axis + 1))
    last = _part(inner, axis + 1, size - 1, 1)
    totals = make(Op.SCAN, dtype, (_shaped(last, (*front, parts, *back)),), (ADD, axis))
    # each part begins with the total of those before it
    before = _part(_padded(totals, axis, 1, 0), axis, 0, parts)
    spread = make(Op.EXPAND, dtype, (_shaped(before, (*front, parts, 1, *back)),), inner.shape)
    joined = _shaped(make(Op.ADD, dtype, (inner, spread)), (*front, parts * size, *back))
    return _part(joined, axis, 0, length)


def _shaped(node: Node, shape: tuple[int, ...]) -> Node:
    return node if node.shape == shape else make(Op.RESHAPE, node.dtype, (node,), shape)


def _padded(node: Node, axis: int, before: int, after: int) -> Node:
    if before == after == 0:
        return node
    amounts = tuple((before, after) if a == axis else (0, 0) for a in range(len(node.shape)))
    return make(Op.PAD, node.dtype, (node,), amounts)


def _part(node: Node, axis: int, start: int, length: int) -> Node:
    if length == node.shape[axis]:
        return node
    slices = tuple((start, length, 1) if a == axis else (0, n, 1) for a, n in enumerate(node.shape))
    return make(Op.SLICE, node.dtype, (node,), slices)
