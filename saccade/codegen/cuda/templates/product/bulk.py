"""Matrix products on Hopper whose factors are copied by the bulk copy engine: one thread asks, boxes arrive.

The tile of the result and its factors in shared memory are those of `wgmma`. What differs is who copies:
a warpgroup of its own, of which one thread asks for the boxes of a step (a box is a part of a matrix in
memory, of rows of 128 bytes, which the engine swizzles as the tensor cores want them, with zeros beyond the
matrix's end). It meets the two warpgroups that multiply at barriers in shared memory only, a pair for each
stage: `full` when its bytes are there, `empty` when nobody needs them any more. So the copies run as far
ahead as there are stages, into the next tile of the result while this one is written, and those who multiply
compute no addresses.

    copier       wait(empty[s]); expect(full[s], bytes); copy_box(A); copy_box(B)
    multipliers  wait(full[s]); products of s; those of s - 1 are done: arrive(empty[s - 1])

The engine is told of a matrix by a map of 128 bytes: where it begins, its sizes and strides, the box. Every
block makes its own in the kernel's workspace, for only there the addresses are known (a captured graph finds
them in a table).

On an H200 a product of 8192 cubed in bfloat16 takes 1.38 ms this way and 1.54 when all threads copy; 1.58 and
1.79 after a quarter of a second without a pause. Blocks in pairs that share what they copy (clusters) took
2.14: not all pairs of a card's worth of blocks fit at once, and the last one begins when others end."""

from __future__ import annotations

from typing import Final

from ...pieces import Factor
from .shares import JOINED, PARTS
from .wgmma import GIVE_BACK

#: threads that multiply, and all
MULTIPLIERS: Final = 256
BULK_THREADS: Final = MULTIPLIERS + 128

#: Maps and boxes: what the emulator of the tests has its own version of.
BULK_PRELUDE: Final = r"""
struct alignas(128) TensorMap { u64 words[16]; };
// a matrix of rows in batches, by a whole warp; `draft` is in shared memory
template <int ITEM_BYTES>
DEVICE void make_map(TensorMap *map, TensorMap *draft, int lane, const void *start, u32 inner, u32 rows,
    u32 batches, u64 row_bytes, u64 batch_bytes, u32 box_inner, u32 box_rows) {
  reinterpret_cast<u32 *>(draft)[lane] = 0;
  __syncwarp();
  const u64 at = shared_address(draft);
  if (lane == 0) {
#define SET(field, bits, letter, value) \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." bits " [%0], %1;" ::"l"(at), \
        letter(value) : "memory")
#define SET_AT(field, bits, letter, place, value) \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." bits " [%0], " place ", %1;" \
        ::"l"(at), letter(value) : "memory")
    SET("global_address", "b64", "l", (u64)start);
    SET("rank", "b32", "r", 2);  // three axes
    SET_AT("box_dim", "b32", "r", "0", box_inner);
    SET_AT("box_dim", "b32", "r", "1", box_rows);
    SET_AT("box_dim", "b32", "r", "2", 1);
    SET_AT("global_dim", "b32", "r", "0", inner);
    SET_AT("global_dim", "b32", "r", "1", rows);
    SET_AT("global_dim", "b32", "r", "2", batches);
    SET_AT("global_stride", "b64", "l", "0", row_bytes);
    SET_AT("global_stride", "b64", "l", "1", batch_bytes);
    SET_AT("element_stride", "b32", "r", "0", 1);
    SET_AT("element_stride", "b32", "r", "1", 1);
    SET_AT("element_stride", "b32", "r", "2", 1);
    SET("elemtype", "b32", "n", ITEM_BYTES == 1 ? 0 : ITEM_BYTES == 2 ? 1 : 2);  // words of that size
    SET("interleave_layout", "b32", "n", 0);
    SET("swizzle_mode", "b32", "n", 3);  // chunk c of row r at c ^ (r & 7)
    SET("fill_mode", "b32", "n", 0);
#undef SET
#undef SET_AT
  }
  __syncwarp();
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
               "[%0], [%1], 128;" ::"l"(__cvta_generic_to_global(map)), "l"(at) : "memory");
}
// who copies with a map waits until it is there
DEVICE void map_made(const TensorMap *map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}
DEVICE void barrier_expect(u64 *barrier, u32 bytes) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
               ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
DEVICE void copy_box(void *to, const TensorMap *map, i32 inner, i32 row, i32 batch, u64 *barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)), "l"(map), "r"(inner), "r"(row),
               "r"(batch), "r"(shared_address(barrier)) : "memory");
}
"""


def map_constants(name: str, factor: Factor, itemsize: int, sizes: tuple[int, int, int]) -> dict[str, int]:
    """What a map of a factor says, for sizes (rows of the product, k, batches)."""
    box = factor.box
    assert box is not None
    rows, k, batches = sizes
    inner, outer = (k, rows) if factor.along_k else (rows, k)
    apart = bool(box.batch)
    return {
        f"{name}_FIRST": box.first,
        f"{name}_INNER": inner,
        f"{name}_OUTER": outer,
        f"{name}_BATCHES": batches if apart else 1,
        f"{name}_ROW_BYTES": box.row * itemsize,
        f"{name}_BATCH_BYTES": (box.batch if apart else box.row) * itemsize,
        f"{name}_APART": int(apart),
    }


BULK: Final = (
    PARTS
    + r"""
  Word *const tiles = reinterpret_cast<Word *>(reinterpret_cast<u8 *>(shared_memory) +
      (1024 - (shared_address(shared_memory) & 1023)) % 1024);
  u64 *const full = reinterpret_cast<u64 *>(tiles + STAGES * (BM + BN) * BK), *const empty = full + STAGES;
  TensorMap *const drafts = reinterpret_cast<TensorMap *>(full + 16);
  u16 *const pieces = reinterpret_cast<u16 *>(drafts + 2);  // for results on their way out, if exchanged
  TensorMap *const maps = reinterpret_cast<TensorMap *>(WORKSPACE) + blockIdx.x * 2;
  const int lane = thread % 32, warp = thread / 32;
  constexpr int LENGTH = 128 / sizeof(Word);
  if (thread == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      barrier_init(full + stage, 1);
      barrier_init(empty + stage, MULTIPLIERS / 32);
    }
    written_for_products();
  }
  if (warp == MULTIPLIERS / 32) {
    make_map<sizeof(Word)>(maps, drafts, lane, start_A + A_FIRST, A_INNER, A_OUTER, A_BATCHES, A_ROW_BYTES,
        A_BATCH_BYTES, LENGTH, A_ALONG_K ? BM : BK);
    make_map<sizeof(Word)>(maps + 1, drafts + 1, lane, start_B + B_FIRST, B_INNER, B_OUTER, B_BATCHES,
        B_ROW_BYTES, B_BATCH_BYTES, LENGTH, B_ALONG_K ? BN : BK);
  }
  __syncthreads();
  if (warp >= MULTIPLIERS / 32) {
    registers_fewer<24>();
    if (thread == MULTIPLIERS) {
      map_made(maps);
      map_made(maps + 1);
      i32 stage = 0;
      u32 parity = 1;
      for (Share share = first_share((i32)(u32)blockIdx.x); share.tile < TILES; share = next_share(share)) {
        const Place place = place_of(share.tile);
        const i32 z_a = A_APART ? place.z : 0, z_b = B_APART ? place.z : 0;
        for (i32 step = share.from; step < share.to; ++step) {
          Word *const a = tiles + stage * (BM + BN) * BK, *const b = a + BM * BK;
          barrier_wait(empty + stage, parity);
          barrier_expect(full + stage, (BM + BN) * BK * sizeof(Word));
          if (A_ALONG_K)
            copy_box(a, maps, step * BK, place.m, z_a, full + stage);
          else
            for (int panel = 0; panel < BM / LENGTH; ++panel)
              copy_box(a + panel * LENGTH * BK, maps, place.m + panel * LENGTH, step * BK, z_a, full + stage);
          if (B_ALONG_K)
            copy_box(b, maps + 1, step * BK, place.n, z_b, full + stage);
          else
            for (int panel = 0; panel < BN / LENGTH; ++panel)
              copy_box(b + panel * LENGTH * BK, maps + 1, place.n + panel * LENGTH, step * BK, z_b,
                  full + stage);
          if (++stage == STAGES) { stage = 0; parity ^= 1; }
        }
      }
    }
  } else {
    registers_more<240>();
    // two warpgroups one above the other, or side by side where 64 rows are all there are
    constexpr int COLUMNS = BM == 64 ? BN / 2 : BN;
    const int warpgroup = warp / 4;
    const int above = BM == 64 ? 0 : warpgroup, beside = BM == 64 ? warpgroup : 0;
    const auto release = [&](i32 stage) { __syncwarp(); if (lane == 0) barrier_arrive(empty + stage); };
    i32 stage = 0;
    u32 parity = 0;
    // begins the products of a step; which stage it was
    const auto multiply = [&](Sum (&into)[COLUMNS / 2], bool kept) -> i32 {
      barrier_wait(full + stage, parity);
      const Word *const tile_a = tiles + stage * (BM + BN) * BK, *const tile_b = tile_a + BM * BK;
      const u64 a = tile_descriptor(tile_a + above * 64 * BK, 16);
      const u64 b = tile_descriptor(tile_b + beside * COLUMNS * BK, B_ALONG_K ? 16 : 128 * BK);
      products_begin();
#pragma unroll
      for (int k = 0; k < BK / (2 * CHUNK); ++k)
        multiply_tiles(into, a + k * (A_ALONG_K ? 2 : 128), b + k * (B_ALONG_K ? 2 : 128), kept || k);
      products_commit();
      const i32 mine = stage;
      if (++stage == STAGES) { stage = 0; parity ^= 1; }
      return mine;
    };
    for (Share share = first_share((i32)(u32)blockIdx.x); share.tile < TILES; share = next_share(share)) {
      Sum sum[COLUMNS / 2] = {};
#if IN_PARTS
      for (i32 step = 0; step < STEPS; step += 2) {
        Sum part[COLUMNS / 2];
        const i32 first = multiply(part, false);
        const i32 second = step + 1 < STEPS ? multiply(part, true) : first;
        products_wait<0>();
        release(first);
        if (step + 1 < STEPS) release(second);
#pragma unroll
        for (int i = 0; i < COLUMNS / 2; ++i) sum[i] += part[i];
      }
#else
      i32 before = multiply(sum, true);
      for (i32 step = share.from + 1; step < share.to; ++step) {
        const i32 mine = multiply(sum, true);
        products_wait<1>();
        release(before);
        before = mine;
      }
      products_wait<0>();
      release(before);
#endif
"""
    + JOINED
    + r"""      const Place place = place_of(share.tile);
      const i32 z = place.z, m = place.m + above * 64 + warp % 4 * 16, n = place.n + beside * COLUMNS;
"""
    + GIVE_BACK
    + r"""
    }
  }
"""
)


# Results of a warpgroup on their way out of registers, as halves through shared memory (stmatrix).
#
# After a product a lane holds two neighbours of a row, four lanes eight of them. A store wants whole lines.
# Where a sum is rounded to a half type before anything else happens to it, a warp rounds it where it lies,
# stores its 16 rows in pieces of 64 columns to shared memory, and takes runs of eight back, a line of 128
# bytes for eight lanes. For a tile of 128 x 256 that is half of the instructions which shuffles take, and a
# bias is loaded once for four rows, because a lane has the same columns of them.

#: bytes of shared memory that a warp's piece takes, and of those of the eight warps that multiply
PIECE_BYTES: Final = 16 * 128
EXCHANGE_BYTES: Final = 8 * PIECE_BYTES

#: `write_halves`: sums as lanes hold them are given to `put(row, column, run)`, rows of the warp's 16. `Half`
#: is the type they are rounded to.
EXCHANGE: Final = r"""
template <int COUNT, class F>
DEVICE void write_halves(const f32 (&sum)[COUNT], i32 lane, u16 *piece, const F &put) {
  constexpr int CHUNKS = COUNT % 32 == 0 ? 8 : 4;  // of eight columns, in a piece
#pragma unroll
  for (int j = 0; j < COUNT / 4; j += CHUNKS) {
#pragma unroll
    for (int c = 0; c < CHUNKS; c += 2) {
      const int i = (j + c) * 4;
      const u32 words[4] = {pair_of(Half(), sum[i], sum[i + 1]), pair_of(Half(), sum[i + 2], sum[i + 3]),
          pair_of(Half(), sum[i + 4], sum[i + 5]), pair_of(Half(), sum[i + 6], sum[i + 7])};
      store_matrices(piece + swizzled<CHUNKS>(lane % 16, c + lane / 16) * 8, words);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < CHUNKS / 2; ++i) {
      const int row = i * (32 / CHUNKS) + lane / CHUNKS, c = lane % CHUNKS;
      const uint4 run = *reinterpret_cast<const uint4 *>(piece + swizzled<CHUNKS>(row, c) * 8);
      put(row, (j + c) * 8, bits_as<Vec<Given, 8>>(run));
    }
    __syncwarp();
  }
}
"""


def exchange_text(tag: str, given: str) -> str:
    """The function for a half type, by the names of its tag and of what its bits travel as."""
    return f"typedef {tag} Half;\ntypedef {given} Given;\n{EXCHANGE}"
