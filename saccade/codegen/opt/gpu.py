"""The shape of a kernel on a GPU: which loops become blocks, teams and threads, and what a thread holds in
registers.

    flat    every thread has its own points of the output: maps, column sums, top-k with one thread a query
    rows    a team (a warp, or a block) has a row: reductions and tiles are the team's common work, and the
            rest of the row is spread over its threads. A row that fits is read once and stays in registers,
            because all loops over it become the same axes: what one has loaded is at hand for the others

Both spread loops as `gpu_layout` says. The heuristic (`choose`) and a search say how in the moves `Flat` and
`Rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ...graph import kernel as terms
from ...graph.kernel import LOOP, UNROLL, Kernel, loop, range_size
from ...graph.monoid import Monoid
from ...graph.node import Node, index_const, make, own_ranges
from ...graph.ops import Op
from ...graph.sums import affine
from ...graph.symbolic import bounds, simplify
from ..gpu_code import GRID, QUEUE_STEPS, QUEUED_LENGTH, QUEUED_RESULTS, SHARED_BYTES, TEAM, THREAD, WARP
from .analysis import runs_along
from .gpu_layout import Layout, Numbers, digits, is_aligned, is_next, spread_over, vector_width
from .gpu_moves import Flat, Rows
from .legal import IllegalMove
from .ragged import conjuncts

#: threads of a block in the flat scheme
FLAT: Final = 256
#: the same where every thread has reductions of its own
FLAT_LOOPS: Final = 128
#: elements of a row a thread may hold in registers
HELD: Final = 64
#: reductions shorter than this are one thread's work
SHORTEST: Final = 32
#: reductions up to this are written out
SHORT: Final = 8
#: with this many threads at work, more parallelism gains nothing
ENOUGH: Final = 1 << 16
#: blocks that share a workspace, when tiles do not fit into shared memory
PERSISTENT: Final = 1056


#: the most of it a search may try, and the most threads of a block
MOST_HELD: Final = 128
MOST_THREADS: Final = 1024


@dataclass(frozen=True)
class Shape:
    """A kernel with its ranges bound, how many threads a team has, and the move that says so."""

    kernel: Kernel
    team: int
    move: Flat | Rows


def shape(kernel: Kernel, move: Flat | Rows | None = None) -> Shape:
    """The kernel laid out as the move says, or as the heuristics choose; IllegalMove if it has no place for
    that."""
    kernel = _short_folds_unrolled(kernel)
    chosen = choose(kernel) if move is None else move
    return flat(kernel, chosen) if isinstance(chosen, Flat) else by_rows(kernel, chosen)


def choose(kernel: Kernel) -> Flat | Rows:
    """The layout a person would choose for a kernel whose short folds are written out."""
    rows = team_rows(kernel)
    return _choose_flat(kernel) if rows is None else _choose_rows(kernel, rows)


def alternatives(kernel: Kernel) -> list[Flat | Rows]:
    """The choice, and the best guess of the other scheme where the kernel can be laid out so."""
    kernel = _short_folds_unrolled(kernel)
    chosen = choose(kernel)
    other = possible_rows(kernel) if isinstance(chosen, Flat) else None
    if other is not None:
        return [chosen, _choose_rows(kernel, other)]
    if isinstance(chosen, Rows) and not _tiles(kernel) and _points(kernel) >= FLAT:
        return [chosen, _choose_flat(kernel)]
    return [chosen]


def _short_folds_unrolled(kernel: Kernel) -> Kernel:
    """Folds over a few elements are written out, so that what they read can leave the loops around them."""
    mapping: dict[Node, Node] = {}
    for fold in _folds(kernel):
        own = own_ranges(fold)
        if all(r.src[0].op is Op.CONST and r.arg.kind == LOOP for r in own) and _length(fold) <= SHORT:
            mapping |= {r: loop(r.arg.number, range_size(r), UNROLL) for r in own}
    return replace(kernel, sink=kernel.sink.substitute(mapping)) if mapping else kernel


def without_cheap_tiles(kernel: Kernel) -> Kernel:
    """Tiles become their values where no fold is behind each element: their makers have them at hand."""
    mapping: dict[Node, Node] = {}
    for node in kernel.sink.toposort():
        if node.op is Op.LOAD and node.src[0].op is Op.STAGE and len(node.src) == 2:
            value = _tile_value(node.src[0], node.src[1])
            if value is not None:
                mapping[node] = value
    if not mapping:
        return kernel
    sink = kernel.sink.substitute(mapping)
    return without_cheap_tiles(replace(kernel, sink=simplify(sink)))


def _tile_value(tile: Node, index: Node) -> Node | None:
    """What a tile holds at an index, or None where it is better kept."""
    own = own_ranges(tile)
    value, place = tile.src[:2]
    if any(n.op in (Op.FOLD, Op.STAGE, Op.PREFIX) and n.ranges & set(own) for n in value.toposort()):
        return None
    mapping: dict[Node, Node] = {}
    rest = index
    for number, r in reversed(list(enumerate(own))):
        size = range_size(r)
        mapping[r] = simplify(rest if number == 0 else rest % size)
        rest = rest // size
    return value.substitute(mapping) if simplify(place.substitute(mapping)) is simplify(index) else None


# --- what has to stay in order


def ordered(kernel: Kernel) -> set[Node]:
    """Output loops that run in order: of running reductions, and of stores that may hit one place twice."""
    axes = {n.src[-1] for n in kernel.sink.toposort() if n.op is Op.PREFIX}
    for node in kernel.sink.src:
        if len(node.src) == 4 and node.arg is None:
            axes |= set(kernel.order) - _apart(node)
    return axes


def _apart(store: Node) -> set[Node]:
    """Loops whose iterations write to places of their own, whatever the index they load.

    In `p[r0 * 9 + where] = ...` with 0 <= where < 9, by the condition of the store, rows are apart: the
    terms of the place are digits of a number, each stepping over all that the smaller ones reach."""
    terms_of, _ = affine(store.src[1])
    limits = _limits(store.src[3])
    reached: float = 0
    apart: set[Node] = set()
    for term, factor in sorted(terms_of.items(), key=lambda one: abs(one[1])):
        if abs(factor) <= reached:
            apart = set()  # two numbers may agree although the digits below this one differ
        elif term.op is Op.RANGE:
            apart.add(term)
        low, high = (0.0, range_size(term) - 1.0) if term.op is Op.RANGE else limits.get(term, bounds(term))
        reached += abs(factor) * (high - low)
    return apart


def _limits(condition: Node) -> dict[Node, tuple[float, float]]:
    """The values that a condition allows to what it compares with constants, least and most."""
    found: dict[Node, tuple[float, float]] = {}
    for part in conjuncts(condition):
        if part.op is Op.LT:
            small, large = part.src
            if large.op is Op.CONST:
                low, high = found.get(small, bounds(small))
                found[small] = low, min(high, large.arg - 1)
            elif small.op is Op.CONST:
                low, high = found.get(large, bounds(large))
                found[large] = max(low, small.arg + 1), high
    return found


def _folds(kernel: Kernel) -> list[Node]:
    return [n for n in kernel.sink.toposort() if n.op is Op.FOLD]


def _length(fold: Node) -> int:
    return prod(map(range_size, own_ranges(fold)))


# --- flat


@dataclass(frozen=True)
class Spread:
    """The loops of the output in the flat scheme: those that threads share, and those each runs through."""

    folds: list[Node]
    fixed: set[Node]
    parallel: tuple[Node, ...]
    inner: tuple[Node, ...]

    @property
    def total(self) -> int:
        return prod(map(range_size, self.parallel))

    @property
    def scalar(self) -> bool:
        """Does a thread take one point at a time? Pairs and loops of its own have no lanes."""
        return bool(self.inner) or any(f.arg.width > 1 for f in self.folds)


def _spread(kernel: Kernel) -> Spread:
    fixed = ordered(kernel)
    folds = [f for f in _folds(kernel) if _length(f) > 1]
    outer = _outer_folds(kernel, folds)
    parallel = tuple(r for r in kernel.order if r not in fixed and all(r in f.ranges for f in outer))
    return Spread(folds, fixed, parallel, tuple(r for r in kernel.order if r not in parallel))


def _points(kernel: Kernel) -> int:
    return _spread(kernel).total


def _choose_flat(kernel: Kernel) -> Flat:
    spread = _spread(_in_steps(kernel))
    folds, total = spread.folds, spread.total
    width = vector_width(kernel, spread.parallel, 4 if folds else 8) if not spread.inner else 1
    while width > 1 and total // width < ENOUGH:
        width //= 2
    width = 1 if spread.scalar else width
    repeat = 4 if not folds and total // width >= 1 << 22 else 1
    # threads with a loop each end at different times: smaller blocks leave fewer of them waiting
    team = (FLAT_LOOPS if folds else FLAT) if total >= FLAT * 132 else 128 if total >= 128 else WARP
    return Flat(team, width, repeat)


def flat(kernel: Kernel, move: Flat) -> Shape:
    """Threads over the output points; folds are each thread's own."""
    kernel = _in_steps(kernel)
    if move.steps > 1:
        kernel = _folds_in_steps(kernel, move.steps)
    spread = _spread(kernel)
    parallel, inner = spread.parallel, spread.inner
    _require_flat(kernel, spread, move)
    numbers = Numbers(kernel)
    team, width, repeat = move.threads, move.width, move.repeat
    vectors = spread.total // width
    blocks = -(-vectors // (team * repeat))
    t, b = numbers.axis(THREAD, team), numbers.axis(GRID, blocks) if blocks > 1 else index_const(0)
    u = numbers.axis(UNROLL, repeat, "u") if repeat > 1 else index_const(0)
    v = numbers.axis(UNROLL, width, "v") if width > 1 else None
    vector = simplify((b * repeat + u) * team + t)
    valid = None
    if vectors % (blocks * repeat * team):
        valid = vector < vectors
        vector = simplify(vector.minimum(vectors - 1))
    layout = Layout(
        tuple(r for r in (b, u, t, v) if r is not None and r.op is Op.RANGE), vector, v, width, valid
    )
    mapping = layout.digits(parallel)
    unrolled = {
        r: numbers.axis(UNROLL, range_size(r), "inner", r) for r in inner if _unrolls(r, spread.fixed)
    }
    sink = kernel.sink.substitute(mapping | unrolled)
    order = (*layout.ranges, *(unrolled.get(r, r) for r in inner))
    return Shape(replace(kernel, sink=simplify(_guard(sink, valid)), order=order), team, move)


def _require_flat(kernel: Kernel, spread: Spread, move: Flat) -> None:
    _require_threads(move.threads)
    if move.repeat < 1 or move.width < 1 or move.steps < 1:
        raise IllegalMove(f"{move} has a size below 1")
    if _tiles(kernel):
        raise IllegalMove("this kernel has tiles, which belong to a team: lay it out by rows")
    if move.repeat > 1 and spread.scalar:
        raise IllegalMove(f"threads of this kernel run through loops of their own: {move} repeats points")
    last = range_size(spread.parallel[-1]) if spread.parallel else 1
    if move.width > 1 and (spread.scalar or last % move.width):
        raise IllegalMove(f"the last loop, of {last}, has no vectors of {move.width}")


def _require_threads(threads: int) -> None:
    if threads % WARP or not WARP <= threads <= MOST_THREADS:
        raise IllegalMove(
            f"a block cannot have {threads} threads: give it whole warps, at most {MOST_THREADS}"
        )


def _tiles(kernel: Kernel) -> list[Node]:
    return [n for n in kernel.sink.toposort() if n.op is Op.STAGE]


def _folds_in_steps(kernel: Kernel, steps: int) -> Kernel:
    """Each thread's own reductions take several elements at a time: their loads are in flight together."""
    loops = set(kernel.order)

    def step(fold: Node) -> int | None:
        last = own_ranges(fold)[-1]
        simple = fold.arg.width == 1 and fold.ranges <= loops and last.arg.kind == LOOP
        return steps if simple and last.src[0].op is Op.CONST and range_size(last) % steps == 0 else None

    stepped = _by_steps(kernel, step)
    if stepped is kernel:
        raise IllegalMove(f"no reduction of this kernel can take {steps} elements at a time")
    return stepped


def _in_steps(kernel: Kernel) -> Kernel:
    """Searches for the k best look at a few elements at a time: their loads are in flight together."""

    def step(fold: Node) -> int | None:
        last = own_ranges(fold)[-1]
        gathers = fold.arg.kind.startswith("top") and fold.arg.k >= QUEUED_RESULTS
        if not gathers or _length(fold) < QUEUED_LENGTH or last.src[0].op is not Op.CONST:
            return None
        sizes = QUEUE_STEPS if last.arg.kind == LOOP else ()
        return next((size for size in sizes if range_size(last) % size == 0), None)

    return _by_steps(kernel, step)


def _by_steps(kernel: Kernel, step: Callable[[Node], int | None]) -> Kernel:
    """fold over n -> fold over n // size steps of `size` elements, which are written out"""
    numbers = Numbers(kernel)
    done: dict[Node, Node] = {}
    for node in kernel.sink.toposort():
        src = tuple([done[s] for s in node.src])
        made = node if src == node.src else make(node.op, node.dtype, src, node.arg)
        size = step(node) if node.op is Op.FOLD else None
        if size is not None:
            *outer, last = own_ranges(made)
            many = numbers.axis(LOOP, range_size(last) // size, "step", last)
            one = numbers.axis(UNROLL, size, "of a step", last)
            mapping = {last: many * size + one}
            bodies = tuple([simplify(b.substitute(mapping)) for b in made.src[: made.arg.elements]])
            made = terms.fold(made.arg, bodies, (*outer, many, one))
        done[node] = made
    return kernel if done[kernel.sink] is kernel.sink else replace(kernel, sink=done[kernel.sink])


def _unrolls(r: Node, fixed: set[Node]) -> bool:
    """Short loops over the results of a fold are written out: which of the k best is wanted is then known."""
    return r not in fixed and r.src[0].op is Op.CONST and range_size(r) <= 32


def _outer_folds(kernel: Kernel, folds: list[Node]) -> list[Node]:
    """The folds that depend on output loops only."""
    loops = set(kernel.order)
    return [f for f in folds if f.ranges <= loops]


def _guard(sink: Node, valid: Node | None) -> Node:
    """Stores happen where `valid` holds."""
    if valid is None:
        return sink
    stores = []
    for node in sink.src:
        both = valid if len(node.src) == 3 else node.src[3] & valid
        stores.append(make(Op.STORE, node.dtype, (*node.src[:3], both), node.arg))
    return terms.sink(tuple(stores))


# --- rows


def team_rows(kernel: Kernel) -> tuple[Node, ...] | None:
    """The output loops a team has one iteration of; None where the flat scheme is better."""
    fixed = ordered(kernel)
    stages = [n for n in kernel.sink.toposort() if n.op is Op.STAGE]
    loops = set(kernel.order)
    folds = [f for f in _outer_folds(kernel, _folds(kernel)) if _length(f) >= SHORTEST]
    shared = [s for s in stages if s.ranges <= loops]
    if shared:
        held = [r for r in kernel.order if r not in fixed and all(r in n.ranges for n in shared + folds)]
        return tuple(held)
    if not folds:
        return None
    rows = tuple(r for r in kernel.order if r not in fixed and all(r in f.ranges for f in folds))
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
    folds = [f for f in _outer_folds(kernel, _folds(kernel)) if _length(f) >= SHORTEST]
    if not folds or _tiles(kernel):
        return None
    return tuple(r for r in kernel.order if r not in fixed and all(r in f.ranges for f in folds))


def _runs_along_fold(fold: Node) -> bool:
    """Are neighbours of the fold's last loop neighbours in memory?"""
    last = own_ranges(fold)[-1]
    loads = [
        n for b in fold.src[: fold.arg.elements] for n in b.toposort() if n.op is Op.LOAD and last in n.ranges
    ]
    return any(runs_along(n, last) == "next" for n in loads)


def _runs_across(fold: Node, r: Node) -> bool:
    loads = [
        n for b in fold.src[: fold.arg.elements] for n in b.toposort() if n.op is Op.LOAD and r in n.ranges
    ]
    return any(runs_along(n, r) == "next" for n in loads) and not _runs_along_fold(fold)


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
        for f in _outer_folds(kernel, _folds(kernel))
        if _length(f) >= SHORTEST and f.ranges <= {*rows, *fixed}
    ]
    lengths = [_length(f) for f in folds] + [prod(map(range_size, inner))]
    lengths += [prod(map(range_size, own_ranges(s))) for s in _tiles(kernel)]
    pairs = any(f.arg.width > 1 for f in folds)
    width = 1 if pairs else min([_fold_width(f) for f in folds] or [1])
    repeated = len(folds) + bool(inner) > 1
    return Work(folds, inner, fixed, max(lengths), prod(map(range_size, rows)), repeated, pairs, width)


def _choose_rows(kernel: Kernel, rows: tuple[Node, ...]) -> Rows:
    work = _work(kernel, rows)
    team = _team(work.longest // work.width, work.count)
    held = work.repeated and work.longest // team <= HELD and not work.pairs
    teams = 4 if team == WARP and work.count >= 4 and 4 * _tile_bytes(kernel) <= SHARED_BYTES else 1
    return Rows(team, teams, work.width, 4, held)


def _require_rows(kernel: Kernel, work: Work, move: Rows) -> None:
    _require_threads(move.team * move.teams)
    if move.team % WARP or (move.teams > 1 and move.team != WARP):
        raise IllegalMove(f"{move}: a team is a warp, or the only one of its block")
    if move.teams > max(work.count, 1) or (
        move.teams > 1 and move.teams * _tile_bytes(kernel) > SHARED_BYTES
    ):
        raise IllegalMove(f"{move}: {work.count} rows, with the memory each needs, are no {move.teams} teams")
    if move.in_flight < 1 or move.width < 1 or work.width % move.width:
        raise IllegalMove(f"{move}: the rows of this kernel lie in vectors of {work.width}")
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
    row, valid, order = _row_index(kernel, numbers, work.count, move.teams)
    mapping = digits(rows, row)
    if inner and not any(r in fixed for r in inner):
        sizes = tuple(map(range_size, inner))
        mine = width if sizes[-1] % width == 0 and all(r.src[0].op is Op.CONST for r in inner) else 1
        layout = spread_over(numbers, sizes, mine, team, held and prod(sizes) == longest, move.in_flight)
        mapping |= layout.digits(inner)
        order += layout.ranges
        valid = layout.valid if valid is None else valid if layout.valid is None else valid & layout.valid
    else:
        order += inner
        first = numbers.axis(THREAD, team).eq(0)
        valid = first if valid is None else valid & first
        order.append(numbers.axis(THREAD, team))
    sink = simplify(_guard(sink.substitute(mapping), valid))
    return Shape(replace(kernel, sink=sink, order=tuple(order)), team, move)


def _team(vectors: int, rows: int) -> int:
    """Threads for a row of so many vectors: a warp for a short one, else a block."""
    if vectors <= 256 and rows >= 64:
        return WARP
    for team, least in ((1024, 16384), (512, 2048), (256, 1024)):
        if vectors >= least or (rows < 264 and vectors >= 2 * team):
            return team
    return 128


def _tile_bytes(kernel: Kernel) -> int:
    """Of shared memory that a row's tiles need."""
    return sum(s.arg.size * s.dtype.itemsize + 16 for s in _tiles(kernel))


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
    loads = [n for n in loads if is_next(n, last)]
    if not loads or last.src[0].op is not Op.CONST:
        return 1
    width = min(16 // min(n.dtype.itemsize for n in loads), 8)
    while width > 1 and (range_size(last) % width or not all(is_aligned(n, last, width) for n in loads)):
        width //= 2
    return width


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
