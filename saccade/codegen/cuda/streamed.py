"""Buffers that pass through a kernel once and that no cache would keep: their loads say so.

    y = f(x)        of 268 MB each: both pass
    y = x + bias    of 268 MB and 32 KB: x and y do, the bias is read again and again

A kernel that moves more than a GPU's second cache holds finds nothing there that it left. What matters is in
which runs the memory reads and writes: where that cache keeps what was read longer than what was written,
results go to memory sooner and in longer runs (layer norm of 1 GB on an H200: 518 -> 502 us; the other way
round, with loads that leave first, 538). The rule would outlive the kernel and take room from the next ones
(a map of 32 MB in the cache: 7.8 -> 9.4 us), so the last blocks, with what the cache holds at the end, put
their lines back among the others. What fits the cache stays as it is: the next kernel reads it there. Where
little is written there are no such runs, and what is read is loaded as usual. So it is beside a large buffer
at places that are looked up: its lines should stay, which a gather or an update meets again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...graph.kernels.kernel import Kernel, range_size
from ...graph.node import Node
from ...graph.ops import NESTS, Op

#: bytes of such buffers from which they are streamed: more than the second cache of any card holds
STREAMED_BYTES: Final = 128 << 20
#: the least of one that counts, where a row stays in registers: others are read with every row
LARGE_BYTES: Final = 32 << 20
#: times what is written that is read at most, for the order of the two to matter
MOSTLY_READ: Final = 4
#: bytes of loads, the last ones, that release their lines: no less than the second cache holds
RELEASED_BYTES: Final = 64 << 20


def streamed(kernel: Kernel) -> frozenset[int]:
    """The slots of a kernel's streamed buffers."""
    accesses: dict[int, list[Node]] = {}
    for node in kernel.nodes:
        if node.op in NESTS:
            return frozenset()
        if node.op in (Op.LOAD, Op.STORE):
            slot = node.src[0].arg.slot
            if _is_looked_up(node) and _nbytes(kernel, (slot,)) >= LARGE_BYTES:
                return frozenset()
            accesses.setdefault(slot, []).append(node)
    loops = {r for r in kernel.order if range_size(r) > 1}
    once = {slot for slot, found in accesses.items() if len(found) == 1 and loops <= found[0].src[1].ranges}
    return frozenset(once) if _nbytes(kernel, once) >= STREAMED_BYTES else frozenset()


def _is_looked_up(access: Node) -> bool:
    """Is its place read from memory?"""
    return any(n.op is Op.LOAD for n in access.src[1].toposort())


def large_buffers(kernel: Kernel) -> frozenset[int]:
    """The slots of buffers that are no small part of what a cache holds; none where little is written."""
    large = frozenset(s for s in range(len(kernel.params)) if _nbytes(kernel, (s,)) >= LARGE_BYTES)
    written = _nbytes(kernel, large & set(kernel.outputs))
    return large if written * MOSTLY_READ >= _nbytes(kernel, large) else frozenset()


def last_blocks(kernel: Kernel, slots: frozenset[int], grid: int) -> int:
    """How many of the last blocks of a grid release what they read of these buffers."""
    return min(grid, -(-grid * RELEASED_BYTES // max(_nbytes(kernel, slots), 1)))


def is_large(kernel: Kernel) -> bool:
    """Whether a kernel's buffers are together more than a GPU's second cache holds."""
    return _nbytes(kernel, range(len(kernel.params))) >= STREAMED_BYTES


def _nbytes(kernel: Kernel, slots: Iterable[int]) -> int:
    return sum(kernel.params[slot][0].itemsize * kernel.params[slot][1] for slot in slots)
