"""Tiles of columns: a vector's width of them side by side.

    for j: { tile[i] = exp(x[i, j] - max(x[:, j])) for i;  out[i, j] = tile[i] / sum(tile) }
    ->  for j, by vectors: { tile[i, lane] = ...;  out[i, j + lane] = tile[i, lane] / sum of lanes }

A softmax down columns keeps a column in a tile. Read one at a time, every element fetches a line of memory
and uses one element of it, and what is stored does so too. Side by side all loads and stores are of
neighbours, and no sum is merged across lanes. 777 x 333 on a Cascade Lake: 6.4 -> 0.6 ms.
"""

from __future__ import annotations

from ...graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, is_register, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import coefficient_of
from ...runtime.cpu.machine import host_registers
from ..moves.analysis import is_in_place, runs_along
from ..moves.moves import Bind, Split, Widen, step, step_if_legal
from ..moves.ordered import sequential_axes

#: vectors of a loop that become straight code, the most first
STRAIGHT = (8, 4)
#: columns that are worth a vector. Softmax down the middle of 512 x 17 x 5, a column at a time and four at
#: once, on a Cascade Lake: 393 and 137 us
LEAST = 4


def widen_columns(kernel: Kernel) -> Kernel:
    """The kernel with a vector of columns in each of its tiles that hold columns, if there are some."""
    column = next((r for r in kernel.order if _lie_across(kernel, _tiles_of(kernel, r), r)), None)
    if column is None:
        return kernel
    tiles = _tiles_of(kernel, column)
    inner = kernel.next_axis() + 1
    lanes = min(_lanes(kernel), 1 << (range_size(column).bit_length() - 1))
    kernel = step(kernel, Split(column.arg.number, lanes, LOOP))
    for tile in tiles:
        own = kernel.next_axis()
        kernel = step(kernel, Widen(tile.arg.number, inner))
        kernel = step(kernel, Bind(own, VECTOR))
    kernel = step(kernel, Bind(inner, VECTOR))
    return _with_straight_loops(kernel)


def _tiles_of(kernel: Kernel, r: Node) -> list[Node]:
    """The tiles that each step of a loop has for itself."""
    return [n for n in kernel.nodes if n.op is Op.STAGE and r in n.ranges]


def _with_straight_loops(kernel: Kernel) -> Kernel:
    """The innermost loop of the stores, and of each tile, as straight code a few steps at a time: a step is
    one vector, and to count it takes as long. Rotations of 8 columns: 1.1 -> 0.7 ms on a Neoverse N1."""
    nests = [kernel.loops[1:]]
    tiles = [own_ranges(n) for n in kernel.nodes if n.op is Op.STAGE]
    nests += [[r for r in own if r.arg.kind == LOOP] for own in tiles if any(map(is_register, own))]
    if any(n.op is Op.STAGE and n.arg.exchanges for n in kernel.nodes):  # parts are straight code enough
        return kernel
    for nest in nests:
        if not nest or nest[-1].src[0].op is not Op.CONST:
            continue
        length, number = range_size(nest[-1]), nest[-1].arg.number
        steps = next((f for f in STRAIGHT if length % f == 0), 0)
        if steps == length:
            kernel = step_if_legal(kernel, Bind(number, UNROLL))
        elif steps:
            kernel = step_if_legal(kernel, Split(number, steps, UNROLL))
    return kernel


def _lanes(kernel: Kernel) -> int:
    widest = max(n.dtype.itemsize for n in kernel.nodes if n.op in (Op.LOAD, Op.FOLD, Op.STAGE))
    return max(host_registers().bytes // max(widest, 4), 1)


def _lie_across(kernel: Kernel, tiles: list[Node], r: Node) -> bool:
    """Do tiles hold what one step along `r` reads, and are such steps neighbours in memory?"""
    if not tiles or r.src[0].op is not Op.CONST or is_register(r):
        return False
    if any(n.arg.kind == VECTOR for n in kernel.ranges()):
        return False
    if is_in_place(kernel) or r in sequential_axes(kernel) or range_size(r) < min(LEAST, _lanes(kernel) // 2):
        return False
    if any(len(store.src) != 3 or not _is_near(store, r) for store in kernel.sink.src):
        return False
    if any(t.arg.accumulates or t.ranges - set(kernel.order) for t in tiles):
        return False
    if any(n.op is Op.FOLD and n.arg.width > 1 for n in kernel.nodes):
        return False
    if any(n.op is Op.RANGE and n is not r and r in n.ranges for n in kernel.nodes):
        return False
    loads = [n for n in kernel.nodes if n.op is Op.LOAD and n.src[0] not in tiles and r in n.ranges]
    return bool(loads) and all(_is_near(load, r) for load in loads)


def _is_near(access: Node, r: Node) -> bool:
    """Are steps along a range neighbours, but for the parts of a number?"""
    return runs_along(access, r) == "next" or coefficient_of(access.src[1], r) == 2
