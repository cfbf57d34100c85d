"""How a GPU's threads share a loop. A loop of n = (k, u, t, v) runs over k in order, u and v in registers, t
across threads:

    position = ((k * U + u) * T + t) * V + v         v: one vector access; u: independent accesses in flight

Beyond the end, the last vector is read again; what it contributes is the identity, and it is not stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from ....graph.kernels.kernel import LOOP, UNROLL, Kernel, loop, range_size
from ....graph.node import Node, index_const
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of, simplify
from ...linear.gpu.code import THREAD
from ...linear.gpu.memory import is_multiple
from ...moves.analysis import runs_along, runs_between_edges

#: a buffer is large that has so small a part of the largest one's elements, or more
LARGE_PART: Final = 8


@dataclass(frozen=True)
class Layout:
    """Where a loop went: its ranges, the position in vectors, the lane, and whether it is inside."""

    ranges: tuple[Node, ...]
    vector: Node
    lane: Node | None
    width: int
    valid: Node | None

    def digits(self, loops: tuple[Node, ...]) -> dict[Node, Node]:
        """Each loop's variable from the position."""
        return digits(loops, self.vector, self.width, self.lane)


class Numbers:
    """Fresh axis numbers, and one range for each meaning so that equal loops share their axes."""

    def __init__(self, kernel: Kernel) -> None:
        self.next = kernel.next_axis()
        self.made: dict[tuple[object, ...], Node] = {}

    def axis(self, kind: str, size: int | Node, *meaning: object) -> Node:
        key = (kind, size, *meaning)
        if key not in self.made:
            self.made[key] = loop(self.next, size, kind)
            self.next += 1
        return self.made[key]


def spread_over(
    numbers: Numbers, sizes: tuple[int, ...], width: int, team: int, held: bool, in_flight: int
) -> Layout:
    """Spread a loop over `sizes` across a team; `held` keeps all of it in registers."""
    vectors = prod(sizes) // width
    steps = -(-vectors // team)
    repeat = steps if held else max(1, min(in_flight, steps))
    outer = -(-steps // repeat)
    repeat = -(-steps // outer)  # five steps, four at most at once: three and two, not four and one of four
    t = numbers.axis(THREAD, team)
    k = numbers.axis(LOOP, outer, vectors, width) if outer > 1 else index_const(0)
    u = numbers.axis(UNROLL, repeat, "u", vectors) if repeat > 1 else index_const(0)
    v = numbers.axis(UNROLL, width, "v") if width > 1 else None
    vector, valid = clamped(simplify((k * repeat + u) * team + t), vectors, outer * repeat * team)
    ranges = tuple(r for r in (k, u, t, v) if r is not None and r.op is Op.RANGE)
    return Layout(ranges, vector, v, width, valid)


def clamped(place: Node, count: int, covered: int) -> tuple[Node, Node | None]:
    """A place of `covered` ones, the last of `count` where it is beyond them, and whether it is not."""
    return (place, None) if covered == count else (simplify(place.minimum(count - 1)), place < count)


def digits(
    loops: tuple[Node, ...], whole: Node, width: int = 1, lane: Node | None = None
) -> dict[Node, Node]:
    """Loops from one index, the last of them from chunks of `width`."""
    mapping: dict[Node, Node] = {}
    rest = whole
    for number, r in reversed(list(enumerate(loops))):
        size = range_size(r) // (width if number == len(loops) - 1 else 1)
        digit = rest if number == 0 else rest % size
        rest = rest // size
        if number == len(loops) - 1 and lane is not None:
            digit = digit * width + lane
        mapping[r] = simplify(digit)
    return mapping


def vector_width(kernel: Kernel, loops: tuple[Node, ...], most: int = 8) -> int:
    """Elements a thread takes along the last of `loops`: what 16 bytes hold of what most bytes are of, if
    most of what is read and written lies side by side. A window that steps by two, or rows that are looked
    up, read what is apart: neighbours by one thread would make their accesses wider apart still (3 x 3
    maxima by 2 of 64 x 64 x 112 x 112 on an H200: 137 us with four of each thread, 61 with one)."""
    if not loops or loops[-1].src[0].op is not Op.CONST:
        return 1
    last, n = loops[-1], range_size(loops[-1])
    accesses = _largest(kernel, loops)
    side_by_side = {x: c for x, c in accesses.items() if is_next(x, last) or _is_between(x, last)}
    if not side_by_side:
        return 1
    width = min(16 // widest_share(side_by_side), most)
    while width > 1 and (n % width or not _are_vectors(accesses, side_by_side, last, width)):
        width //= 2
    return width


def _largest(kernel: Kernel, loops: tuple[Node, ...]) -> dict[Node, int]:
    """How often a point of `loops` makes each access that moves along the last of them: of large buffers, as
    a row of weights or a list of places stays in the nearest cache, and of what is looked up."""
    last = loops[-1]
    found = [
        x
        for x in kernel.sink.toposort()
        if x.op in (Op.LOAD, Op.STORE) and last in x.src[1].ranges and x.src[0].op is Op.PARAM
    ]
    sizes = {x: kernel.params[x.src[0].arg.slot][1] for x in found}
    return {
        x: prod(range_size(r) for r in x.src[1].ranges if r not in loops)
        for x in found
        if sizes[x] * LARGE_PART >= max(sizes.values()) or _is_looked_up(x, last)
    }


def _is_looked_up(access: Node, last: Node) -> bool:
    """Is its place read from memory?"""
    return any(n.op is Op.LOAD and last in n.ranges for n in access.src[1].toposort())


def widest_share(counts: dict[Node, int]) -> int:
    """The size of the elements that most bytes are of."""
    nbytes: dict[int, int] = {}
    for x, count in counts.items():
        nbytes[x.dtype.itemsize] = nbytes.get(x.dtype.itemsize, 0) + count * x.dtype.itemsize
    return max(nbytes, key=lambda size: (nbytes[size], size))


def _are_vectors(accesses: dict[Node, int], side_by_side: dict[Node, int], r: Node, width: int) -> bool:
    """Are half of the accesses vectors of so many elements, and is one aligned? A guarded one is a vector if
    its guard holds for all of it or for nothing, as where rows are joined at multiples of the width."""
    vectors = [x for x in side_by_side if is_next(x, r) or is_whole(x, r, width)]
    half = 2 * sum(accesses[x] for x in vectors) >= sum(accesses.values())
    return half and any(is_aligned(x, r, width) for x in vectors)


def is_whole(access: Node, r: Node, width: int) -> bool:
    """Is the guard of an access the same for each `width` neighbours along a range?"""
    step, lane = loop(-1, range_size(r) // width), loop(-2, width, UNROLL)
    return lane not in simplify(access.src[-1].substitute({r: step * width + lane})).ranges


def _is_between(access: Node, r: Node) -> bool:
    """Is it of neighbours along a range, some of which a guard leaves out?"""
    if access.op is Op.LOAD:
        return runs_between_edges(access, r)
    return len(access.src) == 4 and coefficient_of(access.src[1], r) == 1


def is_next(access: Node, r: Node) -> bool:
    return runs_along(access, r) == "next" and coefficient_of(access.src[1], r) == 1


def is_aligned(access: Node, r: Node, width: int) -> bool:
    return is_multiple(simplify(access.src[1].substitute({r: index_const(0)})), width)
