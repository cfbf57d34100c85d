"""Vaswani's encoder and decoder, layers and stacks of them, with torch's names, order and defaults.

Masks are those of `MultiheadAttention`: True, or minus infinity, is left out. Lengths are first, (length,
batch, width), unless `batch_first`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ...tensor.tensor import Tensor
from .. import init
from ..containers import ModuleList
from ..module import Module
from .activation import Dropout
from .attention import MultiheadAttention
from .linear import Linear
from .normalization import LayerNorm

Activation = Callable[[Tensor], Tensor]


class _Layer(Module):
    """Attention to itself and two products; norms behind each of them, or before with `norm_first`."""

    #: what there is, each with a norm and a dropout
    parts: tuple[str, ...] = ("self_attn", "linear")
    self_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if isinstance(activation, str) and activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation!r}: use 'relu', 'gelu' or a function")
        more: Any = {"device": device, "dtype": dtype}
        self._attend("self_attn", d_model, nhead, dropout, bias, batch_first, more)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **more)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **more)
        self.norm_first, self.activation = norm_first, activation
        for number in range(1, 1 + len(self.parts)):
            setattr(self, f"norm{number}", LayerNorm(d_model, layer_norm_eps, True, bias, **more))
            setattr(self, f"dropout{number}", Dropout(dropout))

    def _attend(
        self, name: str, width: int, heads: int, dropout: float, bias: bool, first: bool, more: Any
    ) -> None:
        setattr(self, name, MultiheadAttention(width, heads, dropout, bias, batch_first=first, **more))

    def _part(self, number: int, x: Tensor, function: Activation) -> Tensor:
        """x and what a part makes of it."""
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        made: Tensor = x + dropout(function(norm(x))) if self.norm_first else norm(x + dropout(function(x)))
        return made

    def _forward(self, x: Tensor) -> Tensor:
        inner = self.linear1(x)
        inner = (
            getattr(inner, self.activation)() if isinstance(self.activation, str) else self.activation(inner)
        )
        made: Tensor = self.linear2(self.dropout(inner))
        return made


def _attention(layer: Any, memory: Tensor | None, mask: Any, padding: Any, causal: bool) -> Activation:
    """Attention of x to memory, or to itself, as a function of x."""

    def attended(x: Tensor) -> Tensor:
        to = x if memory is None else memory
        made: Tensor = layer(x, to, to, padding, need_weights=False, attn_mask=mask, is_causal=causal)[0]
        return made

    return attended


class TransformerEncoderLayer(_Layer):
    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        own = _attention(self.self_attn, None, src_mask, src_key_padding_mask, is_causal)
        return self._part(2, self._part(1, src, own), self._forward)


class TransformerDecoderLayer(_Layer):
    parts = ("self_attn", "multihead_attn", "linear")
    multihead_attn: MultiheadAttention

    def _attend(
        self, name: str, width: int, heads: int, dropout: float, bias: bool, first: bool, more: Any
    ) -> None:
        super()._attend(name, width, heads, dropout, bias, first, more)
        super()._attend("multihead_attn", width, heads, dropout, bias, first, more)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = _attention(self.self_attn, None, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        across = _attention(
            self.multihead_attn, memory, memory_mask, memory_key_padding_mask, memory_is_causal
        )
        return self._part(3, self._part(2, self._part(1, tgt, own), across), self._forward)


class _Stack(Module):
    """Copies of a layer one after the other, and a norm behind them."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None = None) -> None:
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def _through(self, x: Tensor, *args: Any) -> Tensor:
        for layer in self.layers:
            x = layer(x, *args)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """`enable_nested_tensor` and `mask_check` are taken and change nothing: there are no nested tensors."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        return self._through(src, mask, src_key_padding_mask, is_causal)


class TransformerDecoder(_Stack):
    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        padding = (tgt_key_padding_mask, memory_key_padding_mask)
        return self._through(tgt, memory, tgt_mask, memory_mask, *padding, tgt_is_causal, memory_is_causal)


class Transformer(Module):
    """An encoder of `src` and a decoder of `tgt` that attends to what it made."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = "relu",
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        given: Any = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first)
        given += (norm_first, bias, device, dtype)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, True, bias, device=device, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*given), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*given), num_decoder_layers, norm()
        )
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool = False,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        padding = (tgt_key_padding_mask, memory_key_padding_mask)
        made: Tensor = self.decoder(
            tgt, memory, tgt_mask, memory_mask, *padding, tgt_is_causal, memory_is_causal
        )
        return made

    @staticmethod
    def generate_square_subsequent_mask(size: int) -> Tensor:
        """(size, size): minus infinity for what comes later, 0 elsewhere."""
        return Tensor.full((size, size), float("-inf")).triu(1)
