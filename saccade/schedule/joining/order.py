"""Kernels in the order they run, and which of them could change places: who touches each memory last.

    first, second = order.append(a), order.append(b)
    order.can_wait(first)        # could `a` run after `b`?
    order.can_run_at(first, c)   # could `c`, which comes next, run before `b`?

A kernel moves past another unless one of them writes what the other touches. Each question looks at the
memories of one kernel, not at the kernels in between.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Generic, TypeVar

from ...graph.kernels.kernel import Kernel
from ...graph.node import Node
from ...graph.ops import Op
from ..limits import weight

Placed = tuple[Kernel, tuple[Node, ...]]
#: numbers of two kernels, of which the first has to run before the second
Edge = tuple[int, int]


class Entry:
    """A kernel and what has to be known of it to join it with others, worked out once."""

    def __init__(self, placed: Placed) -> None:
        self.placed = placed
        self.kernel, self.memories = placed
        self.touches = frozenset(self.memories)

    @cached_property
    def reads(self) -> frozenset[Node]:
        loads = [n for n in self.kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
        return frozenset([self.memories[n.src[0].arg.slot] for n in loads])

    @cached_property
    def writes(self) -> frozenset[Node]:
        return frozenset([self.memories[slot] for slot in self.kernel.outputs])

    @cached_property
    def weight(self) -> int:
        return weight(self.kernel.nodes)

    @cached_property
    def is_plain(self) -> bool:
        """Every store at a place of its own, in memory that is its own, and no moves for it alone."""
        stores = self.kernel.sink.src
        return (
            not self.kernel.start
            and not self.kernel.asked
            and all(s.op is Op.STORE and len(s.src) == 3 and s.arg is None for s in stores)
        )

    @cached_property
    def is_map(self) -> bool:
        """Elementwise work only, every store at a place of its own."""
        nests = (Op.FOLD, Op.STAGE, Op.PREFIX)
        return self.is_plain and not any(n.op in nests for n in self.kernel.nodes)


def insert(numbers: list[int], number: int) -> None:
    """Put a number where it belongs in a sorted list, once."""
    place = bisect_left(numbers, number)
    if numbers[place : place + 1] != [number]:
        numbers.insert(place, number)


E = TypeVar("E", bound=Entry)


class Order(Generic[E]):
    """Kernels by numbers that grow in the order they run; joining takes some away."""

    def __init__(self) -> None:
        self._entries: dict[int, E] = {}
        self._next = 0
        #: numbers of those that touch and that write each memory, in order; those taken away go when met
        self._touching: dict[Node, list[int]] = {}
        self._writing: dict[Node, list[int]] = {}

    def __getitem__(self, number: int) -> E:
        return self._entries[number]

    def __contains__(self, number: int) -> bool:
        return number in self._entries

    def placed(self) -> list[Placed]:
        return [entry.placed for _, entry in sorted(self._entries.items())]

    def append(self, entry: E) -> int:
        number = self._next
        self._next += 1
        self._put(number, entry, frozenset(), frozenset())
        return number

    def replace(self, number: int, entry: E) -> None:
        """Another kernel in the place of one, which touches all that it touched."""
        old = self._entries[number]
        self._put(number, entry, old.touches, old.writes)

    def remove(self, number: int) -> None:
        del self._entries[number]

    def _put(self, number: int, entry: E, touched: frozenset[Node], written: frozenset[Node]) -> None:
        self._entries[number] = entry
        for memory in entry.touches - touched:
            insert(self._touching.setdefault(memory, []), number)
        for memory in entry.writes - written:
            insert(self._writing.setdefault(memory, []), number)

    def writers(self, memories: Iterable[Node]) -> set[int]:
        """Those that write any of these memories."""
        return {n for memory in memories for n in self._writing.get(memory, ()) if n in self._entries}

    def last_conflict(self, entry: Entry) -> int:
        """The last one that an entry cannot change places with, itself perhaps; -1 if there is none."""
        touching = [self._last(self._touching.get(memory)) for memory in entry.writes]
        writing = [self._last(self._writing.get(memory)) for memory in entry.touches]
        return max(*touching, *writing, -1, -1)

    def _last(self, numbers: list[int] | None) -> int:
        while numbers and numbers[-1] not in self._entries:
            numbers.pop()
        return numbers[-1] if numbers else -1

    def can_wait(self, number: int) -> bool:
        """Could it run after all that come behind it?"""
        return self.last_conflict(self._entries[number]) <= number

    def can_run_at(self, number: int, entry: Entry) -> bool:
        """Could a kernel that comes next run right after this one?"""
        return self.last_conflict(entry) <= number


def conflicts(users: list[tuple[int, bool]]) -> Iterator[Edge]:
    """Who runs before whom among users of one memory in order, (number, whether it writes)."""
    writer: int | None = None
    readers: list[int] = []
    for number, writes in users:
        if writes:
            yield from ((reader, number) for reader in readers)
            if writer is not None:
                yield writer, number
            writer, readers = number, []
        else:
            if writer is not None:
                yield writer, number
            readers.append(number)
