"""Attention in float32, as CUDA C++: threads multiply, with all bits of both factors.

A block has BM rows of queries and walks along the keys in tiles of BN, as in `text`. A warp has 4 * EACH of
the rows and all keys of a tile: lanes are four rows by eight keys, or eight columns of the result. So a row's
largest score is among eight lanes, its weights are read by the warp that made them, and no barrier is
between the two products:

    score[EACH][BN / 8]       = queries * keys         both in chunks of four along the sum
    weights, in shared memory   of the warp's own rows
    sum[EACH][COLUMNS / 8]   += weights * values       weights in chunks of four keys

A thread's rows are four apart and its keys are pairs, sixteen apart. Lines of queries and keys are an odd
number of chunks long, and the keys of a pair eight lines apart: a warp's chunks are in different banks."""

from __future__ import annotations

from typing import Final

#: How chunks get into tiles, and which columns a lane has: fours, then two, then one.
CHUNKS_PRELUDE: Final = r"""
#define INFINITE bits_as<f32>(0x7f800000u)
typedef Vec<f32, 4> Chunk;
DEVICE Chunk chunk_at(const f32 *from) { return load_many_once<4>(from); }
DEVICE Chunk chunk_at(Chunk made) { return made; }
DEVICE void put_chunk(f32 *to, const f32 *from, bool valid) { copy_async(to, from, valid); }
DEVICE void put_chunk(f32 *to, Chunk made, bool valid) {
  *reinterpret_cast<Chunk *>(to) = valid ? made : Chunk{};
}
DEVICE Chunk chunk_in(const f32 *tile) { return *reinterpret_cast<const Chunk *>(tile); }
// so many pieces of work, each for the next thread
template <int COUNT, class F> DEVICE void shared_out(i32 thread, const F &work) {
#pragma unroll
  for (int i = 0; i < (COUNT + THREADS - 1) / THREADS; ++i) {
    const int id = thread + i * THREADS;
    if (COUNT % THREADS == 0 || id < COUNT) work(id);
  }
}
// the line of a tile that a key lies in: those of a pair are eight apart
DEVICE int line_of(int key) { return key / 16 * 16 + key % 2 * 8 + key % 16 / 2; }
constexpr int OWN = COLUMNS / 8, FOURS = OWN / 4 * 4, TWO = OWN % 4 / 2 * 2;
DEVICE i32 column_of(int lane, int own) {
  if (own < FOURS) return own / 4 * 32 + lane * 4 + own % 4;
  return FOURS * 8 + (own < FOURS + TWO ? lane * 2 + own - FOURS : TWO * 8 + lane);
}
DEVICE void load_columns(f32 (&to)[OWN], const f32 *line, int lane) {
#pragma unroll
  for (int own = 0; own < FOURS; own += 4) {
    const Chunk four = chunk_in(line + column_of(lane, own));
#pragma unroll
    for (int e = 0; e < 4; ++e) to[own + e] = four.at[e];
  }
  if constexpr (TWO > 0) {
    const Vec<f32, 2> two = *reinterpret_cast<const Vec<f32, 2> *>(line + column_of(lane, FOURS));
    to[FOURS] = two.at[0];
    to[FOURS + 1] = two.at[1];
  }
  if constexpr (OWN % 2 > 0) to[OWN - 1] = line[column_of(lane, OWN - 1)];
}
"""

#: A block's tiles and how they are filled. A factor that runs across its sum is turned on the way.
FILL_LINES: Final = r"""
  f32 *const tile_q = reinterpret_cast<f32 *>(shared_memory);
  f32 *const weights = tile_q + BM * LINE, *const stages = weights + BM * WEIGHTS;
  const auto tile_k = [&](i32 stage) { return stages + stage * BN * (LINE + COLUMNS); };
  const auto tile_v = [&](i32 stage) { return stages + stage * BN * (LINE + COLUMNS) + BN * LINE; };
  const auto fill_q = [&]() {
    if constexpr (Q_ALONG_K)
      shared_out<BM * CHUNKS>(thread, [&](int id) {
        const int row = id / CHUNKS, c = id % CHUNKS;
        put_chunk(tile_q + row * LINE + c * 4, at_Q(z, least<i32>(m0 + row, M - 1), c), true);
      });
    else
      shared_out<CHUNKS * BM>(thread, [&](int id) {
        const int d = id / (BM / 4), four = id % (BM / 4);
        const i32 c = least<i32>(m0 / 4 + four, (M + 3) / 4 - 1);
        const Chunk made = d < DEPTH ? chunk_at(at_Q(z, d, c)) : Chunk{};
#pragma unroll
        for (int e = 0; e < 4; ++e) tile_q[(four * 4 + e) * LINE + d] = made.at[e];
      });
  };
  const auto fill_k = [&](i32 stage, i32 n0) {
    f32 *const tile = tile_k(stage);
    if constexpr (K_ALONG_K)
      shared_out<BN * CHUNKS>(thread, [&](int id) {
        const int row = id / CHUNKS, c = id % CHUNKS;
        put_chunk(tile + line_of(row) * LINE + c * 4, at_K(z, least<i32>(n0 + row, KEYS - 1), c), true);
      });
    else
      shared_out<CHUNKS * BN>(thread, [&](int id) {
        const int d = id / (BN / 4), four = id % (BN / 4);
        const i32 c = least<i32>(n0 / 4 + four, (KEYS + 3) / 4 - 1);
        const Chunk made = d < DEPTH ? chunk_at(at_K(z, d, c)) : Chunk{};
#pragma unroll
        for (int e = 0; e < 4; ++e) tile[line_of(four * 4 + e) * LINE + d] = made.at[e];
      });
  };
  // values of keys beyond the end are zeros, as their weights are
  const auto fill_v = [&](i32 stage, i32 n0) {
    f32 *const tile = tile_v(stage);
    constexpr int fours = (N + 3) / 4;
    if constexpr (!V_ALONG_K)
      shared_out<BN * fours>(thread, [&](int id) {
        const int row = id / fours, c = id % fours;
        put_chunk(tile + row * COLUMNS + c * 4, at_V(z, least<i32>(n0 + row, KEYS - 1), c), n0 + row < KEYS);
      });
    else
      shared_out<BN / 4 * N>(thread, [&](int id) {
        const int n = id / (BN / 4), four = id % (BN / 4);
        const Chunk made = chunk_at(at_V(z, n, least<i32>(n0 / 4 + four, (KEYS + 3) / 4 - 1)));
#pragma unroll
        for (int e = 0; e < 4; ++e)
          tile[(four * 4 + e) * COLUMNS + n] = n0 + four * 4 + e < KEYS ? made.at[e] : 0.0f;
      });
  };
"""

#: The kernel: `finish` has what becomes of a thread's rows.
BY_THREADS: Final = r"""
  const int lane = thread % 32, row_lane = lane / 8, eighth = lane % 8, first = thread / 32 * 4 * EACH;
  const i32 m = m0 + first + row_lane;
  // keys that any row of the warp looks at, and those that all of them do
  const i32 last = least<i32>(m0 + first + 4 * EACH, M) - 1;
  const i32 own = m0 + first >= M ? 0 : COUNTED ? counted(z, last) : KEYS;
  const i32 sure = COUNTED ? counted(z, least<i32>(m0 + first, M - 1)) : KEYS;
  const f32 *const queries = tile_q + (first + row_lane) * LINE;
  f32 *const weight = weights + (first + row_lane) * WEIGHTS;
  f32 sum[EACH][OWN] = {}, top[EACH], total[EACH] = {};
#pragma unroll
  for (int i = 0; i < EACH; ++i) top[i] = -INFINITE;
  fill_q();
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < tiles) { fill_k(stage, (begin + stage) * BN); fill_v(stage, (begin + stage) * BN); }
    copies_commit();
  }
  for (i32 tile = 0; tile < tiles; ++tile) {
    const i32 next = tile + STAGES - 1, n0 = (begin + tile) * BN;
    copies_wait<STAGES - 2>();
    __syncthreads();
    if (next < tiles) {
      fill_k(next % STAGES, (begin + next) * BN);
      fill_v(next % STAGES, (begin + next) * BN);
    }
    copies_commit();
    if (n0 >= own) continue;
    const f32 *const keys = tile_k(tile % STAGES) + eighth * LINE, *const values = tile_v(tile % STAGES);
    f32 score[EACH][BN / 8] = {};
#pragma unroll STEPS
    for (int c = 0; c < CHUNKS; ++c) {
      Chunk key[BN / 8];
#pragma unroll
      for (int j = 0; j < BN / 8; ++j) key[j] = chunk_in(keys + j * 8 * LINE + c * 4);
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
        const Chunk query = chunk_in(queries + i * 4 * LINE + c * 4);
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int j = 0; j < BN / 8; ++j) score[i][j] = fmaf(query.at[e], key[j].at[e], score[i][j]);
      }
    }
    // scale, mask and bias, where they change anything; keys beyond the end weigh nothing
    if ((MODIFIED && (!COUNTED_ONLY || n0 + BN > sure)) || n0 + BN > KEYS) {
#pragma unroll
      for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < BN / 8; j += 2) {
          const i32 n = n0 + j * 8 + eighth * 2;
          if (MODIFIED) modified(z, m + i * 4, n, score[i][j], score[i][j + 1]);
          if (n >= KEYS) score[i][j] = -INFINITE;
          if (n + 1 >= KEYS) score[i][j + 1] = -INFINITE;
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
      f32 most = top[i], mine = 0;
#pragma unroll
      for (int j = 0; j < BN / 8; ++j) most = fmaxf(most, score[i][j]);
      most = fmaxf(most, shuffle_xor(most, 1));
      most = fmaxf(most, shuffle_xor(most, 2));
      most = fmaxf(most, shuffle_xor(most, 4));
      // where nothing but -inf was seen yet, weights are 0 and not exp(-inf + inf)
      const f32 base = most == -INFINITE ? 0.0f : most, shrink = power_of_two((top[i] - base) * SCALE);
      top[i] = most;
#pragma unroll
      for (int j = 0; j < BN / 8; j += 2) {
        // the difference first: of large scores it is exact, and a product of each is not
        const f32 low = power_of_two((score[i][j] - base) * SCALE);
        const f32 high = power_of_two((score[i][j + 1] - base) * SCALE);
        mine += low + high;
        *reinterpret_cast<Vec<f32, 2> *>(weight + i * 4 * WEIGHTS + j * 8 + eighth * 2) =
            Vec<f32, 2>{{low, high}};
      }
      total[i] = total[i] * shrink + mine;
#pragma unroll
      for (int o = 0; o < OWN; ++o) sum[i][o] *= shrink;
    }
    __syncwarp();
#pragma unroll 2
    for (int c = 0; c < BN / 4; ++c) {
      f32 value[4][OWN];
#pragma unroll
      for (int e = 0; e < 4; ++e) load_columns(value[e], values + (c * 4 + e) * COLUMNS, eighth);
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
        const Chunk part = chunk_in(weight + i * 4 * WEIGHTS + c * 4);
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int o = 0; o < OWN; ++o) sum[i][o] = fmaf(part.at[e], value[e][o], sum[i][o]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    total[i] += shuffle_xor(total[i], 1);
    total[i] += shuffle_xor(total[i], 2);
    total[i] += shuffle_xor(total[i], 4);
    finish(sum[i], top[i], total[i], m + i * 4, eighth);
  }
"""

#: A row has one block: its sums over its total are the results.
WHOLE_ROWS: Final = r"""
  const auto finish = [&](f32 (&sum)[OWN], f32, f32 total, i32 m, int lane) {
    const f32 share = 1.0f / total;
#pragma unroll
    for (int own = 0; own < OWN; own += LANES) {
      Vec<f32, LANES> run;
#pragma unroll
      for (int e = 0; e < LANES; ++e) run.at[e] = sum[own + e] * share;
      put_lanes(z, m, column_of(lane, own), run);
    }
  };
"""

#: A row has several: its state goes to the workspace, for the kernel that joins them (`join`).
PART_ROWS: Final = r"""
  f32 *const kept = buffer_at<f32>(WORKSPACE) + (u64)(z * PARTS + part) * M * COLUMNS;
  f32 *const states = buffer_at<f32>(WORKSPACE) + (u64)BATCHES * PARTS * M * COLUMNS +
      (u64)(z * PARTS + part) * M * 2;
  const auto finish = [&](f32 (&sum)[OWN], f32 top, f32 total, i32 m, int lane) {
    if (m >= M) return;
    if (lane == 0) store_many<2>(states + m * 2, Vec<f32, 2>{{top * SCALE, total}});
#pragma unroll
    for (int own = 0; own < OWN; ++own) kept[(u64)m * COLUMNS + column_of(lane, own)] = sum[own];
  };
"""
