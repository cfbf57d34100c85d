"""The extension `fft`: what `saccade.fft` computes, by the standard's signatures.

>>> rfft(Tensor([1.0, 0.0, -1.0, 0.0])).tolist()
[0j, (2+0j), 0j]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import fft as transforms
from ..graph.dtypes import DType
from ..tensor.tensor import Tensor
from .promotion import FLOATING, FLOATS, Kinds, need, need_array

Axes = int | Sequence[int] | None


def _along_one(name: str, kinds: Kinds) -> Callable[..., Tensor]:
    transform = getattr(transforms, name)

    def function(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
        return transform(need(name, kinds, x), n, axis, norm)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    return function


def _along_several(name: str, kinds: Kinds) -> Callable[..., Tensor]:
    transform = getattr(transforms, name)

    def function(
        x: Tensor,
        /,
        *,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str = "backward",
    ) -> Tensor:
        return transform(need(name, kinds, x), s, axes, norm)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    return function


fft = _along_one("fft", FLOATING)
ifft = _along_one("ifft", FLOATING)
rfft = _along_one("rfft", FLOATS)
irfft = _along_one("irfft", FLOATING)
hfft = _along_one("hfft", FLOATING)
ihfft = _along_one("ihfft", FLOATS)
fftn = _along_several("fftn", FLOATING)
ifftn = _along_several("ifftn", FLOATING)
rfftn = _along_several("rfftn", FLOATS)
irfftn = _along_several("irfftn", FLOATING)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: str | None = None) -> Tensor:
    return transforms.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: str | None = None) -> Tensor:
    return transforms.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: Axes = None) -> Tensor:
    return transforms.fftshift(need_array("fftshift", x), axes)


def ifftshift(x: Tensor, /, *, axes: Axes = None) -> Tensor:
    return transforms.ifftshift(need_array("ifftshift", x), axes)


__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]
