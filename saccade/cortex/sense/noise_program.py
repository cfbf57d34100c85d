"""Percept noise as a tensor program: what `noise` adds to sensations, where they are computed.

Comes in: the episode and the step of every row (`Draws`). Goes out: the random numbers of `row_random` of
each of its sensors, and columns of a sensation disturbed by them. The generator is the Philox-4x32 of
`reproducible.random`, in whole numbers, so bits are those of the host; logarithms and cosines may round
otherwise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from saccade.cortex.geometry import Vector, add
from saccade.cortex.ops import cast, integers, upload, where
from saccade.cortex.row_random import STREAMS_PER_SENSOR, RowKey, Stream
from saccade.cortex.sense.noise import NoiseSettings
from saccade.cortex.vectors import scaled
from saccade.reproducible.random import ROUNDS, key_of, multipliers, round_keys
from saccade.tensor import Tensor

#: numbers drawn for each sensor: location, pose, colour, curvatures
NORMALS = 11
LOW_WORD, WORD_BITS = 0xFFFFFFFF, 32
#: bits of a word that a number in [0, 1) is made of, and what the last of them is worth
SPARE_BITS, LAST_BIT = 11, 2.0**-53


class Draws(NamedTuple):
    """rows (2, room) uint64: the episode and the step of each row. keys (ROUNDS, 2) uint64: of the rounds of
    Philox, which the seed of the run gives."""

    rows: Tensor
    keys: Tensor


def draws_of(key: RowKey, room: int, keys: Tensor, device: str | None) -> Draws:
    """What the patches of `room` rows, at least those of the key, are drawn by; keys: `keys_of` its seed."""
    rows = np.zeros((2, room), np.uint64)
    rows[0, : key.rows], rows[1, : key.rows] = key.episode, key.step
    return Draws(upload(rows, "uint64", device, True), keys)


def keys_of(seed: int, device: str | None) -> Tensor:
    """(ROUNDS, 2), the same for all steps of a run."""
    return upload(np.array(round_keys(key_of(seed)), np.uint64), "uint64", device, True)


class Percept(NamedTuple):
    """The columns of a sensation that noise disturbs, (B,) each."""

    location: Vector
    vectors: tuple[Vector, Vector, Vector]
    hsv: Vector
    curvatures_log: tuple[Tensor, Tensor]
    fully_defined: Tensor


def disturbed(settings: NoiseSettings, felt: Percept, usable: Tensor, draws: Draws) -> Percept:
    """As `noise.add_noise`."""
    sensors = usable.shape[0] // draws.rows.shape[1]
    found = normals(draws, sensors)
    noise = [where(usable, found[:, i], 0.0) for i in range(NORMALS)]

    def moved(vector: Vector, scale: float, first: int) -> Vector:
        x, y, z = (part + scale * noise[first + i] for i, part in enumerate(vector))
        return x, y, z

    hue, saturation, value = moved(felt.hsv, settings.hsv, 6)
    turn = _columns([math.radians(settings.pose_degrees) * each for each in noise[3:6]])
    turned = [
        add(add(scaled(turn[0], x), scaled(turn[1], y)), scaled(turn[2], z)) for x, y, z in felt.vectors
    ]
    k1, k2 = (each + settings.curvatures_log * noise[9 + i] for i, each in enumerate(felt.curvatures_log))
    flips = usable & (uniforms(draws, sensors, Stream.FLAG_NOISE, 1)[0][:, 0] < settings.flag_flip)
    return Percept(
        moved(felt.location, settings.location, 0),
        (turned[0], turned[1], turned[2]),
        (where(usable, hue - hue.floor(), felt.hsv[0]), saturation, value),
        (k1, k2),
        felt.fully_defined ^ flips,
    )


def _columns(angles: list[Tensor]) -> tuple[Vector, Vector, Vector]:
    """The columns of the rotations of `noise.rotation_from_euler`."""
    (cx, cy, cz), (sx, sy, sz) = ([each.cos() for each in angles], [each.sin() for each in angles])
    return (
        (cz * cy, sz * cy, -sy),
        (cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx),
        (cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, cy * cx),
    )


# --- random numbers


def normals(draws: Draws, sensors: int) -> Tensor:
    """(B, NORMALS) standard normal numbers, as `row_random.normal` of the stream of percepts, of so many
    sensors a row."""
    first, second = uniforms(draws, sensors, Stream.PERCEPT_NOISE, NORMALS)
    radius = (-2.0 * (-first).log1p()).sqrt()
    return (radius * (2.0 * math.pi * second).cos()).contiguous()


def uniforms(draws: Draws, sensors: int, stream: int, blocks: int) -> tuple[Tensor, Tensor]:
    """Two numbers in [0, 1) of each of so many blocks (B, blocks), of a stream of every sensor."""
    room = draws.rows.shape[1]
    episode, step = (of_patches(draws.rows[i], sensors).unsqueeze(-1) for i in range(2))
    number = cast(integers(blocks, draws.rows), "uint64")
    sensor = integers(sensors, draws.rows).unsqueeze(0).expand(room, sensors).reshape(-1)
    of_sensor = cast(sensor * STREAMS_PER_SENSOR + stream, "uint64").unsqueeze(-1)
    c0, c1, c2, c3 = number, of_sensor, step, episode
    one, other = multipliers()
    for turn in range(ROUNDS):
        k0, k1 = draws.keys[turn, 0], draws.keys[turn, 1]
        product_0, product_1 = c0 * one, c2 * other
        c0, c1, c2, c3 = (
            (product_1 >> WORD_BITS) ^ c1 ^ k0,
            product_1 & LOW_WORD,
            (product_0 >> WORD_BITS) ^ c3 ^ k1,
            product_0 & LOW_WORD,
        )
    return _uniform(c0, c1), _uniform(c2, c3)


def of_patches(rows: Tensor, sensors: int) -> Tensor:
    """(room * S,) what patches have of their rows (room,)."""
    room = rows.shape[0]
    return rows.unsqueeze(-1).expand(room, sensors).reshape(room * sensors)


def _uniform(low: Tensor, high: Tensor) -> Tensor:
    return cast((low | (high << WORD_BITS)) >> SPARE_BITS, "float64") * LAST_BIT
