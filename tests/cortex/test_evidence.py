"""The parts of evidence against the reference: displacement, neighbours, pose and feature evidence."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest

from saccade.cortex.features import FeatureLayout, feature_evidence, scalar_curvature
from saccade.cortex.geometry import Rotation, Vector, dot, rotate
from saccade.cortex.hypotheses import evidence, hypotheses, tables
from saccade.cortex.hypotheses.neighbours import ORDERED_FROM, VoxelTable, spatial_order
from saccade.cortex.hypotheses.tables import TOGETHER, build_channel
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.ops import nearest, read, upload
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor

from .traces import PATCH, TOLERANCE, Ties, load, names

DTYPES = ("float64", "float32")


def tensor(array: np.ndarray, dtype: str) -> Tensor:
    return upload(array, dtype, None)


def vector(array: np.ndarray, dtype: str) -> Vector:
    a, b, c = (tensor(array[..., i], dtype) for i in range(3))
    return a, b, c


def rotation(array: np.ndarray, dtype: str) -> Rotation:
    parts = [tensor(array.reshape(*array.shape[:-2], 9)[..., i], dtype) for i in range(9)]
    return parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6], parts[7], parts[8]


def stacked(value: tuple[Tensor, ...]) -> np.ndarray:
    value[0].realize(*value[1:])  # one program for all
    return np.stack(read(value), axis=-1)


@pytest.mark.parametrize("name", names("a_"))
@pytest.mark.parametrize("dtype", DTYPES)
def test_displacement(name: str, dtype: str) -> None:
    trace = load(name)
    for c in range(trace.settings["cases"]):
        locations, poses = trace[f"c{c}_locations"], trace[f"c{c}_poses"]
        lead = (1, 1, 1, len(locations))
        state = hypotheses.empty(*lead, dtype, dtype, None)._replace(
            location=vector(locations.reshape(*lead, 3), dtype),
            rotation=rotation(poses.reshape(*lead, 3, 3), dtype),
        )
        moved = hypotheses.displace(state, vector(trace[f"c{c}_displacement"].reshape(1, 1, 1, 1, 3), dtype))
        got = stacked(moved.location)[0, 0, 0]
        np.testing.assert_allclose(got, trace[f"c{c}_out_locations"], atol=TOLERANCE[dtype], rtol=0)
        np.testing.assert_array_equal(stacked(moved.rotation)[0, 0, 0].reshape(-1, 3, 3), poses.astype(dtype))


@pytest.mark.parametrize("name", names("b_"))
@pytest.mark.parametrize(
    ("dtype", "cases"),
    [("float64", None), ("float32", 2), pytest.param("float32", None, marks=pytest.mark.slow)],
)
def test_neighbours(name: str, dtype: str, cases: int | None, record_property: object) -> None:
    """Each case is programs of its own: in single precision the first ones, with the slow tests all."""
    trace = load(name)
    ties = Ties(dtype)
    for c, case in enumerate(trace.settings["cases"][:cases]):
        pos = trace[f"c{c}_node_pos"].astype(np.float64)
        search, poses = trace[f"c{c}_search_locations"], trace[f"c{c}_poses"]
        sensed = trace[f"c{c}_sensed_pose_vectors"]
        features = {case["curvature_feature"]: trace[f"c{c}_curvature_feature"]}
        curvature = scalar_curvature(features)
        assert curvature == pytest.approx(float(trace[f"c{c}_out_scalar_curvature"]))
        turn = rotation(poses, dtype)
        rows = [stacked(rotate(turn, vector(sensed[k], dtype))) for k in range(3)]
        ties.close(np.stack(rows, axis=1), trace[f"c{c}_out_rotated_pose_vectors"], f"case {c} rotated pose")
        delta = vector(pos[None, :, :] - search[:, None, :], dtype)
        squared, found = nearest(dot(delta, delta), case["used_k"])
        squared.realize(found)
        (ids,) = read([found])
        same = (ids == trace[f"c{c}_out_ids"]).all(axis=1)
        ties.close(same.astype(float), np.ones(len(same)), f"case {c} nodes")
        chosen = vector(pos[ids] - search[:, None, :], dtype)
        normal = rotate(turn, vector(sensed[0], dtype))
        wide = (normal[0].unsqueeze(-1), normal[1].unsqueeze(-1), normal[2].unsqueeze(-1))
        distance = evidence.reach_distance(chosen, wide, squared.sqrt(), tensor(np.array(curvature), dtype))
        (got,) = read([distance])
        ties.close(got[same], trace[f"c{c}_out_custom_distance"][same], f"case {c} distance")
        weight = 1 - got[same] / case["max_match_distance"]
        ties.close(weight, trace[f"c{c}_out_distance_weight"][same], f"case {c} distance weight")
        far = got >= case["max_match_distance"]
        ties.close(
            far[same].astype(float), trace[f"c{c}_out_too_far"][same].astype(float), f"case {c} too far"
        )
    ties.report(record_property)


@pytest.mark.parametrize("name", names("c_"))
@pytest.mark.parametrize("dtype", DTYPES)
def test_pose_evidence(name: str, dtype: str) -> None:
    trace = load(name)
    for c, case in enumerate(trace.settings["cases"]):
        query = trace[f"c{c}_query_pose_vectors"]
        node = trace[f"c{c}_node_pose_vectors"].astype(np.float64)
        node = node.reshape(*node.shape[:2], 3, 3)
        got = evidence.pose_evidence(
            dot(vector(node[:, :, 0], dtype), vector(query[:, None, 0], dtype)),
            dot(vector(node[:, :, 1], dtype), vector(query[:, None, 1], dtype)),
            tensor(trace[f"c{c}_node_pose_fully_defined"][..., 0], dtype),
            tensor(np.array(float(case["sensed_pose_fully_defined"])), dtype),
            (case["pose_weights"][0], case["pose_weights"][1]),
        )
        # near an exact match the root magnifies rounding: sqrt(1 - x) with x off by one unit in the last
        # place
        tolerance = TOLERANCE[dtype] if dtype == "float64" else 1e-3
        np.testing.assert_allclose(read([got])[0], trace[f"c{c}_out_pose_evidence"], atol=tolerance, rtol=0)


@pytest.mark.parametrize("name", names("d_"))
@pytest.mark.parametrize("dtype", DTYPES)
def test_feature_evidence(name: str, dtype: str) -> None:
    trace = load(name)
    for c, case in enumerate(trace.settings["cases"]):
        widths = np.cumsum([0, *case["dims"]])

        def split(
            values: np.ndarray, case: dict = case, widths: np.ndarray = widths
        ) -> dict[str, list[float]]:
            return {n: values[widths[i] : widths[i + 1]].tolist() for i, n in enumerate(case["order"])}

        layout = FeatureLayout.make(split(trace[f"c{c}_tolerance"]), split(trace[f"c{c}_weight"]))
        nodes, query = tensor(trace[f"c{c}_node_features"], dtype), tensor(trace[f"c{c}_query"], dtype)
        got = feature_evidence(nodes, query, layout, case["feature_evidence_increment"])
        expected = trace[f"c{c}_out_feature_evidence"]
        np.testing.assert_allclose(read([got])[0], expected, atol=TOLERANCE[dtype], rtol=0, equal_nan=True)


def random_model(rng: np.random.Generator, n: int) -> ObjectModel:
    normals = rng.normal(size=(n, 3))
    vectors = np.stack([np.linalg.qr(np.stack([v, *rng.normal(size=(2, 3))]).T)[0].T for v in normals])
    features = {"hsv": rng.random((n, 3)), "principal_curvatures_log": rng.normal(size=(n, 2))}
    at = rng.random((n, 3)) * 0.06
    at = at[spatial_order(at)]  # so that tables number the nodes as the model does
    return ObjectModel("o", {PATCH: NodeSet(at, vectors, rng.random(n) > 0.1, features)})


@pytest.mark.parametrize("neighbours", [1, 3, 10, 100])
def test_voxel_table_equals_brute_force(neighbours: int) -> None:
    rng = np.random.default_rng(neighbours)
    h, results = 400, []
    model = random_model(rng, 300)
    lead = (1, 1, 1, h)
    places = rng.random((*lead, 3)) * 0.1 - 0.02
    places[..., :50, :] = model.channels[PATCH].positions[:50]
    turns = np.stack([np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(h)]).reshape(*lead, 3, 3)
    for search in ("brute", "voxels"):
        settings = EvidenceSettings(max_nneighbors=neighbours, neighbour_search=search, dtype="float64")
        table, shape = build_channel([[model]], [PATCH], settings, 1, None)
        assert (shape.longest == 0) == (search == "brute")
        assert shape.all_candidates_count == (search == "voxels" and neighbours == 100)
        one = tensor(np.ones((1, 1, 1, 1)), "float64")
        up = vector(np.array([0.0, 0.0, 1.0]).reshape(1, 1, 1, 1, 3), "float64")
        sensed = evidence.Sensed(up, up, one, one, tensor(np.zeros((1, 1, 5)), "float64"), one > 0.5)
        scores = tensor(rng.random((1, 1, 1, shape.nodes)) * 0 + np.arange(shape.nodes) / 300, "float64")
        tested = tensor(np.ones(lead), "bool")
        value = evidence.channel_evidence(
            vector(places, "float64"),
            rotation(turns, "float64"),
            tested,
            sensed,
            table,
            shape,
            scores,
            settings,
        )
        results.append(read([value])[0])
    np.testing.assert_allclose(results[0], results[1], atol=1e-12)
    assert 0.05 < (results[0] > -1).mean() < 0.95
    nodes = model.channels[PATCH]
    expected = [
        spelled_out(nodes, place, turn, neighbours)
        for place, turn in zip(places.reshape(-1, 3), turns.reshape(-1, 3, 3), strict=True)
    ]
    np.testing.assert_allclose(results[0].reshape(-1), expected, atol=1e-7)


def test_tables_have_nodes_in_spatial_order_whatever_order_they_came_in() -> None:
    rng, settings = np.random.default_rng(0), EvidenceSettings()
    nodes = random_model(rng, ORDERED_FROM).channels[PATCH]
    mixed = rng.permutation(ORDERED_FROM)
    features = {name: values[mixed] for name, values in nodes.features.items()}
    other = NodeSet(nodes.positions[mixed], nodes.pose_vectors[mixed], nodes.fully_defined[mixed], features)
    (one, _), (two, _) = (
        build_channel([[ObjectModel("o", {PATCH: n})]], [PATCH], settings, 1, None) for n in (nodes, other)
    )
    every = [[t.nodes, t.places, t.facing, t.features, t.lists, t.candidates] for t in (one, two)]
    for a, b in zip(*(read(tensors) for tensors in every), strict=True):
        np.testing.assert_array_equal(a, b)


def test_spatial_order() -> None:
    """Each node once; those of few stay; steps between neighbours are short; equal places stay in order."""
    at = np.random.default_rng(1).random((1000, 3))
    order = spatial_order(at)
    np.testing.assert_array_equal(np.sort(order), np.arange(1000))
    steps, before = (np.linalg.norm(np.diff(p, axis=0), axis=1) for p in (at[order], at))
    assert np.median(steps) < np.median(before) / 4
    np.testing.assert_array_equal(spatial_order(at[order]), np.arange(1000))
    np.testing.assert_array_equal(spatial_order(np.zeros((500, 3))), np.arange(500))
    np.testing.assert_array_equal(spatial_order(at[: ORDERED_FROM - 1]), np.arange(ORDERED_FROM - 1))


def test_the_list_of_a_voxel_is_one_word_and_whole_loads() -> None:
    model, settings = random_model(np.random.default_rng(0), 300), EvidenceSettings()
    table, shape = build_channel([[model]], [PATCH], settings, 1, None)
    voxels = VoxelTable.build(model.channels[PATCH].positions, settings.max_match_distance)
    (first,), words, candidates = read([table.first_voxel.reshape(-1), table.lists, table.candidates])
    begin, count = words >> shape.length_bits, words & ((1 << shape.length_bits) - 1)
    np.testing.assert_array_equal(count[first : first + len(voxels.count)], voxels.count)
    assert count[0] == 0, "what lies outside of all grids has no candidates"
    for number in np.flatnonzero(voxels.count):
        start = begin[first + number] * TOGETHER
        right = voxels.nodes[voxels.start[number] :][: voxels.count[number]]
        np.testing.assert_array_equal(candidates[start : start + len(right)], right)
    assert (begin.max() + 1) * TOGETHER + shape.longest <= len(candidates)


def test_modules_that_know_the_same_nodes_share_their_voxels() -> None:
    rng, settings = np.random.default_rng(0), EvidenceSettings()
    one, other = random_model(rng, 300), random_model(rng, 200)
    alone, _ = build_channel([[one, other]], [PATCH], settings, 2, None)
    three, shape = build_channel([[one, other], [other], [one, other]], [PATCH] * 3, settings, 2, None)
    assert shape.modules == 3
    assert three.lists.shape == alone.lists.shape
    assert three.candidates.shape == alone.candidates.shape
    (first, again) = read([alone.first_voxel, three.first_voxel])
    np.testing.assert_array_equal(again, [first[0], [first[0, 1], 0], first[0]])


def spelled_out(nodes: NodeSet, place: np.ndarray, turn: np.ndarray, neighbours: int) -> float:
    """The evidence of one hypothesis as the text says it: a sensed pose of z and z, curvature 1, and scores
    of a 300th per node number.
    """
    axis = turn @ np.array([0.0, 0.0, 1.0])
    offset = nodes.positions - place
    distance = np.linalg.norm(offset, axis=1)
    reach = distance + np.abs(offset @ axis) / 1.5
    best = -1.0
    for node in np.argsort(distance, kind="stable")[:neighbours]:
        if reach[node] < 0.01:
            normal, first = nodes.pose_vectors[node, :2] @ axis
            value = 0.5 - np.sqrt((1 - np.clip(normal, -1, 1)) / 2)
            value += (0.5 - np.sqrt(1 - min(first * first, 1.0))) * nodes.fully_defined[node]
            best = max(best, value + node / 300)
    return best


def test_of_equally_near_nodes_the_first_ones_speak() -> None:
    at = np.zeros((40, 3))
    flags, features = (
        np.ones(40, bool),
        {"hsv": np.zeros((40, 3)), "principal_curvatures_log": np.zeros((40, 2))},
    )
    model = ObjectModel("o", {PATCH: NodeSet(at, np.broadcast_to(np.eye(3), (40, 3, 3)), flags, features)})
    for search, words in (("brute", "int32"), ("voxels", "int32"), ("voxels", "int64")):
        settings = EvidenceSettings(max_nneighbors=4, neighbour_search=search)
        table, shape = build_channel([[model]], [PATCH], settings, 1, None)
        table = table._replace(lists=table.lists.cast(words))  # of very many models they are wide
        one = tensor(np.ones((1, 1, 1, 1)), "float32")
        up = vector(np.array([0.0, 0.0, 1.0]).reshape(1, 1, 1, 1, 3), "float32")
        sensed = evidence.Sensed(up, up, one, one, tensor(np.zeros((1, 1, 5)), "float32"), one > 0.5)
        scores = tensor(np.arange(40.0).reshape(1, 1, 1, 40), "float32")
        here, unturned = (
            vector(np.full((1, 1, 1, 1, 3), 0.001), "float32"),
            np.eye(3).reshape(1, 1, 1, 1, 3, 3),
        )
        value = evidence.channel_evidence(
            here, rotation(unturned, "float32"), one > 0.5, sensed, table, shape, scores, settings
        )
        pose = (0.5 - np.sqrt(0.5)) + (0.5 - 1.0)
        np.testing.assert_allclose(read([value])[0].reshape(-1), [3 + pose], atol=1e-5)


def test_a_voxel_table_is_made_once_for_all_banks_and_goes_with_its_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[int] = []
    usual = VoxelTable.build

    def build(positions: np.ndarray, radius: float, edge: float) -> VoxelTable:
        built.append(len(positions))
        return usual(positions, radius, edge)

    monkeypatch.setattr(tables.VoxelTable, "build", staticmethod(build))
    random = np.random.default_rng(0)
    nodes = NodeSet(random.random((40, 3)) * 0.1, np.tile(np.eye(3), (40, 1, 1)), np.ones(40, bool), {})
    model = ObjectModel("o", {PATCH: nodes})
    settings = EvidenceSettings(tolerances={})
    for _ in range(3):
        build_channel([[model], [model]], [PATCH, PATCH], settings, 1, None)
    assert built == [40]
    (table,) = map(ref, nodes.voxels.values())
    del nodes, model
    gc.collect()
    assert table() is None
