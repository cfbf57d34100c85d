"""Loops for the threads of a pool: the outermost are merged until there is enough for all, and bound.

for i in 3: for j in 400: ...    ->    parallel for ij in 1200: ...
"""

from __future__ import annotations

from ...graph.kernels.kernel import PARALLEL, Kernel, range_size
from ...graph.node import Node
from ...graph.ops import Op
from ...runtime.config import settings
from ...runtime.cpu.machine import PIECES_PER_THREAD
from ..moves.analysis import work
from ..moves.moves import Bind, Merge, step
from ..moves.ordered import sequential_axes
from ..moves.ragged import ends_at_count

#: below this many instructions a kernel is not worth waking another thread
SMALL = 30_000
#: iterations that are enough for any number of threads; merged loops cost divisions in each
MOST_PIECES = 64
#: rows of different lengths a thread should have, for all threads to end at about the same time
ROWS_EACH = 4


def parallelise(kernel: Kernel) -> Kernel:
    """Merge leading loops until there are enough iterations, and give them to the threads."""
    fixed = sequential_axes(kernel)
    loops = kernel.loops
    if not loops or loops[0] in fixed or work(kernel) < SMALL or _accumulates_outside(kernel):
        return kernel
    enough = min(MOST_PIECES, PIECES_PER_THREAD * settings.threads)
    while range_size(kernel.order[0]) < enough and len(kernel.loops) > 1:
        a, b = kernel.order[0], kernel.order[1]
        if b in fixed or _holds_a_nest(kernel, a, b) or _leaves_out(kernel, a, b):
            break
        merged = step(kernel, Merge(a.arg.number, b.arg.number))
        if merged.order[0] in sequential_axes(merged):
            break
        kernel = merged
    return step(kernel, Bind(kernel.order[0].arg.number, PARALLEL))


def _accumulates_outside(kernel: Kernel) -> bool:
    """Is a tile filled before all loops? Every thread would fill it."""
    return any(n.op is Op.STAGE and n.arg.accumulates and not n.ranges for n in kernel.nodes)


def _leaves_out(kernel: Kernel, a: Node, b: Node) -> bool:
    """Is it a map with enough rows for the threads, whose inner loop ends at what there is of each?"""
    nested = any(n.op in (Op.FOLD, Op.STAGE) for n in kernel.nodes)
    inner = not nested and kernel.loops[-1] is b
    return inner and range_size(a) >= ROWS_EACH * settings.threads and ends_at_count(kernel, b)


def _holds_a_nest(kernel: Kernel, a: Node, b: Node) -> bool:
    """Is there a fold or a tile that belongs between the two loops? Merging them would repeat it."""
    return any(n.op in (Op.FOLD, Op.STAGE) and a in n.ranges and b not in n.ranges for n in kernel.nodes)
