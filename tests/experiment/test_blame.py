"""Accounts of errors: the truth and the winner replayed over what was felt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.settings import EvidenceSettings
from saccade.experiment.engine.episode import EpisodeRow
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.report.blame import account, fit
from saccade.experiment.report.report import error_lines


def strip(hues: list[float]) -> ObjectModel:
    """A row of nodes along x, 2 cm apart, facing up, each of its own hue."""
    count = len(hues)
    places = np.stack([0.02 * np.arange(count), np.zeros(count), np.zeros(count)], axis=1)
    pose = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    hsv = np.stack([hues, np.full(count, 0.9), np.full(count, 0.9)], axis=1)
    features = {"hsv": hsv, "principal_curvatures_log": np.zeros((count, 2))}
    return ObjectModel(
        "x", {"patch_0": NodeSet(places, np.tile(pose, (count, 1, 1)), np.ones(count, bool), features)}
    )


def trace_of(
    model: ObjectModel, steps: list[int], rotation: np.ndarray, location: np.ndarray
) -> dict[str, np.ndarray]:
    """The truth is the model as it stands; its nodes are felt one after the other."""
    nodes, count = model.channels["patch_0"], len(steps)
    return {
        "objects": np.array(["right", "other"]),
        "best_object": np.zeros(count, np.int64),
        "best_rotation": np.tile(rotation, (count, 1, 1)),
        "best_location": np.tile(location, (count, 1)),
        "sensed": nodes.positions[steps][:, None].astype(float),
        "processed": np.ones(count, bool),
        "felt_usable": np.ones((count, 1), bool),
        "felt_location": nodes.positions[steps][:, None],
        "felt_pose": nodes.pose_vectors[steps][:, None],
        "felt_defined": np.ones((count, 1), bool),
        "felt_hsv": nodes.features["hsv"][steps][:, None],
        "felt_curvature": np.zeros((count, 1, 2)),
    }


ROW = EpisodeRow("e0", "eval", 0, 0, "right", "right", "match", True, 4, 180.0, target_rotation="0 0 0")


def test_a_half_turn_that_only_colour_tells() -> None:
    """The winner is turned by half about the middle of the strip: it has a node at every place, of other hues
    on all but the middle one."""
    model = strip([0.0, 0.2, 0.4, 0.6, 0.8])
    steps = [2, 0, 1, 3, 4]
    turn = from_euler([0.0, 0.0, 180.0])
    last = model.channels["patch_0"].positions[steps[-1]].astype(float)
    trace = trace_of(model, steps, turn, [0.08, 0, 0] + turn @ last)
    found = account(ROW, trace, {"right": model}, "patch_0", EvidenceSettings())
    assert found is not None
    assert found.by_kind["location"] == 0
    assert found.by_kind["pose"] == pytest.approx(0, abs=0.01)
    assert found.by_kind["features"] > 1.5
    assert "never made, or given up" in found.verdict
    assert not found.worst
    assert any("e0" in line for line in error_lines([found]))


def test_a_truth_that_is_out_of_reach_lost_by_location() -> None:
    model, steps = strip([0.1] * 5), [0, 1, 2]
    trace = trace_of(model, steps, np.eye(3), model.channels["patch_0"].positions[2].astype(float))
    trace["felt_location"] = trace["felt_location"] + [0, 0, 0.05]
    trace["sensed"] = trace["sensed"] + [0, 0, 0.05]
    found = account(ROW, trace, {"right": model}, "patch_0", EvidenceSettings())
    assert found is not None
    assert found.by_kind["location"] == -3
    assert found.verdict == "the truth lost by location, behind since step 1"
    assert [kind for _, kind, _ in found.worst] == ["location"] * 3
    alike = replace(found, row=replace(ROW, detected="other"), twins=True)
    assert alike.verdict == "nothing tells it from other: their models are of one thing"


def test_features_fit_as_the_modules_say() -> None:
    from saccade.cortex.features import feature_evidence
    from saccade.tensor import Tensor

    layout = EvidenceSettings().layout("patch_0")
    random = np.random.default_rng(0)
    stored, sensed = random.random((20, layout.width)), random.random(layout.width)
    theirs = feature_evidence(Tensor(stored), Tensor(sensed), layout, 1.0).numpy()
    np.testing.assert_allclose(fit(stored, sensed, layout), theirs, atol=1e-12)
