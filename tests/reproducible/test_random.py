"""Random numbers of a seed: these and no others, and random enough."""

from __future__ import annotations

import hashlib

import numpy as np

from saccade.reproducible import Draws


def test_a_seed_means_these_numbers() -> None:
    draws = Draws(7)
    digest = hashlib.blake2b(digest_size=8)
    for values in (draws.uniform(100), draws.normal(100), np.array(draws.below(10, 50)), draws.order(30)):
        digest.update(np.asarray(values, np.float64).tobytes())
    assert digest.hexdigest() == "8a14bdb14891b2bb"


def test_seeds_and_places_differ() -> None:
    assert len({float(Draws(seed).uniform()) for seed in (0, 1, 2**31, 2**32, 2**33, 2**62)}) == 6
    draws = Draws(3)
    assert len(set(draws.uniform(500).tolist()) | set(draws.uniform(500).tolist())) == 1000


def test_the_distributions_are_theirs() -> None:
    draws = Draws(11)
    uniform, normal = draws.uniform(20000), draws.normal(20000)
    assert 0 <= uniform.min() <= uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.01
    assert abs(uniform.var() - 1 / 12) < 0.003
    assert abs(normal.mean()) < 0.03
    assert abs(normal.var() - 1) < 0.04
    assert abs((np.abs(normal) < 1).mean() - 0.6827) < 0.01
    assert np.bincount(draws.below(4, 4000), minlength=4).min() > 900
    assert sorted(draws.order(50).tolist()) == list(range(50))
