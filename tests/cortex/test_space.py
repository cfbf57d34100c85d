"""More rows than memory holds are refused before the first step, with the number that fits."""

from __future__ import annotations

import pytest

from saccade.cortex.bank.space import free_bytes
from saccade.cortex.modules.module import EvidenceModule

from .traces import PATCH, load, settings_of


def test_rows_that_do_not_fit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = load("h1_voting")
    module = EvidenceModule("lm", (PATCH,), settings_of(trace.settings), trace.models())
    bank = EvidenceModule.bank([module], rows=2)
    values = (bank.state.evidence, *bank.state.location, *bank.state.rotation, bank.state.possible)
    row = sum(value.numel() * value.dtype.itemsize for value in values) // 2
    monkeypatch.setattr("saccade.cortex.bank.space.free_bytes", lambda device: 2 * 5 * row)
    EvidenceModule.bank([module], rows=5)
    with pytest.raises(MemoryError, match="at most 5 rows fit"):
        EvidenceModule.bank([module], rows=6)
    monkeypatch.setattr("saccade.cortex.bank.space.free_bytes", lambda device: row)
    with pytest.raises(MemoryError, match="not even one row fits"):
        EvidenceModule.bank([module])


def test_the_host_tells_what_is_free() -> None:
    free = free_bytes("cpu")
    assert free is None or free > 1_000_000
