"""The part of a value that one iteration of some loops reads: a tile holds it, made once for each of them.

    region_of(node, requests, machine, most)     # of x[16 i + j, k], asked for inside of i: 16 rows from 16 i

The smallest one is best, unless its windows overlap: then it is wider, and less is made twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ....graph.kernels.kernel import range_size
from ....graph.node import Node
from ....graph.ops import Op
from ....graph.rules.symbolic import bounds, simplify
from ....runtime.cpu.machine import PIECES_PER_THREAD
from ...cost import Machine
from ..draft import Request
from ..movement import ZERO, Indices
from .lanes import lane_axis


@dataclass(frozen=True)
class Region:
    """The part of a value that one iteration of some outer loops (`held`) reads: it starts at `start`,
    `extent` long."""

    held: frozenset[Node]
    start: Indices
    extent: tuple[int, ...]

    @property
    def elements(self) -> int:
        """Elements computed in all: those of one tile, once for each iteration that holds one."""
        return prod(self.extent) * prod(map(range_size, self.held))


def region_of(
    node: Node, requests: list[Request], machine: Machine, most: int, whole: bool = False
) -> Region | None:
    """The smallest tile that serves all requests, if it has at most so many bytes: held by the loops they
    share, less those whose windows overlap, and those along rows that are wanted whole."""
    if any(r.valid is not None for r in requests):
        return None
    draft = requests[0].draft
    held = frozenset(
        r
        for r in draft.outer
        if all(r in request.free and r in request.context.outer for request in requests)
    )
    held = _agreed(held, requests)
    if whole:
        held -= requests[0].indices[lane_axis(node)].ranges
    best = _region_held_by(held, requests)
    if best is None:
        return None
    for r in reversed(draft.outer):
        if r not in held:
            continue
        wider = _region_held_by(best.held - {r}, requests)
        if (
            wider is None
            or wider.elements >= best.elements
            or prod(map(range_size, wider.held)) < 2 * machine.threads
        ):
            continue
        if prod(wider.extent) * node.dtype.itemsize <= machine.tile_bytes:
            best = wider
    if prod(best.extent) <= 1 or prod(best.extent) * node.dtype.itemsize > most or not draft.fits(best.held):
        return None
    return best


def _agreed(held: frozenset[Node], requests: list[Request]) -> frozenset[Node]:
    """The loops at whose iterations all requests are for the same part: of i and n - 1 - i, of which one
    reader asks for both, it is no part."""
    for indices in zip(*[request.indices for request in requests], strict=True):
        starts = {_fixed(i, held) for i in indices}
        if len(starts) > 1:
            held = held.difference(*[start.ranges for start in starts])
    return held


def _fixed(index: Node, held: frozenset[Node]) -> Node:
    """An index where the loops that are not held begin."""
    return simplify(index.substitute({r: ZERO for r in index.ranges if r not in held}))


def _region_held_by(held: frozenset[Node], requests: list[Request]) -> Region | None:
    """The region with these loops around it, if every request is a fixed place in it plus its own, smaller
    loops."""
    starts, extents = [], []
    for axis in range(len(requests[0].indices)):
        found: list[tuple[Node, int, int]] = []
        for request in requests:
            index = request.indices[axis]
            fixed = _fixed(index, held)
            local = simplify(index - fixed)
            if local.ranges & held:
                return None
            low, high = bounds(local)
            if fixed.op is Op.CONST:  # a half of it, or from its end down
                fixed, low, high = ZERO, low + fixed.arg, high + fixed.arg
            found.append((fixed, int(low), int(high)))
        start, first = found[0][0], min([low for _, low, _ in found])
        if any(fixed is not start for fixed, _, _ in found) or (start is not ZERO and first < 0):
            return None
        starts.append(simplify(start + first))
        extents.append(max([high for _, _, high in found]) - first + 1)
    return Region(held, tuple(starts), tuple(extents))


def times_begun(region: Region, machine: Machine) -> int:
    """How often more than once a tile is filled because threads take their iterations in pieces: one that
    hardly any loop holds is filled at the beginning of each. The mean of 65,536 rows of 32 took most of the
    time of their covariance."""
    iterations = prod(map(range_size, region.held))
    return PIECES_PER_THREAD * machine.threads - iterations if iterations < 2 * machine.threads else 0


def lies_across(region: Region, outer: Indices) -> bool:
    """Does a tile hold results that are apart in memory, at one place after the other of a row? A tile of
    columns holds a vector of them where results are stored along the row; else each is made for itself."""
    along = region.start[-1].ranges & region.held
    return region.extent[-1] == 1 and bool(along) and outer[-1] not in along


def leaves_loops(request: Request, region: Region) -> bool:
    """Does a tile of a factor leave a loop of that factor to the product, for its own tile of registers? One
    of padded windows at each place of a sequence does not: conv1d ran at a tenth of its speed."""
    return not request.free & frozenset(request.context.outer) <= region.held
