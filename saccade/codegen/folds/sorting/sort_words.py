"""Sorting words: an element of at most 32 bits and its place in one integer of 64, which orders as they do.

    word = key << 32 | place        key: an unsigned integer that is smaller where the element comes earlier

No two words are equal and comparing two is one instruction, so that the order of equal elements needs no
thought: what sorts the words sorts stably.
"""

from __future__ import annotations

from typing import Final

from ....graph.dtypes import DType
from ....graph.node import const, make
from ....graph.ops import Op
from ...linear.code import Memory, Value
from ...numerics.decompose import decompose
from .sort import INDEX, LAST, WORD, Entry, Sorter, key_of

#: odd-even merge sort of eight
NETWORK: Final = (
    (0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (1, 2), (5, 6),
    (0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5), (1, 2), (3, 4), (5, 6),
)  # fmt: skip


def fits_words(dtype: DType, length: int) -> bool:
    """Do an element and its place go into one word?"""
    return dtype.bits <= 32 and length < 1 << 32


class WordSorter(Sorter):
    """Elements that fit words."""

    network = NETWORK

    def make_tiles(self, size: int) -> tuple[Memory, ...]:
        self.scratch = size * WORD.itemsize
        return (Memory("words", WORD, -1, 0),)

    def entry(self, start: Value, place: Value) -> Entry:
        x, position = make(Op.PARAM, self.dtype, (), "x"), make(Op.PARAM, WORD, (), "place")
        shifted = key_of(x, self.sorting.descending, 32).cast(WORD).alu(Op.SHL, const(32, WORD))
        known = {decompose(x): self.element(start, place), position: self.alu(Op.CAST, WORD, (place,))}
        return (self.evaluate(decompose(shifted.alu(Op.OR, position)), known),)

    def last(self) -> Entry:
        return (self.literal(LAST, WORD),)

    def before(self, a: Entry, b: Entry, whole: bool = False) -> Value:
        return self.less(a[0], b[0])

    def smaller_and_larger(self, a: Entry, b: Entry) -> tuple[Entry, Entry]:
        pair = a[0], b[0]
        return (self.alu(Op.MIN, WORD, pair),), (self.alu(Op.MAX, WORD, pair),)

    def place(self, entry: Entry) -> Value:
        # From memory: of a word whose place is a constant LLVM 22 for x86 knows the bits above it to be zero,
        # makes the AND a 32-bit copy, and then takes the word for the copy (register coalescing): a place far
        # outside the row.
        word = self.instruction("again", WORD, 1, entry)
        low = self.alu(Op.AND, WORD, (word, self.literal((1 << 32) - 1, WORD)))
        return self.alu(Op.CAST, INDEX, (low,))
