"""Models built from percepts: averaged, bounded, independent of how the object stands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.cortex.hypotheses.neighbours import VoxelTable
from saccade.cortex.models.model import GridSettings, NodeSet, Observations, build_nodes


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


def test_lists_of_voxels_have_the_nearest_first() -> None:
    """Of nodes in one place, those that come first go first."""
    once = np.random.default_rng(1).random((200, 3)) * 0.02
    points = np.concatenate([once, once])
    table = VoxelTable.build(points, 0.01, 0.005)
    assert table.longest > 200
    for voxel in range(len(table.count)):
        listed = table.nodes[table.start[voxel] : table.start[voxel] + table.count[voxel]]
        middle = table.origin + (np.array(np.unravel_index(voxel, table.shape)) + 0.5) * table.edge
        away = np.square(points[listed] - middle).sum(axis=1)
        assert (np.diff(away) > -1e-12).all()
        assert (listed[1::2] - listed[::2] == len(once)).all()
