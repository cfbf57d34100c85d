"""What a register tile of a sum of products reads for each step of the sum, in instructions.

A tile of `unroll` x `vectors` sums takes `vectors` of one factor and `unroll` single elements of the other,
the lone factors. How these come is a matter of the processor:

    ByLane       NEON: several come in one register, and a multiplication takes one from its lane
    Broadcast    x86: each is loaded into all lanes, on the ports of loads; taking one out of a register
                 would cost a shuffle on a port that multiplies
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

from ....graph.kernels.kernel import range_size
from ....graph.node import Node, below_casts, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of
from ....runtime.cpu.machine import host_registers, near_caches
from ...linear.addressing.fetch import lie_apart
from ...moves.analysis import direct_loads, runs_along

#: bytes of a line of memory, and of a page
LINE, PAGE = 64, 4096

#: loads for each multiplication that cost nothing: both have two ports
LOAD = 0.5
#: what a lone factor costs that is loaded into all lanes: it has a row of memory to itself
LONE = 0.75
#: what a lone factor costs that comes with others, in one register
SHARED = 0.3
#: lines of one set of the nearest cache
WAYS = 8
#: instructions in the time a line takes from the second cache: where the processor sees it coming, as a panel
#: (512 cubed on a Cascade Lake: 3.4 ms with 6 x 4 vectors, 2.3 with 9 x 3 or 12 x 2), and where it does not
NEXT_LINE, FAR_LINE = 2.5, 4.0
#: instructions in the time that a vector in two lines takes longer
CROSSED = 0.4
#: the same in which a line of a matrix comes that is read as it lies, fetched ahead
FIRST = 6.0
#: pages that the second table of pages holds, and instructions in the time another takes to find. It fetches
#: pages between rows, too. One thread of a Cascade Lake, with 1024 x 2000 as it lies: 8 rows 0.46 ms, 24 1.5
#: (times 1024 x 1000: 0.25 and 0.52); with 333 x 4000 48 rows 1.05 ms, with 333 x 4097 1.9
PAGES, WALK = 1536, 36.0


class Reads(Protocol):
    """The reads of one choice of axes, for any size of the tile."""

    @property
    def most_unrolled(self) -> int: ...

    def registers(self, vectors: int, unroll: int) -> int:
        """Vector registers that a tile needs."""
        ...

    def cost(self, vectors: int, unroll: int) -> float:
        """Instructions for each multiplication of vectors."""
        ...


@dataclass(frozen=True)
class ByLane:
    """Lone factors that are neighbours, along u or along the sum, come together. A sum of anything but
    products needs each in all lanes, and registers for what is between its elements and the sum."""

    along_u: bool
    along_sum: bool
    multiplies: bool
    most_unrolled: int = 8

    def _together(self, unroll: int) -> bool:
        return self.along_sum or (self.along_u and unroll in (2, 4, 8))

    def registers(self, vectors: int, unroll: int) -> int:
        # a register for the next four steps of each row, or for four rows
        lone = unroll if self.along_sum else -(-unroll // 4) if self._together(unroll) else 1
        return unroll * vectors + vectors + lone + 1 + (0 if self.multiplies else vectors + unroll)

    def cost(self, vectors: int, unroll: int) -> float:
        lone = SHARED if self._together(unroll) and self.multiplies else 1.0
        products = unroll * vectors
        return (products + unroll * lone + vectors * LOAD + latency(products)) / products


@dataclass(frozen=True)
class Lying:
    """A matrix that tiles read as it lies, some columns each, with so many `rows` of the other factor: the
    `pages` from the first of both factors and the results to the last, those that a tile has `touched` for
    all rows, and bytes between its steps. Vectors are `crossed` by the ends of lines; steps about a page
    apart are lines `in_one_set` of the nearest cache."""

    rows: int
    pages: int
    touched: int
    step: int

    @property
    def crossed(self) -> bool:
        return self.step % LINE > 0

    @property
    def in_one_set(self) -> bool:
        return _in_one_set(self.step)

    def cost(self, vectors: int, unroll: int) -> float:
        """Instructions for a step of the sum, beside those to load its vectors: what fetches each line is a
        load, too, and the rows that meet it first wait for it; all others find its page again."""
        first = min(unroll / self.rows, 1.0)
        lines = (vectors + self.crossed) * (LOAD + FIRST * first)
        many = self.pages > PAGES or self.touched > PAGES * 3 // 4
        return lines + self.crossed * vectors * CROSSED + (WALK * (1 - first) if many else 0.0)


@dataclass(frozen=True)
class Broadcast:
    """Every lone factor is a load. `lines`: the share of steps of the sum that are in other lines than those
    before, which come from the second cache: one, or one for each row (`line_each`); those of all `steps`
    serve so many `times`, if the first cache has room for them. `in_one_set`: rows lie about a multiple of a
    page apart, and the nearest cache holds few such lines. `panel`: bytes of a vector's panel, which comes
    from where it fits: half of the first of the `caches`, of the second, or neither. `lies`: it
    is no panel, but columns of a matrix, fetched ahead."""

    multiplies: bool
    line_each: bool
    times: int
    lines: float
    steps: int
    in_one_set: bool
    panel: int
    caches: tuple[int, int]
    lies: Lying | None = None
    most_unrolled: int = 30

    def registers(self, vectors: int, unroll: int) -> int:
        return unroll * vectors + vectors + 1 + (0 if self.multiplies else vectors)

    def cost(self, vectors: int, unroll: int) -> float:
        products = unroll * vectors
        near, second = (vectors * self.panel <= size // 2 for size in self.caches)
        near = near and not (self.lies and self.lies.in_one_set)
        vector = LOAD if near else NEXT_LINE if second else 2 * FAR_LINE
        rows = unroll if self.line_each else 1
        near_again = rows * self.lines * self.steps * LINE <= self.caches[0]
        lines = FAR_LINE * self.lines * (max(rows / self.times, 1.0) if near_again else rows)
        if self.lies is not None:
            lines += self.lies.cost(vectors, unroll)
        near_rows = min(WAYS / unroll, 1.0) if self.in_one_set else 1.0
        lone = NEXT_LINE * (1 - near_rows) + LONE * near_rows
        return (products + unroll * lone + vectors * vector + lines + latency(products)) / products


def latency(products: int) -> float:
    """Fewer than eight independent sums wait for each other."""
    return max(0.0, 8.0 - products)


def reads_of(
    fold: Node, u: Node, across: Node, along: Node, steps: int = 0, times: int = 1, lies: Lying | None = None
) -> Reads:
    """How the lone factors `along` come to this processor's registers, for a tile with rows along `u`, which
    takes so many `steps` of the sum before the next tile (0: all), so many `times` from the same lines, where
    vectors are packed, or read as the matrix `lies`."""
    own, loads = own_ranges(fold), direct_loads((along,))
    multiplies = below_casts(fold.src[0]).src in ((across, along), (along, across))
    along_u = all(runs_along(load, u) == "next" for load in loads)
    if host_registers().by_lane:
        along_sum = comes_by_fours(fold) and all(runs_along(load, own[-1]) == "next" for load in loads)
        return ByLane(along_u, along_sum, multiplies)
    along_u = all(0 < _bytes(load, u) < LINE for load in loads)  # rows have lines in common
    length, caches = steps or prod(map(range_size, own)), near_caches()
    read = [load for load in loads if load.src[0].op is Op.PARAM]
    lines = max((_lines(load, own) for load in read), default=0.0)
    stays = along_u and length * lines * LINE <= caches[0] // 2
    return Broadcast(
        multiplies,
        lines=0.0 if stays else lines,
        line_each=not along_u,
        times=times,
        steps=length,
        in_one_set=any(_in_one_set(_bytes(load, u)) for load in read),
        panel=length * host_registers().bytes,
        caches=caches,
        lies=lies,
    )


def reads_ahead(fold: Node, v: Node, u: Node, across: Node, along: Node, times: int) -> Reads | None:
    """The reads of a tile of columns `v` of a matrix as it lies, whose rows are far apart along the sum and
    fetched ahead, so many `times` for all rows `u`; None for other factors."""
    own = own_ranges(fold)
    if not lie_apart(across, own):
        return None
    results = range_size(u) * range_size(v) * fold.dtype.itemsize
    spans = span_of(across, fold), span_of(along, fold) * range_size(u), results
    own_pages = range_size(*own), range_size(u), range_size(u)
    touched = sum(min(span // PAGE, most) for span, most in zip(spans, own_pages, strict=True))
    lies = Lying(range_size(u) * times, sum(spans) // PAGE, touched, _bytes(across, *own))
    return reads_of(fold, u, across, along, lies=lies)


def _lines(load: Node, own: tuple[Node, ...]) -> float:
    """The share of steps that begin another line: all of them, or those of each short run of neighbours, as
    the rows of a window. What is read from its beginning to its end, the processor sees coming."""
    reach, steps = load.dtype.itemsize, 1
    for r in reversed(own):
        if (stride := _bytes(load, r)) >= reach + LINE:
            return max(reach / LINE, 1.0) / steps
        reach, steps = reach + stride * (range_size(r) - 1), steps * range_size(r)
    return 0.0


def _in_one_set(stride: int) -> bool:
    """Are rows about a multiple of a page apart, so that as many as a set has lines are in one?"""
    return stride >= LINE and min(stride % PAGE, -stride % PAGE) * WAYS < LINE


def comes_by_fours(fold: Node) -> bool:
    """May a sum be taken four steps at a time? A rest of one in a narrow type would be rounded once more."""
    last = own_ranges(fold)[-1]
    if last.src[0].op is not Op.CONST or range_size(last) < 8:
        return False
    return range_size(last) % 4 == 0 or fold.dtype.itemsize >= 4


def _bytes(load: Node, r: Node) -> int:
    """Between two neighbours along a range."""
    return abs(coefficient_of(load.src[1], r) or 0) * load.dtype.itemsize


def span_of(operand: Node, fold: Node) -> int:
    """Bytes between the first and the last row a panel reads."""
    farthest = 0
    for load in direct_loads((operand,)):
        if load.src[0].op is Op.STAGE:
            continue
        for r in own_ranges(fold):
            stride = coefficient_of(load.src[1], r)
            farthest = max(farthest, abs(stride or 0) * range_size(r) * load.dtype.itemsize)
    return farthest
