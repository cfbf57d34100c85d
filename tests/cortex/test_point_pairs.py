"""Pairs of percepts say where an object is, whatever was believed before."""

from __future__ import annotations

import numpy as np

from saccade.cortex.fitting.point_pairs import NodePairs, pair_features
from saccade.cortex.fitting.settle import settle
from saccade.cortex.fitting.surface import percepts_of
from saccade.world.symmetry.symmetry import rotation_about, rotation_error
from tests.cortex.test_settle import REACH, SHIFT, TRUTH, felt, model


def test_features_of_a_pair_are_those_of_the_pair_moved() -> None:
    random = np.random.default_rng(0)
    points = random.normal(size=(2, 9, 9))
    points[..., 3:6] /= np.linalg.norm(points[..., 3:6], axis=-1, keepdims=True)
    moved = points.copy()
    moved[..., :3] = points[..., :3] @ TRUTH.T + SHIFT
    moved[..., 3:6] = points[..., 3:6] @ TRUTH.T
    np.testing.assert_allclose(pair_features(*moved), pair_features(*points), atol=1e-12)


def test_one_of_the_poses_is_near_the_truth_and_all_are_poses() -> None:
    surface = model(0.25, True)
    poses = NodePairs.of(surface.fine.nodes).poses(percepts_of(felt(0.25, True)), REACH)
    turns = poses[:, :9].reshape(-1, 3, 3)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0, atol=1e-9)
    off = np.degrees(rotation_error(turns, TRUTH))
    away = np.linalg.norm(poses[:, 9:] - SHIFT, axis=1)
    assert ((off < 20) & (away < 0.02)).any()


def test_fewer_than_two_percepts_say_nothing() -> None:
    pairs = model(0.25, True).pairs
    assert pairs.poses(percepts_of(felt(0.25, True, 1)), REACH).shape == (0, 12)
    assert pairs.poses(percepts_of(felt(0.25, True, 0)), REACH).shape == (0, 12)


def test_a_pose_at_a_wrong_place_is_left() -> None:
    """Turns of it about the middle of the model are as far away, and nothing is within reach there."""
    wrong = np.concatenate([(rotation_about((3, 1, 0), 2.0) @ TRUTH).reshape(9), SHIFT + 0.25])[None]
    best = settle(percepts_of(felt(0.25, True)), model(0.25, True), wrong).poses[0]
    assert np.degrees(rotation_error(best.rotation, TRUTH)) < 8
    assert np.linalg.norm(best.shift - SHIFT) < 0.006
