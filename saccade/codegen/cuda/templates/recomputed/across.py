"""A sum across, as CUDA C++ for Hopper: dq beside dk and dv, of the same weights. Five products, not seven.

A block has 128 rows (keys), 64 for each of two warpgroups, and walks along tiles of BN = 64 queries. It keeps
the sums of its rows, dk and dv, in registers. The weights of a tile, ds, go through shared memory, because
both warpgroups need all of them for what the tile's queries get from these rows:

    dq[tile] += ds[tile, rows] * k[rows]        a half of the columns for each warpgroup

Blocks of other rows add to the same tile, in float32 in the workspace, each warp its own 16 rows and half of
the columns: the copy engine adds what lies in shared memory to what is in memory (cp.reduce.async.bulk). They
do it in turn, one block of rows after the other, so that the result has the same bits every time; the first
one stores. Blocks take a number when they begin and wait only for smaller ones, so none waits for a block
that cannot begin. A function behind this one makes results of the sums, and one in front clears the turns.

    NAME_first     turns and the counter of blocks become 0
    NAME           dk and dv; sums of dq in the workspace, in the order in which lanes hold them
    NAME_join      dq

Turns cost little while blocks run a tile apart, so that is how they begin: blocks of several batches (heads)
take numbers side by side, as many as run at once, and the blocks of one batch begin one tile after the other.
Where keys begin with a row (causal), the walk goes backwards for the same reason: blocks with fewer tiles
wait longer, and all end one after the other. A turn is passed as soon as the last part has arrived, before
ds is made: the next block is half a tile behind. On an H200, B4 H16 S4096 D128: 2.50 ms, and 2.51 in any
order; causal 1.43 and 1.37; B16 H12 S1024 D64, causal 0.270. Passed behind ds, with two tiles on
their way: 2.69, 1.60 and 0.310.

The tensor cores have something to do while weights are made: s and dp of a tile are asked for behind dk of
the tile before, and dv while ds is made.

    dk(t - 1), s(t), dp(t) run;  p of s;  dv begins;  ds of p and dp;  both meet;  dq, dk begin;  dq goes out
"""

from __future__ import annotations

from typing import Final

#: rows and keys of a tile, and tiles on their way: the first that fits in shared memory
ACROSS_SIZES: Final = ((128, 64, 3), (128, 64, 2))
#: registers of threads that copy and of those that multiply
ACROSS_REGISTERS: Final = (24, 240)
#: warps that multiply: each has its own turn at a tile
TURNS: Final = 8
#: threads of a block of the other two functions
FINISHERS: Final = 256

#: Instructions of their own: what the emulator of the tests has its own version of.
ACROSS_PRELUDE: Final = r"""
// Relaxed: what is in turn are additions that the second cache does, and the one before is done by the time
// the turn is passed. A fence for all memory would stall the warp for a third of a tile.
DEVICE void await_turn(const u32 *turn, u32 number) {
  u32 seen;
  do {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(turn) : "memory");
  } while (seen != number);
}
DEVICE void pass_turn(u32 *turn, u32 number) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(turn), "r"(number) : "memory");
}
// from shared memory to memory, by the copy engine
DEVICE void store_out(f32 *to, const f32 *from, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               ::"l"(__cvta_generic_to_global(to)), "r"(shared_address(from)), "r"(bytes) : "memory");
}
DEVICE void add_out(f32 *to, const f32 *from, u32 bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;"
               ::"l"(__cvta_generic_to_global(to)), "r"(shared_address(from)), "r"(bytes) : "memory");
}
DEVICE void out_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// all of it is in memory
DEVICE void out_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
// all threads that multiply
template <int COUNT> DEVICE void multipliers_meet() {
  asm volatile("bar.sync 1, %0;" ::"n"(COUNT) : "memory");
}
"""

#: Where sums and turns are in the workspace, behind maps for the copy engine.
SUMS: Final = r"""
  f32 *const kept = buffer_at<f32>(WORKSPACE + MAPS_BYTES);
  u32 *const turns = reinterpret_cast<u32 *>(kept + (u64)BATCHES * TILES_KEYS * BN * WIDTH);
"""

#: The first function.
FIRST: Final = (
    SUMS
    + r"""
  const u32 at = blockIdx.x * FINISHERS + threadIdx.x;
  if (at <= BATCHES * TILES_KEYS * TURNS) turns[at] = 0;  // the last is the counter
#if BULK_KEYS
  if (at < 32) make_maps((int)at);
#endif
"""
)

#: A block's number, its place, and which tiles its rows have weights for.
PLACE_IN_TURN: Final = (
    SUMS
    + r"""
  extern __shared__ uint4 shared_memory[];
  const i32 thread = (i32)(u32)threadIdx.x;
  Word *const tile = reinterpret_cast<Word *>(reinterpret_cast<u8 *>(shared_memory) +
      (1024 - (shared_address(shared_memory) & 1023)) % 1024);
  u32 *const taken = reinterpret_cast<u32 *>(tile);
  if (thread == 0) *taken = take_number(turns + BATCHES * TILES_KEYS * TURNS);
  __syncthreads();
  const i32 block = of_the_warp((i32)*taken);
  __syncthreads();
  // batches side by side; the last group may have fewer
  const i32 group = block / (GROUP * TILES_M), side = least<i32>(GROUP, BATCHES - group * GROUP);
  const i32 inside = block - group * GROUP * TILES_M, number = inside / side;
  const i32 z = group * GROUP + inside % side, m0 = number * BM;
  const i32 last = least<i32>(m0 + BM, M) - 1;
  const i32 begin = low_of(z, m0) / BN, tiles = most<i32>((high_of(z, last) + BN - 1) / BN - begin, 0);
  const i32 from = low_of(z, last), to = high_of(z, m0);  // keys that all rows of the block have weights for
  // the rows above have added to all tiles before this one
  const i32 above = m0 > 0 ? (high_of(z, m0 - 1) + BN - 1) / BN : 0;
  const auto tile_at = [&](i32 step) -> i32 { return begin + (BACKWARDS ? tiles - 1 - step : step); };
"""
)

#: The role of those who multiply; what is in capitals is written for the kernel.
MULTIPLY_ACROSS: Final = r"""
  const int lane = thread % 32, warp = of_the_warp(thread / 32), warpgroup = warp / 4;
  const i32 m = m0 + warp * 16 + lane / 4;
  f32 *const out = sums_out + warp * (16 * HALF);
  u32 *turn = nullptr;  // of what is on its way to memory
  read_rows(m);
  if (tiles > 0) barrier_wait(full_rows, 0);
  for (i32 step = 0; step < tiles; ++step) {
    const i32 stage = step % STAGES, at = tile_at(step), n0 = at * BN;
    const bool masked = BOUNDED && (n0 < from || n0 + BN > to);
    barrier_wait(full + stage, step / STAGES % 2);
    products_begin();
    BEGIN_FIRST_INNER
    products_commit();
    BEGIN_SECOND_INNER
    products_commit();
    products_wait<1>();
    settled(FIRST_MADE);
    if (step > 0) {
      __syncwarp();
      if (lane == 0) barrier_arrive(empty + (step - 1) % STAGES);
    }
    read_keys(stage, lane);
    if (masked) weigh_masked_early(m, n0, lane); else weigh_inside_early(m, n0, lane);
    HOLD_EARLY
    products_begin();
    BEGIN_EARLY_SUMS
    products_commit();
    // what went out in the last step has arrived: the next block may have its turn
    if (lane == 0 && step > 0) { out_wait(); pass_turn(turn, number + 1); }
    __syncwarp();
    products_wait<1>();
    settled(SECOND_MADE);
    read_keys(stage, lane);
    if (masked) weigh_masked_late(m, n0, lane); else weigh_inside_late(m, n0, lane);
    HOLD_LATE
    // two tiles of weights in turn: nobody is more than one behind
    Word *const weights = tile_weights + step % 2 * (BM * BN);
#pragma unroll
    for (int k = 0; k < BN / 16; ++k) {
      u32 words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) words[i] = M % BM == 0 || m + i % 2 * 8 < M ? CROSSING[k][i] : 0;
      store_matrices(weights + placed(BM, warp * 16 + lane % 16, k * 2 + lane / 16), words);
    }
    written_for_products();
    multipliers_meet<WEIGHERS>();
    f32 part[HALF / 2];
    const u64 left = tile_descriptor(weights, 128 * BM);
    const u64 right = tile_descriptor(TILE_ACROSS + warpgroup * (HALF == 64 ? 64 * BM : HALF), 128 * BM);
    products_begin();
#pragma unroll
    for (int k = 0; k < BM / 16; ++k) multiply_across(part, left + k * 128, right + k * 128, k > 0);
    products_commit();
    BEGIN_LATE_SUMS
    products_commit();
    // while they run, the next turn is waited for
    const i32 place = (z * TILES_KEYS + at) * TURNS + warp;
    if (lane == 0) {
      turn = turns + place;
      if (at < above) await_turn(turn, number);
    }
    __syncwarp();
    products_wait<1>();
    settled(part);
#pragma unroll
    for (int j = 0; j < HALF / 8; ++j)
      store_many<4>(out + (j * 32 + lane) * 4,
          Vec<f32, 4>{{part[j * 4], part[j * 4 + 1], part[j * 4 + 2], part[j * 4 + 3]}});
    written_for_products();
    __syncwarp();
    if (lane == 0) {
      f32 *const sums = kept + (u64)place * (16 * HALF);
      if (at < above) add_out(sums, out, 64 * HALF); else store_out(sums, out, 64 * HALF);
      out_commit();
    }
    __syncwarp();
  }
  if (lane == 0 && tiles > 0) { out_wait(); pass_turn(turn, number + 1); }
  __syncwarp();
  products_wait<0>();
  SETTLE_SUMS
"""

#: The last function: sums as a warp held them are written as results.
JOIN_ACROSS: Final = (
    SUMS
    + r"""
  const i32 thread = (i32)(u32)threadIdx.x, lane = thread % 32, warp = thread / 32;
  const i32 block = (i32)(u32)blockIdx.x, z = block / TILES_KEYS;
  const i32 m = block % TILES_KEYS * BN + warp % 4 * 16 + lane / 4, place = block * TURNS + warp;
  const f32 *const sums = kept + (u64)place * (16 * HALF);
  const bool any = turns[place] != 0;  // where no row has weights for a tile, nobody has stored anything
  f32 sum[HALF / 2];
#pragma unroll
  for (int j = 0; j < HALF / 8; ++j) {
    const Vec<f32, 4> four = load_many<4>(sums + (j * 32 + lane) * 4);
#pragma unroll
    for (int e = 0; e < 4; ++e) sum[j * 4 + e] = any ? four.at[e] : 0.0f;
  }
  write_runs(sum, lane, [&](i32 half, i32 n, Vec<f32, 8> run) {
    put_lanes(z, m + half * 8, warp / 4 * HALF + n, run);
  });
"""
)
