"""Products of matrices in the shapes of layers: square, thin, batched, turned, with epilogues, int8."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, normal, small_bytes

SQUARE = ((512, 512, 512), (1024, 256, 1024), (333, 777, 129))
HALF = ("float32", "bfloat16")


def factors(m: int, k: int, n: int) -> Any:
    return normal(m, k), normal(k, n, scale=0.05)


def with_bias(m: int, k: int, n: int) -> Any:
    return (*factors(m, k, n), normal(n))


def low_rank(t: Any, x: Any, w: Any, a: Any, b: Any) -> Any:
    """A linear layer with a low-rank adapter."""
    return x @ w + (x @ a) @ b * 0.5


def three_layers(t: Any, x: Any, a: Any, b: Any, c: Any) -> Any:
    return (((x @ a).relu() @ b).relu()) @ c


def int8_product(t: Any, a: Any, b: Any) -> Any:
    return a.matmul(b, dtype="int32")


def int8_scaled(t: Any, a: Any, b: Any, scale: Any) -> Any:
    return a.matmul(b, dtype="int32").float() * scale


def int8_weights(t: Any, x: Any, w: Any, scale: Any) -> Any:
    """Weights in bytes, values in floats."""
    return x @ (w.type_as(x) * scale)


PROGRAMS = (
    Program("product", factors, lambda t, a, b: a @ b, SQUARE, ("float32", "bfloat16", "float16"), grows=8),
    Program("product, left turned", lambda m, k, n: (normal(k, m), normal(k, n)),
            lambda t, a, b: a.mT @ b, SQUARE, HALF, grows=8),
    Program("product, right turned", lambda m, k, n: (normal(m, k), normal(n, k)),
            lambda t, a, b: a @ b.mT, SQUARE, HALF, grows=8),
    Program("product, bias, ReLU", with_bias, lambda t, x, w, b: (x @ w + b).relu(), SQUARE, HALF, grows=8),
    Program("product, bias, GELU", with_bias, lambda t, x, w, b: t.gelu(x @ w + b), SQUARE, HALF, grows=8),
    Program("product plus residual", lambda m, k, n: (*factors(m, k, n), normal(m, n)),
            lambda t, x, w, r: r + x @ w, SQUARE, HALF, grows=8),
    Program("product, then softmax", factors, lambda t, x, w: (x @ w).softmax(-1),
            ((1024, 256, 1000), (4096, 64, 64), (777, 129, 333)), HALF, grows=8),
    Program("product, then top 8", factors, lambda t, x, w: (x @ w).topk(8).values,
            ((512, 256, 1000), (2048, 64, 64), (777, 129, 333)), ("float32",), grows=8),
    Program("product, then sum of rows", factors, lambda t, x, w: (x @ w).relu().sum(1),
            ((1024, 256, 1000), (4096, 64, 64), (777, 129, 333)), HALF, grows=8),
    Program("one row by a matrix", lambda n, k: (normal(1, k), normal(k, n)), lambda t, x, w: x @ w,
            ((4096, 4096), (11008, 1024), (3333, 1777)), HALF, grows=1),
    Program("one row by a turned matrix", lambda n, k: (normal(1, k), normal(n, k)), lambda t, x, w: x @ w.mT,
            ((4096, 4096), (11008, 1024), (3333, 1777)), HALF, grows=1),
    Program("matrix times vector", lambda m, k: (normal(m, k), normal(k)), lambda t, a, v: a @ v,
            ((4096, 1024), (512, 8192), (3333, 777)), HALF, grows=4),
    Program("8 rows by a matrix", lambda n, k: (normal(8, k), normal(k, n)), lambda t, x, w: x @ w,
            ((4096, 1024), (1024, 4096), (3333, 1777)), HALF, grows=1),
    Program("narrow result", lambda m, k: (normal(m, k), normal(k, 10)), lambda t, x, w: x @ w,
            ((4096, 512), (1024, 2048), (3333, 777)), HALF, grows=8),
    Program("long sum", lambda k, m: (normal(k, m), normal(k, m)), lambda t, a, b: a.mT @ b,
            ((16384, 64), (65536, 16), (10007, 65)), HALF, grows=8),
    Program("small products, many", lambda b, n: (normal(b, n, n), normal(b, n, n)), lambda t, a, b: a @ b,
            ((64, 64), (2048, 8), (333, 27)), HALF),
    Program("matrices times vectors", lambda b, n: (normal(b, n, n), normal(b, n, 1)), lambda t, a, v: a @ v,
            ((64, 128), (4096, 16), (333, 65)), HALF),
    Program("outer products", lambda b, n: (normal(b, n, 1), normal(b, 1, n)), lambda t, a, b: a * b,
            ((64, 128), (1024, 32), (333, 65)), HALF),
    Program("bilinear form", lambda b, n: (normal(b, n), normal(n, n, scale=0.1), normal(b, n)),
            lambda t, x, w, y: ((x @ w) * y).sum(1), ((1024, 256), (4096, 64), (777, 129)), HALF, grows=8),
    Program("low-rank adapter",
            lambda m, d: (normal(m, d), normal(d, d, scale=0.05), normal(d, 16, scale=0.1), normal(16, d)),
            low_rank,
            ((256, 1024), (1024, 256), (333, 777)), HALF, grows=8),
    Program("three layers",
            lambda m, d: (normal(m, d), *(normal(d, d, scale=0.05) for _ in range(3))), three_layers,
            ((256, 512), (2048, 128), (333, 257)), HALF, grows=8),
    Program("Gram matrix of channels", lambda b, c, s: (normal(b, c, s),),
            lambda t, x: x @ x.mT / x.shape[2], ((8, 64, 784), (4, 256, 196), (3, 65, 333)), HALF),
    Program("einsum over heads", lambda b, h, s, d: (normal(b, s, h, d), normal(b, s, h, d)),
            lambda t, q, k: t.einsum("bqhd,bkhd->bhqk", q, k),
            ((2, 8, 256, 64), (1, 16, 128, 128), (3, 5, 77, 33)), HALF),
    Program("int8 product", lambda m, k, n: (small_bytes(m, k), small_bytes(k, n)), int8_product,
            ((512, 512, 512), (1024, 256, 1024), (333, 776, 136)), ("int8",), peer=lambda t, a,
            b: t.int_mm(a, b), grows=8),
    Program("int8 product, scaled",
            lambda m, k, n: (small_bytes(m, k), small_bytes(k, n), normal(n, wide=True)), int8_scaled,
            ((512, 512, 512), (1024, 256, 1024), (333, 776, 136)), ("int8",),
            peer=lambda t, a, b, s: t.int_mm(a, b).float() * s, grows=8),
    Program("weights in int8", lambda m, k, n: (normal(m, k), small_bytes(k, n), normal(n)), int8_weights,
            ((16, 1024, 1024), (128, 512, 2048), (33, 777, 129)), HALF, grows=8),
)  # fmt: skip
