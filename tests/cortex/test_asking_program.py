"""Who asks for a goal, as tensor programs against `goals.propose`, in rows of all sorts."""

from __future__ import annotations

from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from saccade.cortex.columns import packed_state, unpacked_state
from saccade.cortex.goals import goal_device
from saccade.cortex.goals.asking_program import (
    GOAL,
    Asker,
    At,
    Given,
    Heard,
    Owned,
    Places,
)
from saccade.cortex.goals.goal_places import HypothesisSource
from saccade.cortex.goals.goals import EMPTY_PLACES, GoalMemory, GoalSettings, Standing, propose
from saccade.cortex.goals.questions import Places as Found
from saccade.cortex.goals.questions import Questions
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense.noise_program import draws_of, keys_of
from saccade.tensor import Tensor

from ..codegen.cuda_emulator import needs_compiler
from .patches import random_rotations

ROWS, OBJECTS, MODELS = 48, 5, 4
SETTINGS = GoalSettings(min_steps=3, elapsed_steps=2)


class Answers(HypothesisSource):
    """Places of rows that were thought of before; asked: the questions."""

    def __init__(self, found: Found) -> None:
        self.found = found

    def telling_places(self, questions: Questions, settings: GoalSettings) -> Found:
        self.asked = questions
        rows = questions.rows
        return Found(self.found.found[rows], self.found.location[rows], self.found.normal[rows])


def beliefs(rng: np.random.Generator, memory: GoalMemory) -> Standing:
    """Of rows with many objects, few, one or none; some felt something where a goal was, or behind it."""
    evidence = rng.integers(-2, 9, (ROWS, MODELS)) * rng.choice([1.0, 0.02], (ROWS, 1))
    evidence[rng.random((ROWS, MODELS)) < rng.choice([0.0, 0.5, 1.0], (ROWS, 1))] = -np.inf
    evidence = evidence.astype(np.float32).astype(np.float64)
    near = rng.choice([0.0, 0.005, -0.02, 0.1], (ROWS, 1))
    turned = random_rotations(ROWS, int(rng.integers(1000)))
    best = evidence.max(axis=1)
    with np.errstate(invalid="ignore"):
        confidence = np.where(np.isfinite(best), np.clip(best / 3.0, 0.0, 1.0), 0.0)
    return Standing(
        per_object=evidence,
        best_object=evidence.argmax(axis=1),
        best_rotation=np.where(rng.random((ROWS, 1, 1)) < 0.5, memory.rotation, turned),
        counts=np.where(np.isfinite(evidence), rng.integers(1, 3, (ROWS, MODELS)), 0),
        sensed=memory.target + near * memory.facing,
        ready=rng.random(ROWS) < 0.8,
        confidence=confidence,
    )


def memories(rng: np.random.Generator) -> GoalMemory:
    flags = [rng.random(ROWS) < 0.5 for _ in range(3)]
    facing = rng.normal(size=(ROWS, 3))
    return GoalMemory(
        since=rng.integers(0, 9, ROWS),
        wait=2 ** rng.integers(0, 3, ROWS),
        top=rng.integers(-1, MODELS, ROWS),
        second=rng.integers(-1, MODELS, ROWS),
        rotation=random_rotations(ROWS, 5),
        target=0.1 * rng.normal(size=(ROWS, 3)),
        facing=facing / np.linalg.norm(facing, axis=1, keepdims=True),
        open=flags[0],
        tried=rng.integers(0, 5, ROWS),
        reached=rng.integers(0, 5, ROWS),
        of_pose=flags[1],
        empty=rng.normal(size=(ROWS, EMPTY_PLACES, 3)),
        vain=rng.integers(0, EMPTY_PLACES + 3, ROWS),
        unsettled=flags[2],
    )


def report_of(known: Standing) -> tuple[np.ndarray[Any, Any], At]:
    """(R, 1, columns) with what a bank would tell, and where; evidence as of the third percept."""
    wide = np.full((ROWS, OBJECTS), -np.inf)
    wide[:, :MODELS] = known.per_object
    counts = np.zeros((ROWS, OBJECTS))
    counts[:, :MODELS] = known.counts
    parts = (
        wide, counts, known.best_object, known.per_object.max(axis=1), known.best_rotation.reshape(-1, 9),
        known.ready, known.sensed,
    )  # fmt: skip
    best = SimpleNamespace(per_object=slice(0, 5), object=10, evidence=11, rotation=(12,))
    places = SimpleNamespace(best=best, counts=slice(5, 10)), None, None
    at = At.of((*places, SimpleNamespace(active=21, place=slice(22, 25))))
    return np.column_stack(parts)[:, None], at


def by_program(
    memory: GoalMemory, known: Standing, answers: Found, key: RowKey, device: str = "cpu"
) -> tuple[np.ndarray[Any, Any], GoalMemory, np.ndarray[Any, Any]]:
    """The goals (R, GOAL), the memory after them, and the questions, of banks in two blocks, whose rows are
    those of the run from the last to the first."""

    def sent(values: Any, dtype: str = "float64") -> Tensor:
        return Tensor(np.ascontiguousarray(values, dtype), device=device)

    values, at = report_of(known)
    asker = Asker(SETTINGS, 0, 0, 1, at, OBJECTS, known.aimed)
    # two percepts were matched before this one, or three
    table = np.column_stack([packed_state(memory), np.where(known.ready, 2, 3)])
    turned = np.arange(ROWS)[::-1]
    places, half = Places(sent(turned, "int64"), sent(turned, "int64")), ROWS // 2
    last, nothing = np.zeros((ROWS, GOAL + 2)), np.zeros((ROWS, GOAL + 1))
    last[:, 6] = 1.0
    given = Given(
        sent(table), sent(table[:1]), sent(last), sent(nothing),
        (sent(values[turned][:half]), sent(values[turned][half:])), places,
        draws_of(key, ROWS, keys_of(key.seed, device), device),
    )  # fmt: skip
    considered = goal_device.consider_program(asker, 2)(given)
    told = np.column_stack([answers.found, answers.location, answers.normal])[turned]
    heard = Heard(((),), (0,))
    owned = (Owned(considered.table, sent(told), places),)
    settle = goal_device.settle_program((asker,), heard)
    settled = settle(owned, sent(np.zeros((ROWS, 1, GOAL))), sent(nothing))
    after = unpacked_state(settled.tables[0].numpy()[:, :-1], memory)
    asked = considered.asked.numpy().reshape(ROWS, 2) % OBJECTS
    questions = np.column_stack([considered.questions.numpy(), asked])
    return settled.last.numpy()[:, :GOAL], after, questions[turned]


def assert_the_same(aimed: bool, seeds: range, device: str = "cpu") -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        memory = memories(rng)
        known = replace(beliefs(rng, memory), aimed=aimed)
        places = Found(rng.random(ROWS) < 0.7, rng.normal(size=(ROWS, 3)), random_rotations(ROWS, 9)[:, 0])
        key, source = RowKey(seed, np.arange(ROWS), np.arange(ROWS)), Answers(places)
        wanted, after = propose(memory, known, source, SETTINGS, key)
        goals, found, questions = by_program(memory, known, places, key, device)
        np.testing.assert_array_equal(goals, wanted.columns)
        for each in fields(GoalMemory):
            np.testing.assert_array_equal(getattr(after, each.name), getattr(found, each.name), each.name)
        asked = source.asked
        assert 0 < len(asked.rows) < ROWS
        numbers = asked.top, asked.rival, asked.vain, asked.sensed, asked.empty.reshape(len(asked.rows), -1)
        both = asked.top, asked.rival
        np.testing.assert_array_equal(questions[asked.rows], np.column_stack([*numbers, *both]))
        silent = np.setdiff1d(np.arange(ROWS), asked.rows)
        assert (questions[silent, :2] == OBJECTS).all()  # of a model without points


@pytest.mark.slow  # `test_whole_step` compares goals of a few rows
@pytest.mark.parametrize("aimed", [True, False])
def test_programs_ask_as_the_host_does(aimed: bool) -> None:
    assert_the_same(aimed, range(4))


@needs_compiler
@pytest.mark.slow  # compiles a dozen kernels for a GPU that is emulated
@pytest.mark.usefixtures("gpu")
def test_the_kernels_of_a_gpu_ask_the_same() -> None:
    assert_the_same(True, range(1), "cuda")
