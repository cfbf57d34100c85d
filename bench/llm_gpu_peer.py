"""A decoder in torch in the manner of gpt-fast, greedy: a static cache, one compiled step. Peer of llm_gpu.

torch_rate(sizes, batch=1, device="cuda", places=512)
"""

from __future__ import annotations

import time
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from saccade.llm.model.config import LlamaConfig

WARM, TIMED = 8, 128


class Block(nn.Module):
    """Norm, attention over a static cache, norm, gated SiLU. Weights that are read together are one."""

    def __init__(self, sizes: LlamaConfig, batch: int, places: int) -> None:
        super().__init__()
        self.heads, self.kv, self.size = sizes.heads, sizes.kv_heads, sizes.head_width
        inside = (sizes.heads + 2 * sizes.kv_heads) * sizes.head_width
        self.qkv = nn.Linear(sizes.width, inside, bias=False)
        self.out = nn.Linear(sizes.heads * sizes.head_width, sizes.width, bias=False)
        self.gate_up = nn.Linear(sizes.width, 2 * sizes.inner, bias=False)
        self.down = nn.Linear(sizes.inner, sizes.width, bias=False)
        self.first, self.second = (nn.RMSNorm(sizes.width, sizes.epsilon) for _ in range(2))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(batch, self.kv, places, self.size))

    def forward(self, x: Tensor, at: Tensor, turn: Tensor, seen: Tensor) -> Tensor:
        batch = x.shape[0]
        made = self.qkv(self.first(x)).view(batch, 1, -1, self.size)
        q, k, v = made.split((self.heads, self.kv, self.kv), 2)
        q, k = rotated(q, turn), rotated(k, turn)
        keys, values = self.keys, self.values
        keys[:, :, at] = k.transpose(1, 2)
        values[:, :, at] = v.transpose(1, 2)
        found = F.scaled_dot_product_attention(q.transpose(1, 2), keys, values, seen, enable_gqa=True)
        x = x + self.out(found.transpose(1, 2).reshape(batch, 1, -1))
        gate, up = self.gate_up(self.second(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


def rotated(x: Tensor, turn: Tensor) -> Tensor:
    """RoPE in halves: x (batch, 1, heads, size), turn (2, size / 2)."""
    first, second = x.float().chunk(2, -1)
    cosine, sine = turn
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine], -1).to(x.dtype)


class Model(nn.Module):
    """Tokens (batch, 1) at a place -> the next ones."""

    def __init__(self, sizes: LlamaConfig, batch: int, places: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.width)
        self.blocks = nn.ModuleList(Block(sizes, batch, places) for _ in range(sizes.layers))
        self.norm = nn.RMSNorm(sizes.width, sizes.epsilon)
        self.head = nn.Linear(sizes.width, sizes.vocabulary, bias=False)
        half = torch.arange(sizes.rope_width // 2)
        angles = torch.arange(places)[:, None] * sizes.rope_base ** (-2.0 * half / sizes.rope_width)
        self.register_buffer("turns", torch.stack([angles.cos(), angles.sin()], 1))
        self.register_buffer("mask", torch.ones(places, places, dtype=torch.bool).tril())

    def forward(self, ids: Tensor, at: Tensor) -> Tensor:
        x = self.embedding(ids)
        turn, seen = self.turns[at][0], self.mask[at][None, None]
        for block in self.blocks:
            x = block(x, at, turn, seen)
        return self.head(self.norm(x))[:, -1].argmax(-1, keepdim=True)


@torch.no_grad()
def torch_rate(sizes: LlamaConfig, batch: int, device: str, places: int) -> float:
    """Steps a second, with weights in bfloat16."""
    torch.set_float32_matmul_precision("high")
    with torch.device(device):
        torch.set_default_dtype(torch.bfloat16)
        try:
            model = Model(sizes, batch, places)
        finally:
            torch.set_default_dtype(torch.float32)
    step: Any = torch.compile(model, mode="reduce-overhead", fullgraph=True)
    ids = torch.ones(batch, 1, dtype=torch.long, device=device)
    at = torch.zeros(1, dtype=torch.long, device=device)

    def run(times: int) -> None:
        nonlocal ids
        for _ in range(times):
            ids = step(ids, at).clone()
            at.add_(1)
        ids.tolist()

    run(WARM)
    begin = time.perf_counter()
    run(TIMED)
    return TIMED / (time.perf_counter() - begin)
