"""Maps and movement: activations, chains of arithmetic, joins, turns, as they stand between other layers."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, mask, normal, uniform

GRID = ((2048, 1024), (512, 512), (1001, 777))
HALVES = ("float32", "bfloat16")
FLOAT = ("float32",)


def one(*shape: int) -> Any:
    return (normal(*shape),)


def two(*shape: int) -> Any:
    return normal(*shape), normal(*shape)


def chain(t: Any, x: Any, y: Any) -> Any:
    for _ in range(4):
        x = (x * y + 0.5).clamp(-3, 3)
    return x


def polynomial(t: Any, x: Any) -> Any:
    return ((((0.1 * x + 0.2) * x - 0.3) * x + 0.4) * x - 0.5) * x + 0.6


def wave(t: Any, x: Any) -> Any:
    return x.sin() * (2 * x).cos() + (-x.abs()).exp()


PROGRAMS = (
    Program("GELU", one, lambda t, x: t.gelu(x), GRID),
    Program("GELU by tanh", one, lambda t, x: t.gelu(x, approximate="tanh"), GRID),
    Program("SiLU", one, lambda t, x: t.silu(x), GRID),
    Program("Mish", one, lambda t, x: t.mish(x), GRID),
    Program("hard swish", one, lambda t, x: t.hardswish(x), GRID),
    Program("softplus", one, lambda t, x: t.softplus(x), GRID),
    Program("ELU", one, lambda t, x: t.elu(x), GRID),
    Program("gated linear unit", lambda n, d: (normal(n, 2 * d),), lambda t, x: t.glu(x, 1), GRID),
    Program("eight operations", two, chain, GRID),
    Program("polynomial", one, polynomial, GRID),
    Program("waves", one, wave, GRID),
    Program("power and root", lambda *s: (uniform(*s),), lambda t, x: (x + 0.1) ** 1.5 + x.sqrt(), GRID),
    Program("choice by a mask", lambda *s: (normal(*s), normal(*s), mask(*s)),
            lambda t, x, y, m: t.where(m, x, y * 0.5), GRID),
    Program("column plus row", lambda n, d: (normal(n, 1), normal(1, d)), lambda t, a, b: a + b, GRID),
    Program("join along columns", lambda n, d: (normal(n, d), normal(n, d), normal(n, 64)),
            lambda t, *a: t.cat(a, 1), GRID),
    Program("stack of two", two, lambda t, a, b: t.stack((a, b), 1), GRID),
    Program("transposed copy", one, lambda t, x: x.transpose(0, 1).contiguous(), GRID),
    Program("transposed sum", lambda n, d: (normal(n, d), normal(d, n)), lambda t, x, y: x + y.mT, GRID),
    Program("heads apart", lambda n, s, d: (normal(n, s, 8 * d),),
            lambda t, x: x.reshape(*x.shape[:2], 8, -1).permute(0, 2, 1, 3).contiguous(),
            ((8, 512, 64), (1, 2048, 128), (3, 333, 40))),
    Program("channels last", lambda n, c, h: (normal(n, c, h, h),),
            lambda t, x: x.permute(0, 2, 3, 1).contiguous(), ((8, 64, 56), (8, 256, 14), (3, 33, 57))),
    Program("roll", one, lambda t, x: x.roll(17, 1), GRID),
    Program("flip", one, lambda t, x: x.flip(1) * 1.0, GRID),
    Program("rows repeated", lambda n, d: (normal(n, d),), lambda t, x: x.repeat_interleave(4, 0),
            ((1024, 512), (4096, 64), (777, 129))),
    Program("upper triangle", lambda n, s: (normal(n, s, s),), lambda t, x: x.triu(1),
            ((8, 512), (64, 128), (7, 333))),
    Program("rows by number", lambda n, d: (normal(10000, d), below(10000, n)),
            lambda t, x, i: x.index_select(0, i), ((8192, 256), (32768, 32), (10007, 129))),
    Program("gather along rows", lambda n, d: (normal(n, d), below(d, n, 64)),
            lambda t, x, i: x.gather(1, i), ((4096, 256), (512, 2048), (1001, 777))),
    Program("half to float and back", one, lambda t, x: (x.float() * 1.5 + 0.5).type_as(x), GRID,
            ("bfloat16",)),
)  # fmt: skip
