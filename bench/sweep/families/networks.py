"""Whole blocks of networks, and gradients through them: many kernels that share values."""

from __future__ import annotations

from typing import Any

from bench.sweep.families.gradients import gradients, weighed
from bench.sweep.families.vision import weight
from bench.sweep.program import Input, Program, below, mask, normal, uniform

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")


def matrix(k: int, m: int) -> Input:
    return normal(k, m, scale=k**-0.5)


def heads_of(x: Any, h: int) -> Any:
    n, s, d = x.shape
    return x.reshape(n, s, h, d // h).permute(0, 2, 1, 3)


def attended(t: Any, x: Any, w: Any, out: Any, h: int) -> Any:
    q, k, v = (heads_of(part, h) for part in (x @ w).chunk(3, -1))
    scores = (q @ k.mT) * q.shape[-1] ** -0.5
    mixed = scores.softmax(-1) @ v
    return mixed.permute(0, 2, 1, 3).reshape(*x.shape) @ out


def transformer(t: Any, x: Any, w: Any, out: Any, up: Any, down: Any) -> Any:
    """Norms in front, as GPT-2 and ViT have them."""
    x = x + attended(t, t.layer_norm(x, x.shape[-1:]), w, out, 4)
    return x + t.gelu(t.layer_norm(x, x.shape[-1:]) @ up) @ down


def mixer(t: Any, x: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """MLP-Mixer: along the tokens, then along the channels."""
    y = t.layer_norm(x, x.shape[-1:])
    x = x + (t.gelu(y.mT @ a) @ b).mT
    return x + t.gelu(t.layer_norm(x, x.shape[-1:]) @ c) @ d


def graph_attention(t: Any, x: Any, w: Any, a: Any, b: Any, near: Any) -> Any:
    """GAT over a dense mask of neighbours."""
    y = x @ w
    scores = t.leaky_relu((y @ a) + (y @ b).mT, 0.2)
    scores = t.where(near, scores, t.full_like(scores, -1e9))
    return t.elu(scores.softmax(-1) @ y)


def gated_unit(t: Any, x: Any, u: Any, v: Any, z: Any, out: Any) -> Any:
    """Gated attention unit: one head of squared ReLUs."""
    gate, value, base = t.silu(x @ u), t.silu(x @ v), t.silu(x @ z)
    weights = t.relu(base @ base.mT / x.shape[1]).square()
    return (gate * (weights @ value)) @ out


def autoencoder(t: Any, x: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    y = t.silu(t.conv2d(x, a, stride=2, padding=1))
    y = t.silu(t.conv2d(y, b, stride=2, padding=1))
    y = t.silu(t.conv_transpose2d(y, c, stride=2))
    return t.conv_transpose2d(y, d, stride=2).sigmoid()


def unet(t: Any, x: Any, a: Any, b: Any, c: Any) -> Any:
    first = t.silu(t.conv2d(x, a, padding=1))
    low = t.silu(t.conv2d(t.max_pool2d(first, 2), b, padding=1))
    up = t.interpolate(low, scale_factor=2.0, mode="nearest")
    return t.conv2d(t.cat((first, up), 1), c, padding=1)


def radiance(t: Any, p: Any, step: Any, a: Any, b: Any, c: Any) -> Any:
    """NeRF: a network of places along rays, and what is seen through it."""
    y = t.relu(t.relu(p @ a) @ b) @ c
    density = t.softplus(y[..., 0]) * step
    seen = (-(density.cumsum(-1) - density)).exp() * (1.0 - (-density).exp())
    return (seen.unsqueeze(-1) * y[..., 1:].sigmoid()).sum(-2)


def policy(t: Any, x: Any, a: Any, b: Any, c: Any, act: Any, old: Any, good: Any) -> Any:
    """PPO's loss of a small network."""
    logits = (t.tanh(t.tanh(x @ a) @ b) @ c).log_softmax(-1)
    ratio = (t.gather(logits, 1, act.unsqueeze(1)).squeeze(1) - old).exp()
    kept = ratio.clamp(0.8, 1.2) * good
    return -t.minimum(ratio * good, kept).mean() + 0.01 * (logits.exp() * logits).sum(-1).mean()


def unrolled(t: Any, x: Any, h: Any, w: Any, u: Any) -> Any:
    """A GRU of six steps."""
    for s in range(x.shape[1]):
        a, b = (x[:, s] @ w).chunk(3, -1), (h @ u).chunk(3, -1)
        reset, update = (a[0] + b[0]).sigmoid(), (a[1] + b[1]).sigmoid()
        h = (1 - update) * (a[2] + reset * b[2]).tanh() + update * h
    return h


def tower(t: Any, dense: Any, table: Any, which: Any, a: Any, b: Any, c: Any) -> Any:
    """DLRM: dense features and rows of a table, their dots, a network on top."""
    low = t.relu(dense @ a)
    rows = t.cat((low.unsqueeze(1), table[which]), 1)
    both = t.cat((low, (rows @ rows.mT).flatten(1)), 1)
    return (t.relu(both @ b) @ c).sigmoid()


def block(n: int, s: int, d: int) -> Any:
    return (normal(n, s, d), matrix(d, 3 * d), matrix(d, d), matrix(d, 4 * d), matrix(4 * d, d))


def recurrent(n: int, k: int) -> Any:
    return normal(n, 6, k), normal(n, k), matrix(k, 3 * k), matrix(k, 3 * k)


def rays(n: int, s: int, k: int) -> Any:
    return normal(n, s, 3), uniform(n, s), matrix(3, k), matrix(k, k), matrix(k, 4)


def convolutions(n: int, c: int, s: int) -> Any:
    return (normal(n, 3, s, s), weight(c, 3, 3), weight(2 * c, c, 3), normal(2 * c, c, 2, 2, scale=0.1),
            normal(c, 3, 2, 2, scale=0.1))  # fmt: skip


def steps(n: int, k: int) -> Any:
    return (normal(n, k), matrix(k, 64), matrix(64, 64), matrix(64, 6), below(6, n), normal(n, scale=0.1),
            normal(n))  # fmt: skip


def with_slope(inputs: Any) -> Any:
    """Inputs, and what flows back to a result of the shape of the first."""
    return lambda *size: (*inputs(*size), normal(*inputs(*size)[0].shape))


PROGRAMS = (
    Program("transformer block", block, transformer, ((2, 128, 256), (8, 64, 128), (3, 77, 132)), BOTH),
    Program("gradient of a transformer block", with_slope(block),
            sizes=((2, 128, 256), (8, 64, 128), (3, 77, 132)), dtypes=BOTH, loose=3,
            **gradients(weighed(transformer), 0, 1, 2, 3, 4)),
    Program("MLP-Mixer block", lambda n, s, d: (normal(n, s, d), matrix(s, 2 * s), matrix(2 * s, s),
            matrix(d, 4 * d), matrix(4 * d, d)), mixer, ((4, 196, 128), (16, 49, 256), (3, 77, 99)), BOTH),
    Program("graph attention", lambda n, k: (normal(n, k), matrix(k, k), matrix(k, 1), matrix(k, 1),
            mask(n, n)), graph_attention, ((1024, 64), (512, 128), (777, 33)), FLOAT, grows=4),
    Program("gradient of graph attention", lambda n, k: (normal(n, k), matrix(k, k), matrix(k, 1),
            matrix(k, 1), mask(n, n), normal(n, k)), sizes=((1024, 64), (512, 128), (777, 33)),
            dtypes=FLOAT, grows=4, loose=3,
            **gradients(weighed(graph_attention), 0, 1, 2, 3)),
    Program("gated attention unit", lambda n, s, d: (normal(n, s, d), matrix(d, 2 * d), matrix(d, 2 * d),
            matrix(d, 64), matrix(2 * d, d)), gated_unit, ((2, 256, 128), (8, 128, 64), (3, 133, 65)),
            BOTH, loose=3),
    Program("gradient of an autoencoder", convolutions, sizes=((4, 16, 64), (2, 32, 32), (3, 9, 44)),
            dtypes=FLOAT, loose=3,
            **gradients(lambda t, x, *w: (autoencoder(t, x, *w) - x).square().mean(), 1, 2, 3, 4)),
    Program("U-Net of two levels", lambda n, c, s: (normal(n, 4, s, s), weight(c, 4, 3), weight(2 * c, c, 3),
            weight(4, 3 * c, 3)), unet, ((4, 32, 32), (2, 64, 16), (1, 33, 46)), FLOAT),
    Program("radiance along rays", rays, radiance, ((512, 32, 64), (128, 64, 128), (333, 17, 65)), FLOAT),
    Program("gradient of radiance", lambda n, s, k: (*rays(n, s, k), normal(n, 3)),
            sizes=((512, 32, 64), (128, 64, 128), (333, 17, 65)), dtypes=FLOAT, loose=5,
            **gradients(weighed(radiance), 2, 3, 4)),
    Program("gradient of PPO", steps, sizes=((4096, 32), (16384, 8), (3001, 17)), dtypes=FLOAT, loose=5,
            **gradients(policy, 1, 2, 3)),
    Program("GRU of 6 steps", recurrent, unrolled, ((64, 128), (16, 256), (33, 99)), FLOAT),
    Program("gradient of a GRU of 6 steps", lambda n, k: (*recurrent(n, k), normal(n, k)),
            sizes=((64, 128), (16, 256), (33, 99)), dtypes=FLOAT, loose=3,
            **gradients(weighed(unrolled), 2, 3)),
    Program("recommender with dots", lambda n, f, k: (normal(n, 13), normal(10007, k), below(10007, n, f),
            matrix(13, k), matrix(k + (f + 1) ** 2, 64), matrix(64, 1)), tower,
            ((1024, 26, 16), (256, 26, 64), (777, 7, 33)), FLOAT),
)  # fmt: skip
