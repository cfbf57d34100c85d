"""How many rows step together, and whether memory holds them: told of settings and models, before a bank is.

A step makes hypotheses anew, so those before it and those after it are in memory together, and so is what
its kernels leave for each other. Rows in blocks of one size share a program and that memory (`row_blocks`).

    stepped_rows(100)                     # 104: rows that programs are made for
    block_rows(2048, 198_144)             # 80 of them step together
    check_rows_of(memories, channels, settings, rows, gpu, free)     # MemoryError with the number that fits
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.bank.shelf import LOOPED_HYPOTHESES
from saccade.cortex.bank.space import check_room
from saccade.cortex.hypotheses.tables import stepped, table_objects
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.settings import BurstSettings, EvidenceSettings

#: places for hypotheses that step together, at most. A step of so many moves gigabytes, so that launching it
#: takes no time beside the work
BLOCK_PLACES = 16_000_000
#: the same on a GPU. Rows that have ended cost as much as others as long as their block is there, and
#: processes that share a GPU wait for each other's: with two blocks of 15 rows of 77 objects in each of eight
#: processes an H200 took 25 ms a step for one row in each
GPU_BLOCK_PLACES = 1_900_000
#: rows from which on there are so many blocks: a step needs a second state of one, rows that move together a
#: third, and kernels half as much for what they leave for each other, which is little beside all rows then
MANY_ROWS, BLOCKS, GPU_BLOCKS = 256, 16, 32
#: rows come in multiples of this where they are few
FEW_ROWS = 4


def stepped_rows(wished: int) -> int:
    """Rows that there are where so many are wished: one alone, a few in fours, more in eighths of powers of
    two. A few that rest cost less than programs for any number.

    >>> [stepped_rows(rows) for rows in (1, 3, 5, 8, 29, 100)]
    [1, 4, 8, 8, 30, 104]
    """
    return wished if wished <= 1 else stepped(wished, FEW_ROWS if wished <= 4 * FEW_ROWS else 1)


def block_rows(rows: int, row_places: int, gpu: bool = False) -> int:
    """How many of `rows` step together: all, or blocks of one size. On a GPU it does not depend on a few rows
    more or less, so that processes that share it have the same programs.

    >>> block_rows(8, 100_000), block_rows(2048, 198_144), block_rows(231, 554_400), block_rows(512, 198_144)
    (8, 80, 26, 32)
    >>> [block_rows(rows, 554_400, gpu=True) for rows in (7, 8, 28, 29)], block_rows(256, 198_144, gpu=True)
    ([7, 3, 3, 3], 8)
    """
    most = max(BLOCK_PLACES // row_places, 1)
    if gpu:
        if rows * row_places <= LOOPED_HYPOTHESES:
            return rows
        size = -(-rows // GPU_BLOCKS) if rows >= MANY_ROWS else GPU_BLOCK_PLACES // row_places
        return min(max(size, 1), most)
    if rows > most and rows >= MANY_ROWS:
        most = min(most, stepped(-(-rows // BLOCKS), 1))
    if rows <= most:
        return rows
    even = -(-rows // -(-rows // most))
    wide = stepped(even, 1)
    return wide if wide <= most else even


def packs(known: Knowledge, rows: int, gpu: bool) -> bool:
    """Whether the hypotheses of so many rows lie packed between steps: a card hardly notices, a processor
    loads what is packed one by one."""
    return gpu and rows >= MANY_ROWS and isinstance(known.spec.settings.updater, BurstSettings)


def check_rows_of(
    memories: Sequence[Sequence[ObjectModel]],
    channels: Sequence[Sequence[str]],
    settings: EvidenceSettings,
    rows: int,
    gpu: bool,
    free: int | None,
    sharers: int = 1,
    made: Callable[[int], int] = int,
    voted: bool = False,
) -> None:
    """MemoryError if a bank of these could not hold so many rows in so many free bytes, told without its
    device; sharers: processes of which each has as many; made: as `check_room` says; voted: modules hear
    each other."""
    known = Knowledge.counted(memories, channels, settings, table_objects(memories))
    size = block_rows(rows, known.row_places, gpu)
    packed = size < rows and not voted and packs(known, rows, gpu)
    stored = not gpu or voted
    check_room(-(-rows // size) * size, size, known, stored, free, sharers, made, voted, packed)
