"""Stream-K: blocks that have no tile of a product help those that have one, along the sum.

A product of few tiles and a long sum, as the gradient of a weight, leaves processors without a tile: 3072 x
768 by tiles of 128 x 192 has 96 of them, for 132 processors. So a block with a tile sums the first OWN steps
of it, and HELPERS blocks share out the rest. The rests, TAIL steps of each tile, lie end to end on a line, of
which every helper has the next EACH steps: the end of one tile's rest and the beginning of the next, or a
part of one.

    tile 0   own own own own | 0 0 0 0          helper 0 has the first EACH steps of the tails, ...
    tile 1   own own own own | 0 0 1 1          part number helper + tile
    tile 2   own own own own | 1 1 1 1

A helper leaves its part of a sum in the workspace, as its lanes hold it, and raises a flag for every warp.
The block of the tile adds the parts of its helpers in order, so the bits are the same every time, and writes
the results. Blocks with a tile walk along the sum side by side and read the same rows of factors at the same
time; so do helpers, of other rows.

On an H200, sums of 16,384: 116 -> 105 us for 3072 x 768, 91 -> 46 for 768 x 768; 72 -> 54 for 1000 x 1000, a
sum of 8,192.

Helpers have the first numbers, so a block waits only for blocks that began before it. A function in front
clears the flags.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from ...prelude import kernel_head
from .tiles import lone_tile

#: threads of the function that clears flags, and the warps that multiply, each with a flag for a part
CLEARERS: Final = 256
WARPS: Final = 8
#: what leaving or adding a part takes, and writing results, in steps of a sum
PART_STEPS: Final = 2
WRITE_STEPS: Final = 4
#: the function that clears flags, in steps as well
START_STEPS: Final = 6
#: what helpers must save of the time to be asked
LEAST_SAVED: Final = 0.05
#: steps take longer the more of all blocks help: processors that were idle use the same memory, and helpers
#: read other rows of the factors. On an H200 a step of 128 x 192 took 0.45 microseconds without helpers, 0.54
#: where 36 of 132 blocks helped and 0.62 where 60 did; of 128 x 256 0.59, with 60 helpers 0.77, with 78 0.82
SLOWER: Final = 0.75
#: rows of a tile, and elements of a step, of halves
TILE_ROWS: Final = 128
STEP: Final = 64
#: by the columns of a tile of warpgroups in a block that is alone on its processor: the share of the tensor
#: cores' rate it reaches. The gradients of the weights of GPT-2 small, sums of 16,384 on an H200: 768 x 768
#: by 128 x 64 took 91 microseconds, 2304 x 768 by 128 x 128 86, 768 x 3072 by 128 x 192 118
LONE_REACHED: Final = {64: 0.5, 96: 0.8, 128: 1.05, 160: 1.1, 192: 1.15, 224: 1.15, 256: 1.2}
#: bytes that parts and flags begin at
ALIGNED: Final = 128

#: What the emulator of the tests has its own version of.
SHARES_PRELUDE: Final = r"""
DEVICE void await_part(const u32 *flag) {
  u32 seen;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (seen == 0);
}
DEVICE void part_done(u32 *flag) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
}
"""

#: What a block does: steps of the sum of a tile, then those of its next one.
SHARES: Final = r"""
struct Share { i32 tile, from, to, at, end; };
#if HELPERS
// of the line of tails, from a place to the end of a helper's
DEVICE Share share_on_line(i32 at, i32 end) {
  const i32 tile = at / TAIL, from = at - tile * TAIL;
  return {at < end ? tile : TILES, OWN + from, OWN + least<i32>(TAIL, from + end - at), at, end};
}
DEVICE Share first_share(i32 block) {
  if (block >= HELPERS) return {block - HELPERS, 0, OWN, 0, 0};
  return share_on_line(block * EACH, least<i32>(block * EACH + EACH, TILES * TAIL));
}
DEVICE Share next_share(Share share) {
  if (share.from == 0) return {TILES, 0, 0, 0, 0};
  return share_on_line(share.at + share.to - share.from, share.end);
}
#else
DEVICE Share first_share(i32 block) { return {block, 0, STEPS, 0, 0}; }
DEVICE Share next_share(Share share) { return {share.tile + GRID, 0, STEPS, 0, 0}; }
#endif
"""

#: Behind the products of a share: a helper leaves its part, a block with a tile adds those of its helpers.
JOINED: Final = r"""
      if (HELPERS) {
        const auto part_at = [&](i32 number) {
          return parts + (u64)(number * (MULTIPLIERS / 32) + warp) * (COLUMNS / 8 * 32) + lane;
        };
        if (share.from > 0) {
          const i32 number = (i32)(u32)blockIdx.x + share.tile;
          Vec<Sum, 4> *const part = part_at(number);
#pragma unroll
          for (int j = 0; j < COLUMNS / 8; ++j)
            part[j * 32] = {{sum[j * 4], sum[j * 4 + 1], sum[j * 4 + 2], sum[j * 4 + 3]}};
          __syncwarp();
          if (lane == 0) part_done(flags + number * (MULTIPLIERS / 32) + warp);
          continue;
        }
        const i32 last = ((share.tile + 1) * TAIL - 1) / EACH;
        for (i32 helper = share.tile * TAIL / EACH; helper <= last; ++helper) {
          const i32 number = helper + share.tile;
          const Vec<Sum, 4> *const part = part_at(number);
          if (lane == 0) await_part(flags + number * (MULTIPLIERS / 32) + warp);
          __syncwarp();
#pragma unroll
          for (int j = 0; j < COLUMNS / 8; ++j) {
            const Vec<Sum, 4> four = part[j * 32];
#pragma unroll
            for (int e = 0; e < 4; ++e) sum[j * 4 + e] += four.at[e];
          }
        }
      }
"""

#: Where flags and parts are in the workspace.
PARTS: Final = r"""
  u32 *const flags = buffer_at<u32>(WORKSPACE + FLAGS_AT);
  Vec<Sum, 4> *const parts = buffer_at<Vec<Sum, 4>>(WORKSPACE + PARTS_AT);
"""

CLEAR: Final = r"""
  const u32 at = blockIdx.x * CLEARERS + threadIdx.x;
  if (at < FLAGS) buffer_at<u32>(WORKSPACE + FLAGS_AT)[at] = 0;
"""


@dataclass(frozen=True)
class Shares:
    """How a product of `tiles`, each a sum of `steps`, is shared out: steps that a block with a tile has of
    it, and that a helper has; `own` is all of them where nobody helps."""

    tiles: int
    steps: int
    helpers: int = 0
    own: int = 0
    each: int = 0

    @property
    def longest(self) -> float:
        """The steps of the block that has most, with what leaving, adding and writing take."""
        if not self.helpers:
            return self.steps + WRITE_STEPS
        parts = 1 + (self.tail - 1) / self.each, 1 + self.each / self.tail
        own, helper = self.own + PART_STEPS * parts[0] + WRITE_STEPS, self.each + PART_STEPS * parts[1]
        return max(own, helper)

    @property
    def tail(self) -> int:
        return self.steps - self.own

    def constants(self, start: int) -> dict[str, int]:
        """Sizes for the text, with flags and parts behind `start` bytes of the workspace."""
        flags_at = -(-start // ALIGNED) * ALIGNED
        flags = (self.tiles + self.helpers) * WARPS
        return {
            "HELPERS": self.helpers, "OWN": self.own, "TAIL": max(self.tail, 1), "EACH": max(self.each, 1),
            "CLEARERS": CLEARERS, "FLAGS": flags, "FLAGS_AT": flags_at,
            "PARTS_AT": -(-(flags_at + 4 * flags) // ALIGNED) * ALIGNED,
        }  # fmt: skip

    def first_text(self, name: str, buffers: int) -> str:
        """The function that clears flags."""
        return "\n".join([kernel_head(f"{name}_first", buffers, CLEARERS), CLEAR, "}"])


def shares_of(tiles: int, steps: int, helpers: int) -> Shares | None:
    """Steps for everyone, so that all end at about the same time; None where there is too little to share."""
    if helpers < 1:
        return Shares(tiles, steps, own=steps)
    blocks = tiles + helpers
    parts = PART_STEPS * (blocks - 1)
    together = tiles * (steps + WRITE_STEPS) + 2 * parts
    own = round(together / blocks - WRITE_STEPS - parts / tiles)
    if not 1 <= own < steps:
        return None
    return Shares(tiles, steps, helpers, own, -(-tiles * (steps - own) // helpers))


class StreamK(NamedTuple):
    """Tiles of a product in halves, helpers, and the steps of the sum that take as long as all of it."""

    columns: int
    helpers: int
    steps: float


def stream_k(m: int, n: int, k: int, batches: int, processors: int, along_k: bool) -> StreamK | None:
    """The tiles with helpers that save most, where that is enough, of a product whose factors both lie in
    memory as matrices. Products that are small enough for tiles of 64 rows are none of these."""
    lone = lone_tile(m, n, batches, processors, along_k)
    if lone is None or lone[0] != TILE_ROWS:
        return None
    steps = -(-k // STEP)
    found = {}
    for columns in (256, 192, 128):
        tiles = -(-m // TILE_ROWS) * -(-n // columns) * batches
        shares = shares_of(tiles, steps, processors - tiles) if tiles < processors else None
        if shares is not None and n > columns // 2:
            slower = 1 + SLOWER * shares.helpers / processors
            made = StreamK(columns, shares.helpers, (shares.longest + START_STEPS) * slower)
            found[made.steps * columns / LONE_REACHED[columns]] = made
    whole = (steps + WRITE_STEPS) * lone[1] / LONE_REACHED[lone[1]]
    best = min(found, default=whole)
    return found[best] if best < (1 - LEAST_SAVED) * whole else None
