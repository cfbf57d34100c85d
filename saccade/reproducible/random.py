"""Random numbers that are functions of a seed and a counter, computed with integers.

In: a seed. Out: `Draws`, a row of numbers whose element i depends on the seed and on i alone. The generator
is Philox-4x32 with ten rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011); normal
numbers are made of it with the functions beside this file, so a seed means the same numbers in every release
of NumPy.

    draws = Draws(seed=7)
    draws.uniform(3)           # (3,) in [0, 1)
    draws.normal(4)            # (4,), the next ones
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .functions import cos, log1p

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_KEY_STEP_0 = 0x9E3779B9
_KEY_STEP_1 = 0xBB67AE85
_LOW_WORD = np.uint64(0xFFFFFFFF)
_WORD_BITS = np.uint64(32)
ROUNDS = 10


def key_of(seed: int) -> tuple[int, int]:
    """The key of Philox that a seed of 64 bits is."""
    return seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF


def round_keys(key: tuple[int, int]) -> list[tuple[int, int]]:
    """The keys of the rounds."""
    steps = (_KEY_STEP_0, _KEY_STEP_1)
    return [
        ((key[0] + turn * steps[0]) & 0xFFFFFFFF, (key[1] + turn * steps[1]) & 0xFFFFFFFF)
        for turn in range(ROUNDS)
    ]


def multipliers() -> tuple[int, int]:
    """What the first and the third word are multiplied by in each round."""
    return int(_MULTIPLIER_0), int(_MULTIPLIER_1)


def philox(counter: tuple[Words, ...], key: tuple[int, int]) -> tuple[Words, ...]:
    """Ten rounds of Philox-4x32: four arrays of 32-bit words in (held in uint64), four out."""
    c0, c1, c2, c3 = counter
    for k0, k1 in round_keys(key):
        product_0, product_1 = _MULTIPLIER_0 * c0, _MULTIPLIER_1 * c2
        c0, c1, c2, c3 = (
            (product_1 >> _WORD_BITS) ^ c1 ^ np.uint64(k0),
            product_1 & _LOW_WORD,
            (product_0 >> _WORD_BITS) ^ c3 ^ np.uint64(k1),
            product_0 & _LOW_WORD,
        )
    return c0, c1, c2, c3


def words(counter: tuple[Words, ...], seed: int) -> Words:
    """Philox blocks numbered by four arrays (..., blocks) as words of 64 bits (..., 2 * blocks)."""
    w0, w1, w2, w3 = philox(counter, key_of(seed))
    pairs = np.stack([w0 | (w1 << _WORD_BITS), w2 | (w3 << _WORD_BITS)], axis=-1)
    return pairs.reshape(*pairs.shape[:-2], -1)


def to_uniform(bits: Words) -> Floats:
    """Words as numbers in [0, 1) with 53 random bits each."""
    return np.asarray((bits >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def to_normal(uniform: Floats) -> Floats:
    """Pairs (..., 2) of numbers in [0, 1) as one standard normal number each (...), by Box and Muller."""
    radius = np.sqrt(-2.0 * log1p(-uniform[..., 0]))
    return np.asarray(radius * cos(2.0 * math.pi * uniform[..., 1]))


class Draws:
    """The random numbers of a seed, one after the other."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._blocks = 0

    def _words(self, count: int) -> Words:
        blocks = (count + 1) // 2
        number = np.arange(self._blocks, self._blocks + blocks, dtype=np.uint64)
        self._blocks += blocks
        none = np.zeros(blocks, np.uint64)
        return words((number & _LOW_WORD, number >> _WORD_BITS, none, none), self.seed)[:count]

    def uniform(self, *shape: int) -> Floats:
        """Numbers in [0, 1)."""
        return to_uniform(self._words(math.prod(shape))).reshape(shape)

    def normal(self, *shape: int) -> Floats:
        """Standard normal numbers."""
        return to_normal(self.uniform(*shape, 2))

    def below(self, limit: int, count: int) -> list[int]:
        """`count` whole numbers from 0 to `limit` - 1."""
        return [int(limit * each) for each in self.uniform(count).tolist()]

    def order(self, count: int) -> npt.NDArray[np.intp]:
        """The numbers from 0 to `count` - 1 in random order."""
        return np.argsort(self._words(count), kind="stable")
