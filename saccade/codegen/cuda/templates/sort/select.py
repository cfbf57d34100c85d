"""The first few of a row in order, without a sort of the row: a radix select, then their ranks.

A key and its place make one number of 48 bits, which no other element of the row has. Threads keep their
keys in registers and count digits of eight bits in shared memory, the highest first: the digit in which the
last of the first KEEP lies tells which elements may be among them. As soon as these are few enough to be
CANDIDATES, they are listed in any order, and each counts those before it: that is its place in the result.

    8464 rows of 3142, the first 40: of random floats 71 have the digit of the 40th or one before it

Many equal keys take more digits, at last those of the place, and the list has KEEP elements then.
"""

from __future__ import annotations

from typing import Final

from .....graph.kernels.kernel import Sorting

#: the first that are found so, at most, and how much longer a row has to be
MOST_KEPT: Final = 256
TIMES_LONGER: Final = 8
#: elements whose ranks are counted, of eight bytes
CANDIDATES: Final = 512
#: bytes of shared memory: what was counted of a digit, sums of 32 parts of that, what was found, candidates
SELECT_BYTES: Final = 4 * (256 + 32 + 4) + 8 * CANDIDATES


def selects(sorting: Sorting) -> bool:
    """Are so few of a row wanted that the others need no order?"""
    return sorting.keep <= MOST_KEPT and sorting.keep * TIMES_LONGER <= sorting.length


#: A function of a block: `put(rank, place)` for the first KEEP elements of a row, whose keys threads hold.
SELECT: Final = r"""
template <class F> DEVICE void select_first(const u32 (&keys)[EACH], uint4 *shared, i32 thread, F put) {
  u64 *const candidates = reinterpret_cast<u64 *>(shared);
  u32 *const counts = reinterpret_cast<u32 *>(candidates + CANDIDATES);
  u32 *const sums = counts + 256, *const found = sums + 32, *const listed = found + 3;
  const auto element = [&](i32 k) -> u64 { return (u64)keys[k] << 16 | (u32)(thread + k * THREADS); };
  // of all numbers `before` begin with less than `prefix`, and `among` with it
  u64 prefix = 0;
  u32 before = 0, among = 0;
  i32 shift = 48;
  do {
    shift -= 8;
    for (i32 digit = thread; digit < 256; digit += THREADS) counts[digit] = 0;
    team_barrier(THREADS);
#pragma unroll
    for (i32 k = 0; k < EACH; ++k)
      if (element(k) >> (shift + 8) == prefix) atomic_add(counts + (u32)(element(k) >> shift & 255), 1u);
    team_barrier(THREADS);
    if (thread < 32) {
      u32 sum = 0, less = before;
      for (i32 i = 0; i < 8; ++i) sum += counts[thread * 8 + i];
      sums[thread] = sum;
      __syncwarp();
      for (i32 lane = 0; lane < thread; ++lane) less += sums[lane];
      if (less < KEEP && less + sum >= KEEP) {
        u32 digit = (u32)thread * 8;
        while (less + counts[digit] < KEEP) less += counts[digit++];
        found[0] = digit; found[1] = less; found[2] = counts[digit];
        *listed = 0;
      }
    }
    team_barrier(THREADS);
    prefix = prefix << 8 | found[0];
    before = found[1];
    among = found[2];
  } while (before + among > CANDIDATES);
#pragma unroll
  for (i32 k = 0; k < EACH; ++k)
    if (element(k) >> shift <= prefix) candidates[take_number(listed)] = element(k);
  team_barrier(THREADS);
  for (u32 i = (u32)thread; i < before + among; i += THREADS) {
    const u64 mine = candidates[i];
    u32 rank = 0;
    for (u32 other = 0; other < before + among; ++other) rank += candidates[other] < mine;
    if (rank < KEEP) put((i32)rank, (i32)(mine & 0xffff));
  }
  team_barrier(THREADS);
}
"""
