"""Products computed again on Hopper: two warpgroups multiply while four more warps copy.

Each block has 128 rows, 64 for each of two warpgroups, and walks along the keys in tiles of BN. Tiles, roles
and barriers are those of `attention.hopper`, with one pair of barriers for all tiles of a stage. A warpgroup
makes the inner sums of a tile behind the outer ones of the tile before, so that the tensor cores go from one
to the other; while it makes weights of them, the other warpgroup multiplies:

    outer(t - 1) runs;  inner(t) begin;  both end;  weights(t) of inner(t);  outer(t) begin

What the weights read of a row or a key alone (logsumexp, sums of rows) is on its way while both run.
"""

from __future__ import annotations

from typing import Final

#: Barriers, and the role of those who copy.
COPY: Final = r"""
  u64 *const full_rows = reinterpret_cast<u64 *>(behind);
  u64 *const full = full_rows + 1, *const empty = full + STAGES;
  if (thread == 0) {
    barrier_init(full_rows, COPIERS);
    for (int stage = 0; stage < STAGES; ++stage) {
      barrier_init(full + stage, COPIERS);
      barrier_init(empty + stage, WEIGHERS / 32);
    }
    written_for_products();
  }
  __syncthreads();
  if (thread >= WEIGHERS) {
    registers_fewer<COPIER_REGISTERS>();
    const i32 copier = thread - WEIGHERS;
#if BULK_KEYS
    fill_rows(copier);
    copies_commit();
    // a thread asks the copy engine for tiles, which is its arrival; others bring what is read of keys
    const bool asks = copier == COPIERS - 32;
    if (asks) maps_made();
    for (i32 step = 0; step < tiles; ++step) {
      const i32 stage = step % STAGES, n0 = tile_at(step) * BN;
      barrier_wait(empty + stage, step / STAGES % 2 ^ 1);
      keep_keys(copier, stage, n0);
      if (asks) {
        barrier_expect(full + stage, BN * STREAMED * sizeof(Word));
        ask_keys(stage, n0, full + stage);
      } else {
        barrier_arrive(full + stage);
      }
      if (step == 0) { copies_wait<0>(); written_for_products(); barrier_arrive(full_rows); }
    }
    return;
#else
    u64 *pending = full_rows;  // what is being copied, but not known to be there
    const auto announce = [&]() { written_for_products(); barrier_arrive(pending); };
    fill_rows(copier);
    copies_commit();
    for (i32 step = 0; step < tiles; ++step) {
      const i32 stage = step % STAGES;
      const u32 parity = step / STAGES % 2 ^ 1;
      bool announced = false;
      if (!barrier_passed(empty + stage, parity)) {
        copies_wait<0>();
        announce();
        announced = true;
        barrier_wait(empty + stage, parity);
      }
      fill_keys(copier, stage, tile_at(step) * BN);
      copies_commit();
      if (!announced) { copies_wait<1>(); announce(); }
      pending = full + stage;
    }
    copies_wait<0>();
    announce();
    return;
#endif
  }
  registers_more<WEIGHER_REGISTERS>();
"""

#: The role of those who multiply.
MULTIPLY: Final = r"""
  const int lane = thread % 32, warp = thread / 32, warpgroup = warp / 4;
  const i32 m = m0 + warp * 16 + lane / 4;
  read_rows(m);
  if (tiles > 0) barrier_wait(full_rows, 0);
  for (i32 step = 0; step < tiles; ++step) {
    const i32 stage = step % STAGES, n0 = (begin + step) * BN;
    barrier_wait(full + stage, step / STAGES % 2);
    begin_inner(stage, warpgroup);
    read_keys(n0, lane);
    products_wait<0>();
    if (step > 0) {
      __syncwarp();
      if (lane == 0) barrier_arrive(empty + (step - 1) % STAGES);
    }
    if (BOUNDED && (n0 < from || n0 + BN > to)) weigh_masked(m, n0, lane);
    else weigh_inside(m, n0, lane);
    hold();
    begin_outer(stage);
  }
  products_wait<0>();
"""
