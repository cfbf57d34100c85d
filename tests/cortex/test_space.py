"""More rows than memory holds are refused before the first step, with the number that fits."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.cortex.bank import space
from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.bank.space import free_bytes
from saccade.cortex.bank.state import between
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.block_sizes import check_rows_of
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.settings import BurstSettings, EvidenceSettings, PlainSettings
from saccade.experiment.config.probe import looked

from .traces import PATCH, load, settings_of


def test_rows_that_do_not_fit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = load("h1_voting")
    module = EvidenceModule("lm", (PATCH,), settings_of(trace.settings), trace.models())
    bank = EvidenceModule.bank([module], rows=2)
    values = (
        bank.hypotheses.evidence,
        *bank.hypotheses.location,
        *bank.hypotheses.rotation,
        bank.hypotheses.possible,
    )
    row = sum(value.numel() * value.dtype.itemsize for value in values) // 2
    monkeypatch.setattr("saccade.cortex.bank.space.free_bytes", lambda device: 2 * 5 * row)
    EvidenceModule.bank([module], rows=5)
    with pytest.raises(MemoryError, match="at most 5 rows fit"):
        EvidenceModule.bank([module], rows=6)
    monkeypatch.setattr("saccade.cortex.bank.space.free_bytes", lambda device: row)
    with pytest.raises(MemoryError, match="not even one row fits"):
        EvidenceModule.bank([module])


@pytest.mark.parametrize("rows", [2, 40])
def test_what_fits_is_known_before_there_is_a_bank(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = load("h1_voting")
    module = EvidenceModule("lm", (PATCH,), settings_of(trace.settings), trace.models())
    known = EvidenceModule.bank([module], rows=2).known
    memories, channels = [list(module.memory.values())], [module.channels]
    counted = Knowledge.counted(memories, channels, module.settings, known.objects)
    for stored in (True, False):
        assert counted.row_bytes(stored) == known.row_bytes(stored)
    monkeypatch.setattr("saccade.cortex.bank.space.free_bytes", lambda device: known.row_bytes(True))
    with pytest.raises(MemoryError) as made:
        EvidenceModule.bank([module], rows=rows)
    with pytest.raises(MemoryError) as before:
        check_rows_of(memories, channels, module.settings, rows, gpu=False, free=known.row_bytes(True))
    assert str(before.value) == str(made.value)


def test_processes_that_share_memory_tell_of_the_rows_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    module = EvidenceModule(
        "lm", (PATCH,), settings_of(load("h1_voting").settings), load("h1_voting").models()
    )
    row = EvidenceModule.bank([module], rows=2).known.row_bytes(True)
    monkeypatch.setattr(space, "unused_bytes", lambda device: 10**15)
    space.limit(2 * 5 * row, 3)
    try:
        EvidenceModule.bank([module], rows=5)
        with pytest.raises(MemoryError, match=r"^18 rows .* free for 3 processes: at most 15 rows fit"):
            EvidenceModule.bank([module], rows=6)
    finally:
        space.limit(None)


def test_a_process_that_has_a_part_of_a_device_tells_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who divides it among processes would do so twice."""
    monkeypatch.setattr(space, "unused_bytes", lambda device: 1600)
    space.limit(None, 16)
    try:
        assert free_bytes("cpu") == 100
        assert looked("cpu").free == 1600
    finally:
        space.limit(None)


def test_the_host_tells_what_is_free() -> None:
    free = free_bytes("cpu")
    assert free is None or free > 1_000_000


def bank_of(nodes: int, updater: PlainSettings | BurstSettings) -> EvidenceBank:
    """A bank that knows one object of so many nodes."""
    places = np.random.default_rng(0).normal(size=(nodes, 3)) * 0.03
    features = {"hsv": np.zeros((nodes, 3)), "principal_curvatures_log": np.zeros((nodes, 2))}
    known = NodeSet(places, np.tile(np.eye(3), (nodes, 1, 1)), np.ones(nodes, bool), features)
    settings = EvidenceSettings(updater=updater)
    return EvidenceModule.bank([EvidenceModule("lm", (PATCH,), settings, [ObjectModel("o", {PATCH: known})])])


@pytest.mark.parametrize("updater", [PlainSettings(), BurstSettings()])
def test_models_of_a_few_nodes_less_have_the_same_programs(updater: PlainSettings | BurstSettings) -> None:
    """Programs are made per shape of tables and state, before it grows and after: as where a pose can be read
    in eight ways instead of two."""
    large, small = bank_of(200, updater), bank_of(197, updater)
    assert (large.spec, large.hypotheses.shape) == (small.spec, small.hypotheses.shape)
    for bank, nodes in ((large, 200), (small, 197)):
        bank.state = between.reserved(bank.tools.shelf, bank.state, np.array([[[8 * nodes]]]))
        assert bank.hypotheses.shape[3] >= 8 * nodes
    assert large.hypotheses.shape == small.hypotheses.shape
