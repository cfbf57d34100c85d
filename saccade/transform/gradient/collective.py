"""Derivatives of what looks along an axis: reductions, running ones, orders, gathers and scatters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Final

from ...graph import dtypes
from ...graph.monoid import ADD, ARGMAX, ARGMIN, MAX, MUL
from ...graph.node import Node, make
from ...graph.ops import MOVEMENT as MOVEMENT_OPS
from ...graph.ops import Op
from ..terms import expanded, full, reduced, reshaped, sliced
from .elementwise import div, is_zero, mul, where, zeros
from .movement import flipped, summed

Parts = Sequence[Node | None]

#: What has the same bits whoever asks: memory and constants.
_EXACT: Final = frozenset({Op.BUFFER, Op.PARAM, Op.CONST, Op.VALUE, Op.IOTA, Op.CONTIGUOUS})


def _spread(node: Node, axes: tuple[int, ...], like: Node) -> Node:
    """A reduced value at every place it was made of."""
    kept = tuple([1 if axis in axes else n for axis, n in enumerate(like.shape)])
    return expanded(reshaped(node, kept), like.shape)


def _reduce(y: Node, g: Node) -> Parts:
    monoid, axes = y.arg
    x = y.src[0]
    if monoid.kind == "add":
        return (_spread(g, axes, x),)
    if monoid.kind == "mul":
        return (mul(_spread(g, axes, x), _product_of_others(x, y, axes)),)
    if monoid.kind in ("max", "min"):
        kept = _kept(x)
        best = kept.alu(Op.EQ, _spread(reduced(kept, monoid, axes), axes, x)).cast(x.dtype)
        each = div(g, summed(best, axes))  # of several that are best, all the same
        return (mul(_spread(each, axes, x), best),)
    return (None,) * len(y.src)


def first_of_equals(best: Node, g: Node) -> Node:
    """The cotangent of what `best` is the maximum or minimum of: all of it at the first place of a row, or of
    a window, whose axes lie side by side."""
    kind, axes = best.arg
    first, behind = axes[0], axes[-1] + 1
    x = best.src[0]
    head, tail = x.shape[:first], x.shape[behind:]
    flat = reshaped(x, (*head, prod(x.shape[first:behind]), *tail))
    place = make(Op.REDUCE, dtypes.int64, (flat,), (ARGMAX if kind.kind == "max" else ARGMIN, (first,)))
    if _overlaps(x):
        # Neighbours ask for the place too, so it is stored: the schedule would store a truth for every tap
        place = make(Op.CONTIGUOUS, dtypes.int32, (place.cast(dtypes.int32),), None)
    rows = (*head, 1, *tail)
    # kept: a sum would be made again for every place that asks whether it is the first
    return reshaped(scattered(flat, reshaped(place, rows), reshaped(_kept(g), rows), first), x.shape)


def _overlaps(x: Node) -> bool:
    """Are these windows, of which some have an element in common?"""
    while x.op in MOVEMENT_OPS:
        if x.op is Op.WINDOW:
            _, _, size, stride, dilation = x.arg
            if dilation * (size - 1) >= stride:
                return True
        x = x.src[0]
    return False


def _kept(x: Node) -> Node:
    """The value stored. Who compares a value with the best of it needs the same bits of both, and a sum that
    is computed twice, in two orders, has others: then none is the best."""
    below = x
    while below.op in MOVEMENT_OPS or (below.op is Op.CONTIGUOUS and below.arg is not None):  # or a mark
        below = below.src[0]
    if below.op in _EXACT:
        return x
    return x.substitute({below: make(Op.CONTIGUOUS, below.dtype, (below,), None)})


def _product_of_others(x: Node, y: Node, axes: tuple[int, ...]) -> Node:
    """The product without each element: y / x, or with zeros the product Q of the rest, over x.

    one other element is 0    that element times Q / x: it is 0, and has a slope
    several are               0
    """
    zero = is_zero(x)
    safe = where(zero, full(1, x), x)
    only_zeros = where(zero, x, zeros(x))
    count = zero.cast(x.dtype)
    others = _spread(summed(count, axes), axes, x).alu(Op.SUB, count)
    rest = div(_spread(reduced(safe, MUL, axes), axes, x), safe)
    other = _spread(summed(only_zeros, axes), axes, x).alu(Op.SUB, only_zeros)
    # a product that overflows without its zero is still 0 with it
    finite = where(rest.alu(Op.SUB, rest).alu(Op.EQ, zeros(rest)), rest, zeros(rest))
    with_zeros = where(others.alu(Op.EQ, full(1, others)), mul(finite, other), zeros(x))
    return where(is_zero(others), where(zero, rest, div(_spread(y, axes, x), safe)), with_zeros)


def _running_back(node: Node, axis: int) -> Node:
    """Sums from each place to the end."""
    turned = flipped(node.cast(node.dtype.accumulator), axis)
    total = make(Op.SCAN, turned.dtype, (turned,), (ADD, axis))
    return flipped(total, axis).cast(node.dtype)


def _scan(y: Node, g: Node) -> Parts:
    monoid, axis = y.arg
    x = y.src[0]
    if monoid.kind == "add":
        return (_running_back(g, axis),)
    if monoid.kind == "mul":
        return (_running_products(x, y, g, axis),)
    line = make(Op.IOTA, dtypes.int64, (), x.shape[axis])
    shape = tuple([n if a == axis else 1 for a, n in enumerate(x.shape)])
    place = expanded(reshaped(line, shape), x.shape)
    kept = _kept(x)
    so_far = make(Op.SCAN, x.dtype, (kept,), y.arg)
    is_best = kept.alu(Op.EQ, so_far).alu(Op.OR, make(Op.ISNAN, dtypes.bool_, (kept,)))  # a NaN wins
    best = where(is_best, place, full(-1, place))
    latest = make(Op.SCAN, dtypes.int64, (best,), (MAX, axis))
    return (scattered(x, latest, g, axis),)


def _running_products(x: Node, y: Node, g: Node, axis: int) -> Node:
    """In front of the first 0 of a row the sum of g y, from each place on, over x. The first 0 has the
    products without it, which end at the second; what follows has nothing."""
    zero = is_zero(x)
    zeros_so_far = make(Op.SCAN, dtypes.int64, (zero.cast(dtypes.int64),), (ADD, axis))
    first = zero.alu(Op.AND, zeros_so_far.alu(Op.EQ, full(1, zeros_so_far)))
    without = make(Op.SCAN, y.dtype, (where(first, full(1, x), x),), y.arg)
    of_first = where(first, _running_back(mul(g, without), axis), zeros(g))
    before = div(_running_back(mul(g, y), axis), where(zero, full(1, x), x))
    return where(is_zero(zeros_so_far), before, of_first)


def scattered(like: Node, index: Node, g: Node, axis: int) -> Node:
    """Cotangents added up at the places they came from, in the shape of `like`. One for each row has no
    other to be added to: it is there where the place is, and 0 elsewhere, which is fused with its reader."""
    rows = (*like.shape[:axis], 1, *like.shape[axis + 1 :])
    if index.shape == g.shape == rows:
        line = make(Op.IOTA, dtypes.int64, (), like.shape[axis])
        line = reshaped(line, tuple([n if a == axis else 1 for a, n in enumerate(like.shape)]))
        there = expanded(line.cast(index.dtype), like.shape).alu(Op.EQ, expanded(index, like.shape))
        return where(there, expanded(g, like.shape), full(0, g, like.shape))
    wide = g.dtype.accumulator
    empty = full(0, g.cast(wide), like.shape)
    made = make(Op.SCATTER, wide, (empty, index, g.cast(wide)), (axis, "add"))
    return made.cast(g.dtype)


def _sort(y: Node, g: Node) -> Parts:
    axis, *rest = y.arg
    if rest[-1] != "values":
        return (None,)
    return (scattered(y.src[0], _places(y), g, axis),)


def _topk(y: Node, g: Node) -> Parts:
    if y.arg[-1] != "values":
        return (None,)
    return (scattered(y.src[0], _places(y), g, y.arg[1]),)


def _places(y: Node) -> Node:
    """Where the values of an order came from."""
    return make(y.op, dtypes.int64, y.src, (*y.arg[:-1], "indices"))


def _gather(y: Node, g: Node) -> Parts:
    x, index = y.src
    return scattered(x, index, g, y.arg), None


def _scatter(y: Node, g: Node) -> Parts:
    x, index, updates = y.src
    axis, mode = y.arg
    there = make(Op.GATHER, g.dtype, (g, index), axis)
    if mode == "add":
        return g, None, there
    if mode == "set":
        covered = make(Op.SCATTER, g.dtype, (g, index, zeros(updates)), (axis, "set"))
        return covered, None, there
    if mode == "mul":
        return _scattered_products(y, g, there)
    before, new = _kept(x), _kept(updates)
    best = make(Op.SCATTER, y.dtype, (before, index, new), y.arg)
    stays = before.alu(Op.EQ, best).cast(g.dtype)
    arrives = new.alu(Op.EQ, make(Op.GATHER, y.dtype, (best, index), axis)).cast(g.dtype)
    # of several that are best, all the same
    each = div(g, make(Op.SCATTER, g.dtype, (stays, index, arrives), (axis, "add")).alu(Op.MAX, full(1, g)))
    return mul(stays, each), None, mul(arrives, make(Op.GATHER, g.dtype, (each, index), axis))


def _scattered_products(y: Node, g: Node, there: Node) -> Parts:
    """Each factor has the product of the others at its place; where one is 0, only that one has any."""
    x, index, updates = y.src
    axis = y.arg[0]
    ones = [where(is_zero(a), full(1, a), a) for a in (x, updates)]
    others = make(Op.SCATTER, y.dtype, (ones[0], index, ones[1]), y.arg)
    found = [is_zero(a).cast(g.dtype) for a in (x, updates)]
    count = make(Op.SCATTER, g.dtype, (found[0], index, found[1]), (axis, "add"))
    count_there, others_there = (make(Op.GATHER, a.dtype, (a, index), axis) for a in (count, others))

    def part(slope: Node, zero: Node, count: Node, others: Node, safe: Node) -> Node:
        only = where(count.alu(Op.EQ, zero), div(others, safe), zeros(others))
        return mul(slope, only)

    first = part(g, found[0], count, others, ones[0])
    return first, None, part(there, found[1], count_there, others_there, ones[1])


def _cat(y: Node, g: Node) -> Parts:
    parts, start = [], 0
    for source in y.src:
        length = source.shape[y.arg]
        parts.append(sliced(g, y.arg, start, length))
        start += length
    return parts


def _update(y: Node, g: Node) -> Parts:
    """What is not overwritten comes from the base, the rest from the part."""
    part = make(Op.SLICE, g.dtype, (g,), y.arg)
    return make(Op.UPDATE, g.dtype, (g, zeros(part)), y.arg), part


def _copy(y: Node, g: Node) -> Parts:
    device = y.src[0].device
    return (g if device is None else make(Op.COPY, g.dtype, (g,), device),)


COLLECTIVE: Final[dict[Op, Callable[[Node, Node], Parts]]] = {
    Op.REDUCE: _reduce,
    Op.SCAN: _scan,
    Op.SORT: _sort,
    Op.TOPK: _topk,
    Op.GATHER: _gather,
    Op.SCATTER: _scatter,
    Op.CAT: _cat,
    Op.COPY: _copy,
    Op.CONTIGUOUS: lambda y, g: (g,),
    Op.UPDATE: _update,
    Op.ASSIGN: lambda y, g: (g, None)[: len(y.src)],  # the value; what was in the memory is no part of it
}
