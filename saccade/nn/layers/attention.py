"""Attention with several heads, as torch's MultiheadAttention has it, and with fewer heads of keys and values
(`num_kv_heads`, grouped queries)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...tensor.tensor import Tensor
from .. import init
from ..module import Module
from .linear import Linear, empty


class MultiheadAttention(Module):
    """softmax(q k^T / sqrt(d)) v for each head, between a projection in and one out.

    Queries are (length, batch, embed_dim), or (batch, length, embed_dim) with `batch_first`. `add_bias_kv`
    and `add_zero_attn` put a learned key and a key of zeros behind the others; all may attend to them."""

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
        num_kv_heads: int | None = None,
    ) -> None:
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        if embed_dim % num_heads or num_heads % self.num_kv_heads:
            raise ValueError(
                f"embed_dim={embed_dim} cannot be divided into {num_heads} heads, or those among "
                f"{self.num_kv_heads} heads of keys and values"
            )
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim, self.batch_first = embed_dim // num_heads, batch_first
        inner = self.num_kv_heads * self.head_dim
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        options: Any = {"dtype": dtype, "device": device}
        self.in_proj_weight = None
        if self.kdim == embed_dim == self.vdim:
            self.in_proj_weight = empty(embed_dim + 2 * inner, embed_dim, **options)
            projections = [self.in_proj_weight]
        else:
            self.q_proj_weight = empty(embed_dim, embed_dim, **options)
            self.k_proj_weight = empty(inner, self.kdim, **options)
            self.v_proj_weight = empty(inner, self.vdim, **options)
            projections = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        self.in_proj_bias = empty(embed_dim + 2 * inner, **options) if bias else None
        self.bias_k = empty(1, 1, inner, **options) if add_bias_kv else None
        self.bias_v = empty(1, 1, inner, **options) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self.out_proj = Linear(embed_dim, embed_dim, bias, **options)
        for weight in projections:
            init.xavier_uniform_(weight)
        if self.bias_k is not None and self.bias_v is not None:
            init.xavier_normal_(self.bias_k)
            init.xavier_normal_(self.bias_v)
        if self.out_proj.bias is not None:
            init.zeros_(self.out_proj.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
        cache: tuple[Tensor, Tensor] | None = None,
        start: int = 0,
    ) -> tuple[Tensor, Tensor | None]:
        """The result, in the layout of the query, and the weights (batch, queries, keys) if they are needed.
        Masks are torch's: True, or minus infinity, is left out. Into a `cache` (of `new_cache`) the keys and
        values are written behind the `start` words that it has already, and all of them are attended to."""
        batched = query.ndim == 3
        if not batched:
            query, key, value = (t.unsqueeze(0) for t in (query, key, value))
        elif not self.batch_first:
            query, key, value = (t.transpose(0, 1) for t in (query, key, value))
        q, k, v = self._projected(query, key, value)
        if cache is not None:
            k, v = (_remembered(room, new, start) for room, new in zip(cache, (k, v), strict=True))
        mask = self._mask(q, k, key_padding_mask, attn_mask, is_causal, start)
        words = k.shape[2]
        k, v = self._extended(k, self.bias_k), self._extended(v, self.bias_v)
        if mask is not None and k.shape[2] > words:
            mask = mask.pad((0, k.shape[2] - words))
        dropped = self.dropout if self.training else 0.0
        if need_weights or dropped:
            k, v = (t.repeat_interleave(self.num_heads // self.num_kv_heads, 1) for t in (k, v))
            scores = q.matmul(k.mT) * (1 / math.sqrt(self.head_dim))
            weights = (scores if mask is None else scores + mask).softmax(-1)
            made = weights.dropout(dropped).matmul(v)
        else:
            grouped = self.num_kv_heads != self.num_heads
            made = q.scaled_dot_product_attention(k, v, mask, enable_gqa=grouped)
        out = self.out_proj(made.transpose(1, 2).flatten(2))
        out = out.squeeze(0) if not batched else out if self.batch_first else out.transpose(0, 1)
        if not need_weights:
            return out, None
        shown = weights.mean(1) if average_attn_weights else weights
        return out, shown if batched else shown.squeeze(0)

    def new_cache(self, batch: int, length: int) -> tuple[Tensor, Tensor]:
        """Room for the keys and the values of so many words: (batch, heads, length, depth) each."""
        weight, shape = self.out_proj.weight, (batch, self.num_kv_heads, length, self.head_dim)
        keys, values = (Tensor.zeros(*shape, dtype=weight.dtype, device=weight.device) for _ in range(2))
        return keys, values

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        """(batch, heads, length, depth) each."""
        inner = self.num_kv_heads * self.head_dim
        sizes = [self.embed_dim, inner, inner]
        if self.in_proj_weight is not None:
            matrices = self.in_proj_weight.split(sizes, 0)
        else:
            matrices = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.split(sizes, 0)
        if query is key is value and self.in_proj_weight is not None:
            parts: Sequence[Tensor] = query.linear(self.in_proj_weight, self.in_proj_bias).split(sizes, -1)
        else:
            given = zip((query, key, value), matrices, biases, strict=True)
            parts = [x.linear(matrix, bias) for x, matrix, bias in given]
        return [p.unflatten(-1, (p.shape[-1] // self.head_dim, self.head_dim)).transpose(1, 2) for p in parts]

    def _extended(self, x: Tensor, learned: Tensor | None) -> Tensor:
        """Keys or values (batch, heads, length, depth) with those behind them that belong to no word."""
        one = (x.shape[0], x.shape[1], 1, x.shape[3])
        if learned is not None:
            x = Tensor.cat([x, learned.reshape(1, *one[1:]).expand(*one)], 2)
        if self.add_zero_attn:
            x = Tensor.cat([x, Tensor.zeros(*one, dtype=x.dtype, device=x.device)], 2)
        return x

    def _mask(
        self,
        q: Tensor,
        k: Tensor,
        padding: Tensor | None,
        mask: Tensor | None,
        is_causal: bool,
        start: int,
    ) -> Tensor | None:
        """What is added to the scores: (queries, keys), or with axes of batch and head."""
        if is_causal and mask is None:
            ones = Tensor.ones(q.shape[2], k.shape[2], dtype="bool", device=q.device)
            mask = ones.triu(1 + start)
        found = None if mask is None else _added(mask, q)
        if found is not None and found.ndim == 3:  # (batch * heads, queries, keys)
            found = found.unflatten(0, (found.shape[0] // self.num_heads, self.num_heads))
        if padding is not None:
            left_out = _added(padding, q)
            left_out = left_out.reshape(-1, 1, 1, left_out.shape[-1])
            found = left_out if found is None else found + left_out
        return found


def _remembered(room: Tensor, new: Tensor, start: int) -> Tensor:
    """All keys, or values, of a cache that gets these behind the first `start`."""
    end = start + new.shape[2]
    if not 0 <= start <= end <= room.shape[2]:
        raise ValueError(f"words {start} to {end} do not fit a cache of {room.shape[2]}")
    room[:, :, start:end] = new
    return room[:, :, :end]


def _added(mask: Tensor, like: Tensor) -> Tensor:
    """Minus infinity where a bool holds; a float as it is."""
    if not mask.dtype.is_bool:
        return mask.cast(like.dtype)
    return Tensor.zeros(*mask.shape, dtype=like.dtype, device=like.device).masked_fill(mask, -math.inf)
