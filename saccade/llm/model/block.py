"""A layer of the decoder: RMSNorm, attention with grouped queries and RoPE, RMSNorm, a gated product.

    block = Block(file, config, number=0, slabs=None)
    block.forward(x, keys, values, places)              # (batch, length, width) -> the same

What differs between models is in a `Style`, numbers that are part of the program, and in weights that are
there or not: biases, norms of heads, norms after attention and after the product.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import numpy as np

from ...nn.module import Module
from ...runtime.device import Device
from ...tensor.tensor import Tensor
from ..weights.own_memory import Slabs, aligned, tensor_over
from ..weights.packed import linear
from ..weights.quants import Weight
from ..weights.words import Linear, WordWeight, are_few, in_words, rounded_normal, side_by_side
from .config import LlamaConfig


@dataclass(frozen=True)
class Style:
    """How a layer computes. scale: of attention's scores; cap: their bound (soft-capping), 0 for none;
    window: how many places a token sees, with its own, 0 for all; gelu: GeGLU in place of SwiGLU."""

    epsilon: float
    interleaved: bool
    scale: float
    cap: float
    window: int
    gelu: bool


@dataclass(frozen=True)
class Places:
    """Where tokens are. at: (batch, length) places in the cache; seen: (reach,) those that attention looks
    at; cosines, sines: (capacity + 1, pairs) by place. apart: a token is to have the bits that it has
    alone."""

    at: Tensor
    seen: Tensor
    cosines: Tensor
    sines: Tensor
    apart: bool = field(default=False, kw_only=True)


class Block(Module):
    """A layer of the decoder. slabs: memory for weights that are multiplied with bytes (`lanes.py`); None:
    activations are floats."""

    def __init__(
        self, file: Mapping[str, Weight], config: LlamaConfig, number: int, slabs: Slabs | None
    ) -> None:
        def weight(name: str) -> Linear:
            full = f"blk.{number}.{name}"
            return linear(file[f"{full}.weight"], file.get(f"{full}.bias"), slabs)

        def norm(name: str) -> Tensor | None:
            found = file.get(f"blk.{number}.{name}.weight")
            return None if found is None else norm_weight(found, config)

        scale = config.attention_scale or 1 / math.sqrt(config.head_width)
        window = config.windows[number] if config.windows else 0
        self.style = Style(
            config.epsilon, config.interleaved, scale, config.attention_cap, window, config.gelu
        )
        self.attention_norm, self.inner_norm = norm("attn_norm"), norm("ffn_norm")
        self.query_norm, self.key_norm = norm("attn_q_norm"), norm("attn_k_norm")
        self.attention_end, self.inner_end = norm("post_attention_norm"), norm("post_ffw_norm")
        #: of queries, keys and values: three matrices, or one that has the rows of all
        self.inputs = [weight(f"attn_{name}") for name in "qkv"]
        self.output = weight("attn_output")
        self.gate, self.up, self.down = (weight(f"ffn_{name}") for name in ("gate", "up", "down"))
        keys = config.kv_heads * config.head_width
        self.ends = (0, *accumulate((config.heads * config.head_width, keys, keys)))
        self.lay_out()

    def lay_out(self) -> None:
        """Weights as their device reads them: in words on a GPU, and those of one input as one matrix."""
        self.inputs = side_by_side([in_words(each) for each in self.inputs])
        self.output, self.gate, self.up, self.down = map(
            in_words, (self.output, self.gate, self.up, self.down)
        )

    def weights(self) -> tuple[Linear, ...]:
        """What activations are multiplied with."""
        return *self.inputs, self.output, self.gate, self.up, self.down

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, places: Places) -> Tensor:
        """(batch, length, width) -> the same, after keys and values of them were written to (batch, kv_heads,
        capacity + 1, head_width)."""
        style = self.style
        made = self._queries_keys_values(x)
        # a GPU ends the products of keys and values with RoPE and the store to the cache
        apart = 3 if x.device == "cpu" or self.key_norm is not None else 1
        made[:apart] = [each.contiguous() for each in made[:apart]]
        q, k, v = (each.unflatten(-1, (-1, keys.shape[-1])) for each in made)
        q, k = self._normal(q, self.query_norm), self._normal(k, self.key_norm)
        turns = places.cosines[places.at].unsqueeze(2), places.sines[places.at].unsqueeze(2)
        keep(keys, places.at, turned(k, *turns, style.interleaved))
        keep(values, places.at, v)
        reach = places.seen.shape[0]
        q = turned(q, *turns, style.interleaved).transpose(1, 2).cast(keys.dtype)
        if x.device == "cpu":  # a loop over keys would turn it again for each of them
            q = q.contiguous()
        attend = attention_apart if places.apart else attention
        seen = attend(q, keys[:, :, :reach], values[:, :, :reach], sight(places, style.window), style)
        seen = seen.transpose(1, 2)
        if x.device != "cpu" and not are_few(math.prod(x.shape[:-1]), self.output):
            seen = seen.contiguous()  # attention stores it as the product reads it, with no copy between them
        # stored: a product is not made anew for each use, nor row by row for the norm
        found = self.output.forward(seen.flatten(2).cast(x.dtype))
        x = (x + self._ended(found, self.attention_end)).contiguous()
        gate, up = self._of_normal(x, self.inner_norm, (self.gate, self.up))
        gate = gate.gelu("tanh") if style.gelu else gate.silu()
        inner = self.down.forward(given(gate * up, self.down))
        return (x + self._ended(inner, self.inner_end)).contiguous()

    def _normal(self, x: Tensor, weight: Tensor | None) -> Tensor:
        """RMSNorm of the last axis, where there is a weight for it."""
        return x if weight is None else x.rms_norm(x.shape[-1], weight, self.style.epsilon)

    def _queries_keys_values(self, x: Tensor) -> list[Tensor]:
        """(batch, length, width) -> three of (batch, length, heads * head_width)."""
        places = list(pairwise(self.ends))
        whole = self.inputs[0]
        if len(self.inputs) == len(places) or not isinstance(whole, WordWeight):
            return self._of_normal(x, self.attention_norm, tuple(self.inputs))
        if are_few(math.prod(x.shape[:-1]), whole):  # a kernel of each, which begins with what it needs
            return self._of_normal(x, self.attention_norm, tuple([whole.rows(*place) for place in places]))
        (made,) = self._of_normal(x, self.attention_norm, (whole,))
        return [made[..., first:end] for first, end in places]

    def _of_normal(self, x: Tensor, norm: Tensor | None, weights: tuple[Linear, ...]) -> list[Tensor]:
        """Products of the norm of x with some weights."""
        words = [each for each in weights if isinstance(each, WordWeight)]
        tokens = math.prod(x.shape[:-1])
        if norm is None or len(words) < len(weights) or not are_few(tokens, weights[0]):
            normal = given(self._normal(x, norm), weights[0])
            return [each.forward(normal) for each in weights]
        made, factor = rounded_normal(x.contiguous().reshape(tokens, -1), norm, self.style.epsilon)
        return [each.product(made, factor).reshape(*x.shape[:-1], -1) for each in words]

    def _ended(self, x: Tensor, weight: Tensor | None) -> Tensor:
        return x if weight is None else self._normal(x.contiguous(), weight)


def given(x: Tensor, weight: Linear) -> Tensor:
    """What a weight multiplies with: stored, where it looks at it several times to round it."""
    few = are_few(math.prod(x.shape[:-1]), weight)
    return x.contiguous() if few and isinstance(weight, WordWeight) else x


def norm_weight(weight: Weight, config: LlamaConfig) -> Tensor:
    """What a norm multiplies with: (width,), in memory of its own. A page of a file that is read brings
    fifteen neighbours into memory, which of 61 norms were 9 MB. Copied here where the host can see it: a
    program for each of them took a third of a millisecond."""
    found = weight.dequantised()
    if not Device[found.device].host_memory:
        return (found + config.norm_offset if config.norm_offset else found.clone()).realize()
    made = aligned(found.shape, np.float32)
    made[...] = found.numpy()
    if config.norm_offset:
        made += np.float32(config.norm_offset)
    return tensor_over(made)


def keep(cache: Tensor, at: Tensor, new: Tensor) -> None:
    """Write new (batch, length, kv_heads, head_width) to the places at (batch, length) of a cache (batch,
    kv_heads, capacity + 1, head_width), each row at places of its own."""
    rows = new.transpose(1, 2).cast(cache.dtype)
    cache.scatter_(2, at[:, None, :, None].expand(*rows.shape), rows)


def sight(places: Places, window: int) -> Tensor:
    """(batch, 1, length, reach): which places a token sees."""
    at = places.at.unsqueeze(-1)
    seen = places.seen < at + 1  # a count, at which attention on a GPU ends its keys
    return (seen & (places.seen > at - window) if window else seen).unsqueeze(1)


def attention(q: Tensor, keys: Tensor, values: Tensor, seen: Tensor, style: Style) -> Tensor:
    """q (batch, heads, length, head_width), keys and values (batch, kv_heads, reach, head_width), seen as of
    `sight` -> as q."""
    grouped = q.shape[1] != keys.shape[1]
    if not style.cap:
        return q.scaled_dot_product_attention(keys, values, seen, scale=style.scale, enable_gqa=grouped)
    if grouped:
        keys, values = (each.repeat_interleave(q.shape[1] // each.shape[1], 1) for each in (keys, values))
    scores = capped((q @ keys.mT) * style.scale, style.cap)
    return scores.where(seen, -math.inf).softmax(-1) @ values


def attention_apart(q: Tensor, keys: Tensor, values: Tensor, seen: Tensor, style: Style) -> Tensor:
    """The same, a kernel for each token. Of several tokens attention is matrix products, which sum in another
    order: a bit that differs is another rounding of activations to 8 bits, and in the end another word."""
    rows = [slice(n, n + 1) for n in range(q.shape[2])]
    parts = [attention(q[:, :, row].contiguous(), keys, values, seen[:, :, row], style) for row in rows]
    return Tensor.cat([part.contiguous() for part in parts], 2)


def capped(x: Tensor, cap: float) -> Tensor:
    """Soft-capping: nearly x where it is small, and never beyond the cap."""
    return (x / cap).tanh() * cap


def turned(x: Tensor, cosines: Tensor, sines: Tensor, interleaved: bool) -> Tensor:
    """RoPE: (..., length, heads, head_width), of which the first elements turn in pairs by their angles, each
    (..., length, 1, pairs)."""
    size = 2 * cosines.shape[-1]
    part, rest = x[..., :size], x[..., size:]
    axis, sizes = (-1, (size // 2, 2)) if interleaved else (-2, (2, size // 2))
    pairs = part.unflatten(-1, sizes)
    # one rule for both of a pair: x * cosine + other * (-sine, sine), which a kernel can end a product with
    signs = (Tensor.arange(2, device=x.device) * 2 - 1).cast(x.dtype).unsqueeze(0 if interleaved else -1)
    made = pairs * cosines.unsqueeze(axis) + pairs.flip(axis) * (sines.unsqueeze(axis) * signs)
    made = made.flatten(-2)
    return Tensor.cat([made, rest], -1) if rest.shape[-1] else made
