"""Llama's shape, for training: rotary positions, grouped heads, a gated wide layer, RMS norms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LlamaSize:
    """Llama-3.1-8B."""

    words: int = 128_256
    width: int = 4096
    layers: int = 32
    heads: int = 32
    kv_heads: int = 8
    wide: int = 14_336


def llama(nn: Any, size: LlamaSize, cat: Any) -> Any:
    """`cat` is of the library too, `Tensor.cat` or `torch.cat`. Ids (batch, length) with cosines and sines
    (length, width / heads / 2) give logits."""
    depth = size.width // size.heads

    def turned(x: Any, cosine: Any, sine: Any) -> Any:
        """Rotary positions: pairs (i, i + depth / 2) of each head."""
        left, right = x[..., : depth // 2], x[..., depth // 2 :]
        turns = (left * cosine - right * sine, right * cosine + left * sine)
        return cat(turns, -1)

    class Layer(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.RMSNorm(size.width), nn.RMSNorm(size.width)
            self.q = nn.Linear(size.width, size.heads * depth, bias=False)
            self.k = nn.Linear(size.width, size.kv_heads * depth, bias=False)
            self.v = nn.Linear(size.width, size.kv_heads * depth, bias=False)
            self.out = nn.Linear(size.heads * depth, size.width, bias=False)
            self.gate = nn.Linear(size.width, size.wide, bias=False)
            self.up = nn.Linear(size.width, size.wide, bias=False)
            self.down = nn.Linear(size.wide, size.width, bias=False)

        def forward(self, x: Any, cosine: Any, sine: Any) -> Any:
            x = x + self.out(self.attention(self.norm1(x), cosine, sine))
            y = self.norm2(x)
            return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))

        def attention(self, x: Any, cosine: Any, sine: Any) -> Any:
            batch, length, _ = x.shape

            def heads(values: Any, count: int) -> Any:
                return values.reshape(batch, length, count, depth).transpose(1, 2)

            q = turned(heads(self.q(x), size.heads), cosine, sine)
            k = turned(heads(self.k(x), size.kv_heads), cosine, sine)
            v = heads(self.v(x), size.kv_heads)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            return y.transpose(1, 2).reshape(batch, length, size.heads * depth)

    class Llama(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(size.words, size.width)
            self.layers = nn.ModuleList([Layer() for _ in range(size.layers)])
            self.norm, self.head = nn.RMSNorm(size.width), nn.Linear(size.width, size.words, bias=False)

        def forward(self, text: Any, cosine: Any, sine: Any) -> Any:
            x = self.tokens(text)
            for layer in self.layers:
                x = layer(x, cosine, sine)
            return self.head(self.norm(x))

    return Llama()
