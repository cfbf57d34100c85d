"""Convolution and pooling in any number of spatial dims: windows over padded axes, a product, a reduction.

A convolution pads, takes a WINDOW per spatial axis, multiplies with the weights and sums over channels and
window: the same loop nest as a matrix product with a window in its index. Inputs are (batch, channels,
*space); the batch may be missing.

    >>> Tensor.rand(1, 3, 8, 8).conv2d(Tensor.rand(4, 3, 3, 3), padding=1).shape
    (1, 4, 8, 8)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod
from math import prod
from typing import Any, Self

from ...graph.node import Scalar
from .. import build
from ..core import Operand
from ..reductions.products import Products
from ..reductions.reduce import ValuesAndIndices
from .gather import Gather

Sizes = int | Sequence[int]


def each(value: Sizes, dims: int, name: str) -> tuple[int, ...]:
    """One number per spatial axis."""
    values = (value,) * dims if isinstance(value, int) else tuple(value)
    if len(values) == 1:
        values *= dims
    if len(values) != dims:
        raise ValueError(f"{name}={value} does not give one number for each of {dims} spatial axes")
    return values


class Windows(Products, Gather):
    __slots__ = ()

    # --- convolution

    def conv(
        self,
        weight: Operand,
        bias: Operand | None = None,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
    ) -> Self:
        """(N, in, *space) with weights (out, in / groups, *kernel) gives (N, out, *space)."""
        kernel = self._coerce(weight)
        dims = kernel.ndim - 2
        if dims < 1 or self.ndim not in (dims + 1, dims + 2):
            raise ValueError(
                f"conv needs an input of {dims + 2} axes for weights {kernel.shape}, not shape {self.shape}"
            )
        if self.ndim == dims + 1:
            return self.unsqueeze(0).conv(kernel, bias, stride, padding, dilation, groups).squeeze(0)
        if groups < 1 or self.shape[1] != kernel.shape[1] * groups or kernel.shape[0] % groups:
            raise ValueError(
                f"conv of {self.shape[1]} channels in {groups} groups does not fit weights {kernel.shape}: "
                f"weights are (out, in / groups, *kernel), and out is a multiple of groups"
            )
        steps, gaps = each(stride, dims, "stride"), each(dilation, dims, "dilation")
        around = _conv_padding(padding, kernel.shape[2:], steps, gaps)
        windows = self._windows(kernel.shape[2:], steps, gaps, around)
        result = windows._convolved(kernel, groups)
        return result if bias is None else result + self._coerce(bias).reshape(-1, *(1,) * dims)

    def _windows(
        self,
        sizes: Sequence[int],
        steps: Sequence[int],
        gaps: Sequence[int],
        around: Sequence[tuple[int, int]],
        value: Scalar = 0,
    ) -> Self:
        """(N, C, *space) as (N, C, *positions, *window)."""
        dims = len(sizes)
        if min(*steps, *gaps, *sizes, 1) < 1:
            raise ValueError(
                f"windows of {tuple(sizes)} with stride {tuple(steps)} and dilation "
                f"{tuple(gaps)}: use at least 1"
            )
        padded = self.pad([amount for pair in reversed(around) for amount in pair], value=value)
        for n, size, gap in zip(padded.shape[2:], sizes, gaps, strict=True):
            if n < gap * (size - 1) + 1:
                raise ValueError(
                    f"a window of {size} with dilation {gap} does not fit {n} padded elements of "
                    f"shape {self.shape}"
                )
        node = padded.node
        for i in range(dims):
            node = build.window(node, 2 + 2 * i, sizes[i], steps[i], gaps[i])
        order = (0, 1, *range(2, 2 + 2 * dims, 2), *range(3, 3 + 2 * dims, 2))
        return self._new(build.permute(node, order))

    def _convolved(self, kernel: Self, groups: int) -> Self:
        """Windows (N, C, *positions, *window) times weights, summed over channels of a group and the
        window."""
        dims = kernel.ndim - 2
        batch, channels = self.shape[:2]
        places, window = self.shape[2 : 2 + dims], self.shape[2 + dims :]
        inner, outer = channels // groups, kernel.shape[0] // groups
        x = self.reshape(batch, groups, 1, inner, *places, *window)
        x = x.permute(0, 1, 2, *range(4, 4 + dims), 3, *range(4 + dims, 4 + 2 * dims))
        w = kernel.reshape(1, groups, outer, *(1,) * dims, inner, *window)
        x, w = x._dot_pair(w, "conv")
        product = x._summed_product(w, tuple(range(3 + dims, 4 + 2 * dims)))
        return product.reshape(batch, groups * outer, *places)

    def _ranked_conv(
        self,
        dims: int,
        weight: Operand,
        bias: Operand | None = None,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
    ) -> Self:
        kernel = self._coerce(weight)
        if kernel.ndim != dims + 2:
            raise ValueError(f"conv{dims}d takes weights of {dims + 2} axes, not shape {kernel.shape}")
        return self.conv(kernel, bias, stride, padding, dilation, groups)

    conv1d = partialmethod(_ranked_conv, 1)
    conv2d = partialmethod(_ranked_conv, 2)
    conv3d = partialmethod(_ranked_conv, 3)

    def conv_transpose(
        self,
        weight: Operand,
        bias: Operand | None = None,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        dilation: Sizes = 1,
    ) -> Self:
        """The transpose of `conv`: weights (in, out / groups, *kernel)."""
        kernel = self._coerce(weight)
        dims = kernel.ndim - 2
        if dims < 1 or self.ndim != dims + 2 or self.shape[1] != kernel.shape[0] or kernel.shape[0] % groups:
            raise ValueError(
                f"conv_transpose of {self.shape} in {groups} groups does not fit weights "
                f"{kernel.shape}: (in, out / groups, *kernel)"
            )
        steps, gaps = each(stride, dims, "stride"), each(dilation, dims, "dilation")
        inside, extra = each(padding, dims, "padding"), each(output_padding, dims, "output_padding")
        split = kernel.reshape(groups, kernel.shape[0] // groups, *kernel.shape[1:]).transpose(1, 2)
        turned = split.reshape(groups * kernel.shape[1], kernel.shape[0] // groups, *kernel.shape[2:])
        around = list(zip(inside, extra, strict=True))
        # one place has no next: with any stride it is the same, with the longest no product is of zeros
        sizes = zip(self.shape[2:], kernel.shape[2:], steps, strict=True)
        steps = tuple([max(size, 1) if n == 1 else step for n, size, step in sizes])
        if max(steps) > 1 and max(gaps) == 1 and 0 not in self.shape:
            made = self._conv_transpose_in_phases(turned, steps, around, groups)
            return made if bias is None else made + self._coerce(bias).reshape(-1, *[1] * dims)
        node = self.node
        for i in range(dims):
            node = build.dilate(node, 2 + i, steps[i])
        reach = [gap * (size - 1) for gap, size in zip(gaps, kernel.shape[2:], strict=True)]
        spread = self._new(node)._around(
            [(r - p, r - p + e) for r, (p, e) in zip(reach, around, strict=True)]
        )
        return spread.conv(turned.flip(*range(2, 2 + dims)), bias, 1, 0, gaps, groups)

    def _conv_transpose_in_phases(
        self, kernel: Self, steps: Sequence[int], around: Sequence[tuple[int, int]], groups: int
    ) -> Self:
        """Every place of an output tile of `steps` is a convolution of its own, with each `step`-th element
        of the kernel (out, in / groups, *kernel): all of them in one, then side by side (sub-pixel
        convolution). With zeros between the inputs most products would be of zeros."""
        dims, outputs = len(steps), kernel.shape[0]
        sizes = kernel.shape[2:]
        taps = [-(-size // step) for size, step in zip(sizes, steps, strict=True)]
        whole = kernel._around([(0, t * s - k) for t, s, k in zip(taps, steps, sizes, strict=True)])
        cut = whole.reshape(*kernel.shape[:2], *[n for pair in zip(taps, steps, strict=True) for n in pair])
        tap_axes, step_axes = [2 + 2 * i for i in range(dims)], [3 + 2 * i for i in range(dims)]
        phases = cut.flip(*tap_axes).permute(0, *step_axes, 1, *tap_axes)
        phases = phases.reshape(outputs * prod(steps), kernel.shape[1], *taps)
        made = self.conv(phases, None, 1, [t - 1 for t in taps], 1, groups)
        lengths = made.shape[2:]
        places = made.reshape(made.shape[0], outputs, *steps, *lengths)
        order = [axis for i in range(dims) for axis in (2 + dims + i, 2 + i)]
        full = [n * s for n, s in zip(lengths, steps, strict=True)]
        side_by_side = places.permute(0, 1, *order).reshape(made.shape[0], outputs, *full)
        # the kernel filled up reaches beyond what is wanted
        beyond = [t * s - k for t, s, k in zip(taps, steps, sizes, strict=True)]
        return side_by_side._around([(-p, e - p - b) for (p, e), b in zip(around, beyond, strict=True)])

    def _around(self, amounts: Sequence[tuple[int, int]]) -> Self:
        """Zeros before and behind each of the last axes, or less of them where an amount is negative."""
        return self.pad([amount for pair in reversed(amounts) for amount in pair])

    conv_transpose1d = conv_transpose2d = conv_transpose3d = conv_transpose

    # --- pooling

    def _pool_windows(
        self,
        dims: int,
        size: Sizes,
        stride: Sizes | None,
        padding: Sizes,
        dilation: Sizes,
        ceil_mode: bool,
        value: Scalar,
    ) -> Self:
        if self.ndim not in (dims + 1, dims + 2):
            raise ValueError(
                f"pooling over {dims} axes needs an input of {dims + 2} axes, not shape {self.shape}"
            )
        sizes, gaps = each(size, dims, "kernel_size"), each(dilation, dims, "dilation")
        steps, around = (
            each(size if stride is None else stride, dims, "stride"),
            each(padding, dims, "padding"),
        )
        if min(*sizes, *steps) < 1:
            raise ValueError(f"windows of {sizes} with stride {steps}: use at least 1")
        if min(around) < 0:
            raise ValueError(f"padding={padding} is negative: slice the input instead")
        if any(p > s // 2 for p, s in zip(around, sizes, strict=True)):
            raise ValueError(
                f"padding={padding} is more than half the window {size}: a window would see padding only"
            )
        pairs = []
        for n, s, step, p, gap in zip(self.shape[-dims:], sizes, steps, around, gaps, strict=True):
            over = (n + 2 * p - gap * (s - 1) - 1) % step if ceil_mode else 0
            more = step - over if over else 0
            # a window may not begin in the padding at the end
            count = (n + 2 * p + more - gap * (s - 1) - 1) // step + 1
            pairs.append((p, p if more and (count - 1) * step >= n + p else p + more))
        return self._windows(sizes, steps, gaps, pairs, value)

    def _max_pool(
        self,
        dims: int,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        if self.ndim == dims + 1:
            pooled = self.unsqueeze(0)._max_pool(
                dims, kernel_size, stride, padding, dilation, ceil_mode, return_indices
            )
            return ValuesAndIndices(*[p.squeeze(0) for p in pooled]) if return_indices else pooled.squeeze(0)
        windows = self._pool_windows(dims, kernel_size, stride, padding, dilation, ceil_mode, self.dtype.min)
        axes = tuple(range(2 + dims, 2 + 2 * dims))
        values = windows._first_best(axes)
        if not return_indices:
            return values
        space = self.shape[2:]
        numbers = self._of(build.reshape(build.iota((prod(space),), 0), (1, 1, *space))).expand(self.shape)
        places = numbers._pool_windows(dims, kernel_size, stride, padding, dilation, ceil_mode, 0)
        best = windows.reshape(*values.shape, -1).argmax(-1, keepdim=True)
        return ValuesAndIndices(values, places.reshape(*values.shape, -1).gather(-1, best).squeeze(-1))

    max_pool1d = partialmethod(_max_pool, 1)
    max_pool2d = partialmethod(_max_pool, 2)
    max_pool3d = partialmethod(_max_pool, 3)

    def _avg_pool(
        self,
        dims: int,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Self:
        if self.ndim == dims + 1:
            batch = self.unsqueeze(0)
            return batch._avg_pool(
                dims, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
            ).squeeze(0)
        self._need_floats("avg_pool")
        axes = tuple(range(2 + dims, 2 + 2 * dims))
        total = (
            self._pool_windows(dims, kernel_size, stride, padding, 1, ceil_mode, 0)
            .cast(self.dtype.accumulator)
            .sum(axes)
        )
        if divisor_override is not None:
            return (total / divisor_override).cast(self.dtype)
        sizes, around = each(kernel_size, dims, "kernel_size"), each(padding, dims, "padding")
        if not ceil_mode and (count_include_pad or not any(around)):
            return (total / prod(sizes)).cast(self.dtype)
        steps = sizes if stride is None else each(stride, dims, "stride")
        for axis, (size, step, p) in enumerate(zip(sizes, steps, around, strict=True), 2):
            # padding counts where asked, what ceil_mode adds beyond it never does
            n, counted = self.shape[axis], p if count_include_pad else 0
            start = self._of(build.iota(total.shape, axis)) * step - p
            inside = (start + size).minimum(n + counted) - start.maximum(-counted)
            total = total / inside
        return total.cast(self.dtype)

    avg_pool1d = partialmethod(_avg_pool, 1)
    avg_pool2d = partialmethod(_avg_pool, 2)
    avg_pool3d = partialmethod(_avg_pool, 3)

    def _adaptive(self, dims: int, verb: str, output_size: Any) -> Self:
        """Windows from floor(i n / m) to ceil((i + 1) n / m), one spatial axis after the other, the last
        first: of equal maxima the first of the first row is chosen. Means of windows side by side are taken
        of all their axes at once."""
        x, sizes = self, self._adapted(dims, output_size)
        if verb == "mean" and all(m and x.shape[axis] % m == 0 for axis, m in sizes):
            for axis, m in reversed(sizes):
                x = x.unflatten(axis, (m, x.shape[axis] // m))
            return x.mean(tuple(x.ndim - 2 * n - 1 for n in range(dims)))
        for axis, m in reversed(sizes):
            n = x.shape[axis]
            if m and n % m == 0:
                x = getattr(x.unflatten(axis, (m, n // m)), verb)((axis + 1,))
            else:
                x = x.stack([getattr(x.narrow(axis, *part), verb)((axis,)) for part in _parts(n, m)], axis)
        return x

    def _adapted(self, dims: int, output_size: Any) -> list[tuple[int, int]]:
        """The spatial axes, and the sizes they get."""
        wanted = (output_size,) * dims if isinstance(output_size, int) else tuple(output_size)
        axes = range(self.ndim - dims, self.ndim)
        return [(a, self.shape[a] if m is None else m) for a, m in zip(axes, wanted, strict=True)]

    def _adaptive_max(self, dims: int, output_size: Any, return_indices: bool = False) -> Any:
        """Maxima of such windows, and where they are in the flat space: the first of equal ones."""
        if not return_indices:
            return self._adaptive(dims, "_first_best", output_size)
        space = self.shape[self.ndim - dims :]
        x, places = self, self._of(build.reshape(build.iota((prod(space),), 0), space)).expand(self.shape)
        for axis, m in reversed(self._adapted(dims, output_size)):  # so that the first is that of the rows
            found, at = [], []
            for part in _parts(x.shape[axis], m):
                best = x.narrow(axis, *part).argmax(axis, keepdim=True)
                found.append(x.narrow(axis, *part).gather(axis, best))
                at.append(places.narrow(axis, *part).gather(axis, best))
            x, places = x.cat(found, axis), x.cat(at, axis)
        return ValuesAndIndices(x, places)

    adaptive_avg_pool1d = partialmethod(_adaptive, 1, "mean")
    adaptive_avg_pool2d = partialmethod(_adaptive, 2, "mean")
    adaptive_avg_pool3d = partialmethod(_adaptive, 3, "mean")
    adaptive_max_pool1d = partialmethod(_adaptive_max, 1)
    adaptive_max_pool2d = partialmethod(_adaptive_max, 2)
    adaptive_max_pool3d = partialmethod(_adaptive_max, 3)


def _parts(n: int, m: int) -> list[tuple[int, int]]:
    """Where each of m windows on an axis of n starts, and its length."""
    return [(i * n // m, -(-(i + 1) * n // m) - i * n // m) for i in range(m)]


def _conv_padding(
    padding: Sizes | str, sizes: Sequence[int], steps: Sequence[int], gaps: Sequence[int]
) -> list[tuple[int, int]]:
    if not isinstance(padding, str):
        around = each(padding, len(sizes), "padding")
        if min(around) < 0:
            raise ValueError(f"padding={padding} is negative: slice the input instead")
        return [(p, p) for p in around]
    if padding == "valid":
        return [(0, 0)] * len(sizes)
    if padding != "same":
        raise ValueError(f"unknown padding {padding!r}: use numbers, 'same' or 'valid'")
    if any(step != 1 for step in steps):
        raise ValueError(f"padding='same' needs stride 1, not {tuple(steps)}")
    whole = [gap * (size - 1) for gap, size in zip(gaps, sizes, strict=True)]
    return [(total // 2, total - total // 2) for total in whole]
