"""The sensor module: one look of every sensor of every row becomes one sensation each.

Comes in: patches of points, colours and an on-object mask with the pose of the sensor (the fields of a
world's observation). Goes out: a `Sensation`, arrays over (rows, sensors).

    felt = sense(points, rgb, on_object, sensor_position, sensor_rotation)
    felt.pose_vectors[0, 0]       # rows: normal, first direction, second direction, in the body frame
    felt.usable                   # (R, S): worth telling a learning module

Where a sensation is taken: at the centre pixel (P // 2, P // 2). If that pixel is off the object, at the
on-object pixel nearest to it (rather not one on its outline), so that a policy knows which way the object
lies; `on_object` is then false and so is `usable`. Pixels whose point is not finite count as off the
object. With nothing in view the location is the sensor's own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.sense.surface import (
    SIGMA,
    Flags,
    Floats,
    NormalMethod,
    fit_surfaces,
    gaussian,
    pixel_distances,
    same_surface,
)
from saccade.reproducible import columns, log1p, norm, total


@dataclass(frozen=True)
class SensorSettings:
    """How a patch becomes a sensation.

    normal_method: "quadratic" takes the normal of the fitted curved surface; "weighted" and "total" that
        of a plane fitted to the inner disc by weighted or total least squares. On balls seen at 0 to 75
        degrees the first is off by at most 0.03 degrees, the planes by up to 1.9; with 0.5 mm of noise in
        depth by 0.6 to 1.0 against 1.1 to 3.0.
    pose_threshold: principal directions count as defined when k1 - k2 reaches this, in 1/m.
    min_pixels: fewer on-object pixels than this make no usable sensation.
    """

    normal_method: NormalMethod = "quadratic"
    pose_threshold: float = 10.0
    min_pixels: int = 12


@dataclass(frozen=True)
class Sensation:
    """What R rows of S sensors feel. Body frame, metres.

    location (R, S, 3); pose_vectors (R, S, 3, 3), rows normal, first and second direction; pose_fully_defined
    (R, S); hsv (R, S, 3) in 0..1; curvatures (R, S, 2) as k1 >= k2 in 1/m, convex negative; curvatures_log
    (R, S, 2); on_object (R, S): the centre pixel is on an object; usable (R, S): on the object and the
    surface could be fitted; confidence (R, S) in 0..1: how much of the window of the fit was on the object, 0
    where not usable; coverage (R, S): share of pixels on the object; inward (R, S, 3): from `location` to the
    middle of what is in view, near 0 unless at an edge; depth (R, S): distance from the sensor to `location`.
    """

    location: Floats
    pose_vectors: Floats
    pose_fully_defined: Flags
    hsv: Floats
    curvatures: Floats
    curvatures_log: Floats
    on_object: Flags
    usable: Flags
    confidence: Floats
    coverage: Floats
    inward: Floats
    depth: Floats

    @property
    def normal(self) -> Floats:
        """(R, S, 3) surface normals, towards the sensor."""
        return np.asarray(self.pose_vectors[..., 0, :])


def sense(
    points: NDArray[np.floating],
    rgb: NDArray[np.generic],
    on_object: Flags,
    sensor_position: NDArray[np.floating],
    sensor_rotation: NDArray[np.floating],
    settings: SensorSettings | None = None,
) -> Sensation:
    """One sensation per row and sensor.

    points (R, S, P, P, 3); rgb (R, S, P, P, 3 or 4), floats in 0..1 or 8-bit integers; on_object (R, S, P,
    P); sensor_position (R, S, 3); sensor_rotation (R, S, 3, 3), columns right, up, backward. All in the body
    frame.
    """
    chosen = settings or SensorSettings()
    rows, sensors, size = points.shape[:3]
    if points.shape != (rows, sensors, size, size, 3) or on_object.shape != points.shape[:4]:
        raise ValueError(
            f"patches must be (rows, sensors, P, P, 3) with a mask (rows, sensors, P, P): "
            f"got {points.shape} and {on_object.shape}"
        )
    batch = rows * sensors
    cloud = points.reshape(batch, size, size, 3).astype(np.float64, copy=False)
    finite = np.isfinite(cloud)
    valid = on_object.reshape(batch, size, size) & finite[..., 0] & finite[..., 1] & finite[..., 2]
    pixel, has_pixel = _chosen_pixel(valid)
    each = np.arange(batch)
    position = sensor_position.reshape(batch, 3).astype(np.float64)
    origin = np.where(has_pixel[:, None], cloud.reshape(batch, -1, 3)[each, pixel], position)
    axes = sensor_rotation.reshape(batch, 3, 3).astype(np.float64)
    centred = valid[:, size // 2, size // 2]
    # What lies behind the outline of the surface in the middle is another one.
    own = np.where(centred[:, None, None], same_surface(cloud, valid, axes), valid)
    fit = fit_surfaces(cloud, own, origin, axes, normal_method=chosen.normal_method)

    enough = np.count_nonzero(own, axis=(1, 2)) >= chosen.min_pixels
    usable = centred & enough & fit.has_normal & fit.has_curvature
    colour = unit_rgb(rgb.reshape(batch, size * size, -1)[each, pixel, :3]) * has_pixel[:, None]
    window = gaussian(size, size * SIGMA)
    spread = fit.curvatures[:, 0] - fit.curvatures[:, 1]
    flat = {
        "location": origin,
        "pose_vectors": np.stack([fit.normal, fit.first, fit.second], axis=1),
        "pose_fully_defined": fit.has_curvature & (spread >= chosen.pose_threshold),
        "hsv": hsv_from_rgb(colour),
        "curvatures": fit.curvatures,
        "curvatures_log": signed_log(fit.curvatures),
        "on_object": centred,
        "usable": usable,
        "confidence": usable * total((own * window).reshape(batch, -1)) / total(window.ravel()),
        "coverage": np.count_nonzero(valid, axis=(1, 2)) / (size * size),
        "inward": _mean_point(cloud, valid, origin) - origin,
        "depth": norm(origin - position),
    }
    return Sensation(**{name: value.reshape(rows, sensors, *value.shape[1:]) for name, value in flat.items()})


def _chosen_pixel(valid: Flags) -> tuple[NDArray[np.intp], Flags]:
    """Flat index (B,) of the pixel a sensation is taken at, and whether there is one.

    The centre if it is valid. Else the nearest valid pixel, and rather one inside the visible part than on
    its
    outline: a sensor sent to the outline would see past it again.
    """
    size = valid.shape[1]
    middle = size // 2 * size + size // 2
    pixel = np.full(len(valid), middle)
    has_pixel = valid[:, size // 2, size // 2].copy()
    aside = np.flatnonzero(~has_pixel)
    if len(aside):
        mask = valid[aside]
        padded = np.pad(mask, ((0, 0), (1, 1), (1, 1)))
        inner = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2)).all(axis=(-1, -2))
        cost = pixel_distances(size) + np.where(inner, 0.0, size / 4)
        cost = np.where(mask, cost, np.inf).reshape(len(aside), -1)
        pixel[aside] = cost.argmin(axis=1)
        has_pixel[aside] = np.isfinite(cost).any(axis=1)
    return pixel, has_pixel


def _mean_point(cloud: Floats, valid: Flags, otherwise: Floats) -> Floats:
    """(B, 3) mean of the valid points of each patch, `otherwise` (B, 3) where there are none."""
    number = np.count_nonzero(valid, axis=(1, 2))
    planes = np.where(valid, np.moveaxis(cloud, -1, 0), 0.0)
    summed = total(planes.reshape(3, len(cloud), -1)).T
    return np.where(number[:, None] > 0, summed / np.maximum(number, 1)[:, None], otherwise)


def signed_log(values: Floats) -> Floats:
    """sign(k) * log(|k| + 1): keeps the sign, and is near k for small k."""
    return np.asarray(np.sign(values) * log1p(np.abs(values)))


def unit_rgb(rgb: NDArray[np.generic]) -> Floats:
    """Colours as floats in 0..1, from such floats or from 8-bit integers."""
    if np.issubdtype(rgb.dtype, np.integer):
        return rgb.astype(np.float64) / 255.0
    return np.clip(np.nan_to_num(rgb.astype(np.float64)), 0.0, 1.0)


def hsv_from_rgb(rgb: Floats) -> Floats:
    """Hue, saturation, value (..., 3) in 0..1 of colours (..., 3) in 0..1. A grey has hue 0, black saturation
    0.
    """
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value, span = rgb.max(axis=-1), np.ptp(rgb, axis=-1)
    safe = np.where(span > 0, span, 1.0)
    sector = np.select(
        [red == value, green == value],
        [(green - blue) / safe, 2.0 + (blue - red) / safe],
        4.0 + (red - green) / safe,
    )
    hue = np.where(span > 0, (sector / 6.0) % 1.0, 0.0)
    saturation = np.where(value > 0, span / np.where(value > 0, value, 1.0), 0.0)
    return columns(hue, saturation, value)
