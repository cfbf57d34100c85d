"""Which tile of a matrix product takes the least time, from measured times and the processors there are.

thread_tile(4096, 512, 512, 1, 132)      # 32 x 128, and 94 microseconds for 1024 of the sum
lone_tile(1024, 1024, 1, 132, True)      # 128 x 64 of warpgroups: each processor has one
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

#: how threads get a factor: in chunks along the sum, which pass through registers, in chunks across it, which
#: are copied to shared memory, or word by word
Way = Literal["along", "across", "singly"]


class ThreadTile(NamedTuple):
    """A tile of float32 results that threads multiply for, what it takes of the sum at a time, and the
    microseconds that 1024 of the sum take on an H200: where a processor has one of them, and for each where
    it has several."""

    rows: int
    columns: int
    depth: int
    together: int
    alone: float
    crowded: float


#: Large tiles load less for each sum, small ones keep more processors busy. Those of two factors that are
#: copied to shared memory while the last step is multiplied: 4096 x 512 (turned) x 512 takes 48.9 us by 64 x
#: 128 and 55 through registers, 128 sums of 1024 x 64 x 64 29.5 and 47.
COPIED_TILES: Final = (
    ThreadTile(128, 256, 32, 1, 191.0, 191.0),
    ThreadTile(128, 128, 32, 1, 99.0, 99.0),
    ThreadTile(64, 128, 32, 2, 56.0, 47.0),
    ThreadTile(32, 128, 32, 2, 45.0, 26.5),
    ThreadTile(32, 128, 16, 4, 90.0, 23.6),
    ThreadTile(64, 64, 32, 2, 29.0, 26.0),
    ThreadTile(32, 64, 32, 4, 25.0, 14.0),
    ThreadTile(64, 32, 32, 4, 25.0, 14.0),
    ThreadTile(32, 32, 32, 4, 15.0, 8.5),
)
#: of which the first comes through registers, fewer rows a thread: 4096 x 512 x 512 takes 53 us by 32 x 128,
#: 55 by 64 x 128 and 56 by 128 x 128, 1024 x 512 x 1536 42.5, 47 by 64 x 64 and 57 by 128 x 128
MIXED_TILES: Final = (
    ThreadTile(128, 256, 32, 1, 215.0, 203.0),
    ThreadTile(128, 128, 16, 1, 107.0, 110.0),
    ThreadTile(64, 128, 32, 1, 106.0, 54.0),
    ThreadTile(32, 128, 32, 2, 45.0, 27.0),
    ThreadTile(32, 128, 16, 4, 100.0, 25.5),
    ThreadTile(64, 64, 32, 2, 37.0, 30.0),
    ThreadTile(32, 64, 32, 4, 25.0, 14.2),
    ThreadTile(64, 32, 32, 4, 28.0, 16.0),
)
#: of which the second does, too: 107 -> 63 us for 1024 cubed by 64 x 64 instead of 128 x 128, 54 -> 18 for
#: 512 cubed, 28 -> 8 for 512 x 49 x 256 by 32 x 64, 20.1 -> 16.8 for 2665 x 257 x 257 by 64 x 96 instead of
#: 64 x 64
HELD_TILES: Final = (
    ThreadTile(128, 256, 16, 1, 212.0, 212.0),
    ThreadTile(128, 128, 16, 1, 107.0, 108.0),
    ThreadTile(128, 128, 16, 2, 125.0, 107.0),
    ThreadTile(64, 128, 16, 2, 63.0, 55.0),
    ThreadTile(96, 64, 16, 2, 54.0, 44.0),
    ThreadTile(64, 96, 16, 2, 54.0, 46.0),
    ThreadTile(64, 64, 16, 2, 37.0, 30.5),
    ThreadTile(32, 64, 16, 2, 28.0, 20.0),
    ThreadTile(128, 32, 16, 2, 37.0, 30.5),
    ThreadTile(64, 32, 16, 2, 28.0, 20.0),
)
#: and whose results lie in odd rows, which a large tile writes one by one while nobody sums: 1024 x 512 x
#: 8003 takes 253 us by 128 x 256 and 213 by 128 x 128
HELD_TO_ODD: Final = HELD_TILES[1:]
#: and of odd rows, which are copied word by word: 2665 x 777 x 777 takes 120 us by 64 x 64, 130 by 128 x 32,
#: 265 x 333 x 8003 49 by 96 x 64
ODD_TILES: Final = (
    ThreadTile(128, 256, 16, 1, 218.0, 217.0),
    ThreadTile(128, 128, 16, 1, 123.0, 119.0),
    ThreadTile(64, 128, 16, 2, 63.0, 55.0),
    ThreadTile(96, 64, 16, 2, 54.0, 47.0),
    ThreadTile(64, 96, 16, 2, 54.0, 47.0),
    ThreadTile(64, 64, 16, 2, 37.0, 30.5),
    ThreadTile(32, 64, 16, 2, 28.0, 20.0),
    ThreadTile(128, 32, 16, 2, 50.0, 41.0),
    ThreadTile(64, 32, 16, 2, 28.0, 20.0),
)
#: a sum this short is over before a block has filled its processor: several small ones wait in turn. 5329
#: products of 27 x 27 took 28 -> 19 us by 32 x 32 instead of 32 x 64, 4096 of 32 x 32 26 -> 17
SHORT_SUM = 64
SHORT_TILES: Final = (
    ThreadTile(64, 64, 16, 2, 37.0, 30.5),
    ThreadTile(32, 64, 16, 2, 28.0, 20.0),
    ThreadTile(32, 32, 16, 4, 19.0, 13.5),
)


def tiles_of(a: Way, b: Way, vectors: bool = True) -> tuple[ThreadTile, ...]:
    """The tiles of float32 there are, by the ways the factors come, that of the columns second; may results
    be written in `vectors`?"""
    if "singly" in (a, b):
        return ODD_TILES
    if b == "across":
        return COPIED_TILES if a == "across" else MIXED_TILES
    return HELD_TILES if vectors else HELD_TO_ODD


def tiles_in(m: int, n: int, rows: int, columns: int, symmetric: bool = False) -> int:
    """Tiles of this size in a result; in one that is `symmetric`, those of its lower triangle if they are
    squares: what is above is the same."""
    down, across = -(-m // rows), -(-n // columns)
    return down * (down + 1) // 2 if symmetric and rows == columns else down * across


def thread_tile(
    m: int, n: int, k: int, batches: int, processors: int, tiles: tuple[ThreadTile, ...] = COPIED_TILES,
    symmetric: bool = False,
) -> tuple[ThreadTile, float]:  # fmt: skip
    """The tile of float32 that takes the least time, and that: microseconds for 1024 of the sum."""
    times = {}
    for tile in SHORT_TILES if k <= SHORT_SUM else tiles:
        each = -(-(tiles_in(m, n, tile.rows, tile.columns, symmetric) * batches) // processors)
        times[tile] = tile.alone if each == 1 else max(tile.alone, each * tile.crowded)
    best = min(times, key=times.__getitem__)
    return best, times[best]


def sliced(rows: int, columns: int, tiles: int, k: int, processors: int) -> int:
    """Slices of the threads of a tile: more than one where a processor has one tile at most, of a long sum,
    or tiles are small. On an H200 1024 of the sum took 29.5 -> 23.5 us for 32 x 64 and 43.5 -> 40.9 for 64 x
    64 of odd rows, one of them on a processor, and longer where there were several; 29 -> 27.5 for 64 x 64
    and 92 -> 91 for 128 x 128 otherwise; 8.9 -> 8.0 for each of four of 32 x 32. 128 products of 64 x 64 x
    784, both factors along the sum: 41.8 -> 34.2."""
    if k <= 2 * SHORT_SUM:
        return 1
    if (rows, columns) == (32, 32):
        return 8
    return {(64, 64): 4, (32, 64): 8, (128, 128): 2}.get((rows, columns), 1) if tiles <= processors else 1


#: sides of products that warps have one by one, bytes of their sums, sums in the registers of a warp, and
#: tiles that give every warp scheduler of an H200 one
SMALL_SIDE: Final = 64
SMALL_SUM: Final = 512
WARP_SUMS: Final = 48 * 48
ENOUGH_WARPS: Final = 4


def warp_tile(
    m: int, n: int, sum_bytes: int, batches: int, processors: int, along: tuple[bool, bool]
) -> tuple[int, int] | None:
    """The tile of a warp that loads its fragments from memory, of many small products: a block of a larger
    tile would mostly be without rows, and its warps wait for each other. It has 64 rows of a factor that does
    not run `along` the sum."""
    if max(m, n) > SMALL_SIDE or sum_bytes > SMALL_SUM or not any(along):
        return None
    rows = -(-m // 16) * 16 if along[0] else SMALL_SIDE
    columns = -(-n // 8) * 8 if along[1] else SMALL_SIDE
    if not along[0]:
        columns = min(columns, WARP_SUMS // rows // 8 * 8)
    rows = min(rows, WARP_SUMS // columns // 16 * 16)
    tiles = -(-m // rows) * -(-n // columns) * batches
    return (rows, columns) if tiles >= ENOUGH_WARPS * processors else None


def tile_of(m: int, n: int, batches: int) -> tuple[int, int]:
    """The largest tile of tensor cores that still gives most multiprocessors something to do, and is not half
    empty."""
    rows = 64 if m <= 64 else 128
    for bm, bn, least in ((rows, 256, 128), (rows, 128, 96)):
        if n > bn // 2 and -(-m // bm) * -(-n // bn) * batches >= least:
            return bm, bn
    return 64, 64


#: tiles of warpgroups for products of few of them, the smallest first
_FEW_TILES: Final = ((64, 64), (128, 64), (64, 128), *((128, columns) for columns in range(96, 257, 32)))


def lone_tile(m: int, n: int, batches: int, processors: int, along_k: bool) -> tuple[int, int] | None:
    """The smallest tile of warpgroups that gives no processor a second one, if there is one: blocks are alone
    on their processors then, and have all of its shared memory for what is on its way.

    On an H200, 82 -> 41 us for a convolution of 512 channels over 64 x 7 x 7 by 128 x 96 instead of 128 x
    128, 45 -> 35 for one of 256 over 64 x 14 x 14 by 128 x 192, 12.8 -> 7.3 for 1024 cubed by 128 x 64.

    Columns of a factor that does not run along k come in panels of 64."""
    for bm, bn in _FEW_TILES:
        columns = bn if bm == 128 else bn // 2
        whole = (m > 64 or bm == 64) and (along_k or columns % 64 == 0)
        if whole and -(-m // bm) * -(-n // bn) * batches <= processors:
            return bm, bn
    return None
