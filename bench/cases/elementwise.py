"""Memory-bound elementwise work, and the cost of a call that does almost none."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.case import Array, Arrays, Case, Target, Work

# --- eight operations over 16M numbers: one pass over memory when fused, eight when not


def chain(x: Any) -> Any:
    return (((x * 1.5 + 0.25).relu() - 0.5).abs() * 0.75 + x) * x


def chain_numpy(x: Array) -> Array:
    result: Array = (np.abs(np.maximum(x * 1.5 + 0.25, 0) - 0.5) * 0.75 + x) * x
    return result


def chain_jax(x: Any) -> Any:
    import jax.numpy as jnp

    return (jnp.abs(jnp.maximum(x * 1.5 + 0.25, 0) - 0.5) * 0.75 + x) * x


def chain_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    return (rng.standard_normal(1 << (20 if quick else 24), dtype=np.float32),)


CHAIN = Case(
    name="chain",
    title="8-op chain, 16M float32",
    inputs=chain_inputs,
    work=lambda arrays: Work(reads=arrays[0].nbytes, writes=arrays[0].nbytes),
    programs={
        "saccade": chain,
        "numpy": chain_numpy,
        "torch": chain,
        "torch.compile": chain,
        "jax": chain_jax,
        "tinygrad": chain,
    },
    target=Target(ratio=1.0),
)

# --- what replaying a compiled function of three inputs costs when there is nothing to compute


def fused_multiply_add(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def replay_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    a, b, c = rng.standard_normal((3, 16), dtype=np.float32)
    return a, b, c


REPLAY = Case(
    name="replay",
    title="jit replay, 3 inputs of 16 float32",
    inputs=replay_inputs,
    work=lambda arrays: Work(reads=3 * 64, writes=64, items=1, item="calls"),
    programs={
        "saccade": fused_multiply_add,
        "numpy": fused_multiply_add,
        "torch": fused_multiply_add,
        "torch.compile": fused_multiply_add,
        "jax": fused_multiply_add,
        "tinygrad": fused_multiply_add,
    },
    target=Target(seconds=20e-6),
    batch=1000,
)
