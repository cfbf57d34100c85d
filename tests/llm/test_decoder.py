"""The decoder that stays on a device gives the tokens that a generator gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.llm_gpu import KINDS, SHAPES, RandomFile
from saccade import Tensor
from saccade.llm.model.cache import Cache
from saccade.llm.model.decoder import Decoder
from saccade.llm.model.llama import Llama

from .models import tiny


def test_greedy_tokens_are_those_of_single_calls() -> None:
    model, _ = tiny()
    prompts = [[3, 5, 8], [11, 2, 7]]
    cache = model.cache(24, batch=2)
    ids = model(Tensor(prompts), cache, last=True).numpy()[:, 0].argmax(-1)
    decoder = Decoder(model, cache)
    given = decoder.start(ids.tolist())
    found = [ids, *((given := decoder.step(given)).numpy() for _ in range(5))]
    other = model.cache(24, batch=2)
    logits, expected = model(Tensor(prompts), other, last=True), []
    for _ in range(6):
        expected.append(logits.numpy()[:, 0].argmax(-1))
        logits = model(Tensor(expected[-1][:, None]), other)
    np.testing.assert_array_equal(found, expected)
    assert cache.lengths.tolist() == [8, 8]


def test_what_does_not_fit_is_said() -> None:
    model, _ = tiny()
    cache = model.cache(2)
    decoder = Decoder(model, cache)
    with pytest.raises(ValueError, match="2 tokens for 1 rows"):
        decoder.start([1, 2])
    ids = decoder.start([1])
    for _ in range(2):
        ids = decoder.step(ids)
    with pytest.raises(ValueError, match="room for 2 tokens"):
        decoder.step(ids)


def test_a_bound_step_reads_what_was_written_through_views() -> None:
    """Rows of the cache change between steps: as for one that is never bound."""
    model, _ = tiny()
    caches = [model.cache(24, batch=2) for _ in range(2)]
    decoder, other = (Decoder(model, cache) for cache in caches)
    for at in range(4):
        vars(other).pop("_plain", None)
        logits = []
        for cache, each in zip(caches, (decoder, other)):
            if at > 1:
                cache.keys[0][1:2].copy_(cache.keys[0][1:2] * 3 - at)
            logits.append(
                each.draw(np.array([3, at]), np.array([at, at]), np.zeros((2, 2)))[1].numpy().copy()
            )
        np.testing.assert_array_equal(*logits)
    assert decoder._plain._bound is not None


@pytest.mark.parametrize("kind", ["bf16", "q4_k"])
def test_weights_of_a_device_stay_there(kind: str) -> None:
    """A device whose memory the host cannot see, and which is not the default one."""
    sizes = SHAPES["tiny"]
    model = Llama(RandomFile(sizes, KINDS[kind], "null"), sizes, Path("random"))
    decoder = Decoder(model, Cache(sizes, 2, 16, "null", "bfloat16"))
    ids = decoder.step(decoder.start([1, 2]))
    assert (ids.device, ids.shape) == ("null", (2,))
