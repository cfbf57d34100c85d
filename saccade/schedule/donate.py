"""Results that have their memory already: written in place where that is safe, else copied there.

    x += 1           one kernel, x[i] = x[i] + 1: an element is read before it is written, and by nobody else
    x[2:4] = y       one kernel over the part; what was a copy of the rest is gone
    x.assign(x.T)    elements are read after others were written: made elsewhere, copied to x at the end

In: kernels in order, each with the tensor nodes its memories stand for, and the memory (a PARAM) of some
results. Out: the same with these results named by their memory. That is safe if

    every other kernel that reads what the memory held runs before the one that overwrites it, and
    that one reads the memory, if at all, at the place it stores to.

Kernels are put in another order for the first. A chain of updates is several values in one memory, one after
the other: between any two of them the same holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import prod

from ..graph.kernels import kernel as terms
from ..graph.kernels.kernel import Kernel, loop, range_size
from ..graph.node import Node, index_const
from ..graph.ops import Op
from ..graph.rewriting.passes import rewrite_pass
from ..graph.rules.symbolic import simplify
from .joining.join import without_stores
from .joining.order import Edge, Entry, Placed, conflicts
from .places import Places, loads_of

#: why a kernel copies
COPIED_BACK = "its memory is read until the end, so it is made elsewhere and copied"
#: results of a reduction that are so few that it does not matter how its loops are cut
FEW = 1 << 12

#: elements that are done one by one before a second kernel has started
SHORT = 1 << 9


@rewrite_pass("store in place")
def donated(
    kernels: list[Placed], places: Places, whole: int = 0, loses: Callable[[Kernel], bool] | None = None
) -> list[Placed]:
    """The kernels with results in the memory they go to. A map in place over what is no multiple of `whole`
    elements is cut into one that is and a rest. A kernel that `loses` its form where it reads what it writes
    is left as it is, and its result copied."""
    if not places.targets:
        return kernels
    made = _InPlace(kernels, whole, loses)
    back = []
    for root, target in places.targets.items():
        if not made.try_(target, (target, *reversed(places.values[root]))):
            back.append(_copy(root, target))
    return [part for placed in made.in_order() for part in cut(placed, whole)] + back


class _InPlace:
    """Kernels by number, who has to run before whom, and an order that respects it."""

    def __init__(
        self, kernels: list[Placed], whole: int, loses: Callable[[Kernel], bool] | None = None
    ) -> None:
        self.kernels: dict[int, Entry] = {number: Entry(placed) for number, placed in enumerate(kernels)}
        self.whole, self.loses = whole, loses
        self.order = list(self.kernels)
        self.users: dict[Node, list[int]] = {}
        for number, entry in self.kernels.items():
            for memory in dict.fromkeys(entry.memories):
                self.users.setdefault(memory, []).append(number)
        self.edges: set[Edge] = set()
        for memory, users in self.users.items():
            self.edges |= set(conflicts([(n, memory in self.kernels[n].writes) for n in users]))

    def in_order(self) -> list[Placed]:
        return [self.kernels[number].placed for number in self.order if number in self.kernels]

    def try_(self, target: Node, values: tuple[Node, ...]) -> bool:
        """Put values, the target's first, into its memory one after the other; False: it is not safe."""
        users = dict.fromkeys(n for value in values for n in self.users.get(value, ()) if n in self.kernels)
        changed = {number: _without_copies(self.kernels[number], values) for number in users}
        left = {number: entry for number, entry in changed.items() if entry is not None}
        edges: set[Edge] = set()
        for before, after in pairwise(values):
            writers = [n for n, entry in left.items() if after in entry.writes]
            earlier = [n for n, entry in left.items() if before in entry.touches]
            later = [n for n, entry in left.items() if after in entry.touches]
            if not all(reads_its_own(left[n], before, after, self.whole) for n in writers):
                return False
            if self.loses is not None and any(
                before in left[n].touches and self.loses(left[n].placed[0]) for n in writers
            ):
                return False
            edges |= {(a, b) for a in earlier for b in writers if a != b}
            edges |= {(a, b) for a in writers for b in later if a != b}
        order = _ordered(self.order, self.edges | edges) if self._breaks(edges) else self.order
        if order is None:
            return False
        self.order, self.edges = order, self.edges | edges
        names = dict.fromkeys(values, target)
        for number in users:
            if number in left:
                self.kernels[number] = Entry(renamed(left[number].placed, names))
            else:
                del self.kernels[number]
        self.users[target] = list(users)
        return True

    def _breaks(self, edges: Iterable[Edge]) -> bool:
        place = {number: position for position, number in enumerate(self.order)}
        return any(place[a] > place[b] for a, b in edges)


def _ordered(order: list[int], edges: set[Edge]) -> list[int] | None:
    """The order closest to the one there is that respects the edges; None if none does."""
    place = {number: position for position, number in enumerate(order)}
    after: dict[int, list[int]] = {number: [] for number in order}
    waits = dict.fromkeys(order, 0)
    for first, second in edges:
        after[first].append(second)
        waits[second] += 1
    ready = [place[number] for number in order if not waits[number]]
    heapify(ready)
    made = []
    while ready:
        number = order[heappop(ready)]
        made.append(number)
        for later in after[number]:
            waits[later] -= 1
            if not waits[later]:
                heappush(ready, place[later])
    return made if len(made) == len(order) else None


# --- one kernel


def _without_copies(entry: Entry, values: tuple[Node, ...]) -> Entry | None:
    """The kernel without stores that put a value where it is already; None if it has no others."""
    kernel, memories = entry.placed
    copies = set()
    for store in kernel.sink.src:
        if store.op is not Op.STORE or len(store.src) != 3 or store.arg is not None:
            continue
        value = store.src[2]
        if value.op is not Op.LOAD or len(value.src) != 2 or value.src[0].op is not Op.PARAM:
            continue
        pair = memories[value.src[0].arg.slot], memories[store.src[0].arg.slot]
        if value.src[1] is store.src[1] and pair in pairwise(values):
            copies.add(store)
    left = without_stores(entry.placed, copies) if copies else entry.placed
    return None if left is None else Entry(left)


def reads_its_own(entry: Entry, before: Node, after: Node, whole: int) -> bool:
    """Does a kernel that overwrites `before` with `after` read it, if at all, where it stores?"""
    kernel, memories = entry.placed
    if before not in entry.touches:
        return True
    loads = loads_of(entry, before)
    stores = [s for s in kernel.sink.src if s.op is Op.STORE and memories[s.src[0].arg.slot] is after]
    if not loads or len(stores) != 1 or stores[0].arg is not None:
        return False
    if kernel.start or stores[0].src[0].arg.size != loads[0].src[0].arg.size:
        return False  # a part of the memory, which it counts from the start of that part
    place = stores[0].src[1]
    loops = {r for r in kernel.order if range_size(r) > 1}
    if not loops <= place.ranges or any(load.src[1] is not place for load in loads):
        return False
    return not any(n.op in _NESTS for n in kernel.nodes) or _is_even(kernel, whole)


_NESTS = frozenset({Op.FOLD, Op.STAGE, Op.PREFIX})


def _is_even(kernel: Kernel, whole: int) -> bool:
    """Is a kernel with reductions cut into blocks that do not overlap, or too small for that to matter?"""
    sizes = [range_size(r) for r in kernel.order]
    return prod(sizes) <= FEW or all(size % max(whole, 1) == 0 for size in sizes)


def renamed(placed: Placed, names: dict[Node, Node]) -> Placed:
    """The kernel with memories called otherwise, those of one name as one."""
    kernel, memories = placed
    called = [names.get(memory, memory) for memory in memories]
    every = list(dict.fromkeys(called))
    if len(every) == len(called):
        return kernel, tuple(called)
    slots = [every.index(memory) for memory in called]
    moved = {
        terms.param(slot, *params): terms.param(slots[slot], *params)
        for slot, params in enumerate(kernel.params)
    }
    params = tuple(kernel.params[slots.index(slot)] for slot in range(len(every)))
    outputs = tuple(dict.fromkeys(slots[slot] for slot in kernel.outputs))
    made = replace(kernel, sink=kernel.sink.substitute(moved), params=params, outputs=outputs)
    return made, tuple(every)


def _copy(root: Node, target: Node) -> Placed:
    """target[i] = root[i]"""
    size = root.size
    i = loop(0, size) if size != 1 else index_const(0)
    to, source = (terms.param(slot, root.dtype, size) for slot in (0, 1))
    sink = terms.sink((terms.store(to, i, terms.load(source, i)),))
    params = ((root.dtype, size),) * 2
    return Kernel(sink, (i,) if size != 1 else (), params, (0,), (), COPIED_BACK), (target, root)


def cut(placed: Placed, whole: int) -> list[Placed]:
    """A map in place as one over a multiple of `whole` elements along its last loop, and one over the rest:
    vectors cover it then without an overlap, which would change elements twice."""
    kernel, memories = placed
    entry = Entry(placed)
    if not whole or prod(map(range_size, kernel.order)) < SHORT:
        return [placed]
    if not entry.is_map or not entry.reads & entry.writes:
        return [placed]
    kernel = _flat(kernel)
    last = kernel.order[-1]
    size = range_size(last)
    if last.src[0].op is not Op.CONST or size % whole == 0 or size < SHORT:
        return [(kernel, memories)]
    parts = []
    for start, n in ((0, size - size % whole), (size - size % whole, size % whole)):
        loops = (loop(last.arg.number, n),) if n > 1 else ()
        position = loops[0] + start if loops else index_const(start)
        sink = simplify(kernel.sink.substitute({last: position}))
        parts.append((replace(kernel, sink=sink, order=(*kernel.order[:-1], *loops)), memories))
    return parts


def _flat(kernel: Kernel) -> Kernel:
    """The kernel as one loop, if each point touches its own place of every buffer, or all the same one."""
    sizes = [range_size(r) for r in kernel.order]
    if len(sizes) < 2 or any(r.src[0].op is not Op.CONST for r in kernel.order):
        return kernel
    position = loop(kernel.next_axis(), prod(sizes))
    places, rest = {}, position
    for r, size in zip(reversed(kernel.order), reversed(sizes), strict=True):
        places[r], rest = rest % index_const(size), rest // index_const(size)
    sink = simplify(kernel.sink.substitute(places))
    accesses = [n for n in sink.toposort() if n.op is Op.LOAD or n.op is Op.STORE]
    if any(a.src[1] is not position and a.src[1].ranges for a in accesses):
        return kernel
    return replace(kernel, sink=sink, order=(position,))
