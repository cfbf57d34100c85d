"""Loops that a kernel follows in groups become two.

    p1[r1 // 8 * 900 + r4] * p2[r1 * 72 + r4]
    ->  p1[group * 900 + r4] * p2[(group * 8 + within) * 72 + r4]

A grouped convolution is a batch of products then, one for each group. So is a transposed one with padding,
whose groups begin before its results do: `uneven` ones reach over both ends, where nothing is stored.

    p0[r2] = add(p1[(r2 + 1) // 2 + r3] * p2[(r2 + 1) % 2 + r3])   for r2 < 4000
    ->  p0[g * 2 + w - 1] = add(p1[g + r3] * p2[w + r3]) if 0 < g * 2 + w < 4001   for g < 2001, w < 2"""

from __future__ import annotations

from dataclasses import replace

from ....graph.kernels.kernel import Kernel, loop, range_size
from ....graph.node import Node, make
from ....graph.ops import Op
from ....graph.rules.symbolic import affine, simplify


def in_groups(kernel: Kernel, uneven: bool = False) -> Kernel:
    """Loops that a factor follows in groups only, r // s, become two: one for the group, one within it. One
    that is run along, or that a tile keeps values over, is no loop to take apart."""
    if any(node.op in (Op.PREFIX, Op.STAGE) for node in kernel.sink.toposort()):
        return kernel
    for node in kernel.sink.toposort():
        found = _loop_of(kernel, node) if node.op is Op.IDIV else None
        if found is None:
            continue
        r, before, size = found
        if size == 1 or (
            (before or range_size(r) % size) and not (uneven and _alike(kernel, r, before, size))
        ):
            continue
        number, groups = kernel.next_axis(), -(-(before + range_size(r)) // size)
        group, within = loop(number, groups), loop(number + 1, size)
        sink = simplify(kernel.sink.substitute({r: group * size + within - before}))
        if before or range_size(r) % size:
            at = group * size + within
            sink = _only_inside(sink, group, within, (at >= before) & (at < before + range_size(r)))
        order = tuple(x for o in kernel.order for x in ((group, within) if o is r else (o,)))
        return in_groups(replace(kernel, sink=sink, order=order), uneven)
    return kernel


def _loop_of(kernel: Kernel, node: Node) -> tuple[Node, int, int] | None:
    """The loop r, the constant c below s, and s of (r + c) // s or (r + c) % s."""
    if node.op not in (Op.IDIV, Op.MOD) or node.src[1].op is not Op.CONST:
        return None
    terms, constant = affine(node.src[0])
    (r,) = terms if len(terms) == 1 else (None,)
    size = int(node.src[1].arg)
    if r is None or r not in kernel.order or terms[r] != 1 or size < 1:
        return None
    return r, constant % size, size


def _alike(kernel: Kernel, r: Node, before: int, size: int) -> bool:
    """Do all quotients of a loop agree about where its groups begin?"""
    found = [_loop_of(kernel, node) for node in kernel.sink.toposort()]
    return r.src[0].op is Op.CONST and all(x == (r, before, size) for x in found if x and x[0] is r)


def _only_inside(sink: Node, group: Node, within: Node, inside: Node) -> Node:
    """What follows both loops is read and stored where they are `inside` of the one they were."""
    both = {group, within}
    mapping: dict[Node, Node] = {}
    for node in sink.toposort():
        at = 2 if node.op is Op.LOAD else 3 if node.op is Op.STORE else 0
        if at and both <= node.src[1].ranges:
            src = [s.substitute(mapping) for s in node.src]
            src[at:] = [src[at] & inside if len(src) > at else inside]
            mapping[node] = make(node.op, node.dtype, tuple(src), node.arg)
    return simplify(sink.substitute(mapping))
