"""Loads that may reach over the edges of their memory: zeros come where there is nothing.

    x[i - 1 + lane]  for lanes 0..15, where 0 <= i - 1 + lane < n

A mask that holds in all lanes or none chooses an address. Where lanes differ, a machine with masked loads
leaves lanes out; any other takes one load where the first and the last lane are inside, and single ones else.
"""

from __future__ import annotations

from ....graph import dtypes
from ....graph.node import Node
from ....graph.ops import Op
from ....graph.rules.bounds import bounds
from ....runtime.cpu.machine import host_registers
from ...moves.analysis import holds_between
from ..builder import Point
from ..code import Instruction, Memory, Value
from ..values import Values
from .address import Address, index_at, load_at


def guarded_load(low: Values, node: Node, memory: Memory) -> Value:
    """One element; a constant distance from another is an offset, so that neighbours share an address."""
    _, index, valid = node.src
    base, offset = (index.src[0], int(index.src[1].arg)) if _is_shifted(index) else (index, 0)
    args = (low.emit(base).at[()], low.emit(valid).at[()])
    return low.instruction("guarded_load", memory.dtype, 1, args, (memory, offset))


def guarded_loads(low: Values, node: Node, memory: Memory, address: Address) -> dict[Point, Value]:
    """The elements at every point of the address's axes."""
    mask, points = node.src[2], low.points(address.axes)
    if low.width(mask) > 1 and address.vector_stride == 1:
        if _is_there(low, node):
            return {p: _chosen_lanes(low, node, memory, address, p) for p in points}
        if host_registers().masks:
            return _masked_loads(low, node, memory, address)
        if holds_between(mask, low.vector_axis(node)):
            return {p: _edge_load(low, node, memory, address, p) for p in points}
    width = low.width(node)
    if low.width(mask) > 1 and address.vector_stride == 0 and _is_there(low, node):
        return {p: _chosen_lanes(low, node, memory, address, p) for p in points}
    if width > 1 and (low.width(mask) > 1 or address.vector_stride != 1):
        return {p: _one_by_one(low, memory, address, p, width, mask) for p in points}
    made = {}
    for point in points:
        index, offset = address.at(point)
        args = (index, low.emit(mask).project(address.axes, point))
        made[point] = low.instruction("guarded_load", memory.dtype, width, args, (memory, offset))
    return made


def _is_there(low: Values, node: Node) -> bool:
    """Is the place of a load in its memory, whether its mask holds or not? Nobody knows where there are
    lengths: memories are then not as large as they may be."""
    if low.has_lengths or node.src[0].op is not Op.PARAM:
        return False
    first, last = bounds(node.src[1])
    return first >= 0 and last < node.src[0].arg.size


def _chosen_lanes(low: Values, node: Node, memory: Memory, address: Address, point: Point) -> Value:
    """One element, or neighbours, in the lanes that a mask has; zeros in the others."""
    width, valid = low.width(node), low.emit(node.src[2]).project(address.axes, point)
    there = load_at(low, memory, address, point, width if address.vector_stride else 1)
    zeros = low.literal(0, memory.dtype, width)
    return low.alu(Op.WHERE, memory.dtype, (valid, low.splat(there, width), zeros))


def _one_by_one(low: Values, memory: Memory, address: Address, point: Point, width: int, mask: Node) -> Value:
    lanes = []
    for lane in range(width):
        index, offset = address.at(point, lane)
        args = (index, _condition(low, mask, address, point, lane))
        lanes.append(low.instruction("guarded_load", memory.dtype, 1, args, (memory, offset)))
    return low.instruction("pack", memory.dtype, width, tuple(lanes))


def _condition(low: Values, mask: Node, address: Address, point: Point, lane: int) -> Value:
    """Whether a mask holds at one lane. Comparisons of places are made for it alone: a kernel that takes a
    vector of bits apart may have to go without AVX-512 (`goes_without_avx512`; attention for every length,
    1,000 x 64: 8.7 -> 3.9 ms on a Cascade Lake)."""
    axis = low.vector_axis(mask)
    if axis is None or not holds_between(mask, axis):
        whole = low.emit(mask).project(address.axes, point)
        return low.instruction("extract", dtypes.bool_, 1, (whole,), lane) if whole.width > 1 else whole
    places = {**dict(zip(address.axes, point, strict=True)), axis: lane}
    fixed = tuple([(r, at) for r, at in places.items() if r in mask.ranges])
    return low.emit(index_at(low, mask, fixed)).at[()]


def _masked_loads(low: Values, node: Node, memory: Memory, address: Address) -> dict[Point, Value]:
    """Neighbours of which some may lie outside: the machine leaves them out, zeros in their place."""
    valid, width, made = low.emit(node.src[2]), low.width(node), {}
    for point in low.points(address.axes):
        index, offset = address.at(point)
        args = (index, valid.project(address.axes, point))
        made[point] = low.instruction("masked_load", memory.dtype, width, args, (memory, offset))
    return made


def _edge_load(low: Values, node: Node, memory: Memory, address: Address, point: Point) -> Value:
    """Neighbours of which some at an end may lie outside: one load where the first and the last are
    inside, and only else one by one."""
    width = low.width(node)
    mask = node.src[2]
    first, last = (_condition(low, mask, address, point, lane) for lane in (0, width - 1))
    whole = low.alu(Op.AND, dtypes.bool_, (first, last))
    result = low.declare(memory.dtype, width, low.literal(0, memory.dtype))
    low.branch(whole)
    low.set(result, load_at(low, memory, address, point, width))
    low.leave()
    low.branch(low.alu(Op.XOR, dtypes.bool_, (whole, low.literal(True, dtypes.bool_))), inside_loop=True)
    low.set(result, _one_by_one(low, memory, address, point, width, mask))
    low.leave()
    return low.get(result)


def masked_stores(
    low: Values, memory: Memory, address: Address, values: dict[Point, Value], mask: Node
) -> None:
    """Store those of some elements that are there: neighbours in one instruction where the machine leaves out
    lanes, others one by one. A condition that several share is asked once."""
    single: dict[Value, list[tuple[Value, int, Value, int]]] = {}
    for point, what in values.items():
        width = what.width
        if low.width(mask) > 1 and address.vector_stride == 1 and host_registers().masks:
            index, offset = address.at(point)
            valid = low.emit(mask).project(address.axes, point)
            low.append(Instruction("masked_store", None, (index, what, valid), (memory, offset)))
            continue
        for lane in range(width):
            index, offset = address.at(point, lane)
            single.setdefault(_condition(low, mask, address, point, lane), []).append(
                (index, offset, what, lane)
            )
    for condition, stores in single.items():
        low.branch(condition)
        for index, offset, what, lane in stores:
            one = what if what.width == 1 else low.instruction("extract", what.dtype, 1, (what,), lane)
            low.append(Instruction("store", None, (index, one), (memory, offset)))
        low.leave()


def _is_shifted(index: Node) -> bool:
    return index.op is Op.ADD and index.src[1].op is Op.CONST
