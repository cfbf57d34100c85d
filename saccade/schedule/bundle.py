"""Kernels side by side that share nothing: small maps over different loops become sections of one launch.

    w -= rate * dw      256 x 64          one kernel over r < 16384 + 256:
    b -= rate * db      256                   w[r] = ...           where r < 16384
                                              b[r - 16384] = ...   where 16384 <= r < 16640

An optimiser's step is a map for every parameter, and a launch takes longer than most of them. The blocks of a
GPU are dealt out to the sections, each of which is compiled for itself (`codegen.opt.sections`), so that
nothing but its own code runs for an element.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from ..graph import kernel as terms
from ..graph.kernel import Kernel, loop, range_size
from ..graph.node import Node, index_const, make
from ..graph.ops import Op
from ..graph.passes import rewrite_pass
from ..graph.symbolic import simplify
from .join import Placed, is_map, joined, writes_of

#: buffers one kernel may have: their addresses are two arguments each, of 4 KiB in all
MOST_PARAMS = 240
#: elements that take so long that a launch of their own does not matter
LARGE = 1 << 24


@dataclass(eq=False)
class _Group:
    """Kernels that may run in one launch, and the memory they touch."""

    members: list[Placed]
    is_maps: bool
    writes: set[Node] = field(default_factory=set)
    touches: set[Node] = field(default_factory=set)

    def add(self, placed: Placed) -> None:
        self.members.append(placed)
        self.take(placed)

    def take(self, placed: Placed) -> None:
        self.writes |= writes_of(placed)
        self.touches |= set(placed[1])

    def is_independent_of(self, other: _Group) -> bool:
        return not (self.writes & other.touches or other.writes & self.touches)


@rewrite_pass("bundle small maps")
def bundle_maps(kernels: list[Placed]) -> list[Placed]:
    """The same kernels, with small maps that do not depend on each other as sections of one."""
    done: list[_Group] = []
    for placed in kernels:
        new = _Group([placed], _is_small_map(placed[0]))
        new.take(placed)
        home = _home(done, new) if new.is_maps else None
        if home is None:
            done.append(new)
        else:
            home.add(placed)
    return [_bundled(group.members) for group in done]


def _is_small_map(kernel: Kernel) -> bool:
    """Elementwise in memory too: at each place it reads that place of other buffers, and single numbers.

    Maps that turn or broadcast what they read have shapes of their own."""
    elements = prod(map(range_size, kernel.order))
    if (
        not is_map(kernel)
        or not 0 < elements <= LARGE
        or any(r.src[0].op is not Op.CONST for r in kernel.order)
    ):
        return False
    place: Node = index_const(0)
    for r in kernel.order:
        place = place * range_size(r) + r
    place = simplify(place)
    accesses = [n for n in kernel.nodes if n.op is Op.LOAD or n.op is Op.STORE]
    return all(a.src[1] is place or not a.src[1].ranges for a in accesses)


def _home(done: list[_Group], new: _Group) -> _Group | None:
    """The latest launch the kernel can be part of: it depends on nothing in it, nor on what comes after."""
    for group in reversed(done):
        if not group.is_independent_of(new):
            return None
        if group.is_maps and len(group.touches | new.touches) <= MOST_PARAMS:
            return group
    return None


def _bundled(members: list[Placed]) -> Placed:
    if len(members) == 1:
        return members[0]
    sizes = [prod(map(range_size, kernel.order)) for kernel, _ in members]
    position = loop(0, sum(sizes))
    start = 0
    made: Placed | None = None
    for (kernel, memories), size in zip(members, sizes, strict=True):
        part = _section(kernel, position, start, size), memories
        made = part if made is None else joined(made, part)
        start += size
    assert made is not None
    return made


def _section(kernel: Kernel, position: Node, start: int, size: int) -> Kernel:
    """The kernel where `position` is in start .. start + size."""
    inside = (position >= start) & (position < start + size) if start else position < size
    mapping: dict[Node, Node] = {}
    rest = position - start
    for number, r in reversed(list(enumerate(kernel.order))):
        mapping[r] = rest % index_const(range_size(r)) if number else rest
        rest = rest // index_const(range_size(r))
    done: dict[Node, Node] = {}
    for node in kernel.sink.substitute(mapping).toposort():
        src = tuple(done[s] for s in node.src)
        if node.op is Op.LOAD or node.op is Op.STORE:
            before = 2 if node.op is Op.LOAD else 3
            valid = inside if len(src) == before else src[before] & inside
            src = (*src[:before], valid)
        done[node] = node if src == node.src else make(node.op, node.dtype, src, node.arg)
    stores = done[kernel.sink.substitute(mapping)].src
    return Kernel(simplify(terms.sink(stores)), (position,), kernel.params, kernel.outputs, (), kernel.reason)
