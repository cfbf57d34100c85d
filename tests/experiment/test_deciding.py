"""When what was felt decides which object it was, when it never will, and that nobody is sent twice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.results import Pose as Hypothesis
from saccade.cortex.settle import Placed, Settled
from saccade.experiment import deciding
from saccade.experiment.config import ExperimentConfig, override
from saccade.experiment.deciding import EVERY, MOST_OBJECTS, TOLD_APART, Decider
from saccade.experiment.plan import Unit
from saccade.experiment.slot import Slot
from saccade.experiment.thought import Held, Thought
from saccade.experiment.trace import Diary
from saccade.world.symmetry import rotation_about
from tests.experiment.test_judge import believing

PERCEPTS, PATIENCE = 10, 20
HALF = rotation_about((0, 0, 1), np.pi)
CONFIG = override(
    ExperimentConfig(),
    ["eval.margin=12", "eval.min_steps=20", "eval.evidence_per_step=0.5"]
    + [f"module.symmetry_evidence={PATIENCE}"],
)


def standing(cost: float, gap: float) -> Settled:
    """A pose in which all percepts cost so much, and its half turn, which costs `gap` more."""
    costs = cost / PERCEPTS, (cost + gap) / PERCEPTS
    return Settled([Placed(t, np.zeros(3), c) for t, c in zip((np.eye(3), HALF), costs)], PERCEPTS)


@dataclass
class Told:
    """A settler whose findings are given, by object."""

    found: dict[str, Settled]
    sensors: int = 1

    def surface(self, module: int, name: str) -> None: ...

    def settle(self, felt: Any, module: int, name: str, *rest: Any) -> Settled:
        return self.found[name]

    def place_to_look(self, module: int, standing: Any) -> tuple[npt.NDArray[np.float64], ...]:
        return np.ones(3), np.ones(3)


@dataclass
class Asked:
    """A mind that holds nothing and remembers where it was sent."""

    wishes: list[int] = field(default_factory=list)

    def held(self, row: int, module: int, name: str) -> Held:
        return Held(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))

    def wish(self, row: int, location: Any, normal: Any) -> None:
        self.wishes.append(row)


@pytest.fixture(autouse=True)
def _no_percepts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding.Diary, "of", lambda self, *rest: None)


def thought_of(*possible: str) -> Thought:
    result = believing(possible[0], 30.0)
    result.possible = [list(possible)]
    return Thought([result], None, np.zeros((1, 1, 3)), np.ones(1, bool))  # type: ignore[arg-type]


def decider_of(**found: Settled) -> tuple[Decider, Asked]:
    mind = Asked()
    return Decider(Told(found), mind, CONFIG, Diary()), mind  # type: ignore[arg-type]


def slot_at(matched: int) -> Slot:
    return Slot(Unit("u", "eval", ()), matched=matched, felt=[matched])


def test_the_object_that_explains_most_is_reported_whatever_has_more_evidence() -> None:
    decider, mind = decider_of(mug=standing(90, 30), can=standing(60, 30))
    verdict = decider.decide({0: slot_at(21)}, thought_of("mug", "can"))[0]
    assert verdict.ending == "match"
    assert verdict.report is not None
    assert verdict.report.object == "can"
    assert not mind.wishes


def test_objects_that_explain_as_much_go_on_and_end_without_a_match() -> None:
    decider, _ = decider_of(mug=standing(60, 30), can=standing(65, 30))
    slot, endings = slot_at(21), []
    for _ in range(TOLD_APART * PATIENCE // EVERY):
        endings.append(decider.decide({0: slot}, thought_of("mug", "can")).get(0))
        slot.matched += EVERY
        slot.felt = [21]
    assert endings[:-1] == [None] * (len(endings) - 1)
    assert endings[-1] is not None
    assert endings[-1].ending == "mlh"


def test_a_pose_that_is_not_clear_asks_for_one_look_and_not_for_more_until_something_is_felt() -> None:
    decider, mind = decider_of(mug=standing(60, 3))
    slot = slot_at(21)
    assert decider.decide({0: slot}, thought_of("mug")) == {}
    assert decider.decide({0: slot}, thought_of("mug")) == {}
    assert mind.wishes == [0]
    slot.matched += EVERY
    assert decider.decide({0: slot}, thought_of("mug")) == {}
    assert mind.wishes == [0, 0]


def test_poses_that_stay_unclear_are_a_symmetry() -> None:
    decider, _ = decider_of(mug=standing(60, 3))
    slot, verdicts = slot_at(21), {}
    for _ in range(1 + PATIENCE // EVERY):
        assert not verdicts
        assert decider.undecided(slot, "mug") is None
        verdicts = decider.decide({0: slot}, thought_of("mug"))
        slot.matched += EVERY
    assert verdicts[0].ending == "match"
    possible = decider.undecided(slot, "mug")
    assert possible is not None
    assert len(possible) == 2


def test_while_many_objects_are_possible_evidence_has_yet_to_speak() -> None:
    names = [f"object_{n}" for n in range(MOST_OBJECTS + 1)]
    decider, _ = decider_of(**{name: standing(20.0 * n, 30) for n, name in enumerate(names)})
    assert decider.decide({0: slot_at(21)}, thought_of(*names)) == {}
    assert decider.decide({0: slot_at(21)}, thought_of(*names[:-1]))[0].ending == "match"


def test_the_report_has_the_pose_that_was_settled() -> None:
    decider, _ = decider_of(mug=replace(standing(60, 30)))
    report = Hypothesis("mug", 3, 17.0, np.ones(3), HALF)
    verdict = deciding.Verdict("mlh", 0, report)
    settled = decider.settled(0, slot_at(7), verdict, thought_of("mug")).report
    assert settled is not None
    np.testing.assert_array_equal(settled.rotation, np.eye(3))
    assert settled.evidence == 17.0
