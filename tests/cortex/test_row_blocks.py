"""Rows in blocks that step one after the other: the results of all together, in less memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules import block_sizes, row_blocks
from saccade.cortex.modules.backend import SequentialBackend, make_backend
from saccade.cortex.modules.block_sizes import block_rows
from saccade.cortex.modules.group import Group, group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule, EvidenceResult
from saccade.cortex.modules.row_blocks import RowBlocks
from saccade.cortex.settings import BurstSettings, EvidenceSettings
from saccade.runtime.null import counting

from .test_displacement_module import rotation, walk
from .traces import PATCH, load

TRACE = load("e1_default_updater")
STEPS, ROWS = 8, 7


def module(name: str, burst: bool) -> EvidenceModule:
    settings = replace(EvidenceSettings(), updater=BurstSettings()) if burst else EvidenceSettings()
    return EvidenceModule(name, (PATCH,), settings, TRACE.models())


def backend_of(
    names: Sequence[str], burst: bool, voting: Mapping[str, Sequence[str]] | None = None
) -> tuple[SequentialBackend, list[Group]]:
    groups = make_groups([module(name, burst) for name in names])
    return make_backend("stacked", ROWS, None, voting), groups


def assert_alike(expected: EvidenceResult, ours: EvidenceResult, rounding: float = 0.0) -> None:
    """Two results of a module; rounding: how far rotations may differ."""
    assert ours.failure is None
    assert (ours.terminal, ours.possible) == (expected.terminal, expected.possible)
    np.testing.assert_array_equal(ours.counts, expected.counts)
    np.testing.assert_array_equal(ours.evidence, expected.evidence)
    for best, other in zip(ours.best, expected.best, strict=True):
        assert (best is None) == (other is None)
        if best is not None and other is not None:
            assert (best.object, best.id) == (other.object, other.id)
            np.testing.assert_allclose(best.rotation, other.rotation, rtol=0, atol=rounding)


def test_steps_after_a_rehearsal_find_their_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what they find is what it is without."""
    one_row = module("a", True).bank([module("a", True)]).known.row_places
    monkeypatch.setattr(block_sizes, "BLOCK_PLACES", 2 * one_row)
    felt = [walk(TRACE, "o0", rotation(i), np.zeros(3), STEPS, i) for i in range(ROWS)]
    found = []
    for rehearsed in (True, False):
        backend, groups = backend_of(["a"], True)
        bank = backend.seats(groups)[0].bank
        assert isinstance(bank, RowBlocks)
        if rehearsed:
            for part in reversed(bank.rehearsals()):  # any order will do
                part()
        bank.reset()
        made = bank.compilations
        for step in range(STEPS):
            told = {"a": [[felt[row][step]] for row in range(ROWS)]}
            given = [group_input(groups[0], told, rows=ROWS, check=np.zeros((ROWS, 1), bool))]
            result = backend.gather(backend.dispatch(groups, given))["a"]
        backend.keep(groups, np.array([6, 2, 3]))
        assert (bank.compilations == made) == rehearsed
        found.append(result)
    np.testing.assert_array_equal(found[0].evidence, found[1].evidence)


@pytest.mark.parametrize(
    ("burst", "vote"),
    [
        (False, False),
        (True, True),
        pytest.param(True, False, marks=pytest.mark.slow),
        pytest.param(False, True, marks=pytest.mark.slow),
    ],
)
def test_blocks_find_what_all_rows_together_do(
    burst: bool, vote: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the last block is not full, rows begin anew, and some go on alone."""
    names = ["a", "b"] if vote else ["a"]
    voting = {"a": ["b"], "b": ["a"]} if vote else None
    targets = ("o0", "o1", "o2")
    felt = [walk(TRACE, targets[i % 3], rotation(i), np.full(3, 0.1 * i), STEPS, i) for i in range(ROWS)]
    whole, whole_groups = backend_of(names, burst, voting)
    whole.seats(whole_groups)
    one_row = module("a", burst).bank([module(name, burst) for name in names]).known.row_places
    monkeypatch.setattr(block_sizes, "BLOCK_PLACES", 2 * one_row)
    parts, part_groups = backend_of(names, burst, voting)
    bank = parts.seats(part_groups)[0].bank
    assert isinstance(bank, RowBlocks)
    assert (bank.size, len(bank.blocks)) == (2, 4)
    rows = np.arange(ROWS)
    for step in range(STEPS):
        if step == 3:
            begun = np.isin(rows, (1, 4))
            whole.reset(whole_groups, begun)
            parts.reset(part_groups, begun)
        if step == 5:
            rows = np.array([6, 2, 3])
            for backend, groups in ((whole, whole_groups), (parts, part_groups)):
                backend.keep(groups, rows)
            assert len(bank.blocks) == 2
        found = []
        for backend, groups in ((whole, whole_groups), (parts, part_groups)):
            told = {name: [[felt[row][step]] for row in rows] for name in names}
            given = [group_input(groups[0], told, rows=len(rows), check=step > 1)]
            found.append(backend.gather(backend.dispatch(groups, given)))
        for name in names:
            assert_alike(*(each[name] for each in found))
    assert bank.compilations < 12


@pytest.mark.parametrize("here", [True, False])
def test_strongest_hypotheses_are_those_of_the_rows_asked_for(
    here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order they were asked for, whatever their blocks; here: where they lie in the host's memory."""
    one, groups = backend_of(["a"], True)
    whole = one.seats(groups)[0].bank
    monkeypatch.setattr(
        block_sizes, "BLOCK_PLACES", 2 * module("a", True).bank([module("a", True)]).known.row_places
    )
    parts, part_groups = backend_of(["a"], True)
    bank = parts.seats(part_groups)[0].bank
    assert isinstance(bank, RowBlocks)
    assert isinstance(whole, EvidenceBank)
    felt = [walk(TRACE, "o1", rotation(i), np.zeros(3), 3, i) for i in range(ROWS)]
    for step in range(3):
        for backend, each in ((one, groups), (parts, part_groups)):
            given = [group_input(each[0], {"a": [[row[step]] for row in felt]}, rows=ROWS)]
            backend.gather(backend.dispatch(each, given))
    wanted = [(6, "o2"), (0, "o1"), (5, "o1"), (1, "o0"), (6, "o1")]
    if not here:
        monkeypatch.setattr("saccade.cortex.bank.held.in_host_memory", lambda device: False)
        monkeypatch.setattr(row_blocks, "in_host_memory", lambda device: False)
    expected, found = whole.strongest(0, wanted, 9), bank.strongest(0, wanted, 9)
    for ours, theirs in zip(found, expected, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    held, expected_held = (each.hypotheses_of(5, 0, "o1")["evidence"] for each in (bank, whole))
    np.testing.assert_array_equal(held, expected_held)


def test_rows_that_do_not_fit_are_counted_with_one_block_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    known = module("a", True).bank([module("a", True)]).known
    monkeypatch.setattr(block_sizes, "BLOCK_PLACES", 2 * known.row_places)
    monkeypatch.setattr(
        "saccade.cortex.bank.space.free_bytes", lambda device: 10 * known.row_bytes(stored=True)
    )
    row_blocks.bank_of(known.memories, [(PATCH,)], known.spec.settings, 8)
    with pytest.raises(MemoryError, match="at most 8 rows fit"):
        row_blocks.bank_of(known.memories, [(PATCH,)], known.spec.settings, 10)


def test_blocks_are_even_and_no_larger_than_allowed() -> None:
    for rows in (1, 7, 63, 231, 240, 1000, 2048):
        for places in (1, 10_000, 198_144, 554_400, 40_000_000):
            size = block_rows(rows, places)
            assert size == rows or size == 1 or size * places <= block_sizes.BLOCK_PLACES
            assert -(-rows // size) * size - rows < size


def test_blocks_of_a_gpu_are_small_and_do_not_depend_on_a_few_rows() -> None:
    for rows in (1, 7, 28, 63, 231, 1000, 2048):
        for places in (1, 10_000, 198_144, 554_400, 40_000_000):
            size = block_rows(rows, places, gpu=True)
            assert size == rows or size == 1 or size * places <= block_sizes.BLOCK_PLACES
            assert -(-rows // size) * size - rows < size
    assert len({block_rows(rows, 554_400, gpu=True) for rows in range(20, 60)}) == 1


def cloud(name: str, seed: int, nodes: int) -> ObjectModel:
    random = np.random.default_rng(seed)
    features = {"hsv": random.random((nodes, 3)), "principal_curvatures_log": random.normal(size=(nodes, 2))}
    pose = np.tile(np.eye(3), (nodes, 1, 1))
    return ObjectModel(
        name, {PATCH: NodeSet(random.normal(size=(nodes, 3)) * 0.03, pose, np.ones(nodes, bool), features)}
    )


def test_many_rows_need_little_more_than_one_state() -> None:
    """Planned for a GPU, and nothing run: what 256 rows in 32 blocks have in memory at most, also while half
    of them are left out."""
    settings = EvidenceSettings(updater=BurstSettings())
    models = [cloud(f"o{i}", i, 1000) for i in range(4)]
    rows, lead = 256, (256, 1, 1)
    with counting() as report, pytest.MonkeyPatch.context() as patch:
        known = EvidenceModule.bank([EvidenceModule("a", (PATCH,), settings, models)], 1, "null:cuda").known
        patch.setattr(block_sizes, "LOOPED_HYPOTHESES", 0)  # as if models were many
        made = EvidenceModule("a", (PATCH,), settings, models)
        bank = EvidenceModule.bank([made], rows, "null:cuda")
        assert isinstance(bank, RowBlocks)
        assert len(bank.blocks) == 32
        for _ in range(2):
            batch = PerceptBatch.empty(*lead, made.layouts[0].width)
            batch.flags[...] = True
            bank.launch(batch, np.zeros((rows, 1), bool))
        bank.keep(np.arange(0, rows, 2))
        assert len(bank.blocks) == 16
    assert report.peak_bytes < 1.12 * rows * known.row_bytes(stored=False)
