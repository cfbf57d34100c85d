"""Loops over what is there, not over padding.

    FOLD(max, where(r < n, x, -inf), r in 0..64)   ->   FOLD(max, x, r in 0..min(n, 64))

A reduction whose elements beyond a computed count are its identity ends at that count. So a padded list with
a count is a loop of that many steps, whatever the size of the padding: candidate lists, ragged batches,
changing numbers of hypotheses.
"""

from __future__ import annotations

from dataclasses import replace

from ...graph import dtypes
from ...graph import kernel as terms
from ...graph.kernel import Kernel, range_size
from ...graph.monoid import ADD, Monoid
from ...graph.node import Node, index_const, make, own_ranges
from ...graph.ops import Op
from ...graph.symbolic import simplify


def shorten_folds(kernel: Kernel) -> Kernel:
    """Every fold that masks its own range by a count, ended at the count."""
    mapping: dict[Node, Node] = {}
    number = kernel.next_axis()
    for node in kernel.nodes:
        if node.op is not Op.FOLD:
            continue
        found = _masked_range(node)
        if found is not None:
            r, count, body = found
            short = _short_range(number, r, count)
            number += 1
            mapping[node] = _shortened(node, r, short, body)
    if not mapping:
        return kernel
    projections = {
        n: _filled(mapping[n.src[0]], n) for n in kernel.nodes if n.op is Op.PROJECT and n.src[0] in mapping
    }
    return replace(kernel, sink=simplify(kernel.sink.substitute(mapping | projections)))


def _masked_range(fold: Node) -> tuple[Node, Node, Node] | None:
    """A range of the fold, the count it is compared with, and the body without that mask."""
    monoid: Monoid = fold.arg
    body = fold.src[0]
    identity = monoid.identity(tuple(b.dtype for b in fold.src[: monoid.elements]))[0]
    for r in own_ranges(fold):
        if body.op is Op.WHERE and body.src[2] is identity:
            count, rest = _count(body.src[0], r)
            if count is not None:
                inner = (
                    body.src[1] if rest is None else make(Op.WHERE, body.dtype, (rest, body.src[1], identity))
                )
                return r, count, inner
        if body.op is Op.LOAD and len(body.src) == 3 and monoid == ADD:
            count, rest = _count(body.src[2], r)
            if count is not None:
                return r, count, terms.load(body.src[0], body.src[1], rest)
    return None


def _count(condition: Node, r: Node) -> tuple[Node | None, Node | None]:
    """n where the condition says r < n for an n that does not change with r, and what else it says."""
    parts = _conjuncts(condition)
    for part in parts:
        if (
            part.op is Op.LT
            and part.src[0] is r
            and r not in part.src[1].ranges
            and part.src[1].op is not Op.CONST
        ):
            others = [p for p in parts if p is not part]
            rest = None
            for other in others:
                rest = other if rest is None else rest & other
            return part.src[1], rest
    return None, None


def _uncast(node: Node, r: Node) -> Node:
    """The range behind a cast that keeps its value."""
    if node.op is Op.CAST and node.src[0] is r and node.dtype.is_int and range_size(r) <= node.dtype.max:
        return r
    return node


def _conjuncts(condition: Node) -> list[Node]:
    if condition.op is not Op.AND:
        return [condition]
    return _conjuncts(condition.src[0]) + _conjuncts(condition.src[1])


def _short_range(number: int, r: Node, count: Node) -> Node:
    most = index_const(range_size(r))
    return terms.loop(number, count.cast(dtypes.index).minimum(most).maximum(0))


def _shortened(fold: Node, r: Node, short: Node, body: Node) -> Node:
    bodies = (body, *fold.src[1 : fold.arg.elements])
    ranges = tuple(short if own is r else own for own in own_ranges(fold))
    return terms.fold(fold.arg, tuple(b.substitute({r: short}) for b in bodies), ranges)


def _filled(fold: Node, projection: Node) -> Node:
    """A top-k with fewer elements than k fills up with the first padded places, as it did when it looped
    over them."""
    made = make(Op.PROJECT, projection.dtype, (fold,), projection.arg)
    slot = projection.arg - fold.arg.k
    if slot < 0:
        return made
    return made.eq(projection.dtype.max).where(slot, made)
