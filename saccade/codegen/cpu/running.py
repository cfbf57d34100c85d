"""Running reductions of several rows at once: an element waits for the one before it, other rows do not.

for i < 333: for j < 1777: total += x[i, j]           an addition every four cycles
for i < 84: for j < 1777: total[0:4] += x[4 i + 0:4, j]
"""

from __future__ import annotations

from ...graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, range_size
from ...graph.node import is_const
from ...graph.ops import Op
from ...runtime.config import settings
from ..moves.analysis import is_in_place
from ..moves.moves import Bind, Split, step_if_legal
from ..moves.ordered import sequential_axes

#: rows that run together: they hide an addition's latency, and of no more that are a power of two apart the
#: first cache keeps what is read and written
ROWS = 4


def run_rows_together(kernel: Kernel) -> Kernel:
    """Unroll the innermost loop over rows whose running reductions are made one element at a time."""
    nests = any(n.op in (Op.FOLD, Op.STAGE) for n in kernel.nodes)
    running = any(n.op is Op.PREFIX for n in kernel.nodes)
    if not running or nests or any(r.arg.kind == VECTOR for r in kernel.order):
        return kernel
    ordered = sequential_axes(kernel)
    rows = next((r for r in reversed(kernel.order) if r.arg.kind == LOOP and r not in ordered), None)
    if rows is None or not is_const(rows.src[0]):
        return kernel
    n = range_size(rows)
    together = min(ROWS, n // settings.threads)
    if together < 2 or (n % together and is_in_place(kernel)):
        return kernel
    move = Split(rows.arg.number, together, UNROLL) if together < n else Bind(rows.arg.number, UNROLL)
    return step_if_legal(kernel, move)
