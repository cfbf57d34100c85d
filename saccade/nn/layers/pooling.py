"""Pooling as modules, in torch's order of arguments."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ..function import NEEDED, Function

_WINDOWS: Final = {"kernel_size": NEEDED, "stride": None, "padding": 0}
_MAX: Final = {**_WINDOWS, "dilation": 1, "return_indices": False, "ceil_mode": False}
_AVERAGE: Final = {**_WINDOWS, "ceil_mode": False, "count_include_pad": True}


class Windows(Function):
    """Windows that lie side by side where no stride is given."""

    kernel_size: Any
    stride: Any

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.stride = self.kernel_size if self.stride is None else self.stride


class _Adaptive(Function):
    options: ClassVar[dict[str, Any]] = {"output_size": NEEDED}


class _AdaptiveMax(Function):
    options: ClassVar[dict[str, Any]] = {"output_size": NEEDED, "return_indices": False}


class MaxPool1d(Windows):
    method, options = "max_pool1d", _MAX


class MaxPool2d(Windows):
    method, options = "max_pool2d", _MAX


class MaxPool3d(Windows):
    method, options = "max_pool3d", _MAX


class AvgPool1d(Windows):
    method, options = "avg_pool1d", _AVERAGE


class AvgPool2d(Windows):
    method, options = "avg_pool2d", {**_AVERAGE, "divisor_override": None}


class AvgPool3d(Windows):
    method, options = "avg_pool3d", {**_AVERAGE, "divisor_override": None}


class AdaptiveAvgPool1d(_Adaptive):
    method = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_Adaptive):
    method = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(_Adaptive):
    method = "adaptive_avg_pool3d"


class AdaptiveMaxPool1d(_AdaptiveMax):
    method = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMax):
    method = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_AdaptiveMax):
    method = "adaptive_max_pool3d"
