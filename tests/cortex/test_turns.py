"""Rotations that are told by what they came from are those that would be stored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade.cortex.bank import knowledge
from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.outcome import Outcome
from saccade.cortex.bank.program import flatten
from saccade.cortex.bank.state import arrangement, between
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.settings import BurstSettings, EvidenceSettings, Triple
from saccade.tensor import Tensor

from .test_displacement_module import rotation, walk
from .traces import PATCH, load

TRACE = load("e1_default_updater")
ROWS, STEPS = 3, 14
LISTED: tuple[Triple, ...] = ((0.0, 0.0, 0.0), (90.0, 0.0, 0.0), (0.0, 90.0, 30.0))


def bank_of(poses: str | tuple[Triple, ...], stored: bool) -> EvidenceBank:
    settings = replace(
        EvidenceSettings(), updater=BurstSettings(burst_trigger_slope=1.6), initial_possible_poses=poses
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(arrangement, "rotations_are_stored", lambda device: stored)
        return EvidenceBank([TRACE.models()], [(PATCH,)], settings, ROWS)


def walked(bank: EvidenceBank) -> list[Outcome]:
    """Three rows on three objects; the second begins anew half way, the third has no percept now and then."""
    felt = [walk(TRACE, f"o{i}", rotation(i), np.full(3, 0.1 * i), STEPS, i) for i in range(ROWS)]
    outcomes = []
    for step in range(STEPS):
        if step == STEPS // 2:
            bank.reset(np.arange(ROWS) == 1)
        batch = PerceptBatch.empty(ROWS, 1, 1, bank.widths[0])
        for row in range(ROWS):
            if row != 2 or step % 4 != 3:
                batch.put((row, 0, 0), felt[row][step], bank.layouts[0])
        outcomes.append(bank.collect(bank.launch(batch, np.full((ROWS, 1), step > 2))))
    return outcomes


def same(ours: Outcome, theirs: Outcome) -> None:
    """All but rounding: a product and a sum may be one operation of a processor, or two."""
    for one, other in zip(ours.per_object, theirs.per_object, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(ours.beliefs.best.object, theirs.beliefs.best.object)
    np.testing.assert_array_equal(ours.beliefs.best.id, theirs.beliefs.best.id)
    np.testing.assert_allclose(ours.beliefs.best.rotation, theirs.beliefs.best.rotation, atol=1e-14)


@pytest.mark.parametrize("poses", ["informed", LISTED])
def test_they_are_those_that_would_be_stored(poses: str | tuple[Triple, ...]) -> None:
    told, stored = bank_of(poses, False), bank_of(poses, True)
    for ours, theirs in zip(walked(told), walked(stored), strict=True):
        same(ours, theirs)
    asked = [(row, f"o{i}") for row in range(ROWS) for i in range(3)]
    assert sum(len(told.hypotheses_of(row, 0, name)["evidence"]) for row, name in asked) > 0
    for row, name in asked:
        ours, theirs = (each.hypotheses_of(row, 0, name) for each in (told, stored))
        np.testing.assert_allclose(ours["locations"], theirs["locations"], atol=1e-6)
        np.testing.assert_allclose(ours["rotations"], theirs["rotations"], atol=1e-14)


def test_there_is_room_for_more_bursts_when_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = walked(bank_of("informed", False))
    monkeypatch.setattr(knowledge, "BURST_STEPS", 1)
    monkeypatch.setattr(between, "BURST_STEPS", 1)
    bank = bank_of("informed", False)
    for ours, theirs in zip(walked(bank), expected, strict=True):
        same(ours, theirs)
    assert any("poses sensed" in message for message in bank.growths)


@pytest.mark.parametrize("stored", [False, True])
def test_a_row_has_the_bytes_that_are_told(stored: bool) -> None:
    """But for what is counted once an object, and not for each hypothesis."""
    bank = bank_of("informed", stored)
    leaves: list[Tensor] = []
    flatten(bank.state.carry.tree, leaves)
    size = bank.hypotheses.shape[3]
    per_hypothesis = [leaf for leaf in leaves if leaf.ndim > 3 and leaf.shape[-1] == size]
    sensed = 0 if stored else bank.known.first_sensed * 72
    real = sum(leaf.numel() * leaf.dtype.itemsize for leaf in per_hypothesis) // ROWS + sensed
    assert bank.known.row_bytes(stored) == real
