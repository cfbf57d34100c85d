"""Input nobody should send: each has defined behaviour or an error that names the value."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.features import FeatureLayout
from saccade.cortex.messages import Percept, batch_of
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.backend import make_backend
from saccade.cortex.modules.displacement_module import DisplacementModule
from saccade.cortex.modules.group import group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.settings import BurstSettings, EvidenceSettings

from .traces import PATCH

FEATURES = {"hsv": [0.5, 0.5, 0.5], "principal_curvatures_log": [0.0, 0.0]}


def percept(x: float = 0.0, **changes) -> Percept:
    values = {"location": [x, 0.0, 0.0], "features": FEATURES, "sender": PATCH, **changes}
    return Percept(**values)


def model(name: str, n: int, channel: str = PATCH) -> ObjectModel:
    rng = np.random.default_rng(n)
    features = {"hsv": rng.random((n, 3)), "principal_curvatures_log": rng.random((n, 2))}
    vectors = np.broadcast_to(np.eye(3), (n, 3, 3))
    return ObjectModel(
        name, {channel: NodeSet(rng.random((n, 3)) * 0.05, vectors, np.ones(n, bool), features)}
    )


def run(module: EvidenceModule, steps: list[list[Percept]], check: bool = True):
    backend, groups = make_backend("sequential"), make_groups([module])
    for percepts in steps:
        given = group_input(groups[0], {module.name: [percepts]}, check=check)
        result = backend.gather(backend.dispatch(groups, [given]))[module.name]
    return result


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"location": [np.nan, 0, 0]}, "NaN or infinity"),
        ({"location": [0, 0]}, "shape"),
        ({"pose_vectors": np.full((3, 3), np.inf)}, "NaN or infinity"),
        ({"pose_vectors": np.eye(2)}, "shape"),
        ({"features": {"hsv": [np.nan, 0, 0]}}, "'hsv'"),
        ({"confidence": 1.5}, r"\[0, 1\]"),
        ({"confidence": float("nan")}, r"\[0, 1\]"),
        ({"frame": "world"}, "frame 'world'"),
    ],
)
def test_percepts_check_themselves(changes: dict, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        percept(**changes)


def test_missing_and_misshapen_features_are_named() -> None:
    layout = FeatureLayout.make({"hsv": [0.1, 0.2, 0.2], "depth": [1.0]})
    with pytest.raises(ValueError, match="lacks feature 'depth'"):
        layout.pack({"hsv": [0, 0, 0]}, "patch")
    with pytest.raises(ValueError, match=r"'hsv' of 'patch' has shape \(2,\)"):
        layout.pack({"hsv": [0, 0], "depth": [1]}, "patch")


def test_strangers_and_repeated_senders_are_refused() -> None:
    layouts = (EvidenceSettings().layout(PATCH),)
    with pytest.raises(ValueError, match="'nobody'"):
        batch_of([percept(sender="nobody")], (PATCH,), layouts)
    with pytest.raises(ValueError, match="two percepts"):
        batch_of([percept(), percept()], (PATCH,), layouts)


def test_a_batch_of_the_wrong_shape_is_refused() -> None:
    bank = EvidenceBank([[model("a", 5)]], [(PATCH,)], EvidenceSettings(), rows=2)
    with pytest.raises(ValueError, match="rows, modules, channels"):
        bank.advance(batch_of([percept()], bank.channels[0], bank.layouts))


def test_a_module_without_objects_matches_nothing() -> None:
    result = run(EvidenceModule("m", (PATCH,)), [[percept()], [percept(0.01)]])
    assert result.best == [None]
    assert result.possible == [[]]
    assert result.terminal == ["no_match"]


@pytest.mark.parametrize("updater", [None, BurstSettings()])
def test_models_with_no_or_one_node(updater: BurstSettings | None) -> None:
    settings = EvidenceSettings() if updater is None else EvidenceSettings(updater=updater)
    module = EvidenceModule("m", (PATCH,), settings, [model("none", 0), model("one", 1), model("some", 30)])
    result = run(module, [[percept()], [percept(0.002)], [percept(0.004)]])
    assert result.counts[0, 0] == 0
    assert np.isneginf(result.evidence[0, 0])
    if updater is None:
        assert result.counts[0, 1] == 2
        assert np.isfinite(result.evidence[0, 1])
    assert result.best[0] is not None


def test_objects_without_the_sensed_channel_are_left_alone() -> None:
    module = EvidenceModule(
        "m", (PATCH,), models=[model("known", 10), model("other", 10, channel="elsewhere")]
    )
    result = run(module, [[percept()], [percept(0.001)]])
    assert result.counts.tolist() == [[20, 0]]
    assert np.isneginf(result.evidence[0, 1])
    assert "other" not in result.possible[0]


def test_a_channel_that_never_arrives_is_done_without() -> None:
    both = ("patch_0", "patch_1")
    nodes = model("a", 10).channels[PATCH]
    two = EvidenceModule("m", both, models=[ObjectModel("a", dict.fromkeys(both, nodes))])
    steps = [[percept(sender="patch_0")], [percept(0.001, sender="patch_0")]]
    got = run(two, steps)
    alone = run(EvidenceModule("m", ("patch_0",), models=[ObjectModel("a", {"patch_0": nodes})]), steps)
    np.testing.assert_allclose(got.evidence, alone.evidence, atol=1e-6)
    assert got.counts.tolist() == alone.counts.tolist() == [[20]]


def test_a_percept_without_a_wanted_feature_fails_its_module_and_says_which() -> None:
    module = EvidenceModule("m", (PATCH,), models=[model("a", 10)])
    result = run(module, [[percept(features={"hsv": [0.5, 0.5, 0.5]})]])
    assert "lacks feature 'principal_curvatures_log'" in str(result.failure)
    assert result.counts.tolist() == [[0]]
    assert run(module, [[percept()]]).failure is None


def test_objects_without_any_hypothesis_are_no_match() -> None:
    """A burst that samples nothing leaves every object without hypotheses."""
    settings = EvidenceSettings(updater=BurstSettings(sampling_multiplier=0.0))
    module = EvidenceModule("m", (PATCH,), settings, [model("a", 30), model("b", 20)])
    result = run(module, [[percept()], [percept(0.001)], [percept(0.002)]])
    assert result.counts.tolist() == [[0, 0]]
    assert np.isneginf(result.evidence).all()
    assert result.best == [None]
    assert result.possible == [[]]
    assert result.terminal == ["no_match"]


def test_no_input_for_a_whole_episode() -> None:
    module = EvidenceModule("m", (PATCH,), models=[model("a", 10)])
    result = run(module, [[], [], []])
    assert result.best == [None]
    assert result.counts.tolist() == [[0]]
    assert result.terminal == [None]
    assert not result.processed.any()


@pytest.mark.parametrize("models", [[], [model("none", 0)], [model("one", 1), model("some", 9)]])
def test_a_module_of_the_other_kind_bears_small_models_and_silence(models: list[ObjectModel]) -> None:
    module = DisplacementModule("d", (PATCH,), models=models)
    backend, groups = make_backend("sequential"), make_groups([module])
    for percepts in ([], [percept()], [percept(0.004)], []):
        result = backend.gather(backend.dispatch(groups, [group_input(groups[0], {"d": [percepts]})]))["d"]
        assert result.failure is None
    assert result.objects == tuple(one.name for one in models)


def test_steps_without_input_change_nothing() -> None:
    module = EvidenceModule("m", (PATCH,), models=[model("a", 10), model("b", 12)])
    steps = [[percept()], [percept(0.001)]]
    plain = run(module, steps, check=False)
    module.reset()
    gaps = run(module, [steps[0], [], [], steps[1], []], check=False)
    np.testing.assert_array_equal(plain.evidence, gaps.evidence)


def test_a_step_that_only_moved_displaces_and_changes_no_evidence() -> None:
    bank = EvidenceBank([[model("a", 10)]], [(PATCH,)], EvidenceSettings(dtype="float64"))

    def step(one: Percept) -> dict[str, np.ndarray]:
        bank.collect(bank.launch(batch_of([one], bank.channels[0], bank.layouts)))
        return bank.hypotheses_of(0, 0, "a")

    first = step(percept())
    second = step(percept(0.01, moved_only=True, features={}))
    np.testing.assert_array_equal(first["evidence"], second["evidence"])
    expected = first["locations"] + first["rotations"] @ np.array([0.01, 0, 0])
    np.testing.assert_allclose(second["locations"], expected, atol=1e-12)


def test_equal_object_names_are_refused() -> None:
    with pytest.raises(ValueError, match="already knows an object 'a'"):
        EvidenceModule("m", (PATCH,), models=[model("a", 3), model("a", 4)])
    with pytest.raises(ValueError, match=r"unique.*'a'"):
        EvidenceBank([[model("a", 3), model("a", 4)]], [(PATCH,)], EvidenceSettings())


def test_a_model_without_a_wanted_feature_is_named() -> None:
    nodes = NodeSet(
        np.zeros((2, 3)), np.broadcast_to(np.eye(3), (2, 3, 3)), np.ones(2, bool), {"hsv": np.zeros((2, 3))}
    )
    module = EvidenceModule("m", (PATCH,), models=[ObjectModel("bald", {PATCH: nodes})])
    with pytest.raises(ValueError, match=r"'bald'.*principal_curvatures_log"):
        EvidenceModule.bank([module])


def test_a_capacity_that_is_too_small_grows_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    bank = EvidenceBank([[model("a", 16)]], [(PATCH,)], EvidenceSettings())
    with caplog.at_level(logging.WARNING):
        flat = percept(pose_fully_defined=False)
        outcome = bank.collect(bank.launch(batch_of([flat], bank.channels[0], bank.layouts)))
    assert outcome.beliefs.counts.tolist() == [[[128]]]
    assert len(bank.growths) == 1
    assert "capacity grows from 32 to 128" in caplog.text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"max_match_distance": 0.0}, "max_match_distance"),
        ({"max_nneighbors": 0}, "max_nneighbors"),
        ({"vote_evidence_threshold": -0.1}, "vote_evidence_threshold"),
        ({"vote_geometry": "upside down"}, "vote_geometry"),
        ({"evidence_threshold": "many"}, "evidence_threshold"),
        ({"evidence_threshold": "x%"}, "percent"),
        ({"initial_possible_poses": "guess"}, "initial_possible_poses"),
        ({"dtype": "float16"}, "dtype"),
        ({"tolerances": {"hsv": [0.0, 0.1, 0.1]}}, None),
    ],
)
def test_wrong_settings_are_refused(changes: dict, says: str | None) -> None:
    if says is None:
        with pytest.raises(ValueError, match="must be positive"):
            EvidenceSettings(**changes).layout(PATCH)
    else:
        with pytest.raises(ValueError, match=says):
            EvidenceSettings(**changes)


def test_unknown_backends_and_voters_are_named() -> None:
    with pytest.raises(ValueError, match="unknown backend 'magic'"):
        make_backend("magic")
    groups = make_groups([EvidenceModule("m", (PATCH,), models=[model("a", 3)])])
    backend = make_backend("sequential", voting={"m": ["ghost"]})
    with pytest.raises(ValueError, match="'ghost'"):
        backend.dispatch(groups, [group_input(groups[0], {})])
