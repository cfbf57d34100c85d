"""Randomness inside models: dropouts of whole channels, soft choices, counts.

Random numbers are functions of a key, as in `random.py`.

    >>> Tensor.ones(2, 8, 4).dropout1d(0.5).shape       # whole channels are dropped
    (2, 8, 4)
"""

from __future__ import annotations

import math
from functools import partialmethod
from typing import Self

from ...graph import dtypes
from ..core import DTypeLike
from ..elementwise.special import Special
from .functional import Functional
from .random import Key, Random

#: what a saturated SELU tends to: -scale * alpha
_SELU_FLOOR = -1.7580993408473766
#: means up to this are drawn by inversion, whose steps cover all counts that float64 tells from impossible
_SMALL_MEAN = 10.0
_INVERSION_STEPS = 60
#: candidates of a rejection sampler that accepts four of five
_CANDIDATES = 16


class Sampling(Random, Functional, Special):
    __slots__ = ()

    # --- dropout

    def _channel_dropout(
        self, dims: int, p: float = 0.5, training: bool = True, *, key: Key | None = None
    ) -> Self:
        """Zero whole channels of (N, C, *space) or (C, *space) with probability p."""
        if self.ndim not in (dims + 1, dims + 2):
            raise ValueError(
                f"dropout{dims}d takes (N, C, *space) with {dims} axes of space, not {self.shape}"
            )
        return self._where_kept(self.ndim - dims, p, training, key, 0.0)

    dropout1d = partialmethod(_channel_dropout, 1)
    dropout2d = partialmethod(_channel_dropout, 2)
    dropout3d = partialmethod(_channel_dropout, 3)

    def alpha_dropout(self, p: float = 0.5, training: bool = False, *, key: Key | None = None) -> Self:
        """Dropout that keeps mean and variance of what went through SELU: dropped elements saturate."""
        return self._where_kept(self.ndim, p, training, key, _SELU_FLOOR)

    def feature_alpha_dropout(
        self, p: float = 0.5, training: bool = False, *, key: Key | None = None
    ) -> Self:
        """alpha_dropout of whole channels of (N, C, *space)."""
        return self._where_kept(min(self.ndim, 2), p, training, key, _SELU_FLOOR)

    def _where_kept(self, axes: int, p: float, training: bool, key: Key | None, floor: float) -> Self:
        """Dropped with probability p, by the first `axes` axes, to `floor`; then scaled and moved so that the
        mean (and with a floor, which is SELU's, the variance) stays."""
        if not 0 <= p <= 1:
            raise ValueError(f"a dropout probability lies between 0 and 1, not {p}")
        if not training or p == 0:
            return self
        if p == 1:
            return self * 0
        shape = self.shape[:axes] + (1,) * (self.ndim - axes)
        kept = self._unit(shape, dtypes.float32, key, self.device) >= p
        if not floor:
            return kept._choose(self * (1 / (1 - p)), 0.0)
        scale = 1 / math.sqrt((1 - p) * (1 + p * floor * floor))
        return kept._choose(self, floor) * scale - scale * p * floor

    def rrelu(
        self, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, *, key: Key | None = None
    ) -> Self:
        """Leaky relu with a random slope, in evaluation with the mean of its limits."""
        if not training:
            return self.leaky_relu((lower + upper) / 2)
        slope = self._unit(self.shape, dtypes.float32, key, self.device) * (upper - lower) + lower
        return (self >= 0)._choose(self, self * slope.cast(self.dtype))

    # --- choices

    def gumbel_softmax(
        self, tau: float = 1, hard: bool = False, dim: int = -1, *, key: Key | None = None
    ) -> Self:
        """A soft choice with these logits; a hard one has the gradient of the soft one."""
        waits = -(1 - self._unit(self.shape, dtypes.float32, key, self.device)).log()
        noise = -waits.clamp(min=2.0**-126).log()  # of a draw of exactly 0 it would be infinite
        soft = ((self + noise.cast(self.dtype)) / tau).softmax(dim)
        if not hard:
            return soft
        axis = self._axis(dim)
        chosen = soft.argmax(axis, keepdim=True)
        one = self._constant(0.0).scatter(axis, chosen, 1.0)
        return one - soft.detach() + soft

    # --- counts

    @classmethod
    def _whole_unit(cls, shape: tuple[int, ...], key: Key | None, device: str) -> Self:
        """Uniform float64 in 0 to 1, both excluded."""
        return cls._unit(shape, dtypes.float64, key, device) * (1 - 2.0**-52) + 2.0**-53

    def poisson(self, *, key: Key | None = None) -> Self:
        """Counts with these means. Small means by inversion of the distribution; from 10 on by transformed
        rejection (Hoermann 1993), the first of 16 candidates that is accepted."""
        self._need_floats("poisson")
        keys = (None, None) if key is None else key.split()
        mean = self.double()
        small = mean < _SMALL_MEAN
        few = small._choose(mean, 1.0)._few(self._whole_unit(self.shape, keys[0], self.device))
        many = small._choose(_SMALL_MEAN, mean)._many(keys[1])
        return (mean >= 0)._choose(small._choose(few, many), math.nan).cast(self.dtype)

    def _few(self, place: Self) -> Self:
        """How many partial sums of exp(-mean) mean^k / k! lie below `place`."""
        share = (-self).exp()
        below, count = share, self._constant(0.0)
        for k in range(1, _INVERSION_STEPS):
            count = count + (place > below).cast(self.dtype)
            share = share * self / k
            below = below + share
        return count

    def _many(self, key: Key | None) -> Self:
        keys = (None, None) if key is None else key.split()
        shape = (_CANDIDATES, *self.shape)
        centred, height = (self._whole_unit(shape, k, self.device) for k in keys)
        centred = centred - 0.5
        b = 0.931 + 2.53 * self.sqrt()
        a = -0.059 + 0.02483 * b
        inverse = 1.1239 + 1.1328 / (b - 3.4)
        distance = 0.5 - centred.abs()
        count = ((2 * a / distance + b) * centred + self + 0.43).floor()
        quick = (distance >= 0.07) & (height <= 0.9277 - 3.6224 / (b - 2))
        outside = (count < 0) | ((distance < 0.013) & (height > distance))
        measured = (height * inverse / (a / (distance * distance) + b)).log()
        accepted = quick | (~outside & (measured <= count * self.log() - self - (count + 1).lgamma()))
        first = accepted.cast(dtypes.uint8).argmax(0, keepdim=True)
        found = count.gather(0, first).squeeze(0)
        return accepted.any(0)._choose(found, self.round())

    def randint_like(
        self, low: int, high: int | None = None, *, dtype: DTypeLike = None, key: Key | None = None
    ) -> Self:
        """Integers from low to high - 1 (or from 0 to low - 1), of our shape."""
        limits = (0, low) if high is None else (low, high)
        return self.randint(*limits, self.shape, dtype=dtype or self.dtype, device=self.device, key=key)


__all__ = ["Sampling"]
