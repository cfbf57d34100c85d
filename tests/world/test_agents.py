"""Motions are rotations, keep what they promise to keep, and a surface agent stays on the surface."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saccade.world import (
    Actions,
    MeshWorld,
    Placement,
    Pose,
    Scene,
    builtin_objects,
    distant_rig,
    facing,
    forward,
    good_view,
    looking_at,
    sideways,
    standing_back,
    surface_rig,
    yaw_pitch,
)  # fmt: skip
from saccade.world.agents import inside, rotation_between

ANGLE = st.floats(-3, 3)
UNIT = st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)).filter(
    lambda v: np.linalg.norm(v) > 0.1
)


@given(ANGLE, ANGLE)
def test_yaw_pitch_is_a_rotation_with_the_stated_sense(yaw, pitch):
    turn = yaw_pitch(np.array([yaw]), np.array([pitch]))[0]
    assert np.allclose(turn @ turn.T, np.eye(3))
    assert np.linalg.det(turn) == pytest.approx(1)
    ahead = turn @ np.array([0, 0, -1.0])
    # left is -x, up is +y
    assert ahead == pytest.approx([-np.sin(yaw) * np.cos(pitch), np.sin(pitch), -np.cos(yaw) * np.cos(pitch)])


@given(UNIT, UNIT)
@example((0.0, 0.0, 1.0), (0.0, 1.6e-06, -1.0))
def test_rotation_between_takes_one_into_the_other(a, b):
    source, target = (np.array(v) / np.linalg.norm(v) for v in (a, b))
    turn = rotation_between(source[None], target[None])[0]
    assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-6)
    assert np.allclose(turn @ source, target, atol=1e-6)


def test_rotation_between_opposites():
    for axis in np.eye(3):
        turn = rotation_between(axis[None], -axis[None])[0]
        assert np.allclose(turn @ axis, -axis)
        assert np.linalg.det(turn) == pytest.approx(1)


def test_a_saccade_keeps_the_eye_point():
    agent = standing_back(2)
    moved = Actions.relative(rotation=yaw_pitch(np.array([0.1, -0.2]), np.array([0.05, 0.0]))).moved(agent)
    assert np.array_equal(moved.position, agent.position)


def test_facing_keeps_the_point_ahead_and_sees_it_head_on():
    agent = looking_at(np.array([[0.1, 0.2, 0.3]]), np.array([[0.0, 0.05, 0.02]]))
    normal = np.array([[0.3, -0.2, 0.9]])
    normal /= np.linalg.norm(normal)
    ahead = agent.apply(np.array([[0, 0, -0.07]]))
    world_normal = (agent.rotation @ normal[..., None])[..., 0]
    moved = facing(normal, np.array([0.07]), wanted=0.03).moved(agent)
    assert np.allclose(moved.apply(np.array([[0, 0, -0.03]])), ahead)
    assert np.allclose(moved.rotation[0, :, 2], world_normal[0])


def test_looking_at_looks_there_also_straight_down():
    eyes = np.array([[0.3, 0.1, 0.2], [0.0, 0.5, 0.0]])
    pose = looking_at(eyes, np.zeros((2, 3)))
    distance = np.linalg.norm(eyes, axis=1)
    assert np.allclose(pose.position - distance[:, None] * pose.rotation[:, :, 2], 0)
    assert np.allclose(pose.rotation @ np.swapaxes(pose.rotation, 1, 2), np.eye(3))


def test_forward_and_sideways_are_in_the_agent_frame():
    agent = Pose(np.zeros((1, 3)), yaw_pitch(np.array([np.pi / 2]), np.zeros(1)))
    assert np.allclose(
        Actions.relative(translation=forward(np.array([0.1]))).moved(agent).position, [[-0.1, 0, 0]]
    )
    right = Actions.relative(translation=sideways(np.zeros(1), np.array([0.1]))).moved(agent).position
    assert np.allclose(right, [[0, 0, -0.1]])


def test_sensors_look_where_the_rig_says():
    for rig, distance in ((distant_rig(5), 0.3), (surface_rig(5), 0.03)):
        centres = rig.mount.apply(np.broadcast_to(np.array([0, 0, -distance]), (5, 3)))
        gaps = np.linalg.norm(centres[1:] - centres[0], axis=1)
        assert np.allclose(gaps, gaps[0], rtol=0.05)
        assert 0.008 < gaps[0] < 0.02
        assert len(set(rig.names)) == 5


def test_inside_counts_layers():
    mask = np.zeros((1, 7, 7), bool)
    mask[0, 1:6, 1:6] = True
    assert inside(mask)[0, 3, 3] == 3
    assert inside(mask)[0, 0, 0] == 0
    assert inside(mask).max() == 3


def test_a_surface_agent_follows_the_surface():
    """Step, face, step, face: the patch stays on the object and the distance near the wanted one."""
    rng = np.random.default_rng(1)
    names = ("mug", "apple", "rubber_duck", "cereal_box")
    rows = len(names)
    world = MeshWorld(builtin_objects(names), surface_rig(), rows)
    world.reset(np.ones(rows, bool), [Scene((Placement(n),)) for n in names], standing_back(rows))
    pose, _ = good_view(world, world.agent, 0.03)
    seen = world.step(Actions.jump(pose))
    heading, on, off_by = rng.uniform(0, 6.28, rows), [], []
    for _ in range(60):
        normal = centre_normal(seen)
        centre = seen.on_object[:, 0, 8, 8]
        seen = world.step(facing(normal, seen.depth[:, 0, 8, 8], active=centre))
        on.append(seen.on_object[:, 0, 8, 8])
        off_by.append(np.abs(seen.depth[:, 0, 8, 8] - 0.03)[on[-1]])
        # having left the object, turn round
        heading = np.where(on[-1], heading + rng.normal(0, 0.2, rows), heading + np.pi)
        seen = world.step(Actions.relative(translation=sideways(heading, np.full(rows, 0.004))))
    assert np.mean(on) > 0.85
    assert np.median(np.concatenate(off_by)) < 0.002


def centre_normal(seen):
    """Normal of the middle of the first patch in the agent frame, from three points."""
    turn = np.swapaxes(seen.agent.rotation, -1, -2)
    middle, right, up = (seen.points[:, 0, i, j] for i, j in ((8, 8), (8, 10), (6, 8)))
    whole = seen.on_object[:, 0, 8, 10] & seen.on_object[:, 0, 6, 8]
    normal = (turn @ np.cross(right - middle, up - middle)[..., None])[..., 0]
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    return np.where(whole[:, None], normal, np.array([0.0, 0.0, 1.0]))
