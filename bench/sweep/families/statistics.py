"""Statistics: sums, moments, ranks, clusters, as data work and feature pipelines have them."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, normal, ordered, uniform

ROWS = ((4096, 1024), (256, 16384), (1001, 777))
COLUMNS = ((4096, 1024), (65536, 64), (10007, 129))
LINE = ((1 << 21,), (1 << 18,), (1_000_003,))
POINTS = ((1000, 1000, 64), (2048, 512, 16), (777, 333, 65))
FLOAT = ("float32",)


def standardised(t: Any, x: Any) -> Any:
    return (x - x.mean(0)) / (x.std(0) + 1e-5)


def covariance(t: Any, x: Any) -> Any:
    x = x - x.mean(0, keepdim=True)
    return x.mT @ x / (x.shape[0] - 1)


def correlation(t: Any, x: Any) -> Any:
    x = x - x.mean(0, keepdim=True)
    x = x / (x.square().sum(0, keepdim=True).sqrt() + 1e-6)
    return x.mT @ x


def kurtosis(t: Any, x: Any) -> Any:
    centred = x - x.mean(1, keepdim=True)
    square = centred.square()
    return square.square().mean(1) / square.mean(1).square()


def entropy(t: Any, x: Any) -> Any:
    p = x.softmax(1)
    return -(p * (p + 1e-6).log()).sum(1)


def nearest_centre(t: Any, x: Any, centres: Any) -> Any:
    distances = x.square().sum(1, keepdim=True) - 2 * (x @ centres.mT) + centres.square().sum(1)
    return distances.min(1).values


def centre_sums(t: Any, x: Any, labels: Any, sums: Any) -> Any:
    return sums.index_add(0, labels, x)


def mixture(t: Any, x: Any, centres: Any, spread: Any) -> Any:
    """The responsibilities of the components of a Gaussian mixture with diagonal covariances."""
    inverse = 1 / (spread.square() + 0.5)
    distances = (
        x.square() @ inverse.mT - 2 * (x @ (centres * inverse).mT) + (centres.square() * inverse).sum(1)
    )
    return (-0.5 * distances + 0.5 * inverse.log().sum(1)).softmax(1)


def normal_equations(t: Any, x: Any, y: Any) -> Any:
    return x.mT @ x, x.mT @ y


def ridge_gradient(t: Any, x: Any, w: Any, y: Any) -> Any:
    return x.mT @ (x @ w - y) / x.shape[0] + 0.1 * w


def logistic_gradient(t: Any, x: Any, w: Any, y: Any) -> Any:
    return x.mT @ ((x @ w).sigmoid() - y) / x.shape[0]


def power_iteration(t: Any, x: Any, v: Any) -> Any:
    for _ in range(3):
        v = x.mT @ (x @ v)
        v = v / v.square().sum().sqrt()
    return v


def one(kind: Any = normal) -> Any:
    return lambda *shape: (kind(*shape),)


def with_centres(n: int, k: int, d: int) -> Any:
    return normal(n, d), normal(k, d)


def regression(n: int, d: int) -> Any:
    return normal(n, d, scale=0.1), normal(d, 1, scale=0.1), normal(n, 1)


PROGRAMS = (
    Program("sum of rows", one(), lambda t, x: x.sum(1), ROWS),
    Program("sum of columns", one(), lambda t, x: x.sum(0), COLUMNS, loose=3),
    Program("sum of all", one(uniform), lambda t, x: x.sum(), LINE),
    Program("mean over images", one(), lambda t, x: x.mean((0, 2)),
            ((64, 64, 784), (8, 256, 196), (7, 33, 441)), loose=10),
    Program("variance of all", one(), lambda t, x: x.var(), LINE),
    Program("variance of rows", one(), lambda t, x: x.var(1), ROWS),
    Program("variance of columns", one(), lambda t, x: x.var(0), COLUMNS),
    Program("deviation and mean of rows", one(), lambda t, x: (x.std(1), x.mean(1)), ROWS, loose=3),
    Program("columns standardised", one(), standardised, COLUMNS),
    Program("rows standardised", one(),
            lambda t, x: (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True), ROWS),
    Program("whole standardised", one(), lambda t, x: (x - x.mean()) / x.std(), LINE),
    Program("min-max scaling", one(), lambda t, x: (x - x.min()) / (x.max() - x.min()), LINE),
    Program("covariance", one(), covariance, ((4096, 256), (65536, 32), (10007, 129)), FLOAT),
    Program("correlation", one(), correlation, ((4096, 256), (65536, 32), (10007, 129)), FLOAT),
    Program("kurtosis of rows", one(), kurtosis, ROWS, FLOAT),
    Program("entropy of rows", one(), entropy, ROWS),
    Program("log-sum-exp of rows", one(), lambda t, x: x.logsumexp(1), ROWS),
    Program("log-sum-exp of columns", one(), lambda t, x: x.logsumexp(0), COLUMNS),
    Program("argmax of rows", one(), lambda t, x: x.argmax(1), ROWS, FLOAT),
    Program("argmax of columns", one(), lambda t, x: x.argmax(0), COLUMNS, FLOAT),
    Program("least and largest of rows", one(), lambda t, x: (x.amin(1), x.amax(1)), ROWS),
    Program("largest of all", one(), lambda t, x: x.amax(), LINE),
    Program("norm of rows", one(), lambda t, x: x.square().sum(1).sqrt(), ROWS),
    Program("norm of all", one(), lambda t, x: x.square().sum().sqrt(), LINE),
    Program("running sum of rows", one(uniform), lambda t, x: x.cumsum(1),
            ((1024, 1024), (32, 32768), (333, 1777)), FLOAT),
    Program("running sum of columns", one(uniform), lambda t, x: x.cumsum(0),
            ((1024, 1024), (8192, 64), (3333, 177)), FLOAT),
    Program("running maximum of rows", one(), lambda t, x: x.cummax(1).values,
            ((1024, 1024), (32, 32768), (333, 1777)), FLOAT),
    Program("histogram, 64 bins", one(), lambda t, x: x.histc(64, -3, 3), LINE, FLOAT),
    Program("counts of labels", lambda n: (below(1000, n),),
            lambda t, x: t.zeros(1000, dtype=x.dtype, device=x.device).index_add(0, x, t.ones_like(x)), LINE,
            FLOAT),
    Program("top 10 of rows", one(), lambda t, x: x.topk(10).values, ROWS, FLOAT),
    Program("sort of rows", one(), lambda t, x: x.sort(1).values, ((512, 1024), (16, 16384), (100, 10007)),
            FLOAT),
    Program("ranks of rows", one(), lambda t, x: x.argsort(1), ((512, 1024), (16, 8192), (100, 777)), FLOAT),
    Program("median of rows", one(), lambda t, x: x.median(1).values, ((512, 1024), (64, 4096), (333, 777)),
            FLOAT),
    Program("places in sorted edges", lambda n: (normal(n), ordered(1 << 20, 1001)),
            lambda t, x, edges: t.searchsorted(edges, (x * 100000).long()), LINE, FLOAT),
    Program("softmax of columns", one(), lambda t, x: x.softmax(0), COLUMNS),
    Program("distances of points", with_centres, lambda t, a, b: t.cdist(a, b), POINTS, FLOAT, loose=10),
    Program("cosines of points", with_centres,
            lambda t, a, b: t.normalize(a, dim=1) @ t.normalize(b, dim=1).mT, POINTS),
    Program("nearest centre (k-means)", with_centres, nearest_centre, POINTS, FLOAT, loose=10),
    Program("sums of clusters (k-means)",
            lambda n, k, d: (normal(n, d), below(k, n), normal(k, d)), centre_sums,
            ((65536, 1000, 64), (16384, 100, 128), (10007, 333, 33)), FLOAT, loose=3),
    Program("mixture of Gaussians, E step",
            lambda n, k, d: (normal(n, d), normal(k, d), uniform(k, d)), mixture,
            ((16384, 64, 32), (4096, 256, 16), (10007, 33, 17)), FLOAT, loose=10),
    Program("normal equations", lambda n, d: (normal(n, d), normal(n, 1)), normal_equations,
            ((16384, 128), (65536, 32), (10007, 65)), FLOAT),
    Program("ridge gradient", regression, ridge_gradient, ((16384, 128), (65536, 32), (10007, 65)), FLOAT),
    Program("logistic gradient", lambda n, d: (normal(n, d), normal(d, 1, scale=0.1), uniform(n, 1)),
            logistic_gradient, ((16384, 128), (65536, 32), (10007, 65)), FLOAT),
    Program("power iteration", lambda n, d: (normal(n, d), normal(d, 1)), power_iteration,
            ((4096, 256), (1024, 1024), (3333, 333)), FLOAT, loose=5),
    Program("weighted mean of rows", lambda n, d: (normal(n, d), uniform(n, 1)),
            lambda t, x, w: (x * w).sum(0) / w.sum(), COLUMNS, FLOAT, loose=5),
    Program("outliers clipped", one(),
            lambda t, x: x.clamp(-3, 3) * (x.abs() < 6), LINE),
    Program("moving average", lambda n, d: (normal(n, 1, d),),
            lambda t, x: t.avg_pool1d(x, 25, 1), ((64, 16384), (1024, 1024), (77, 3333)), FLOAT),
    Program("differences squared, summed", one(), lambda t, x: (x[:, 1:] - x[:, :-1]).square().sum(1), ROWS,
            FLOAT),
)  # fmt: skip
