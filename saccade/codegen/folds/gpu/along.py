"""Folds along a list of the elements that pass a common condition, in one thread of a GPU; see `listing`.

Where nobody asks for more than the k-th of the k best, their values alone are kept sorted, by a minimum and a
maximum each; which element it was is found by comparing once more. See `last_of` for why that is right.
"""

from __future__ import annotations

from ....graph import dtypes
from ....graph.kernels.kernel import range_size
from ....graph.monoid import ADD
from ....graph.node import Node
from ....graph.ops import Op
from ...linear.code import Instruction, Value
from ..last_of import finds_last, settle
from ..listing import Listed
from .folding import GpuFolding

#: listed elements that meet all conditions, taken at a time
TOGETHER = 2


def emit_along(fold: GpuFolding, listed: Listed) -> list[Value]:
    """The accumulators of a fold after the elements of its list."""
    low = fold.low
    if fold.monoid == ADD and listed.only_counts:
        return [low.alu(Op.CAST, fold.dtypes[0], (low.listing.length(listed),))]
    if finds_last(fold, listed):
        return _last(fold, listed)
    return _one_by_one(fold, listed)


def _one_by_one(fold: GpuFolding, listed: Listed) -> list[Value]:
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
        fold.update(held, element)
    else:
        fold.insert(held, element)
    low.leave_all(len(conditions) + 1)
    return [low.get(v) for v in held]


def _in_two_loops(fold: GpuFolding, listed: Listed, conditions: list[Node], loads: list[Node]) -> Value:
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
    low.leave_all(len(conditions) + 1)
    (identity,) = fold.identity()
    total, end = low.declare(identity.dtype, 1, identity), low.get(number)
    last = low.alu(Op.SUB, dtypes.int32, (end, one))
    rounds = low.alu(Op.ADD, dtypes.int32, (end, low.literal(TOGETHER - 1, dtypes.int32)))
    rounds = low.alu(Op.SHR, dtypes.int32, (rounds, low.literal(TOGETHER.bit_length() - 1, dtypes.int32)))
    begin = low.alu(Op.MUL, dtypes.int32, (listing.along(rounds, over), low.literal(TOGETHER, dtypes.int32)))
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
        fold.update([total], [element])
    low.leave()
    return low.get(total)


def _last(fold: GpuFolding, listed: Listed) -> list[Value]:
    """Of the accumulators only the last value and the last index are right. Where a fold runs for few rows,
    most warps have none of them, and go past all of it."""
    low, monoid, listing, k, kind = fold.low, fold.monoid, fold.low.listing, fold.monoid.k, fold.dtypes[0]
    identity = fold.identity()
    kept = [low.declare(one.dtype, 1, one) for one in (identity[k - 1], identity[2 * k - 1])]
    end = listing.length(listed)
    low.branch(low.alu(Op.LT, dtypes.bool_, (low.literal(0, dtypes.int32), end)))
    ranked = [low.declare(kind, 1, identity[0]) for _ in range(k)]
    better, other = ("most", "least") if monoid.wants_larger else ("least", "most")
    new = listing.kept(listed, listed.body, listing.along(end))
    held = [low.get(v) for v in ranked]
    for rank in range(k):
        moved = new if rank == 0 else low.instruction(other, kind, 1, (held[rank - 1], new))
        low.set(ranked[rank], low.instruction(better, kind, 1, (held[rank], moved)))
    low.leave()
    settle(fold, listed, end, low.get(ranked[-1]), kept, lambda: _one_by_one(fold, listed))
    low.leave()
    return [low.get(one) for one in kept for _ in range(k)]
