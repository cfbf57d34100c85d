"""Lines of the cache that warps touch, counted without a card: loads whose neighbours are not neighbours.

    line_seconds(kernel)      # 1.2e-4: each of 32 lanes reads a row of its own

A warp's load takes the first cache (L1) a turn for every line of 128 bytes that its lanes read. Where lanes
lie side by side that is one line or four; where each has a row of its own it is 32, and the cache is busy
long after memory would be done. Counted are the loads of kernels that are written from their loops, at places
that are arithmetic: lane by lane for the first warp, times how often a warp does it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

from saccade.codegen.cuda.search.moves import Card
from saccade.codegen.cuda.source import shapes_of
from saccade.codegen.linear.gpu.code import TEAM, THREAD, WARP
from saccade.graph.kernels.kernel import UNROLL, VECTOR, Kernel, range_size
from saccade.graph.node import Node
from saccade.graph.ops import Op

LINE: Final = 128
#: bytes of a thread's widest load
WIDEST: Final = 16
#: lines that one processor's cache gives a second: one a cycle
LINES: Final = 1.7e9

_ARITHMETIC: Final[dict[Op, Callable[..., int]]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.IDIV: lambda a, b: a // b,
    Op.MOD: lambda a, b: a % b,
    Op.MAX: max,
    Op.MIN: min,
}


def line_seconds(kernel: Kernel) -> float:
    """How long the caches of a full card give out the lines that a kernel's loads touch."""
    lines = sum(
        lines_of(load)
        for shape in shapes_of(kernel)
        for load in shape.kernel.nodes
        if load.op is Op.LOAD and load.src[0].op is Op.PARAM
    )
    return lines / (Card.processors * LINES)


def lines_of(load: Node) -> float:
    """Lines that all warps touch by one load; 0 where its place is not arithmetic or the same for a warp."""
    place, size = load.src[1], load.dtype.itemsize
    lanes = [r for r in load.ranges if r.arg.kind in (THREAD, TEAM)]
    lanes.sort(key=lambda r: r.arg.kind == TEAM)  # neighbours are threads of a team, then teams
    if not lanes:
        return 0.0
    try:
        width = max(
            [_width(place, r, size) for r in load.ranges if r.arg.kind in (UNROLL, VECTOR)], default=1
        )
        first = [_value(place, _of_lane(lanes, lane), {}) * size for lane in range(WARP)]
    except KeyError:  # a place that is looked up
        return 0.0
    touched = {at // LINE for start in first for at in (start, start + width * size - 1)}
    return prod(map(range_size, load.ranges)) / width / WARP * len(touched)


def _of_lane(lanes: list[Node], lane: int) -> dict[Node, int]:
    """Which iterations of threads and teams a lane of the first warp has."""
    found = {}
    for r in lanes:
        lane, found[r] = divmod(lane, range_size(r))
    return found


def _width(place: Node, r: Node, size: int) -> int:
    """Elements that a thread loads at once along a range: those that are neighbours."""
    apart = _value(place, {r: 1}, {}) - _value(place, {}, {})
    return min(range_size(r), WIDEST // size) if apart == 1 else 1


def _value(place: Node, at: dict[Node, int], done: dict[Node, Any]) -> int:
    """A place where ranges have these values, and all others 0."""
    if place not in done:
        if place.op is Op.RANGE:
            done[place] = at.get(place, 0)
        elif place.op is Op.CONST:
            done[place] = place.arg
        else:
            done[place] = _ARITHMETIC[place.op](*[_value(source, at, done) for source in place.src])
    return int(done[place])
