"""Random programs: `backward`, with values looked at and memory written on the way, against `grad`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from saccade import Tensor, grad, no_grad

STEPS: list[Callable[[Tensor, Tensor], Tensor]] = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: (a * 0.3).tanh() + b,
    lambda a, b: a.T @ b * 0.3,
    lambda a, b: a.softmax(1) * b,
    lambda a, b: a.flip(0),
    lambda a, b: a.amax(1, keepdim=True) + b,
    lambda a, b: a[1:].sum(0, keepdim=True) + b,
    lambda a, b: a.cumsum(0) * 0.5,
    lambda a, b: a.sort(1)[0],
    lambda a, b: a.detach() * b,
    lambda a, b: _written(a, b),
    lambda a, b: _added(a, b),
]


def _written(a: Tensor, b: Tensor) -> Tensor:
    made = a * 1.0
    made[0] = b[1] * 2
    return made


def _added(a: Tensor, b: Tensor) -> Tensor:
    made = a * 1.0
    made += b
    made *= 0.5
    return made


def look_at(value: Tensor, random: Random) -> Tensor:
    """What a program may do with a value beside computing from it."""
    kind = random.randrange(5)
    if kind == 0:
        value.realize()
    elif kind == 1:
        value.sum().item()
    elif kind == 2:
        with no_grad():
            (value * 2).numpy()
    return value.reshape(9).reshape(3, 3) if kind == 3 else value


def program(seed: int, leaves: list[Tensor], looks: bool) -> Tensor:
    random, other = Random(seed), Random(seed + 1)
    pool = list(leaves)
    for _ in range(8):
        a, b = random.choice(pool), random.choice(pool)
        made = random.choice(STEPS)(a, b)
        pool.append(look_at(made, other) if looks else made)
    loss = (pool[-1] * pool[-1]).sum()
    for value in pool[2:]:
        loss = loss + (value * 0.1).sum()
    return loss


def check(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = [rng.standard_normal((3, 3)) for _ in range(2)]
    plain = [Tensor(x, dtype="float64") for x in start]
    wanted = grad(lambda a, b: program(seed, [a, b], False), (0, 1))(*plain)
    leaves = [Tensor(x, dtype="float64", requires_grad=True) for x in start]
    loss = program(seed, leaves, True)
    with no_grad():
        if seed % 3 == 0:
            leaves[0].mul_(1.5)
        if seed % 6 == 0:
            leaves[0].realize()
    loss.backward()
    for leaf, slope in zip(leaves, wanted, strict=True):
        found = np.zeros((3, 3)) if leaf.grad is None else leaf.grad.numpy()
        np.testing.assert_allclose(found, slope.numpy(), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_some(seed: int) -> None:
    check(seed)


@pytest.mark.slow
def test_many() -> None:
    for seed in range(3, 80):
        check(seed)
