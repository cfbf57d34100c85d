"""What is known of values in tensor terms before anything is computed: intervals, and floats that are finite.

    >>> facts = Facts()
    >>> facts.interval(iota)          # of IOTA(10)
    (0, 9)
    >>> facts.is_finite(x.cast(float32))   # of an int32: no NaN, no infinity

Elementwise ops are judged by the intervals of kernel terms (`graph.bounds`): a scalar that stands in for each
source has its interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.node import Node, const, make
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op
from ..graph.param import Param
from ..graph.rules.bounds import Assumed, Interval, bounds

#: elementwise ops of which finite operands give finite results; those that only pick one; those always finite
_KEEP_FINITE = frozenset(
    {Op.NEG, Op.ABS, Op.SIN, Op.COS, Op.TANH, Op.ERF, Op.ATAN, Op.FLOOR, Op.CEIL, Op.TRUNC, Op.ROUND,
     Op.MAX, Op.MIN, Op.ATAN2}
)  # fmt: skip
_CARRY = MOVEMENT | {Op.CONTIGUOUS, Op.COPY}


class Facts:
    """Facts of the nodes of one graph, worked out when they are asked for."""

    def __init__(self) -> None:
        self._intervals: dict[Node, Interval] = {}
        self._finite: dict[Node, bool] = {}

    def interval(self, node: Node) -> Interval:
        """The least and the greatest value of an integer or bool tensor; the whole dtype if nothing more is
        known."""
        known = self._intervals
        if node not in known:
            for n in node.toposort(lambda n: n not in known):
                known[n] = _interval(n, known)
        return known[node]

    def is_finite(self, node: Node) -> bool:
        """Can no element of a float tensor be NaN or infinite?"""
        known = self._finite
        if node not in known:
            for n in node.toposort(lambda n: n not in known):
                known[n] = _is_finite(n, known)
        return known[node]

    def stand_in(self, node: Node, number: int) -> Node:
        """A scalar in kernel terms for any element of a tensor: its constant, or a value of its dtype and
        interval that is told apart from others by a number."""
        return _stand_in(node.dtype, number, None if node.dtype.is_float else self.interval(node))


def _stand_in(dtype: DType, number: int, interval: Interval | None) -> Node:
    if interval is None or dtype.is_bool or interval == (dtype.min, dtype.max):
        return make(Op.PARAM, dtype, (), Param(number, 1))
    low, high = int(interval[0]), int(interval[1])
    end = const(min(high + 1, int(dtype.max)), dtype)
    return make(Op.RANGE, dtype, (end,), Assumed(low, high, number, 0))


def _interval(node: Node, known: Mapping[Node, Interval]) -> Interval:
    op, dtype = node.op, node.dtype
    whole: Interval = (dtype.min, dtype.max)
    if dtype.is_float:
        return whole
    if op is Op.CONST or op is Op.VALUE or op is Op.IOTA:
        return bounds(node)
    if op in ELEMENTWISE:
        scalars = [
            _stand_in(s.dtype, n, None if s.dtype.is_float else known[s]) for n, s in enumerate(node.src)
        ]
        return bounds(make(op, dtype, tuple(scalars), node.arg))
    if op is Op.PAD or op is Op.GATHER:  # 0 where there is nothing
        low, high = known[node.src[0]]
        return (min(low, 0), max(high, 0))
    if op in _CARRY:
        return known[node.src[0]]
    return _of_collective(node, known) or whole


def _of_collective(node: Node, known: Mapping[Node, Interval]) -> Interval | None:
    """Places lie on the axis they were looked for along; extremes and sorted values within the elements."""
    op = node.op
    if op is Op.CAT:
        return (min(known[s][0] for s in node.src), max(known[s][1] for s in node.src))
    if op is Op.TOPK or op is Op.SORT:
        axis = node.arg[1] if op is Op.TOPK else node.arg[0]
        if node.arg[-1] == "values":
            return known[node.src[0]]
        carried = len(node.src) > 1
        return known[node.src[1]] if carried else (0, max(0, node.src[0].shape[axis] - 1))
    if op is Op.REDUCE and node.src[0].size:
        kind, source = node.arg[0].kind, node.src[0]
        if kind in ("max", "min"):
            return known[source]
        if kind in ("argmax", "argmin"):
            length = source.size // max(node.size, 1)
            return (0, max(0, length - 1))
    return None


def _is_finite(node: Node, known: Mapping[Node, bool]) -> bool:
    if not node.dtype.is_float:
        return True
    op = node.op
    if op is Op.CONST:
        return isfinite(node.arg)
    if op is Op.CAST:
        # the largest integer of 64 bits is finite in all floats but those of 16 bits and less
        return node.src[0].dtype.is_bool or (known[node.src[0]] and _holds(node.dtype, node.src[0].dtype))
    if op is Op.WHERE:
        return known[node.src[1]] and known[node.src[2]]
    if op in _KEEP_FINITE or op in _CARRY or op is Op.GATHER:
        return all(known[s] for s in node.src)
    return (
        op is Op.REDUCE and node.arg[0].kind in ("max", "min") and node.src[0].size > 0 and known[node.src[0]]
    )


def _holds(dtype: DType, source: DType) -> bool:
    """Is every finite value of `source` finite in `dtype`?"""
    if source.is_float:
        return dtype.exponent_bits >= source.exponent_bits and dtype.mantissa_bits >= source.mantissa_bits
    return dtype.exponent_bits >= dtypes.float32.exponent_bits or source.bits <= 8
