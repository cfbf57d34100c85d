"""Sorting words: an element of at most 32 bits and its place in one integer of 64, which orders as they do.

    word = key << 32 | place        key: an unsigned integer that is smaller where the element comes earlier

No two words are equal and comparing two is one instruction, so that the order of equal elements needs no
thought: what sorts the words sorts stably. Every eight words are sorted by a network of minima and maxima.
Runs of 8, 16, ... are then merged from one half of a tile to the other, from both ends at once: the first w
results of two runs of w words never leave them, nor do the last w, so nothing is tested but which word is
smaller, and the two chains of comparisons overlap. The elements themselves are fetched at the end.

Where only the first k are wanted (a top-k), the best k so far are a sorted list. What comes before the last
of them is gathered until there are k of those, which are sorted and merged with the list. In n elements in
any order that happens some log(n / k) times; at worst, where each is better than all before, n / k times.
"""

from __future__ import annotations

from typing import Final

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.kernel import Sorting
from ..graph.node import Node, const, make
from ..graph.ops import Op
from .builder import Builder
from .decompose import decompose
from .linear import Code, Instruction, Memory, Value, Variable
from .words import WORDS

INDEX, WORD = dtypes.index, dtypes.uint64
#: words a network sorts
RUN: Final = 8
#: its exchanges: odd-even merge sort
NETWORK: Final = (
    (0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (1, 2), (5, 6),
    (0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5), (1, 2), (3, 4), (5, 6),
)  # fmt: skip
#: a word that comes after all others
LAST: Final = (1 << 64) - 1


def fits_words(dtype: DType, length: int) -> bool:
    """Do an element and its place go into one word?"""
    return dtype.bits <= 32 and length < 1 << 32


class WordSorter(Builder):
    """The code of one SORT whose elements fit words."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.sorting: Sorting = node.arg
        source, *targets = node.src
        assert not self.sorting.carries, "only merges carry indices along, which are for GPUs"
        self.dtype = source.dtype
        self.source, *self.targets = (
            Memory(f"p{m.arg.slot}", WORDS.get(m.dtype, m.dtype), m.arg.slot) for m in (source, *targets)
        )
        self.words = Memory("words", WORD, -1, 0)
        keep, length = self.sorting.keep, self.sorting.length
        self.room = length  # words that are sorted at a time
        fresh = RUN
        while fresh < keep:
            fresh *= 2
        self.selects = 2 * fresh < length
        if self.selects:
            self.room = fresh
        #: two lists of the best, after the two halves of the tile
        self.best = 2 * self.room
        self.scratch = (self.best + (2 * keep if self.selects else 0)) * 8

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
        memories = [self.source, *self.targets, self.words]
        rows = self.sorting.outer * self.sorting.inner
        return Code(name, self.stack[0].block, begin, end, memories, self.variables, rows, self.scratch)

    # --- instructions

    def i(self, value: int) -> Value:
        return self.literal(value, INDEX)

    def index(self, op: Op, a: Value, b: Value) -> Value:
        return self.alu(op, INDEX, (a, b))

    def add(self, a: Value, b: Value) -> Value:
        return self.index(Op.ADD, a, b)

    def load(self, place: Value, offset: int = 0) -> Value:
        return self.instruction("load", WORD, 1, (place,), (self.words, offset))

    def store(self, place: Value, word: Value, offset: int = 0) -> None:
        self.append(Instruction("store", None, (place, word), (self.words, offset)))

    def element(self, start: Value, place: Value) -> Value:
        where = self.add(start, self.index(Op.MUL, place, self.i(self.sorting.inner)))
        return self.instruction("load", self.source.dtype, 1, (where,), (self.source, 0))

    def less(self, a: Value, b: Value) -> Value:
        return self.alu(Op.LT, dtypes.bool_, (a, b))

    def word(self, start: Value, place: Value) -> Value:
        """The word of an element of the row."""
        x, position = make(Op.PARAM, self.dtype, (), "x"), make(Op.PARAM, WORD, (), "place")
        shifted = _key(x, self.sorting.descending).cast(WORD).alu(Op.SHL, const(32, WORD))
        known = {decompose(x): self.element(start, place), position: self.alu(Op.CAST, WORD, (place,))}
        return self.evaluate(decompose(shifted.alu(Op.OR, position)), known)

    # --- a whole row

    def sort_row(self, start: Value) -> int:
        """Sort the row; which half of the tile it is in then."""
        n = self.sorting.length
        block = self.enter(None, self.i(0), self.i(n // RUN))
        first = self.index(Op.MUL, block, self.i(RUN))
        self.put(first, self.networked([self.word(start, self.add(first, self.i(k))) for k in range(RUN)]))
        self.leave()
        rest = n - n % RUN
        self.put(self.i(rest), self.networked([self.word(start, self.i(k)) for k in range(rest, n)]))
        return self.merge_runs(n)

    def put(self, first: Value, words: list[Value]) -> None:
        for k, word in enumerate(words):
            self.store(first, word, k)

    def networked(self, words: list[Value]) -> list[Value]:
        """At most eight words, in order: exchanges with places that are not there change nothing."""
        words = words.copy()
        for a, b in NETWORK:
            if b < len(words):
                pair = words[a], words[b]
                words[a], words[b] = (self.alu(op, WORD, pair) for op in (Op.MIN, Op.MAX))
        return words

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
        self.store(self.index(Op.SUB, base, k), self.alu(Op.MAX, WORD, (a, b)), target + 2 * width - 1)
        back = self.alu(Op.CAST, INDEX, (self.less(b, a),))
        self.set(last_i, self.index(Op.SUB, self.get(last_i), back))
        kept = self.index(Op.SUB, self.i(1), back)
        self.set(last_j, self.index(Op.SUB, self.get(last_j), kept))
        self.leave()

    def take_smaller(self, i: Variable, j: Variable, place: Value, offset: int) -> None:
        """The smaller of the words at i and j goes to a place, and its run goes on."""
        at_i, at_j = self.get(i), self.get(j)
        a, b = self.load(at_i), self.load(at_j)
        self.store(place, self.alu(Op.MIN, WORD, (a, b)), offset)
        step = self.alu(Op.CAST, INDEX, (self.less(b, a),))
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
        first = self.alu(Op.OR, dtypes.bool_, (left_over, self.less(b, a)))
        right = self.alu(Op.AND, dtypes.bool_, (self.less(at_j, end), first))
        self.store(k, self.alu(Op.WHERE, WORD, (right, b, a)))
        step = self.alu(Op.CAST, INDEX, (right,))
        self.set(j, self.add(at_j, step))
        self.set(i, self.add(at_i, self.index(Op.SUB, self.i(1), step)))
        self.leave()

    # --- the first few

    def select(self, start: Value) -> Value:
        """Where the list of the best starts in the end."""
        keep, last = self.sorting.keep, self.literal(LAST, WORD)
        k = self.enter(None, self.i(self.best), self.i(self.best + keep))
        self.store(k, last)
        self.leave()
        best = self.declare(INDEX, 1, self.i(self.best))
        count = self.declare(INDEX, 1, self.i(0))
        worst = self.declare(WORD, 1, last)
        k = self.enter(None, self.i(0), self.i(self.sorting.length))
        word = self.word(start, k)
        self.branch(self.less(word, self.get(worst)))
        place = self.get(count)
        self.store(place, word)
        self.set(count, self.add(place, self.i(1)))
        self.branch(self.alu(Op.EQ, dtypes.bool_, (self.get(count), self.i(self.room))))
        self.merge_best(best)
        self.set(worst, self.load(self.add(self.get(best), self.i(keep - 1))))
        self.set(count, self.i(0))
        for _ in range(3):
            self.leave()
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
        self.take_smaller(i, j, self.add(new, k), 0)
        self.leave()
        self.set(best, new)

    # --- results

    def write(self, start: Value, target: Value, found: Value) -> None:
        k = self.enter(None, self.i(0), self.i(self.sorting.keep))
        word = self.load(self.add(found, k))
        place = self.alu(Op.CAST, INDEX, (self.alu(Op.AND, WORD, (word, self.literal((1 << 32) - 1, WORD))),))
        where = self.add(target, self.index(Op.MUL, k, self.i(self.sorting.inner)))
        for want, memory in zip(self.sorting.wants, self.targets, strict=True):
            value = self.element(start, place) if want == "values" else place
            self.append(Instruction("store", None, (where, value), (memory, 0)))
        self.leave()


def _key(x: Node, descending: bool) -> Node:
    """An unsigned integer of 32 bits that orders as the elements do. Zeros are equal; NaN is the largest."""
    unsigned = dtypes.uint32
    if x.dtype.is_float:
        wide = x.cast(dtypes.float32)
        bits = make(Op.BITCAST, unsigned, (wide.eq(0.0).where(const(0.0, dtypes.float32), wide),))
        negative = bits.alu(Op.SHR, const(31, unsigned)).eq(1)
        key = negative.where(bits.alu(Op.NOT), bits.alu(Op.OR, const(1 << 31, unsigned)))
        key = wide.alu(Op.ISNAN).where(const((1 << 32) - 1, unsigned), key)
    elif x.dtype.is_unsigned or x.dtype.is_bool:
        key = x.cast(unsigned)
    else:
        bits = make(Op.BITCAST, unsigned, (x.cast(dtypes.int32),))
        key = bits.alu(Op.XOR, const(1 << 31, unsigned))
    return key.alu(Op.NOT) if descending else key
