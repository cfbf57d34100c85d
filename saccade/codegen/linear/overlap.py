"""The last vector of a row, which overlaps the one before it, apart from the loop.

    for i < 49: out[min(16 i, 761) + lane] = ...        777 elements in vectors of 16
    for i < 48: out[16 i + lane] = ...; out[761 + lane] = ...

A minimum in the address keeps the loop from advancing by constant steps: on a Neoverse N1 a row of 777 sums
takes 1.7 times as long with it.
"""

from __future__ import annotations

from dataclasses import replace

from ...graph.kernels.kernel import VECTOR, Kernel, range_size
from ...graph.node import Node, index_const, is_const
from ...graph.ops import NESTS, Op
from ...graph.rules.symbolic import coefficient_of, simplify

#: nodes that are written twice, at most
MOST_TWICE = 96


def last_apart(kernel: Kernel, r: Node) -> tuple[Kernel, Kernel, int] | None:
    """The kernel for all iterations of `r` but the last, and for that, and how many lanes of its vectors the
    others have stored already; None if they differ by more than where a vector begins, or are too long to be
    written twice."""
    if not is_const(r.src[0]) or range_size(r) < 2:
        return None
    inside = [n for n in kernel.sink.toposort() if r in n.ranges]
    if len(inside) > MOST_TWICE or any(n.op in NESTS for n in inside):
        return None
    starts = _starts(kernel.sink, r)
    if not starts:
        return None
    before, last = (kernel.sink.substitute(m) for m in (starts, {r: index_const(range_size(r) - 1)}))
    if _made_before(simplify(last)) == _made_before(kernel.sink):
        last = simplify(last)
    there = {_there(store.src[1], r, _lane(store)) for store in kernel.sink.src}
    return replace(kernel, sink=before), replace(kernel, sink=last), there.pop() if len(there) == 1 else 0


def _made_before(root: Node) -> set[Node]:
    """What is reduced or kept around the loop. It is there already, as long as it is the same node."""
    return {n for n in root.toposort() if n.op in NESTS}


def _lane(store: Node) -> Node | None:
    return next((r for r in store.ranges if r.arg.kind == VECTOR), None)


def overlaps(index: Node, axes: tuple[Node, ...], lane: Node | None) -> list[tuple[int, int, int]]:
    """Of unrolled axes whose last vector overlaps the one before it: which it is, its last point, and how
    many lanes are stored by then."""
    found = [(number, range_size(a) - 1, _there(index, a, lane)) for number, a in enumerate(axes)]
    return [each for each in found if each[2]]


def _there(index: Node, r: Node, lane: Node | None) -> int:
    """How many lanes of the last vector along `r` are those of the one before it, where lanes are neighbours
    in memory and vectors are too."""
    starts = _starts(index, r)
    if lane is None or len(starts) != 1:
        return 0
    straight = index.substitute(starts)
    if coefficient_of(straight, lane) != 1 or coefficient_of(straight, r) != range_size(lane):
        return 0
    ((node, start),) = starts.items()
    return int((range_size(r) - 1) * start.src[1].arg - node.src[1].arg)


def _starts(root: Node, r: Node) -> dict[Node, Node]:
    """Where vectors begin, by what they would be without the last."""
    return {n: n.src[0] for n in root.toposort() if n.op is Op.MIN and _is_start(n, r)}


def _is_start(node: Node, r: Node) -> bool:
    """Is it min(r * step, end) where only the last iteration reaches the end?"""
    start, end = node.src
    if start.op is not Op.MUL or start.src[0] is not r or not is_const(start.src[1]) or not is_const(end):
        return False
    return bool((range_size(r) - 2) * start.src[1].arg <= end.arg)
