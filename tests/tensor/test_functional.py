"""Softmax, normalisation, attention and losses against NumPy and by their laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor

from .compare import agree

rng = np.random.default_rng(6)
X = rng.standard_normal((4, 6))


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def test_softmax() -> None:
    agree(Tensor(X).softmax(1), softmax(X))
    agree(Tensor(X).log_softmax(0), np.log(softmax(X, 0)))
    agree((Tensor(X) + 1000).softmax(1), softmax(X), rtol=1e-9)
    agree(Tensor([[1.0, -np.inf]]).softmax(1), np.array([[1, 0]], "float32"))
    assert Tensor(X, dtype="float16").softmax(1).sum(1).tolist() == pytest.approx([1.0] * 4, abs=2e-3)


def test_normalisation() -> None:
    normal = Tensor(X).layer_norm(6)
    agree(normal.mean(1), np.zeros(4), atol=1e-12)
    agree(normal.var(1, correction=0), X.var(1) / (X.var(1) + 1e-5), rtol=1e-9)
    agree(Tensor(X).layer_norm((6,), Tensor(X[0]), Tensor(X[1])), normal.numpy() * X[0] + X[1])
    agree(Tensor(X).rms_norm(6, eps=0.0), X / np.sqrt((X**2).mean(1, keepdims=True)))
    agree(Tensor(X).group_norm(1), normal)
    mean, var = X.mean(0), X.var(0)
    agree(Tensor(X).batch_norm(Tensor(mean), Tensor(var)), (X - mean) / np.sqrt(var + 1e-5))
    agree(Tensor(X).normalize(), X / np.linalg.norm(X, axis=1, keepdims=True))


def test_attention() -> None:
    q, k, v = (rng.standard_normal((2, 5, 4)) for _ in range(3))
    scores = q @ k.swapaxes(-1, -2) / 2
    agree(Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v)), softmax(scores) @ v)
    causal = np.where(np.tri(5, dtype=bool), scores, -np.inf)
    agree(Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), is_causal=True), softmax(causal) @ v)
    masked = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), Tensor(np.tri(5, dtype=bool)))
    agree(masked, softmax(causal) @ v)


def test_losses() -> None:
    target = np.array([0, 5, 2, 2])
    logs = np.log(softmax(X))
    picked = -logs[np.arange(4), target]
    agree(Tensor(X).cross_entropy(Tensor(target)), picked.mean())
    agree(Tensor(X).cross_entropy(target, reduction="none"), picked)
    agree(Tensor(X).cross_entropy(target, ignore_index=2), picked[:2].mean())
    agree(Tensor(X).cross_entropy(np.eye(6)[target]), picked.mean())
    agree(Tensor(X).mse_loss(Tensor(X * 2)), (X**2).mean())
    agree(Tensor(X).l1_loss(Tensor(X * 2), reduction="sum"), np.abs(X).sum())
    chance = 1 / (1 + np.exp(-X))
    agree(
        Tensor(X).binary_cross_entropy_with_logits(Tensor(chance)),
        -(chance * np.log(chance) + (1 - chance) * np.log(1 - chance)).mean(),
    )


def test_embedding() -> None:
    agree(Tensor.embedding(Tensor([[0, 2]]), Tensor(X)), X[[[0, 2]]])


@pytest.mark.parametrize(
    ("program", "error", "words"),
    [
        (lambda x: x.layer_norm(5), ValueError, r"layer_norm over \(5,\) does not fit"),
        (lambda x: x.group_norm(4), ValueError, "into 4 groups"),
        (lambda x: x.cross_entropy(Tensor([0])), ValueError, "do not fit predictions"),
        (lambda x: x.mse_loss(x, reduction="max"), ValueError, "unknown reduction 'max'"),
        (lambda x: x.batch_norm(None, None), ValueError, "training=True"),
        (lambda x: x.softmax(2), IndexError, "axis 2 is out of range"),
    ],
)
def test_errors(program: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        program(Tensor(X))
