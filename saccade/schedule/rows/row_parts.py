"""Kernels that store parts of the same rows are one, which writes a row from its beginning to its end.

    out[200 i + j] = a[150 i + j]          j < 150      out[200 i + j] = a[150 i + j]         where j < 150
    out[200 i + 150 + j] = b[50 i + j]     j < 50       out[200 i + j] = b[50 i + j - 150]    where 150 <= j

A kernel for each part of a CAT leaves gaps as long as the other parts, and a processor that writes whole
lines without reading them first (write streaming) begins again behind every gap. The parts become sections of
the innermost loop: codegen shapes each for itself and runs them in turn, row by row (`codegen.cpu.sections`).
One thread of a Neoverse N1: 4,096 rows of 128 and 128 floats 465 -> 265 us, 20,000 of 24 and 24 410 -> 240,
1,001 of 777, 777 and 64 490 -> 410.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from math import prod

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.node import Node
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rules.sums import affine
from ..joining.bundle import section
from ..joining.join import joined
from ..joining.order import Placed

#: bytes of a part, all of a row taken together, that are worth a call, and of one beside which no gap matters
LEAST_BYTES, MOST_BYTES = 32, 1 << 15
#: parts of a row that are read at the same time
MOST_PARTS = 8


@rewrite_pass("write rows from end to end")
def whole_rows(kernels: list[Placed]) -> list[Placed]:
    """The same kernels, those that store neighbouring parts of the same rows as one."""
    made: list[Placed] = []
    for rows, group in groupby(kernels, key=_rows):
        parts = list(group)
        while rows is not None and parts:
            count = _neighbours(parts)
            made += [_in_one(parts[:count])] if _is_worth_it(parts[:count]) else parts[:count]
            del parts[:count]
        made += parts
    return made


def _rows(placed: Placed) -> tuple[Node, tuple[Node, ...], int] | None:
    """The memory that a map stores parts of rows to, the loops over rows, and how long a row is there; None
    for other kernels."""
    kernel, memories = placed
    if len(kernel.order) < 2 or len(kernel.sink.src) != 1 or kernel.asked:
        return None
    (store,), (*outer, column) = kernel.sink.src, kernel.order
    if any(r.src[0].op is not Op.CONST for r in kernel.order) or memories[0] in memories[1:]:
        return None
    if store.op is not Op.STORE or len(store.src) != 3 or store.arg is not None:
        return None
    if any(n.op in (Op.FOLD, Op.STAGE, Op.PREFIX) for n in kernel.nodes):
        return None
    size = kernel.params[0][0].itemsize
    if range_size(column) * size > MOST_BYTES or kernel.start % size:
        return None
    steps, _ = affine(store.src[1])
    pitch = steps.get(outer[-1], 0)
    lie = {column: 1}
    for number, r in enumerate(reversed(outer)):
        lie[r] = pitch * prod(map(range_size, outer[len(outer) - number :]))
    return (memories[0], tuple(outer), pitch) if steps == lie and pitch >= range_size(column) else None


def _start(kernel: Kernel) -> int:
    """Where in its row a part begins."""
    (store,) = kernel.sink.src
    return kernel.start // kernel.params[0][0].itemsize + affine(store.src[1])[1]


def _neighbours(parts: list[Placed]) -> int:
    """How many of the first ones are side by side."""
    count, (first, _) = 1, parts[0]
    end = _start(first) + range_size(first.order[-1])
    for kernel, _ in parts[1:MOST_PARTS]:
        if _start(kernel) != end:
            break
        count, end = count + 1, end + range_size(kernel.order[-1])
    return count


def _is_worth_it(parts: list[Placed]) -> bool:
    dtype, _ = parts[0][0].params[0]
    row = sum(range_size(kernel.order[-1]) for kernel, _ in parts)
    return len(parts) > 1 and row * dtype.itemsize >= LEAST_BYTES * len(parts)


def _in_one(parts: list[Placed]) -> Placed:
    """One kernel over whole rows, with a section of the innermost loop for each part."""
    (first, memories), (last, _) = parts[0], parts[-1]
    *outer, column = first.order
    row = loop(column.arg.number, _start(last) + range_size(last.order[-1]) - _start(first))
    made = []
    for kernel, own in parts:
        start = _start(kernel) - _start(first)
        whole = _in_all_of(kernel, memories[0].size)
        made.append((section(whole, row, start, range_size(kernel.order[-1]), tuple(outer)), own))
    return joined(*made)


def _in_all_of(kernel: Kernel, size: int) -> Kernel:
    """A kernel that stores at its places in all of a memory, of so many elements."""
    (store,), (dtype, _) = kernel.sink.src, kernel.params[0]
    memory = terms.param(0, dtype, size)
    stored = terms.store(memory, store.src[1] + kernel.start // dtype.itemsize, store.src[2])
    return replace(kernel, sink=terms.sink((stored,)), params=((dtype, size), *kernel.params[1:]), start=0)
