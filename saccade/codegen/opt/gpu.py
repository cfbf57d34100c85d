"""The shape of a kernel on a GPU: which loops become blocks, teams and threads, and what a thread holds in
registers.

    flat    every thread has its own points of the output: maps, column sums, top-k with one thread a query
    rows    a team (a warp, or a block) has a row: reductions and tiles are the team's common work, and the
            rest of the row is spread over its threads. A row that fits is read once and stays in registers,
            because all loops over it become the same axes: what one has loaded is at hand for the others

Both spread loops as `gpu_layout` says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ...graph import kernel as terms
from ...graph.kernel import LOOP, UNROLL, Kernel, loop, range_size
from ...graph.monoid import Monoid
from ...graph.node import Node, index_const, make, own_ranges
from ...graph.ops import Op
from ...graph.sums import affine
from ...graph.symbolic import bounds, coefficient_of, simplify
from ..gpu_code import GRID, QUEUE_STEPS, QUEUED_LENGTH, QUEUED_RESULTS, SHARED_BYTES, TEAM, THREAD, WARP
from .analysis import runs_along
from .gpu_layout import Layout, Numbers, digits, is_aligned, is_next, spread_over, vector_width
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


@dataclass(frozen=True)
class Shape:
    """A kernel with its ranges bound, and how many threads a team has."""

    kernel: Kernel
    team: int


def shape(kernel: Kernel) -> Shape:
    """Choose and apply."""
    kernel = _short_folds_unrolled(kernel)
    rows = team_rows(kernel)
    return flat(kernel) if rows is None else by_rows(kernel, rows)


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


def _expected_length(fold: Node, rows: int) -> int:
    """What a fold has to do for one of so many rows: where it ends at a computed value, its share of what it
    reads. Segments of a long list are short."""
    if all(r.src[0].op is Op.CONST for r in own_ranges(fold)):
        return _length(fold)
    own = set(own_ranges(fold))
    loads = [n for b in fold.src[: fold.arg.elements] for n in b.toposort() if n.op is Op.LOAD]
    sizes = [n.src[0].arg.size for n in loads if n.ranges & own]
    return min(_length(fold), -(-max(sizes, default=_length(fold)) // max(rows, 1)))


# --- flat


def flat(kernel: Kernel, wanted: int | None = None) -> Shape:
    """Threads over the output points, `wanted` of them in a block; folds are each thread's own."""
    kernel = _in_steps(kernel)
    fixed = ordered(kernel)
    folds = [f for f in _folds(kernel) if _length(f) > 1]
    parallel = tuple(
        r for r in kernel.order if r not in fixed and all(r in f.ranges for f in _outer_folds(kernel, folds))
    )
    parallel = _along_updates(kernel, parallel)
    inner = tuple(r for r in kernel.order if r not in parallel)
    total = prod(map(range_size, parallel))
    width = vector_width(kernel, parallel, 4 if folds else 8) if not inner else 1
    while width > 1 and total // width < ENOUGH:
        width //= 2
    if any(f.arg.width > 1 for f in folds) or any(s.arg is not None for s in kernel.sink.src):
        width = 1
    numbers = Numbers(kernel)
    vectors = total // width
    repeat = 4 if not folds and vectors >= 1 << 22 else 1
    # threads with a loop each end at different times: smaller blocks leave fewer of them waiting
    team = (FLAT_LOOPS if folds else FLAT) if total >= FLAT * 132 else 128 if total >= 128 else WARP
    team = wanted or team
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
    unrolled = {r: numbers.axis(UNROLL, range_size(r), "inner", r) for r in inner if _unrolls(r, fixed)}
    sink = kernel.sink.substitute(mapping | unrolled)
    order = (*layout.ranges, *(unrolled.get(r, r) for r in inner))
    return Shape(replace(kernel, sink=simplify(_guard(sink, valid)), order=order), team)


def _along_updates(kernel: Kernel, loops: tuple[Node, ...]) -> tuple[Node, ...]:
    """The loops, with the one along which combining stores lie side by side last: neighbouring threads then
    update neighbours, and not one place in turn."""
    updates = [s for s in kernel.sink.src if s.arg is not None]
    for r in reversed(loops):
        if updates and all(coefficient_of(s.src[1], r) == 1 for s in updates):
            return (*(other for other in loops if other is not r), r)
    return loops


def _in_steps(kernel: Kernel) -> Kernel:
    """Searches for the k best look at a few elements at a time: their loads are in flight together."""
    numbers = Numbers(kernel)
    done: dict[Node, Node] = {}
    for node in kernel.sink.toposort():
        src = tuple([done[s] for s in node.src])
        made = node if src == node.src else make(node.op, node.dtype, src, node.arg)
        if node.op is Op.FOLD and node.arg.kind.startswith("top") and node.arg.k >= QUEUED_RESULTS:
            made = _fold_in_steps(made, numbers) if _length(node) >= QUEUED_LENGTH else made
        done[node] = made
    return replace(kernel, sink=done[kernel.sink])


def _fold_in_steps(fold: Node, numbers: Numbers) -> Node:
    *outer, last = own_ranges(fold)
    if last.src[0].op is not Op.CONST or last.arg.kind != LOOP:
        return fold
    size = next((step for step in QUEUE_STEPS if range_size(last) % step == 0), None)
    if size is None:
        return fold
    step = numbers.axis(LOOP, range_size(last) // size, "step", last)
    one = numbers.axis(UNROLL, size, "of a step", last)
    mapping = {last: step * size + one}
    bodies = tuple([simplify(b.substitute(mapping)) for b in fold.src[: fold.arg.elements]])
    return terms.fold(fold.arg, bodies, (*outer, step, one))


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


def _runs_along_fold(fold: Node) -> bool:
    """Are neighbours of the fold's last loop neighbours in memory?"""
    last = own_ranges(fold)[-1]
    return any(last in n.ranges and runs_along(n, last) == "next" for n in _largest_loads(fold))


def _runs_across(fold: Node, r: Node) -> bool:
    loads = _largest_loads(fold)
    return any(r in n.ranges and runs_along(n, r) == "next" for n in loads) and not _runs_along_fold(fold)


def _largest_loads(fold: Node) -> list[Node]:
    """What a fold reads most of: beside a matrix, it does not matter how its threads read a vector."""
    own = set(own_ranges(fold))
    loads = [n for b in fold.src[: fold.arg.elements] for n in b.toposort() if n.op is Op.LOAD]
    sizes = [prod(range_size(r) for r in n.ranges if r in own or r in fold.ranges) for n in loads]
    return [n for n, size in zip(loads, sizes, strict=True) if size * 8 >= max(sizes)]


def by_rows(kernel: Kernel, rows: tuple[Node, ...]) -> Shape:
    """Teams over rows; folds and tiles that belong to a row are the team's common work."""
    fixed = ordered(kernel)
    inner = tuple(r for r in kernel.order if r not in rows)
    folds = [
        f
        for f in _outer_folds(kernel, _folds(kernel))
        if _length(f) >= SHORTEST and f.ranges <= {*rows, *fixed}
    ]
    count = prod(map(range_size, rows))
    lengths = [_expected_length(f, count) for f in folds] + [prod(map(range_size, inner))]
    lengths += [prod(map(range_size, own_ranges(s))) for s in kernel.sink.toposort() if s.op is Op.STAGE]
    longest = max(lengths)
    pairs = any(f.arg.width > 1 for f in folds)
    width = 1 if pairs else min([_fold_width(f) for f in folds] or [1])
    team = _team(longest // width, count)
    repeated = len(folds) + bool(inner) > 1
    held = repeated and longest // team <= HELD and not pairs
    numbers = Numbers(kernel)
    done: dict[Node, Node] = {}
    for node in kernel.sink.toposort():
        src = tuple([done[s] for s in node.src])
        made = node if src == node.src else make(node.op, node.dtype, src, node.arg)
        if node in folds:
            made = _team_fold(made, numbers, team, width, held)
        elif node.op is Op.STAGE and node.ranges <= {*rows, *fixed}:
            made = _team_stage(made, numbers, team)
        done[node] = made
    sink = done[kernel.sink]
    row, valid, order = _row_index(kernel, numbers, count, team)
    mapping = digits(rows, row)
    if inner and not any(r in fixed for r in inner):
        sizes = tuple(map(range_size, inner))
        mine = width if sizes[-1] % width == 0 and all(r.src[0].op is Op.CONST for r in inner) else 1
        layout = spread_over(numbers, sizes, mine, team, held and prod(sizes) == longest, 4)
        mapping |= layout.digits(inner)
        order += layout.ranges
        valid = layout.valid if valid is None else valid if layout.valid is None else valid & layout.valid
    else:
        order += inner
        first = numbers.axis(THREAD, team).eq(0)
        valid = first if valid is None else valid & first
        order.append(numbers.axis(THREAD, team))
    sink = simplify(_guard(sink.substitute(mapping), valid))
    return Shape(replace(kernel, sink=sink, order=tuple(order)), team)


def _team(vectors: int, rows: int) -> int:
    """Threads for a row of so many vectors: a warp for a short one, else a block."""
    if vectors <= 256 and rows >= 64:
        return WARP
    for team, least in ((1024, 16384), (512, 2048), (256, 1024)):
        if vectors >= least or (rows < 264 and vectors >= 2 * team):
            return team
    return 128


def _row_index(
    kernel: Kernel, numbers: Numbers, count: int, team: int
) -> tuple[Node, Node | None, list[Node]]:
    """The row of a team, whether it exists, and the ranges that make it up."""
    tiles = [n for n in kernel.sink.toposort() if n.op is Op.STAGE]
    nbytes = sum(s.arg.size * s.dtype.itemsize + 16 for s in tiles)
    teams = 4 if team == WARP and count >= 4 and 4 * nbytes <= SHARED_BYTES else 1
    blocks = -(-count // teams)
    w = numbers.axis(TEAM, teams) if teams > 1 else index_const(0)
    if nbytes > SHARED_BYTES and blocks > PERSISTENT:
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


def _team_fold(fold: Node, numbers: Numbers, team: int, width: int, held: bool) -> Node:
    """The fold over its team: every thread its part."""
    monoid: Monoid = fold.arg
    own = own_ranges(fold)
    if any(r.src[0].op is not Op.CONST for r in own):
        return _team_ragged(fold, numbers, team)
    sizes = tuple(map(range_size, own))
    width = width if sizes[-1] % width == 0 else 1
    layout = spread_over(numbers, sizes, width, team, held and prod(sizes) // team <= HELD, 4)
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
