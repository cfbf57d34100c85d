"""Noise of the depth sensor itself, the same for a row whether it runs alone or among thousands.

Every random number is a function of (seed of the row, step of the row, pixel), not of a generator's history:

    noise = DepthNoise(sigma=0.001)
    noise.apply(depth, on_object, seeds, steps)      # depth (R, S, P, P), seeds and steps (R,)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.reproducible import cos, hypot, log

Array = npt.NDArray[np.float64]


#: what two rounds of multiply and xor-shift add, shift by and multiply by
INCREMENT, SHIFTS = 0x9E3779B97F4A7C15, (30, 27, 31)
MIXED_BY = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def hashed(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Scatter 64-bit keys over all 64-bit numbers: two rounds of multiply and xor-shift, a one-to-one map."""
    with np.errstate(over="ignore"):
        mixed = keys + np.uint64(INCREMENT)
        mixed = (mixed ^ (mixed >> np.uint64(SHIFTS[0]))) * np.uint64(MIXED_BY[0])
        mixed = (mixed ^ (mixed >> np.uint64(SHIFTS[1]))) * np.uint64(MIXED_BY[1])
        return np.asarray(mixed ^ (mixed >> np.uint64(SHIFTS[2])))


def uniforms(
    seeds: npt.NDArray[np.integer], steps: npt.NDArray[np.integer], shape: tuple[int, ...], draw: int
) -> Array:
    """(R, *shape) numbers in (0, 1), one for each (seed, step, place, draw)."""
    row = hashed(
        hashed(seeds.astype(np.uint64)) ^ (steps.astype(np.uint64) << np.uint64(8)) ^ np.uint64(draw)
    )
    place = np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)
    bits = hashed(row.reshape(-1, *(1,) * len(shape)) ^ hashed(place))
    return np.asarray(((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53)


def normals(
    seeds: npt.NDArray[np.integer], steps: npt.NDArray[np.integer], shape: tuple[int, ...], draw: int
) -> Array:
    """(R, *shape) standard normal numbers, by the transform of Box and Muller."""
    radius = np.sqrt(-2 * log(uniforms(seeds, steps, shape, 2 * draw)))
    return np.asarray(radius * cos(2 * np.pi * uniforms(seeds, steps, shape, 2 * draw + 1)))


@dataclass(frozen=True)
class DepthNoise:
    """What a depth sensor adds to the truth. All zero: nothing.

    sigma: standard deviation per pixel, metres.
    relative: the same as a share of the depth, added in quadrature.
    missing: share of the pixels without a reading; they count as off the object.
    quantum: readings come in steps of this size, metres.
    """

    sigma: float = 0.0
    relative: float = 0.0
    missing: float = 0.0
    quantum: float = 0.0

    @property
    def is_silent(self) -> bool:
        """Whether this noise changes nothing."""
        return not (self.sigma or self.relative or self.missing or self.quantum)

    def apply(
        self,
        depth: npt.NDArray[np.floating],
        on_object: npt.NDArray[np.bool_],
        seeds: npt.NDArray[np.integer],
        steps: npt.NDArray[np.integer],
    ) -> tuple[Array, npt.NDArray[np.bool_]]:
        """Noisy depth (R, S, P, P) and the pixels that still have a reading. Pixels off the object are not
        touched."""
        shape = depth.shape[1:]
        noisy: Array = np.asarray(depth, np.float64)
        if self.sigma or self.relative:
            spread = hypot(self.sigma, self.relative * depth)
            noisy = noisy + spread * normals(seeds, steps, shape, 0)
        if self.quantum:
            noisy = np.round(noisy / self.quantum) * self.quantum
        # a reading cannot lie behind the sensor
        noisy = np.where(on_object, np.maximum(noisy, 1e-6), depth)
        seen = on_object
        if self.missing:
            seen = seen & (uniforms(seeds, steps, shape, 7) >= self.missing)
        return noisy, seen
