"""Without names: the agent goes around what it meets, and the whole decides what it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.bank.results import Pose as Hypothesis
from saccade.cortex.sense import Sensation
from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import build
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.engine.memory import Memory
from saccade.experiment.engine.objects import object_names
from saccade.experiment.learn.discover import Discoverer, Encounter, Pose
from saccade.experiment.learn.explore import feel, observations_of, sides_in_turn
from saccade.experiment.plan.plan import Episode, plan_train
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.plan.scenes import starting_poses, starting_poses_from
from saccade.experiment.recognise.judge import Verdict
from saccade.world.protocol import Actions

Floats = npt.NDArray[np.float64]
CONFIG = override(preset("unsupervised_noise"), ["objects.names=mug,wine_glass", "train.steps=40"])


def discoverer(config: ExperimentConfig = CONFIG, rows: int = 1) -> Discoverer:
    engine = make_engine(config)
    return Discoverer(config, engine.objects, engine.channels, engine.symmetries, rows)


def meetings(config: ExperimentConfig = CONFIG) -> Sequence[Episode]:
    (unit,) = plan_train(config, object_names(config))
    return unit.episodes


def explored(agent: Discoverer, episode: Episode) -> list[Sensation]:
    agent._stand([episode], {})
    return agent._explore([episode], [0])[0]


def test_all_sides_get_an_equal_share_of_the_steps() -> None:
    views = [np.eye(3) * number for number in range(4)]
    sides = sides_in_turn(range(20, 100), views)
    assert {step: view[0, 0] for step, view in sides.items()} == {40: 1, 60: 2, 80: 3}
    assert sides_in_turn(range(100), views[:1]) == {}


def test_agents_go_around_and_objects_stay() -> None:
    agent, (mug, *_) = discoverer(), meetings()
    front = starting_poses(agent.world, [mug], agent.distance)
    behind = starting_poses_from(agent.world, from_euler((0.0, 180.0, 0.0)), agent.distance)
    above = starting_poses_from(agent.world, from_euler((90.0, 0.0, 0.0)), agent.distance)
    assert front.poses.position[0, 2] > 0.03
    assert behind.poses.position[0, 2] < -0.03
    assert above.poses.position[0, 1] > 0.03
    for start in (front, behind, above):
        assert start.found.all()
        # it looks at the middle, more or less
        assert start.poses.rotation[0, :, 2] @ start.poses.position[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("views", "finds_the_foot"), [(1, False), (6, True)])
def test_an_agent_that_begins_in_a_glass_finds_its_foot_from_another_side(
    views: int, finds_the_foot: bool
) -> None:
    config = override(CONFIG, [f"train.rotations={views}", f"train.steps={240 // views}"])
    upright = from_euler((90.0, 0.0, 0.0))  # the opening towards the agent
    glass = replace(meetings(config)[1], rotation=upright)
    seen = observations_of(explored(discoverer(config), glass), 0, 0, config.sensor.features)
    heights = (seen.locations @ upright)[:, 1]
    assert (heights.max() > 0.07, heights.min() < -0.07) == (True, finds_the_foot)


def test_an_exploring_agent_remembers_all_places_of_a_meeting_without_names() -> None:
    named = override(CONFIG, ["train.mode=supervised"])
    for config, places in ((CONFIG, 14 * 40), (named, 50)):
        policy: Any = build.exploring_policy(config)
        assert policy.inhibition.capacity == places


def verdict(rotation: Floats, location: Floats) -> Verdict:
    """The belief that it is the first object, lying like this."""
    hypothesis = Hypothesis("object_0", 0, 80.0, location, rotation)
    return Verdict("match", 0, hypothesis)


@pytest.fixture(scope="module")
def agent() -> Discoverer:
    return discoverer()


@pytest.fixture(scope="module")
def known(agent: Discoverer) -> Memory:
    """A mug, met once."""
    mug = meetings()[0]
    stands = Pose.as_it_stands()
    nothing = Verdict("no_match", -1, None)
    met = Encounter(mug, None, nothing, stands, explored(agent, mug), 0, 0.0, 0.0)
    return agent._learned(Memory.empty(1), "object_0", stands, met)


@pytest.mark.slow
def test_what_was_recognised_wrongly_is_new(agent: Discoverer, known: Memory) -> None:
    """The inside of a glass is like that of a mug; its stem is like nothing of it."""
    pose = Pose.as_it_stands()
    felt = explored(agent, meetings()[1])
    assert agent._known(known, verdict(pose.rotation, pose.location), pose, felt) is None


@pytest.mark.slow
def test_what_was_recognised_is_settled_and_what_was_not_is_found(agent: Discoverer, known: Memory) -> None:
    first, again = meetings()[0], meetings()[2]
    assert (first.object, again.object) == ("mug", "mug")
    felt = explored(agent, again)
    true = first.rotation @ again.rotation.T
    nearly = Pose(from_euler((6.0, -4.0, 5.0)) @ true, np.zeros(3), np.array([0.004, 0.0, 0.003]))
    turned = Pose(from_euler((0.0, 120.0, 90.0)) @ true, np.zeros(3), np.zeros(3))
    stands = Pose.as_it_stands()
    beliefs = [
        (nearly, verdict(nearly.rotation, nearly.location)),
        (turned, verdict(turned.rotation, turned.location)),
        (stands, Verdict("no_match", -1, None)),
    ]
    for pose, belief in beliefs:
        found = agent._known(known, belief, pose, felt)
        assert found is not None
        name, settled = found
        assert name == "object_0"
        off = np.degrees(np.arccos(np.clip((np.trace(settled.rotation @ true.T) - 1) / 2, -1, 1)))
        assert off < 8.0


def test_where_nothing_was_felt_nothing_is_known(agent: Discoverer, known: Memory) -> None:
    agent._stand(meetings()[:1], {})
    felt = feel(agent.world.step(Actions.stay(1)), build.sensor_settings(CONFIG))
    blind = replace(felt, usable=np.zeros_like(felt.usable))
    assert agent._known(known, Verdict("no_match", -1, None), Pose.as_it_stands(), [blind]) is None


@pytest.mark.slow
def test_meetings_side_by_side_are_what_they_are_alone() -> None:
    """The second epoch of two objects, beside each other and each alone with the same memory."""
    config = override(CONFIG, ["train.steps=3", "eval.min_steps=5", "eval.max_steps=12"])
    engine, both, episodes = make_engine(config), discoverer(config, rows=3), meetings(config)
    memory = list(both.meet(episodes[:2], engine.memory))[-1][1]
    beside = both._encounters(episodes[2:4], memory)
    for met, episode in zip(beside, episodes[2:4]):
        (alone,) = discoverer(config)._encounters([episode], memory)
        assert met.recognised is not None
        assert alone.recognised is not None
        assert met.recognised.row.results() == alone.recognised.row.results()
        wholes = [observations_of(each.felt, each.row, 0, config.sensor.features) for each in (met, alone)]
        assert len(wholes[0]) > 30
        np.testing.assert_array_equal(wholes[0].locations, wholes[1].locations)


def test_the_time_of_a_meeting_is_all_of_it() -> None:
    """A first meeting recognises nothing: all of its time goes into exploring and learning."""
    config = override(CONFIG, ["train.steps=3"])
    agent, (first, *_) = discoverer(config), meetings(config)
    began = time.perf_counter()
    ((outcome, _),) = agent.meet([first], make_engine(config).memory)
    whole, row = time.perf_counter() - began, outcome.row
    assert 0 < row.seconds_world < row.seconds <= whole
    assert row.seconds == pytest.approx(row.seconds_world + row.seconds_modules)
