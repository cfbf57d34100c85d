"""What a kernel asks the second cache for before it waits for the kernel in front of it.

    y = w @ x       x is what the kernel before writes, and w has been there: its lines can be on their way

From Hopper on, blocks of a kernel begin while the one before it ends (programmatic dependent launch, see
`runtime.cuda.plan`), and wait in their first line. The time of that wait is enough to bring a few megabytes
from memory. To prefetch a line into the second cache reads no value, so it is right whatever is written to
that line meanwhile, and nobody has to know who writes what. Blocks ask for their share of matrices that are
read once by the whole grid.
"""

from __future__ import annotations

from math import prod
from typing import Final

from ...graph.kernel import Kernel, range_size
from ...graph.node import Node
from ...graph.ops import Op

#: bytes of a buffer that is worth asking for, and bytes of a block's share that are on their way in time
LEAST_BYTES: Final = 64 << 10
MOST_SHARE: Final = 64 << 10


def fetched_ahead(kernel: Kernel, grid: int) -> tuple[tuple[int, int], ...]:
    """Slots of buffers that a grid of so many blocks reads once, row after row, and the bytes of a block."""
    loads: dict[int, list[Node]] = {}
    stored = {s.src[0].arg.slot for s in kernel.sink.src if s.op is Op.STORE}
    for node in kernel.nodes:
        if node.op is Op.LOAD and node.src[0].op is Op.PARAM:
            loads.setdefault(node.src[0].arg.slot, []).append(node)
    if grid < 2 or not any(n.op is Op.FOLD for n in kernel.nodes):
        return ()
    found = []
    for slot, nodes in sorted(loads.items()):
        dtype, size = kernel.params[slot]
        share = size * dtype.itemsize // grid
        once = all(len(n.src) == 2 and prod(map(range_size, n.ranges)) == size for n in nodes)
        if slot not in stored and once and grid * share >= LEAST_BYTES and 0 < share <= MOST_SHARE:
            found.append((slot, share))
    return tuple(found)
