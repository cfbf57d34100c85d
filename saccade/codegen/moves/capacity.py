"""A kernel for every length is shaped like the one for its capacity.

    out[i * n + j] = x[i * n + j]   where j < n,  j < 128     shaped like   out[i * 128 + j] = x[i * 128 + j]

In the second there are no conditions, and rows lie at known distances: it is the kernel of a program that
knows its length, and moves are made for it. They are data, so the first gets the same. Lowering does what
is left: loops end at the length, and edges are stored under a mask (`linear.ends`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...graph.kernels.kernel import Kernel
from ...graph.kernels.masks import without_masks
from ...graph.node import Node, const
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify

#: elements between the rows of a map when moves are made
GAP: Final = 64


def lengths_in(kernel: Kernel) -> list[Node]:
    """The lengths that a kernel is given."""
    return [n for n in kernel.nodes if n.op is Op.VALUE and n.arg.length]


def moved_like(kernel: Kernel) -> Kernel:
    """The kernel whose moves a kernel gets: of lengths at their most, without masks; itself where it has
    neither."""
    return at_capacity(kernel) if lengths_in(kernel) else without_masks(kernel)


def at_capacity(kernel: Kernel) -> Kernel:
    """The kernel where every length is as large as it can be. Rows of a map lie a little further apart than
    that: loops over them and along them are not one, as they are not in the kernel itself."""
    most = {n: const(n.arg.high, n.dtype) for n in lengths_in(kernel)}
    tests = [n for n in kernel.nodes if n.op is Op.LT and not most.keys().isdisjoint(n.toposort())]
    sink = kernel.sink.substitute({test: test.substitute(most) for test in tests})
    gap = 0 if any(n.op is Op.FOLD for n in kernel.nodes) else GAP
    apart = {n: const(n.arg.high + gap, n.dtype) for n in most}
    return replace(kernel, sink=simplify(sink.substitute(apart)))
