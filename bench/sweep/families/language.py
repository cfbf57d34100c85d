"""Language models: norms, attention in its forms, gated MLPs, embeddings, heads, as in transformers."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, mask, normal

ROWS = ((2048, 1024), (512, 4096), (777, 1001))
SCORES = ((2, 8, 256, 64), (1, 16, 512, 128), (3, 5, 333, 40))
MLP = ((128, 512, 1536), (512, 256, 1024), (77, 333, 901))
FLOAT = ("float32",)


def rows(n: int, d: int) -> Any:
    return normal(n, d), normal(d)


def qkv(b: int, h: int, s: int, d: int) -> Any:
    return tuple(normal(b, h, s, d) for _ in range(3))


def rms_norm(x: Any, weight: Any) -> Any:
    return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * weight


def naive_attention(q: Any, k: Any, v: Any) -> Any:
    return (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1) @ v


def causal(t: Any, q: Any, k: Any, v: Any) -> Any:
    return t.scaled_dot_product_attention(q, k, v, is_causal=True)


def with_bias(t: Any, q: Any, k: Any, v: Any, bias: Any) -> Any:
    return (q @ k.mT * q.shape[-1] ** -0.5 + bias).softmax(-1) @ v


def masked(t: Any, q: Any, k: Any, v: Any, seen: Any) -> Any:
    return (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(~seen, -1e4).softmax(-1) @ v


def grouped(t: Any, q: Any, k: Any, v: Any) -> Any:
    """Four heads of queries to each head of keys."""
    return naive_attention(q, k.repeat_interleave(4, 1), v.repeat_interleave(4, 1))


def rope(t: Any, x: Any, cos: Any, sin: Any) -> Any:
    half = x.shape[-1] // 2
    turned = t.cat((-x[..., half:], x[..., :half]), -1)
    return x * cos + turned * sin


def attention_block(t: Any, x: Any, qkv: Any, out: Any) -> Any:
    n, d = x.shape
    q, k, v = ((x @ qkv).reshape(n, 3, 8, d // 8).permute(1, 2, 0, 3)[i] for i in range(3))
    return x + naive_attention(q, k, v).permute(1, 0, 2).reshape(n, d) @ out


def gated(t: Any, x: Any, gate: Any, up: Any, down: Any) -> Any:
    return (t.silu(x @ gate) * (x @ up)) @ down


def gated_by_gelu(t: Any, x: Any, gate: Any, up: Any, down: Any) -> Any:
    return (t.gelu(x @ gate) * (x @ up)) @ down


def gates(n: int, d: int, h: int) -> Any:
    return normal(n, d), normal(d, h, scale=0.05), normal(d, h, scale=0.05), normal(h, d, scale=0.05)


def block(t: Any, x: Any, norm: Any, up: Any, down: Any) -> Any:
    """Norm, MLP, residual."""
    return x + t.gelu(rms_norm(x, norm) @ up) @ down


def embedded(t: Any, words: Any, places: Any, at: Any, weight: Any, bias: Any) -> Any:
    """The first layer of BERT: words, places, norm."""
    x = t.embedding(at, words) + places
    return t.layer_norm(x, (x.shape[-1],), weight, bias)


def smoothed(t: Any, x: Any, y: Any) -> Any:
    logs = x.log_softmax(-1)
    return -(0.9 * logs.gather(1, y.unsqueeze(1)).squeeze(1) + 0.1 * logs.mean(-1)).mean()


def experts(t: Any, x: Any, w: Any) -> Any:
    """The gate of a mixture of experts: the two best and their weights."""
    return (x @ w).softmax(-1).topk(2).values


def sampled(t: Any, x: Any) -> Any:
    best = (x / 0.8).topk(40).values
    return best.softmax(-1).cumsum(-1)


def penalised(t: Any, x: Any, seen: Any) -> Any:
    return t.where(seen, t.where(x > 0, x / 1.2, x * 1.2), x).softmax(-1)


def token_shift(t: Any, x: Any, mix: Any) -> Any:
    """RWKV: each token mixed with the one before."""
    before = t.pad(x, (0, 0, 1, 0))[:, :-1]
    return x * mix + before * (1 - mix)


def decayed_sum(t: Any, x: Any, decay: Any) -> Any:
    """A linear recurrence with a constant decay a channel, by a running sum."""
    steps = t.arange(x.shape[1], device=x.device).reshape(1, -1, 1).type_as(x) * (1.0 / x.shape[1])
    return (x * (steps * decay).exp()).cumsum(1) * (-steps * decay).exp()


def linear_attention(t: Any, q: Any, k: Any, v: Any) -> Any:
    q, k = t.elu(q) + 1, t.elu(k) + 1
    return (q @ (k.mT @ v)) / (q @ k.sum(-2, keepdim=True).mT + 1e-4)


def head_loss(t: Any, x: Any, w: Any, y: Any) -> Any:
    return t.cross_entropy((x @ w).float(), y)


PROGRAMS = (
    Program("layer norm", lambda n, d: (*rows(n, d), normal(d)),
            lambda t, x, w, b: t.layer_norm(x, (x.shape[-1],), w, b), ROWS),
    Program("RMS norm", rows, lambda t, x, w: rms_norm(x, w), ROWS),
    Program("residual and RMS norm", lambda n, d: (*rows(n, d), normal(n, d)),
            lambda t, x, w, r: (x + r, rms_norm(x + r, w)), ROWS),
    Program("softmax", lambda n, d: (normal(n, d),), lambda t, x: x.softmax(-1), ROWS),
    Program("softmax under a mask", lambda n, d: (normal(n, d), mask(n, d)),
            lambda t, x, m: x.masked_fill(m, -1e4).softmax(-1), ROWS),
    Program("log softmax", lambda n, d: (normal(n, d),), lambda t, x: x.log_softmax(-1), ROWS),
    Program("attention", qkv, lambda t, q, k, v: naive_attention(q, k, v), SCORES, grows=8,
            peer=lambda t, q, k, v: t.scaled_dot_product_attention(q, k, v)),
    Program("causal attention", qkv, causal, SCORES, grows=8),
    Program("attention with a bias", lambda b, h, s, d: (*qkv(b, h, s, d), normal(1, h, s, s)), with_bias,
            SCORES, grows=8),
    Program("attention under a mask", lambda b, h, s, d: (*qkv(b, h, s, d), mask(b, 1, 1, s)), masked,
            SCORES, grows=8),
    Program("cross attention", lambda b, h, s,
            d: (normal(b, h, s, d), normal(b, h, 77, d), normal(b, h, 77, d)),
            lambda t, q, k, v: naive_attention(q, k, v), SCORES, grows=8,
            peer=lambda t, q, k, v: t.scaled_dot_product_attention(q, k, v)),
    Program("decode attention", lambda b, h, s,
            d: (normal(b, h, 1, d), normal(b, h, s, d), normal(b, h, s, d)),
            lambda t, q, k, v: naive_attention(q, k, v),
            ((1, 8, 2048, 64), (2, 16, 1024, 128), (3, 5, 777, 40)),
            grows=8, peer=lambda t, q, k, v: t.scaled_dot_product_attention(q, k, v)),
    Program("grouped-query attention",
            lambda b, h, s, d: (normal(b, 4 * h, s, d), normal(b, h, s, d), normal(b, h, s, d)), grouped,
            ((2, 2, 256, 64), (1, 4, 512, 128), (3, 1, 333, 40)), grows=8),
    Program("linear attention", qkv, linear_attention, SCORES, FLOAT, grows=8),
    Program("attention block", lambda n,
            d: (normal(n, d), normal(d, 3 * d, scale=0.05), normal(d, d, scale=0.05)), attention_block,
            ((256, 512), (512, 256), (177, 264)), grows=8),
    Program("rotary positions", lambda b, h, s, d: (normal(b, h, s, d), normal(s, d), normal(s, d)), rope,
            ((8, 8, 256, 64), (2, 16, 512, 128), (3, 5, 333, 40)), grows=8),
    Program("GELU MLP", lambda n, d, h: (normal(n, d), normal(d, h, scale=0.05), normal(h, d, scale=0.05)),
            lambda t, x, up, down: t.gelu(x @ up) @ down, MLP, grows=8),
    Program("squared ReLU MLP", lambda n, d,
            h: (normal(n, d), normal(d, h, scale=0.05), normal(h, d, scale=0.05)),
            lambda t, x, up, down: (x @ up).relu().square() @ down, MLP, grows=8),
    Program("SwiGLU MLP", gates, gated, MLP, grows=8),
    Program("GeGLU MLP", gates, gated_by_gelu, MLP, grows=8),
    Program("norm, MLP, residual",
            lambda n, d, h: (*rows(n, d), normal(d, h, scale=0.05), normal(h, d, scale=0.05)), block, MLP,
            grows=8),
    Program("word embeddings", lambda n, d: (normal(32000, d), below(32000, n)),
            lambda t, w, i: t.embedding(i, w), ((4096, 512), (8192, 64), (3333, 129))),
    Program("words, places, norm",
            lambda n, s, d: (normal(8000, d), normal(s, d), below(8000, n, s), normal(d), normal(d)),
            embedded,
            ((8, 512, 512), (64, 64, 256), (7, 333, 129))),
    Program("logits of a vocabulary", lambda n, d: (normal(n, d), normal(8003, d, scale=0.05)), lambda t, x,
            w: x @ w.mT,
            ((128, 512), (16, 1024), (33, 333)), grows=8),
    Program("best word", lambda n, d: (normal(n, d),), lambda t, x: x.argmax(-1),
            ((64, 32000), (16, 128256), (33, 50257)), FLOAT),
    Program("top 40, softmax, running sum", lambda n, d: (normal(n, d),), sampled,
            ((64, 32000), (16, 128256), (33, 50257)), FLOAT),
    Program("repetition penalty", lambda n, d: (normal(n, d), mask(n, d)), penalised,
            ((64, 32000), (16, 128256), (33, 50257))),
    Program("cross entropy", lambda n, d: (normal(n, d), below(d, n)), lambda t, x, y: t.cross_entropy(x, y),
            ((2048, 1000), (64, 32000), (777, 1001)), FLOAT),
    Program("label-smoothed cross entropy", lambda n, d: (normal(n, d), below(d, n)), smoothed,
            ((2048, 1000), (64, 32000), (777, 1001))),
    Program("head and cross entropy", lambda n,
            d: (normal(n, d), normal(d, 4001, scale=0.05), below(4001, n)), head_loss,
            ((256, 256), (64, 512), (133, 129)), grows=8),
    Program("gate of experts", lambda n, d: (normal(n, d), normal(d, 8, scale=0.1)), experts,
            ((2048, 512), (8192, 64), (777, 1001)), FLOAT),
    Program("token shift", lambda b, s, d: (normal(b, s, d), normal(d)), token_shift,
            ((8, 512, 512), (2, 1024, 256), (3, 333, 129))),
    Program("decayed running sum", lambda b, s, d: (normal(b, s, d), normal(d)), decayed_sum,
            ((4, 512, 256), (1, 2048, 64), (3, 333, 129)), FLOAT, loose=5),
    Program("key cache written", lambda b, h, s, d: (normal(b, h, s, d), normal(b, h, 1, d)),
            lambda t, cache, k: t.cat((cache[:, :, 1:], k), 2),
            ((8, 8, 512, 64), (1, 16, 2048, 128), (3, 5, 777, 40)), grows=8),
)  # fmt: skip
