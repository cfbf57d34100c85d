"""Convolutions of one, two and three axes, and transposed ones."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ...tensor.shapes.windows import Sizes, each
from ...tensor.tensor import Tensor
from .. import init
from ..module import Module
from .linear import empty


class _Convolution(Module):
    dims: ClassVar[int]
    #: whether weights are (in, out / groups, *kernel)
    transposed: ClassVar[bool] = False

    def _set_up(
        self,
        channels: tuple[int, int],
        sizes: tuple[Sizes, Sizes, Sizes | str, Sizes],
        groups: int,
        bias: bool,
        device: Any,
        dtype: Any,
    ) -> None:
        self.in_channels, self.out_channels = channels
        if groups < 1 or self.in_channels % groups or self.out_channels % groups:
            raise ValueError(f"channels {channels} cannot be divided into {groups} groups")
        kernel, stride, padding, dilation = sizes
        self.kernel_size = each(kernel, self.dims, "kernel_size")
        self.stride, self.dilation = each(stride, self.dims, "stride"), each(dilation, self.dims, "dilation")
        self.padding = padding if isinstance(padding, str) else each(padding, self.dims, "padding")
        self.groups = groups
        first, second = reversed(channels) if not self.transposed else channels
        self.weight = empty(first, second // groups, *self.kernel_size, dtype=dtype, device=device)
        self.bias = empty(self.out_channels, dtype=dtype, device=device) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(max(init.fans(self.weight)[0], 1))
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        for name, usual in (("padding", 0), ("dilation", 1)):
            value = getattr(self, name)
            if value != (usual,) * self.dims:
                parts.append(f"{name}={value}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        return ", ".join([*parts, *(["bias=False"] if self.bias is None else [])])


class _Conv(_Convolution):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(f"unknown padding_mode {padding_mode!r}")
        self.padding_mode = padding_mode
        sizes = (kernel_size, stride, padding, dilation)
        self._set_up((in_channels, out_channels), sizes, groups, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """(N, in, *space) to (N, out, *space)."""
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._padded(input), 0
        return input.conv(self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _padded(self, input: Tensor) -> Tensor:
        around: list[int] = []
        for axis in reversed(range(self.dims)):
            if isinstance(self.padding, str):
                whole = self.dilation[axis] * (self.kernel_size[axis] - 1) if self.padding == "same" else 0
                around += [whole // 2, whole - whole // 2]
            else:
                around += [self.padding[axis]] * 2
        return input.pad(around, mode=self.padding_mode)


class _ConvTranspose(_Convolution):
    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f"transposed convolutions pad with zeros, not {padding_mode!r}")
        self.output_padding = each(output_padding, self.dims, "output_padding")
        sizes = (kernel_size, stride, padding, dilation)
        self._set_up((in_channels, out_channels), sizes, groups, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        padding: Any = self.padding  # never a word, as it may be of a plain convolution
        return input.conv_transpose(
            self.weight, self.bias, self.stride, padding, self.output_padding, self.groups, self.dilation
        )


class Conv1d(_Conv):
    dims = 1


class Conv2d(_Conv):
    dims = 2


class Conv3d(_Conv):
    dims = 3


class ConvTranspose1d(_ConvTranspose):
    dims = 1


class ConvTranspose2d(_ConvTranspose):
    dims = 2


class ConvTranspose3d(_ConvTranspose):
    dims = 3
