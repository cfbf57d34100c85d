"""Functions of a tensor as modules: activations, softmax, dropout. Each names a method of `Tensor` and the
options that torch's constructor has, in its order."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ..tensor.tensor import Tensor
from .linear import empty
from .module import Module

_NEEDED: Final = object()


class _Function(Module):
    """A method of `Tensor` with options. `inplace` is taken and changes nothing: values are not overwritten
    while somebody needs them."""

    method: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **options: Any) -> None:
        name = type(self).__name__
        if len(args) > len(self.options):
            raise TypeError(f"{name} takes {len(self.options)} arguments, not {len(args)}")
        given = dict(zip(self.options, args, strict=False))
        strange = [key for key in options if key not in self.options or key in given]
        if strange:
            raise TypeError(f"{name} does not take {strange[0]!r}: it has {', '.join(self.options)}")
        for key, value in {**self.options, **given, **options}.items():
            if value is _NEEDED:
                raise TypeError(f"{name} needs {key}")
            setattr(self, key, value)

    def forward(self, input: Tensor) -> Tensor:
        options = {key: getattr(self, key) for key in self.options if key != "inplace"}
        made: Tensor = getattr(input, self.method)(**options)
        return made

    def extra_repr(self) -> str:
        shown = {key: getattr(self, key) for key in self.options if getattr(self, key) is not False}
        return ", ".join([f"{key}={value}" for key, value in shown.items()])


class ReLU(_Function):
    method, options = "relu", {"inplace": False}


class ReLU6(_Function):
    method, options = "relu6", {"inplace": False}


class LeakyReLU(_Function):
    method, options = "leaky_relu", {"negative_slope": 0.01, "inplace": False}


class ELU(_Function):
    method, options = "elu", {"alpha": 1.0, "inplace": False}


class CELU(_Function):
    method, options = "celu", {"alpha": 1.0, "inplace": False}


class SELU(_Function):
    method, options = "selu", {"inplace": False}


class GELU(_Function):
    method, options = "gelu", {"approximate": "none"}


class SiLU(_Function):
    method, options = "silu", {"inplace": False}


class Mish(_Function):
    method, options = "mish", {"inplace": False}


class Sigmoid(_Function):
    method = "sigmoid"


class LogSigmoid(_Function):
    method = "logsigmoid"


class Tanh(_Function):
    method = "tanh"


class Tanhshrink(_Function):
    method = "tanhshrink"


class Softplus(_Function):
    method, options = "softplus", {"beta": 1.0, "threshold": 20.0}


class Softsign(_Function):
    method = "softsign"


class Softshrink(_Function):
    method, options = "softshrink", {"lambd": 0.5}


class Hardshrink(_Function):
    method, options = "hardshrink", {"lambd": 0.5}


class Hardtanh(_Function):
    method, options = "hardtanh", {"min_val": -1.0, "max_val": 1.0, "inplace": False}


class Hardsigmoid(_Function):
    method, options = "hardsigmoid", {"inplace": False}


class Hardswish(_Function):
    method, options = "hardswish", {"inplace": False}


class Threshold(_Function):
    method, options = "threshold", {"threshold": _NEEDED, "value": _NEEDED, "inplace": False}


class GLU(_Function):
    method, options = "glu", {"dim": -1}


class Softmax(_Function):
    method, options = "softmax", {"dim": _NEEDED}


class LogSoftmax(_Function):
    method, options = "log_softmax", {"dim": _NEEDED}


class Softmin(_Function):
    method, options = "softmin", {"dim": _NEEDED}


class PReLU(Module):
    """x above 0, weight * x below; one weight, or one for each channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        from .init import constant_

        self.num_parameters = num_parameters
        self.weight = constant_(empty(num_parameters, dtype=dtype, device=device), init)

    def forward(self, input: Tensor) -> Tensor:
        return input.prelu(self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


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
