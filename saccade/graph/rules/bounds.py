"""Intervals: the least and the greatest value an integer or a bool node can take.

    >>> r = make(Op.RANGE, dtypes.index, (index_const(56),), axis)
    >>> bounds(r * 4 + 3)
    (3, 223)

Arithmetic wraps, so an interval that leaves the dtype says nothing and becomes the whole dtype. That is what
makes intervals usable as proofs that index arithmetic does not overflow: a node whose exact interval fits its
dtype has its exact integer value. Intervals are kept on the node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..dtypes import ALL, DType, Kind
from ..node import Node, own_ranges
from ..ops import Op

Interval = tuple[int | float, int | float]


@dataclass(frozen=True)
class Assumed:
    """The `arg` of a RANGE that stands for an expression known to lie in `low..high`, whatever its size."""

    low: int
    high: int
    number: int
    digest: int


def bounds(node: Node) -> Interval:
    """The interval of a node; (-inf, inf) for floats, the whole dtype where nothing is known."""
    try:
        return node._bounds
    except AttributeError:
        for source in node.src:
            if not hasattr(source, "_bounds"):
                for n in node.toposort(_unknown):
                    n._bounds = _interval(n)
                return node._bounds
        node._bounds = _interval(node)
        return node._bounds


def fits(low: int | float, high: int | float, dtype: DType) -> bool:
    """Does the dtype hold every value of the interval?"""
    least, most = _LIMITS[dtype]
    return least <= low and high <= most


#: looked up far more often than there are dtypes
_LIMITS: dict[DType, Interval] = {dtype: (dtype.min, dtype.max) for dtype in ALL}


def _unknown(node: Node) -> bool:
    return not hasattr(node, "_bounds")


def _interval(node: Node) -> Interval:
    dtype = node.dtype
    whole = _LIMITS[dtype]
    rule = _BY_OP.get(node.op)
    if rule is None or dtype.kind is Kind.FLOAT:
        return whole
    found = rule(node)
    if found is None or found[0] < whole[0] or found[1] > whole[1]:
        return whole
    return found


def _const(node: Node) -> Interval:
    return (int(node.arg), int(node.arg))


def _value(node: Node) -> Interval | None:
    return None if node.arg.low is None else (node.arg.low, node.arg.high)


def _load(node: Node) -> Interval | None:
    known: Interval | None = node.arg
    return known


def _range(node: Node) -> Interval:
    if type(node.arg) is Assumed:
        return (node.arg.low, node.arg.high)
    fewest, most = node.src[0]._bounds
    # a loop that may not run at all keeps its variable: replacing it by 0 would make the body run once
    return (0, max(most - 1, 0 if fewest >= 1 else 1))


def _iota(node: Node) -> Interval:
    return (0, max(0, node.arg - 1))


def _add(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    return None if node.dtype.is_bool else (a + c, b + d)


def _sub(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    return None if node.dtype.is_bool else (a - d, b - c)


def _neg(node: Node) -> Interval:
    low, high = node.src[0]._bounds
    return (-high, -low)


def _abs(node: Node) -> Interval:
    low, high = node.src[0]._bounds
    return (low, high) if low >= 0 else (max(0, -high), max(-low, high))


def _mul(node: Node) -> Interval:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    corners = (a * c, a * d, b * c, b * d)
    return (min(corners), max(corners))


def _idiv(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    if c <= 0:
        return None
    return (min(a // c, a // d), max(b // c, b // d))


def _mod(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    if c <= 0:
        return None
    if c == d and a // c == b // c:
        return (a % c, b % c)
    return (0, min(b, d - 1) if a >= 0 else d - 1)


def _tdiv(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    return (a // d, b // c) if a >= 0 and c > 0 else None


def _max(node: Node) -> Interval:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    return (max(a, c), max(b, d))


def _min(node: Node) -> Interval:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    return (min(a, c), min(b, d))


def _compare(node: Node) -> Interval | None:
    x, y = node.src
    if x.dtype.is_float:
        return None
    (a, b), (c, d) = x._bounds, y._bounds
    op = node.op
    if op is Op.LT:
        return (int(b < c), int(a < d))
    if op is Op.LE:
        return (int(b <= c), int(a <= d))
    same, apart = a == b == c == d or x is y, b < c or d < a
    if op is Op.EQ:
        return (int(same), int(not apart))
    return (int(apart), int(not same))


def _and(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    if node.dtype.is_bool:
        return (min(a, c), min(b, d))
    # a mask that is not negative keeps the result between 0 and itself
    highs = [high for low, high in ((a, b), (c, d)) if low >= 0]
    return (0, min(highs)) if highs else None


def _or(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    if node.dtype.is_bool:
        return (max(a, c), max(b, d))
    return (max(a, c), (1 << int(max(b, d)).bit_length()) - 1) if a >= 0 and c >= 0 else None


def _xor(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    return (0, (1 << int(max(b, d)).bit_length()) - 1) if a >= 0 and c >= 0 else None


def _not(node: Node) -> Interval:
    low, high = node.src[0]._bounds
    if node.dtype.is_bool:
        return (1 - high, 1 - low)
    if node.dtype.is_unsigned:
        return (node.dtype.max - high, node.dtype.max - low)
    return (~int(high), ~int(low))


def _shl(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    if c != d or not 0 <= c < node.dtype.bits:
        return None
    return (a * 2 ** int(c), b * 2 ** int(c))


def _shr(node: Node) -> Interval | None:
    (a, b), (c, d) = node.src[0]._bounds, node.src[1]._bounds
    if c != d or not 0 <= c < node.dtype.bits:
        return None
    return (int(a) >> int(c), int(b) >> int(c))


def _where(node: Node) -> Interval:
    (a, b), (c, d) = node.src[1]._bounds, node.src[2]._bounds
    return (min(a, c), max(b, d))


def _cast(node: Node) -> Interval | None:
    source = node.src[0]
    if source.dtype.is_float:
        return None
    low, high = source._bounds
    if node.dtype.is_bool:
        return (int(low > 0 or high < 0), int(low != 0 or high != 0))
    return (low, high)


def _fold(node: Node) -> Interval | None:
    """Extremes stay within their elements if there is one; sums within elements times iterations."""
    kind = node.arg.kind
    if kind not in ("add", "max", "min") or any(s.dtype.is_float for s in node.src):
        return None
    low, high = node.src[0]._bounds
    least = most = 1
    for own in own_ranges(node):
        size = own.src[0]._bounds
        least, most = least * max(0, int(size[0])), most * max(0, int(size[1]))
    if kind == "add":
        return (min(low * least, low * most), max(high * least, high * most))
    return (low, high) if least > 0 else None


def _project(node: Node) -> Interval | None:
    """The index of an argmax is one of the indices, if there is any."""
    fold = node.src[0]
    if fold.op is not Op.FOLD or fold.arg.kind not in ("argmax", "argmin") or node.arg != 1:
        return None
    for own in own_ranges(fold):
        if own.src[0]._bounds[0] < 1:
            return None
    return fold.src[1]._bounds


_BY_OP: dict[Op, Callable[[Node], Interval | None]] = {
    Op.CONST: _const, Op.VALUE: _value, Op.LOAD: _load, Op.RANGE: _range, Op.IOTA: _iota,
    Op.ADD: _add, Op.SUB: _sub, Op.NEG: _neg, Op.ABS: _abs, Op.MUL: _mul,
    Op.IDIV: _idiv, Op.MOD: _mod, Op.TDIV: _tdiv, Op.MAX: _max, Op.MIN: _min,
    Op.LT: _compare, Op.LE: _compare, Op.EQ: _compare, Op.NE: _compare,
    Op.AND: _and, Op.OR: _or, Op.XOR: _xor, Op.NOT: _not, Op.SHL: _shl, Op.SHR: _shr,
    Op.WHERE: _where, Op.CAST: _cast, Op.FOLD: _fold, Op.PROJECT: _project,
}  # fmt: skip
