"""Random numbers that belong to rows: known answers, independence from batching, moments."""

import numpy as np
import pytest

from saccade.cortex.row_random import RowKey, Stream, normal, uniform
from saccade.reproducible.random import philox


def key(episodes, steps, seed=11):
    return RowKey(seed, np.asarray(episodes), np.asarray(steps))


@pytest.mark.parametrize(
    ("counter", "words", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (
            (0xFFFFFFFF,) * 4,
            (0xFFFFFFFF, 0xFFFFFFFF),
            (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
        ),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_published_answers(counter, words, expected):
    out = philox(tuple(np.array([c], np.uint64) for c in counter), words)
    assert [int(w[0]) for w in out] == list(expected)


def test_a_row_draws_the_same_wherever_it_is():
    many = key([5, 9, 1000, 7], [0, 3, 3, 12])
    for draw in (uniform, normal):
        together = draw(many, Stream.HEADING, 4, 2)
        for row in (2, 0, 3):
            alone = draw(key([many.episode[row]], [many.step[row]]), Stream.HEADING, 4, 2)
            np.testing.assert_array_equal(alone[0], together[row])


def test_seed_episode_step_and_stream_all_matter():
    base = uniform(key([1], [1]), Stream.HEADING, 8)
    for other in (key([2], [1]), key([1], [2]), key([1], [1], seed=12), key([1], [1], seed=11 + 2**40)):
        assert not np.any(uniform(other, Stream.HEADING, 8) == base)
    assert not np.any(uniform(key([1], [1]), Stream.ACTION, 8) == base)


def test_asking_for_more_keeps_the_first_ones():
    np.testing.assert_array_equal(uniform(key([3], [4]), 1, 10)[:, :3], uniform(key([3], [4]), 1, 3))


def test_moments():
    draws = normal(key(np.arange(2000), np.zeros(2000, int)), Stream.PERCEPT_NOISE, 50)
    assert abs(draws.mean()) < 0.01
    assert abs(draws.std() - 1) < 0.01
    assert abs((draws**4).mean() - 3) < 0.1
    flat = uniform(key(np.arange(2000), np.zeros(2000, int)), 3, 50)
    assert flat.min() >= 0
    assert flat.max() < 1
    assert abs(flat.var() - 1 / 12) < 1e-3
    assert abs(np.corrcoef(flat[:, 0], flat[:, 1])[0, 1]) < 0.08


def test_a_key_out_of_range_is_refused():
    with pytest.raises(ValueError, match=r"episode must lie in \[0, 2\*\*32\)"):
        key([-1], [0])
    with pytest.raises(ValueError, match="one value per row"):
        key([1, 2], [0])
