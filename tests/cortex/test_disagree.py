"""Comparing hypotheses on the device gives what comparing them on the host gives."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.cortex.goals.goal_places import GoalSettings, HypothesisSource, Questions
from saccade.cortex.goals.goal_source import BankSource, ComparingBank
from saccade.cortex.modules.group import group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule

from .traces import PATCH, load, settings_of


@pytest.mark.parametrize(("requests", "empty_places"), [(1, 0), (3, 0), (1, 2)])
def test_the_device_finds_what_the_host_finds(
    requests: int, empty_places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = load("h1_voting")
    settings = settings_of(trace.settings)
    modules = [EvidenceModule(f"lm{i}", (PATCH,), settings, trace.models()) for i in range(2)]
    bank = EvidenceModule.bank(modules, rows=2)
    groups = make_groups(modules)
    for t in range(4):
        rows = [[trace.percept(t, "lm0_")], [trace.percept(t, "lm1_")]]
        batch = group_input(groups[0], {"lm0": rows, "lm1": rows}, rows=2).batch
        batch.location[1, 1] += 0.01 * t  # so that no two rows or modules hold the same
        bank.collect(bank.launch(batch))
    assert isinstance(bank, ComparingBank)
    source = BankSource(bank, 1, PATCH)
    number = len(source.models)
    pairs = [(row, top, rival) for row in range(2) for top in range(number) for rival in range(number)]
    row, top, rival = (np.array(column) for column in zip(*pairs))
    sensed = batch.location[row, 1, 0]
    random = np.random.default_rng(3)
    empty = sensed[:, None] + random.uniform(-0.05, 0.05, (len(pairs), 4, 3))
    vain = np.full(len(pairs), empty_places)
    questions = Questions(row, top, rival, sensed, empty, vain)
    chosen = GoalSettings(pose_difference=0.5, location_difference=0.01, same_place=0.01)
    host = HypothesisSource.telling_places(source, questions, chosen)
    wanted = [(row, model.name) for row in range(2) for model in source.models]
    read = bank.strongest(1, wanted, 50), [bank.hypotheses_of(row, 1, name) for row, name in wanted]
    for module in ("goals.goal_source", "bank.held"):
        monkeypatch.setattr(f"saccade.cortex.{module}.in_host_memory", lambda device: False)
    # programs gather what is read where it lies
    for mine, theirs in zip(read[0], bank.strongest(1, wanted, 50), strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    for held, (row, name) in zip(read[1], wanted, strict=True):
        for key, value in bank.hypotheses_of(row, 1, name).items():
            np.testing.assert_array_equal(held[key], value)
    if requests > 1:
        monkeypatch.setattr("saccade.cortex.bank.held.REQUESTS", requests)
        monkeypatch.setattr("saccade.cortex.bank.held.COMPARED_ONE_BY_ONE", ())
    device = source.telling_places(questions, chosen)
    np.testing.assert_array_equal(device.found, host.found)
    assert host.found.any()
    there = host.found
    np.testing.assert_allclose(device.location[there], host.location[there], atol=1e-6)
    np.testing.assert_allclose(device.normal[there], host.normal[there], atol=1e-6)
    # the same program answers the other module, otherwise
    compiled, other = bank.compilations, BankSource(bank, 0, PATCH)
    again = other.telling_places(questions, chosen)
    assert bank.compilations == compiled
    assert not np.array_equal(again.location, device.location)
    expected = HypothesisSource.telling_places(other, questions, chosen)
    np.testing.assert_allclose(again.location[expected.found], expected.location[expected.found], atol=1e-6)


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
    here = Questions(zero, zero, one, sensed, sensed[:, None], one)
    nowhere = Questions(zero, zero, one, sensed, sensed[:, None], zero)
    found = [bank.telling_places(0, each, GoalSettings()) for each in (here, nowhere)]
    assert found[0] is not None
    assert found[1] is not None
    # every hypothesis puts a surface where the sensor feels one
    assert not found[0].found[0]
    assert found[1].found[0]


def test_models_without_nodes_in_the_channel_are_compared_on_the_host() -> None:
    trace = load("h1_voting")
    module = EvidenceModule("lm", ("elsewhere",), settings_of(trace.settings), trace.models())
    bank = EvidenceModule.bank([module])
    one = np.zeros(1, np.int64)
    questions = Questions(one, one, one, np.zeros((1, 3)), np.zeros((1, 1, 3)), one)
    assert bank.telling_places(0, questions, GoalSettings()) is None
