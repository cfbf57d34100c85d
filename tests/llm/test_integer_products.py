"""Products with activations of 8 bits are those of the rounded activations, to the last bits of float32."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saccade import Tensor
from saccade.llm.integer_products import GROUP, PRODUCTS, integer_product
from saccade.llm.llama import Llama
from saccade.llm.quants import FORMATS

from .test_llama import IDS, model_file


def blocks(kind: int, rows: int, count: int) -> np.ndarray:
    """Blocks at random, with scales that are numbers."""
    form, random = FORMATS[kind], np.random.default_rng(kind)
    raw = random.integers(0, 256, (rows, count, form.bytes), dtype=np.uint8)
    halves = random.uniform(-0.1, 0.1, (rows, count, 2)).astype("<f2")
    places = {"Q4_0": 1, "Q4_1": 2, "Q8_0": 1}[form.name]
    raw[..., : 2 * places] = halves[..., :places].copy().view(np.uint8)
    return raw


@pytest.mark.parametrize("kind", PRODUCTS)
def test_products_are_those_of_rounded_activations(kind: int) -> None:
    raw = blocks(kind, 5, 3)
    values = FORMATS[kind].dequantised(Tensor(raw)).numpy().reshape(5, -1).astype(float)
    x = np.random.default_rng(1).normal(size=(2, 1, values.shape[1])).astype(np.float32)
    x[0, 0, :GROUP] = 0  # nothing to scale by
    x[1, 0, 3] = 1e4  # one that is far larger than its neighbours
    groups = x.astype(float).reshape(2, 1, -1, GROUP)
    steps = np.abs(groups).max(-1, keepdims=True) / 127
    rounded = (np.rint(groups / np.maximum(steps, 1e-30)) * steps).reshape(x.shape)
    found = integer_product(kind, Tensor(raw), Tensor(x)).numpy()
    wanted = rounded @ values.T
    assert found.shape == (2, 1, 5)
    np.testing.assert_allclose(
        found, wanted, rtol=0, atol=2e-6 * np.abs(rounded).max() * np.abs(values).sum(-1).max()
    )
    assert np.abs(rounded - x).max() > 1e-4  # and they are rounded


def test_a_model_with_activations_of_8_bits_says_almost_the_same(tmp_path: Path) -> None:
    model = Llama.from_gguf(model_file(tmp_path))

    def logits() -> np.ndarray:
        cache = model.cache(16)
        return np.concatenate([model(Tensor([[id]]), cache).numpy() for id in IDS])

    exact = logits()
    model.integers = True
    found = logits()
    difference, size = (np.sqrt((each**2).mean()) for each in (found - exact, exact))
    assert 0 < difference < 0.05 * size
