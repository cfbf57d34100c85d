"""Models built from percepts: averaged, bounded, independent of how the object stands; and learning with
and without labels.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.cortex.hypotheses.neighbours import VoxelTable
from saccade.cortex.messages import Percept
from saccade.cortex.models.learning import ShortTermMemory, learn_supervised, learn_unsupervised, merged
from saccade.cortex.models.model import GridSettings, NodeSet, ObjectModel, Observations, build_nodes
from saccade.cortex.modules.backend import make_backend
from saccade.cortex.modules.group import group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.settings import EvidenceSettings

from .test_displacement_module import rotation


def percepts_on(
    seed: int, n: int, turn: np.ndarray, shift: np.ndarray, radii=(0.03, 0.02, 0.045)
) -> list[Percept]:
    """Percepts along a walk over a coloured ellipsoid that stands turned and shifted."""
    rng = np.random.default_rng(seed)
    unit = np.linalg.qr(rng.normal(size=(3, 3)))[0][:, 0]
    found = []
    for _ in range(n):
        unit = unit + 0.35 * rng.normal(size=3)
        unit /= np.linalg.norm(unit)
        point = unit * radii
        normal = unit / radii
        normal /= np.linalg.norm(normal)
        first = np.cross(normal, [0.3, 0.5, 0.81])
        first /= np.linalg.norm(first)
        vectors = np.stack([normal, first, np.cross(normal, first)])
        colour = [0.5 + 0.4 * unit[0], 0.5 + 0.4 * unit[1], 0.5 + 0.4 * unit[2]]
        found.append(
            Percept(
                location=turn @ point + shift,
                pose_vectors=vectors @ turn.T,
                features={"hsv": colour, "principal_curvatures_log": [unit[2], unit[0]]},
                sender="patch",
            )
        )
    return found


def observations(locations: np.ndarray, rng: np.random.Generator) -> Observations:
    n = len(locations)
    vectors = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    return Observations(locations, vectors, rng.random(n) > 0.5, {"hsv": rng.random((n, 3))})


@given(seed=st.integers(0, 1000), n=st.integers(1, 60), most=st.integers(1, 20))
def test_nodes_are_bounded_orthonormal_and_in_separate_cells(seed: int, n: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    grid = GridSettings(cell=0.01, max_size=0.1, max_nodes=most)
    nodes = build_nodes(observations(rng.normal(size=(n, 3)) * 0.05, rng), grid)
    assert 1 <= len(nodes) <= most
    cells = np.floor(nodes.positions.astype(np.float64) / grid.cell + 1e-4)
    assert len(np.unique(np.round(cells), axis=0)) >= len(nodes) - 2  # rounding to float32 may cross a border
    gram = nodes.pose_vectors @ nodes.pose_vectors.transpose(0, 2, 1)
    np.testing.assert_allclose(gram, np.broadcast_to(np.eye(3), gram.shape), atol=1e-5)
    assert nodes.seen.sum() <= n
    spread = nodes.positions.max(axis=0) - nodes.positions.min(axis=0)
    assert (spread <= grid.max_size + 1e-6).all()


def test_equal_percepts_become_one_node_with_their_values() -> None:
    rng = np.random.default_rng(0)
    one = observations(np.array([[0.011, 0.012, 0.013]]), rng)
    many = Observations(
        locations=np.repeat(one.locations, 5, axis=0),
        pose_vectors=np.repeat(one.pose_vectors, 5, axis=0),
        fully_defined=np.repeat(one.fully_defined, 5, axis=0),
        features={"hsv": np.repeat(one.features["hsv"], 5, axis=0)},
    )
    nodes = build_nodes(many, GridSettings())
    assert len(nodes) == 1
    assert nodes.seen.tolist() == [5]
    np.testing.assert_allclose(nodes.positions, one.locations, atol=1e-7)
    np.testing.assert_allclose(nodes.features["hsv"], one.features["hsv"], atol=1e-6)


def alike(locations: np.ndarray, rng: np.random.Generator) -> Observations:
    """Percepts that all lie the same way."""
    felt = observations(locations, rng)
    felt.pose_vectors[:] = np.eye(3)
    return felt


def test_hue_is_averaged_on_its_circle() -> None:
    rng = np.random.default_rng(0)
    felt = alike(np.zeros((2, 3)) + 0.001, rng)
    felt.features["hsv"][:] = [[0.95, 0.5, 0.5], [0.05, 0.5, 0.5]]
    hue = float(build_nodes(felt, GridSettings()).features["hsv"][0, 0])
    assert min(hue, 1 - hue) < 1e-6


def test_extending_weighs_old_nodes_by_how_often_they_were_seen() -> None:
    rng = np.random.default_rng(1)
    first = alike(np.array([[0.001, 0.001, 0.001]] * 3), rng)
    old = build_nodes(first, GridSettings())
    new = build_nodes(alike(np.array([[0.002, 0.002, 0.002]]), rng), GridSettings(), old)
    assert new.seen.tolist() == [4]
    np.testing.assert_allclose(new.positions[0], 0.00125, atol=1e-8)


def test_merged_models_know_what_one_that_felt_everything_would() -> None:
    turn, shift, grid = rotation(5), np.array([0.02, -0.01, 0.03]), GridSettings(cell=0.01)

    def learned(percepts: list[Percept]) -> ObjectModel:
        memory = ShortTermMemory(["patch"])
        memory.note(percepts)
        return ObjectModel("mug", {"patch": build_nodes(memory.observations()["patch"], grid)})

    def sorted_nodes(model: ObjectModel) -> np.ndarray:
        nodes = model.channels["patch"]
        table = np.concatenate([nodes.positions, nodes.features["hsv"], nodes.seen[:, None]], axis=1)
        return table[np.lexsort(table[:, :3].round(5).T)]

    there, elsewhere = percepts_on(0, 60, np.eye(3), np.zeros(3)), percepts_on(1, 60, np.eye(3), np.zeros(3))
    whole = sorted_nodes(learned([*there, *elsewhere]))
    found = sorted_nodes(merged(learned(there), learned(elsewhere), grid))
    # a mean of means of angles is not quite the mean of all
    np.testing.assert_allclose(found[:, 3], whole[:, 3], atol=1e-3)
    np.testing.assert_allclose(np.delete(found, 3, axis=1), np.delete(whole, 3, axis=1), atol=1e-5)
    # the second was learned from an object that stood elsewhere: its cells lie otherwise, its places do not
    moved = learned(percepts_on(1, 60, turn, shift))
    nodes = merged(learned(there), moved, grid, turn.T, -turn.T @ shift).channels["patch"]
    assert nodes.seen.sum() == 120
    gaps = np.linalg.norm(nodes.positions[:, None] - whole[None, :, :3], axis=-1)
    assert gaps.min(axis=1).max() < 0.01


def test_merging_keeps_channels_that_only_one_model_has() -> None:
    rng = np.random.default_rng(4)
    first, second = (build_nodes(alike(np.full((2, 3), at), rng), GridSettings()) for at in (0.001, 0.01))
    both = merged(ObjectModel("a", {"left": first}), ObjectModel("b", {"right": second}), GridSettings())
    assert (both.name, {name: len(nodes) for name, nodes in both.channels.items()}) == (
        "a",
        {"left": 1, "right": 1},
    )


def test_the_two_sides_of_a_thin_wall_are_two_nodes() -> None:
    rng = np.random.default_rng(2)
    felt = alike(np.full((6, 3), 0.001), rng)
    felt.pose_vectors[3:] = np.diag([-1.0, 1.0, -1.0])  # the same place, seen from the other side
    nodes = build_nodes(felt, GridSettings())
    assert nodes.seen.tolist() == [3, 3]
    np.testing.assert_allclose(nodes.pose_vectors[:, 0], [[1, 0, 0], [-1, 0, 0]], atol=1e-6)


@given(seed=st.integers(0, 1000))
def test_directions_are_averaged_as_axes_and_undefined_ones_do_not_count(seed: int) -> None:
    rng = np.random.default_rng(seed)
    felt = alike(np.full((9, 3), 0.001), rng)
    angle = np.where(np.arange(9) < 6, np.radians([10, 20, 30] * 3), rng.uniform(0, np.pi, 9))
    first = np.stack([np.zeros(9), np.cos(angle), np.sin(angle)], axis=1) * rng.choice([-1, 1], 9)[:, None]
    felt.pose_vectors[:] = np.stack([felt.pose_vectors[:, 0], first, np.cross([1.0, 0, 0], first)], axis=1)
    felt.fully_defined[:] = np.arange(9) < 6
    found = build_nodes(felt, GridSettings()).pose_vectors[0, 1]
    assert abs(found @ [0, np.cos(np.radians(20)), np.sin(np.radians(20))]) > 1 - 1e-4


def test_no_percepts_make_no_model() -> None:
    with pytest.raises(ValueError, match="no percepts"):
        build_nodes(observations(np.zeros((0, 3)), np.random.default_rng(0)), GridSettings())


def test_nodes_with_nan_are_refused() -> None:
    with pytest.raises(ValueError, match="positions hold NaN"):
        NodeSet(np.full((1, 3), np.nan), np.eye(3)[None], np.ones(1, bool), {})
    with pytest.raises(ValueError, match=r"feature 'hsv' of node\(s\) \[1\] holds NaN"):
        NodeSet(
            np.zeros((2, 3)),
            np.stack([np.eye(3)] * 2),
            np.ones(2, bool),
            {"hsv": [[0, 0, 0], [0, np.nan, 0]]},
        )


@given(seed=st.integers(0, 100), n=st.integers(1, 50), share=st.sampled_from([0.3, 0.5, 1.0]))
def test_voxel_lists_hold_every_node_within_the_radius(seed: int, n: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    points, radius = rng.random((n, 3)) * 0.05, 0.01
    table = VoxelTable.build(points, radius, radius * share)
    for place in rng.random((20, 3)) * 0.07 - 0.01:
        near = set(np.flatnonzero(np.linalg.norm(points - place, axis=1) < radius).tolist())
        cell = np.floor((place - table.origin) / table.edge).astype(int)
        listed: set[int] = set()
        if (cell >= 0).all() and (cell < table.shape).all():
            voxel = (cell[0] * table.shape[1] + cell[1]) * table.shape[2] + cell[2]
            listed = set(table.nodes[table.start[voxel] :][: table.count[voxel]].tolist())
        assert near <= listed


def test_a_match_distance_that_would_fill_the_memory_is_refused() -> None:
    corners = np.array([[0.0, 0.0, 0.0], [0.3, 0.3, 0.3]])
    with pytest.raises(
        ValueError, match=r"1e-06 m is too small for a model 0.3 m across.*use 0.0015 m or more"
    ):
        VoxelTable.build(corners, 1e-6)
    assert VoxelTable.build(corners, 0.0153).count.sum() > 0


def recognised(module: EvidenceModule, percepts: list[Percept]):
    backend, groups = make_backend("sequential"), make_groups([module])
    for t, percept in enumerate(percepts):
        given_ = group_input(groups[0], {module.name: [[percept]]}, check=t > 3)
        result = backend.gather(backend.dispatch(groups, [given_]))[module.name]
    return result


def test_learning_with_labels_recognises_turned_objects_later() -> None:
    module = EvidenceModule("m", ("patch",), EvidenceSettings())
    for number, radii in enumerate([(0.03, 0.02, 0.045), (0.05, 0.05, 0.02)]):
        for view in range(2):
            turn, shift = rotation(view), np.array([0.1 * view, 0.2, 0.3])
            memory = ShortTermMemory(("patch",))
            for percept in percepts_on(view, 250, turn, shift, radii):
                memory.note([percept])
            learn_supervised(module, memory, f"egg_{number}", turn, shift, GridSettings(cell=0.005))
    assert list(module.memory) == ["egg_0", "egg_1"]
    turn, shift = rotation(9), np.array([0.5, 0.5, 0.5])
    result = recognised(module, percepts_on(7, 12, turn, shift, (0.05, 0.05, 0.02)))
    best = result.best[0]
    assert best is not None
    assert best.object == "egg_1"
    error = np.degrees(np.arccos(np.clip((np.trace(best.rotation @ turn) - 1) / 2, -1, 1)))
    assert error < 25


def test_learning_without_labels_finds_new_objects_and_extends_known_ones() -> None:
    module = EvidenceModule("m", ("patch",), EvidenceSettings(pose_similarity_threshold=0.5))
    grid = GridSettings(cell=0.005)
    walk = percepts_on(0, 250, np.eye(3), np.zeros(3))
    memory = ShortTermMemory(("patch",))
    memory.note(walk[:1])
    for percept in walk[1:]:
        memory.note([percept])
    assert learn_unsupervised(module, memory, None, grid=grid) == "object_0"
    before = len(module.memory["object_0"].channels["patch"])
    turn, shift = rotation(4), np.array([0.0, 0.3, -0.2])
    again = percepts_on(5, 40, turn, shift)
    result = recognised(module, again)
    assert result.terminal == ["match"]
    memory.clear()
    for percept in again:
        memory.note([percept])
    assert learn_unsupervised(module, memory, result, grid=grid) == "object_0"
    nodes = module.memory["object_0"].channels["patch"]
    assert len(nodes) > before
    # the new nodes lie on the surface the model already describes
    level = np.linalg.norm(nodes.positions[before:] / [0.03, 0.02, 0.045], axis=1)
    assert np.abs(level - 1).max() < 0.35
    other = percepts_on(1, 100, np.eye(3), np.zeros(3), (0.07, 0.07, 0.07))
    memory.clear()
    memory.note(other[:1])
    for percept in other[1:]:
        memory.note([percept])
    assert learn_unsupervised(module, memory, None, grid=grid) == "object_1"


def test_nothing_felt_cannot_be_learned() -> None:
    module = EvidenceModule("m", ("patch",))
    with pytest.raises(ValueError, match="nothing was felt"):
        learn_supervised(module, ShortTermMemory(("patch",)), "x", np.eye(3), np.zeros(3))
    found = SimpleNamespace(
        best=[SimpleNamespace(object="x", rotation=np.eye(3), location=np.zeros(3))], terminal=["match"]
    )
    for result in (None, found):
        with pytest.raises(ValueError, match="nothing was felt"):
            learn_unsupervised(module, ShortTermMemory(("patch",)), result)
