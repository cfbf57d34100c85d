"""Compiled loops over poses find what array expressions find, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.cortex.fitting.flat import Poses, first_of_each, ranked
from saccade.cortex.fitting.pose_loops import (
    as_percepts,
    list_near,
    mean_around,
    most_telling,
    order_sums,
    turned,
)
from saccade.cortex.fitting.settle import _cheapest
from saccade.reproducible import apply, dot, matmul, total


@given(seed=st.integers(0, 1000), number=st.integers(1, 300), most=st.integers(1, 12))
def test_the_cheapest_of_each_claim_are_the_first_of_those_ranked(seed: int, number: int, most: int) -> None:
    """Claims without poses are left out; many poses cost the same."""
    random = np.random.default_rng(seed)
    poses = Poses(2 * np.sort(random.integers(0, 9, number)), random.normal(size=(number, 12)))
    cost = random.integers(0, 20, number) / 7
    order = ranked(poses.claim, cost)
    wanted = poses[order[first_of_each(poses.claim[order], most)]]
    found = _cheapest(poses, cost, most)
    np.testing.assert_array_equal(found.claim, wanted.claim)
    np.testing.assert_array_equal(found.values, wanted.values)


@pytest.mark.parametrize("number", [1, 2, 3, 7, 100, 401])
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "python"])
def test_means_of_what_is_near_are_added_up_by_halves(number: int, compiled: bool) -> None:
    random = np.random.default_rng(number)
    near = (random.random((number, number)) < 0.1) | np.eye(number, dtype=bool)
    costs, found = random.random(number), np.empty(number)
    starts = np.append(0, np.cumsum(np.count_nonzero(near, axis=1)))
    listed = np.ascontiguousarray(np.nonzero(near)[1])
    onto, added = np.empty_like(listed), np.empty_like(listed)
    ordering, adding = ((each if compiled else each.python) for each in (order_sums, mean_around))
    ordering(starts, listed, number, np.empty(number, np.int64), onto, added)
    adding(starts, listed, onto, added, number, costs, np.empty(number), found)
    np.testing.assert_array_equal(found, total(np.where(near, costs, 0.0)) / np.count_nonzero(near, axis=1))


def test_what_is_near_is_listed_in_order() -> None:
    points = np.random.default_rng(5).random((60, 9))
    away = points[:, None, :3] - points[:, :3]
    wanted = dot(away, away) < 0.09
    counts = np.zeros(61, np.int64)
    list_near(points, 60, 0.09, 0, counts, np.zeros(0, np.int64))
    np.testing.assert_array_equal(counts[1:], np.count_nonzero(wanted, axis=1))
    starts = np.cumsum(counts)
    listed = np.empty(int(starts[-1]), np.int64)
    list_near(points, 60, 0.09, 1, starts, listed)
    np.testing.assert_array_equal(listed, np.nonzero(wanted)[1])


def test_poses_are_turned_about_a_middle() -> None:
    random = np.random.default_rng(1)
    poses, turns, middle = random.normal(size=(4, 12)), random.normal(size=(9, 3, 3)), random.normal(size=3)
    found = np.empty((2, 9, 12))
    turned(poses, 1, 3, turns, 9, middle, found)
    for pose, several in zip(poses[1:3], found, strict=True):
        rotations = matmul(turns, pose[:9].reshape(3, 3)).reshape(-1, 9)
        np.testing.assert_array_equal(several[:, :9], rotations)
        np.testing.assert_array_equal(several[:, 9:], apply(turns, pose[9:] - middle) + middle)


def test_nodes_in_a_pose_are_percepts() -> None:
    random = np.random.default_rng(2)
    nodes, pose, found = random.normal(size=(57, 9)), random.normal(size=12), np.empty((57, 9))
    as_percepts(nodes, 57, pose, found)
    back = pose[:9].reshape(3, 3).T
    np.testing.assert_array_equal(found[:, :3], apply(back, nodes[:, :3] - pose[9:]))
    np.testing.assert_array_equal(found[:, 3:6], apply(back, nodes[:, 3:6]))
    np.testing.assert_array_equal(found[:, 6:], nodes[:, 6:])


@given(seed=st.integers(0, 1000), number=st.integers(0, 200), seen=st.integers(0, 4), most=st.integers(1, 5))
def test_the_most_telling_are_found_one_after_the_other(seed: int, number: int, seen: int, most: int) -> None:
    """Many are worth the same, and some nothing."""
    random = np.random.default_rng(seed)
    places, known = random.random((number, 9)), random.random((seen, 3))
    value, near = random.integers(0, 5, number) / 3, 0.04
    left, wanted = value.copy(), []

    def without(place: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        away = places[:, :3] - place
        return np.where(dot(away, away) < near, 0.0, left)

    for place in known:
        left = without(place)
    while len(wanted) < most and left.max(initial=0.0) > 0.0:
        wanted.append(int(np.argmax(left)))
        left = without(places[wanted[-1], :3])
    found = np.empty(most, np.int64)
    most_telling(places, number, known, seen, near, most, value, found)
    assert found.tolist() == [*wanted, *[-1] * (most - len(wanted))]
