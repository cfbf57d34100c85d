"""The Llama family once more, in NumPy and float64, a whole text at once: what `model.llama` must equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from saccade.llm.model.config import LlamaConfig

Array = np.ndarray[Any, Any]


def normal(x: Array, weight: Array, epsilon: float) -> Array:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def turn(x: Array, config: LlamaConfig, window: int) -> Array:
    """RoPE of (heads, length, head_width), each pair as a complex number that is multiplied by one."""
    half = config.rope_width // 2
    local = config.local_rope_base > 0 and window > 0
    base = config.local_rope_base if local else config.rope_base
    factors = [1.0] if local else config.rope_factors or [1.0]
    frequencies = base ** (-np.arange(half) / half) / np.array(factors)
    size = 1.0 if local else config.rope_size
    factors = size * np.exp(1j * np.arange(x.shape[1])[:, None] * frequencies)
    made = x.copy()
    for pair in range(half):
        a, b = (2 * pair, 2 * pair + 1) if config.interleaved else (pair, pair + half)
        product = (x[..., a] + 1j * x[..., b]) * factors[:, pair]
        made[..., a], made[..., b] = product.real, product.imag
    return made


def logits(weights: Mapping[str, Array], config: LlamaConfig, ids: list[int]) -> Array:
    """(length, vocabulary)."""
    weights = {name: (w + config.norm_offset if "norm" in name else w) for name, w in weights.items()}
    x = weights["token_embd.weight"][ids].astype(float) * config.embedding_scale
    scale = config.attention_scale or config.head_width**-0.5
    away = np.subtract.outer(np.arange(len(ids)), np.arange(len(ids)))
    for number in range(config.layers):
        window = config.windows[number] if config.windows else 0
        seen = (away >= 0) & (away < (window or len(ids)))
        w = {name: weights[f"blk.{number}.{name}.weight"].astype(float) for name in NAMES}
        biases = {name: weights.get(f"blk.{number}.{name}.bias", 0.0) for name in NAMES}
        y = normal(x, w["attn_norm"], config.epsilon)
        parts = [y @ w[name].T + biases[name] for name in ("attn_q", "attn_k", "attn_v")]
        q, k, v = (part.reshape(len(ids), -1, config.head_width).swapaxes(0, 1) for part in parts)
        if config.head_norms:
            q, k = (normal(each, weights[f"blk.{number}.attn_{name}_norm.weight"], config.epsilon)
                    for each, name in ((q, "q"), (k, "k")))  # fmt: skip
        q, k = turn(q, config, window), turn(k, config, window)
        heads = []
        for head in range(config.heads):
            group = head * config.kv_heads // config.heads
            scores = np.where(seen, capped(q[head] @ k[group].T * scale, config.attention_cap), -np.inf)
            powers = np.exp(scores - scores.max(-1, keepdims=True))
            heads.append(powers / powers.sum(-1, keepdims=True) @ v[group])
        y = np.concatenate(heads, -1) @ w["attn_output"].T
        x = x + ended(y, weights, f"blk.{number}.post_attention_norm.weight", config)
        y = normal(x, w["ffn_norm"], config.epsilon)
        gate = y @ w["ffn_gate"].T
        y = ((gelu if config.gelu else silu)(gate) * (y @ w["ffn_up"].T)) @ w["ffn_down"].T
        x = x + ended(y, weights, f"blk.{number}.post_ffw_norm.weight", config)
    head = weights.get("output.weight", weights["token_embd.weight"])
    made = normal(x, weights["output_norm.weight"], config.epsilon) @ head.astype(float).T
    return capped(made, config.logits_cap)


def ended(y: Array, weights: Mapping[str, Array], name: str, config: LlamaConfig) -> Array:
    return normal(y, weights[name], config.epsilon) if config.post_norms else y


def capped(x: Array, cap: float) -> Array:
    return np.tanh(x / cap) * cap if cap else x


def silu(x: Array) -> Array:
    return x / (1 + np.exp(-x))


def gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


NAMES = (
    "attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down",
)  # fmt: skip
