"""Attention as CUDA C++: what all cards share, and the kernel for cards whose warps multiply alone.

A block has BM rows of queries and walks along the keys in tiles of BN. Of each tile it makes the scores on
the tensor cores, weighs them where they lie (in the registers of a warp, four lanes to a row), and multiplies
the weights, which are a factor as they lie, with the values. Nothing but queries, keys and values is in
shared memory: rows of 128 bytes, chunk c of row r at c ^ (r & 7), in panels of 64 elements.

What is carried from tile to tile is the softmax monoid (`graph.monoid`): of every row the largest score
(`top`), the sum of the weights (`total`) and the weighted sums, rescaled once a tile."""

from __future__ import annotations

from typing import Final

#: Instructions of their own: what the emulator of the tests has its own version of.
WEIGHT_PRELUDE: Final = r"""
DEVICE f32 power_of_two(f32 x) { f32 y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
DEVICE u32 pair_of(F16, f32 low, f32 high) {
#if __CUDA_ARCH__ >= 800
  u32 y; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y;
#else
  return f32_to_f16(low) | (u32)f32_to_f16(high) << 16;
#endif
}
DEVICE u32 pair_of(BF16, f32 low, f32 high) {
#if __CUDA_ARCH__ >= 800
  u32 y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y;
#else
  return f32_to_bf16(low) | (u32)f32_to_bf16(high) << 16;
#endif
}
"""

#: Tiles in shared memory, and what a warp has of its 16 rows: a thread has two of them, eight apart.
TILES_PRELUDE: Final = r"""
DEVICE u32 placed(u32 rows, u32 row, u32 c) { return c / 8 * 64 * rows + (row * 8 + (c % 8 ^ row % 8)) * 8; }
DEVICE f32 (&four(f32 *x))[4] { return *reinterpret_cast<f32 (*)[4]>(x); }
DEVICE void put_chunk(Word *to, const Word *from, bool valid) { copy_async(to, from, valid); }
DEVICE void put_chunk(Word *to, Vec<Word, 8> made, bool valid) {
  *reinterpret_cast<Vec<Word, 8> *>(to) = valid ? made : Vec<Word, 8>{};
}
"""

#: Functions of a warp on its rows.
WEIGH: Final = r"""
#define INFINITE bits_as<f32>(0x7f800000u)
// the i-th chunk of a thread in a tile of rows of `wide` chunks: the same of another row, where that is so
template <u32 WIDE> DEVICE u32 row_of(u32 copier, u32 i) {
  return COPIERS % WIDE ? (copier + i * COPIERS) / WIDE : copier / WIDE + i * (COPIERS / WIDE);
}
template <u32 WIDE> DEVICE u32 chunk_of(u32 copier, u32 i) {
  return COPIERS % WIDE ? (copier + i * COPIERS) % WIDE : copier % WIDE;
}
// what is done to each pair of neighbouring scores: (row, key of the first, both)
template <int COUNT, class F>
DEVICE void each_pair(i32 m, i32 n0, i32 lane, f32 (&score)[COUNT], const F &change) {
#pragma unroll
  for (int i = 0; i < COUNT; i += 2)
    change(m + i / 2 % 2 * 8, n0 + i / 4 * 8 + lane % 4 * 2, score[i], score[i + 1]);
}
// scores become weights; what was summed before has to be multiplied by `shrink`
template <int COUNT> DEVICE void weigh_scores(f32 (&score)[COUNT], f32 (&top)[2], f32 (&total)[2],
    f32 (&shrink)[2]) {
  f32 best[2][2] = {{top[0], score[4]}, {top[1], score[6]}}, shift[2], mine[2][2] = {};
#pragma unroll
  for (int i = 0; i < COUNT; i += 2) {
    f32 &so_far = best[i / 2 % 2][i / 4 % 2];
    so_far = fmaxf(so_far, fmaxf(score[i], score[i + 1]));
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    f32 most = fmaxf(best[half][0], best[half][1]);
    most = fmaxf(most, shuffle_xor(most, 1));
    most = fmaxf(most, shuffle_xor(most, 2));
    // where nothing but -inf was seen yet, weights are 0 and not exp(-inf + inf)
    const f32 base = most == -INFINITE ? 0.0f : most;
    shrink[half] = power_of_two((top[half] - base) * SCALE);
    shift[half] = base * SCALE;
    top[half] = most;
  }
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    score[i] = power_of_two(fmaf(score[i], SCALE, -shift[i / 2 % 2]));
    mine[i / 2 % 2][i % 2] += score[i];
  }
#pragma unroll
  for (int half = 0; half < 2; ++half)
    total[half] = total[half] * shrink[half] + mine[half][0] + mine[half][1];
}
// sums that were weighed with another maximum
template <int COUNT> DEVICE void rescale(f32 (&sum)[COUNT], const f32 (&shrink)[2]) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) sum[i] *= shrink[i / 2 % 2];
}
// sums over the total of the weights, which four lanes have parts of
template <int COUNT> DEVICE void divide_by_total(f32 (&sum)[COUNT], f32 (&total)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    total[half] += shuffle_xor(total[half], 1);
    total[half] += shuffle_xor(total[half], 2);
    total[half] = 1.0f / total[half];
  }
#pragma unroll
  for (int i = 0; i < COUNT; ++i) sum[i] *= total[i / 2 % 2];
}
// places beyond the last key are tested for in the last tile alone, which has to leave registers for that
template <u32 COUNT, class F> DEVICE void each_chunk(i32 n0, const F &fill) {
  if (KEYS % BN == 0 || n0 + BN <= KEYS) {
#pragma unroll TOGETHER
    for (u32 i = 0; i < COUNT; ++i) fill(i, false);
  } else {
#pragma unroll 4
    for (u32 i = 0; i < COUNT; ++i) fill(i, true);
  }
}
"""

#: A block's place, and which tiles of keys it goes through.
KEYS_OF_BLOCK: Final = r"""
  extern __shared__ uint4 shared_memory[];
  const i32 thread = (i32)(u32)threadIdx.x;
  const i32 block = (i32)(u32)blockIdx.x / PARTS, part = (i32)(u32)blockIdx.x % PARTS, z = block / TILES_M;
  // rows with the most keys first, where there is a count
  const i32 m0 = (COUNTED ? TILES_M - 1 - block % TILES_M : block % TILES_M) * BM;
  const i32 every = COUNTED ? counted(z, m0) : KEYS;  // keys that all rows of the block look at
  const i32 any = COUNTED ? most<i32>(counted(z, least<i32>(m0 + BM, M) - 1), 1) : KEYS;
  // of all tiles of keys, those of this block
  const i32 all = (any + BN - 1) / BN, begin = PARTS == 1 ? 0 : all * part / PARTS;
  const i32 tiles = PARTS == 1 ? all : all * (part + 1) / PARTS - begin;
"""

#: How COPIERS threads fill its tiles. A factor's rows are its outer index and its chunks along the sum, or
#: the other way round, as it lies in memory.
FILL: Final = (
    KEYS_OF_BLOCK
    + r"""  Word *const tile_q = reinterpret_cast<Word *>(reinterpret_cast<u8 *>(shared_memory) +
      (1024 - (shared_address(shared_memory) & 1023)) % 1024);
  const auto tile_k = [&](i32 stage) { return tile_q + BM * DQ + stage * BN * (DQ + DV); };
  const auto tile_v = [&](i32 stage) { return tile_q + BM * DQ + stage * BN * (DQ + DV) + BN * DQ; };
  const auto fill_q = [&](u32 copier) {
    constexpr u32 wide = Q_ALONG_K ? DQ / 8 : BM / 8;
#pragma unroll TOGETHER
    for (u32 i = 0; i < BM * DQ / 8 / COPIERS; ++i) {
      const u32 row = row_of<wide>(copier, i), c = chunk_of<wide>(copier, i);
      const i32 d = Q_ALONG_K ? c * 8 : row, inside = DEPTH == DQ ? d : least<i32>(d, DEPTH - 1);
      // rows beyond the last are multiplied for nobody
      if (d >= SUMMED || (Q_ALONG_K && m0 + row >= M)) continue;
      const i32 m = Q_ALONG_K ? m0 + row : least<i32>(m0 / 8 + c, (M + 7) / 8 - 1);
      put_chunk(tile_q + placed(Q_ALONG_K ? BM : DQ, row, c),
          at_Q(z, Q_ALONG_K ? m : inside, Q_ALONG_K ? inside / 8 : m), DEPTH == DQ || d < DEPTH);
    }
  };
  const auto fill_k = [&](u32 copier, i32 stage, i32 n0) {
    constexpr u32 wide = K_ALONG_K ? DQ / 8 : BN / 8;
    const auto fill = [&](u32 i, bool last) {
      const u32 row = row_of<wide>(copier, i), c = chunk_of<wide>(copier, i);
      const i32 d = K_ALONG_K ? c * 8 : row, inside = DEPTH == DQ ? d : least<i32>(d, DEPTH - 1);
      if (d >= SUMMED) return;
      i32 n = K_ALONG_K ? n0 + row : n0 / 8 + c;
      if (last) n = least<i32>(n, K_ALONG_K ? KEYS - 1 : (KEYS + 7) / 8 - 1);
      put_chunk(tile_k(stage) + placed(K_ALONG_K ? BN : DQ, row, c),
          at_K(z, K_ALONG_K ? n : inside, K_ALONG_K ? inside / 8 : n), DEPTH == DQ || d < DEPTH);
    };
    each_chunk<BN * DQ / 8 / COPIERS>(n0, fill);
  };
  const auto fill_v = [&](u32 copier, i32 stage, i32 n0) {
    constexpr u32 wide = V_ALONG_K ? BN / 8 : DV / 8;
    const auto fill = [&](u32 i, bool last) {
      const u32 row = row_of<wide>(copier, i), c = chunk_of<wide>(copier, i);
      const i32 n = n0 + (V_ALONG_K ? c * 8 : row), inside = last ? least<i32>(n, KEYS - 1) : n;
      i32 d = V_ALONG_K ? row : c;
      if (d >= (V_ALONG_K ? COLUMNS : COLUMNS / 8)) return;
      if (N != DV) d = least<i32>(d, V_ALONG_K ? N - 1 : (N + 7) / 8 - 1);
      put_chunk(tile_v(stage) + placed(V_ALONG_K ? DV : BN, row, c),
          at_V(z, V_ALONG_K ? d : inside, V_ALONG_K ? inside / 8 : d), !last || n < KEYS);
    };
    each_chunk<BN * DV / 8 / COPIERS>(n0, fill);
  };
  // scale, mask and bias, where they change anything; keys beyond the end weigh nothing, and those before
  // `sure` have a weight in all rows
  const auto modify = [&](i32 m, i32 n0, i32 lane, i32 sure, f32 (&score)[BN / 2]) {
    if (MODIFIED && (!COUNTED_ONLY || n0 + BN > sure))
      each_pair(m, n0, lane, score, [&](i32 m, i32 n, f32 &a, f32 &b) { modified(z, m, n, a, b); });
    if (n0 + BN > KEYS)
      each_pair(m, n0, lane, score, [&](i32, i32 n, f32 &a, f32 &b) {
        if (n >= KEYS) a = -INFINITE;
        if (n + 1 >= KEYS) b = -INFINITE;
      });
  };
"""
)

#: The kernel for warps that multiply alone: each has STRIPS of 16 rows, which share what it loads. Where rows
#: are few, there are warps beyond them (`first >= BM`), which copy and multiply nothing.
WARPS: Final = r"""
  const int lane = thread % 32, warp = thread / 32, eight = lane / 8, upper = eight / 2 * 8 + lane % 8;
  const i32 first = warp * 16 * STRIPS, m = m0 + first + lane / 4;
  f32 sum[STRIPS][COLUMNS / 2] = {}, score[STRIPS][BN / 2], top[STRIPS][2], total[STRIPS][2] = {};
#pragma unroll
  for (int strip = 0; strip < STRIPS; ++strip) top[strip][0] = top[strip][1] = -INFINITE;
  if (Q_COPIED) fill_q(thread);
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    const i32 n0 = (begin + stage) * BN;
    if (stage < tiles) { fill_k(thread, stage, n0); fill_v(thread, stage, n0); }
    copies_commit();
  }
  if (!Q_COPIED) fill_q(thread);  // computed while keys are on their way
  for (i32 tile = 0; tile < tiles; ++tile) {
    const i32 next = tile + STAGES - 1, n0 = (begin + next) * BN;
    if constexpr (STAGES == 1) __syncthreads();
    else { copies_wait<STAGES < 2 ? 0 : STAGES - 2>(); __syncthreads(); }
    if (next < tiles) { fill_k(thread, next % STAGES, n0); fill_v(thread, next % STAGES, n0); }
    copies_commit();
    if constexpr (STAGES == 1) { copies_wait<0>(); __syncthreads(); }
    if (first >= BM) continue;
    const Word *const keys = tile_k(tile % STAGES), *const values = tile_v(tile % STAGES);
#pragma unroll
    for (int i = 0; i < STRIPS * BN / 2; ++i) score[i / (BN / 2)][i % (BN / 2)] = 0;
#pragma unroll
    for (int k = 0; k < SUMMED / 16; ++k) {
      u32 left[STRIPS][4];
#pragma unroll
      for (int strip = 0; strip < STRIPS; ++strip) {
        const int row = first + strip * 16;
        if constexpr (Q_ALONG_K)
          load_matrices<false>(left[strip], tile_q + placed(BM, row + lane % 16, k * 2 + lane / 16));
        else load_matrices<true>(left[strip], tile_q + placed(DQ, k * 16 + upper, row / 8 + eight % 2));
      }
#pragma unroll
      for (int j = 0; j < BN / 16; ++j) {
        u32 right[4];
        if constexpr (K_ALONG_K)
          load_matrices<false>(right, keys + placed(BN, j * 16 + upper, k * 2 + eight % 2));
        else load_matrices<true>(right, keys + placed(DQ, k * 16 + lane % 16, j * 2 + eight / 2));
#pragma unroll
        for (int i = 0; i < STRIPS * 2; ++i) {
          const u32 pair[2] = {right[i % 2 * 2], right[i % 2 * 2 + 1]};
          multiply_add(Scored(), Scored(), four(score[i / 2] + j * 8 + i % 2 * 4), left[i / 2], pair);
        }
      }
    }
#pragma unroll
    for (int strip = 0; strip < STRIPS; ++strip) {
      f32 shrink[2];
      modify(m + strip * 16, (begin + tile) * BN, lane, every, score[strip]);
      weigh_scores(score[strip], top[strip], total[strip], shrink);
      // a branch is worth it beside 32 keys (3.4 against 3.6 ms), not beside 64 (4.1 against 3.7)
      if (BN > 32 || warp_any(shrink[0] != 1.0f || shrink[1] != 1.0f)) rescale(sum[strip], shrink);
    }
#pragma unroll
    for (int k = 0; k < BN / 16; ++k) {
      u32 weights[STRIPS][4];
#pragma unroll
      for (int i = 0; i < STRIPS * 4; ++i) {
        const f32 *const both = score[i / 4] + k * 8 + i % 4 * 2;
        weights[i / 4][i % 4] = pair_of(Element(), both[0], both[1]);
      }
#pragma unroll
      for (int j = 0; j < COLUMNS / 16; ++j) {
        u32 right[4];
        if constexpr (V_ALONG_K)
          load_matrices<false>(right, values + placed(DV, j * 16 + upper, k * 2 + eight % 2));
        else load_matrices<true>(right, values + placed(BN, k * 16 + lane % 16, j * 2 + eight / 2));
#pragma unroll
        for (int i = 0; i < STRIPS * 2; ++i) {
          const u32 pair[2] = {right[i % 2 * 2], right[i % 2 * 2 + 1]};
          multiply_add(Element(), Element(), four(sum[i / 2] + j * 8 + i % 2 * 4), weights[i / 2], pair);
        }
      }
    }
  }
  if (first >= BM) return;
#pragma unroll
  for (int strip = 0; strip < STRIPS; ++strip)
    finish(sum[strip], top[strip], total[strip], m + strip * 16, lane);
"""
