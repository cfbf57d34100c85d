"""What a kernel asks the second cache for before it waits for the kernel in front of it.

    y = w @ x       x is what the kernel before writes, and w has been there: its lines can be on their way

From Hopper on, blocks of a kernel begin while the one before it ends (programmatic dependent launch, see
`runtime.cuda.plan`), and wait in their first line. The time of that wait is enough to bring a few megabytes
from memory. To prefetch a line into the second cache reads no value, so it is right whatever is written to
that line meanwhile, and nobody has to know who writes what. Blocks ask for their share of matrices that are
read once by the whole grid.
"""

from __future__ import annotations

from math import inf, prod
from typing import Final

from ...graph.kernels.kernel import Kernel, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from .prelude import ahead_line
from .renderer import address

#: bytes of a buffer that is worth asking for, and bytes of a block's share that are on their way in time
LEAST_BYTES: Final = 64 << 10
MOST_SHARE: Final = 64 << 10
#: bytes of a kernel that takes no longer than the wait: a larger one is bound by memory, and what it asks for
#: twice is in the way (8B in bfloat16: 3.43 -> 3.09 TB/s on an H200, where 135M gained a sixth)
MOST_TOTAL: Final = 8 << 20
#: neighbours that one element of a buffer is for, as a scale is for a block of weights
SHARED: Final = 256
#: bytes of all that a product asks for at once: what the second cache holds beside other things
MOST_BYTES: Final = 36 << 20


def read_once(kernel: Kernel) -> tuple[int, ...]:
    """Slots of the matrices of a kernel that multiplies them with vectors, and reads each of them once."""
    loads: dict[int, list[Node]] = {}
    stored = {s.src[0].arg.slot for s in kernel.sink.src if s.op is Op.STORE}
    for node in kernel.nodes:
        if node.op is Op.LOAD and node.src[0].op is Op.PARAM:
            loads.setdefault(node.src[0].arg.slot, []).append(node)
    found = []
    for slot in sorted(_matrices(kernel) - stored):
        dtype, size = kernel.params[slot]
        times = [prod(map(range_size, n.ranges)) / size for n in loads[slot]]
        # a word that several neighbours share is read once, too
        once = all(len(n.src) == 2 and 1 <= t <= SHARED for n, t in zip(loads[slot], times, strict=True))
        if once and size * dtype.itemsize >= LEAST_BYTES:
            found.append(slot)
    return tuple(found)


def _matrices(kernel: Kernel) -> set[int]:
    """Slots of what sums read for each of their results, where they read something else for all of them."""
    found: set[int] = set()
    for node in kernel.nodes:
        if node.op is not Op.FOLD or node.arg != ADD or not node.ranges:
            continue
        inside = [n for n in node.src[0].toposort() if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
        own = set(own_ranges(node))
        if any(n.ranges & own and not node.ranges <= n.ranges for n in inside):
            found |= {n.src[0].arg.slot for n in inside if n.ranges & own and n.ranges & node.ranges}
    return found


def fetched_ahead(
    kernel: Kernel, grid: int, most: int = MOST_SHARE, total: float = MOST_TOTAL
) -> tuple[tuple[int, int], ...]:
    """Slots of buffers that a grid of so many blocks reads once, row after row, and the bytes of a block,
    where they are no more than `most`, and no more than `total` for all blocks."""
    sizes = {slot: kernel.params[slot][1] * kernel.params[slot][0].itemsize for slot in read_once(kernel)}
    shares = [(slot, nbytes // grid) for slot, nbytes in sizes.items()]
    if grid < 2 or sum(sizes.values()) > total:
        return ()
    return tuple((slot, share) for slot, share in shares if 0 < share <= most)


def ahead_lines(kernel: Kernel, grid: int) -> tuple[str, ...]:
    """What blocks of a product that computes a factor ask for. They have what they load next in registers,
    one step ahead: too little for the latency of memory, and enough for that of the second cache."""
    found = fetched_ahead(kernel, grid, MOST_BYTES // grid, inf)
    large = max((share for _, share in found), default=0) // 2
    found = tuple(one for one in found if one[1] >= large)
    return tuple(ahead_line(address(slot), "blockIdx.x", share) for slot, share in found)
