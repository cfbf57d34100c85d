"""Motor policies: geometry of actions, closed loops over analytic surfaces, and rows that do not mix."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

from saccade.cortex.goals.goals import GoalBatch
from saccade.cortex.motor import (
    GoalDriven,
    Inhibition,
    MotorInput,
    RandomWalk,
    Replay,
    SpiralScan,
    SurfaceFollow,
    Visited,
    jump_to_goal,
    look_at_goal,
)
from saccade.cortex.motor.policy import look_at, place_sensor, spiral, spiral_leg_length
from saccade.cortex.row_random import RowKey
from saccade.cortex.rows import where_rows
from saccade.cortex.sense import sense
from saccade.reproducible import cosine_of, dot, norm, total
from saccade.world.agents import looking_at
from saccade.world.protocol import Actions, Pose

from . import patches

MOUNT = Pose(np.array([0.002, -0.001, 0.003]), np.eye(3))


def observe(field, agent, mount=MOUNT, size=12, field_of_view=0.3):
    """What one sensor per row feels of a closed-form object."""
    rows = len(agent.position)
    sensor = agent @ Pose(np.tile(mount.position, (rows, 1)), np.tile(mount.rotation, (rows, 1, 1)))
    points = np.stack(
        [
            patches.look(field, sensor.position[r], sensor.rotation[r], size, field_of_view)
            for r in range(rows)
        ]
    )[:, None]
    on = np.isfinite(points).all(-1)
    sensor = Pose(sensor.position[:, None], sensor.rotation[:, None])
    felt = sense(points, np.full(points.shape, 0.5), on, sensor.position, sensor.rotation)
    return MotorInput(felt, agent, sensor)


def run(policy, field, agent, steps, episodes=None, **view):
    rows = len(agent.position)
    episode = np.arange(rows) if episodes is None else np.asarray(episodes)
    state = policy.start(rows)
    trail = []
    for step in range(steps):
        seen = observe(field, agent, **view)
        trail.append(seen)
        actions, state = policy.act(state, seen, RowKey(5, episode, np.full(rows, step)))
        agent = actions.moved(agent)
    return trail, state


def start_at(*positions):
    eye = np.array(positions, float)
    return looking_at(eye, np.zeros_like(eye))


def assert_same(a, b):
    if is_dataclass(a):
        for f in fields(a):
            assert_same(getattr(a, f.name), getattr(b, f.name))
    else:
        np.testing.assert_allclose(a, b, atol=1e-9)


# -- geometry


def test_place_sensor_puts_the_sensor_there():
    agent = start_at([0.1, 0.2, 0.3], [0.0, -0.2, 0.1])
    seen = observe(patches.sphere(0.05), agent)
    target = Pose(np.array([[0.2, 0, 0], [0, 0.1, 0.3]]), patches.random_rotations(2, seed=0))
    moved = place_sensor(seen, 0, target).moved(agent) @ Pose(
        np.tile(MOUNT.position, (2, 1)), np.tile(np.eye(3), (2, 1, 1))
    )
    np.testing.assert_allclose(moved.position, target.position, atol=1e-12)
    np.testing.assert_allclose(moved.rotation, target.rotation, atol=1e-12)


def test_look_at_turns_in_place_until_the_point_is_ahead():
    agent = start_at([0.1, 0.2, 0.3], [0.0, -0.2, 0.1])
    seen = observe(patches.sphere(0.05), agent)
    point = np.array([[0.05, -0.1, 0.02], [-0.1, 0.1, -0.2]])
    turned = Actions.relative(rotation=look_at(seen, 0, point)).moved(agent)
    np.testing.assert_allclose(turned.position, agent.position)
    sensor = turned @ Pose(np.tile(MOUNT.position, (2, 1)), np.tile(np.eye(3), (2, 1, 1)))
    toward = point - sensor.position
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    np.testing.assert_allclose(np.sum(toward * -sensor.rotation[..., 2], axis=1), 1, atol=1e-9)


def test_spiral_visits_every_cell_of_a_square_once():
    left, up = spiral(np.arange(2 * 8 * 9 // 2 * 1))
    at = np.cumsum(np.stack([left, up], 1), axis=0)
    cells = {(0, 0)} | {(int(x), int(y)) for x, y in at}
    assert len(cells) == len(at) + 1
    assert spiral_leg_length(np.arange(7)).tolist() == [1, 1, 2, 2, 2, 2, 3]


# -- random walk


def test_random_walk_stays_with_the_object_and_moves():
    trail, _ = run(RandomWalk(np.radians(3)), patches.sphere(0.04), start_at([0, 0, 0.25], [0.1, 0, 0.2]), 60)
    on = np.array([seen.felt.on_object[:, 0] for seen in trail])
    assert on.mean() > 0.6
    # Never off twice in a row: the undone turn brings it back.
    assert not (~on[1:] & ~on[:-1]).any()
    places = np.array([seen.felt.location[:, 0] for seen in trail])
    for row in range(2):
        assert len(np.unique(places[on[:, row], row].round(6), axis=0)) > 15
    np.testing.assert_array_equal(trail[0].agent.position, trail[-1].agent.position)


def test_random_walk_undoes_the_turn_that_left_the_object():
    policy = RandomWalk(np.radians(4))
    trail, _ = run(policy, patches.sphere(0.02), start_at([0, 0, 0.25]), 40)
    on = np.array([seen.felt.on_object[0, 0] for seen in trail])
    left = np.flatnonzero(on[1:-2] & ~on[2:-1]) + 2
    assert len(left) > 0
    for t in left:
        np.testing.assert_allclose(trail[t + 1].agent.rotation, trail[t - 1].agent.rotation, atol=1e-9)


def test_random_walk_finds_an_object_in_the_corner_or_by_search():
    aside = looking_at(np.array([[0, 0, 0.25]]), np.array([[0.09, 0.02, 0.0]]))
    trail, _ = run(RandomWalk(np.radians(5)), patches.sphere(0.04), aside, 60)
    on = np.array([seen.felt.on_object[0, 0] for seen in trail])
    assert not on[0]
    assert on.any()


@pytest.mark.parametrize("policy", [RandomWalk(np.radians(5)), SurfaceFollow()])
def test_an_object_that_was_taken_away_is_searched_for(policy):
    agent = start_at([0, 0, 0.09])
    state = policy.start(1)
    found = []
    for step in range(60):
        here = np.zeros(3) if step < 5 else np.array([0.05, 0.01, 0.0])
        seen = observe(patches.sphere(0.02, here), agent)
        found.append(bool(seen.felt.usable[0, 0]))
        actions, state = policy.act(state, seen, RowKey(2, np.array([0]), np.array([step])))
        agent = actions.moved(agent)
    assert found[4]
    assert not found[5]
    assert any(found[6:])


# -- scan and replay


def test_scan_is_a_spiral_of_yaw_and_pitch_and_ends():
    policy = SpiralScan(amount=np.radians(10), limit=np.radians(40))
    agent = start_at([0, 0, 0.3])
    trail, state = run(policy, patches.sphere(0.05), agent, 20, size=6)
    forward = np.array([-seen.agent.rotation[0, :, 2] for seen in trail])
    assert len(np.unique(forward.round(9), axis=0)) == 13  # 1 + 1 + 1 + 2 + 2 + 3 + 3 steps
    assert state.finished[0]
    up = np.array([0, np.sin(np.radians(10)), -np.cos(np.radians(10))])
    np.testing.assert_allclose(forward[1], up, atol=1e-12)


def test_replay_takes_the_list_then_repeats_or_stays():
    moves = Actions.relative(translation=np.array([[0.1, 0, 0], [0, 0.2, 0]]))
    agent = start_at([0, 0, 0.3])
    trail, _ = run(Replay(moves), patches.sphere(0.05), agent, 4, size=6)
    np.testing.assert_allclose(trail[3].agent.position[0], [0.2, 0.2, 0.3], atol=1e-12)
    trail, _ = run(Replay(moves, repeat=False), patches.sphere(0.05), agent, 5, size=6)
    np.testing.assert_allclose(trail[4].agent.position[0], [0.1, 0.2, 0.3], atol=1e-12)
    with pytest.raises(ValueError, match="at least one action"):
        Replay(Actions.stay(0))


# -- surface following


def test_surface_agent_keeps_its_distance_and_faces_the_surface():
    trail, _ = run(
        SurfaceFollow(stride=0.008), patches.sphere(0.04), start_at([0, 0, 0.07], [0.075, 0.01, 0]), 30
    )
    for seen in trail[1:]:
        assert seen.felt.usable.all()
        np.testing.assert_allclose(seen.felt.depth, 0.03, atol=1e-3)
        facing = np.sum(seen.felt.normal[:, 0] * seen.sensor.rotation[:, 0, :, 2], axis=1)
        assert (facing > 0.995).all()
    places = np.array([seen.felt.location[:, 0] for seen in trail])
    strides = np.linalg.norm(np.diff(places[1:], axis=0), axis=-1)
    np.testing.assert_allclose(strides, 0.008, rtol=0.1)


def test_curvature_guides_along_the_rod_then_around_it():
    policy = SurfaceFollow(stride=0.005, guided_steps=8, smoothing=1.0, inhibition=None)
    trail, _ = run(policy, patches.cylinder(0.03), start_at([0, 0, 0.06]), 17)
    places = np.array([seen.felt.location[0, 0] for seen in trail])
    steps = np.diff(places, axis=0) / 0.005
    assert (np.abs(steps[1:8, 1]) > 0.99).all()
    assert (np.abs(steps[9:16, 1]) < 0.1).all()


def test_inhibition_of_return_covers_more_of_a_ball():
    agent = start_at(*np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.2], [-1, 0.3, 0]]) * 0.06)

    def covered(inhibition):
        policy = SurfaceFollow(stride=0.01, wander=0.6, inhibition=inhibition, follow_curvature=False)
        trail, _ = run(policy, patches.sphere(0.03), agent, 60, size=8)
        places = np.array([seen.felt.location[:, 0] for seen in trail])
        cells = [len({tuple(c) for c in np.floor(places[:, row] / 0.01).astype(int)}) for row in range(4)]
        return np.mean(cells)

    assert covered(Inhibition()) > 1.15 * covered(None)


def test_surface_agent_comes_back_over_the_edge():
    """A disc with an abrupt rim: the arc prediction fails there and the agent has to recover."""

    def disc(p):
        return np.maximum(np.hypot(p[..., 0], p[..., 1]) - 0.02, np.abs(p[..., 2]) - 0.004)

    policy = SurfaceFollow(stride=0.009, wander=0.0, follow_curvature=False)
    trail, _ = run(policy, disc, start_at([0, 0, 0.034], [0.005, 0.01, 0.034]), 60, field_of_view=0.45)
    usable = np.array([seen.felt.usable[:, 0] for seen in trail])
    assert usable.mean() > 0.5
    longest = max(
        len(run_) for row in usable.T for run_ in "".join("x" if u else "o" for u in row).split("x")
    )
    assert longest <= 4


def test_a_surface_agent_that_cannot_get_on_goes_back_to_the_farthest_place_it_knows():
    """Rows 0 and 1 have felt the same spot six times, row 2 only five times; row 0 remembers no other."""
    policy = SurfaceFollow()
    seen = observe(patches.sphere(0.05), start_at(*[[0, 0, 0.08]] * 3))
    here, normal = seen.felt.location[:, 0], seen.felt.normal[:, 0]
    known = Visited.none(3, policy.inhibition.capacity)
    for place in ([0, 0.05, 0], [0.05, 0, 0], [0, 0, -0.05], [0, 0.05, 0]):
        where = np.tile(np.array(place, float), (3, 1))
        known = known.add(where, where / 0.05, np.array([False, True, True]))
    for _ in range(5):
        known = known.add(here, normal, np.ones(3, bool))
    known = known.add(here, normal, np.array([True, True, False]))
    state = replace(policy.start(3), visited=known)
    actions, after = policy.act(state, seen, RowKey(5, np.arange(3), np.zeros(3, np.int64)))
    sensor = actions.moved(seen.agent) @ Pose(
        np.tile(MOUNT.position, (3, 1)), np.tile(MOUNT.rotation, (3, 1, 1))
    )
    np.testing.assert_allclose(sensor.position[1], [0, 0, -0.05 - policy.distance], atol=1e-9)
    assert after.moving.tolist() == [False, False, True]
    assert np.linalg.norm(sensor.position[[0, 2]] - seen.sensor_pose(0).position[[0, 2]], axis=1).max() < 0.03


def test_surface_agent_goes_around_the_edges_of_a_box():
    """Head on, the sides of a box cannot be seen; peeking over the edge finds them."""

    def box(p):
        return np.abs(p).max(axis=-1) - 0.02

    def sides(peek):
        policy = SurfaceFollow(stride=0.008, wander=0.05, peek=peek)
        trail, _ = run(policy, box, start_at([0, 0, 0.05], [0.05, 0.002, 0.001]), 60, field_of_view=0.4)
        normals = np.array([seen.felt.normal[:, 0] for seen in trail])
        usable = np.array([seen.felt.usable[:, 0] for seen in trail])
        flat = (np.abs(normals) > 0.97) & usable[..., None]
        faces = [
            sum(
                (flat[:, r, axis] & (normals[:, r, axis] * sign > 0)).any()
                for axis in range(3)
                for sign in (1, -1)
            )
            for r in range(2)
        ]
        return min(faces)

    assert sides(np.radians(50)) >= 5
    assert sides(0.0) < 5


def test_surface_agent_searches_when_it_never_felt_anything():
    aside = looking_at(np.array([[0, 0, 0.08]]), np.array([[0.06, 0.02, 0.0]]))
    trail, _ = run(SurfaceFollow(), patches.sphere(0.03), aside, 40)
    assert not trail[0].felt.usable[0, 0]
    assert trail[-1].felt.usable[0, 0]


@pytest.mark.parametrize("policy", [RandomWalk(), SurfaceFollow(stride=0.006), SpiralScan()])
def test_a_row_acts_the_same_alone_and_in_a_batch(policy):
    field = patches.saddle(20, 8)
    agent = looking_at(np.array([[0, 0, 0.05], [0.01, 0, 0.06], [0, 0.01, 0.05]]), np.zeros((3, 3)))
    together, state = run(policy, field, agent, 6, episodes=[7, 8, 9], size=8)
    only = Pose(agent.position[1:2], agent.rotation[1:2])
    alone, state_alone = run(policy, field, only, 6, episodes=[8], size=8)
    for a, b in zip(together, alone, strict=True):
        np.testing.assert_allclose(a.agent.position[1], b.agent.position[0], atol=1e-9)
        np.testing.assert_allclose(a.agent.rotation[1], b.agent.rotation[0], atol=1e-9)
    pick = np.array([False, True, False])
    repeated = run(policy, field, Pose(agent.position[[1] * 3], agent.rotation[[1] * 3]), 6, [8] * 3, size=8)[
        1
    ]
    assert_same(where_rows(pick, repeated, state), state)
    assert state_alone is not None


# -- inhibition


def test_conflict_counts_near_places_ahead_on_the_same_side():
    visited = Visited.none(1, 4)
    up = np.array([[0, 0, 1.0]])
    for place, normal in (([0.01, 0, 0], up), ([0.0, 0.01, 0], -up), ([-0.05, 0, 0], up), ([0, 0, 0], up)):
        visited = visited.add(np.array([place], float), normal, np.array([True]))
    headings = np.array([[[1, 0, 0], [0, 1, 0], [-1, 0, 0], [np.cos(0.9), np.sin(0.9), 0]]], float)
    conflict = Inhibition(radius=0.025, cone=1.0).conflict(visited, np.zeros((1, 3)), up, headings)[0]
    assert conflict[0] == pytest.approx(0.6, abs=0.01)
    assert conflict[1] == 0  # the other side of a thin wall
    assert conflict[2] == 0  # too far
    assert conflict[3] == conflict[0]  # still within the cone


@pytest.mark.parametrize("capacity", [50, 7, 1])
def test_conflicts_are_sums_over_places_to_the_last_bit(capacity):
    rng = np.random.default_rng(capacity)
    rows, ways, settings = 30, 9, Inhibition(capacity=capacity)

    def directions(*shape):
        values = rng.normal(size=(*shape, 3))
        return values / np.linalg.norm(values, axis=-1, keepdims=True)

    visited = Visited(
        rng.normal(size=(rows, capacity, 3)) * 0.01,
        directions(rows, capacity),
        rng.integers(0, 2 * capacity, rows),
    )
    location, normal, headings = rng.normal(size=(rows, 3)) * 0.01, directions(rows), directions(rows, ways)
    visited.location[3] = location[3]
    offset = visited.location - location[:, None]
    distance = norm(offset)
    known = np.arange(capacity) < visited.count[:, None]
    same = dot(visited.normal, normal[:, None]) >= cosine_of(settings.same_side)
    matters = known & same & (distance <= settings.radius) & (distance > 1e-4)
    weight = np.where(matters, 1.0 - distance / settings.radius + 1e-3, 0.0)
    toward = offset / np.maximum(distance, 1e-9)[..., None]
    ahead = dot(headings[:, :, None], toward[:, None]) >= cosine_of(settings.cone)
    wanted = total(ahead * weight[:, None])
    assert (wanted > 0).any()
    assert (wanted == 0).any()
    np.testing.assert_array_equal(settings.conflict(visited, location, normal, headings), wanted)


def test_visited_places_are_a_ring():
    visited = Visited.none(2, 3)
    for i in range(5):
        visited = visited.add(np.full((2, 3), float(i)), np.ones((2, 3)), np.array([True, i < 2]))
    assert sorted(visited.location[0, :, 0]) == [2, 3, 4]
    assert sorted(visited.location[1, :, 0]) == [0, 0, 1]
    assert visited.count.tolist() == [5, 2]


# -- goals


def goal(location, normal, active=(True,)):
    n = np.asarray(normal, float)
    n = n / np.linalg.norm(n, axis=-1, keepdims=True)
    rows = len(n)
    return GoalBatch(np.asarray(location, float), n, np.ones(rows), np.asarray(active), np.zeros(rows, int))


def with_goal(seen, wanted):
    return MotorInput(seen.felt, seen.agent, seen.sensor, wanted)


def test_jump_sees_the_goal_point_head_on():
    field = patches.sphere(0.05)
    agent = start_at([0, 0, 0.08])
    normal = np.array([[0.6, 0.8, 0.0]])
    seen = with_goal(observe(field, agent), goal(0.05 * normal, normal))
    there = jump_to_goal(seen, 0, 0.04).moved(agent)
    after = observe(field, there)
    np.testing.assert_allclose(after.felt.location[0, 0], 0.05 * normal[0], atol=1e-6)
    np.testing.assert_allclose(after.felt.normal[0, 0], normal[0], atol=1e-3)
    assert after.felt.depth[0, 0] == pytest.approx(0.04)


def test_look_at_goal_centres_it():
    field = patches.sphere(0.05)
    agent = start_at([0, 0, 0.3])
    point = 0.05 * np.array([[0.36, 0.48, 0.8]])
    seen = with_goal(observe(field, agent), goal(point, point))
    after = observe(field, look_at_goal(seen, 0).moved(agent))
    np.testing.assert_allclose(after.felt.location[0, 0], point[0], atol=1e-6)
    np.testing.assert_array_equal(after.agent.position, agent.position)


def test_goal_driven_serves_goals_and_returns_from_empty_places():
    field = patches.sphere(0.05)
    agent = start_at([0, 0, 0.08], [0, 0, 0.08], [0, 0, 0.08])
    policy = GoalDriven(SurfaceFollow(), distance=0.04)
    state = policy.start(3)
    key = RowKey(1, np.arange(3), np.zeros(3, int))
    seen = observe(field, agent)
    # Row 0 has no goal, row 1 a good one, row 2 one in empty space.
    wanted = goal(
        [[0, 0, 0], [0.05, 0, 0], [0, 0.4, 0]], [[1, 0, 0], [1, 0, 0], [0, 1, 0]], [False, True, True]
    )
    actions, state = policy.act(state, with_goal(seen, wanted), key)
    expected, _ = SurfaceFollow().act(SurfaceFollow().start(3), seen, key)
    np.testing.assert_allclose(actions.motion.position[0], expected.motion.position[0])
    agent = actions.moved(agent)
    seen = observe(field, agent)
    np.testing.assert_allclose(seen.felt.location[1, 0], [0.05, 0, 0], atol=1e-6)
    assert seen.felt.coverage[2, 0] == 0
    actions, state = policy.act(state, seen, RowKey(1, np.arange(3), np.ones(3, int)))
    agent = actions.moved(agent)
    np.testing.assert_allclose(agent.position[2], [0, 0, 0.08], atol=1e-12)
    assert not state.jumped.any()
    assert observe(field, agent).felt.usable.all()


def test_goal_functions_need_goals():
    seen = observe(patches.sphere(0.05), start_at([0, 0, 0.1]), size=6)
    with pytest.raises(ValueError, match="needs a MotorInput with a goal"):
        jump_to_goal(seen, 0, 0.1)
