"""Pictures and other grids at another resolution: interpolation, and channels as finer pixels.

Where the old elements are that a new one is made of is known before anything is computed, so every axis is a
weighted sum of a few index_selects.

    >>> Tensor([[[0.0, 4.0]]]).interpolate(size=4, mode="linear").tolist()
    [[[0.0, 1.0, 3.0, 4.0]]]
"""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ...graph import dtypes
from .windows import Sizes, Windows, each

_LINEAR: Final = ("linear", "bilinear", "trilinear")
_MODES: Final = ("nearest", "nearest-exact", *_LINEAR, "bicubic", "area")
#: the curvature of cubic interpolation, as torch has it
_CUBIC: Final = -0.75

Places = NDArray[np.int64]
Weights = NDArray[np.float32]


class Resample(Windows):
    __slots__ = ()

    def interpolate(
        self,
        size: Sizes | None = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
    ) -> Self:
        """(N, C, *space) at another resolution. With `align_corners` the centres of the corner elements stay
        where they are, else the edges of the grid do."""
        dims = self.ndim - 2
        if dims < 1:
            raise ValueError(f"interpolate takes (N, C, *space), not shape {self.shape}")
        if mode not in _MODES:
            raise ValueError(f"unknown interpolation mode {mode!r}: use one of {', '.join(_MODES)}")
        if (size is None) == (scale_factor is None):
            raise ValueError("interpolate needs either size or scale_factor")
        if (mode in _LINEAR and mode != _LINEAR[min(dims, 3) - 1]) or (mode == "bicubic" and dims != 2):
            raise ValueError(f"mode {mode!r} does not fit the {dims} spatial axes of shape {self.shape}")
        space = self.shape[2:]
        if size is None:
            one = isinstance(scale_factor, (int, float))
            factors = (scale_factor,) * dims if one else tuple(scale_factor)
            wanted = tuple([int(n * f) for n, f in zip(space, factors, strict=True)])
            steps = [1 / f for f in factors]
        else:
            wanted = each(size, dims, "size")
            steps = [n / m if m else 0.0 for n, m in zip(space, wanted, strict=True)]
        if min(wanted) < 1:
            raise ValueError(f"interpolate cannot make {wanted} of {space}: sizes are at least 1")
        if mode == "area":
            return self._adaptive(dims, "mean", wanted)
        if mode.startswith("nearest"):
            x = self
        elif self.dtype.is_float or self.dtype is dtypes.uint8:
            x = self.cast(self.dtype.accumulator if self.dtype.is_float else dtypes.float32)
        else:
            raise TypeError(f"mode {mode!r} takes floats or uint8, not {self.dtype.name}: use x.float()")
        for axis, (m, step) in enumerate(zip(wanted, steps, strict=True), 2):
            x = x._resampled(axis, m, step, mode, bool(align_corners))
        if x.dtype.is_float and self.dtype is dtypes.uint8:  # a picture: round, and stay in its range
            x = (x + 0.5).floor().clamp(0, 255)
        return x.cast(self.dtype)

    def _resampled(self, axis: int, count: int, step: float, mode: str, corners: bool) -> Self:
        """One axis with `count` elements, `step` old ones apart."""
        n = self.shape[axis]
        if mode == "nearest" and count % n == 0 and step == n / count:
            return self.repeat_interleave(count // n, axis)
        taken = []
        for places, weights in _taps(n, count, step, mode, corners):
            part = self.index_select(axis, places.clip(0, n - 1))
            if weights is not None:
                shape = [-1 if a == axis else 1 for a in range(self.ndim)]
                part = part * type(self)(weights, device=self.device).cast(self.dtype).reshape(*shape)
            taken.append(part)
        total = taken[0]
        for part in taken[1:]:
            total = total + part
        return total

    def pixel_shuffle(self, upscale_factor: int) -> Self:
        """(..., C r r, H, W) -> (..., C, H r, W r): channels become finer pixels."""
        r, (*outer, channels, height, width) = upscale_factor, self.shape
        if channels % (r * r):
            raise ValueError(f"pixel_shuffle by {r} needs channels in multiples of {r * r}, not {channels}")
        x = self.reshape(*outer, channels // (r * r), r, r, height, width)
        k = len(outer)
        x = x.permute(*range(k + 1), k + 3, k + 1, k + 4, k + 2)
        return x.reshape(*outer, channels // (r * r), height * r, width * r)

    def pixel_unshuffle(self, downscale_factor: int) -> Self:
        """The inverse of pixel_shuffle."""
        r, (*outer, channels, height, width) = downscale_factor, self.shape
        if height % r or width % r:
            raise ValueError(f"pixel_unshuffle by {r} needs sides in multiples of it, not {height}x{width}")
        x = self.reshape(*outer, channels, height // r, r, width // r, r)
        k = len(outer)
        x = x.permute(*range(k + 1), k + 2, k + 4, k + 1, k + 3)
        return x.reshape(*outer, channels * r * r, height // r, width // r)


def _taps(n: int, count: int, step: float, mode: str, corners: bool) -> list[tuple[Places, Weights | None]]:
    """What a new element is made of: places on the old axis and their weights (None: 1)."""
    number = np.arange(count, dtype=np.float32)
    if mode.startswith("nearest"):
        shift = np.float32(0.5 if mode == "nearest-exact" else 0)
        return [(np.floor((number + shift) * np.float32(step)).astype(np.int64), None)]
    if corners:
        place = number * np.float32((n - 1) / (count - 1) if count > 1 else 0)
    else:
        place = (number + np.float32(0.5)) * np.float32(step) - np.float32(0.5)
        place = place if mode == "bicubic" else place.clip(0)
    first = np.floor(place)
    t, start = place - first, first.astype(np.int64)
    if mode != "bicubic":
        return [(start, 1 - t), (start + 1, t)]
    return list(zip([start - 1, start, start + 1, start + 2], cubic_weights(t), strict=True))


def cubic_weights(t: Any) -> list[Any]:
    """Of the four elements around a place, t after the second of them: NumPy's floats, or a tensor's."""
    near = [((_CUBIC + 2) * d - (_CUBIC + 3)) * d * d + 1 for d in (t, 1 - t)]
    far = [((_CUBIC * d - 5 * _CUBIC) * d + 8 * _CUBIC) * d - 4 * _CUBIC for d in (t + 1, 2 - t)]
    return [far[0], *near, far[1]]
