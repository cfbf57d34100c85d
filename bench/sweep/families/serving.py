"""Recommenders, ranking, detection, sampling, diffusion, codes: what serves and what samples."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, mask, normal, uniform

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")


def factorisation(t: Any, e: Any) -> Any:
    """Factorisation machine: pairs of fields of (rows, fields, width)."""
    return 0.5 * (e.sum(1).square() - e.square().sum(1)).sum(-1)


def crossing(t: Any, x: Any, w: Any, b: Any) -> Any:
    """Deep and cross network, two layers."""
    y = x
    for _ in range(2):
        y = x * (y @ w + b) + y
    return y


def pairs(t: Any, e: Any) -> Any:
    """DLRM: dot products of all pairs of fields, flat."""
    return (e @ e.mT).flatten(1)


def two_towers(t: Any, user: Any, item: Any) -> Any:
    user, item = t.normalize(user, dim=-1), t.normalize(item, dim=-1)
    return t.topk(user @ item.mT, 20)


def bag(t: Any, table: Any, which: Any) -> Any:
    return table[which].mean(1)


def hashed(t: Any, table: Any, a: Any, b: Any) -> Any:
    """Instant NGP: rows of a table by a hash of two numbers."""
    return table[((a * 73856093) ^ (b * 19349663)) % table.shape[0]]


def guided(t: Any, x: Any, free: Any, led: Any, noise: Any) -> Any:
    """One step of DDPM with guidance."""
    e = free + 7.5 * (led - free)
    start = ((x - 0.6 * e) / 0.8).clamp(-1.0, 1.0)
    return 0.3 * start + 0.68 * x + 0.1 * noise


def time_embedding(t: Any, when: Any, a: Any, b: Any) -> Any:
    half = a.shape[0] // 2
    rate = (t.arange(half, device=when.device, dtype=t.float32) * (-9.2 / half)).exp()
    angle = when.unsqueeze(1) * rate
    return t.silu(t.cat((angle.sin(), angle.cos()), 1) @ a) @ b


def modulated(t: Any, x: Any, shift: Any, scale: Any, gate: Any, y: Any) -> Any:
    """DiT's adaptive layer norm and gate."""
    normed = t.layer_norm(x, (x.shape[-1],))
    return y * gate.unsqueeze(1) + normed * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


def nucleus(t: Any, logits: Any) -> Any:
    """What is kept of the best words until their sum is above 0.9."""
    best, place = t.sort(logits.softmax(-1), dim=-1, descending=True)
    return best * ((best.cumsum(-1) - best) < 0.9), place


def gumbel(t: Any, logits: Any, u: Any) -> Any:
    return (logits - (-(u * 0.998 + 0.001).log()).log()).argmax(-1)


def quantised(t: Any, x: Any, codes: Any) -> Any:
    """VQ: the nearest code of each row, and the row it stands for."""
    far = x.square().sum(1, keepdim=True) - 2.0 * (x @ codes.mT) + codes.square().sum(1)
    return codes[far.argmin(1)]


def rounded_rows(t: Any, x: Any) -> Any:
    """Rows in eight bits and back."""
    scale = x.abs().amax(-1, keepdim=True) / 127.0 + 1e-8
    return (x / scale).round().clamp(-127, 127) * scale


def packed_four(t: Any, low: Any, scale: Any) -> Any:
    """Two four-bit weights a byte, a scale per 32."""
    both = t.stack((low & 15, (low >> 4) & 15), -1).flatten(1) - 8
    rows = both.to(scale.dtype).reshape(low.shape[0], -1, 32)
    return (rows * scale.unsqueeze(-1)).flatten(1)


def suppressed(t: Any, box: Any, score: Any) -> Any:
    """Soft non-maximum suppression by matrix (SOLO)."""
    far = t.maximum(box[:, None, :2], box[None, :, :2])
    near = t.minimum(box[:, None, 2:] + 1, box[None, :, 2:] + 1)
    inside = (near - far).clamp(0.0).prod(-1)
    area = (box[:, 2:] + 1 - box[:, :2]).prod(-1)
    share = inside / (area[:, None] + area[None, :] - inside)
    share = share * (score[None, :] > score[:, None])
    return score * (1.0 - share.amax(1))


def sampled(t: Any, x: Any, grid: Any) -> Any:
    return t.grid_sample(x, grid * 2.0 - 1.0, align_corners=False)


def unfolded(t: Any, x: Any) -> Any:
    return t.pad(x, (1, 1, 1, 1)).unfold(2, 3, 1).unfold(3, 3, 1).amax((-1, -2))


def hinge_ranks(t: Any, score: Any, right: Any) -> Any:
    """All pairs of a list, a right one before a wrong one."""
    apart = score.unsqueeze(1) - score.unsqueeze(2)
    wanted = right.unsqueeze(2) & ~right.unsqueeze(1)
    return ((1.0 + apart).clamp(0.0) * wanted).sum((1, 2))


def mixture_of_experts(t: Any, x: Any, gate: Any, up: Any, down: Any) -> Any:
    """All experts, weighed by a gate of two."""
    scores = x @ gate
    best, which = t.topk(scores, 2)
    weight = t.zeros_like(scores).scatter(1, which, best.softmax(-1))
    hidden = t.gelu(t.einsum("nd,edh->neh", x, up))
    return t.einsum("neh,ehd,ne->nd", hidden, down, weight)


def sinkhorn(t: Any, cost: Any) -> Any:
    """Optimal transport in logarithms, three rounds."""
    a = -10.0 * cost
    for _ in range(3):
        a = a - a.logsumexp(2, keepdim=True)
        a = a - a.logsumexp(1, keepdim=True)
    return a.exp()


def robust(t: Any, x: Any) -> Any:
    middle = x.median(1, keepdim=True).values
    spread = (x - middle).abs().median(1, keepdim=True).values
    return (x - middle) / (spread + 1e-6)


PROGRAMS = (
    Program("factorisation machine", lambda n, f, k: (normal(n, f, k),), factorisation,
            ((2048, 26, 16), (512, 40, 64), (1001, 27, 33)), BOTH),
    Program("deep and cross", lambda n, k: (normal(n, k), normal(k, k, scale=k**-0.5), normal(k)), crossing,
            ((1024, 256), (256, 512), (333, 429)), BOTH),
    Program("dots of all fields", lambda n, f, k: (normal(n, f, k),), pairs,
            ((1024, 27, 64), (256, 40, 128), (333, 27, 33)), BOTH),
    Program("best 20 of two towers", lambda n, m, k: (normal(n, k), normal(m, k)), two_towers,
            ((64, 16384, 64), (16, 16384, 128), (33, 10007, 65)), FLOAT),
    Program("bag of embeddings", lambda n, k: (normal(20011, k), below(20011, n, 16)), bag,
            ((2048, 64), (512, 256), (1001, 33)), BOTH),
    Program("rows by a hash", lambda n, k: (normal(16411, k), below(1 << 12, n), below(1 << 12, n)), hashed,
            ((262144, 2), (65536, 8), (100003, 3)), FLOAT),
    Program("guided diffusion step", lambda n, c, s: tuple(normal(n, c, s, s) for _ in range(4)), guided,
            ((16, 4, 64), (4, 3, 256), (3, 4, 57)), BOTH),
    Program("embedding of times", lambda n, k: (uniform(n), normal(k, 4 * k, scale=0.05),
            normal(4 * k, k, scale=0.05)), time_embedding, ((256, 256), (64, 320), (33, 130)), FLOAT),
    Program("modulated norm", lambda n, s, k: (normal(n, s, k), normal(n, k), normal(n, k), normal(n, k),
            normal(n, s, k)), modulated, ((8, 256, 384), (2, 1024, 768), (3, 333, 129)), BOTH),
    Program("nucleus of words", lambda n, k: (normal(n, k, scale=3.0),), nucleus,
            ((16, 32000), (64, 8192), (7, 10007)), FLOAT),
    Program("words drawn by noise", lambda n, k: (normal(n, k), uniform(n, k)), gumbel,
            ((64, 32000), (256, 8192), (33, 50257)), FLOAT),
    Program("nearest codes", lambda n, k, d: (normal(n, d), normal(k, d)), quantised,
            ((4096, 512, 64), (1024, 1024, 32), (1001, 333, 65)), FLOAT),
    Program("rows in eight bits and back", lambda n, k: (normal(n, k),), rounded_rows,
            ((1024, 1024), (256, 4096), (1001, 777)), BOTH, loose=5),
    Program("weights of four bits", lambda n, k: (below(256, n, 16 * k), uniform(n, k)), packed_four,
            ((1024, 32), (256, 128), (333, 33)), FLOAT),
    Program("boxes suppressed", lambda n: (uniform(n, 4), uniform(n)), suppressed,
            ((1024,), (512,), (777,)), FLOAT, grows=4),
    Program("grid sampled", lambda n, c, s: (normal(n, c, s, s), uniform(n, s, s, 2)), sampled,
            ((4, 16, 64), (1, 64, 96), (3, 17, 57)), FLOAT, loose=5),
    Program("dilation by windows", lambda n, c, s: (normal(n, c, s, s),), unfolded,
            ((8, 16, 112), (2, 64, 56), (3, 33, 57)), FLOAT),
    Program("ranks by hinges", lambda n, k: (normal(n, k), mask(n, k)), hinge_ranks,
            ((256, 64), (32, 256), (77, 101)), FLOAT, loose=3),
    Program("all experts, a gate of two", lambda n, e, d: (normal(n, d), normal(d, e),
            normal(e, d, 2 * d, scale=d**-0.5), normal(e, 2 * d, d, scale=d**-0.5)), mixture_of_experts,
            ((256, 8, 128), (64, 4, 256), (77, 5, 65)), FLOAT, loose=3),
    Program("optimal transport", lambda n, k: (uniform(n, k, k),), sinkhorn,
            ((64, 64), (4, 256), (33, 65)), FLOAT),
    Program("rows by their medians", lambda n, k: (normal(n, k),), robust,
            ((1024, 1024), (4096, 128), (333, 777)), FLOAT),
)  # fmt: skip
