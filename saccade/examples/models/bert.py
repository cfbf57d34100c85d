"""BERT's shape: attention in both directions, norms behind the residuals, a head for masked words."""

from __future__ import annotations

from typing import Any


def bert(
    nn: Any, words: int, length: int, width: int = 64, heads: int = 4, layers: int = 2, kinds: int = 2
) -> Any:
    """Ids (batch, length) to logits of words (batch, length, words)."""

    class Layer(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
            self.norm1, self.norm2 = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.act = nn.GELU()

        def forward(self, x: Any, is_padding: Any) -> Any:
            x = self.norm1(x + self.attention(x, x, x, key_padding_mask=is_padding, need_weights=False)[0])
            return self.norm2(x + self.narrow(self.act(self.wide(x))))

    class Bert(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.kinds = nn.Embedding(kinds, width)
            self.norm, self.head_norm = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)
            self.layers = nn.ModuleList([Layer() for _ in range(layers)])
            self.dense, self.head, self.act = nn.Linear(width, width), nn.Linear(width, words), nn.GELU()
            self.head.weight = self.words.weight  # tied

        def forward(self, text: Any, kind: Any, is_padding: Any) -> Any:
            x = self.words(text) + self.places.weight[: text.shape[1]] + self.kinds(kind)
            x = self.norm(x)
            for layer in self.layers:
                x = layer(x, is_padding)
            return self.head(self.head_norm(self.act(self.dense(x))))

    return Bert()
