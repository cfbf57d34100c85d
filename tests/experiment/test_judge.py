"""When episodes end and what they are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.bank.results import Pose as Hypothesis
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.plan.plan import Episode
from saccade.experiment.plan.rotations import from_euler, random_rotation
from saccade.experiment.recognise.judge import contest, errors_of, judge, likeliest
from saccade.reproducible import Draws
from saccade.world.symmetry.symmetry import Symmetry, about, rotation_about


def believing(name: str | None, evidence: float = 10.0, terminal: str | None = None) -> ModuleResult:
    """A module of one row with one belief."""
    best = None if name is None else Hypothesis(name, 0, evidence, np.zeros(3), np.eye(3))
    one = np.zeros((1, 1))
    objects = tuple(dict.fromkeys(each for each in (name, "mug", "can") if each))
    return ModuleResult(
        module="m",
        objects=objects,
        best=[best],
        evidence=np.array([[evidence if each == name else -np.inf for each in objects]]),
        counts=one.astype(np.int64),
        possible=[[]],
        prediction_error=one,
        terminal=[terminal],
        symmetry=np.zeros(1, np.int64),
        possible_hypotheses=one.astype(np.int64),
        outputs=[None],
        processed=np.ones(1, bool),
    )


def config(*settings: str) -> ExperimentConfig:
    return override(
        ExperimentConfig(),
        [
            "eval.min_steps=20",
            "eval.evidence_per_step=0",
            "module.object_evidence_threshold=1",
            *settings,
        ],
    )


def test_a_match_ends_after_enough_steps_only() -> None:
    results = [believing("mug", terminal="match")]
    assert judge(results, 0, 20, config(), expired=False) is None
    verdict = judge(results, 0, 21, config(), expired=False)
    assert verdict is not None
    assert verdict.ending == "match"
    assert verdict.report is not None
    assert verdict.report.object == "mug"


def test_a_match_that_explains_only_the_last_steps_does_not_count() -> None:
    half = config("eval.evidence_per_step=0.5")
    results = [believing("mug", 12.0, "match")]
    assert judge(results, 0, 44, half, expired=False) is None
    assert judge(results, 0, 24, half, expired=False) is not None
    late = judge(results, 0, 500, half, expired=True)
    assert late is not None
    assert late.ending == "mlh"


def test_modules_that_hold_one_object_for_possible_agree_with_the_one_that_settled_it() -> None:
    two = config("module.count=3", "eval.modules_to_match=2", "eval.evidence_per_step=0.1")
    settled, other = believing("mug", 12, "match"), believing("mug", 9)
    assert judge([settled, other], 0, 50, two, expired=False) is None, "the other may still be anything"
    for possible, ends in ((["mug", "can"], False), (["can"], False), (["mug"], True)):
        other.possible = [possible]
        assert (judge([settled, other], 0, 50, two, expired=False) is not None) == ends, possible
    assert judge([other, other], 0, 50, two, expired=False) is None, "nobody knows the pose"
    weak = believing("mug", 4)
    weak.possible = [["mug"]]
    assert judge([settled, weak], 0, 50, two, expired=False) is None, "evidence of the last steps alone"


def test_a_belief_must_be_worth_the_percepts_its_own_module_had() -> None:
    """Of five sensors over a toothbrush some are mostly beside it."""
    two = config("module.count=2", "eval.modules_to_match=2", "eval.evidence_per_step=0.5")
    results = [believing("mug", 40, "match"), believing("mug", 4, "match")]
    assert judge(results, 0, 50, two, expired=False) is None
    assert judge(results, 0, 50, two, expired=False, felt=[50, 9]) is None
    assert judge(results, 0, 50, two, expired=False, felt=[50, 8]) is not None


def test_modules_prove_a_symmetry_together() -> None:
    """What one module has to feel ten times in a row, three modules have felt after four steps."""
    three = config("module.count=3", "eval.modules_to_match=3", "module.symmetry_evidence=10")

    def holding(checks: int, name: str = "can", evidence: float = 10.0) -> ModuleResult:
        result = believing(name, evidence)
        result.possible, result.symmetry = [[name]], np.array([checks])
        return result

    assert judge([holding(3), holding(3), holding(3)], 0, 50, three, expired=False) is None
    verdict = judge([holding(3), holding(4, evidence=12), holding(3)], 0, 50, three, expired=False)
    assert verdict is not None
    assert (verdict.ending, verdict.module) == ("match", 1)
    other = [holding(9), holding(9), holding(9, "mug")]
    assert judge(other, 0, 50, three, expired=False) is None, "they do not agree on the object"
    assert judge([holding(9)], 0, 50, config(), expired=False) is None, "one module counts for itself"


def test_modules_that_settled_on_different_objects_do_not_agree() -> None:
    two = config("module.count=2", "eval.modules_to_match=2")
    assert judge([believing("mug", 9, "match"), believing("can", 12, "match")], 0, 50, two, False) is None


def test_enough_modules_must_match_and_the_strongest_speaks() -> None:
    results = [
        believing("mug", 9, "match"), believing("can", 99, None), believing("mug", 12, "match"),
    ]  # fmt: skip
    three = config("module.count=3", "eval.modules_to_match=3")
    two = config("module.count=3", "eval.modules_to_match=2")
    assert judge(results, 0, 50, three, expired=False) is None
    verdict = judge(results, 0, 50, two, expired=False)
    assert verdict is not None
    assert verdict.module == 2


@pytest.mark.parametrize(
    ("result", "ending"),
    [
        (believing("mug", 5.0), "mlh"),
        (believing("mug", 0.5), "time_out"),
        (believing(None), "time_out"),
        (believing(None, terminal="no_match"), "no_match"),
        (believing("mug", 5.0, terminal="no_match"), "no_match"),
        (replace(believing("mug", 5.0, terminal="no_match"), possible=[["mug"]]), "mlh"),
    ],
)
def test_endings_when_time_is_over(result: Any, ending: str) -> None:
    assert judge([result], 0, 500, config(), expired=False) is None
    verdict = judge([result], 0, 500, config(), expired=True)
    assert verdict is not None
    assert verdict.ending == ending
    assert (verdict.report is not None) == (ending == "mlh")


@given(st.integers(0, 1000), st.tuples(*[st.floats(-0.2, 0.2)] * 3))
def test_the_true_pose_has_no_error(seed: int, point: tuple[float, float, float]) -> None:
    true = random_rotation(Draws(seed))
    episode = Episode("e", "eval", 0, 0, "mug", true, 0)
    location = np.array(point)
    # The sensor touches object point `location`, which lies at true @ location in the world.
    report = Hypothesis("mug", 0, 1.0, location, true.T)
    errors = errors_of(report, true @ location, episode, Symmetry())
    assert errors.rotation < 1e-4
    assert errors.location < 1e-9


def test_errors_are_up_to_symmetry() -> None:
    episode = Episode("e", "eval", 0, 0, "can", np.eye(3), 0)
    report = Hypothesis("can", 0, 1.0, np.zeros(3), from_euler((0, 70, 0)).T)
    assert errors_of(report, np.zeros(3), episode, Symmetry()).rotation == pytest.approx(70)
    spun = errors_of(report, np.zeros(3), episode, Symmetry(axis=(0.0, 1.0, 0.0)))
    assert spun.rotation == pytest.approx(0, abs=1e-5)
    assert spun.detected_rotation == "0.00 70.00 0.00"


def test_a_half_turn_by_three_judges() -> None:
    """A brick of two colours is reported as its half turn: only its shape is the same."""
    true = random_rotation(Draws(1))
    turn = rotation_about((0, 1, 0), np.pi)
    episode = Episode("e", "eval", 0, 0, "brick", true, 0)
    report = Hypothesis("brick", 0, 1.0, np.zeros(3), (true @ turn).T)
    shape = Symmetry(rotations=about((0, 1, 0), 2))
    errors = errors_of(report, np.zeros(3), episode, Symmetry(), shape)
    assert (errors.rotation, errors.shape, errors.reference) == pytest.approx((180, 0, 180), abs=0.01)
    # the module found a symmetry and held the truth for possible, too
    possible = np.stack([report.rotation, true.T @ np.eye(3)])
    held = errors_of(report, np.zeros(3), episode, Symmetry(), shape, possible)
    assert (held.rotation, held.reference) == pytest.approx((180, 0), abs=0.01)
    assert errors_of(report, np.zeros(3), episode, shape).rotation == pytest.approx(0, abs=0.01)


def test_modules_agree_on_an_object_whatever_its_pose() -> None:
    two = config("module.count=3", "eval.modules_to_match=2", "eval.evidence_per_step=0.5")
    results = [believing("mug", 12), believing("mug", 14), believing("can", 20)]
    for result, possible in zip(results, (["mug"], ["mug"], ["can", "mug"]), strict=True):
        result.possible = [possible]
    found = contest(results, 0, [20, 20, 20], two)
    assert found is not None
    assert (found.module, found.report.object, found.objects) == (1, "mug", ("mug",))
    found = contest(results, 0, [20, 40, 20], two)
    assert found is not None
    assert found.doubtful, "14 is too little for 40 percepts"
    results[2].possible = [["can"]]
    found = contest(results, 0, [20, 20, 20], two)
    assert found is not None
    assert found.doubtful, "the strongest believes something else"


def test_what_modules_believe_that_do_not_agree_is_in_question() -> None:
    three = config("module.count=3", "eval.modules_to_match=3", "eval.evidence_per_step=0.5")
    results = [believing("mug", 12), believing("bowl", 14), believing("can", 20)]
    for result, possible in zip(results, ("mug", "bowl", "can"), strict=True):
        result.possible = [[possible]]
    found = contest(results, 0, [20, 20, 20], three)
    assert found is not None
    assert (found.module, found.objects, found.doubtful) == (2, ("bowl", "can", "mug"), True)
    for result in results:
        result.possible = [[]]
    assert contest(results, 0, [20, 20, 20], three) is None, "nobody holds anything for possible"


def test_the_likeliest_objects_are_those_of_all_modules_together() -> None:
    results = [believing("mug", 12), believing("can", 14)]
    results[0].evidence = np.array([[12.0, 4.0]])
    assert (results[0].objects, results[1].objects) == (("mug", "can"), ("can", "mug"))
    assert likeliest(results, 0, 2) == ["can", "mug"]
    assert likeliest(results, 0, 1) == ["can"]
    assert likeliest(results[1:], 0, 2) == ["can"], "of the mug there is no hypothesis"


def test_objects_that_agreeing_modules_hold_for_possible_are_in_question() -> None:
    two = config("module.count=3", "eval.modules_to_match=2", "eval.evidence_per_step=0.5")
    results = [believing("mug", 12), believing("mug", 14), believing("can", 11)]
    for result, possible in zip(results, (["bowl", "mug"], ["mug"], ["can", "mug"]), strict=True):
        result.possible = [possible]
    found = contest(results, 0, [20, 20, 20], two)
    assert found is not None
    assert (found.module, found.objects) == (1, ("bowl", "mug")), "the can is nobody's who agrees"
    results[1].evidence = np.array([[14.0, 9.0]])
    found = contest(results, 0, [20, 20, 20], two)
    assert found is not None
    assert found.objects == ("bowl", "can", "mug"), "the runner-up of the module that speaks"
    results[0].possible = [[]]
    found = contest(results, 0, [20, 20, 20], two)
    assert found is not None
    assert (found.objects, found.doubtful) == (("can", "mug"), True), "whoever has no object has no say"
