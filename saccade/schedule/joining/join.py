"""Kernels side by side: maps over the same loops that read the same memory become one.

    y = x + 1; z = x * 2       two stores, one pass over x

A kernel moves up to an earlier one when nothing between them writes what it reads. Only plain maps are
joined: what they compute is a few instructions an element, and the memory they share is most of their cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ...graph.dtypes import DType
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.node import Node
from ...graph.ops import Op
from ...graph.rewriting.passes import note, rewrite_pass
from ..limits import MOST_JOINED
from ..places import NO_PLACES, Places
from .order import Entry, Order, Placed, insert

#: memories of one kernel; more would not keep their addresses in registers
MOST_PARAMS = 24


@rewrite_pass("join maps side by side")
def join_maps(kernels: list[Placed], most_stores: int, places: Places = NO_PLACES) -> list[Placed]:
    """The same kernels, with maps over the same loops and memory joined as long as they have no more results
    than `most_stores`, and are in step with the `places` results go to."""
    order: Order[Entry] = Order()
    #: maps that take more stores, by their loops and a memory they read
    found: dict[tuple[tuple[Node, ...], Node], list[int]] = {}
    for placed in kernels:
        new = Entry(placed)
        partner = _partner(order, found, new, most_stores, places) if new.is_map else -1
        if partner < 0:
            partner = order.append(new)
        else:
            new = Entry(joined(order[partner].placed, placed))
            order.replace(partner, new)
        for memory in new.reads if new.is_map else ():
            insert(found.setdefault((new.kernel.order, memory), []), partner)
    return order.placed()


def _partner(
    order: Order[Entry],
    found: dict[tuple[tuple[Node, ...], Node], list[int]],
    new: Entry,
    most_stores: int,
    places: Places,
) -> int:
    """The latest earlier kernel this one can run with, -1 without one: same loops, some shared memory, and
    not too much in one kernel."""
    partner = order.last_conflict(new)  # it cannot move past this one
    none = partner
    for memory in new.reads:
        listed = found.get((new.kernel.order, memory), [])
        while listed and len(order[listed[-1]].kernel.sink.src) >= most_stores:
            listed.pop()
        for number in reversed(listed):
            if number <= partner:
                break
            stores = len(order[number].kernel.sink.src) + len(new.kernel.sink.src)
            room = stores <= most_stores and len(order[number].touches | new.touches) <= MOST_PARAMS
            room = room and order[number].weight + new.weight <= MOST_JOINED
            if room and places.in_step(order[number], new):
                partner = number
                break
    return -1 if partner == none else partner


@rewrite_pass("remove dead stores")
def without_dead_stores(kernels: list[Placed], roots: tuple[Node, ...]) -> list[Placed]:
    """The same kernels without results that only their own kernel read, before it was joined with its
    reader."""
    users = Counter(memory for _, memories in kernels for memory in set(memories))
    wanted = frozenset(roots)
    return [_lived(placed, users, wanted) for placed in kernels]


def _lived(placed: Placed, users: Counter[Node], roots: frozenset[Node]) -> Placed:
    kernel, memories = placed
    entry = Entry(placed)
    dead = {m for m in entry.writes if users[m] == 1 and m not in roots and m not in entry.reads}
    if not dead or len(dead) == len(kernel.sink.src):
        return placed
    return (
        without_stores(placed, {s for s in kernel.sink.src if memories[s.src[0].arg.slot] in dead}) or placed
    )


def without_stores(placed: Placed, dead: set[Node]) -> Placed | None:
    """The kernel without some STOREs, and the memories that only these needed; None if none is left."""
    kernel, memories = placed
    stores = tuple(s for s in kernel.sink.src if s not in dead)
    if not stores:
        return None
    sink = terms.sink(stores)
    used = {n.arg.slot for n in sink.toposort() if n.op is Op.PARAM}
    kept = [slot for slot in range(len(memories)) if slot in used]
    moved = {
        terms.param(old, *kernel.params[old]): terms.param(new, *kernel.params[old])
        for new, old in enumerate(kept)
    }
    written = {s.src[0].arg.slot for s in stores}
    outputs = tuple(kept.index(slot) for slot in kernel.outputs if slot in written)
    params = tuple(kernel.params[slot] for slot in kept)
    made = replace(kernel, sink=sink.substitute(moved), params=params, outputs=outputs)
    return made, tuple(memories[slot] for slot in kept)


def _in_slots(
    kernel: Kernel,
    memories: tuple[Node, ...],
    slots: Mapping[Node, int],
    params: tuple[tuple[DType, int], ...],
) -> dict[Node, Node]:
    """The PARAMs of a kernel -> those of the same memories in a kernel with these slots and params."""
    made = {}
    for old, (memory, own) in enumerate(zip(memories, kernel.params, strict=True)):
        before, after = terms.param(old, *own), terms.param(slots[memory], *params[slots[memory]])
        if after is not before:
            made[before] = after
    return made


def joined(*placed: Placed, known: Mapping[Node, Node] = MappingProxyType({})) -> Placed:
    """One kernel with the stores of all. Loads of the last that are `known` become values of the first."""
    every = tuple(dict.fromkeys(memory for _, memories in placed for memory in memories))
    slots = {memory: slot for slot, memory in enumerate(every)}
    sizes = dict.fromkeys(every, 0)  # a kernel may know less of a memory than there is: a part of a CAT
    for kernel, memories in placed:
        for memory, (_, size) in zip(memories, kernel.params, strict=True):
            sizes[memory] = max(sizes[memory], size)
    params = tuple((m.dtype, sizes[m]) for m in every)
    moves = [_in_slots(kernel, memories, slots, params) for kernel, memories in placed]
    sinks = [kernel.sink.substitute(moved) for (kernel, _), moved in zip(placed, moves, strict=True)]
    if known:
        loads, values = (  # all at once: most of what they are made of is the same
            terms.sink(tuple(nodes)).substitute(moved).src
            for nodes, moved in ((known.keys(), moves[-1]), (known.values(), moves[0]))
        )
        sinks[-1] = sinks[-1].substitute(dict(zip(loads, values, strict=True)))
    sink = terms.sink(tuple([store for one in sinks for store in one.src]))
    for kernel, _ in placed[1:]:
        note(joined, kernel.sink, sink)
    written = [slots[memories[slot]] for kernel, memories in placed for slot in kernel.outputs]
    outputs = tuple(dict.fromkeys(written))  # parts of a row are stored to one memory
    first = placed[0][0]
    return Kernel(sink, first.order, params, outputs, (), first.reason), every


def renumbered(kernel: Kernel, start: int) -> Kernel:
    """The kernel with the ranges of its reductions numbered from `start` on."""
    own = [r for r in kernel.ranges() if r not in kernel.order]
    moved = {r: loop(start + number, range_size(r), r.arg.kind) for number, r in enumerate(own)}
    return replace(kernel, sink=kernel.sink.substitute(moved))
