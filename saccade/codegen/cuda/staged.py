"""Small loads of a packed factor, such as scales, whose rows a block copies to shared memory beforehand.

    scale[n, k / 32], 4 bytes for a lane and step      a block copies rows n of all its k, once

A load of a warp takes a cycle of the load pipe for every line that it meets, however little it wants of it:
eight rows of four bytes cost as much as eight of 16. Copied row by row the same bytes come in whole lines,
and a lane finds them in shared memory. On an H200, 8B shapes in Q4_K, 32 rows: 3.419 -> 3.184 ms; 8 layers
and the head 1.032 -> 0.942, of 12 rows 0.828 -> 0.769, of 64 1.924 -> 1.670.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from ...graph.dtypes import DType
from ...graph.kernels.kernel import UNROLL, range_size
from ...graph.node import Node, index_const, make
from ...graph.ops import Op
from ...graph.param import Param
from ...graph.rules.symbolic import affine, bounds, simplify
from ..linear.gpu.code import NO_BUFFER
from .renderer import type_name

#: bytes of a word that is copied, of a lane's load that is small, and of a row that is short
WORD: Final = 4
SMALL_BYTES: Final = 8
ROW_BYTES: Final = 512
#: words of shared memory that rows are a multiple of, and what they are beyond one
_BANKS, _BEYOND = 8, 4
#: places of memories in shared memory among those that are no buffers
_FIRST: Final = NO_BUFFER - 64


@dataclass(frozen=True)
class Staged:
    """Rows in shared memory: of which buffer, where row m of batch z begins there (`start`, an expression
    over given indices), and how many words a row has."""

    number: int
    slot: int
    dtype: DType
    start: Node
    words: int

    @property
    def memory(self) -> int:
        """The slot of the memory without a buffer that stands for them."""
        return _FIRST - self.number

    @property
    def pitch(self) -> int:
        """Words from one row to the next: eight rows, four words of each, are in different banks."""
        return self.words + (_BEYOND - self.words) % _BANKS


def with_staged(made: Node, loads: list[Node], along: int) -> tuple[Node, tuple[Staged, ...]]:
    """A factor with its small loads from rows in shared memory, and these rows; `along` is the number of the
    given index along k, and the elements of a lane are unrolled."""
    found: dict[Node, Node] = {}
    rows: list[Staged] = []
    for load in loads:
        if len(load.src) != 2 or load.src[0].op is not Op.PARAM:
            continue
        parts = _parted(load.src[1], along)
        if parts is None:
            continue
        start, rest = parts
        lanes = prod([range_size(r) for r in rest.ranges if r.arg.kind == UNROLL])
        least, most = bounds(rest)
        size, length = load.dtype.itemsize, int(most) + 1
        terms, constant = affine(start)
        whole = all(each * size % WORD == 0 for each in (length, constant, *terms.values()))
        if least != 0 or not whole or lanes * size > SMALL_BYTES or length * size > ROW_BYTES:
            continue
        memory = make(Op.PARAM, load.dtype, (), Param(_FIRST - len(rows), length))
        found[load] = make(Op.LOAD, load.dtype, (memory, rest))
        rows.append(Staged(len(rows), load.src[0].arg.slot, load.dtype, start, length * size // WORD))
    return (made.substitute(found) if found else made), tuple(rows)


def _parted(index: Node, along: int) -> tuple[Node, Node] | None:
    """Where a row begins, and how far along it a place is; None where one depends on the other."""
    terms, constant = affine(simplify(index))
    start, rest = index_const(constant), index_const(0)
    for term, coefficient in terms.items():
        own = [r.arg.number == along or r.arg.kind == UNROLL for r in term.ranges]
        if any(own) != all(own):
            return None
        if any(own):
            rest = rest + term * coefficient
        else:
            start = start + term * coefficient
    return simplify(start), simplify(rest)


def rows_text(name: str, rows: tuple[Staged, ...], first: int, columns: int) -> str:
    """`row_of_X0(n)`, ...: row n of a factor in shared memory, where `columns` rows lie behind so many
    bytes."""
    lines = []
    for each in rows:
        kind, step = type_name(each.dtype), each.pitch * WORD // each.dtype.itemsize
        start = f"reinterpret_cast<u8 *>(shared_memory) + {first}"
        lines.append(
            f"  const auto row_of_{name}{each.number} = [&](i32 n) {{\n"
            f"    return reinterpret_cast<{kind} *>({start}) + (n - place.n) * {step};\n  }};"
        )
        first += each.pitch * WORD * columns
    return "\n".join(lines)


def copies_text(name: str, rows: tuple[Staged, ...]) -> str:
    """`copy_rows_X()`, which copies the rows of a block, as part of its next group of asynchronous copies."""
    lines = []
    for each in rows:
        place = (
            f"{name}{each.number}(row), *const from = p{each.slot} + start_{name}{each.number}(place.z, row)"
        )
        text = COPY_ROWS.replace("@KIND", type_name(each.dtype)).replace("@PLACES", place)
        lines.append(text.replace("@WORDS", str(each.words)))
    return "\n".join([f"  const auto copy_rows_{name} = [&]() {{", *lines, "  };"])


def row_bytes(rows: tuple[Staged, ...]) -> int:
    """Bytes of shared memory for each row."""
    return sum(each.pitch for each in rows) * WORD


COPY_ROWS: Final = r"""
    for (int id = thread; id < BN * @WORDS; id += THREADS) {
      const i32 row = least<i32>(place.n + id / @WORDS, N - 1), word = id % @WORDS;
      @KIND *const to = row_of_@PLACES;
      copy_word_async(reinterpret_cast<u32 *>(to) + word, reinterpret_cast<const u32 *>(from) + word, true);
    }"""
