"""Activations of 8 bits: a few tokens at once have the bits that each has alone; so guesses are exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.files.gguf_corpus import Described, gguf_bytes
from saccade.llm import Llama
from saccade.llm.model.cache import Cache

from .models import matrix_shapes, sizes_told
from .test_llama import matrix

#: Heads as SmolLM2 has them, and little else.
WIDTH, HEADS, KV_HEADS, INNER, LAYERS, VOCABULARY = 576, 9, 3, 64, 2, 64
Q8_0 = 8


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Llama:
    random = np.random.default_rng(3)
    pairs = sizes_told(LAYERS, 1024, WIDTH, INNER, HEADS, KV_HEADS)
    named = matrix_shapes(LAYERS, WIDTH, INNER, WIDTH // HEADS * KV_HEADS)
    tensors: list[Described] = [
        matrix(random, f"{name}.weight", *shape, Q8_0)
        for name, shape in {**named, "token_embd": (VOCABULARY, WIDTH)}.items()
    ]
    norms = [f"blk.{n}.{key}" for n in range(LAYERS) for key in ("attn_norm", "ffn_norm")]
    ones = np.ones(WIDTH, "<f4").tobytes()
    tensors += [(f"{name}.weight", (WIDTH,), 0, ones) for name in [*norms, "output_norm"]]
    path: Path = tmp_path_factory.mktemp("alike") / "a.gguf"
    path.write_bytes(gguf_bytes(pairs, tensors))
    return Llama.from_gguf(path, "int8")


@pytest.mark.parametrize("before", [100, 240, 900])
def test_tokens_have_the_bits_that_they_have_alone(model: Llama, before: int) -> None:
    assert model.alike
    ids = [int(id) for id in np.random.default_rng(1).integers(0, VOCABULARY, before + 8)]

    def read() -> Cache:
        """What comes before them is read the same way for both."""
        cache = model.cache(1024)
        for at in range(0, before, 100):
            model.forward(Tensor([ids[at : min(at + 100, before)]]), cache, last=True).realize()
        return cache

    cache = read()
    together = model.forward(Tensor([ids[before:]]), cache).numpy()[0]
    cache = read()
    alone = [model.forward(Tensor([[id]]), cache).numpy()[0, 0] for id in ids[before:]]
    np.testing.assert_array_equal(together, alone)
