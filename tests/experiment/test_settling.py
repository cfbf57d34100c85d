"""When a pose is clear, when it never will be, and where no pose is settled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.bank.results import Pose as Hypothesis
from saccade.cortex.fitting.settle import Placed, Settled
from saccade.cortex.fitting.surface import ModelSurface, percepts_of
from saccade.cortex.models.model import NodeSet, ObjectModel, Observations
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.memory import Memory
from saccade.experiment.recognise.settling import OTHER_POSE, Claim, Settler, Standing
from saccade.world.symmetry.symmetry import rotation_about

Floats = npt.NDArray[np.float64]

HALF = rotation_about((0, 0, 1), np.pi)


def found(gap: float, percepts: int = 10) -> Settled:
    """A best pose, one that is nearly the same, and its half turn, which costs `gap` more in all."""
    near = rotation_about((0, 0, 1), 0.1)
    costs = (1.0, 1.0 + 1e-3, 1.0 + gap / percepts)
    poses = [Placed(turn, np.zeros(3), cost) for turn, cost in zip((np.eye(3), near, HALF), costs)]
    return Settled(poses, percepts)


def test_the_margin_is_that_of_another_pose() -> None:
    assert found(15.0).margin(OTHER_POSE) == pytest.approx(15)
    assert len(found(15.0).within(12.0)) == 2
    assert len(found(3.0).within(12.0)) == 3
    assert Settled(found(3.0).poses[:2], 10).margin(OTHER_POSE) == np.inf


def test_steps_without_a_clear_pose_of_one_object_are_counted() -> None:
    first = Standing("mug", found(3.0), 21).followed(None, 12.0)
    second = Standing("mug", found(5.0), 26).followed(first, 12.0)
    third = Standing("mug", found(5.0), 33).followed(second, 12.0)
    assert [each.unclear for each in (first, second, third)] == [0, 5, 12]
    assert Standing("can", found(5.0), 36).followed(third, 12.0).unclear == 0
    assert Standing("mug", found(50.0), 36).followed(third, 12.0).unclear == 0


def test_all_turns_are_tried_again_when_half_as_much_again_was_felt() -> None:
    nothing = np.zeros((0, 9))
    before = Standing("mug", found(3.0), 21, searched=20)
    claims = [
        Claim("mug", None, nothing, nothing, np.zeros(3), np.zeros((0, 12)), steps, before)
        for steps in (21, 29, 30, 41)
    ]
    assert [claim.is_due for claim in claims] == [False, False, True, True]
    assert replace(claims[0], before=None).is_due


def test_a_report_keeps_what_it_is_of() -> None:
    pose = Placed(HALF, np.array([0.1, 0.0, 0.0]), 1.0)
    report = Hypothesis("mug", 3, 17.0, np.zeros(3), np.eye(3))
    anchor = np.array([0.02, 0.03, 0.04])
    settled = Standing("mug", Settled([pose], 5), 21).report(report, anchor)
    assert (settled.object, settled.evidence) == ("mug", 17.0)
    np.testing.assert_allclose(settled.location, HALF @ anchor + pose.shift)


@pytest.mark.parametrize(
    ("settings", "settles"),
    [
        ([], True),
        (["eval.settle=false"], False),
        (["eval.mode=swap"], False),
        (["module.kind=displacement"], False),
        (["world.kind=image"], False),
    ],
)
def test_who_settles_poses(settings: list[str], settles: bool) -> None:
    config = override(ExperimentConfig(), settings)
    assert (Settler.of(config, Memory.empty(1)) is not None) == settles


def ball(radius: float, nodes: int = 300) -> NodeSet:
    """A ball of one colour about the origin (Fibonacci lattice)."""
    k = np.arange(nodes) + 0.5
    height, turn = 1 - 2 * k / nodes, np.pi * (1 + 5**0.5) * k
    ring = np.sqrt(1 - height**2)
    normals = np.stack([ring * np.cos(turn), ring * np.sin(turn), height], axis=1)
    first = np.cross(normals, [0.3, 0.5, 0.8])
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    pose = np.stack([normals, first, np.cross(normals, first)], axis=1)
    colours = np.tile([0.5, 0.5, 0.5], (nodes, 1))
    single = (radius * normals).astype(np.float32), pose.astype(np.float32)
    return NodeSet(*single, np.ones(nodes, bool), {"hsv": colours.astype(np.float32)})


def test_differences_count_in_standard_errors_of_percepts() -> None:
    """Balls of 20 and 22 mm: percepts of the first are nearer to it, each by as much. Noise that is one time
    for the one and one time for the other says nothing, however much is felt."""
    small, large = ball(0.020), ball(0.022)
    settler = Settler(Memory.empty(1), 0.0125, 1)
    settler.prepared = {"small": ModelSurface.of([small], 0.0125), "large": ModelSurface.of([large], 0.0125)}
    here = Settled([Placed(np.eye(3), np.zeros(3), 1.0)], 10)
    one, two = Standing("small", here, 20), Standing("large", here, 20)
    felt = percepts_of(Observations.of(small))

    def errors(best: Standing, other: Standing, percepts: Floats, together: int = 1) -> float:
        steps = np.arange(len(percepts)) // together
        return settler.standard_errors(best, other, percepts, steps, np.zeros((0, 8)))

    clear = errors(one, two, felt)
    assert clear > 10
    assert errors(two, one, felt) == pytest.approx(-clear)
    few = errors(one, two, felt[:30])
    assert few == pytest.approx(clear * np.sqrt(30 / 300), rel=0.2), "grows with the root of what was felt"
    both = np.concatenate([felt, percepts_of(Observations.of(large))])
    assert abs(errors(one, two, both)) < 1
    # what five sensors feel of one place says no more than what one feels of it
    assert errors(one, two, np.repeat(felt, 5, axis=0), 5) == pytest.approx(clear)


@pytest.mark.parametrize(("radius", "one"), [(0.020, True), (0.022, False)])
def test_two_models_are_one_that_differ_by_noise_alone(radius: float, one: bool) -> None:
    """Balls of 20 mm felt with 0.5 mm of noise, by two names; and one of 22 mm, whose nodes fit the other."""
    random = np.random.default_rng(1)

    def felt(radius: float) -> NodeSet:
        exact = ball(radius)
        off = random.normal(scale=0.0005, size=(len(exact), 1)).astype(np.float32)
        places = exact.positions + off * exact.pose_vectors[:, 0]
        return replace(exact, positions=places)

    known = {"first": felt(0.020), "second": felt(radius)}
    memory = Memory.empty(1)
    memory.modules[0].update({name: ObjectModel(name, {"patch": nodes}) for name, nodes in known.items()})
    settler = Settler(memory, 0.0125, 1)
    settler.prepared = {name: ModelSurface.of([nodes], 0.0125) for name, nodes in known.items()}
    here = Settled([Placed(np.eye(3), np.zeros(3), 1.0)], 10)
    first, second = (Standing(name, here, 20) for name in known)
    assert settler.are_one(first, second) == one
    away = Standing("second", Settled([Placed(np.eye(3), np.full(3, 0.05), 1.0)], 10), 20)
    assert not settler.are_one(first, away), "in poses in which they do not lie on each other"
    assert Settler(memory, 0.0125, 1).are_twins("first", "second") == one, "wherever they lie"
