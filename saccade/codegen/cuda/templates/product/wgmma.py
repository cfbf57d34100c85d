"""Matrix products on Hopper: a warpgroup of 128 threads multiplies tiles that lie in shared memory.

The tile of the result is 128 x BN, 64 rows for each of two warpgroups, or 64 x BN, half of the columns for
each; their sums are in registers. Factors come as in `product.source`, in steps of 128 bytes along k, and lie
where the instruction looks for them: rows of 128 bytes, chunk c of row r at c ^ (r & 7), eight rows in a
piece of 1024 bytes (its 128-byte swizzle). For halves:

    along k    row = m or n, 64 elements of k; the next eight rows are 1024 bytes on
    across     row = k, 64 elements of m or n; the next eight k are 1024 bytes on, the next 64 elements a
               panel of 64 rows on

Eight-bit floats are summed by the tensor cores with fewer bits than float32 has: what two steps come to is
added to the sum by ordinary additions (IN_PARTS).

The products of a step run while later ones are copied: at step s the products of s - 1 may still run, so what
is overwritten is the tile of s - 2, which every thread knows to be done with. Waiting for those of s - 1
instead, to have one more tile on its way, takes a second barrier and was slower (1.57 -> 1.73 ms for 8192
cubed).

A block makes one tile of the result after the other, as many blocks as the card runs at once: the first
copies for the next tile are on their way while one is written (0.46 -> 0.42 ms for a 3x3 convolution of 256
channels)."""

from __future__ import annotations

from typing import Final

from .matrix import WRITE_RUNS
from .text import FILLING

WGMMA_PRELUDE: Final = r"""
DEVICE void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> DEVICE void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
// what ordinary and asynchronous copies wrote is seen by the tensor cores
DEVICE void written_for_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// the rows of four matrices of 8 x 8, as `load_matrices` reads them
DEVICE void store_matrices(void *row, const u32 (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               ::"r"(shared_address(row)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
}
"""

#: Where a tile is, for the tensor cores: its address, the distances to the next panel and the next eight
#: rows, and the kind of swizzle.
DESCRIPTOR: Final = r"""
DEVICE u64 tile_descriptor(const void *tile, u32 panel_bytes) {
  const u64 address = (u64)(shared_address(tile) >> 4 & 0x3fffu);
  return address | (u64)(panel_bytes >> 4) << 16 | (u64)(1024 >> 4) << 32 | 1ull << 62;
}
"""


def wgmma_prelude(kinds: tuple[str, str], columns: int, a_along_k: bool, b_along_k: bool) -> str:
    """The functions for a tile of 64 x `columns` and types such as "f16": `multiply_tiles(sums, a, b, kept)`
    adds a product over 32 bytes of k to the sums, or to 0 where they are not kept."""
    size = {"f16": 2, "bf16": 2, "tf32": 4}.get(kinds[0], 1)
    total, constraint, signs = ("s32", "r", "") if kinds[0] in ("s8", "u8") else ("f32", "f", ", 1, 1")
    turned = f", {int(not a_along_k)}, {int(not b_along_k)}" if size == 2 else ""
    count = columns // 2
    registers = ", ".join(f"%{i}" for i in range(count))
    operands = ", ".join(f'"+{constraint}"(sum[{i}])' for i in range(count))
    return "\n".join(
        [
            WGMMA_PRELUDE,
            DESCRIPTOR,
            WRITE_RUNS,
            f"DEVICE void multiply_tiles(Sum (&sum)[{count}], u64 a, u64 b, int kept) {{",
            f'  asm volatile("{{ .reg .pred kept; setp.ne.b32 kept, %{count + 2}, 0;"',
            f'    " wgmma.mma_async.sync.aligned.m64n{columns}k{32 // size}.{total}.{kinds[0]}.{kinds[1]} "',
            f'    "{{{registers}}}, %{count}, %{count + 1}, kept{signs}{turned}; }}"',
            f'    : {operands} : "l"(a), "l"(b), "r"(kept));',
            "}",
        ]
    )


#: A warp gives its 16 rows of a tile back: as halves through shared memory, in whole lines, or as they lie.
GIVE_BACK: Final = r"""#if EXCHANGED
      write_halves(sum, lane, pieces + warp * 1024, [&](i32 row, i32 column, Vec<Given, 8> run) {
        put_lanes(z, m + row, n + column, run);
      });
#elif BY_LINES
      Sum *const lines = reinterpret_cast<Sum *>(pieces) + warp * 8 * (32 + LINE_PAD);
      write_lines<32 + LINE_PAD>(sum, lines, lane, [&](i32 row, i32 column, Vec<Sum, 1> one) {
        put_lanes(z, m + row, n + column, one);
      });
#else
      const auto put_at = [&](i32 half, i32 column, Vec<Sum, LANES> run) {
        put_lanes(z, m + lane / 4 + half * 8, n + column, run);
      };
      if constexpr (LANES == 8) write_runs(sum, lane, put_at); else write_pairs(sum, lane, put_at);
#endif
"""

WARPGROUPS: Final = (
    r"""
  Word *const tiles = reinterpret_cast<Word *>(reinterpret_cast<u8 *>(shared_memory) +
      (1024 - (shared_address(shared_memory) & 1023)) % 1024);
"""
    + FILLING
    + r"""
  Place place;
  // the first copies for a tile of the result; what is computed is fetched a step ahead
  const auto begin = [&](i32 tile) {
    place = place_of(tile);
    find_rows(place);
    for (int stage = 0; stage < STAGES - 2; ++stage) {
      if (stage < STEPS) { copy(stage, stage); fetch(place, stage); keep(place, stage, stage); }
      copies_commit();
    }
    if (STAGES - 2 < STEPS) fetch(place, STAGES - 2);
  };
  // two warpgroups one above the other, or side by side where 64 rows are all there are
  constexpr int COLUMNS = BM == 64 ? BN / 2 : BN;
  const int lane = thread % 32, warp = thread / 32, warpgroup = warp / 4;
  const int above = BM == 64 ? 0 : warpgroup, beside = BM == 64 ? warpgroup : 0;
  // the products of a step, and the copies for a later one; those of the step before may still run
  const auto multiply = [&](i32 step, Sum (&into)[COLUMNS / 2], bool kept) {
    copies_wait<STAGES - 3>();
    written_for_products();
    if (!IN_PARTS) products_wait<1>();
    __syncthreads();
    const i32 stage = step % STAGES;
    const u64 a = tile_descriptor(tile_a(stage) + above * 64 * BK, 16);
    const u64 b = tile_descriptor(tile_b(stage) + beside * COLUMNS * BK, B_ALONG_K ? 16 : 128 * BK);
    products_begin();
#pragma unroll
    for (int k = 0; k < BK / (2 * CHUNK); ++k)
      multiply_tiles(into, a + k * (A_ALONG_K ? 2 : 128), b + k * (B_ALONG_K ? 2 : 128), kept || k);
    products_commit();
    const i32 next = step + STAGES - 2;
    if (next < STEPS) { copy(next, next % STAGES); keep(place, next, next % STAGES); }
    copies_commit();
    if (next + 1 < STEPS) fetch(place, next + 1);
  };
  begin((i32)(u32)blockIdx.x);
  for (i32 tile = (i32)(u32)blockIdx.x;; tile += GRID) {
    Sum sum[COLUMNS / 2] = {};
#if IN_PARTS
    for (i32 step = 0; step < STEPS; step += 2) {
      Sum part[COLUMNS / 2];
      multiply(step, part, false);
      if (step + 1 < STEPS) multiply(step + 1, part, true);
      products_wait<0>();
#pragma unroll
      for (int i = 0; i < COLUMNS / 2; ++i) sum[i] += part[i];
    }
#else
    for (i32 step = 0; step < STEPS; ++step) multiply(step, sum, true);
    products_wait<0>();
#endif
    // the copies for the next tile run while this one is written
    const Place done = place;
    const bool more = tile + GRID < TILES;
    if (more) {
      __syncthreads();
      begin(tile + GRID);
    }
    const i32 z = done.z, m = done.m + above * 64 + warp % 4 * 16, n = done.n + beside * COLUMNS;
    u16 *const pieces = reinterpret_cast<u16 *>(tiles + STAGES * (BM + BN) * BK);
"""
    + GIVE_BACK
    + r"""
    if (!more) break;
  }
"""
)
