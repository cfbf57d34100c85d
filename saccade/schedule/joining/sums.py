"""Sums with factors that are computed again, side by side: those made of the same scores become one kernel.

    dv = w^T dout;  dk = ds^T q          both walk along the queries and compute the scores of a tile anew

Apart, each reads the tiles of queries and of what comes in, and multiplies queries with keys. One kernel does
both once: of the eight products of attention's backward pass one goes, and a third of what is read.

    dq = ds k                            goes along the keys, and is made of the same weights

Where the machine adds up across blocks it joins the other two, and two more products go.
"""

from __future__ import annotations

from dataclasses import replace

from ...graph.kernels.kernel import Kernel, sink
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ..target import Target
from .join import joined
from .order import Entry, Order, Placed


@rewrite_pass("join sums of the same scores")
def join_sums(kernels: list[Placed], target: Target, across: bool) -> list[Placed]:
    """The same kernels, with pairs of sums over the same loops joined where the target makes the factors of
    both of the same products; `across`, and with a third that goes the other way."""
    kernels = _pairs(kernels, target, most=1)
    return _pairs(kernels, target, most=2) if across else kernels


def _pairs(kernels: list[Placed], target: Target, most: int) -> list[Placed]:
    """Kernels of up to `most` sums joined with one more."""
    order: Order[Entry] = Order()
    waiting: list[int] = []  # sums that have no partner
    for placed in kernels:
        new = Entry(placed)
        if not _is_sum(new, most) or not target.attends(new.kernel):
            order.append(new)
            continue
        number = _partner(order, waiting, new, target, most)
        if number is None:
            waiting.append(order.append(new))
            continue
        made = Entry(_joined(order[number].placed, placed))
        waiting.remove(number)
        if order.can_run_at(number, new):
            order.replace(number, made)
        else:  # the earlier one waits until now
            order.remove(number)
            order.append(made)
    return order.placed()


def _partner(order: Order[Entry], waiting: list[int], new: Entry, target: Target, most: int) -> int | None:
    """A kernel that this one can be joined with, here or there."""
    for number in waiting:
        other = order[number]
        stores = len(other.kernel.sink.src) + len(new.kernel.sink.src)
        if stores == most + 1 and other.kernel.order == new.kernel.order:
            moves = order.can_run_at(number, new) or order.can_wait(number)
            if moves and target.attends(_joined(other.placed, new.placed)[0]):
                return number
    return None


def _is_sum(entry: Entry, most: int) -> bool:
    """Is it sums of products with a factor that is made of one or two other sums?"""
    folds, stores = sum(n.op is Op.FOLD for n in entry.kernel.nodes), len(entry.kernel.sink.src)
    return entry.is_plain and stores <= most and 1 <= folds - stores <= 2


def _joined(first: Placed, second: Placed) -> Placed:
    """One kernel of both, in which equal reductions are one, whatever their loops are called."""
    kernel, memories = joined(first, second)
    before = len(first[0].sink.src)
    ours, theirs = (
        [n for n in sink(stores).toposort() if n.op is Op.FOLD]
        for stores in (kernel.sink.src[:before], kernel.sink.src[before:])
    )
    same = {fold: other for fold in theirs for other in ours if fold is not other and _is_same(fold, other)}
    return _with(kernel, same), memories


def _is_same(fold: Node, other: Node) -> bool:
    ranges = dict(zip(own_ranges(fold), own_ranges(other), strict=False))
    return len(own_ranges(fold)) == len(own_ranges(other)) and fold.substitute(ranges) is other


def _with(kernel: Kernel, same: dict[Node, Node]) -> Kernel:
    return replace(kernel, sink=kernel.sink.substitute(same)) if same else kernel
