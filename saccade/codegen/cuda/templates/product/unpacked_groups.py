"""Few rows times a packed matrix on Hopper: warpgroups unpack in registers, and the tensor cores read A.

As in `unpacked` each lane has two rows of B, 8 apart, and WIDE (32) neighbours along k of each. Here four
warps are a warpgroup, and their fragments are the left factor of `wgmma`, which takes it from registers; its
right one, A, it reads from shared memory: no lane loads fragments of A. A fragment is 16 slots along k, of
which lane t holds 2t, 2t + 1, 2t + 8 and 2t + 9, and these are neighbours of its own. So the tile of A lies
in another order along k, by words of two:

    slot 16 f + 8 h + 2 t + e of 128        element 32 t + 4 f + 2 h + e

A thread takes four chunks of 16 bytes, 32 elements apart, and stores four others, made of a word of each.
The warps of a part of k wait for one another alone.
"""

from __future__ import annotations

from typing import Final

#: `held_still`: registers have their values before the tensor cores are asked to read them, or the compiler
#: makes products wait for one another; `part_meets`: a barrier of those who share out the same part of k
GROUPS_PRELUDE: Final = r"""
DEVICE void held_still(u32 (&r)[4]) { asm volatile("" : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])); }
template <int COUNT> DEVICE void part_meets(int part) {
  asm volatile("bar.sync %0, %1;" ::"r"(part + 1), "n"(COUNT) : "memory");
}
"""

UNPACKED_BY_GROUPS: Final = r"""
  // 128 elements of every row: two panels of 64 in rows of 128 bytes, swizzled
  constexpr int TILE = BM * 256, PANEL = BM * 128, OWN = BN * 2, PITCH = BN + PADDING;
  constexpr int SLOTS = 128, FILLS = BM * 4, EACH = FILLS < OWN ? 1 : FILLS / OWN;
  u8 *const tiles = reinterpret_cast<u8 *>(shared_memory) +
      (1024 - (shared_address(shared_memory) & 1023)) % 1024;
  const int lane = thread % 32, warp = thread / 32, part = warp / (BN / 16), quarter = lane % 4;
  const int mine = warp % (BN / 16) * 16 + lane / 4;
  const i32 n[2] = {least<i32>(place.n + mine, N - 1), least<i32>(place.n + mine + 8, N - 1)};
  const auto chunk_of = [&](i32 step) { return (step * PARTS + part) * 4 + quarter; };
  RawB held[AHEAD][2];
  const auto fetch = [&](RawB (&to)[2], i32 step) {
    to[0] = load_B(place.z, n[0], chunk_of(step));
    to[1] = load_B(place.z, n[1], chunk_of(step));
  };
  // four chunks of A, the same one of each 32 elements; eight lanes have eight rows, and no bank twice
  Vec<u32, 4> given[EACH][4];
  const auto filling = [&](auto use) {
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
      const int id = thread % OWN + i * OWN;
      if (FILLS >= OWN || id < FILLS) use(given[i], id % 8 + id / 32 * 8, id / 8 % 4);
    }
  };
  const auto take = [&](i32 step) {
    filling([&](Vec<u32, 4> (&to)[4], int row, int c) {
#pragma unroll
      for (int t = 0; t < 4; ++t) {
        to[t] = {};
        if (place.m + row < M)
          to[t] = load_many_once<4>(reinterpret_cast<const u32 *>(start_A + row_A(place.z, place.m + row) +
              step_A((step * PARTS + part) * (SLOTS / CHUNK) + t * 4 + c)));
      }
    });
  };
  const auto keep = [&](u8 *tile) {
    filling([&](Vec<u32, 4> (&from)[4], int row, int c) {
      u8 *const line = tile + c / 2 * PANEL + row * 128;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const Vec<u32, 4> words = {{from[0].at[i], from[1].at[i], from[2].at[i], from[3].at[i]}};
        store_many(reinterpret_cast<u32 *>(line + ((c % 2 * 4 + i) ^ (row & 7)) * 16), words);
      }
    });
  };
  Sum sum[BM / 2] = {};
#pragma unroll
  for (int i = 0; i < AHEAD; ++i)
    if (i < STEPS) fetch(held[i], i);
  take(0);
  for (i32 first = 0; first < STEPS; first += AHEAD)
#pragma unroll
    for (int i = 0; i < AHEAD; ++i) {
      const i32 step = first + i;
      if (step >= STEPS) break;
      // the products of two steps ago read this tile, and ended before the barrier of the last step
      u8 *const tile = tiles + (step % STAGES * PARTS + part) * TILE;
      keep(tile);
      written_for_products();
      part_meets<OWN>(part);
      if (step + 1 < STEPS) take(step + 1);
      const Vec<Word, WIDE> above = chunk_B(held[i][0], place.z, n[0], chunk_of(step));
      const Vec<Word, WIDE> below = chunk_B(held[i][1], place.z, n[1], chunk_of(step));
      const auto pair = [](const Vec<Word, WIDE> &of, int at) {
        return (u32)of.at[at] | (u32)of.at[at + 1] << 16;
      };
      u32 left[SLOTS / 16][4];
#pragma unroll
      for (int f = 0; f < SLOTS / 16; ++f) {
        left[f][0] = pair(above, f * 4);
        left[f][1] = pair(below, f * 4);
        left[f][2] = pair(above, f * 4 + 2);
        left[f][3] = pair(below, f * 4 + 2);
        held_still(left[f]);
      }
      const u64 right = tile_descriptor(tile, 16);
      products_begin();
#pragma unroll
      for (int f = 0; f < SLOTS / 16; ++f)
        multiply_held(sum, left[f], right + (f / 4 * PANEL + f % 4 * 32) / 16, 1);
      products_commit();
      if (step + AHEAD < STEPS) fetch(held[i], step + AHEAD);
      products_wait<0>();
    }
  const auto sum_at = [&](int j, int e) { return sum[j * 4 + e]; };
"""
