"""Which tiles of a matrix product can be: what a search may try, and what the texts of `text` and
`wgmma` are written for.

    require_tile(Multiply("warps", 64, 128, 32, 3, 1), facts, card)      # IllegalMove, or nothing

Rows, columns and depth are in elements. Tiles are for blocks of 256 threads, or of 128 where two blocks of
float32 share a processor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ....moves.legal import IllegalMove
from ...search.moves import BULK, EACH_WARP, THREADS, UNITS, WARPGROUPS, WARPS, Card, Multiply

#: threads of a block, bytes of a chunk, registers of a multiprocessor, and of a thread at most
BLOCK: Final = 256
#: of one whose warps have tiles of their own
WARPS_BLOCK: Final = 128
#: of one whose warps have slices of a sum
SLICED: Final = (256, 512)
CHUNK_BYTES: Final = 16
REGISTERS: Final = 1 << 16
MOST_REGISTERS: Final = 255
#: registers for places and chunks, beside the sums
PLACES: Final = 40
#: bytes to spare where tiles must begin at a multiple of them, as those of warpgroups
ALIGNMENT: Final = 1024
#: of the bulk copy engine: bytes of a map, of which a block has two; bytes of shared memory behind the tiles,
#: for barriers, and for maps while they are made; stages there are barriers for
MAP_BYTES: Final = 128
BULK_BYTES: Final = 128 + 2 * MAP_BYTES
MOST_STAGES: Final = 8
#: elements between the rows of what slices of a sum leave for each other
SLICE_PAD: Final = 4


@dataclass(frozen=True)
class Facts:
    """Of a product: bytes of an element, whether tensor cores take it, whether chunks of the second factor
    run along k, whether sums are kept in parts (eight-bit floats), whether both factors lie in memory as
    matrices, which the bulk copy engine needs, and whether each runs across the sum."""

    itemsize: int
    tensor_cores: bool
    along_k: bool
    in_parts: bool
    boxed: bool = False
    across: tuple[bool, bool] = (False, False)


def require_tile(move: Multiply, facts: Facts, card: Card) -> None:
    """Raise IllegalMove unless a product can be made with these tiles."""
    if move.by not in UNITS:
        raise IllegalMove(f"nobody multiplies by {move.by!r}: use one of {', '.join(UNITS)}")
    if (move.by == THREADS) == facts.tensor_cores:
        raise IllegalMove(f"{move}: tensor cores take these factors, or they do not")
    if min(move.rows, move.columns, move.depth, move.stages, move.together, move.slices) < 1:
        raise IllegalMove(f"{move} has a size below 1")
    if move.slices > 1 and move.by != THREADS:
        raise IllegalMove(f"{move}: only threads have slices of a step")
    _CHECKS[move.by](move, facts, card)
    nbytes = shared_bytes(move, facts.itemsize)
    if nbytes > card.shared:
        raise IllegalMove(f"{move} takes {nbytes} bytes of shared memory, and a block has {card.shared}")
    in_parts = facts.in_parts and move.by in (BULK, WARPGROUPS)
    block = threads_of(move, facts.itemsize)
    own = block // 32 if move.by == EACH_WARP else 1
    sums = move.rows * move.columns * move.slices * own // block * (2 if in_parts else 1)
    if sums + PLACES > min(REGISTERS // (block * move.together), MOST_REGISTERS):
        raise IllegalMove(f"{move}: {sums} sums do not fit the registers of a thread")


def threads_of(move: Multiply, itemsize: int) -> int:
    """Threads of a block that multiply. Blocks of float32 that share a processor share out its threads, too:
    what a thread loads is used by more sums then, and nobody waits for all."""
    if move.by == THREADS and itemsize == 4:
        return warps_of(move) * 32 if move.slices > 1 else BLOCK // move.together
    return WARPS_BLOCK if move.by == EACH_WARP else BLOCK


def warps_of(move: Multiply) -> int:
    """Warps of a tile whose sum is in slices: each has 32 rows by 64 columns, or by all of them where they
    are no multiple of that."""
    return move.rows // 32 * (1 if move.columns % 64 else move.columns // 64) * move.slices


def shared_bytes(move: Multiply, itemsize: int) -> int:
    """Bytes of shared memory of a block."""
    if move.by == EACH_WARP:
        return 0
    tiles = (move.rows + move.columns) * move.depth * itemsize * move.stages
    if move.slices > 1:  # which meet there
        tiles = max(tiles, move.slices * move.rows * (move.columns + SLICE_PAD) * itemsize)
    return tiles + {BULK: ALIGNMENT + BULK_BYTES, WARPGROUPS: ALIGNMENT}.get(move.by, 0)


def _require_bulk(move: Multiply, facts: Facts, card: Card) -> None:
    if not facts.boxed:
        raise IllegalMove(f"{move}: the copy engine takes factors that lie in memory as matrices")
    if move.together != 1 or not 2 <= move.stages <= MOST_STAGES:
        raise IllegalMove(f"{move}: one block of a processor, with 2 to {MOST_STAGES} stages")
    _require_tiles_of_groups(move, facts, card)


def _require_groups(move: Multiply, facts: Facts, card: Card) -> None:
    if move.stages < 3:
        raise IllegalMove(f"{move}: warpgroups that copy have three stages or more")
    _require_tiles_of_groups(move, facts, card)


def _require_tiles_of_groups(move: Multiply, facts: Facts, card: Card) -> None:
    columns = move.columns if move.rows == 128 else move.columns // 2
    if not card.wgmma:
        raise IllegalMove(f"{move}: this card has no products of warpgroups")
    if move.rows not in (64, 128) or move.columns % 32 or columns % 32 or not 32 <= columns <= 256:
        raise IllegalMove(f"{move}: warpgroups have 64 or 128 rows, and columns in steps of 32 up to 256")
    if not facts.along_k and columns % 64:
        raise IllegalMove(f"{move}: a factor that runs across the sum comes in panels of 64 columns")
    if move.depth * facts.itemsize != 128:
        raise IllegalMove(f"{move}: warpgroups take 128 bytes at a time")


def _require_warps(move: Multiply, facts: Facts, card: Card) -> None:
    if move.rows % 32 or move.columns % 64:
        raise IllegalMove(f"{move}: warps have rows in steps of 32 and columns in steps of 64")
    depth = move.depth * facts.itemsize
    chunks = [side * depth // CHUNK_BYTES for side in (move.rows, move.columns)]
    if depth not in (64, 128) or any(n % BLOCK for n in chunks):
        raise IllegalMove(f"{move}: warps take 64 or 128 bytes at a time, a whole number of chunks a thread")
    if move.stages < 2:
        raise IllegalMove(f"{move}: what is copied while something is multiplied takes a second stage")


def _require_each(move: Multiply, facts: Facts, card: Card) -> None:
    sides = (move.rows, facts.across[0], 16), (move.columns, facts.across[1], 8)
    if any(side != 64 if across else side % step for side, across, step in sides):
        raise IllegalMove(f"{move}: warps have 16 rows by 8 columns, or 64 of a factor across the sum")
    if move.depth * facts.itemsize != 64 or move.stages != 1:
        raise IllegalMove(f"{move}: a warp takes 64 bytes at a time, and keeps none")


def _require_threads(move: Multiply, facts: Facts, card: Card) -> None:
    if facts.itemsize != 4:
        raise IllegalMove(f"{move}: other tiles are for float32")
    if move.depth not in (8, 16, 32, 64) or move.together not in (1, 2, 4):
        raise IllegalMove(f"{move}: threads take 8, 16, 32 or 64 of the sum at a time")
    if not 2 <= move.stages <= 4:
        raise IllegalMove(f"{move}: threads have two to four stages")
    block, swizzle = threads_of(move, facts.itemsize), 2 * move.depth
    rows = block // 2 if move.columns % 64 else block // 4
    if move.slices > 1:
        if block not in SLICED or move.depth % (4 * move.slices) or move.rows % 32 or move.columns % 32:
            raise IllegalMove(f"{move}: {block} threads have slices of four or more, each warp 32 rows of it")
        if move.rows * move.columns % (4 * block):
            raise IllegalMove(f"{move}: {block} threads write four results each, or a multiple")
    elif move.columns % 32 or move.rows % rows:
        raise IllegalMove(f"{move}: {block} threads have rows in steps of {rows} and columns of 32")
    for side in (move.rows, move.columns):
        if side % swizzle and side & (side - 1):
            raise IllegalMove(f"{move}: sides are multiples of {swizzle}, or powers of 2")
    if any(side * move.depth // 4 % block for side in (move.rows, move.columns)):
        raise IllegalMove(f"{move}: a thread copies a whole number of chunks")


_CHECKS: Final[dict[str, Callable[[Multiply, Facts, Card], None]]] = {
    BULK: _require_bulk,
    WARPGROUPS: _require_groups,
    WARPS: _require_warps,
    EACH_WARP: _require_each,
    THREADS: _require_threads,
}
