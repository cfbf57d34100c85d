"""Rotation error is an angle, up to the symmetry and no further."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.world.symmetry.symmetry import (
    Symmetry,
    about,
    dihedral,
    generated,
    polyhedral,
    rotation_about,
    rotation_error,
)

AXIS = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1)
ANGLE = st.floats(0, np.pi)


@given(AXIS, ANGLE, AXIS, st.floats(-3, 3))
def test_error_is_the_angle_between(axis, angle, other_axis, other_angle):
    true = rotation_about(other_axis, other_angle)
    assert rotation_error(true @ rotation_about(axis, angle), true) == pytest.approx(angle, abs=1e-6)


@given(st.floats(-3, 3), AXIS, st.floats(-3, 3))
def test_turns_about_the_axis_are_free(angle, axis, other):
    can = Symmetry(axis=(0.0, 1.0, 0.0))
    true = rotation_about(axis, other)
    assert rotation_error(true @ rotation_about((0, 1, 0), angle), true, can) == pytest.approx(0, abs=1e-6)
    tilted = true @ rotation_about((0, 1, 0), angle) @ rotation_about((1, 0, 0), 0.4)
    assert rotation_error(tilted, true, can) == pytest.approx(0.4, abs=1e-6)


def test_with_an_axis_it_is_the_least_over_all_turns():
    rng = np.random.default_rng(0)
    for _ in range(5):
        estimate = rotation_about(rng.normal(size=3), rng.uniform(0, 3))
        least = min(
            float(rotation_error(estimate @ rotation_about((0, 0, 1), a), np.eye(3)))
            for a in np.linspace(0, 2 * np.pi, 2000)
        )
        assert rotation_error(estimate, np.eye(3), Symmetry(axis=(0.0, 0.0, 1.0))) == pytest.approx(
            least, abs=1e-3
        )


def test_discrete_groups():
    box = generated(rotation_about((1, 0, 0), np.pi), rotation_about((0, 1, 0), np.pi))
    assert len(box) == 4
    assert len(generated(rotation_about((1, 0, 0), np.pi / 2), rotation_about((0, 1, 0), np.pi / 2))) == 24
    assert len(about((0, 1, 0), 6)) == 6
    true = rotation_about((1, 2, 3), 0.7)
    assert rotation_error(true @ box[3], true, Symmetry(rotations=box)) == pytest.approx(0, abs=1e-7)
    assert rotation_error(
        true @ rotation_about((0, 0, 1), np.pi / 2), true, Symmetry(rotations=box)
    ) == pytest.approx(np.pi / 2)
    with pytest.raises(ValueError, match="120"):
        generated(rotation_about((1, 0, 0), 1.0))
    assert Symmetry().is_trivial
    assert not Symmetry(axis=(0.0, 1.0, 0.0)).is_trivial
    assert not Symmetry(every=True).is_trivial


def test_a_ball_is_never_turned_wrongly():
    true = np.stack([rotation_about((1, 0, 0), a) for a in (0.1, 0.2)])
    assert rotation_error(np.eye(3), true, Symmetry(every=True)).tolist() == [0, 0]


def test_groups_of_solids_are_closed():
    groups = [*polyhedral(), dihedral((1, 2, 3), (3, 0, -1), 5), about((1, 2, 3), 7)]
    assert [len(group) for group in groups] == [60, 60, 24, 12, 10, 7]
    for group in map(np.asarray, groups):
        products = np.einsum("aij,bjk->abik", group, group).reshape(-1, 3, 3)
        assert np.abs(products[:, None] - group).max(axis=(2, 3)).min(axis=1).max() < 1e-9


def test_batches():
    true = np.stack([rotation_about((1, 0, 0), a) for a in (0.1, 0.2)])
    assert rotation_error(np.broadcast_to(np.eye(3), (2, 3, 3)), true) == pytest.approx([0.1, 0.2])
