"""The feature-change filter as a tensor program against the one of the host."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.cortex.bank.program import Program
from saccade.cortex.rows import take_rows, where_rows
from saccade.cortex.sense import ChangeMemory, ChangeThresholds, Sensation, pass_changes
from saccade.cortex.sense.change_program import MEMORY, ResidentChanges, passed
from saccade.cortex.sense.noise_program import Percept

ROWS, SENSORS = 5, 2
#: what presets ask for, and each of the conditions by itself
NOBODY = ChangeThresholds(distance=None, steps=None, hsv=None, normal_angle=None, curvatures_log=None)
THRESHOLDS = [
    ChangeThresholds(),
    ChangeThresholds(distance=0.005, steps=2),
    ChangeThresholds(None, 3, None, None, None),
    ChangeThresholds(None, None, (0.1, 0.2, 0.2), 0.3, (1.0, 0.5)),
    NOBODY,
]


@cache
def program(thresholds: ChangeThresholds) -> Program[..., tuple[Tensor, Tensor]]:
    def filtered(numbers: Tensor, usable: Tensor, memory: Tensor, fresh: Tensor) -> tuple[Tensor, Tensor]:
        x, y, z, a, b, c, hue, saturation, value, k1, k2 = (numbers[:, i] for i in range(11))
        nothing = (x * 0.0, x * 0.0, x * 0.0)
        felt = Percept((x, y, z), ((a, b, c), nothing, nothing), (hue, saturation, value), (k1, k2), usable)
        return passed(thresholds, felt, usable, memory, fresh)

    return Program(partial(filtered))


def sensation(seed: int, scale: float) -> Sensation:
    """Near the one before or far from it, some unusable; hues on both sides of 0."""
    rng = np.random.default_rng(seed)
    lead = (ROWS, SENSORS)
    vectors = np.zeros((*lead, 3, 3))
    vectors[..., 0, :] = np.array([0.0, 0.0, 1.0]) + scale * rng.normal(size=(*lead, 3))
    vectors[..., 0, :] /= np.linalg.norm(vectors[..., 0, :], axis=-1, keepdims=True)
    hsv = 0.5 + 0.1 * scale * rng.normal(size=(*lead, 3))
    hsv[..., 0] = np.mod(0.1 * scale * rng.normal(size=lead), 1.0)
    zeros = np.zeros(lead)
    return Sensation(
        location=0.01 * scale * rng.normal(size=(*lead, 3)),
        pose_vectors=vectors,
        pose_fully_defined=np.ones(lead, bool),
        hsv=hsv,
        curvatures=np.zeros((*lead, 2)),
        curvatures_log=2.0 * scale * rng.normal(size=(*lead, 2)),
        on_object=np.ones(lead, bool),
        usable=rng.random(lead) < 0.8,
        confidence=zeros,
        coverage=zeros,
        inward=np.zeros((*lead, 3)),
        depth=zeros,
    )


def on_device(
    thresholds: ChangeThresholds, felt: Sensation, memory: Tensor, fresh: np.ndarray
) -> tuple[np.ndarray, Tensor]:
    parts = [felt.location, felt.normal, felt.hsv, felt.curvatures_log]
    numbers = np.concatenate(parts, axis=-1).reshape(ROWS * SENSORS, -1)
    begun = np.repeat(fresh, SENSORS)
    arrays = (Tensor(numbers), Tensor(felt.usable.reshape(-1)), memory, Tensor(begun))
    news, memory = program(thresholds)(*arrays)
    return news.numpy().reshape(ROWS, SENSORS), memory


@pytest.mark.parametrize("thresholds", THRESHOLDS)
@settings(max_examples=25, deadline=None)
@given(
    looks=st.lists(
        st.tuples(
            st.integers(0, 2**32 - 1),
            st.sampled_from([0.05, 0.3, 0.6, 1.0, 3.0]),
            st.integers(0, 2**ROWS - 1),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_sequences_pass_the_same_percepts(
    thresholds: ChangeThresholds, looks: list[tuple[int, float, int]]
) -> None:
    """Whatever comes, with rows that begin anew in between; and the memories agree after each step."""
    host = ChangeMemory.empty(ROWS, SENSORS)
    memory = ResidentChanges.empty(ROWS, SENSORS, None).memory
    for number, (seed, scale, begun) in enumerate(looks):
        fresh = np.array([number == 0 or begun >> row & begun >> (row + 1) & 1 for row in range(ROWS)], bool)
        host = where_rows(fresh, ChangeMemory.empty(ROWS, SENSORS), host)
        felt = sensation(seed, scale)
        wanted, host = pass_changes(felt, host, thresholds)
        news, memory = on_device(thresholds, felt, memory, fresh)
        np.testing.assert_array_equal(news, wanted)
        found = ResidentChanges(memory, SENSORS).read(ROWS)
        np.testing.assert_array_equal(found.begun, host.begun)
        np.testing.assert_array_equal(found.held, host.held)
        for name in ("location", "normal", "hsv", "curvatures_log"):
            here = host.begun[..., None]
            np.testing.assert_array_equal(
                np.where(here, getattr(found, name), 0), np.where(here, getattr(host, name), 0)
            )


def test_nothing_but_the_first_is_news_where_nothing_counts() -> None:
    felt = sensation(0, 3.0)
    fresh = np.ones(ROWS, bool)
    first, memory = on_device(NOBODY, felt, ResidentChanges.empty(ROWS, SENSORS, None).memory, fresh)
    second, _ = on_device(NOBODY, felt, memory, ~fresh)
    assert first.any()
    assert not second[first].any()


def test_memory_goes_to_the_device_and_back_with_the_rows_that_are_kept() -> None:
    host = ChangeMemory.empty(ROWS, SENSORS)
    for seed in range(3):
        _, host = pass_changes(sensation(seed, 1.0), host, ChangeThresholds())
    there = ResidentChanges.of(host, room=8, device=None)
    assert there.memory.shape == (8 * SENSORS, MEMORY)
    rows = np.array([3, 0])
    once = there.kept(np.array([4, 3, 0])).kept(np.array([1, 2]))
    for found in (once.read(2), ResidentChanges(once.in_room(4), SENSORS).read(2)):
        for name, wanted in vars(take_rows(host, rows)).items():
            np.testing.assert_array_equal(getattr(found, name), wanted, err_msg=name)
