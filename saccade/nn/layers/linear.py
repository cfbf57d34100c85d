"""Layers that are a product: Linear, Bilinear; and those that move axes."""

from __future__ import annotations

import math
from typing import Any

from ...tensor.tensor import Tensor
from .. import init
from ..module import Module, Parameter


def empty(*shape: int, dtype: Any = None, device: str | None = None) -> Tensor:
    """A parameter that is about to be initialised."""
    return Parameter(Tensor.zeros(*shape, dtype=dtype or "float32", device=device))


class Identity(Module):
    """What it is given; any arguments, as torch has it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def forward(self, input: Any) -> Any:
        return input


class Linear(Module):
    """x @ weight.T + bias: (..., in) to (..., out), weight (out, in)."""

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        self.in_features, self.out_features = in_features, out_features
        self.weight = empty(out_features, in_features, dtype=dtype, device=device)
        self.bias = empty(out_features, dtype=dtype, device=device) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(max(self.in_features, 1))
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return input.linear(self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class Bilinear(Module):
    """x1 weight x2 + bias: (..., in1), (..., in2) to (..., out)."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = empty(out_features, in1_features, in2_features, dtype=dtype, device=device)
        self.bias = empty(out_features, dtype=dtype, device=device) if bias else None
        bound = 1 / math.sqrt(in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return input1.bilinear(input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{self.in1_features}, {self.in2_features}, {self.out_features}, bias={self.bias is not None}"


class Flatten(Module):
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    def __init__(self, dim: int, unflattened_size: tuple[int, ...]) -> None:
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
