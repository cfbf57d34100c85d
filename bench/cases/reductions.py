"""Reductions, and the two normalisations that read their input again after reducing it."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.case import Array, Arrays, Case, Target, Work


def there_and_back(arrays: Arrays) -> Work:
    return Work(reads=arrays[0].nbytes, writes=arrays[0].nbytes)


# --- sum


def total(x: Any) -> Any:
    return x.sum()


def sum_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    return (rng.random(1 << (20 if quick else 24), dtype=np.float32),)


SUM = Case(
    name="sum",
    title="sum, 16M float32",
    inputs=sum_inputs,
    work=lambda arrays: Work(reads=arrays[0].nbytes, writes=4),
    programs={
        "saccade": total,
        "numpy": total,
        "torch": total,
        "torch.compile": total,
        "jax": total,
        "tinygrad": total,
    },
    target=Target(ratio=0.9),
)

# --- softmax over rows


def softmax(x: Any) -> Any:
    return x.softmax(-1)


def softmax_numpy(x: Array) -> Array:
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    exponentials /= exponentials.sum(axis=-1, keepdims=True)
    result: Array = exponentials
    return result


def softmax_jax(x: Any) -> Any:
    import jax

    return jax.nn.softmax(x, axis=-1)


def softmax_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    side = 512 if quick else 4096
    return (rng.standard_normal((side, side), dtype=np.float32),)


SOFTMAX = Case(
    name="softmax",
    title="softmax, 4096x4096 float32",
    inputs=softmax_inputs,
    work=there_and_back,
    programs={
        "saccade": softmax,
        "numpy": softmax_numpy,
        "torch": softmax,
        "torch.compile": softmax,
        "jax": softmax_jax,
        "tinygrad": softmax,
    },
    target=Target(ratio=1.0),
)

# --- layer norm over rows, with no learned scale

EPSILON = 1e-5


def layer_norm(x: Any) -> Any:
    centred = x - x.mean(-1, keepdim=True)
    return centred / ((centred * centred).mean(-1, keepdim=True) + EPSILON).sqrt()


def layer_norm_numpy(x: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    result: Array = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + EPSILON)
    return result


def layer_norm_torch(x: Any) -> Any:
    from torch.nn import functional

    return functional.layer_norm(x, x.shape[-1:], eps=EPSILON)


def layer_norm_jax(x: Any) -> Any:
    import jax.numpy as jnp

    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / jnp.sqrt((centred * centred).mean(axis=-1, keepdims=True) + EPSILON)


def layer_norm_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    return (rng.standard_normal((256 if quick else 4096, 1024), dtype=np.float32),)


LAYER_NORM = Case(
    name="layer_norm",
    title="layer norm, 4096x1024 float32",
    inputs=layer_norm_inputs,
    work=there_and_back,
    programs={
        "saccade": layer_norm,
        "numpy": layer_norm_numpy,
        "torch": layer_norm_torch,
        "torch.compile": layer_norm_torch,
        "jax": layer_norm_jax,
        "tinygrad": layer_norm,
    },
    target=Target(ratio=1.0),
)
