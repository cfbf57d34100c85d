"""Reductions down long columns: a thread takes many neighbouring columns at once.

    out[j] = FOLD(add, a[k, j], k)  over j    ->    512 columns side by side, two rows at a time

Walking down a few columns of a large matrix touches another page of memory at every step, and the tables that
find pages hold only so many. So a step goes along a row as far as there are threads to share the columns; the
accumulators that do not fit in registers are in the nearest cache. A vector times a matrix of 4096 x 4096:
10.6 ms of processor time instead of 20.4.
"""

from __future__ import annotations

from math import prod

from ...graph.kernel import LOOP, UNROLL, VECTOR, Kernel, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import TRANSCENDENTAL, Op
from ...graph.symbolic import coefficient_of
from ...runtime.config import settings
from .analysis import direct_loads
from .moves import Split, step

#: vectors of columns that a thread takes, the most first, and their lanes
WIDTHS, LANES = (32, 16, 8, 4), 16
#: rows at a time
ROWS = 2
#: the least distance of two rows, and the least memory that columns are wide for
ROW_BYTES, LEAST_BYTES = 2048, 1 << 21
#: pieces of work that every thread should find
PIECES = 4


def widen_columns(kernel: Kernel) -> Kernel:
    """The kernel with its last loop in wide steps, if it is one reduction down columns."""
    folds = [n for n in kernel.nodes if n.op is Op.FOLD]
    if len(folds) != 1 or not kernel.order or any(len(s.src) != 3 for s in kernel.sink.src):
        return kernel
    (fold,), last = folds, kernel.order[-1]
    own = own_ranges(fold)
    loops = (*kernel.order, *own)
    if len(own) != 1 or fold.arg.width > 1 or any(r.src[0].op is not Op.CONST for r in loops):
        return kernel
    if any(r.arg.kind != LOOP for r in loops) or not _runs_down(fold, own[0], last):
        return kernel
    if any(n.op in TRANSCENDENTAL or n.op is Op.STAGE for n in kernel.nodes):
        return kernel
    total = prod(map(range_size, kernel.order))
    for width in WIDTHS:
        step_size = width * LANES
        if range_size(last) % step_size == 0 and total // step_size >= PIECES * settings.threads:
            kernel = step(kernel, Split(last.arg.number, step_size, UNROLL))
            kernel = step(kernel, Split(kernel.order[-1].arg.number, LANES, VECTOR))
            rows = own[0]
            return kernel if range_size(rows) % ROWS else step(kernel, Split(rows.arg.number, ROWS, UNROLL))
    return kernel


def _runs_down(fold: Node, down: Node, along: Node) -> bool:
    """Are columns neighbours in memory and rows far apart, in all that changes with both, in 32 bits?"""
    loads = [n for n in direct_loads(fold.src[:1]) if n.src[0].op is Op.PARAM]
    both = [n for n in loads if down in n.ranges and along in n.ranges]
    if not both or any(len(n.src) != 2 or n.dtype.itemsize != 4 for n in both):
        return False
    for load in both:
        stride = coefficient_of(load.src[1], down)
        if coefficient_of(load.src[1], along) != 1 or stride is None or stride * 4 < ROW_BYTES:
            return False
        if stride * 4 * range_size(down) < LEAST_BYTES:
            return False
    return all(load in both or along not in load.ranges for load in loads)
