"""Monty's pretrained models: read without running code, written so that Monty reads them."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade.cli.app import app
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import CortexEngine
from saccade.monty import read_models
from saccade.nn.saved.mapped import StateError


class _Runs:
    """Unpickled by Python, it would write a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (open, (self.path, "w"))


def archive(path: Path, value: Any) -> Path:
    """A torch file without tensors."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("archive/data.pkl", pickle.dumps(value, protocol=2))
        file.writestr("archive/byteorder", "little")
    return path


class NumpyGraph:
    pass


class GridObjectModel:
    pass


def grid(nodes: int = 5, **changes: Any) -> Any:
    """What Monty keeps of one channel of an object."""
    rng = np.random.default_rng(nodes)
    graph, model = NumpyGraph(), GridObjectModel()
    graph.__dict__ = {
        "pos": rng.normal(size=(nodes, 3)),
        "x": rng.normal(size=(nodes, 13)),
        "feature_mapping": {"pose_vectors": [0, 9], "pose_fully_defined": [9, 10], "hsv": [10, 13]},
        **changes,
    }
    model.__dict__ = {"object_id": "mug", "_graph": graph, "_location_tree": {1, 2}}
    return model


def known(channels: dict[str, Any], name: str = "mug") -> dict[str, Any]:
    """What Monty keeps of one module that knows one object."""
    return {"lm_dict": {0: {"graph_memory": {name: channels}}}}


def saved(path: Path, model: Any) -> Path:
    memory = {"graph_memory": {"mug": {"patch_0": model}}, "target_to_graph_id": {"mug": {"mug"}}}
    return archive(path, {"lm_dict": {0: memory}, "sm_dict": {}})


def test_models_are_read_as_they_are(tmp_path: Path) -> None:
    model = grid()
    (found,) = read_models(saved(tmp_path / "model.pt", model), 0)
    nodes = found.channels["patch_0"]
    assert found.name == "mug"
    np.testing.assert_array_equal(nodes.positions, model._graph.pos)
    np.testing.assert_array_equal(nodes.pose_vectors.reshape(5, 9), model._graph.x[:, :9])
    np.testing.assert_array_equal(nodes.features["hsv"], model._graph.x[:, 10:])
    assert nodes.positions.dtype == np.float64


def test_nothing_in_a_file_runs(tmp_path: Path) -> None:
    victim = tmp_path / "written"
    model = grid()
    model._location_tree = _Runs(str(victim))
    assert len(read_models(saved(tmp_path / "model.pt", model), 0)) == 1
    assert not victim.exists()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"weights": 1}, "holds no lm_dict"),
        ({"lm_dict": {0: {"kind": "other"}}}, "module 0 is broken: it has no graph_memory"),
        (known({"patch_0": 3}), "'mug', channel 'patch_0' is broken: it holds no graph"),
        (known({"p": grid(x=np.zeros((2, 13)))}), "pos has shape"),
        (known({"p": grid(feature_mapping={"hsv": [10, 13]})}), "no pose_fully_defined and no pose_vectors"),
        (known({"p": grid(feature_mapping={3: None, "x": 4})}), "channel 'p' is broken"),
        (known({"p": grid(pos=open)}), "channel 'p' is broken"),
        (known({"p": grid()}, name=""), "module 0: ''.* needs a name"),
    ],
)
def test_files_of_others_are_refused_by_name(value: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(StateError, match=says):
        read_models(archive(tmp_path / "model.pt", value))


def test_a_module_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "model.pt", grid())
    with pytest.raises(StateError, match=r"learning modules \['0'\], not 3"):
        read_models(path, 3)


def two_modules(path: Path) -> Path:
    """A file of two learning modules with a sensor each, and one above them."""
    features = {"pose_vectors": [0, 9], "pose_fully_defined": [9, 10], "hsv": [10, 13],
                "principal_curvatures_log": [10, 12]}  # fmt: skip
    heard = ({"patch": 5}, {"patch": 6}, {"patch": 5, "learning_module_0": 4, "learning_module_1": 3})
    modules = {
        number: {
            "graph_memory": {
                "mug": {name: grid(nodes, feature_mapping=features) for name, nodes in own.items()}
            }
        }
        for number, own in enumerate(heard)
    }
    return archive(path, {"lm_dict": modules, "sm_dict": {}})


def test_what_the_command_reads_is_what_a_run_begins_with(tmp_path: Path) -> None:
    path, kept = two_modules(tmp_path / "model.pt"), tmp_path / "models"
    result = CliRunner().invoke(app, ["monty", "read", str(path), str(kept), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"modules": 3, "models": ["mug"] * 3, "nodes": 5 + 6 + 12}
    settings = ["module.count=2", "module.levels=2", "objects.set=compositional"]
    engine = CortexEngine(override(ExperimentConfig(), settings), ())
    engine.load_memory(kept)
    assert [list(models["mug"].channels) for models in engine.memory.modules] == [
        ["patch_0"],
        ["patch_1"],
        ["patch_0", "module_0", "module_1"],
    ]
    again = CliRunner().invoke(app, ["monty", "read", str(path), str(kept)])
    assert again.exit_code == 1
    assert "is not empty" in again.stderr


def test_a_file_that_cannot_be_read_leaves_nothing(tmp_path: Path) -> None:
    path = two_modules(tmp_path / "model.pt")
    path.write_bytes(path.read_bytes()[:-200])
    result = CliRunner().invoke(app, ["monty", "read", str(path), str(tmp_path / "models")])
    assert result.exit_code == 1
    assert "model.pt" in result.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["model.pt"]


def test_what_is_written_for_monty_is_read_by_it_and_by_us(tmp_path: Path) -> None:
    pytest.importorskip("tbp.monty", reason="tbp.monty is not installed: pip install 'saccade[monty]'")
    import torch
    from tbp.monty.frameworks.models.evidence_matching.learning_module import EvidenceGraphLM

    from bench import monty_walks as walks
    from saccade.monty import write_models

    rng = np.random.default_rng(1)
    nodes = NodeSet(
        rng.normal(size=(30, 3)) * 0.03,
        np.linalg.qr(rng.normal(size=(30, 3, 3)))[0],
        rng.random(30) < 0.8,
        {"hsv": rng.random((30, 3)), "principal_curvatures_log": rng.normal(size=(30, 2))},
    )
    path = tmp_path / "model.pt"
    write_models(path, [ObjectModel("mug", {"patch_0": nodes})])
    (again,) = read_models(path, 0)
    np.testing.assert_array_equal(again.channels["patch_0"].positions, nodes.positions)
    np.testing.assert_array_equal(again.channels["patch_0"].fully_defined, nodes.fully_defined)
    lm = EvidenceGraphLM(**walks.arguments())
    lm.load_state_dict(torch.load(path, weights_only=False)["lm_dict"][0])
    graph = lm.graph_memory.get_graph("mug", "patch_0")
    np.testing.assert_array_equal(graph.pos, nodes.positions)
    np.testing.assert_array_equal(graph.x[:, 11:14], nodes.features["hsv"])
    assert list(path.parent.iterdir()) == [path]
