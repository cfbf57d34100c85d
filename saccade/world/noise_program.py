"""Noise of the depth sensor as part of a tensor program: what `noise` adds on the host, on a device.

In: depth (R, S, P, P) and the seed and the look of each row. Out: noisy depth, and which pixels have a
reading. Hashes are whole numbers and those of the host; logarithms and cosines may round otherwise.
"""

from __future__ import annotations

import math

from saccade import Tensor, where
from saccade.world.noise import INCREMENT, MIXED_BY, SHIFTS, DepthNoise


def hashed(keys: Tensor) -> Tensor:
    """As `noise.hashed`."""
    mixed = keys + INCREMENT
    for shift, factor in zip(SHIFTS, MIXED_BY, strict=False):
        mixed = (mixed ^ (mixed >> shift)) * factor
    return mixed ^ (mixed >> SHIFTS[-1])


def uniforms(rows: Tensor, shape: tuple[int, ...], draw: int) -> Tensor:
    """(R, *shape) numbers in (0, 1), as `noise.uniforms`; rows (2, R) uint64: seeds and looks."""
    row = hashed(hashed(rows[0]) ^ (rows[1] << 8) ^ draw)
    place = hashed(Tensor.arange(math.prod(shape), dtype="int32", device=rows.device).cast("uint64"))
    bits = hashed(row.unsqueeze(-1) ^ place) >> 11
    return ((bits.cast("float64") + 0.5) * 2.0**-53).reshape(rows.shape[1], *shape)


def normals(rows: Tensor, shape: tuple[int, ...], draw: int) -> Tensor:
    """(R, *shape) standard normal numbers, as `noise.normals`."""
    radius = (-2.0 * uniforms(rows, shape, 2 * draw).log()).sqrt()
    return radius * (2.0 * math.pi * uniforms(rows, shape, 2 * draw + 1)).cos()


def noisy(noise: DepthNoise, depth: Tensor, on_object: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """As `DepthNoise.apply`."""
    shape, found = tuple(depth.shape[1:]), depth
    if noise.sigma or noise.relative:
        share = noise.relative * depth
        spread = (noise.sigma * noise.sigma + share * share).sqrt()
        found = found + spread * normals(rows, shape, 0)
    if noise.quantum:
        found = (found / noise.quantum).round() * noise.quantum
    # a reading cannot lie behind the sensor
    found = where(on_object, where(found > 1e-6, found, 1e-6), depth)
    if noise.missing:
        on_object = on_object & (uniforms(rows, shape, 7) >= noise.missing)
    return found, on_object
