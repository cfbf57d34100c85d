"""Compute-bound work: matrix product, attention and convolution.

Attention is written naively for us; torch's own users call its fused function, so torch eager does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bench.case import Array, Arrays, Case, Target, Work

# --- matrix product


def matmul(a: Any, b: Any) -> Any:
    return a @ b


def gemm_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    side = 256 if quick else 1024
    a, b = rng.standard_normal((2, side, side), dtype=np.float32)
    return a, b


def gemm_work(arrays: Arrays) -> Work:
    a, _ = arrays
    return Work(reads=2 * a.nbytes, writes=a.nbytes, flops=2 * a.shape[0] ** 3)


GEMM = Case(
    name="gemm",
    title="GEMM, 1024 cubed float32",
    inputs=gemm_inputs,
    work=gemm_work,
    programs={
        "saccade": matmul,
        "numpy": matmul,
        "torch": matmul,
        "torch.compile": matmul,
        "jax": matmul,
        "tinygrad": matmul,
    },
    target=Target(ratio=0.8),
)

# --- attention over (batch, heads, positions, width)


def attention(q: Any, k: Any, v: Any) -> Any:
    scale = 1.0 / math.sqrt(q.shape[-1])
    return (q @ k.transpose(-1, -2) * scale).softmax(-1) @ v


def attention_numpy(q: Array, k: Array, v: Array) -> Array:
    scores = q @ k.swapaxes(-1, -2) * np.float32(1.0 / math.sqrt(q.shape[-1]))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    result: Array = weights @ v
    return result


def attention_torch(q: Any, k: Any, v: Any) -> Any:
    from torch.nn import functional

    return functional.scaled_dot_product_attention(q, k, v)


def attention_jax(q: Any, k: Any, v: Any) -> Any:
    import jax

    scores = q @ k.swapaxes(-1, -2) * (1.0 / math.sqrt(q.shape[-1]))
    return jax.nn.softmax(scores, axis=-1) @ v


def attention_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    q, k, v = rng.standard_normal((3, 1, 8, 128 if quick else 1024, 64), dtype=np.float32)
    return q, k, v


def attention_work(arrays: Arrays) -> Work:
    q = arrays[0]
    batch, heads, positions, width = q.shape
    return Work(reads=3 * q.nbytes, writes=q.nbytes, flops=4 * batch * heads * positions**2 * width)


ATTENTION = Case(
    name="attention",
    title="attention, 1x8x1024x64, naive",
    inputs=attention_inputs,
    work=attention_work,
    programs={
        "saccade": attention,
        "numpy": attention_numpy,
        "torch": attention_torch,
        "torch.compile": attention,
        "jax": attention_jax,
        "tinygrad": attention,
    },
    target=Target(ratio=0.9),
)

# --- 3x3 convolution, stride 1, same size


def conv(x: Any, weight: Any) -> Any:
    return x.conv2d(weight, padding=1)


def conv_bias_relu(x: Any, weight: Any, bias: Any) -> Any:
    return x.conv2d(weight, bias, padding=1).relu()


def conv_numpy(x: Array, weight: Array) -> Array:
    """As NumPy users do it: windows as a view, then one matrix product per image."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    n, channels, height, width = x.shape
    columns = windows.transpose(0, 1, 4, 5, 2, 3).reshape(n, channels * 9, height * width)
    result: Array = (weight.reshape(len(weight), -1) @ columns).reshape(n, len(weight), height, width)
    return result


def conv_torch(x: Any, weight: Any) -> Any:
    from torch.nn import functional

    return functional.conv2d(x, weight, padding=1)


def conv_jax(x: Any, weight: Any) -> Any:
    from jax import lax

    return lax.conv_general_dilated(x, weight, window_strides=(1, 1), padding="SAME")


def conv_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    images = rng.standard_normal((1 if quick else 8, 64, 56, 56), dtype=np.float32)
    return images, rng.standard_normal((64, 64, 3, 3), dtype=np.float32) / np.float32(24)


def conv_work(arrays: Arrays) -> Work:
    x, weight = arrays
    return Work(
        reads=x.nbytes + weight.nbytes,
        writes=x.nbytes,
        flops=2 * x.shape[0] * weight.size * x.shape[2] * x.shape[3],
    )


CONV = Case(
    name="conv",
    title="conv 3x3, 64 to 64, 8x64x56x56",
    inputs=conv_inputs,
    work=conv_work,
    programs={
        "saccade": conv,
        "numpy": conv_numpy,
        "torch": conv_torch,
        "torch.compile": conv_torch,
        "jax": conv_jax,
        "tinygrad": conv,
    },
    target=Target(ratio=0.75),
)
