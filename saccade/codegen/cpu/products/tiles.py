"""The moves that make a chosen tile of a sum of products: loops in order, panels packed, axes in registers.

In: a kernel and a `Tile` (`products.py` chooses it). Out: the kernel with v in vectors, u unrolled, and what
is read in jumps, takes work or is far apart copied first:

    for panel of v:  pack X[panel, k]        one panel after the other, for all rows u
        for rows of u:  sums[u, v] += ...    a tile of registers

Three kinds of products have loops of their own: both factors lie across the sum (`_tile_scattered`), the
cache has room for panels of several tiles (`_tile_wide`), lone factors take work (`_tile_computed`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from math import prod

from ....graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, is_register, range_size
from ....graph.node import Node, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of
from ....runtime.config import settings
from ....runtime.cpu.machine import host_registers
from ...moves.analysis import direct_loads, runs_along
from ...moves.moves import Bind, Order, Pack, Split, operands, step, step_if_legal
from .panels import rows_together
from .reads import LINE, comes_by_fours, span_of

#: rows of a block whose lone factors are computed before they are used, the most first
COMPUTED_ROWS = (64, 32, 16)
#: a panel whose rows span more than this is copied together first: it would not stay in the cache and the
#: page tables
SPAN = 64 * 1024
#: rows of a tile of registers at least, where a loop has so many
ROWS = 8
#: multiplications in a step of a sum that hide what its loop costs
ENOUGH = 12


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
    columns: int = 0  # of a packed panel, where it has more than one tile
    cut: tuple[int, int] | None = None  # the loop of a sum that has blocks, and its steps in each
    ahead: bool = False  # are vectors that are far apart read as they lie, and fetched ahead?

    @property
    def width(self) -> int:
        return self.vectors * self.lanes


def lanes_of_sums(fold: Node) -> int:
    """Sums in a register."""
    return max(host_registers().bytes // fold.dtype.itemsize, 1)


def covered(n: int, size: int) -> float:
    """How much of an axis is computed, of what there is, in parts of so many."""
    return -(-n // size) * size / n


def tiled(kernel: Kernel, number: int, choice: Tile, fold: Node) -> Kernel:
    """The kernel with this tile for a sum of products over axis `number`."""
    kernel, nest_is_output = order_loops(kernel, choice)
    if nest_is_output and is_scattered(choice, fold):
        return _tile_scattered(kernel, number, choice, fold)
    if nest_is_output and _is_computed(choice):
        return _tile_computed(kernel, number, choice, fold)
    if nest_is_output and _has_wide_panels(kernel, choice):
        return _tile_wide(kernel, number, choice, fold)
    if choice.v.arg.kind != VECTOR:
        kernel = _split_v(kernel, choice)
    if choice.unroll > 1:
        kernel = step(kernel, Split(choice.u.arg.number, choice.unroll, UNROLL))
    if choice.pack:
        kernel = _pack(kernel, number, nest_is_output)
    return repeat_body(kernel, number)


def find_product(kernel: Kernel, number: int) -> Node | None:
    """The sum of products over an axis; other folds may share the loop."""
    for node in kernel.nodes:
        over = node.op is Op.FOLD and any(r.arg.number == number for r in own_ranges(node))
        if over and len(operands(node)) == 2:
            return node
    return None


def order_loops(kernel: Kernel, choice: Tile) -> tuple[Kernel, bool]:
    """v outside u, and outside of all it does not follow, when v's panel is packed for them, or far apart;
    otherwise u outside."""
    if choice.v not in kernel.order or choice.u not in kernel.order:
        return kernel, False
    fixed = held_by_tiles(kernel)
    pair = [choice.v, choice.u] if choice.pack or choice.ahead else [choice.u, choice.v]
    running = [r for r in kernel.order if any(n.op is Op.PREFIX and n.src[-1] is r for n in kernel.nodes)]
    running += _stored_along(kernel, {*pair, *running})
    rest = [r for r in kernel.order if r not in pair and r not in running and not is_register(r)]
    # what a tile depends on stays outside of everything, batch loops outside of the pair, and a loop along
    # which a reduction runs inside of it
    outside = [r for r in rest if r in fixed] + [r for r in rest if r not in fixed]
    inside = [r for r in outside if r in packed_once_for(kernel, choice)]
    outside = [r for r in outside if r not in inside]
    dense = [r for r in inside if r in stored_close(kernel, choice)]
    inside = [r for r in inside if r not in dense]
    order = [*outside, pair[0], *inside, pair[1], *dense, *running]
    registers = [r for r in kernel.order if is_register(r)]
    return step(kernel, Order(tuple(r.arg.number for r in order + registers))), True


def _stored_along(kernel: Kernel, others: set[Node]) -> list[Node]:
    """Loops that no reduction follows, as the three parts that a gradient of queries is padded to: inside of
    the pair a tile is made once for all of them."""
    followed = frozenset().union(*(n.ranges for n in kernel.nodes if n.op is Op.FOLD or n.op is Op.STAGE))
    return [r for r in kernel.order if r not in followed and r not in others and not is_register(r)]


def stored_close(kernel: Kernel, choice: Tile) -> frozenset[Node]:
    """Loops, too short to be rows, whose results share lines of memory, where rows and columns are further
    apart: the window of a gradient by weights. Inside of the rows, a line is written while it is near. The
    loops are among those that a panel is packed once for."""

    def apart(r: Node) -> int:
        strides = [coefficient_of(s.src[1], r) for s in kernel.sink.src]
        return min(abs(stride or LINE) for stride in strides) * choice.across.dtype.itemsize

    least = min(apart(choice.v), apart(choice.u))
    free = packed_once_for(kernel, choice) - held_by_tiles(kernel)
    return frozenset(r for r in free if range_size(r) < ROWS and apart(r) < min(least, LINE))


def packed_once_for(kernel: Kernel, choice: Tile) -> frozenset[Node]:
    """The loops that go inside of those over panels, so that a panel is packed once for all of them: those
    that it does not follow, as the rows of an image where weights are packed.

    A tile in cache is filled anew for every panel then: its loops stay outside where that takes longer. So do
    all where there are too few panels for the threads."""
    panels = -(-range_size(choice.v) // (choice.columns or choice.width))
    turns = panels * prod(range_size(r) for r in kernel.order if r in choice.across.ranges - {choice.v})
    few = turns < 2 * settings.threads and turns % settings.threads
    fixed = held_by_tiles(kernel)
    if not (choice.pack or choice.ahead) or few or turns == 1 or choice.v in fixed:
        return frozenset()  # one panel has no loop around the others
    free = frozenset(r for r in kernel.order if r not in choice.across.ranges) - {choice.u}
    packed = prod(range_size(r) for r in choice.across.ranges)
    filled = sum(n.arg.size * _steps(n) for n in kernel.nodes if n.op is Op.STAGE)
    if fixed and (not fixed <= free or packed <= panels * filled):
        return free - fixed if not fixed & choice.across.ranges else frozenset()
    return free


def _steps(tile: Node) -> int:
    """What an element of a tile takes: the steps of the longest sum that is made for it alone."""
    own = set(own_ranges(tile))
    inside = tile.src[0].toposort(lambda n: n.op is not Op.STAGE)
    sums = [n for n in inside if n.op is Op.FOLD and not own.isdisjoint(n.ranges)]
    return max([prod(map(range_size, own_ranges(n))) for n in sums], default=1)


def held_by_tiles(kernel: Kernel) -> frozenset[Node]:
    """Loops that some tile is filled anew in."""
    return frozenset().union(*[n.ranges for n in kernel.nodes if n.op is Op.STAGE])


def _split_v(kernel: Kernel, choice: Tile) -> Kernel:
    """v -> one wide vector, or an unrolled row of vectors when their number is no power of two. The last of
    those that are more than v ends where v does: 65 columns are five vectors of 16, of which the last begins
    at 49."""
    width = choice.width
    if width > range_size(choice.v):
        row = kernel.next_axis()
        kernel = step(kernel, Split(choice.v.arg.number, choice.lanes, VECTOR))
        return step(kernel, Bind(row, UNROLL))
    if choice.vectors & (choice.vectors - 1) == 0:
        return step(kernel, Split(choice.v.arg.number, width, VECTOR))
    kernel = step(kernel, Split(choice.v.arg.number, width, UNROLL))
    inner = next(r for r in reversed(kernel.ranges()) if r.arg.kind == UNROLL and range_size(r) == width)
    return step(kernel, Split(inner.arg.number, choice.lanes, VECTOR))


def _pack(kernel: Kernel, number: int, nest_is_output: bool) -> Kernel:
    fold = find_product(kernel, number)
    if fold is None:
        return kernel
    position = next(i for i, o in enumerate(operands(fold)) if any(r.arg.kind == VECTOR for r in o.ranges))
    loops = kernel.loops
    if not loops:
        return kernel
    operand = operands(fold)[position]
    if nest_is_output:
        inside = [r for r in loops if r in operand.ranges]
        at = inside[-1] if inside else loops[0]
    else:
        at = loops[-1]
    return step(kernel, Pack(number, position, at.arg.number))


def pack_beside(kernel: Kernel, number: int, fold: Node) -> Kernel:
    """The kernel with a panel for a sum whose tile another one has chosen, where its factor would be read a
    lane at a time, or from far apart. It is packed outside of the rows, or not at all."""
    wide = [(p, o, r) for p, o in enumerate(operands(fold)) for r in o.ranges if r.arg.kind == VECTOR]
    if len(wide) != 1:
        return kernel
    ((position, factor, lane),) = wide
    loops = kernel.loops
    outside = list(takewhile(lambda r: r in factor.ranges, loops))
    jumps = any(runs_along(load, lane) == "jump" for load in direct_loads((factor,)))
    if not (jumps or span_of(factor, fold) > SPAN) or not outside or lane not in kernel.order:
        return kernel
    return step_if_legal(kernel, Pack(number, position, outside[-1].arg.number))


def is_scattered(choice: Tile, fold: Node) -> bool:
    """Is it worth copying a line's worth of rows of lone factors together? Read as they lie, every factor
    would fetch a line."""
    return (
        choice.pack
        and choice.v.arg.kind == LOOP
        and range_size(choice.u) > rows_together(choice.unroll)
        and range_size(choice.v) > choice.columns
        and (is_far(choice.along, choice.u, fold) or takes_work(choice.along))
    )


def takes_work(operand: Node) -> bool:
    """Does a factor take more than a load?"""
    return operand.op is not Op.LOAD or leaves_out(operand)


def leaves_out(operand: Node) -> bool:
    """Is it a matrix of which a mask leaves parts out, as a triangle? Copied once it is like any other. What
    windows read of a padded image is many times as large as that."""
    if operand.op is not Op.LOAD or len(operand.src) == 2 or operand.src[0].op is not Op.PARAM:
        return False
    return bool(prod(map(range_size, operand.ranges)) <= operand.src[0].arg.size)


def is_far(along: Node, u: Node, fold: Node) -> bool:
    """Do the lone factors of a few rows share lines of memory, each far from the next along the sum?"""
    loads = direct_loads((along,))
    return (
        len(loads) == 1
        and along is loads[0]
        and runs_along(loads[0], u) == "next"
        and span_of(along, fold) > SPAN
    )


def _tile_scattered(kernel: Kernel, number: int, choice: Tile, fold: Node) -> Kernel:
    """Both factors are copied: a wide panel of the one and, for each, rows of the other by the line."""
    panel, tile, column, block, row_tile, row = range(first := kernel.next_axis(), first + 6)
    kernel = step(kernel, Split(choice.v.arg.number, choice.columns, LOOP, choice.width))
    kernel = step(kernel, Split(choice.u.arg.number, rows_together(choice.unroll), LOOP, choice.unroll))
    mine = (panel, block, tile, row_tile, column, row)
    rest = [r.arg.number for r in kernel.order if r.arg.number not in mine]
    kernel = step(kernel, Order((*rest, *mine)))
    kernel = in_registers(kernel, choice, column, row)
    along = operands(fold).index(choice.along)
    kernel = step(kernel, Pack(number, 1 - along, panel))
    kernel = step(kernel, Pack(number, along, block))
    return repeat_body(kernel, number)


def in_registers(kernel: Kernel, choice: Tile, column: int, row: int) -> Kernel:
    """Columns of a tile in vectors, rows unrolled."""
    made = {r.arg.number: r for r in kernel.ranges()}
    kernel = _split_v(kernel, replace(choice, v=made[column]))
    return step(kernel, Split(row, choice.unroll, UNROLL)) if choice.unroll > 1 else kernel


def _has_wide_panels(kernel: Kernel, choice: Tile) -> bool:
    """Does a packed panel have more columns than a tile of registers? Without memory for lone factors (NEON
    takes them out of registers) that is for longer runs of stores."""
    return (
        (choice.pack or choice.ahead)
        and choice.v.arg.kind == LOOP
        and 2 * choice.width <= choice.columns < range_size(choice.v)
        and (not host_registers().by_lane or stores_along(kernel, choice.v, None))
    )


def _tile_wide(kernel: Kernel, number: int, choice: Tile, fold: Node) -> Kernel:
    """A panel has many columns, and rows go along all of them: lone factors are read from the nearest cache
    for all tiles but the first, and results are stored in long runs. In strips of a tile's width each row of
    each strip waited for its lines: 2.3 -> 0.9 ms for 128 channels of 2,204, sums of 10."""
    kernel, panel = in_panels(kernel, choice)
    if choice.pack:
        kernel = step(kernel, Pack(number, 1 - operands(fold).index(choice.along), panel))
    return repeat_body(kernel, number)


def in_panels(kernel: Kernel, choice: Tile) -> tuple[Kernel, int]:
    """The kernel with panels of columns, in each of which rows go along all tiles of registers, and the axis
    of the panels. Loops whose results are close go between rows and columns."""
    panel, tile, column, row = *range(first := kernel.next_axis(), first + 3), choice.u.arg.number
    near = tuple(r.arg.number for r in kernel.order if r in stored_close(kernel, choice))
    kernel = step(kernel, Split(choice.v.arg.number, choice.columns, LOOP, choice.width))
    last = (row, tile, *near, column)
    rest = (r.arg.number for r in kernel.order)
    kernel = step(kernel, Order((*(n for n in rest if n not in last), *last)))
    return in_registers(kernel, choice, column, row), panel


def _is_computed(choice: Tile) -> bool:
    """Do lone factors take more than a load, in enough rows?"""
    masked = choice.along.op is Op.LOAD
    if masked and range_size(choice.v) <= choice.width:
        return False  # it is read once
    return takes_work(choice.along) and choice.v.arg.kind == LOOP and _computed_rows(choice) > 0


def _computed_rows(choice: Tile) -> int:
    """Rows of a block whose lone factors are computed together: as many as leave several blocks, in whole
    tiles of registers."""
    rows = next((rows for rows in COMPUTED_ROWS if range_size(choice.u) > 3 * rows), 0)
    if host_registers().by_lane or rows == 0:
        return rows
    return -(-rows // choice.unroll) * choice.unroll


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
    return repeat_body(kernel, number)


def _products(fold: Node) -> int:
    """Multiplications of vectors in a step of the sum."""
    lanes = host_registers().bytes // fold.dtype.itemsize
    return prod(range_size(r) for r in fold.ranges if is_register(r)) // lanes


def repeat_body(kernel: Kernel, number: int) -> Kernel:
    """Unroll the sum four times where that lets lone factors come as one vector, or steps are short. What
    four do not divide is a short sum of its own."""
    fold = find_product(kernel, number)
    if fold is None or (not host_registers().by_lane and _products(fold) >= ENOUGH):
        return kernel
    last = own_ranges(fold)[-1]
    if last.arg.kind != LOOP or not comes_by_fours(fold):
        return kernel
    along = [o for o in operands(fold) if not any(r.arg.kind == VECTOR for r in o.ranges)]
    if not host_registers().by_lane:
        return kernel if range_size(last) % 4 else step(kernel, Split(last.arg.number, 4, UNROLL))
    if not along or any(runs_along(load, last) != "next" for o in along for load in direct_loads((o,))):
        return kernel
    rest = kernel.next_axis() + 2
    kernel = step(kernel, Split(last.arg.number, 4, UNROLL))
    return step(kernel, Bind(rest, UNROLL)) if range_size(last) % 4 > 1 else kernel


def stores_along(kernel: Kernel, axis: Node, stage: Node | None) -> bool:
    """Are neighbours along an axis neighbours in what is stored?"""
    index = [stage.src[1]] if stage is not None else [s.src[1] for s in kernel.sink.src]
    return all(coefficient_of(i, axis) == 1 for i in index)
