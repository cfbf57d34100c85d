"""Kernels side by side: maps over the same loops that read the same memory become one.

    y = x + 1; z = x * 2       two stores, one pass over x

A kernel moves up to an earlier one when nothing between them writes what it reads. Only plain maps are
joined: what they compute is a few instructions an element, and the memory they share is most of their cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from ..graph import kernel as terms
from ..graph.kernel import Kernel
from ..graph.node import Node
from ..graph.ops import Op

Placed = tuple[Kernel, tuple[Node, ...]]

#: memories of one kernel; more would not keep their addresses in registers
MOST_PARAMS = 24


def join_maps(kernels: list[Placed], most_stores: int) -> list[Placed]:
    """The same kernels, with maps over the same loops and memory joined as long as they have no more results
    than `most_stores`."""
    done: list[Placed] = []
    for placed in kernels:
        partner = _partner(done, placed, most_stores)
        if partner is None:
            done.append(placed)
        else:
            done[partner] = joined(done[partner], placed)
    return done


def _partner(earlier: list[Placed], placed: Placed, most_stores: int) -> int | None:
    """The latest earlier kernel this one can run with."""
    kernel, _memories = placed
    if not is_map(kernel):
        return None
    reads, writes = reads_of(placed), writes_of(placed)
    for number in range(len(earlier) - 1, -1, -1):
        other = earlier[number]
        if _fits(other, placed, most_stores) and not reads & writes_of(other) and not writes & set(other[1]):
            return number
        if reads & writes_of(other) or writes & set(other[1]):
            return None  # it cannot move past this one
    return None


def _fits(other: Placed, placed: Placed, most_stores: int) -> bool:
    """Same loops, some shared memory, and not too much in one kernel."""
    kernel, memories = placed
    if other[0].order != kernel.order or not is_map(other[0]) or not reads_of(other) & reads_of(placed):
        return False
    stores = len(other[0].sink.src) + len(kernel.sink.src)
    return stores <= most_stores and len(set(other[1]) | set(memories)) <= MOST_PARAMS


def is_map(kernel: Kernel) -> bool:
    """Elementwise work only, every store at a place of its own."""
    return is_plain(kernel) and not any(n.op in (Op.FOLD, Op.STAGE, Op.PREFIX) for n in kernel.nodes)


def without_dead_stores(kernels: list[Placed], roots: tuple[Node, ...]) -> list[Placed]:
    """The same kernels without results that only their own kernel read, before it was joined with its
    reader."""
    users = Counter(memory for _, memories in kernels for memory in set(memories))
    return [_lived(placed, users, roots) for placed in kernels]


def _lived(placed: Placed, users: Counter[Node], roots: tuple[Node, ...]) -> Placed:
    kernel, memories = placed
    read = reads_of(placed)
    dead = {m for m in writes_of(placed) if users[m] == 1 and m not in roots and m not in read}
    if not dead or len(dead) == len(kernel.sink.src):
        return placed
    stores = tuple(s for s in kernel.sink.src if memories[s.src[0].arg.slot] not in dead)
    sink = terms.sink(stores)
    used = {n.arg.slot for n in sink.toposort() if n.op is Op.PARAM}
    kept = [slot for slot in range(len(memories)) if slot in used]
    moved = {
        terms.param(old, *kernel.params[old]): terms.param(new, *kernel.params[old])
        for new, old in enumerate(kept)
    }
    outputs = tuple(kept.index(slot) for slot in kernel.outputs if memories[slot] not in dead)
    params = tuple(kernel.params[slot] for slot in kept)
    made = Kernel(sink.substitute(moved), kernel.order, params, outputs, kernel.moves, kernel.reason)
    return made, tuple(memories[slot] for slot in kept)


def is_plain(kernel: Kernel) -> bool:
    """Every store at a place of its own, in memory that is its own."""
    return not kernel.start and all(
        s.op is Op.STORE and len(s.src) == 3 and s.arg is None for s in kernel.sink.src
    )


def writes_of(placed: Placed) -> set[Node]:
    kernel, memories = placed
    return {memories[slot] for slot in kernel.outputs}


def reads_of(placed: Placed) -> set[Node]:
    kernel, memories = placed
    return {memories[n.src[0].arg.slot] for n in kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM}


def joined(first: Placed, second: Placed, known: Mapping[Node, Node] = MappingProxyType({})) -> Placed:
    """One kernel with the stores of both. Loads of the second that are `known` become values of the first."""
    kernel, memories = first
    other, others = second
    every = tuple(dict.fromkeys(memories + others))
    slots = {memory: slot for slot, memory in enumerate(every)}
    params = tuple((m.dtype, m.size) for m in every)
    moved = {
        terms.param(slot, dtype, size): terms.param(slots[others[slot]], dtype, size)
        for slot, (dtype, size) in enumerate(other.params)
    }
    values = {load.substitute(moved): value for load, value in known.items()}
    sink = other.sink.substitute(moved)
    sink = terms.sink((*kernel.sink.src, *(sink.substitute(values) if values else sink).src))
    outputs = kernel.outputs + tuple(slots[others[slot]] for slot in other.outputs)
    return Kernel(sink, kernel.order, params, outputs, (), kernel.reason), every
