"""The last vector of a row, which overlaps the one before it, apart from the loop.

    for i < 49: out[min(16 i, 761) + lane] = ...        777 elements in vectors of 16
    for i < 48: out[16 i + lane] = ...; out[761 + lane] = ...

A minimum in the address keeps the loop from advancing by constant steps: on a Neoverse N1 a row of 777 sums
takes 1.7 times as long with it.
"""

from __future__ import annotations

from dataclasses import replace

from ...graph.kernels.kernel import Kernel, range_size
from ...graph.node import Node, index_const, is_const
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify

#: nodes that are written twice, at most
MOST_TWICE = 96
_LOOPS = frozenset({Op.FOLD, Op.STAGE, Op.PREFIX, Op.SORT})


def last_apart(kernel: Kernel, r: Node) -> tuple[Kernel, Kernel] | None:
    """The kernel for all iterations of `r` but the last, and for that; None if they differ by more than where
    a vector begins, or are too long to be written twice."""
    if not is_const(r.src[0]) or range_size(r) < 2:
        return None
    inside = [n for n in kernel.sink.toposort() if r in n.ranges]
    if len(inside) > MOST_TWICE or any(n.op in _LOOPS for n in inside):
        return None
    starts = {n: n.src[0] for n in inside if n.op is Op.MIN and _is_start(n, r)}
    if not starts:
        return None
    first = replace(kernel, sink=kernel.sink.substitute(starts))
    return first, replace(kernel, sink=simplify(kernel.sink.substitute({r: index_const(range_size(r) - 1)})))


def _is_start(node: Node, r: Node) -> bool:
    """Is it min(r * step, end) where only the last iteration reaches the end?"""
    start, end = node.src
    if start.op is not Op.MUL or start.src[0] is not r or not is_const(start.src[1]) or not is_const(end):
        return False
    return bool((range_size(r) - 2) * start.src[1].arg <= end.arg)
