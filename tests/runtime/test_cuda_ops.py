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


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8", "float64"])
@pytest.mark.parametrize("length", [5, 256, 1000, 4096, 10_000])
@pytest.mark.parametrize("descending", [False, True])
def test_sorts_of_rows(length: int, dtype: str, descending: bool, rng: np.random.Generator) -> None:
    x = rng.integers(0, 200, (30, length)).astype(dtype)  # with ties
    if np.dtype(dtype).kind == "f":
        x[rng.integers(0, 30, 9), rng.integers(0, length, 9)] = np.nan
        x[rng.integers(0, 30, 9), rng.integers(0, length, 9)] = -0.0
    values, places = Tensor(x, device="cuda").sort(1, descending=descending)
    wanted, where_from = Tensor(x, device="cpu").sort(1, descending=descending)
    np.testing.assert_array_equal(places.numpy(), where_from.numpy())
    np.testing.assert_array_equal(values.numpy(), wanted.numpy())


@pytest.mark.parametrize("include_self", [False, True])
@pytest.mark.parametrize("kind", ["amax", "amin", "sum", "prod"])
def test_rows_of_segments(kind: str, include_self: bool, rng: np.random.Generator) -> None:
    x = rng.integers(-3, 4, (20_000, 12)).astype("float32")
    x = np.where(x == 0, 1, np.sign(x)).astype("float32") if kind == "prod" else x
    base = rng.integers(1, 3, (500, 12)).astype("float32")
    index = rng.integers(0, 490, 20_000)
    if kind.startswith("a"):
        x[rng.integers(0, 20_000, 5), 3] = np.nan

    def reduced(device: str) -> Any:
        rows = Tensor(index, device=device).reshape(-1, 1).expand(20_000, 12)
        made = Tensor(base, device=device).scatter_reduce(
            0, rows, Tensor(x, device=device), kind, include_self=include_self
        )
        return made.numpy()

    np.testing.assert_array_equal(reduced("cuda"), reduced("cpu"))


@pytest.mark.parametrize("m", [16, 100, 512, 1000])
@pytest.mark.parametrize("n", [128, 1000, 3136])
def test_products_of_few_tiles(m: int, n: int, rng: np.random.Generator) -> None:
    a, b = half(rng, m, 520), half(rng, 520, n)
    wanted = a.astype("float32") @ b.astype("float32")
    for right in (Tensor(b, device="cuda"), Tensor(b.T.copy(), device="cuda").mT):
        ours = (Tensor(a, device="cuda") @ right).numpy().astype("float32")
        assert np.linalg.norm(ours - wanted) <= 2e-3 * np.linalg.norm(wanted)


def test_a_small_convolution(rng: np.random.Generator) -> None:
    x, w = half(rng, 8, 256, 7, 7), (half(rng, 128, 256, 3, 3) * 0.02).astype("float16")
    ours = Tensor(x, device="cuda").conv2d(Tensor(w, device="cuda"), padding=1).numpy().astype("float32")
    wide = (Tensor(a.astype("float32"), device="cpu") for a in (x, w))
    theirs = next(wide).conv2d(next(wide), padding=1).numpy()
    assert np.linalg.norm(ours - theirs) <= 2e-3 * np.linalg.norm(theirs)


@pytest.mark.parametrize(("m", "n", "k"), [(300, 700, 200), (128, 256, 16), (1000, 257, 77)])
def test_products_of_float32(m: int, n: int, k: int, rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal(shape).astype("float32") for shape in ((m, k), (k, n)))
    ours = (Tensor(a, device="cuda") @ Tensor(b, device="cuda")).numpy()
    np.testing.assert_allclose(ours, a.astype("float64") @ b, rtol=1e-4, atol=1e-3)
