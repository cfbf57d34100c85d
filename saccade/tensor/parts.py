"""Graphs of any size: a form past a budget is cut into parts, each compiled for itself, equal ones once.

    x = x + 1, 10,000 times  ->  10 parts of 1,000 additions, of which the compiler sees one

A form lists its nodes sources first, so every prefix of it can be computed on its own. What later nodes read
of a prefix crosses the cut: it is stored by one part and loaded by another. A cut is made where few bytes
cross, rather bytes that would be stored anyway: the result of a layer, not what it is made of. Constants,
places and views are made again by whoever reads them. In a program of equal layers the cuts are at equal
places, so that parts of the same form come again and again.

In: a form and its nodes. Out: parts, in the order they run; one that is the form itself where it is small.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from typing import Any, Final

from ..graph.node import Node
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op

Form = tuple[tuple[Any, ...], tuple[int, ...]]

#: nodes of a form that is compiled as one: the time of a few passes grows faster than its size
MOST_NODES: Final = 4096
#: nodes of a part, about. Smaller parts are found again sooner, and store more
PART_NODES: Final = 1024
#: nodes that a part makes again for itself rather than load
MOST_AGAIN: Final = 16


@dataclass(frozen=True)
class Part:
    """A stretch of a form, as a form: numbers of nodes of the whole that its buffers and results are."""

    form: Form
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def cut(form: Form, nodes: Sequence[Node]) -> list[Part]:
    """The parts of a form, whose nodes are these."""
    entries, roots = form
    if size_of(form) <= MOST_NODES or len(set(roots)) < len(roots):
        inputs = [n for n, (op, *_) in enumerate(entries) if op is Op.BUFFER]
        return [Part(form, tuple(inputs), roots)]
    values = _Values(form, nodes)
    ends = _ends(values)
    part_of = [bisect_left(ends, number) for number in range(len(entries))]
    outputs: list[list[int]] = [[] for _ in ends]
    wanted = set(roots)
    for number in values.computed:
        if number in wanted or part_of[values.last[number]] > part_of[number]:
            outputs[part_of[number]].append(number)
    return [_part(values, part_of, which, found) for which, found in enumerate(outputs) if found]


def size_of(form: Form) -> int:
    """The nodes of a form that are made from others."""
    return sum(map(bool, map(sources_of, form[0])))


def sources_of(entry: tuple[Any, ...]) -> tuple[int, ...]:
    """The numbers of the entries an entry of a form is made from."""
    op, _, sources, _ = entry
    return () if op is Op.BUFFER or op is Op.CONST else sources


class _Values:
    """What each node of a form is to its readers: made again by each of them, a view of another node, or
    computed once; and of what is computed, who reads it last."""

    def __init__(self, form: Form, nodes: Sequence[Node]) -> None:
        self.entries, self.roots = form
        self.nodes = nodes
        count = len(self.entries)
        #: what is computed to have a node: itself, or what it is a view of; -1 for what anybody can make
        self.base = [-1] * count
        self.computed: list[int] = []
        self.last = list(range(count))
        #: is it read by something of another size? It would be stored, and not be part of its reader
        self.settled = [False] * count
        self._again = [0] * count  # nodes it takes to make it again
        self._reads = [False] * count  # is there memory below?
        wanted = set(self.roots)
        for number, entry in enumerate(self.entries):
            sources = sources_of(entry)
            self._reads[number] = entry[0] is Op.BUFFER or any(self._reads[s] for s in sources)
            self._again[number] = sum(self._again[s] for s in sources) + bool(sources)
            if number not in wanted and self._is_made_again(number, entry[0], sources):
                self.base[number] = self.base[sources[0]] if entry[0] in MOVEMENT else -1
                continue
            self.base[number] = number
            self._again[number] = 0
            self.computed.append(number)
            for below in {self.base[s] for s in sources} - {-1}:
                self.last[below] = number
                same = entry[0] in ELEMENTWISE and nodes[below].size == nodes[number].size
                self.settled[below] |= not same

    def _is_made_again(self, number: int, op: Op, sources: tuple[int, ...]) -> bool:
        if not sources:
            return True
        if self._again[number] > MOST_AGAIN:
            return False
        return op in MOVEMENT or (op in ELEMENTWISE and not self._reads[number])

    def crossing(self) -> list[float]:
        """For each node, what it costs to cut behind it: bytes that cross, those that would not be stored
        otherwise twice."""
        change = [0.0] * (len(self.entries) + 1)
        wanted = set(self.roots)
        for number in self.computed:
            if self.last[number] > number and number not in wanted:
                node = self.nodes[number]
                cost = node.size * node.dtype.itemsize * (1.0 if self.settled[number] else 2.0)
                change[number] += cost
                change[self.last[number]] -= cost
        return list(accumulate(change[:-1]))


def _ends(values: _Values) -> list[int]:
    """The last node of each part: of as many parts as are needed, all of about the same size."""
    made = list(accumulate(bool(sources_of(entry)) for entry in values.entries))
    cost = values.crossing()
    total = made[-1]
    each = total / ceil(total / PART_NODES)
    ends: list[int] = []
    start = 0
    while total - start > 1.5 * each:
        least, most = bisect_left(made, start + each / 2), bisect_left(made, start + each * 1.25)
        best = min(range(least, most), key=lambda n: (cost[n], abs(made[n] - start - each)))
        ends.append(best)
        start = made[best]
    return [*ends, len(made) - 1]


def _part(values: _Values, part_of: list[int], which: int, outputs: list[int]) -> Part:
    """The form of one part, over its own inputs and what earlier parts made."""
    entries: list[tuple[Any, ...]] = []
    inputs: list[int] = []
    numbers: dict[int, int] = {}
    device = next((entry[3] for entry in values.entries if entry[0] is Op.BUFFER), None)
    # a node is met twice: to put its sources before it, and to write it down
    stack = outputs[::-1]
    while stack:
        number = stack[-1]
        if number in numbers:
            stack.pop()
            continue
        entry = values.entries[number]
        is_earlier = values.base[number] == number and part_of[number] < which
        waiting = () if is_earlier else [s for s in sources_of(entry) if s not in numbers]
        if waiting:
            stack += waiting[::-1]
            continue
        stack.pop()
        if is_earlier:
            node = values.nodes[number]
            entries.append((Op.BUFFER, node.dtype, node.size, device))
            if node.shape != (node.size,):
                entries.append((Op.RESHAPE, node.dtype, (len(entries) - 1,), node.shape))
        elif sources_of(entry):
            entries.append((*entry[:2], tuple([numbers[s] for s in entry[2]]), entry[3]))
        else:
            entries.append(entry)
        if is_earlier or entry[0] is Op.BUFFER:
            inputs.append(number)
        numbers[number] = len(entries) - 1
    return Part((tuple(entries), tuple([numbers[n] for n in outputs])), tuple(inputs), tuple(outputs))
