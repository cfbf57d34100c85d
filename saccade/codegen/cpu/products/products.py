"""Sums of products: register tiles, packed operands, rows kept in cache.

A fold over k of X[.., v, k] * Y[.., u, k] reads every element of X once for each u and of Y once for each v.
Computing a tile of u x v results at once, in registers, reads each element once per tile. v is the vector
axis, u is unrolled; matrix product, convolution and the two products of attention are the same nest with
other indices.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ....graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, is_update, range_size
from ....graph.monoid import ADD
from ....graph.node import Node, own_ranges
from ....graph.ops import ELEMENTWISE, TRANSCENDENTAL, Op
from ....runtime.cpu.machine import host_registers
from ...folds.byte_dots import lies_for_dots
from ...moves.analysis import direct_loads, is_in_place, run_of, runs_along
from ...moves.moves import Bind, Split, Widen, operands, step
from ...moves.ordered import sequential_axes
from ...moves.tile_values import without_factor_tiles
from .blocks import in_blocks, tile_blocks
from .dots import unroll_dots
from .panels import BLOCK, Panels, block_of, panels_of, rows_together
from .reads import CROSSED, PAGE, reads_ahead, reads_of, span_of
from .tiles import (
    ENOUGH,
    SPAN,
    Tile,
    covered,
    find_product,
    held_by_tiles,
    is_far,
    is_scattered,
    lanes_of_sums,
    leaves_out,
    pack_beside,
    packed_once_for,
    repeat_body,
    stored_close,
    stores_along,
    tiled,
)
from .window_tiles import WindowTile, overlaps, tile_window, window_tile

#: shorter sums are not worth a tile; nor are those of less than `SHORT`, unless a factor is read in jumps
SHORTEST, SHORT = 4, 9
#: instructions for a vector of products where both factors are loaded for each. Products of 10,000 matrices
#: of 8 x 8 in blocks of 16 take 5.8 ms on a Neoverse N1 with a packed factor, and 0.8 along the batch
SIDE_BY_SIDE = 3.0
#: instructions that a tile of sums may end in, all sums together, where there are more sums than the latency
#: of an addition asks for
CODE, LEAST_SUMS = 600, 12
#: instructions in the time that lone factors from another page take to come
FAR = 12.0
#: instructions to copy a vector of a panel, and one that comes from another page and the third cache. Packed
#: or not, 400 x 333 times 333 x 1024 takes 2.15 and 3.05 ms, 64 x 1024 times 1024 x 300 0.47 and 0.40
NEAR_PACK, FAR_PACK = 6.0, 20.0
#: pages that the nearest table of pages holds: those of a Neoverse N1
NEAR_PAGES = 48


def tile_contractions(kernel: Kernel) -> Kernel:
    """Tile every sum of products: first blocks of rows for tiles in cache, then registers for each."""
    if is_in_place(kernel) or any(map(is_update, kernel.sink.src)):
        return kernel  # such stores are made one element at a time
    if any(n.op is Op.STAGE and n.arg.accumulates for n in kernel.nodes):
        return kernel
    kernel = _block_rows(kernel)
    folds = _contractions(kernel)
    nests = list(dict.fromkeys(f.ranges for f in folds))
    # of those that share a tile, the longest has it as it wants it
    for fold in sorted(folds, key=lambda f: (nests.index(f.ranges), -prod(map(range_size, own_ranges(f))))):
        kernel = _tile(kernel, _first(fold))
    return kernel


def untiled_products(kernel: Kernel) -> frozenset[Node]:
    """The sums of products of a kernel, as they are in it, that get no tile of registers."""
    blocked = _block_rows(without_factor_tiles(kernel))
    without = set()
    for fold in _contractions(kernel):
        found = find_product(blocked, _first(fold))
        if found is None or (unroll_dots(blocked, found) is None and _choose(blocked, found) is None):
            without.add(fold)
    return frozenset(without)


def is_packed(kernel: Kernel, fold: Node) -> bool:
    """Is it a sum of products with a factor to be packed, in one loop? As straight code it would not be.

    Where each lone factor is loaded into all lanes, several loops stay loops, too, of a tile of several
    vectors that hides what they cost: neighbours of a window have lone factors in common, and straight code
    keeps those in registers that the sums need (a 3x3 convolution of 128 channels, 14 x 14, batch 8, on a
    Cascade Lake: 6.6 -> 4.4 ms). With one vector, loads are what counts, and it spares two of three. Windows
    side by side have none in common (2x2 by 2, 96 to 192 channels of 28 x 28, batch 4: 2.1 -> 1.2 ms)."""
    if not _is_contraction(fold):
        return False
    one = len(own_ranges(fold)) == 1
    if not one and host_registers().by_lane:
        return False
    choice = _choose(kernel, fold)
    if choice is None or not choice.pack:
        return False
    hides = choice.vectors > 1 and choice.vectors * choice.unroll >= ENOUGH
    return one or (hides and _shares_lone_factors(choice, fold))


def _shares_lone_factors(choice: Tile, fold: Node) -> bool:
    """Do steps of the innermost loop of a sum have lone factors in common with rows of the tile?"""
    last = own_ranges(fold)[-1]
    return any(overlaps(load, choice.u, last) for load in direct_loads((choice.along,)))


def has_window_tile(kernel: Kernel, fold: Node) -> bool:
    """Is it a sum over a window that gets a tile of its own? Which of its loops is straight code is that
    tile's choice."""
    return _is_contraction(fold) and _choose_window(kernel, fold, _choose(kernel, fold)) is not None


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


# --- rows in cache


def _block_rows(kernel: Kernel) -> Kernel:
    """A tile made for one iteration of an output loop is made for a block of them, neighbours in memory."""
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
    row, lanes = loops[-1], min(map(lanes_of_sums, folds))
    if row in sequential_axes(kernel):
        return kernel
    kernel = step(kernel, Split(row.arg.number, block_of(range_size(row), lanes), LOOP))
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
    """Is a block of rows computed well side by side: as sums of products, or from neighbours in tiles, or
    else in memory? What is the same all along the other loop, as a gate of a row, is loaded once for it."""
    tile = next(n for n in kernel.nodes if n.op is Op.STAGE and n.arg.number == number)
    own = next(r for r in own_ranges(tile) if r.arg.number == axis)
    if any(set(own_ranges(tile)) & f.ranges for f in _contractions(kernel)):
        return True
    inside = tile.src[0].toposort(lambda n: n.op is not Op.STAGE)
    others = [r for r in own_ranges(tile) if r is not own]
    loads = [n for n in inside if n.op is Op.LOAD and (not others or others[-1] in n.ranges)]
    kept = [n for n in loads if n.src[0].op is Op.STAGE]
    return all(runs_along(n, own) != "jump" for n in kept or loads)


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
    fold = find_product(kernel, number)
    if fold is None:
        return kernel
    if any(r.arg.kind == UNROLL for r in fold.ranges):  # by another sum of this nest, or for bytes
        several = len(_contractions(kernel)) > 1
        return repeat_body(pack_beside(kernel, number, fold) if several else kernel, number)
    dots = unroll_dots(kernel, fold)
    if dots is not None:
        return dots
    choice = _choose(kernel, fold)
    window = _choose_window(kernel, fold, choice)
    if window is not None:
        return tile_window(kernel, window)
    if choice is None:
        return kernel
    if choice.cut is not None:
        return tile_blocks(kernel, number, choice, fold)
    return tiled(kernel, number, choice, fold)


def _choose(kernel: Kernel, fold: Node) -> Tile | None:
    """The best pair of axes and tile size, by counting instructions per product."""
    a, b = operands(fold)
    stage = _enclosing_stage(kernel, fold)
    fixed = held_by_tiles(kernel) | sequential_axes(kernel)
    loops = own_ranges(stage) if stage is not None else tuple(r for r in kernel.order if r not in fixed)
    # the innermost first, whose results are neighbours: of two that cost the same, one in every process
    mine = [
        r
        for r in reversed(loops)
        if r in fold.ranges and r.src[0].op is Op.CONST and r.arg.kind in (LOOP, VECTOR)
    ]
    best: Tile | None = None
    for across, along in ((a, b), (b, a)):
        for v in (r for r in mine if r in across.ranges and r not in along.ranges):
            for u in (r for r in mine if r in along.ranges and r not in across.ranges and r.arg.kind == LOOP):
                choice = _best_size(kernel, fold, v, u, across, along, stage)
                if choice is not None and (best is None or choice.cost < best.cost):
                    best = choice
    short = prod(map(range_size, own_ranges(fold))) < SHORT
    if best is not None and best.cost > SIDE_BY_SIDE and _lies_side_by_side(kernel, fold, mine, stage):
        return None
    return None if best is not None and short and not best.pack else best


def _choose_window(kernel: Kernel, fold: Node, choice: Tile | None) -> WindowTile | None:
    """The best tile of a sum over windows, if it is one for which there is none of a product, or a worse one
    of narrow vectors."""
    if choice is not None and choice.lanes == lanes_of_sums(fold):
        return None
    window = window_tile(kernel, fold, _most_sums(kernel))
    return None if window is None or (choice is not None and choice.cost <= window.cost) else window


def _lies_side_by_side(kernel: Kernel, fold: Node, loops: list[Node], stage: Node | None) -> bool:
    """Is there a batch along which both factors and the results are neighbours, as of many small matrices
    with the batch innermost? Then that is the vector, and nothing is packed."""
    batches = [r for r in loops if all(r in operand.ranges for operand in operands(fold))]
    return any(
        range_size(r) >= lanes_of_sums(fold)
        and all(runs_along(load, r) == "next" for load in direct_loads(operands(fold)))
        and stores_along(kernel, r, stage)
        for r in batches
    )


def _enclosing_stage(kernel: Kernel, fold: Node) -> Node | None:
    for node in kernel.nodes:
        if node.op is Op.STAGE and set(own_ranges(node)) & fold.ranges:
            return node
    return None


def _best_size(
    kernel: Kernel, fold: Node, v: Node, u: Node, across: Node, along: Node, stage: Node | None
) -> Tile | None:
    registers, widest = host_registers(), lanes_of_sums(fold)
    n_v, n_u = range_size(v), range_size(u)
    lanes = widest if registers.by_lane else min(widest, 1 << (n_v.bit_length() - 1))
    if n_v < lanes or any(r.arg.kind == VECTOR for r in (fold.ranges | along.ranges | across.ranges) - {v}):
        return None
    jumps = any(runs_along(load, v) == "jump" for load in direct_loads((across,)))
    masked = any(len(load.src) == 3 for o in (across, along) for load in direct_loads((o,)))
    masked = masked and not leaves_out(along)
    length = prod(range_size(r) for r in own_ranges(fold))
    spread = span_of(across, fold) > SPAN
    pack = jumps or spread or _costs_work(across)
    if pack and (n_u < 8 or (masked and not jumps)):
        pack = jumps
    one = Tile(v, u, across, along, 1, 1, lanes, pack, 0.0)
    again = prod(map(range_size, stored_close(kernel, one))) if stage is None and u in kernel.order else 1
    reads = reads_of(fold, u, across, along, times=again)
    as_it_lies = spread and not jumps and stage is None and {u, v} <= set(kernel.order)
    times = prod(map(range_size, packed_once_for(kernel, replace(one, ahead=True)))) if as_it_lies else 1
    ahead = reads_ahead(fold, v, u, across, along, times) if as_it_lies else None
    # copied once for all of u; element by element where neighbours are apart
    copied = _turned_pack(across, fold) if jumps else NEAR_PACK if ahead is None else FAR_PACK
    packing = copied / n_u if pack else 0.0
    storing = _storing(kernel, v, u, stage, lanes) / length
    extra = packing + storing
    best, most = None, _most_sums(kernel)
    several = sum(n.op is Op.FOLD for n in kernel.nodes) > 1
    if several and not registers.by_lane and _by_lane(kernel, v, u, stage):
        # complex matrices of every length took 7 s to compile in tiles of 26 sums, and as long to run
        most = LEAST_SUMS
    fixed = n_v // lanes if v.arg.kind == VECTOR else 0
    far = is_far(along, u, fold)
    packs_rows = far and n_u > rows_together(1)
    for vectors in [fixed] if fixed else range(1, 9):
        # the last of those that cover a row may overlap the one before it
        if vectors * lanes > n_v and ((registers.by_lane and vectors > 2) or (vectors - 1) * lanes >= n_v):
            break
        panels = Panels(0, covered(n_v, vectors * lanes), 0.0)
        if pack and {u, v} <= set(kernel.order) and v.arg.kind == LOOP:
            strip = replace(one, vectors=vectors)
            times = prod(range_size(r) for r in packed_once_for(kernel, strip))
            column = length * fold.dtype.itemsize
            panels = panels_of(n_v, vectors * lanes, column, n_u, packs_rows, times)
        panel = replace(one, vectors=vectors, columns=panels.columns)
        if pack and not registers.by_lane:  # copied once for what is inside of the panels too
            extra = packing / prod(range_size(r) for r in packed_once_for(kernel, panel)) + storing
        ways = [(panel, panels, reads, extra)]
        if panels.columns and not packs_rows and (blocks := in_blocks(kernel, fold, panel)) is not None:
            near = reads_of(fold, u, across, along, blocks.length, again)
            ways.append((blocks.tile, blocks.panels, near, packing * n_u / blocks.rows + storing))
        whole = vectors * lanes > n_v and not jumps and not _costs_work(across)
        if ahead is not None:
            ways.append((replace(panel, pack=False, ahead=True), panels, ahead, storing))
        if whole:  # rows that are all of a tile lie together as they are
            ways.append((replace(panel, pack=False), panels, reads, storing))
        for made, panels, reads_made, extra_made in ways:
            for unroll in range(1, min(n_u, reads_made.most_unrolled) + 1):
                if unroll * vectors > most and unroll > 1:
                    break
                if reads_made.registers(vectors, unroll) > registers.count:
                    break
                waste = panels.waste * covered(n_u, unroll)
                # rows of a tile are packed in vectors of half a register
                more = panels.again * (covered(unroll, widest // 2) if packs_rows else 1.0)
                cost = reads_made.cost(vectors, unroll) * waste * (widest / lanes) + extra_made + more
                if whole and not made.pack:
                    cost += CROSSED / unroll
                if best is None or cost < best.cost:
                    best = replace(made, unroll=unroll, cost=cost)
    if best is not None and far and _crosses_pages(along, fold, length) and not is_scattered(best, fold):
        best = replace(best, cost=best.cost + FAR / (best.unroll * best.vectors))
    return best


def _crosses_pages(along: Node, fold: Node, length: int) -> bool:
    """Is a step of the sum in another page than the one before? With lone factors four to a register, few of
    a line are used at a time, and pages that hold up to four steps cost as much once they are more than the
    nearest table holds: 7.3 -> 4.0 ms for a norm and an MLP of 77 x 333 x 901, 13.2 -> 14.3 for 96 steps of
    1,536 bytes, whose 36 pages it holds."""
    span = span_of(along, fold)
    if not host_registers().by_lane:
        return span >= PAGE * length
    return span >= PAGE // 4 * length and span > NEAR_PAGES * PAGE


def _turned_pack(across: Node, fold: Node) -> float:
    """Instructions to copy a vector whose elements are apart: one by one, or in squares that are turned,
    where neighbours along the sum are a vector."""
    if host_registers().by_lane or across.op is not Op.LOAD or len(across.src) != 2:
        return 24.0
    return 10.0 if run_of(across, fold) >= lanes_of_sums(fold) else 24.0


def _most_sums(kernel: Kernel) -> int:
    """Vectors of sums in a tile whose code, with what is made of each sum, is worth compiling."""
    if host_registers().by_lane:
        return host_registers().count
    stored = {n for store in kernel.sink.src for n in store.src[2].toposort(_is_elementwise)}
    after = sum(12 if n.op in TRANSCENDENTAL else 1 for n in stored if n.op in ELEMENTWISE)
    return max(LEAST_SUMS, CODE // max(after, 1))


def _is_elementwise(node: Node) -> bool:
    return node.op in ELEMENTWISE


def _storing(kernel: Kernel, v: Node, u: Node, stage: Node | None, lanes: int) -> float:
    """Instructions beyond one to store a vector of sums: lane by lane where neighbours along v are apart,
    turned in registers if those along u are not."""
    if stores_along(kernel, v, stage):
        return 0.0
    return 2.0 * lanes if _by_lane(kernel, v, u, stage) else lanes.bit_length()


def _by_lane(kernel: Kernel, v: Node, u: Node, stage: Node | None) -> bool:
    """Is each lane of a sum a store of its own? Vectors cannot be turned in registers then either."""
    turns = not host_registers().by_lane and stores_along(kernel, u, stage)
    return not turns and not stores_along(kernel, v, stage)


def _costs_work(operand: Node) -> bool:
    inside = operand.toposort(lambda n: n.op is not Op.FOLD and n.op is not Op.STAGE)
    return sum(1 for n in inside if n.op in ELEMENTWISE and n.dtype.is_float) > 1
