"""Sums of products: register tiles, packed operands, rows kept in cache.

A fold over k of X[.., v, k] * Y[.., u, k] reads every element of X once for each u and of Y once for each v.
Computing a tile of u x v results at once, in registers, reads each element once per tile. v is the vector
axis, u is unrolled; matrix product, convolution and the two products of attention are the same nest with
other indices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from ...graph.kernel import LOOP, UNROLL, VECTOR, Kernel, is_register, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, own_ranges
from ...graph.ops import ELEMENTWISE, TRANSCENDENTAL, Op
from ...graph.symbolic import coefficient_of
from ...runtime.config import settings
from ...runtime.cpu.machine import host_registers
from ..folds.byte_dots import lies_for_dots
from ..moves.analysis import direct_loads, runs_along
from ..moves.moves import Bind, Order, Pack, Split, Widen, is_in_place, operands, step
from ..moves.ordered import sequential_axes
from .dots import unroll_dots
from .panels import BLOCK, PANEL, panel_columns, rows_together
from .reads import PAGE, reads_of

#: shorter sums are not worth a tile
SHORTEST = 12
#: rows of a block whose lone factors are computed before they are used, the most first
COMPUTED_ROWS = (64, 32, 16)
#: a panel whose rows span more than this is copied together first: it would not stay in the cache and the
#: page tables
SPAN = 64 * 1024
#: instructions that a tile of sums may end in, all sums together, where there are more sums than the latency
#: of an addition asks for
CODE, LEAST_SUMS = 600, 12
#: multiplications in a step of a sum that hide what its loop costs
ENOUGH = 12
#: instructions in the time that lone factors from another page take to come
FAR = 12.0


@dataclass(frozen=True)
class Tile:
    """A choice: axis `v` in vectors of `lanes`, `vectors` of them; axis `u` unrolled `unroll` times."""

    v: Node
    u: Node
    across: Node  # the operand that depends on v
    along: Node  # the operand that depends on u
    vectors: int
    unroll: int
    lanes: int
    pack: bool
    cost: float

    @property
    def width(self) -> int:
        return self.vectors * self.lanes


def tile_contractions(kernel: Kernel) -> Kernel:
    """Tile every sum of products: first blocks of rows for tiles in cache, then registers for each."""
    if is_in_place(kernel) or any(len(store.src) == 4 for store in kernel.sink.src):
        return kernel  # such stores are made one element at a time
    if any(n.op is Op.STAGE and n.arg.accumulates for n in kernel.nodes):
        return kernel
    kernel = _block_rows(kernel)
    for number in [_first(f) for f in _contractions(kernel)]:
        kernel = _tile(kernel, number)
    return kernel


def untiled_products(kernel: Kernel) -> frozenset[Node]:
    """The sums of products of a kernel, as they are in it, that get no tile of registers."""
    blocked = _block_rows(kernel)
    without = set()
    for fold in _contractions(kernel):
        found = _find(blocked, _first(fold))
        if found is None or (unroll_dots(blocked, found) is None and _choose(blocked, found) is None):
            without.add(fold)
    return frozenset(without)


def _contractions(kernel: Kernel) -> list[Node]:
    """Folds that sum products of two loads or more, or what else is made of two, innermost first."""
    return [n for n in kernel.nodes if n.op is Op.FOLD and _is_contraction(n)]


def _is_contraction(fold: Node) -> bool:
    factors = operands(fold)
    if fold.arg != ADD or len(factors) != 2 or not all(direct_loads((f,)) for f in factors):
        return False
    own = own_ranges(fold)
    long = all(r.src[0].op is Op.CONST for r in own) and prod(map(range_size, own)) >= SHORTEST
    return long and not lies_for_dots(fold)


def _first(fold: Node) -> int:
    return int(own_ranges(fold)[0].arg.number)


def _find(kernel: Kernel, number: int) -> Node | None:
    """The sum of products over an axis; other folds may share the loop."""
    for node in kernel.nodes:
        over = node.op is Op.FOLD and any(r.arg.number == number for r in own_ranges(node))
        if over and len(operands(node)) == 2:
            return node
    return None


# --- rows in cache


def _block_rows(kernel: Kernel) -> Kernel:
    """A tile made for one iteration of an output loop is made for BLOCK of them, neighbours in memory."""
    tiles = [n for n in kernel.nodes if n.op is Op.STAGE]
    folds = _contractions(kernel)
    others = [other for t in tiles for f in folds if (other := _meets(t, f)) is not None]
    if not others or not any(_holds_fold(t) for t in tiles):
        return kernel
    # rows that share nothing, as those of a batch, gain nothing from each other
    shared = [r for r in kernel.order if any(r not in other.ranges for other in others)]
    loops = [r for r in shared if all(r in t.ranges for t in tiles)]
    if not loops or range_size(loops[-1]) < BLOCK or any(set(t.ranges) - set(kernel.order) for t in tiles):
        return kernel
    row = loops[-1]
    if row in sequential_axes(kernel) or any(
        runs_along(load, row) == "next" for t in tiles for load in direct_loads((t.src[0],))
    ):
        return kernel
    kernel = step(kernel, Split(row.arg.number, BLOCK, LOOP))
    inner = max((r for r in kernel.order), key=lambda r: int(r.arg.number))
    for tile in tiles:
        before = kernel.next_axis()
        kernel = step(kernel, Widen(tile.arg.number, inner.arg.number))
        if kernel.next_axis() > before and _runs_in_lanes(kernel, tile.arg.number, before):
            kernel = step(kernel, Bind(before, VECTOR))
    return kernel


def _holds_fold(tile: Node) -> bool:
    return any(n.op is Op.FOLD for n in tile.src[0].toposort(lambda n: n.op is not Op.STAGE))


def _runs_in_lanes(kernel: Kernel, number: int, axis: int) -> bool:
    """Is a block of rows computed well side by side: as sums of products, or from neighbours in memory?"""
    tile = next(n for n in kernel.nodes if n.op is Op.STAGE and n.arg.number == number)
    own = next(r for r in own_ranges(tile) if r.arg.number == axis)
    if any(set(own_ranges(tile)) & f.ranges for f in _contractions(kernel)):
        return True
    inside = tile.src[0].toposort(lambda n: n.op is not Op.STAGE)
    return all(runs_along(n, own) != "jump" for n in inside if n.op is Op.LOAD)


def _meets(tile: Node, fold: Node) -> Node | None:
    """The other factor of a sum, if the tile is one that is used again along an axis of it."""
    factors = operands(fold)
    for factor, other in (factors, factors[::-1]):
        again = other.ranges - factor.ranges - set(own_ranges(fold))
        if again and any(load.src[0] is tile for load in direct_loads((factor,))):
            return other
    return None


# --- registers


def _tile(kernel: Kernel, number: int) -> Kernel:
    fold = _find(kernel, number)
    if fold is None:
        return kernel
    if any(r.arg.kind == UNROLL for r in fold.ranges):  # another sum of this nest has chosen the tile
        return _repeat_body(kernel, number)
    dots = unroll_dots(kernel, fold)
    if dots is not None:
        return dots
    choice = _choose(kernel, fold)
    if choice is None:
        return kernel
    kernel, nest_is_output = _order_loops(kernel, choice)
    if nest_is_output and _is_scattered(choice, fold):
        return _tile_scattered(kernel, number, choice, fold)
    if nest_is_output and _is_computed(choice):
        return _tile_computed(kernel, number, choice, fold)
    if choice.v.arg.kind != VECTOR:
        kernel = _split_v(kernel, choice)
    if choice.unroll > 1:
        kernel = step(kernel, Split(choice.u.arg.number, choice.unroll, UNROLL))
    if choice.pack:
        kernel = _pack(kernel, number, nest_is_output)
    return _repeat_body(kernel, number)


def _tile_scattered(kernel: Kernel, number: int, choice: Tile, fold: Node) -> Kernel:
    """Both factors are copied: a wide panel of the one and, for each, rows of the other by the line."""
    first = kernel.next_axis()
    panel, inside, block, row = first, first + 1, first + 2, first + 3
    kernel = step(kernel, Split(choice.v.arg.number, panel_columns(choice.v, choice.width), LOOP))
    kernel = step(kernel, Split(choice.u.arg.number, rows_together(choice.unroll), LOOP))
    mine = (panel, block, inside, row)
    rest = [r.arg.number for r in kernel.order if r.arg.number not in mine]
    kernel = step(kernel, Order((*rest, *mine)))
    made = {r.arg.number: r for r in kernel.ranges()}
    kernel = _split_v(kernel, replace(choice, v=made[inside]))
    if choice.unroll > 1:
        kernel = step(kernel, Split(row, choice.unroll, UNROLL))
    along = operands(fold).index(choice.along)
    kernel = step(kernel, Pack(number, 1 - along, panel))
    kernel = step(kernel, Pack(number, along, block))
    return _repeat_body(kernel, number)


def _tile_computed(kernel: Kernel, number: int, choice: Tile, fold: Node) -> Kernel:
    """Lone factors that take work are computed once, for a block of rows, before these meet all columns."""
    first = kernel.next_axis()
    block, row, column = first, first + 1, choice.v.arg.number
    kernel = step(kernel, Split(choice.u.arg.number, _computed_rows(choice), LOOP))
    rest = [r.arg.number for r in kernel.order if r.arg.number not in (block, row, column)]
    kernel = step(kernel, Order((*rest, block, column, row)))
    kernel = _split_v(kernel, choice)
    if choice.unroll > 1:
        kernel = step(kernel, Split(row, choice.unroll, UNROLL))
    kernel = step(kernel, Pack(number, operands(fold).index(choice.along), block))
    if choice.pack:
        kernel = _pack(kernel, number, nest_is_output=True)
    return _repeat_body(kernel, number)


def _computed_rows(choice: Tile) -> int:
    """Rows of a block whose lone factors are computed together: as many as leave several blocks, in whole
    tiles of registers."""
    rows = next((rows for rows in COMPUTED_ROWS if range_size(choice.u) > 3 * rows), 0)
    if host_registers().by_lane or rows == 0:
        return rows
    return -(-rows // choice.unroll) * choice.unroll


def _is_computed(choice: Tile) -> bool:
    """Do lone factors take more than a load, in enough rows?"""
    return choice.along.op is not Op.LOAD and choice.v.arg.kind == LOOP and _computed_rows(choice) > 0


def _is_scattered(choice: Tile, fold: Node) -> bool:
    """Is it worth copying a line's worth of rows of lone factors together? Read as they lie, every factor
    would fetch a line."""
    return (
        choice.pack
        and choice.v.arg.kind == LOOP
        and range_size(choice.u) > rows_together(choice.unroll)
        and range_size(choice.v) >= 2 * PANEL * choice.width
        and _is_far(choice, fold)
    )


def _is_far(choice: Tile, fold: Node) -> bool:
    """Do the lone factors of a few rows share lines of memory, each far from the next along the sum?"""
    loads = direct_loads((choice.along,))
    return (
        len(loads) == 1
        and choice.along is loads[0]
        and runs_along(loads[0], choice.u) == "next"
        and _span(choice.along, fold) > SPAN
    )


def _lanes(fold: Node) -> int:
    return max(host_registers().bytes // fold.dtype.itemsize, 1)


def _split_v(kernel: Kernel, choice: Tile) -> Kernel:
    """v -> one wide vector, or an unrolled row of vectors when their number is no power of two."""
    width = choice.width
    if choice.vectors & (choice.vectors - 1) == 0:
        return step(kernel, Split(choice.v.arg.number, width, VECTOR))
    kernel = step(kernel, Split(choice.v.arg.number, width, UNROLL))
    inner = next(r for r in reversed(kernel.ranges()) if r.arg.kind == UNROLL and range_size(r) == width)
    return step(kernel, Split(inner.arg.number, choice.lanes, VECTOR))


def _choose(kernel: Kernel, fold: Node) -> Tile | None:
    """The best pair of axes and tile size, by counting instructions per product."""
    a, b = operands(fold)
    candidates = [r for r in fold.ranges if r.src[0].op is Op.CONST and r.arg.kind in (LOOP, VECTOR)]
    stage = _enclosing_stage(kernel, fold)
    fixed = _held_by_tiles(kernel) | sequential_axes(kernel)
    loops = own_ranges(stage) if stage is not None else tuple(r for r in kernel.order if r not in fixed)
    mine = [r for r in candidates if r in loops]
    best: Tile | None = None
    for across, along in ((a, b), (b, a)):
        for v in (r for r in mine if r in across.ranges and r not in along.ranges):
            for u in (r for r in mine if r in along.ranges and r not in across.ranges and r.arg.kind == LOOP):
                choice = _best_size(kernel, fold, v, u, across, along, stage)
                if choice is not None and (best is None or choice.cost < best.cost):
                    best = choice
    return best


def _held_by_tiles(kernel: Kernel) -> frozenset[Node]:
    """Loops that some tile is filled anew in."""
    return frozenset().union(*[n.ranges for n in kernel.nodes if n.op is Op.STAGE])


def _enclosing_stage(kernel: Kernel, fold: Node) -> Node | None:
    for node in kernel.nodes:
        if node.op is Op.STAGE and set(own_ranges(node)) & fold.ranges:
            return node
    return None


def _best_size(
    kernel: Kernel, fold: Node, v: Node, u: Node, across: Node, along: Node, stage: Node | None
) -> Tile | None:
    registers, widest = host_registers(), _lanes(fold)
    n_v, n_u = range_size(v), range_size(u)
    lanes = widest if registers.by_lane else min(widest, 1 << (n_v.bit_length() - 1))
    if n_v < lanes or any(r.arg.kind == VECTOR for r in (fold.ranges | along.ranges | across.ranges) - {v}):
        return None
    jumps = any(runs_along(load, v) == "jump" for load in direct_loads((across,)))
    masked = any(len(load.src) == 3 for o in (across, along) for load in direct_loads((o,)))
    length = prod(range_size(r) for r in own_ranges(fold))
    spread = _span(across, fold) > SPAN
    pack = jumps or spread or _costs_work(across)
    if pack and (n_u < 8 or (masked and not jumps)):
        pack = jumps
    reads = reads_of(fold, u, across, along)
    # copied once for all of u; element by element where neighbours are apart
    packing = (_turned_pack(across) if jumps else 6.0) / n_u if pack else 0.0
    storing = _storing(kernel, v, u, stage, lanes) / length
    extra = packing + storing
    best, most = None, _most_sums(kernel)
    fixed = n_v // lanes if v.arg.kind == VECTOR else 0
    for vectors in [fixed] if fixed else range(1, 9):
        if vectors * lanes > n_v:
            break
        panel = Tile(v, u, across, along, vectors, 1, lanes, pack, 0.0)
        if pack and not registers.by_lane:  # copied once for what is inside of the panels too
            extra = packing / prod(range_size(r) for r in _packed_once_for(kernel, panel)) + storing
        for unroll in range(1, min(n_u, reads.most_unrolled) + 1):
            if unroll * vectors > most and unroll > 1:
                break
            if reads.registers(vectors, unroll) > registers.count:
                break
            waste = _waste(n_v, vectors * lanes) * _waste(n_u, unroll)
            cost = reads.cost(vectors, unroll) * waste * (widest / lanes) + extra
            if best is None or cost < best.cost:
                best = replace(panel, unroll=unroll, cost=cost)
    pages = _span(along, fold) >= PAGE * length
    if best is not None and pages and _is_far(best, fold) and not _is_scattered(best, fold):
        best = replace(best, cost=best.cost + FAR / (best.unroll * best.vectors))
    return best


def _turned_pack(across: Node) -> float:
    """Instructions to copy a vector whose elements are apart: one by one, or in squares that are turned."""
    in_squares = not host_registers().by_lane and across.op is Op.LOAD and len(across.src) == 2
    return 10.0 if in_squares else 24.0


def _most_sums(kernel: Kernel) -> int:
    """Vectors of sums in a tile whose code, with what is made of each sum, is worth compiling."""
    if host_registers().by_lane:
        return host_registers().count
    stored = {n for store in kernel.sink.src for n in store.src[2].toposort(_is_elementwise)}
    after = sum(12 if n.op in TRANSCENDENTAL else 1 for n in stored if n.op in ELEMENTWISE)
    return max(LEAST_SUMS, CODE // max(after, 1))


def _is_elementwise(node: Node) -> bool:
    return node.op in ELEMENTWISE


def _waste(n: int, tile: int) -> float:
    return -(-n // tile) * tile / n


def _storing(kernel: Kernel, v: Node, u: Node, stage: Node | None, lanes: int) -> float:
    """Instructions beyond one to store a vector of sums: lane by lane where neighbours along v are apart,
    turned in registers if those along u are not."""
    if _stores_along(kernel, v, stage):
        return 0.0
    turns = not host_registers().by_lane and _stores_along(kernel, u, stage)
    return lanes.bit_length() if turns else 2.0 * lanes


def _stores_along(kernel: Kernel, axis: Node, stage: Node | None) -> bool:
    """Are neighbours along an axis neighbours in what is stored?"""
    index = [stage.src[1]] if stage is not None else [s.src[1] for s in kernel.sink.src]
    return all(coefficient_of(i, axis) == 1 for i in index)


def _span(operand: Node, fold: Node) -> int:
    """Bytes between the first and the last row a panel reads."""
    farthest = 0
    for load in direct_loads((operand,)):
        if load.src[0].op is Op.STAGE:
            continue
        for r in own_ranges(fold):
            stride = coefficient_of(load.src[1], r)
            farthest = max(farthest, abs(stride or 0) * range_size(r) * load.dtype.itemsize)
    return farthest


def _costs_work(operand: Node) -> bool:
    inside = operand.toposort(lambda n: n.op is not Op.FOLD and n.op is not Op.STAGE)
    return sum(1 for n in inside if n.op in ELEMENTWISE and n.dtype.is_float) > 1


def _order_loops(kernel: Kernel, choice: Tile) -> tuple[Kernel, bool]:
    """v outside u, and outside of all it does not follow, when v's panel is packed for them; otherwise u
    outside."""
    if choice.v not in kernel.order or choice.u not in kernel.order:
        return kernel, False
    fixed = _held_by_tiles(kernel)
    pair = [choice.v, choice.u] if choice.pack else [choice.u, choice.v]
    running = [r for r in kernel.order if any(n.op is Op.PREFIX and n.src[-1] is r for n in kernel.nodes)]
    rest = [r for r in kernel.order if r not in pair and r not in running and not is_register(r)]
    # what a tile depends on stays outside of everything, batch loops outside of the pair, and a loop along
    # which a reduction runs inside of it
    outside = [r for r in rest if r in fixed] + [r for r in rest if r not in fixed]
    inside = [r for r in outside if r in _packed_once_for(kernel, choice)]
    outside = [r for r in outside if r not in inside]
    order = [*outside, pair[0], *inside, pair[1], *running]
    registers = [r for r in kernel.order if is_register(r)]
    return step(kernel, Order(tuple(r.arg.number for r in order + registers))), True


def _packed_once_for(kernel: Kernel, choice: Tile) -> frozenset[Node]:
    """The loops that go inside of those over panels, so that a panel is packed once for all of them: those
    that it does not follow, as the rows of an image where weights are packed.

    A tile in cache is filled anew for every panel then: its loops stay outside where that takes longer. So do
    all where there are too few panels for the threads."""
    panels = -(-range_size(choice.v) // choice.width)
    few = panels < 2 * settings.threads and panels % settings.threads
    fixed = _held_by_tiles(kernel)
    if not choice.pack or few or choice.v in fixed:
        return frozenset()
    free = frozenset(r for r in kernel.order if r not in choice.across.ranges) - {choice.u}
    packed = prod(range_size(r) for r in choice.across.ranges)
    filled = sum(n.arg.size for n in kernel.nodes if n.op is Op.STAGE)
    if fixed and (not fixed <= free or packed <= panels * filled):
        return free - fixed if not fixed & choice.across.ranges else frozenset()
    return free


def _pack(kernel: Kernel, number: int, nest_is_output: bool) -> Kernel:
    fold = _find(kernel, number)
    if fold is None:
        return kernel
    position = next(i for i, o in enumerate(operands(fold)) if any(r.arg.kind == VECTOR for r in o.ranges))
    loops = [r for r in kernel.order if not is_register(r)]
    if not loops:
        return kernel
    operand = operands(fold)[position]
    if nest_is_output:
        inside = [r for r in loops if r in operand.ranges]
        at = inside[-1] if inside else loops[0]
    else:
        at = loops[-1]
    return step(kernel, Pack(number, position, at.arg.number))


def _products(fold: Node) -> int:
    """Multiplications of vectors in a step of the sum."""
    lanes = host_registers().bytes // fold.dtype.itemsize
    return prod(range_size(r) for r in fold.ranges if is_register(r)) // lanes


def _repeat_body(kernel: Kernel, number: int) -> Kernel:
    """Unroll the sum four times where that lets lone factors come as one vector, or steps are short."""
    fold = _find(kernel, number)
    if fold is None or (not host_registers().by_lane and _products(fold) >= ENOUGH):
        return kernel
    last = own_ranges(fold)[-1]
    if (
        last.arg.kind != LOOP
        or last.src[0].op is not Op.CONST
        or range_size(last) % 4
        or range_size(last) < 8
    ):
        return kernel
    along = [o for o in operands(fold) if not any(r.arg.kind == VECTOR for r in o.ranges)]
    if not host_registers().by_lane:
        return step(kernel, Split(last.arg.number, 4, UNROLL))
    if along and all(runs_along(load, last) == "next" for o in along for load in direct_loads((o,))):
        return step(kernel, Split(last.arg.number, 4, UNROLL))
    return kernel
