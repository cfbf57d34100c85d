"""Results of a warpgroup on their way out of registers, as halves through shared memory (stmatrix).

After a product a lane holds two neighbours of a row, four lanes eight of them. A store wants whole lines.
Where a sum is rounded to a half type before anything else happens to it, a warp rounds it where it lies,
stores its 16 rows in pieces of 64 columns to shared memory, and takes runs of eight back, a line of 128 bytes
for eight lanes:

    lanes (row l / 4, columns 2 (l % 4))  -> stmatrix -> 16 rows x 128 bytes, swizzled -> 16 bytes a lane

For a tile of 128 x 256 that is half of the instructions which shuffles take, and a bias is loaded once for
four rows, because a lane has the same columns of them.
"""

from __future__ import annotations

from typing import Final

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
