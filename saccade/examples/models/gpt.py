"""GPT-2's shape: blocks of causal attention and a wide layer, each behind a norm and beside a residual."""

from __future__ import annotations

from typing import Any


def gpt_block(nn: Any, width: int, heads: int, bias: bool = True) -> Any:
    """(batch, length, width) to the same."""

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width, bias), nn.Linear(width, width, bias)
            self.wide, self.narrow = nn.Linear(width, 4 * width, bias), nn.Linear(4 * width, width, bias)
            self.act = nn.GELU()

        def forward(self, x: Any) -> Any:
            x = x + self.out(self.attention(self.norm1(x)))
            return x + self.narrow(self.act(self.wide(self.norm2(x))))

        def attention(self, x: Any) -> Any:
            batch, length, _ = x.shape
            qkv = self.qkv(x).reshape(batch, length, 3, heads, width // heads)
            q, k, v = (qkv[:, :, part].transpose(1, 2) for part in range(3))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return y.transpose(1, 2).reshape(batch, length, width)

    return Block()


def gpt(
    nn: Any, letters: int, length: int, width: int = 64, heads: int = 4, layers: int = 2, tied: bool = False
) -> Any:
    """(batch, length) of token ids to logits (batch, length, letters). Where it is `tied`, the embedding of
    tokens is the last layer too."""

    class Gpt(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(letters, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList([gpt_block(nn, width, heads) for _ in range(layers)])
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, letters, bias=False)
            if tied:
                self.head.weight = self.tokens.weight

        def forward(self, text: Any) -> Any:
            x = self.tokens(text) + self.places.weight[: text.shape[1]]
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    return Gpt()
