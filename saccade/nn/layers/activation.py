"""Activations, softmax and dropout as modules."""

from __future__ import annotations

from typing import Any

from ...tensor.tensor import Tensor
from ..function import NEEDED, Function
from ..module import Module
from .linear import empty


class ReLU(Function):
    method, options = "relu", {"inplace": False}


class ReLU6(Function):
    method, options = "relu6", {"inplace": False}


class LeakyReLU(Function):
    method, options = "leaky_relu", {"negative_slope": 0.01, "inplace": False}


class ELU(Function):
    method, options = "elu", {"alpha": 1.0, "inplace": False}


class CELU(Function):
    method, options = "celu", {"alpha": 1.0, "inplace": False}


class SELU(Function):
    method, options = "selu", {"inplace": False}


class GELU(Function):
    method, options = "gelu", {"approximate": "none"}


class SiLU(Function):
    method, options = "silu", {"inplace": False}


class Mish(Function):
    method, options = "mish", {"inplace": False}


class Sigmoid(Function):
    method = "sigmoid"


class LogSigmoid(Function):
    method = "logsigmoid"


class Tanh(Function):
    method = "tanh"


class Tanhshrink(Function):
    method = "tanhshrink"


class Softplus(Function):
    method, options = "softplus", {"beta": 1.0, "threshold": 20.0}


class Softsign(Function):
    method = "softsign"


class Softshrink(Function):
    method, options = "softshrink", {"lambd": 0.5}


class Hardshrink(Function):
    method, options = "hardshrink", {"lambd": 0.5}


class Hardtanh(Function):
    method, options = "hardtanh", {"min_val": -1.0, "max_val": 1.0, "inplace": False}


class Hardsigmoid(Function):
    method, options = "hardsigmoid", {"inplace": False}


class Hardswish(Function):
    method, options = "hardswish", {"inplace": False}


class Threshold(Function):
    method, options = "threshold", {"threshold": NEEDED, "value": NEEDED, "inplace": False}


class GLU(Function):
    method, options = "glu", {"dim": -1}


class Softmax(Function):
    method, options = "softmax", {"dim": NEEDED}


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d takes (N, C, H, W) or (C, H, W), not shape {input.shape}")
        return input.softmax(-3)


class LogSoftmax(Function):
    method, options = "log_softmax", {"dim": NEEDED}


class Softmin(Function):
    method, options = "softmin", {"dim": NEEDED}


class PReLU(Module):
    """x above 0, weight * x below; one weight, or one for each channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        from ..init import constant_

        self.num_parameters = num_parameters
        self.weight = constant_(empty(num_parameters, dtype=dtype, device=device), init)

    def forward(self, input: Tensor) -> Tensor:
        return input.prelu(self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """x above 0, below times a random slope; in evaluation the mean of its limits."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return input.rrelu(self.lower, self.upper, self.training)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}"


class Dropout(Module):
    """In training, zero with probability p and the rest scaled up."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"a dropout probability lies between 0 and 1, not {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return input.dropout(self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class _ChannelDropout(Dropout):
    """Whole channels of (N, C, *space) at once."""

    def forward(self, input: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return input
        channels = Tensor.ones(*input.shape[:2], dtype=input.dtype, device=input.device)
        kept = channels.dropout(self.p)
        return input * kept.reshape(*input.shape[:2], *(1,) * (input.ndim - 2))


class Dropout1d(_ChannelDropout):
    pass


class Dropout2d(_ChannelDropout):
    pass


class Dropout3d(_ChannelDropout):
    pass


class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance, for SELU."""

    def forward(self, input: Tensor) -> Tensor:
        return input.alpha_dropout(self.p, self.training)


class FeatureAlphaDropout(Dropout):
    """`AlphaDropout` of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        return input.feature_alpha_dropout(self.p, self.training)
