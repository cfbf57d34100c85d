"""Steps of optimisers on one tensor of parameters, and what is done to gradients before."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, normal, uniform

SIZES = ((1024, 1024), (4096, 64), (1001, 777))
FLOAT = ("float32",)
RATE = 1e-2


def state(*kinds: Any) -> Any:
    """Parameters, gradients, and so many arrays beside."""
    return lambda n, d: (normal(n, d), normal(n, d, scale=0.1), *(kind(n, d) for kind in kinds))


def momentum(t: Any, p: Any, g: Any, m: Any) -> Any:
    m = 0.9 * m + g
    return p - RATE * m, m


def nesterov(t: Any, p: Any, g: Any, m: Any) -> Any:
    g = g + 1e-4 * p
    m = 0.9 * m + g
    return p - RATE * (g + 0.9 * m), m


def moments(g: Any, m: Any, v: Any) -> Any:
    return 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g.square()


def adam(t: Any, p: Any, g: Any, m: Any, v: Any) -> Any:
    m, v = moments(g, m, v)
    return p - RATE * (m / 0.5) / ((v / 0.1).sqrt() + 1e-8), m, v


def adamw(t: Any, p: Any, g: Any, m: Any, v: Any) -> Any:
    m, v = moments(g, m, v)
    return p * (1 - RATE * 0.01) - RATE * m / (v.sqrt() + 1e-3), m, v


def adamax(t: Any, p: Any, g: Any, m: Any, v: Any) -> Any:
    m, v = 0.9 * m + 0.1 * g, t.maximum(0.999 * v, g.abs())
    return p - RATE * m / (v + 1e-3), m, v


def adagrad(t: Any, p: Any, g: Any, v: Any) -> Any:
    v = v + g.square()
    return p - RATE * g / (v.sqrt() + 1e-3), v


def rmsprop(t: Any, p: Any, g: Any, v: Any) -> Any:
    v = 0.99 * v + 0.01 * g.square()
    return p - RATE * g / (v.sqrt() + 1e-3), v


def adadelta(t: Any, p: Any, g: Any, v: Any, u: Any) -> Any:
    v = 0.9 * v + 0.1 * g.square()
    step = (u + 1e-6).sqrt() / (v + 1e-6).sqrt() * g
    return p - step, v, 0.9 * u + 0.1 * step.square()


def lion(t: Any, p: Any, g: Any, m: Any) -> Any:
    return p - RATE * ((0.9 * m + 0.1 * g).sign() + 0.01 * p), 0.99 * m + 0.01 * g


def lamb(t: Any, p: Any, g: Any, m: Any, v: Any) -> Any:
    m, v = moments(g, m, v)
    step = m / (v.sqrt() + 1e-3) + 0.01 * p
    trust = p.square().sum().sqrt() / (step.square().sum().sqrt() + 1e-6)
    return p - RATE * trust * step, m, v


def lars(t: Any, p: Any, g: Any, m: Any) -> Any:
    trust = p.square().sum().sqrt() / (g.square().sum().sqrt() + 1e-4 * p.square().sum().sqrt() + 1e-6)
    m = 0.9 * m + trust * (g + 1e-4 * p)
    return p - RATE * m, m


def adafactor(t: Any, p: Any, g: Any, rows: Any, columns: Any) -> Any:
    """Second moments as a row and a column."""
    square = g.square() + 1e-6
    rows = 0.99 * rows + 0.01 * square.mean(1, keepdim=True)
    columns = 0.99 * columns + 0.01 * square.mean(0, keepdim=True)
    step = g * (rows / rows.mean()).rsqrt() * columns.rsqrt()
    step = step / (step.square().mean().sqrt()).clamp(1.0)
    return p - RATE * step, rows, columns


def clipped_by_norm(t: Any, *gradients: Any) -> Any:
    norm = sum(g.square().sum() for g in gradients).sqrt()
    scale = (1.0 / (norm + 1e-6)).clamp(max=1.0)
    return tuple(g * scale for g in gradients)


def unit_columns(t: Any, v: Any, g: Any) -> Any:
    """Weight normalisation."""
    return g * v / (v.square().sum(1, keepdim=True).sqrt() + 1e-6)


def spectral(t: Any, w: Any, u: Any) -> Any:
    v = w.mT @ u
    v = v / (v.square().sum().sqrt() + 1e-6)
    u = w @ v
    return w / (u.square().sum().sqrt() + 1e-6)


def muon(t: Any, g: Any) -> Any:
    """Two steps of Newton and Schulz towards the nearest orthogonal matrix."""
    x = g / (g.square().sum().sqrt() + 1e-6)
    for _ in range(2):
        a = x.mT @ x
        x = 3.4445 * x + x @ (-4.775 * a + 2.0315 * (a @ a))
    return x


def centralised(t: Any, p: Any, g: Any) -> Any:
    return p - RATE * (g - g.mean(1, keepdim=True))


PROGRAMS = (
    Program("SGD", state(), lambda t, p, g: p - RATE * g, SIZES),
    Program("momentum", state(normal), momentum, SIZES),
    Program("Nesterov", state(normal), nesterov, SIZES, FLOAT),
    Program("Adam", state(normal, uniform), adam, SIZES, FLOAT),
    Program("AdamW", state(normal, uniform), adamw, SIZES, FLOAT),
    Program("Adamax", state(normal, uniform), adamax, SIZES, FLOAT),
    Program("Adagrad", state(uniform), adagrad, SIZES, FLOAT),
    Program("RMSprop", state(uniform), rmsprop, SIZES, FLOAT),
    Program("Adadelta", state(uniform, uniform), adadelta, SIZES, FLOAT),
    Program("Lion", state(normal), lion, SIZES, FLOAT),
    Program("LAMB", state(normal, uniform), lamb, SIZES, FLOAT),
    Program("LARS", state(normal), lars, SIZES, FLOAT),
    Program("Adafactor", lambda n, d: (normal(n, d), normal(n, d), uniform(n, 1), uniform(1, d)), adafactor,
            SIZES, FLOAT),
    Program("gradients clipped by norm", lambda n, d: (normal(n, d), normal(n, d), normal(d)),
            clipped_by_norm, SIZES, FLOAT),
    Program("gradients clipped by value", lambda n, d: (normal(n, d),), lambda t, g: g.clamp(-0.5, 0.5),
            SIZES),
    Program("moving average of weights", lambda n, d: (normal(n, d), normal(n, d)),
            lambda t, a, p: a.lerp(p, 0.001), SIZES),
    Program("gradients centralised", state(), centralised, SIZES),
    Program("weight normalisation", lambda n, d: (normal(n, d), normal(n, 1)), unit_columns, SIZES),
    Program("spectral normalisation", lambda n, d: (normal(n, d), normal(n, 1)), spectral, SIZES, FLOAT),
    Program("Muon", lambda n, d: (normal(n, d),), muon, ((1024, 256), (512, 512), (777, 129)), FLOAT,
            grows=4),
)  # fmt: skip
