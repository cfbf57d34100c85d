"""Attention as models write it beside the plain one: biased, capped, normalised, decayed, in windows."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, normal

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")
HEADS = ((1, 8, 512, 64), (4, 4, 256, 32), (2, 3, 333, 40))


def three(b: int, h: int, s: int, d: int) -> Any:
    return tuple(normal(b, h, s, d) for _ in range(3))


def scores_of(q: Any, k: Any) -> Any:
    return (q @ k.mT) * q.shape[-1] ** -0.5


def places(t: Any, s: int, like: Any) -> Any:
    """How far a key lies behind a query: (s, s)."""
    at = t.arange(s, device=like.device)
    return at.unsqueeze(1) - at


def by_distance(t: Any, q: Any, k: Any, v: Any) -> Any:
    """ALiBi: each head fades at its own rate."""
    back = places(t, q.shape[2], q).to(q.dtype)
    rate = t.exp2(-t.arange(1, q.shape[1] + 1, device=q.device).to(q.dtype)).reshape(-1, 1, 1)
    scores = scores_of(q, k) - rate * back.abs()
    return t.where(back >= 0, scores, t.full_like(scores, -1e9)).softmax(-1) @ v


def capped(t: Any, q: Any, k: Any, v: Any) -> Any:
    """Gemma's soft cap."""
    scores = t.tanh(scores_of(q, k) / 50.0) * 50.0
    back = places(t, q.shape[2], q)
    return t.where(back >= 0, scores, t.full_like(scores, -1e9)).softmax(-1) @ v


def windowed(t: Any, q: Any, k: Any, v: Any) -> Any:
    """The last 64 keys only, under a mask."""
    back = places(t, q.shape[2], q)
    scores = scores_of(q, k)
    near = (back >= 0) & (back < 64)
    return t.where(near, scores, t.full_like(scores, -1e9)).softmax(-1) @ v


def with_sink(t: Any, q: Any, k: Any, v: Any, sink: Any) -> Any:
    """A score for each head that nothing is read for."""
    scores = scores_of(q, k)
    none = sink.reshape(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    return t.cat((scores, none), -1).softmax(-1)[..., :-1] @ v


def normalised(t: Any, q: Any, k: Any, v: Any) -> Any:
    """Rows of queries and keys of length one (ViT-22B, Swin v2)."""
    q = q * (q.square().sum(-1, keepdim=True) + 1e-6).rsqrt()
    k = k * (k.square().sum(-1, keepdim=True) + 1e-6).rsqrt()
    return ((q @ k.mT) * 10.0).softmax(-1) @ v


def differential(t: Any, q: Any, k: Any, v: Any) -> Any:
    """One softmax less half of another."""
    (a, b), (c, d) = q.chunk(2, -1), k.chunk(2, -1)
    return (scores_of(a, c).softmax(-1) - 0.5 * scores_of(b, d).softmax(-1)) @ v


def talking(t: Any, q: Any, k: Any, v: Any, mix: Any) -> Any:
    """Heads mixed in front of the softmax."""
    scores = t.einsum("bhqk,hg->bgqk", scores_of(q, k), mix)
    return scores.softmax(-1) @ v


def retained(t: Any, q: Any, k: Any, v: Any) -> Any:
    """Retention in parallel: no softmax, a decay."""
    back = places(t, q.shape[2], q).to(q.dtype)
    decay = t.where(back >= 0, t.exp2(back * -0.05), t.zeros_like(back))
    return (scores_of(q, k) * decay) @ v


def squared(t: Any, q: Any, k: Any, v: Any) -> Any:
    return t.relu(scores_of(q, k)).square() @ v


def sigmoid_attention(t: Any, q: Any, k: Any, v: Any) -> Any:
    return (scores_of(q, k) - 5.0).sigmoid() @ v


def state_space(t: Any, x: Any, a: Any, b: Any, c: Any) -> Any:
    """A chunk of Mamba 2: decays between all pairs of steps from differences of a running sum."""
    total = (a.abs() * -0.1).cumsum(-1)
    gap = total.unsqueeze(-1) - total.unsqueeze(-2)
    back = places(t, x.shape[-2], x)
    decay = t.where(back >= 0, gap.clamp(max=0.0).exp(), t.zeros_like(gap))
    return ((c @ b.mT) * decay) @ x


def chunks(b: int, h: int, s: int, d: int) -> Any:
    return normal(b, h, s, d), normal(b, h, s), normal(b, h, s, 16), normal(b, h, s, 16)


def pooled(t: Any, x: Any, query: Any) -> Any:
    """One query for a whole sequence."""
    weights = (x @ query).softmax(1)
    return (weights.unsqueeze(-1) * x).sum(1)


def additive(t: Any, q: Any, k: Any, w: Any, v: Any) -> Any:
    """Bahdanau's: a network of the sum of query and key."""
    scores = (t.tanh(q.unsqueeze(2) + k.unsqueeze(1)) * w).sum(-1)
    return scores.softmax(-1) @ v


def swin(t: Any, q: Any, k: Any, v: Any, bias: Any) -> Any:
    """Windows of 49 tokens with a bias of their places."""
    return (scores_of(q, k) + bias).softmax(-1) @ v


def axial(t: Any, x: Any) -> Any:
    """Along the rows, then along the columns of pictures of (n, h, w, d)."""
    x = scores_of(x, x).softmax(-1) @ x
    y = x.transpose(1, 2)
    return (scores_of(y, y).softmax(-1) @ y).transpose(1, 2)


def max_scores(t: Any, q: Any, k: Any) -> Any:
    """ColBERT: the best word of a document for each word of a query."""
    return t.einsum("bqd,cnd->bcqn", q, k).amax(-1).sum(-1)


PROGRAMS = (
    Program("attention that fades", three, by_distance, HEADS, BOTH, loose=2),
    Program("attention with a soft cap", three, capped, HEADS, BOTH),
    Program("attention in a sliding window", three, windowed, HEADS, BOTH),
    Program("attention with a sink", lambda b, h, s, d: (*three(b, h, s, d), normal(h)), with_sink, HEADS,
            BOTH),
    Program("attention of normalised rows", three, normalised, HEADS, BOTH),
    Program("differential attention", three, differential, HEADS, BOTH),
    Program("talking heads", lambda b, h, s, d: (*three(b, h, s, d), normal(h, h, scale=h**-0.5)), talking,
            HEADS, FLOAT, grows=4),
    Program("retention", three, retained, HEADS, BOTH, loose=2),
    Program("attention by squared ReLUs", three, squared, HEADS, BOTH),
    Program("attention by sigmoids", three, sigmoid_attention, HEADS, BOTH),
    Program("chunk of a state space", chunks, state_space, ((4, 8, 128, 64), (8, 4, 64, 32), (3, 5, 77, 40)),
            FLOAT, loose=3),
    Program("pooling by a query", lambda b, s, d: (normal(b, s, d), normal(d, scale=d**-0.5)), pooled,
            ((64, 128, 256), (8, 1024, 128), (33, 77, 129)), BOTH),
    Program("additive attention", lambda b, s, d: (normal(b, s, d), normal(b, s, d), normal(d), normal(b, s,
            d)),
            additive, ((4, 64, 64), (1, 128, 128), (3, 49, 33)), FLOAT),
    Program("attention of windows", lambda b, h, d: (*three(b, h, 49, d), normal(h, 49, 49)), swin,
            ((64, 4, 32), (16, 12, 32), (33, 3, 40)), BOTH),
    Program("axial attention", lambda n, s, d: (normal(n, s, s, d),), axial, ((2, 32, 64), (1, 64, 32), (1,
            49, 33)),
            BOTH),
    Program("best words of documents", lambda b, c, d: (normal(b, 32, d), normal(c, 77, d)), max_scores,
            ((8, 128, 64), (2, 256, 128), (3, 99, 65)), BOTH),
)  # fmt: skip
