"""Sums with factors that are computed again, side by side: those made of the same scores become one kernel.

    dv = w^T dout;  dk = ds^T q          both walk along the queries and compute the scores of a tile anew

Apart, each reads the tiles of queries and of what comes in, and multiplies queries with keys. One kernel does
both once: of the eight products of attention's backward pass one goes, and a third of what is read.
"""

from __future__ import annotations

from dataclasses import replace

from ...graph.kernels.kernel import Kernel
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ..target import Target
from .join import joined
from .order import Entry, Order, Placed


@rewrite_pass("join sums of the same scores")
def join_sums(kernels: list[Placed], target: Target) -> list[Placed]:
    """The same kernels, with pairs of sums over the same loops joined where the target makes the factors of
    both of the same products."""
    order: Order[Entry] = Order()
    waiting: list[int] = []  # sums that have no partner
    for placed in kernels:
        new = Entry(placed)
        if not _is_sum(new) or not target.attends(new.kernel):
            order.append(new)
            continue
        partner, last = None, order.last_conflict(new)
        for number in waiting:
            if number > last and order[number].kernel.order == new.kernel.order:
                made = _joined(order[number].placed, placed)
                if target.attends(made[0]):
                    partner = number
                    order.replace(number, Entry(made))
                    break
        if partner is None:
            waiting.append(order.append(new))
        else:
            waiting.remove(partner)
    return order.placed()


def _is_sum(entry: Entry) -> bool:
    """Is it one sum of products with a factor that is made of other sums?"""
    folds = sum(n.op is Op.FOLD for n in entry.kernel.nodes)
    return entry.is_plain and len(entry.kernel.sink.src) == 1 and folds in (2, 3)


def _joined(first: Placed, second: Placed) -> Placed:
    """One kernel of both, in which equal reductions are one, whatever their loops are called."""
    kernel, memories = joined(first, second)
    ours, theirs = ([n for n in store.toposort() if n.op is Op.FOLD] for store in kernel.sink.src)
    same = {fold: other for fold in theirs for other in ours if fold is not other and _is_same(fold, other)}
    return _with(kernel, same), memories


def _is_same(fold: Node, other: Node) -> bool:
    ranges = dict(zip(own_ranges(fold), own_ranges(other), strict=False))
    return len(own_ranges(fold)) == len(own_ranges(other)) and fold.substitute(ranges) is other


def _with(kernel: Kernel, same: dict[Node, Node]) -> Kernel:
    return replace(kernel, sink=kernel.sink.substitute(same)) if same else kernel
