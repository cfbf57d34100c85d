"""Sorting: a stable merge sort of each row, as linear code.

Every eight entries of a row are sorted by a network. Runs of 8, 16, ... are then merged from one half of a
tile to the other, from both ends at once: the first w results of two runs of w entries never leave them, nor
do the last w, so nothing is tested but which entry is smaller, and the two chains of comparisons overlap. The
elements themselves are fetched at the end. Rows go to the threads. NaN counts as the largest number, as in
torch and NumPy.

What an entry is depends on the elements: those of at most 32 bits are one word with their place
(`sort_words.py`), others a word and a place (`sort_pairs.py`). `sort_code.py` chooses.

Where only the first k are wanted (a top-k), the best k so far are a sorted list. What comes before the last
of them is gathered until there are k of those, which are sorted and merged with the list. In n elements in
any order that happens some log(n / k) times; at worst, where each is better than all before, n / k times.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from ....graph import dtypes
from ....graph.kernels.kernel import Sorting
from ....graph.node import Node, const, make
from ....graph.ops import Op
from ...linear.builder import Builder
from ...linear.code import Code, Instruction, Memory, Value, Variable
from ...numerics.words import WORDS

INDEX, WORD = dtypes.index, dtypes.uint64
#: entries a network sorts
RUN: Final = 8
#: a word that comes after all others, or beside them
LAST: Final = (1 << 64) - 1

#: what is compared and moved for an element
Entry = tuple[Value, ...]


class Sorter(Builder):
    """The code of one SORT."""

    #: exchanges that sort the entries of a run
    network: tuple[tuple[int, int], ...]
    #: bytes of the tiles
    scratch: int

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.sorting: Sorting = node.arg
        source, *targets = node.src
        assert not self.sorting.carries, "only merges carry indices along, which are for GPUs"
        self.dtype = source.dtype
        self.source, *self.targets = (
            Memory(f"p{m.arg.slot}", WORDS.get(m.dtype, m.dtype), m.arg.slot) for m in (source, *targets)
        )
        keep, length = self.sorting.keep, self.sorting.length
        self.room = length  # entries that are sorted at a time
        fresh = RUN
        while fresh < keep:
            fresh *= 2
        self.selects = 2 * fresh < length
        if self.selects:
            self.room = fresh
        #: two lists of the best, after the two halves of the tile
        self.best = 2 * self.room
        self.tiles = self.make_tiles(self.best + (2 * keep if self.selects else 0))

    # --- what an entry is

    @abstractmethod
    def make_tiles(self, size: int) -> tuple[Memory, ...]:
        """Memory for so many entries, one for each part of an entry."""

    @abstractmethod
    def entry(self, start: Value, place: Value) -> Entry:
        """The entry of an element of the row."""

    @abstractmethod
    def last(self) -> Entry:
        """An entry that comes after those of all elements."""

    @abstractmethod
    def before(self, a: Entry, b: Entry, whole: bool = False) -> Value:
        """Does an entry come before another? Those of equal elements do not, where the second is known to be
        the earlier one, as in a merge of runs; with `whole` their places are compared."""

    @abstractmethod
    def place(self, entry: Entry) -> Value:
        """The place in the row that an entry is of."""

    def code(self, name: str) -> Code:
        begin, end = self.new(INDEX), self.new(INDEX)
        row = self.enter(None, begin, end)
        inner = self.i(self.sorting.inner)
        outer, rest = self.index(Op.IDIV, row, inner), self.index(Op.MOD, row, inner)
        stride = self.sorting.length * self.sorting.inner
        start = self.add(self.index(Op.MUL, outer, self.i(stride)), rest)
        found = self.select(start) if self.selects else self.i(self.sort_row(start))
        target = self.add(self.index(Op.MUL, outer, self.i(self.sorting.keep * self.sorting.inner)), rest)
        self.write(start, target, found)
        self.leave()
        memories = [self.source, *self.targets, *self.tiles]
        rows = self.sorting.outer * self.sorting.inner
        return Code(name, self.stack[0].block, begin, end, memories, self.variables, rows, self.scratch)

    # --- instructions

    def i(self, value: int) -> Value:
        return self.literal(value, INDEX)

    def index(self, op: Op, a: Value, b: Value) -> Value:
        return self.alu(op, INDEX, (a, b))

    def add(self, a: Value, b: Value) -> Value:
        return self.index(Op.ADD, a, b)

    def load(self, place: Value, offset: int = 0) -> Entry:
        return tuple(self.instruction("load", m.dtype, 1, (place,), (m, offset)) for m in self.tiles)

    def store(self, place: Value, entry: Entry, offset: int = 0) -> None:
        for memory, part in zip(self.tiles, entry, strict=True):
            self.append(Instruction("store", None, (place, part), (memory, offset)))

    def less(self, a: Value, b: Value) -> Value:
        return self.alu(Op.LT, dtypes.bool_, (a, b))

    def chosen(self, condition: Value, a: Entry, b: Entry) -> Entry:
        """An entry where the condition holds, else another."""
        return tuple(self.alu(Op.WHERE, x.dtype, (condition, x, y)) for x, y in zip(a, b, strict=True))

    def smaller_and_larger(self, a: Entry, b: Entry) -> tuple[Entry, Entry]:
        swap = self.before(b, a)
        return self.chosen(swap, b, a), self.chosen(swap, a, b)

    def element(self, start: Value, place: Value) -> Value:
        where = self.add(start, self.index(Op.MUL, place, self.i(self.sorting.inner)))
        return self.instruction("load", self.source.dtype, 1, (where,), (self.source, 0))

    # --- a whole row

    def sort_row(self, start: Value) -> int:
        """Sort the row; which half of the tile it is in then."""
        n = self.sorting.length
        block = self.enter(None, self.i(0), self.i(n // RUN))
        first = self.index(Op.MUL, block, self.i(RUN))
        self.put(first, self.networked([self.entry(start, self.add(first, self.i(k))) for k in range(RUN)]))
        self.leave()
        rest = n - n % RUN
        self.put(self.i(rest), self.networked([self.entry(start, self.i(k)) for k in range(rest, n)]))
        return self.merge_runs(n)

    def put(self, first: Value, entries: list[Entry]) -> None:
        for k, entry in enumerate(entries):
            self.store(first, entry, k)

    def networked(self, entries: list[Entry]) -> list[Entry]:
        """At most eight entries, in order: exchanges with places that are not there change nothing."""
        entries = entries.copy()
        for a, b in self.network:
            if b < len(entries):
                entries[a], entries[b] = self.smaller_and_larger(entries[a], entries[b])
        return entries

    def merge_runs(self, n: int) -> int:
        """Runs of eight become one of n; where it starts."""
        source, width = 0, RUN
        while width < n:
            target = self.room - source
            pairs = n // (2 * width)
            if pairs:
                pair = self.enter(None, self.i(0), self.i(pairs))
                self.merge_equal(self.index(Op.MUL, pair, self.i(2 * width)), source, target, width)
                self.leave()
            rest = n - pairs * 2 * width
            if rest:
                self.merge_rest(source + n - rest, target + n - rest, min(width, rest), rest)
            source, width = target, 2 * width
        return source

    def merge_equal(self, base: Value, source: int, target: int, width: int) -> None:
        """Two runs of equal length, from both ends."""
        left, right = self.add(base, self.i(source)), self.add(base, self.i(source + width))
        i, j = self.declare(INDEX, 1, left), self.declare(INDEX, 1, right)
        last_i = self.declare(INDEX, 1, self.add(left, self.i(width - 1)))
        last_j = self.declare(INDEX, 1, self.add(right, self.i(width - 1)))
        k = self.enter(None, self.i(0), self.i(width))
        self.take_smaller(i, j, self.add(base, k), target)
        a, b = self.load(self.get(last_i)), self.load(self.get(last_j))
        self.store(self.index(Op.SUB, base, k), self.smaller_and_larger(a, b)[1], target + 2 * width - 1)
        back = self.alu(Op.CAST, INDEX, (self.before(b, a),))
        self.set(last_i, self.index(Op.SUB, self.get(last_i), back))
        kept = self.index(Op.SUB, self.i(1), back)
        self.set(last_j, self.index(Op.SUB, self.get(last_j), kept))
        self.leave()

    def take_smaller(self, i: Variable, j: Variable, place: Value, offset: int, whole: bool = False) -> None:
        """The smaller of the entries at i and j goes to a place, and its run goes on."""
        at_i, at_j = self.get(i), self.get(j)
        a, b = self.load(at_i), self.load(at_j)
        right = self.before(b, a, whole)
        self.store(place, self.chosen(right, b, a), offset)
        step = self.alu(Op.CAST, INDEX, (right,))
        self.set(j, self.add(at_j, step))
        self.set(i, self.add(at_i, self.index(Op.SUB, self.i(1), step)))

    def merge_rest(self, source: int, target: int, width: int, rest: int) -> None:
        """A run and a shorter one, or none: whichever ends first is over."""
        i, j = self.declare(INDEX, 1, self.i(source)), self.declare(INDEX, 1, self.i(source + width))
        middle, end = self.i(source + width), self.i(source + rest)
        k = self.enter(None, self.i(target), self.i(target + rest))
        at_i, at_j = self.get(i), self.get(j)
        a = self.load(self.index(Op.MIN, at_i, self.i(source + width - 1)))
        b = self.load(self.index(Op.MIN, at_j, self.i(source + rest - 1)))
        left_over = self.alu(Op.LE, dtypes.bool_, (middle, at_i))
        first = self.alu(Op.OR, dtypes.bool_, (left_over, self.before(b, a)))
        right = self.alu(Op.AND, dtypes.bool_, (self.less(at_j, end), first))
        self.store(k, self.chosen(right, b, a))
        step = self.alu(Op.CAST, INDEX, (right,))
        self.set(j, self.add(at_j, step))
        self.set(i, self.add(at_i, self.index(Op.SUB, self.i(1), step)))
        self.leave()

    # --- the first few

    def select(self, start: Value) -> Value:
        """Where the list of the best starts in the end."""
        keep, last = self.sorting.keep, self.last()
        k = self.enter(None, self.i(self.best), self.i(self.best + keep))
        self.store(k, last)
        self.leave()
        best = self.declare(INDEX, 1, self.i(self.best))
        count = self.declare(INDEX, 1, self.i(0))
        worst = [self.declare(part.dtype, 1, part) for part in last]
        k = self.enter(None, self.i(0), self.i(self.sorting.length))
        entry = self.entry(start, k)
        self.branch(self.before(entry, tuple(self.get(part) for part in worst), whole=True))
        place = self.get(count)
        self.store(place, entry)
        self.set(count, self.add(place, self.i(1)))
        self.branch(self.alu(Op.EQ, dtypes.bool_, (self.get(count), self.i(self.room))))
        self.merge_best(best)
        for part, value in zip(worst, self.load(self.add(self.get(best), self.i(keep - 1))), strict=True):
            self.set(part, value)
        self.set(count, self.i(0))
        self.leave_all(3)
        k = self.enter(None, self.get(count), self.i(self.room))
        self.store(k, last)
        self.leave()
        self.merge_best(best)
        return self.get(best)

    def merge_best(self, best: Variable) -> None:
        """Sort what was gathered and merge it into the other list of the best, which is then the list."""
        block = self.enter(None, self.i(0), self.i(self.room // RUN))
        first = self.index(Op.MUL, block, self.i(RUN))
        self.put(first, self.networked([self.load(first, k) for k in range(RUN)]))
        self.leave()
        fresh = self.merge_runs(self.room)
        keep, old = self.sorting.keep, self.get(best)
        new = self.index(Op.SUB, self.i(2 * self.best + keep), old)
        i, j = self.declare(INDEX, 1, old), self.declare(INDEX, 1, self.i(fresh))
        k = self.enter(None, self.i(0), self.i(keep))
        self.take_smaller(i, j, self.add(new, k), 0, whole=True)
        self.leave()
        self.set(best, new)

    # --- results

    def write(self, start: Value, target: Value, found: Value) -> None:
        k = self.enter(None, self.i(0), self.i(self.sorting.keep))
        place = self.place(self.load(self.add(found, k)))
        where = self.add(target, self.index(Op.MUL, k, self.i(self.sorting.inner)))
        for want, memory in zip(self.sorting.wants, self.targets, strict=True):
            value = self.element(start, place) if want == "values" else place
            self.append(Instruction("store", None, (where, value), (memory, 0)))
        self.leave()


def key_of(x: Node, descending: bool, bits: int) -> Node:
    """An unsigned integer of 32 or 64 bits that orders as the elements do. Zeros are equal; NaN is the
    largest."""
    unsigned, signed = (dtypes.uint32, dtypes.int32) if bits == 32 else (dtypes.uint64, dtypes.int64)
    if x.dtype.is_float:
        real = dtypes.float32 if bits == 32 else dtypes.float64
        wide = x.cast(real)
        word = make(Op.BITCAST, unsigned, (wide.eq(0.0).where(const(0.0, real), wide),))
        negative = word.alu(Op.SHR, const(bits - 1, unsigned)).eq(1)
        key = negative.where(word.alu(Op.NOT), word.alu(Op.OR, const(1 << (bits - 1), unsigned)))
        key = wide.alu(Op.ISNAN).where(const((1 << bits) - 1, unsigned), key)
    elif x.dtype.is_unsigned or x.dtype.is_bool:
        key = x.cast(unsigned)
    else:
        word = make(Op.BITCAST, unsigned, (x.cast(signed),))
        key = word.alu(Op.XOR, const(1 << (bits - 1), unsigned))
    return key.alu(Op.NOT) if descending else key
