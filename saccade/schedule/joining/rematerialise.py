"""Rematerialisation: under a budget of memory, what forward keeps and what is computed again for backward.

    a = relu(x @ w)         kept until backward reads it, unless memory is short:
    ...                     then it is let go here, and
    a = relu(x @ w)         its kernel runs again before the first that reads it

In: kernels in order and a budget in bytes. Out: kernels whose values need no more memory at one time, as far
as that can be had. At the kernel where most is alive, every value that waits there for a later reader could
be let go. To have it again takes its kernel, and those before it whose values are gone too, down to what is
there anyway (a *cone*). The cones with the most bytes for their time come first, by the estimate of the
target (`Target.seconds`); then the next highest place is looked at. Nothing that is overwritten in between is
computed again, and no kernel that writes into a value which others made.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from ...graph.kernels.kernel import Kernel
from ...graph.node import Node, make
from ...graph.ops import Op
from ...graph.origin import inherit, origin_of
from ...graph.rewriting.passes import rewrite_pass
from ...runtime.watch.debug import size_text
from .join import without_stores
from .order import Entry, Placed

#: kernels that may run again for one value
MOST_KERNELS = 24
#: times that the highest place is looked for
MOST_ROUNDS = 100

Seconds = Callable[[Kernel], float]


@dataclass(frozen=True)
class Copy:
    """Memory of a value that is computed again."""

    size: int
    number: int


@rewrite_pass("compute again what does not fit")
def computed_again(
    kernels: list[Placed], roots: frozenset[Node], budget: int, seconds: Seconds
) -> list[Placed]:
    """The kernels with some of them twice, so that values between them take `budget` bytes at most, or as few
    as were found. `roots` are results, which are kept anyway."""
    program = _Program(kernels, roots)
    tried: set[Node] = set()
    copies = 0
    for _ in range(MOST_ROUNDS):
        if program.peak <= budget:
            break
        chosen = program.chosen(budget, seconds, tried)
        if not chosen:
            break
        made = _Program(program.with_cones(chosen, copies), roots)
        copies += sum(len(cone.made) for cone in chosen)
        if made.excess(budget) < program.excess(budget):
            program = made
        else:
            tried |= {value for cone in chosen for value in cone.served}
    return [entry.placed for entry in program.entries]


@dataclass(frozen=True)
class _Cone:
    """Kernels to run again, by number, before kernel `at`: all that they make, which of it is read later, and
    what they read that has to be there still."""

    kernels: tuple[int, ...]
    made: frozenset[Node]
    served: frozenset[Node]
    reads: frozenset[Node]
    at: int
    nbytes: int
    seconds: float


class _Program:
    """Kernels in order, and for each memory who touches and who writes it."""

    def __init__(self, kernels: list[Placed], roots: frozenset[Node]) -> None:
        self.entries = [Entry(placed) for placed in kernels]
        self.touched: dict[Node, list[int]] = {}
        self.written: dict[Node, list[int]] = {}
        for number, entry in enumerate(self.entries):
            for memory in entry.touches:
                self.touched.setdefault(memory, []).append(number)
            for memory in entry.writes:
                self.written.setdefault(memory, []).append(number)
        #: between kernels, and no result: these take up the budget
        self.values = [m for m in self.touched if m.op is not Op.PARAM and m not in roots]
        self.live = live_bytes({v: self.touched[v] for v in self.values}, len(kernels))
        self.peak = max(self.live, default=0)

    def excess(self, budget: int) -> int:
        """Bytes beyond a budget, of all kernels together."""
        return sum(max(live - budget, 0) for live in self.live)

    def chosen(self, budget: int, seconds: Seconds, tried: set[Node]) -> list[_Cone]:
        """Cones that have nothing to do with each other and make the highest place as low as the budget."""
        place = self.live.index(self.peak)
        waiting = [v for v in self.values if v not in tried and self._gap(v, place) is not None]
        found = [cone for value in waiting if (cone := self._cone(value, place, seconds)) is not None]
        chosen: list[_Cone] = []
        served: set[Node] = set()
        read: set[Node] = set()
        left = self.peak - budget
        for cone in sorted(found, key=lambda c: -c.nbytes / c.seconds):
            if left <= 0:
                break
            if cone.served & (served | read) or cone.reads & served:
                continue
            chosen.append(cone)
            served |= cone.served
            read |= cone.reads
            left -= cone.nbytes
        return chosen

    def _gap(self, value: Node, place: int) -> int | None:
        """The first kernel that touches a value after a place at which it waits; None if it does not."""
        uses = self.touched[value]
        after = bisect_left(uses, place)
        return uses[after] if 0 < after < len(uses) and uses[after] != place else None

    def _cone(self, value: Node, place: int, seconds: Seconds) -> _Cone | None:
        """What it takes to have a value again after a place; None if it cannot be had."""
        kernels: set[int] = set()
        reads: set[Node] = set()
        stack = [value]
        while stack:
            writers = self.written.get(stack.pop(), [])
            if len(writers) != 1 or not self.entries[writers[0]].is_plain or len(kernels) > MOST_KERNELS:
                return None
            if writers[0] in kernels:
                continue
            kernels.add(writers[0])
            entry = self.entries[writers[0]]
            if entry.reads & entry.writes:
                return None
            for memory in entry.touches - entry.writes:
                if self._is_there(memory, place):
                    reads.add(memory)
                else:
                    stack.append(memory)
        made = frozenset(m for number in kernels for m in self.entries[number].writes)
        served = frozenset(m for m in made if m in self.touched and self._gap(m, place) is not None)
        served &= frozenset(self.values)
        at = min(gap for m in served if (gap := self._gap(m, place)) is not None)
        reads -= made
        if any(self._changes(memory, number, at) for number in kernels for memory in reads):
            return None
        order = tuple(sorted(kernels))
        time = sum(seconds(self.entries[number].kernel) for number in order)
        return _Cone(order, made, served, frozenset(reads), at, sum(map(nbytes_of, served)), time)

    def _is_there(self, memory: Node, place: int) -> bool:
        """Is it an input, a result, or a value that is alive at a place?"""
        if memory not in self.written:
            return True
        uses = self.touched[memory]
        is_value = memory.op is not Op.PARAM
        return not is_value or (uses[0] < place <= uses[-1] and len(self.written[memory]) == 1)

    def _changes(self, memory: Node, since: int, until: int) -> bool:
        return any(since < number < until for number in self.written.get(memory, ()))

    def with_cones(self, cones: list[_Cone], copies: int) -> list[Placed]:
        """The kernels with those of cones in their places."""
        inserted: dict[int, list[Placed]] = {}
        #: from which kernel on a value is called otherwise
        renamed: dict[Node, tuple[int, Node]] = {}
        for cone in cones:
            names = {}
            for value in sorted(cone.made, key=lambda m: self.touched[m][0]):
                copy = make(Op.BUFFER, value.dtype, (), Copy(value.size, copies))
                inherit(copy, origin_of(value))
                names[value] = copy
                copies += 1
            inserted.setdefault(cone.at, []).extend(self._again(cone, names))
            renamed |= {value: (cone.at, names[value]) for value in cone.served}
        made: list[Placed] = []
        for number, entry in enumerate(self.entries):
            made += inserted.get(number, [])
            kernel, memories = entry.placed
            named = [renamed[m][1] if m in renamed and number >= renamed[m][0] else m for m in memories]
            made.append((kernel, tuple(named)))
        return made

    def _again(self, cone: _Cone, names: dict[Node, Node]) -> Iterator[Placed]:
        """The kernels of a cone on memory of their own, without results that nobody reads."""
        wanted = cone.served | {
            m for n in cone.kernels for m in self.entries[n].touches - self.entries[n].writes
        }
        for number in cone.kernels:
            kernel, memories = self.entries[number].placed
            unread = {s for s in kernel.sink.src if memories[s.src[0].arg.slot] not in wanted}
            trimmed = without_stores((kernel, memories), unread) if unread else (kernel, memories)
            if trimmed is None:
                continue
            kernel, memories = trimmed
            why = f"computed again: to keep it takes {size_text(cone.nbytes).strip()}B"
            yield replace(kernel, reason=why), tuple([names.get(m, m) for m in memories])


def nbytes_of(memory: Node) -> int:
    return memory.size * memory.dtype.itemsize


def live_bytes(touched: Mapping[Node, Sequence[int]], count: int) -> list[int]:
    """Bytes that are alive at each of `count` kernels, of values with the kernels that touch them."""
    change = [0] * (count + 1)
    for value, uses in touched.items():
        change[uses[0]] += nbytes_of(value)
        change[uses[-1] + 1] -= nbytes_of(value)
    return list(accumulate(change))[:-1]
