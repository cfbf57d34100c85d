"""Products with a factor that is computed again, as CUDA C++: what all cards share, and the walk of warps.

A block has BM rows and walks along the keys in tiles of BN. Of each tile it makes the inner sums on the
tensor cores, makes the weights of them where they lie (in the registers of a warp, four lanes to a row), and
multiplies the weights, which are a factor as they lie, with the values. A tile lies in shared memory as in
`attention.text`; where values are also a factor of an inner sum, one tile serves both: it is read along its
rows for the one and across them for the other."""

from __future__ import annotations

from typing import Final

#: What a warp does with its 16 rows.
PRODUCTS: Final = r"""
// made (16 x BN) = rows * keys^T, over STEPS * 16 of the sum
template <int STEPS>
DEVICE void multiply_rows(f32 (&made)[BN / 2], const Word *rows, const Word *keys, int first, int lane) {
  const int eight = lane / 8, upper = eight / 2 * 8 + lane % 8;
#pragma unroll
  for (int i = 0; i < BN / 2; ++i) made[i] = 0;
#pragma unroll
  for (int k = 0; k < STEPS; ++k) {
    u32 left[4];
    load_matrices<false>(left, rows + placed(BM, first + lane % 16, k * 2 + lane / 16));
#pragma unroll
    for (int j = 0; j < BN / 16; ++j) {
      u32 right[4];
      load_matrices<false>(right, keys + placed(BN, j * 16 + upper, k * 2 + eight % 2));
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const u32 pair[2] = {right[i * 2], right[i * 2 + 1]};
        multiply_add(Element(), Element(), four(made + j * 8 + i * 4), left, pair);
      }
    }
  }
}
// sum (16 x COLUMNS) += weight * values
DEVICE void add_products(f32 (&sum)[COLUMNS / 2], const f32 (&weight)[BN / 2], const Word *values, int lane) {
  const int eight = lane / 8;
#pragma unroll
  for (int k = 0; k < BN / 16; ++k) {
    u32 left[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      left[i] = pair_of(Element(), weight[k * 8 + i * 2], weight[k * 8 + i * 2 + 1]);
#pragma unroll
    for (int j = 0; j < COLUMNS / 16; ++j) {
      u32 right[4];
      load_matrices<true>(right, values + placed(BN, k * 16 + lane % 16, j * 2 + eight / 2));
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const u32 pair[2] = {right[i * 2], right[i * 2 + 1]};
        multiply_add(Element(), Element(), four(sum + j * 8 + i * 4), left, pair);
      }
    }
  }
}
"""

#: A block's place, and which tiles of keys its rows have weights for.
PLACE: Final = r"""
  extern __shared__ uint4 shared_memory[];
  const i32 thread = (i32)(u32)threadIdx.x, block = (i32)(u32)blockIdx.x, z = block / TILES_M;
  // rows with the most keys first: the last ones, where keys end with them
  const i32 m0 = (ENDS ? TILES_M - 1 - block % TILES_M : block % TILES_M) * BM;
  const i32 last = least<i32>(m0 + BM, M) - 1;
  const i32 begin = low_of(z, m0) / BN, tiles = most<i32>((high_of(z, last) + BN - 1) / BN - begin, 0);
  const i32 from = low_of(z, last), to = high_of(z, m0);  // keys that all rows of the block have weights for
  const auto tile_at = [&](i32 step) -> i32 { return begin + step; };
  Word *const tile = reinterpret_cast<Word *>(reinterpret_cast<u8 *>(shared_memory) +
      (1024 - (shared_address(shared_memory) & 1023)) % 1024);
"""

#: A tile of rows, or of keys, is filled.
FILL_ROWS: Final = r"""
  const auto fill_NAME = [&](u32 copier) {
#pragma unroll
    for (u32 i = 0; i < BM * WIDTH / 8 / COPIERS; ++i) {
      const u32 at = copier + i * COPIERS, row = at / (WIDTH / 8), c = at % (WIDTH / 8);
      const i32 inside = least<i32>(c, (LENGTH + 7) / 8 - 1);
      put_chunk(tile_NAME + placed(BM, row, c), at_NAME(z, least<i32>(m0 + row, M - 1), inside),
          c * 8 < LENGTH);
    }
  };
"""
FILL_KEYS: Final = r"""
  const auto fill_NAME = [&](u32 copier, i32 stage, i32 n0) {
#pragma unroll
    for (u32 i = 0; i < BN * WIDTH / 8 / COPIERS; ++i) {
      const u32 at = copier + i * COPIERS, row = at / (WIDTH / 8), c = at % (WIDTH / 8);
      const i32 inside = least<i32>(c, (LENGTH + 7) / 8 - 1), key = n0 + row;
      put_chunk(tile_NAME(stage) + placed(BN, row, c), at_NAME(z, least<i32>(key, KEYS - 1), inside),
          c * 8 < LENGTH && key < KEYS);
    }
  };
"""

#: The walk along the keys.
WALK: Final = r"""
  const int lane = thread % 32, first = thread / 32 * 16;
  const i32 m = m0 + first + lane / 4;
  fill_rows(thread);
  read_rows(m);
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < tiles) fill_keys(thread, stage, (begin + stage) * BN);
    copies_commit();
  }
  for (i32 step = 0; step < tiles; ++step) {
    const i32 next = step + STAGES - 1, stage = step % STAGES, n0 = (begin + step) * BN;
    if constexpr (STAGES == 1) __syncthreads();
    else { copies_wait<STAGES < 2 ? 0 : STAGES - 2>(); __syncthreads(); }
    if (next < tiles) fill_keys(thread, next % STAGES, (begin + next) * BN);
    copies_commit();
    if constexpr (STAGES == 1) { copies_wait<0>(); __syncthreads(); }
    read_keys(n0, lane);
    make_sums(stage, first, lane);
    if (BOUNDED && (n0 < from || n0 + BN > to)) weigh_masked(m, n0, lane);
    else weigh_inside(m, n0, lane);
    add_sums(stage, lane);
  }
"""
