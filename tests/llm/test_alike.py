"""A token has the same bits however it is read: guesses beside it, wider chunks, a prompt that is read on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.files.gguf_corpus import Described, gguf_bytes
from saccade.llm import Llama
from saccade.llm.generation.generate import Generator
from saccade.llm.generation.slots import WIDTHS
from saccade.llm.generation.text import Options, Piece
from saccade.llm.model.cache import Cache

from .models import matrix_shapes, sizes_told, tiny
from .test_llama import matrix

#: Heads as SmolLM2 has them, and little else. There are more rows than tokens.
WIDTH, HEADS, KV_HEADS, INNER, LAYERS, VOCABULARY = 576, 9, 3, 64, 2, 288
Q8_0 = 8


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
    made = tmp_path_factory.mktemp("alike") / "a.gguf"
    made.write_bytes(gguf_bytes(pairs, tensors))
    return made


@pytest.fixture(scope="module")
def model(path: Path) -> Llama:
    return Llama.from_gguf(path, "int8")


def some_ids(count: int) -> list[int]:
    return [int(id) for id in np.random.default_rng(1).integers(0, 200, count)]


def read(model: Llama, ids: list[int], width: int) -> Cache:
    """A cache after these, in whole chunks of a width."""
    cache = model.cache(1024)
    for at in range(0, len(ids), width):
        model.forward(Tensor([ids[at : at + width]]), cache, last=True).realize()
    return cache


@pytest.mark.parametrize("before", [96, 224, 896])
def test_tokens_have_the_bits_that_they_have_alone(model: Llama, before: int) -> None:
    assert model.alike
    ids = some_ids(before + 8)
    cache = read(model, ids[:before], 32)
    together = model.forward(Tensor([ids[before:]]), cache).numpy()[0]
    cache.lengths -= 8
    alone = [model.forward(Tensor([[id]]), cache).numpy()[0, 0] for id in ids[before:]]
    np.testing.assert_array_equal(together, alone)


def pieces_of(generator: Generator, prompt: list[int]) -> list[Piece]:
    return list(generator.stream(prompt, Options(max_tokens=5, logprobs=3)))


def check_turns(model: Llama, lengths: list[int], reused: list[int]) -> None:
    """Prompts of these lengths, each the one before with its answer and more: pieces and probabilities with
    what is reused are those without."""
    generator, ids, prompt = Generator(model, tiny()[1]), some_ids(1024), list[int]()
    for length, kept in zip(lengths, reused, strict=True):
        prompt = [*prompt, *ids[len(prompt) : length]]
        made = pieces_of(generator, prompt)
        assert generator.speed.reused == kept
        assert made == pieces_of(Generator(model, tiny()[1]), prompt)
        prompt += [piece.id for piece in made]


def test_turns_have_the_text_that_they_have_alone(model: Llama) -> None:
    """Who reads all of 161 tokens takes 128 of them at once, who goes on after 64 takes 32 at a time."""
    check_turns(model, [33, 65, 161], [0, 32, 64])


@pytest.mark.slow
@pytest.mark.parametrize("activations", ["int8", "float"])
def test_long_turns_have_the_text_that_they_have_alone(path: Path, activations: str) -> None:
    """And wide chunks give a token the same keys and values."""
    model = Llama.from_gguf(path, activations)
    check_turns(model, [33, 61, 100, 250, 300, 700, 760], [0, 32, 32, 96, 224, 288, 672])
    caches = [read(model, some_ids(896), width) for width in WIDTHS[2:]]
    for kind in ("keys", "values"):
        for first, second in zip(*(getattr(cache, kind) for cache in caches), strict=True):
            np.testing.assert_array_equal(first.numpy()[:, :, :896], second.numpy()[:, :, :896])
