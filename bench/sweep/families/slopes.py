"""More gradients: attention in its forms, norms, filters, pictures read at places, losses, forces."""

from __future__ import annotations

from typing import Any

from bench.sweep.families.attentions import by_distance, capped, normalised, pooled, state_space, three
from bench.sweep.families.contractions import fields, kernel_regression, routing
from bench.sweep.families.gradients import gradients, of_rows, weighed
from bench.sweep.families.measures import bilateral, chamfer, field_of_labels, similarity
from bench.sweep.families.vision import weight
from bench.sweep.program import Program, below, normal, uniform

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")
ROWS = ((1024, 1024), (256, 4096), (333, 777))
HEADS = ((1, 8, 256, 64), (4, 4, 128, 32), (2, 3, 233, 40))
IMAGES = ((4, 64, 28), (8, 128, 14), (3, 33, 29))


def and_slope(inputs: Any) -> Any:
    return lambda *size: (*inputs(*size), normal(*inputs(*size)[0].shape))


def lstm(t: Any, x: Any, h: Any, c: Any, w: Any, u: Any) -> Any:
    i, f, g, o = (x @ w + h @ u).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh()


def distilled(t: Any, x: Any, y: Any) -> Any:
    a, b = (x / 2.0).log_softmax(-1), (y / 2.0).log_softmax(-1)
    return (b.exp() * (b - a)).sum(-1).mean() * 4.0


def style(t: Any, x: Any, y: Any) -> Any:
    """How far channels' products are from those of another picture."""
    a, b = x.flatten(2), y.flatten(2)
    n = a.shape[2]
    return (a @ a.mT / n - b @ b.mT / n).square().mean()


def energy(t: Any, x: Any) -> Any:
    """Soft balls that push each other: forces are the gradient."""
    gap = (x.unsqueeze(1) - x).square().sum(-1) + 0.1
    return (1.0 / gap).sum()


def total_variation(t: Any, x: Any) -> Any:
    a, b = x[..., 1:, :] - x[..., :-1, :], x[..., 1:] - x[..., :-1]
    return (a.square() + 1e-3).sqrt().sum() + (b.square() + 1e-3).sqrt().sum()


def penalty(t: Any, x: Any, a: Any, b: Any) -> Any:
    return t.tanh(x @ a) @ b


def upsampled(t: Any, x: Any) -> Any:
    return t.interpolate(x, scale_factor=2.0, mode="bilinear")


def sampled(t: Any, x: Any, grid: Any) -> Any:
    return t.grid_sample(x, grid, align_corners=False)


def separable(t: Any, x: Any, a: Any, b: Any) -> Any:
    return t.conv2d(t.silu(t.conv2d(x, a, padding=1, groups=x.shape[1])), b)


def rotary(t: Any, x: Any, angle: Any) -> Any:
    a, b = x.chunk(2, -1)
    return t.cat((a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()), -1)


def quaternion_points(t: Any, q: Any, p: Any) -> Any:
    """Points turned by quaternions of any length."""
    q = q / (q.square().sum(-1, keepdim=True) + 1e-6).sqrt()
    w, u = q[..., :1].unsqueeze(1), q[..., 1:].unsqueeze(1).expand(*p.shape)
    cross = t.cross(u, p, dim=-1)
    return p + 2.0 * (w * cross + t.cross(u, cross, dim=-1))


PROGRAMS = (
    Program("gradient of attention that fades", and_slope(three), sizes=HEADS, dtypes=FLOAT, loose=3,
            **gradients(weighed(by_distance), 0, 1, 2)),
    Program("gradient of capped attention", and_slope(three), sizes=HEADS, dtypes=BOTH, loose=3,
            **gradients(weighed(capped), 0, 1, 2)),
    Program("gradient of normalised attention", and_slope(three), sizes=HEADS, dtypes=FLOAT, loose=3,
            **gradients(weighed(normalised), 0, 1, 2)),
    Program("gradient of pooling by a query", lambda b, s, d: (normal(b, s, d), normal(d, scale=d**-0.5),
            normal(b, d)), sizes=((64, 128, 256), (8, 1024, 128), (33, 77, 129)), dtypes=BOTH, loose=3,
            **gradients(weighed(pooled), 0, 1)),
    Program("gradient of a chunk of a state space", lambda b, h, s, d: (normal(b, h, s, d), normal(b, h, s),
            normal(b, h, s, 16), normal(b, h, s, 16), normal(b, h, s, d)),
            sizes=((4, 8, 128, 64), (8, 4, 64, 32), (3, 5, 77, 40)), dtypes=FLOAT, loose=5,
            **gradients(weighed(state_space), 0, 1, 2, 3)),
    Program("gradient of group norm", lambda n, c, s: (normal(n, 4 * c, s, s), normal(4 * c), normal(4 * c),
            normal(n, 4 * c, s, s)), sizes=((4, 16, 28), (8, 32, 14), (3, 9, 29)), dtypes=BOTH, loose=3,
            **gradients(weighed(lambda t, x, w, b: t.group_norm(x, 4, w, b)), 0, 1, 2)),
    Program("gradient of a conv1d of 9", lambda n, c, s: (normal(n, c, s), normal(c, c, 9,
            scale=(9 * c) ** -0.5),
            normal(n, c, s)), sizes=((4, 64, 512), (2, 128, 300), (3, 33, 701)), dtypes=FLOAT, loose=2,
            **gradients(weighed(lambda t, x, w: t.conv1d(x, w, padding=4)), 0, 1)),
    Program("gradient of a transposed convolution", lambda n, c, s: (normal(n, c, s, s), weight(c, c, 4),
            normal(n, c, 2 * s, 2 * s)), sizes=((4, 32, 28), (8, 64, 14), (3, 17, 29)), dtypes=FLOAT, loose=2,
            **gradients(weighed(lambda t, x, w: t.conv_transpose2d(x, w, stride=2, padding=1)), 0, 1)),
    Program("gradient of a separable convolution", lambda n, c, s: (normal(n, c, s, s), weight(c, 1, 3),
            weight(c, c, 1), normal(n, c, s, s)), sizes=IMAGES, dtypes=FLOAT, loose=3,
            **gradients(weighed(separable), 0, 1, 2)),
    Program("gradient of bilinear", lambda n, c, s: (normal(n, c, s, s), normal(n, c, 2 * s, 2 * s)),
            sizes=IMAGES,
            dtypes=FLOAT, **gradients(weighed(upsampled), 0)),
    Program("gradient of a sampled grid", lambda n, c, s: (normal(n, c, s, s), uniform(n, s, s, 2),
            normal(n, c, s, s)), sizes=((4, 16, 28), (2, 3, 96), (3, 33, 29)), dtypes=FLOAT, loose=3,
            **gradients(weighed(sampled), 0, 1)),
    Program("gradient of an average pool", lambda n, c, s: (normal(n, c, 2 * s, 2 * s), normal(n, c, s, s)),
            sizes=IMAGES, dtypes=FLOAT, **gradients(weighed(lambda t, x: t.avg_pool2d(x, 3, 2, 1)), 0)),
    Program("gradient of an LSTM step", lambda n, k: (normal(n, k), normal(n, k), normal(n, k),
            normal(k, 4 * k, scale=k**-0.5), normal(k, 4 * k, scale=k**-0.5), normal(n, k)),
            sizes=((256, 256), (64, 512), (77, 133)), dtypes=FLOAT, loose=3,
            **gradients(weighed(lstm), 0, 1, 2, 3, 4)),
    Program("gradient of distillation", of_rows(), sizes=ROWS, dtypes=BOTH, loose=3, **gradients(distilled,
            0)),
    Program("gradient of a style", lambda n, c, s: (normal(n, c, s, s), normal(n, c, s, s)), sizes=IMAGES,
            dtypes=FLOAT, loose=3, **gradients(style, 0)),
    Program("forces between points", lambda n: (normal(n, 3),), sizes=((1024,), (256,), (777,)), dtypes=FLOAT,
            grows=4, loose=5, **gradients(energy, 0)),
    Program("gradient of total variation", lambda n, c, s: (normal(n, c, s, s),), sizes=((4, 3, 128), (1,
            16, 64),
            (3, 5, 99)), dtypes=FLOAT, **gradients(total_variation, 0)),
    Program("gradient of rotary positions", lambda n, h, s: (normal(n, h, s, 64), normal(s, 32), normal(n,
            h, s, 64)),
            sizes=((2, 8, 256), (1, 4, 1024), (3, 5, 233)), dtypes=BOTH, **gradients(weighed(rotary), 0)),
    Program("gradient of log-sum-exp of columns", lambda n, k: (normal(n, k), normal(k)),
            sizes=((1024, 1024), (8192, 64), (777, 333)), dtypes=FLOAT,
            **gradients(weighed(lambda t, x: x.logsumexp(0)), 0)),
    Program("gradient of standardised columns", lambda n, k: (normal(n, k), normal(n, k)),
            sizes=((1024, 1024), (8192, 64), (777, 333)), dtypes=FLOAT, loose=3,
            **gradients(weighed(lambda t, x: (x - x.mean(0)) / (x.std(0) + 1e-5)), 0)),
    Program("gradient of running products", lambda n, k: (uniform(n, k), normal(n, k)), sizes=((256, 64),
            (64, 256),
            (77, 133)), dtypes=FLOAT, loose=5, **gradients(weighed(lambda t, x: (x + 0.5).cumprod(1)), 0)),
    Program("gradient of the best eight", lambda n, k: (normal(n, k), normal(n, 8)), sizes=ROWS, dtypes=FLOAT,
            **gradients(weighed(lambda t, x: t.topk(x, 8, -1)[0]), 0)),
    Program("gradient of sorted rows", of_rows(), sizes=((256, 1024), (64, 4096), (77, 777)), dtypes=FLOAT,
            **gradients(weighed(lambda t, x: t.sort(x, dim=-1, stable=True)[0]), 0)),
    Program("gradient of kernel regression", lambda n, m, k: (normal(n, k), normal(m, k), normal(m, 8),
            normal(n, 8)),
            sizes=((512, 512, 16), (256, 2048, 8), (333, 177, 13)), dtypes=FLOAT, loose=5,
            **gradients(weighed(kernel_regression), 1, 2)),
    Program("gradient of routing", lambda b, n, m: (normal(b, n, m, 16, scale=0.3), normal(b, m, 16)),
            sizes=((8, 128, 10), (2, 512, 10), (5, 99, 13)), dtypes=FLOAT, loose=5,
            **gradients(weighed(routing), 0)),
    Program("gradient of a sine network", lambda n, k, m: (uniform(n, 3), normal(3, k),
            normal(2 * k, m, scale=k**-0.5), normal(n, m)), sizes=((4096, 64, 64), (1024, 128, 128), (3333,
            33, 65)),
            dtypes=FLOAT, loose=5, **gradients(weighed(fields), 1, 2)),
    Program("gradient of bilateral 3x3", lambda n, h, w: (uniform(n, h, w), normal(n, h - 2, w - 2)),
            sizes=((2, 128, 128), (1, 256, 192), (3, 77, 133)), dtypes=FLOAT, loose=3,
            **gradients(weighed(bilateral), 0)),
    Program("gradient of structural similarity", lambda n, h, w: (uniform(n, h, w), uniform(n, h, w)),
            sizes=((2, 128, 128), (1, 256, 192), (3, 77, 133)), dtypes=FLOAT, loose=5,
            **gradients(lambda t, x, y: similarity(t, x, y).sum(), 0)),
    Program("gradient of chamfer distance", lambda n, k: (normal(n, k, 3), normal(n, k, 3)),
            sizes=((4, 256), (64, 64), (3, 333)), dtypes=FLOAT, loose=5, **gradients(chamfer, 0)),
    Program("gradient of the sum over all ways", lambda n, s: (normal(n, 8, s), normal(s, s)),
            sizes=((64, 64), (256, 24), (33, 77)), dtypes=FLOAT, loose=5,
            **gradients(lambda t, x, w: field_of_labels(t, x, w).sum(), 0, 1)),
    Program("gradient of turned points", lambda n, k: (normal(n, 4), normal(n, k, 3), normal(n, k, 3)),
            sizes=((1024, 64), (64, 1024), (333, 77)), dtypes=FLOAT, loose=5,
            **gradients(weighed(quaternion_points), 0, 1)),
    Program("gradient by rows of a table", lambda n, f, k: (normal(10007, k), below(10007, n, f), normal(n,
            k)),
            sizes=((1024, 16, 32), (256, 64, 64), (777, 7, 33)), dtypes=FLOAT, loose=3,
            **gradients(weighed(lambda t, w, i: w[i].mean(1)), 0)),
    Program("gradient of a penalised network", lambda n, k: (normal(n, k), normal(k, 2 * k, scale=k**-0.5),
            normal(2 * k, 1, scale=k**-0.5)), sizes=((1024, 64), (256, 256), (777, 33)), dtypes=FLOAT,
            loose=3,
            **gradients(lambda t, x, a, b: penalty(t, x, a, b).square().mean() + 0.01 * (
                a.square().sum() + b.abs().sum()), 1, 2)),
)  # fmt: skip
