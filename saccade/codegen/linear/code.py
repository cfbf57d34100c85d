"""Linear code: what every renderer prints.

A program is a tree of blocks; a block lists instructions, loops and branches in the order they run. A value
is a scalar or a vector of `width` lanes. Each instruction maps to a line or two of LLVM, CUDA or any other
target; nothing is left to decide.

    const         arg=value                            load    args=(index,), arg=(memory, offset)
    alu           args, arg=(Op, contract)             store   args=(index, value), arg=(memory, offset)
    cast bitcast  args=(value,)                        splat   args=(scalar,)          one value in every lane
    lanes         arg=tuple of Python numbers          extract args=(vector,), arg=lane
    pack          args=one scalar per lane             horizontal  args=(vector,), arg=monoid kind
    any           args=(bool vector,)                  reverse args=(vector,)
    shift         args=(vector, scalar): every lane one up, the scalar in the first
    shuffle       args=(a, b), arg=lanes of both, b's after a's
    get           arg=variable                         set     args=(value,), arg=variable
    dot           args=(sums, bytes, bytes), arg=instruction: to each lane of sums, four products of bytes
    pairs         args=(uint8, int8): in each lane of int16 two neighbours' products; the sums must fit
    dot_of_words  args=(int16, int16): in each lane of int32 two neighbours' products
    quotient      args=(x, y, 1/y, window): x / y by the reciprocal; see `quotient.py`
    pick          args=(index,), arg=sixteen numbers: the one that the low four bits of an integer say
    lookup        args=(bytes from 0 to 15, sixteen bytes): the one of the sixteen that each byte says
    bits          args=bool vectors: their lanes as the bits of a uint64, the first the lowest
    first_bit     args=(bits,): the index of the lowest bit that is set, 64 if none is
    prefetch      args=(index,), arg=(memory, offset): a hint that this is read soon, wherever it is
    barrier       what is stored before is loaded behind it
    again         args=(value,): what a `load` before gave, read from memory once more
    guarded_load  args=(index, valid), arg=(memory, offset): 0 without touching memory where `valid` is false
    (scalar condition)
    masked_load   the same with a condition for each lane
    masked_store  args=(index, value, valid), arg=(memory, offset): the lanes for which `valid` holds
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...graph.dtypes import DType


@dataclass(eq=False, slots=True)
class Value:
    """The result of an instruction, or a constant (`number` < 0, value in `literal`)."""

    number: int
    dtype: DType
    width: int = 1
    literal: Any = None

    @property
    def is_literal(self) -> bool:
        return self.number < 0


@dataclass(eq=False, slots=True)
class Memory:
    """What a load or store addresses: a buffer (`slot`) or a tile at a byte offset of the thread's
    scratch."""

    name: str
    dtype: DType
    slot: int = -1
    scratch_offset: int = -1


@dataclass(eq=False, slots=True)
class Variable:
    """A register that changes: an accumulator."""

    number: int
    dtype: DType
    width: int


@dataclass(eq=False, slots=True)
class Instruction:
    kind: str
    result: Value | None
    args: tuple[Value, ...] = ()
    arg: Any = None

    @property
    def made(self) -> Value:
        """Its result, if it is one of those that have one."""
        assert self.result is not None
        return self.result


@dataclass(eq=False, slots=True)
class Block:
    items: list[Instruction | Loop | Repeat | Branch] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Loop:
    """`variable` runs from `begin` up to `end`."""

    variable: Value
    begin: Value
    end: Value
    body: Block
    unroll: int = 0


@dataclass(eq=False, slots=True)
class Repeat:
    """The body runs as long as the variable is not 0."""

    variable: Variable
    body: Block


@dataclass(eq=False, slots=True)
class Branch:
    condition: Value
    body: Block


@dataclass(eq=False, slots=True)
class Code:
    """A whole kernel: run iterations `begin` to `end` of its parallel loop."""

    name: str
    body: Block
    begin: Value
    end: Value
    memories: list[Memory]
    variables: list[Variable]
    tasks: int
    scratch: int  # bytes of fast memory each thread needs
