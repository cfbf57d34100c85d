"""Measures and filters of pictures, samples and strings of words, as they are written by hand."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, normal, uniform

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")
PHOTOS = ((4, 256, 256), (1, 512, 384), (3, 177, 233))
SERIES = ((64, 4096), (512, 512), (77, 1001))
CLASSES = ((16, 32, 64), (64, 12, 32), (7, 33, 29))


def shifts(t: Any, x: Any) -> list[Any]:
    """The nine neighbours of every inner pixel."""
    h, w = x.shape[1:]
    return [x[:, i : h - 2 + i, j : w - 2 + j] for i in range(3) for j in range(3)]


def median_filter(t: Any, x: Any) -> Any:
    return t.stack(shifts(t, x), -1).sort(-1)[0][..., 4]


def binary_pattern(t: Any, x: Any) -> Any:
    """Local binary patterns: a bit for each neighbour that is larger."""
    near = shifts(t, x)
    middle = near.pop(4)
    code = t.zeros_like(middle)
    for bit, value in enumerate(near):
        code = code + (value > middle).to(x.dtype) * (1 << bit)
    return code


def bilateral(t: Any, x: Any) -> Any:
    """Neighbours weighed by how near their values are."""
    near = shifts(t, x)
    middle = near[4]
    weights = [(-(v - middle).square() * 10.0).exp() for v in near]
    total = sum(w * v for w, v in zip(weights, near, strict=True))
    return total / sum(weights)


def similarity(t: Any, x: Any, y: Any) -> Any:
    """SSIM by windows of 7 x 7."""
    x, y = x.unsqueeze(1), y.unsqueeze(1)
    a, b = t.avg_pool2d(x, 7, 1), t.avg_pool2d(y, 7, 1)
    aa = t.avg_pool2d(x * x, 7, 1) - a * a
    bb = t.avg_pool2d(y * y, 7, 1) - b * b
    ab = t.avg_pool2d(x * y, 7, 1) - a * b
    found = ((2 * a * b + 1e-4) * (2 * ab + 9e-4)) / ((a * a + b * b + 1e-4) * (aa + bb + 9e-4))
    return found.mean((1, 2, 3))


def box_filter(t: Any, x: Any) -> Any:
    """Windows of 9 x 9 by an integral image."""
    total = t.pad(x.cumsum(1).cumsum(2), (1, 0, 1, 0))
    return (total[:, 9:, 9:] - total[:, :-9, 9:] - total[:, 9:, :-9] + total[:, :-9, :-9]) / 81.0


def cosine_blocks(t: Any, x: Any, basis: Any) -> Any:
    """JPEG: cosines of blocks of 8 x 8."""
    n, h, w = x.shape
    blocks = x.reshape(n, h // 8, 8, w // 8, 8).permute(0, 1, 3, 2, 4)
    return basis @ blocks @ basis.mT


def demosaic(t: Any, x: Any) -> Any:
    """Three colours of a Bayer pattern, half as large."""
    green = 0.5 * (x[:, ::2, 1::2] + x[:, 1::2, ::2])
    return t.stack((x[:, ::2, ::2], green, x[:, 1::2, 1::2]), 1)


def gradients_by_angle(t: Any, x: Any) -> Any:
    """Histograms of oriented gradients: nine angles in cells of 8 x 8."""
    dx, dy = x[:, 1:-1, 2:] - x[:, 1:-1, :-2], x[:, 2:, 1:-1] - x[:, :-2, 1:-1]
    size = (dx.square() + dy.square()).sqrt()
    angle = ((t.atan2(dy, dx) / 3.14159265 + 1.0) * 4.5).floor()
    bins = t.arange(9, device=x.device, dtype=x.dtype).reshape(9, 1, 1)
    share = t.where(angle.unsqueeze(1) == bins, size.unsqueeze(1), t.zeros_like(size).unsqueeze(1))
    return t.avg_pool2d(share, 8)


def laplacian_level(t: Any, x: Any) -> Any:
    """What a picture loses when it is halved and doubled again."""
    x = x.unsqueeze(1)
    return x - t.interpolate(t.avg_pool2d(x, 2), size=tuple(x.shape[2:]), mode="nearest")


def guided(t: Any, x: Any, y: Any) -> Any:
    x, y = x.unsqueeze(1), y.unsqueeze(1)
    mx, my = t.avg_pool2d(x, 5, 1, 2), t.avg_pool2d(y, 5, 1, 2)
    a = (t.avg_pool2d(x * y, 5, 1, 2) - mx * my) / (t.avg_pool2d(x * x, 5, 1, 2) - mx * mx + 0.01)
    b = my - a * mx
    return t.avg_pool2d(a, 5, 1, 2) * x + t.avg_pool2d(b, 5, 1, 2)


def opened(t: Any, x: Any) -> Any:
    x = x.unsqueeze(1)
    return t.max_pool2d(-t.max_pool2d(-x, 5, 1, 2), 5, 1, 2)


def lightness(t: Any, x: Any) -> Any:
    """From sRGB to CIE L*: two powers of each colour."""
    x = t.where(x > 0.04045, ((x + 0.055) / 1.055).pow(2.4), x / 12.92)
    y = 0.2126 * x[:, 0] + 0.7152 * x[:, 1] + 0.0722 * x[:, 2]
    return t.where(y > 0.008856, 116.0 * y.pow(1 / 3) - 16.0, 903.3 * y)


def warped(t: Any, x: Any, matrix: Any) -> Any:
    """Affine warps of pictures."""
    x = x.unsqueeze(1)
    grid = t.affine_grid(matrix, tuple(x.shape), align_corners=False)
    return t.grid_sample(x, grid, align_corners=False)


def inequality(t: Any, x: Any) -> Any:
    """Gini's coefficient of rows."""
    x = x.sort(1)[0]
    n = x.shape[1]
    rank = t.arange(1, n + 1, device=x.device, dtype=x.dtype)
    return 2.0 * (x * rank).sum(1) / (n * x.sum(1)) - (n + 1) / n


def rank_correlation(t: Any, x: Any, y: Any) -> Any:
    """Spearman's, of rows."""
    a, b = (v.argsort(1).argsort(1).to(t.float32) for v in (x, y))
    a, b = a - a.mean(1, keepdim=True), b - b.mean(1, keepdim=True)
    return (a * b).sum(1) / (a.square().sum(1) * b.square().sum(1)).sqrt()


def resampled(t: Any, x: Any, which: Any) -> Any:
    """Bootstrap: spread of the means of many draws."""
    return x[which].mean(1).std()


def density(t: Any, x: Any, at: Any) -> Any:
    """Kernel density at places."""
    return (-(at.unsqueeze(1) - x).square() * 50.0).exp().mean(1)


def autocorrelation(t: Any, x: Any) -> Any:
    x = x - x.mean(1, keepdim=True)
    n = x.shape[1]
    return t.stack([(x[:, : n - lag] * x[:, lag:]).sum(1) for lag in range(16)], 1)


def rolling_score(t: Any, x: Any) -> Any:
    """How many deviations a value is from its last 32."""
    s, q = x.cumsum(1), x.square().cumsum(1)
    mean = (s[:, 32:] - s[:, :-32]) / 32.0
    var = (q[:, 32:] - q[:, :-32]) / 32.0 - mean.square()
    return (x[:, 32:] - mean) / (var.clamp(min=1e-3)).sqrt()


def analysis_of_variance(t: Any, x: Any, label: Any) -> Any:
    """F of 10 groups, for each column."""
    one = t.one_hot(label, 10).to(x.dtype)
    count = one.sum(0).unsqueeze(1)
    means = (one.mT @ x) / count
    between = (count * (means - x.mean(0)).square()).sum(0) / 9.0
    within = (x - means[label]).square().sum(0) / (x.shape[0] - 10.0)
    return between / within


def mutual_information(t: Any, joint: Any) -> Any:
    p = joint / joint.sum((1, 2), keepdim=True)
    apart = p.sum(1, keepdim=True) * p.sum(2, keepdim=True)
    return (p * ((p + 1e-9) / (apart + 1e-9)).log()).sum((1, 2))


def factors(t: Any, v: Any, w: Any, h: Any) -> Any:
    """A step of non-negative factorisation."""
    h = h * (w.mT @ v) / (w.mT @ w @ h + 1e-6)
    return w * (v @ h.mT) / (w @ (h @ h.mT) + 1e-6), h


def viterbi(t: Any, x: Any, w: Any) -> Any:
    """The best way through 8 steps of states, with where it came from."""
    s, came = x[:, 0], []
    for step in range(1, 8):
        best = (s.unsqueeze(2) + w).max(1)
        s = best[0] + x[:, step]
        came.append(best[1])
    return s, t.stack(came, 1)


def field_of_labels(t: Any, x: Any, w: Any) -> Any:
    """CRF: the logarithm of the sum over all ways through 8 steps."""
    s = x[:, 0]
    for step in range(1, 8):
        s = t.logsumexp(s.unsqueeze(2) + w, 1) + x[:, step]
    return t.logsumexp(s, 1)


def error_by_bin(t: Any, p: Any, right: Any) -> Any:
    """Expected calibration error in 15 bins."""
    at = (p * 15.0).floor().clamp(0, 14)
    one = (at.unsqueeze(1) == t.arange(15, device=p.device, dtype=p.dtype)).to(p.dtype)
    count = one.sum(0)
    gap = ((one * p.unsqueeze(1)).sum(0) - (one * right.unsqueeze(1)).sum(0)).abs()
    return (gap / count.clamp(min=1.0) * count).sum() / p.shape[0]


def steps_of_chains(t: Any, x: Any, noise: Any, draw: Any) -> Any:
    """A step of Metropolis in every chain."""
    new = x + 0.3 * noise
    gain = 0.5 * (x.square().sum(1) - new.square().sum(1))
    return t.where((draw.log() < gain).unsqueeze(1), new, x)


def ratings(t: Any, x: Any, w: Any) -> Any:
    """Newton's step of a logistic model: weights of rows, normal equations."""
    p = (x @ w).sigmoid()
    return (x * (p * (1 - p)).unsqueeze(1)).mT @ x


def farthest(t: Any, x: Any) -> Any:
    """Eight points, each as far as can be from those before."""
    near = (x - x[:, :1]).square().sum(-1)
    found = []
    for _ in range(8):
        at = near.argmax(1)
        found.append(at)
        chosen = t.gather(x, 1, at.reshape(-1, 1, 1).expand(-1, 1, x.shape[2]))
        near = t.minimum(near, (x - chosen).square().sum(-1))
    return t.stack(found, 1)


def chamfer(t: Any, x: Any, y: Any) -> Any:
    d = (x.unsqueeze(2) - y.unsqueeze(1)).square().sum(-1)
    return d.amin(1).mean() + d.amin(2).mean()


def distance_transform(t: Any, x: Any) -> Any:
    """How far to the nearest point of a row, for each pixel: two passes of least sums."""
    n = x.shape[2]
    at = t.arange(n, device=x.device, dtype=x.dtype)
    gap = (at.unsqueeze(1) - at).square()
    return ((1 - x).unsqueeze(2) * 1e4 + gap).amin(-1)


def pictures(n: int, h: int, w: int) -> Any:
    return (uniform(n, h, w),)


def two(n: int, h: int, w: int) -> Any:
    return uniform(n, h, w), uniform(n, h, w)


PROGRAMS = (
    Program("median of 3x3", pictures, median_filter, PHOTOS, FLOAT, grows=4),
    Program("local binary patterns", pictures, binary_pattern, PHOTOS, FLOAT),
    Program("bilateral 3x3", pictures, bilateral, PHOTOS, BOTH),
    Program("structural similarity", two, similarity, PHOTOS, FLOAT, loose=3),
    Program("9x9 box by running sums", pictures, box_filter, PHOTOS, FLOAT, loose=3),
    Program("cosines of blocks", lambda n, h, w: (uniform(n, h, w), normal(8, 8)), cosine_blocks,
            ((4, 256, 256), (1, 512, 384), (3, 176, 232)), FLOAT),
    Program("colours of a mosaic", pictures, demosaic, ((4, 256, 256), (1, 512, 384), (3, 178, 234)), FLOAT),
    Program("gradients by angle", pictures, gradients_by_angle, ((2, 130, 130), (1, 258, 194), (3, 90, 74)),
            FLOAT,
            loose=30),
    Program("level of a pyramid", pictures, laplacian_level, ((4, 256, 256), (1, 512, 384), (3, 178, 234)),
            FLOAT),
    Program("guided filter", two, guided, PHOTOS, FLOAT, loose=3),
    Program("opened by 5x5", pictures, opened, PHOTOS, FLOAT),
    Program("lightness", lambda n, h, w: (uniform(n, 3, h, w),), lightness, PHOTOS, FLOAT),
    Program("pictures warped", lambda n, h, w: (uniform(n, h, w), uniform(n, 2, 3)), warped, PHOTOS, FLOAT,
            loose=10),
    Program("inequality of rows", lambda n, k: (uniform(n, k),), inequality, SERIES, FLOAT, loose=3),
    Program("correlation of ranks", lambda n, k: (normal(n, k), normal(n, k)), rank_correlation, SERIES,
            FLOAT,
            loose=3),
    Program("spread of means drawn", lambda n, k: (normal(k), below(k, n, k)), resampled,
            ((256, 4096), (1024, 512), (333, 1001)), FLOAT, loose=3),
    Program("density at places", lambda n, m: (normal(n), normal(m)), density, ((1024, 1024), (4096, 256),
            (777, 1001)),
            FLOAT, loose=2),
    Program("autocorrelation, 16 lags", lambda n, k: (normal(n, k),), autocorrelation, SERIES, FLOAT,
            loose=2),
    Program("score of the last 32", lambda n, k: (normal(n, k),), rolling_score, SERIES, FLOAT, loose=10),
    Program("analysis of variance", lambda n, k: (normal(n, k), below(10, n)), analysis_of_variance,
            ((8192, 64), (1024, 512), (3333, 33)), FLOAT, loose=3),
    Program("mutual information", lambda n, k: (uniform(n, k, k),), mutual_information,
            ((64, 64), (512, 16), (33, 99)), FLOAT, loose=3),
    Program("step of a factorisation", lambda n, m, r: (uniform(n, m), uniform(n, r), uniform(r, m)), factors,
            ((1024, 1024, 16), (256, 2048, 32), (777, 333, 11)), FLOAT, grows=4, loose=3),
    Program("best way through states", lambda n, s: (normal(n, 8, s), normal(s, s)), viterbi,
            ((64, 64), (256, 24), (33, 77)), FLOAT),
    Program("sum over all ways", lambda n, s: (normal(n, 8, s), normal(s, s)), field_of_labels,
            ((64, 64), (256, 24), (33, 77)), FLOAT),
    Program("calibration in bins", lambda n: (uniform(n), uniform(n)), error_by_bin,
            ((1 << 17,), (1 << 14,), (99_999,)), FLOAT, loose=3),
    Program("step of chains", lambda n, k: (normal(n, k), normal(n, k), uniform(n)), steps_of_chains,
            ((65536, 8), (4096, 64), (33333, 11)), FLOAT),
    Program("weighed normal equations", lambda n, k: (normal(n, k), normal(k, scale=k**-0.5)), ratings,
            ((16384, 64), (4096, 256), (9999, 33)), FLOAT, loose=3),
    Program("farthest points", lambda n, k: (normal(n, k, 3),), farthest, ((32, 2048), (256, 256), (7,
            3333)), FLOAT),
    Program("chamfer distance", lambda n, k: (normal(n, k, 3), normal(n, k, 3)), chamfer,
            ((4, 512), (64, 128), (3, 777)), FLOAT, loose=3),
    Program("distances along rows", lambda n, h, w: (uniform(n, h, w),), distance_transform,
            ((4, 96, 96), (1, 256, 128), (3, 77, 99)), FLOAT),
)  # fmt: skip
