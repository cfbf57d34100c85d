"""Functions of the library as they come: one call of each that no other family has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.sweep.families.vision import weight
from bench.sweep.program import Input, Program, below, mask, normal, ordered, uniform, whole

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")
INTEGERS = ("int64",)
ROWS = ((1024, 1024), (256, 4096), (333, 777))
LINE = ((1 << 20,), (1 << 14,), (100_003,))
PHOTOS = ((4, 64, 56), (8, 128, 28), (3, 33, 57))
MATRICES = ((64, 32), (8, 128), (33, 29))


def call(name: str, call: Callable[..., Any], sizes: Any = ROWS, *draw: Callable[..., Input],
         dtypes: tuple[str, ...] = FLOAT, **more: Any) -> Program:  # fmt: skip
    """A program of inputs that all have the size for their shape."""
    kinds = draw or (normal,)
    return Program(name, lambda *size: tuple(kind(*size) for kind in kinds), call, sizes, dtypes, **more)


def labels(*shape: int) -> Input:
    return below(1000, *shape)


def definite(t: Any, x: Any) -> Any:
    """A batch of matrices with positive eigenvalues."""
    return x @ x.mT / x.shape[-1] + t.eye(x.shape[-1], dtype=x.dtype, device=x.device)


def spread_out(t: Any, x: Any) -> Any:
    """A batch of matrices that no pivot is near zero of."""
    return x + 2.0 * x.shape[-1] ** 0.5 * t.eye(x.shape[-1], dtype=x.dtype, device=x.device)


PROGRAMS = (
    call("logarithm of a running sum of exponents", lambda t, x: x.logcumsumexp(1)),
    call("running maximum with places", lambda t, x: x.cummax(1)),
    call("running product", lambda t, x: (x * 0.01 + 1).cumprod(1), loose=2),
    call("differences", lambda t, x: x.diff(dim=1), dtypes=BOTH),
    call("trapezoids", lambda t, x: t.trapezoid(x, dim=1), loose=3),
    call("correlation matrix", lambda t, x: t.corrcoef(x), ((256, 2048), (64, 8192), (133, 1001)), grows=2,
         loose=3),
    call("distances of all pairs", lambda t, x: t.pdist(x), ((512, 32), (1024, 3), (333, 17)), grows=4,
         loose=3),
    call("sums of differences of all", lambda t, x, y: t.cdist(x, y, p=1.0), ((512, 32), (1024, 8), (333,
         17)),
         normal, normal, grows=4, loose=3),
    call("cosines of rows", lambda t, x, y: t.cosine_similarity(x, y), ROWS, normal, normal, dtypes=BOTH),
    call("distances of rows", lambda t, x, y: t.pairwise_distance(x, y), ROWS, normal, normal, loose=2),
    call("rows normalised", lambda t, x: t.normalize(x, dim=1), dtypes=BOTH),
    call("cross products", lambda t, x, y: t.cross(x, y, dim=1), ((1 << 18, 3), (4096, 3), (99_999, 3)),
         normal,
         normal),
    call("hypotenuses", lambda t, x, y: t.hypot(x, y), LINE, normal, normal),
    call("angles", lambda t, x, y: t.atan2(x, y), LINE, normal, normal),
    call("sum of exponents of two", lambda t, x, y: t.logaddexp(x, y), LINE, normal, normal),
    call("remainders", lambda t, x, y: t.remainder(x, y), LINE, normal, uniform, loose=1e3),
    call("signs copied", lambda t, x, y: t.copysign(x, y), LINE, normal, normal),
    call("between two", lambda t, x, y, w: t.lerp(x, y, w), LINE, normal, normal, uniform),
    call("logits", lambda t, x: t.logit(x, 1e-6), LINE, uniform),
    call("sinc", lambda t, x: t.sinc(x), LINE),
    call("tangent and arcs", lambda t, x: t.tan(x).atan() + t.asin(x.clamp(-1, 1)), LINE, loose=2),
    call("hyperbolic", lambda t, x: t.cosh(x) - t.sinh(x) + t.asinh(x), LINE, loose=2),
    call("log and exp near one", lambda t, x: t.log1p(t.expm1(x).abs()), LINE),
    call("NaN and infinity replaced", lambda t, x: t.nan_to_num(x / x.round()), LINE),
    call("rounded", lambda t, x: (x * 10).round() + x.trunc() + x.frac(), LINE, dtypes=BOTH),
    call("parts of a float", lambda t, x: t.frexp(x), LINE),
    call("x log y", lambda t, x, y: t.xlogy(x, y), LINE, normal, uniform),
    call("quarter turn", lambda t, x: t.rot90(x, 1, (1, 2)), ((16, 256, 256), (64, 64, 64), (7, 133, 177))),
    call("tiled twice", lambda t, x: x.repeat(2, 3), ((512, 512), (64, 4096), (333, 257)), dtypes=BOTH),
    call("columns swapped by place", lambda t, x: x[:, t.arange(x.shape[1] - 1, -1, -1, device=x.device)]),
    call("taken along rows", lambda t, x, i: t.take_along_dim(x, i, 1), ROWS, normal, lambda n, k: below(k,
         n, k)),
    call("interleaved", lambda t, x, y: t.stack((x, y), -1).flatten(-2), LINE, normal, normal, dtypes=BOTH),
    call("every third", lambda t, x: x[::3].contiguous() * 2, ((1 << 21,), (1 << 15,), (300_007,))),
    call("lower triangle, weighed", lambda t, x, y: t.tril(x) @ y, ((512, 512), (256, 256), (333, 333)),
         normal, normal, grows=1, loose=2),
    call("smallest but nine", lambda t, x: t.kthvalue(x, 10, 1), ((512, 1024), (64, 8192), (133, 777))),
    call("mean without NaN", lambda t, x: t.nanmean(x.log(), 1), loose=3),
    call("sum without NaN", lambda t, x: t.nansum(x.sqrt(), 1), loose=3),
    call("quantiles", lambda t, x: t.quantile(x, 0.9, dim=1), ((512, 1024), (64, 8192), (133, 777))),
    call("spread and mean of all", lambda t, x: t.var_mean(x), loose=3),
    call("products of rows", lambda t, x: (x * 0.01 + 1).prod(1), loose=3),
    call("nonzero of each row", lambda t, x: t.count_nonzero(x > 0.5, dim=1)),
    call("any and all of rows", lambda t, x: (t.any(x, 1), t.all(x, 1)), ROWS, mask),
    call("are they in it", lambda t, x, y: t.isin(x, y[:64]), LINE, labels, labels, dtypes=INTEGERS),
    call("bins of values", lambda t, x, e: t.bucketize(x, e[:100].cumsum(0) * 0.02 - 1), LINE, normal,
         uniform),
    call("repeated by columns", lambda t, x: t.repeat_interleave(x, 3, 1), ((512, 512), (64, 4096), (333,
         257))),
    call("rows of a table by segment", lambda t, x, i: t.zeros_like(x).index_add(0, i, x), ((8192, 64),
         (1024, 512),
         (3333, 33)), normal, lambda n, k: ordered(n, n), loose=3),
    call("rows put in place", lambda t, x, y: t.index_copy(x, 0, t.arange(0, x.shape[0], 2, device=x.device),
         y[: (x.shape[0] + 1) // 2]), ROWS, normal, normal),
    call("masked by another", lambda t, x, m: x.masked_fill(m, 0.0).sum(1), ROWS, normal, mask, dtypes=BOTH,
         loose=3),
    call("local response norm", lambda t, x: t.local_response_norm(x, 5), ((4, 64, 28, 28), (8, 32, 14, 14),
         (3, 33, 29, 29))),
    call("adaptive pool to 7", lambda t, x: t.adaptive_avg_pool2d(x, 7), ((4, 64, 56, 56), (8, 128, 28, 28),
         (3, 33, 57, 57)), dtypes=BOTH),
    call("largest of areas", lambda t, x: t.adaptive_max_pool2d(x, 5), ((4, 64, 56, 56), (8, 128, 28, 28),
         (3, 33, 57, 57))),
    call("instance norm of series", lambda t, x: t.instance_norm(x), ((16, 64, 512), (4, 128, 1024), (3, 33,
         701)),
         loose=3),
    Program("parametric ReLU", lambda n, c, s: (normal(n, c, s, s), normal(c)), lambda t, x, w: t.prelu(x,
            w), PHOTOS,
            BOTH),
    Program("grouped transposed convolution", lambda n, c, s: (normal(n, c, s // 2, s // 2), weight(c, 1, 4)),
            lambda t, x, w: t.conv_transpose2d(x, w, stride=2, padding=1, groups=x.shape[1]), PHOTOS, FLOAT),
    Program("volume 3x3x3", lambda n, c, s: (normal(n, c, s, s, s), normal(c, c, 3, 3, 3,
            scale=(27 * c) ** -0.5)),
            lambda t, x, w: t.conv3d(x, w, padding=1), ((1, 16, 24), (2, 32, 12), (1, 9, 21)), FLOAT,
            grows=4, loose=2),
    Program("long filter of a wave", lambda n, s, k: (normal(n, 1, s), normal(1, 1, k, scale=k**-0.5)),
            lambda t, x, w: t.conv1d(x, w), ((4, 16000, 64), (1, 65536, 129), (3, 9999, 33)), FLOAT, loose=2),
    Program("dilated conv1d", lambda n, c, s: (normal(n, c, s), normal(c, c, 3, scale=(3 * c) ** -0.5)),
            lambda t, x, w: t.conv1d(x, w, dilation=4, padding=4), ((4, 64, 1024), (2, 128, 512), (3, 33,
            1301)), BOTH),
    Program("pools of volumes", lambda n, c, s: (normal(n, c, s, s, s),), lambda t, x: t.avg_pool3d(x, 2),
            ((1, 32, 32), (4, 16, 16), (1, 17, 26)), FLOAT),
    Program("trilinear, twice as large", lambda n, c, s: (normal(n, c, s, s, s),),
            lambda t, x: t.interpolate(x, scale_factor=2.0, mode="trilinear"), ((1, 16, 24), (2, 8, 16), (1,
            5, 21)),
            FLOAT),
    Program("loss of several margins", lambda n, k: (normal(n, k), below(k, n)),
            lambda t, x, y: t.multi_margin_loss(x, y), ROWS, FLOAT),
    Program("divergence of two", lambda n, k: (normal(n, k), normal(n, k)),
            lambda t, x, y: t.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"), ROWS, BOTH,
            loose=3),
    Program("bilinear layer", lambda n, k, m: (normal(n, k), normal(n, k), normal(m, k, k, scale=1 / k)),
            lambda t, x, y, w: t.bilinear(x, y, w), ((256, 32, 64), (64, 64, 32), (99, 17, 33)), FLOAT,
            grows=4,
            loose=2),
    Program("Cholesky", lambda b, n: (normal(b, n, n),), lambda t, x: t.linalg.cholesky(definite(t, x)),
            MATRICES,
            FLOAT, grows=4, loose=3),
    Program("systems solved", lambda b, n: (normal(b, n, n), normal(b, n, 4)),
            lambda t, x, y: t.linalg.solve(spread_out(t, x), y), MATRICES, FLOAT, grows=4, loose=5),
    Program("determinants", lambda b, n: (normal(b, n, n),),
            lambda t, x: t.linalg.slogdet(spread_out(t, x))[1], MATRICES, FLOAT, grows=4, loose=5),
    Program("triangles solved", lambda b, n: (normal(b, n, n), normal(b, n, 4)),
            lambda t, x, y: t.linalg.solve_triangular(spread_out(t, x).tril(), y, upper=False), MATRICES,
            FLOAT,
            grows=4, loose=5),
    Program("squares, orthogonal and triangular", lambda b, n: (normal(b, n, n),),
            lambda t, x: t.linalg.qr(spread_out(t, x))[1].abs(), ((16, 24), (4, 48), (9, 17)), FLOAT,
            grows=4, loose=5),
    Program("exponents of matrices", lambda b, n: (normal(b, n, n, scale=0.3 * n**-0.5),),
            lambda t, x: t.matrix_exp(x), MATRICES, FLOAT, grows=4, loose=3),
    Program("integers halved, rounded", lambda n: (whole(1000, n),), lambda t, x: (x + 1) // 2 * 3 % 7, LINE,
            ("int32", "int16")),
)  # fmt: skip
