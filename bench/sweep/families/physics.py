"""Fields and bodies: stencils, particles, rays, frames, quadrature."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, even, mask, normal, uniform

FLOAT = ("float32",)
BOTH = ("float32", "float16")
GRIDS = ((1024, 1024), (256, 2048), (777, 1001))


def heat(t: Any, u: Any) -> Any:
    inner = u[1:-1, 1:-1]
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    return inner + 0.1 * (around - 4.0 * inner)


def heat_around(t: Any, u: Any) -> Any:
    """The same on a torus."""
    return u + 0.1 * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1) - 4.0 * u)


def gray_scott(t: Any, u: Any, v: Any) -> Any:
    def spread(x: Any) -> Any:
        return x.roll(1, 0) + x.roll(-1, 0) + x.roll(1, 1) + x.roll(-1, 1) - 4.0 * x

    both = u * v * v
    return u + 0.16 * spread(u) - both + 0.035 * (1 - u), v + 0.08 * spread(v) + both - 0.1 * v


def wave(t: Any, now: Any, before: Any) -> Any:
    p = t.pad(now, (1, 1, 1, 1))
    around = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4.0 * now
    return 2.0 * now - before + 0.2 * around


def life(t: Any, alive: Any) -> Any:
    x = alive.to(t.int32)
    rows = x.roll(1, 0) + x + x.roll(-1, 0)
    around = rows.roll(1, 1) + rows + rows.roll(-1, 1) - x
    return (around == 3) | (alive & (around == 2))


def gravity(t: Any, place: Any, mass: Any) -> Any:
    away = place.unsqueeze(0) - place.unsqueeze(1)
    near = away.square().sum(-1) + 0.01
    return (away * (mass * near**-1.5).unsqueeze(-1)).sum(1)


def lennard_jones(t: Any, place: Any) -> Any:
    away = place.unsqueeze(0) - place.unsqueeze(1)
    near = away.square().sum(-1) + 1.0
    six = near**-3
    return (six * six - six).sum()


def divergence(t: Any, u: Any, v: Any) -> Any:
    return 0.5 * (u[1:-1, 2:] - u[1:-1, :-2] + v[2:, 1:-1] - v[:-2, 1:-1])


def advect(t: Any, field: Any, u: Any, v: Any) -> Any:
    """Semi-Lagrangian, the nearest cell."""
    h, w = field.shape
    rows = t.arange(h, device=field.device).reshape(-1, 1)
    columns = t.arange(w, device=field.device).reshape(1, -1)
    y = (rows - v.round()).clamp(0, h - 1).to(t.int64)
    x = (columns - u.round()).clamp(0, w - 1).to(t.int64)
    return field[y, x]


def spheres(t: Any, origin: Any, towards: Any, centre: Any, radius: Any) -> Any:
    """The first of some spheres on each ray, and how far."""
    to = centre.unsqueeze(0) - origin.unsqueeze(1)
    along = (to * towards.unsqueeze(1)).sum(-1)
    inside = along.square() - to.square().sum(-1) + radius.square()
    far = t.where(inside > 0, along - inside.clamp(0.0).sqrt(), t.full_like(along, 1e6))
    far = t.where(far > 1e-3, far, t.full_like(along, 1e6))
    return far.amin(1), far.argmin(1)


def matrices_of(t: Any, q: Any) -> Any:
    """Unit quaternions to (n, 3, 3)."""
    q = q / q.square().sum(-1, keepdim=True).sqrt()
    w, x, y, z = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    rows = (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
            2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))  # fmt: skip
    return t.stack(rows, -1).reshape(-1, 3, 3)


def chain(t: Any, angle: Any, length: Any) -> Any:
    """Where the hands of planar arms are."""
    turned = angle.cumsum(1)
    return t.stack(((turned.cos() * length).sum(1), (turned.sin() * length).sum(1)), 1)


def hits(t: Any, p: Any, a: Any, b: Any, c: Any) -> Any:
    """Areas and normals of triangles."""
    ab, ac = b - a, c - a
    n = t.cross(ab, ac, dim=-1)
    size = n.square().sum(-1, keepdim=True).sqrt()
    return n / (size + 1e-9), 0.5 * size * p


def particles(t: Any, place: Any, weight: Any) -> Any:
    """Mass on a grid of 64 x 64."""
    cell = (place.clamp(0.0, 0.999) * 64).to(t.int64)
    flat = cell[:, 0] * 64 + cell[:, 1]
    return t.zeros_like(weight[:4096]).index_add(0, flat, weight)


def ensemble(t: Any, x: Any, y: Any) -> Any:
    """Scores of an ensemble of forecasts (CRPS)."""
    error = (x - y.unsqueeze(0)).abs().mean(0)
    spread = (x.unsqueeze(0) - x.unsqueeze(1)).abs().mean((0, 1))
    return error - 0.5 * spread


def mandelbrot(t: Any, re: Any, im: Any) -> Any:
    x, y, steps = re * 0.0, im * 0.0, re * 0.0
    for _ in range(12):
        x, y = (x * x - y * y + re).clamp(-4.0, 4.0), (2.0 * x * y + im).clamp(-4.0, 4.0)
        steps = steps + (x * x + y * y < 4.0).to(steps.dtype)
    return steps


def orbit(t: Any, x: Any, y: Any, z: Any) -> Any:
    """Lorenz, eight steps."""
    for _ in range(8):
        x, y, z = x + 0.01 * 10 * (y - x), y + 0.01 * (x * (28.0 - z) - y), z + 0.01 * (x * y - 2.667 * z)
    return x, y, z


def payoff(t: Any, noise: Any) -> Any:
    """Asian options by random paths."""
    paths = 100.0 * (0.01 * noise - 0.00005).cumsum(1).exp()
    return (paths.mean(1) - 100.0).clamp(0.0).mean()


def black_scholes(t: Any, s: Any, k: Any, v: Any) -> Any:
    k, v = k + 0.5, v + 0.1
    d = ((s + 0.5) / k).log() / v + 0.5 * v
    return (s + 0.5) * 0.5 * (1 + t.erf(d * 0.7071)) - k * 0.5 * (1 + t.erf((d - v) * 0.7071))


def smoothed(t: Any, x: Any, keep: Any) -> Any:
    """Low frequencies of pictures, by a filter there."""
    return t.fft.irfft2(t.fft.rfft2(x) * keep)


def poisson(t: Any, x: Any, inverse: Any) -> Any:
    """The potential of a charge in a periodic box."""
    return t.fft.ifftn(t.fft.fftn(x, dim=(1, 2, 3)) * inverse, dim=(1, 2, 3)).real


PROGRAMS = (
    Program("heat, inner cells", lambda h, w: (normal(h, w),), heat, GRIDS, BOTH),
    Program("heat on a torus", lambda h, w: (normal(h, w),), heat_around, GRIDS, BOTH),
    Program("reaction and diffusion", lambda h, w: (uniform(h, w), uniform(h, w)), gray_scott, GRIDS, FLOAT),
    Program("wave, closed ends", lambda h, w: (normal(h, w), normal(h, w)), wave, GRIDS, BOTH),
    Program("game of life", lambda h, w: (mask(h, w),), life, GRIDS, FLOAT),
    Program("divergence", lambda h, w: (normal(h, w), normal(h, w)), divergence, GRIDS, FLOAT),
    Program("carried by a flow", lambda h, w: (normal(h, w), normal(h, w), normal(h, w)), advect, GRIDS,
            FLOAT),
    Program("pull of all on all", lambda n: (normal(n, 3), uniform(n)), gravity,
            ((1024,), (512,), (777,)), FLOAT, grows=4),
    Program("energy of all pairs", lambda n: (normal(n, 3, scale=3.0),), lennard_jones,
            ((1024,), (512,), (777,)), FLOAT, grows=4, loose=3),
    Program("rays and spheres", lambda n, k: (normal(n, 3), normal(n, 3), normal(k, 3), uniform(k)), spheres,
            ((16384, 32), (4096, 128), (10007, 33)), FLOAT, loose=5),
    Program("matrices of quaternions", lambda n: (normal(n, 4),), matrices_of,
            ((65536,), (16384,), (100003,)), FLOAT),
    Program("hands of planar arms", lambda n, k: (normal(n, k), uniform(k)), chain,
            ((65536, 8), (16384, 32), (10007, 7)), FLOAT),
    Program("areas and normals of triangles", lambda n: (uniform(n, 1), normal(n, 3), normal(n, 3),
            normal(n, 3)), hits, ((65536,), (262144,), (100003,)), FLOAT),
    Program("mass on a grid", lambda n: (uniform(n, 2), uniform(n)), particles,
            ((65536,), (262144,), (100003,)), FLOAT, loose=3),
    Program("scores of an ensemble", lambda n, k: (normal(k, n), normal(n)), ensemble,
            ((16384, 16), (4096, 32), (10007, 9)), FLOAT),
    Program("Mandelbrot, 12 steps", lambda h, w: (normal(h, w), normal(h, w)), mandelbrot, GRIDS, FLOAT,
            loose=40),
    Program("Lorenz, 8 steps", lambda n: (normal(n), normal(n), normal(n)), orbit,
            ((1 << 18,), (1 << 16,), (100003,)), FLOAT),
    Program("Asian options", lambda n, k: (normal(n, k),), payoff,
            ((8192, 128), (65536, 16), (5001, 252)), FLOAT, loose=3),
    Program("Black and Scholes", lambda n: (uniform(n), uniform(n), uniform(n)), black_scholes,
            ((1 << 20,), (1 << 16,), (300007,)), FLOAT),
    Program("two-dimensional spectrum", lambda n, s: (normal(n, s, s),),
            lambda t, x: t.fft.rfft2(x).abs(), ((16, 256), (64, 64), (7, 120)), FLOAT),
    Program("filter by transforms", lambda n, s: (normal(n, s, s), even(s, s // 2 + 1)), smoothed,
            ((16, 256), (64, 64), (7, 120)), FLOAT),
    Program("potential in a periodic box", lambda n, s: (normal(n, s, s, s), uniform(s, s, s)), poisson,
            ((2, 64), (16, 32), (3, 40)), FLOAT),
    Program("nearest cells by number", lambda n, k: (normal(k, 4), below(k, n), below(k, n)),
            lambda t, x, a, b: (x[a] - x[b]).square().sum(1),
            ((262144, 4096), (65536, 1024), (100003, 777)), FLOAT),
)  # fmt: skip
