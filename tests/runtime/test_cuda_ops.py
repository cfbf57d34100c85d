"""Kernels of several blocks to a result, on a real card: what they give is what the CPU gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.tensor.tensor import where

pytestmark = pytest.mark.gpu

Array = np.ndarray[Any, Any]


def half(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape).astype("float16")


def attended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ((q @ k.mT) * 0.1).softmax(-1) @ v


def padded(q: Tensor, k: Tensor, v: Tensor, counts: Tensor) -> Tensor:
    there = Tensor.arange(k.shape[-2], dtype="int32", device=q.device) < counts.reshape(-1, 1, 1)
    return where(there, (q @ k.mT) * 0.1, float("-inf")).softmax(-1) @ v


@pytest.mark.parametrize("queries", [1, 5, 16, 33, 64, 100])
@pytest.mark.parametrize("width", [64, 96, 128])
def test_few_queries_against_many_keys(queries: int, width: int, rng: np.random.Generator) -> None:
    arrays = [half(rng, 3, queries, width), *(half(rng, 3, 5001, width) for _ in range(2))]
    run = jit(attended)
    ours = [run(*[Tensor(a, device="cuda") for a in arrays]).numpy() for _ in range(4)]
    theirs = attended(*[Tensor(a.astype("float32"), device="cpu") for a in arrays]).numpy()
    assert np.linalg.norm(ours[0].astype("float32") - theirs) <= 2e-3 * np.linalg.norm(theirs)
    for again in ours[1:]:
        np.testing.assert_array_equal(again, ours[0])


def test_parts_beyond_the_counts(rng: np.random.Generator) -> None:
    counts = np.array([5000, 77, 1], "int32")
    arrays = [half(rng, 3, 1, 64), *(half(rng, 3, 5000, 64) for _ in range(2))]
    ours = padded(*[Tensor(a, device="cuda") for a in (*arrays, counts)]).numpy()
    wide = [*(a.astype("float32") for a in arrays), counts]
    theirs = padded(*[Tensor(a, device="cpu") for a in wide]).numpy()
    assert np.linalg.norm(ours.astype("float32") - theirs) <= 2e-3 * np.linalg.norm(theirs)


PLACES: dict[str, Callable[[Tensor], tuple[Tensor, ...]]] = {
    "argmax": lambda x: (x.argmax(0),),
    "argmin": lambda x: (x.argmin(0),),
    "max": lambda x: tuple(x.max(0)),
    "min": lambda x: tuple(x.min(0)),
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("shape", [(4096, 1024), (1001, 77), (300, 5, 64), (100_000, 3)])
def test_places_of_the_best_in_columns(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> None:
    x = rng.integers(-50, 50, shape).astype("float32")  # with ties
    x.reshape(-1)[rng.integers(0, x.size, 3)] = np.nan
    results = [[np.asarray(t.numpy()) for t in PLACES[name](Tensor(x, device=d))] for d in ("cuda", "cpu")]
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_array_equal(ours, theirs)
