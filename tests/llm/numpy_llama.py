"""The Llama family once more, in NumPy and float64, a whole text at once: what `llm.llama` must equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from saccade.llm.config import LlamaConfig

Array = np.ndarray[Any, Any]


def normal(x: Array, weight: Array, epsilon: float) -> Array:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def turn(x: Array, config: LlamaConfig) -> Array:
    """RoPE of (heads, length, head_width), each pair as a complex number that is multiplied by one."""
    half = config.rope_width // 2
    frequencies = config.rope_base ** (-np.arange(half) / half) / np.array(config.rope_factors or [1.0])
    factors = np.exp(1j * np.arange(x.shape[1])[:, None] * frequencies)
    made = x.copy()
    for pair in range(half):
        a, b = (2 * pair, 2 * pair + 1) if config.interleaved else (pair, pair + half)
        product = (x[..., a] + 1j * x[..., b]) * factors[:, pair]
        made[..., a], made[..., b] = product.real, product.imag
    return made


def logits(weights: Mapping[str, Array], config: LlamaConfig, ids: list[int]) -> Array:
    """(length, vocabulary)."""
    x = weights["token_embd.weight"][ids].astype(float)
    causal = np.tril(np.ones((len(ids), len(ids)), bool))
    for number in range(config.layers):
        w = {name: weights[f"blk.{number}.{name}.weight"].astype(float) for name in NAMES}
        biases = {name: weights.get(f"blk.{number}.{name}.bias", 0.0) for name in NAMES}
        y = normal(x, w["attn_norm"], config.epsilon)
        parts = [y @ w[name].T + biases[name] for name in ("attn_q", "attn_k", "attn_v")]
        q, k, v = (part.reshape(len(ids), -1, config.head_width).swapaxes(0, 1) for part in parts)
        if config.head_norms:
            q, k = (normal(each, weights[f"blk.{number}.attn_{name}_norm.weight"], config.epsilon)
                    for each, name in ((q, "q"), (k, "k")))  # fmt: skip
        q, k = turn(q, config), turn(k, config)
        heads = []
        for head in range(config.heads):
            group = head * config.kv_heads // config.heads
            scores = np.where(causal, q[head] @ k[group].T / np.sqrt(config.head_width), -np.inf)
            powers = np.exp(scores - scores.max(-1, keepdims=True))
            heads.append(powers / powers.sum(-1, keepdims=True) @ v[group])
        x = x + np.concatenate(heads, -1) @ w["attn_output"].T
        y = normal(x, w["ffn_norm"], config.epsilon)
        gate = y @ w["ffn_gate"].T
        x = x + (gate / (1 + np.exp(-gate)) * (y @ w["ffn_up"].T)) @ w["ffn_down"].T
    head = weights.get("output.weight", weights["token_embd.weight"])
    return normal(x, weights["output_norm.weight"], config.epsilon) @ head.astype(float).T


NAMES = (
    "attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down",
)  # fmt: skip
