"""Copies of rows that lie in one piece: the machine's own `memcpy` for each.

    for i in 1001: out[i * 1618 + j] = x[i * 777 + j] for j in 777     ->     memcpy(row of out, row of x)

It knows best how this processor moves bytes: aligned, and wide. Two matrices of 1001 x 777 beside each other
take 457 us of a Neoverse N1, and 470 in vectors; 550 when vectors were not stored in the order of memory.
"""

from __future__ import annotations

from math import prod
from typing import Final

from ...graph.kernels.kernel import LOOP, Kernel, range_size
from ...graph.node import Node
from ...graph.ops import Op
from ...graph.rules.symbolic import coefficient_of
from ..moves.moves import is_in_place

#: bytes of a row that are worth a call, and rows that are enough for all threads
LEAST_BYTES: Final = 512
LEAST_ROWS: Final = 64


def copied_rows(kernel: Kernel) -> tuple[Node, Node] | None:
    """The store of a kernel and its innermost loop, if that loop copies a row and does nothing else."""
    if len(kernel.order) < 2 or len(kernel.sink.src) != 1:
        return None
    (store,), (*outer, row) = kernel.sink.src, kernel.order
    if store.op is not Op.STORE or len(store.src) != 3 or row.arg.kind != LOOP or is_in_place(kernel):
        return None
    load = store.src[2]
    if load.op is not Op.LOAD or len(load.src) != 2 or load.src[0].op is not Op.PARAM:
        return None
    sized = all(r.src[0].op is Op.CONST for r in kernel.order)
    if not sized or any(coefficient_of(access.src[1], row) != 1 for access in (store, load)):
        return None
    long = range_size(row) * load.dtype.itemsize >= LEAST_BYTES
    return (store, row) if long and prod(map(range_size, outer)) >= LEAST_ROWS else None
