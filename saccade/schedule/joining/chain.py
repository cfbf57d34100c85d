"""Kernels one after the other: what a GPU would launch twice becomes one launch.

    y = x * 2; z = near(y)         a map and its reader over the same loops: y is stored, and not loaded
    a = x.max(1); b = x.sum(1)     reductions of the same rows: read once, reduced twice
    c = (x - a).exp().sum(1)       of the same rows, and of the first one's result

The first holds where the reader asks for the value of the point it is at, and nowhere else. On a GPU a launch
and the wait for it take about 3 microseconds, more than most of what is joined here. On a CPU, where a
kernel's loops are shaped for what it computes, only maps are joined: the step of an optimiser reads the
averages it has just made (an Adam step moves 7 numbers an element instead of 9). And a running sum is joined
with the scatter that takes its places from it, since both go along their rows in order.
"""

from __future__ import annotations

from functools import cached_property
from math import prod

from ...graph.kernels.kernel import Kernel, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, below_casts, own_ranges
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ..limits import MOST_IN_A_ROW, MOST_JOINED, MOST_LOADS
from ..places import NO_PLACES, Places
from .join import joined, renumbered
from .order import Entry, Order, Placed, insert

#: buffers one kernel may have: their addresses are two arguments each, of 4 KiB in all
MOST_PARAMS = 96
#: reductions one kernel may have
MOST_FOLDS = 8
#: multiplications from which on a product of matrices is one
PRODUCT = 1 << 20
#: elements that are read in less time than a launch takes
SMALL = 1 << 22


_NESTS = frozenset({Op.FOLD, Op.STAGE, Op.PREFIX})


class _Entry(Entry):
    """What has to be known of a kernel to join it with those before it."""

    @cached_property
    def is_simple(self) -> bool:
        """Every store at a place of its own; elementwise work and reductions only, no product of matrices."""
        special = any(n.op is Op.STAGE or n.op is Op.PREFIX for n in self.kernel.nodes)
        return self.is_plain and not special and not any(map(_multiplies, self.folds))

    @cached_property
    def updates(self) -> bool:
        """Is it one scatter of updates, in order along its innermost loop?"""
        stores = self.kernel.sink.src
        alone = len(stores) == 1 and not self.kernel.asked
        return alone and stores[0].op is Op.STORE and len(stores[0].src) == 4

    @cached_property
    def sums(self) -> bool:
        """Is it one running reduction along its innermost loop?"""
        kernel = self.kernel
        running = [n for n in kernel.nodes if n.op is Op.PREFIX]
        stores = kernel.sink.src
        alone = len(stores) == len(running) == 1 and not kernel.asked
        return alone and running[0].src[-1] is kernel.order[-1]

    @cached_property
    def depth(self) -> tuple[int, int]:
        """The longest way from a store down: in operations, and in loads, each at a place that another
        found."""
        operations: dict[Node, int] = {}
        loads: dict[Node, int] = {}
        for node in self.kernel.nodes:
            operations[node] = 1 + max([operations[s] for s in node.src], default=0)
            loads[node] = (node.op is Op.LOAD) + max([loads[s] for s in node.src], default=0)
        return operations[self.kernel.sink], loads[self.kernel.sink]

    @cached_property
    def folds(self) -> tuple[Node, ...]:
        return tuple(n for n in self.kernel.nodes if n.op is Op.FOLD)

    @cached_property
    def rows(self) -> tuple[int, ...] | None:
        """The loops of a row by their lengths, if all reductions are of rows of these; what is one number for
        all rows does not count."""
        outer = set(self.kernel.order)
        folds = [f for f in self.folds if f.ranges or not outer]
        lengths = {tuple(map(range_size, own_ranges(f))) for f in folds}
        of_rows = all(f.ranges <= outer and f.arg.width <= 2 for f in self.folds)
        return lengths.pop() if len(lengths) == 1 and of_rows else None


@rewrite_pass("join producers with consumers")
def join_chains(kernels: list[Placed], maps_only: bool = False, places: Places = NO_PLACES) -> list[Placed]:
    """The same kernels, readers joined with what they read and reductions with those of the same rows; with
    `maps_only`, maps joined with maps that read them; all in step with the `places` results go to."""
    order: Order[_Entry] = Order()
    rows: dict[object, list[int]] = {}  # reductions by their loops and those of their rows
    for placed in kernels:
        new = _Entry(placed)
        # joined with an earlier one where that is possible; that may allow another join
        while (found := _joined(order, rows, new, maps_only, places)) is not None:
            number, new = found
            if not order.can_wait(number):
                order.replace(number, new)  # the later one can run at once
                break
            order.remove(number)  # the earlier one can wait until now
        else:
            number = order.append(new)
        if not maps_only and new.rows is not None:
            insert(rows.setdefault((new.kernel.order, new.rows), []), number)
    return order.placed()


def _joined(
    order: Order[_Entry], rows: dict[object, list[int]], new: _Entry, maps_only: bool, places: Places
) -> tuple[int, _Entry] | None:
    """The latest kernel that a new one can be joined with, and both as one."""
    if not (new.is_map or new.updates if maps_only else new.is_simple):
        return None
    numbers = order.writers(new.reads)
    if not maps_only and new.rows is not None:
        listed = rows.get((new.kernel.order, new.rows), [])
        listed[:] = [n for n in listed if n in order and len(order[n].folds) < MOST_FOLDS]
        numbers.update(listed)
    for number in sorted(numbers, reverse=True):
        if order.can_run_at(number, new) or order.can_wait(number):
            made = _as_one(order[number], new, maps_only)
            if made is not None and places.in_step(order[number], new):
                return number, _Entry(made)
    return None


def _as_one(earlier: _Entry, new: _Entry, maps_only: bool) -> Placed | None:
    if new.updates:
        return _summed_in_place(earlier, new)
    if not _alike(earlier, new) or (maps_only and not earlier.is_map):
        return None
    made = _read_in_place(earlier, new)
    if made is None and not maps_only:
        made = _same_rows(earlier, new) or _rows_in_turn(earlier, new)
    return made


def _alike(first: _Entry, second: _Entry) -> bool:
    """Could the two run over the same loops?"""
    if first.kernel.order != second.kernel.order or not first.is_simple or second.writes & first.touches:
        return False
    operations, loads = (a + b for a, b in zip(first.depth, second.depth, strict=True))
    if operations > MOST_IN_A_ROW or loads > MOST_LOADS or first.weight + second.weight > MOST_JOINED:
        return False
    return len(first.touches | second.touches) <= MOST_PARAMS


def _multiplies(fold: Node) -> bool:
    """Is it a product of matrices, whose factors are used again and again? Tensor cores want it alone."""
    body = below_casts(fold.src[0])
    if fold.arg != ADD or body.op is not Op.MUL:
        return False
    a, b = (factor.ranges for factor in body.src)
    return bool(a - b and b - a) and prod(map(range_size, body.ranges)) >= PRODUCT


def _summed_in_place(first: _Entry, second: _Entry) -> Placed | None:
    """A running reduction and the updates that read it, which go in the same order, as one."""
    if not first.sums or first.kernel.order != second.kernel.order or second.writes & first.touches:
        return None
    if len(first.touches | second.touches) > MOST_PARAMS or any(n.op in _NESTS for n in second.kernel.nodes):
        return None
    return _joined_in_place(first, second)


def _read_in_place(first: _Entry, second: _Entry) -> Placed | None:
    """A kernel and its reader as one, if at most one of them reduces and each point reads its own."""
    return _joined_in_place(first, second) if first.is_map or second.is_map else None


def _joined_in_place(first: _Entry, second: _Entry, kernel: Kernel | None = None) -> Placed | None:
    """A kernel and its reader as one, if each point reads its own; `kernel` is the reader's, where its loops
    were renumbered."""
    written = first.writes & second.reads
    if not written:
        return None
    others = second.memories
    values = {first.memories[s.src[0].arg.slot]: (s.src[1], s.src[2]) for s in first.kernel.sink.src}
    found: dict[Node, Node] = {}
    kernel = second.kernel if kernel is None else kernel
    for node in kernel.nodes:
        if node.op is Op.LOAD and node.src[0].op is Op.PARAM and others[node.src[0].arg.slot] in written:
            index, value = values[others[node.src[0].arg.slot]]
            if len(node.src) != 2 or node.src[1] is not index:
                return None
            found[node] = value
    return joined(first.placed, (kernel, second.memories), known=found)


def _same_rows(first: _Entry, second: _Entry) -> Placed | None:
    """Reductions of as many elements for the same rows as one kernel, if they share memory they read or are
    soon over."""
    if first.rows is None or first.rows != second.rows or first.writes & second.reads:
        return None
    if len(first.folds) + len(second.folds) > MOST_FOLDS:
        return None
    elements = prod(map(range_size, first.kernel.order)) * prod(first.rows)
    if elements > SMALL and not first.reads & second.reads:
        return None
    moved = renumbered(second.kernel, first.kernel.next_axis())
    return joined(first.placed, (moved, second.memories))


def _rows_in_turn(first: _Entry, second: _Entry) -> Placed | None:
    """A reduction and one of the same rows that reads its result, as the sum of exp(x - max) does, as one, if
    both read the same memory: a row is fetched once."""
    if first.rows is None or first.rows != second.rows or not first.reads & second.reads:
        return None
    if len(first.folds) + len(second.folds) > MOST_FOLDS:
        return None
    return _joined_in_place(first, second, renumbered(second.kernel, first.kernel.next_axis()))
