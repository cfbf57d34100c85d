"""Random numbers that belong to a row: counter-based, so batching cannot change them.

Comes in: a `RowKey` (a seed, one episode id per row, one step number per row), a stream number (what the draw
is for) and a shape. Goes out: an array `(B, *shape)` whose row b depends on (seed, episode[b], step[b],
stream) alone. Running an episode by itself, as row 3 of 8 or as row 200 of 1024 gives the same numbers, and
two purposes with different streams never share any.

The generator is Philox-4x32 (`saccade.reproducible.random`), evaluated for all rows at once:

    key = RowKey(seed=7, episode=np.array([40, 41]), step=np.array([0, 12]))
    uniform(key, Stream.HEADING)            # shape (2,)
    normal(key, Stream.PERCEPT_NOISE, 3)   # shape (2, 3)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from saccade.reproducible.random import to_normal, to_uniform, words

Floats = NDArray[np.float64]


class Stream(IntEnum):
    """What a draw is for. A sensor adds its own index times `STREAMS_PER_SENSOR` to the noise streams."""

    HEADING = 1
    ACTION = 2
    AVOIDANCE = 3
    GOAL = 4
    SEARCH = 5
    PERCEPT_NOISE = 16
    FLAG_NOISE = 17


STREAMS_PER_SENSOR = 64


@dataclass(frozen=True)
class RowKey:
    """The identity of every row's randomness at one step.

    seed: the run's seed, 64 bits. episode: (B,) ids below 2**32 that stay with an episode wherever its row
    is.
    step: (B,) steps since that row's reset.
    """

    seed: int
    episode: NDArray[np.int64]
    step: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.episode.shape != self.step.shape or self.episode.ndim != 1:
            raise ValueError(
                "episode and step need one value per row: "
                f"got shapes {self.episode.shape} and {self.step.shape}"
            )
        for name, values in (("episode", self.episode), ("step", self.step)):
            if values.size and (values.min() < 0 or values.max() >= 2**32):
                raise ValueError(
                    f"{name} must lie in [0, 2**32): found {int(values.min())}..{int(values.max())}"
                )

    @property
    def rows(self) -> int:
        return int(self.episode.shape[0])


def _words(key: RowKey, stream: int, count: int) -> NDArray[np.uint64]:
    """(B, count) words of 64 random bits: two per Philox block, blocks numbered within the stream."""
    blocks = (count + 1) // 2
    shape = (key.rows, blocks)
    counter = (
        np.broadcast_to(np.arange(blocks, dtype=np.uint64), shape),
        np.full(shape, stream, dtype=np.uint64),
        np.broadcast_to(key.step.astype(np.uint64)[:, None], shape),
        np.broadcast_to(key.episode.astype(np.uint64)[:, None], shape),
    )
    return words(counter, key.seed)[:, :count]


def uniform(key: RowKey, stream: int, *shape: int) -> Floats:
    """Uniform draws in [0, 1), shape (B, *shape), 53 random bits each."""
    return to_uniform(_words(key, stream, math.prod(shape))).reshape(key.rows, *shape)


def normal(key: RowKey, stream: int, *shape: int) -> Floats:
    """Standard normal draws, shape (B, *shape), by the Box-Muller transform."""
    return to_normal(uniform(key, stream, math.prod(shape), 2)).reshape(key.rows, *shape)
