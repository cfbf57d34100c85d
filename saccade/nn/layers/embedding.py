"""Rows of a table by their numbers: Embedding, EmbeddingBag, and both as functions with torch's arguments."""

from __future__ import annotations

from typing import Any

from ...tensor.gradients.leaves import no_grad
from ...tensor.tensor import Tensor, where
from .. import init
from ..module import Module, Parameter
from .linear import empty


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """(...) integers and a table (n, d) give (..., d). The row of `padding_idx` has no gradient.

    Rows that are asked for are first scaled down in place to a norm of `max_norm`. `scale_grad_by_freq`
    divides the gradient of a row by how often it is asked for. Gradients are dense, `sparse` or not."""
    table = _table(input, weight, max_norm, norm_type, scale_grad_by_freq)
    rows = Tensor.embedding(input, table)
    if padding_idx is None:
        return rows
    here = input.eq(_row(padding_idx, weight.shape[0])).unsqueeze(-1)
    return where(here, rows.detach(), rows)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of rows: `Tensor.embedding_bag`; norms and frequencies as in `embedding`."""
    table = _table(input, weight, max_norm, norm_type, scale_grad_by_freq)
    left_out = None if padding_idx is None else _row(padding_idx, weight.shape[0])
    return Tensor.embedding_bag(
        input, table, offsets, mode, per_sample_weights, include_last_offset, left_out
    )


def _row(number: int, rows: int) -> int:
    if not -rows <= number < rows:
        raise ValueError(f"padding_idx={number} is no row of {rows}")
    return number % rows


def _table(input: Tensor, weight: Tensor, max_norm: float | None, norm_type: float, shared: bool) -> Tensor:
    """The table with rows in `input` no longer than `max_norm`, and, if `shared`, with gradients divided by
    how often a row is in it."""
    if max_norm is None and not shared:
        return weight
    ones = Tensor.ones(input.numel(), dtype=weight.dtype, device=weight.device)
    counts = Tensor.zeros(weight.shape[0], dtype=weight.dtype, device=weight.device)
    counts = counts.scatter_add(0, input.flatten().long(), ones).unsqueeze(-1)
    if max_norm is not None:
        with no_grad():
            weight.copy_(where(counts > 0, weight.renorm(norm_type, 0, max_norm), weight))
    if not shared:
        return weight
    fixed = weight.detach()
    return fixed + (weight - fixed) / counts.clamp(min=1)  # adds 0 to the value


class Embedding(Module):
    """Rows of a table: (...) integers to (..., dim). The row of `padding_idx` stays as it is."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else _row(padding_idx, num_embeddings)
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.sparse = sparse
        self.weight = _initial(num_embeddings, embedding_dim, self.padding_idx, _weight, device, dtype)
        self.weight.requires_grad_(not _freeze)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        given = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)
        rows, columns = embeddings.shape
        return cls(rows, columns, *given)

    def forward(self, input: Tensor) -> Tensor:
        norm = (self.max_norm, self.norm_type)
        return embedding(input, self.weight, self.padding_idx, *norm, self.scale_grad_by_freq, self.sparse)

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
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.num_embeddings, self.embedding_dim, self.mode = num_embeddings, embedding_dim, mode
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.sparse, self.include_last_offset = sparse, include_last_offset
        self.padding_idx = None if padding_idx is None else _row(padding_idx, num_embeddings)
        self.weight = _initial(num_embeddings, embedding_dim, self.padding_idx, _weight, device, dtype)

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}"


def _initial(
    rows: int, width: int, padding_idx: int | None, given: Tensor | None, device: Any, dtype: Any
) -> Tensor:
    """The table that was given, or numbers of a normal distribution and zeros for what is padding."""
    if given is not None:
        if given.shape != (rows, width):
            raise ValueError(f"a table of shape {given.shape} has not {rows} rows of {width}")
        return Parameter(given)
    weight = init.normal_(empty(rows, width, dtype=dtype, device=device))
    if padding_idx is not None:
        with no_grad():
            weight[padding_idx] = 0.0
    return weight
