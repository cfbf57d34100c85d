"""Sections of a kernel: stores that each have a part of the innermost loop to themselves.

    p0[r] = f(r)          where r < 100            the kernel p0[r] = f(r) over 100, and
    p1[r - 100] = g(r)    where 100 <= r < 130     the kernel p1[r] = g(r + 100) over 30

`joining.bundle` and `rows.row_parts` put them together so that they are one launch; here they are taken
apart again, because each is best shaped for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import Kernel, loop, range_size
from ...graph.node import Node
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify
from .ordered import conjuncts

Part = tuple[int, int]


@dataclass(frozen=True)
class Section:
    """A kernel with parameters of its own, and which of the whole kernel's they are."""

    kernel: Kernel
    slots: tuple[int, ...]


def sections_of(kernel: Kernel) -> list[Section]:
    """What a kernel of sections consists of, in the order of their places; [] for any other kernel."""
    if not kernel.order or len(kernel.sink.src) < 2:
        return []
    position = kernel.order[-1]
    parts: dict[Part, list[Node]] = {}
    for store in kernel.sink.src:
        part = _part(store, position)
        if part is None:
            return []
        parts.setdefault(part, []).append(store)
    found = sorted(parts)
    apart = all(end == start for (_, end), (start, _) in pairwise(found))
    if len(found) < 2 or not apart or (found[0][0], found[-1][1]) != (0, range_size(position)):
        return []
    return [_section(kernel, position, part, parts[part]) for part in found]


def _part(store: Node, position: Node) -> Part | None:
    """The places start .. end at which a store happens, if nothing else is asked of them."""
    if store.op is not Op.STORE or len(store.src) != 4 or store.arg is not None:
        return None
    start, end = 0, range_size(position)
    for condition in conjuncts(store.src[3]):
        if position not in condition.ranges or any(n.op is Op.LOAD for n in condition.toposort()):
            continue  # a condition of the section's own, or of what it reads
        if condition.op is not Op.LT:
            return None
        small, large = condition.src
        if small is position and large.op is Op.CONST:
            end = min(end, int(large.arg))
        elif large is position and small.op is Op.CONST:
            start = max(start, int(small.arg) + 1)
        else:
            return None
    return start, end


def _section(kernel: Kernel, position: Node, part: Part, stores: list[Node]) -> Section:
    start, end = part
    own = loop(position.arg.number, end - start)
    sink = simplify(terms.sink(tuple(stores)).substitute({position: own + start}))
    plain = [terms.store(*s.src[:3]) if s.src[3].op is Op.CONST else s for s in sink.src if len(s.src) == 4]
    sink = terms.sink((*[s for s in sink.src if len(s.src) == 3], *plain))
    memories = [n for n in sink.toposort() if n.op is Op.PARAM]
    numbers = {m: terms.param(slot, m.dtype, m.arg.size) for slot, m in enumerate(memories)}
    sink = sink.substitute(numbers)
    outputs = tuple(dict.fromkeys(s.src[0].arg.slot for s in sink.src))
    params = tuple((m.dtype, m.arg.size) for m in memories)
    whole = Kernel(sink, (*kernel.order[:-1], own), params, outputs)
    return Section(whole, tuple(m.arg.slot for m in memories))
