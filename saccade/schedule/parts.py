"""Graphs of any size: one past a budget is cut into parts, each scheduled for itself, equal ones once.

    x = x + 1, 100,000 times  ->  98 parts of 1,024 additions, of which the compiler sees two

With sources first, every prefix of a graph can be computed on its own. What later nodes read of a prefix
crosses the cut: one part stores it, others load it. A cut is where few bytes cross, rather bytes that would
be stored anyway: the result of a layer, not what it is made of. Constants, places, views and casts that widen
are made again by whoever reads them. In a program of equal layers the cuts are at equal places, so that the
same part comes again and again: as nodes are hash-consed, equal parts over PARAMs of their own are the same
nodes.

The budget is in operations, and in bytes of values that are likely to be stored: as parts run one after the
other, memory between kernels is bounded by what a part stores and what crosses. What is likely is only a
guess: a graph of too many bytes, but few operations, is cut if that takes less memory (`schedule`).

In: results in tensor terms. Out: parts, in the order they run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil

from ..graph.kernels.kernel import Kernel
from ..graph.node import Node, make, sources_first, walk
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op
from ..graph.param import Param
from ..graph.rewriting.passes import Kernels, Roots
from ..runtime.watch.debug import size_text
from ..transform.simplify import apart
from ..transform.terms import reshaped
from .walk.placing.placement import asked_moves

#: a part is about one so many-th of the budget: smaller ones are found again sooner, and store more
SHARE = 4
#: operations that a part makes again for itself rather than load
MOST_AGAIN = 16
#: the same of places, which are made of no memory: a gather at places that are loaded is no movement
MOST_PLACES = 128
#: more bytes than any cut costs
FORBIDDEN = 1 << 62


@dataclass(frozen=True)
class Budget:
    """What is scheduled as one: operations, and bytes of values that are likely to be stored."""

    nodes: int
    nbytes: int

    def holds(self, roots: Roots) -> bool:
        """Are the operations of a graph few enough, whatever they store?"""
        return _operations(walk(roots)) <= self.nodes


@dataclass(frozen=True)
class Part:
    """A part of a graph. `roots` are over PARAMs of its own, which are the nodes `inputs` of the whole; as
    results they are the nodes `outputs` of the whole."""

    roots: Roots
    inputs: dict[Node, Node]
    outputs: Roots

    def placed(self, kernels: Kernels, roots: Roots, number: int) -> Kernels:
        """The kernels of such a part over nodes of the whole. `roots` name its results in them; memory
        between them is that of part `number` alone."""
        names = {**self.inputs, **dict(zip(roots, self.outputs, strict=True))}
        made: list[tuple[Kernel, tuple[Node, ...]]] = []
        for kernel, memories in kernels:
            for memory in memories:
                if memory not in names:  # the words of a call are those of the whole
                    is_given = memory.op is Op.PARAM
                    own = Between(memory.size, number, len(names))
                    names[memory] = memory if is_given else make(Op.BUFFER, memory.dtype, (), own)
            made.append((kernel, tuple([names[memory] for memory in memories])))
        return made


@dataclass(frozen=True)
class Between:
    """Memory between the kernels of a part."""

    size: int
    part: int
    number: int


def parts_of(roots: Roots, inputs: int, budget: Budget) -> tuple[list[Part], str]:
    """The parts of a graph over PARAMs numbered below `inputs`, and why it is cut; none if it is within the
    budget."""
    order = list(walk(roots))
    if _operations(order) <= budget.nodes and _all_bytes(order) <= budget.nbytes:
        return [], ""  # nearly always, and found at once
    values = _Values(roots)
    why = values.beyond(budget)
    if not why:
        return [], ""
    ends = _ends(values, budget)
    part_of = {node: bisect_left(ends, place) for place, node in enumerate(values.order)}
    outputs: list[list[Node]] = [[] for _ in ends]
    for node in values.computed:
        if node in values.roots or part_of[values.last[node]] > part_of[node]:
            outputs[part_of[node]].append(node)
    found = [_part(values, part_of, which, some, inputs) for which, some in enumerate(outputs) if some]
    return (found, why) if len(found) > 1 else ([], "")


def _operations(order: Iterable[Node]) -> int:
    return sum(bool(node.src) for node in order)


def _all_bytes(order: Sequence[Node]) -> int:
    return sum(node.size * node.dtype.itemsize for node in order if node.src)


def _deepest_first(roots: Roots) -> list[Node]:
    """All nodes, sources first, and of these the one with the longest way below it first: so what is soon
    made is made where it is needed, and little is waiting."""
    heights: dict[Node, int] = {}
    for node in walk(roots):
        heights[node] = 1 + max([heights[s] for s in node.src], default=0)
    return sources_first(roots, lambda node: sorted(node.src, key=lambda s: -heights[s]))


class _Values:
    """What each node of a graph is to its readers: made again by each of them, a view of another node, or
    computed once; and of what is computed, who reads it last."""

    def __init__(self, roots: Roots) -> None:
        self.roots = frozenset(roots)
        self.order = _deepest_first(roots)
        #: the memory behind a node: itself, or what it is a view of; None for what anybody can make
        self.base: dict[Node, Node | None] = {}
        self.computed: list[Node] = []
        self.last: dict[Node, Node] = {}
        #: what would be stored, and not be part of its reader: what is read by something of another size, but
        #: for what is larger than all it is made from, as the products that a sum adds up
        self.settled: set[Node] = set(roots)
        wide: dict[Node, int] = {}  # such a node -> the largest of what it is made from
        again: dict[Node, int] = {}  # operations it takes to make a node again
        for node in self.order:
            below = [memory for s in node.src if (memory := self.base[s]) is not None]
            again[node] = sum(again[s] for s in node.src) + bool(node.src)
            made_again = node.op in MOVEMENT or _widens(node) or (node.op in ELEMENTWISE and not below)
            most = MOST_AGAIN if below else MOST_PLACES
            if node not in self.roots and (not node.src or (made_again and again[node] <= most)):
                self.base[node] = node if node.op is Op.PARAM else below[0] if below else None
                continue
            self.base[node] = self.last[node] = node
            again[node] = 0
            self.computed.append(node)
            largest = max([wide.get(memory, memory.size) for memory in below], default=0)
            if node.size > largest and (node.op in ELEMENTWISE or not any(m in wide for m in below)):
                wide[node] = largest
            for memory in below:
                if memory in self.last:  # which is no input
                    self.last[memory] = node
                    if node.op is Op.CONTIGUOUS:
                        self.settled.add(node)
                    elif memory not in wide and (node.op not in ELEMENTWISE or memory.size != node.size):
                        self.settled.add(memory)

    def beyond(self, budget: Budget) -> str:
        """Why it is too much for one schedule; "" if it is not."""
        nodes = _operations(self.order)
        nbytes = sum(map(nbytes_of, self.settled))
        if nodes > budget.nodes:
            return f"{nodes} operations, of which {budget.nodes} are compiled as one"
        if nbytes > budget.nbytes:
            stored, most = size_text(nbytes), size_text(budget.nbytes)
            return f"{stored}B of values to store, of which {most}B are compiled as one"
        return ""

    def loads(self, budget: Budget) -> list[float]:
        """For each place of the order, what is computed up to there, in parts that fill their share."""
        nodes, nbytes = max(budget.nodes / SHARE, 1), max(budget.nbytes / SHARE, 1)
        each = [
            bool(node.src) / nodes + (nbytes_of(node) / nbytes if node in self.settled else 0.0)
            for node in self.order
        ]
        return list(accumulate(each))

    def crossing(self) -> list[int]:
        """What it costs to cut behind each place of the order: bytes that cross, twice for those that would
        not be stored otherwise."""
        change = [0] * len(self.order)
        place = {node: at for at, node in enumerate(self.order)}
        for node in self.computed:
            if self.last[node] is not node and node not in self.roots:
                cost = nbytes_of(node) * (1 if node in self.settled else 2)
                change[place[node]] += cost
                change[place[self.last[node]]] -= cost
            if asked_moves(node):  # which are for the kernel that computes what is below
                change[place[node.src[0]]] += FORBIDDEN
                change[place[node]] -= FORBIDDEN
        return list(accumulate(change))


def _widens(node: Node) -> bool:
    """A narrow float as a wide one: whoever reads it widens it, half the bytes cross, and a product of narrow
    factors stays one."""
    return (
        node.op is Op.CAST and node.src[0].dtype.is_float and node.dtype.itemsize > node.src[0].dtype.itemsize
    )


def nbytes_of(node: Node) -> int:
    return node.size * node.dtype.itemsize


def _ends(values: _Values, budget: Budget) -> list[int]:
    """The last place of each part in the order: of parts of about the same load."""
    load, cost = values.loads(budget), values.crossing()
    total = load[-1]
    each = total / ceil(total)
    ends: list[int] = []
    start, at = 0.0, -1
    while total - start > 1.5 * each:
        least = max(bisect_left(load, start + each / 2), at + 1)
        most = max(bisect_left(load, start + each * 1.25), least + 1)  # one node may be more than a part
        at = min(range(least, most), key=lambda n: (cost[n], abs(load[n] - start - each)))
        ends.append(at)
        start = load[at]
    return [*ends, len(load) - 1]


def _part(values: _Values, part_of: dict[Node, int], which: int, outputs: list[Node], slot: int) -> Part:
    """One part, over what it reads of the whole's inputs and of earlier parts, in slots from `slot` on."""
    made: dict[Node, Node] = {}
    inputs: dict[Node, Node] = {}

    def loaded(node: Node) -> Node:
        param = make(Op.PARAM, node.dtype, (), Param(slot + len(inputs), node.size))
        inputs[param] = node
        return reshaped(param, node.shape)

    def is_own(node: Node) -> bool:
        is_earlier = part_of[node] < which and node in values.last
        return node not in made and not is_earlier

    for output in outputs:
        for node in output.toposort(is_own):
            if node.op is Op.PARAM:
                made[node] = loaded(node)
                continue
            for source in node.src:
                if source not in made:  # of an earlier part
                    made[source] = loaded(source)
            src = tuple([made[s] for s in node.src])
            if node.op is Op.RESHAPE:
                made[node] = reshaped(src[0].src[0] if src[0].op is Op.RESHAPE else src[0], node.shape)
            else:
                made[node] = make(node.op, node.dtype, src, node.arg)
    return Part(apart(tuple([made[output] for output in outputs])), inputs, tuple(outputs))
