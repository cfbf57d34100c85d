"""Where a value lives: nowhere (computed by its reader), in a tile of fast memory at some loop, or in memory.

Every request for the node is known here (see draft.py), so one comparison of costs settles it:

    inline   its work, once per evaluation          cheap, or asked for once
    tile     its work once, and cache traffic       read again within one iteration of a loop, and the tile fits
    store    its work once, memory traffic, launch  anything else
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ..graph.kernel import range_size
from ..graph.node import Node
from ..graph.ops import MOVEMENT, Op
from .cost import Machine
from .draft import Request
from .movement import ZERO

#: a fold inside another fold's loop is kept only when it is this short; longer ones cannot be tiled well there
SHORT_FOLD = 64


@dataclass(frozen=True)
class Placement:
    """`how` is inline, tile or store; `reason` says why, for people; a tile lists its axes."""

    how: str
    reason: str = ""
    tile_axes: tuple[int, ...] = ()


INLINE = Placement("inline")

_ALWAYS_INLINE = MOVEMENT | {Op.BUFFER, Op.PARAM, Op.CONST, Op.IOTA, Op.GATHER}
_ALWAYS_STORED = {
    Op.CONTIGUOUS: "asked for",
    Op.COPY: "moves between devices",
    Op.SCAN: "a running reduction needs its axis in order",
    Op.SCATTER: "writes go where the index says",
}


def place(node: Node, requests: list[Request], cost: float, machine: Machine) -> Placement:
    """Decide for one node, given everyone who asks for it; `cost` is the work of one element."""
    if node.op in _ALWAYS_INLINE:
        return INLINE
    if node.op in _ALWAYS_STORED:
        return Placement("store", _ALWAYS_STORED[node.op])
    drafts = {r.draft for r in requests}
    evaluations = sum(_evaluations(node, r) for r in requests)
    work = node.size * cost
    inline = evaluations * cost * _penalty(node, requests, work, machine)
    if all(r.context.operand for r in requests) and len(drafts) == 1 and not _holds_fold(node):
        inline = min(inline, 2 * work)  # packing evaluates it about once
    store = work + node.size * node.dtype.itemsize * machine.memory_byte * 2 + machine.launch
    tile_axes = _tile_axes(node, requests, machine) if len(drafts) == 1 else None
    tile = work + 2 * node.size * node.dtype.itemsize * machine.tile_byte if tile_axes else float("inf")
    best = min(inline, tile, store)
    if best == inline:
        _accept(node, requests)
        return INLINE
    if best == tile:
        assert tile_axes is not None
        requests[0].draft.hold(_outer_of_tile(requests[0], tile_axes))
        return Placement("tile", "read again within the loop, and fits in cache", tile_axes)
    times = evaluations / max(node.size, 1)
    return Placement("store", f"needed {times:.3g} times per element by {len(drafts)} kernel(s), too costly to repeat")


def fold_free(node: Node, request: Request) -> frozenset[Node]:
    """The loops the fold of a REDUCE or TOPK depends on: not those that only choose among its k results."""
    if node.op is not Op.TOPK:
        return request.free
    axis = node.arg[1]
    parts = [i.ranges for position, i in enumerate(request.indices) if position != axis]
    if request.valid is not None:
        parts.append(request.valid.ranges)
    return frozenset().union(*parts)


def _evaluations(node: Node, request: Request) -> int:
    free = fold_free(node, request)
    times = request.context.evaluations(free, request.draft.fits(free & frozenset(request.context.outer)))
    return times * node.arg[0] if node.op is Op.TOPK else times


def _penalty(node: Node, requests: list[Request], work: float, machine: Machine) -> float:
    """What inlining a fold costs beyond its work: a nest that cannot be tiled, or too few iterations for the threads."""
    if node.op is not Op.REDUCE and node.op is not Op.TOPK:
        return 1.0
    penalty = 1.0
    length = node.src[0].size // max(node.size, 1)
    for request in requests:
        free = fold_free(node, request)
        if free & frozenset(request.context.inner):
            penalty = max(penalty, 1.0 if length <= SHORT_FOLD else 4.0)
        elif free != frozenset(request.context.outer):
            iterations = prod(range_size(r) for r in request.context.outer if r in free)
            if iterations < 2 * machine.threads and work > machine.launch:
                penalty = max(penalty, 2.0 * machine.threads)
    return penalty


def _accept(node: Node, requests: list[Request]) -> None:
    """An inlined fold outside some of the kernel's loops wants those it depends on first."""
    if node.op is not Op.REDUCE and node.op is not Op.TOPK:
        return
    for request in requests:
        free = fold_free(node, request)
        outer = frozenset(request.context.outer)
        if not free & frozenset(request.context.inner) and free & outer != outer and request.draft.fits(free & outer):
            request.draft.hold(free & outer)


def _tile_axes(node: Node, requests: list[Request], machine: Machine) -> tuple[int, ...] | None:
    """The axes of a tile that serves all requests, or None: the other axes must be the same outer loops in every request."""
    axes = []
    for axis, n in enumerate(node.shape):
        indices = {r.indices[axis] for r in requests}
        index = next(iter(indices))
        if len(indices) == 1 and not any(index.ranges & frozenset(r.context.inner) for r in requests):
            continue
        whole = all(i is ZERO or (i.op is Op.RANGE and range_size(i) == n) for i in indices)
        if not whole:
            return None
        axes.append(axis)
    if not axes or any(r.valid is not None for r in requests):
        return None
    if prod(node.shape[a] for a in axes) * node.dtype.itemsize > machine.tile_bytes:
        return None
    outer = _outer_of_tile(requests[0], tuple(axes))
    if not all(requests[0].draft.fits(outer) and _outer_of_tile(r, tuple(axes)) == outer for r in requests):
        return None
    return tuple(axes)


def _outer_of_tile(request: Request, axes: tuple[int, ...]) -> frozenset[Node]:
    return frozenset().union(*[i.ranges for axis, i in enumerate(request.indices) if axis not in axes])


def _holds_fold(node: Node) -> bool:
    """Is there a reduction below, before anything stored?"""
    return any(n.op is Op.REDUCE or n.op is Op.TOPK for n in node.toposort(lambda n: n.op is not Op.BUFFER))
