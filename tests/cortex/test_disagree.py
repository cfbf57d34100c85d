"""Comparing hypotheses on the device gives what comparing them on the host gives."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.cortex.goal_source import BankSource, ComparingBank
from saccade.cortex.goals import GoalSettings, HypothesisSource
from saccade.cortex.group import group_input, make_groups
from saccade.cortex.module import EvidenceModule

from .traces import PATCH, load, settings_of


@pytest.mark.parametrize(("requests", "feature_gap"), [(1, 0.0), (3, 0.0), (1, 0.02)])
def test_the_device_finds_what_the_host_finds(
    requests: int, feature_gap: float, monkeypatch: pytest.MonkeyPatch
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
    source = BankSource(bank, 1, PATCH, bank.layouts[0])
    number = len(source.models)
    pairs = [(row, top, rival) for row in range(2) for top in range(number) for rival in range(number)]
    rows, top, rival = (np.array(column) for column in zip(*pairs))
    chosen = GoalSettings(pose_difference=0.5, location_difference=0.01, feature_gap=feature_gap)
    host = HypothesisSource.disagreements(source, rows, top, rival, chosen)
    if requests > 1:
        monkeypatch.setattr("saccade.cortex.bank.REQUESTS", requests)
        monkeypatch.setattr("saccade.cortex.bank.COMPARED_ONE_BY_ONE", ())
    device = source.disagreements(rows, top, rival, chosen)
    np.testing.assert_array_equal(device.found, host.found)
    assert host.found.any()
    there = host.found
    np.testing.assert_allclose(device.gap[there], host.gap[there], atol=1e-5)
    np.testing.assert_allclose(device.point[there], host.point[there], atol=1e-6)
    np.testing.assert_allclose(device.normal[there], host.normal[there], atol=1e-6)
    np.testing.assert_allclose(device.rotation[there], host.rotation[there], atol=1e-6)
    np.testing.assert_allclose(device.location[there], host.location[there], atol=1e-6)


def test_models_without_nodes_in_the_channel_are_compared_on_the_host() -> None:
    trace = load("h1_voting")
    module = EvidenceModule("lm", ("elsewhere",), settings_of(trace.settings), trace.models())
    bank = EvidenceModule.bank([module])
    one = np.zeros(1, np.int64)
    assert bank.disagreements(0, one, one, one, GoalSettings()) is None
