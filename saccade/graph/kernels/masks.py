"""Products that a mask leaves parts of out: shaped as if it did not, with loops that end where it does.

    add(where(j < i + 1, a[i, j] * b[j, n], 0) over j)      a triangle of a: weights of causal attention
    c[i, j] = where(j < i + 1, add(...), anything)          a triangle of results

In: a kernel with such masks (`schedule.softmax.masked`). Moves are made for the kernel without them and
replayed on it, as for lengths (`capacity.py`); lowering ends the loops (`linear.triangles`).
"""

from __future__ import annotations

from dataclasses import replace

from .. import dtypes
from ..constants import is_anything
from ..monoid import ADD
from ..node import Node, is_const
from ..ops import Op
from .kernel import Kernel


def is_mask(test: Node) -> bool:
    """Does it compare loops with loops?"""
    return (
        test.op is Op.LT
        and test.src[0].dtype is dtypes.index
        and len(test.ranges) > 1
        and not any(n.op in (Op.LOAD, Op.VALUE) for n in test.toposort())
    )


def below_mask(body: Node) -> Node:
    """A product that is added up where a mask holds."""
    if body.op is Op.WHERE and body.src[1].op is Op.MUL and is_const(body.src[2], 0) and is_mask(body.src[0]):
        return body.src[1]
    return body


def masks_of(kernel: Kernel) -> dict[Node, Node]:
    """What masks leave parts of out, by what they are without: folds that sum products, stored values."""
    found = {}
    for node in kernel.nodes:
        if node.op is Op.FOLD and node.arg == ADD and below_mask(node.src[0]) is not node.src[0]:
            found[node] = node.replace(src=(below_mask(node.src[0]), *node.src[1:]))
    for store in kernel.sink.src:
        value = store.src[2] if store.op is Op.STORE else store
        if value.op is Op.WHERE and is_anything(value.src[2]) and is_mask(value.src[0]):
            found[value] = value.src[1]
    return found


def without_masks(kernel: Kernel) -> Kernel:
    """The kernel with nothing left out."""
    found = masks_of(kernel)
    return replace(kernel, sink=kernel.sink.substitute(found)) if found else kernel
