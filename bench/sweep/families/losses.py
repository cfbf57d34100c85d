"""Losses of classifiers, regressors, embeddings and masks."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, normal, uniform

SIZES = ((4096, 256), (256, 16384), (1001, 777))
FLOAT = ("float32",)


def pair(n: int, d: int) -> Any:
    return normal(n, d), normal(n, d)


def focal(t: Any, x: Any, y: Any) -> Any:
    p = x.sigmoid()
    at = p * y + (1 - p) * (1 - y)
    return (-((1 - at).square()) * (at + 1e-6).log()).mean()


def dice(t: Any, x: Any, y: Any) -> Any:
    p = x.sigmoid()
    return (1 - (2 * (p * y).sum(1) + 1) / (p.sum(1) + y.sum(1) + 1)).mean()


def triplet(t: Any, a: Any, p: Any, n: Any) -> Any:
    near, far = (a - p).square().sum(1), (a - n).square().sum(1)
    return ((near + 1e-6).sqrt() - (far + 1e-6).sqrt() + 1.0).relu().mean()


def info_nce(t: Any, a: Any, b: Any) -> Any:
    """CLIP's: rows and columns of cosines, both as classes."""
    cosines = t.normalize(a, dim=1) @ t.normalize(b, dim=1).mT / 0.07
    at = t.arange(a.shape[0], device=a.device)
    return (t.cross_entropy(cosines, at) + t.cross_entropy(cosines.mT, at)) / 2


def distilled(t: Any, x: Any, y: Any) -> Any:
    p, q = (x / 2).log_softmax(1), (y / 2).log_softmax(1)
    return (q.exp() * (q - p)).sum(1).mean() * 4


def charbonnier(t: Any, x: Any, y: Any) -> Any:
    return ((x - y).square() + 1e-6).sqrt().mean()


def gaussian(t: Any, x: Any, y: Any, v: Any) -> Any:
    v = v + 0.1
    return (0.5 * (v.log() + (x - y).square() / v)).mean()


def elbo(t: Any, mean: Any, log_variance: Any) -> Any:
    return (-0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1)).mean()


def barlow(t: Any, a: Any, b: Any) -> Any:
    """Barlow Twins: the correlation of two views towards the identity."""
    a, b = (a - a.mean(0)) / (a.std(0) + 1e-4), (b - b.mean(0)) / (b.std(0) + 1e-4)
    c = a.mT @ b / a.shape[0]
    eye = t.eye(c.shape[0], device=a.device).type_as(c)
    return ((c - eye).square() * (0.995 * eye + 0.005)).sum()


def total_variation(t: Any, x: Any) -> Any:
    return (x[:, 1:] - x[:, :-1]).abs().mean() + (x[1:] - x[:-1]).abs().mean()


def psnr(t: Any, x: Any, y: Any) -> Any:
    return -10 * (x - y).square().mean().log10()


PROGRAMS = (
    Program("squared error", pair, lambda t, x, y: t.mse_loss(x, y), SIZES),
    Program("absolute error", pair, lambda t, x, y: t.l1_loss(x, y), SIZES),
    Program("Huber loss", pair, lambda t, x, y: t.huber_loss(x, y), SIZES, FLOAT),
    Program("Charbonnier loss", pair, charbonnier, SIZES, FLOAT),
    Program("signal to noise", pair, psnr, SIZES, FLOAT),
    Program("binary cross entropy", lambda n, d: (normal(n, d), uniform(n, d)),
            lambda t, x, y: t.binary_cross_entropy_with_logits(x, y), SIZES),
    Program("focal loss", lambda n, d: (normal(n, d), uniform(n, d)), focal, SIZES, FLOAT),
    Program("Dice loss", lambda n, d: (normal(n, d), uniform(n, d)), dice, SIZES, FLOAT),
    Program("triplet loss", lambda n, d: (normal(n, d), normal(n, d), normal(n, d)), triplet, SIZES, FLOAT),
    Program("contrastive loss (CLIP)", pair, info_nce, ((512, 256), (128, 1024), (333, 129)), FLOAT, grows=8,
            loose=3),
    Program("distillation", pair, distilled, SIZES, FLOAT),
    Program("Gaussian likelihood", lambda n, d: (normal(n, d), normal(n, d), uniform(n, d)), gaussian, SIZES,
            FLOAT),
    Program("evidence bound", pair, elbo, SIZES, FLOAT),
    Program("Barlow Twins", pair, barlow, ((1024, 256), (4096, 64), (1001, 129)), FLOAT, loose=5),
    Program("total variation", lambda n, d: (normal(n, d),), total_variation, SIZES, FLOAT),
    Program("negative log-likelihood", lambda n, d: (normal(n, d), below(d, n)),
            lambda t, x, y: t.nll_loss(x, y), SIZES, FLOAT, loose=5),
)  # fmt: skip
