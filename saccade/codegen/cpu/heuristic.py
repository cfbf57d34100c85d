"""The moves a person would make, by rule: good enough that a search is seldom needed.

1. folds over padded lists end at the list's count, and so do tiles that only they read (ragged.py)
   loads of one memory that a condition chooses between are one load (chosen_loads.py)
   sums of products of bytes whose results are lanes get their tokens in registers (lane_dots.py)
   parts that were stacked become straight code
   loops that read rows over and over, or that are taken apart by a number, become two (quotients.py)
2. neighbouring loops that run as one become one, those of the output and those of folds and tiles
3. the axis that picks among the results of a top-k, and short folds, become straight code
4. reductions down long columns go along rows (columns.py)
   products of bytes get four steps of the sum in each lane (byte_tiles.py)
5. other sums of products get a register tile and packed operands (contraction.py)
6. tiles that hold columns hold a vector of them (column_tiles.py)
   rows that are looked up at the same places go together (lookups.py)
   results that take turns become straight code (quotients.py)
7. each remaining nest (the stores, each fold, each tile) gets the vector axis its loads run along
   (vectors.py)
8. running reductions take several rows at once (running.py), updates that must come in order run along theirs
9. single elements that may be padding come in chunks (skip.py)
10. the outermost loops are merged and run in parallel (threads.py)
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Final

from ...graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, is_register, is_update, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import coefficient_of
from ..linear.skip import CHUNK, comes_in_chunks
from ..moves.analysis import is_in_place, is_plain, part_axes, parts_among
from ..moves.chosen_loads import with_chosen_loads
from ..moves.moves import (
    Bind,
    Merge,
    Order,
    Split,
    binds_if_legal,
    merges_cleanly,
    rule_if_legal,
    step,
    step_if_legal,
)
from ..moves.ordered import sequential_axes
from ..moves.ragged import shorten_folds, shorten_tiles
from ..moves.tile_values import without_factor_tiles
from .byte_tables import with_byte_tables
from .column_tiles import widen_columns
from .columns import accumulate_columns
from .lookups import share_lookups
from .products.byte_tiles import tile_bytes
from .products.lane_dots import lanes_for_dots
from .products.products import has_window_tile, is_packed, tile_contractions
from .quotients import split_parts, split_quotients, split_turns, split_wraps
from .running import run_rows_together
from .threads import parallelise
from .vectors import nest_at, nests_of, owns, vectorise

#: folds this short become straight code
SHORT = 8
#: columns of a thread's updates that are a vector
VECTORS: Final = (4, 8, 16, 32)


def optimise(kernel: Kernel) -> Kernel:
    """A kernel with its moves applied. A rule asks for what is nearly always legal: where it is not, the
    kernel goes without it."""
    kernel = prepared(kernel)
    for rule in _RULES:
        kernel = rule_if_legal(kernel, rule)
    return kernel


def prepared(kernel: Kernel) -> Kernel:
    """The kernel that moves are made on."""
    return with_byte_tables(with_chosen_loads(shorten_tiles(without_factor_tiles(shorten_folds(kernel)))))


def merge_loops(kernel: Kernel) -> Kernel:
    """(i, j) -> one loop, wherever every index advances evenly through both."""
    position = len(kernel.order) - 1
    fixed = {*sequential_axes(kernel), *(r for r in kernel.order if is_register(r))}
    while position > 0:
        a, b = kernel.order[position - 1 : position + 1]
        if a not in fixed and b not in fixed and merges_cleanly(kernel, a, b):
            kernel = step(kernel, Merge(a.arg.number, b.arg.number))
        position -= 1
    return kernel


def merge_folds(kernel: Kernel) -> Kernel:
    """The same for the loops of folds and tiles: a mean over the pixels of an image runs along its memory."""
    for number in nests_of(kernel):
        nest = nest_at(kernel, number)
        if nest is None or (nest.op is Op.FOLD and nest.arg.width > 1):
            continue
        own = own_ranges(nest)
        if nest.op is Op.FOLD and not all(map(is_plain, own)):
            continue
        for position in range(len(own) - 1, 0, -1):
            a, b = own_ranges(nest)[position - 1 : position + 1]
            if is_plain(a) and is_plain(b) and merges_cleanly(kernel, a, b):
                axis = kernel.next_axis()
                kernel = step(kernel, Merge(a.arg.number, b.arg.number))
                nest = next(n for n in kernel.nodes if n.op is nest.op and owns(n, axis))
    return kernel


def unroll_choices(kernel: Kernel) -> Kernel:
    """The axis that picks among the k results of a top-k becomes k results at once."""
    tops = [n for n in kernel.nodes if n.op is Op.FOLD and n.arg.width > 2]
    picks = [n.src[0] for n in kernel.nodes if n.op is Op.WHERE and n.src[0].op is Op.EQ] if tops else []
    for r in kernel.ranges():
        chosen = any(r not in t.ranges and r not in own_ranges(t) and range_size(r) == t.arg.k for t in tops)
        if chosen and any(r in p.ranges for p in picks):
            kernel = step_if_legal(kernel, Bind(r.arg.number, UNROLL))
    return kernel


def unroll_parts(kernel: Kernel) -> Kernel:
    """Parts that were stacked become straight code: 36 -> 7.6 us for a butterfly of four points, 16,384
    elements, on a Neoverse N1."""
    axes = part_axes(kernel)
    for tile in kernel.nodes:
        if tile.op is Op.STAGE:
            axes += parts_among(tile.src[0].toposort(lambda n: n.op is not Op.STAGE), own_ranges(tile))
    return binds_if_legal(kernel, [Bind(r.arg.number, UNROLL) for r in axes])


def unroll_chosen_places(kernel: Kernel) -> Kernel:
    """A short loop whose steps choose where to read becomes straight code, in which the places are numbers:
    columns that are dealt anew, as Jacobi's rotations do."""
    if any(n.op is Op.FOLD or n.op is Op.STAGE for n in kernel.nodes) or is_in_place(kernel):
        return kernel
    places = [n.src[1] for n in kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    chosen = {c for place in places for c in place.toposort() if c.op is Op.WHERE}
    loops = [r for r in kernel.order if 1 < range_size(r) <= SHORT and any(c.ranges == {r} for c in chosen)]
    return binds_if_legal(kernel, [Bind(r.arg.number, UNROLL) for r in loops[-1:]])


def unroll_short_folds(kernel: Kernel) -> Kernel:
    """The innermost loops of a fold become straight code, as long as they are short, together with those
    of folds inside."""
    straight: dict[Node, None] = {r: None for r in kernel.ranges() if r.arg.kind == UNROLL}
    before = len(straight)
    for fold in kernel.nodes:
        if fold.op is not Op.FOLD or is_packed(kernel, fold) or has_window_tile(kernel, fold):
            continue
        length = _straight_length(fold, straight)
        for r in reversed(own_ranges(fold)):
            if r.src[0].op is not Op.CONST or range_size(r) == 0 or length * range_size(r) > SHORT:
                break
            length *= range_size(r)
            straight.setdefault(r)
    return binds_if_legal(kernel, [Bind(r.arg.number, UNROLL) for r in list(straight)[before:]])


def _straight_length(fold: Node, straight: Collection[Node]) -> int:
    """How many times the code of the body is repeated already by the folds inside it."""
    length, own = 1, frozenset(own_ranges(fold))
    for body in fold.src[: fold.arg.elements]:
        for inner in body.toposort(lambda n: not own.isdisjoint(n.ranges)):
            if inner.op is Op.FOLD:
                length = max(length, prod(range_size(r) for r in own_ranges(inner) if r in straight))
    return length


# --- updates


def order_updates(kernel: Kernel) -> Kernel:
    """Updates that must come in order, of rows: each thread takes some columns, a line of memory wide, and
    walks along them inside the ordered loop, not down one after the other. They are a vector if there are
    enough and they all go to one row; a column may have places of its own too."""
    fixed = sequential_axes(kernel)
    updates = list(filter(is_update, kernel.sink.src))
    if not updates or len(kernel.order) < 2 or any(is_register(r) for r in kernel.order):
        return kernel
    for r in kernel.order:
        along = r not in fixed and all(affine(store.src[1])[0].get(r) == 1 for store in updates)
        if along and range_size(r) > 1:
            one_row = all(coefficient_of(store.src[1], r) == 1 for store in updates)
            others = any(o not in fixed and o is not r for o in kernel.order)
            width = _line(range_size(r)) if one_row else range_size(r) if others else _part(range_size(r))
            inner = r.arg.number
            if width < range_size(r):
                inner = kernel.next_axis() + 1
                kernel = step(kernel, Split(r.arg.number, width, LOOP))
            order = sorted(kernel.order, key=lambda o: (o in fixed) + 2 * (o.arg.number == inner))
            kernel = step(kernel, Order(tuple(o.arg.number for o in order)))
            return step_if_legal(kernel, Bind(inner, VECTOR)) if width in VECTORS and one_row else kernel
    return kernel


def _line(columns: int) -> int:
    """The columns a thread takes: a line of memory or what comes near it and divides them, else all. Those of
    33 by elevens took 1.1 ms where one after the other took 8.0, for 33,333 rows. Where they are vectors and
    many, two lines: places are read half as often."""
    widths = (*((32,) if columns >= 64 else ()), 16, 32, 8, *range(64, 8, -1), 4)
    return next((w for w in widths if columns % w == 0 and columns > w), columns)


def _part(columns: int) -> int:
    """The columns a thread takes where each has a place of its own: as many as leave work for four threads.
    1024 rows of 1024 took 36 ms by sixteens, 7 by 256 and 6 as they are, on a Xeon of 2.5 GHz."""
    return next((w for w in range(columns // 4, 15, -1) if columns % w == 0), columns)


def chunk_padding(kernel: Kernel) -> Kernel:
    """Single elements, some of them padding, in chunks of which the lowering leaves out those with nothing
    in them."""
    if not comes_in_chunks(kernel):
        return kernel
    r = kernel.order[-1]
    if range_size(r) < 2 * CHUNK or (range_size(r) % CHUNK and is_in_place(kernel)):
        return kernel
    return step_if_legal(kernel, Split(r.arg.number, CHUNK, LOOP))


_RULES: Final = (
    lanes_for_dots,
    split_parts,
    unroll_parts,
    split_wraps,
    split_quotients,
    merge_loops,
    merge_folds,
    unroll_choices,
    unroll_chosen_places,
    unroll_short_folds,
    accumulate_columns,
    tile_bytes,
    tile_contractions,
    merge_folds,
    widen_columns,
    share_lookups,
    split_turns,
    vectorise,
    run_rows_together,
    order_updates,
    chunk_padding,
    parallelise,
)
