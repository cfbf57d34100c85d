"""Kernels one after the other: what a GPU would launch twice becomes one launch.

    y = x * 2; z = near(y)         a map and its reader over the same loops: y is stored, and not loaded
    a = x.max(1); b = x.sum(1)     reductions of the same rows: read once, reduced twice

The first holds where the reader asks for the value of the point it is at, and nowhere else. A launch and the
wait for it take about 3 microseconds, more than most of what is joined here; on a CPU, where a kernel's loops
are shaped for what it computes, kernels stay apart.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ..graph.kernel import Kernel, loop, range_size
from ..graph.monoid import ADD
from ..graph.node import Node, own_ranges
from ..graph.ops import Op
from .join import Placed, is_map, joined, reads_of, writes_of

#: buffers one kernel may have: their addresses are two arguments each, of 4 KiB in all
MOST_PARAMS = 96
#: reductions one kernel may have
MOST_FOLDS = 8
#: multiplications from which on a product of matrices is one
PRODUCT = 1 << 20
#: elements that are read in less time than a launch takes
SMALL = 1 << 22


def join_chains(kernels: list[Placed]) -> list[Placed]:
    """The same kernels, readers joined with what they read and reductions with those of the same rows."""
    done: list[Placed] = []
    for placed in kernels:
        _add(done, placed)
    return done


def _add(done: list[Placed], placed: Placed) -> None:
    """Append a kernel, joined with an earlier one where that is possible; that may allow another join."""
    for number in range(len(done) - 1, -1, -1):
        earlier = done[number]
        between = done[number + 1 :]
        made = _read_in_place(earlier, placed) or _same_rows(earlier, placed)
        if made is None:
            continue
        if not any(writes_of(earlier) & set(p[1]) or writes_of(p) & set(earlier[1]) for p in between):
            del done[number]  # the earlier one can wait until now
            _add(done, made)
            return
        if not any(writes_of(p) & set(placed[1]) or writes_of(placed) & set(p[1]) for p in between):
            done[number] = made  # the later one can run at once
            return
    done.append(placed)


def _plain(kernel: Kernel) -> bool:
    """Every store at a place of its own, nothing written twice."""
    return all(s.op is Op.STORE and len(s.src) == 3 and s.arg is None for s in kernel.sink.src)


def _alike(first: Placed, second: Placed) -> bool:
    """Could the two run over the same loops?"""
    one, other = first[0], second[0]
    if one.order != other.order or not _plain(one) or not _plain(other):
        return False
    if any(n.op is Op.STAGE or n.op is Op.PREFIX for k in (one, other) for n in k.nodes):
        return False
    if _multiplies(one) or _multiplies(other):
        return False
    if writes_of(second) & set(first[1]):
        return False
    return len(set(first[1]) | set(second[1])) <= MOST_PARAMS


def _multiplies(kernel: Kernel) -> bool:
    """Is it a product of matrices, whose factors are used again and again? Tensor cores want it alone."""
    for fold in _folds(kernel):
        body = fold.src[0]
        while body.op is Op.CAST:
            body = body.src[0]
        if fold.arg == ADD and body.op is Op.MUL:
            a, b = (factor.ranges for factor in body.src)
            if a - b and b - a and prod(map(range_size, body.ranges)) >= PRODUCT:
                return True
    return False


def _read_in_place(first: Placed, second: Placed) -> Placed | None:
    """A kernel and its reader as one, if at most one of them reduces and each point reads its own."""
    written = writes_of(first) & reads_of(second)
    if not written or not _alike(first, second) or not (is_map(first[0]) or is_map(second[0])):
        return None
    (kernel, memories), (reader, others) = first, second
    values = {memories[s.src[0].arg.slot]: (s.src[1], s.src[2]) for s in kernel.sink.src}
    found: dict[Node, Node] = {}
    for node in reader.nodes:
        if node.op is Op.LOAD and node.src[0].op is Op.PARAM and others[node.src[0].arg.slot] in written:
            index, value = values[others[node.src[0].arg.slot]]
            if len(node.src) != 2 or node.src[1] is not index:
                return None
            found[node] = value
    # the values speak of the first kernel's slots: substituted last, after the reader's are renumbered
    return joined(first, second, found)


def _same_rows(first: Placed, second: Placed) -> Placed | None:
    """Reductions of as many elements for the same rows as one kernel, if they share memory they read or are
    soon over."""
    if writes_of(first) & reads_of(second) or not _alike(first, second):
        return None
    folds = [_folds(p[0]) for p in (first, second)]
    if not all(folds) or len(folds[0]) + len(folds[1]) > MOST_FOLDS:
        return None
    lengths = {range_size(r) for f in (*folds[0], *folds[1]) for r in own_ranges(f)}
    flat = all(len(own_ranges(f)) == 1 and f.ranges <= set(first[0].order) for f in (*folds[0], *folds[1]))
    if len(lengths) != 1 or not flat or any(f.arg.width > 2 for f in (*folds[0], *folds[1])):
        return None
    elements = prod(map(range_size, first[0].order)) * lengths.pop()
    if elements > SMALL and not reads_of(first) & reads_of(second):
        return None
    return joined(first, (_renumbered(second[0], first[0].next_axis()), second[1]), {})


def _folds(kernel: Kernel) -> list[Node]:
    return [n for n in kernel.nodes if n.op is Op.FOLD]


def _renumbered(kernel: Kernel, start: int) -> Kernel:
    """The kernel with the ranges of its reductions numbered from `start` on."""
    own = [r for r in kernel.ranges() if r not in kernel.order]
    moved = {r: loop(start + number, range_size(r), r.arg.kind) for number, r in enumerate(own)}
    return replace(kernel, sink=kernel.sink.substitute(moved))
