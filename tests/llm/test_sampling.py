"""Laws of sampling: what may be drawn, how often, and that a seed is all there is to it."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.llm.generation.sampling import FIRST_SORTED, Sampler, Sampling, distribution, log_probabilities

LOGITS = st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=30).map(lambda x: np.array(x, "f4"))
OPTIONS = st.builds(
    Sampling,
    temperature=st.floats(0.1, 3),
    top_k=st.integers(0, 40),
    top_p=st.floats(0, 1),
    min_p=st.floats(0, 1),
)


def softmax(logits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    powers = np.exp(logits.astype(float) - logits.max())
    return powers / powers.sum()


@given(LOGITS, OPTIONS)
def test_what_may_be_drawn(logits: np.ndarray[Any, Any], options: Sampling) -> None:
    """The ids that are kept are the most probable ones, as few as each bound asks for, and at least one."""
    ids, kept = distribution(logits.astype(float), options)
    whole = softmax(logits.astype(float) / options.temperature)
    assert len(set(ids.tolist())) == len(ids) >= 1
    assert kept.sum() == pytest.approx(1)
    assert kept == pytest.approx(whole[ids] / whole[ids].sum())
    others = np.delete(whole, ids)
    assert whole[ids].min() >= others.max(initial=0) * (1 - 1e-9)
    if options.top_k:
        assert len(ids) <= options.top_k
    assert (kept >= options.min_p * kept.max() * (1 - 1e-9)).all()
    # without its least probable one, the rest does not reach top_p of what top_k left
    first = np.sort(whole)[::-1][: options.top_k or None]
    assert (first / first.sum())[: len(ids) - 1].sum() < options.top_p + 1e-9


@given(LOGITS, st.floats(0.1, 3))
def test_without_bounds_it_is_the_softmax(logits: np.ndarray[Any, Any], temperature: float) -> None:
    ids, kept = distribution(logits.astype(float), Sampling(temperature=temperature))
    made = np.zeros(len(logits))
    made[ids] = kept
    assert made == pytest.approx(softmax(logits.astype(float) / temperature), abs=1e-12)


@pytest.mark.parametrize("top_p", [0.3, 0.999])
def test_top_p_of_many_tokens_equals_sorting_them_all(top_p: float) -> None:
    logits = np.random.default_rng(0).normal(size=4 * FIRST_SORTED)
    ids, _ = distribution(logits, Sampling(temperature=1, top_p=top_p))
    order = np.argsort(-logits)
    wanted = int((np.cumsum(softmax(logits)[order]) < top_p).sum()) + 1
    assert ids.tolist() == order[:wanted].tolist()


def test_it_is_drawn_as_often_as_it_is_probable() -> None:
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    sampler = Sampler(Sampling(temperature=1, top_k=3, seed=7))
    counts = np.bincount([sampler.choose(logits) for _ in range(4000)], minlength=4)
    wanted = np.array([0.5, 0.3, 0.15, 0]) / 0.95
    assert counts[3] == 0
    assert np.abs(counts / 4000 - wanted).max() < 0.03


@given(LOGITS, OPTIONS, st.integers(-5, 2**40))
def test_a_seed_is_all_there_is_to_it(logits: np.ndarray[Any, Any], options: Sampling, seed: int) -> None:
    from dataclasses import replace

    first, second = (Sampler(replace(options, seed=seed)) for _ in range(2))
    assert [first.choose(logits) for _ in range(5)] == [second.choose(logits) for _ in range(5)]


@given(LOGITS, OPTIONS)
def test_greedy_and_masks(logits: np.ndarray[Any, Any], options: Sampling) -> None:
    assert Sampler(Sampling()).choose(logits) == int(logits.argmax())
    for only in range(len(logits)):
        allowed = np.arange(len(logits)) == only
        assert Sampler(options).choose(logits, allowed) == only


def test_penalties() -> None:
    logits = np.array([2.0, 1.0, -1.0, 0.0])
    sampler = Sampler(Sampling(repetition_penalty=2.0), prompt=[0, 2])
    assert sampler.changed(logits).tolist() == [1.0, 1.0, -2.0, 0.0]
    sampler = Sampler(Sampling(frequency_penalty=0.5, presence_penalty=0.25, bias={3: 9.0}), prompt=[1])
    assert sampler.changed(logits).tolist() == [2.0, 1.0, -1.0, 9.0]  # the prompt does not count
    assert [sampler.choose(logits) for _ in range(2)] == [3, 3]
    assert sampler.changed(logits).tolist() == [2.0, 1.0, -1.0, 7.75]
    assert logits.tolist() == [2.0, 1.0, -1.0, 0.0]


@given(LOGITS)
def test_log_probabilities_are_those_of_the_model(logits: np.ndarray[Any, Any]) -> None:
    assert np.exp(log_probabilities(logits)) == pytest.approx(softmax(logits), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"temperature": -1}, "temperature is -1, and a number from 0 to 100"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"top_p": 1.5}, "top_p is 1.5"),
        ({"top_k": -1}, "top_k is -1"),
        ({"top_k": 1.0}, "top_k is 1.0"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"repetition_penalty": 1e-300}, "repetition_penalty is 1e-300, and a number from 0.01 to 100"),
        ({"min_p": True}, "min_p is True"),
    ],
)
def test_wrong_options_are_said(options: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Sampling(**options)


def test_tokens_that_cannot_come_are_never_drawn_of_all() -> None:
    logits = np.array([-np.inf, 0.0, -np.inf, math.log(3), -np.inf])
    drawn = Counter(
        Sampler(Sampling(temperature=1.0, seed=seed)).choose(logits) for seed in range(400)
    )  # one in four is the first of both
    assert set(drawn) == {1, 3}
    assert 60 < drawn[1] < 140


@pytest.mark.parametrize("options", [{}, {"top_p": 0.9}, {"min_p": 1.0}, {"top_k": 10**30}])
def test_next_to_no_temperature_is_the_most_probable_token(options: Any) -> None:
    logits = np.array([1.0, -500.0, 1.01, 0.0], np.float32)
    with np.errstate(all="raise", under="ignore"):
        assert Sampler(Sampling(temperature=5e-324, seed=1, **options)).choose(logits) == 2


def test_a_broken_model_is_said() -> None:
    with pytest.raises(ValueError, match="NaN"):
        Sampler(Sampling()).choose(np.array([1.0, np.nan]))
