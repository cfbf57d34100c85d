"""Roots of unity, worked out once on the host, in double precision.

    roots(8, [1, 2])     # exp(-2 pi i / 8), exp(-2 pi i 2 / 8)

A transform in float32 has them rounded once. They are kept, as plans of other libraries are.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..graph.dtypes import DType
from ..tensor.tensor import Tensor

#: the real and the imaginary part
Pair = tuple[Tensor, Tensor]
Doubles = NDArray[np.float64]


def roots(n: int, powers: NDArray[np.int64]) -> tuple[Doubles, Doubles]:
    """The parts of exp(-2 pi i k / n). Angles are brought to an eighth of a turn first, in integers, so that
    sine and cosine are right to the last digit."""
    eighths = 8 * (powers % n)
    octant, rest = eighths // n, eighths % n
    odd = octant % 2 == 1
    angle = np.where(odd, n - rest, rest) * (np.pi / 4 / n)
    cosine, sine = np.cos(angle), np.sin(angle)
    swapped = np.isin(octant % 4, (1, 2))
    x, y = np.where(swapped, sine, cosine), np.where(swapped, cosine, sine)
    return np.where(np.isin(octant, (2, 3, 4, 5)), -x, x), np.where(octant >= 4, y, -y)


@lru_cache(64)
def matrix(n: int, parts: int, dtype: DType, device: str) -> Tensor:
    """The transform of n points as a real matrix, from the parts of all points, which come one after the
    other, to both of all results: (2 n, parts * n)."""
    places = np.arange(n)
    c, s = roots(n, np.outer(places, places))
    columns = [np.concatenate([c, s]), np.concatenate([-s, c])]
    return Tensor(np.concatenate(columns[:parts], 1), dtype=dtype, device=device)


@lru_cache(64)
def twiddles(radix: int, rest: int, dtype: DType, device: str) -> Pair:
    """What stands between the transforms of `radix` and of `rest` points: (radix, rest, 1, 1)."""
    turns = np.outer(np.arange(radix), np.arange(rest))[..., None, None]
    return _placed(roots(radix * rest, turns), dtype, device)


@lru_cache(64)
def half_circle(n: int, dtype: DType, device: str) -> Pair:
    """exp(-2 pi i k / n) for k up to n / 2, (n / 2 + 1, 1)."""
    return _placed(roots(n, np.arange(n // 2 + 1)[:, None]), dtype, device)


@lru_cache(16)
def chirp(n: int, length: int, dtype: DType, device: str) -> tuple[Pair, Pair]:
    """exp(-pi i k^2 / n) for k < n, and the transform of its conjugate, around 0 on a ring of that length;
    (n, 1) and (length, 1)."""
    places = np.arange(n)
    re, im = roots(2 * n, places * places)
    ring = np.zeros(length, np.complex128)
    ring[:n] = re - 1j * im
    ring[length - n + 1 :] = ring[1:n][::-1]
    around = np.fft.fft(ring)[:, None]
    wave = re[:, None], im[:, None]
    return _placed(wave, dtype, device), _placed((around.real, around.imag), dtype, device)


def _placed(parts: tuple[Doubles, Doubles], dtype: DType, device: str) -> Pair:
    first, second = (Tensor(part, dtype=dtype, device=device) for part in parts)
    return first, second


__all__ = ["Pair", "chirp", "half_circle", "matrix", "roots", "twiddles"]
