"""Loops over the same rows in two kernels: which these are, and where in a row each load is.

first:  y[i * 256 + k] = ...        rows of 256, loop i
new:    z[...] = y[j * 256 + 3]     the same rows, loop j: element 3 of one
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ...codegen.moves.analysis import part_axes
from ...codegen.moves.ordered import limits_of, reach
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.node import Node, index_const, make
from ...graph.ops import Op
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import coefficient_of, simplify
from ..joining.order import Entry

#: columns side by side that are worth a team: a sector of memory, of float32
LEAST_COLUMNS: Final = 8


@dataclass(frozen=True)
class Rows:
    """Loops over the same rows, in two kernels; the last of them over `columns` that lie side by side, if
    these are more than one."""

    of_first: tuple[Node, ...]
    of_new: tuple[Node, ...]
    columns: int = 1


def rows_in_common(first: Entry, new: Entry, loads: list[Node]) -> Iterator[Rows]:
    """The outermost loops of the first that the other goes through in the same steps, as many as possible
    first, and before those alone columns beside each other in each."""
    pairs: list[tuple[Node, Node]] = []
    for r in first.kernel.order:
        other = _same_loop(first, new, loads, r)
        if other is None or other in dict(pairs).values():
            break
        pairs.append((r, other))
    column = _same_column(first, new, loads)
    for count in range(len(pairs), -1, -1):
        of_first, of_new = (tuple(pair[at] for pair in pairs[:count]) for at in range(2))
        if column is not None and column[0] not in of_first and column[1] not in of_new:
            yield Rows((*of_first, column[0]), (*of_new, column[1]), range_size(column[0]))
        yield Rows(of_first, of_new)


def _same_loop(first: Entry, new: Entry, loads: list[Node], r: Node) -> Node | None:
    """The loop of the other kernel that steps through what is stored as a loop of the first does."""
    steps = {first.memories[s.src[0].arg.slot]: coefficient_of(s.src[1], r) for s in first.kernel.sink.src}
    for other in new.kernel.order:
        same = all(coefficient_of(x.src[1], other) == steps[new.memories[x.src[0].arg.slot]] for x in loads)
        if same and range_size(other) == range_size(r):
            return other
    return None


def _same_column(first: Entry, new: Entry, loads: list[Node]) -> tuple[Node, Node] | None:
    """The loops over columns that lie side by side, none of them a part of a step."""
    for r in first.kernel.order:
        if all(coefficient_of(store.src[1], r) == 1 for store in first.kernel.sink.src):
            other = _same_loop(first, new, loads, r)
            parts = {*part_axes(first.kernel), *part_axes(new.kernel)}
            if other is not None and not parts & {r, other} and range_size(r) >= LEAST_COLUMNS:
                return r, other
    return None


def rows_of(kernel: Kernel) -> set[Node]:
    """The loops that tiles are made for one iteration of."""
    return {r for n in kernel.nodes if n.op is Op.STAGE for r in n.ranges}


def inside_rows(
    first: Entry, new: Entry, loads: list[Node], rows: Rows
) -> dict[Node, tuple[Node, Node]] | None:
    """For each load a tile of a row of what the first kernel makes, with loops of its own, and where in it
    the load is; None if that may be in another row."""
    made: dict[Node, tuple[Node, Node]] = {}
    same = dict(zip(rows.of_first, rows.of_new, strict=True))
    kernel = _apart(first.kernel, same, max(first.kernel.next_axis(), new.kernel.next_axis()))
    own = [r for r in kernel.order if r not in rows.of_new]
    start = kernel.next_axis()
    for store in kernel.sink.src:
        size = _row_size(store, rows, own)
        if size is None:
            return None
        steps = affine(store.src[1])[0]
        memory = first.memories[store.src[0].arg.slot]
        inner = {r: loop(start + at, range_size(r)) for at, r in enumerate(own)}
        start += len(own) + 1
        moved = store.substitute(inner)
        index = _within(moved.src[1], rows)
        tile = terms.stage(moved.src[2], index, tuple(inner.values()), start - 1, size, exchanges=True)
        for load in loads:
            if new.memories[load.src[0].arg.slot] is memory:
                if not _is_inside(load, rows, steps, size):
                    return None
                made[load] = tile, _within(load.src[1], rows)
    return made


def _within(index: Node, rows: Rows) -> Node:
    """A place in its own row."""
    return simplify(index.substitute(dict.fromkeys(rows.of_new, index_const(0))) // rows.columns)


def _row_size(store: Node, rows: Rows, own: list[Node]) -> int | None:
    """How many elements of a memory are a row, if rows lie one behind the other, or columns side by side and
    blocks of them one behind the other."""
    steps, start = affine(store.src[1])
    if start or any(term.op is not Op.RANGE for term in steps) or not own:
        return None
    if any(step % rows.columns for r, step in steps.items() if r in own):
        return None
    size = 1 + sum(step // rows.columns * (range_size(r) - 1) for r, step in steps.items() if r in own)
    reached = size * rows.columns
    for r in reversed(rows.of_new[:-1] if rows.columns > 1 else rows.of_new):
        if steps.get(r, 0) != reached:
            return None
        reached *= range_size(r)
    return size


def _is_inside(load: Node, rows: Rows, steps: dict[Node, int], size: int) -> bool:
    """Is a load always in its own row?"""
    terms_of, start = affine(load.src[1])
    if start % rows.columns or any(terms_of.get(r, 0) != steps[r] for r in rows.of_new):
        return False
    limits = limits_of(load.src[2]) if len(load.src) == 3 else {}
    low = high = float(start)
    for term, step in terms_of.items():
        if term not in rows.of_new:
            if term.ranges & set(rows.of_new) or step % rows.columns:
                return False
            ends = [step * end for end in reach(term, limits)]
            low, high = low + min(ends), high + max(ends)
    return low >= 0 and high < size * rows.columns


def _apart(kernel: Kernel, same: dict[Node, Node], start: int) -> Kernel:
    """The kernel with other loops for some, and all the rest, and its tiles, numbered from `start` on."""
    done: dict[Node, Node] = {}
    for node in kernel.nodes:
        src = tuple([done[s] for s in node.src])
        arg = node.arg
        if node.op is Op.STAGE or (node.op is Op.RANGE and node not in same):
            arg, start = replace(arg, number=start), start + 1
        done[node] = node if src == node.src and arg is node.arg else make(node.op, node.dtype, src, arg)
        done[node] = same.get(node, done[node])
    order = tuple(done.get(r, r) for r in kernel.order)
    return replace(kernel, sink=done[kernel.sink], order=order)
