"""The scheme of rows: a team of threads, lanes of a warp, a warp or a block, has a row.

    Rows(team=256, teams=1, width=4, in_flight=4, held=True)      a softmax whose rows stay in registers
    Rows(team=8, teams=16, width=8, in_flight=4, held=False)      sums of rows of 64 halves, four of a warp

Reductions and tiles are the team's common work, and the rest of the row is spread over its threads. A row
that fits is read once and stays in registers, because all loops over it become the same axes: what one has
loaded is at hand for the others."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Final

from ....graph.kernels import kernel as terms
from ....graph.kernels.kernel import LOOP, UNROLL, Kernel, range_size
from ....graph.monoid import Monoid
from ....graph.node import Node, index_const, make, own_ranges
from ....graph.ops import TRANSCENDENTAL, Op
from ....graph.rules.symbolic import coefficient_of, simplify
from ...linear.gpu.code import GRID, SHARED_BYTES, TEAM, THREAD, WARP
from ...moves.legal import IllegalMove
from ..search.moves import Rows
from .layout import Numbers, clamped, digits, is_aligned, is_next, spread_over
from .row_work import (
    PROCESSORS,
    Work,
    has_short_teams,
    is_beside,
    is_packed,
    is_repeated,
    possible_rows,
    runs_across,
    team_rows,
    tile_bytes,
    work_of,
)
from .shape import (
    MOST_THREADS,
    SHORT,
    SHORTEST,
    Shape,
    both,
    guarded,
    masked,
    require_threads,
    tiles_of,
)

#: registers of a processor, and of a thread beside those that hold a row. On an H200 means and deviations of
#: rows of 25,088 took 42 us by 512 threads, of which one block fits, and 25 by 256
REGISTERS: Final = 1 << 16
BESIDE_HELD: Final = 30
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
#: rows that keep all warps of a card busy, with one of them each
MANY_ROWS: Final = 1 << 14
#: lanes that a row has at least which is longer than a warp, and the loads of each at most, all on their way
#: at once: rows of 65 halves are nine of eight lanes, and leave seven of 72 idle instead of 31 of 96 (5,329
#: matrices of 65 x 65 times vectors 55 -> 22 us on an H200, 30 by 16 lanes)
FEW_LANES: Final = 8
MOST_STEPS: Final = 12
#: the same of a row that is shorter than a warp
SHORT_STEPS: Final = 4
#: threads of a block each of which can have 128 registers
WIDE_BLOCK: Final = 512
#: blocks that share a workspace, when tiles do not fit into shared memory
PERSISTENT: Final = 1056


def choose_rows(kernel: Kernel, rows: tuple[Node, ...]) -> Rows:
    work = work_of(kernel, rows)
    if _lie_across(kernel, rows, work):
        # the places of a window are constants where all of it is written out, and all its loads on their way
        # (a gate of places, 49 x 33 x 57 x 57 by 7 x 7, on an H200: 34 -> 17 us)
        windows = any(len(own_ranges(f)) > 1 for f in work.folds)
        # a row that is gone through again is read once (layer norm of 64 channels of 56 x 56: 91 -> 54 us)
        most = MOST_HELD if windows else HELD if _goes_again(work) else 0
        return Rows(1, 4 * WARP, 1, 4, work.longest <= most)
    # a value and its index are costly to exchange: fewer threads, with more of the row each (107 -> 61 us for
    # argmax of 16384x4096 on an H200)
    indexed = bool(work.folds) and all(f.arg.width == 2 for f in work.folds)
    team = _team(work, work.longest // (4 if indexed else work.width))
    # lists of the best more so: a warp for each row, where there are enough (130 -> 35 us for the ten best of
    # 1001 rows of 4000)
    tops = any(f.arg.width > 2 and f.arg.kind.startswith("top") for f in work.folds)
    if tops and work.count >= BUSY_WARPS // 4:
        team = WARP
    team = _lanes(kernel, work) if team == WARP else team
    held = work.repeated and work.longest // team <= _most_held(kernel, rows, team) and not work.pairs
    if work.repeated and not held and not work.pairs and _is_heavy_again(work):
        held = work.longest // LARGE_TEAM <= _most_held(kernel, rows, LARGE_TEAM)
        team = LARGE_TEAM if held else team
    beside = _two_beside(work, team) if held and work.longest // team > _held_of_two(team) else None
    if beside is not None:
        return beside
    teams = 4 if team == WARP and work.count >= 4 and 4 * tile_bytes(kernel) <= SHARED_BYTES else 1
    teams = 4 * WARP // team if team < WARP else teams
    each = _rows_each(kernel, work, team)
    if each > 1:
        several = each * (1 if is_packed(work) else sum(bool(f.ranges) for f in work.folds))
        return Rows(team, teams, work.width, max(IN_FLIGHT // several, 1), False, each)
    columns = _columns_each(kernel, rows, work)
    if columns > 1:
        return Rows(team, teams, work.width, 4, False, columns)
    width, busy = work.width, work.count * team > BUSY_WARPS * WARP
    while (not busy or work.longest < SHORTEST) and width > 1 and work.longest < width * team:
        width //= 2  # nobody but the lanes of a short row has its work: each has some of it
    steps = -(-work.longest // (width * team))
    few = steps <= IN_FLIGHT and not busy
    if team < WARP and IN_FLIGHT // 2 < steps <= MOST_STEPS:
        return Rows(team, teams, width, steps, held)
    # few warps wait for memory once, not twice
    queue = 16 if indexed else steps if few and steps > 4 else _queue(work, width, held)
    return Rows(team, teams, width, queue, held)


def _held_of_two(team: int) -> int:
    """Elements that a thread may hold if two blocks share a processor: one reads while the other adds up."""
    return REGISTERS // (2 * team) - BESIDE_HELD


def _two_beside(work: Work, team: int) -> Rows | None:
    """The row by half the threads, if two of these blocks fit where one of so many does, and are there."""
    half, most = team // 2, _held_of_two(team // 2)
    widths = [w for w in (8, 4, 2, 1) if w <= work.width and -(-work.longest // (w * half)) * w <= most]
    return Rows(half, 1, widths[0], 4, True) if widths and work.count >= 2 * PROCESSORS else None


def _queue(work: Work, width: int, held: bool) -> int:
    """Vectors of a thread on their way at once: more where few blocks are at work (sums of 64 rows of 800,000
    on an H200: 77 us with four, 51 with 16), fewer where what is made of each element takes registers: four
    elements (binary cross entropy of 1024 rows of 16,384: 58 us with four vectors of four, 35 with one)."""
    if held or any(f.arg.width > 1 for f in work.folds):
        return 4
    heavy = any(n.op in TRANSCENDENTAL for f in work.folds for n in f.src[0].toposort())
    if work.count < 2 * PROCESSORS:
        return 4 if heavy else 8 if work.repeated else 16
    return max(4 // width, 1) if heavy else 4


def rows_again(kernel: Kernel) -> tuple[Node, ...] | None:
    """Rows that lie side by side, a thread's work each, which are gone through again and fit its registers;
    None if the kernel has no such."""
    rows = possible_rows(kernel)
    work = work_of(kernel, rows) if rows else None
    if rows is None or work is None or work.longest > HELD or tiles_of(kernel):
        return None
    return rows if _goes_again(work) and _lie_across(kernel, rows, work) else None


def _goes_again(work: Work) -> bool:
    """Is a row needed once more when a reduction of it is there? Those that do not need each other share a
    loop."""
    if prod(map(range_size, work.inner)) > SHORT:
        return True
    return any(not set(f.src[0].toposort()).isdisjoint(work.folds) for f in work.folds)


def _is_heavy_again(work: Work) -> bool:
    """Is what a row of halves is made of, before any reduction of it, work that reading it again would
    repeat? Quotients and functions take longer than the second cache. Rows of float32 are read again: a
    thread of 1024 does not have the registers (repetition penalty of 1024 x 32000 on an H200: 165 us, and 179
    with its rows kept; in bfloat16 94 and 70)."""
    first = [f.src[0].toposort() for f in work.folds if set(f.src[0].toposort()).isdisjoint(work.folds)]
    heavy = TRANSCENDENTAL | {Op.DIV, Op.RECIP}
    if any(n.op is Op.LOAD and n.dtype.itemsize > 2 for nodes in first for n in nodes):
        return False
    return _goes_again(work) and any(n.op in heavy for nodes in first for n in nodes)


def _most_held(kernel: Kernel, rows: tuple[Node, ...], team: int) -> int:
    """Elements of a row that a thread may hold, by the registers that it has and what each element takes."""
    loads = [n for n in kernel.sink.toposort() if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    read = {n.src[0] for n in loads if n.ranges & set(rows) and n.ranges - set(rows)}
    plain = len(read) == 1 and all(buffer.dtype.itemsize >= 4 for buffer in read)
    words = max((n.dtype.itemsize for n in loads if n.ranges - set(rows)), default=4) // 4
    return (HELD if plain and team < LARGE_TEAM else HELD_OF_FEW) // max(words, 1)


def rows_of_group(kernel: Kernel, size: int) -> Rows | None:
    """The layout in which a block has `size` neighbouring results, each the work of a warp; None if the
    kernel has other work than that. Where a warp has two packed rows and cannot have all of their words at
    once, a team of some warps has as many rows more instead: a vector of each at a time. They share what is
    read of the activations, and 2 KB of a row are read side by side (down of 8B in Q4_K on an H200, by four
    warps: 8 layers and the head 0.507 -> 0.498 ms)."""
    rows = team_rows(kernel)
    if rows is None or set(rows) != set(kernel.order) or tiles_of(kernel):
        return None
    work = work_of(kernel, rows)
    if work.pairs or work.fixed or work.inner or size % WARP or work.count % size:
        return None
    if work.longest < SHORTEST:
        return None
    each = _rows_each(kernel, work, WARP)
    while size % each:
        each //= 2
    teams = size // each
    if teams * WARP > MOST_THREADS:
        return None
    several = each * (1 if is_packed(work) else sum(bool(f.ranges) for f in work.folds))
    wanted, steps = max(IN_FLIGHT // several, 1), work.longest // (work.width * WARP)
    if is_packed(work) and 1 < each < MOST_EACH and wanted < steps and teams * WARP <= WIDE_BLOCK:
        return Rows(wanted * WARP, teams // wanted, work.width, 1, False, each * wanted)
    return Rows(WARP, teams, work.width, wanted, False, each)


def _rows_each(kernel: Kernel, work: Work, team: int) -> int:
    """Rows for a team of a matrix times a vector: what it reads of the vector, as many bytes as of the matrix
    or more, meets all of them."""
    folds = [f for f in work.folds if not is_repeated(f, work.folds)]
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
    most = MOST_EACH if is_packed(work) else MOST_EACH // len(folds)
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
    if not all(f.arg.width == 1 and f.ranges >= set(rows) and runs_across(f, rows[-1]) for f in work.folds):
        return 1
    fitting = [n for n in (4, 2) if range_size(rows[-1]) % n == 0 and work.count // n >= PROCESSORS]
    return fitting[0] if fitting else 1


def _bytes_a_step(load: Node) -> int:
    """Of a load in an iteration of a fold: all that is written out."""
    return load.dtype.itemsize * prod(range_size(r) for r in load.ranges if r.arg.kind == UNROLL)


def _require_rows(kernel: Kernel, work: Work, move: Rows) -> None:
    require_threads(move.team * move.teams)
    if move.team < WARP and (move.team < 1 or WARP % move.team or not has_short_teams(kernel, work)):
        raise IllegalMove(f"{move}: teams of this kernel are no parts of a warp")
    if move.team > WARP and move.team & (move.team - 1):
        raise IllegalMove(f"{move}: a team is a warp, a part of one, or 2**n of them")
    if move.teams > max(work.count, 1) or (move.teams > 1 and move.teams * tile_bytes(kernel) > SHARED_BYTES):
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
    work = work_of(kernel, rows)
    _require_rows(kernel, work, move)
    folds, inner, fixed, longest = work.folds, work.inner, work.fixed, work.longest
    team, width, held = move.team, move.width, move.held
    numbers = Numbers(kernel)

    def rule(node: Node, src: tuple[Node, ...]) -> Node:
        if node in folds:
            return _team_fold(node.over(src), numbers, move)
        if node.op is Op.STAGE and node.ranges <= {*rows, *fixed}:
            return _team_stage(node.over(src), numbers, team)
        return node.over(src)

    sink = kernel.sink.rebuilt(rule)
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
        valid = both(valid, layout.valid)
    else:
        order += inner
        valid = both(valid, numbers.axis(THREAD, team).eq(0))
        order.append(numbers.axis(THREAD, team))
    sink = simplify(guarded(sink.substitute(mapping), valid))
    return Shape(replace(kernel, sink=sink, order=tuple(order)), team, move)


def _team(work: Work, vectors: int) -> int:
    """Threads for a row of so many vectors: a warp for a short one, else a block; sooner where the row is
    gone through again (11.2 -> 10.6 us for softmax of 4096x1024 on an H200), but for results of so many rows
    that all warps are busy (entropy of 65536x1024 135 -> 117 us, cross entropy of 32768x1000 35 -> 32; with
    rows stored, softmax of 32768x1024, 64 -> 72)."""
    several = work.repeated and (bool(work.inner) or work.count < MANY_ROWS)
    if vectors <= (128 if several else 256) and work.count >= 64:
        return WARP
    for team, least in ((1024, 16384), (512, 2048), (256, 1024)):
        if vectors >= least or (work.count < 264 and vectors >= 2 * team):
            return team
    return 128


def _lanes(kernel: Kernel, work: Work) -> int:
    """Threads for a row that is short for a warp: as many as it has vectors, or of somewhat longer rows so
    many that few lanes are idle, where rows enough keep the memory busy."""
    if not has_short_teams(kernel, work):
        return WARP
    vectors = work.longest // work.width
    if work.longest < SHORTEST:
        # a few vectors of each: what is done once for a row is done by all of its lanes
        least = next(n for n in (2, 4, 8, 16) if vectors <= n * SHORT_STEPS)
        return next((n for n in (least, 2 * least, 4 * least) if n * work.count > BUSY_WARPS * WARP), least)
    lanes = 1 << max(vectors - 1, 0).bit_length()
    if lanes >= WARP and vectors <= MOST_STEPS * FEW_LANES and not work.repeated:
        lanes = min((WARP, WARP // 2, FEW_LANES), key=lambda n: -(-vectors // n) * n)
    busy = work.count * lanes > BUSY_WARPS * WARP
    return lanes if lanes < WARP and busy else WARP


def _lie_across(kernel: Kernel, rows: tuple[Node, ...], work: Work) -> bool:
    """Do neighbouring rows lie side by side, as pixels whose rows are channels, in all that is read and
    written, and are there enough of them for a thread each? A team would touch a sector for every element."""
    if not rows or work.count < BUSY_WARPS * WARP or not has_short_teams(kernel, work):
        return False
    stores = all(coefficient_of(store.src[1], rows[-1]) == 1 for store in kernel.sink.src)
    return stores and bool(work.folds) and all(is_beside(f, rows[-1]) for f in work.folds)


def _row_index(
    kernel: Kernel, numbers: Numbers, count: int, teams: int
) -> tuple[Node, Node | None, list[Node]]:
    """The row of a team, whether it exists, and the ranges that make it up."""
    blocks = -(-count // teams)
    w = numbers.axis(TEAM, teams) if teams > 1 else index_const(0)
    if tile_bytes(kernel) > SHARED_BYTES and blocks > PERSISTENT:
        steps = -(-blocks // PERSISTENT)
        again, b = numbers.axis(LOOP, steps, "again"), numbers.axis(GRID, PERSISTENT)
        row, order = again * PERSISTENT + b, [again, b]
        covered = steps * PERSISTENT
    else:
        b = numbers.axis(GRID, blocks) if blocks > 1 else index_const(0)
        row, order = simplify(b * teams + w), [r for r in (b, w) if r.op is Op.RANGE]
        covered = blocks * teams
    return *clamped(row, count, covered), order


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
    return terms.fold(monoid, masked(monoid, bodies, layout.valid), layout.ranges)


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
    return terms.fold(monoid, masked(monoid, bodies, valid), (*outer, k, t))


def _written_out(value: Node, numbers: Numbers) -> Node:
    """An element of a tile, with short folds of neighbours written out in vectors: each thread makes elements
    alone, and all its loads are on their way together (x.T @ (x @ w - y) of 1,048,576 x 32 on an H200: 183
    us, and 79)."""
    done: dict[Node, Node] = {}
    # what tiles before this one are made of is theirs, and written out already
    for fold in value.toposort(lambda n: n.op is not Op.STAGE):
        if fold.op is not Op.FOLD or fold.arg.elements != 1 or fold.arg.width != 1:
            continue
        own = own_ranges(fold)
        loads = [n for n in fold.src[0].toposort() if n.op is Op.LOAD and own[-1] in n.ranges]
        size = range_size(own[-1]) if own[-1].src[0].op is Op.CONST else HELD + 1
        if len(own) > 1 or size > HELD or not all(is_next(n, own[-1]) for n in loads):
            continue
        width = next(
            (w for w in (4, 2) if size % w == 0 and any(is_aligned(n, own[-1], w) for n in loads)), 1
        )
        step, lane = numbers.axis(UNROLL, size // width, "step"), numbers.axis(UNROLL, width, "lane")
        body = simplify(fold.src[0].substitute({own[-1]: step * width + lane}))
        done[fold] = terms.fold(fold.arg, (body,), (step, lane))
    return value.substitute(done) if done else value


def _team_stage(tile: Node, numbers: Numbers, team: int) -> Node:
    """The tile filled by its team, one element a thread at a time."""
    own = own_ranges(tile)
    if not own or any(r.src[0].op is not Op.CONST for r in own):
        return tile
    layout = spread_over(numbers, tuple(map(range_size, own)), 1, team, False, 1)
    mapping = layout.digits(own)
    written = _written_out(tile.src[0], numbers)
    value, index = (simplify(s.substitute(mapping)) for s in (written, tile.src[1]))
    return make(Op.STAGE, tile.dtype, (value, index, *layout.ranges), tile.arg)
