"""Hypotheses that lie packed between steps, object after object: the results of those that do not."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.cortex.bank import knowledge
from saccade.cortex.bank.state import arrangement
from saccade.cortex.hypotheses.packing import LINE, Places, places_of, sizes_of
from saccade.cortex.hypotheses.turns import Turns
from saccade.cortex.modules import block_sizes, row_blocks
from saccade.cortex.modules.group import group_input
from saccade.cortex.modules.row_blocks import RowBlocks
from saccade.tensor import Tensor

from .test_displacement_module import rotation, walk
from .test_row_blocks import ROWS, STEPS, TRACE, assert_alike, backend_of, module
from .traces import PATCH

NODES = np.array([[200, 31, 0, 1], [7, 0, 90, 90]])


def test_what_is_taken_apart_is_packed_again() -> None:
    size = 384
    sizes = sizes_of(NODES, 200, size)
    places = Places.of(sizes, None)
    number = places_of(sizes)
    assert number >= sizes.sum(axis=-1).max()
    packed = Tensor.arange(3 * 2 * 5 * number, dtype="float64").reshape(3, 2, 5, number)
    apart = places.apart(packed, size)
    assert apart.shape == (3, 2, 5, 4, size)
    wide, flat = apart.numpy(), packed.numpy()
    for m, each in enumerate(sizes):
        begin = 0
        for o, count in enumerate(each):
            np.testing.assert_array_equal(wide[:, m, :, o, :count], flat[:, m, :, begin : begin + count])
            begin += count
        there = places.together(apart).numpy()[:, m, :, :begin]
        np.testing.assert_array_equal(there, flat[:, m, :, :begin])


def test_every_object_has_room_by_its_nodes_and_the_largest_all() -> None:
    sizes = sizes_of(NODES, 200, 400)
    assert sizes[0, 0] == 400
    assert (sizes[NODES == 0] == 0).all()
    assert (sizes >= NODES * 2).all()
    assert (sizes % LINE == 0)[sizes < 400].all()
    # models of a few nodes more have the same programs
    assert places_of(np.array([[170_000]])) == places_of(np.array([[169_000]])) < 1.04 * 169_000


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in blocks that lie packed, as many of them do on a GPU."""
    known = module("a", True).bank([module("a", True)]).known
    monkeypatch.setattr(block_sizes, "BLOCK_PLACES", 2 * known.row_places)
    monkeypatch.setattr(row_blocks, "packs", lambda known, rows, gpu: True)
    for where in (row_blocks, arrangement):
        monkeypatch.setattr(where, "rotations_are_stored", lambda device: False)


@pytest.mark.parametrize("tight", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.usefixtures("packed")
def test_packed_rows_find_what_others_do(tight: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when rows begin anew, when some go on alone, and, where room is tight, when it grows."""
    if tight:
        monkeypatch.setattr(knowledge, "SPARE_STEPS", -1)
    felt = [walk(TRACE, f"o{i % 3}", rotation(i), np.full(3, 0.1 * i), STEPS, i) for i in range(ROWS)]
    with monkeypatch.context() as patch:
        patch.setattr(block_sizes, "BLOCK_PLACES", 10**9)
        whole, whole_groups = backend_of(["a"], True)
        whole.seats(whole_groups)
    parts, part_groups = backend_of(["a"], True)
    bank = parts.seats(part_groups)[0].bank
    assert isinstance(bank, RowBlocks)
    assert all(block.is_packed for block in bank.blocks)
    block = bank.blocks[0]
    assert block.hypotheses.shape[3] < len(block.memories[0]) * block.size
    rows = np.arange(ROWS)
    for step in range(STEPS):
        if step == 3:
            for backend, groups in ((whole, whole_groups), (parts, part_groups)):
                backend.reset(groups, np.isin(rows, (1, 4)))
        if step == 6:
            rows = np.array([6, 2, 3])
            for backend, groups in ((whole, whole_groups), (parts, part_groups)):
                backend.keep(groups, rows)
        found = []
        for backend, groups in ((whole, whole_groups), (parts, part_groups)):
            told = {"a": [[felt[row][step]] for row in rows]}
            given = [group_input(groups[0], told, rows=len(rows), check=step > 1)]
            found.append(backend.gather(backend.dispatch(groups, given))["a"])
        assert_alike(*found, rounding=1e-14)
    assert bool(bank.growths) == tight
    seats = [backend.seats(groups)[0] for backend, groups in ((whole, whole_groups), (parts, part_groups))]
    for row, name in ((2, "o2"), (0, "o1"), (1, "o0")):
        at = [row if seat.rows is None else int(seat.rows[row]) for seat in seats]
        expected_held, held = (s.bank.hypotheses_of(r, 0, name) for s, r in zip(seats, at, strict=True))
        for key, values in held.items():
            np.testing.assert_allclose(values, expected_held[key], rtol=0, atol=1e-14)
        (best,), (other,) = (s.bank.strongest(0, [(r, name)], 9) for s, r in zip(seats, at, strict=True))
        for mine, theirs in zip(best, other, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-14)


@pytest.mark.usefixtures("packed")
def test_packed_rows_take_the_bytes_that_are_told() -> None:
    parts, groups = backend_of(["a"], True)
    bank = parts.seats(groups)[0].bank
    assert isinstance(bank, RowBlocks)
    block, known = bank.blocks[0], bank.known
    hypotheses, tracker, turns = block.hypotheses, block.tracker, block.hypotheses.rotation
    assert isinstance(turns, Turns)
    parts_of_hypotheses = (hypotheses.evidence, *hypotheses.location, hypotheses.possible, *turns)
    leaves = [*parts_of_hypotheses, tracker.history, tracker.slope, tracker.ages]
    told = known.row_bytes(stored=False, packed=True)
    assert sum(leaf.numel() * leaf.dtype.itemsize for leaf in leaves) == bank.size * told
    assert told < known.row_bytes(stored=False)


@pytest.mark.usefixtures("packed")
def test_packed_rows_that_do_not_fit_are_counted_with_one_block_that_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = module("a", True).bank([module("a", True)]).known
    row, step = known.row_bytes(False, packed=True), known.row_bytes(False)
    monkeypatch.setattr("saccade.cortex.bank.space.free_bytes", lambda device: 8 * row + 2 * step)
    row_blocks.bank_of(known.memories, [(PATCH,)], known.spec.settings, 8)
    with pytest.raises(MemoryError, match="at most 8 rows fit"):
        row_blocks.bank_of(known.memories, [(PATCH,)], known.spec.settings, 10)


def test_rows_of_a_card_are_counted_packed_unless_they_hear_votes() -> None:
    known = module("a", True).bank([module("a", True)]).known
    told, rows = (known.memories, [(PATCH,)], known.spec.settings), 10_000
    size = block_sizes.block_rows(rows, known.row_places, gpu=True)
    number = -(-rows // size) * size
    needed = number * known.row_bytes(False, packed=True) + size * known.row_bytes(False)
    block_sizes.check_rows_of(*told, rows, True, needed)
    with pytest.raises(MemoryError, match=f"{number} rows of"):
        block_sizes.check_rows_of(*told, rows, True, needed - 1)
    with pytest.raises(MemoryError, match=f"{number} rows of"):
        block_sizes.check_rows_of(*told, rows, True, needed, voted=True)
    block_sizes.check_rows_of(
        *told, rows, True, (number + size) * known.row_bytes(True, voted=True), voted=True
    )


@pytest.mark.usefixtures("packed")
def test_rows_that_hear_votes_are_not_packed() -> None:
    parts, groups = backend_of(["a", "b"], True, {"a": ["b"], "b": ["a"]})
    bank = parts.seats(groups)[0].bank
    assert isinstance(bank, RowBlocks)
    assert not any(block.is_packed for block in bank.blocks)
