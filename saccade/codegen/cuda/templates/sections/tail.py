"""A map whose elements are no multiple of a vector: what is left over is a section of its own.

    y[r] = f(x[r])   for r < 1001      ->      r < 1000, four at a time, and r = 1000

Without it no thread has a vector: each loads 4 bytes at a time.
"""

from __future__ import annotations

from math import prod
from typing import Final

from .....graph.kernels.kernel import Kernel, loop, range_size, sink, store
from .....graph.node import index_const
from .....graph.ops import NESTS, Op
from .....graph.rules.symbolic import simplify
from ....moves.sections import Section, sections_of
from ...schemes.layout import digits

#: elements from which on vectors matter
LEAST: Final = 1 << 20


def whole_and_tail(kernel: Kernel) -> list[Section]:
    """Both sections of a map from memory to memory, element by element; [] for any other kernel."""
    stores = kernel.sink.src
    if not kernel.order or kernel.start % 16 or any(r.src[0].op is not Op.CONST for r in kernel.order):
        return []
    total = prod(map(range_size, kernel.order))
    width = 16 // min(s.src[0].dtype.itemsize for s in stores)
    plain = all(s.op is Op.STORE and len(s.src) == 3 and s.arg is None for s in stores)
    if total < LEAST or total % width == 0 or not plain or any(n.op in NESTS for n in kernel.nodes):
        return []
    r, cut = loop(kernel.next_axis(), total), total - total % width
    flat = simplify(kernel.sink.substitute(digits(kernel.order, r)))
    if not all(n.src[1] is r or r not in n.ranges for n in flat.toposort() if n.op in (Op.LOAD, Op.STORE)):
        return []
    parts = (r < cut, index_const(cut - 1) < r)
    made = [store(memory, r, value, part) for memory, _, value in (s.src for s in flat.src) for part in parts]
    return sections_of(Kernel(sink(tuple(made)), (r,), kernel.params, kernel.outputs))
