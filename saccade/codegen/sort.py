"""Sorting: a stable merge sort of each row, as linear code.

The row is copied to a tile with the positions of its elements, runs of 1, 2, 4, ... are merged from one half
of the tile to the other, and the last half is written out. Rows go to the threads. NaN counts as the largest
number, as in torch and NumPy.

Where only the first k are wanted (a top-k), the tile has room for 2 k: it holds the best k so far, and
gathers what comes before the last of them until it is full and is sorted again. In n elements in any order
that happens some log(n / k) times; at worst, where every element is better than all before, n / k times, and
the work is that of sorting them all.
"""

from __future__ import annotations

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.kernel import Kernel, Sorting
from ..graph.node import Node, make
from ..graph.ops import Op
from .builder import Builder
from .decompose import decompose
from .linear import Code, Instruction, Memory, Value
from .words import WORDS

INDEX = dtypes.index
#: the tile of a top-k has room for this many times as many elements as are wanted
ROOM = 2


def sort_code(kernel: Kernel, name: str) -> Code:
    """Linear code of a kernel that is one SORT."""
    return Sorter(kernel.sink.src[0]).code(name)


def _memory(param: Node) -> Memory:
    """A buffer; floats the machine has no registers for are moved as words."""
    return Memory(f"p{param.arg.slot}", WORDS.get(param.dtype, param.dtype), param.arg.slot)


class Sorter(Builder):
    def __init__(self, node: Node) -> None:
        super().__init__()
        self.sorting: Sorting = node.arg
        source, *targets = node.src
        self.dtype = source.dtype
        self.source = _memory(source)
        self.targets = [_memory(t) for t in targets]
        n = self.room = self.sorting.length
        if ROOM * self.sorting.keep < n:
            self.room = n = ROOM * self.sorting.keep
        self.values = Memory("values", self.source.dtype, -1, 0)
        bytes_of_values = -(-2 * n * source.dtype.itemsize // 64) * 64
        self.places = Memory("places", dtypes.int64, -1, bytes_of_values)
        self.scratch = bytes_of_values + 2 * n * 8

    def code(self, name: str) -> Code:
        begin, end = self.new(INDEX), self.new(INDEX)
        row = self.enter(None, begin, end)
        inner = self.i(self.sorting.inner)
        start = self.add(
            self.mul(self.floor(row, inner), self.i(self.sorting.length * self.sorting.inner)),
            self.rest(row, inner),
        )
        if self.room < self.sorting.length:
            count = self.gather_best(start)
        else:
            self.fetch(start)
            count = self.i(self.room)
        half = self.sort_tile(count)
        outer = self.mul(self.floor(row, inner), self.i(self.sorting.keep * self.sorting.inner))
        self.write(self.add(outer, self.rest(row, inner)), self.i(half))
        self.leave()
        memories = [self.source, *self.targets, self.values, self.places]
        rows = self.sorting.outer * self.sorting.inner
        return Code(name, self.stack[0].block, begin, end, memories, self.variables, rows, self.scratch)

    # --- arithmetic on indices

    def i(self, value: int) -> Value:
        return self.literal(value, INDEX)

    def add(self, a: Value, b: Value) -> Value:
        return self.alu(Op.ADD, INDEX, (a, b))

    def mul(self, a: Value, b: Value) -> Value:
        return self.alu(Op.MUL, INDEX, (a, b))

    def least(self, a: Value, b: Value) -> Value:
        return self.alu(Op.MIN, INDEX, (a, b))

    def floor(self, a: Value, b: Value) -> Value:
        return self.alu(Op.IDIV, INDEX, (a, b))

    def rest(self, a: Value, b: Value) -> Value:
        return self.alu(Op.MOD, INDEX, (a, b))

    def less(self, a: Value, b: Value) -> Value:
        return self.alu(Op.LT, dtypes.bool_, (a, b))

    def load(self, memory: Memory, index: Value) -> Value:
        return self.instruction("load", memory.dtype, 1, (index,), (memory, 0))

    def store(self, memory: Memory, index: Value, value: Value) -> None:
        self.append(Instruction("store", None, (index, value), (memory, 0)))

    def choose(self, condition: Value, yes: Value, no: Value, dtype: DType) -> Value:
        return self.alu(Op.WHERE, dtype, (condition, yes, no))

    # --- the steps

    def fetch(self, start: Value) -> None:
        """The row and its positions into the first half of the tile."""
        k = self.enter(None, self.i(0), self.i(self.sorting.length))
        value = self.load(self.source, self.add(start, self.mul(k, self.i(self.sorting.inner))))
        self.store(self.values, k, value)
        self.store(self.places, k, k)
        self.leave()

    def gather_best(self, start: Value) -> Value:
        """What may be among the first `keep`, in the first half of the tile, and how many they are."""
        keep, room = self.i(self.sorting.keep), self.i(self.room)
        count = self.declare(INDEX, 1, self.i(0))
        is_full = self.declare(dtypes.bool_, 1, self.literal(False, dtypes.bool_))
        worst = self.declare(self.values.dtype, 1, self.load(self.source, start))
        k = self.enter(None, self.i(0), self.i(self.sorting.length))
        value = self.load(self.source, self.add(start, self.mul(k, self.i(self.sorting.inner))))
        empty = self.alu(Op.NOT, dtypes.bool_, (self.get(is_full),))
        self.branch(self.alu(Op.OR, dtypes.bool_, (empty, self.comes_before(value, self.get(worst)))))
        place = self.get(count)
        self.store(self.values, place, value)
        self.store(self.places, place, k)
        self.set(count, self.add(place, self.i(1)))
        self.branch(self.alu(Op.EQ, dtypes.bool_, (self.get(count), room)))
        half = self.sort_tile(room)
        if half:
            self.copy_back(keep)
        self.set(count, keep)
        self.set(worst, self.load(self.values, self.i(self.sorting.keep - 1)))
        self.set(is_full, self.literal(True, dtypes.bool_))
        for _ in range(3):
            self.leave()
        return self.get(count)

    def copy_back(self, count: Value) -> None:
        """The first `count` of the second half into the first."""
        k = self.enter(None, self.i(0), count)
        for memory in (self.values, self.places):
            self.store(memory, k, self.load(memory, self.add(k, self.i(self.room))))
        self.leave()

    def sort_tile(self, count: Value) -> int:
        """Sort the first `count` elements; where they are then: the start of a half."""
        passes = max(self.room - 1, 0).bit_length()
        number = self.enter(None, self.i(0), self.i(passes))
        self.merge_runs(number, count)
        self.leave()
        return passes % 2 * self.room

    def merge_runs(self, number: Value, count: Value) -> None:
        """One pass: every two runs of `width` from one half become one run in the other."""
        n, half = count, self.i(self.room)
        width = self.alu(Op.SHL, INDEX, (self.i(1), number))
        source = self.mul(self.alu(Op.AND, INDEX, (number, self.i(1))), half)
        target = self.alu(Op.SUB, INDEX, (half, source))
        double = self.add(width, width)
        pairs = self.floor(self.add(n, self.alu(Op.SUB, INDEX, (double, self.i(1)))), double)
        pair = self.enter(None, self.i(0), pairs)
        left = self.mul(pair, double)
        left_end = self.least(self.add(left, width), n)
        right_end = self.least(self.add(left, double), n)
        self.merge_pair(source, target, left, left_end, right_end)
        self.leave()

    def merge_pair(
        self, source: Value, target: Value, left: Value, left_end: Value, right_end: Value
    ) -> None:
        one = self.i(1)
        at_left, at_right = self.declare(INDEX, 1, left), self.declare(INDEX, 1, left_end)
        last_left = self.alu(Op.SUB, INDEX, (left_end, one))
        last_right = self.alu(Op.SUB, INDEX, (right_end, one))
        k = self.enter(None, left, right_end)
        i, j = self.get(at_left), self.get(at_right)
        from_left = self.add(source, self.least(i, last_left))
        from_right = self.add(source, self.least(j, last_right))
        a, b = self.load(self.values, from_left), self.load(self.values, from_right)
        left_done = self.alu(Op.LE, dtypes.bool_, (left_end, i))
        first = self.alu(Op.OR, dtypes.bool_, (left_done, self.comes_before(b, a)))
        take_right = self.alu(Op.AND, dtypes.bool_, (self.less(j, right_end), first))
        where = self.add(target, k)
        self.store(self.values, where, self.choose(take_right, b, a, self.values.dtype))
        place = self.choose(take_right, from_right, from_left, INDEX)
        self.store(self.places, where, self.load(self.places, place))
        step = self.alu(Op.CAST, INDEX, (take_right,))
        self.set(at_right, self.add(j, step))
        self.set(at_left, self.add(i, self.alu(Op.SUB, INDEX, (one, step))))
        self.leave()

    def comes_before(self, b: Value, a: Value) -> Value:
        """Must b come before a? Equal elements keep their order."""
        x, y = make(Op.PARAM, self.dtype, (), "b"), make(Op.PARAM, self.dtype, (), "a")
        before = y < x if self.sorting.descending else x < y
        if self.dtype.is_float:
            nan_x, nan_y = x.alu(Op.ISNAN), y.alu(Op.ISNAN)
            before = before | (nan_x & ~nan_y if self.sorting.descending else nan_y & ~nan_x)
        return self.evaluate(decompose(before), {decompose(x): b, decompose(y): a})

    def write(self, start: Value, half: Value) -> None:
        k = self.enter(None, self.i(0), self.i(self.sorting.keep))
        where, place = self.add(start, self.mul(k, self.i(self.sorting.inner))), self.add(half, k)
        for want, target in zip(self.sorting.wants, self.targets, strict=True):
            self.store(target, where, self.load(self.values if want == "values" else self.places, place))
        self.leave()
