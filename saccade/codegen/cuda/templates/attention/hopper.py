"""Attention on Hopper: two warpgroups weigh and sum while four more warps copy keys and values.

Each block has 128 rows of queries, 64 for each of two warpgroups, and walks along the keys in tiles of BN.
Tiles lie as in `product.wgmma` (rows of 128 bytes, swizzled, in panels of 64 elements). The warps that copy
and those that multiply meet at barriers in shared memory only, one pair for each tile: `full` when it is
there, `empty` when nobody needs it any more. So a warpgroup may weigh its scores while the other one
multiplies, and each has the scores of a tile in the tensor cores while it weighs those of the tile before:

    scores(t) begin; sums += weights(t - 1) * values(t - 1) begin
    scores(t) end;   weights(t) from scores(t), while the sums still run
    sums end;        sums and total scaled to the new maximum

Keys and values that lie in memory as matrices are brought by the bulk copy engine where that is worth a
function in front, which makes its maps: one thread asks for them (BULK_KEYS). On an H200 B4 H16 S4096 D128
takes 830 microseconds so and 937 copied by threads, 777 without any copies.
"""

from __future__ import annotations

from typing import Final

#: threads that copy, and by the number of warpgroups that weigh and multiply the registers of each kind
COPIERS: Final = 128
REGISTERS: Final = {2: (56, 224), 3: (32, 160)}

#: Barriers in shared memory and roles: what the emulator of the tests has its own version of.
ROLES_PRELUDE: Final = r"""
DEVICE void barrier_init(u64 *barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
DEVICE void barrier_arrive(u64 *barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier))
               : "memory");
}
// tests at once; the other one may sleep before it answers
DEVICE bool barrier_passed(u64 *barrier, u32 parity) {
  u32 done;
  asm volatile("{ .reg .pred done; mbarrier.test_wait.parity.shared.b64 done, [%1], %2;"
               " selp.u32 %0, 1, 0, done; }"
               : "=r"(done) : "r"(shared_address(barrier)), "r"(parity) : "memory");
  return done;
}
DEVICE void barrier_wait(u64 *barrier, u32 parity) {
  u32 done = 0;
  while (!done)
    asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2;"
                 " selp.u32 %0, 1, 0, done; }"
                 : "=r"(done) : "r"(shared_address(barrier)), "r"(parity) : "memory");
}
// what follows is not begun before these are computed
template <int COUNT> DEVICE void settled(f32 (&x)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) asm volatile("" : "+f"(x[i])::"memory");
}
// a number that all lanes of a warp have: the compiler keeps it, and what is made of it, in uniform registers
DEVICE i32 of_the_warp(i32 x) { return __shfl_sync(0xffffffffu, x, 0); }
template <int COUNT> DEVICE void registers_fewer() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT> DEVICE void registers_more() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}
"""


def products_prelude(name: str, element: str, columns: int, along_k: tuple[bool, ...]) -> str:
    """`name(sums, a, b, keep)`: a product of 64 x `columns` over 16 k, added to the sums or in their place.

    `along_k` says how factors lie in shared memory: both, or b alone, and a is in registers."""
    kind = {"F16": "f16", "BF16": "bf16"}[element]
    count = columns // 2
    held = len(along_k) == 1
    sums = ", ".join(f"%{i}" for i in range(count))
    results = ", ".join(f'"+f"(sum[{i}])' for i in range(count))
    left = "{" + ", ".join(f"%{count + i}" for i in range(4)) + "}" if held else f"%{count}"
    inputs = ", ".join(f'"r"(a[{i}])' for i in range(4)) if held else '"l"(a)'
    rows, right = ("const u32 (&a)[4]", count + 4) if held else ("u64 a", count + 1)
    turned = ", ".join(str(int(not along)) for along in along_k)
    return "\n".join(
        [
            f"DEVICE void {name}(f32 (&sum)[{count}], {rows}, u64 b, int keep) {{",
            f'  asm volatile("{{ .reg .pred kept; setp.ne.b32 kept, %{right + 1}, 0;"',
            f'    " wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{kind}.{kind} "',
            f'    "{{{sums}}}, {left}, %{right}, kept, 1, 1, {turned}; }}"',
            f'    : {results} : {inputs}, "l"(b), "r"(keep));',
            "}",
        ]
    )


#: The function in front: maps of keys and values, by a warp.
MAPS: Final = r"""
  __shared__ TensorMap drafts[2];
  TensorMap *const maps = reinterpret_cast<TensorMap *>(WORKSPACE);
  const int lane = (int)(u32)threadIdx.x;
  make_map<sizeof(Word)>(maps, drafts, lane, start_K + K_FIRST, K_INNER, K_OUTER, K_BATCHES, K_ROW_BYTES,
      K_BATCH_BYTES, 64, BN);
  make_map<sizeof(Word)>(maps + 1, drafts + 1, lane, start_V + V_FIRST, V_INNER, V_OUTER, V_BATCHES,
      V_ROW_BYTES, V_BATCH_BYTES, 64, BN);
"""

#: The two roles of a block's threads; see `text` for the rest of it.
HOPPER: Final = r"""
  u64 *const full_q = reinterpret_cast<u64 *>(tile_k(STAGES)), *const full_k = full_q + 1;
  u64 *const full_v = full_k + STAGES, *const empty_k = full_v + STAGES, *const empty_v = empty_k + STAGES;
  if (thread == 0) {
    barrier_init(full_q, COPIERS);
    for (int stage = 0; stage < STAGES; ++stage) {
      barrier_init(full_k + stage, BULK_KEYS ? 1 : COPIERS);
      barrier_init(full_v + stage, BULK_KEYS ? 1 : COPIERS);
      barrier_init(empty_k + stage, WEIGHERS / 32);
      barrier_init(empty_v + stage, WEIGHERS / 32);
    }
    written_for_products();
  }
  __syncthreads();
  if (thread >= WEIGHERS) {
    registers_fewer<COPIER_REGISTERS>();
    const i32 copier = thread - WEIGHERS;
#if BULK_KEYS
    fill_q(copier);
    copies_commit();
    const TensorMap *const maps = reinterpret_cast<const TensorMap *>(WORKSPACE);
    // keys and values in turn, each in panels of 64 columns
    const auto ask = [&](i32 number) {
      const i32 tile = number / 2, values = number % 2, stage = tile % STAGES;
      u64 *const full = (values ? full_v : full_k) + stage;
      barrier_wait((values ? empty_v : empty_k) + stage, tile / STAGES % 2 ^ 1);
      barrier_expect(full, BN * (values ? DV : DQ) * sizeof(Word));
      for (int panel = 0; panel < (values ? DV : DQ) / 64; ++panel)
        copy_box((values ? tile_v(stage) : tile_k(stage)) + panel * 64 * BN, maps + values, panel * 64,
            (begin + tile) * BN, (values ? V_APART : K_APART) ? z : 0, full);
    };
    if (copier == 0) {
      map_made(maps);
      map_made(maps + 1);
      ask(0);
      ask(1);
    }
    copies_wait<0>();
    written_for_products();
    barrier_arrive(full_q);
    if (copier == 0)
      for (i32 number = 2; number < 2 * tiles; ++number) ask(number);
#else
    u64 *pending = full_q;  // what is being copied, but not known to be there
    const auto announce = [&]() { written_for_products(); barrier_arrive(pending); };
    fill_q(copier);
    copies_commit();
    for (i32 tile = 0; tile < tiles; ++tile) {
      const i32 stage = tile % STAGES;
      const u32 parity = tile / STAGES % 2 ^ 1;
#pragma unroll
      for (int values = 0; values < 2; ++values) {
        u64 *const empty = (values ? empty_v : empty_k) + stage;
        bool announced = false;
        if (!barrier_passed(empty, parity)) {
          copies_wait<0>();
          announce();
          announced = true;
          barrier_wait(empty, parity);
        }
        const i32 n0 = (begin + tile) * BN;
        if (values) fill_v(copier, stage, n0); else fill_k(copier, stage, n0);
        copies_commit();
        if (!announced) { copies_wait<1>(); announce(); }
        pending = (values ? full_v : full_k) + stage;
      }
    }
    copies_wait<0>();
    announce();
#endif
  } else {
    registers_more<WEIGHER_REGISTERS>();
    const int lane = thread % 32, warp = of_the_warp(thread / 32), warpgroup = warp / 4;
    const i32 m = m0 + warp * 16 + lane / 4;
    const auto release = [&](u64 *barrier) { __syncwarp(); if (lane == 0) barrier_arrive(barrier); };
    // where there is a count, the keys that all rows of this warpgroup look at, and the tiles that any does
    const i32 row = m0 + warpgroup * 64, sure = COUNTED && row < M ? counted(z, row) : every;
    i32 mine = tiles;
    if (COUNTED && PARTS == 1)
      mine = row < M ? (most<i32>(counted(z, least<i32>(row + 64, M) - 1), 1) + BN - 1) / BN : 0;
    f32 sum[COLUMNS / 2] = {}, score[BN / 2], top[2] = {-INFINITE, -INFINITE}, total[2] = {0, 0}, shrink[2];
    u32 weights[BN / 16][4];
    const u64 queries = tile_descriptor(tile_q + warpgroup * 64 * (Q_ALONG_K ? 64 : DQ), 16);
    const auto begin_scores = [&](i32 stage) {
      const u64 keys = tile_descriptor(tile_k(stage), K_ALONG_K ? 16 : 128 * DQ);
      products_begin();
#pragma unroll
      for (int k = 0; k < SUMMED / 16; ++k)
        multiply_scores(score, queries + (Q_ALONG_K ? k / 4 * (BM * 8) + k % 4 * 2 : k * 128),
            keys + (K_ALONG_K ? k / 4 * (BN * 8) + k % 4 * 2 : k * 128), k > 0);
      products_commit();
    };
    const auto begin_sums = [&](i32 stage) {
      const u64 values = tile_descriptor(tile_v(stage), V_ALONG_K ? 16 : 128 * BN);
      products_begin();
#pragma unroll
      for (int k = 0; k < BN / 16; ++k)
        multiply_values(sum, weights[k], values + (V_ALONG_K ? k / 4 * (DV * 8) + k % 4 * 2 : k * 128), 1);
      products_commit();
    };
    const auto weigh = [&](i32 tile) {
      modify(m, (begin + tile) * BN, lane, sure, score);
      weigh_scores(score, top, total, shrink);
    };
    const auto hold = [&]() {
#pragma unroll
      for (int i = 0; i < BN / 4; ++i)
        weights[i / 4][i % 4] = pair_of(Element(), score[i * 2], score[i * 2 + 1]);
    };
    const auto await_next = [&](i32 tile) {
      const i32 next = tile + 1 < mine ? tile + 1 : tile;
      barrier_wait((tile + 1 < mine ? full_k : full_v) + next % STAGES, next / STAGES % 2);
    };
    if (mine > 0) {  // a count may end before the keys of a part
      barrier_wait(full_q, 0);
      barrier_wait(full_k, 0);
      begin_scores(0);
      products_wait<0>();
      release(empty_k);
      weigh(0);
      hold();
      await_next(0);
      for (i32 tile = 1; tile < mine; ++tile) {
        const i32 stage = tile % STAGES, before = (tile - 1) % STAGES;
        begin_scores(stage);
        barrier_wait(full_v + before, (tile - 1) / STAGES % 2);
        begin_sums(before);
        products_wait<1>();
        release(empty_k + stage);
        weigh(tile);
        settled(score);
        // waiting here, and not where the keys are needed, keeps the weights before the end of the sums
        await_next(tile);
        products_wait<0>();
        release(empty_v + before);
        // few sums are rescaled sooner than asked for: 64 wide 1.13 -> 1.09 ms, causal 0.65 -> 0.61
        if (COLUMNS <= 96 || warp_any(shrink[0] != 1.0f || shrink[1] != 1.0f)) rescale(sum, shrink);
        hold();
      }
      begin_sums((mine - 1) % STAGES);
      products_wait<0>();
      if (mine < tiles) release(empty_v + (mine - 1) % STAGES);
    }
    finish(sum, top, total, m, lane);
    // tiles that only rows below look at
    for (i32 tile = mine; tile < tiles; ++tile) {
      const i32 stage = tile % STAGES;
      const u32 parity = tile / STAGES % 2;
      barrier_wait(full_k + stage, parity);
      release(empty_k + stage);
      barrier_wait(full_v + stage, parity);
      release(empty_v + stage);
    }
  }
"""
