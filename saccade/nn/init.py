"""`nn.init`: values to start from, written in place as torch does: `kaiming_uniform_(weight, a=5**0.5)`."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ..tensor.gradients.leaves import no_grad
from ..tensor.tensor import Tensor

_GAINS: Final = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
    "selu": 0.75,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the variance behind such a function."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"unknown nonlinearity {nonlinearity!r}: use one of {', '.join(_GAINS)}, leaky_relu")
    return _GAINS[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs an output has, and outputs an input: of (out, in, *kernel)."""
    if tensor.ndim < 2:
        raise ValueError(f"fan in and fan out are of tensors with two axes or more, not of {tensor.shape}")
    space = math.prod(tensor.shape[2:])
    return tensor.shape[1] * space, tensor.shape[0] * space


@no_grad
def constant_(tensor: Tensor, val: float) -> Tensor:
    return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 1.0)


@no_grad
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    return tensor.uniform_(a, b)


@no_grad
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    return tensor.normal_(mean, std)


@no_grad
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> Tensor:
    """Normal, between a and b: by the inverse of the distribution function."""
    low, high = (math.erf((bound - mean) / (std * math.sqrt(2))) for bound in (a, b))
    share = tensor.rand_like() * (high - low) + low
    return tensor.assign((share.erfinv() * (std * math.sqrt(2)) + mean).clamp(a, b))


@no_grad
def eye_(tensor: Tensor) -> Tensor:
    if tensor.ndim != 2:
        raise ValueError(f"eye_ takes a matrix, not shape {tensor.shape}")
    return tensor.assign(tensor.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    bound = gain * math.sqrt(6 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(fans(tensor))))


def kaiming_uniform_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    bound = math.sqrt(3) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity))


def _kaiming(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation."""
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"unknown mode {mode!r}: use 'fan_in' or 'fan_out'")
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fans(tensor)[mode == "fan_out"], 1))


@no_grad
def orthogonal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Rows, or columns if there are fewer, that are orthonormal."""
    if tensor.ndim < 2:
        raise ValueError(f"orthogonal_ takes two axes or more, not shape {tensor.shape}")
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    drawn = Tensor.randn(max(rows, columns), min(rows, columns), dtype="float64").numpy()
    basis, upper = np.linalg.qr(drawn)
    basis = basis * np.sign(np.diag(upper))  # else they are not evenly distributed
    matrix = basis if rows >= columns else basis.T
    return tensor.assign(Tensor(gain * matrix.reshape(tensor.shape), dtype=tensor.dtype))
