"""Going on with some rows alone: what they find is what they would have found among all the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest

from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.messages import Percept
from saccade.cortex.modules.backend import SequentialBackend, make_backend
from saccade.cortex.modules.displacement_module import DisplacementModule
from saccade.cortex.modules.group import Group, group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule, LearningModule
from saccade.cortex.rows import take_rows
from saccade.cortex.settings import BurstSettings, EvidenceSettings

from .test_displacement_module import rotation, walk
from .traces import PATCH, load

STEPS, PARTING = 6, 3
KEPT = np.array([3, 1])
TRACE = load("e1_default_updater")
Make = Callable[[str], LearningModule]


def evidence(name: str) -> EvidenceModule:
    return EvidenceModule(name, (PATCH,), EvidenceSettings(), TRACE.models())


def bursting(name: str) -> EvidenceModule:
    settings = replace(EvidenceSettings(), updater=BurstSettings())
    return EvidenceModule(name, (PATCH,), settings, TRACE.models())


def paths(name: str) -> DisplacementModule:
    return DisplacementModule(name, (PATCH,), models=TRACE.models())


def walks() -> list[list[Percept]]:
    """Four rows on three objects, the first two on the same one."""
    targets = ("o0", "o0", "o1", "o2")
    return [walk(TRACE, name, rotation(i), np.full(3, 0.1 * i), STEPS, i) for i, name in enumerate(targets)]


def stepped(
    backend: SequentialBackend, groups: list[Group], felt: list[list[Percept]], step: int
) -> dict[str, ModuleResult]:
    given = [[[row[step]] for row in felt]] * len(groups[0].modules)
    told = dict(zip(groups[0].names, given, strict=True))
    inputs = [group_input(groups[0], told, rows=len(felt), check=step > 1)]
    return backend.gather(backend.dispatch(groups, inputs))


@pytest.mark.parametrize(
    ("make", "kind", "vote"),
    [(evidence, "sequential", False), (bursting, "stacked", True), (paths, "stacked", False)],
)
def test_kept_rows_go_on_as_before(make: Make, kind: str, vote: bool) -> None:
    voting = {"a": ["b"], "b": ["a"]} if vote else None
    felt = walks()
    every, some = ([make("a"), make("b")] for _ in range(2))
    all_groups, some_groups = make_groups(every), make_groups(some)
    among, alone = (make_backend(kind, len(felt), None, voting) for _ in range(2))
    for step in range(STEPS):
        if step == PARTING:
            alone.keep(some_groups, KEPT)
            felt_alone = [felt[row] for row in KEPT]
        expected = stepped(among, all_groups, felt, step)
        found = stepped(alone, some_groups, felt if step < PARTING else felt_alone, step)
        if step < PARTING:
            continue
        for name in ("a", "b"):
            ours, theirs = found[name], expected[name]
            assert ours.failure is None
            assert ours.terminal == [theirs.terminal[row] for row in KEPT]
            assert ours.possible == [theirs.possible[row] for row in KEPT]
            np.testing.assert_array_equal(ours.counts, theirs.counts[KEPT])
            np.testing.assert_allclose(ours.evidence, theirs.evidence[KEPT], atol=1e-5)
            np.testing.assert_array_equal(ours.symmetry, theirs.symmetry[KEPT])
    assert alone.rows == len(KEPT)


@dataclass(frozen=True)
class _State:
    place: np.ndarray
    parts: tuple[np.ndarray, None]


class _Named(NamedTuple):
    place: np.ndarray


def test_rows_of_states_are_taken_in_order() -> None:
    state = _State(np.arange(8.0).reshape(4, 2), (np.arange(4), None))
    taken = take_rows(state, KEPT)
    np.testing.assert_array_equal(taken.place, [[6, 7], [2, 3]])
    np.testing.assert_array_equal(taken.parts[0], KEPT)
    np.testing.assert_array_equal(take_rows(_Named(np.arange(4)), KEPT).place, KEPT)
    with pytest.raises(TypeError, match="arrays with the row first"):
        take_rows("words", KEPT)


def test_banks_keep_their_rows_and_forget_those_that_nobody_has() -> None:
    """Steps have two of four rows; the bank's programs stay as they are, and what is gone costs nothing."""
    felt, groups = walks(), make_groups([bursting("a")])
    backend = make_backend("stacked", len(felt))
    for step in range(PARTING):
        stepped(backend, groups, felt, step)
    (seat,) = backend.seats(groups)
    backend.reset(groups, np.zeros(len(felt), bool))
    made = seat.bank.compilations
    backend.keep(groups, KEPT)
    result = stepped(backend, groups, [felt[row] for row in KEPT], PARTING)["a"]
    assert seat.bank.rows == len(felt)
    assert seat.bank.compilations == made
    counts = seat.bank.hypotheses.counts.numpy()[:, 0]
    np.testing.assert_array_equal(counts[KEPT], result.counts)
    assert not counts[[0, 2]].any()
    assert result.counts.all()


def test_rows_begin_anew_where_they_lie_in_the_banks() -> None:
    felt, groups = walks(), make_groups([bursting("a")])
    backend = make_backend("stacked", len(felt))
    for step in range(PARTING):
        stepped(backend, groups, felt, step)
    backend.keep(groups, KEPT)
    left = [felt[row] for row in KEPT]
    backend.reset(groups, np.array([False, True]))
    again = stepped(backend, groups, left, 0)["a"]
    fresh_groups = make_groups([bursting("a")])
    fresh = stepped(make_backend("stacked", 1), fresh_groups, [felt[KEPT[1]]], 0)["a"]
    np.testing.assert_array_equal(again.counts[1], fresh.counts[0])
    np.testing.assert_array_equal(again.evidence[1], fresh.evidence[0])
    assert (again.counts[0] != fresh.counts[0]).any()
