"""A kernel whose blocks sum a group of rows, and compute more from the group, as two kernels over a tile.

    y[32 g + j] = sum over k of W[32 g + j, k] * x[k]       first: over (g, j), to a memory
    q[g, j] = f(y[32 g], ..., y[32 g + 31])                 last: over (g, j), from that memory

`schedule.joining.epilogue` puts them together so that they are one launch; here they are taken apart again,
because each is best shaped for itself. Of the memory, the last of both kernels' parameters, a block has the
part that it writes and reads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, range_size
from ...graph.node import own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify


@dataclass(frozen=True)
class Ended:
    """`first` fills the memory in `slot`, `size` elements for each iteration of the outer loop; `last` reads
    it."""

    first: Kernel
    last: Kernel
    slot: int
    size: int


def ended_of(kernel: Kernel) -> Ended | None:
    """Both parts of a kernel that has an epilogue; None for any other."""
    tiles = [n for n in kernel.nodes if n.op is Op.STAGE]
    if len(kernel.order) != 2 or len(tiles) != 1 or tiles[0].arg.accumulates:
        return None
    (tile,), (group, place) = tiles, kernel.order
    own = own_ranges(tile)
    if len(own) != 1 or tile.src[1] is not own[0] or tile.ranges != {group}:
        return None
    size, slot = tile.arg.size, len(kernel.params)
    if range_size(own[0]) != size or range_size(place) != size:
        return None
    whole = range_size(group) * size
    memory, params = terms.param(slot, tile.dtype, whole), (*kernel.params, (tile.dtype, whole))
    store = terms.store(memory, group * size + own[0], tile.src[0])
    first = Kernel(terms.sink((store,)), (group, own[0]), params, (slot,))
    loads = {
        n: terms.load(memory, group * size + n.src[1], *n.src[2:])
        for n in kernel.nodes
        if n.op is Op.LOAD and n.src[0] is tile
    }
    last = replace(kernel, sink=simplify(kernel.sink.substitute(loads)), params=params)
    return Ended(first, last, slot, size)
