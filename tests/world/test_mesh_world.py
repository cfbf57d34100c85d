"""The contract of `World`: masks, swaps, noise per row, actions."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.world import (
    Actions,
    DepthNoise,
    MeshWorld,
    Placement,
    Pose,
    Scene,
    builtin_objects,
    distant_rig,
    good_view,
    standing_back,
    viewfinder,
    yaw_pitch,
)  # fmt: skip

THINGS = builtin_objects(("mug", "bowl", "die"))


def filled(rows=3, noise=None):
    world = MeshWorld(THINGS, distant_rig(2), rows, noise)
    scenes = [Scene((Placement(name),), seed=7 + i) for i, name in enumerate(("mug", "bowl", "die"))][:rows]
    return world, scenes, world.reset(np.ones(rows, bool), scenes, standing_back(rows))


def test_shapes():
    _, _, seen = filled()
    assert seen.depth.shape == (3, 2, 16, 16) == seen.on_object.shape == seen.object.shape
    assert seen.rgb.shape == (3, 2, 16, 16, 3) == seen.points.shape
    assert seen.sensor.position.shape == (3, 2, 3)
    assert seen.sensor.rotation.shape == (3, 2, 3, 3)
    assert seen.on_object.any(axis=(1, 2, 3)).all()


def test_reset_touches_only_the_masked_rows():
    world, _, before = filled(noise=DepthNoise(sigma=0.001))
    mask = np.array([False, True, False])
    after = world.reset(mask, [None, Scene((Placement("mug"),), seed=1), None], standing_back(3, 0.25))
    for row in (0, 2):
        assert np.array_equal(before.depth[row], after.depth[row])
    assert not np.array_equal(before.depth[1], after.depth[1])


def test_kept_rows_see_what_they_saw_among_the_others():
    kept = np.array([2, 0])
    turn = yaw_pitch(np.array([0.01, 0.02, 0.03]), np.zeros(3))
    among, alone = (filled(noise=DepthNoise(sigma=0.001))[0] for _ in range(2))
    alone.keep(kept)
    assert alone.rows == 2
    assert [scene.objects[0].name for scene in alone.scenes] == ["die", "mug"]
    expected = among.step(Actions.relative(rotation=turn))
    seen = alone.step(Actions.relative(rotation=turn[kept]))
    for name in ("depth", "rgb", "points", "on_object", "object"):
        assert np.array_equal(getattr(seen, name), getattr(expected, name)[kept])


def test_beginning_and_moving_share_a_look():
    turn = Actions.relative(rotation=yaw_pitch(np.array([0.01, 0.02, 0.03]), np.zeros(3)))
    begun, again = np.array([False, True, False]), [None, Scene((Placement("mug"),), seed=1), None]
    one, two = (filled(noise=DepthNoise(sigma=0.001))[0] for _ in range(2))
    one.step(turn)
    apart = one.reset(begun, again, standing_back(3, 0.25))
    together = two.reset(begun, again, standing_back(3, 0.25), turn)
    for name in ("depth", "rgb", "points", "on_object", "object"):
        assert np.array_equal(getattr(apart, name), getattr(together, name))


def test_swap_keeps_the_pose():
    world, _, _ = filled()
    moved = world.step(Actions.relative(rotation=yaw_pitch(np.full(3, 0.02), np.zeros(3))))
    world.place(np.array([True, False, False]), [Scene((Placement("die"),)), None, None])
    swapped = world.step(Actions.stay(3))
    assert np.array_equal(moved.agent.position, swapped.agent.position)
    assert np.array_equal(moved.depth[1:], swapped.depth[1:])
    assert not np.array_equal(moved.depth[0], swapped.depth[0])


def test_noise_is_a_function_of_seed_and_step_alone():
    world, scenes, first = filled(noise=DepthNoise(sigma=0.001))
    second = world.step(Actions.stay(3))
    assert not np.array_equal(first.depth, second.depth)
    again = world.reset(np.ones(3, bool), scenes, standing_back(3))
    assert np.array_equal(first.depth, again.depth)
    alone = MeshWorld(THINGS, distant_rig(2), 1, DepthNoise(sigma=0.001))
    single = alone.reset(np.ones(1, bool), scenes[1:2], standing_back(1))
    assert np.array_equal(single.depth[0], first.depth[1])


def test_noisy_points_agree_with_noisy_depth():
    _, _, seen = filled(noise=DepthNoise(sigma=0.002, missing=0.2))
    inside = (
        np.swapaxes(seen.sensor.rotation, -1, -2)[:, :, None, None]
        @ (seen.points - seen.sensor.position[:, :, None, None])[..., None]
    )
    assert np.allclose(-inside[..., 2, 0], seen.depth)
    assert (seen.object[~seen.on_object] == -1).all()


def test_jump_and_relative_actions_mix_by_row():
    world, _, _ = filled()
    start = world.agent
    goal = standing_back(3, 0.2)
    actions = Actions.jump(goal).where(np.array([True, False, False]), Actions.stay(3))
    world.step(actions)
    assert np.allclose(world.agent.position[0], goal.position[0])
    assert np.allclose(world.agent.position[1:], start.position[1:])


def test_a_look_changes_nothing():
    world, _, first = filled(noise=DepthNoise(sigma=0.001))
    world.look(viewfinder(20))
    world.reset(np.zeros(3, bool), [None] * 3, standing_back(3))
    again = world.reset(np.zeros(3, bool), [None] * 3, standing_back(3))
    assert np.array_equal(first.depth, again.depth)


def test_good_view_finds_every_object_off_to_the_side():
    world = MeshWorld(THINGS, distant_rig(), 3)
    scenes = [Scene((Placement(n, (0.1, -0.05, 0.02)),)) for n in ("mug", "bowl", "die")]
    world.reset(np.ones(3, bool), scenes, standing_back(3, 0.5))
    pose, found = good_view(world, world.agent, 0.3)
    assert found.all()
    seen = world.step(Actions.jump(pose))
    assert seen.on_object[:, 0, 7:9, 7:9].all()
    nearest = np.where(seen.on_object, seen.depth, np.inf).min(axis=(1, 2, 3))
    assert (nearest > 0.25).all()
    assert (nearest < 0.37).all()


def test_good_view_says_so_when_nothing_is_there():
    world = MeshWorld(THINGS, distant_rig(), 1)
    world.reset(np.ones(1, bool), [Scene((Placement("mug", (0, 0, 9)),))], standing_back(1))
    pose, found = good_view(world, world.agent, 0.3)
    assert not found.any()
    assert np.array_equal(pose.position, world.agent.position)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: MeshWorld([], distant_rig()), "at least one object"),
        (lambda: MeshWorld([THINGS[0], THINGS[0]], distant_rig()), "'mug'"),
        (lambda: MeshWorld(THINGS, distant_rig(), 0), "at least one row"),
        (lambda: filled()[0].place(np.ones(3, bool), [Scene((Placement("mag"),))] * 3), "did you mean 'mug'"),
        (lambda: filled()[0].place(np.ones(2, bool), [None, None]), "3 rows"),
        (lambda: filled()[0].place(np.ones(3, bool), [None, None, None]), "row 0"),
        (lambda: Actions.relative(), "translation"),
    ],
)
def test_mistakes_are_named(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()


def test_poses_compose_and_invert():
    rng = np.random.default_rng(0)
    pose = Pose(rng.normal(size=(4, 3)), yaw_pitch(rng.normal(size=4), rng.normal(size=4)))
    other = Pose(rng.normal(size=(4, 3)), yaw_pitch(rng.normal(size=4), rng.normal(size=4)))
    points = rng.normal(size=(4, 3))
    assert np.allclose((pose @ other).apply(points), pose.apply(other.apply(points)))
    same = pose.inverse() @ pose
    assert np.allclose(same.position, 0)
    assert np.allclose(same.rotation, np.eye(3))
