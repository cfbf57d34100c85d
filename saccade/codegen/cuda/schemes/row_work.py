"""Which output loops are rows that teams of threads take, and what a team has to do for one.

    rows = team_rows(kernel)        # those that all long reductions share; None: better without teams
    work = work_of(kernel, rows)    # its reductions, the longest loop, the vectors that loads allow

How many threads a team has, and where each of them is in its row: `rows.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from ....graph.kernels.kernel import UNROLL, Kernel, range_size
from ....graph.node import Node, index_const, own_ranges
from ....graph.ops import TRANSCENDENTAL, Op
from ....graph.rules.symbolic import coefficient_of, simplify
from ...linear.gpu.code import WIDEST
from ...moves.analysis import run_of, runs_along
from .layout import is_aligned, is_next, vector_width, widest_share
from .shape import ENOUGH, SHORT, SHORTEST, folds_of, length_of, ordered, outer_folds, tiles_of

#: blocks that keep all multiprocessors of a large card at work
PROCESSORS: Final = 128
#: neighbours in memory that lanes share, at least: where threads have a run each, every load of a warp
#: touches as many lines as all loads of lanes do
SHORTEST_RUN: Final = 9
#: elements of a row of a map, at least, that has something to share
LONG_ROW: Final = 1 << 10
_HEAVY: Final = TRANSCENDENTAL | {Op.SQRT, Op.RECIP, Op.DIV}
#: runs that keep the memory busy, with a few lanes for each
MANY_RUNS: Final = 1 << 13


def team_rows(kernel: Kernel) -> tuple[Node, ...] | None:
    """The output loops a team has one iteration of; None where the flat scheme is better."""
    fixed = ordered(kernel)
    stages = [n for n in kernel.sink.toposort() if n.op is Op.STAGE]
    loops = set(kernel.order)
    folds = _team_folds(kernel)
    shared = [s for s in stages if s.ranges <= loops]
    if shared:
        held = [r for r in kernel.order if r not in fixed and all(r in n.ranges for n in shared + folds)]
        return tuple(held)
    if not folds:
        return _map_rows(kernel)
    rows = _common_loops(kernel, folds, fixed)
    count = prod(map(range_size, rows))
    if any(f.arg.width > 2 for f in folds):
        return rows if count < ENOUGH // 4 else None
    if any(length_of(f) < SHORTEST for f in folds):
        return rows if count >= MANY_RUNS and has_short_teams(kernel, work_of(kernel, rows)) else None
    hoisted = any(r not in rows and r not in fixed for r in kernel.order)
    if hoisted:
        return rows
    if count >= ENOUGH and not any(_runs_along_fold(f) for f in folds):
        return None
    if count >= ENOUGH and any(all(_lies_apart(f, r) for f in folds) for r in rows):
        return None
    if rows and count >= ENOUGH // 8 and all(runs_across(f, rows[-1]) for f in folds):
        return None
    return rows


def _map_rows(kernel: Kernel) -> tuple[Node, ...] | None:
    """The outer loops of a map that has a root or the like for each of its rows, and no vectors whose lanes
    would share it: a team's threads have it for all of their elements. Batch norm of 49 x 33 x 57 x 57 has a
    root and a quotient for each plane of 3,249."""
    if ordered(kernel) or folds_of(kernel) or tiles_of(kernel) or len(kernel.order) < 2:
        return None
    if any(r.src[0].op is not Op.CONST for r in kernel.order):
        return None
    last = kernel.order[-1]
    heavy = [n for n in kernel.nodes if n.op in _HEAVY and n.dtype.is_float and last not in n.ranges]
    shared = {r for n in heavy for r in n.ranges}
    deepest = max((kernel.order.index(r) for r in shared if r in kernel.order), default=-1)
    rows, inner = kernel.order[: deepest + 1], kernel.order[deepest + 1 :]
    if not rows or prod(map(range_size, inner)) < LONG_ROW or prod(map(range_size, rows)) < 2 * PROCESSORS:
        return None
    return rows if vector_width(kernel, kernel.order) == 1 else None


def possible_rows(kernel: Kernel) -> tuple[Node, ...] | None:
    """The output loops teams could have one iteration of, whether or not that is better."""
    chosen = team_rows(kernel)
    if chosen is not None:
        return chosen
    fixed = ordered(kernel)
    folds = _team_folds(kernel)
    if not folds or tiles_of(kernel):
        return None
    return _common_loops(kernel, folds, fixed)


def _team_folds(kernel: Kernel) -> list[Node]:
    """The reductions that are teams' work: the long ones, or where there are none those of runs of memory."""
    outer = outer_folds(kernel, folds_of(kernel))
    long = [f for f in outer if length_of(f) >= SHORTEST]
    short = [f for f in outer if length_of(f) > SHORT] if not long else []
    return long or (short if all(map(_is_run, short)) else [])


def _is_run(fold: Node) -> bool:
    """Is what a fold reads most of a run of neighbours, apart from those of other results?"""
    return fold.arg.width == 1 and all(_run(n, fold) >= SHORTEST_RUN for n in _largest_loads(fold))


def _run(load: Node, fold: Node) -> int:
    """Neighbours in memory that a fold reads for a result; 0 where those of other results are among them."""
    run = run_of(load, fold)
    steps = [coefficient_of(load.src[1], r) for r in fold.ranges]
    return 0 if any(step and abs(step) < run for step in steps) else run


def _common_loops(kernel: Kernel, folds: list[Node], fixed: set[Node]) -> tuple[Node, ...]:
    """The loops whose iterations are rows: those of all folds. One of few results in or beside others, as the
    norms of some vectors at their product with a matrix, is repeated by every team if it is no longer than
    theirs: its elements are in the cache, and they are at work on them anyway."""
    main = [f for f in folds if not is_repeated(f, folds)]
    return tuple(r for r in kernel.order if r not in fixed and all(r in f.ranges for f in main))


def is_repeated(fold: Node, folds: list[Node]) -> bool:
    """Is it of few rows, in or beside other folds, each of them for many more, and no longer than any?"""
    others = [f for f in folds if f is not fold and f.ranges != fold.ranges]
    if not others or prod(map(range_size, fold.ranges)) >= PROCESSORS:
        return False
    return all(f.ranges > fold.ranges and length_of(f) >= length_of(fold) for f in others)


def _runs_along_fold(fold: Node) -> bool:
    """Are neighbours of the fold's last loop neighbours in memory?"""
    last = own_ranges(fold)[-1]
    return any(last in n.ranges and runs_along(n, last) == "next" for n in _largest_loads(fold))


def _lies_apart(fold: Node, r: Node) -> bool:
    """Does a fold read apart in memory what rows side by side read together? That of a[i, j] + w[j, k] over j
    does, where neighbours along k read neighbours of w and one number of a."""
    last, loads = own_ranges(fold)[-1], _largest_loads(fold)
    return any(runs_along(n, last) == "jump" for n in loads) and all(_step(n, r) in (0, 1) for n in loads)


def _step(load: Node, r: Node) -> int | None:
    """How far the second place along a range is from the first; None where that depends."""
    first, second = (load.src[1].substitute({r: index_const(i)}) for i in range(2))
    step = simplify(second - first)
    return step.arg if step.op is Op.CONST else None


def runs_across(fold: Node, r: Node) -> bool:
    return any(runs_along(n, r) == "next" for n in _largest_loads(fold)) and not _runs_along_fold(fold)


def is_beside(fold: Node, r: Node) -> bool:
    """Are neighbours of a row neighbours in memory, as windows of both are? What a mask leaves out at edges
    does not part them."""
    loads = [n for n in _largest_loads(fold) if r not in n.src[0].ranges]
    return any(coefficient_of(n.src[1], r) in (1, -1) for n in loads)


def _largest_loads(fold: Node) -> list[Node]:
    """What a fold reads most of: beside a matrix, it does not matter how its threads read a vector."""
    own = set(own_ranges(fold))
    loads = [n for b in fold.src[: fold.arg.elements] for n in b.toposort() if n.op is Op.LOAD]
    sizes = [prod(range_size(r) for r in n.ranges if r in own or r in fold.ranges) for n in loads]
    return [n for n, size in zip(loads, sizes, strict=True) if size * 8 >= max(sizes)]


@dataclass(frozen=True)
class Work:
    """What a team has for a row: its reductions, the longest loop, how often the row is gone through, how
    many rows there are, and the vectors that loads allow."""

    folds: list[Node]
    inner: tuple[Node, ...]
    fixed: set[Node]
    longest: int
    count: int
    repeated: bool
    pairs: bool
    width: int


def work_of(kernel: Kernel, rows: tuple[Node, ...]) -> Work:
    fixed = ordered(kernel)
    inner = tuple(r for r in kernel.order if r not in rows)
    folds = [f for f in _team_folds(kernel) if f.ranges <= {*rows, *fixed}]
    count = prod(map(range_size, rows))
    lengths = [_expected_length(f, count) for f in folds] + [prod(map(range_size, inner))]
    lengths += [prod(map(range_size, own_ranges(s))) for s in tiles_of(kernel)]
    pairs = any(f.arg.width > 1 for f in folds)
    widths = [_fold_width(f) for f in folds if not is_repeated(f, folds)]
    width = 1 if pairs else min(widths or [1])
    repeated = len(folds) + bool(inner) > 1
    return Work(folds, inner, fixed, max(lengths), count, repeated, pairs, width)


def _expected_length(fold: Node, rows: int) -> int:
    """What a fold has to do for one of so many rows: where it ends at a computed value, its share of what it
    reads. Segments of a long list are short."""
    if all(r.src[0].op is Op.CONST for r in own_ranges(fold)):
        return length_of(fold)
    own = set(own_ranges(fold))
    loads = [n for b in fold.src[: fold.arg.elements] for n in b.toposort() if n.op is Op.LOAD]
    sizes = [n.src[0].arg.size for n in loads if n.ranges & own]
    return min(length_of(fold), -(-max(sizes, default=length_of(fold)) // max(rows, 1)))


def packed_rows(kernel: Kernel) -> int:
    """How many rows of packed matrices a kernel sums and does nothing else with; 0 for any other kernel."""
    rows = team_rows(kernel)
    if rows is None or set(rows) != set(kernel.order) or tiles_of(kernel):
        return 0
    work = work_of(kernel, rows)
    plain = not (work.pairs or work.fixed) and work.longest >= SHORTEST
    return work.count if plain and is_packed(work) else 0


def is_packed(work: Work) -> bool:
    """Do all sums over rows read integers alone of their matrices, as codes and scales of a few bits?"""
    folds = [f for f in work.folds if f.ranges]
    loads = [n for f in folds for n in f.src[0].toposort() if n.op is Op.LOAD and n.ranges & f.ranges]
    return bool(loads) and not any(n.dtype.is_float for n in loads)


def has_short_teams(kernel: Kernel, work: Work) -> bool:
    """May a warp have several rows? Its lanes exchange what they have in step: no loop ends at a computed
    value, and nothing waits at a barrier of its team."""
    loops = [r for f in folds_of(kernel) for r in own_ranges(f)]
    in_step = all(r.src[0].op is Op.CONST for r in (*loops, *kernel.order))
    return in_step and not work.fixed and not work.pairs and not tiles_of(kernel)


def tile_bytes(kernel: Kernel) -> int:
    """Of shared memory that a row's tiles need."""
    return sum(s.arg.size * s.dtype.itemsize + 16 for s in tiles_of(kernel))


def _fold_width(fold: Node) -> int:
    last = own_ranges(fold)[-1]
    loads = [
        n for b in fold.src[: fold.arg.elements] for n in b.toposort() if n.op is Op.LOAD and last in n.ranges
    ]
    if any(map(_is_vector, loads)):
        return 1
    loads = [n for n in loads if is_next(n, last)]
    if not loads or last.src[0].op is not Op.CONST:
        return 1
    # the vector that all rows of a matrix meet is in the nearest cache, whatever its type
    most = [n for n in _largest_loads(fold) if n in loads] or loads
    width = min(16 // widest_share(dict.fromkeys(most, 1)), 8)
    while width > 1 and (range_size(last) % width or not all(is_aligned(n, last, width) for n in loads)):
        width //= 2
    return width


def _is_vector(load: Node) -> bool:
    """Does it fill the widest access along a range that is written out, as the words of a packed block?"""
    along = [r for r in load.ranges if r.arg.kind == UNROLL and coefficient_of(load.src[1], r) == 1]
    return any(range_size(r) * load.dtype.itemsize >= WIDEST for r in along)
