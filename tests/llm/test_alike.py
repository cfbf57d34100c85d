"""Activations of 8 bits: a few tokens at once have the bits that each has alone; so guesses are exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.files.gguf_corpus import Described, Pair, gguf_bytes
from saccade.llm import Llama
from saccade.llm.model.cache import Cache

from .test_llama import matrix

#: Heads as SmolLM2 has them, and little else.
WIDTH, HEADS, KV_HEADS, INNER, LAYERS, VOCABULARY = 576, 9, 3, 64, 2, 64
Q8_0 = 8


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Llama:
    random = np.random.default_rng(3)
    sizes = {
        "block_count": LAYERS, "context_length": 1024, "embedding_length": WIDTH,
        "feed_forward_length": INNER, "attention.head_count": HEADS, "attention.head_count_kv": KV_HEADS,
    }  # fmt: skip
    pairs: list[Pair] = [("general.architecture", "text", "llama")]
    pairs += [(f"llama.{key}", "I", value) for key, value in sizes.items()]
    pairs += [("llama.attention.layer_norm_rms_epsilon", "f", 1e-5)]
    keys = WIDTH // HEADS * KV_HEADS
    shapes = {
        "attn_q": (WIDTH, WIDTH), "attn_k": (keys, WIDTH), "attn_v": (keys, WIDTH),
        "attn_output": (WIDTH, WIDTH), "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH),
        "ffn_down": (WIDTH, INNER),
    }  # fmt: skip
    named = {f"blk.{n}.{key}.weight": shape for n in range(LAYERS) for key, shape in shapes.items()}
    tensors: list[Described] = [
        matrix(random, name, *shape, Q8_0)
        for name, shape in {**named, "token_embd.weight": (VOCABULARY, WIDTH)}.items()
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
