"""What is summed of rows and what is made of the rows with it, in one kernel: a row is read once.

    mean[i], rstd[i] = .. of x[i, :]         stored, because backward reads them too
    y[i, j] = (x[i, j] - mean[i]) * rstd[i]
        ->  one kernel over i and j that stores y, and mean and rstd beside it

    mean[i] = .. of x[i, :];  var[i] = .. of x[i, :] - mean[i]
        ->  one kernel over i that stores both

In: kernels in order. Out: the same, with a map, or other reductions, joined to the reductions of the rows
that it reads, where a row stays in registers. What is stored of a row is stored by all of its threads, the
same by each. Layer norm of 16,384 x 768 in bfloat16 took 10.7 and 14.5 us on an H200.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ...codegen.moves.tile_values import has_loops_inside
from ...graph.forms import NO_PRODUCT
from ...graph.kernels.kernel import range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ..joining.join import joined, renumbered
from ..joining.order import Entry, Order, Placed
from ..joining.rematerialise import nbytes_of
from ..target import Target

#: elements of a row, and bytes of all rows that are worth it
LONGEST = 1 << 14
LEAST_BYTES = 1 << 20


@rewrite_pass("join rows and their sums")
def join_rows(kernels: list[Placed], roots: frozenset[Node], target: Target) -> list[Placed]:
    """The same kernels, with reductions of rows in the maps and reductions of these rows that come next."""
    order: Order[Entry] = Order()
    last = {memory: number for number, (_, memories) in enumerate(kernels) for memory in memories}
    for place, placed in enumerate(kernels):
        new = Entry(placed)
        # what nobody reads later is rather overwritten (`reuse.py`), which one kernel could not do
        kept = [m for m in new.reads if last[m] > place or m in roots or m.op is Op.PARAM]
        number = _partner(order, new, frozenset(kept), target) if new.is_plain else None
        if number is None:
            order.append(new)
        else:
            order.replace(number, Entry(_joined(order[number].placed, placed)))
    return order.placed()


def _partner(order: Order[Entry], new: Entry, kept: frozenset[Node], target: Target) -> int | None:
    """The kernel that makes what this one reads of rows, if it can run in its place."""
    for number in sorted(order.writers(new.reads), reverse=True):
        if order.can_run_at(number, new) and _fits(order[number], new, kept, target):
            return number
    return None


def _fits(sums: Entry, rows: Entry, kept: frozenset[Node], target: Target) -> bool:
    """Are these reductions of rows that the map, or other reductions, read whole, of memory that is `kept`,
    and does it read each of their results where it is stored?"""
    outer, loops = sums.kernel.order, rows.kernel.order
    length = _row_length(sums, outer, target)
    if not length or not outer or loops[: len(outer)] != outer:
        return False
    again = prod(map(range_size, loops[len(outer) :])) if rows.is_map else _row_length(rows, loops, target)
    if again != length or rows.is_map == (loops == outer):
        return False
    size = prod(map(range_size, outer)) * length
    shared = [m for m in sums.reads & rows.reads & kept if m.size == size and nbytes_of(m) >= LEAST_BYTES]
    return bool(shared) and _loads(sums, rows) is not None


def _row_length(sums: Entry, loops: tuple[Node, ...], target: Target) -> int:
    """How long the rows are that a kernel reduces, if it does nothing but that and they fit; 0 for others."""
    folds = [n for n in sums.kernel.nodes if n.op is Op.FOLD]
    if not folds or not sums.is_plain or any(map(_is_slow, sums.kernel.nodes)):
        return 0
    lengths = {prod(map(range_size, own_ranges(f))) for f in folds}
    whole = len(lengths) == 1 and all(f.ranges <= set(loops) and f.arg.width == 1 for f in folds)
    return max(lengths) if whole and max(lengths) <= LONGEST and target.form(sums.kernel) == NO_PRODUCT else 0


def _is_slow(node: Node) -> bool:
    """Is it a running reduction, or a tile that is more than the elements of a row, made of each?"""
    return node.op is Op.PREFIX or (node.op is Op.STAGE and has_loops_inside(node))


def _loads(sums: Entry, rows: Entry) -> dict[Node, Node] | None:
    """What the map loads of the results of the reductions, and their values; None if it is not all of one
    place that is stored there."""
    stored = {sums.memories[s.src[0].arg.slot]: s for s in sums.kernel.sink.src}
    found = {}
    for node in rows.kernel.nodes:
        if node.op is not Op.LOAD or node.src[0].op is not Op.PARAM:
            continue
        store = stored.get(rows.memories[node.src[0].arg.slot])
        if store is None:
            continue
        if len(node.src) != 2 or node.src[1] is not store.src[1] or node.dtype is not store.src[2].dtype:
            return None
        found[node] = store.src[2]
    return found


def _joined(sums: Placed, rows: Placed) -> Placed:
    """One kernel of both, over the loops of the map."""
    kernel, memories = sums
    sums = renumbered(kernel, max(kernel.next_axis(), rows[0].next_axis())), memories
    found = _loads(Entry(sums), Entry(rows))
    assert found is not None
    kernel, memories = joined(sums, rows, known=found)
    stores = kernel.sink.src
    own = len(sums[0].sink.src)
    # what is named first is what the kernel is named after
    sink = kernel.sink.replace(src=(*stores[own:], *stores[:own]))
    return replace(kernel, sink=sink, order=rows[0].order, reason=rows[0].reason), memories
