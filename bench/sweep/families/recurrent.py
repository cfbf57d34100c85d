"""Steps one after the other: recurrent networks, state spaces, filters, dynamics, control."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, normal, uniform

FLOAT = ("float32",)
BOTH = ("float32", "bfloat16")


def lstm_cell(t: Any, x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> Any:
    i, f, g, o = (x @ w + h @ u + b).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_cell(t: Any, x: Any, h: Any, w: Any, u: Any) -> Any:
    a, b = (x @ w).chunk(3, -1), (h @ u).chunk(3, -1)
    reset, update = (a[0] + b[0]).sigmoid(), (a[1] + b[1]).sigmoid()
    return (1 - update) * (a[2] + reset * b[2]).tanh() + update * h


def elman(t: Any, x: Any, h: Any, w: Any, u: Any) -> Any:
    """Eight steps."""
    for s in range(x.shape[1]):
        h = (x[:, s] @ w + h @ u).tanh()
    return h


def selective_step(t: Any, h: Any, x: Any, dt: Any, a: Any, b: Any, c: Any) -> Any:
    """Mamba's state of (rows, channels, states), one step."""
    dt = t.softplus(dt)
    h = h * (dt.unsqueeze(-1) * a).exp() + (dt * x).unsqueeze(-1) * b.unsqueeze(1)
    return h, (h * c.unsqueeze(1)).sum(-1)


def linear_recurrence(t: Any, gate: Any, x: Any) -> Any:
    """h[s] = gate[s] h[s - 1] + x[s], by sums of logarithms, in the manner of HGRN."""
    logs = t.logsigmoid(gate).cumsum(1)
    return logs.exp() * (x * (-logs).exp()).cumsum(1)


def delta_rule(t: Any, s: Any, k: Any, v: Any, beta: Any) -> Any:
    """One step of a fast-weight memory (DeltaNet)."""
    read = (s * k.unsqueeze(-1)).sum(-2)
    return s + k.unsqueeze(-1) * (beta * (v - read)).unsqueeze(-2)


def kalman(t: Any, x: Any, p: Any, z: Any, f: Any, q: Any) -> Any:
    """Predict, and correct by the first coordinate, for many tracks."""
    x = (f @ x.unsqueeze(-1)).squeeze(-1)
    p = f @ p @ f.mT + q
    gain = p[:, :, 0] / (p[:, :1, 0] + 1.0)
    x = x + gain * (z - x[:, :1])
    return x, p - gain.unsqueeze(-1) * p[:, :1, :]


def pendulums(t: Any, angle: Any, speed: Any) -> Any:
    """Runge-Kutta of fourth order, four steps."""
    h = 0.05
    for _ in range(4):
        k1, l1 = speed, -angle.sin()
        k2, l2 = speed + h / 2 * l1, -(angle + h / 2 * k1).sin()
        k3, l3 = speed + h / 2 * l2, -(angle + h / 2 * k2).sin()
        k4, l4 = speed + h * l3, -(angle + h * k3).sin()
        angle = angle + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        speed = speed + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return angle, speed


def discounted(t: Any, reward: Any, value: Any, done: Any) -> Any:
    """Generalised advantages of eight steps."""
    total, out = t.zeros_like(reward[:, 0]), []
    for s in reversed(range(reward.shape[1])):
        going = 1.0 - done[:, s]
        delta = reward[:, s] + 0.99 * value[:, s + 1] * going - value[:, s]
        total = delta + 0.99 * 0.95 * going * total
        out.append(total)
    return t.stack(out[::-1], 1)


def value_iteration(t: Any, p: Any, reward: Any, v: Any) -> Any:
    for _ in range(3):
        v = (reward + 0.9 * (p * v).sum(-1)).amax(1)
    return v


def leaky_spikes(t: Any, v: Any, current: Any) -> Any:
    """Integrate and fire, eight steps."""
    spikes = []
    for s in range(current.shape[1]):
        v = 0.9 * v + current[:, s]
        spike = (v > 1.0).to(v.dtype)
        v = v * (1.0 - spike)
        spikes.append(spike)
    return t.stack(spikes, 1)


def hidden_markov(t: Any, start: Any, move: Any, seen: Any) -> Any:
    """The forward pass in logarithms, eight steps."""
    a = start
    for s in range(seen.shape[1]):
        a = (a.unsqueeze(2) + move).logsumexp(1) + seen[:, s]
    return a


def beams(t: Any, total: Any, logits: Any) -> Any:
    """The best five continuations of five beams."""
    scores = total.unsqueeze(-1) + logits.log_softmax(-1)
    return t.topk(scores.flatten(1), 5)


def cells(n: int, k: int) -> Any:
    return (normal(n, k), normal(n, k), normal(n, k), normal(k, 4 * k, scale=k**-0.5),
            normal(k, 4 * k, scale=k**-0.5), normal(4 * k))  # fmt: skip


PROGRAMS = (
    Program("LSTM step", cells, lstm_cell, ((256, 256), (32, 768), (77, 333)), BOTH),
    Program("GRU step", lambda n, k: (normal(n, k), normal(n, k), normal(k, 3 * k, scale=k**-0.5),
            normal(k, 3 * k, scale=k**-0.5)), gru_cell, ((256, 256), (32, 768), (77, 333)), BOTH),
    Program("recurrent net, 8 steps", lambda n, k: (normal(n, 8, k), normal(n, k),
            normal(k, k, scale=k**-0.5), normal(k, k, scale=k**-0.5)), elman,
            ((256, 128), (32, 256), (77, 65)), FLOAT),
    Program("selective state space, one step", lambda n, c, s: (normal(n, c, s), normal(n, c), normal(n, c),
            normal(c, s), normal(n, s), normal(n, s)), selective_step,
            ((16, 1024, 16), (4, 2048, 64), (7, 777, 16)), BOTH),
    Program("linear recurrence", lambda n, s, c: (uniform(n, s, c), normal(n, s, c)), linear_recurrence,
            ((8, 32, 512), (64, 32, 128), (7, 33, 129)), FLOAT, loose=10),
    Program("delta rule, one step", lambda n, k: (normal(n, k, k), normal(n, k, scale=0.1), normal(n, k),
            uniform(n, 1)), delta_rule, ((64, 64), (16, 128), (33, 65)), BOTH),
    Program("Kalman filters", lambda n, k: (normal(n, k), uniform(n, k, k), normal(n, 1), uniform(k, k),
            uniform(k, k)), kalman, ((8192, 4), (4096, 6), (5001, 5)), FLOAT, loose=3),
    Program("pendulums, Runge-Kutta", lambda n: (normal(n), normal(n)), pendulums,
            ((1 << 18,), (1 << 16,), (100003,)), FLOAT),
    Program("generalised advantages", lambda n: (normal(n, 8), normal(n, 9), uniform(n, 8)), discounted,
            ((16384,), (65536,), (10007,)), FLOAT),
    Program("value iteration", lambda s, a: (uniform(s, a, s), normal(s, a), normal(s)), value_iteration,
            ((256, 8), (512, 4), (333, 5)), FLOAT, grows=1),
    Program("spiking neurons", lambda n, k: (normal(n, k), normal(n, 8, k)), leaky_spikes,
            ((256, 1024), (64, 4096), (77, 1001)), FLOAT),
    Program("hidden Markov forward", lambda n, k: (normal(n, k), normal(k, k), normal(n, 8, k)),
            hidden_markov, ((64, 64), (16, 256), (33, 65)), FLOAT),
    Program("beam search step", lambda n, k: (normal(n, 5), normal(n, 5, k)), beams,
            ((8, 32000), (32, 8192), (7, 10007)), FLOAT),
    Program("Q-values by action", lambda n, a: (normal(n, a), below(a, n), normal(n, a), uniform(n)),
            lambda t, q, act, following, r: (t.gather(q, 1, act.unsqueeze(1)).squeeze(1)
                                             - (r + 0.99 * following.amax(1))).square().mean(),
            ((65536, 18), (8192, 64), (10007, 7)), FLOAT),
)  # fmt: skip
