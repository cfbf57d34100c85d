"""The k-th best of a list, where nobody asks for the k - 1 before it: without a branch for each element.

Keeping the k best sorted by insertion takes a decision for every place, which no machine foresees. The values
alone need none: with v the k best so far in the lanes of a vector, best first, and x another value,

    v = min(v, max(v moved up by one lane, x))          (for the smallest; the first lane moves in as -inf)

is the k best with x among them: before x's place v stays, at it stands x, behind it what was one lane before.
The last lane is then the k-th value, and the element that has it is found by comparing once more.

That is exact if just one element has the value. Otherwise (ties, NaN, fewer than k elements) the list is
taken once more, by insertion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...graph import dtypes
from ...graph.kernels.kernel import Kernel
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ..linear.code import Value, Variable
from .folding import Folding
from .listing import Listed

if TYPE_CHECKING:
    from .gpu.folding import GpuFolding

    AnyFolding = Folding | GpuFolding

#: fewer than this are inserted as fast
FEWEST = 4


def asks_for_last(kernel: Kernel, fold: Node) -> bool:
    """Is the k-th best all that a kernel takes of a top-k?"""
    k = fold.arg.k
    taken = {n.arg for n in kernel.nodes if n.op is Op.PROJECT and n.src[0] is fold}
    return taken <= {k - 1, 2 * k - 1}


def finds_last(fold: AnyFolding, listed: Listed) -> bool:
    """Can the k-th best of this fold along a list be found by values alone?"""
    monoid = fold.monoid
    if not monoid.kind.startswith("top") or monoid.k < FEWEST or listed.rest is not None:
        return False
    (over,) = own_ranges(fold.node)
    number = fold.bodies[1]
    is_number = number is over or (number.op is Op.CAST and number.src[0] is over)
    return listed.body in listed.kept and is_number and asks_for_last(fold.low.kernel, fold.node)


def emit_last(fold: Folding, listed: Listed) -> list[Value]:
    """The accumulators of the fold, of which only the last value and the last index are right."""
    low = fold.low
    kept = [low.declare(dtype, 1, low.literal(0, dtype)) for dtype in fold.dtypes]
    end = low.listing.length(listed)
    settle(fold, listed, end, _last_value(fold, listed, end), kept, lambda: fold.inserted(listed))
    return [low.get(one) for one in kept for _ in range(fold.monoid.k)]


def settle(
    fold: AnyFolding, listed: Listed, end: Value, last: Value, kept: list[Variable],
    insert: Callable[[], list[Value]],
) -> None:  # fmt: skip
    """The k-th value and its index are `kept`: of the one element that has this value, or of the list taken
    once more, by insertion."""
    low, k, (value, index) = fold.low, fold.monoid.k, kept
    found, times = _element(fold, listed, end, last)
    low.set(value, last)
    low.set(index, low.listing.place(listed, found, fold.dtypes[1]))
    once = low.alu(Op.EQ, dtypes.bool_, (times, low.literal(1, times.dtype)))
    worst = low.literal(fold.monoid.identity(fold.dtypes)[0].arg, fold.dtypes[0])
    sides = (worst, last) if fold.monoid.wants_larger else (last, worst)
    sure = low.alu(Op.AND, dtypes.bool_, (once, low.alu(Op.LT, dtypes.bool_, sides)))
    low.branch(low.alu(Op.NOT, dtypes.bool_, (sure,)))
    inserted = insert()
    low.set(value, inserted[k - 1])
    low.set(index, inserted[2 * k - 1])
    low.leave()


def _last_value(fold: Folding, listed: Listed, end: Value) -> Value:
    low, k, dtype = fold.low, fold.monoid.k, fold.dtypes[0]
    better, other = (Op.MAX, Op.MIN) if fold.monoid.wants_larger else (Op.MIN, Op.MAX)
    width = 1 << (k - 1).bit_length()
    best = low.literal(dtype.max if fold.monoid.wants_larger else dtype.min, dtype)
    ranked = low.declare(dtype, width, low.literal(fold.monoid.identity(fold.dtypes)[0].arg, dtype))
    i = low.listing.along(end)
    new = low.splat(low.listing.kept(listed, listed.body, i), width)
    held = low.get(ranked)
    moved = low.instruction("shift", dtype, width, (held, best))
    low.set(ranked, low.alu(better, dtype, (held, low.alu(other, dtype, (moved, new)))))
    low.leave()
    return low.instruction("extract", dtype, 1, (low.get(ranked),), k - 1)


def _element(fold: AnyFolding, listed: Listed, end: Value, wanted: Value) -> tuple[Value, Value]:
    """The place on the list of an element with this value, and how many have it."""
    low, number = fold.low, fold.low.listing.number
    zero = low.literal(0, number)
    place, times = low.declare(number, 1, zero), low.declare(number, 1, zero)
    i = low.listing.along(end)
    same = low.alu(Op.EQ, dtypes.bool_, (low.listing.kept(listed, listed.body, i), wanted))
    low.set(place, low.alu(Op.WHERE, number, (same, i, low.get(place))))
    low.set(times, low.alu(Op.ADD, number, (low.get(times), low.alu(Op.CAST, number, (same,)))))
    low.leave()
    return low.get(place), low.get(times)
