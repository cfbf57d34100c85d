"""A map and the rows that are reduced of its results, in one kernel: a launch less, and they are not read.

    x[i, j] = x[i, j] + sum over s of part[s, i, j]       a residual, of a product in parts (split-K)
    y[i, j] = x[i, j] * rsqrt(mean over k of x[i, k]**2)  RMSNorm of it
        ->  one kernel over i and j that stores y, and x beside it

In: kernels in order. Out: the same, with a map joined to the kernel that reads whole rows of its results. The
values of a row stay in the registers of the block that has the row, so none is computed twice. Where there
are fewer rows than processors the map runs on fewer of them, so it has to be as short as a launch; of many
rows it may be any. A residual and RMSNorm of 32,768 x 1024 took 157 us on an H200, 93 of them the map.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ...graph.forms import NO_PRODUCT
from ...graph.kernels.kernel import Kernel, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ..joining.join import joined, renumbered
from ..joining.order import Entry, Order, Placed
from ..joining.rematerialise import nbytes_of
from ..limits import MOST_JOINED
from ..places import NO_PLACES, Places
from ..target import Target
from .rowwise import LONGEST

#: bytes that all blocks move in about the time of a launch, and those that one moves
SHORT_BYTES, ROW_BYTES = 8 << 20, 1 << 17
#: rows that keep all processors at work, whatever a map moves
MANY_ROWS = 512
#: terms of a sum that a map may have: the parts of a product
MOST_TERMS = 16


@rewrite_pass("join maps with rows of their results")
def join_row_maps(kernels: list[Placed], target: Target, places: Places = NO_PLACES) -> list[Placed]:
    """The same kernels, with short maps in the kernels that read rows of their results; none whose results go
    to `places` that one of them reads."""
    order: Order[Entry] = Order()
    for placed in kernels:
        new = Entry(placed)
        made = _joined(order, new, target, places)
        if made is None:
            order.append(new)
            continue
        number, entry = made
        if order.can_wait(number):
            order.remove(number)
            order.append(entry)
        else:
            order.replace(number, entry)
    return order.placed()


def _joined(order: Order[Entry], new: Entry, target: Target, places: Places) -> tuple[int, Entry] | None:
    """The latest map that a kernel of rows can be joined with, and both as one."""
    outer = _outer(new, target)
    if outer is None:
        return None
    for number in sorted(order.writers(new.reads), reverse=True):
        first = order[number]
        free = order.can_run_at(number, new) or order.can_wait(number)
        if free and _pays(first, new, outer) and _is_apart(first, new, places):
            made = _as_one(first, new, outer)
            if made is not None:
                return number, Entry(made)
    return None


def _outer(rows: Entry, target: Target) -> int | None:
    """How many loops of a kernel number its rows, the others going along them, if all of its reductions are
    of whole rows that a block holds."""
    kernel = rows.kernel
    folds = [n for n in kernel.nodes if n.op is Op.FOLD]
    counts = {len(f.ranges) for f in folds}
    if not rows.is_plain or len(counts) != 1 or any(n.op in (Op.STAGE, Op.PREFIX) for n in kernel.nodes):
        return None
    (outer,) = counts
    loops = kernel.order
    inner = tuple(map(range_size, loops[outer:]))
    whole = all(
        f.ranges == set(loops[:outer]) and tuple(map(range_size, own_ranges(f))) == inner for f in folds
    )
    if not whole or not 1 < prod(inner) <= LONGEST or target.form(kernel) != NO_PRODUCT:
        return None
    return outer


def _pays(first: Entry, rows: Entry, outer: int) -> bool:
    """Is it a map over the same loops, of few terms for each result, which moves little, or of many rows?"""
    kernel = first.kernel
    folds = [n for n in kernel.nodes if n.op is Op.FOLD]
    if kernel.order != rows.kernel.order or not first.is_plain or rows.writes & first.touches:
        return False
    if any(n.op in (Op.STAGE, Op.PREFIX) for n in kernel.nodes) or first.weight + rows.weight > MOST_JOINED:
        return False
    if any(prod(map(range_size, own_ranges(f))) > MOST_TERMS for f in folds):
        return False
    nbytes = sum(map(nbytes_of, first.touches | rows.touches))
    count = prod(map(range_size, kernel.order[:outer]))
    is_short = nbytes <= SHORT_BYTES and nbytes <= ROW_BYTES * count
    return is_short or (count >= MANY_ROWS and not folds)


def _is_apart(first: Entry, rows: Entry, places: Places) -> bool:
    """Do all results go to memory that neither of them reads? A row is read by all threads of its block."""
    touched = first.touches | rows.touches
    return not any(places.targets.get(memory) in touched for memory in first.writes | rows.writes)


def _as_one(first: Entry, rows: Entry, outer: int) -> Placed | None:
    """One kernel of both, if each row is made of its own row of the map's results."""
    kernel = renumbered(first.kernel, max(first.kernel.next_axis(), rows.kernel.next_axis()))
    values = {first.memories[s.src[0].arg.slot]: (s.src[1], s.src[2]) for s in kernel.sink.src}
    found = _known(values, rows, kernel.order[outer:])
    if not found:
        return None
    made, memories = joined((kernel, first.memories), rows.placed, known=found)
    own = len(kernel.sink.src)
    # what is named first is what the kernel is named after
    sink = made.sink.replace(src=(*made.sink.src[own:], *made.sink.src[:own]))
    return replace(made, sink=sink, reason=rows.kernel.reason), memories


def _known(
    values: dict[Node, tuple[Node, Node]], rows: Entry, inner: tuple[Node, ...]
) -> dict[Node, Node] | None:
    """What the kernel of rows loads of the map's results, and the values there; None if it is not all of the
    element that a point is at, or a reduction comes to."""
    kernel: Kernel = rows.kernel
    walks = [dict(zip(inner, own_ranges(n), strict=True)) for n in kernel.nodes if n.op is Op.FOLD]
    found: dict[Node, Node] = {}
    for node in kernel.nodes:
        if node.op is not Op.LOAD or node.src[0].op is not Op.PARAM:
            continue
        memory = rows.memories[node.src[0].arg.slot]
        if memory not in values:
            continue
        index, value = values[memory]
        along = next((w for w in ({}, *walks) if index.substitute(w) is node.src[1]), None)
        if along is None or len(node.src) != 2 or node.dtype is not value.dtype:
            return None
        found[node] = value.substitute(along)
    return found
