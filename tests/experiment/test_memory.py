"""What modules know, on disk and back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.models.tensor_file import FileError
from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import CortexEngine
from saccade.experiment.engine.memory import Memory, Origin, load_memory, save_memory
from saccade.experiment.run import models_path


def model(name: str, nodes: int, channel: str = "patch_0") -> ObjectModel:
    random = np.random.default_rng(nodes)
    poses = np.broadcast_to(np.eye(3), (nodes, 3, 3))
    found = NodeSet(
        random.normal(size=(nodes, 3)), poses, np.ones(nodes, bool), {"hsv": random.random((nodes, 3))}
    )
    return ObjectModel(name, {channel: found})


def test_memory_survives_the_disk(tmp_path: Path) -> None:
    modules = [{"b": model("b", 5), "a": model("a", 7)}, {"b": model("b", 3, "patch_1")}]
    memory = Memory(tuple(modules), {"b": Origin("mug", tuple(np.eye(3).ravel()))})
    save_memory(memory, tmp_path / "memory")
    again = load_memory(tmp_path / "memory")
    assert [list(each) for each in again.modules] == [["b", "a"], ["b"]]
    assert again.origins == memory.origins
    for before, after in zip(memory.modules, again.modules):
        for name in before:
            for channel, nodes in before[name].channels.items():
                assert (after[name].channels[channel].positions == nodes.positions).all()
                assert (after[name].channels[channel].features["hsv"] == nodes.features["hsv"]).all()


def test_joining_keeps_the_order_and_replaces_in_place() -> None:
    first = Memory.of([{"a": model("a", 2), "b": model("b", 2)}])
    joined = first.extended(Memory.of([{"a": model("a", 9)}]))
    assert [(name, each.node_count) for name, each in joined.modules[0].items()] == [("a", 9), ("b", 2)]
    with pytest.raises(ValueError, match="1 and 2 modules"):
        first.extended(Memory.empty(2))


def test_foreign_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no models"):
        load_memory(tmp_path)
    (tmp_path / "memory.json").write_text(json.dumps({"format": 7, "modules": 1, "origins": {}}))
    with pytest.raises(ValueError, match="format 7"):
        load_memory(tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 100_000, r"memory\.json is broken: it is nested too deeply"),
        ("[1]", r"memory\.json is broken"),
        ('{"format": 1, "modules": 1e300, "origins": {}}', r"names 1e\+300 modules"),
        ('{"format": 1, "modules": 100000000000000000000, "origins": {}}', "modules, and there are 0 to"),
        (
            '{"format": 1, "modules": 0, "origins": {"a": {"object": "b", "rotation": [1e999]}}}',
            "nine numbers",
        ),
        ('{"format": 1, "modules": 0, "origins": {"a": 3}}', "origin 'a' is broken"),
        ('{"format": 1, "modules": 0, "origins": {"\\ud800": 3}}', "surrogates not allowed"),
    ],
)
def test_a_damaged_index_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "memory.json").write_text(text)
    with pytest.raises(FileError, match=told):
        load_memory(tmp_path)


def test_models_of_another_number_of_modules_are_refused(tmp_path: Path) -> None:
    save_memory(Memory.empty(2), tmp_path / "memory")
    engine = CortexEngine(override(ExperimentConfig(), ["objects.names=mug"]))
    with pytest.raises(ValueError, match=r"module\.count"):
        engine.load_memory(tmp_path / "memory")


def test_models_are_found_in_a_run_and_in_its_folder_of_models(tmp_path: Path) -> None:
    """Beside those of single units."""
    run = tmp_path / "run"
    (run / "models" / "train-0000").mkdir(parents=True)
    save_memory(Memory.of([{}]), run / "models" / "memory")
    places = {models_path(path) for path in (run, run / "models", run / "models" / "memory")}
    assert places == {run / "models" / "memory"}
    assert load_memory(places.pop()).known == frozenset()
