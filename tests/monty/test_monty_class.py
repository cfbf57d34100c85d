"""Five modules in our Monty class: one wait a step, and the votes of Monty's own class."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from bench import monty_walks as walks
from saccade.cortex import ops

pytest.importorskip("tbp.monty", reason="tbp.monty is not installed: pip install 'saccade[monty]'")

from tbp.monty.frameworks.experiments.mode import ExperimentMode
from tbp.monty.frameworks.models.evidence_matching.learning_module import EvidenceGraphLM
from tbp.monty.frameworks.models.evidence_matching.model import MontyForEvidenceGraphMatching

from saccade.monty import LearningModule, Monty
from tests.monty.test_learning_module import same

MODULES = 5


class Sensor:
    """A sensor module that is there by its name."""

    def __init__(self, name: str) -> None:
        self.sensor_module_id = name

    def reset(self) -> None:
        """It keeps nothing."""


class Motor:
    motor_only_step = False

    def reset(self) -> None:
        """It keeps nothing."""


def made(monty: Any, kind: Any, walk: Any, votes: bool, ignorant: Collection[int] = ()) -> Any:
    """Modules that know the objects of a walk, but for the ignorant, which know none."""
    modules = [
        walks.learn(
            kind(**walks.arguments((f"patch_{m}",), vote_evidence_threshold=0.6)),
            walk, f"learning_module_{m}", f"patch_{m}",
        )
        for m in range(MODULES)
    ]  # fmt: skip
    for m in ignorant:
        modules[m].graph_memory.models_in_memory.clear()
    others = [[j for j in range(MODULES) if j != m] for m in range(MODULES)]
    sensors = [Sensor(f"patch_{m}") for m in range(MODULES)]
    found = monty(
        sensor_modules=sensors,
        learning_modules=modules,
        motor_system=Motor(),
        sm_to_agent_dict={sensor.sensor_module_id: "agent" for sensor in sensors},
        sm_to_lm_matrix=[[m] for m in range(MODULES)],
        lm_to_lm_matrix=None,
        lm_to_lm_vote_matrix=others if votes else None,
        min_eval_steps=3,
        min_train_steps=3,
        num_exploratory_steps=3,
    )
    found.set_experiment_mode(ExperimentMode.EVAL)
    found.reset()
    for lm in modules:
        lm.init_from_ltm()
        lm.stepwise_targets_list, lm.stepwise_target_object = [], None
    found._set_stepwise_targets = lambda lm, inputs: None  # the world is not told apart here
    return found


def stepped(monty: Any, walk: Any, t: int) -> None:
    """One matching step of five sensors, the last of which is sometimes off the object."""
    monty.sensor_module_outputs = [
        walks.message(
            walk, (t + m) % len(walk.location), f"patch_{m}",
            features=(t, m) != (3, 1),
            pass_message=(t + m) % 7 != 5,
        )
        for m in range(MODULES)
    ]  # fmt: skip
    monty.learning_module_outputs = []
    monty._step_learning_modules(None)
    monty._vote()


@pytest.mark.parametrize("votes", [False, True])
def test_five_modules_wait_once_a_step(votes: bool) -> None:
    walk = walks.work(objects=3, nodes=60, steps=8)
    monty = made(Monty, LearningModule, walk, votes)
    stepped(monty, walk, 0)
    for t in range(1, 6):
        before = ops.waits
        stepped(monty, walk, t)
        assert ops.waits - before == 1


@pytest.mark.parametrize("votes", [False, True])
def test_five_modules_believe_what_montys_do(votes: bool) -> None:
    walk = walks.work(objects=3, nodes=60, steps=8)
    ours = made(Monty, LearningModule, walk, votes)
    theirs = made(MontyForEvidenceGraphMatching, EvidenceGraphLM, walk, votes)
    for t in range(8):
        stepped(ours, walk, t)
        stepped(theirs, walk, t)
        for mine, other in zip(ours.learning_modules, theirs.learning_modules, strict=True):
            same(mine, other)


def test_our_modules_vote_in_montys_own_class() -> None:
    walk = walks.work(objects=3, nodes=60, steps=5)
    ours = made(MontyForEvidenceGraphMatching, LearningModule, walk, True)
    theirs = made(MontyForEvidenceGraphMatching, EvidenceGraphLM, walk, True)
    for t in range(5):
        stepped(ours, walk, t)
        stepped(theirs, walk, t)
        for mine, other in zip(ours.learning_modules, theirs.learning_modules, strict=True):
            same(mine, other)


@pytest.mark.parametrize("ignorant", [range(MODULES), [2]])
def test_modules_that_know_nothing_yet_say_so_as_montys_do(ignorant: Collection[int]) -> None:
    """Learning without names begins with them."""
    walk = walks.work(objects=2, nodes=40, steps=4)
    ours = made(Monty, LearningModule, walk, False, ignorant)
    theirs = made(MontyForEvidenceGraphMatching, EvidenceGraphLM, walk, False, ignorant)
    for t in range(4):
        stepped(ours, walk, t)
        stepped(theirs, walk, t)
        for m, (mine, other) in enumerate(zip(ours.learning_modules, theirs.learning_modules, strict=True)):
            if m not in ignorant:
                same(mine, other)
            assert mine.terminal_state == other.terminal_state
            assert mine.get_possible_matches() == other.get_possible_matches()
            assert len(mine.buffer) == len(other.buffer)
