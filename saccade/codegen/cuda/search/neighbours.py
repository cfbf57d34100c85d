"""The layouts next to one: what a search on a GPU tries.

    neighbours(Flat(256, 4, 4))     # Flat(128, 4, 4), Flat(512, 4, 4), Flat(256, 2, 4), ...

Each differs in one choice, and where a larger tile would need the memory of a stage also in that one. Not all
of them are legal; `codegen.gpu.laid_out` says which, for a kernel and a card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ..templates.product.tiles import COPIED_TILES, HELD_TILES, MIXED_TILES
from .moves import (
    BULK,
    EACH_WARP,
    THREADS,
    UNPACKERS,
    WARPGROUPS,
    WARPS,
    Attend,
    Flat,
    GpuMove,
    Multiply,
    Rows,
    Turn,
)

#: sizes that tiles go through
_TILE_ROWS: Final = (32, 64, 128, 256)
_TILE_COLUMNS: Final = (32, 64, 96, 128, 160, 192, 224, 256)
_QUERY_ROWS: Final = (16, 32, 64, 128, 192)
_KEYS: Final = (32, 64, 96, 128)


def neighbours(move: GpuMove) -> list[GpuMove]:
    """The moves next to this one, each once."""
    match move:
        case Flat():
            made: Iterator[GpuMove] = _flat(move)
        case Rows():
            made = _rows(move)
        case Multiply():
            made = _multiply(move)
        case Attend():
            made = _attend(move)
        case Turn():
            made = _turn(move)
    return [other for other in dict.fromkeys(made) if other != move]


def _doubled(size: int, most: int, least: int = 1) -> list[int]:
    return [n for n in (size * 2, size // 2) if least <= n <= most]


def _beside(size: int, sizes: tuple[int, ...]) -> list[int]:
    """The next smaller and the next larger of the sizes."""
    smaller = [n for n in sizes if n < size]
    larger = [n for n in sizes if n > size]
    return smaller[-1:] + larger[:1]


def _flat(move: Flat) -> Iterator[Flat]:
    for threads in _doubled(move.threads, 1024, 32):
        yield replace(move, threads=threads)
    for width in _doubled(move.width, 16):
        yield replace(move, width=width)
    for repeat in _doubled(move.repeat, 16):
        yield replace(move, repeat=repeat)
    for steps in _doubled(move.steps, 32):
        yield replace(move, steps=steps)


def _rows(move: Rows) -> Iterator[Rows]:
    yield replace(move, held=not move.held)
    for team in _doubled(move.team, 1024, 32):
        yield replace(move, team=team, teams=1)
        yield replace(move, team=team, teams=1, held=not move.held)
    for teams in _doubled(move.teams, 16):
        yield replace(move, teams=teams)
    for width in _doubled(move.width, 16):
        yield replace(move, width=width)
    for in_flight in _doubled(move.in_flight, 16):
        yield replace(move, in_flight=in_flight)
    for each in _doubled(move.each, 8):
        yield replace(move, each=each)


def _multiply(move: Multiply) -> Iterator[Multiply]:
    shapes = [replace(move, rows=rows) for rows in _beside(move.rows, _TILE_ROWS)]
    shapes += [replace(move, columns=columns) for columns in _beside(move.columns, _TILE_COLUMNS)]
    shapes += [replace(move, depth=depth) for depth in _doubled(move.depth, 128, 8)]
    shapes += [replace(move, together=n) for n in (move.together - 1, move.together + 1) if 1 <= n <= 4]
    shapes.append(replace(move, rows=move.columns, columns=move.rows))
    for made in shapes:
        yield made
        yield from (replace(made, stages=n) for n in (made.stages - 1, made.stages - 2) if n >= 2)
    for stages in (move.stages - 1, move.stages + 1):
        yield replace(move, stages=stages)
    if move.by == BULK:
        yield replace(move, by=WARPGROUPS)
        yield replace(move, by=WARPGROUPS, columns=128, stages=3, together=2)
    elif move.by == WARPGROUPS:
        yield from (replace(move, by=BULK, together=1, stages=n) for n in (4, 6))
        for rows, columns in ((64, 64), (64, 128), (128, 64), (128, 128)):
            yield Multiply(WARPS, rows, columns, move.depth // 2, 4, 1)
    elif move.by == WARPS:
        depth = move.depth * 2 if move.columns < 128 else move.depth
        for d in dict.fromkeys((move.depth, depth, move.depth * 2)):
            for rows, columns in ((64, 128), (128, 64), (128, 128), (128, 256)):
                yield Multiply(WARPGROUPS, rows, columns, d, 4, 1)
    elif move.by == EACH_WARP:
        yield from (Multiply(WARPS, 64, 64, move.depth, n, 1) for n in (2, 4))
    elif move.by == UNPACKERS:
        yield from (Multiply(WARPGROUPS, 64, columns, 64, 4, 1) for columns in (64, 128, 256))
    else:
        assert move.by == THREADS
        for tile in (*COPIED_TILES, *MIXED_TILES, *HELD_TILES):
            yield replace(
                move, rows=tile.rows, columns=tile.columns, depth=tile.depth, together=tile.together
            )


def _attend(move: Attend) -> Iterator[Attend]:
    for rows in _beside(move.rows, _QUERY_ROWS):
        yield replace(move, rows=rows)
        if move.strips == 2:
            yield replace(move, rows=rows, strips=1)
    for keys in _beside(move.keys, _KEYS):
        yield replace(move, keys=keys)
        yield replace(move, keys=keys, stages=move.stages + 1)
        yield replace(move, keys=keys, stages=max(move.stages - 1, 1))
    for stages in (move.stages - 1, move.stages + 1):
        yield replace(move, stages=stages)
    for parts in (move.parts * 2, move.parts // 2, move.parts * 3 // 2, move.parts * 3 // 4):
        yield replace(move, parts=max(parts, 1))
    if move.by == WARPS:
        yield replace(move, strips=3 - move.strips)
        yield Attend(WARPGROUPS, 128, 64 if move.keys < 128 else move.keys, 2, parts=move.parts)
    elif move.by == THREADS:
        yield replace(move, strips=3 - move.strips)
    else:
        for rows, strips in ((32, 1), (64, 1), (128, 2)):
            yield Attend(WARPS, rows, 64, 2, strips, move.parts)


def _turn(move: Turn) -> Iterator[Turn]:
    for along in _doubled(move.along, 256, 8):
        yield replace(move, along=along)
        yield Turn(along, move.across * move.along // along)
    for across in _doubled(move.across, 256, 8):
        yield replace(move, across=across)
