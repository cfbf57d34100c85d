"""Results of a warpgroup whose rows are of odd length on their way out of registers: lanes side by side write
neighbours.

After a product a lane holds two neighbours of a row, four lanes eight of them. Written one by one as they
lie, a warp touches eight rows at once, and each result works out its own place. So a warp leaves eight rows
of 32 columns in shared memory and writes them row by row: a run of 32 for each instruction, and a lane has
one column of all rows, whose place it works out once.
"""

from __future__ import annotations

from typing import Final

#: elements between rows in shared memory, so that what half of a warp leaves there is in different banks
LINE: Final = 40
#: bytes of shared memory that a warp's eight rows take, and those of the eight warps that multiply
PIECE_BYTES: Final = 8 * LINE * 4
LINES_BYTES: Final = 8 * PIECE_BYTES

LINES: Final = f"""
template <class T, int COUNT, class F>
DEVICE void write_lines(const T (&sum)[COUNT], i32 lane, T *piece, const F &put) {{
#pragma unroll
  for (int j = 0; j < COUNT; j += 16)
#pragma unroll
    for (int half = 0; half < 2; ++half) {{
#pragma unroll
      for (int c = 0; c < 4; ++c)
        *reinterpret_cast<Vec<T, 2> *>(piece + lane / 4 * {LINE} + c * 8 + lane % 4 * 2) =
            {{{{sum[j + c * 4 + half * 2], sum[j + c * 4 + half * 2 + 1]}}}};
      __syncwarp();
#pragma unroll
      for (int row = 0; row < 8; ++row)
        put(half * 8 + row, j * 2 + lane, Vec<T, 1>{{{{piece[row * {LINE} + lane]}}}});
      __syncwarp();
    }}
}}
"""
