"""Pooling as modules, in torch's order of arguments."""

from __future__ import annotations

from typing import Any, ClassVar

from ..tensor.tensor import Tensor
from ..tensor.windows import Sizes
from .module import Module


class _MaxPool(Module):
    method: ClassVar[str]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        self.kernel_size, self.padding, self.dilation = kernel_size, padding, dilation
        self.stride = kernel_size if stride is None else stride
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        return getattr(input, self.method)(
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool1d(_MaxPool):
    method = "max_pool1d"


class MaxPool2d(_MaxPool):
    method = "max_pool2d"


class MaxPool3d(_MaxPool):
    method = "max_pool3d"


class _AvgPool(Module):
    method: ClassVar[str]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        made: Tensor = getattr(input, self.method)(
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            ceil_mode=self.ceil_mode,
            count_include_pad=self.count_include_pad,
        )
        return made

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    method = "avg_pool1d"


class AvgPool2d(_AvgPool):
    method = "avg_pool2d"


class AvgPool3d(_AvgPool):
    method = "avg_pool3d"


class _Adaptive(Module):
    method: ClassVar[str]

    def __init__(self, output_size: Any) -> None:
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        made: Tensor = getattr(input, self.method)(self.output_size)
        return made

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    method = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_Adaptive):
    method = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(_Adaptive):
    method = "adaptive_avg_pool3d"


class AdaptiveMaxPool1d(_Adaptive):
    method = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_Adaptive):
    method = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_Adaptive):
    method = "adaptive_max_pool3d"
