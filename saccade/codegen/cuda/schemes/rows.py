"""The scheme of rows: a team of threads, lanes of a warp, a warp or a block, has a row.

    Rows(team=256, teams=1, width=4, in_flight=4, held=True)      a softmax whose rows stay in registers
    Rows(team=8, teams=16, width=8, in_flight=4, held=False)      sums of rows of 64 halves, four of a warp

Reductions and tiles are the team's common work, and the rest of the row is spread over its threads. A row
that fits is read once and stays in registers, because all loops over it become the same axes: what one has
loaded is at hand for the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ....graph.kernels import kernel as terms
from ....graph.kernels.kernel import LOOP, UNROLL, Kernel, range_size
from ....graph.monoid import Monoid
from ....graph.node import Node, index_const, make, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of, simplify
from ...linear.gpu.code import GRID, SHARED_BYTES, TEAM, THREAD, WARP, WIDEST
from ...moves.analysis import runs_along
from ...moves.legal import IllegalMove
from ..search.moves import Rows
from .layout import Numbers, digits, is_aligned, is_next, spread_over
from .shape import (
    ENOUGH,
    MOST_THREADS,
    SHORTEST,
    Shape,
    folds_of,
    guarded,
    length_of,
    ordered,
    outer_folds,
    require_threads,
    tiles_of,
)

#: elements of a row a thread may hold in registers: by choice, and where a search tries
HELD: Final = 64
MOST_HELD: Final = 128
#: the same where a block has so many threads that each has 64 registers, and where they hold more than one
#: float32 for an element on its way: the rest would lie in memory (on an H200 softmax of 529 x 50257 bfloat16
#: 108 -> 87 us, of 1024 x 32000 under a penalty 266 -> 174; without one 68 -> 60, but 101 -> 123 of float32)
HELD_OF_FEW: Final = 40
LARGE_TEAM: Final = 1024
#: rows of a team that share a vector, at most, as vectors of a thread on their way together, and warps that
#: keep the memory busy
MOST_EACH: Final = 4
IN_FLIGHT: Final = 8
BUSY_WARPS: Final = 2048
#: blocks that keep all multiprocessors of a large card at work
PROCESSORS: Final = 128
#: lanes that a row has at least which is longer than a warp, and the loads of each at most, all on their way
#: at once: rows of 65 halves are nine of eight lanes, and leave seven of 72 idle instead of 31 of 96 (5,329
#: matrices of 65 x 65 times vectors 55 -> 22 us on an H200, 30 by 16 lanes)
FEW_LANES: Final = 8
MOST_STEPS: Final = 12
#: threads of a block each of which can have 128 registers
WIDE_BLOCK: Final = 512
#: blocks that share a workspace, when tiles do not fit into shared memory
PERSISTENT: Final = 1056


def team_rows(kernel: Kernel) -> tuple[Node, ...] | None:
    """The output loops a team has one iteration of; None where the flat scheme is better."""
    fixed = ordered(kernel)
    stages = [n for n in kernel.sink.toposort() if n.op is Op.STAGE]
    loops = set(kernel.order)
    folds = [f for f in outer_folds(kernel, folds_of(kernel)) if length_of(f) >= SHORTEST]
    shared = [s for s in stages if s.ranges <= loops]
    if shared:
        held = [r for r in kernel.order if r not in fixed and all(r in n.ranges for n in shared + folds)]
        return tuple(held)
    if not folds:
        return None
    rows = _common_loops(kernel, folds, fixed)
    count = prod(map(range_size, rows))
    if any(f.arg.width > 2 for f in folds):
        return rows if count < ENOUGH // 4 else None
    hoisted = any(r not in rows and r not in fixed for r in kernel.order)
    if hoisted:
        return rows
    if count >= ENOUGH and not any(_runs_along_fold(f) for f in folds):
        return None
    if rows and count >= ENOUGH // 8 and all(_runs_across(f, rows[-1]) for f in folds):
        return None
    return rows


def possible_rows(kernel: Kernel) -> tuple[Node, ...] | None:
    """The output loops teams could have one iteration of, whether or not that is better."""
    chosen = team_rows(kernel)
    if chosen is not None:
        return chosen
    fixed = ordered(kernel)
    folds = [f for f in outer_folds(kernel, folds_of(kernel)) if length_of(f) >= SHORTEST]
    if not folds or tiles_of(kernel):
        return None
    return _common_loops(kernel, folds, fixed)


def _common_loops(kernel: Kernel, folds: list[Node], fixed: set[Node]) -> tuple[Node, ...]:
    """The loops whose iterations are rows: those of all folds. One of few results in or beside others, as the
    norms of some vectors at their product with a matrix, is repeated by every team if it is no longer than
    theirs: its elements are in the cache, and they are at work on them anyway."""
    main = [f for f in folds if not _is_repeated(f, folds)]
    return tuple(r for r in kernel.order if r not in fixed and all(r in f.ranges for f in main))


def _is_repeated(fold: Node, folds: list[Node]) -> bool:
    """Is it of few rows, in or beside other folds, each of them for many more, and no longer than any?"""
    others = [f for f in folds if f is not fold and f.ranges != fold.ranges]
    if not others or prod(map(range_size, fold.ranges)) >= PROCESSORS:
        return False
    return all(f.ranges > fold.ranges and length_of(f) >= length_of(fold) for f in others)


def _runs_along_fold(fold: Node) -> bool:
    """Are neighbours of the fold's last loop neighbours in memory?"""
    last = own_ranges(fold)[-1]
    return any(last in n.ranges and runs_along(n, last) == "next" for n in _largest_loads(fold))


def _runs_across(fold: Node, r: Node) -> bool:
    return _is_beside(fold, r) and not _runs_along_fold(fold)


def _is_beside(fold: Node, r: Node) -> bool:
    """Are neighbours of a row neighbours in memory, as windows of both are?"""
    return any(r in n.ranges and runs_along(n, r) == "next" for n in _largest_loads(fold))


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


def _work(kernel: Kernel, rows: tuple[Node, ...]) -> Work:
    fixed = ordered(kernel)
    inner = tuple(r for r in kernel.order if r not in rows)
    folds = [
        f
        for f in outer_folds(kernel, folds_of(kernel))
        if length_of(f) >= SHORTEST and f.ranges <= {*rows, *fixed}
    ]
    count = prod(map(range_size, rows))
    lengths = [_expected_length(f, count) for f in folds] + [prod(map(range_size, inner))]
    lengths += [prod(map(range_size, own_ranges(s))) for s in tiles_of(kernel)]
    pairs = any(f.arg.width > 1 for f in folds)
    widths = [_fold_width(f) for f in folds if not _is_repeated(f, folds)]
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


def choose_rows(kernel: Kernel, rows: tuple[Node, ...]) -> Rows:
    work = _work(kernel, rows)
    if _lie_across(kernel, rows, work):
        return Rows(1, 4 * WARP, 1, 4, False)
    # a value and its index are costly to exchange: fewer threads, with more of the row each (107 -> 61 us for
    # argmax of 16384x4096 on an H200)
    indexed = bool(work.folds) and all(f.arg.width == 2 for f in work.folds)
    team = _team(work.longest // (4 if indexed else work.width), work.count, work.repeated)
    # lists of the best more so: a warp for each row, where there are enough (130 -> 35 us for the ten best of
    # 1001 rows of 4000)
    tops = any(f.arg.width > 2 and f.arg.kind.startswith("top") for f in work.folds)
    if tops and work.count >= BUSY_WARPS // 4:
        team = WARP
    team = _lanes(kernel, work) if team == WARP else team
    held = work.repeated and work.longest // team <= _most_held(kernel, rows, team) and not work.pairs
    teams = 4 if team == WARP and work.count >= 4 and 4 * _tile_bytes(kernel) <= SHARED_BYTES else 1
    teams = 4 * WARP // team if team < WARP else teams
    each = _rows_each(kernel, work, team)
    if each > 1:
        several = each * (1 if _is_packed(work) else sum(bool(f.ranges) for f in work.folds))
        return Rows(team, teams, work.width, max(IN_FLIGHT // several, 1), False, each)
    beside = _columns_each(kernel, rows, work)
    if beside > 1:
        return Rows(team, teams, work.width, 4, False, beside)
    width, busy = work.width, work.count * team > BUSY_WARPS * WARP
    while not busy and width > 1 and work.longest < width * team:
        width //= 2  # nobody but the lanes of a short row has its work: each has some of it
    steps = -(-work.longest // (width * team))
    few = steps <= IN_FLIGHT and not busy
    if team < WARP and IN_FLIGHT // 2 < steps <= MOST_STEPS:
        return Rows(team, teams, width, steps, held)
    # few warps wait for memory once, not twice
    return Rows(team, teams, width, 16 if indexed else steps if few and steps > 4 else 4, held)


def _most_held(kernel: Kernel, rows: tuple[Node, ...], team: int) -> int:
    """Elements of a row that a thread may hold, by the registers that it has and what each element takes."""
    loads = [n for n in kernel.sink.toposort() if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    read = {n.src[0] for n in loads if n.ranges & set(rows) and n.ranges - set(rows)}
    plain = len(read) == 1 and all(buffer.dtype.itemsize >= 4 for buffer in read)
    return HELD if plain and team < LARGE_TEAM else HELD_OF_FEW


def rows_of_group(kernel: Kernel, size: int) -> Rows | None:
    """The layout in which a block has `size` neighbouring results, each the work of a warp; None if the
    kernel has other work than that. Where a warp has two packed rows and cannot have all of their words at
    once, a team of some warps has as many rows more instead: a vector of each at a time. They share what is
    read of the activations, and 2 KB of a row are read side by side (down of 8B in Q4_K on an H200, by four
    warps: 8 layers and the head 0.507 -> 0.498 ms)."""
    rows = team_rows(kernel)
    if rows is None or set(rows) != set(kernel.order) or tiles_of(kernel):
        return None
    work = _work(kernel, rows)
    if work.pairs or work.fixed or work.inner or size % WARP or work.count % size:
        return None
    each = _rows_each(kernel, work, WARP)
    while size % each:
        each //= 2
    teams = size // each
    if teams * WARP > MOST_THREADS:
        return None
    several = each * (1 if _is_packed(work) else sum(bool(f.ranges) for f in work.folds))
    wanted, steps = max(IN_FLIGHT // several, 1), work.longest // (work.width * WARP)
    if _is_packed(work) and 1 < each < MOST_EACH and wanted < steps and teams * WARP <= WIDE_BLOCK:
        return Rows(wanted * WARP, teams // wanted, work.width, 1, False, each * wanted)
    return Rows(WARP, teams, work.width, wanted, False, each)


def _rows_each(kernel: Kernel, work: Work, team: int) -> int:
    """Rows for a team of a matrix times a vector: what it reads of the vector, as many bytes as of the matrix
    or more, meets all of them."""
    folds = [f for f in work.folds if not _is_repeated(f, work.folds)]
    rows = {r for f in folds for r in f.ranges}
    if work.inner or work.pairs or tiles_of(kernel) or not all(f.ranges == rows for f in folds):
        return 1
    loads = {n for f in folds for n in f.src[0].toposort() if n.op is Op.LOAD and n.ranges - rows}
    own, shared = (
        sum(_bytes_a_step(n) for n in loads if bool(n.ranges & rows) == mine) for mine in (True, False)
    )
    if shared < own or not rows:
        return 1
    # several matrices in words (gate and up of Q4_K on an H200: 21.6 us with two rows, 19.0 with four)
    most = MOST_EACH if _is_packed(work) else MOST_EACH // len(folds)
    fitting = [
        n for n in (4, 2)
        if n <= most and work.count % n == 0 and work.count // n * team >= BUSY_WARPS * WARP
    ]  # fmt: skip
    return fitting[0] if fitting else 1


def _columns_each(kernel: Kernel, rows: tuple[Node, ...], work: Work) -> int:
    """Columns for a team that sums down a few long ones: neighbours lie in one sector of 32 bytes, of which a
    column alone would use four."""
    if work.inner or work.pairs or tiles_of(kernel) or not work.folds or not rows:
        return 1
    if not all(f.arg.width == 1 and f.ranges >= set(rows) and _runs_across(f, rows[-1]) for f in work.folds):
        return 1
    fitting = [n for n in (4, 2) if range_size(rows[-1]) % n == 0 and work.count // n >= PROCESSORS]
    return fitting[0] if fitting else 1


def packed_rows(kernel: Kernel) -> int:
    """How many rows of packed matrices a kernel sums and does nothing else with; 0 for any other kernel."""
    rows = team_rows(kernel)
    if rows is None or set(rows) != set(kernel.order) or tiles_of(kernel):
        return 0
    work = _work(kernel, rows)
    return work.count if not (work.pairs or work.fixed) and _is_packed(work) else 0


def _is_packed(work: Work) -> bool:
    """Do all sums over rows read integers alone of their matrices, as codes and scales of a few bits?"""
    folds = [f for f in work.folds if f.ranges]
    loads = [n for f in folds for n in f.src[0].toposort() if n.op is Op.LOAD and n.ranges & f.ranges]
    return bool(loads) and not any(n.dtype.is_float for n in loads)


def _bytes_a_step(load: Node) -> int:
    """Of a load in an iteration of a fold: all that is written out."""
    return load.dtype.itemsize * prod(range_size(r) for r in load.ranges if r.arg.kind == UNROLL)


def _require_rows(kernel: Kernel, work: Work, move: Rows) -> None:
    require_threads(move.team * move.teams)
    if move.team < WARP and (move.team < 1 or WARP % move.team or not _has_short_teams(kernel, work)):
        raise IllegalMove(f"{move}: teams of this kernel are no parts of a warp")
    if move.team > WARP and move.team & (move.team - 1):
        raise IllegalMove(f"{move}: a team is a warp, a part of one, or 2**n of them")
    if move.teams > max(work.count, 1) or (
        move.teams > 1 and move.teams * _tile_bytes(kernel) > SHARED_BYTES
    ):
        raise IllegalMove(f"{move}: {work.count} rows, with the memory each needs, are no {move.teams} teams")
    if move.in_flight < 1 or move.width < 1 or work.width % move.width:
        raise IllegalMove(f"{move}: the rows of this kernel lie in vectors of {work.width}")
    if move.each < 1 or (move.each > 1 and (work.inner or work.count % move.each or tiles_of(kernel))):
        raise IllegalMove(f"{move}: {work.count} rows of this kernel are no whole number of {move.each}")
    if move.teams * move.each > max(work.count, 1):
        raise IllegalMove(f"{move}: {work.count} rows are no {move.teams} teams of {move.each}")
    if move.held and (work.pairs or work.longest // move.team > MOST_HELD):
        raise IllegalMove(f"{move}: a row of {work.longest} does not stay in registers")


def by_rows(kernel: Kernel, move: Rows) -> Shape:
    """Teams over rows; folds and tiles that belong to a row are the team's common work."""
    rows = possible_rows(kernel)
    if rows is None:
        raise IllegalMove("this kernel has no rows for teams: lay it out flat")
    work = _work(kernel, rows)
    _require_rows(kernel, work, move)
    folds, inner, fixed, longest = work.folds, work.inner, work.fixed, work.longest
    team, width, held = move.team, move.width, move.held
    numbers = Numbers(kernel)
    done: dict[Node, Node] = {}
    for node in kernel.sink.toposort():
        src = tuple([done[s] for s in node.src])
        made = node if src == node.src else make(node.op, node.dtype, src, node.arg)
        if node in folds:
            made = _team_fold(made, numbers, move)
        elif node.op is Op.STAGE and node.ranges <= {*rows, *fixed}:
            made = _team_stage(made, numbers, team)
        done[node] = made
    sink = done[kernel.sink]
    row, valid, order = _row_index(kernel, numbers, work.count // move.each, move.teams)
    if move.each > 1:
        each = numbers.axis(UNROLL, move.each, "each")
        row, order = simplify(row * move.each + each), [*order, each]
    mapping = digits(rows, row)
    if inner and not any(r in fixed for r in inner):
        sizes = tuple(map(range_size, inner))
        mine = width if sizes[-1] % width == 0 and all(r.src[0].op is Op.CONST for r in inner) else 1
        if any(tile.ranges & set(inner) for tile in tiles_of(kernel)):
            # a thread has one tile of its own, so it takes one point at a time
            layout = spread_over(numbers, sizes, 1, team, False, 1)
        else:
            layout = spread_over(numbers, sizes, mine, team, held and prod(sizes) == longest, move.in_flight)
        mapping |= layout.digits(inner)
        order += layout.ranges
        valid = layout.valid if valid is None else valid if layout.valid is None else valid & layout.valid
    else:
        order += inner
        first = numbers.axis(THREAD, team).eq(0)
        valid = first if valid is None else valid & first
        order.append(numbers.axis(THREAD, team))
    sink = simplify(guarded(sink.substitute(mapping), valid))
    return Shape(replace(kernel, sink=sink, order=tuple(order)), team, move)


def _team(vectors: int, rows: int, repeated: bool) -> int:
    """Threads for a row of so many vectors: a warp for a short one, else a block; sooner where the row is
    `repeated`, gone through again (11.2 -> 10.6 us for softmax of 4096x1024 on an H200)."""
    if vectors <= (128 if repeated else 256) and rows >= 64:
        return WARP
    for team, least in ((1024, 16384), (512, 2048), (256, 1024)):
        if vectors >= least or (rows < 264 and vectors >= 2 * team):
            return team
    return 128


def _lanes(kernel: Kernel, work: Work) -> int:
    """Threads for a row that is short for a warp: as many as it has vectors, or of somewhat longer rows so
    many that few lanes are idle, where rows enough keep the memory busy."""
    if not _has_short_teams(kernel, work):
        return WARP
    vectors = work.longest // work.width
    lanes = 1 << max(vectors - 1, 0).bit_length()
    if lanes >= WARP and vectors <= MOST_STEPS * FEW_LANES and not work.repeated:
        lanes = min((WARP, WARP // 2, FEW_LANES), key=lambda n: -(-vectors // n) * n)
    busy = work.count * lanes > BUSY_WARPS * WARP
    return lanes if lanes < WARP and busy else WARP


def _has_short_teams(kernel: Kernel, work: Work) -> bool:
    """May a warp have several rows? Its lanes exchange what they have in step: no loop ends at a computed
    value, and nothing waits at a barrier of its team."""
    loops = [r for f in folds_of(kernel) for r in own_ranges(f)]
    in_step = all(r.src[0].op is Op.CONST for r in (*loops, *kernel.order))
    return in_step and not work.fixed and not work.pairs and not tiles_of(kernel)


def _lie_across(kernel: Kernel, rows: tuple[Node, ...], work: Work) -> bool:
    """Do neighbouring rows lie side by side, as pixels whose rows are channels, in all that is read and
    written, and are there enough of them for a thread each? A team would touch a sector for every element."""
    if not rows or work.count < BUSY_WARPS * WARP or not _has_short_teams(kernel, work):
        return False
    stores = all(coefficient_of(store.src[1], rows[-1]) == 1 for store in kernel.sink.src)
    return stores and bool(work.folds) and all(_is_beside(f, rows[-1]) for f in work.folds)


def _tile_bytes(kernel: Kernel) -> int:
    """Of shared memory that a row's tiles need."""
    return sum(s.arg.size * s.dtype.itemsize + 16 for s in tiles_of(kernel))


def _row_index(
    kernel: Kernel, numbers: Numbers, count: int, teams: int
) -> tuple[Node, Node | None, list[Node]]:
    """The row of a team, whether it exists, and the ranges that make it up."""
    blocks = -(-count // teams)
    w = numbers.axis(TEAM, teams) if teams > 1 else index_const(0)
    if _tile_bytes(kernel) > SHARED_BYTES and blocks > PERSISTENT:
        steps = -(-blocks // PERSISTENT)
        again, b = numbers.axis(LOOP, steps, "again"), numbers.axis(GRID, PERSISTENT)
        row, order = again * PERSISTENT + b, [again, b]
        covered = steps * PERSISTENT
    else:
        b = numbers.axis(GRID, blocks) if blocks > 1 else index_const(0)
        row, order = simplify(b * teams + w), [r for r in (b, w) if r.op is Op.RANGE]
        covered = blocks * teams
    if covered == count:
        return row, None, order
    return simplify(row.minimum(count - 1)), row < count, order


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
    width = min(16 // min(n.dtype.itemsize for n in loads), 8)
    while width > 1 and (range_size(last) % width or not all(is_aligned(n, last, width) for n in loads)):
        width //= 2
    return width


def _is_vector(load: Node) -> bool:
    """Does it fill the widest access along a range that is written out, as the words of a packed block?"""
    along = [r for r in load.ranges if r.arg.kind == UNROLL and coefficient_of(load.src[1], r) == 1]
    return any(range_size(r) * load.dtype.itemsize >= WIDEST for r in along)


def _team_fold(fold: Node, numbers: Numbers, move: Rows) -> Node:
    """The fold over its team: every thread its part."""
    monoid: Monoid = fold.arg
    own = own_ranges(fold)
    if any(r.src[0].op is not Op.CONST for r in own):
        return _team_ragged(fold, numbers, move.team)
    sizes = tuple(map(range_size, own))
    width = move.width if sizes[-1] % move.width == 0 else 1
    held = move.held and prod(sizes) // move.team <= MOST_HELD
    layout = spread_over(numbers, sizes, width, move.team, held, move.in_flight)
    mapping = layout.digits(own)
    bodies = tuple([simplify(b.substitute(mapping)) for b in fold.src[: monoid.elements]])
    return terms.fold(monoid, _masked(monoid, bodies, layout.valid), layout.ranges)


def _masked(monoid: Monoid, bodies: tuple[Node, ...], valid: Node | None) -> tuple[Node, ...]:
    if valid is None:
        return bodies
    identity = monoid.identity(tuple(b.dtype for b in bodies))
    ends = (identity[0],) if monoid.elements == 1 else (identity[0], identity[monoid.k])
    return tuple([valid.where(b, e) for b, e in zip(bodies, ends, strict=True)])


def _team_ragged(fold: Node, numbers: Numbers, team: int) -> Node:
    """A fold whose last loop ends at a computed value: every thread each `team`-th iteration of it."""
    monoid: Monoid = fold.arg
    *outer, last = own_ranges(fold)
    if last.src[0].op is Op.CONST or any(r.src[0].op is not Op.CONST for r in outer):
        return fold
    size = last.src[0]
    t = numbers.axis(THREAD, team)
    k = numbers.axis(LOOP, simplify((size + (team - 1)) // team), "ragged")
    position = k * team + t
    valid = position < size
    mapping = {last: position.minimum(size - 1)}
    bodies = tuple([simplify(b.substitute(mapping)) for b in fold.src[: monoid.elements]])
    return terms.fold(monoid, _masked(monoid, bodies, valid), (*outer, k, t))


def _team_stage(tile: Node, numbers: Numbers, team: int) -> Node:
    """The tile filled by its team, one element a thread at a time."""
    own = own_ranges(tile)
    if not own or any(r.src[0].op is not Op.CONST for r in own):
        return tile
    layout = spread_over(numbers, tuple(map(range_size, own)), 1, team, False, 1)
    mapping = layout.digits(own)
    value, index = (simplify(s.substitute(mapping)) for s in tile.src[:2])
    return make(Op.STAGE, tile.dtype, (value, index, *layout.ranges), tile.arg)
