"""Kernels side by side that share nothing: small maps over different loops become sections of one launch.

    w -= rate * dw      256 x 64          one kernel over r < 16384 + 256:
    b -= rate * db      256                   w[r] = ...           where r < 16384
                                              b[r - 16384] = ...   where 16384 <= r < 16640

An optimiser's step is a map for every parameter, and a launch takes longer than most of them. The blocks of a
GPU are dealt out to the sections, each of which is compiled for itself (`codegen.cuda.templates.sections`),
so that nothing but its own code runs for an element.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.node import Node, index_const, make
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rules.symbolic import simplify
from ..cost import Bundles
from ..target import Target
from .join import joined
from .order import Entry, Placed

#: buffers one kernel may have: their addresses are two arguments each, of 4 KiB in all
MOST_PARAMS = 240
#: elements that take so long that a launch of their own does not matter
LARGE = 1 << 24


@dataclass(eq=False)
class _Group:
    """Kernels that may run in one launch, and the memory they touch."""

    members: list[Placed] = field(default_factory=list)
    touches: set[Node] = field(default_factory=set)
    reads: set[Node] = field(default_factory=set)


@rewrite_pass("bundle small kernels")
def bundled(kernels: list[Placed], which: Bundles, roots: frozenset[Node], target: Target) -> list[Placed]:
    """The same kernels, with small maps that do not depend on each other as sections of one: any of them, or
    those `alike`, which do the same and whose results are `roots` or go to inputs. Where any are, small
    reductions that read the same memory are too."""
    done: list[_Group] = []
    #: groups of small maps, in order, as long as there is room, by what they do; the same for reductions
    maps: dict[Node | None, list[int]] = {}
    rows: list[int] = []
    touching: dict[Node, int] = {}  # the last group that touches a memory, and that writes it
    writing: dict[Node, int] = {}
    for placed in kernels:
        new = Entry(placed)
        place, groups = _place_of(new), None
        if place is not None:
            if which == "any" or all(_is_result(m, roots) for m in new.writes):
                groups = maps.setdefault(None if which == "any" else _body(new.kernel, place), [])
        elif which == "any" and _is_small_reduction(new):
            groups = rows
        home = None
        if groups is not None:
            # a launch it can be part of: it depends on nothing in it, nor on what comes after
            last = max([touching.get(m, -1) for m in new.writes] + [writing.get(m, -1) for m in new.touches])
            home = _home(done, groups, new, last, target if groups is rows else None)
            if home is None:
                groups.append(len(done))
        if home is None:
            home = len(done)
            done.append(_Group())
        done[home].members.append(placed)
        done[home].touches |= new.touches
        done[home].reads |= new.reads
        touching |= {m: max(home, touching.get(m, -1)) for m in new.touches}
        writing |= {m: max(home, writing.get(m, -1)) for m in new.writes}
    return [_in_sections(group.members) for group in done]


def _is_result(memory: Node, roots: frozenset[Node]) -> bool:
    """Others are read by somebody soon, and should neither be made long before nor all at once."""
    return memory.op is Op.PARAM or memory in roots


def _home(done: list[_Group], groups: list[int], new: Entry, last: int, target: Target | None) -> int | None:
    """The latest group after `last` with room for one more. With a target: one that reads memory the new one
    reads, if all are the work of warps there, or all of threads."""
    while groups and len(done[groups[-1]].touches) >= MOST_PARAMS:
        groups.pop()
    for number in reversed(groups):
        if number <= last:
            return None
        if len(done[number].touches | new.touches) > MOST_PARAMS:
            continue
        if target is None:
            return number
        together = (new.kernel, *(kernel for kernel, _ in done[number].members))
        alike = all(map(target.by_warps, together)) or all(map(target.by_threads, together))
        if done[number].reads & new.reads and alike:
            return number
    return None


def _place_of(entry: Entry) -> Node | None:
    """The place that a small map touches at each point, in all its buffers but those of single numbers; None
    for other kernels: maps that turn or broadcast what they read have shapes of their own."""
    kernel = entry.kernel
    if not entry.is_map or not _is_small(kernel):
        return None
    place: Node = index_const(0)
    for r in kernel.order:
        place = place * range_size(r) + r
    place = simplify(place)
    accesses = [n for n in kernel.nodes if n.op is Op.LOAD or n.op is Op.STORE]
    return place if all(a.src[1] is place or not a.src[1].ranges for a in accesses) else None


def _body(kernel: Kernel, place: Node) -> Node:
    """What a map does, whatever its size."""
    anywhere: dict[Node, Node] = {place: loop(0, LARGE)} if place.ranges else {}
    for slot, (dtype, size) in enumerate(kernel.params):
        # a memory of one number may be one that all elements read
        anywhere[terms.param(slot, dtype, size)] = terms.param(slot, dtype, min(size, 2))
    return kernel.sink.substitute(anywhere)


def _is_small_reduction(entry: Entry) -> bool:
    """Reductions, and elementwise work on their results."""
    kernel = entry.kernel
    nests = [n.op for n in kernel.nodes if n.op in (Op.FOLD, Op.STAGE, Op.PREFIX)]
    if not nests or any(op is not Op.FOLD for op in nests) or kernel.start or kernel.asked:
        return False
    return _is_small(kernel) and all(s.op is Op.STORE and s.arg is None for s in kernel.sink.src)


def _is_small(kernel: Kernel) -> bool:
    ranges = kernel.ranges()
    elements = prod(map(range_size, kernel.order)) * max(
        [range_size(r) for r in ranges if r not in kernel.order], default=1
    )
    return 0 < elements <= LARGE and all(r.src[0].op is Op.CONST for r in (*ranges, *kernel.order))


def _in_sections(members: list[Placed]) -> Placed:
    """One kernel with a section for each. All slots are given out at once: to join one after the other would
    copy the first ones as often as there are others."""
    if len(members) == 1:
        return members[0]
    sizes = [prod(map(range_size, kernel.order)) for kernel, _ in members]
    folds = any(r not in kernel.order for kernel, _ in members for r in kernel.ranges())
    position = loop(max(kernel.next_axis() for kernel, _ in members) if folds else 0, sum(sizes))
    sections, start = [], 0
    for (kernel, memories), size in zip(members, sizes, strict=True):
        sections.append((section(kernel, position, start, size), memories))
        start += size
    return joined(*sections)


def section(kernel: Kernel, position: Node, start: int, size: int, outer: tuple[Node, ...] = ()) -> Kernel:
    """The kernel where `position` is in start .. start + size; it is all loops of the kernel but `outer`."""
    inside = (position >= start) & (position < start + size) if start else position < size
    mapping: dict[Node, Node] = {}
    rest = position - start
    for number, r in reversed(list(enumerate(kernel.order[len(outer) :]))):
        mapping[r] = rest % index_const(range_size(r)) if number else rest
        rest = rest // index_const(range_size(r))
    done: dict[Node, Node] = {}
    for node in kernel.sink.substitute(mapping).toposort():
        src = tuple(done[s] for s in node.src)
        # a single number is there for all sections, and conditions made of it are not about a place
        if node.op is Op.STORE or (node.op is Op.LOAD and src[1].ranges):
            before = 2 if node.op is Op.LOAD else 3
            valid = inside if len(src) == before else src[before] & inside
            src = (*src[:before], valid)
        done[node] = node if src == node.src else make(node.op, node.dtype, src, node.arg)
    stores = done[kernel.sink.substitute(mapping)].src
    sink = simplify(terms.sink(stores))
    return Kernel(sink, (*outer, position), kernel.params, kernel.outputs, (), kernel.reason)
