"""Loads that run across the stores: copied block by block.

    out[i, j] = x[j, i]     j is the vector axis of the store, and a step along it jumps a row of x

Read like that, every element fetches a line of memory and uses one element of it. So a few vectors are read
along i, one for each lane, and turned in registers (`turned.turned_loads`); and i goes in blocks whose
lines stay in the nearest cache until all of them is used:

    for i in blocks:  for j in vectors:  for i in the block, some at once:  out[i, j] = x[j, i]
"""

from __future__ import annotations

from ...graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, is_register, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import coefficient_of
from ...runtime.cpu.machine import host_registers
from ..moves.analysis import is_in_place, runs_along
from ..moves.moves import Order, Split, step, stored_loads
from ..moves.ordered import sequential_axes

#: rows of results in a block: their lines stay in the nearest cache
SIDE = 64
#: bytes of a vector that is read along the other axis
REGISTER_BYTES = 16
#: shorter rows are not worth a tile
LEAST = 8
#: the largest square that is turned by shuffles
MOST_TURNED = 16


def crosses(kernel: Kernel, load: Node, v: Node) -> Node | None:
    """The output loop that a load runs along where it jumps along `v`, the axis the stores run along; None
    where that is not so, or a block of it would not be worth a tile."""
    if len(load.src) == 3 or load.src[0].op is not Op.PARAM or runs_along(load, v) != "jump":
        return None
    wide = (r for r in kernel.order if r is not v and r.arg.kind == LOOP and range_size(r) >= LEAST)
    along = [r for r in wide if runs_along(load, r) == "next"]
    if not along or any(runs_along(store, v) != "next" for store in kernel.sink.src):
        return None
    # what walks over the kernel comes last: this is asked of each of its loads
    fixed = sequential_axes(kernel)
    found = next((r for r in along if r not in fixed), None)
    return None if found is None or is_in_place(kernel) or load not in stored_loads(kernel) else found


def block_transposes(kernel: Kernel) -> Kernel:
    """Turn every load that crosses the vector axis of the stores in registers, block by block."""
    lanes = next((r for r in kernel.order if r.arg.kind == VECTOR), None)
    if lanes is None:
        return kernel
    turned = [load for load in stored_loads(kernel) if crosses(kernel, load, lanes)]
    if not turned:
        return kernel
    across = crosses(kernel, turned[0], lanes)
    assert across is not None
    along = _outer_of(kernel, lanes)
    if along is across:  # the vectors are whole rows
        along = None
    kernel, inside = _inner(kernel, across, SIDE)
    last = [inside] if along is None else [int(along.arg.number), inside]
    outside = [r.arg.number for r in kernel.loops if r.arg.number not in last]
    registers = [r.arg.number for r in kernel.order if is_register(r)]
    kernel = step(kernel, Order((*outside, *last, *registers)))
    together = _together(max(load.dtype.itemsize for load in turned), range_size(lanes))
    while together > range_size(across):
        together //= 2
    return step(kernel, Split(inside, together, UNROLL))


def turn_tile(kernel: Kernel, tile: Node) -> Kernel | None:
    """The kernel with a tile that is filled across its memory filled in squares, turned by shuffles; None
    where it lies along it, or the processor needs no squares."""
    value, registers = tile.src[0], host_registers()
    if registers.by_lane or value.op is not Op.LOAD or len(value.src) != 2 or tile.arg.accumulates:
        return None
    if any(r.arg.kind == VECTOR for r in tile.ranges | frozenset(own_ranges(tile))):
        return None
    side = registers.bytes // value.dtype.itemsize
    own = [r for r in own_ranges(tile) if r.arg.kind == LOOP and range_size(r) >= side]
    lanes = next((r for r in own if coefficient_of(tile.src[1], r) == 1), None)
    across = next((r for r in own if coefficient_of(value.src[1], r) == 1), None)
    if lanes is None or across is None or lanes is across or side > MOST_TURNED:
        return None
    kernel = step(kernel, Split(lanes.arg.number, side, VECTOR))
    return step(kernel, Split(across.arg.number, side, UNROLL))


def _together(itemsize: int, lanes: int) -> int:
    """Elements read along the other axis: a quarter of a line where lanes are taken out of registers, else as
    many as there are lanes of a register, which make squares to be turned by shuffles."""
    side = min(lanes, host_registers().bytes // itemsize)
    square = not host_registers().by_lane and lanes % side == 0 and side & (side - 1) == 0
    return side if square else REGISTER_BYTES // itemsize


def _inner(kernel: Kernel, r: Node, size: int) -> tuple[Kernel, int]:
    """The kernel with an axis cut into blocks, and the number of the axis inside a block."""
    if range_size(r) <= size:
        return kernel, int(r.arg.number)
    number = kernel.next_axis() + 1
    return step(kernel, Split(r.arg.number, size, LOOP)), number


def _outer_of(kernel: Kernel, lanes: Node) -> Node | None:
    """The loop whose steps continue the vector axis in the stores, if the axis was split."""
    for r in kernel.order:
        if r.arg.kind == LOOP and all(
            coefficient_of(s.src[1], r) == range_size(lanes) for s in kernel.sink.src
        ):
            return r
    return None
