"""The body of matrix products by warps, and what others share with it: how tiles are filled, multiplied and
given back.

`source` defines the sizes (BM, BN, BK, ...) and the functions these call: `row_A(z, m)` and `step_A(k)`
where a chunk of a factor is an address, `load_A` and `chunk_A` where it is computed, and `put_lanes` for
results."""

from __future__ import annotations

from typing import Final

#: Where chunks lie, and which tile a block has.
COMMON_TILES: Final = r"""
// the row (or the chunk of it, where chunks run across k) of a factor, the last one for those beyond the end
template <bool ALONG_K> DEVICE i32 row_of(i32 first, i32 mine, i32 size) {
  return ALONG_K ? least<i32>(first + mine, size - 1)
      : least<i32>(first / CHUNK + mine, (size + CHUNK - 1) / CHUNK - 1);
}
// is it one?
template <bool ALONG_K> DEVICE bool is_row(i32 first, i32 mine, i32 size) {
  return ALONG_K ? first + mine < size : first / CHUNK + mine < (size + CHUNK - 1) / CHUNK;
}
// what `step_X` takes: the chunk along k, or k itself
template <bool ALONG_K> DEVICE i32 place_along(i32 k) {
  const i32 last = K % BK ? least<i32>(k, K - 1) : k;
  return ALONG_K ? last / CHUNK : last;
}
DEVICE bool inside(i32 k) { return K % BK == 0 || k < K; }
// where a tile of the result begins; neighbours share rows and columns: they go down groups of eight rows. Of
// a symmetric result there are those of the lower triangle, row by row
struct Place { i32 z, m, n; };
// what `load_X` and `chunk_X` take: the index across the chunks, the chunk, and whether it is inside the sum
struct ChunkSource { i32 other, chunk; bool inside; };
DEVICE Place place_of(i32 tile) {
#if SYMMETRIC
  const i32 of_one = TILES_M * (TILES_M + 1) / 2, place = tile % of_one;
  i32 row = 0;
  while ((row + 1) * (row + 2) / 2 <= place) ++row;
  return {tile / of_one, row * BM, (place - row * (row + 1) / 2) * BN};
#else
  const i32 z = tile / (TILES_M * TILES_N), rest = tile - z * (TILES_M * TILES_N);
  const i32 group = rest / (8 * TILES_N), first = group * 8, rows = TILES_M - first < 8 ? TILES_M - first : 8;
  const i32 within = rest - group * 8 * TILES_N;
  return {z, (first + within % rows) * BM, within / rows * BN};
#endif
}
DEVICE f32 multiply_sum(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
DEVICE f64 multiply_sum(f64 a, f64 b, f64 c) { return fma(a, b, c); }
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
"""


def for_both(text: str) -> str:
    """The text for factor A, then for B: @X is its name and @x in lower case, @i the index of its rows, @SIZE
    and @TILE their number in all and in a tile."""
    made = ""
    for name, index in (("A", "m"), ("B", "n")):
        size, tile = index.upper(), f"B{index.upper()}"
        part = text.replace("@X", name).replace("@x", name.lower()).replace("@i", index)
        made += part.replace("@SIZE", size).replace("@TILE", tile)
    return made


#: How chunks get into tiles. `find_rows` comes first; then for each step `copy` what lies in memory as it is
#: needed, `fetch` what is computed, and `keep` that when it is there. Rows beyond the end are zeros: if all
#: blocks read the last one for them, they would wait for one place of the cache (0.127 ms for a convolution
#: with 64 channels; 0.050 without that, in tiles of 64 rows).
FILLING: Final = (
    for_both(r"""
  constexpr int @X_ROW = (@X_ALONG_K ? BK : @TILE) / CHUNK, @X_MINE = @TILE * BK / CHUNK / THREADS;
#if @X_COPIED
  decltype(row_@X(0, 0)) rows_@x[@X_MINE];
  u32 there_@x;
#else
  Raw@X held_@x[@X_MINE];
#endif
  const auto tile_@x = [&](i32 stage) { return tiles + stage * (BM + BN) * BK + @X_START; };
  // chunks of a step are numbered row by row; neighbouring threads take neighbours, or the same of other rows
  const auto chunk_of_@x = [&](int i) {
    const int id = thread + i * THREADS;
    return @X_ROWS_FIRST ? id % @TILE * @X_ROW + id / @TILE : id;
  };
  const auto place_@x = [&](i32 stage, int id) {
    const int row = id / @X_ROW, c = id % @X_ROW;
    if (!PANELS) return tile_@x(stage) + swizzled<@X_ROW>(row, c) * CHUNK;
    return tile_@x(stage) + (@X_ALONG_K ? 0 : c / 8 * 64 * BK) + swizzled<8>(row, c % 8) * CHUNK;
  };
""")
    + "  const auto find_rows = [&](Place place) {"
    + for_both(r"""
#if @X_COPIED
    there_@x = 0;
#pragma unroll
    for (int i = 0; i < @X_MINE; ++i) {
      const int id = thread + i * THREADS, mine = @X_ALONG_K ? id / @X_ROW : id % @X_ROW;
      rows_@x[i] = row_@X(place.z, row_of<@X_ALONG_K>(place.@i, mine, @SIZE));
      there_@x |= (u32)is_row<@X_ALONG_K>(place.@i, mine, @SIZE) << i;
    }
#endif""")
    + "\n  };\n  const auto copy = [&](i32 step, i32 stage) {"
    + for_both(r"""
#if @X_COPIED
#pragma unroll
    for (int i = 0; i < @X_MINE; ++i) {
      const int id = thread + i * THREADS;
      const i32 k = step * BK + (@X_ALONG_K ? id % @X_ROW * CHUNK : id / @X_ROW);
      copy_async(place_@x(stage, id), start_@X + rows_@x[i] + step_@X(place_along<@X_ALONG_K>(k)),
          inside(k) && (@SIZE % @TILE == 0 || there_@x >> i & 1));
    }
#endif""")
    + "\n  };"
    + for_both(r"""
#if !@X_COPIED
  const auto source_@x = [&](Place place, i32 step, int i) -> ChunkSource {
    const int row = chunk_of_@x(i) / @X_ROW, c = chunk_of_@x(i) % @X_ROW;
    const i32 k = step * BK + (@X_ALONG_K ? c * CHUNK : row), along = place_along<@X_ALONG_K>(k);
    const i32 @i = row_of<@X_ALONG_K>(place.@i, @X_ALONG_K ? row : c, @SIZE);
    return {@X_ALONG_K ? @i : along, @X_ALONG_K ? along : @i, inside(k)};
  };
#endif""")
    + "\n  const auto fetch = [&](Place place, i32 step) {"
    + for_both(r"""
#if !@X_COPIED
#pragma unroll
    for (int i = 0; i < @X_MINE; ++i) {
      const ChunkSource from = source_@x(place, step, i);
      if (from.inside) held_@x[i] = load_@X(place.z, from.other, from.chunk);
    }
#endif""")
    + "\n  };\n  const auto keep = [&](Place place, i32 step, i32 stage) {"
    + for_both(r"""
#if !@X_COPIED
#pragma unroll
    for (int i = 0; i < @X_MINE; ++i) {
      const ChunkSource from = source_@x(place, step, i);
      Vec<Word, CHUNK> chunk{};
      if (from.inside) chunk = chunk_@X(held_@x[i], place.z, from.other, from.chunk);
      *reinterpret_cast<Vec<Word, CHUNK> *>(place_@x(stage, chunk_of_@x(i))) = chunk;
    }
#endif""")
    + "\n  };\n"
)

TENSOR_CORES: Final = (
    r"""
  Word *const tiles = reinterpret_cast<Word *>(shared_memory);
"""
    + FILLING
    + r"""
  constexpr int WM = BM / 2, WN = BN / 4;
  find_rows(place);
  const int lane = thread % 32, warp = thread / 32, wm = warp / 4 * WM, wn = warp % 4 * WN;
  const int eight = lane / 8, in_eight = lane % 8;
  Sum sum[WM / 16][WN / 8][4] = {};
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < STEPS) { copy(stage, stage); fetch(place, stage); keep(place, stage, stage); }
    copies_commit();
  }
  for (i32 step = 0; step < STEPS; ++step) {
    copies_wait<STAGES - 2>();
    __syncthreads();
    const i32 next = step + STAGES - 1;
    if (next < STEPS) { copy(next, next % STAGES); fetch(place, next); }
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
    if (next < STEPS) keep(place, next, next % STAGES);
  }
#if BY_LINES
  // rows of odd length: results go through shared memory, and lanes side by side write neighbours
  constexpr int LINE = BN + LINE_PAD;
  Sum *const sums = reinterpret_cast<Sum *>(shared_memory);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<Vec<Sum, 2> *>(
            sums + (wm + i * 16 + half * 8 + lane / 4) * LINE + wn + j * 8 + lane % 4 * 2) =
            {{sum[i][j][half * 2], sum[i][j][half * 2 + 1]}};
  __syncthreads();
  // of a small product those that it has
  constexpr int ROWS = M < BM ? M : BM, COLUMNS = N < BN ? N : BN;
#pragma unroll
  for (int i = 0; i < (ROWS * COLUMNS + THREADS - 1) / THREADS; ++i) {
    const int id = thread + i * THREADS, row = id / COLUMNS, column = id % COLUMNS;
    if (id < ROWS * COLUMNS)
      put_lanes(place.z, place.m + row, place.n + column, {{sums[row * LINE + column]}});
  }
#else
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
      const i32 m = place.m + wm + i * 16 + lane / 4, n = place.n + wn + j * 8 + lane % 4 * 2;
      put_lanes(place.z, m, n, {{sum[i][j][0], sum[i][j][1]}});
      put_lanes(place.z, m + 8, n, {{sum[i][j][2], sum[i][j][3]}});
    }
#endif
"""
)

#: Small products, each the work of a warp whose lanes load their parts of fragments from memory. The order
#: along k is free where both factors share it: lane t of four has the t-th chunk of each 64 bytes, two words
#: of which are its part of a fragment of 32 bytes. Of a factor that runs across k it has chunks of eight
#: neighbours for each of its k, and pairs them: tile j has every eighth row then, from the j-th on.
FRAGMENTS: Final = (
    r"""
  constexpr u32 WARPS = THREADS / 32;
  const u32 lane = (u32)thread % 32, warp = (u32)thread / 32;
  const i32 eighth = (i32)lane / 4, quarter = (i32)lane % 4;
  if (blockIdx.x * WARPS + warp >= (u32)TILES) return;
  const Place place = place_of((i32)(blockIdx.x * WARPS + warp));
  typedef Vec<Word, CHUNK> Chunk;
"""
    + for_both(r"""
  constexpr int @X_HELD = @X_ALONG_K ? @TILE / 8 : CHUNK;
  const auto get_@x = [&](i32 step, int i) -> Chunk {
    const i32 k = step * BK + quarter * CHUNK + (@X_ALONG_K ? 0 : i);
    if (!inside(k)) return Chunk{};
    const i32 along = place_along<@X_ALONG_K>(k);
    const i32 outer = row_of<@X_ALONG_K>(place.@i, @X_ALONG_K ? i * 8 + eighth : eighth, @SIZE);
#if @X_COPIED
    return load_many_once<CHUNK>(start_@X + row_@X(place.z, outer) + step_@X(along));
#else
    const i32 other = @X_ALONG_K ? outer : along, c = @X_ALONG_K ? along : outer;
    return chunk_@X(load_@X(place.z, other, c), place.z, other, c);
#endif
  };
  // the n-th word of four along k, of the i-th eight rows of the tile
  const auto word_@x = [](const Chunk (&held)[@X_HELD], int i, int n) -> u32 {
    if constexpr (@X_ALONG_K) return bits_as<Vec<u32, 4>>(held[i]).at[n];
    else return (u32)held[n * 2].at[i] | (u32)held[n * 2 + 1].at[i] << 16;
  };
""")
    + r"""
  Sum sum[BM / 16][BN / 8][4] = {};
#pragma unroll 2
  for (i32 step = 0; step < STEPS; ++step) {
    Chunk held_a[A_HELD], held_b[B_HELD];
#pragma unroll
    for (int i = 0; i < A_HELD; ++i) held_a[i] = get_a(step, i);
#pragma unroll
    for (int i = 0; i < B_HELD; ++i) held_b[i] = SAME ? held_a[i % A_HELD] : get_b(step, i);
#pragma unroll
    for (int half = 0; half < 4; half += 2)
#pragma unroll
      for (int i = 0; i < BM / 16; ++i) {
        const u32 left[4] = {word_a(held_a, i * 2, half), word_a(held_a, i * 2 + 1, half),
            word_a(held_a, i * 2, half + 1), word_a(held_a, i * 2 + 1, half + 1)};
#pragma unroll
        for (int j = 0; j < BN / 8; ++j) {
          const u32 right[2] = {word_b(held_b, j, half), word_b(held_b, j, half + 1)};
          multiply_add(ElementA(), ElementB(), sum[i][j], left, right);
        }
      }
  }
  // where the rows and columns of fragments are in the tile
  const auto row_at = [&](int i) -> i32 { return A_ALONG_K ? i * 8 + eighth : eighth * 8 + i; };
  const auto column_at = [&](int j, int e) -> i32 {
    return B_ALONG_K ? j * 8 + quarter * 2 + e : (quarter * 2 + e) * 8 + j;
  };
#if BY_LINES
  // results go through shared memory of the warp, and lanes side by side write neighbours
  constexpr int LINE = BN + LINE_PAD, ROWS = M < BM ? M : BM, COLUMNS = N < BN ? N : BN;
  Sum *const sums = reinterpret_cast<Sum *>(shared_memory) + warp * BM * LINE;
#pragma unroll
  for (int i = 0; i < BM / 8; ++i)
#pragma unroll
    for (int j = 0; j < BN / 8; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e) sums[row_at(i) * LINE + column_at(j, e)] = sum[i / 2][j][i % 2 * 2 + e];
  __syncwarp();
#pragma unroll 4
  for (int id = (int)lane; id < ROWS * COLUMNS; id += 32) {
    const int row = id / COLUMNS, column = id % COLUMNS;
    put_lanes(place.z, place.m + row, place.n + column, {{sums[row * LINE + column]}});
  }
#else
#pragma unroll
  for (int i = 0; i < BM / 8; ++i)
    if constexpr (B_ALONG_K) {
#pragma unroll
      for (int j = 0; j < BN / 8; ++j)
        put_lanes(place.z, place.m + row_at(i), place.n + column_at(j, 0),
            {{sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]}});
    } else {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        Vec<Sum, LANES> run;
#pragma unroll
        for (int j = 0; j < LANES; ++j) run.at[j] = sum[i / 2][j][i % 2 * 2 + e];
        put_lanes(place.z, place.m + row_at(i), place.n + column_at(0, e), run);
      }
    }
#endif
"""
)

#: How a run of LANES results is written, WIDTH at a time.
PUT_LANES: Final = r"""  const auto put_lanes = [&](i32 z, i32 m, i32 n, Vec<GIVEN, LANES> sums) {
    if (!(ROW_INSIDE)) return;
#pragma unroll
    for (int i = 0; i < LANES; i += WIDTH) {
      Vec<GIVEN, WIDTH> part;
#pragma unroll
      for (int e = 0; e < WIDTH; ++e) part.at[e] = sums.at[i + e];
      if (RUN_INSIDE) put(z, m, (n + i) / WIDTH, part);
    }
  };"""
