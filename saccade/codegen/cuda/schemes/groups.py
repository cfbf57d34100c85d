"""Loops that a kernel follows in groups become two.

    p1[r1 // 8 * 900 + r4] * p2[r1 * 72 + r4]
    ->  p1[group * 900 + r4] * p2[(group * 8 + within) * 72 + r4]

A grouped convolution is a batch of products then, one for each group."""

from __future__ import annotations

from dataclasses import replace

from ....graph.kernels.kernel import Kernel, loop, range_size
from ....graph.ops import Op
from ....graph.rules.symbolic import simplify


def in_groups(kernel: Kernel) -> Kernel:
    """Loops that a factor follows in groups only, r // s, become two: one for the group, one within it. One
    that is run along, or that a tile keeps values over, is no loop to take apart."""
    if any(node.op in (Op.PREFIX, Op.STAGE) for node in kernel.sink.toposort()):
        return kernel
    for node in kernel.sink.toposort():
        if node.op is Op.IDIV and node.src[0] in kernel.order and node.src[1].op is Op.CONST:
            r, size = node.src[0], int(node.src[1].arg)
            if size <= 1 or range_size(r) % size:
                continue
            number = kernel.next_axis()
            group, within = loop(number, range_size(r) // size), loop(number + 1, size)
            sink = simplify(kernel.sink.substitute({r: group * size + within}))
            order = tuple(x for o in kernel.order for x in ((group, within) if o is r else (o,)))
            return in_groups(replace(kernel, sink=sink, order=order))
    return kernel
