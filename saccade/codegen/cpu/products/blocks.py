"""Long sums of products over several loops, in blocks: as many steps at a time as the caches hold of both
factors.

    for panel of v: { results = 0
        for block of k: { pack X[panel, block]
            for rows of u: results[u, panel] += sum of X[panel, k] * Y[u, k] over the block } }

A panel of a long sum, packed as a whole, is larger than the second cache: it comes from the third for every
tile of rows, and so do rows of as many channels. In blocks both stay near, and each result is loaded and
stored once a block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from ....graph.kernels.kernel import LOOP, Kernel, is_register, range_size
from ....graph.node import Node, own_ranges
from ....graph.ops import NESTS, Op
from ....runtime.cpu.machine import host_registers, near_caches
from ...moves.analysis import kept_tiles
from ...moves.moves import Accumulate, Bind, Pack, Split, lanes_last, operands, step
from .panels import Panels, panels_of
from .tiles import Tile, in_panels, order_loops, packed_once_for, repeat_body, stored_close

#: steps of a sum in a block, about
STEPS = 512
#: rows that a packed block meets at least
LEAST_ROWS = 32
#: instructions to load, add to and store a vector of results
KEPT = 3.0


@dataclass(frozen=True)
class Blocks:
    """A tile of registers in blocks: `length` steps of the sum in each, which is packed anew for so many
    `rows`."""

    tile: Tile
    panels: Panels
    length: int
    rows: int


def in_blocks(kernel: Kernel, fold: Node, tile: Tile) -> Blocks | None:
    """Blocks for a tile whose panels are packed, of as many columns as leave a block of a panel and its
    results in the second cache; None where the sum is too short, there are too few rows, or other sums and
    tiles that share its loops."""
    size, room = fold.dtype.itemsize, _room()
    alone = [n for n in kernel.nodes if n.op in NESTS] == [fold]
    own = own_ranges(fold)
    plain = tile.along.op is Op.LOAD and all(r.arg.kind == LOOP for r in own)
    # a sum over one loop stays whole: chunks of a text have the same bits whatever their width
    cut = _cut(own) if alone and plain and len(own) > 1 else None
    if host_registers().by_lane or cut is None or size < 4:
        return None  # a sum in a narrow type would be rounded for each block
    axis, steps, length = cut
    rows = _place(kernel, tile, room // (tile.width * size))[1]
    most = min(room // 2 // length, room // rows) // size // tile.width * tile.width
    if rows < LEAST_ROWS or most == 0 or range_size(tile.v) <= tile.width:
        return None  # one panel has no loop for the threads
    column = length * size
    panels = panels_of(range_size(tile.v), tile.width, column, range_size(tile.u), room=most * column)
    panels = replace(panels, again=panels.again + KEPT / length)
    made = replace(tile, columns=panels.columns, cut=(axis, steps))
    return Blocks(made, panels, length, rows)


def _cut(own: tuple[Node, ...]) -> tuple[int, int, int] | None:
    """The loop of a sum that is cut into blocks, its steps in each, and those of the sum; None where no loop
    has blocks of about the right length, of which there are two at least. Blocks are equal: what is packed
    of a loop whose length changes would be filled element by element."""
    whole = prod(map(range_size, own))
    for r in own:
        n = range_size(r)
        near = range(max(whole // (2 * STEPS), 2), min(2 * whole // STEPS, n) + 1)
        even = [b for b in near if n % b == 0 and STEPS < 2 * whole // b <= 4 * STEPS]
        if even:
            blocks = min(even, key=lambda b: abs(b - whole / STEPS))
            return int(r.arg.number), n // blocks, whole // blocks
    return None


def _room() -> int:
    """Bytes of the second cache for results; a block of a panel has half as many."""
    return near_caches()[1] // 2


def _place(kernel: Kernel, choice: Tile, most: int) -> tuple[Node | None, int]:
    """The loop inside of which results are kept, None for that over panels, and how many rows there are in
    it, of which `most` fit."""
    close = stored_close(kernel, choice)
    rows = range_size(choice.u) * prod(map(range_size, close))
    inside = packed_once_for(kernel, choice) - close
    for loop in reversed([r for r in kernel.order if r in inside]):
        if rows * range_size(loop) > most:
            return loop, rows
        rows *= range_size(loop)
    return None, rows


def tile_blocks(kernel: Kernel, number: int, choice: Tile, fold: Node) -> Kernel:
    """The kernel with this tile for a sum over axis `number`, block by block."""
    kernel, _ = order_loops(kernel, choice)
    at, _ = _place(kernel, choice, _room() // (choice.columns * fold.dtype.itemsize))
    kernel, panel = in_panels(kernel, choice)
    assert choice.cut is not None
    blocks, (axis, steps) = kernel.next_axis(), choice.cut
    inner = next((r.arg.number for r in own_ranges(fold) if r.arg.number != axis), blocks + 1)
    kernel = step(kernel, Split(axis, steps, LOOP, 1))
    kernel = step(kernel, Accumulate(blocks, panel if at is None else at.arg.number))
    kernel = _bind_registers(kernel)
    kernel = step(kernel, Pack(inner, 1 - operands(fold).index(choice.along), blocks))
    return repeat_body(kernel, inner)


def _bind_registers(kernel: Kernel) -> Kernel:
    """The axes of the tile of results that are those in registers, last and in their order."""
    (held,) = kept_tiles(kernel)
    registers = sorted((r for r in kernel.order if is_register(r)), key=lanes_last)
    for own, register in zip(own_ranges(held)[-len(registers) :], registers, strict=True):
        kernel = step(kernel, Bind(own.arg.number, register.arg.kind))
    return kernel
