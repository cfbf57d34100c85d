"""Fourier transforms by torch's names and signatures; `saccade.array_api.fft` has the standard's.

>>> fft(Tensor([1.0, 0.0, -1.0, 0.0])).tolist()
[0j, (2+0j), 0j, (2+0j)]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt

from ..graph import dtypes
from ..tensor.core import DTypeLike
from ..tensor.tensor import Tensor
from .transform import Parts, forward, forward_real, inverse, inverse_real

Axes = Sequence[int] | int | None


# --- along one axis


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """sum_j x[j] exp(-2 pi i jk / n) for each k, along one axis, cut or padded with zeros to n points."""
    return _transformed(input, n, dim, norm, back=False)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`."""
    return _transformed(input, n, dim, norm, back=True)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """`fft` of real numbers: the n // 2 + 1 results that the others are conjugates of."""
    if input.dtype.is_complex:
        raise TypeError(f"rfft takes real numbers, not {input.dtype.name}: use fft")
    x = _floats(input)
    axis = _axis(x, dim)
    line = _sized(x, axis, x.shape[axis] if n is None else n)
    made = Tensor.complex(*forward_real(_columns(line, axis)))
    return _scaled(_like(made, line, axis), line.shape[axis], norm, _FORTH)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `rfft`: n real numbers, 2 (m - 1) of m where n is not given."""
    return _real_inverse(input, n, dim, norm, _BACK)


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """`fft` of what is its own conjugate read backwards, of which half is given: n real numbers."""
    return _real_inverse(input.conj(), n, dim, norm, _FORTH)


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`."""
    if input.dtype.is_complex:
        raise TypeError(f"ihfft takes real numbers, not {input.dtype.name}: use ifft")
    count = input.shape[input._axis(dim)] if n is None else n
    return _scaled(rfft(input, n, dim, "backward").conj(), count, norm, _BACK)


def _transformed(x: Tensor, n: int | None, dim: int, norm: str | None, back: bool) -> Tensor:
    x = _floats(x)
    axis = _axis(x, dim)
    line = _sized(x, axis, x.shape[axis] if n is None else n)
    points = _columns(line, axis)
    parts: Parts = (points.real, points.imag if line.dtype.is_complex else None)
    whole = Tensor.complex(*(inverse if back else forward)(parts))
    return _scaled(_like(whole, line, axis), line.shape[axis], norm, _BACK if back else _FORTH)


def _real_inverse(x: Tensor, n: int | None, dim: int, norm: str | None, way: str) -> Tensor:
    """The inverse of what its first half stands for."""
    x = _floats(x)
    axis = _axis(x, dim)
    count = 2 * (x.shape[axis] - 1) if n is None else n
    half = _complex(_sized(x, axis, max(count, 0) // 2 + 1))
    _need_points(count, x)
    whole = _columns(half, axis)
    made = inverse_real((whole.real, whole.imag), count)
    return _scaled(_like(made, half, axis), count, norm, way)


def _columns(x: Tensor, axis: int) -> Tensor:
    """(..., n, columns): the points along an axis, of as many columns as lie side by side behind it."""
    return x.reshape(*x.shape[: axis + 1], prod(x.shape[axis + 1 :]))


def _like(made: Tensor, x: Tensor, axis: int) -> Tensor:
    """The columns of a result as the axes that they were."""
    return made.reshape(*x.shape[:axis], made.shape[-2], *x.shape[axis + 1 :])


# --- along several


def fftn(input: Tensor, s: Axes = None, dim: Axes = None, norm: str | None = None) -> Tensor:
    """`fft` along several axes; all of them where none are named."""
    for size, axis in zip(*_several(input, s, dim), strict=True):
        input = fft(input, size, axis, norm)
    return _complex(input)


def ifftn(input: Tensor, s: Axes = None, dim: Axes = None, norm: str | None = None) -> Tensor:
    """The inverse of `fftn`."""
    for size, axis in zip(*_several(input, s, dim), strict=True):
        input = ifft(input, size, axis, norm)
    return _complex(input)


def rfftn(input: Tensor, s: Axes = None, dim: Axes = None, norm: str | None = None) -> Tensor:
    """`rfft` along the last of several axes, then `fft` along the others."""
    sizes, axes = _several(input, s, dim)
    if not axes:
        raise ValueError("rfftn needs at least one axis")
    made = rfft(input, sizes[-1], axes[-1], norm)
    return fftn(made, sizes[:-1], axes[:-1], norm)


def irfftn(input: Tensor, s: Axes = None, dim: Axes = None, norm: str | None = None) -> Tensor:
    """The inverse of `rfftn`: real numbers, of the size that is given along the last axis."""
    sizes, axes = _several(input, s, dim)
    if not axes:
        raise ValueError("irfftn needs at least one axis")
    last = sizes[-1] if s is not None else None
    made = ifftn(input, sizes[:-1], axes[:-1], norm)
    return irfft(made, last, axes[-1], norm)


def hfftn(input: Tensor, s: Axes = None, dim: Axes = None, norm: str | None = None) -> Tensor:
    """`hfft` along the last of several axes, after `fft` along the others: real numbers."""
    sizes, axes = _several(input, s, dim)
    if not axes:
        raise ValueError("hfftn needs at least one axis")
    made = fftn(input, sizes[:-1], axes[:-1], norm)
    return hfft(made, sizes[-1] if s is not None else None, axes[-1], norm)


def ihfftn(input: Tensor, s: Axes = None, dim: Axes = None, norm: str | None = None) -> Tensor:
    """The inverse of `hfftn`."""
    sizes, axes = _several(input, s, dim)
    if not axes:
        raise ValueError("ihfftn needs at least one axis")
    return ifftn(ihfft(input, sizes[-1], axes[-1], norm), sizes[:-1], axes[:-1], norm)


def fft2(input: Tensor, s: Axes = None, dim: Axes = (-2, -1), norm: str | None = None) -> Tensor:
    return fftn(input, s, dim, norm)


def ifft2(input: Tensor, s: Axes = None, dim: Axes = (-2, -1), norm: str | None = None) -> Tensor:
    return ifftn(input, s, dim, norm)


def rfft2(input: Tensor, s: Axes = None, dim: Axes = (-2, -1), norm: str | None = None) -> Tensor:
    return rfftn(input, s, dim, norm)


def irfft2(input: Tensor, s: Axes = None, dim: Axes = (-2, -1), norm: str | None = None) -> Tensor:
    return irfftn(input, s, dim, norm)


def hfft2(input: Tensor, s: Axes = None, dim: Axes = (-2, -1), norm: str | None = None) -> Tensor:
    return hfftn(input, s, dim, norm)


def ihfft2(input: Tensor, s: Axes = None, dim: Axes = (-2, -1), norm: str | None = None) -> Tensor:
    return ihfftn(input, s, dim, norm)


# --- frequencies


def fftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike = None, device: str | None = None) -> Tensor:
    """The frequencies of the results of `fft` of samples d apart: 0, 1, ..., -1 over n d."""
    _need_points(n, None)
    place = Tensor.arange(n, device=device)
    signed = (place * 2 < n)._choose(place, place - n).double()
    return (signed / (n * d)).cast(dtype or dtypes.float32)


def rfftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike = None, device: str | None = None) -> Tensor:
    """The frequencies of the results of `rfft`: 0, 1, ..., n // 2 over n d."""
    _need_points(n, None)
    return (Tensor.arange(n // 2 + 1, device=device).double() / (n * d)).cast(dtype or dtypes.float32)


def fftshift(input: Tensor, dim: Axes = None) -> Tensor:
    """Results with frequency 0 in the middle."""
    axes = _named(input, dim)
    return input.roll([input.shape[axis] // 2 for axis in axes], axes) if axes else input


def ifftshift(input: Tensor, dim: Axes = None) -> Tensor:
    """The inverse of `fftshift`."""
    axes = _named(input, dim)
    return input.roll([-(input.shape[axis] // 2) for axis in axes], axes) if axes else input


# --- arguments

_FORTH, _BACK = "forward", "backward"


def _floats(x: Tensor) -> Tensor:
    """Integers and halves as float32."""
    return x if x.dtype.part in (dtypes.float32, dtypes.float64) else x.cast(dtypes.float32)


def _complex(x: Tensor) -> Tensor:
    return x if x.dtype.is_complex else x.cast(_floats(x).dtype.complex)


def _axis(x: Tensor, dim: int) -> int:
    if not x.ndim:
        raise ValueError("a 0-dim tensor has no axis to transform: reshape it to (1,)")
    return x._axis(dim)


def _sized(x: Tensor, axis: int, n: int) -> Tensor:
    """An axis cut to n, or with zeros behind."""
    _need_points(n, x)
    length = x.shape[axis]
    if n <= length:
        return x.narrow(axis, 0, n)
    return x.pad((0, 0) * (x.ndim - axis - 1) + (0, n - length))


def _need_points(n: int, x: Tensor | None) -> None:
    if n < 1:
        of = "" if x is None else f" (shape {x.shape})"
        raise ValueError(f"a transform has at least 1 point, not {n}{of}")


def _scaled(x: Tensor, n: int, norm: str | None, way: str) -> Tensor:
    """`norm` names the way that is divided by n; "ortho" divides both by its root."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"unknown norm {norm!r}: use backward, ortho or forward")
    if norm == "ortho":
        return x * (1 / sqrt(n))
    return x * (1 / n) if (norm or _BACK) == way else x


def _named(x: Tensor, dim: Axes) -> list[int]:
    axes = range(x.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    found = [x._axis(axis) for axis in axes]
    if len(set(found)) != len(found):
        raise ValueError(f"axes {tuple(axes)} name one axis of shape {x.shape} twice")
    return found


def _several(x: Tensor, s: Axes, dim: Axes) -> tuple[list[int], list[int]]:
    """Sizes and axes; sizes alone are those of the last axes, and -1 leaves an axis as it is."""
    if s is None:
        axes = _named(x, dim)
        return [x.shape[axis] for axis in axes], axes
    sizes = [s] if isinstance(s, int) else list(s)
    axes = _named(x, range(-len(sizes), 0) if dim is None else dim)
    if len(axes) != len(sizes):
        raise ValueError(f"{len(sizes)} sizes for {len(axes)} axes: give one for each")
    return [x.shape[axis] if size == -1 else size for size, axis in zip(sizes, axes, strict=True)], axes


__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn",
    "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq",
    "rfftn",
]  # fmt: skip
