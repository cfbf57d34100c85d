"""Hypotheses updated by the kernels a GPU runs, on the host: the compiler's lists, loops and tiles for it."""

from __future__ import annotations

import pytest

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.hypotheses import tables
from saccade.cortex.hypotheses.turns import Turns
from saccade.cortex.messages import batch_of

from ..codegen.cuda_emulator import needs_compiler
from .test_updater_plain import bank_of, compare_row, compare_state, step
from .traces import PATCH, Ties, load, settings_of

pytestmark = [needs_compiler, pytest.mark.usefixtures("gpu_by_default")]


def test_lists_that_are_made_twice_in_a_kernel() -> None:
    """Once for the counts that the block shares, once for the rest of the update."""
    trace, ties = load("e3_default_updater"), Ties("float64")
    bank = bank_of(trace, "float64", search="brute")
    for t, row in enumerate(trace.settings["rows"][:2]):
        outcome = step(bank, [trace.percept(t)])
        compare_row(outcome, trace, row, "float64", f"step {t}")
        compare_state(bank, trace, f"s{t:02d}", ties)


@pytest.mark.parametrize("packed", [False, True])
def test_bursts_whose_rotations_are_computed(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU: hypotheses are read, and go on, by the numbers of what they came from. packed: as between
    steps of many rows."""
    monkeypatch.setattr("saccade.cortex.bank.held.in_host_memory", lambda device: False)
    monkeypatch.setattr("saccade.cortex.bank.state.arrangement.rotations_are_stored", lambda device: False)
    monkeypatch.setattr(tables, "LEAST_LIST", 4)  # lists of 32 are shared out to lanes, which take turns here
    trace, ties = load("f1_burst_updater"), Ties("float64")
    settings = settings_of(trace.settings, dtype="float64")
    bank = EvidenceBank([trace.models()], [(PATCH,)], settings, packed=packed)
    assert bank.is_packed == packed
    assert isinstance(bank.hypotheses.rotation, Turns)
    for t, row in enumerate(trace.settings["rows"][:3]):
        outcome = bank.collect(bank.launch(batch_of([trace.percept(t)], bank.channels[0], bank.layouts)))
        compare_row(outcome, trace, row, "float64", f"step {t}")
        for name in trace.objects:
            found = bank.hypotheses_of(0, 0, name)
            ties.close(found["evidence"], trace[f"s{t:02d}_{name}_evidence"], f"step {t} evidence")
            first = len(found["evidence"]) - len(trace[f"s{t:02d}_{name}_added_poses"])
            ties.close(
                found["rotations"][first:], trace[f"s{t:02d}_{name}_added_poses"], f"step {t} rotations"
            )
