"""What both schemes of laying out loops on a GPU need: what stays in order, folds, tiles, guarded stores."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from ....graph.kernels import kernel as terms
from ....graph.kernels.kernel import Kernel, range_size
from ....graph.monoid import Monoid
from ....graph.node import Node, make, own_ranges
from ....graph.ops import Op
from ....graph.rules.sums import affine
from ...linear.gpu.code import WARP
from ...moves.legal import IllegalMove
from ...moves.ordered import limits_of, reach
from ..search.moves import Flat, Rows

#: reductions up to this are written out
SHORT: Final = 8
#: reductions shorter than this are one thread's work
SHORTEST: Final = 32
#: with this many threads at work, more parallelism gains nothing
ENOUGH: Final = 1 << 16
#: threads of a block
MOST_THREADS: Final = 1024


@dataclass(frozen=True)
class Shape:
    """A kernel with its ranges bound, how many threads a team has, and the move that says so."""

    kernel: Kernel
    team: int
    move: Flat | Rows | None = None


# --- what has to stay in order


def ordered(kernel: Kernel) -> set[Node]:
    """Output loops that run in order: of running reductions, and of stores that may hit one place twice; but
    not of those that store the same value everywhere."""
    axes = {n.src[-1] for n in kernel.sink.toposort() if n.op is Op.PREFIX}
    for node in kernel.sink.src:
        if len(node.src) == 4 and node.arg is None and node.src[2].op is not Op.CONST:
            axes |= set(kernel.order) - _apart(node)
    return axes


def _apart(store: Node) -> set[Node]:
    """Loops whose iterations write to places of their own, whatever the index they load.

    In `p[r0 * 9 + where] = ...` with 0 <= where < 9, by the condition of the store, rows are apart: the
    terms of the place are digits of a number, each stepping over all that the smaller ones reach. Two loops
    may be one, of which r // 64 and r % 64 are the digits."""
    terms_of, _ = affine(store.src[1])
    limits = limits_of(store.src[3])
    reached: float = 0
    apart: set[Node] = set()
    for term, factor in sorted(terms_of.items(), key=lambda one: abs(one[1])):
        if abs(factor) <= reached:
            apart = set()  # two numbers may agree although the digits below this one differ
        else:
            apart.add(term)
        low, high = (0.0, range_size(term) - 1.0) if term.op is Op.RANGE else reach(term, limits)
        reached += abs(factor) * (high - low)
    both = [n.src[0] for n in apart if n.op is Op.MOD and n.src[0].alu(Op.IDIV, n.src[1]) in apart]
    return {n for n in (*apart, *both) if n.op is Op.RANGE}


def folds_of(kernel: Kernel) -> list[Node]:
    return [n for n in kernel.sink.toposort() if n.op is Op.FOLD]


def length_of(fold: Node) -> int:
    return prod(map(range_size, own_ranges(fold)))


def outer_folds(kernel: Kernel, folds: list[Node]) -> list[Node]:
    """The folds that depend on output loops only."""
    loops = set(kernel.order)
    return [f for f in folds if f.ranges <= loops]


def tiles_of(kernel: Kernel) -> list[Node]:
    return [n for n in kernel.sink.toposort() if n.op is Op.STAGE]


def require_threads(threads: int) -> None:
    if threads % WARP or not WARP <= threads <= MOST_THREADS:
        raise IllegalMove(
            f"a block cannot have {threads} threads: give it whole warps, at most {MOST_THREADS}"
        )


def both(first: Node | None, second: Node | None) -> Node | None:
    """Where two conditions hold, of which one may be none."""
    return first if second is None else second if first is None else first & second


def guarded(sink: Node, valid: Node | None) -> Node:
    """Stores happen where `valid` holds."""
    if valid is None:
        return sink
    stores = []
    for node in sink.src:
        both = valid if len(node.src) == 3 else node.src[3] & valid
        stores.append(make(Op.STORE, node.dtype, (*node.src[:3], both), node.arg))
    return terms.sink(tuple(stores))


def masked(monoid: Monoid, bodies: tuple[Node, ...], valid: Node | None) -> tuple[Node, ...]:
    """Elements of a reduction, its identity where they are not `valid`."""
    if valid is None:
        return bodies
    identity = monoid.identity(tuple(b.dtype for b in bodies))
    ends = (identity[0],) if monoid.elements == 1 else (identity[0], identity[monoid.k])
    return tuple([valid.where(b, e) for b, e in zip(bodies, ends, strict=True)])
