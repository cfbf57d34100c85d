"""Sums of products over any axes: einsum as networks of proteins, tensors and per-sample weights write it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.sweep.program import Input, Program, normal, uniform

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")
BATCHES = ((64, 64, 64), (16, 128, 96), (33, 65, 37))
PAIRS = ((1, 64, 64), (2, 96, 32), (1, 77, 33))


def einsum(text: str, *axes: Callable[..., tuple[int, ...]]) -> dict[str, Any]:
    """Of inputs whose shapes are made of the size."""
    return {
        "inputs": lambda *size: tuple(normal(*shape(*size)) for shape in axes),
        "call": lambda t, *x: t.einsum(text, *x),
    }


def matrix(k: int, m: int) -> Input:
    return normal(k, m, scale=k**-0.5)


def kernel_regression(t: Any, x: Any, y: Any, v: Any) -> Any:
    """Nadaraya and Watson: means of values weighed by a Gaussian of distances."""
    near = x.square().sum(1, keepdim=True) - 2 * (x @ y.mT) + y.square().sum(1)
    w = (near * -0.05).exp()
    return (w @ v) / (w.sum(1, keepdim=True) + 1e-6)


def mahalanobis(t: Any, x: Any, mean: Any, precision: Any) -> Any:
    d = x - mean
    return ((d @ precision) * d).sum(1)


def newton_schulz(t: Any, x: Any) -> Any:
    """Five steps towards the inverse root of a batch of matrices."""
    y = x @ x.mT / x.shape[-1] + t.eye(x.shape[-2], dtype=x.dtype, device=x.device)
    scale = y.square().sum((1, 2), keepdim=True).sqrt()
    y, z = y / scale, t.eye(x.shape[-2], dtype=x.dtype, device=x.device).expand(*y.shape)
    three = 3 * t.eye(x.shape[-2], dtype=x.dtype, device=x.device)
    for _ in range(5):
        w = 0.5 * (three - z @ y)
        y, z = y @ w, w @ z
    return z


def gram_schmidt(t: Any, x: Any) -> Any:
    """Four vectors of many sets made square to each other."""
    done: list[Any] = []
    for i in range(x.shape[1]):
        v = x[:, i]
        for u in done:
            v = v - (v * u).sum(-1, keepdim=True) * u
        done.append(v / (v.square().sum(-1, keepdim=True).sqrt() + 1e-6))
    return t.stack(done, 1)


def routing(t: Any, votes: Any) -> Any:
    """Capsules: three rounds of agreement between (n, inputs, outputs, d) votes."""
    logits = t.zeros_like(votes[..., 0])
    for _ in range(3):
        s = (logits.softmax(2).unsqueeze(-1) * votes).sum(1)
        length = s.square().sum(-1, keepdim=True)
        v = s * length / ((1 + length) * (length + 1e-6).sqrt())
        logits = logits + (votes * v.unsqueeze(1)).sum(-1)
    return v


def basis_network(t: Any, x: Any, w: Any) -> Any:
    """A KAN layer: eight Gaussians of every input, weighed for every output."""
    centres = t.linspace(-2, 2, 8, dtype=x.dtype, device=x.device)
    basis = (-(x.unsqueeze(-1) - centres).square()).exp()
    return basis.flatten(1) @ w


def fields(t: Any, p: Any, b: Any, w: Any) -> Any:
    """Fourier features and a sine layer."""
    angle = (p @ b) * 6.283
    return t.sin(t.cat((angle.sin(), angle.cos()), 1) @ w)


PROGRAMS = (
    Program("triangle multiplication", dtypes=BOTH, sizes=PAIRS, grows=4, **einsum(
        "bikc,bjkc->bijc", lambda b, n, c: (b, n, n, c), lambda b, n, c: (b, n, n, c))),
    Program("outer product mean", dtypes=BOTH, sizes=((1, 64, 48), (2, 128, 24), (1, 33, 41)), grows=4,
            **einsum(
        "bsia,bsjc->bijac", lambda b, s, n: (b, s, n, 16), lambda b, s, n: (b, s, n, 16))),
    Program("weights for each sample", dtypes=BOTH, sizes=((64, 256, 256), (256, 128, 96), (33, 129, 77)),
            **einsum(
        "bi,bio->bo", lambda b, i, o: (b, i), lambda b, i, o: (b, i, o))),
    Program("trilinear form", dtypes=FLOAT, sizes=((256, 48, 48), (64, 96, 64), (99, 33, 37)), grows=4,
            **einsum(
        "bi,bj,ijk->bk", lambda b, i, k: (b, i), lambda b, i, k: (b, i), lambda b, i, k: (i, i, k))),
    Program("cores of a tensor train", dtypes=FLOAT, sizes=((64, 16, 8), (16, 24, 16), (33, 13, 7)), **einsum(
        "bxyz,xar,rycs,szd->bacd", lambda b, n, r: (b, n, n, n), lambda b, n, r: (n, n, r),
        lambda b, n, r: (r, n, n, r), lambda b, n, r: (r, n, n))),
    Program("states of keys and values", dtypes=BOTH, sizes=((32, 256, 64), (8, 1024, 128), (5, 333, 65)),
            **einsum(
        "bti,btj->bij", lambda b, t, d: (b, t, d), lambda b, t, d: (b, t, d))),
    Program("scores of relative places", dtypes=BOTH, sizes=((4, 8, 128), (1, 4, 256), (3, 5, 77)), **einsum(
        "bhqd,qkd->bhqk", lambda b, h, n: (b, h, n, 64), lambda b, h, n: (n, n, 64))),
    Program("channels mixed in place", dtypes=BOTH, sizes=((4, 128, 28), (2, 64, 56), (3, 65, 29)), **einsum(
        "nchw,cd->ndhw", lambda n, c, s: (n, c, s, s), lambda n, c, s: (c, c))),
    Program("mixed along the middle", dtypes=BOTH, sizes=BATCHES, **einsum(
        "btd,ts->bsd", lambda b, n, d: (b, n, d), lambda b, n, d: (n, n))),
    Program("all pairs of two pictures", dtypes=BOTH, sizes=((2, 128, 28), (1, 256, 24), (1, 65, 29)),
            grows=4,
            **einsum("bchw,bcij->bhwij", lambda b, c, s: (b, c, s, s), lambda b, c, s: (b, c, s, s))),
    Program("three factors, one result", dtypes=FLOAT, sizes=BATCHES, **einsum(
        "bi,bij,bj->b", lambda b, n, d: (b, n), lambda b, n, d: (b, n, d), lambda b, n, d: (b, d))),
    Program("Kronecker product", lambda n, k: (normal(n, n), normal(k, k)), lambda t, x, y: t.kron(x, y),
            ((32, 32), (16, 64), (33, 29)), FLOAT, grows=1),
    Program("columnwise Kronecker product", lambda n, m, r: (normal(n, r), normal(m, r)),
            lambda t, x, y: (x.unsqueeze(1) * y).flatten(0, 1), ((256, 128, 32), (64, 64, 128), (99, 77, 33)),
            BOTH, grows=4),
    Program("kernel regression", lambda n, m, k: (normal(n, k), normal(m, k), normal(m, 8)),
            kernel_regression,
            ((1024, 1024, 16), (512, 4096, 8), (777, 333, 13)), FLOAT, loose=3),
    Program("polynomial kernel", lambda n, m, k: (normal(n, k), normal(m, k)),
            lambda t, x, y: (x @ y.mT / x.shape[1] + 1).pow(3), ((1024, 1024, 64), (512, 2048, 16), (777,
            333, 33)),
            BOTH),
    Program("distances by a precision", lambda n, k: (normal(n, k), normal(k), matrix(k, k)), mahalanobis,
            ((4096, 64), (1024, 256), (3333, 33)), FLOAT, loose=3),
    Program("inverse roots by steps", lambda b, n: (normal(b, n, n),), newton_schulz,
            ((64, 32), (8, 128), (33, 29)), FLOAT, grows=4, loose=5),
    Program("vectors made square", lambda b, d: (normal(b, 4, d),), gram_schmidt, ((4096, 64), (512, 512),
            (999, 33)),
            FLOAT, loose=3),
    Program("capsules' routing", lambda b, n, m: (normal(b, n, m, 16, scale=0.3),), routing,
            ((16, 128, 10), (4, 512, 10), (7, 99, 13)), FLOAT, loose=3),
    Program("network of Gaussians", lambda n, k, m: (normal(n, k), matrix(8 * k, m)), basis_network,
            ((512, 64, 64), (128, 256, 128), (333, 33, 65)), BOTH),
    Program("Fourier features, sine layer", lambda n, k, m: (uniform(n, 3), normal(3, k), matrix(2 * k, m)),
            fields,
            ((4096, 64, 64), (1024, 256, 128), (3333, 33, 65)), FLOAT),
    Program("chain of four matrices", lambda n, k, m: (normal(n, k), matrix(k, m), matrix(m, k), matrix(k,
            n)),
            lambda t, a, b, c, d: a @ b @ c @ d, ((512, 64, 512), (128, 16, 1024), (333, 33, 257)), FLOAT,
            grows=1,
            loose=3),
    Program("scaled on both sides", lambda n, k, m: (normal(n), normal(n, k), normal(k), matrix(k, m),
            normal(m)),
            lambda t, r, x, d, w, c: r.unsqueeze(1) * ((x * d) @ w) * c,
            ((512, 512, 512), (64, 1024, 768), (333, 257, 333)), BOTH),
    Program("block of a tensor's axes", dtypes=FLOAT, sizes=((8, 32, 32), (4, 16, 64), (3, 33, 17)), **einsum(
        "abcd,cdef->abef", lambda a, b, c: (a, b, c, c), lambda a, b, c: (c, c, 8, 9))),
)  # fmt: skip
