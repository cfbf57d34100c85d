"""The moves of a GPU: how a kernel is laid out on blocks and threads, as plain data.

    Flat(threads=256, width=4, repeat=4, steps=1)          a map: 256 threads of 4 vectors of 4 elements each
    Rows(team=512, teams=1, width=4, in_flight=4, held=True)      a row of a softmax for each block
    Multiply("warpgroups", 128, 256, 64, 4, 1)             tiles of a matrix product
    Attend("warps", 64, 64, 2, 1)                          tiles of attention
    Turn(64, 64)                                           tiles of a map that turns what it reads

A kernel has one of them. The heuristics choose it (`schemes`, `templates`), a search tries its
neighbours (`neighbours`), and whoever lays the kernel out raises IllegalMove where it has no place for
it, so a move from elsewhere can be slow but not wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BULK, WARPGROUPS, WARPS, UNPACKERS, THREADS = "bulk", "warpgroups", "warps", "unpackers", "threads"
EACH_WARP = "each warp"
#: who multiplies: Hopper's warpgroups what its copy engine brings or what they copy themselves, warps with
#: tensor cores, each of them with a tile of its own, warps that unpack one factor in their registers, or
#: single threads
UNITS: Final = (BULK, WARPGROUPS, WARPS, EACH_WARP, UNPACKERS, THREADS)


@dataclass(frozen=True)
class Flat:
    """Every thread has points of the output: `repeat` vectors of `width`; each takes `steps` elements of its
    reductions at a time. A block has so many threads."""

    threads: int
    width: int
    repeat: int
    steps: int = 1


@dataclass(frozen=True)
class Rows:
    """A team of threads has a row, a block has so many teams; a thread takes vectors of `width`, so many
    in flight, or `held`: all of its part of the row, which stays in registers. A team with `each` rows reads
    what they share once for all of them."""

    team: int
    teams: int
    width: int
    in_flight: int
    held: bool
    each: int = 1


@dataclass(frozen=True)
class Multiply:
    """A block has a tile of so many rows and columns of a matrix product, and takes `depth` of the sum at a
    time, `stages` of them in shared memory; `together` blocks share a processor. `helpers` are blocks without
    a tile that sum for those which have one (stream-K). Of threads, `slices` of a block have the same
    results, each a part of every step of the sum (sliced-K)."""

    by: str
    rows: int
    columns: int
    depth: int
    stages: int
    together: int
    helpers: int = 0
    slices: int = 1


@dataclass(frozen=True)
class Attend:
    """A block has so many rows of queries and takes `keys` at a time, `stages` of them in shared memory; a
    warp that multiplies alone has `strips` of 16 rows. All keys of a row are shared out among `parts` blocks,
    whose states a second kernel joins."""

    by: str
    rows: int
    keys: int
    stages: int
    strips: int = 1
    parts: int = 1


@dataclass(frozen=True)
class Turn:
    """A block has a tile of a map that turns what it reads: so long on the side that is written along, and on
    the side that is read along."""

    along: int
    across: int


GpuMove = Flat | Rows | Multiply | Attend | Turn


@dataclass(frozen=True)
class Card:
    """What a layout depends on: bytes of shared memory a block may have, multiprocessors, whether warpgroups
    multiply, and whether tensor cores may cut float32 short."""

    shared: int = 96 * 1024
    wgmma: bool = False
    tf32: bool = False
    processors: int = 132  # those of an H100 or H200
