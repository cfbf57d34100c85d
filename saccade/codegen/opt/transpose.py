"""Loads that run across the stores: copied block by block.

    out[i, j] = x[j, i]     j is the vector axis of the store, and a step along it jumps a row of x

Read like that, every element fetches a line of memory and uses one element of it. So a block of lines is read
along i into a tile that stays in the nearest cache, and the stores read the tile along j:

    for i in blocks:  for j in blocks:  tile[i, j] = x[j, i] along i;  out[i, j] = tile[i, j] along j
"""

from __future__ import annotations

from ...graph.kernel import LOOP, VECTOR, Kernel, is_register, range_size
from ...graph.node import Node
from ...graph.symbolic import coefficient_of
from .analysis import runs_along
from .moves import Copy, Order, Split, is_in_place, sequential_axes, step, stored_loads

#: a block has this many elements each way: the rows it reads and writes are some lines long, and it stays in
#: the nearest cache
SIDE = 64
#: shorter rows are not worth a tile
LEAST = 8


def crosses(kernel: Kernel, load: Node, v: Node) -> Node | None:
    """The output loop that a load runs along where it jumps along `v`, the axis the stores run along; None
    where that is not so, or a block of it would not be worth a tile."""
    if load not in stored_loads(kernel) or len(load.src) == 3 or runs_along(load, v) != "jump":
        return None
    if is_in_place(kernel) or any(runs_along(store, v) != "next" for store in kernel.sink.src):
        return None
    fixed = sequential_axes(kernel)
    for r in kernel.order:
        wide = r is not v and r not in fixed and r.arg.kind == LOOP and range_size(r) >= LEAST
        if wide and runs_along(load, r) == "next":
            return r
    return None


def block_transposes(kernel: Kernel) -> Kernel:
    """Copy every load that crosses the vector axis of the stores through a tile."""
    lanes = next((r for r in kernel.order if r.arg.kind == VECTOR), None)
    if lanes is None:
        return kernel
    across = next((r for load in stored_loads(kernel) if (r := crosses(kernel, load, lanes))), None)
    if across is None:
        return kernel
    along = _outer_of(kernel, lanes)
    if along is across:  # the vectors are whole rows
        along = None
    kernel, a = _inner(kernel, across, SIDE)
    inside = [a]
    if along is not None:
        kernel, b = _inner(kernel, along, SIDE // range_size(lanes))
        inside.append(b)
    outside = [r.arg.number for r in kernel.order if not is_register(r) and r.arg.number not in inside]
    registers = [r.arg.number for r in kernel.order if is_register(r)]
    if not outside:
        return kernel
    kernel = step(kernel, Order((*outside, *inside, *registers)))
    block = next(r for r in kernel.order if r.arg.number == a)
    for number, load in reversed(list(enumerate(stored_loads(kernel)))):
        if runs_along(load, block) == "next" and runs_along(load, lanes) == "jump":
            kernel = step(kernel, Copy(number, outside[-1]))
    return kernel


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
