"""Products of float32 by threads whose factors are copied to shared memory, STAGES - 1 steps ahead.

A factor that runs across k goes there in chunks of 16 bytes, as it lies. One whose rows begin at no whole
chunk goes word by word (`singly`): a warp copies eight neighbours along k of four rows, or 32 along a row.
Lines of such a tile are a chunk longer than its rows: a warp's words are in different banks, and the places
that threads load from are constants apart. The other factor may come through registers, as in `text`.

Results whose rows are of odd length are written one by one. There the columns of a thread are eight apart
(SPREAD), so that eight lanes write neighbours: chunk c of a tile of B has columns c, c + 8, c + 16, c + 24
(of float64 c and c + 8).

Where both factors are the same (x.T @ x), tiles above the diagonal are those below it, turned.

On an H200, microseconds through registers and so: 2665 x 777 x 777 138 and 121, 265 x 333 x 8003 77 and 57,
617 x 333 x 901 26 and 21. Slices (sliced-K) are for products of few tiles: 617 x 901 x 333 26 and 22.
"""

from __future__ import annotations

from typing import Final

from .text import for_both

#: Which parts of a tile a warp copies.
THREADS_PRELUDE: Final = r"""
// parts of a tile, BESIDE of them side by side, are dealt out to warps: where the i-th of a warp is
template <u32 BESIDE, u32 WARPS> DEVICE u32 part_along(u32 warp, u32 i) {
  if constexpr (WARPS % BESIDE == 0) return warp % BESIDE;
  else if constexpr (BESIDE % WARPS == 0) return warp + i % (BESIDE / WARPS) * WARPS;
  else return (warp + i * WARPS) % BESIDE;
}
template <u32 BESIDE, u32 WARPS> DEVICE u32 part_across(u32 warp, u32 i) {
  if constexpr (WARPS % BESIDE == 0) return warp / BESIDE + i * (WARPS / BESIDE);
  else if constexpr (BESIDE % WARPS == 0) return i / (BESIDE / WARPS);
  else return (warp + i * WARPS) / BESIDE;
}
"""

#: A factor that comes through registers: `get_a` what is held of it for a step, `made_a` a chunk of that.
#: What a factor is made of late is held as it was loaded, and first touched when it is stored: selecting what
#: lies inside a sum right behind the loads would wait for memory in each step.
HELD: Final = r"""
  constexpr int @X_MINE = @TILE * BK / CHUNK / THREADS;
#if @X_LATE
  typedef Raw@X Held@X;
#else
  typedef Chunk Held@X;
#endif
  Held@X held_@x[@X_MINE];
  const auto outer_@x = [&](int id) -> i32 {
    return @X_ALONG_K ? least<i32>(@i0 + spread_@x(id / (BK / CHUNK)), @SIZE - 1)
        : least<i32>(@i0 / CHUNK + id % (@TILE / CHUNK), (@SIZE + CHUNK - 1) / CHUNK - 1);
  };
  const auto along_@x = [&](int id, i32 step) -> i32 {
    return step * BK + (@X_ALONG_K ? id % (BK / CHUNK) * CHUNK : id / (@TILE / CHUNK));
  };
  const auto get_@x = [&](i32 outer, i32 k) -> Held@X {
    if (k >= K) return Held@X{};
#if @X_COPIED
    return load_many_once<CHUNK>(start_@X + row_@X(z, outer) + step_@X(place_along<@X_ALONG_K>(k)));
#else
    const i32 other = @X_ALONG_K ? outer : k, c = @X_ALONG_K ? k / CHUNK : outer;
#if @X_LATE
    return load_@X(z, other, c);
#else
    return chunk_@X(load_@X(z, other, c), z, other, c);
#endif
#endif
  };
  const auto made_@x = [&](const Held@X &held, i32 outer, i32 k) -> Chunk {
#if @X_LATE
    return k < K ? chunk_@X(held, z, outer, k / CHUNK) : Chunk{};
#else
    return held;
#endif
  };
"""

BY_THREADS: Final = (
    r"""
  const i32 z = place.z, m0 = place.m, n0 = place.n;
  // tiles are k rows of the outer index; chunks along k are turned while they are stored
  Word *const tiles = reinterpret_cast<Word *>(shared_memory);
  typedef Vec<Word, CHUNK> Chunk;
  constexpr u32 WARPS = THREADS / 32;
  const u32 lane = (u32)thread % 32, warp = (u32)thread / 32;
"""
    + for_both(
        r"""
  const auto in_@x = [](int k, int i) {
    const int swizzle = k / CHUNK * 2 * CHUNK;
    return k * @X_LINE + (@X_SINGLY || !@X_ALONG_K ? i : i ^ (BK * 2 > @TILE ? swizzle % @TILE : swizzle));
  };
  // which row of the factor is at a place of its tile
  const auto spread_@x = [](u32 at) -> i32 {
    constexpr u32 RUN = 8 * CHUNK;
    return @X_SPREAD ? at / RUN * RUN + at % RUN / CHUNK + at % CHUNK * 8 : at;
  };
#if @X_SINGLY
  // a warp's part is eight neighbours along k of four rows, or 32 of a line; of its i-th part: where a word
  // lies in the tile, which row of the factor that is, and which k
  constexpr u32 @X_WORDS = @TILE * BK / THREADS, @X_PARTS = @X_ALONG_K ? BK / 8 : @TILE / 32;
  const auto at_@x = [&](u32 i) -> u32 {
    if (@X_ALONG_K) return part_across<@X_PARTS, WARPS>(warp, i) * 4 + lane / 8;
    return part_along<@X_PARTS, WARPS>(warp, i) * 32 + (@X_SPREAD ? lane % 8 * 4 + lane / 8 : lane);
  };
  const auto row_in_@x = [&](u32 i) -> i32 {
    return spread_@x(at_@x(i));
  };
  const auto k_in_@x = [&](u32 i) -> i32 {
    return @X_ALONG_K ? part_along<@X_PARTS, WARPS>(warp, i) * 8 + lane % 8
        : part_across<@X_PARTS, WARPS>(warp, i);
  };
  decltype(row_@X(0, 0)) rows_@x[@X_WORDS];
#pragma unroll
  for (u32 i = 0; i < @X_WORDS; ++i)
    rows_@x[i] = row_@X(z, @i0 + row_in_@x(i)) + (@X_LINEAR ? step_@X(k_in_@x(i)) : 0);
  const auto copy_@x = [&](i32 step, bool whole) {
    Word *const tile = tiles + step % STAGES * STAGE_WORDS + @X_START;
    const Word *const from = as_pointer(start_@X + (@X_LINEAR ? step_@X(step * BK) : 0));
#pragma unroll
    for (u32 i = 0; i < @X_WORDS; ++i) {
      const i32 k = step * BK + k_in_@x(i);
      copy_word_async(tile + in_@x(k_in_@x(i), at_@x(i)), from + (rows_@x[i] + (@X_LINEAR ? 0 : step_@X(k))),
          whole || (k < K && @i0 + row_in_@x(i) < @SIZE));
    }
  };
  const auto fetch_@x = [](i32) {};
  const auto keep_@x = [](i32) {};
#elif @X_COPIED && !@X_ALONG_K
  // chunks of a step are numbered row by row, as they lie
  constexpr u32 @X_WORDS = @TILE * BK / CHUNK / THREADS, @X_ROW = @TILE / CHUNK;
  decltype(row_@X(0, 0)) rows_@x[@X_WORDS];
#pragma unroll
  for (u32 i = 0; i < @X_WORDS; ++i)
    rows_@x[i] = row_@X(z, row_of<false>(@i0, ((u32)thread + i * THREADS) % @X_ROW, @SIZE))
        + (@X_LINEAR ? step_@X(((u32)thread + i * THREADS) / @X_ROW) : 0);
  const auto copy_@x = [&](i32 step, bool whole) {
    Word *const tile = tiles + step % STAGES * STAGE_WORDS + @X_START;
    const Word *const from = as_pointer(start_@X + (@X_LINEAR ? step_@X(step * BK) : 0));
#pragma unroll
    for (u32 i = 0; i < @X_WORDS; ++i) {
      const u32 id = (u32)thread + i * THREADS, c = id % @X_ROW, k = id / @X_ROW;
      copy_async(tile + in_@x(k, c * CHUNK), from + (rows_@x[i] + (@X_LINEAR ? 0 : step_@X(step * BK + k))),
          whole || (step * BK + k < K && is_row<false>(@i0, c, @SIZE)));
    }
  };
  const auto fetch_@x = [](i32) {};
  const auto keep_@x = [](i32) {};
#else
"""
        + HELD
        + r"""
  const auto fetch_@x = [&](i32 step) {
#pragma unroll
    for (int i = 0; i < @X_MINE; ++i) {
      const int id = thread + i * THREADS;
      held_@x[i] = get_@x(outer_@x(id), along_@x(id, step));
    }
  };
  const auto keep_@x = [&](i32 step) {
#pragma unroll
    for (int i = 0; i < @X_MINE; ++i) {
      Word *const tile = tiles + step % STAGES * STAGE_WORDS + @X_START;
      const int id = thread + i * THREADS;
      const Chunk made = made_@x(held_@x[i], outer_@x(id), along_@x(id, step));
      if constexpr (@X_ALONG_K)
        for (int e = 0; e < CHUNK; ++e)
          tile[in_@x(id % (BK / CHUNK) * CHUNK + e, id / (BK / CHUNK))] = made.at[e];
      else
        *reinterpret_cast<Chunk *>(tile + in_@x(id / (@TILE / CHUNK), id % (@TILE / CHUNK) * CHUNK)) = made;
    }
  };
  const auto copy_@x = [](i32, bool) {};
#endif
"""
    )
    + r"""
  // nothing of a tile inside the result and the sum is asked for; what is beyond is not read, and zero
  const bool in_result = m0 + BM <= M && n0 + BN <= N;
  const auto copy = [&](i32 step) {
    if (in_result && step < K / BK) { copy_a(step, true); copy_b(step, true); }
    else if (step < STEPS) { copy_a(step, false); copy_b(step, false); }
    if (ANY_COPIED) copies_commit();
  };
  const auto fetch = [&](i32 step) { fetch_a(step); fetch_b(step); };
  const auto keep = [&](i32 step) { keep_a(step); keep_b(step); };
  // Warps are in WIDE columns (one, where the tile is no multiple of 64 wide), lanes in eight; a thread has a
  // chunk by a chunk in each of the DOWN by ACROSS parts of what its warp has (of float32 32 x 64 in two by
  // two parts, or larger). With SLICES (sliced-K) so many warps have the same part of a tile, each a slice of
  // every step of the sum.
  constexpr u32 OF_SLICE = WARPS / SLICES, WIDE = BN % 64 ? 1 : SLICES > 1 ? BN / 64 : 2;
  constexpr int DOWN = BM / (OF_SLICE / WIDE * 4 * CHUNK), ACROSS = BN / (WIDE * 8 * CHUNK);
  const u32 part = warp % OF_SLICE;
  const int slice = SLICES > 1 ? warp / OF_SLICE * (BK / SLICES) : 0;  // known, and places with it
  const int tm = (part / WIDE * 4 * DOWN + lane / 8) * CHUNK;
  const int tn = (part % WIDE * 8 * ACROSS + lane % 8) * CHUNK;
  // the column of the tile that a thread's j-th is
  const auto column_of = [&](int j) -> int {
    constexpr int RUN = 8 * CHUNK;
    const int n = tn + j / CHUNK * RUN;
    return SPREAD ? n / RUN * RUN + n % RUN / CHUNK + j % CHUNK * 8 : n + j % CHUNK;
  };
  Sum sum[DOWN * CHUNK][ACROSS * CHUNK] = {};
  for (i32 step = 0; step < STAGES - 1; ++step) copy(step);
  fetch(0);
  keep(0);
  if (ANY_COPIED) copies_wait<STAGES - 2>();
  __syncthreads();
  for (i32 step = 0; step < STEPS; ++step) {
    copy(step + STAGES - 1);
    if (step + 1 < STEPS) fetch(step + 1);
    const Word *const a = tiles + step % STAGES * STAGE_WORDS, *const b = a + B_START;
#pragma unroll
    for (int k = slice; k < slice + BK / SLICES; ++k) {
      Chunk x[DOWN], y[ACROSS];
#pragma unroll
      for (int h = 0; h < DOWN; ++h)
        x[h] = *reinterpret_cast<const Chunk *>(a + in_a(k, tm + h * 4 * CHUNK));
#pragma unroll
      for (int h = 0; h < ACROSS; ++h)
        y[h] = *reinterpret_cast<const Chunk *>(b + in_b(k, tn + h * 8 * CHUNK));
#pragma unroll
      for (int i = 0; i < DOWN * CHUNK; ++i)
#pragma unroll
        for (int j = 0; j < ACROSS * CHUNK; ++j)
          sum[i][j] = multiply_sum(x[i / CHUNK].at[i % CHUNK], y[j / CHUNK].at[j % CHUNK], sum[i][j]);
    }
    if (step + 1 < STEPS) keep(step + 1);
    if (ANY_COPIED) copies_wait<STAGES - 2>();
    __syncthreads();
  }
  if constexpr (SLICES > 1) {
    // all slices leave their sums in shared memory; threads side by side add up and write neighbours
    constexpr int LINE = BN + CHUNK;
    Sum *const sums = reinterpret_cast<Sum *>(shared_memory);
#pragma unroll
    for (int i = 0; i < DOWN * CHUNK; ++i)
#pragma unroll
      for (int h = 0; h < ACROSS; ++h) {
        const int row = tm + i / CHUNK * 4 * CHUNK + i % CHUNK;
        Vec<Sum, CHUNK> run;
#pragma unroll
        for (int e = 0; e < CHUNK; ++e) run.at[e] = sum[i][h * CHUNK + e];
        *reinterpret_cast<Vec<Sum, CHUNK> *>(
            sums + (warp / OF_SLICE * BM + row) * LINE + tn + h * 8 * CHUNK) = run;
      }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BM * BN / LANES / THREADS; ++i) {
      const u32 id = (u32)thread + i * THREADS, row = id / (BN / LANES), column = id % (BN / LANES) * LANES;
      Vec<Sum, LANES> run{};
#pragma unroll
      for (int slice = 0; slice < SLICES; ++slice) {
        const Vec<Sum, LANES> each =
            *reinterpret_cast<const Vec<Sum, LANES> *>(sums + (slice * BM + row) * LINE + column);
#pragma unroll
        for (int e = 0; e < LANES; ++e) run.at[e] += each.at[e];
      }
      put_lanes(z, m0 + row, n0 + column, run);
    }
    // the tile above the diagonal is this one, turned
    if (SYMMETRIC && m0 != n0)
#pragma unroll
      for (int i = 0; i < BM * BN / LANES / THREADS; ++i) {
        const u32 id = (u32)thread + i * THREADS, row = id / BN * LANES, column = id % BN;
        Vec<Sum, LANES> run{};
#pragma unroll
        for (int slice = 0; slice < SLICES; ++slice)
#pragma unroll
          for (int e = 0; e < LANES; ++e) run.at[e] += sums[(slice * BM + row + e) * LINE + column];
        put_lanes(z, n0 + column, m0 + row, run);
      }
    return;
  }
#pragma unroll
  for (int i = 0; i < DOWN * CHUNK; ++i)
#pragma unroll
    for (int h = 0; h < ACROSS * CHUNK; h += LANES) {
      Vec<Sum, LANES> run;
#pragma unroll
      for (int e = 0; e < LANES; ++e) run.at[e] = sum[i][h + e];
      put_lanes(z, m0 + tm + i / CHUNK * 4 * CHUNK + i % CHUNK, n0 + column_of(h), run);
    }
  if (SYMMETRIC && m0 != n0)
#pragma unroll
    for (int j = 0; j < ACROSS * CHUNK; ++j)
#pragma unroll
      for (int h = 0; h < DOWN * CHUNK; h += LANES) {
        Vec<Sum, LANES> run;
#pragma unroll
        for (int e = 0; e < LANES; ++e) run.at[e] = sum[h + e][j];
        put_lanes(z, n0 + column_of(j), m0 + tm + h / CHUNK * 4 * CHUNK + h % CHUNK, run);
      }
"""
)
