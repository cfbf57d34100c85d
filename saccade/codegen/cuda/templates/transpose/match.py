"""Maps that turn what they read: which kernels are one, and along which two loops.

    out[z, i, o] = value(in[z, o, i], ...)        loads run along i, the store along o

Whichever of the two neighbouring threads take, one side would be read or written in jumps. Such a kernel goes
by square tiles through shared memory, where jumps cost nothing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import prod

from .....graph.kernels.kernel import LOOP, Kernel, range_size
from .....graph.node import Node
from .....graph.ops import NESTS, Op
from .....graph.rules.symbolic import coefficient_of
from ....cpu.heuristic import merge_loops
from ....moves.analysis import lone_store

#: smaller maps are over before jumps matter
LEAST = 1 << 16
#: neighbours on each side that make a tile worth its barrier
LEAST_SIDE = 8
#: bytes of all tiles together for each element of one
MOST_BYTES = 8


@dataclass(frozen=True)
class Transpose:
    """A map whose `loads` run along `across`, while its store runs along `along`; `rest` are the other
    loops."""

    store: Node
    loads: tuple[Node, ...]
    along: Node
    across: Node
    rest: tuple[Node, ...]


def transpose_of(kernel: Kernel) -> Transpose | None:
    """The kernel as a map that turns what it reads, if it is one and large enough."""
    store = lone_store(kernel)
    if store is None:
        return None
    nodes = store.toposort()
    if any(n.op in NESTS or n.op is Op.PROJECT for n in nodes):
        return None
    if any(r.src[0].op is not Op.CONST or r.arg.kind != LOOP for r in nodes if r.op is Op.RANGE):
        return None
    if any(n.op is Op.LOAD and n.src[0] is store.src[0] for n in nodes):  # in place: blocks would race
        return None
    if prod(map(range_size, kernel.order)) < LEAST:
        return None
    kernel = merge_loops(kernel)
    store = kernel.sink.src[0]
    nodes = store.toposort()
    along = next((r for r in kernel.order if coefficient_of(store.src[1], r) == 1), None)
    if along is None or range_size(along) < LEAST_SIDE:
        return None
    loads = [n for n in nodes if n.op is Op.LOAD and along in n.ranges and n.src[0].op is Op.PARAM]
    loads = [n for n in loads if coefficient_of(n.src[1], along) not in (None, 0, 1)]
    sides = [r for r in kernel.order if r is not along and range_size(r) >= LEAST_SIDE]
    turned = {r: [n for n in loads if coefficient_of(n.src[1], r) == 1] for r in sides}
    across = max(sides, key=lambda r: (len(turned[r]), range_size(r)), default=None)
    if across is None or not turned[across]:
        return None
    rest = tuple(r for r in kernel.order if r is not along and r is not across)
    return Transpose(store, _that_fit(turned[across]), along, across, rest)


def _that_fit(loads: list[Node]) -> tuple[Node, ...]:
    """As many loads as tiles fit into shared memory; the others are read in jumps."""
    totals = accumulate(n.dtype.itemsize for n in loads)
    return tuple(n for n, total in zip(loads, totals, strict=True) if total <= MOST_BYTES)
