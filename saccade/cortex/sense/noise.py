"""Percept noise: what a real sensor gets wrong, added to sensations.

Comes in: a `Sensation`, the amounts, and the rows' random key. Goes out: the sensation with Gaussian noise on
location, colour and log curvatures, the pose turned by a small random rotation (so it stays orthonormal), and
the fully-defined flag flipped now and then. A row's noise depends on its own key and each sensor's index
alone: not on the other rows, the number of rows, nor the number of sensors. Only usable sensations are
touched.

    noisy = add_noise(felt, NoiseSettings(location=0.002), RowKey(seed, episode, step))
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from saccade.cortex.row_random import STREAMS_PER_SENSOR, RowKey, Stream, normal, uniform
from saccade.cortex.sense.module import Sensation
from saccade.cortex.sense.surface import Floats
from saccade.reproducible import columns, cos_sin, matmul, radians


@dataclass(frozen=True)
class NoiseSettings:
    """Standard deviations: location in metres, pose in degrees about each axis, hsv and log curvatures in
    their own units; flag_flip is the probability that `pose_fully_defined` is reported wrongly.
    """

    location: float = 0.002
    pose_degrees: float = 2.0
    hsv: float = 0.1
    curvatures_log: float = 0.1
    flag_flip: float = 0.01


def add_noise(felt: Sensation, settings: NoiseSettings, key: RowKey) -> Sensation:
    """The same sensations, disturbed. Hue is circular and wraps around."""
    rows, sensors = felt.usable.shape
    if key.rows != rows:
        raise ValueError(f"the key has {key.rows} rows, the sensation {rows}")

    streams = [STREAMS_PER_SENSOR * s for s in range(sensors)]
    # One draw of eleven numbers for each sensor: location, pose, colour, curvatures.
    noise = np.stack([normal(key, Stream.PERCEPT_NOISE + stream, 11) for stream in streams], axis=1)
    noise = noise * felt.usable[..., None]
    hsv = felt.hsv + settings.hsv * noise[..., 6:9]
    hsv[..., 0] = np.where(felt.usable, hsv[..., 0] % 1.0, felt.hsv[..., 0])
    turn = rotation_from_euler(radians(settings.pose_degrees) * noise[..., 3:6])
    chances = np.stack([uniform(key, Stream.FLAG_NOISE + stream) for stream in streams], axis=1)
    flips = felt.usable & (chances < settings.flag_flip)
    return replace(
        felt,
        location=felt.location + settings.location * noise[..., 0:3],
        pose_vectors=matmul(felt.pose_vectors, turn.swapaxes(-1, -2)),
        hsv=hsv,
        curvatures_log=felt.curvatures_log + settings.curvatures_log * noise[..., 9:11],
        pose_fully_defined=felt.pose_fully_defined ^ flips,
    )


def rotation_from_euler(angles: Floats) -> Floats:
    """(..., 3, 3) rotations by angles (..., 3) in radians about the fixed x, then y, then z axis: Rz @ Ry @
    Rx.
    """
    (cx, cy, cz), (sx, sy, sz) = (np.moveaxis(each, -1, 0) for each in cos_sin(angles))
    return columns(
        columns(cz * cy, sz * cy, -sy),
        columns(cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx),
        columns(cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, cy * cx),
    )
