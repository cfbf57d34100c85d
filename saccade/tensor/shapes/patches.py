"""Patches of pictures and places between their pixels: im2col and back, unpooling, sampling on a grid.

Inputs are (N, C, *space), as in `windows.py`.

    >>> Tensor.rand(1, 3, 8, 8).im2col(2, stride=2).shape       # torch.nn.functional.unfold
    (1, 12, 16)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod
from itertools import product
from math import prod
from typing import Self

from .. import build
from ..core import Core, Operand
from .indexing import Indexing
from .resample import cubic_weights
from .windows import Sizes, Windows, each

#: A place on an axis, as an integer tensor, and its weight; None: 1.
Tap = tuple["Patches", "Patches | None"]


class Patches(Windows, Indexing):
    __slots__ = ()

    # --- columns of patches

    def im2col(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Self:
        """Every patch of (N, C, H, W) as a column: (N, C kh kw, patches). torch.nn.functional.unfold."""
        if self.ndim == 3:
            return self.unsqueeze(0).im2col(kernel_size, dilation, padding, stride).squeeze(0)
        if self.ndim != 4:
            raise ValueError(f"im2col takes (N, C, H, W) or (C, H, W), not shape {self.shape}")
        sizes, gaps = each(kernel_size, 2, "kernel_size"), each(dilation, 2, "dilation")
        around = [(p, p) for p in each(padding, 2, "padding")]
        windows = self._windows(sizes, each(stride, 2, "stride"), gaps, around)
        batch, channels, rows, columns = windows.shape[:4]
        return windows.permute(0, 1, 4, 5, 2, 3).reshape(batch, channels * prod(sizes), rows * columns)

    def fold(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> Self:
        """The sum of overlapping patches: columns (N, C kh kw, patches) become (N, C, H, W)."""
        if self.ndim == 2:
            return self.unsqueeze(0).fold(output_size, kernel_size, dilation, padding, stride).squeeze(0)
        wanted, sizes = each(output_size, 2, "output_size"), each(kernel_size, 2, "kernel_size")
        gaps, steps = each(dilation, 2, "dilation"), each(stride, 2, "stride")
        inside = each(padding, 2, "padding")
        padded = tuple([n + 2 * p for n, p in zip(wanted, inside, strict=True)])
        counts = [
            (n - gap * (size - 1) - 1) // step + 1
            for n, size, gap, step in zip(padded, sizes, gaps, steps, strict=True)
        ]
        if self.ndim != 3 or self.shape[1] % prod(sizes) or self.shape[2] != prod(counts) or min(counts) < 1:
            raise ValueError(
                f"fold of {self.shape} does not fit: patches of {sizes} in {wanted} are "
                f"(N, C * {prod(sizes)}, {prod(counts)})"
            )
        batch, channels = self.shape[0], self.shape[1] // prod(sizes)
        parts = self.reshape(batch, channels, *sizes, *counts)
        total: Self | None = None
        for at in product(*map(range, sizes)):
            part = parts[(slice(None), slice(None), *at)]
            places = [
                (i * gap, count, step) for i, gap, count, step in zip(at, gaps, counts, steps, strict=True)
            ]
            slices = ((0, batch, 1), (0, channels, 1), *places)
            placed = self._new(build.unslice(part.node, slices, (batch, channels, *padded)))
            total = placed if total is None else total + placed
        assert total is not None
        return total.pad([-p for p in reversed(inside) for _ in range(2)])

    # --- pooling

    def _max_unpool(
        self,
        dims: int,
        indices: Operand,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        output_size: Sequence[int] | None = None,
    ) -> Self:
        """The inverse of max pooling: values where the indices of max_pool say, zeros elsewhere."""
        sizes = each(kernel_size, dims, "kernel_size")
        steps = sizes if stride is None else each(stride, dims, "stride")
        around = each(padding, dims, "padding")
        if self.ndim not in (dims + 1, dims + 2):
            raise ValueError(f"max_unpool{dims}d takes (N, C, *space), not shape {self.shape}")
        space = self.shape[self.ndim - dims :]
        given = None if output_size is None else tuple(output_size)[-dims:]
        wanted = given or tuple(
            [(n - 1) * s - 2 * p + k for n, s, p, k in zip(space, steps, around, sizes, strict=True)]
        )
        lead = self.shape[: self.ndim - dims]
        empty = self._new(build.full(0, self.dtype, (*lead, prod(wanted))))
        places = self._coerce(indices).reshape(*lead, prod(space))
        return empty.scatter(-1, places, self.reshape(*lead, prod(space))).reshape(*lead, *wanted)

    max_unpool1d = partialmethod(_max_unpool, 1)
    max_unpool2d = partialmethod(_max_unpool, 2)
    max_unpool3d = partialmethod(_max_unpool, 3)

    def _lp_pool(
        self,
        dims: int,
        norm_type: float,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> Self:
        """The p-norm of every window."""
        sizes = each(kernel_size, dims, "kernel_size")
        total = (self**norm_type)._avg_pool(dims, sizes, stride, 0, ceil_mode) * prod(sizes)
        return total.sign() * total.abs() ** (1.0 / norm_type)

    lp_pool1d = partialmethod(_lp_pool, 1)
    lp_pool2d = partialmethod(_lp_pool, 2)
    lp_pool3d = partialmethod(_lp_pool, 3)

    # --- channels

    def channel_shuffle(self, groups: int) -> Self:
        """(N, C, *space) with the channels of groups dealt out in turn."""
        if self.ndim < 3 or groups < 1 or self.shape[1] % groups:
            raise ValueError(f"channel_shuffle cannot deal the channels of {self.shape} in {groups} groups")
        batch, channels, *space = self.shape
        split = self.reshape(batch, groups, channels // groups, *space)
        return split.transpose(1, 2).reshape(batch, channels, *space)

    def local_response_norm(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Self:
        """Each channel divided by a power of the mean square of its neighbours among `size` channels."""
        if self.ndim < 3 or size < 1:
            raise ValueError(
                f"local_response_norm takes (N, C, *space) and a size, not {self.shape} and {size}"
            )
        square = self * self
        around = [0, 0] * (self.ndim - 2) + [size // 2, (size - 1) // 2]
        near = square.pad(around).unfold(1, size, 1).sum(-1) / size
        return self / (near * alpha + k) ** beta

    # --- a grid of places

    @classmethod
    def affine_grid(cls, theta: Core, size: Sequence[int], align_corners: bool = False) -> Self:
        """Places for grid_sample: an affine map (N, d, d + 1) of the pixels of an output (N, C, *space)."""
        maps, dims = cls._of(theta.node), len(size) - 2
        if dims not in (2, 3) or maps.shape != (size[0], dims, dims + 1):
            raise ValueError(f"affine_grid of {maps.shape} does not fit an output of shape {tuple(size)}")
        space = tuple(size[2:])
        axes = []
        for axis in reversed(range(dims)):  # x is the last axis
            n = space[axis]
            step = cls._of(build.iota(space, axis)).cast(maps.dtype)
            if align_corners:
                axes.append(step * (2 / (n - 1)) - 1 if n > 1 else step * 0)
            else:
                axes.append((step * 2 + 1) / n - 1)
        axes.append(axes[0]._constant(1.0))
        places = cls.stack(axes, -1).reshape(1, prod(space), dims + 1)
        return (places.expand(size[0], -1, -1) @ maps.mT).reshape(size[0], *space, dims)

    def grid_sample(
        self,
        grid: Operand,
        mode: str = "bilinear",
        padding_mode: str = "zeros",
        align_corners: bool = False,
    ) -> Self:
        """(N, C, *space) at the places of a grid (N, *out, d), whose -1 to 1 span the picture, x first."""
        dims, places = self.ndim - 2, self._coerce(grid)
        if mode not in ("bilinear", "nearest", "bicubic") or (mode == "bicubic" and dims != 2):
            raise ValueError(f"grid_sample cannot do {mode!r} in {dims} dimensions")
        if padding_mode not in ("zeros", "border", "reflection"):
            raise ValueError(f"unknown padding mode {padding_mode!r}: use zeros, border or reflection")
        if dims not in (2, 3) or places.ndim != self.ndim or places.shape[-1] != dims:
            raise ValueError(f"a grid of shape {places.shape} does not fit a picture of shape {self.shape}")
        if places.shape[0] != self.shape[0]:
            raise ValueError(f"{places.shape[0]} grids do not fit {self.shape[0]} pictures")
        taps = []
        for axis in range(dims):
            n, at = self.shape[2 + axis], places.select(-1, dims - 1 - axis)
            at = ((at + 1) * (n - 1) if align_corners else (at + 1) * n - 1) / 2
            taps.append(at._grid_taps(n, mode, padding_mode, align_corners))
        return self._tapped(taps, places.shape[1:-1])

    def _grid_taps(self, n: int, mode: str, padding_mode: str, corners: bool) -> list[Tap]:
        """Places on an axis of n as the elements they are made of; weights of what is outside are 0."""
        if mode == "bicubic":
            first = self.floor()
            weights = cubic_weights(self - first)
            found = [
                ((first + k)._inside(n, padding_mode, corners), w) for k, w in zip(range(-1, 3), weights)
            ]
        else:
            at = self._inside(n, padding_mode, corners)
            if mode == "nearest":
                found = [(at.round(), None)]
            else:
                first = at.floor()
                found = [(first, 1 - (at - first)), (first + 1, at - first)]
        taps: list[Tap] = []
        for place, weight in found:
            inside = ((place >= 0) & (place <= n - 1)).cast(self.dtype)
            taps.append((place.clamp(0, n - 1).long(), inside if weight is None else weight * inside))
        return taps

    def _inside(self, n: int, padding_mode: str, corners: bool) -> Self:
        """Places brought onto the picture, where they are not left outside."""
        if padding_mode == "zeros":
            return self
        if padding_mode == "reflection":
            low, span = (0.0, n - 1.0) if corners else (-0.5, float(n))
            if not span:
                return self * 0
            away = (self - low).abs() % (2 * span)
            return (away.minimum(2 * span - away) + low).clamp(0, n - 1)
        return self.clamp(0, n - 1)

    def _tapped(self, taps: list[list[Tap]], out: tuple[int, ...]) -> Self:
        """The sum of weighted elements over all choices of one tap for each axis."""
        batch, channels, *space = self.shape
        flat, count = self.reshape(batch, channels, prod(space)), prod(out)
        total: Self | None = None
        for chosen in product(*taps):
            place, weight = None, None
            for n, (at, share) in zip(space, chosen, strict=True):
                place = at if place is None else place * n + at
                weight = share if weight is None or share is None else weight * share
            assert place is not None
            assert weight is not None
            index = place.reshape(batch, 1, count).expand(batch, channels, count)
            part = flat.gather(2, index) * weight.reshape(batch, 1, count).cast(self.dtype)
            total = part if total is None else total + part
        assert total is not None
        return total.reshape(batch, channels, *out)


__all__ = ["Patches"]
