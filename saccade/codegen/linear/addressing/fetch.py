"""Lines asked for before they are needed: of a packed panel while it is multiplied, of rows while they are
packed, or added to results that are kept.

    for k: { sums += panel[k] * x[k] }        ->    for k: { fetch panel[k + some];  sums += ... }
    for k: { for j: tile[k, j] = x[k, j] }    ->    for k: { for j: fetch x[k + 8, j];  tile[k, j] = ... }

A panel that is larger than the first cache comes from the second for every tile of registers; a processor
follows it, but not far enough ahead. Rows that are more than a page apart it does not follow at all. One
thread of a Cascade Lake: 2048 x 384 x 1536 116 -> 124 GFLOP/s; to pack an element of rows of 64 took 1.5 ns,
and takes 0.8. Fetching is a hint: it changes no result and may go past the end of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from ....graph.kernels.kernel import VECTOR, Kernel, is_register, range_size
from ....graph.node import Node, own_ranges
from ....graph.ops import NESTS, Op
from ....graph.rules.symbolic import coefficient_of
from ....runtime.cpu.machine import host_registers, near_caches
from ...moves.analysis import direct_loads
from ..code import Instruction, Memory, Value
from ..values import Values
from .address import Address
from .turned import turned_axis

#: bytes of a line of memory
LINE: Final = 64
#: bytes of a panel that are fetched ahead: what a hundred cycles multiply
PANEL_AHEAD: Final = 1536
#: rows that are fetched ahead of those that are packed, and how far they are apart at least, in bytes
ROWS_AHEAD, APART = 8, 2048
#: steps of a sum of products that are fetched ahead where their vectors are not side by side, and bytes from
#: one to the next at least. One thread of a Cascade Lake, 24 x 256 times 256 x 1024 in tiles of 12 rows and 2
#: vectors: 244 us, 139 with 4 or 8 steps, 157 with 16, of which the first cache has no place for all
STEPS_APART, ROW_APART = 6, 256
#: steps that are fetched ahead of those that go along their results, and bytes at most. A Neoverse N1 does
#: not follow two rows at once by itself: 4,096 x 256 took 296 us, and takes 147
STEPS, STEPS_AHEAD = 2, 2048
#: results for each element at most: more take longer than what is read takes to come
FEW_RESULTS = 5
#: short rows that a map fetches ahead, and bytes of the longest. A Neoverse N1 does not follow such jumps:
#: heads of 64 of 8 x 512 x 512 took 1,012 us, and take 511
JUMPS_AHEAD, LONGEST_ROW = 4, 1024
#: bytes of the longest row that is fetched ahead where a map reads rows backwards: 1,001 of 777 floats took
#: 405 us, and take 210
LONGEST_BACKWARDS = 1 << 14
#: bytes that are fetched ahead of a fold along memory. A Neoverse N1 loses the stream where rows meet: 3,333
#: rows of 333 times a vector took 333 us, and take 190; of 777 583 and 456
STREAM_AHEAD = 2048


def fetch_panels(low: Values, bodies: tuple[Node, ...], loops: list[Node]) -> None:
    """Inside the loops of a fold: what its next steps read of packed panels that the first cache does not
    hold."""
    if host_registers().by_lane or not loops or any(r.src[0].op is not Op.CONST for r in loops):
        return
    length = prod(map(range_size, loops))
    for load in direct_loads(bodies):
        if load.src[0].op is not Op.STAGE or low.width(load) == 1 or len(load.src) != 2:
            continue
        step = (coefficient_of(load.src[1], loops[-1]) or 0) * load.dtype.itemsize
        if step >= LINE and step * length > near_caches()[0] // 2:
            _fetch(low, load, PANEL_AHEAD // load.dtype.itemsize)


def fetch_apart(low: Values, bodies: tuple[Node, ...], loops: list[Node], at_once: int) -> None:
    """Inside the loop of a sum, of which so many steps are taken `at_once`: what its next steps read of
    vectors that are far apart, as rows of a matrix of which a tile has some columns."""
    for load in direct_loads(bodies):
        if low.width(load) == 1 or not lie_apart(load, loops):
            continue
        step = coefficient_of(load.src[1], loops[-1]) or 0
        if 2 * low.width(load) * prod(map(range_size, low.unroll_axes(load))) <= abs(step):
            crossed = step * load.dtype.itemsize % LINE > 0
            _fetch(low, load, -(-STEPS_APART // at_once) * step, crossed)


def lie_apart(load: Node, loops: Sequence[Node]) -> bool:
    """Do vectors of memory, one for each step of a single loop, lie further apart than a processor follows by
    itself, and in more memory than the first cache has?"""
    if host_registers().by_lane or load.op is not Op.LOAD or load.src[0].op is not Op.PARAM:
        return False
    if len(load.src) != 2 or len(loops) != 1 or loops[0].src[0].op is not Op.CONST:
        return False
    step = abs(coefficient_of(load.src[1], loops[0]) or 0) * load.dtype.itemsize
    return step >= ROW_APART and step * range_size(loops[0]) > near_caches()[0]


def fetch_streams(low: Values, fold: Node) -> None:
    """Inside the loop of a fold in lanes: what is behind what it reads of a large memory, where no other fold
    has read that before, it is not read again for other results, and rows begin inside of lines."""
    in_lanes = fold.arg.width == 1 and any(r.arg.kind == VECTOR for r in own_ranges(fold))
    if not host_registers().by_lane or not in_lanes or any(n.op is Op.STAGE for n in low.kernel.nodes):
        return
    outer = low.kernel.loops
    for load in direct_loads(fold.src[:1]):
        memory, index = load.src[:2]
        if len(load.src) != 2 or memory.op is not Op.PARAM or not load.ranges.issuperset(outer):
            continue
        dtype, size = low.kernel.params[memory.arg.slot]
        whole = bool(outer) and (coefficient_of(index, outer[-1]) or 0) * dtype.itemsize % LINE == 0
        if (
            size * dtype.itemsize > near_caches()[0]
            and not whole
            and _first_reader(low.kernel, memory) is fold
        ):
            _fetch(low, load, STREAM_AHEAD // dtype.itemsize)


def _first_reader(kernel: Kernel, memory: Node) -> Node | None:
    """The first fold, in the order they are computed in, of what is in a memory."""
    folds = (n for n in kernel.nodes if n.op is Op.FOLD)
    read = (n for n in folds if any(load.src[0] is memory for load in direct_loads(n.src[: n.arg.elements])))
    return next(read, None)


def fetch_jumps(low: Values) -> None:
    """Inside the loops of a map: what the next rows read of a large memory, where they are short and each is
    far from the one before, or go backwards."""
    kernel = low.kernel
    if not host_registers().by_lane or any(n.op in NESTS for n in kernel.nodes):
        return
    loops = kernel.loops
    for load in kernel.nodes:
        if load.op is not Op.LOAD or load.src[0].op is not Op.PARAM or len(load.src) != 2:
            continue
        dtype, size = kernel.params[load.src[0].arg.slot]
        strides = [(r, abs(coefficient_of(load.src[1], r) or 0) * dtype.itemsize) for r in reversed(loops)]
        row, stride = next(((r, s) for r, s in strides if s > LINE), (None, 0))
        if row is None or low.width(load) == 1 or size * dtype.itemsize <= near_caches()[1] // 2:
            continue
        read = (
            prod(range_size(r) for r in load.ranges if r not in loops[: loops.index(row) + 1])
            * dtype.itemsize
        )
        step = coefficient_of(load.src[1], row) or 0
        if read <= LONGEST_ROW and stride >= 2 * read:
            _fetch(low, load, JUMPS_AHEAD * step)
        elif step < 0 and read <= LONGEST_BACKWARDS:
            _fetch(low, load, step)


def fetch_across(low: Values) -> None:
    """Inside the loops of a map that turns what it reads: what its rows read and write one vector further,
    where they are far apart. A square has a line of as many rows as it has lanes, which a processor does not
    follow: 1,001 x 777 floats took 2,400 us on a Cascade Lake, and take 320."""
    kernel = low.kernel
    lanes = next((r for r in kernel.order if r.arg.kind == VECTOR), None)
    if lanes is None or host_registers().by_lane:
        return
    if any(n.op in NESTS for n in kernel.nodes):
        return
    width, stores = range_size(lanes), kernel.sink.src
    read = [n for n in kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM and len(n.src) == 2]
    places = {n: Address(low, n.src[1], low.unroll_axes(n), low.vector_axis(n)) for n in (*read, *stores)}
    if not any(_is_turned(places[n], n, low.width(n)) for n in read):
        return
    if any(_row_bytes(places[n], n) < APART for n in stores):
        return
    for node, address in places.items():
        if not address.vector_stride:
            continue
        memory, step = low.memory_of(node.src[0]), address.vector_stride * width
        turned = address.vector_stride != 1
        for point in low.points(address.axes):
            if turned and any(
                at and address.strides[a] in (1, -1) for a, at in zip(address.axes, point, strict=True)
            ):
                continue  # along its own row
            for lane in range(width) if turned else (width - 1,):
                index, offset = address.at(point, lane)
                low.append(Instruction("prefetch", None, (index,), (memory, offset + step)))


def _row_bytes(address: Address, store: Node) -> int:
    """Between two of the rows that a map stores to at once."""
    return max((abs(s or 0) for s in address.strides.values()), default=0) * store.src[2].dtype.itemsize


def _is_turned(address: Address, load: Node, width: int) -> bool:
    across = turned_axis(address, width, load.dtype.itemsize) if width > 1 else None
    return across is not None and address.vector_stride not in (None, 0, 1, -1)


def fetch_rows(low: Values, tile: Node) -> None:
    """Inside the loops of a tile that is filled: the rows behind those that are read."""
    loops = [r for r in own_ranges(tile) if not is_register(r)]
    if host_registers().by_lane or not loops:
        return
    for load in direct_loads((tile.src[0],)):
        if load.src[0].op is not Op.PARAM or low.width(load) == 1 or len(load.src) != 2:
            continue
        strides = [coefficient_of(load.src[1], r) or 0 for r in loops]
        farthest = max(strides)
        # where rows are short, the next ones begin before these are read
        if farthest * load.dtype.itemsize >= APART:
            _fetch(low, load, ROWS_AHEAD * farthest)


def fetch_steps(low: Values, fold: Node) -> None:
    """Inside the loops of a fold that goes along its results: the rows of its next step, or what comes next
    in rows that are longer than that."""
    own, results = own_ranges(fold), prod(range_size(r) for r in low.unroll_axes(fold))
    if not host_registers().by_lane or results > FEW_RESULTS:
        return
    for load in direct_loads(fold.src[:1]):
        if load.src[0].op is Op.PARAM and low.width(load) > 1 and len(load.src) == 2:
            step = max(coefficient_of(load.src[1], r) or 0 for r in own)
            _fetch(low, load, min(STEPS * step, STEPS_AHEAD // load.dtype.itemsize))


def _fetch(low: Values, load: Node, ahead: int, crossed: bool = False) -> None:
    """Fetch the lines so many elements behind those that a load reads, if its lanes are neighbours; one more
    where vectors are `crossed` by the end of a line."""
    address = Address(low, load.src[1], low.unroll_axes(load), low.vector_axis(load))
    if address.vector_stride != 1:
        return
    memory: Memory = low.memory_of(load.src[0])
    each = LINE // memory.dtype.itemsize
    asked: dict[Value, int] = {}
    for point in low.points(address.axes):
        index, offset = address.at(point)
        for line in range(0, low.width(load), each):
            place = offset + ahead + line
            if place - asked.get(index, place - each) >= each:  # neighbours may share a line
                asked[index] = place
                low.append(Instruction("prefetch", None, (index,), (memory, place)))
    for index, place in asked.items() if crossed else ():
        low.append(Instruction("prefetch", None, (index,), (memory, place + each)))
