"""Gradients: what a training step asks for, each with its forward half, beside torch's autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.sweep.families.vision import weight
from bench.sweep.program import Program, below, normal, uniform

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")
ROWS = ((1024, 1024), (256, 4096), (333, 777))
IMAGES = ((4, 64, 28), (8, 128, 14), (3, 33, 29))


def gradients(loss: Callable[..., Any], *wanted: int) -> dict[str, Any]:
    """`call` and `peer` of a program: the gradients of `loss(t, *inputs)` for the inputs of these numbers."""

    def ours(t: Any, *inputs: Any) -> Any:
        from saccade import grad

        return grad(lambda *x: loss(t, *x), wanted)(*inputs)

    def torchs(t: Any, *inputs: Any) -> Any:
        import torch

        with torch.inference_mode(mode=False), torch.enable_grad():
            leaves = [x.detach().requires_grad_() if i in wanted else x for i, x in enumerate(inputs)]
            return torch.autograd.grad(loss(t, *leaves), [leaves[i] for i in wanted])

    return {"call": ours, "peer": torchs}


def weighed(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A loss of a forward half: its sum weighed by the last input, so that what flows back is arbitrary."""
    return lambda t, *x: (forward(t, *x[:-1]) * x[-1]).sum()


def norm_of_rows(t: Any, x: Any, w: Any, b: Any) -> Any:
    return t.layer_norm(x, (x.shape[-1],), w, b)


def root_mean_square(t: Any, x: Any, w: Any) -> Any:
    return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * w


def swiglu(t: Any, x: Any, a: Any, b: Any, c: Any) -> Any:
    return (t.silu(x @ a) * (x @ b)) @ c


def mlp(t: Any, x: Any, a: Any, b: Any) -> Any:
    return t.gelu(x @ a) @ b


def attention(t: Any, q: Any, k: Any, v: Any) -> Any:
    scores = (q @ k.mT) * q.shape[-1] ** -0.5
    return scores.softmax(-1) @ v


def batch_norm(t: Any, x: Any, w: Any, b: Any) -> Any:
    mean, var = x.mean((0, 2, 3), keepdim=True), x.var((0, 2, 3), keepdim=True, unbiased=False)
    return (x - mean) * (var + 1e-5).rsqrt() * w.reshape(1, -1, 1, 1) + b.reshape(1, -1, 1, 1)


def residual(t: Any, x: Any, a: Any, b: Any) -> Any:
    # no ReLU: a sum near zero that rounds to the other side is another gradient, and nobody's fault
    return t.silu(t.conv2d(t.silu(t.conv2d(x, a, padding=1)), b, padding=1) + x)


def contrastive(t: Any, a: Any, b: Any) -> Any:
    """CLIP's, of rows of length one."""
    a = a * (a.square().sum(-1, keepdim=True) + 1e-6).rsqrt()
    b = b * (b.square().sum(-1, keepdim=True) + 1e-6).rsqrt()
    scores = (a @ b.mT) * 10.0
    right = (scores * t.eye(a.shape[0], dtype=scores.dtype, device=scores.device)).sum()
    return scores.logsumexp(1).sum() + scores.logsumexp(0).sum() - 2.0 * right


def distance_field(t: Any, p: Any, a: Any, b: Any, c: Any) -> Any:
    """A small network of places (NeRF, SDF): the gradient by the place is the normal."""
    return t.tanh(t.tanh(p @ a) @ b) @ c


def of_rows(*more: Any) -> Any:
    return lambda n, k: (normal(n, k), *(make(k) for make in more), normal(n, k))


def heads(n: int, h: int, s: int, d: int) -> Any:
    return (*(normal(n, h, s, d) for _ in range(3)), normal(n, h, s, d))


def layers(n: int, k: int, m: int) -> Any:
    return (
        normal(n, k),
        normal(k, m, scale=k**-0.5),
        normal(k, m, scale=k**-0.5),
        normal(m, k, scale=m**-0.5),
        normal(n, k),
    )


def two_layers(n: int, k: int, m: int) -> Any:
    x, a, _, c, y = layers(n, k, m)
    return x, a, c, y


def convolved(side: int, groups: int = 1) -> Any:
    return lambda n, c, s: (normal(n, c, s, s), weight(c, c // (groups or c), side), normal(n, c, s, s))


PROGRAMS = (
    Program("gradient of layer norm", of_rows(normal, normal), sizes=ROWS, dtypes=BOTH, loose=3,
            **gradients(weighed(norm_of_rows), 0, 1, 2)),
    Program("gradient of RMS norm", of_rows(normal), sizes=ROWS, dtypes=BOTH, loose=3,
            **gradients(weighed(root_mean_square), 0, 1)),
    Program("gradient of softmax", of_rows(), sizes=ROWS, dtypes=BOTH,
            **gradients(weighed(lambda t, x: x.softmax(-1)), 0)),
    Program("gradient of GELU", of_rows(), sizes=ROWS, dtypes=BOTH,
            **gradients(weighed(lambda t, x: t.gelu(x)), 0)),
    Program("gradient of cross entropy", lambda n, k: (normal(n, k), below(k, n)), sizes=ROWS, dtypes=BOTH,
            **gradients(lambda t, x, y: t.cross_entropy(x, y), 0)),
    Program("gradient of head and cross entropy",
            lambda n, k: (normal(n, k), normal(k, 4001, scale=k**-0.5), below(4001, n)),
            sizes=((256, 256), (64, 512), (77, 129)), dtypes=FLOAT,
            **gradients(lambda t, x, w, y: t.cross_entropy(x @ w, y), 0, 1)),
    Program("gradient of embeddings", lambda n, k: (normal(5003, k), below(5003, n), normal(n, k)),
            sizes=((4096, 256), (1024, 768), (3333, 129)), dtypes=FLOAT,
            **gradients(weighed(lambda t, w, i: w[i]), 0)),
    Program("gradient of a linear layer",
            lambda n, k, m: (normal(n, k), normal(k, m), normal(m), normal(n, m)),
            sizes=((512, 512, 512), (128, 1024, 768), (265, 333, 257)), dtypes=BOTH,
            **gradients(weighed(lambda t, x, w, b: x @ w + b), 0, 1, 2)),
    Program("gradient of an MLP", two_layers, sizes=((256, 256, 1024), (64, 512, 1024), (77, 333, 901)),
            dtypes=BOTH, loose=3, **gradients(weighed(mlp), 0, 1, 2)),
    Program("gradient of SwiGLU", layers, sizes=((256, 256, 1024), (64, 512, 1024), (77, 333, 901)),
            dtypes=BOTH, loose=3, **gradients(weighed(swiglu), 0, 1, 2, 3)),
    Program("gradient of attention", heads, sizes=((1, 8, 512, 64), (2, 4, 256, 128), (3, 5, 333, 40)),
            dtypes=BOTH, loose=3, **gradients(weighed(attention), 0, 1, 2)),
    Program("gradient of a 3x3 convolution", convolved(3), sizes=IMAGES, dtypes=FLOAT,
            **gradients(weighed(lambda t, x, w: t.conv2d(x, w, padding=1)), 0, 1)),
    Program("gradient of a 1x1 convolution", convolved(1), sizes=IMAGES, dtypes=FLOAT,
            **gradients(weighed(lambda t, x, w: t.conv2d(x, w)), 0, 1)),
    Program("gradient of a depthwise convolution", convolved(3, 0), sizes=IMAGES, dtypes=FLOAT,
            **gradients(weighed(lambda t, x, w: t.conv2d(x, w, padding=1, groups=x.shape[1])), 0, 1)),
    Program("gradient of a strided convolution",
            lambda n, c, s: (normal(n, c, s, s), weight(c, c, 3), normal(n, c, (s + 1) // 2, (s + 1) // 2)),
            sizes=IMAGES, dtypes=FLOAT,
            **gradients(weighed(lambda t, x, w: t.conv2d(x, w, stride=2, padding=1)), 0, 1)),
    Program("gradient of a residual block",
            lambda n, c, s: (normal(n, c, s, s), weight(c, c, 3), weight(c, c, 3), normal(n, c, s, s)),
            sizes=IMAGES, dtypes=FLOAT, loose=3, **gradients(weighed(residual), 0, 1, 2)),
    Program("gradient of batch norm", lambda n, c, s: (normal(n, c, s, s), normal(c), normal(c),
            normal(n, c, s, s)), sizes=IMAGES, dtypes=FLOAT, loose=3,
            **gradients(weighed(batch_norm), 0, 1, 2)),
    Program("gradient of max pool", lambda n, c, s: (normal(n, c, 2 * s, 2 * s), normal(n, c, s, s)),
            sizes=IMAGES, dtypes=FLOAT, **gradients(weighed(lambda t, x: t.max_pool2d(x, 2)), 0)),
    Program("gradient of a contrastive loss", lambda n, k: (normal(n, k), normal(n, k)),
            sizes=((256, 256), (512, 64), (333, 129)), dtypes=FLOAT, grows=4, loose=3,
            **gradients(contrastive, 0, 1)),
    Program("gradient of a running sum", of_rows(), sizes=ROWS, dtypes=FLOAT, loose=3,
            **gradients(weighed(lambda t, x: x.cumsum(1)), 0)),
    Program("gradient of messages",
            lambda n, m, k: (normal(m, k), below(m, n), below(m, n), normal(m, k)),
            sizes=((32768, 4096, 32), (8192, 1024, 128), (33333, 1777, 33)), dtypes=FLOAT, loose=3,
            **gradients(weighed(lambda t, x, a, b: t.zeros_like(x).index_add(0, b, x[a])), 0)),
    Program("normals of a field", lambda n, k: (uniform(n, 3), normal(3, k), normal(k, k, scale=k**-0.5),
            normal(k, 1, scale=k**-0.5)), sizes=((8192, 64), (2048, 128), (5001, 65)), dtypes=FLOAT, loose=3,
            **gradients(lambda t, *x: distance_field(t, *x).sum(), 0)),
)  # fmt: skip
