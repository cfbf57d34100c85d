"""Numbers that each call of a program gives: runtime values.

    >>> words = Param(slot=2, size=3)                              # after the inputs: three words of 64 bits
    >>> rate = value(words, 0, dtypes.float32)                      # the first, a float64, rounded to float32
    >>> start = value(words, 1, dtypes.index, low=0, high=96)       # an offset, and what is known of it

A VALUE stands where a constant could stand: a scalar without sources in tensor terms, also as the start of a
slice. In kernel terms it has the memory of the words as its source, so that the kernel is given them. It
depends on no loop, so it is read once, before all of them. `loaded` is what a machine does for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import dtypes
from .dtypes import DType
from .node import Node, index_const, make
from .ops import Op
from .param import Param


@dataclass(frozen=True)
class Word:
    """Which word of which memory a VALUE is. An integer may be known to lie in `low..high`. As a `length`
    it says how many elements are there of memory with room for those of its `high`."""

    memory: Param
    number: int
    low: int | None = None
    high: int | None = None
    length: bool = False


def value(memory: Param, number: int, dtype: DType, low: int | None = None, high: int | None = None) -> Node:
    """A runtime value in tensor terms."""
    return make(Op.VALUE, dtype, (), Word(memory, number, low, high))


def length(memory: Param, number: int, low: int, high: int) -> Node:
    """A runtime value that is a length, in tensor terms."""
    return make(Op.VALUE, dtypes.index, (), Word(memory, number, low, high, length=True))


def words_of(node: Node) -> Node:
    """The memory a VALUE is read from, in tensor terms."""
    return make(Op.PARAM, dtypes.int64, (), node.arg.memory)


def loaded(node: Node, memory: Node) -> Node:
    """A VALUE of kernel terms as what a machine has: the word, as the number it stands for.

    Integers are stored as they are, floats as the bits of a float64. The load keeps what is known of it.
    """
    known = None if node.arg.low is None else (node.arg.low, node.arg.high)
    word = make(Op.LOAD, memory.dtype, (memory, index_const(node.arg.number)), known)
    if not node.dtype.is_float:
        return word.cast(node.dtype)
    return make(Op.BITCAST, dtypes.float64, (word,)).cast(node.dtype)
