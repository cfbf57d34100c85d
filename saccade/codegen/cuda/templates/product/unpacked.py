"""Few rows times a packed matrix: each lane unpacks words straight into the tensor cores' fragments.

    out[m, n] = sum over k of A[m, k] * B[n, k]         m at most 64, the rows of A; B: four-bit codes

The time is that of reading and unpacking B, so B never goes through shared memory: a warp has 16 rows of it
as the left factor of `mma.m16n8k16`, and A is the right one. A lane holds two rows, 8 apart, and WIDE (32 or
64) neighbours along k of each, which are a few words of codes and a scale or two. The order along k within a
step is free, as long as both factors have the same: slots 2t, 2t + 1, 2t + 8 and 2t + 9 of a fragment are
four neighbours of lane t's own, so that a fragment of A is half of one 16-byte chunk of shared memory.

A block has BN rows of B, and PARTS warps for each 16 of them, which share out k and add their sums up at the
end. Raw words are loaded AHEAD steps before they are unpacked (registers are what is in flight: 32 bytes a
lane and step), and tiles of A come by asynchronous copies STAGES - 1 steps ahead. Scales of its rows a block
copies to shared memory once (`staged.py`), before it waits for the kernel in front.

On an H200, 32 rows in Q4_K, us by one block of 128 rows of B on each processor / two of 64: 30.6 / 27.1
for 14336 x 4096, 28.5 / 24.2 for 4096 x 14336, 10.8 / 9.7 for 4096 x 4096; 16 rows 26.8 / 23.3. Words of one
more step are 0.1 to 1.6 of that, and for 64 rows they are in the way (42.4 beside 41.5).

Blocks start while the kernel in front ends and wait before they read A; the next kernel may start when
their sums are there (programmatic dependent launch). 8 layers of 8B and the head, 32 rows, ms: 1.083 without,
**1.040** so; 1.149 where the next kernel may start at once, so that its blocks take the places of those that
have not begun, and 1.129 if words are read before the wait as well."""

from __future__ import annotations

from typing import Final

from .....graph.kernels.kernel import Kernel
from .....graph.ops import Op
from .....runtime.program import Source
from ....moves.legal import IllegalMove
from ...pieces import WIDE, Factor, factor, packed_along
from ...prelude import COMMON, PRELUDE, kernel_head
from ...renderer import pointer
from ...scaled_bytes import PAIRS_PRELUDE
from ...search.moves import UNPACKERS, Card, Multiply
from ...staged import copies_text, row_bytes, rows_text
from ..template import Template
from .check import CHUNK_BYTES
from .match import Contraction, contraction_of
from .matrix import MATRIX_PRELUDE, TAGS
from .source import epilogue, fits, product_source
from .text import BLOCK, COMMON_TILES, PLACE
from .turns import DEPTH, FEW_ROWS, MOST_ROWS, columns_of

#: warps that share out k for the same rows of B, steps that words are loaded ahead, and floats between rows
#: of the sums in shared memory beside their own
PARTS: Final = 2
AHEAD: Final = 2
PADDING: Final = 4
#: rows of A in a tile, stages, and the fewest rows of B that are worth blocks
ROWS: Final = (16, FEW_ROWS, MOST_ROWS)
STAGES: Final = 4
#: bytes of shared memory that a block takes besides its own
RESERVED: Final = 1024
FEWEST: Final = 256

UNPACKED: Final = r"""
  Word *const tiles = reinterpret_cast<Word *>(shared_memory);
  constexpr int ROW = BK / CHUNK, PITCH = BN + PADDING, OWN = WIDE / CHUNK;
  // the eight lanes that read a chunk together have two rows and four chunks OWN apart: they meet eight
  // different groups of banks
  const auto chunk_at = [&](i32 stage, int row, int c) {
    const int other = OWN == 8 ? c >> 2 & 6 : c >> 2 & 2;
    return tiles + stage * (BM * BK) + (row * ROW + (c ^ (row & 1) ^ other)) * CHUNK;
  };
  // a thread has a chunk of every STRIDE-th row, at constant distances; all rows are in one tile
  constexpr int STRIDE = THREADS / ROW;
  static_assert(THREADS % ROW == 0, "threads share out rows");
  @PLACE_A
  const auto fill = [&](i32 step, i32 stage) {
#pragma unroll
    for (int i = 0; i < BM; i += STRIDE) {
      const int row = i + thread / ROW;
      if (i + STRIDE > BM && row >= BM) break;
      copy_async(chunk_at(stage, row, thread % ROW), place_A(i, step), M == BM || row < M);
    }
  };
  const int lane = thread % 32, warp = thread / 32, part = warp / (BN / 16), quarter = lane % 4;
  const int mine = warp % (BN / 16) * 16 + lane / 4;
  const i32 n[2] = {least<i32>(place.n + mine, N - 1), least<i32>(place.n + mine + 8, N - 1)};
  const auto chunk_of = [&](i32 step) { return (step * PARTS + part) * 4 + quarter; };
  RawB held[AHEAD][2];
  const auto fetch = [&](RawB (&to)[2], i32 step) {
    to[0] = load_B(place.z, n[0], chunk_of(step));
    to[1] = load_B(place.z, n[1], chunk_of(step));
  };
  Sum sum[BM / 8][4] = {};
  copy_rows_B();
  follow();
#pragma unroll
  for (int i = 0; i < AHEAD; ++i)
    if (i < STEPS) fetch(held[i], i);
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < STEPS) fill(stage, stage);
    copies_commit();
  }
  for (i32 first = 0; first < STEPS; first += AHEAD)
#pragma unroll
    for (int i = 0; i < AHEAD; ++i) {
      const i32 step = first + i, next = step + STAGES - 1;
      if (step >= STEPS) break;
      copies_wait<STAGES - 2>();
      __syncthreads();
      if (next < STEPS) fill(next, next % STAGES);
      copies_commit();
      // half of them at a time where they are 64, so that few registers hold what is unpacked
#pragma unroll
      for (int from = 0; from < OWN; from += 4) {
        const Vec<u32, WIDE / 2> above = pairs_B(held[i][0], place.z, n[0], chunk_of(step));
        const Vec<u32, WIDE / 2> below = pairs_B(held[i][1], place.z, n[1], chunk_of(step));
#pragma unroll
        for (int c = from; c < from + 4; ++c) {
          uint4 right[BM / 8];
#pragma unroll
          for (int j = 0; j < BM / 8; ++j)
            right[j] = *reinterpret_cast<const uint4 *>(
                chunk_at(step % STAGES, j * 8 + lane / 4, (part * 4 + quarter) * OWN + c));
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const int at = c * CHUNK / 2 + half * 2;
            const u32 left[4] = {above.at[at], below.at[at], above.at[at + 1], below.at[at + 1]};
#pragma unroll
            for (int j = 0; j < BM / 8; ++j) {
              const u32 rights[2] = {half ? right[j].z : right[j].x, half ? right[j].w : right[j].y};
              multiply_add(ElementB(), ElementA(), sum[j], left, rights);
            }
          }
        }
      }
      if (step + AHEAD < STEPS) fetch(held[i], step + AHEAD);
    }
  begin_next();
  // a lane has one column of the result: runs of neighbours come together in shared memory
  copies_wait<0>();
  Sum *const sums = reinterpret_cast<Sum *>(shared_memory);
  for (int p = 0; p < PARTS; ++p) {
    __syncthreads();
    if (part != p) continue;
#pragma unroll
    for (int j = 0; j < BM / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        Sum &to = sums[(j * 8 + quarter * 2 + e % 2) * PITCH + mine + e / 2 * 8];
        to = p > 0 ? to + sum[j][e] : sum[j][e];
      }
  }
  __syncthreads();
  for (int id = thread; id < BM * BN / LANES; id += THREADS) {
    const int row = id / (BN / LANES), column = id % (BN / LANES) * LANES;
    Vec<Sum, LANES> run;
#pragma unroll
    for (int e = 0; e < LANES; ++e) run.at[e] = sums[row * PITCH + column + e];
    put_lanes(place.z, place.m + row, place.n + column, run);
  }
"""


def unpacked_of(kernel: Kernel) -> Contraction | None:
    """The kernel as a product of few rows with a matrix of which several numbers lie in a word."""
    c = contraction_of(kernel)
    if c is None or c.types[0].itemsize != 2 or c.types[0] is not c.types[1]:
        return None
    if c.size(c.m) > ROWS[-1] or c.size(c.k) % DEPTH or c.size(c.n) < FEWEST or c.step is not None:
        return None
    if packed_along(c.b, c.k) is None:
        return None
    a = factor("A", c.a, c, c.m, c.types[0], True)
    return c if a.copied and a.along_k else None


def unpacked_source(
    kernel: Kernel, c: Contraction, name: str, card: Card, move: Multiply | None = None
) -> tuple[Source, Multiply]:
    """The source of such a product; other moves are those of any product."""
    if move is not None and move.by != UNPACKERS:
        return product_source(kernel, c, name, card, move)
    big_m, big_n, big_k, batches = (c.size(x) for x in (c.m, c.n, c.k, c.z))
    rows = next(n for n in ROWS if big_m <= n)
    chosen = move or _tile(rows, big_n, big_k, batches, card, row_bytes(_packed(c, 2 * WIDE).staged))
    _require(chosen, rows, big_k, card)
    columns, depth, stages = chosen.columns, chosen.depth, chosen.stages
    wide = _wide(chosen)
    parts, ahead = depth // (4 * wide), AHEAD if rows > FEW_ROWS or wide > WIDE else AHEAD + 1
    threads = columns // 16 * 32 * parts
    a = factor("A", c.a, c, c.m, c.types[0], True)
    b = _packed(c, wide)
    if _shared(chosen, row_bytes(b.staged)) > _room(chosen.together, card):
        b = _packed(c, wide, stages=False)
    # which come through the read-only cache: nobody may write there while blocks of this kernel wait
    weights = {n.src[0].arg.slot for n in c.b.toposort() if n.op is Op.LOAD and n.src[0].op is Op.PARAM}
    lanes = 4 if fits(c, 4) else 1
    tiles_n = -(-big_n // columns)
    grid = tiles_n * batches
    constants = {
        "BM": rows, "BN": columns, "BK": depth, "STAGES": stages, "CHUNK": CHUNK_BYTES // 2,
        "M": big_m, "N": big_n, "K": big_k, "STEPS": big_k // depth, "TILES_M": 1, "TILES_N": tiles_n,
        "THREADS": threads, "LANES": lanes, "WIDE": wide, "PARTS": parts, "AHEAD": ahead, "PADDING": PADDING,
    }  # fmt: skip
    tag = TAGS[c.types[0]]
    head = ["typedef u16 Word;", "typedef f32 Sum;", f"typedef {tag} ElementA;", f"typedef {tag} ElementB;"]
    head += [f"#define {key} {value}" for key, value in constants.items()]
    pointers = "\n".join(pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params))
    text = "\n".join(
        [
            PRELUDE, COMMON, MATRIX_PRELUDE, PAIRS_PRELUDE, *head, COMMON_TILES,
            kernel_head(name, len(kernel.params), threads, chosen.together),
            pointers, a.text, epilogue(c, lanes, early=True), BLOCK, PLACE,
            rows_text("B", b.staged, rows * depth * 2 * stages, columns), b.text, copies_text("B", b.staged),
            UNPACKED.replace("@PLACE_A", _place_a(a)), "}", "",
        ]
    )  # fmt: skip
    source = Source(
        name, text, tasks=grid, params=len(kernel.params), grid=grid, block=threads,
        shared=_shared(chosen, row_bytes(b.staged)), settled=tuple(sorted(weights)),
    )  # fmt: skip
    return source, chosen


def _packed(c: Contraction, wide: int, stages: bool = True) -> Factor:
    """B, of which a lane has so many neighbours along k of a row, with its small loads from shared memory."""
    return factor("B", c.b, c, c.n, c.types[1], True, wide=wide, stages=stages)


def _place_a(a: Factor) -> str:
    """`place_A(i, step)`: where the chunk lies that a thread has of the i-th row behind its first. In a
    matrix the distances of rows and steps are constants, and the instructions hold them."""
    if a.box is None:
        row, along = (
            "row_A(place.z, least<i32>(thread / ROW + i, M - 1))",
            "step_A(step * ROW + thread % ROW)",
        )
        return f"const auto place_A = [&](int i, i32 step) {{ return start_A + {row} + {along}; }};"
    first = f"{a.box.first} + (i64)place.z * {a.box.batch} + (i64)(thread / ROW) * {a.box.row}"
    return f"""const Word *const first_A = start_A + {first} + thread % ROW * CHUNK;
  const auto place_A = [&](int i, i32 step) {{ return first_A + (i64)i * {a.box.row} + step * BK; }};"""


def _tile(rows: int, big_n: int, big_k: int, batches: int, card: Card, beside: int) -> Multiply:
    """Two blocks of 64 rows of B on a processor, where registers and shared memory allow it, or one of 128:
    one reads what it begins with while the other multiplies; fewer where turns are fuller then (`turns`).
    Lanes of the two have 64 neighbours. Tiles leave `beside` bytes for each row of B, if two of them do."""
    together = 2 if rows <= FEW_ROWS and card.shared >= 4 * rows * DEPTH * 2 else 1
    columns = columns_of(big_n, batches, together, card.processors)
    wide = 2 * DEPTH if together == 2 and big_k % (2 * DEPTH) == 0 else DEPTH
    for depth, less in ((wide, beside), (wide, 0), (DEPTH, 0)):
        room = (_room(together, card) - less * columns) // (rows * depth * 2)
        if room >= 2:
            break
    return Multiply(UNPACKERS, rows, columns, depth, max(2, min(STAGES, room)), together)


def _room(together: int, card: Card) -> int:
    """Bytes of shared memory for each of so many blocks on a processor, with what it takes besides."""
    return (card.shared + RESERVED) // together - RESERVED


def _wide(move: Multiply) -> int:
    """Neighbours along k that a lane has of each row: with 64 of them it reads 32 bytes side by side, and two
    scales at once."""
    return 2 * WIDE if move.rows <= FEW_ROWS and move.depth % (2 * DEPTH) == 0 else WIDE


def _shared(move: Multiply, beside: int) -> int:
    """Bytes of shared memory: tiles of A and rows of B beside them, and later the sums."""
    tiles = move.rows * move.depth * 2 * move.stages + beside * move.columns
    return max(tiles, move.rows * (move.columns + PADDING) * 4)


def _require(move: Multiply, rows: int, big_k: int, card: Card) -> None:
    if move.rows != rows or move.columns % 16 or not 16 <= move.columns <= 128:
        raise IllegalMove(f"{move}: a tile of {rows} rows and 16 to 128 columns is unpacked")
    if move.depth < 4 * WIDE or move.depth % (4 * WIDE) or big_k % move.depth:
        raise IllegalMove(f"{move}: warps share out the sum of {big_k}, {4 * WIDE} at a time")
    if move.columns * move.depth > 1024 * 2 * _wide(move):
        raise IllegalMove(f"{move} is more than 1024 threads")
    if move.stages < 2 or _shared(move, 0) > _room(move.together, card):
        raise IllegalMove(f"{move} takes two stages or more, and a block has {card.shared} bytes for them")


UNPACKING: Final = Template("a product with a packed matrix", unpacked_of, unpacked_source, Multiply)
