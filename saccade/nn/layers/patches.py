"""Patches, channels and pictures as modules: Fold, Unfold, unpooling, p-norms of windows, other sizes."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ...tensor.tensor import Tensor
from ..function import NEEDED, Function
from ..module import Module
from .pooling import Windows

_PATCHES: Final = {"kernel_size": NEEDED, "dilation": 1, "padding": 0, "stride": 1}
_UNPOOL: Final = {"kernel_size": NEEDED, "stride": None, "padding": 0}
_NORM: Final = {"norm_type": NEEDED, "kernel_size": NEEDED, "stride": None, "ceil_mode": False}


class Unfold(Function):
    """im2col: (N, C, H, W) to (N, C kh kw, patches)."""

    method, options = "im2col", _PATCHES


class Fold(Function):
    """The sum of overlapping patches: (N, C kh kw, patches) to (N, C, H, W)."""

    method, options = "fold", {"output_size": NEEDED, **_PATCHES}


class _MaxUnpool(Windows):
    """Values (N, C, *space) to where the indices of max pooling say."""

    options = _UNPOOL

    def forward(self, input: Tensor, indices: Any, output_size: Any = None) -> Any:
        return super().forward(input, indices, output_size=output_size)


class MaxUnpool1d(_MaxUnpool):
    method = "max_unpool1d"


class MaxUnpool2d(_MaxUnpool):
    method = "max_unpool2d"


class MaxUnpool3d(_MaxUnpool):
    method = "max_unpool3d"


class LPPool1d(Windows):
    method, options = "lp_pool1d", _NORM


class LPPool2d(Windows):
    method, options = "lp_pool2d", _NORM


class LPPool3d(Windows):
    method, options = "lp_pool3d", _NORM


class ChannelShuffle(Function):
    method, options = "channel_shuffle", {"groups": NEEDED}


class PixelShuffle(Function):
    method, options = "pixel_shuffle", {"upscale_factor": NEEDED}


class PixelUnshuffle(Function):
    method, options = "pixel_unshuffle", {"downscale_factor": NEEDED}


class LocalResponseNorm(Function):
    method, options = "local_response_norm", {"size": NEEDED, "alpha": 1e-4, "beta": 0.75, "k": 1.0}


class Upsample(Module):
    """A larger or smaller picture: see Tensor.interpolate."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        self.size, self.scale_factor, self.mode, self.align_corners = size, scale_factor, mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return input.interpolate(
            self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class _Upsampling(Upsample):
    means: ClassVar[str]
    corners: ClassVar[bool | None] = None

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, self.means, self.corners)


class UpsamplingNearest2d(_Upsampling):
    means = "nearest"


class UpsamplingBilinear2d(_Upsampling):
    means, corners = "bilinear", True
