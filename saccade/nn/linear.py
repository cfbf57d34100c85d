"""Layers that are a product, or a table: Linear, Bilinear, Embedding; and those that move axes."""

from __future__ import annotations

import math
from typing import Any

from ..tensor.gradients.leaves import no_grad
from ..tensor.tensor import Tensor, where
from . import init
from .module import Module, Parameter


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


class Embedding(Module):
    """Rows of a table: (...) integers to (..., dim). The row of `padding_idx` stays as it is."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(f"padding_idx={padding_idx} is no row of {num_embeddings}")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.weight = empty(num_embeddings, embedding_dim, dtype=dtype, device=device)
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> Embedding:
        rows, width = embeddings.shape
        made = cls(rows, width, padding_idx)
        made.weight = Parameter(embeddings)
        made.weight.requires_grad_(not freeze)
        return made

    def forward(self, input: Tensor) -> Tensor:
        rows = self.weight.embedding(input, self.weight)
        if self.padding_idx is None:
            return rows
        here = input.eq(self.padding_idx).unsqueeze(-1)
        return where(here, rows.detach(), rows)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class EmbeddingBag(Module):
    """Sums, means or maxima of rows of a table: of each row of (N, L) integers, or of the parts of a line
    that begin at `offsets`. Rows numbered `padding_idx` do not count."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        mode: str = "mean",
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        table = Embedding(num_embeddings, embedding_dim, padding_idx, device, dtype)
        self.num_embeddings, self.embedding_dim, self.mode = num_embeddings, embedding_dim, mode
        self.include_last_offset, self.padding_idx = include_last_offset, table.padding_idx
        self.weight = table.weight

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        last, padding = self.include_last_offset, self.padding_idx
        return Tensor.embedding_bag(input, self.weight, offsets, self.mode, per_sample_weights, last, padding)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}"


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
