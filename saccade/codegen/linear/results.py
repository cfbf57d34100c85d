"""What the innermost loop of a kernel writes: its results, or padding where there are none (`skip`).

Before the results of an element are computed, what later ones read is fetched (`prefetch`).
"""

from __future__ import annotations

from functools import reduce

from ...graph import dtypes
from ...graph.constants import is_anything
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import LOOP, VECTOR, is_register
from ...graph.node import Node, index_const
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify
from ..cpu.prefetch import lookups_to_fetch, rows_to_fetch, streams_to_fetch
from ..moves.analysis import is_in_place
from .addressing.fetch import fetch_across, fetch_jumps
from .code import Instruction, Value
from .memory import MemoryLowering
from .skip import CHUNK, Skip, at_likeliest, comes_in_chunks, skip_of


def store_results(low: MemoryLowering) -> None:
    """All stores of the kernel, for one iteration of its loops."""
    _fetch(low, rows_to_fetch(low.kernel) + lookups_to_fetch(low.kernel))
    skip = skip_of(low.kernel)
    if skip is None:
        _store(low)
    else:
        _store_unless(low, skip)


def _store(low: MemoryLowering) -> None:
    _fetch(low, streams_to_fetch(low.kernel))
    fetch_jumps(low)
    fetch_across(low)
    if is_in_place(low.kernel):  # what one store reads, another may overwrite
        for node in low.kernel.sink.src:
            low.values_over(node.src[2], low.unroll_axes(node))
    for node in low.kernel.sink.src:
        low.store(node)


def _fetch(low: MemoryLowering, places: list[tuple[Node, Node]]) -> None:
    for memory, index in places:
        place = low.emit(index).at[()]
        low.append(Instruction("prefetch", None, (place,), (low.memory_of(memory), 0)))


def _store_unless(low: MemoryLowering, skip: Skip) -> None:
    """All stores; where the mask holds nowhere among the lanes and points they are of padding."""
    holds = _any(low, skip.mask, [r for r in low.kernel.order if is_register(r)])
    low.branch(holds, inside_loop=True)
    _store(low)
    low.leave()
    _pad(low, skip, holds, {})


def _any(low: MemoryLowering, mask: Node, registers: list[Node]) -> Value:
    """Whether a mask holds anywhere among lanes and points."""
    likeliest = at_likeliest(mask, registers)
    masks = list(low.emit(mask if likeliest is None else likeliest).at.values())
    holds = reduce(lambda a, b: low.alu(Op.OR, dtypes.bool_, (a, b)), masks)
    return low.instruction("any", dtypes.bool_, 1, (holds,)) if holds.width > 1 else holds


def _pad(low: MemoryLowering, skip: Skip, holds: Value, lanes: dict[Node, Node]) -> None:
    """Padding, unless a condition holds, for results whose padding matters."""
    if all(map(is_anything, skip.padding)):
        return
    low.branch(low.alu(Op.NOT, dtypes.bool_, (holds,)), inside_loop=True)
    for node, padding in zip(low.kernel.sink.src, skip.padding, strict=True):
        if is_anything(padding):
            continue
        memory, index = node.src[:2]
        index = simplify(index.substitute(lanes)) if lanes else index
        low.store_points(low.memory_of(memory), index, padding, index.ranges | (node.ranges - set(lanes)))
    low.leave()


def is_chunk(low: MemoryLowering, r: Node) -> bool:
    """Is this innermost loop one over a chunk of elements that may all be padding?"""
    return r.arg.kind == LOOP and r.src[0] is index_const(CHUNK) and comes_in_chunks(low.kernel)


def store_chunk(low: MemoryLowering, r: Node) -> None:
    """The loop over a chunk of elements, if any of them is more than padding; else a vector of it."""
    skip = skip_of(low.kernel)
    assert skip is not None
    lanes = {r: terms.loop(low.kernel.next_axis(), CHUNK, VECTOR)}
    holds = _any(low, simplify(skip.mask.substitute(lanes)), [*lanes.values()])
    low.branch(holds, inside_loop=True)
    low.enter(r, low.literal(0, dtypes.index), low.literal(CHUNK, dtypes.index))
    _store_unless(low, skip)
    low.leave_all(2)
    _pad(low, skip, holds, lanes)
