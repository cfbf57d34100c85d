"""When what was felt decides which object it was, when it never will, and that nobody is sent twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.bank.results import Pose as Hypothesis
from saccade.cortex.fitting.settle import Placed, Settled
from saccade.cortex.fitting.telling import Place
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.plan.plan import Unit
from saccade.experiment.recognise.judge import Verdict
from saccade.experiment.recognise.settling import FITS, Claim, Standing
from saccade.experiment.recognise.slot import Slot
from saccade.experiment.recognise.standings import (
    MOST_OBJECTS,
    SETTLED_EVERY,
    TOLD_APART,
    Standings,
    settled,
)
from saccade.experiment.recognise.thought import Held, Thought
from saccade.world.protocol import Actions
from saccade.world.symmetry.symmetry import rotation_about
from tests.experiment.test_judge import believing

Floats = npt.NDArray[np.float64]

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
    """A settler whose findings are given, by object; after a search those of `searched` where there are any.
    Remembers what it was asked to compare."""

    found: dict[str, Settled]
    searched: dict[str, Settled] = field(default_factory=dict)
    compared: list[tuple[str, str]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    reach: float = 0.01
    sensors: int = 1
    places: int = 1
    symmetric: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    errors: float = np.inf

    def settle(self, claims: Sequence[Claim], margin: float, search: bool | None = None) -> list[Standing]:
        found = self.found | self.searched if search else self.found
        self.claims += claims
        return [
            Standing(
                each.object, found[each.object], each.steps, each.steps if search or not each.before else 0
            ).followed(each.before, margin)
            for each in claims
        ]

    def alike(self, standing: Standing, percepts: Floats, free: Floats, margin: float) -> Floats:
        return standing.found.within(margin)

    def places_to_look(self, best: Standing, other: Standing, seen: Sequence[Floats]) -> list[Place]:
        self.compared.append((best.object, other.object))
        return [(np.full(3, float(len(seen))), np.ones(3))] * self.places

    def is_symmetric(self, standing: Standing, margin: float) -> bool:
        return standing.object in self.symmetric

    def are_one(self, best: Standing, other: Standing) -> bool:
        return {best.object, other.object} <= {*self.twins}

    def standard_errors(
        self, best: Standing, other: Standing, percepts: Floats, steps: npt.NDArray[np.int64], free: Floats
    ) -> float:
        return self.errors


@dataclass
class Asked:
    """A mind that holds nothing and remembers where it was sent."""

    wishes: list[int] = field(default_factory=list)

    def held(self, row: int, module: int, name: str) -> Held:
        return Held(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))

    def strongest(self, module: int, wanted: Sequence[tuple[int, str]], most: int) -> list[Held]:
        return [self.held(row, module, name) for row, name in wanted]

    def wish(self, row: int, location: Floats, normal: Floats) -> None:
        self.wishes.append(row)


@pytest.fixture(autouse=True)
def _no_percepts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "saccade.experiment.recognise.standings.Diary.of", lambda self, *rest: np.zeros((0, 9))
    )
    monkeypatch.setattr(
        "saccade.experiment.recognise.standings.Diary.steps_of", lambda self, *rest: np.zeros(0, np.int64)
    )
    monkeypatch.setattr(
        "saccade.experiment.recognise.standings.Diary.free", lambda self, *rest: np.zeros((0, 8))
    )


def thought_of(*possible: str, felt: bool = True) -> Thought:
    result = believing(possible[0], 30.0)
    result.possible = [list(possible)]
    return Thought([result], Actions.stay(1), np.zeros((1, 1, 3)), np.array([felt]))


def standings_of(**found: Settled) -> tuple[Standings, Asked]:
    mind = Asked()
    return Standings(CONFIG, mind, Told(found)), mind


def slot_at(matched: int) -> Slot:
    return Slot(Unit("u", "eval", ()), matched=matched, felt=[21])


def decide(standings: Standings, slot: Slot, thought: Thought) -> Verdict | None:
    """The verdict of one step on one row."""
    found = standings.contest(slot, thought, 0)
    contests = standings.narrowed([slot], {} if found is None else {0: found}, thought)
    standings.settle([slot], contests, thought)
    verdict = standings.confirmed([slot], contests, thought).get(0)
    standings.look([None if verdict else slot])
    return verdict


def test_the_object_that_explains_most_is_reported_whatever_has_more_evidence() -> None:
    standings, mind = standings_of(mug=standing(90, 30), can=standing(60, 30))
    verdict = decide(standings, slot_at(21), thought_of("mug", "can"))
    assert verdict is not None
    assert verdict.ending == "match"
    assert verdict.report is not None
    assert verdict.report.object == "can"
    assert not mind.wishes


@pytest.mark.parametrize(("twins", "ending"), [((), "match"), (("mug", "can"), "mlh")])
def test_the_nearer_of_two_models_of_one_thing_is_told_as_the_likeliest(
    twins: tuple[str, ...], ending: str
) -> None:
    standings = Standings(
        CONFIG, Asked(), Told({"mug": standing(90, 30), "can": standing(60, 30)}, twins=twins)
    )
    verdict = decide(standings, slot_at(21), thought_of("mug", "can"))
    assert verdict is not None
    assert verdict.ending == ending


def test_of_two_levels_the_wholes_that_the_one_above_knows_are_compared() -> None:
    """The module below believes in a part, whose model nobody lays under what was felt."""
    config = replace(CONFIG, module=replace(CONFIG.module, levels=2))
    standings = Standings(config, Asked(), Told({"mug": standing(90, 30), "can": standing(60, 30)}))
    (above,) = thought_of("mug", "can").results
    thought = Thought(
        [believing("handle", 90.0), above], Actions.stay(1), np.zeros((1, 2, 3)), np.array([True])
    )
    slot = replace(slot_at(21), felt=[21, 21])
    verdict = decide(standings, slot, thought)
    assert verdict is not None
    assert verdict.report is not None
    assert (verdict.module, verdict.report.object) == (1, "can")


def test_objects_that_explain_as_much_go_on_and_end_without_a_match() -> None:
    standings, _ = standings_of(mug=standing(60, 30), can=standing(65, 30))
    slot, endings = slot_at(21), []
    for _ in range(TOLD_APART // SETTLED_EVERY):
        endings.append(decide(standings, slot, thought_of("mug", "can")))
        slot.matched += SETTLED_EVERY
    assert endings[:-1] == [None] * (len(endings) - 1)
    assert endings[-1] is not None
    assert endings[-1].ending == "mlh"


def test_a_pose_that_is_not_clear_asks_for_one_look_and_not_for_more_until_something_is_felt() -> None:
    standings, mind = standings_of(mug=standing(60, 3))
    slot = slot_at(21)
    assert decide(standings, slot, thought_of("mug")) is None
    assert decide(standings, slot, thought_of("mug", felt=False)) is None
    assert mind.wishes == [0]
    slot.matched += SETTLED_EVERY
    assert decide(standings, slot, thought_of("mug")) is None
    assert mind.wishes == [0, 0]


def test_poses_that_stay_unclear_are_a_symmetry() -> None:
    standings, _ = standings_of(mug=standing(60, 3))
    slot, verdict, thought = slot_at(21), None, thought_of("mug")
    for _ in range(1 + PATIENCE // SETTLED_EVERY):
        assert verdict is None
        verdict = decide(standings, slot, thought)
        slot.matched += SETTLED_EVERY
    assert verdict is not None
    assert verdict.ending == "match"
    possible = standings.undecided(slot, verdict, thought, 0)
    assert possible is not None
    assert len(possible) == 2


def test_poses_that_are_a_symmetry_of_the_model_end_at_once_and_all_of_them_are_told() -> None:
    standings = Standings(CONFIG, Asked(), Told({"mug": standing(60, 3)}, symmetric=("mug",)))
    slot, thought = slot_at(21), thought_of("mug")
    verdict = decide(standings, slot, thought)
    assert verdict is not None
    assert verdict.ending == "match"
    possible = standings.undecided(slot, verdict, thought, 0)
    assert possible is not None
    assert len(possible) == 2


def test_before_it_may_end_poses_are_looked_at_where_they_differ() -> None:
    standings, mind = standings_of(mug=standing(60, 3))
    slot = slot_at(21 - SETTLED_EVERY)
    assert decide(standings, slot, thought_of("mug")) is None
    assert (mind.wishes, slot.contested) == ([0], 0)
    standings, mind = standings_of(mug=standing(60, 30))
    assert decide(standings, slot_at(21 - SETTLED_EVERY), thought_of("mug")) is None, "clear, but too early"
    assert not mind.wishes


def test_the_places_to_look_at_are_taken_one_after_the_other() -> None:
    mind = Asked()
    standings, slot = Standings(CONFIG, mind, Told({"mug": standing(60, 3)}, places=3)), slot_at(21)
    decide(standings, slot, thought_of("mug"))
    for _ in range(4):
        standings.look([slot])
    assert mind.wishes == [0, 0, 0]
    assert len(slot.looked) == 3


def test_no_place_is_looked_at_twice_however_long_it_takes() -> None:
    """A settler tells places by how many were seen: what a model has wrong at one would count twice."""
    standings, _ = standings_of(mug=standing(60, 30), can=standing(65, 30))
    slot = slot_at(21)
    for _ in range(12):
        decide(standings, slot, thought_of("mug", "can"))
        slot.matched += SETTLED_EVERY
    assert [place[0] for place in slot.looked] == [float(number) for number in range(12)]


@pytest.mark.parametrize(("cost", "ending"), [(FITS - 0.5, "match"), (FITS + 0.5, None)])
def test_where_evidence_is_in_doubt_a_clear_object_that_fits_is_a_match(
    cost: float, ending: str | None
) -> None:
    """What nobody has learned fits no model well."""
    standings, _ = standings_of(mug=standing(cost * PERCEPTS, 30), can=standing(cost * PERCEPTS + 30, 30))
    slot = slot_at(21)
    slot.felt = [1000]  # its evidence is worth far fewer steps
    verdict = decide(standings, slot, thought_of("mug", "can"))
    assert (None if verdict is None else verdict.ending) == ending


def test_of_many_possible_objects_those_are_in_question_that_explain_most() -> None:
    names = [f"object_{n}" for n in range(2 * MOST_OBJECTS)]
    # the likeliest by evidence explains least
    standings, _ = standings_of(**{name: standing(90.0 - 5 * n, 30) for n, name in enumerate(names)})
    thought = thought_of(*names)
    thought.results[0].objects, thought.results[0].evidence = tuple(names), np.ones((1, len(names)))
    found = standings.contest(slot_at(21), thought, 0)
    assert found is not None
    narrow = standings.narrowed([slot_at(21)], {0: found}, thought)[0]
    assert narrow.objects == tuple(sorted([names[0], *names[-(MOST_OBJECTS - 1) :]]))


def test_an_object_that_evidence_gave_up_stays_in_question() -> None:
    standings, _ = standings_of(mug=standing(60, 30), can=standing(65, 30))
    slot = slot_at(21)
    assert decide(standings, slot, thought_of("mug", "can")) is None
    slot.matched += SETTLED_EVERY
    assert decide(standings, slot, thought_of("mug")) is None, "the can explains as much as the mug"


def test_objects_that_explain_as_much_are_looked_at_where_they_differ() -> None:
    told = Told({"mug": standing(60, 30), "can": standing(65, 30)})
    standings = Standings(CONFIG, Asked(), told)
    assert decide(standings, slot_at(21), thought_of("mug", "can")) is None
    assert told.compared == [("mug", "can")]


def test_a_clear_pose_is_reported_after_all_turns_were_tried_with_all_that_was_felt() -> None:
    told = Told({"mug": standing(60, 3)})
    standings, slot = Standings(CONFIG, Asked(), told), slot_at(21)
    assert decide(standings, slot, thought_of("mug")) is None
    told.found, told.searched = {"mug": standing(60, 30)}, {"mug": standing(60, 3)}
    slot.matched += SETTLED_EVERY
    assert decide(standings, slot, thought_of("mug")) is None, "the search finds a pose that costs as much"
    told.searched = {}
    slot.matched += SETTLED_EVERY
    assert decide(standings, slot, thought_of("mug")) is not None


def test_where_modules_never_agree_it_has_failed_after_a_while() -> None:
    standings, _ = standings_of(mug=standing(60, 30))
    slot, thought = slot_at(21), thought_of("mug")
    slot.felt = [1000]  # its evidence is worth far fewer steps
    for _ in range(TOLD_APART // SETTLED_EVERY):
        assert not standings.has_failed(slot)
        assert decide(standings, slot, thought) is None
        slot.matched += SETTLED_EVERY
    assert standings.has_failed(slot)


def test_at_the_end_of_time_the_object_that_explains_most_is_named_in_its_pose() -> None:
    standings, _ = standings_of(mug=standing(60, 30), can=standing(50, 30))
    slot, thought = slot_at(7), thought_of("mug")
    thought.results[0].objects, thought.results[0].evidence = (
        ("can", "mug", "bowl"),
        np.array([[5.0, 9.0, -np.inf]]),
    )
    verdicts = {0: Verdict("mlh", 0, Hypothesis("mug", 3, 17.0, np.ones(3), HALF))}
    found = {0: standings.last_contest(verdicts[0], thought, 0)}
    assert found[0].objects == ("can", "mug")
    standings.settle([slot], found, thought)
    told = settled(slot, standings.named([slot], verdicts, found)[0], np.zeros(3)).report
    assert told is not None
    assert (told.object, told.evidence) == ("can", 17.0)
    np.testing.assert_array_equal(told.rotation, np.eye(3))
    matched = Verdict("match", 0, verdicts[0].report)
    assert standings.last_contest(matched, thought, 0).objects == ("mug",)


def test_poses_of_all_modules_are_tried_each_where_its_sensor_was() -> None:
    """A module that has given up the right pose is not the only one that knows poses."""

    @dataclass
    class Holding(Asked):
        def held(self, row: int, module: int, name: str) -> Held:
            turns = [np.eye(3), HALF][module]
            return Held(np.ones(1), np.zeros((1, 3)), turns[None])

    result = thought_of("mug").results[0]
    places = np.array([[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]])
    thought = Thought([result, result], Actions.stay(1), places, np.array([True]))
    told = Told({"mug": standing(10, 40), "can": standing(90, 40)})
    standings = Standings(override(CONFIG, ["module.count=2"]), Holding(), told)
    slot = replace(slot_at(21), felt=[21, 21])
    decide(standings, slot, thought)
    mug = next(claim for claim in told.claims if claim.object == "mug")
    here, turned = mug.held
    np.testing.assert_allclose(here, [*np.eye(3).ravel(), 0, 0, 0], atol=1e-12)
    # the half turn brings where the second sensor is to the origin
    np.testing.assert_allclose(turned, [*HALF.ravel(), 0.1, 0, 0], atol=1e-12)


def test_objects_that_differ_by_less_than_what_they_lack_are_contested() -> None:
    """40 less is clear by the margin; two standard errors of what was felt are not, three are."""
    for errors, clear in ((2.0, False), (3.0, True)):
        standings, _ = standings_of(mug=standing(10, 40), can=standing(50, 40))
        assert isinstance(standings.settler, Told)
        standings.settler.errors = errors
        verdict = decide(standings, slot_at(21), thought_of("mug", "can"))
        assert (verdict is not None) == clear


def test_where_nothing_fits_objects_are_tried_one_after_the_other() -> None:
    """Poses to begin with are wrong where nothing fits, and so is what objects cost in them: ten objects are
    tried within a few checks, whatever they cost, and hypotheses that were made since then are as well."""
    names = [f"thing{number}" for number in range(10)]
    wrong = {name: standing(PERCEPTS * (FITS + 0.1) + 60 * k, 0) for k, name in enumerate(names)}
    standings, _ = standings_of(**wrong)
    thought, slot = thought_of(*names[:2]), slot_at(21)
    result = thought.results[0]
    result.objects, result.evidence = tuple(names), np.linspace(3.0, 1.0, 10)[None]
    assert isinstance(standings.settler, Told)
    for _ in range(3):
        decide(standings, slot, thought)
        slot.matched += SETTLED_EVERY
    assert set(slot.standings) == set(names)
    fitting = {name: standing(PERCEPTS * (FITS - 3) + 60 * k, 0) for k, name in enumerate(names)}
    standings, _ = standings_of(**fitting)
    slot = slot_at(21)
    for _ in range(3):
        decide(standings, slot, thought)
        slot.matched += SETTLED_EVERY
    assert set(slot.standings) == set(names[:2]), "what fits rules out the others"


@pytest.mark.parametrize(("cost", "again"), [(FITS + 1, True), (FITS - 1, False)])
def test_hypotheses_of_what_is_in_question_are_read_at_every_check(cost: float, again: bool) -> None:
    """What was found first may be at a wrong place. Of all the others, those of what does not fit are."""

    @dataclass
    class Holding(Asked):
        def held(self, row: int, module: int, name: str) -> Held:
            return Held(np.ones(1), np.zeros((1, 3)), np.eye(3)[None])

    told = Told({"mug": standing(PERCEPTS * cost, 3)})
    standings, slot, thought = Standings(CONFIG, Holding(), told), slot_at(21), thought_of("mug")
    thought.results[0].best = believing("mug", 1.0).best  # too little: in doubt
    decide(standings, slot, thought)
    slot.matched += SETTLED_EVERY
    told.claims.clear()
    decide(standings, slot, thought)
    narrowing, settling = told.claims
    assert (len(narrowing.held), len(settling.held)) == (again, True)
    assert settling.before is not None
