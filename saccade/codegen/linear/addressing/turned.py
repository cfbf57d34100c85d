"""Blocks of memory turned in registers, on their way in or out.

    loads    x[lane, j]  for some j at once: a vector along j for each lane, turned
    stores   out[lane, j] = values[j][lane]: turned first, then a vector along j for each lane

A square of n vectors of n lanes is turned in log2(n) rounds of n shuffles, each of two vectors: a round
exchanges one bit of a row's number with one of a lane's. Processors that take lanes out of a
register for nothing (NEON) get by without.
"""

from __future__ import annotations

from typing import Final

from ....graph.kernels.kernel import range_size
from ....graph.node import Node
from ....runtime.cpu.machine import host_registers
from ..builder import Point
from ..code import Instruction, Memory, Value
from ..values import Values
from .address import NATURAL, Address, joined

#: bytes of a register inside of which lanes are zipped by one instruction
BLOCK_BYTES: Final = 16


def turned(low: Values, rows: list[Value]) -> list[Value]:
    """n vectors of n lanes, n a power of two: vector j of the result has lane j of every row. Blocks of a
    register are exchanged first, then lanes inside of each are zipped, one instruction for two vectors:
    777 x 1,001 bytes took 178 us on a Cascade Lake with every bit exchanged, and take 122."""
    n, dtype = len(rows), rows[0].dtype
    block = min(n, BLOCK_BYTES // dtype.itemsize)
    half = n // 2
    while half >= block:
        upper = tuple(lane if not lane & half else n + lane - half for lane in range(n))
        lower = tuple(lane + half if not lane & half else n + lane for lane in range(n))
        made = list(rows)
        for a in (row for row in range(n) if not row & half):
            pair = (rows[a], rows[a + half])
            made[a] = low.instruction("shuffle", dtype, n, pair, upper)
            made[a + half] = low.instruction("shuffle", dtype, n, pair, lower)
        rows, half = made, half // 2
    return [row for first in range(0, n, block) for row in _zipped(low, rows[first : first + block])]


def _zipped(low: Values, rows: list[Value]) -> list[Value]:
    """As many rows as a block has lanes, turned inside of every block: each is zipped with the one half of
    them behind, as often as it takes."""
    n, dtype, block = rows[0].width, rows[0].dtype, len(rows)
    places = [
        tuple(n * (lane % 2) + lane // block * block + start + lane % block // 2 for lane in range(n))
        for start in (0, block // 2)
    ]
    for _ in range(block.bit_length() - 1):
        pairs = list(zip(rows[: block // 2], rows[block // 2 :], strict=True))
        rows = [low.instruction("shuffle", dtype, n, pair, at) for pair in pairs for at in places]
    return rows


def turned_loads(
    low: Values, memory: Memory, address: Address, across: Node, width: int
) -> dict[Point, Value]:
    """Elements that jump along the lanes and are neighbours along an unroll axis `across`, forwards or
    backwards: a vector of these for each lane, turned in registers."""
    axes = address.axes
    where, n = axes.index(across), range_size(across)
    made: dict[Point, Value] = {}
    for first in (p for p in low.points(axes) if p[where] == 0):
        lowest = first if address.strides[across] == 1 else (*first[:where], n - 1, *first[where + 1 :])
        places = [address.at(lowest, lane) for lane in range(width)]
        rows = [
            low.instruction("load", memory.dtype, n, (index,), (memory, offset)) for index, offset in places
        ]
        columns = _columns(low, rows, n)
        for at, column in enumerate(columns if lowest is first else reversed(columns)):
            made[(*first[:where], at, *first[where + 1 :])] = column
    return made


def turns_well(n: int, width: int, itemsize: int) -> bool:
    """Are n vectors of `width` lanes turned in whole squares of registers, most of which is used?"""
    side = host_registers().bytes // itemsize
    return not host_registers().by_lane and side // 4 <= n <= side and width % side == 0


def turned_axis(address: Address, width: int, itemsize: int) -> Node | None:
    """An unroll axis along which neighbours are neighbours in memory, if vectors of them are worth
    turning."""
    next_to = [a for a in address.axes if address.strides[a] in (1, -1)]
    # lanes of squares are joined in pairs
    pairs = width & (width - 1) == 0
    well = (a for a in next_to if pairs and turns_well(range_size(a), width, itemsize))
    return next(well, next((a for a in next_to if range_size(a) in NATURAL), None))


def _columns(low: Values, rows: list[Value], n: int) -> list[Value]:
    """Vector j of n has lane j of every row."""
    if n == len(rows) and not host_registers().by_lane:
        return turned(low, rows)
    if len(rows) & (len(rows) - 1) or not turns_well(n, len(rows), rows[0].dtype.itemsize):
        return [_picked(low, rows, at) for at in range(n)]
    side = host_registers().bytes // rows[0].dtype.itemsize
    wide = [_widened(low, row, side) for row in rows]
    squares = [turned(low, wide[start : start + side]) for start in range(0, len(rows), side)]
    return [joined(low, [square[at] for square in squares]) for at in range(n)]


def _picked(low: Values, rows: list[Value], at: int) -> Value:
    lanes = [low.instruction("extract", row.dtype, 1, (row,), at) for row in rows]
    return low.instruction("pack", rows[0].dtype, len(rows), tuple(lanes))


def turned_stores(low: Values, memory: Memory, address: Address, values: dict[Point, Value]) -> bool:
    """Store vectors whose lanes are apart and whose points along an unroll axis are neighbours, turned;
    False where they do not lie so."""
    across = next((a for a in address.axes if address.strides[a] == 1), None)
    if across is None or address.vector_stride in (None, 0, 1):
        return False
    some, n = next(iter(values.values())), range_size(across)
    itemsize = some.dtype.itemsize
    if address.vector_stride == n and n & (n - 1) == 0 and not any(v.is_literal for v in values.values()):
        return _interleaved_stores(low, memory, address, values, across)
    if not turns_well(n, some.width, itemsize) or any(v.is_literal for v in values.values()):
        return False
    side = host_registers().bytes // itemsize
    where = address.axes.index(across)
    for first in (p for p in values if p[where] == 0):
        rows = [values[(*first[:where], at, *first[where + 1 :])] for at in range(n)]
        for start in range(0, some.width, side):
            square = [_part(low, row, start, side) for row in rows]
            columns = turned(low, square + [square[0]] * (side - n))
            for lane, column in enumerate(columns):
                index, offset = address.at(first, start + lane)
                whole = _part(low, column, 0, n)
                low.append(Instruction("store", None, (index, whole), (memory, offset)))
    return True


def _interleaved_stores(
    low: Values, memory: Memory, address: Address, values: dict[Point, Value], across: Node
) -> bool:
    """Store vectors that fill memory together, lane by lane: interleaved in pairs, vector by vector. As one
    long vector LLVM takes it apart in twice as many shuffles, each with lanes of its own to load."""
    n, where = range_size(across), address.axes.index(across)
    for first in (p for p in values if p[where] == 0):
        runs = [[values[(*first[:where], at, *first[where + 1 :])]] for at in range(n)]
        while len(runs) > 1:
            half = len(runs) // 2
            runs = [
                [made for pair in zip(a, b, strict=True) for made in _interleaved(low, *pair)]
                for a, b in zip(runs[:half], runs[half:], strict=True)
            ]
        index, offset = address.at(first, 0)
        for number, what in enumerate(runs[0]):
            place = (memory, offset + number * what.width)
            low.append(Instruction("store", None, (index, what), place))
    return True


def _interleaved(low: Values, a: Value, b: Value) -> list[Value]:
    """Lanes of two vectors in turn: two vectors, or one that fits a register."""
    pairs = zip(range(a.width), range(a.width, 2 * a.width), strict=True)
    lanes = [lane for pair in pairs for lane in pair]
    fits = 2 * a.width * a.dtype.itemsize <= host_registers().bytes
    width = 2 * a.width if fits else a.width
    return [
        low.instruction("shuffle", a.dtype, width, (a, b), tuple(lanes[at : at + width]))
        for at in range(0, 2 * a.width, width)
    ]


def _part(low: Values, vector: Value, start: int, n: int) -> Value:
    """Some neighbouring lanes of a vector."""
    if n == vector.width:
        return vector
    return low.instruction("shuffle", vector.dtype, n, (vector, vector), tuple(range(start, start + n)))


def _widened(low: Values, vector: Value, n: int) -> Value:
    """A vector with lanes behind its own, whatever is in them."""
    if n == vector.width:
        return vector
    lanes = (*range(vector.width), *[-1] * (n - vector.width))
    return low.instruction("shuffle", vector.dtype, n, (vector, vector), lanes)
