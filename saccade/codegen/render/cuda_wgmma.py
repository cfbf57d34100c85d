"""Matrix products on Hopper: a warpgroup of 128 threads multiplies tiles that lie in shared memory.

The tile of the result is 128 x BN, 64 rows for each of two warpgroups, or 64 x BN, half of the columns for
each; their sums are in registers. Factors come
as in `cuda_product`, in steps of 64 along k, and lie where the instruction looks for them: rows of 128 bytes,
chunk c of row r at c ^ (r & 7), eight rows in a piece of 1024 bytes (its 128-byte swizzle).

    along k    row = m or n, 64 elements of k; the next eight rows are 1024 bytes on
    across     row = k, 64 elements of m or n; the next eight k are 1024 bytes on, the next 64 elements a
               panel of 64 rows on

Eight-bit floats are summed by the tensor cores with fewer bits than float32 has: what two steps come to is
added to the sum by ordinary additions (IN_PARTS).

The products of a step run while the next ones are copied: at step s the products of s - 1 may still run, so
what is overwritten is the tile of s - 2, which every thread knows to be done with. A block makes one tile of
the result after the other, as many blocks as the card runs at once: the first copies for the next tile are on
their way while a tile is written, where a block of its own would begin with waiting for them (7 us of 33 for
a convolution with sums of 2304)."""

from __future__ import annotations

from typing import Final

WGMMA_PRELUDE: Final = r"""
DEVICE void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> DEVICE void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
// what ordinary and asynchronous copies wrote is seen by the tensor cores
DEVICE void written_for_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
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
            f"DEVICE void multiply_tiles(Sum (&sum)[{count}], u64 a, u64 b, int kept) {{",
            f'  asm volatile("{{ .reg .pred kept; setp.ne.b32 kept, %{count + 2}, 0;"',
            f'    " wgmma.mma_async.sync.aligned.m64n{columns}k{32 // size}.{total}.{kinds[0]}.{kinds[1]} "',
            f'    "{{{registers}}}, %{count}, %{count + 1}, kept{signs}{turned}; }}"',
            f'    : {operands} : "l"(a), "l"(b), "r"(kept));',
            "}",
        ]
    )


WARPGROUPS: Final = r"""
  constexpr int A_ROW = (A_ALONG_K ? BK : BM) / CHUNK, B_ROW = (B_ALONG_K ? BK : BN) / CHUNK;
  constexpr int A_MINE = BM * BK / CHUNK / THREADS, B_MINE = BN * BK / CHUNK / THREADS;
#if A_COPIED
  decltype(row_A(0, 0)) rows_a[A_MINE];
  u32 there_a;
#else
  Vec<Word, CHUNK> held_a[A_MINE];
#endif
#if B_COPIED
  decltype(row_B(0, 0)) rows_b[B_MINE];
  u32 there_b;
#else
  Vec<Word, CHUNK> held_b[B_MINE];
#endif
  Word *const tiles = reinterpret_cast<Word *>(reinterpret_cast<u8 *>(shared_memory) +
      (1024 - (shared_address(shared_memory) & 1023)) % 1024);
  const auto tile_a = [&](i32 stage) { return tiles + stage * (BM + BN) * BK; };
  const auto tile_b = [&](i32 stage) { return tiles + stage * (BM + BN) * BK + BM * BK; };
  // chunks of a step are numbered row by row; neighbouring threads take neighbours, or the same of other rows
  const auto chunk_of_a = [&](int i) {
    const int id = thread + i * THREADS;
    return A_ROWS_FIRST ? id % BM * A_ROW + id / BM : id;
  };
  const auto chunk_of_b = [&](int i) {
    const int id = thread + i * THREADS;
    return B_ROWS_FIRST ? id % BN * B_ROW + id / BN : id;
  };
  const auto place_a = [&](i32 stage, int id) {
    const int row = id / A_ROW, c = id % A_ROW;
    return tile_a(stage) + (A_ALONG_K ? 0 : c / 8 * 64 * BK) + swizzled<8>(row, c % 8) * CHUNK;
  };
  const auto place_b = [&](i32 stage, int id) {
    const int row = id / B_ROW, c = id % B_ROW;
    return tile_b(stage) + (B_ALONG_K ? 0 : c / 8 * 64 * BK) + swizzled<8>(row, c % 8) * CHUNK;
  };
  // what is copied goes to its place at once; what is computed is fetched a step earlier, to be there by then
  const auto copy = [&](i32 step, i32 stage) {
#if A_COPIED
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int id = thread + i * THREADS, c = id % A_ROW;
      const i32 k = step * BK + (A_ALONG_K ? c * CHUNK : id / A_ROW);
      copy_async(place_a(stage, id), start_A + rows_a[i] + step_A(place_along<A_ALONG_K>(k)),
          inside(k) && (M % BM == 0 || there_a >> i & 1));
    }
#endif
#if B_COPIED
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int id = thread + i * THREADS, c = id % B_ROW;
      const i32 k = step * BK + (B_ALONG_K ? c * CHUNK : id / B_ROW);
      copy_async(place_b(stage, id), start_B + rows_b[i] + step_B(place_along<B_ALONG_K>(k)),
          inside(k) && (N % BN == 0 || there_b >> i & 1));
    }
#endif
  };
  Place place;
  const auto fetch = [&](i32 step) {
#if !A_COPIED
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int row = chunk_of_a(i) / A_ROW, c = chunk_of_a(i) % A_ROW;
      const i32 k = step * BK + (A_ALONG_K ? c * CHUNK : row);
      const i32 m = row_of<A_ALONG_K>(place.m, A_ALONG_K ? row : c, M);
      held_a[i] = Vec<Word, CHUNK>{};
      if (inside(k)) held_a[i] = A_ALONG_K ? chunk_A(place.z, m, k / CHUNK) : chunk_A(place.z, k, m);
    }
#endif
#if !B_COPIED
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int row = chunk_of_b(i) / B_ROW, c = chunk_of_b(i) % B_ROW;
      const i32 k = step * BK + (B_ALONG_K ? c * CHUNK : row);
      const i32 n = row_of<B_ALONG_K>(place.n, B_ALONG_K ? row : c, N);
      held_b[i] = Vec<Word, CHUNK>{};
      if (inside(k)) held_b[i] = B_ALONG_K ? chunk_B(place.z, n, k / CHUNK) : chunk_B(place.z, k, n);
    }
#endif
  };
  const auto keep = [&](i32 stage) {
#if !A_COPIED
#pragma unroll
    for (int i = 0; i < A_MINE; ++i)
      *reinterpret_cast<Vec<Word, CHUNK> *>(place_a(stage, chunk_of_a(i))) = held_a[i];
#endif
#if !B_COPIED
#pragma unroll
    for (int i = 0; i < B_MINE; ++i)
      *reinterpret_cast<Vec<Word, CHUNK> *>(place_b(stage, chunk_of_b(i))) = held_b[i];
#endif
  };
  // the first copies for a tile of the result
  const auto begin = [&](i32 tile) {
    place = place_of(tile);
#if A_COPIED
    there_a = 0;
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int id = thread + i * THREADS, mine = A_ALONG_K ? id / A_ROW : id % A_ROW;
      rows_a[i] = row_A(place.z, row_of<A_ALONG_K>(place.m, mine, M));
      there_a |= (u32)is_row<A_ALONG_K>(place.m, mine, M) << i;
    }
#endif
#if B_COPIED
    there_b = 0;
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int id = thread + i * THREADS, mine = B_ALONG_K ? id / B_ROW : id % B_ROW;
      rows_b[i] = row_B(place.z, row_of<B_ALONG_K>(place.n, mine, N));
      there_b |= (u32)is_row<B_ALONG_K>(place.n, mine, N) << i;
    }
#endif
    for (int stage = 0; stage < STAGES - 2; ++stage) {
      if (stage < STEPS) { copy(stage, stage); fetch(stage); keep(stage); }
      copies_commit();
    }
    if (STAGES - 2 < STEPS) fetch(STAGES - 2);
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
    if (next < STEPS) { copy(next, next % STAGES); keep(next % STAGES); }
    copies_commit();
    if (next + 1 < STEPS) fetch(next + 1);
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
    // four lanes have eight neighbours of a row between them: they swap until each has all of another run
    const int quarter = lane % 4;
    const i32 m = done.m + above * 64 + warp % 4 * 16 + lane / 4, n = done.n + beside * COLUMNS;
#pragma unroll
    for (int j = 0; j < COLUMNS / 8; j += 4)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        Sum run[4][2];
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int e = 0; e < 2; ++e) run[i][e] = sum[(j + i) * 4 + half * 2 + e];
#pragma unroll
        for (int distance = 2; distance > 0; distance /= 2)
#pragma unroll
          for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int e = 0; e < 2; ++e) {
              if (i & distance) continue;
              Sum &low = run[i][e], &high = run[i + distance][e];
              const bool upper = quarter & distance;
              const Sum other = shuffle_xor(upper ? low : high, distance);
              if (upper) low = other; else high = other;
            }
        put_lanes(done.z, m + half * 8, n + (j + quarter) * 8, {{run[0][0], run[0][1], run[1][0],
            run[1][1], run[2][0], run[2][1], run[3][0], run[3][1]}});
      }
    if (!more) break;
  }
"""
