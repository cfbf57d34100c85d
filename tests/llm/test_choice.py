"""Tokens that a device chooses are those that the host would choose."""

from __future__ import annotations

import numpy as np

from saccade import Tensor, jit
from saccade.llm.generation.sampling import Sampler, Sampling
from saccade.llm.model.choice import Memory, Numbers, chosen, drawn


def test_tokens_are_drawn_as_numpy_draws_them(rng: np.random.Generator) -> None:
    logits = rng.normal(size=(40, 700)).astype(np.float32) * 3
    logits[3, 5], logits[4, :] = np.nan, -np.inf
    logits[4, 17] = 0.0
    heat, luck = rng.random(40).astype(np.float32) * 2, rng.random(40).astype(np.float32)
    heat[:3] = 0.0
    luck[5:7] = 0.0, np.nextafter(np.float32(1), np.float32(0))
    found = drawn(*map(Tensor, (logits, heat, luck))).numpy()
    wide = logits.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = np.exp((wide - wide.max(-1, keepdims=True)) / heat[:, None]).cumsum(-1)
    for row in range(40):
        if row == 3:
            assert found[row] == -1
        elif heat[row] == 0:
            assert found[row] == logits[row].argmax()
        else:
            # a sum of floats ends within a ten-thousandth of a token's probability of where it should
            least, most = (np.searchsorted(sums[row], (luck[row] + e) * sums[row, -1]) for e in (-1e-6, 1e-6))
            assert least <= found[row] <= most
    assert found[4] == 17


def a_sampling(rng: np.random.Generator, seed: int) -> Sampling:
    """One of many ways to choose a token."""
    some = {
        "temperature": (0, 0.5, 1, 2), "top_p": (0, 0.3, 0.9, 0.999, 1), "min_p": (0, 0.02, 0.3, 1),
        "repetition_penalty": (1, 1.3, 0.7), "frequency_penalty": (0, 0.5), "presence_penalty": (0, -0.4),
    }  # fmt: skip
    given = {name: float(rng.choice(values)) for name, values in some.items()}
    bias = {3: 2.0, 9: -100.0} if seed % 3 == 0 else {}
    return Sampling(**given, top_k=int(rng.choice((0, 1, 5, 50, 900))), bias=bias, seed=seed)


def test_a_device_and_the_host_choose_the_same_tokens(rng: np.random.Generator) -> None:
    """With penalties, biases and bounds of all kinds, token after token; equal logits among them."""
    rows, size = 24, 700
    logits = (rng.normal(size=(rows, size)) * 3).astype(np.float32)
    logits[5], logits[6] = np.round(logits[5]), 0.0
    ways = [a_sampling(rng, row) for row in range(rows)]
    prompts = [rng.integers(0, size, 30).tolist() for _ in range(rows)]
    host, device = ([Sampler(way, prompt) for way, prompt in zip(ways, prompts)] for _ in range(2))
    known = np.stack([sampler.memory(size) for sampler in device], 1)
    memory = [Tensor(part).realize() for part in known]

    def step(logits: Tensor, memory: list[Tensor], ids: Tensor, how: list[Tensor]) -> Tensor:
        return chosen(logits, Memory(*memory), ids, Numbers(*how))

    bounds = Numbers._fields[2:-1]
    run, ids = jit(step), np.array([prompt[-1] for prompt in prompts])
    for turn in range(8):
        here = logits[:, rng.permutation(size)]
        how = [
            [way.temperature, sampler.luck(), *(getattr(way, name) for name in bounds), float(turn > 0)]
            for way, sampler in zip(ways, device)
        ]
        numbers = [Tensor(part) for part in np.array(how, np.float32).T.copy()]
        found = run(Tensor(here), memory, Tensor(ids.astype(np.int32)), numbers).tolist()
        ids = np.array([sampler.choose(row) for sampler, row in zip(host, here)])
        assert found == ids.tolist()
