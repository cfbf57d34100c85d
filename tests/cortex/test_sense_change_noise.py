"""The feature-change filter and the percept noise model."""

from dataclasses import fields, replace

import numpy as np
import pytest

from saccade.cortex.row_random import RowKey
from saccade.cortex.rows import where_rows
from saccade.cortex.sense import (
    ChangeMemory,
    ChangeThresholds,
    NoiseSettings,
    Sensation,
    add_noise,
    pass_changes,
    rotation_from_euler,
)


def sensation(rows=1, sensors=1, **changes):
    lead = (rows, sensors)
    base = Sensation(
        location=np.zeros((*lead, 3)),
        pose_vectors=np.broadcast_to(np.eye(3), (*lead, 3, 3)).copy(),
        pose_fully_defined=np.ones(lead, bool),
        hsv=np.full((*lead, 3), 0.5),
        curvatures=np.zeros((*lead, 2)),
        curvatures_log=np.zeros((*lead, 2)),
        on_object=np.ones(lead, bool),
        usable=np.ones(lead, bool),
        confidence=np.ones(lead),
        coverage=np.ones(lead),
        inward=np.zeros((*lead, 3)),
        depth=np.ones(lead),
    )
    return replace(
        base, **{name: np.broadcast_to(v, getattr(base, name).shape) for name, v in changes.items()}
    )


def second(thresholds, **changes):
    """Whether a second sensation that differs by `changes` is news."""
    _, memory = pass_changes(sensation(), ChangeMemory.empty(1, 1), thresholds)
    news, _ = pass_changes(sensation(**changes), memory, thresholds)
    return bool(news[0, 0])


ONLY = {"distance": None, "steps": None, "hsv": None, "normal_angle": None, "curvatures_log": None}


@pytest.mark.parametrize(
    ("threshold", "below", "above"),
    [
        ({"distance": 0.01}, {"location": [0, 0, 0.009]}, {"location": [0, 0, 0.011]}),
        ({"hsv": (0.1, 0.1, 0.1)}, {"hsv": [0.59, 0.59, 0.41]}, {"hsv": [0.61, 0.5, 0.5]}),
        ({"hsv": (0.1, 0.1, 0.1)}, {"hsv": [0.5, 0.5, 0.5]}, {"hsv": [0.5, 0.5, 0.35]}),
        (
            {"normal_angle": 0.5},
            {"pose_vectors": rotation_from_euler(np.array([0, 0, 0.49]))},
            {"pose_vectors": rotation_from_euler(np.array([0, 0, 0.51]))},
        ),
        ({"curvatures_log": (2.0, 3.0)}, {"curvatures_log": [1.9, -2.9]}, {"curvatures_log": [0, -3.1]}),
    ],
)
def test_each_threshold_decides_alone(threshold, below, above):
    thresholds = ChangeThresholds(**{**ONLY, **threshold})
    assert not second(thresholds, **below)
    assert second(thresholds, **above)


def test_hue_is_circular():
    thresholds = ChangeThresholds(**{**ONLY, "hsv": (0.1, 1.0, 1.0)})
    memory = ChangeMemory.empty(1, 1)
    _, memory = pass_changes(sensation(hsv=[0.97, 0.5, 0.5]), memory, thresholds)
    news, memory = pass_changes(sensation(hsv=[0.03, 0.5, 0.5]), memory, thresholds)
    assert not news[0, 0]
    news, _ = pass_changes(sensation(hsv=[0.09, 0.5, 0.5]), memory, thresholds)
    assert news[0, 0]


def test_change_is_measured_from_the_last_passed_not_the_last_seen():
    thresholds = ChangeThresholds(**{**ONLY, "distance": 0.01})
    memory = ChangeMemory.empty(1, 1)
    passed = []
    for step in range(12):
        news, memory = pass_changes(sensation(location=[0.004 * step, 0, 0]), memory, thresholds)
        passed.append(bool(news[0, 0]))
    assert [i for i, news in enumerate(passed) if news] == [0, 3, 6, 9]


def test_after_enough_held_back_one_passes_anyway():
    thresholds = ChangeThresholds(**{**ONLY, "steps": 4})
    memory = ChangeMemory.empty(1, 1)
    passed = []
    for _ in range(11):
        news, memory = pass_changes(sensation(), memory, thresholds)
        passed.append(bool(news[0, 0]))
    assert [i for i, news in enumerate(passed) if news] == [0, 5, 10]


def test_unusable_sensations_never_pass_and_are_not_remembered():
    thresholds = ChangeThresholds()
    news, memory = pass_changes(sensation(usable=False), ChangeMemory.empty(1, 1), thresholds)
    assert not news.any()
    assert not memory.begun.any()
    news, _ = pass_changes(sensation(), memory, thresholds)
    assert news.all()


def test_reset_is_a_mask_over_rows():
    thresholds = ChangeThresholds()
    _, memory = pass_changes(sensation(rows=3), ChangeMemory.empty(3, 1), thresholds)
    memory = where_rows(np.array([False, True, False]), ChangeMemory.empty(3, 1), memory)
    news, _ = pass_changes(sensation(rows=3), memory, thresholds)
    assert news[:, 0].tolist() == [False, True, False]


def key(episodes, step=0):
    return RowKey(3, np.asarray(episodes), np.full(len(episodes), step))


def test_noise_of_a_row_does_not_depend_on_the_batch_nor_of_a_sensor_on_the_others():
    settings = NoiseSettings()
    whole = add_noise(sensation(6, 3), settings, key([4, 8, 15, 16, 23, 42]))
    alone = add_noise(sensation(1, 2), settings, key([16]))
    for field in fields(whole):
        np.testing.assert_array_equal(getattr(whole, field.name)[3:4, :2], getattr(alone, field.name))
    assert not np.allclose(whole.location[:, 0], whole.location[:, 1])
    assert not np.allclose(
        whole.location[0], add_noise(sensation(1, 3), settings, key([4], step=1)).location[0]
    )


def test_noise_has_the_stated_size():
    settings = NoiseSettings(location=0.002, pose_degrees=2.0, hsv=0.1, curvatures_log=0.3, flag_flip=0.2)
    rows = 20_000
    noisy = add_noise(sensation(rows), settings, key(np.arange(rows)))
    assert noisy.location.mean(0) == pytest.approx(0, abs=1e-4)
    np.testing.assert_allclose(noisy.location.std(0), 0.002, rtol=0.03)
    np.testing.assert_allclose(noisy.hsv.std(0), 0.1, rtol=0.03)
    np.testing.assert_allclose(noisy.curvatures_log.std(0), 0.3, rtol=0.03)
    assert (~noisy.pose_fully_defined).mean() == pytest.approx(0.2, abs=0.01)
    tilt = np.degrees(np.arccos(np.clip(noisy.pose_vectors[:, 0, 0, 0], -1, 1)))
    # The first axis is tilted by the two rotations across it: a Rayleigh distribution.
    assert np.sqrt((tilt**2).mean()) == pytest.approx(2 * np.sqrt(2), rel=0.03)


def test_pose_stays_orthonormal():
    noisy = add_noise(sensation(100), NoiseSettings(pose_degrees=20.0), key(np.arange(100))).pose_vectors
    np.testing.assert_allclose(
        noisy @ noisy.swapaxes(-1, -2), np.broadcast_to(np.eye(3), noisy.shape), atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.det(noisy), 1)


def test_hue_wraps_and_unusable_sensations_are_left_alone():
    noisy = add_noise(sensation(500, hsv=[0.0, 0.5, 0.5]), NoiseSettings(hsv=0.1), key(np.arange(500)))
    hue = noisy.hsv[:, 0, 0]
    assert ((hue >= 0) & (hue < 1)).all()
    assert (hue > 0.7).mean() == pytest.approx(0.5, abs=0.1)
    still = sensation(5, usable=False)
    untouched = add_noise(still, NoiseSettings(), key(np.arange(5)))
    for field in fields(still):
        np.testing.assert_array_equal(getattr(untouched, field.name), getattr(still, field.name))


def test_noise_needs_one_key_row_per_row():
    with pytest.raises(ValueError, match="the key has 2 rows, the sensation 3"):
        add_noise(sensation(3), NoiseSettings(), key([1, 2]))


def test_rows_that_do_not_line_up_are_refused():
    with pytest.raises(ValueError, match="rows do not line up"):
        where_rows(np.ones(2, bool), ChangeMemory.empty(3, 1), ChangeMemory.empty(3, 1))
