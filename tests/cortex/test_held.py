"""Hypotheses that are read by programs, as from a device, are those that lie there, and so are goals made of
them."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.cortex.bank import held
from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.goals.goal_source import BankSource, RankingBank
from saccade.cortex.goals.questions import GoalSettings, Questions
from saccade.cortex.modules.group import group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule

from .traces import PATCH, load, settings_of


@pytest.fixture(name="bank", scope="module")
def bank_fixture() -> EvidenceBank:
    """Two modules in two rows after four steps; no two rows or modules hold the same."""
    trace = load("h1_voting")
    settings = settings_of(trace.settings)
    modules = [EvidenceModule(f"lm{i}", (PATCH,), settings, trace.models()) for i in range(2)]
    bank = EvidenceModule.bank(modules, rows=2)
    groups = make_groups(modules)
    for t in range(4):
        rows = [[trace.percept(t, "lm0_")], [trace.percept(t, "lm1_")]]
        batch = group_input(groups[0], {"lm0": rows, "lm1": rows}, rows=2).batch
        batch.location[1, 1] += 0.01 * t
        bank.collect(bank.launch(batch))
    return bank


@pytest.mark.parametrize(("objects", "most"), [(1, 50), (3, 300), (64, 50)])
def test_programs_read_what_lies_in_memory(
    bank: EvidenceBank, objects: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In parts of so many objects, the last not full; fewer than the least, and more than there are."""
    wanted = [(row, model.name) for row in range(2) for model in bank.memories[1]]
    ranked, every = (
        bank.strongest(1, wanted, most),
        [bank.hypotheses_of(row, 1, name) for row, name in wanted],
    )
    assert (len(ranked[0][0]) == most) == (most == 50)
    monkeypatch.setattr(held, "in_host_memory", lambda device: False)
    monkeypatch.setattr(held, "OBJECTS", objects)
    monkeypatch.setattr(held, "LEAST", 60)
    for mine, theirs in zip(ranked, bank.strongest(1, wanted, most), strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    for mine, (row, name) in zip(every, wanted, strict=True):
        for key, value in bank.hypotheses_of(row, 1, name).items():
            np.testing.assert_array_equal(mine[key], value)
    assert bank.strongest(1, [], most) == []


@pytest.mark.parametrize("empty_places", [0, 2])
def test_goals_are_the_same_wherever_hypotheses_lie(
    bank: EvidenceBank, empty_places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(bank, RankingBank)
    sources = BankSource(bank, 1, PATCH), BankSource(bank, 1, PATCH, np.array([1, 0]))
    number = len(sources[0].models)
    pairs = [(row, top, rival) for row in range(2) for top in range(number) for rival in range(number)]
    row, top, rival = (np.array(column) for column in zip(*pairs))
    sensed = np.random.default_rng(2).uniform(-0.05, 0.05, (len(pairs), 3))
    empty = sensed[:, None] + np.random.default_rng(3).uniform(-0.05, 0.05, (len(pairs), 4, 3))
    chosen = GoalSettings(pose_difference=0.5, location_difference=0.01, same_place=0.01)

    def places(source: BankSource, rows: np.ndarray) -> list[np.ndarray]:
        asked = Questions(rows, top, rival, sensed, empty, np.full(len(pairs), empty_places))
        found = source.telling_places(asked, chosen)
        return [found.found, found.location, found.normal]

    here = places(sources[0], row)
    assert here[0].any()
    monkeypatch.setattr(held, "in_host_memory", lambda device: False)
    for there in (places(sources[0], row), places(sources[1], 1 - row)):
        for a, b in zip(here, there, strict=True):
            np.testing.assert_array_equal(a, b)


def test_empty_places_change_what_is_asked() -> None:
    """The test above would pass with empty places that refute nothing."""
    trace = load("h1_voting")
    module = EvidenceModule("lm", (PATCH,), settings_of(trace.settings), trace.models())
    bank = EvidenceModule.bank([module])
    (group,) = make_groups([module])
    percept = trace.percept(0, "lm0_")
    bank.collect(bank.launch(group_input(group, {"lm": [[percept]]}).batch))
    one, zero = np.ones(1, np.int64), np.zeros(1, np.int64)
    sensed = percept.location[None]
    source = BankSource(bank, 0, PATCH)
    here = Questions(zero, zero, one, sensed, sensed[:, None], one)
    nowhere = Questions(zero, zero, one, sensed, sensed[:, None], zero)
    # every hypothesis puts a surface where the sensor feels one
    assert not source.telling_places(here, GoalSettings()).found[0]
    assert source.telling_places(nowhere, GoalSettings()).found[0]
