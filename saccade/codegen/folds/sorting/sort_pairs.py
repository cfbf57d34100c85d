"""Sorting pairs: a word that orders as an element of up to 64 bits does, and its place beside it.

Places are only moved along. What is merged is in order already (all places of one run before those of the
other), so that an entry of the second run comes first only where its word is smaller, and a network that
exchanges neighbours alone keeps equal elements in their order.
"""

from __future__ import annotations

from typing import Final

from ....graph import dtypes
from ....graph.node import make
from ....graph.ops import Op
from ...linear.code import Memory, Value
from ...numerics.decompose import decompose
from .sort import INDEX, LAST, RUN, WORD, Entry, Sorter, key_of

#: odd-even transposition sort: as many rounds of exchanges between neighbours as there are entries
NETWORK: Final = tuple((at, at + 1) for turn in range(RUN) for at in range(turn % 2, RUN - 1, 2))


class PairSorter(Sorter):
    """Elements of up to 64 bits."""

    network = NETWORK

    def make_tiles(self, size: int) -> tuple[Memory, ...]:
        self.place_type = dtypes.uint32 if self.sorting.length < 1 << 32 else dtypes.uint64
        words = -(-size * WORD.itemsize // 64) * 64
        self.scratch = words + size * self.place_type.itemsize
        return Memory("words", WORD, -1, 0), Memory("places", self.place_type, -1, words)

    def entry(self, start: Value, place: Value) -> Entry:
        x = make(Op.PARAM, self.dtype, (), "x")
        key = key_of(x, self.sorting.descending, 64)
        word = self.evaluate(decompose(key), {decompose(x): self.element(start, place)})
        return word, self.alu(Op.CAST, self.place_type, (place,))

    def last(self) -> Entry:
        return self.literal(LAST, WORD), self.literal((1 << self.place_type.bits) - 1, self.place_type)

    def before(self, a: Entry, b: Entry, whole: bool = False) -> Value:
        less = self.less(a[0], b[0])
        if not whole:
            return less
        equal = self.alu(Op.EQ, dtypes.bool_, (a[0], b[0]))
        earlier = self.alu(Op.AND, dtypes.bool_, (equal, self.less(a[1], b[1])))
        return self.alu(Op.OR, dtypes.bool_, (less, earlier))

    def place(self, entry: Entry) -> Value:
        return self.alu(Op.CAST, INDEX, (entry[1],))
