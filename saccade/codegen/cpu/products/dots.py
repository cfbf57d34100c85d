"""Sums of products along memory with very few results for each row: dot products, several at once.

    out[i, j] = FOLD(add, a[i, k] * b[j, k], k)  for 2 columns j    ->    lanes along k, both j in registers

Both factors lie along the sum, and the short axis is shorter than a vector. So lanes go along the sum, as for
a matrix times a vector, and every element of the long factor is read once for all results of its row. The
short factor is copied first where it lies across the sum. 4096 x 4096 times 2 columns: 5.3 ms of one thread,
38 with lanes along the rows, which a copy had to turn first.
"""

from __future__ import annotations

from ....graph.kernels.kernel import LOOP, UNROLL, Kernel, is_update, range_size
from ....graph.node import Node, own_ranges
from ....graph.ops import Op
from ....runtime.cpu.machine import host_registers
from ...moves.analysis import direct_loads, runs_along
from ...moves.moves import Bind, Pack, Split, operands, step

#: bytes of the sums that a fold along memory keeps for each result
SUMS = 128
#: bytes of the least registers
LEAST_BYTES = 16
#: registers for what is read
READ = 4
#: bytes of a short factor that is copied
MOST_COPIED = 128 * 1024
#: how much longer the other axis has to be
LONGER = 8
#: rows at once, which share what is loaded of the short factor, where every factor takes a load
MOST_ROWS = 4


def unroll_dots(kernel: Kernel, fold: Node) -> Kernel | None:
    """The kernel with the few results of each row in registers, or None for other sums of products."""
    last = own_ranges(fold)[-1]
    if last.src[0].op is Op.CONST and range_size(last) * fold.dtype.itemsize < SUMS:
        return None  # no row of it fills the sums
    if len(own_ranges(fold)) != 1 or any(r.arg.kind != LOOP for r in (*kernel.order, last)):
        return None
    if any(map(is_update, kernel.sink.src)):
        return None  # a store that may not happen is made one element at a time
    tiled = frozenset().union(*(n.ranges for n in kernel.nodes if n.op is Op.STAGE))
    for short, factors in ((r, operands(fold)) for r in kernel.order if r not in tiled):
        mine = [number for number, factor in enumerate(factors) if short in factor.ranges]
        if len(mine) != 1 or not 2 <= range_size(short) <= _most(fold):
            continue
        few, long = factors[mine[0]], factors[1 - mine[0]]
        rows = [r for r in kernel.order if r in long.ranges and r not in few.ranges]
        if not _runs(long, last) or not rows or range_size(rows[0]) < LONGER * range_size(short):
            continue
        across = not _runs(few, last)
        size = range_size(short) * range_size(last) * few.dtype.itemsize
        if across and (size > MOST_COPIED or few.ranges - {short, last}):
            continue
        if across and kernel.order[0] is short:  # the copy would be filled inside it
            continue
        if across:
            others = [r for r in kernel.order if r is not short]
            kernel = step(kernel, Pack(last.arg.number, mine[0], others[0].arg.number))
        kernel = step(kernel, Bind(short.arg.number, UNROLL))
        alone = host_registers().by_lane or rows[0] in tiled
        at_once = 1 if alone else min(_fitting(range_size(short)), MOST_ROWS)
        return step(kernel, Split(rows[0].arg.number, at_once, UNROLL)) if at_once > 1 else kernel
    return None


def _fitting(results: int) -> int:
    """Rows whose results fit the registers, a sum in one each."""
    return (host_registers().count - READ) // results


def _most(fold: Node) -> int:
    """Results that fit the registers, fewer than the lanes of one: with more, lanes go along them. Where a
    factor is broadcast as it is loaded, half the lanes are enough: 3333 x 777 times 12 columns 3,260 us of a
    Skylake by dot products, 1,700 in two vectors of eight."""
    registers = host_registers()
    lanes = max(registers.bytes // fold.dtype.itemsize, 1)
    if not registers.by_lane and registers.bytes > LEAST_BYTES:
        lanes //= 2
    return min(lanes - 1, (registers.count - READ) // max(SUMS // registers.bytes, 1))


def _runs(factor: Node, along: Node) -> bool:
    loads = direct_loads((factor,))
    return factor.op is Op.LOAD and all(runs_along(load, along) == "next" for load in loads)
