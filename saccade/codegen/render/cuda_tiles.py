"""The bodies of matrix products by warps and by threads: how tiles are filled, multiplied and given back.

`cuda_product` defines the sizes (BM, BN, BK, ...) and the functions these call: `row_A(z, m)` and `step_A(k)`
where a chunk of a factor is an address, `chunk_A(z, m, k)` where it is computed, `put_lanes` for results."""

from __future__ import annotations

from typing import Final

#: Where chunks lie, and which tile a block has.
COMMON_TILES: Final = r"""
// the row (or the chunk of it, where chunks run across k) of a factor, the last one for those beyond the end
template <bool ALONG_K> DEVICE i32 row_of(i32 first, i32 mine, i32 size) {
  return ALONG_K ? least<i32>(first + mine, size - 1)
      : least<i32>(first / CHUNK + mine, (size + CHUNK - 1) / CHUNK - 1);
}
// is it one? Those beyond the end are zeros: reading the last one for all of them, all blocks at once, would
// keep one place of the cache busy (8 times the time of a convolution with 64 channels)
template <bool ALONG_K> DEVICE bool is_row(i32 first, i32 mine, i32 size) {
  return ALONG_K ? first + mine < size : first / CHUNK + mine < (size + CHUNK - 1) / CHUNK;
}
// what `step_X` takes: the chunk along k, or k itself
template <bool ALONG_K> DEVICE i32 place_along(i32 k) {
  const i32 last = K % BK ? least<i32>(k, K - 1) : k;
  return ALONG_K ? last / CHUNK : last;
}
DEVICE bool inside(i32 k) { return K % BK == 0 || k < K; }
// where a tile of the result begins; neighbours share rows and columns: they go down groups of eight rows
struct Place { i32 z, m, n; };
DEVICE Place place_of(i32 tile) {
  const i32 z = tile / (TILES_M * TILES_N), rest = tile - z * (TILES_M * TILES_N);
  const i32 group = rest / (8 * TILES_N), first = group * 8, rows = TILES_M - first < 8 ? TILES_M - first : 8;
  const i32 within = rest - group * 8 * TILES_N;
  return {z, (first + within % rows) * BM, within / rows * BN};
}
template <int CHUNKS> DEVICE int swizzled(int row, int c) {
  if constexpr (CHUNKS >= 8) return row * CHUNKS + (c ^ (row & 7));
  else return row * CHUNKS + (c ^ ((row >> 1) & (CHUNKS - 1)));
}
"""

BLOCK: Final = r"""
  extern __shared__ uint4 shared_memory[];
  const i32 thread = (i32)(u32)threadIdx.x;
"""

#: for a block that has one tile
PLACE: Final = r"""
  const Place place = place_of((i32)(u32)blockIdx.x);
  const i32 z = place.z, m0 = place.m, n0 = place.n;
"""

TENSOR_CORES: Final = r"""
  constexpr int A_ROW = (A_ALONG_K ? BK : BM) / CHUNK, B_ROW = (B_ALONG_K ? BK : BN) / CHUNK;
  constexpr int A_MINE = BM * BK / CHUNK / THREADS, B_MINE = BN * BK / CHUNK / THREADS;
  constexpr int WM = BM / 2, WN = BN / 4;
  Word *const tiles = reinterpret_cast<Word *>(shared_memory);
  const auto tile_a = [&](i32 stage) { return tiles + stage * (BM + BN) * BK; };
  const auto tile_b = [&](i32 stage) { return tiles + stage * (BM + BN) * BK + BM * BK; };
  Vec<Word, CHUNK> held_a[A_COPIED ? 1 : A_MINE], held_b[B_COPIED ? 1 : B_MINE];
#if A_COPIED
  decltype(row_A(0, 0)) rows_a[A_MINE];
  u32 there_a = 0;
#pragma unroll
  for (int i = 0; i < A_MINE; ++i) {
    const int id = thread + i * THREADS, mine = A_ALONG_K ? id / A_ROW : id % A_ROW;
    rows_a[i] = row_A(z, row_of<A_ALONG_K>(m0, mine, M));
    there_a |= (u32)is_row<A_ALONG_K>(m0, mine, M) << i;
  }
#endif
#if B_COPIED
  decltype(row_B(0, 0)) rows_b[B_MINE];
  u32 there_b = 0;
#pragma unroll
  for (int i = 0; i < B_MINE; ++i) {
    const int id = thread + i * THREADS, mine = B_ALONG_K ? id / B_ROW : id % B_ROW;
    rows_b[i] = row_B(z, row_of<B_ALONG_K>(n0, mine, N));
    there_b |= (u32)is_row<B_ALONG_K>(n0, mine, N) << i;
  }
#endif
  // read the chunks of a step, or write those that were computed: each thread has a few of both factors
  const auto fill = [&](i32 step, i32 stage, bool write) {
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int id = thread + i * THREADS, row = A_ROWS_FIRST ? id % BM : id / A_ROW;
      const int c = A_ROWS_FIRST ? id / BM : id % A_ROW;
      Word *const to = tile_a(stage) + swizzled<A_ROW>(row, c) * CHUNK;
      const i32 k = step * BK + (A_ALONG_K ? c * CHUNK : row);
#if A_COPIED
      if (!write)
        copy_async(to, start_A + rows_a[i] + step_A(place_along<A_ALONG_K>(k)),
            inside(k) && (M % BM == 0 || there_a >> i & 1));
#else
      const i32 m = row_of<A_ALONG_K>(m0, A_ALONG_K ? row : c, M);
      if (write) *reinterpret_cast<Vec<Word, CHUNK> *>(to) = held_a[i];
      else if (inside(k)) held_a[i] = A_ALONG_K ? chunk_A(z, m, k / CHUNK) : chunk_A(z, k, m);
      else held_a[i] = Vec<Word, CHUNK>{};
#endif
    }
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int id = thread + i * THREADS, row = B_ROWS_FIRST ? id % BN : id / B_ROW;
      const int c = B_ROWS_FIRST ? id / BN : id % B_ROW;
      Word *const to = tile_b(stage) + swizzled<B_ROW>(row, c) * CHUNK;
      const i32 k = step * BK + (B_ALONG_K ? c * CHUNK : row);
#if B_COPIED
      if (!write)
        copy_async(to, start_B + rows_b[i] + step_B(place_along<B_ALONG_K>(k)),
            inside(k) && (N % BN == 0 || there_b >> i & 1));
#else
      const i32 n = row_of<B_ALONG_K>(n0, B_ALONG_K ? row : c, N);
      if (write) *reinterpret_cast<Vec<Word, CHUNK> *>(to) = held_b[i];
      else if (inside(k)) held_b[i] = B_ALONG_K ? chunk_B(z, n, k / CHUNK) : chunk_B(z, k, n);
      else held_b[i] = Vec<Word, CHUNK>{};
#endif
    }
  };
  const int lane = thread % 32, warp = thread / 32, wm = warp / 4 * WM, wn = warp % 4 * WN;
  const int eight = lane / 8, in_eight = lane % 8;
  Sum sum[WM / 16][WN / 8][4] = {};
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < STEPS) { fill(stage, stage, false); fill(stage, stage, true); }
    copies_commit();
  }
  for (i32 step = 0; step < STEPS; ++step) {
    copies_wait<STAGES - 2>();
    __syncthreads();
    const i32 next = step + STAGES - 1;
    if (next < STEPS) fill(next, next % STAGES, false);
    copies_commit();
    const Word *const a = tile_a(step % STAGES), *const b = tile_b(step % STAGES);
#pragma unroll
    for (int k = 0; k < BK / (2 * CHUNK); ++k) {
      u32 left[WM / 16][4], right[WN / 16][4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
        if constexpr (A_ALONG_K)
          load_matrices<false>(left[i], a + swizzled<A_ROW>(wm + i * 16 + lane % 16,
              k * 2 + lane / 16) * CHUNK);
        else
          load_matrices<true>(left[i], a + swizzled<A_ROW>(k * 16 + eight / 2 * 8 + in_eight,
              wm / 8 + i * 2 + eight % 2) * CHUNK);
      }
#pragma unroll
      for (int j = 0; j < WN / 16; ++j) {
        if constexpr (B_ALONG_K)
          load_matrices<false>(right[j], b + swizzled<B_ROW>(wn + j * 16 + eight / 2 * 8 + in_eight,
              k * 2 + eight % 2) * CHUNK);
        else
          load_matrices<true>(right[j], b + swizzled<B_ROW>(k * 16 + eight % 2 * 8 + in_eight,
              wn / 8 + j * 2 + eight / 2) * CHUNK);
      }
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) {
          const u32 pair[2] = {right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]};
          multiply_add(ElementA(), ElementB(), sum[i][j], left[i], pair);
        }
    }
    if (next < STEPS) fill(next, next % STAGES, true);
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
      const i32 m = m0 + wm + i * 16 + lane / 4, n = n0 + wn + j * 8 + lane % 4 * 2;
      put_lanes(z, m, n, {{sum[i][j][0], sum[i][j][1]}});
      put_lanes(z, m + 8, n, {{sum[i][j][2], sum[i][j][3]}});
    }
"""

BY_THREAD: Final = r"""
  // tiles are k rows of the outer index; chunks along k are turned while they are stored
  constexpr int A_MINE = BM * BK / 4 / THREADS, B_MINE = BN * BK / 4 / THREADS;
  f32 *const tiles = reinterpret_cast<f32 *>(shared_memory);
  Vec<f32, 4> held_a[A_MINE], held_b[B_MINE];
  const auto get_a = [&](i32 outer, i32 k) -> Vec<f32, 4> {
    if (k >= K) return Vec<f32, 4>{};
#if A_COPIED
    return load_many_once<4>(start_A + row_A(z, outer) + step_A(place_along<A_ALONG_K>(k)));
#else
    return A_ALONG_K ? chunk_A(z, outer, k / 4) : chunk_A(z, k, outer);
#endif
  };
  const auto get_b = [&](i32 outer, i32 k) -> Vec<f32, 4> {
    if (k >= K) return Vec<f32, 4>{};
#if B_COPIED
    return load_many_once<4>(start_B + row_B(z, outer) + step_B(place_along<B_ALONG_K>(k)));
#else
    return B_ALONG_K ? chunk_B(z, outer, k / 4) : chunk_B(z, k, outer);
#endif
  };
  const auto fetch = [&](i32 step) {
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int id = thread + i * THREADS;
      if constexpr (A_ALONG_K) held_a[i] = get_a(least<i32>(m0 + id / (BK / 4), M - 1),
          step * BK + id % (BK / 4) * 4);
      else held_a[i] = get_a(least<i32>(m0 / 4 + id % (BM / 4),
          (M + 3) / 4 - 1), step * BK + id / (BM / 4));
    }
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int id = thread + i * THREADS;
      if constexpr (B_ALONG_K) held_b[i] = get_b(least<i32>(n0 + id / (BK / 4), N - 1),
          step * BK + id % (BK / 4) * 4);
      else held_b[i] = get_b(least<i32>(n0 / 4 + id % (BN / 4),
          (N + 3) / 4 - 1), step * BK + id / (BN / 4));
    }
  };
  const auto keep = [&](i32 stage) {
    f32 *const a = tiles + stage * (BM + BN) * BK, *const b = a + BM * BK;
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int id = thread + i * THREADS;
      if constexpr (A_ALONG_K)
        for (int e = 0; e < 4; ++e) { const int k = id % (BK / 4) * 4 + e, m = id / (BK / 4);
            a[k * BM + (m ^ (k / 4 * 8))] = held_a[i].at[e]; }
      else {
        const int k = id / (BM / 4), m = id % (BM / 4) * 4;
        *reinterpret_cast<Vec<f32, 4> *>(a + k * BM + (m ^ (k / 4 * 8))) = held_a[i];
      }
    }
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int id = thread + i * THREADS;
      if constexpr (B_ALONG_K)
        for (int e = 0; e < 4; ++e) { const int k = id % (BK / 4) * 4 + e, n = id / (BK / 4);
            b[k * BN + (n ^ (k / 4 * 8))] = held_b[i].at[e]; }
      else {
        const int k = id / (BN / 4), n = id % (BN / 4) * 4;
        *reinterpret_cast<Vec<f32, 4> *>(b + k * BN + (n ^ (k / 4 * 8))) = held_b[i];
      }
    }
  };
  // a warp has 32 x 64 of the tile, a thread four by four in each quarter of it
  const int lane = thread % 32, warp = thread / 32;
  const int tm = warp / 2 * 32 + lane / 8 * 4, tn = warp % 2 * 64 + lane % 8 * 4;
  f32 sum[8][8] = {};
  fetch(0);
  keep(0);
  __syncthreads();
  for (i32 step = 0; step < STEPS; ++step) {
    if (step + 1 < STEPS) fetch(step + 1);
    const f32 *const a = tiles + step % 2 * (BM + BN) * BK, *const b = a + BM * BK;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      f32 x[8], y[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const Vec<f32, 4> p = *reinterpret_cast<const Vec<f32,
            4> *>(a + k * BM + ((tm + h * 16) ^ (k / 4 * 8)));
        const Vec<f32, 4> q = *reinterpret_cast<const Vec<f32,
            4> *>(b + k * BN + ((tn + h * 32) ^ (k / 4 * 8)));
#pragma unroll
        for (int e = 0; e < 4; ++e) { x[h * 4 + e] = p.at[e]; y[h * 4 + e] = q.at[e]; }
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
    if (step + 1 < STEPS) keep((step + 1) % 2);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      put_lanes(z, m0 + tm + i / 4 * 16 + i % 4, n0 + tn + h * 32, {{sum[i][h * 4], sum[i][h * 4 + 1],
          sum[i][h * 4 + 2], sum[i][h * 4 + 3]}});
"""
