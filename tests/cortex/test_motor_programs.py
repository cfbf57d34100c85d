"""Motor policies as tensor programs against those of the host: closed loops, and states of all sorts."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.cortex import ops
from saccade.cortex.columns import packed_state, unpacked_state
from saccade.cortex.goals.goals import GoalBatch
from saccade.cortex.modules.backend import StackedBackend
from saccade.cortex.motor import (
    GoalDriven,
    Inhibition,
    MotorInput,
    RandomWalk,
    Replay,
    SpiralScan,
    SurfaceFollow,
)
from saccade.cortex.motor_programs.policy import DevicePolicy, MotorRows, on_device
from saccade.cortex.row_random import RowKey
from saccade.cortex.rows import take_rows, where_rows
from saccade.cortex.sense import Sensation, sense
from saccade.cortex.sense.sense_program import DeviceSense
from saccade.cortex.step import Cortex, StepSettings
from saccade.world import MeshWorld, Placement, Scene, builtin_objects, looking_at, surface_rig
from saccade.world.meshes.resident_poses import ArrivingPose
from saccade.world.protocol import Actions, Pose

from ..codegen.cuda_emulator import needs_compiler
from . import patches

#: few programs, each for `ROWS` rows of two sensors, which all tests share: they take seconds to compile
POLICIES: dict[str, Any] = {
    "spiral": SpiralScan(amount=0.3),
    "look and walk": GoalDriven(RandomWalk(amount=0.1, switch=0.4, guide=1), kind="look"),
    "follow": SurfaceFollow(guide=1, inhibition=None, guided_steps=3, free_steps=2, wander=0.7),
    "jump and follow": GoalDriven(SurfaceFollow(inhibition=Inhibition(capacity=7)), distance=0.03),
}
ROWS = 24


def sights(rng: np.random.Generator, rows: int, near: Pose | None = None) -> MotorInput:
    """What two sensors of every row might feel: on the object, at its edge, beside it, with goals or none."""
    agent = near or Pose(
        0.1 * rng.normal(size=(rows, 3)), patches.random_rotations(rows, int(rng.integers(1 << 30)))
    )
    mount = Pose(np.array([[0.002, -0.001, 0.003], [0.01, 0.0, 0.0]]), patches.random_rotations(2, 5))
    sensor = Pose(agent.position[:, None], agent.rotation[:, None]) @ mount
    vectors = patches.random_rotations(rows * 2, int(rng.integers(1 << 30))).reshape(rows, 2, 3, 3)
    kind = rng.integers(4, size=(rows, 2))  # well seen, on it but unfit, at its edge, beside it
    flat = rng.random((rows, 2)) < 0.2
    curvatures = np.sort(rng.normal(size=(rows, 2, 2)) * np.where(flat, 0.0, 60.0)[..., None])[
        ..., ::-1
    ].copy()
    coverage = np.where(kind == 3, 0.0, np.where(kind == 2, 0.3, rng.choice([0.6, 1.0], size=(rows, 2))))
    edge = rng.random((rows, 2, 1)) < 0.5
    felt = Sensation(
        location=sensor.position - 0.03 * sensor.rotation[..., 2] + 0.002 * rng.normal(size=(rows, 2, 3)),
        pose_vectors=vectors,
        pose_fully_defined=~flat,
        hsv=rng.random((rows, 2, 3)),
        curvatures=curvatures,
        curvatures_log=curvatures,
        on_object=kind < 2,
        usable=kind == 0,
        confidence=rng.random((rows, 2)),
        coverage=coverage,
        inward=np.where(edge, 0.003 * rng.normal(size=(rows, 2, 3)), 0.0),
        depth=np.full((rows, 2), 0.03),
    )
    normal = patches.random_rotations(rows, int(rng.integers(1 << 30)))[:, 0]
    goal = GoalBatch(
        agent.position + 0.05 * rng.normal(size=(rows, 3)),
        normal,
        np.ones(rows),
        rng.random(rows) < 0.3,
        np.zeros(rows, np.int64),
    )
    return MotorInput(felt, agent, sensor, goal)


def assert_alike(wanted: Any, got: Any, where: str = "") -> None:
    """Flags and counts are equal, numbers to rounding."""
    for field in fields(wanted):
        one, other, name = getattr(wanted, field.name), getattr(got, field.name), f"{where}.{field.name}"
        if not isinstance(one, np.ndarray):
            assert_alike(one, other, name)
        elif one.dtype.kind in "bi":
            np.testing.assert_array_equal(one, other, err_msg=name)
        else:
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10, err_msg=name)


def state_of(policy: Any, held: MotorRows, rows: int) -> Any:
    assert held.table is not None
    return unpacked_state(held.table.numpy()[:rows], policy.start(1))


def acted(policy: Any, seed: int, steps: int, device: str = "cpu", rows: int = ROWS) -> None:
    """The host and the device act from the same states, seeing the same: after every step they agree."""
    rng, there = np.random.default_rng(seed), DevicePolicy(policy, device)
    state, held = policy.start(rows), there.start(rows)
    agent = None
    for step in range(steps):
        seen = sights(rng, rows, agent)
        key = RowKey(seed + (3 << 40), np.arange(rows) % 5 * 100, np.full(rows, step))
        wanted, state = policy.act(state, seen, key)
        got, held = there.act(held, seen, key)
        assert_alike(wanted, got, "actions")
        assert_alike(state, state_of(policy, held, rows), "state")
        # the next step begins from the same numbers, not from such as differ by rounding
        state = state_of(policy, held, rows)
        agent = wanted.moved(seen.agent) if rng.random() < 0.8 else None


@pytest.mark.parametrize(
    "name",
    # without memory it is the same program, less of it
    [pytest.param(each, marks=[pytest.mark.slow] if each == "follow" else []) for each in POLICIES],
)
def test_a_program_acts_as_the_policy_does(name: str) -> None:
    acted(POLICIES[name], 1, steps=16)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 1 << 30), name=st.sampled_from(sorted({*POLICIES} - {"follow"})))
def test_from_states_of_all_sorts(seed: int, name: str) -> None:
    acted(POLICIES[name], seed, steps=4)


def test_a_surface_agent_glides_over_things_as_on_the_host() -> None:
    """Along rims and around edges: all that the policy can do is done, places are remembered and avoided."""
    names, rows, steps, policy = ("mug", "spoon", "bowl"), ROWS, 30, POLICIES["jump and follow"]
    world = MeshWorld(builtin_objects(names), surface_rig(2, 8), rows=rows)
    turns = patches.random_rotations(rows, 2)
    scenes = [Scene((Placement(names[row % 3], rotation=turns[row]),)) for row in range(rows)]
    rng = np.random.default_rng(0)
    away = rng.normal(size=(rows, 3))
    eyes = 0.09 * away / np.linalg.norm(away, axis=1, keepdims=True)
    seen = world.reset(np.ones(rows, bool), scenes, looking_at(eyes, 0.01 * rng.normal(size=(rows, 3))))
    there = DevicePolicy(policy, "cpu")
    state, held = policy.start(rows), there.start(rows)
    met = np.zeros(4, np.int64)
    for step in range(steps):
        felt = sense(seen.points, seen.rgb, seen.on_object, seen.sensor.position, seen.sensor.rotation)
        goal = GoalBatch.none(rows)
        goal.active[:] = (np.arange(rows) + step) % 13 == 0
        goal.location[:], goal.normal[:] = -felt.location[:, 0], -felt.normal[:, 0]
        motion = MotorInput(felt, seen.agent, seen.sensor, goal)
        key = RowKey(4, np.arange(rows), np.full(rows, step))
        before = ops.waits
        got, held = there.act(held, motion, key)
        assert ops.waits == before
        wanted, state = policy.act(state, motion, key)
        assert_alike(wanted, got, "actions")
        follow = state.base
        met += [follow.guided.sum(), (follow.lost > 0).sum(), (follow.off == 1).sum(), state.jumped.sum()]
        assert_alike(state, state_of(policy, held, rows), "state")
        state = state_of(policy, held, rows)
        seen = world.step(wanted)
    assert (met > 5).all(), met
    assert (state.base.visited.count > 14).any()


def test_who_lingers_goes_to_the_farthest_place_it_knows() -> None:
    """Seven looks at one place, after some elsewhere."""
    policy, rows = POLICIES["jump and follow"], ROWS
    there, rng = DevicePolicy(policy, "cpu"), np.random.default_rng(0)
    state, held = policy.start(rows), there.start(rows)
    stuck = 0
    for step in range(20):
        seen = sights(rng, rows)
        felt, goal = seen.felt, seen.goal
        felt.usable[:], felt.on_object[:], felt.coverage[:] = True, True, 1.0
        assert goal is not None
        goal.active[:] = False
        if step % 10 > 2:
            felt.location[:] = np.arange(rows)[:, None, None] * 0.1
        key = RowKey(4, np.arange(rows), np.full(rows, step))
        wanted, state = policy.act(state, seen, key)
        got, held = there.act(held, seen, key)
        assert_alike(wanted, got)
        assert_alike(state, state_of(policy, held, rows))
        stuck += int((~state.base.moving).sum())
    assert stuck > rows


def test_rows_that_begin_again_end_or_are_moved() -> None:
    policy = POLICIES["jump and follow"]
    rng, there, rows = np.random.default_rng(3), DevicePolicy(policy, "cpu"), ROWS
    state, held = policy.start(rows), there.start(rows)
    episode = np.arange(rows)
    for step in range(7):
        if step in (2, 5):
            begun = rng.random(rows) < 0.4
            state = where_rows(begun, policy.start(rows), state)
            held = where_rows(begun, there.start(rows), held)
        if step in (3, 5):
            moved = rng.random(rows) < 0.4
            state, held = policy.interrupt(state, moved), there.interrupt(held, moved)
        if step in (4, 6):
            left = np.arange(20)[::-1] + 2 if step == 4 else np.array([4, 11, 2])
            state, held, rows = take_rows(state, left), take_rows(held, left), len(left)
            episode = episode[left]
            assert held.room == ROWS  # nothing is compiled for fewer
        seen = sights(rng, rows)
        key = RowKey(9, episode, np.full(rows, step))
        wanted, state = policy.act(state, seen, key)
        got, held = there.act(held, seen, key)
        assert_alike(wanted, got)
        assert_alike(state, state_of(policy, held, rows))


def test_poses_stay_on_the_device_from_action_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cortex without modules follows surfaces as on the host; rows begin again; nobody reads poses."""
    names, rows = ("mug", "bowl"), ROWS
    policy = POLICIES["jump and follow"]
    rng = np.random.default_rng(1)
    away = rng.normal(size=(rows, 3))
    eyes = 0.09 * away / np.linalg.norm(away, axis=1, keepdims=True)
    scenes = [Scene((Placement(names[row % 2]),)) for row in range(rows)]
    agent, begun = looking_at(eyes, 0.01 * rng.normal(size=(rows, 3))), np.arange(rows) % 5 == 0

    def trail(device: str | None) -> list[Any]:
        world = MeshWorld(builtin_objects(names), surface_rig(2, 8), rows=rows, device=device)
        sensing = StepSettings() if device is None else StepSettings(sense=DeviceSense(device))
        acting = policy if device is None else DevicePolicy(policy, device)
        cortex: Cortex[Any] = Cortex([], world.rig.names, acting, StackedBackend(rows), sensing)
        state = cortex.start(np.arange(rows))
        seen, shown = world.reset(np.ones(rows, bool), scenes, agent), []
        for step in range(5):
            actions, state, _ = cortex.step(state, seen)
            if step == 2:
                state = cortex.reset(state, begun, np.arange(rows) + 100)
                seen = world.reset(begun, scenes, agent, actions)
            else:
                seen = world.step(actions)
            shown.append(seen)
        return shown

    host = trail(None)
    with monkeypatch.context() as patched:
        patched.setattr(ArrivingPose, "read", property(lambda self: pytest.fail("a pose was read")))
        there = trail("cpu")
    for wanted, got in zip(host, there, strict=True):
        assert isinstance(got.agent, ArrivingPose)
        for name in ("agent", "sensor"):
            assert_alike(
                getattr(wanted, name), Pose(getattr(got, name).position, getattr(got, name).rotation)
            )
    np.testing.assert_array_equal(there[2].agent.position[begun], agent.position[begun])


def test_a_rehearsed_program_is_not_compiled_again() -> None:
    policy = DevicePolicy(POLICIES["spiral"], "cpu")
    policy.rehearse(ROWS, 2)
    compiled = policy.compilations
    key = RowKey(0, np.arange(ROWS), np.zeros(ROWS, np.int64))
    policy.act(policy.start(ROWS), sights(np.random.default_rng(0), ROWS), key)
    assert compiled == policy.compilations > 0


def test_without_a_program_the_host_acts() -> None:
    listed = Replay(Actions.stay(1))
    assert on_device(listed, "cpu") is listed
    wrapped = GoalDriven(listed)
    assert on_device(wrapped, "cpu") is wrapped
    with pytest.raises(ValueError, match="no program of Replay"):
        DevicePolicy(listed, "cpu")


def test_what_does_not_fit_is_refused() -> None:
    policy = POLICIES["spiral"]
    table = packed_state(policy.start(2))
    with pytest.raises(ValueError, match="14 numbers a row does not have 15"):
        unpacked_state(np.pad(table, ((0, 0), (0, 1))), policy.start(1))
    there = DevicePolicy(policy, "cpu")
    key, rng = RowKey(0, np.arange(ROWS), np.zeros(ROWS, np.int64)), np.random.default_rng(0)
    _, acting = there.act(there.start(ROWS), sights(rng, ROWS), key)
    with pytest.raises(ValueError, match="such as begin"):
        where_rows(np.arange(ROWS) == 1, acting, there.start(ROWS))


@needs_compiler
@pytest.mark.slow  # compiles a dozen kernels for a GPU that is emulated
@pytest.mark.usefixtures("gpu")
def test_the_kernels_of_a_gpu_act_the_same() -> None:
    acted(POLICIES["jump and follow"], 7, steps=3, device="cuda", rows=4)
