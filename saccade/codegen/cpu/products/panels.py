"""Sizes of what is packed for a product: how many columns a panel has, and how many rows are packed together.

    for panel of columns: pack it { for rows: { for tiles of the panel: multiply } }

Lone factors are read once for every panel: the wider it is, the less often. One that is wider than the second
cache holds would come from the third for every tile of rows.

Where both factors lie across the sum, as in `x.T @ y`, rows are packed too, block by block, and for every
panel anew. That takes longer than reading them, so panels are wider there and come from the third cache. A
block of rows reads a few lines of memory for every step of the sum, and more lines in a row cost less each.

    one thread of a Cascade Lake, tiles of 9 x 3 vectors, GFLOP/s by columns of a panel:
    2048 x 384 x 1536    48 columns 102, 96: 107, 192: 117, 384: 127, 768 (more than the cache): 112

    one thread of a Neoverse N1, tiles of 6 x 4 vectors, GFLOP/s of x.T @ y by columns of a panel:
    784 x 512 x 512      96 columns 32.4, 144: 33.6, 192: 35.0, 264: 35.8
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ....runtime.config import settings
from ....runtime.cpu.machine import host_registers, near_caches

#: rows of a tile that is kept in cache for a block of them, which are its lanes, at least
BLOCK = 16
#: how much longer one vector of rows takes than two: each lone factor is loaded for it alone, and what every
#: block reads is read twice as often. One thread of a Cascade Lake, attention of 8 x 512 x 64: 8.6 -> 6.8 ms,
#: two products of 2048 x 64 x 1024 x 64 7.2 -> 5.0
ONE_VECTOR = 1.25
#: rows that are packed together where registers are wide
WIDE_BLOCK = 128
#: bytes of a panel whose rows are packed for it, where registers are wide
WIDE_PANEL = 4 << 20
#: tiles of a panel: more gain nothing
MOST_TILES = 64
#: instructions to read a vector of lone factors again: far ones, those in the second cache; to pack it again
READ, READ_NEAR, PACKED = 14.0, 5.0, 60.0
#: the same where lone factors are four to a register
READ_BY_LANE, PACKED_BY_LANE = 2.0, 20.0
#: instructions to write and read a vector of a panel that the first cache is too small for
FAR_PANEL = 6.0
#: the same of one that the second cache has little room for beside the matrix that it is a copy of: 64 x 1024
#: times 1024 x 1000 takes 1.23 ms by 48 columns, 1.26 by 96 and 1.39 by 144
LARGE_PANEL = 15.0


def block_of(rows: int, lanes: int) -> int:
    """Rows that a tile in cache is made for at once: two vectors, unless too many are made twice then, as 33
    in blocks of 32 that overlap."""
    two = 2 * lanes
    if two <= BLOCK or rows < two or ceil(rows / two) * two > ONE_VECTOR * ceil(rows / BLOCK) * BLOCK:
        return BLOCK
    return two


def rows_together(unroll: int) -> int:
    """Rows whose lone factors are copied together: some lines' worth, in whole tiles of registers."""
    return ceil((BLOCK if host_registers().by_lane else WIDE_BLOCK) / unroll) * unroll


@dataclass(frozen=True)
class Panels:
    """`columns` in each panel, and what that costs: the share of work that is done twice or waits for other
    threads, and instructions for each multiplication of vectors."""

    columns: int
    waste: float
    again: float


def panels_of(
    n: int, width: int, column: int, rows: int, packs_rows: bool = False, times: int = 1, room: int = 0
) -> Panels:
    """The best panels for n columns in tiles of `width`, of `column` bytes each, that meet so many rows, so
    many times before the next one is packed; with `room` in no more bytes."""
    if host_registers().by_lane:
        return _panels_by_lane(n, width, column, packs_rows)
    first, second = near_caches()
    most, again = (WIDE_PANEL, PACKED) if packs_rows else (second * 5 // 8, READ)
    most = room or most
    if not packs_rows and rows * column <= second // 4:
        again = READ_NEAR
    tiles = ceil(n / width)
    found = []
    for together in range(1, max(min(most // (column * width), tiles, MOST_TILES), 1) + 1):
        if together == tiles and tiles > 1:
            break  # a panel is packed in a loop over panels
        turns = longest(tiles, together) * settings.threads / tiles
        columns = together * width
        size = columns * column
        far = LARGE_PANEL if size > second * 3 // 8 else FAR_PANEL if size > 4 * first else 0.0
        found.append(Panels(columns, tiles * width / n * turns, again / columns + far / (rows * times)))
    return min(found, key=lambda p: p.waste + p.again)


def _panels_by_lane(n: int, width: int, column: int, packs_rows: bool) -> Panels:
    """As many tiles in a panel as the second cache has room for beside what else is read, of those that leave
    no thread without work. There are at least two panels."""
    second, tiles = near_caches()[1], ceil(n / width)
    room, again = (second * 5 // 8, PACKED_BY_LANE) if packs_rows else (second // 4, READ_BY_LANE)
    most = min(room // (column * width), tiles - 1 if packs_rows else ceil(tiles / 2))

    def cost(together: int) -> float:
        return longest(tiles, together) * settings.threads / tiles + again / (together * width)

    columns = min(range(1, max(most, 1) + 1), key=cost) * width
    return Panels(columns, tiles * width / n, again / columns if packs_rows else 0.0)


def longest(tiles: int, together: int) -> int:
    """Tiles of the thread that gets the most, of panels of so many tiles; the last has what is left: four
    in panels of three are 3 and 1, so two threads take as long as for six."""
    whole, rest = divmod(tiles, together)
    each, more = divmod(whole, settings.threads)
    return max((each + bool(more)) * together, each * together + rest)
