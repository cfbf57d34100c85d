"""Accounts of errors: the truth and the winner replayed over what was felt."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade.cli import app as cli
from saccade.cortex.fitting.surface import MOST
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.settings import EvidenceSettings
from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.engine.episode import EpisodeRow, Outcome
from saccade.experiment.engine.memory import Memory, save_memory
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.recognise.settling import Settler
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.blame import account, fit, not_told_apart, weighed
from saccade.experiment.report.report import error_lines
from tests.experiment.test_settling import ball


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
    assert found.by_kind["location"] == -3
    assert found.verdict == "the truth lost by location, behind since step 1"
    assert [kind for _, kind, _ in found.worst] == ["location"] * 3
    alike = replace(found, row=replace(ROW, detected="other"), twins=True)
    assert alike.verdict == "nothing tells it from other: their models are of one thing"


def test_what_was_reported_is_compared_where_percepts_decide() -> None:
    """The strongest hypothesis is the truth, and the other object was reported: it has other hues."""
    model, other = strip([0.1] * 8), strip([0.1] * 4 + [0.6] * 4)
    settler = Settler(Memory.of([{"right": model, "other": other}]), 0.0125, 1)
    steps = [0, 1, 2, 5, 6]
    trace = trace_of(model, steps, np.eye(3), model.channels["patch_0"].positions[6].astype(float))
    trace["report_pose"] = np.concatenate([np.eye(3).reshape(9), np.zeros(3)])
    trace["sensor_position"] = trace["felt_location"] + [0, 0, 0.05]
    trace["sensor_rotation"] = np.tile(np.eye(3), (5, 1, 1, 1))
    trace["sensor_nearest"] = np.full((5, 1), 0.05)
    row = replace(ROW, detected="other", correct=False)
    found = weighed(row, trace, settler, np.array([0.2]))
    assert found.won_object == "other"
    assert found.by_kind["features"] > 5
    assert found.by_kind["location"] == found.by_kind["pose"] == found.by_kind["void"] == 0
    assert "never made, or given up" in found.verdict
    # the other way round the truth lost, from the first node of another hue on
    found = weighed(replace(row, object="other", detected="right"), trace, settler, np.array([0.2]))
    assert found.verdict == "the truth lost by features, behind since step 4"
    assert {step for step, kind, _ in found.worst} == {4, 5}
    for broken in (np.zeros(11), np.full(12, np.nan)):
        with pytest.raises(ValueError, match="report_pose"):
            weighed(row, trace | {"report_pose": broken}, settler, np.array([0.2]))


def test_a_surface_where_nothing_was_seen_speaks_against_a_pose() -> None:
    model, longer = strip([0.1] * 4), strip([0.1] * 8)
    settler = Settler(Memory.of([{"right": model, "other": longer}]), 0.0125, 1)
    trace = trace_of(model, [0, 1, 2, 3], np.eye(3), np.zeros(3))
    trace["report_pose"] = np.concatenate([np.eye(3).reshape(9), np.zeros(3)])
    trace["sensor_position"] = trace["felt_location"] + [0, 0, 0.05]
    trace["sensor_rotation"] = np.tile(np.eye(3), (4, 1, 1, 1))
    trace["sensor_nearest"] = np.full((4, 1), 0.05)
    # the last look was at where the longer one goes on, and met nothing
    trace["sensor_position"][3] = [0.12, 0, 0.05]
    trace["sensor_nearest"][3], trace["felt_usable"][3] = np.inf, False
    found = weighed(replace(ROW, detected="other"), trace, settler, np.array([0.2]))
    assert found.by_kind == {"location": 0, "pose": 0, "features": 0, "void": MOST}
    assert found.steps[-1] == 4


def test_where_there_is_nothing_to_compare_it_is_said() -> None:
    model = strip([0.1] * 5)
    trace = trace_of(model, [0, 1], np.eye(3), np.zeros(3)) | {"best_object": np.array([0, -1])}
    found = account(ROW, trace, {"right": model}, "patch_0", EvidenceSettings())
    assert found.verdict == "nothing was believed"
    assert list(error_lines([found]))[1:] == ["    nothing was believed"]
    trace["best_object"] = np.array([0, 0])
    assert "does not know right" in account(ROW, trace, {}, "patch_0", EvidenceSettings()).verdict


def test_features_fit_as_the_modules_say() -> None:
    from saccade.cortex.features import feature_evidence
    from saccade.tensor import Tensor

    layout = EvidenceSettings().layout("patch_0")
    random = np.random.default_rng(0)
    stored, sensed = random.random((20, layout.width)), random.random(layout.width)
    theirs = feature_evidence(Tensor(stored), Tensor(sensed), layout, 1.0).numpy()
    np.testing.assert_allclose(fit(stored, sensed, layout), theirs, atol=1e-12)


def test_objects_that_nothing_tells_apart_are_named_without_traces(tmp_path: Path) -> None:
    """Two models of one ball, and a larger one that was taken for them as well; a match was told apart."""
    memory = Memory.empty(1)
    for name, radius in (("one", 0.02), ("two", 0.02), ("larger", 0.03)):
        memory.modules[0][name] = ObjectModel(name, {"patch_0": ball(radius)})
    save_memory(memory, tmp_path / "models")
    config = override(preset("all_surface"), ["train.mode=none", f"train.models={tmp_path / 'models'}"])
    taken = [
        ("one", "two", "mlh"),
        ("two", "one", "mlh"),
        ("larger", "one", "mlh"),
        ("one", "larger", "match"),
    ]
    with RunFolder.create(tmp_path / "run", config) as folder:
        for index, (name, detected, ending) in enumerate(taken):
            row = EpisodeRow(f"eval-{index:06d}", "eval", index, 0, name, detected, ending, False, 4)
            folder.append([Outcome(row)])
    assert not_told_apart(RunFolder.open(tmp_path / "run")) == [("one", "two")]
    told = CliRunner().invoke(cli.app, ["show", str(tmp_path / "run")])
    assert "nothing tells 'one' from 'two'" in told.stderr
    shutil.rmtree(tmp_path / "models")
    assert not_told_apart(RunFolder.open(tmp_path / "run")) == []
