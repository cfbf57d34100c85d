"""Packed products that are sections of one launch: how many rows a team has follows from the warps of all.

    with_more_rows([(q, Rows(32, 4, 1, 4, False, 2)), (k, Rows(32, 4, 1, 4, True)), (v, ...)])

A team of a matrix times a vector has as many rows as leave warps enough to keep the memory busy
(`rows.BUSY_WARPS`). Sections run side by side, so what counts is how many warps all of them have: where the
others have enough, a section whose teams have two rows gives them four. There are fewer blocks to wait for a
place (q, k, v of 8B in Q4_K on an H200: 1,024 blocks of 130 registers, three on a processor, became 768 of
128, of which four fit; 8 layers and the head 0.510 -> 0.493 ms a token).
"""

from __future__ import annotations

from dataclasses import replace

from ....graph.kernels.kernel import Kernel
from ...linear.gpu.code import WARP
from ..search.moves import Rows
from .row_work import packed_rows
from .rows import BUSY_WARPS, MOST_EACH


def with_more_rows(parts: list[tuple[Kernel, Rows]]) -> list[Rows]:
    """The layouts of the sections of a launch, those of packed products with more rows for a team where all
    sections together have warps enough."""
    counts = [packed_rows(kernel) for kernel, _ in parts]
    moves = [move for _, move in parts]
    if 0 in counts or any(move.team != WARP for move in moves):
        return moves
    warps = sum(count // move.each for count, move in zip(counts, moves, strict=True))
    for number, (count, move) in enumerate(zip(counts, moves, strict=True)):
        fewer = count // move.each // 2
        more = 1 < move.each < MOST_EACH and count % (2 * move.each) == 0
        if more and warps - fewer >= BUSY_WARPS:
            warps -= fewer
            moves[number] = replace(move, each=2 * move.each, in_flight=max(move.in_flight // 2, 1))
    return moves
