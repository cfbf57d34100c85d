"""Tensors that follow from sizes alone: windows for signals, and the indices of triangles.

>>> Tensor.hann_window(4).tolist()
[0.0, 0.5, 1.0, 0.5]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ...graph import dtypes
from ..core import DTypeLike
from ..elementwise.special import Special
from .creation import Creation

Line = NDArray[np.float64]


class Tables(Creation, Special):
    __slots__ = ()

    @classmethod
    def _taper(
        cls,
        window_length: int,
        periodic: bool,
        dtype: DTypeLike,
        device: str | None,
        shape: Callable[[Line], Line],
    ) -> Self:
        """A window from its shape over -1 to 1; a periodic one leaves out the last of one point more."""
        if window_length < 0:
            raise ValueError(f"a window cannot have {window_length} points")
        wanted = dtypes.float32 if dtype is None else dtypes.of(dtype)
        if not wanted.is_float:
            raise TypeError(f"a window is of floats, not {wanted.name}")
        count = window_length + (1 if periodic else 0)
        if window_length < 2:  # of one point there is nothing but the middle
            return cls(np.ones(window_length), wanted, device)
        return cls(shape(np.linspace(-1.0, 1.0, count))[:window_length], wanted, device)

    @classmethod
    def hann_window(
        cls, window_length: int, periodic: bool = True, *, dtype: DTypeLike = None, device: str | None = None
    ) -> Self:
        return cls.hamming_window(window_length, periodic, 0.5, 0.5, dtype=dtype, device=device)

    @classmethod
    def hamming_window(
        cls,
        window_length: int,
        periodic: bool = True,
        alpha: float = 0.54,
        beta: float = 0.46,
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
    ) -> Self:
        """alpha - beta cos(2 pi i / n)."""
        shape: Callable[[Line], Line] = lambda u: alpha + beta * np.cos(math.pi * u)  # noqa: E731
        return cls._taper(window_length, periodic, dtype, device, shape)

    @classmethod
    def blackman_window(
        cls, window_length: int, periodic: bool = True, *, dtype: DTypeLike = None, device: str | None = None
    ) -> Self:
        shape: Callable[[Line], Line] = lambda u: (  # noqa: E731
            0.42 + 0.5 * np.cos(math.pi * u) + 0.08 * np.cos(2 * math.pi * u)
        )
        return cls._taper(window_length, periodic, dtype, device, shape)

    @classmethod
    def bartlett_window(
        cls, window_length: int, periodic: bool = True, *, dtype: DTypeLike = None, device: str | None = None
    ) -> Self:
        """A triangle."""
        return cls._taper(window_length, periodic, dtype, device, lambda u: 1 - np.abs(u))

    @classmethod
    def kaiser_window(
        cls,
        window_length: int,
        periodic: bool = True,
        beta: float = 12.0,
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
    ) -> Self:
        """Bessel functions: I0(beta sqrt(1 - u^2)) / I0(beta)."""
        shape: Callable[[Line], Line] = lambda u: (  # noqa: E731
            np.i0(beta * np.sqrt(np.maximum(1 - u * u, 0))) / np.i0(beta)
        )
        return cls._taper(window_length, periodic, dtype, device, shape)

    @classmethod
    def tril_indices(
        cls, row: int, col: int, offset: int = 0, *, dtype: DTypeLike = None, device: str | None = None
    ) -> Self:
        """Rows and columns of the elements on and below a diagonal: (2, count)."""
        return cls._triangle(np.tril_indices, row, col, offset, dtype, device)

    @classmethod
    def triu_indices(
        cls, row: int, col: int, offset: int = 0, *, dtype: DTypeLike = None, device: str | None = None
    ) -> Self:
        """Rows and columns of the elements on and above a diagonal: (2, count)."""
        return cls._triangle(np.triu_indices, row, col, offset, dtype, device)

    @classmethod
    def _triangle(
        cls,
        places: Callable[[int, int, int], tuple[NDArray[np.intp], NDArray[np.intp]]],
        row: int,
        col: int,
        offset: int,
        dtype: DTypeLike,
        device: str | None,
    ) -> Self:
        if row < 0 or col < 0:
            raise ValueError(f"a matrix cannot be of shape ({row}, {col})")
        wanted = dtypes.int64 if dtype is None else dtypes.of(dtype)
        return cls(np.stack(places(row, offset, col)).astype(np.int64), wanted, device)


__all__ = ["Tables"]
