"""Poses are told apart where they differ, and not where the model is its own mirror."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.cortex.fitting.settle import Placed
from saccade.cortex.fitting.surface import Level
from saccade.cortex.fitting.telling import OWN, is_own_symmetry, telling
from tests.cortex.test_settle import REACH, SHIFT, TRUTH, half_turned, model

TRUE_POSE = Placed(TRUTH, SHIFT, 0.0)


def test_two_poses_are_told_apart_where_they_differ() -> None:
    """The label is on one side of one of them, and there the other has none."""
    surface = model(0.0, True)
    ((place, normal),) = telling((surface, TRUE_POSE), (surface, half_turned(2)))
    labelled = [pose.rotation @ normal @ [0.7, 0.5, 0.5] > 0 for pose in (TRUE_POSE, half_turned(2))]
    assert labelled.count(True) == 1
    on_surface = TRUTH @ place + SHIFT
    assert np.linalg.norm(surface.fine.nodes[:, :3] - on_surface, axis=1).min() < 0.01


def test_several_places_are_apart_and_those_seen_are_left_out() -> None:
    surface = model(0.25, True)
    pair = (surface, TRUE_POSE), (surface, half_turned(2))
    places = [place for place, _ in telling(*pair, most=3)]
    others = [place for place, _ in telling(*pair, most=3, seen=places)]
    assert len(places) == len(others) == 3
    every = np.array([*places, *others])
    apart = np.linalg.norm(every[:, None] - every, axis=-1)[~np.eye(6, dtype=bool)]
    assert apart.min() >= 0.5 * REACH


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(("bump", "label"), [(0.0, False), (0.25, False), (0.0, True)])
def test_a_half_turn_is_a_symmetry_of_a_plain_egg_alone(
    axis: int, bump: float, label: bool, even: bool
) -> None:
    """No look can tell the turns of a plain egg apart, and one at its bump or its label can."""
    plain = not (bump or label)
    assert is_own_symmetry(model(bump, label, even), TRUE_POSE, half_turned(axis)) is plain


def test_what_lies_apart_is_told_by_a_few_nodes() -> None:
    """And what is told is what all nodes tell."""
    surface, told = model(0.25, True), list[bool]()
    fine, every = surface.fine, len(surface.some)
    own = surface.some.copy()
    own[:, :3], own[:, 3:6] = (own[:, :3] - SHIFT) @ TRUTH, own[:, 3:6] @ TRUTH
    for push in (0.0, 0.002, 0.004, 0.008, 0.1):
        moved = Placed(TRUTH, SHIFT + [0.0, push, 0.0], 0.0)
        away = own.copy()
        away[:, :3] -= [0.0, push, 0.0] @ TRUTH
        cost = [fine.each(own, moved.packed), fine.each(away, TRUE_POSE.packed)]
        wanted = fine.strangers(np.concatenate(cost)) <= fine.own_strangers + OWN
        told.append(is_own_symmetry(surface, TRUE_POSE, moved))
        assert told[-1] == wanted
        counted = [fine.count_strangers(own, moved.packed, fine.scales[5], most) for most in (5, every)]
        strange = np.count_nonzero(cost[0] > 0.5 * fine.scales[5])
        assert counted == [min(strange, 6), strange]
    assert told[0]
    assert not told[-1]


def test_with_fewer_nodes_more_of_them_are_strangers_to_the_rest() -> None:
    nodes = model(0.0, False).fine.nodes
    shares = [Level.of(nodes[::every], REACH, True).own_strangers for every in (1, 8, 40)]
    assert shares == sorted(shares)
    assert shares[0] < 0.01 < 0.5 < shares[-1]
