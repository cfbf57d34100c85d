"""Sizes of what is packed for a product whose factors both lie across its sum, as in `x.T @ y`.

A panel of columns is packed once, and stays while the rows of the other factor are packed block by block and
meet it. So rows are packed as often as there are panels: wide panels and few of them, as many for each
thread. A block of rows reads a few lines of memory for every step of the sum, and more lines in a row cost
less each.

    1536 x 384, a sum of 2048, one thread of a Cascade Lake:
    28 rows, 128 columns 52 GFLOP/s; 56 rows, 128 columns 67; 56 rows, 192 columns 70 to 79
"""

from __future__ import annotations

from math import ceil

from ...graph.kernel import range_size
from ...graph.node import Node
from ...runtime.config import settings
from ...runtime.cpu.machine import host_registers

#: rows of a tile that is kept in cache for a block of them: one vector in the code we write
BLOCK = 16
#: rows that are packed together where registers are wide
WIDE_BLOCK = 56
#: vectors' widths in a panel that is kept while the other factor is copied block by block
PANEL = 4
#: the same where registers are wide
WIDE_PANEL = 6


def rows_together(unroll: int) -> int:
    """Rows whose lone factors are copied together: some lines' worth, and whole tiles of registers."""
    if host_registers().by_lane:
        return BLOCK
    return ceil(WIDE_BLOCK / unroll) * unroll


def panel_columns(v: Node, width: int) -> int:
    """Columns of a panel, in whole vectors."""
    if host_registers().by_lane:
        return PANEL * width
    vectors = ceil(range_size(v) / width)
    panels = ceil(vectors / WIDE_PANEL)
    panels = ceil(panels / settings.threads) * settings.threads
    return ceil(vectors / panels) * width
