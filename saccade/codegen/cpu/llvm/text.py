"""What LLVM IR is written with: names of types, literals, lines, labels, calls of intrinsics.

bool is i1 in registers and i8 in memory.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from ....graph import dtypes
from ....graph.dtypes import DType
from ....graph.node import Node
from ...linear.code import Instruction, Memory, Value

_RARELY = '!0 = !{!"branch_weights", i32 1, i32 1000}'


def type_name(dtype: DType, width: int = 1, *, in_memory: bool = False) -> str:
    if dtype.is_bool:
        name = "i8" if in_memory else "i1"
    elif dtype is dtypes.float64:
        name = "double"
    elif dtype is dtypes.float32:
        name = "float"
    elif dtype is dtypes.float16:
        name = "half"
    else:  # integers; bfloat16 and float8 travel as their bits
        name = f"i{dtype.bits}"
    return name if width == 1 else f"<{width} x {name}>"


def literal(value: bool | int | float, dtype: DType) -> str:
    if dtype.is_float and dtype in (dtypes.float64, dtypes.float32, dtypes.float16):
        number = float(value)
        if dtype is dtypes.float32:
            number = _round_to_float32(number)
        if dtype is dtypes.float16:
            return f"0xH{struct.unpack('<H', _half_bits(number))[0]:04X}"
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    if dtype.is_bool:
        return "true" if value else "false"
    return str(int(value))


def lanes_of(value: bool | int | float, dtype: DType, width: int) -> str:
    """A constant in every lane."""
    text = literal(value, dtype)
    return text if width == 1 else f"splat ({type_name(dtype)} {text})"


def shuffled(kind: str, first: str, lanes: Iterable[int], second: str = "poison") -> str:
    """Lanes of two vectors, those of the second counted on; any value in lanes of number -1."""
    each = [f"i32 {lane}" if lane >= 0 else "i32 poison" for lane in lanes]
    return f"shufflevector {kind} {first}, {kind} {second}, <{len(each)} x i32> <{', '.join(each)}>"


def _round_to_float32(number: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _half_bits(number: float) -> bytes:
    try:
        return struct.pack("<e", number)
    except OverflowError:
        return struct.pack("<e", float("inf") if number > 0 else float("-inf"))


def suffix_of(dtype: DType) -> str:
    """How the names of intrinsics end: `f32`, `i64`."""
    return f"f{dtype.bits}" if dtype.is_float else f"i{1 if dtype.is_bool else dtype.bits}"


class Text(ABC):
    """Lines of a function in the making, and what they call."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []
        self.labels = 0
        self.temporaries = 0
        self.declared: dict[str, str] = {}
        #: constant vectors that are read where they are added to, and the bytes they start at
        self.addends: dict[str, int] = {}
        self.addend_bytes = 0
        #: where they are, in the block at hand
        self.addends_at: str | None = None

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def temp(self) -> str:
        self.temporaries += 1
        return f"%t{self.temporaries}"

    def define(self, text: str) -> str:
        name = self.temp()
        self.line(f"{name} = {text}")
        return name

    def joined(self, parts: list[str], element: str, width: int) -> str:
        """Vectors of so many elements, a power of two of them, one behind the other."""
        while len(parts) > 1:
            kind, lanes = f"<{width} x {element}>", range(2 * width)
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts, width = [self.define(shuffled(kind, a, lanes, b)) for a, b in pairs], 2 * width
        return parts[0]

    def place_outside(self, memory: Memory, index: Value, offset: int) -> str:
        """The address of an element that may lie before or behind its memory: it is not inbounds."""
        element = type_name(memory.dtype, in_memory=True)
        start = self.define(f"getelementptr {element}, ptr %{memory.name}, i64 {self.ref(index)}")
        return self.define(f"getelementptr {element}, ptr {start}, i64 {offset}") if offset else start

    def any_word(self, words: str, bits: int, width: int) -> str:
        """Is any of so many integers not zero? As words: with a mask that is taken apart a kernel has to do
        without AVX-512."""
        reduce = f"llvm.vector.reduce.or.v{width}i{bits}"
        every = self.define(self.intrinsic(reduce, f"i{bits}", [(f"<{width} x i{bits}>", words)]))
        return self.define(f"icmp ne i{bits} {every}, 0")

    def intrinsic(self, name: str, result: str, args: list[tuple[str, str]], flags: str = "") -> str:
        """Text of a call, its declaration noted."""
        self.declared[name] = f"declare {result} @{name}({', '.join(t for t, _ in args)})"
        return f"call {flags}{result} @{name}({', '.join(f'{t} {a}' for t, a in args)})"

    def seldom(self, asked: str, kind: str, usual: str, compute: Callable[[], str]) -> str:
        """The text of a value that is `usual`, but where a bit asks for it what lines written by `compute`
        make of it: a branch that is hardly ever taken."""
        before, computed, after = (self.label() for _ in range(3))
        self.line(f"br label %{before}")
        self.lines.append(f"{before}:")
        self.line(f"br i1 {asked}, label %{computed}, label %{after}, !prof !0")
        self.declared["!0"] = _RARELY
        self.lines.append(f"{computed}:")
        exact = compute()
        self.line(f"br label %{after}")
        self.lines.append(f"{after}:")
        return f"phi {kind} [ {usual}, %{before} ], [ {exact}, %{computed} ]"

    @abstractmethod
    def function(self, name: str, made: Callable[[Node], Node], dtype: DType, width: int) -> str:
        """The text of a function from a vector to one of the same type, which is seldom called."""

    def addend(self, constant: str, kind: str, nbytes: int) -> str:
        """A constant vector, read from memory each time.

        NEON's fmla adds to a register that it overwrites. LLVM keeps the constants of a polynomial in
        registers and copies one for each addition, in the two pipes that multiply; a load has its own. So
        that it loads, each round of a loop asks where the constants are. On a Neoverse N1 exp takes 0.9 of
        the time, tanh 0.84, erf 0.87.
        """
        if self.addends_at is None:
            start = self.define(f"load volatile i64, ptr @{self.name}.start, align 8")
            self.addends_at = self.define(f"getelementptr i8, ptr @{self.name}.addends, i64 {start}")
        vector = f"{kind} {constant}"
        if vector not in self.addends:
            self.addends[vector] = self.addend_bytes
            self.addend_bytes += nbytes
        place = self.define(f"getelementptr i8, ptr {self.addends_at}, i64 {self.addends[vector]}")
        return self.define(f"load {kind}, ptr {place}, align 16")

    def addend_table(self) -> str:
        """The memory of such constants, and the byte they start at."""
        if not self.addends:
            return ""
        kinds = ", ".join(vector.split(" splat", 1)[0] for vector in self.addends)
        table = f"private constant <{{ {kinds} }}> <{{ {', '.join(self.addends)} }}>, align 64"
        return f"@{self.name}.addends = {table}\n@{self.name}.start = private constant i64 0, align 8\n"

    def ref(self, value: Value) -> str:
        if not value.is_literal:
            return f"%v{value.number}"
        return lanes_of(value.literal, value.dtype, value.width)

    def assign(self, item: Instruction, text: str) -> None:
        self.line(f"%v{item.made.number} = {text}")
