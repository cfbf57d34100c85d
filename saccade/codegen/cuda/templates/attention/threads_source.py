"""Attention in float32: the choice of its tiles, and its kernel around the texts of `threads`.

thread_source(kernel, attention_of(kernel), name, card)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from .....graph import dtypes
from .....graph.kernels.kernel import Kernel, range_size
from .....runtime.program import Source
from ....moves.legal import IllegalMove
from ...pieces import Factor, factor
from ...prelude import COMMON, PRELUDE, kernel_head
from ...renderer import address, literal, pointer
from ...search.moves import THREADS, Attend, Card
from ..product.check import CHUNK_BYTES
from ..product.matrix import MATRIX_PRELUDE
from ..product.source import epilogue
from .join import JOIN, JOINERS, STATE_BYTES
from .match import Attention
from .parts import parts_of
from .scores import chunks_text, constants_of, count_text, score_text
from .text import KEYS_OF_BLOCK, WEIGHT_PRELUDE
from .threads import BY_THREADS, CHUNKS_PRELUDE, FILL_LINES, PART_ROWS, WHOLE_ROWS

#: elements of a chunk, and rows of a strip: four lanes of four rows
CHUNK: Final = CHUNK_BYTES // 4
STRIP: Final = 16
#: lanes side by side, each with every eighth of the keys and of the columns
EIGHT: Final = 8
#: words that a line of weights is longer than its keys: four rows are in different banks
PAD: Final = 8
#: warps of a block, and those of a processor: more would have fewer than 168 registers
WARPS: Final = 4
BUSY_WARPS: Final = 12
#: bytes of shared memory that a block takes besides its own
BLOCK_BYTES: Final = 1024
#: columns of a result up to which a warp has two strips of rows: with more, its sums are too many
NARROW: Final = 64
#: sums and scores that fit the registers of a thread, beside what it multiplies
MOST_SUMS: Final = 128


@dataclass(frozen=True)
class Lines:
    """Tiles of float32: `depth` and `columns` are those of the factors, in whole chunks and eights."""

    move: Attend
    depth: int
    columns: int

    @property
    def each(self) -> int:
        """Rows of a lane."""
        return 4 * self.move.strips

    @property
    def threads(self) -> int:
        return self.move.rows // (STRIP * self.move.strips) * 32

    @property
    def line(self) -> int:
        """Words of a row of queries or keys: an odd number of chunks."""
        return (self.depth // CHUNK | 1) * CHUNK

    @property
    def nbytes(self) -> int:
        move = self.move
        keys = move.stages * move.keys * (self.line + self.columns)
        return 4 * (move.rows * (self.line + move.keys + PAD) + keys)

    @property
    def sums(self) -> int:
        """Sums and scores of a thread."""
        return self.each * (self.columns + self.move.keys) // EIGHT

    def together(self, shared: int) -> int:
        """Blocks of a processor."""
        fitting = (shared + BLOCK_BYTES) // (self.nbytes + BLOCK_BYTES)
        return max(1, min(fitting, BUSY_WARPS * 32 // self.threads))


def thread_source(
    kernel: Kernel, a: Attention, name: str, card: Card, move: Attend | None = None
) -> tuple[Source, Attend]:
    """The source of a kernel that is attention in float32, and its tiles: as the move says, or chosen
    here."""
    lines = _chosen(a, card) if move is None else _lines(a, move)
    _require(a, lines, card.shared)
    move, scores, output = lines.move, a.scores, a.output
    q = factor("Q", scores.a, scores, scores.m, dtypes.float32, True)
    k = factor("K", scores.b, scores, scores.n, dtypes.float32, True)
    v = factor("V", output.b, output, output.n, dtypes.float32, True)
    own = lines.columns // EIGHT
    lanes = 4 if own % 4 == 0 else 2 if own % 2 == 0 else 1
    in_parts = move.parts > 1
    count = len(kernel.params)
    constants = _constants(a, lines, (q, k, v)) | {"LANES": lanes}
    pointers = [pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params)]
    head = kernel_head(name, count + in_parts, lines.threads, lines.together(card.shared))
    text = "\n".join(
        [
            PRELUDE, COMMON, MATRIX_PRELUDE, WEIGHT_PRELUDE,
            *(f"#define {key} {value}" for key, value in constants.items()),
            f"#define SCALE {literal(a.scale * math.log2(math.e), dtypes.float32)}",
            f"#define WORKSPACE ({address(count)})", "typedef f32 Word;\ntypedef f32 Sum;", CHUNKS_PRELUDE,
            head, *pointers, *(chunks_text(n, made) for n, made in (("Q", q), ("K", k), ("V", v))),
            count_text(a, False), score_text(a, False), epilogue(output, lanes), KEYS_OF_BLOCK, FILL_LINES,
            PART_ROWS if in_parts else WHOLE_ROWS, BY_THREADS, "}", "",
        ]
    )  # fmt: skip
    rows, workspace, join_grid = constants["BATCHES"] * constants["M"], 0, 0
    if in_parts:
        head = kernel_head(f"{name}_join", count + 1, JOINERS)
        again = f"#undef LANES\n#define LANES {EIGHT}"
        text = "\n".join([text, again, head, *pointers, epilogue(output, EIGHT), JOIN, "}", ""])
        workspace = rows * move.parts * (4 * lines.columns + STATE_BYTES)
        join_grid = -(-rows * own // JOINERS)
    grid = constants["TILES_M"] * constants["BATCHES"] * move.parts
    source = Source(
        name, text, grid, count, grid=grid, block=lines.threads, shared=lines.nbytes, workspace=workspace,
        join_grid=join_grid, join_block=JOINERS if in_parts else 0,
    )  # fmt: skip
    return source, move


def _lines(a: Attention, move: Attend) -> Lines:
    depth, columns = a.scores.size(a.scores.k), a.output.size(a.output.n)
    return Lines(move, -(-depth // CHUNK) * CHUNK, -(-columns // EIGHT) * EIGHT)


def _chosen(a: Attention, card: Card) -> Lines:
    """Two strips of rows for a warp and tiles of 32 keys, or of wide results one strip; the keys in as many
    parts as the card has room for.

    Where keys end at a count of their rows, small blocks waste less at its edge and end at different times:
    80 -> 65 us for 125 causal heads of 333, 40 wide, 348 -> 299 for 64 of 1024, 64 wide, on an H200."""
    rows, keys, columns = a.scores.size(a.scores.m), a.scores.size(a.scores.n), a.output.size(a.output.n)
    ends = a.count is not None and not a.count.ranges.isdisjoint(a.scores.m)
    strips = 2 if columns <= NARROW and not ends else 1
    warps = next(n for n in (1, 2, WARPS) if n == WARPS or n * STRIP * strips >= rows)
    widths = (64, 32, 16) if columns <= NARROW and ends else (32, 16)
    sizes = [(n * STRIP * strips, width) for n in (WARPS, 2, 1) if n <= warps for width in widths]
    made = [_lines(a, Attend(THREADS, *size, 2, strips)) for size in sizes]
    lines = next((each for each in made if each.nbytes <= card.shared), made[-1])
    blocks = -(-rows // lines.move.rows) * a.scores.size(a.scores.z)
    at_once = card.processors * lines.together(card.shared)
    parts = parts_of(blocks, -(-keys // lines.move.keys), at_once)
    return replace(lines, move=replace(lines.move, parts=parts))


def _require(a: Attention, lines: Lines, shared: int) -> None:
    """Raise IllegalMove unless the text is written for these tiles."""
    move = lines.move
    what = f"attention in float32, {move}"
    if move.by != THREADS or move.strips not in (1, 2) or not 2 <= move.stages <= 4:
        raise IllegalMove(f"{what}: threads multiply, one or two strips of 16 rows of a warp, 2 to 4 stages")
    if move.rows not in [n * STRIP * move.strips for n in (1, 2, WARPS)] or move.keys not in (16, 32, 64):
        raise IllegalMove(f"{what}: a block has 1, 2 or 4 warps, and tiles of 16, 32 or 64 keys")
    if not 1 <= move.parts <= -(-a.scores.size(a.scores.n) // move.keys):
        raise IllegalMove(f"{what}: {move.parts} parts are more than there are tiles of keys")
    if a.rows_of_one_head and range_size(a.scores.m[-1]) % move.rows:
        raise IllegalMove(f"{what}: a block whose keys end at a count must not go over several heads")
    if lines.nbytes > shared:
        raise IllegalMove(f"{what}: {lines.nbytes} bytes of shared memory, and a block has {shared}")
    if lines.sums > MOST_SUMS:
        raise IllegalMove(f"{what}: {lines.sums} sums and scores do not fit the registers of a thread")


def _constants(a: Attention, lines: Lines, factors: tuple[Factor, Factor, Factor]) -> dict[str, int]:
    """What the texts are written in terms of."""
    move, chunks = lines.move, lines.depth // CHUNK
    return constants_of(a, move, CHUNK, factors) | {
        "EACH": lines.each, "THREADS": lines.threads, "LINE": lines.line, "CHUNKS": chunks,
        "COLUMNS": lines.columns, "WEIGHTS": move.keys + PAD, "JOINERS": JOINERS,
        "STEPS": next(n for n in (4, 3, 2, 1) if chunks % n == 0),  # of the sum in one round of its loop
    }  # fmt: skip
