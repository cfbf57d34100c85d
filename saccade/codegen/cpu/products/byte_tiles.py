"""Sums of products of bytes as tiles of registers: four steps of the sum in every lane of a dot instruction.

    out[u, v] = FOLD(add, int32(a[u, k]) * int32(b[k, v]), k)
    ->  panel[k, v, f] = b[4 k + f, v];   sums[u] = vpdpbusd(sums[u], panel[k], a[u, 4 k .. 4 k + 4])

One factor is packed so that four neighbours of the sum lie side by side for every result (`byte_dots.py` has
the instruction). The other is read as it lies, four bytes for all lanes at once. 512 cubed on one thread of a
Cascade Lake: 6.4 -> 0.55 ms. Without VNNI, on a Skylake: 6.7 -> 2.8 ms.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....graph import dtypes
from ....graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, range_size
from ....graph.monoid import ADD
from ....graph.node import Node, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of
from ....runtime.cpu.machine import host_registers
from ...folds.byte_dots import FOUR, PAIRS, dots_for
from ...moves.analysis import direct_loads, find_range, is_in_place, owner_of
from ...moves.moves import Bind, Order, Pack, Split, operands, step
from .reads import LOAD
from .tiles import covered

#: the least rows that a panel is packed for, and the least steps of a sum
LEAST_ROWS, LEAST_SUM = 8, 16
#: rows of a tile, the most: 512 cubed took 1.1 ms with 6 x 4 registers of sums, 1.7 with 8 x 2 and 2.7 with
#: 14 x 2 on a busy core
MOST_ROWS = 8
#: steps of a sum that wait in 16 bits where the dot instruction is one of pairs: as many as fit for codes of
#: four bits (512 cubed on a busy Skylake: 5.3 ms with 1 step, 2.8 with 8)
STEPS = 8
#: registers of results side by side, the most
VECTORS = (1, 2, 4)


@dataclass(frozen=True)
class Choice:
    """Results of a fold along `v` in lanes, along `u` in registers. waiting: sums of 16 bits that each has
    beside the one of 32."""

    fold: Node
    v: Node
    u: Node
    waiting: int


def tile_bytes(kernel: Kernel) -> Kernel:
    """The kernel with its one product of bytes in registers; as it is if it has none, or several."""
    found = _choice(kernel)
    if found is None:
        return kernel
    v, u, k = (r.arg.number for r in (found.v, found.u, own_ranges(found.fold)[-1]))
    width, rows = _size(found)
    rest = [r.arg.number for r in kernel.order if r.arg.number not in (v, u)]
    kernel = step(kernel, Order((*rest, v, u)))
    panel = kernel.next_axis() if range_size(found.v) > width else (*rest, u)[0 if rest else -1]
    kernel = step(kernel, Split(v, width, VECTOR))
    if rows > 1:
        kernel = step(kernel, Split(u, rows, UNROLL) if range_size(found.u) > rows else Bind(u, UNROLL))
    first = kernel.next_axis()
    kernel = step(kernel, Split(k, FOUR, UNROLL))
    tile, fold = kernel.next_axis(), owner_of(kernel, find_range(kernel, first))
    assert fold is not None
    # a split may exchange the factors
    wide = next(n for n, o in enumerate(operands(fold)) if any(r.arg.kind == VECTOR for r in o.ranges))
    kernel = _filled_in_lanes(step(kernel, Pack(first, wide, panel, narrow=True)), tile)
    return step(kernel, Split(first, STEPS, UNROLL)) if found.waiting else kernel


def _filled_in_lanes(kernel: Kernel, first: int) -> Kernel:
    """The new tile filled by vectors of results, four steps of the sum at once, which are interleaved."""
    tile = next(n for n in kernel.nodes if n.op is Op.STAGE and own_ranges(n)[0].arg.number >= first)
    by_step = {coefficient_of(tile.src[1], r): r for r in own_ranges(tile)}
    kernel = step(kernel, Bind(by_step[1].arg.number, UNROLL))
    return step(kernel, Bind(by_step[FOUR].arg.number, VECTOR))


def _choice(kernel: Kernel) -> Choice | None:
    folds = [n for n in kernel.nodes if n.op is Op.FOLD and n.dtype is dtypes.int32 and len(operands(n)) == 2]
    if len(folds) != 1 or host_registers().by_lane or is_in_place(kernel):
        return None
    (fold,), own = folds, own_ranges(folds[0])
    loops = (*kernel.order, *own)
    if any(r.arg.kind != LOOP or r.src[0].op is not Op.CONST for r in loops):
        return None
    dots = dots_for(fold.src[0])
    if fold.arg != ADD or len(own) != 1 or range_size(own[0]) < LEAST_SUM or not dots:
        return None
    if any(len(store.src) != 3 for store in kernel.sink.src) or any(n.op is Op.STAGE for n in kernel.nodes):
        return None
    factors, waiting = operands(fold), len(dots) if dots[0].name == PAIRS else 0
    for across, along in (factors, factors[::-1]):
        v = [r for r in kernel.order if r in across.ranges and r not in along.ranges]
        u = [r for r in kernel.order if r in along.ranges and r not in across.ranges]
        if len(v) == len(u) == 1 and _lies_so(kernel, across, along, v[0], own[0]):
            enough = range_size(u[0]) >= LEAST_ROWS and range_size(v[0]) >= _lanes()
            return Choice(fold, v[0], u[0], waiting) if enough else None
    return None


def _lies_so(kernel: Kernel, across: Node, along: Node, v: Node, k: Node) -> bool:
    """Do results and one factor lie side by side along v, and the other factor along the sum?"""
    alone = along.op is Op.CAST and along.src[0].op is Op.LOAD and len(along.src[0].src) == 2
    return (
        alone
        and coefficient_of(along.src[0].src[1], k) == 1
        and all(
            len(load.src) == 2 and coefficient_of(load.src[1], v) == 1 for load in direct_loads((across,))
        )
        and all(coefficient_of(store.src[1], v) == 1 for store in kernel.sink.src)
    )


def _lanes() -> int:
    return host_registers().bytes // FOUR


def _size(choice: Choice) -> tuple[int, int]:
    """Results side by side, and rows: the tile that takes the fewest instructions for a product."""
    n_v, n_u, registers = range_size(choice.v), range_size(choice.u), host_registers().count
    costs = {
        (vectors, rows): (1 + LOAD / vectors + LOAD / rows)
        * covered(n_v, vectors * _lanes())
        * covered(n_u, rows)
        for vectors in VECTORS
        for rows in range(1, min(n_u, MOST_ROWS) + 1)
        if rows * vectors * (1 + choice.waiting) + vectors + 2 < registers and vectors * _lanes() <= n_v
    }
    vectors, rows = min(costs, key=costs.__getitem__)
    return vectors * _lanes(), rows
