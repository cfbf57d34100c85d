"""Goals where hypotheses are, against array expressions and against goals that the host asks for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from saccade.cortex import ops
from saccade.cortex.goals.goal_device import comparison_of
from saccade.cortex.goals.goal_places import as_numbers, side_by_side
from saccade.cortex.goals.goal_program import Shape, telling
from saccade.cortex.goals.goal_source import BankSource
from saccade.cortex.goals.goals import EMPTY_PLACES, Floats, GoalSettings
from saccade.cortex.goals.questions import CONSIDERED, Places, Questions
from saccade.cortex.goals.surfaces import surfaces_of
from saccade.cortex.modules.group import group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.modules.row_blocks import RowBlocks
from saccade.tensor import Tensor
from saccade.tensor.jit.jit import jit

from ..codegen.cuda_emulator import needs_compiler
from .goal_reference import telling_places
from .test_goals import Cluttered
from .traces import PATCH, load, settings_of

SETTINGS = GoalSettings(same_place=0.02, pose_difference=2.0, location_difference=0.03)


def questions(seed: int, places: int, count: int = 32) -> Questions:
    """Every pair of models and two poses of one, in two rows."""
    random = np.random.default_rng(seed)
    pairs = [(row, top, rival) for row in range(2) for top in range(4) for rival in range(4)]
    chosen = [pairs[i] for i in random.permutation(len(pairs))[:count]]
    row, top, rival = (np.array(column) for column in zip(*chosen))
    sensed = 0.02 * random.normal(size=(count, 3))
    empty = sensed[:, None] + 0.05 * random.normal(size=(count, 4, 3))
    return Questions(row, top, rival, sensed, empty, random.integers(places + 1, size=count))


@cache
def program_for(shape: Shape) -> Callable[..., Tensor]:
    return jit(partial(telling, SETTINGS, shape))


def by_program(source: Cluttered, asked: Questions, tried: int, device: str = "cpu") -> Places:
    """The answers of the program, for hypotheses laid out as a bank does it."""
    sides = zip(asked.rows, asked.top, asked.rival)
    wanted = [(int(row), int(number)) for row, *pair in sides for number in pair]
    held = side_by_side(source.strongest_of(wanted, CONSIDERED), len(wanted))
    known = surfaces_of(source, SETTINGS.colour_scale, device)
    program = program_for(Shape(known.longest, tried))
    given = [Tensor(each, device=device) for each in (held, as_numbers(asked))]
    return in_places(program(*given, known.surfaces).numpy())


def in_places(found: Floats) -> Places:
    return Places(found[:, 0] > 0.5, found[:, 1:4], found[:, 4:])


def assert_alike(wanted: Places, got: Places) -> None:
    np.testing.assert_array_equal(wanted.found, got.found)
    there = wanted.found
    np.testing.assert_allclose(got.location[there], wanted.location[there], atol=1e-12)
    np.testing.assert_allclose(got.normal[there], wanted.normal[there], atol=1e-12)


def test_few_points_are_tried_of_large_models() -> None:
    """One in 120 of the largest."""
    source, asked = Cluttered(5), questions(5, 0)
    every, few = (by_program(source, asked, tried) for tried in (500, 11))
    assert_alike(telling_places(source, asked, SETTINGS), every)
    assert_alike(telling_places(source, asked, SETTINGS, tried=11), few)
    assert (np.abs(every.location - few.location).max(axis=1) > 1e-6).any()
    assert every.found.all()
    assert few.found.all()


@pytest.mark.parametrize("size", [2, 1])
def test_places_are_those_of_the_host_for_rows_of_banks(size: int) -> None:
    """Rows of one bank or of blocks with one each; nothing waits, and one program answers all."""
    trace = load("h1_voting")
    settings = settings_of(trace.settings)
    modules = [EvidenceModule("lm0", (PATCH,), settings, trace.models())]
    whole = EvidenceModule.bank(modules, rows=2)
    bank = RowBlocks(whole.known, 2, 1, whole.device) if size == 1 else whole
    for t in range(4):
        rows = [[trace.percept(t, "lm0_")], [trace.percept(t, "lm1_")]]
        bank.collect(bank.launch(group_input(make_groups(modules)[0], {"lm0": rows}, rows=2).batch))
    host = BankSource(bank, 0, PATCH)
    number, random = len(host.models), np.random.default_rng(2)
    chosen = GoalSettings(pose_difference=0.5, location_difference=0.01, same_place=0.01)
    comparison = comparison_of(host, chosen, bank.device)
    waits, made, found = ops.waits, set[int](), list[bool]()
    for top in range(number):
        for rival in range(number):
            sensed = random.uniform(-0.05, 0.05, (2, 3))
            empty = sensed[:, None] + random.uniform(-0.05, 0.05, (2, EMPTY_PLACES, 3))
            both = np.array([[top, rival], [rival, top]])
            asked = Questions(np.arange(2), both[:, 0], both[:, 1], sensed, empty, random.integers(3, size=2))
            places = np.arange(2)[:, None] % size * bank.known.objects + both
            answers = bank.compared(
                Tensor(places.reshape(2 // size, 2 * size)), Tensor(as_numbers(asked)), comparison
            )
            made.add(bank.compilations)
            assert ops.waits == waits
            wanted = host.telling_places(asked, chosen)
            assert_alike(wanted, in_places(answers.numpy()))
            found += wanted.found.tolist()
            waits = ops.waits  # of the host, which reads hypotheses
    assert any(found)
    assert len(made) == 1


@needs_compiler
@pytest.mark.slow  # compiles a dozen kernels for a GPU that is emulated
@pytest.mark.usefixtures("gpu")
def test_the_kernels_of_a_gpu_find_the_same() -> None:
    source, asked = Cluttered(3), questions(3, 2, count=6)
    assert_alike(source.telling_places(asked, SETTINGS), by_program(source, asked, 500, "cuda"))
