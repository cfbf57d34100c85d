"""The module that follows paths: it recognises turned objects, and runs beside evidence modules in one
step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade.cortex.messages import Percept
from saccade.cortex.modules.backend import BACKENDS, make_backend
from saccade.cortex.modules.displacement_module import (
    DisplacementModule,
    DisplacementSettings,
    check_path_rows,
    row_bytes,
)
from saccade.cortex.modules.group import group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule

from .traces import PATCH, Trace, load, settings_of


def walk(
    trace: Trace, name: str, turn: np.ndarray, shift: np.ndarray, steps: int, seed: int = 0
) -> list[Percept]:
    """Percepts along a path over nodes of a model that stands turned by `turn` at `shift`."""
    nodes = {model.name: model for model in trace.models()}[name].channels[PATCH]
    rng = np.random.default_rng(seed)
    at, percepts = 0, []
    for _ in range(steps):
        gap = np.linalg.norm(nodes.positions - nodes.positions[at], axis=1)
        at = int(rng.choice(np.flatnonzero((gap > 0) & (gap < 0.03))))
        percepts.append(
            Percept(
                location=turn @ nodes.positions[at] + shift,
                pose_vectors=nodes.pose_vectors[at] @ turn.T,
                features={key: value[at] for key, value in nodes.features.items()},
                sender=PATCH,
            )
        )
    return percepts


def rotation(seed: int) -> np.ndarray:
    q = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return q * np.sign(np.linalg.det(q))


def test_rows_that_memory_does_not_hold_are_counted_by_their_paths() -> None:
    """Before a step and after it; what a row has is what is told of it."""
    module = DisplacementModule("paths", (PATCH,), models=load("e1_default_updater").models())
    told = row_bytes([module])
    evidence = DisplacementModule.bank([module], rows=3)._evidence
    assert evidence.numel() * evidence.dtype.itemsize == 3 * told
    check_path_rows([module], 3, 6 * told)
    with pytest.raises(MemoryError, match=r"4 rows of 1 x 4 x 208 paths .* at most 3 rows fit"):
        check_path_rows([module], 4, 6 * told)


@pytest.mark.parametrize("target", ["o0", "o1", "o2"])
def test_turned_objects_are_recognised_with_their_rotation(target: str) -> None:
    trace = load("e1_default_updater")
    turn, shift = rotation(5), np.array([0.1, 1.5, -0.3])
    module = DisplacementModule("paths", (PATCH,), models=trace.models())
    backend, groups = make_backend("stacked"), make_groups([module])
    for percept in walk(trace, target, turn, shift, 8):
        given = group_input(groups[0], {"paths": [[percept]]}, check=True)
        result = backend.gather(backend.dispatch(groups, [given]))["paths"]
    assert result.terminal == ["match"]
    assert result.possible == [[target]]
    best = result.best[0]
    assert best is not None
    assert best.object == target
    np.testing.assert_allclose(best.rotation, turn.T, atol=1e-4)
    np.testing.assert_allclose(turn @ best.location + shift, percept.location, atol=1e-6)
    assert result.outputs[0] is not None


def test_a_pose_stays_while_nothing_is_felt_and_moves_with_the_sensor() -> None:
    trace = load("e1_default_updater")
    turn, shift = rotation(5), np.array([0.1, 1.5, -0.3])
    module = DisplacementModule("paths", (PATCH,), models=trace.models())
    backend, groups = make_backend("stacked"), make_groups([module])
    path = walk(trace, "o1", turn, shift, 8)
    away = replace(
        path[-1], location=path[-1].location + [0.01, 0, 0], pose_vectors=np.eye(3), moved_only=True
    )
    found = []
    for percepts in [[percept] for percept in path] + [[], [away]]:
        given = group_input(groups[0], {"paths": [percepts]})
        found.append(backend.gather(backend.dispatch(groups, [given]))["paths"].best[0])
    for best, place in zip(found[-3:], (path[-1].location, path[-1].location, away.location), strict=True):
        np.testing.assert_allclose(best.rotation, turn.T, atol=1e-4)
        np.testing.assert_allclose(turn @ best.location + shift, place, atol=1e-6)


def test_results_do_not_depend_on_where_and_how_the_object_stands() -> None:
    trace = load("e1_default_updater")
    found = []
    for seed in (1, 2):
        module = DisplacementModule("paths", (PATCH,), DisplacementSettings(dtype="float64"), trace.models())
        backend, groups = make_backend("sequential"), make_groups([module])
        for percept in walk(trace, "o1", rotation(seed), np.full(3, seed), 5):
            given = group_input(groups[0], {"paths": [[percept]]})
            result = backend.gather(backend.dispatch(groups, [given]))["paths"]
        found.append(result.evidence)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


@pytest.mark.parametrize("name", list(BACKENDS))
def test_kinds_run_side_by_side(name: str) -> None:
    trace = load("e1_default_updater")
    modules = [
        EvidenceModule("a", (PATCH,), settings_of(trace.settings), trace.models()),
        DisplacementModule("b", (PATCH,), models=trace.models()),
        EvidenceModule("c", (PATCH,), settings_of(trace.settings), trace.models()),
    ]
    groups = make_groups(modules)
    assert [group.names for group in groups] == [("a", "c"), ("b",)]
    backend = make_backend(name, voting={"a": ["c"], "c": ["a"]})
    for percept in walk(trace, "o2", rotation(3), np.zeros(3), 6):
        inputs = [group_input(group, {n: [[percept]] for n in group.names}) for group in groups]
        results = backend.gather(backend.dispatch(groups, inputs))
    assert {n: r.best[0].object for n, r in results.items()} == {"a": "o2", "b": "o2", "c": "o2"}


def test_a_reset_row_begins_anew() -> None:
    trace = load("e1_default_updater")
    module = DisplacementModule("paths", (PATCH,), models=trace.models())
    backend, groups = make_backend("stacked"), make_groups([module])
    results = []
    for _ in range(2):
        for percept in walk(trace, "o0", np.eye(3), np.zeros(3), 3):
            given = group_input(groups[0], {"paths": [[percept]]})
            result = backend.gather(backend.dispatch(groups, [given]))["paths"]
        results.append(result.evidence)
        backend.reset(groups)
    np.testing.assert_array_equal(results[0], results[1])
