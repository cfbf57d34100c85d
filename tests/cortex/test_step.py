"""The step: what reaches whom and when, one wait, rows that do not mix, reset as a mask."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.features import FeatureLayout
from saccade.cortex.goals.goals import GoalBatch
from saccade.cortex.messages import Percept
from saccade.cortex.motor import GoalDriven, SurfaceFollow
from saccade.cortex.sense import ChangeThresholds, NoiseSettings
from saccade.cortex.step import Cortex, StepSettings
from saccade.world.agents import looking_at
from saccade.world.protocol import Pose

from . import patches

SENSED = FeatureLayout.make({"hsv": [0.1, 0.2, 0.2], "principal_curvatures_log": [1, 1]})
NAMED = FeatureLayout.make({"object_id": [1]})


class Quiet:
    """A learning module that believes nothing by itself: the backend below speaks for it."""

    def __init__(self, name, channels, layouts):
        self.name, self.channels, self.layouts = name, tuple(channels), tuple(layouts)

    @property
    def group_key(self):
        return self.layouts

    @classmethod
    def bank(cls, modules, rows=1, device=None):
        raise AssertionError("the step does not make banks")

    def conclude(self, outcome, index):
        raise AssertionError("the backend concludes")

    def reset(self, rows=None):
        pass

    def keep(self, rows):
        pass


PARTS = (
    "location",
    "pose_vectors",
    "pose_fully_defined",
    "features",
    "curvature",
    "present",
    "informative",
    "on_object",
)


class Recorder:
    """A backend that keeps what it was given and answers with what `outputs` says."""

    def __init__(self, rows, outputs=None):
        self.rows, self.outputs = rows, outputs or (lambda name, step, row: None)
        self.calls, self.inputs, self.resets, self.step = [], [], [], 0

    def dispatch(self, groups, inputs):
        self.calls.append("dispatch")
        given = {}
        for group, one in zip(groups, inputs, strict=True):
            for m, name in enumerate(group.names):
                arrays = {part: getattr(one.batch, part)[:, m].copy() for part in PARTS}
                check = np.zeros(self.rows, bool) if one.check is None else one.check[:, m].copy()
                given[name] = {**arrays, "check": check}
        self.inputs.append(given)
        return given

    def gather(self, pending):
        self.calls.append("gather")
        results = {}
        for name, given in pending.items():
            none = np.zeros((self.rows, 0))
            results[name] = ModuleResult(
                module=name,
                objects=(),
                best=[None] * self.rows,
                evidence=none,
                counts=none.astype(int),
                possible=[[] for _ in range(self.rows)],
                prediction_error=none,
                terminal=[None] * self.rows,
                symmetry=np.zeros(self.rows, int),
                possible_hypotheses=none.astype(int),
                outputs=[self.outputs(name, self.step, row) for row in range(self.rows)],
                processed=given["informative"].any(axis=1),
            )
        self.step += 1
        return results

    def reset(self, groups, rows=None):
        self.resets.append(None if rows is None else rows.copy())

    def keep(self, groups, rows):
        self.rows = len(rows)

    def seats(self, groups):
        return []


def two_levels():
    return [
        Quiet("low", ["patch_0"], [SENSED]),
        Quiet("aside", ["patch_1"], [SENSED]),
        Quiet("high", ["low", "aside"], [NAMED, NAMED]),
    ]


MOUNTS = np.array([[0.0, 0.0, 0.0], [0.004, 0.0, 0.0]])


class Episode:
    """Rows over balls and rods, moved by the actions they get."""

    FIELDS = (patches.cylinder(0.03), patches.sphere(0.035), patches.saddle(15, 8))

    def __init__(self, kinds):
        self.fields = [self.FIELDS[kind] for kind in kinds]
        eye = np.tile([0.0, 0.0, 0.06], (len(kinds), 1))
        self.agent = looking_at(eye, np.zeros_like(eye))

    def seen(self):
        return patches.observation(self.fields, self.agent, MOUNTS, size=10)

    def move(self, actions):
        self.agent = actions.moved(self.agent)


def cortex_of(backend, policy=None, modules=None, **settings):
    chosen = two_levels() if modules is None else modules
    policy = policy or SurfaceFollow(stride=0.005)
    return Cortex(chosen, ("patch_0", "patch_1"), policy, backend, StepSettings(**settings))


def walk(cortex, kinds, episodes, steps):
    world, state = Episode(kinds), cortex.start(np.asarray(episodes))
    reports = []
    for _ in range(steps):
        actions, state, report = cortex.step(state, world.seen())
        world.move(actions)
        reports.append(report)
    return world, state, reports


def test_one_dispatch_and_one_gather_per_step():
    backend = Recorder(1)
    walk(cortex_of(backend), [0], [1], 3)
    assert backend.calls == ["dispatch", "gather"] * 3


def test_sensors_reach_the_channels_that_name_them():
    backend = Recorder(2)
    _, _, reports = walk(cortex_of(backend), [0, 1], [1, 2], 2)
    for given, report in zip(backend.inputs, reports, strict=True):
        for module, sensor in (("low", 0), ("aside", 1)):
            batch, felt = given[module], report.felt
            assert batch["present"].all()
            np.testing.assert_array_equal(batch["location"][:, 0], felt.location[:, sensor])
            np.testing.assert_array_equal(batch["pose_vectors"][:, 0], felt.pose_vectors[:, sensor])
            np.testing.assert_array_equal(batch["features"][:, 0, :3], felt.hsv[:, sensor])
            np.testing.assert_array_equal(batch["features"][:, 0, 3:], felt.curvatures_log[:, sensor])
            largest = np.abs(felt.curvatures_log[:, sensor]).max(axis=1)
            np.testing.assert_array_equal(batch["curvature"][:, 0], largest)
        assert not given["high"]["present"].any()


def test_a_sensation_without_news_is_present_but_not_informative():
    backend = Recorder(1)
    cortex = cortex_of(backend, change=ChangeThresholds(distance=0.02))
    world, state = Episode([0]), cortex.start(np.array([1]))
    for _ in range(2):
        _, state, _ = cortex.step(state, world.seen())
    assert [bool(given["low"]["informative"][0, 0]) for given in backend.inputs] == [True, False]
    assert all(given["low"]["present"][0, 0] for given in backend.inputs)


def test_off_the_object_nothing_is_present():
    backend = Recorder(1)
    cortex = cortex_of(backend)
    world, state = Episode([1]), cortex.start(np.array([1]))
    world.agent = looking_at(np.array([[0, 0, 0.06]]), np.array([[0.5, 0, 0.06]]))
    cortex.step(state, world.seen())
    assert not backend.inputs[0]["low"]["present"].any()


def says(wanted_step):
    def outputs(name, step, row):
        if name == "low" and step == wanted_step:
            return Percept(np.array([9.0, 9, 9]), features={"object_id": [100.0 + row]}, sender="low")
        return None

    return outputs


def test_conclusions_go_up_one_step_later_from_where_the_sensor_was():
    backend = Recorder(2, says(1))
    _, _, reports = walk(cortex_of(backend), [0, 1], [1, 2], 4)
    arrived = np.array([given["high"]["present"] for given in backend.inputs])
    assert arrived[:, 0].tolist() == [[False] * 2, [False] * 2, [True, False], [False] * 2]
    high = backend.inputs[2]["high"]
    assert high["features"][:, 0, 0].tolist() == [100.0, 101.0]
    np.testing.assert_allclose(high["location"][:, 0], reports[1].felt.location[:, 0])


def test_a_module_with_a_sensor_hears_of_others_where_its_sensor_is():
    modules = [Quiet("low", ["patch_0"], [SENSED]), Quiet("high", ["patch_1", "low"], [SENSED, NAMED])]
    backend = Recorder(2, says(1))
    _, _, reports = walk(cortex_of(backend, modules=modules), [0, 1], [1, 2], 4)
    assert backend.inputs[2]["high"]["present"].all()
    for given, report in zip(backend.inputs, reports, strict=True):
        heard = given["high"]["location"][given["high"]["present"]]
        np.testing.assert_array_equal(heard.reshape(2, -1, 3)[:, 0], report.felt.location[:, 1])
        np.testing.assert_array_equal(heard.reshape(2, -1, 3)[:, -1], report.felt.location[:, 1])


def test_goals_come_down_one_level_per_step_and_reach_the_motor_system():
    backend = Recorder(2)
    policy = GoalDriven(SurfaceFollow(stride=0.005), distance=0.04)
    cortex = cortex_of(backend, policy)
    world, state = Episode([0, 1]), cortex.start(np.array([1, 2]))
    point = np.array([[0.03, 0, 0], [0.035, 0, 0]])
    goal = GoalBatch(
        point, np.tile([1.0, 0, 0], (2, 1)), np.ones(2), np.array([False, True]), np.array([-1, 2])
    )
    places = {module.name: place for place, module in enumerate(cortex.modules)}
    downward = list(state.goals.downward)
    downward[places["high"]] = goal
    state = replace(state, goals=replace(state.goals, downward=tuple(downward)))
    actions, state, report = cortex.step(state, world.seen())
    # "high" made it in the step before; now it is at "low" and "aside", which have sensors.
    assert report.goal.active.tolist() == [False, True]
    assert state.goals.downward[places["low"]].active.tolist() == [False, True]
    assert not state.goals.downward[places["high"]].active.any()
    world.move(actions)
    after = cortex.step(state, world.seen())[2]
    np.testing.assert_allclose(after.felt.location[1, 0], point[1], atol=1e-6)
    assert not after.goal.active.any()


def test_a_goal_of_a_module_without_sensors_waits_a_step():
    high_goal = GoalBatch.none(1)
    high_goal = replace(high_goal, active=np.array([True]), confidence=np.array([0.9]))
    cortex = cortex_of(Recorder(1))
    assert [module.name for module in cortex.modules][-1] == "high"
    only_high = [GoalBatch.none(1), GoalBatch.none(1), high_goal]
    assert not cortex._for_motor(only_high, 1).active.any()


def test_rows_behave_the_same_in_any_batch():
    settings = {"noise": NoiseSettings(), "seed": 3}
    together = walk(cortex_of(Recorder(3), **settings), [0, 1, 2], [10, 11, 12], 5)
    alone = walk(cortex_of(Recorder(1), **settings), [1], [11], 5)
    for a, b in zip(together[2], alone[2], strict=True):
        np.testing.assert_allclose(a.felt.location[1], b.felt.location[0], atol=1e-9)
        np.testing.assert_allclose(a.felt.hsv[1], b.felt.hsv[0], atol=1e-9)
        assert a.news[1].tolist() == b.news[0].tolist()
    np.testing.assert_allclose(together[0].agent.rotation[1], alone[0].agent.rotation[0], atol=1e-9)


def test_reset_restarts_the_marked_rows_and_leaves_the_others():
    glide = SurfaceFollow(stride=0.004, wander=0.2)
    # Only the first sensation of an episode is news.
    first_only = ChangeThresholds(distance=1.0, steps=None, hsv=None, normal_angle=None, curvatures_log=None)
    options = {"noise": NoiseSettings(hsv=0.01, location=0.0), "seed": 5, "change": first_only}

    def run(reset_at):
        backend = Recorder(2, says(2))
        cortex = cortex_of(backend, glide, **options)
        world, state = Episode([0, 1]), cortex.start(np.array([20, 21]))
        start = world.agent
        trail = []
        for step in range(7):
            if step == reset_at:
                rows = np.array([True, False])
                state = cortex.reset(state, rows, np.array([77, 99]))
                world.agent = start.where(rows, world.agent)
            actions, state, report = cortex.step(state, world.seen())
            world.move(actions)
            arrived = backend.inputs[-1]["high"]["present"].copy()
            trail.append((report.felt.location.copy(), arrived, report.news.copy()))
        return trail, state, backend

    plain, _, _ = run(None)
    begun, state, backend = run(3)
    for a, b in zip(plain, begun, strict=True):
        np.testing.assert_array_equal(a[0][1], b[0][1])
        np.testing.assert_array_equal(a[1][1], b[1][1])
    assert plain[3][1][0].any()  # row 0's message of step 2 arrives at step 3 ...
    assert not begun[3][1][0].any()  # ... unless the row was reset in between
    assert state.episode.tolist() == [77, 21]
    assert state.step.tolist() == [4, 7]
    assert backend.resets[0] is None
    assert backend.resets[1].tolist() == [True, False]
    again = cortex_of(Recorder(1), glide, **options)
    fresh = walk(again, [0], [77], 4)[2]
    for step in range(4):
        np.testing.assert_allclose(begun[3 + step][0][0], fresh[step].felt.location[0], atol=1e-9)
        assert begun[3 + step][2][0].tolist() == fresh[step].news[0].tolist()
    assert [bool(report.news[0, 0]) for report in fresh] == [True, False, False, False]


def test_check_reaches_every_module_of_the_row():
    backend = Recorder(2)
    cortex = cortex_of(backend)
    world, state = Episode([0, 1]), cortex.start(np.array([1, 2]))
    _, state, _ = cortex.step(state, world.seen(), check=np.array([False, True]))
    cortex.step(state, world.seen())
    for name in ("low", "high"):
        assert backend.inputs[0][name]["check"].tolist() == [False, True]
        assert backend.inputs[1][name]["check"].tolist() == [False, False]


def test_a_row_that_is_told_nothing_makes_no_check():
    backend = Recorder(1)
    cortex = cortex_of(backend)
    world, state = Episode([0]), cortex.start(np.array([1]))
    always = np.array([True])
    _, state, _ = cortex.step(state, world.seen(), check=always)
    cortex.step(state, world.seen(), check=always)  # the same sight again is no news
    assert [given["low"]["check"].tolist() for given in backend.inputs] == [[True], [False]]


def test_without_modules_it_still_senses_and_moves():
    backend = Recorder(1)
    world, _, reports = walk(cortex_of(backend, modules=[]), [0], [1], 3)
    assert backend.calls == []
    assert np.linalg.norm(reports[2].felt.location - reports[0].felt.location) > 0.003
    assert isinstance(world.agent, Pose)


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ([Quiet("low", ["patch_9"], [SENSED])], "listens to 'patch_9'"),
        ([Quiet("patch_0", ["patch_1"], [SENSED])], "names of sensors and of modules"),
        ([Quiet("low", ["low"], [SENSED])], "listens to 'low'"),
        ([Quiet("low", ["patch_0", "patch_0"], [SENSED, SENSED])], "'low' listens twice to one of"),
    ],
)
def test_wrong_connections_are_named(modules, message):
    with pytest.raises(ValueError, match=message):
        cortex_of(Recorder(1), modules=modules)


def test_equal_names_of_sensors_are_refused():
    with pytest.raises(ValueError, match="sensor names must be unique"):
        Cortex([], ("patch_0", "patch_0"), SurfaceFollow(), Recorder(1))


def test_rows_must_fit_the_backend():
    with pytest.raises(ValueError, match="2 episode ids for a backend of 1 rows"):
        cortex_of(Recorder(1)).start(np.array([1, 2]))


def test_a_feature_no_sensor_has_is_named():
    odd = FeatureLayout.make({"smell": [1]})
    cortex = cortex_of(Recorder(1), modules=[Quiet("low", ["patch_0"], [odd])])
    world, state = Episode([0]), cortex.start(np.array([1]))
    with pytest.raises(ValueError, match="cannot report \\['smell'\\]"):
        cortex.step(state, world.seen())


def test_kept_rows_go_on_as_among_the_others():
    """Rows 2 and 0 alone after four steps: the same inputs and actions as if row 1 were still there."""
    kept = np.array([2, 0])

    def told(name, step, row):
        if name == "high":
            return None
        return Percept(np.array([9.0, 9, 9]), features={"object_id": [100.0 + step]}, sender=name)

    among, alone = Recorder(3, told), Recorder(3, told)
    worlds = []
    for backend in (among, alone):
        cortex = cortex_of(backend, noise=NoiseSettings(location=0.001))
        world, state, _ = walk(cortex, [0, 1, 2], [5, 6, 7], 4)
        if backend is alone:
            state, world.fields = cortex.keep(state, kept), [world.fields[row] for row in kept]
            world.agent = Pose(world.agent.position[kept], world.agent.rotation[kept])
        for _ in range(3):
            actions, state, _ = cortex.step(state, world.seen())
            world.move(actions)
        worlds.append(world)
    np.testing.assert_array_equal(worlds[1].agent.position, worlds[0].agent.position[kept])
    for name, given in alone.inputs[-1].items():
        for field, values in given.items():
            np.testing.assert_array_equal(values, among.inputs[-1][name][field][kept], err_msg=field)
