"""Few rows times a packed matrix: how many rows of the matrix a block has, and how long all blocks take.

Blocks that do not fit beside each other take turns, and in the last one some processors have nothing to do.
So a block has up to 64 rows of B beside another one, or 128 alone, and fewer where the busiest processor has
fewer of them then: 6144 rows in two parts are 256 blocks of 48, two for each of 132 processors.

On an H200, 32 rows in Q4_K, us by this estimate / as measured: 26.5 / 26.5 for 14336 x 4096, 23.6 / 24.2 for
4096 x 14336 in four parts, 9.2 / 9.2 for 4096 x 4096 in four parts, 188 / 193 for 128256 x 4096, and 17.8 /
17.7 for 6144 x 4096 by one block of 64 on each of 96 processors.
"""

from __future__ import annotations

from typing import Final

#: rows of A whose sums leave registers for a second block on a processor, and the most of all
FEW_ROWS: Final = 32
MOST_ROWS: Final = 64
#: the most rows of B on a processor, and the fewest of a block
MOST: Final = 128
LEAST: Final = 32
#: of the sum in a step
DEPTH: Final = 256
#: rows of B whose words would be read while a turn waits for its first, for tiles of A and for all warps
WAITED: Final = 43
#: rows of B that a step of a warp takes as long as, however few are there
ALONE: Final = 64
#: microseconds: to begin and to end, and for a row of B on a processor along one of the sum
START: Final = 3.4
EACH: Final = 3.3e-5


def columns_of(n: int, batches: int, together: int, processors: int) -> int:
    """Rows of B for a block, of which so many share a processor."""
    found = range(MOST // together, LEAST - 1, -16)
    return min(found, key=lambda columns: _rows(columns, n, batches, together, processors))


def packed_microseconds(rows: int, n: int, k: int, batches: int, processors: int) -> float | None:
    """How long the product of so many rows of A takes, about; None where blocks cannot walk along the sum."""
    if k % DEPTH:
        return None
    together = 2 if rows <= FEW_ROWS else 1
    columns = columns_of(n, batches, together, processors)
    return START + _rows(columns, n, batches, together, processors) * k * EACH


def _rows(columns: int, n: int, batches: int, together: int, processors: int) -> int:
    """Rows of B that the busiest processor reads, with those that it could while it waits."""
    blocks = -(-(-(-n // columns) * batches) // processors)
    turns = -(-blocks // together)
    return max(blocks * columns, turns * ALONE) + turns * WAITED
