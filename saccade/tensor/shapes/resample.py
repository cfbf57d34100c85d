"""Pictures and other grids at another resolution: interpolation, and channels as finer pixels.

Where the old elements are that a new one is made of is known before anything is computed, so every axis is a
weighted sum of a few index_selects. With `antialias` a smaller picture is made of all elements under a filter
as wide as a new one, as Pillow's: of one index_select of all of them.

    >>> Tensor([[[0.0, 4.0]]]).interpolate(size=4, mode="linear").tolist()
    [[[0.0, 1.0, 3.0, 4.0]]]
"""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ...graph import dtypes
from ..reductions.ordering import Ordering
from .windows import Sizes, Windows, each

_LINEAR: Final = ("linear", "bilinear", "trilinear")
_MODES: Final = ("nearest", "nearest-exact", *_LINEAR, "bicubic", "area")
#: the curvature of cubic interpolation, as torch has it, and of the filter of `antialias`, as Pillow has it
_CUBIC: Final = -0.75
_CUBIC_FILTER: Final = -0.5

Places = NDArray[np.int64]
Weights = NDArray[np.floating]


class Resample(Windows, Ordering):
    __slots__ = ()

    def interpolate(
        self,
        size: Sizes | None = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
        antialias: bool = False,
    ) -> Self:
        """(N, C, *space) at another resolution. With `align_corners` the centres of the corner elements stay
        where they are, else the edges of the grid do. `recompute_scale_factor`: steps follow from the sizes,
        which are whole, and not from `scale_factor`."""
        dims = self.ndim - 2
        if dims < 1:
            raise ValueError(f"interpolate takes (N, C, *space), not shape {self.shape}")
        if mode not in _MODES:
            raise ValueError(f"unknown interpolation mode {mode!r}: use one of {', '.join(_MODES)}")
        if (size is None) == (scale_factor is None):
            raise ValueError("interpolate needs either size or scale_factor")
        if (mode in _LINEAR and mode != _LINEAR[min(dims, 3) - 1]) or (mode == "bicubic" and dims != 2):
            raise ValueError(f"mode {mode!r} does not fit the {dims} spatial axes of shape {self.shape}")
        if antialias and mode not in ("bilinear", "bicubic"):
            raise ValueError(f"antialias goes with bilinear and bicubic, not with mode {mode!r}")
        space = self.shape[2:]
        if size is None:
            one = isinstance(scale_factor, (int, float))
            factors = (scale_factor,) * dims if one else tuple(scale_factor)
            wanted = tuple([int(n * f) for n, f in zip(space, factors, strict=True)])
            steps = [1 / f for f in factors]
        else:
            wanted = each(size, dims, "size")
        if size is not None or recompute_scale_factor:
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
            if align_corners:
                step = (space[axis - 2] - 1) / (m - 1) if m > 1 else 0.0
            if antialias:
                x = x._filtered(axis, m, step, mode)
            else:
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
        # places are torch's: in float32, but for float64
        precise = np.float64 if self.dtype is dtypes.float64 else np.float32
        for places, weights in _taps(n, count, step, mode, corners, precise):
            part = self.index_select(axis, places.clip(0, n - 1))
            if weights is not None:
                part = part * self._weights_along(axis, weights)
            taken.append(part)
        total = taken[0]
        for part in taken[1:]:
            total = total + part
        return total

    def _filtered(self, axis: int, count: int, step: float, mode: str) -> Self:
        """One axis with `count` elements, each the weighted mean of all that its filter covers."""
        places, weights = _filter(self.shape[axis], count, step, mode)
        before, after = self.shape[:axis], self.shape[axis + 1 :]
        covered = self.index_select(axis, places.ravel()).reshape(*before, *places.shape, *after)
        return (covered * self._weights_along(axis, weights)).sum(axis + 1)

    def _weights_along(self, axis: int, weights: Weights) -> Self:
        """Weights from `axis` on, to be multiplied by the elements there."""
        after = (1,) * (self.ndim - axis - 1)
        return type(self)(weights, device=self.device).cast(self.dtype).reshape(*weights.shape, *after)

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


def _taps(
    n: int, count: int, step: float, mode: str, corners: bool, precise: type[np.floating]
) -> list[tuple[Places, Weights | None]]:
    """What a new element is made of: places on the old axis and their weights (None: 1)."""
    number = np.arange(count, dtype=precise)
    if mode.startswith("nearest"):
        shift = np.float32(0.5 if mode == "nearest-exact" else 0)
        return [(np.floor((number + shift) * np.float32(step)).astype(np.int64), None)]
    if corners:
        place = number * precise(step)
    else:
        place = (number + precise(0.5)) * precise(step) - precise(0.5)
        place = place if mode == "bicubic" else place.clip(0)
    first = np.floor(place)
    t, start = place - first, first.astype(np.int64)
    if mode != "bicubic":
        return [(start, 1 - t), (start + 1, t)]
    return list(zip([start - 1, start, start + 1, start + 2], cubic_weights(t), strict=True))


def _filter(n: int, count: int, step: float, mode: str) -> tuple[Places, Weights]:
    """Places (count, width) on an axis of n that a filter around each new element covers, and their weights.
    The filter is as wide as a new element, or as an old one where those are wider."""
    stretch = max(step, 1.0)
    reach = stretch * (2 if mode == "bicubic" else 1)
    centre = (np.arange(count)[:, None] + 0.5) * step
    places = np.floor(centre - reach + 0.5).astype(np.int64) + np.arange(int(2 * reach) + 2)
    distance = np.abs(places + 0.5 - centre) / stretch
    if mode == "bicubic":
        a, d = _CUBIC_FILTER, distance
        near, far = ((a + 2) * d - (a + 3)) * d * d + 1, (((d - 5) * d + 8) * d - 4) * a
        weights = np.where(d < 1, near, np.where(d < 2, far, 0.0))
    else:
        weights = np.maximum(1 - distance, 0)
    weights = np.where((places >= 0) & (places < n), weights, 0.0)
    return places.clip(0, n - 1), weights / weights.sum(1, keepdims=True)


def cubic_weights(t: Any) -> list[Any]:
    """Of the four elements around a place, t after the second of them: NumPy's floats, or a tensor's."""
    near = [((_CUBIC + 2) * d - (_CUBIC + 3)) * d * d + 1 for d in (t, 1 - t)]
    far = [((_CUBIC * d - 5 * _CUBIC) * d + 8 * _CUBIC) * d - 4 * _CUBIC for d in (t + 1, 2 - t)]
    return [far[0], *near, far[1]]
