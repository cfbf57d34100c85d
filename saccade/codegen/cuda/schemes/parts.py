"""Loops of results that are parts of tiles become two: one over tiles, one over the parts.

    out[r] = where(r % 4 < 2, f(r // 4), g(r // 4))    for r < 14
    ->  out[q * 4 + a] = where(a < 2, f(q), g(q)) if q * 4 + a < 14    for q < 4, a < 4

So what a tile has in common is computed once, by the thread that has all of its parts (`part_axes`), also
where the last tile reaches beyond the results: what its other parts are is neither read nor stored."""

from __future__ import annotations

from dataclasses import replace
from math import gcd, prod
from typing import Final

from ....graph.kernels import kernel as terms
from ....graph.kernels.kernel import Kernel, loop, range_size
from ....graph.node import Node
from ....graph.ops import APART, NESTS, Op
from ....graph.rules.symbolic import simplify

#: parts of a tile, of all loops together, that are worth a loop of their own, and where several read the same
#: (numbers turned in pairs: 480 -> 256 instructions for each, most of them of sines); and of one loop at most
LEAST_PARTS: Final = 4
LEAST_OF_SHARED: Final = 2
MOST_ALONG: Final = 8


def with_parts_apart(kernel: Kernel) -> Kernel:
    """The kernel with every loop taken apart on whose digit alone it depends what is computed."""
    plain = all(store.op is Op.STORE and len(store.src) == 3 for store in kernel.sink.src)
    if not plain or any(n.op in NESTS for n in kernel.nodes):
        return kernel
    tiles = {r: size for r in kernel.order if (size := _tile_along(kernel, r)) is not None}
    if prod(tiles.values()) < (LEAST_OF_SHARED if _read_the_same(kernel) else LEAST_PARTS):
        return kernel
    for r, size in tiles.items():
        kernel = _apart(kernel, r, size)
    return kernel


def _read_the_same(kernel: Kernel) -> bool:
    """Do several parts read the same, as both parts of a product of complex numbers do?"""
    guarded = [n for n in kernel.nodes if n.op is Op.LOAD and len(n.src) == 3]
    return len({n.src[:2] for n in guarded}) < len(guarded)


def _tile_along(kernel: Kernel, r: Node) -> int | None:
    """The size of the tiles along a loop whose parts are chosen between by conditions on nothing else."""
    conditions = {n.src[0] for n in kernel.nodes if n.op is Op.WHERE and n.src[0].ranges == {r}}
    digits = {c.src[0] for c in conditions if c.op is Op.LT and c.src[1].op is Op.CONST}
    sizes = {d.src[1].arg for d in digits if d.op is Op.MOD and d.src[0] is r and d.src[1].op is Op.CONST}
    if r.src[0].op is not Op.CONST or len(sizes) != 1:
        return None
    (size,) = sizes
    return int(size) if 1 < size <= MOST_ALONG and len(conditions) >= size - 1 else None


def _apart(kernel: Kernel, r: Node, size: int) -> Kernel:
    """One loop over tiles of so many, and one over their parts; of parts that are there together, a third, so
    that they are stored as a vector."""
    number, count = kernel.next_axis(), range_size(r)
    lanes = gcd(size, count) if count % size else 1
    tile, group = loop(number, -(-count // size)), loop(number + 1, size // lanes)
    first = tile * size + group * lanes
    loops, place = [tile, group], first
    if lanes > 1:
        loops.append(loop(number + 2, lanes))
        place = first + loops[-1]
    order = tuple([x for o in kernel.order for x in (loops if o is r else (o,))])
    sink = simplify(kernel.sink.substitute({r: place}))
    if count % size:
        sink = _inside(sink, frozenset(loops[1:]), first < count)
    return replace(kernel, sink=simplify(sink), order=order)


def _inside(sink: Node, parts: frozenset[Node], there: Node) -> Node:
    """Elements beyond the end are not stored, nor is what only they are made of read."""
    loads = {}
    for node in sink.toposort():
        if node.op is Op.LOAD and parts & node.src[1].ranges:
            valid = node.src[2] & there if len(node.src) == 3 else there
            loads[node] = terms.load(node.src[0], node.src[1], valid)
    made = []
    for node in sink.substitute(loads).src:
        valid = node.src[3] & there if len(node.src) == 4 else there
        made.append(node.replace(src=(*node.src[:3], valid), arg=APART))
    return terms.sink(tuple(made))
