"""Liveness-driven order: a kernel that lets much memory go runs as soon as it can.

    dx3 = dy3 @ w3.T          the chain of backward comes first, gradients of weights at the end:
    dx2 = dx3 @ w2.T          until then x1, x2, x3 and dx1, dx2, dx3 wait for them
    dw3 = x3.T @ dy3
    dw2 = x2.T @ dx3    ->    dx3, dw3, dx2, dw2: what forward kept goes as backward comes

Results are computed in the order in which they are asked for, and gradients of weights are asked for after
the last of them is known. In: kernels in order. Out: the same kernels; one that is the last to read more
bytes than it makes, by at least 1 MiB and a 1,024th of the peak, has moved to where all it reads is there. So
have two of which the second reads what the first makes, as the parts of a sum and their sum, where that makes
the peak smaller: what lies between them comes early too. The others stay as they were: small ones that belong
together are still side by side to become one launch. The arena of a training step of ResNet-18 went from 351
MB to 237, that of a GPT block by pairs from 107 to 91.
"""

from __future__ import annotations

from ...graph.node import Node
from ...graph.ops import Op
from ...graph.rewriting.passes import rewrite_pass
from .order import Entry, Placed, conflicts
from .rematerialise import live_bytes, nbytes_of

#: bytes that are worth moving a kernel for, and as a share of the peak: what a layer of GPT-2 small keeps for
#: one gradient is a 260th of it, and where gradients of weights come early all updates are one launch
LEAST_BYTES, LEAST_SHARE = 1 << 20, 1 / 1024
#: by how much pairs have to lower the peak: values that live shorter may still fit the arena worse. ResNet-18
#: has 231 instead of 236 MB alive with pairs, and an arena of 264 instead of 240
PAIRS_SHARE = 1 / 16


@rewrite_pass("let memory go early")
def released_early(kernels: list[Placed], roots: frozenset[Node]) -> list[Placed]:
    """The kernels in an order that keeps fewer values alive. `roots` are results, which are kept anyway."""
    entries = [Entry(placed) for placed in kernels]
    alone = _Line(entries, roots)
    alone.run_all(in_pairs=False)
    best = alone
    if alone.next:
        paired = _Line(entries, roots)
        paired.run_all(in_pairs=True)
        best = paired if paired.highest <= alone.highest * (1 - PAIRS_SHARE) else alone
    return [kernels[number] for number in best.ran]


class _Line:
    """Kernels that wait to run: what each waits for, and who still touches each memory."""

    def __init__(self, entries: list[Entry], roots: frozenset[Node]) -> None:
        self.entries = entries
        self.ran: dict[int, None] = {}
        self.users: dict[Node, set[int]] = {}
        users: dict[Node, list[int]] = {}
        for number, entry in enumerate(entries):
            for memory in entry.touches:
                users.setdefault(memory, []).append(number)
        self.after: list[set[int]] = [set() for _ in entries]
        self.waits = [0] * len(entries)
        for memory, numbers in users.items():
            self.users[memory] = set(numbers)
            for first, second in conflicts([(n, memory in entries[n].writes) for n in numbers]):
                self.after[first].add(second)
        for later in self.after:
            for number in later:
                self.waits[number] += 1
        values = {m: numbers for m, numbers in users.items() if m.op is not Op.PARAM and m not in roots}
        self.bytes = {m: nbytes_of(m) for m in values}
        self.peak = max(live_bytes(values, len(entries)), default=0)
        self.begun: set[Node] = set()
        self.live = self.highest = 0  # bytes now, and at most so far
        #: the second of two kernels that are worth moving together, by the first
        self.next: dict[int, int] = {}

    def run_all(self, *, in_pairs: bool) -> None:
        """Run every kernel: in order, but those that are worth it as soon as they can, alone or in pairs."""
        worth = max(LEAST_BYTES, int(self.peak * LEAST_SHARE))
        for number in range(len(self.entries)):
            moved = [number]
            while moved:  # one that ran may let others run, and leave them the last to read something
                near = [n for ran in moved for n in self._run_pair(ran, in_pairs)]
                moved = [n for n in near if self._is_worth(n, worth, in_pairs)]

    def _run_pair(self, number: int, in_pairs: bool) -> list[int]:
        near = self.run(number)
        return [*near, *self.run(self.next[number])] if in_pairs and number in self.next else near

    def _is_worth(self, number: int, worth: int, in_pairs: bool) -> bool:
        """Does memory go with a kernel, or with it and the only one that reads what it makes?"""
        if self.released(number) >= worth:
            return True
        second = self._only_reader(number)
        if second is None or self.released(number, second) < worth:
            return False
        self.next[number] = second
        return in_pairs

    def _only_reader(self, number: int) -> int | None:
        """The kernel that reads what this one makes, if it is one alone and waits for nobody else."""
        made = [m for m in self.entries[number].touches if m in self.bytes and m not in self.begun]
        readers = {user for m in made for user in self.users[m]} - {number}
        second = readers.pop() if len(readers) == 1 else None
        return second if second is not None and self.waits[second] == 1 else None

    def _coming(self, *numbers: int) -> set[Node]:
        """Values that these kernels begin."""
        touched = {m for n in numbers for m in self.entries[n].touches}
        return {m for m in touched if m in self.bytes and m not in self.begun}

    def run(self, number: int) -> list[int]:
        """Run a kernel, if it has not run; those that could run next because of it."""
        if number in self.ran:
            return []
        self.ran[number] = None
        near = dict.fromkeys(sorted(self.after[number]))
        for later in near:
            self.waits[later] -= 1
        self.live += sum(self.bytes[m] for m in self._coming(number))
        self.highest = max(self.highest, self.live)
        for memory in self.entries[number].touches:
            self.begun.add(memory)
            self.users[memory].discard(number)
            self.live -= self.bytes.get(memory, 0) if not self.users[memory] else 0
            if len(self.users[memory]) <= 2:  # the last one, or the last two
                near |= dict.fromkeys(sorted(self.users[memory]))
        return [n for n in near if not self.waits[n]]

    def released(self, *numbers: int) -> int:
        """Bytes that go with kernels that run one after the other, less those that come."""
        touched = {m for n in numbers for m in self.entries[n].touches if m in self.bytes}
        last = sum(self.bytes[m] for m in touched if self.users[m] <= set(numbers))
        return last - sum(self.bytes[m] for m in self._coming(*numbers))
