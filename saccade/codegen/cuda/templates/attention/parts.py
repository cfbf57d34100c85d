"""Attention with few rows and many keys: into how many parts the keys are cut.

    parts_of(blocks=32, tiles=128, at_once=396)      # 12: 32 heads of one query fill the card

A block walks along all keys of its rows, so a few queries keep a few processors busy. With the keys in parts
(`join`) there are as many blocks as the card has room for; each part costs its block a
start and an end, and the states of all parts have to be joined by a second kernel.

The estimate counts tiles of keys that one block takes after the other: of as many rounds of blocks as there
are, each as long as a part."""

from __future__ import annotations

from typing import Final

#: what a block takes to begin and to end, and the second kernel, in tiles of keys
BLOCK_TILES: Final = 1.0
JOIN_TILES: Final = 2.0
#: the most parts: a thread of the second kernel goes through those of its row
MOST_PARTS: Final = 128
#: what parts must save to be worth their memory
LEAST_GAIN: Final = 0.15


def parts_of(blocks: int, tiles: int, at_once: int) -> int:
    """Parts of `tiles` tiles of keys for so many blocks without parts, on a card that runs `at_once`."""
    most = min(tiles, MOST_PARTS, max(2 * at_once // max(blocks, 1), 1))
    times = {parts: _time(parts, blocks, tiles, at_once) for parts in range(1, most + 1)}
    best = min(times, key=times.__getitem__)
    return best if times[best] <= (1 - LEAST_GAIN) * times[1] else 1


def _time(parts: int, blocks: int, tiles: int, at_once: int) -> float:
    """In tiles of keys, one after the other."""
    rounds = -(-blocks * parts // at_once)
    return rounds * (-(-tiles // parts) + BLOCK_TILES) + (JOIN_TILES if parts > 1 else 0.0)
