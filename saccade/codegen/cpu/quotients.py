"""Loops that are taken apart by a number become two: r < 66, x[r % 33] -> i < 2, j < 33, x[j]."""

from __future__ import annotations

from ...graph.kernels.kernel import LOOP, UNROLL, Kernel, is_register, range_size
from ...graph.node import is_const
from ...graph.ops import NESTS, Op
from ...graph.rules.symbolic import coefficient_of
from ..moves.analysis import part_axes
from ..moves.moves import Split, step_if_legal
from .vectors import lanes_of

#: turns of all loops that are straight code
MOST_TURNS = 16


def split_wraps(kernel: Kernel) -> Kernel:
    """A loop of a map that reads rows over and over becomes two: r < 66, x[r % 33] -> i < 2, j < 33, x[j].
    Lanes beside each other would be looked up one by one where a row may end: 301 x 777 repeated 3 x 2 times
    took 1,050 us of a Neoverse N1, and takes 275."""
    if any(n.op in NESTS for n in kernel.nodes):
        return kernel
    for r in kernel.order:
        wraps = [n.src[1] for n in kernel.nodes if n.op is Op.MOD and n.src[0] is r and is_const(n.src[1])]
        length = max((int(n.arg) for n in wraps), default=0)
        if length >= lanes_of(kernel.sink, r) and range_size(r) % length == 0:
            kernel = step_if_legal(kernel, Split(r.arg.number, length, LOOP))
    return kernel


def split_parts(kernel: Kernel) -> Kernel:
    """Parts that take turns along a loop get one of their own, which becomes straight code (unroll_parts):
    r < 66, where(r % 2 < 1, x[r // 2], y[r // 2]) -> i < 33, j < 2, where(j < 1, x[i], y[i])."""
    for r in kernel.order:
        chosen = [n.src[0] for n in kernel.nodes if n.op is Op.WHERE and n.src[0].ranges == {r}]
        turns = {n.src[1] for c in chosen for n in c.toposort() if n.op is Op.MOD and n.src[0] is r}
        if len(turns) == 1 and is_const(length := turns.pop()) and range_size(r) % length.arg == 0:
            inner = kernel.next_axis() + 1
            split = step_if_legal(kernel, Split(r.arg.number, int(length.arg), LOOP))
            if any(axis.arg.number == inner for axis in part_axes(split)):
                kernel = split
    return kernel


def split_quotients(kernel: Kernel) -> Kernel:
    """A loop of a reduction's results that is taken apart by one number becomes two: r < 64, r // 8, r % 8 ->
    i < 8, j < 8. Such are the channels of a convolution in groups: as one loop no factor is without it, and
    no tile fits (3x3 of 4 x 64 x 28 x 28 in 8 groups, by the input: 12.3 -> 0.6 ms of a Cascade Lake). One
    along which results are neighbours stays: a tile stores them together."""
    if not any(n.op is Op.FOLD for n in kernel.nodes):
        return kernel
    for r in kernel.order:
        parts = [n for n in kernel.nodes if n.op in (Op.IDIV, Op.MOD) and n.src[0] is r]
        sizes = {int(n.src[1].arg) for n in parts if is_const(n.src[1])}
        if len(sizes) != 1 or not all(is_const(n.src[1]) for n in parts) or range_size(r) % max(sizes):
            continue
        if not any(coefficient_of(s.src[1], r) in (None, 1) for s in kernel.sink.src):
            kernel = step_if_legal(kernel, Split(r.arg.number, sizes.pop(), LOOP))
    return kernel


def split_turns(kernel: Kernel) -> Kernel:
    """A loop over results whose neighbours take turns becomes straight code for each turn: (r + 1) // 2 and
    (r + 1) % 2 -> r = 2 i + j, i + (j + 1) // 2 and (j + 1) % 2. A transposed convolution 4x4 by 2 of each of
    64 channels, 4 x 56 x 56 results: 1.88 -> 0.24 ms of a Cascade Lake."""
    if not any(n.op is Op.FOLD for n in kernel.nodes) or any(map(is_register, kernel.order)):
        return kernel
    code = 1
    for r in kernel.order:
        parts = [n for n in kernel.nodes if n.op in (Op.IDIV, Op.MOD) and r in n.src[0].ranges]
        sizes = {int(n.src[1].arg) for n in parts if is_const(n.src[1])}
        alone = all(n.src[0].ranges == {r} and coefficient_of(n.src[0], r) == 1 for n in parts)
        if len(sizes) != 1 or not alone or not all(is_const(n.src[1]) for n in parts):
            continue
        turns = sizes.pop()
        if range_size(r) % turns == 0 and code * turns <= MOST_TURNS:
            kernel, code = step_if_legal(kernel, Split(r.arg.number, turns, UNROLL)), code * turns
    return kernel
