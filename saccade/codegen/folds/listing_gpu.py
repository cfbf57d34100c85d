"""Lists of the elements that pass a common condition, for the threads of a GPU; see `listing`.

    near  = sum(1 over r < n where d(r) < c)
    least = the k smallest d(r) over r < n where d(r) < c
    best  = max(f(r) over r < n where d(r) < c and g(r))

A warp takes as long as the longest loop of its threads, and each element of such a loop is fetched from
another place for every thread. So one loop writes what passes, with its d, into an array of the thread; the
others run along that, which is shorter and lies side by side for the threads of a warp.

Where nobody asks for more than the k-th of the k best, their values alone are kept sorted, by a minimum and a
maximum each; which element it was is found by comparing once more. See `last_of` for why that is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernel import range_size
from ...graph.monoid import ADD
from ...graph.node import Node, is_const
from ...graph.ops import Op
from ..linear.builder import Scope, combine
from ..linear.code import Block, Instruction, Loop, Memory, Value
from ..linear.gpu_code import Tile
from .last_of import can_find_last
from .listing import List, Listed, Lists

if TYPE_CHECKING:
    from ..linear.lower_gpu import GpuLowering
    from .fold_gpu import GpuFold

#: elements that are fetched before the first is tested; what is left over goes one by one, so not more
IN_FLIGHT = 4
#: lists of more are not made: a card sets aside the arrays of all threads that it can run at once, 270,000 of
#: them on an H200, which takes 400 MB at this length
MOST_LISTED = 256
#: listed elements that meet all conditions, taken at a time
TOGETHER = 2


class GpuListing(Lists):
    """Writes lists into arrays of a thread, and loops along them."""

    def __init__(self, lowering: GpuLowering) -> None:
        super().__init__(lowering, dtypes.int32)
        self.low = lowering

    def write(self, made: List) -> Value:
        """The list, and how many are on it."""
        low, n = self.low, range_size(made.over)
        places = self.memory_for(n)
        beside = tuple(self._memory(value.dtype, n) for value in made.kept)
        number = low.declare(dtypes.int32, 1, low.literal(0, dtypes.int32))
        low.open(made.over, IN_FLIGHT)
        passes = low.emit(made.condition).at[()]
        values = [low.emit(value).at[()] for value in made.kept]
        at = low.get(number)
        place = low.alu(Op.CAST, places.dtype, (low.emit(made.over).at[()],))
        # only what passes is written: each store goes to as many lines as there are lengths in the warp
        low.branch(passes)
        low.append(Instruction("store", None, (at, place), (places, 0)))
        for memory, value in zip(beside, values, strict=True):
            low.append(Instruction("store", None, (at, value), (memory, 0)))
        low.leave()
        one = low.alu(Op.CAST, dtypes.int32, (passes,))
        low.set(number, low.alu(Op.ADD, dtypes.int32, (at, one)))
        low.leave()
        return self.keep(low.get(number), places, beside)

    def memory_for(self, size: int) -> Memory:
        """Memory for so many numbers below that."""
        small = dtypes.uint8 if size <= 1 << 8 else dtypes.uint16 if size <= 1 << 16 else dtypes.int32
        return self._memory(small, size)

    def _memory(self, dtype: DType, size: int) -> Memory:
        memory = Memory(f"l{len(self.low.tiles)}", dtype)
        self.low.tiles.append(Tile(memory, "private", size))
        return memory

    def enter(self, end: Value, over: Node | None = None) -> Value:
        """Open a loop, for values of `over` that are said later; `leave` closes it."""
        low, body = self.low, Block()
        i = low.new(dtypes.int32)
        low.append(Loop(i, low.literal(0, dtypes.int32), end, body))
        low.stack.append(Scope(over, body))
        return i

    def enter_fold(self, listed: Listed, over: Node) -> Value:
        """Open the loop of a fold over `over` along its list; the place on it. `leave` closes it."""
        i = self.enter(self.length(listed), over)
        self.low.stack[-1].values = self.names(listed, over, i)
        return i


def emit_along(fold: GpuFold, listed: Listed) -> list[Value]:
    """The accumulators of a fold after the elements of its list."""
    low = fold.low
    if fold.monoid == ADD and listed.rest is None and is_const(listed.body) and listed.body.arg == 1:
        return [low.alu(Op.CAST, fold.dtypes[0], (low.listing.length(listed),))]
    if can_find_last(fold.monoid, fold.node, fold.bodies, listed, low.kernel):
        return _last(fold, listed)
    return _one_by_one(fold, listed)


def _one_by_one(fold: GpuFold, listed: Listed) -> list[Value]:
    low, (over,) = fold.low, fold.loops
    conditions = [part for part in listed.conditions(over) if part is not None]
    loads = [n for n in listed.body.toposort() if n.op is Op.LOAD and over in n.ranges]
    if conditions and loads and fold.monoid.width == 1:
        return [_in_two_loops(fold, listed, conditions, loads)]
    held = [low.declare(v.dtype, 1, v) for v in fold.identity()]
    low.listing.enter_fold(listed, over)
    for condition in conditions:
        low.branch(low.emit(condition).at[()], inside_loop=True)
    element = [low.emit(body).at[()] for body in (listed.body, *fold.bodies[1:])]
    if fold.monoid.width == 1:
        low.set(held[0], combine(low, fold.monoid, [low.get(held[0])], element)[0])
    else:
        fold.insert(held, element)
    for _ in range(len(conditions) + 1):
        low.leave()
    return [low.get(v) for v in held]


def _in_two_loops(fold: GpuFold, listed: Listed, conditions: list[Node], loads: list[Node]) -> Value:
    """What meets the fold's own conditions too is listed once more, and then taken a few at a time: inside
    the branches nobody could have the loads of several elements on their way."""
    low, listing, (over,) = fold.low, fold.low.listing, fold.loops
    one, zero = low.literal(1, dtypes.int32), low.literal(0, dtypes.int32)
    part = listing.memory_for(range_size(over))
    number = low.declare(dtypes.int32, 1, zero)
    i = listing.enter_fold(listed, over)
    for condition in conditions:
        low.branch(low.emit(condition).at[()], inside_loop=True)
    at = low.get(number)
    low.append(Instruction("store", None, (at, low.alu(Op.CAST, part.dtype, (i,))), (part, 0)))
    low.set(number, low.alu(Op.ADD, dtypes.int32, (at, one)))
    for _ in range(len(conditions) + 1):
        low.leave()
    (identity,) = fold.identity()
    total, end = low.declare(identity.dtype, 1, identity), low.get(number)
    last = low.alu(Op.SUB, dtypes.int32, (end, one))
    rounds = low.alu(Op.ADD, dtypes.int32, (end, low.literal(TOGETHER - 1, dtypes.int32)))
    rounds = low.alu(Op.SHR, dtypes.int32, (rounds, low.literal(TOGETHER.bit_length() - 1, dtypes.int32)))
    begin = low.alu(Op.MUL, dtypes.int32, (listing.enter(rounds, over), low.literal(TOGETHER, dtypes.int32)))
    taken = []
    for j in range(TOGETHER):
        place = low.alu(Op.ADD, dtypes.int32, (begin, low.literal(j, dtypes.int32)))
        # beyond the end the last one again, which counts for nothing
        found = low.alu(Op.MIN, dtypes.int32, (place, last))
        i = low.alu(Op.CAST, dtypes.int32, (low.instruction("load", part.dtype, 1, (found,), (part, 0)),))
        known = low.stack[-1].values = listing.names(listed, over, i)
        for load in loads:
            low.emit(load)
        taken.append((low.alu(Op.LT, dtypes.bool_, (place, end)), known))
    for counts, known in taken:
        low.stack[-1].values = known
        element = low.alu(Op.WHERE, identity.dtype, (counts, low.emit(listed.body).at[()], identity))
        low.set(total, combine(low, fold.monoid, [low.get(total)], [element])[0])
    low.leave()
    return low.get(total)


def _last(fold: GpuFold, listed: Listed) -> list[Value]:
    """Of the accumulators only the last value and the last index are right."""
    low, monoid, listing = fold.low, fold.monoid, fold.low.listing
    k, kind, number = monoid.k, fold.dtypes[0], fold.dtypes[1]
    zero = low.literal(0, dtypes.int32)
    value = low.declare(kind, 1, low.literal(0, kind))
    index = low.declare(number, 1, low.literal(0, number))
    end = listing.length(listed)
    worst = low.literal(monoid.identity(fold.dtypes)[0].arg, kind)
    ranked = [low.declare(kind, 1, worst) for _ in range(k)]
    better, other = ("most", "least") if monoid.wants_larger else ("least", "most")
    new = listing.kept(listed, listed.body, listing.enter(end))
    held = [low.get(v) for v in ranked]
    for rank in range(k):
        moved = new if rank == 0 else low.instruction(other, kind, 1, (held[rank - 1], new))
        low.set(ranked[rank], low.instruction(better, kind, 1, (held[rank], moved)))
    low.leave()
    last = low.get(ranked[-1])
    place, times = low.declare(dtypes.int32, 1, zero), low.declare(dtypes.int32, 1, zero)
    i = listing.enter(end)
    same = low.alu(Op.EQ, dtypes.bool_, (listing.kept(listed, listed.body, i), last))
    low.set(place, low.alu(Op.WHERE, dtypes.int32, (same, i, low.get(place))))
    one = low.alu(Op.CAST, dtypes.int32, (same,))
    low.set(times, low.alu(Op.ADD, dtypes.int32, (low.get(times), one)))
    low.leave()
    low.set(value, last)
    low.set(index, listing.place(listed, low.get(place), number))
    once = low.alu(Op.EQ, dtypes.bool_, (low.get(times), low.literal(1, dtypes.int32)))
    sides = (worst, last) if monoid.wants_larger else (last, worst)
    sure = low.alu(Op.AND, dtypes.bool_, (once, low.alu(Op.LT, dtypes.bool_, sides)))
    low.branch(low.alu(Op.NOT, dtypes.bool_, (sure,)))
    inserted = _one_by_one(fold, listed)
    low.set(value, inserted[k - 1])
    low.set(index, inserted[2 * k - 1])
    low.leave()
    return [low.get(value)] * k + [low.get(index)] * k
