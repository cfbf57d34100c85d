"""Attention whose keys are shared out among blocks: what a block leaves, and the kernel that joins the parts.

    few rows against many keys:  PARTS blocks for each tile of rows, each with a run of tiles of keys

A block ends with the softmax monoid (`graph.monoid`) of its keys: of every row the largest score, the sum of
the weights and the weighted sums. Where a row has one block these become its results. Where it has several,
each leaves its state in the workspace, and a second kernel, launched behind the first, merges the states of a
row in the order of their keys (the same bits every time) and writes the results:

    most = max top;  out = sum of sums * 2^(top - most) / sum of total * 2^(top - most)

It goes through the parts a few at a time, and what it has of the earlier ones shrinks when a larger score
comes. Scores are in powers of two by then, as the first kernel weighs them. A part without keys (a count that
ends before it) has the identity: -inf, 0, 0."""

from __future__ import annotations

from typing import Final

#: threads of a block of the second kernel, and parts each of them has on their way
JOINERS: Final = 128
JOINED: Final = 8
#: bytes of a row's state besides its sums
STATE_BYTES: Final = 8

#: Before a part waits for the kernel in front, it asks the second cache for its keys and values, in lines of
#: 64 elements. How many there are may be written meanwhile: an old count asks for nearly the same.
AHEAD: Final = r"""
  {
    const i32 asker = (i32)(u32)blockIdx.x / PARTS, piece = (i32)(u32)blockIdx.x % PARTS, z = asker / TILES_M;
    const i32 all = (most<i32>(counted(z, M - 1), 1) + BN - 1) / BN;
    const i32 end = least<i32>(all * (piece + 1) / PARTS * BN, KEYS);
    const auto ask = [&](const Word *line) {
#if __CUDA_ARCH__ >= 900
      asm volatile("prefetch.global.L2 [%0];" :: "l"(line));
#endif
    };
    for (i32 n = all * piece / PARTS * BN + (i32)(u32)threadIdx.x; n < end; n += ASKERS) {
#pragma unroll
      for (int c = 0; c < SUMMED / 8; c += 8) ask(at_K(z, n, c));
#pragma unroll
      for (int c = 0; c < N / 8; c += 8) ask(at_V(z, n, c));
    }
  }
"""

#: A row has one block: its sums over its total are the results. With KEEP_TOTAL in its hole, the logarithm of
#: its total of exponentials is kept.
WHOLE: Final = r"""
  const auto finish = [&](f32 (&sum)[COLUMNS / 2], f32 (&top)[2], f32 (&total)[2], i32 m, i32 lane) {
    divide_by_total(sum, total);@KEEP
    write_runs(sum, lane, [&](i32 half, i32 n, Vec<f32, 8> run) { put_lanes(z, m + half * 8, n, run); });
  };
"""
KEEP_TOTAL: Final = r"""  // which becomes its reciprocal
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (lane % 4 == 0 && m + half * 8 < M)
        put_total(z, m + half * 8, top[half] * SCORE_SCALE - logf(total[half]));"""

#: A row has several: its state goes to the workspace.
PART: Final = r"""
  f32 *const kept = buffer_at<f32>(WORKSPACE) + (u64)(z * PARTS + part) * M * COLUMNS;
  f32 *const states = buffer_at<f32>(WORKSPACE) + (u64)BATCHES * PARTS * M * COLUMNS +
      (u64)(z * PARTS + part) * M * 2;
  const auto finish = [&](f32 (&sum)[COLUMNS / 2], f32 (&top)[2], f32 (&total)[2], i32 m, i32 lane) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      total[half] += shuffle_xor(total[half], 1);
      total[half] += shuffle_xor(total[half], 2);
      if (lane % 4 == 0 && m + half * 8 < M)
        store_many<2>(states + (m + half * 8) * 2, Vec<f32, 2>{{top[half] * SCALE, total[half]}});
    }
    // as they lie: few warps are at work, each alone, and 68 shuffles take longer than shorter stores
    write_pairs(sum, lane, [&](i32 half, i32 n, Vec<f32, 2> pair) {
      if ((half && M <= 8) || m + half * 8 >= M) return;
      store_many<2>(kept + (u64)(m + half * 8) * COLUMNS + n, pair);
    });
  };
"""

#: The second kernel: a thread has eight columns of a row.
JOIN: Final = r"""
  const u32 index = blockIdx.x * JOINERS + threadIdx.x, row = index / (COLUMNS / 8);
  if (row >= (u32)BATCHES * M) return;
  const i32 z = row / M, m = row % M, n = index % (COLUMNS / 8) * 8;
  const f32 *const kept = buffer_at<const f32>(WORKSPACE) + ((u64)z * PARTS * M + m) * COLUMNS + n;
  const f32 *const states = buffer_at<const f32>(WORKSPACE) +
      (u64)BATCHES * PARTS * M * COLUMNS + ((u64)z * PARTS * M + m) * 2;
  f32 best = -INFINITE, total = 0;
  Vec<f32, 8> sums = {};
  for (i32 first = 0; first < PARTS; first += JOINED) {
    // all of these are on their way before the first is looked at
    Vec<f32, 2> state[JOINED];
    Vec<f32, 4> half[JOINED][2];
#pragma unroll
    for (int i = 0; i < JOINED; ++i) {
      const u64 row = (u64)least<i32>(first + i, PARTS - 1) * M;
      state[i] = load_many<2>(states + row * 2);
      half[i][0] = load_many<4>(kept + row * COLUMNS);
      half[i][1] = load_many<4>(kept + row * COLUMNS + 4);
    }
    f32 most = best;
#pragma unroll
    for (int i = 0; i < JOINED; ++i) most = fmaxf(most, state[i].at[0]);
    const f32 base = most == -INFINITE ? 0.0f : most, shrink = power_of_two(best - base);
    best = most;
    total *= shrink;
#pragma unroll
    for (int e = 0; e < 8; ++e) sums.at[e] *= shrink;
#pragma unroll
    for (int i = 0; i < JOINED; ++i) {
      if (PARTS % JOINED && first + i >= PARTS) continue;
      const f32 weight = power_of_two(state[i].at[0] - base);
      total += state[i].at[1] * weight;
#pragma unroll
      for (int e = 0; e < 8; ++e) sums.at[e] += half[i][e / 4].at[e % 4] * weight;
    }
  }
  const f32 share = 1.0f / total;
#pragma unroll
  for (int i = 0; i < 8; ++i) sums.at[i] *= share;
  put_lanes(z, m, n, sums);
"""
