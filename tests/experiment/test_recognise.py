"""Rows that are filled again and again: an episode comes out the same in every row and beside any others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.bank.results import Pose as Hypothesis
from saccade.cortex.row_random import RowKey, Stream, uniform
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import build
from saccade.experiment.engine.engine import CortexEngine
from saccade.experiment.engine.memory import Origin
from saccade.experiment.engine.objects import world_objects
from saccade.experiment.plan.plan import plan_eval, plan_train
from saccade.experiment.recognise.recognise import Recogniser
from saccade.experiment.recognise.thought import Thought
from saccade.world.narrowing import Narrowing
from saccade.world.protocol import Actions, Observation
from saccade.world.symmetry.symmetry import rotation_about, rotation_error

NAMES = ["mug", "bowl", "hammer"]
CONFIG = override(
    ExperimentConfig(),
    [
        "device=cpu",
        "objects.names=mug,bowl,hammer",
        "world.agent=surface",
        "eval.epochs=2",
        "eval.min_steps=3",
        "eval.max_steps=9",
    ],
)


@dataclass
class DreamingMind:
    """Moves at random and after a random number of steps believes something that depends on all it saw."""

    rows: int

    def __post_init__(self) -> None:
        self.episode = np.zeros(self.rows, np.int64)
        self.step = np.zeros(self.rows, np.int64)
        self.sum = np.zeros(self.rows)
        self.resets = self.interrupts = 0
        self.narrowings: list[int] = []

    def reset(self, rows: npt.NDArray[np.bool_], episodes: npt.NDArray[np.int64]) -> None:
        self.episode = np.where(rows, episodes, self.episode)
        self.step = np.where(rows, 0, self.step)
        self.sum = np.where(rows, 0.0, self.sum)
        self.resets += int(rows.sum())

    def rest(self, rows: npt.NDArray[np.bool_]) -> None:
        self.sum = np.where(rows, 0.0, self.sum)

    def interrupt(self, rows: npt.NDArray[np.bool_]) -> None:
        self.interrupts += int(rows.sum())

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        self.rows = len(rows)
        self.episode, self.step, self.sum = self.episode[rows], self.step[rows], self.sum[rows]
        self.narrowings.append(self.rows)

    def think(self, seen: Observation, check: npt.NDArray[np.bool_]) -> Thought:
        key = RowKey(5, self.episode, self.step)
        self.step = self.step + 1
        self.sum = self.sum + np.asarray(seen.depth.mean(axis=(1, 2, 3)))
        done = uniform(key, Stream.GOAL) < 0.3
        best = [
            Hypothesis(NAMES[int(self.sum[r] * 1e6) % 3], 0, float(self.sum[r]), np.zeros(3), np.eye(3))
            for r in range(self.rows)
        ]
        empty = np.zeros((self.rows, 3))
        result = ModuleResult(
            module="m",
            objects=tuple(NAMES),
            best=list(best),
            evidence=np.stack([self.sum, self.sum / 2, self.sum / 3], axis=1),
            counts=empty.astype(np.int64),
            possible=[[] for _ in range(self.rows)],
            prediction_error=empty,
            terminal=["match" if d and c else None for d, c in zip(done, check)],
            symmetry=np.zeros(self.rows, np.int64),
            possible_hypotheses=empty.astype(np.int64),
            outputs=[None] * self.rows,
            processed=np.ones(self.rows, bool),
        )
        step = 0.002 * (uniform(key, Stream.ACTION, 3) - 0.5)
        return Thought(
            [result],
            Actions.relative(translation=step),
            np.zeros((self.rows, 1, 3)),
            np.ones(self.rows, bool),
        )


def recognised(
    config: ExperimentConfig,
    rows: int,
    origins: dict[str, Origin] | None = None,
    known: Collection[str] | None = None,
    narrows: bool = True,
) -> tuple[dict[str, str], DreamingMind, list[Any]]:
    objects = world_objects(config)
    mind = DreamingMind(rows)
    world = build.make_world(config, objects, rows, noisy=True)
    symmetries = {each.name: each.symmetry for each in objects}
    distance = build.viewing_distance(config)
    recogniser = Recogniser(
        world, mind, config, symmetries, distance, origins=origins, known=known, narrows=narrows
    )
    outcomes = list(recogniser.run(plan_eval(config, NAMES)))
    return {each.row.id: repr(each.row.results()) for each in outcomes}, mind, outcomes


@pytest.mark.parametrize("settings", [[], ["eval.mode=swap"], ["noise.depth=0.001", "world.distractors=1"]])
def test_rows_do_not_matter(settings: list[str]) -> None:
    config = override(CONFIG, settings)
    alone, mind, _ = recognised(config, 1)
    for rows in (2, 4):
        beside, other, _ = recognised(config, rows)
        assert beside == alone
        assert (other.resets, other.interrupts) == (mind.resets, mind.interrupts)


def test_rows_without_work_are_left_out() -> None:
    """Of six episodes three match after 4 steps, two after 6 and the last after 7."""
    config = override(CONFIG, ["eval.evidence_per_step=0"])
    alone, *_ = recognised(config, 1)
    beside, mind, _ = recognised(config, 6)
    assert beside == alone
    assert mind.narrowings == [3, 1]


def test_rows_keep_their_numbers_where_somebody_counts_on_them() -> None:
    """As `Discoverer` does: it learns what was felt by row, and goes on to explore in the same world."""
    config = override(CONFIG, ["eval.evidence_per_step=0"])
    alone, *_ = recognised(config, 1)
    beside, mind, _ = recognised(config, 6, narrows=False)
    assert beside == alone
    assert (mind.rows, mind.narrowings) == (6, [])


def test_rows_stay_while_more_than_a_part_of_them_is_busy() -> None:
    some, few = Narrowing(4, 1), Narrowing(16, 16)
    assert [some(256, busy) for busy in (256, 65, 64, 17, 16, 1, 0)] == [256, 256, 64, 64, 16, 1, 256]
    assert [some(12, busy) for busy in (4, 3, 1)] == [12, 3, 1]
    assert [few(256, busy) for busy in (17, 16, 1)] == [256, 16, 16]
    assert [few(rows, 1) for rows in (64, 17, 16, 8, 1)] == [16, 16, 16, 8, 1]


def test_swapping_tells_the_mind_nothing_but_that_it_moved() -> None:
    _, mind, _ = recognised(override(CONFIG, ["eval.mode=swap"]), 2)
    assert (mind.resets, mind.interrupts) == (2, 4)


def test_models_without_names_are_judged_by_what_they_were_made_from() -> None:
    """Every model was found on another object, which stood turned; the dreamt rotation is none at all."""
    turn = rotation_about((1, 2, 3), 0.9)
    meant = dict(zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True))
    origins = {name: Origin(other, tuple(turn.ravel())) for name, other in meant.items()}
    config = override(CONFIG, ["eval.rotations=random", "eval.epochs=8"])
    named = {each.row.id: each.row for each in recognised(config, 3)[2]}
    unnamed = {each.row.id: each.row for each in recognised(config, 3, origins)[2]}
    units = plan_eval(config, NAMES)
    episodes = {episode.id: episode for unit in units for episode in unit.episodes}
    judged = 0
    for key, row in unnamed.items():
        assert row.detected == named[key].detected
        assert row.correct == (meant.get(row.detected) == row.object)
        if row.correct and not row.symmetric:
            judged += 1
            error = np.degrees(rotation_error(turn, episodes[key].rotation))
            assert row.rotation_error == pytest.approx(float(error), abs=0.01)
    assert judged


@pytest.mark.parametrize(("needed", "reported"), [(100.0, False), (0.0, True)])
def test_of_an_object_that_nobody_learned_nothing_should_be_reported(needed: float, reported: bool) -> None:
    settings = [f"eval.evidence_per_step={needed}", f"module.object_evidence_threshold={needed}"]
    config = override(CONFIG, settings)
    rows = [each.row for each in recognised(config, 3, known=NAMES[1:])[2]]
    assert any(row.detected for row in rows) == reported
    for row in rows:
        assert row.correct == (row.detected == ("" if row.object == NAMES[0] else row.object))


def test_traces_have_an_entry_per_step() -> None:
    _, _, outcomes = recognised(override(CONFIG, ["recording.traces=true"]), 3)
    for outcome in outcomes:
        once = ("objects", "module_objects", "modules", "report_pose")
        steps = {name: values for name, values in outcome.trace.items() if name not in once}
        assert {len(values) for values in steps.values()} == {outcome.row.steps}
        assert outcome.trace["objects"].tolist() == NAMES
        assert ("report_pose" in outcome.trace) == bool(outcome.row.detected)
        assert outcome.trace["object_evidence"].shape[1] == len(NAMES)
        assert (outcome.trace["best_evidence"] >= outcome.trace["second_evidence"]).all()


def test_models_learned_do_not_depend_on_rows() -> None:
    config = override(CONFIG, ["train.rotations=2", "train.steps=15", "module.count=2"])
    units = plan_train(config, NAMES)
    models = []
    for chosen in (units, units[1:2]):
        engine = CortexEngine(config)
        found = {unit.id: outcomes for unit, outcomes in engine.learn(chosen, 1)}
        assert len(found[units[1].id]) == 2
        engine.finish_learning(chosen)
        models.append([memory["bowl"] for memory in engine.memory.modules])
    for sensor in range(2):
        (first,), (second,) = (each[sensor].channels.values() for each in models)
        assert (first.positions == second.positions).all()
        assert (first.features["hsv"] == second.features["hsv"]).all()
