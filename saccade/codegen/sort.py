"""Sorting: a stable merge sort of each row, as linear code.

The row is copied to a tile with the positions of its elements, runs of 1, 2, 4, ... are merged from one half
of the tile to the other, and the last half is written out. Rows go to the threads. NaN counts as the largest
number, as in torch and NumPy. This is for elements of 64 bits; smaller ones are sorted with their places in
one word (`sort_words.py`), several times as fast.
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
from .sort_words import WordSorter, fits_words
from .words import WORDS

INDEX = dtypes.index


def sort_code(kernel: Kernel, name: str) -> Code:
    """Linear code of a kernel that is one SORT."""
    node = kernel.sink.src[0]
    in_words = fits_words(node.src[0].dtype, node.arg.length)
    return (WordSorter(node) if in_words else Sorter(node)).code(name)


def _memory(param: Node) -> Memory:
    """A buffer; floats the machine has no registers for are moved as words."""
    return Memory(f"p{param.arg.slot}", WORDS.get(param.dtype, param.dtype), param.arg.slot)


class Sorter(Builder):
    def __init__(self, node: Node) -> None:
        super().__init__()
        self.sorting: Sorting = node.arg
        source, *targets = node.src
        assert not self.sorting.carries, "only merges carry indices along, which are for GPUs"
        self.dtype = source.dtype
        self.source = _memory(source)
        self.targets = [_memory(t) for t in targets]
        n = self.sorting.length
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
        self.fetch(start)
        passes = max(self.sorting.length - 1, 0).bit_length()
        number = self.enter(None, self.i(0), self.i(passes))
        self.merge_runs(number)
        self.leave()
        outer = self.mul(self.floor(row, inner), self.i(self.sorting.keep * self.sorting.inner))
        target = self.add(outer, self.rest(row, inner))
        self.write(target, self.i(passes % 2 * self.sorting.length))
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

    def merge_runs(self, number: Value) -> None:
        """One pass: every two runs of `width` from one half become one run in the other."""
        n = self.i(self.sorting.length)
        width = self.alu(Op.SHL, INDEX, (self.i(1), number))
        source = self.mul(self.alu(Op.AND, INDEX, (number, self.i(1))), n)
        target = self.alu(Op.SUB, INDEX, (n, source))
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
