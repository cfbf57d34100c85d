"""What other families leave out: integers, masks, complex numbers, float64, strides, many axes."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, mask, normal, ordered, uniform, whole

PLANES = ((1024, 1024), (4096, 64), (777, 1001))
LINE = ((1 << 20,), (1 << 14,), (100_003,))
SPACES = ((64, 128, 128), (8, 32, 1024), (17, 65, 129))
SERIES = ((64, 4096), (512, 512), (77, 1001))
ROWS = ((512, 512), (16, 8192), (77, 333))
COLUMNS = ((512, 512), (8192, 16), (333, 77))
MANY_SMALL = ((4096, 3), (1024, 8), (333, 5))
PHOTOS = ((4, 16, 64), (1, 3, 256), (3, 5, 57))
FLOAT = ("float32",)
DOUBLE = ("float64",)
COMPLEX = ("complex64",)
INTEGERS = ("int32", "int64")


def one(*shape: int) -> Any:
    return (normal(*shape),)


def numbers(*shape: int) -> Any:
    return (whole(100, *shape),)


def masks(*shape: int) -> Any:
    return mask(*shape), mask(*shape)


def bits_set(t: Any, x: Any) -> Any:
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * 0x01010101 >> 24) & 0xFF


def hashed(t: Any, x: Any) -> Any:
    x = (x ^ 61) ^ (x >> 16)
    x = x + (x << 3)
    x = (x ^ (x >> 4)) * 0x27D4EB2D
    return x ^ (x >> 15)


def halved(t: Any, x: Any) -> Any:
    """Pictures of bytes, half as large."""
    x = x.to(t.int32)
    x = x[:, ::2, ::2] + x[:, 1::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, 1::2]
    return ((x + 2) >> 2).to(t.uint8)


def turned(t: Any, x: Any, angle: Any) -> Any:
    """Rotary positions in complex numbers."""
    pairs = t.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return t.view_as_real(pairs * t.polar(t.ones_like(angle), angle)).reshape(x.shape)


def definite(t: Any, x: Any) -> Any:
    n = x.shape[-1]
    return x @ x.mT + n * t.eye(n, device=x.device)


def stepwise(t: Any, x: Any) -> Any:
    outer = t.where(x < 1, x * x, x * 0 + 1)
    return t.where(x < -1, x * 0 - 1, t.where(x < 0, x * 0.5, outer))


def masked_deviation(t: Any, x: Any, m: Any) -> Any:
    count = m.sum(1, keepdim=True)
    mean = t.where(m, x, 0.0).sum(1, keepdim=True) / count
    return (t.where(m, x - mean, 0.0).square().sum(1) / count[:, 0]).sqrt()


def by_blocks(t: Any, x: Any, w: Any) -> Any:
    n, (k, b, _) = x.shape[0], w.shape
    return t.einsum("nkb,kbc->nkc", x.reshape(n, k, b), w).reshape(n, k * b)


PROGRAMS = (
    Program("floor of a quotient", numbers, lambda t, x: x // 7 + x % 7, LINE, ("uint8", *INTEGERS)),
    Program("common divisors", lambda n: (whole(100, n), whole(90, n)), lambda t, x, y: t.gcd(x, y), LINE,
            INTEGERS),
    Program("bits that are set", lambda n: (whole(1 << 30, n),), bits_set, LINE, INTEGERS),
    Program("hash of numbers", lambda n: (whole(1 << 30, n),), hashed, LINE, INTEGERS),
    Program("product of numbers", lambda n, k: (whole(5, n, k), whole(5, k, 128)), lambda t, x, y: x @ y,
            ((512, 256), (64, 1024), (255, 177)), INTEGERS),
    Program("sum of numbers by columns", numbers, lambda t, x: x.sum(0), PLANES, ("int8", "int16", "int64")),
    Program("bytes above a threshold", lambda *s: (whole(200, *s),), lambda t, x: (x > 100).sum(1), PLANES,
            ("uint8",)),
    Program("pictures of bytes, halved", lambda n, s: (whole(200, n, s, s),), halved,
            ((4, 256), (64, 64), (5, 78)), ("uint8",)),
    Program("logic of masks", masks, lambda t, x, y: (x & ~y) | (y ^ x), PLANES, ("bool",)),
    Program("all of a mask's columns", masks, lambda t, x, y: (x | y).all(0), PLANES, ("bool",)),
    Program("running sum of numbers", numbers, lambda t, x: x.cumsum(1), SPACES, INTEGERS),
    Program("running minimum of both", one, lambda t, x: tuple(x.cummin(0)), PLANES, FLOAT),
    Program("sigmoid in float64", lambda n: (normal(n), normal(n)), lambda t, x, y: (x * y + x).sigmoid(),
            LINE, DOUBLE),
    Program("product in float64", lambda n, k: (normal(n, k), normal(k, 128)), lambda t, x, y: x @ y,
            ((512, 256), (64, 1024), (255, 177)), DOUBLE),
    Program("quotient of complex numbers", lambda n: (normal(n), normal(n)), lambda t, x, y: x / y, LINE,
            COMPLEX, loose=30),
    Program("size and angle", one, lambda t, x: x.abs() + t.angle(x), LINE, COMPLEX),
    Program("product of complex numbers", lambda n, k: (normal(n, k), normal(k, 128)), lambda t, x, y: x @ y,
            ((256, 256), (64, 512), (155, 177)), COMPLEX),
    Program("rotary positions, complex", lambda b, h, s, d: (normal(b, h, s, d), normal(s, d // 2)), turned,
            ((4, 8, 256, 64), (1, 32, 128, 128), (3, 7, 77, 66)), FLOAT),
    Program("inverse of erf", lambda n: (uniform(n),), lambda t, x: t.erfinv(x * 0.9), LINE, FLOAT),
    Program("logarithm of gamma", lambda n: (uniform(n),), lambda t, x: t.lgamma(x + 1), LINE, FLOAT,
            loose=10),
    Program("choices in a chain", one, stepwise, LINE, ("float32", "float64")),
    Program("deviation under a mask", lambda *s: (normal(*s), mask(*s)), masked_deviation, PLANES, FLOAT),
    Program("even less odd columns", one, lambda t, x: x[:, : x.shape[1] // 2 * 2 : 2] - x[:, 1::2], PLANES,
            FLOAT),
    Program("second difference of rows", one, lambda t, x: x.diff(2, 0), PLANES, FLOAT),
    Program("axes in reverse", one, lambda t, x: x.permute(2, 1, 0).contiguous(), SPACES, FLOAT),
    Program("six axes in another order", one, lambda t, x: x.permute(0, 2, 4, 1, 3, 5).contiguous(),
            ((8, 8, 8, 8, 16, 16), (4, 4, 4, 4, 4, 4), (3, 5, 7, 9, 11, 5)), FLOAT),
    Program("largest of sliding windows", one, lambda t, x: x.unfold(1, 32, 1).amax(-1), SERIES, FLOAT),
    Program("diagonals", one, lambda t, x: t.diag_embed(x), ((64, 128), (2048, 16), (77, 65)), FLOAT),
    Program("roll of three axes", one, lambda t, x: x.roll((1, 2, 3), (0, 1, 2)) - x, SPACES, FLOAT),
    Program("sums at places by columns", lambda r, c: (normal(r, c), below(r, r, c)),
            lambda t, x, i: t.zeros_like(x).scatter_add(0, i, x), PLANES, FLOAT, loose=3),
    Program("rows set to zero", lambda r, c: (normal(r, c), below(r, r)),
            lambda t, x, i: t.index_put(x, (i,), t.zeros_like(x[:1])), PLANES, FLOAT),
    Program("bytes gathered", lambda r, c: (whole(9, r, c), below(c, r, c)), lambda t, x, i: x.gather(1, i),
            PLANES, ("int8",)),
    Program("order of columns", one, lambda t, x: x.sort(0)[0], COLUMNS, ("float32", "float64")),
    Program("order of numbers", numbers, lambda t, x: x.sort(1)[0], ROWS, ("int8", "int64")),
    Program("best five of columns", one, lambda t, x: x.topk(5, 0)[0], COLUMNS, FLOAT),
    Program("third quantile of columns", one, lambda t, x: t.quantile(x, 0.3, 0), COLUMNS, FLOAT),
    Program("most common of rows", lambda *s: (whole(20, *s),), lambda t, x: t.mode(x, 1)[0], ROWS,
            ("int64",)),
    Program("distances by the largest", lambda n, m, d: (normal(n, d), normal(m, d)),
            lambda t, x, y: t.cdist(x, y, float("inf")), ((512, 512, 32), (64, 4096, 3), (333, 77, 17)),
            FLOAT),
    Program("places of numbers", lambda n: (ordered(100_000, 4096), below(100_000, n)),
            lambda t, edges, x: t.searchsorted(edges, x), LINE, FLOAT),
    Program("inverses of small matrices", lambda b, n: (normal(b, n, n),),
            lambda t, x: t.linalg.inv(definite(t, x)), MANY_SMALL, FLOAT, loose=10),
    Program("fifth power of matrices", lambda b, n: (normal(b, n, n, scale=0.1),),
            lambda t, x: t.linalg.matrix_power(x, 5), ((64, 32), (1, 256), (33, 17)), FLOAT),
    Program("blocks of a diagonal", lambda n, k, b: (normal(n, k * b), normal(k, b, b)), by_blocks,
            ((512, 16, 32), (64, 64, 16), (77, 11, 13)), FLOAT),
    Program("bicubic, twice as large", lambda n, c, s: (normal(n, c, s, s),),
            lambda t, x: t.interpolate(x, scale_factor=2, mode="bicubic"), PHOTOS, FLOAT),
    Program("power pool 3x3 by 2", lambda n, c, s: (uniform(n, c, s, s),),
            lambda t, x: t.lp_pool2d(x, 2, 3, 2), PHOTOS, FLOAT),
    Program("closed in three directions", lambda n, c, s: (normal(n, c, s, s, s),),
            lambda t, x: t.pad(x, (2, 1, 1, 2, 2, 2), mode="circular"), ((2, 8, 32), (1, 2, 64), (3, 5, 17)),
            FLOAT),
)  # fmt: skip
