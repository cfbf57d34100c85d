"""What it costs that the loops of a kernel go down columns: a few side by side, all rows, then the next.

    for j: { m = mean of x[:, j];  for i: out[i, j] = x[i, j] - m }

A reduction that is computed outside of the loop over rows wants that, and a tile of columns does. Memory is
read and written a line here and a line there, unless a near cache holds all rows of a few columns.
"""

from __future__ import annotations

from math import prod
from typing import Final

from ....graph.kernels.kernel import range_size
from ....graph.node import Node
from ....graph.ops import Op
from ...cost import Machine
from ..draft import Draft, Request, fold_free
from .in_blocks import CACHE_BYTES
from .region import Region

#: what it costs more to read and write a large matrix a few columns at a time, as a share: x - x.mean(0) of
#: 10,007 x 129 took 2.7 ms, and 1.4 along rows with the means stored; softmax 5.7 and 3.3
DOWN: Final = 1.0
#: a reduction shorter than this is the work of one thread on a GPU
SHORTEST: Final = 32
#: bytes of memory that a lane of a GPU has for itself where its neighbours are far off, and rows from which
#: on each is the work of a thread, whose neighbours are at hand: a gate of 7 x 7 for 256 channels at 64 x 14
#: x 14 places took 69 us by teams, on an H200
SECTOR, A_THREAD_EACH = 32, 1 << 16


def down_columns(node: Node, requests: list[Request], machine: Machine) -> float:
    """What else it costs to use a reduction as it comes, where its loops leave those of the kernel to go down
    a few columns after the other of a matrix that no near cache holds, or on a GPU that of its lanes each has
    a sector of memory for itself. As a kernel of its own it would leave it the rows."""
    if node.op is not Op.REDUCE and node.op is not Op.TOPK:
        return 0.0
    cost = 0.0
    each = dict.fromkeys((r.draft, r.context.outer, fold_free(node, r)) for r in requests)
    for draft, outer, free in each:
        if not outer or outer != draft.outer or outer[-1] not in free:
            continue
        rows = prod(range_size(r) for r in outer if r not in free)
        elements = prod(map(range_size, outer))
        if machine.is_gpu:
            if rows > 1 and elements // rows < A_THREAD_EACH and node.src[0].size >= SHORTEST * node.size:
                cost += elements * SECTOR * machine.memory_byte
            continue
        nbytes = elements * draft.node.dtype.itemsize
        if rows > 1 and rows * range_size(outer[-1]) * draft.node.dtype.itemsize >= 2 * CACHE_BYTES:
            cost += DOWN * nbytes * machine.memory_byte
    return cost


def turned(region: Region, draft: Draft, machine: Machine) -> float:
    """What else a tile costs whose loops go in front of those over rows: the kernel reads and writes a few
    columns after the other."""
    order = draft.loop_order()
    if region.held.issuperset(order) or order[-1] not in region.held:
        return 0.0
    return 2 * DOWN * prod(map(range_size, order)) * draft.node.dtype.itemsize * machine.memory_byte
