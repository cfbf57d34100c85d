"""Buffers that pass through a kernel once and that no cache would keep: their accesses say so.

    y = f(x)        of 268 MB each: both are streamed
    y = x + bias    of 268 MB and 32 KB: x and y are, the bias is read again and again

A map that moves more than a GPU's second cache holds finds nothing there that it left, and leaves nothing
that whoever comes next could use before it is gone. Marked as leaving first, its lines do not push each
other out, and what is written goes to memory in longer runs. What fits stays as it is: it is read from
the cache by the next kernel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..graph.kernel import Kernel, range_size
from ..graph.node import Node
from ..graph.ops import Op

#: bytes of such buffers from which they are streamed: more than the second cache of any card holds
STREAMED_BYTES: Final = 128 << 20
_AGAIN: Final = frozenset({Op.FOLD, Op.PREFIX, Op.STAGE, Op.SORT})


def streamed(kernel: Kernel) -> frozenset[int]:
    """The slots of a kernel's streamed buffers."""
    accesses: dict[int, list[Node]] = {}
    for node in kernel.nodes:
        if node.op in _AGAIN:
            return frozenset()
        if node.op in (Op.LOAD, Op.STORE):
            accesses.setdefault(node.src[0].arg.slot, []).append(node)
    loops = {r for r in kernel.order if range_size(r) > 1}
    once = {slot for slot, found in accesses.items() if len(found) == 1 and loops <= found[0].src[1].ranges}
    return frozenset(once) if _nbytes(kernel, once) >= STREAMED_BYTES else frozenset()


def is_large(kernel: Kernel) -> bool:
    """Whether a kernel's buffers are together more than a GPU's second cache holds."""
    return _nbytes(kernel, range(len(kernel.params))) >= STREAMED_BYTES


def _nbytes(kernel: Kernel, slots: Iterable[int]) -> int:
    return sum(kernel.params[slot][0].itemsize * kernel.params[slot][1] for slot in slots)
